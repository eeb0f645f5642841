/* convolve.args.h - the arguments of the ops of convolve.c. */
#ifndef TH_CONVOLVE_ARGS_H
#define TH_CONVOLVE_ARGS_H
#include "th_args.h"

TH_ARGS(convolve, (y, out), (x, tensor), (k, tensor), (type, string, "'V'"))

#endif
