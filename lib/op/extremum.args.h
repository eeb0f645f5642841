/* extremum.args.h - the arguments of the ops of extremum.c. */
#ifndef TH_EXTREMUM_ARGS_H
#define TH_EXTREMUM_ARGS_H
#include "th_args.h"

TH_ARGS(max_all, (max, return), (x, tensor))

TH_ARGS(min_all, (min, return), (x, tensor))

TH_ARGS(max, (y, out), (index, out), (x, tensor), (dim, dim), (keepdim, bool, "true"))

TH_ARGS(pick_grad, (gx, out), (x, tensor), (dim, dim), (index, tensor), (g, tensor))

#endif
