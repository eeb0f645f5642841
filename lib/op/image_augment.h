/* image_augment.h - what the check and the kernel of image_augment agree on. */
#ifndef IMAGE_AUGMENT_H
#define IMAGE_AUGMENT_H

/* The columns of a plan. */
enum { IMAGE_TOP, IMAGE_LEFT, IMAGE_FLIP, IMAGE_BRIGHTNESS, IMAGE_CONTRAST, IMAGE_SATURATION, IMAGE_PLAN };

#endif
