/* image_color.h - the changes of colour space that image_color knows, for its check and its kernels. */
#ifndef IMAGE_COLOR_H
#define IMAGE_COLOR_H
#include <string.h>

typedef enum image_color {
  RGB2YUV, YUV2RGB, RGB2LAB, LAB2RGB, RGB2HSL, HSL2RGB, RGB2HSV, HSV2RGB, RGB2NRGB, IMAGE_COLORS
} image_color;

/* The change of this name, or IMAGE_COLORS. */
static inline image_color image_color_of(const char *name)
{
  static const char *const names[IMAGE_COLORS] = {
    "rgb2yuv", "yuv2rgb", "rgb2lab", "lab2rgb", "rgb2hsl", "hsl2rgb", "rgb2hsv", "hsv2rgb", "rgb2nrgb",
  };
  image_color k = 0;
  while (k < IMAGE_COLORS && strcmp(names[k], name) != 0) k++;
  return k;
}

/* U, V, a and b are negative, too, and have fractions: whole numbers cannot hold them. */
static inline bool image_color_is_signed(image_color k) { return k <= LAB2RGB; }

#endif
