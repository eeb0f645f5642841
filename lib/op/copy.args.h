/* copy.args.h - the arguments of the ops of copy.c. */
#ifndef TH_COPY_ARGS_H
#define TH_COPY_ARGS_H
#include "th_args.h"

TH_ARGS(fill, (y, inout), (value, number))

TH_ARGS(zero, (y, inout))

TH_ARGS(copy, (y, inout), (x, tensor))

#endif
