/* softmax.args.h - the arguments of the ops of softmax.c. */
#ifndef TH_SOFTMAX_ARGS_H
#define TH_SOFTMAX_ARGS_H
#include "th_args.h"

TH_ARGS(softmax, (y, out), (x, tensor), (dim, dim))

TH_ARGS(softmax_grad, (gx, out), (y, tensor), (g, tensor), (dim, dim))

#endif
