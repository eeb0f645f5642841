/* pointwise.args.h - the arguments that the ops of pointwise.def begin with; their lines there go on. */
#ifndef TH_POINTWISE_ARGS_H
#define TH_POINTWISE_ARGS_H
#include "th_args.h"

TH_ARGS(pointwise, (y, self), (x, tensor, "y"))

/* Of those with one number. */
TH_ARGS(pointwise_value, (y, self), (x, tensor, "y"), (value, number))

TH_ARGS(pointwise_grad, (gx, out), (x, tensor), (y, tensor), (g, tensor))

#endif
