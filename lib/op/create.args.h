/* create.args.h - the arguments of the ops of create.c. */
#ifndef TH_CREATE_ARGS_H
#define TH_CREATE_ARGS_H
#include "th_args.h"

TH_ARGS(eye, (y, out), (n, int))

TH_ARGS(eye_wide, (y, out), (n, int), (m, int))

TH_ARGS(range, (y, out), (first, number), (last, number), (step, number, "1"))

TH_ARGS(linspace, (y, out), (first, number), (last, number), (n, int, "100"))

TH_ARGS(points, (y, out), (first, number), (last, number))

#endif
