/* cat.args.h - the arguments of the ops of cat.c. */
#ifndef TH_CAT_ARGS_H
#define TH_CAT_ARGS_H
#include "th_args.h"

TH_ARGS(cat, (y, out), (list, list), (dim, dim, "-1"))

TH_ARGS(cat_two, (y, out), (a, tensor), (b, tensor), (dim, dim, "-1"))

#endif
