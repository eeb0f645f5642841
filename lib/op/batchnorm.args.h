/* batchnorm.args.h - the arguments of the ops of batchnorm.c. */
#ifndef TH_BATCHNORM_ARGS_H
#define TH_BATCHNORM_ARGS_H
#include "th_args.h"

TH_ARGS(batchnorm, (y, out), (mean, out), (invstd, out), (x, tensor), (weight, tensor, "nil"),
  (bias, tensor, "nil"), (runningMean, inout, "nil"), (runningVar, inout, "nil"), (train, bool),
  (momentum, number, "0.1"), (eps, number, "1e-5"), (relu, bool, "false"))

TH_ARGS(batchnorm_grad, (gx, out), (x, tensor), (g, tensor), (weight, tensor, "nil"),
  (mean, tensor), (invstd, tensor), (gradWeight, inout, "nil"), (gradBias, inout, "nil"),
  (train, bool), (scale, number, "1"), (y, tensor, "nil"), (gy, inout, "nil"))

#endif
