/* diagonal.args.h - the arguments of the ops of diagonal.c. */
#ifndef TH_DIAGONAL_ARGS_H
#define TH_DIAGONAL_ARGS_H
#include "th_args.h"

TH_ARGS(tril, (y, out), (x, tensor), (k, int, "0"))

TH_ARGS(trace, (trace, return), (x, tensor))

TH_ARGS(cross, (y, out), (a, tensor), (b, tensor), (dim, dim, "-1"))

#endif
