/* loss.args.h - the arguments of the ops of loss.c. */
#ifndef TH_LOSS_ARGS_H
#define TH_LOSS_ARGS_H
#include "th_args.h"

TH_ARGS(bce_loss, (loss, return), (x, tensor), (target, tensor), (sizeAverage, bool, "true"),
  (weight, tensor, "nil"))

TH_ARGS(bce_loss_grad, (gx, out), (x, tensor), (target, tensor), (sizeAverage, bool, "true"),
  (weight, tensor, "nil"))

TH_ARGS(loss, (loss, return), (x, tensor), (target, tensor), (sizeAverage, bool, "true"))

TH_ARGS(loss_grad, (gx, out), (x, tensor), (target, tensor), (sizeAverage, bool, "true"))

#endif
