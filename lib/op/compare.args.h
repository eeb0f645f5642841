/* compare.args.h - the arguments of the ops of compare.c. */
#ifndef TH_COMPARE_ARGS_H
#define TH_COMPARE_ARGS_H
#include "th_args.h"

TH_ARGS(equal, (same, return), (x, tensor), (z, tensor))

TH_ARGS(all, (yes, return), (x, tensor))

TH_ARGS(where, (y, out), (condition, tensor), (x, tensor), (z, tensor))

TH_ARGS(compare, (y, out), (x, tensor), (value, number))

TH_ARGS(compare_tensors, (y, out), (x, tensor), (z, tensor))

#endif
