/* nll_loss.args.h - the arguments of the ops of nll_loss.c. */
#ifndef TH_NLL_LOSS_ARGS_H
#define TH_NLL_LOSS_ARGS_H
#include "th_args.h"

TH_ARGS(nll_loss, (y, out), (total, out), (x, tensor), (target, tensor), (weight, tensor, "nil"),
  (sizeAverage, bool, "true"), (ignore, int, "-100"))

TH_ARGS(nll_loss_grad, (gx, out), (x, tensor), (target, tensor), (total, tensor), (g, number, "1"),
  (weight, tensor, "nil"), (sizeAverage, bool, "true"), (ignore, int, "-100"))

#endif
