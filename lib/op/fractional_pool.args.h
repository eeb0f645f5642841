/* fractional_pool.args.h - the arguments of the ops of fractional_pool.c. */
#ifndef TH_FRACTIONAL_POOL_ARGS_H
#define TH_FRACTIONAL_POOL_ARGS_H
#include "th_args.h"

TH_ARGS(fractionalmaxpool2d, (y, out), (index, out), (x, tensor), (samples, tensor), (kH, int),
  (kW, int), (outH, int), (outW, int))

TH_ARGS(fractionalmaxpool3d, (y, out), (index, out), (x, tensor), (samples, tensor), (kD, int),
  (kH, int), (kW, int), (outD, int), (outH, int), (outW, int))

TH_ARGS(fractional_pool, (y, out), (index, out), (x, tensor), (samples, tensor))

#endif
