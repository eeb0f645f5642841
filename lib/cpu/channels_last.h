/* channels_last.h - images whose channels lie side by side. */
#ifndef TH_CHANNELS_LAST_H
#define TH_CHANNELS_LAST_H
#include "kernel.h"

/* The distance from pixel to pixel where t is N x C x H x W, the channels of a pixel lie side by
 * side and pixels follow each
 * other at equal distances; else 0. */
static inline __attribute__((unused)) int64_t pixel_step(const th_tensor *t)
{
  if (t->ndim != 4) return 0;
  const int64_t c = t->size[1], h = t->size[2], w = t->size[3];
  const int64_t p = w > 1 ? t->stride[3] : h > 1 ? t->stride[2] : t->size[0] > 1 ? t->stride[0] : c;
  if (p < c || (c > 1 && t->stride[1] != 1)) return 0;
  if ((h > 1 && t->stride[2] != w * p) || (t->size[0] > 1 && t->stride[0] != h * w * p)) return 0;
  return p;
}

#endif
