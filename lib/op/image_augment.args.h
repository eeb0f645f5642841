/* image_augment.args.h - the arguments of the ops of image_augment.c. */
#ifndef TH_IMAGE_AUGMENT_ARGS_H
#define TH_IMAGE_AUGMENT_ARGS_H
#include "th_args.h"

TH_ARGS(image_augment, (y, out), (list, list), (plan, tensor), (height, int), (width, int),
  (mean, tensor, "nil"), (std, tensor, "nil"), (float_, bool, "false", "float"))

#endif
