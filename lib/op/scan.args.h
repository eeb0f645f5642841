/* scan.args.h - the arguments of the ops of scan.c. */
#ifndef TH_SCAN_ARGS_H
#define TH_SCAN_ARGS_H
#include "th_args.h"

TH_ARGS(cumsum, (y, out), (x, tensor), (dim, dim, "1"))

TH_ARGS(flip, (y, out), (x, tensor), (dim, dim))

#endif
