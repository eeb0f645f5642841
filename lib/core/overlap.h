/* overlap.h - checks whether elements of one view share an address. */
#ifndef TH_OVERLAP_H
#define TH_OVERLAP_H
#include "th_op.h"

/* The slow case of th_overlaps_itself: dimensions in any order, or a stride smaller than the reach of the inner ones. */
bool th_overlaps_itself_slowly(const th_tensor *t);

/* Whether each stride exceeds the reach of all smaller ones. Then no two elements share an address; this check is quick. */
bool th_is_nested(const th_tensor *t);

/* Whether two elements share an address. The loop handles the usual case quickly, because every call of an op runs it: no overlap
 * if each stride is larger than the reach of the inner dimensions. */
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

static inline bool th_same_view(const th_tensor *a, const th_tensor *b)
{
  if (a == b) return true;
  if (a->offset != b->offset || !th_same_shape(a, b)) return false;
  for (int d = 0; d < a->ndim; d++) if (a->size[d] > 1 && a->stride[d] != b->stride[d]) return false;
  return true;
}

/* The storage that owns the memory of s: storages may be parts of one. */
static inline const th_storage *th_root_of(const th_storage *s)
{
  while (s->whole) s = s->whole;
  return s;
}

/* Whether the tensors may share memory. */
static inline bool th_shares_memory(const th_tensor *a, const th_tensor *b)
{
  return a->storage && b->storage && th_root_of(a->storage) == th_root_of(b->storage);
}

/* "is expanded", or "overlaps itself": for messages about such a view. */
const char *th_overlap_text(const th_tensor *t);

#endif
