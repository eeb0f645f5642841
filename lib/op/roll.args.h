/* roll.args.h - the arguments of the ops of roll.c. */
#ifndef TH_ROLL_ARGS_H
#define TH_ROLL_ARGS_H
#include "th_args.h"

TH_ARGS(roll, (y, out), (x, tensor), (shift, int), (dim, dim, "1"))

#endif
