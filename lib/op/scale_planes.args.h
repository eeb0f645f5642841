/* scale_planes.args.h - the arguments of the op of scale_planes.c. */
#ifndef TH_SCALE_PLANES_ARGS_H
#define TH_SCALE_PLANES_ARGS_H
#include "th_args.h"

TH_ARGS(scale_planes, (y, out), (x, tensor), (scale, tensor), (shift, tensor),
  (act, string, "'none'"), (low, number, "0"),
  (high, number, "0"))

#endif
