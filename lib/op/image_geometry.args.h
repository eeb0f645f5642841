/* image_geometry.args.h - the arguments of the ops of image_geometry.c. */
#ifndef TH_IMAGE_GEOMETRY_ARGS_H
#define TH_IMAGE_GEOMETRY_ARGS_H
#include "th_args.h"

TH_ARGS(image_scale, (y, out), (x, tensor), (height, int), (width, int),
  (mode, string, "'bilinear'"))

TH_ARGS(image_warp, (y, out), (x, tensor), (field, tensor), (mode, string, "'bilinear'"),
  (offset, bool, "true"), (clamp, string, "'clamp'"), (pad, number, "0"))

TH_ARGS(image_affine, (y, out), (x, tensor), (a, number), (b, number), (c, number), (d, number),
  (down, number, "0"), (right, number, "0"), (mode, string, "'bilinear'"),
  (clamp, string, "'clamp'"), (pad, number, "0"))

TH_ARGS(image_rotate, (y, out), (x, tensor), (angle, number), (mode, string, "'simple'"))

TH_ARGS(image_polar, (y, out), (x, tensor), (height, int), (width, int), (mode, string, "'simple'"),
  (area, string, "'valid'"), (log, bool, "false"))

#endif
