/* layernorm.args.h - the arguments of the ops of layernorm.c. */
#ifndef TH_LAYERNORM_ARGS_H
#define TH_LAYERNORM_ARGS_H
#include "th_args.h"

TH_ARGS(layernorm, (y, out), (mean, out), (invstd, out), (x, tensor), (eps, number),
  (weight, tensor, "nil"), (bias, tensor, "nil"))

TH_ARGS(layernorm_grad, (gx, out), (x, tensor), (g, tensor), (weight, tensor, "nil"),
  (mean, tensor), (invstd, tensor))

TH_ARGS(layernorm_grad_sum, (gx, out), (sum, out), (x, tensor), (g, tensor),
  (weight, tensor, "nil"), (mean, tensor), (invstd, tensor), (base, tensor))

TH_ARGS(layernorm_grad_weight, (gw, inout), (gb, inout), (x, tensor), (g, tensor), (mean, tensor),
  (invstd, tensor), (scale, number, "1"))

#endif
