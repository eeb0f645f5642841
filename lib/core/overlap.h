/* overlap.h - do elements of one view share a place in memory? */
#ifndef TH_OVERLAP_H
#define TH_OVERLAP_H
#include "th_op.h"

/* The answer where dimensions are in no order, or a stride is too small for those within it. */
bool th_overlaps_itself_slowly(const th_tensor *t);

/* Each stride leads beyond all that the dimensions within it reach: then no two elements meet. Every call of an op asks. */
static inline bool th_overlaps_itself(const th_tensor *t)
{
  if (t->ndim == 1 && t->stride[0] > 0) return false;
  int64_t reach = 0;
  for (int d = t->ndim - 1; d >= 0; d--) {
    if (t->size[d] == 1) continue;
    if (t->stride[d] <= reach) return th_overlaps_itself_slowly(t);
    reach += (t->size[d] - 1) * t->stride[d];
  }
  return false;
}

/* "is expanded", or "overlaps itself": for messages about such a view. */
const char *th_overlap_text(const th_tensor *t);

#endif
