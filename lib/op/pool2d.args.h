/* pool2d.args.h - the arguments of the ops of pool2d.c. */
#ifndef TH_POOL2D_ARGS_H
#define TH_POOL2D_ARGS_H
#include "th_args.h"

/* What says where windows lie, a run of arguments of each op. Height and width follow each other. */
#define TH_POOL_WINDOW \
  (kH, int), (kW, int), (strideH, int), (strideW, int), (padH, int, "0"), (padW, int, "0")
TH_ARGS(pool_window, TH_POOL_WINDOW)

#define TH_MEAN_WINDOW TH_POOL_WINDOW, (ceil, bool, "false"), (countPad, bool, "true")
TH_ARGS(mean_window, TH_MEAN_WINDOW)

TH_ARGS(maxpool2d, (y, out), (index, out), (x, tensor), TH_POOL_WINDOW, (dilationH, int, "1"),
  (dilationW, int, "1"), (ceil, bool, "false"))

TH_ARGS(maxpool2d_grad, (gx, out), (x, tensor), (index, tensor), (g, tensor))

TH_ARGS(pool2d, (y, out), (x, tensor), (kind, string), TH_POOL_WINDOW, (dilationH, int, "1"),
  (dilationW, int, "1"),
  (ceil, bool, "false"), (countPad, bool, "true"))

TH_ARGS(avgpool2d, (y, out), (x, tensor), TH_MEAN_WINDOW)

TH_ARGS(avgpool2d_grad, (gx, out), (x, tensor), (g, tensor), TH_MEAN_WINDOW)

#endif
