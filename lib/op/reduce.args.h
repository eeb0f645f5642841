/* reduce.args.h - the arguments of the ops of reduce.c. */
#ifndef TH_REDUCE_ARGS_H
#define TH_REDUCE_ARGS_H
#include "th_args.h"

TH_ARGS(sum_all, (sum, return), (x, tensor))

TH_ARGS(prod_all, (product, return), (x, tensor))

TH_ARGS(mean_all, (mean, return), (x, tensor))

TH_ARGS(var_all, (var, return), (x, tensor), (biased, bool, "false"))

TH_ARGS(std_all, (std, return), (x, tensor), (biased, bool, "false"))

TH_ARGS(norm_all, (norm, return), (x, tensor), (p, number, "2"))

TH_ARGS(dist, (dist, return), (x, tensor), (y, tensor), (p, number, "2"))

TH_ARGS(sum, (y, out), (x, tensor), (dim, dim), (keepdim, bool, "true"))

TH_ARGS(var, (y, out), (x, tensor), (dim, dim), (biased, bool, "false"), (keepdim, bool, "true"))

TH_ARGS(norm, (y, out), (x, tensor), (p, number), (dim, dim), (keepdim, bool, "true"))

TH_ARGS(renorm, (y, self), (x, tensor, "y"), (p, number), (dim, dim), (maxnorm, number))

TH_ARGS(sum_grad, (gx, out), (x, tensor), (g, tensor), (dim, dim))

TH_ARGS(reduce_all, (result, return), (x, tensor))

#endif
