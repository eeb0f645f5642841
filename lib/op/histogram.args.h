/* histogram.args.h - the arguments of the ops of histogram.c. */
#ifndef TH_HISTOGRAM_ARGS_H
#define TH_HISTOGRAM_ARGS_H
#include "th_args.h"

TH_ARGS(histc, (y, out), (x, tensor), (bins, int, "100"), (min, number, "0"), (max, number, "0"))

#endif
