/* conv2d.args.h - the arguments of the ops of conv2d.c. */
#ifndef TH_CONV2D_ARGS_H
#define TH_CONV2D_ARGS_H
#include "th_args.h"

/* The last arguments of each op. Height and width follow each other. */
#define TH_CONV_GEOMETRY \
  (strideH, int, "1"), (strideW, int, "1"), (padH, int, "0"), (padW, int, "0"), \
  (dilationH, int, "1"), (dilationW, int, "1"), (groups, int, "1")
TH_ARGS(conv_geometry, TH_CONV_GEOMETRY)

TH_ARGS(conv2d, (y, out), (x, tensor), (weight, tensor), (bias, tensor, "nil"), TH_CONV_GEOMETRY)

/* Begins with the arguments of conv2d, so that a call of it can run as one of those. */
TH_ARGS(conv2d_fused, (y, out), (x, tensor), (weight, tensor), (bias, tensor, "nil"),
  TH_CONV_GEOMETRY,
  (add, tensor, "nil"), (act, string, "'none'"), (low, number, "0"), (high, number, "0"))

TH_ARGS(conv2d_grad_input, (gx, out), (x, tensor), (g, tensor), (weight, tensor), TH_CONV_GEOMETRY)

TH_ARGS(conv2d_grad_weight, (gw, inout), (gb, inout, "nil"), (x, tensor), (g, tensor),
  (scale, number, "1"), TH_CONV_GEOMETRY)

#endif
