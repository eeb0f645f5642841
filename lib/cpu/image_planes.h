/* image_planes.h - the planes of a picture of any number of dimensions. */
#ifndef TH_IMAGE_PLANES_H
#define TH_IMAGE_PLANES_H
#include "kernel.h"

/* Where plane k begins: how many elements behind the first. The last two dimensions are rows and columns. */
static inline int64_t plane_offset(const th_tensor *t, int64_t k)
{
  int64_t off = 0;
  for (int d = t->ndim - 3; d >= 0; d--) {
    off += k % t->size[d] * t->stride[d];
    k /= t->size[d];
  }
  return off;
}

#endif
