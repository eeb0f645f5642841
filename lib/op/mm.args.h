/* mm.args.h - the arguments of the ops of mm.c. */
#ifndef TH_MM_ARGS_H
#define TH_MM_ARGS_H
#include "th_args.h"

TH_ARGS(mm, (y, out), (a, tensor), (b, tensor))

TH_ARGS(addmm, (y, self), (beta, number, "1"), (m, tensor, "y"), (alpha, number, "1"), (a, tensor),
  (b, tensor))

#endif
