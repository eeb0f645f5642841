/* overlap.c - do elements of one view share a place in memory?
 *
 * Two elements meet where a sum of difference[d] * stride[d] is 0, with |difference[d]| < size[d] and one of them not 0. The
 * dimensions are taken by falling stride: the inner ones must make up for what the outer ones have left, and reach only so far.
 */
#include "core.h"
#include "overlap.h"

enum { MOST_STEPS = 100000 };        /* of the search; a view that needs more counts as one that overlaps */

typedef struct dims {
  int ndim, steps;
  int64_t n[TH_MAXDIM], stride[TH_MAXDIM];          /* by rising stride, which is positive */
  int64_t reach[TH_MAXDIM + 1];                     /* how far the first d of them lead together */
} dims;

/* Can the first d dimensions lead from `left` to 0? With `moved` false, only by a step that is not 0. */
static bool leads_to_zero(dims *s, int d, int64_t left, bool moved)
{
  if (left == 0 && moved) return true;
  if (d == 0) return false;
  if (++s->steps > MOST_STEPS) return true;
  const int64_t stride = s->stride[d - 1], rest = s->reach[d - 1], most = s->n[d - 1] - 1;
  /* left + k * stride must lie in -rest..rest */
  int64_t first = -(left + rest) / stride, last = (rest - left) / stride;
  first = th_max(first - 1, moved ? -most : 0);     /* one meeting has two signs */
  last = th_min(last + 1, most);
  for (int64_t k = first; k <= last; k++) {
    const int64_t now = left + k * stride;
    if (now > rest || now < -rest) continue;
    if (leads_to_zero(s, d - 1, now, moved || k != 0)) return true;
  }
  return false;
}

static __attribute__((cold, noinline)) bool search(const th_tensor *t, const int *order, int n)
{
  dims s = { .ndim = n };
  for (int k = 0; k < n; k++) {
    const int64_t stride = t->stride[order[k]];
    s.stride[k] = stride < 0 ? -stride : stride;
    s.n[k] = t->size[order[k]];
    s.reach[k + 1] = s.reach[k] + (s.n[k] - 1) * s.stride[k];
  }
  return leads_to_zero(&s, n, 0, false);
}

/* The dimensions that have more than one element, by rising stride; -1 when one of them has stride 0. */
static int by_stride(const th_tensor *t, int *order)
{
  int64_t stride[TH_MAXDIM];
  int n = 0;
  for (int d = t->ndim - 1; d >= 0; d--) {
    if (t->size[d] == 1) continue;
    const int64_t s = t->stride[d] < 0 ? -t->stride[d] : t->stride[d];
    if (s == 0) return -1;
    int k = n++;
    for (; k > 0 && stride[k - 1] > s; k--) {
      stride[k] = stride[k - 1];
      order[k] = order[k - 1];
    }
    stride[k] = s;
    order[k] = d;
  }
  return n;
}

/* Does each stride lead beyond all that the smaller ones reach? */
static bool nested(const th_tensor *t, const int *order, int n)
{
  int64_t reach = 0;
  for (int k = 0; k < n; k++) {
    const int64_t stride = t->stride[order[k]] < 0 ? -t->stride[order[k]] : t->stride[order[k]];
    if (stride <= reach) return false;
    reach += (t->size[order[k]] - 1) * stride;
  }
  return true;
}

bool th_is_nested(const th_tensor *t)
{
  int order[TH_MAXDIM];
  const int n = by_stride(t, order);
  return n >= 0 && nested(t, order, n);
}

bool th_overlaps_itself_slowly(const th_tensor *t)
{
  int order[TH_MAXDIM];
  int64_t reach = 0;
  bool transposed = true;
  for (int d = 0; d < t->ndim; d++) {
    if (t->size[d] == 0) return false;
    if (t->size[d] == 1) continue;
    transposed = transposed && t->stride[d] > reach;
    reach += (t->size[d] - 1) * t->stride[d];
  }
  if (transposed) return false;
  const int n = by_stride(t, order);
  return n < 0 || (!nested(t, order, n) && search(t, order, n));
}

const char *th_overlap_text(const th_tensor *t)
{
  for (int d = 0; d < t->ndim; d++) if (t->size[d] > 1 && t->stride[d] == 0) return "is expanded";
  return "overlaps itself";
}
