/* reduce_grad.args.h - the arguments of the ops of reduce_grad.c. */
#ifndef TH_REDUCE_GRAD_ARGS_H
#define TH_REDUCE_GRAD_ARGS_H
#include "th_args.h"

TH_ARGS(prod_grad, (gx, out), (x, tensor), (g, tensor), (dim, dim))

TH_ARGS(var_grad, (gx, out), (x, tensor), (g, tensor), (dim, dim), (biased, bool, "false"))

TH_ARGS(std_grad, (gx, out), (x, tensor), (y, tensor), (g, tensor), (dim, dim),
  (biased, bool, "false"))

TH_ARGS(norm_grad, (gx, out), (x, tensor), (y, tensor), (g, tensor), (dim, dim), (p, number))

TH_ARGS(mean_all_grad, (gx, out), (x, tensor), (g, number))

#endif
