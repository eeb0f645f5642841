/* attention.args.h - the arguments of the ops of attention.c. */
#ifndef TH_ATTENTION_ARGS_H
#define TH_ATTENTION_ARGS_H
#include "th_args.h"

/* The last arguments of each op. */
#define TH_ATTENTION_OPTIONS \
  (scale, number, "0"), (causal, bool, "false"), (padding, tensor, "nil"), \
  (dropout, number, "0"), (seed, tensor, "nil")
#define TH_ATTENTION_PASS \
  (q, tensor), (k, tensor), (v, tensor), (y, tensor), (lse, tensor), (g, tensor), TH_ATTENTION_OPTIONS

TH_ARGS(attention, (y, out), (lse, out), (q, tensor), (k, tensor), (v, tensor), TH_ATTENTION_OPTIONS)

TH_ARGS(attention_masked, (y, out), (q, tensor), (k, tensor), (v, tensor), (mask, tensor),
        (scale, number, "0"), (safe, bool, "false"))

TH_ARGS(attention_grad, (gq, out), (gk, out), (gv, out), TH_ATTENTION_PASS)
TH_ARGS(attention_grad_query, (gq, out), TH_ATTENTION_PASS)
TH_ARGS(attention_grad_key, (gk, out), TH_ATTENTION_PASS)
TH_ARGS(attention_grad_value, (gv, out), TH_ATTENTION_PASS)

/* The arguments of each gradient behind its results: attention_pass_args_at(c, place of q). */
TH_ARGS(attention_pass, TH_ATTENTION_PASS)

/* What kernels compute with. scale 0 stands for 1 / sqrt(d). */
enum { TH_ATTENTION_MOST = 256 };                    /* features of a head */

#endif
