/* image_color.args.h - the arguments of the ops of image_color.c. */
#ifndef TH_IMAGE_COLOR_ARGS_H
#define TH_IMAGE_COLOR_ARGS_H
#include "th_args.h"

TH_ARGS(image_color, (y, out), (x, tensor), (change, string))

TH_ARGS(image_luma, (y, out), (x, tensor))

#endif
