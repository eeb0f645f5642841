/* dot.args.h - the arguments of the ops of dot.c. */
#ifndef TH_DOT_ARGS_H
#define TH_DOT_ARGS_H
#include "th_args.h"

TH_ARGS(dot, (sum, return), (a, tensor), (b, tensor))

#endif
