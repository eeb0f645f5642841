/* move.h - rectangles of elements from one layout to another, as they are stored. */
#ifndef TH_MOVE_H
#define TH_MOVE_H
#include "walk.h"

/* A rectangle as th_each_tile sees it: elements `step` bytes apart, rows `jump` bytes apart. */
typedef struct th_rect { char *p; int64_t step, jump; } th_rect;

/* Moves `rows` rows of n elements of `size` bytes (1, 2, 4 or 8). */
void TH_AT(th_move)(int64_t size, th_rect to, th_rect from, int64_t n, int64_t rows);

/* Moves bytes past the caches, for what will not be read soon. `to` should lie as memory lines do. */
void TH_AT(th_stream)(char *to, const char *from, int64_t bytes);

/* Is a result of so many bytes better written past the caches? */
bool TH_AT(th_streams)(int64_t bytes);

/* Strides of dimension d of t, counted from the last, where t is seen in the shape of y; false where it does not fit. */
TH_INLINE bool th_stretched(const th_tensor *t, const th_tensor *y, int d, int64_t *stride)
{
  const int k = t->ndim - 1 - d, l = y->ndim - 1 - d;
  const int64_t n = k < 0 ? 1 : t->size[k];
  *stride = n == 1 ? 0 : t->stride[k];
  return n == 1 || (l >= 0 && n == y->size[l]);
}
/* t in the shape of y as a rectangle; false where y has more than two dimensions, or t another shape. */
TH_INLINE bool th_rect_of(th_rect *r, const th_tensor *t, const th_tensor *y)
{
  const int64_t size = (int64_t)th_element_size(t->dtype);
  if (y->ndim > 2 || t->ndim > y->ndim || !th_stretched(t, y, 0, &r->step) || !th_stretched(t, y, 1, &r->jump))
    return false;
  r->p = th_data(t, (size_t)size);
  r->step *= size;
  r->jump *= size;
  return true;
}
TH_INLINE int64_t th_rect_cols(const th_tensor *y) { return y->ndim ? y->size[y->ndim - 1] : 1; }
TH_INLINE int64_t th_rect_rows(const th_tensor *y) { return y->ndim == 2 ? y->size[0] : 1; }

/* Copies x to y, of the same size and element size; x may broadcast. */
th_status TH_AT(th_copy_elements)(th_tensor *y, th_tensor *x);

#endif
