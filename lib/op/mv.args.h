/* mv.args.h - the arguments of the ops of mv.c. */
#ifndef TH_MV_ARGS_H
#define TH_MV_ARGS_H
#include "th_args.h"

TH_ARGS(mv, (y, out), (a, tensor), (x, tensor))

TH_ARGS(addmv, (y, self), (beta, number, "1"), (m, tensor, "y"), (alpha, number, "1"), (a, tensor),
  (x, tensor))

TH_ARGS(ger, (y, out), (u, tensor), (v, tensor))

TH_ARGS(addr, (y, self), (beta, number, "1"), (m, tensor, "y"), (alpha, number, "1"), (u, tensor),
  (v, tensor))

#endif
