/* overlap.c - checks whether elements of one view share an address.
 *
 * Two elements share an address if a sum of difference[d] * stride[d] is 0, with |difference[d]| < size[d] and one difference not
 * 0. The search takes the dimensions by falling stride. The inner ones must cancel the sum of the outer ones, and their reach is
 * limited.
 */
#include "core.h"
#include "overlap.h"

enum { MOST_STEPS = 100000 };        /* of the search; a view that needs more counts as overlapping */

typedef struct dims {
  int ndim, steps;
  int64_t n[TH_MAXDIM], stride[TH_MAXDIM];          /* by rising stride; strides are positive */
  int64_t reach[TH_MAXDIM + 1];                     /* the largest sum of the first d dimensions */
} dims;

/* Whether the first d dimensions can bring the sum `left` to 0. If `moved` is false, one difference must not be 0. */
static bool leads_to_zero(dims *s, int d, int64_t left, bool moved)
{
  if (left == 0 && moved) return true;
  if (d == 0) return false;
  if (++s->steps > MOST_STEPS) return true;
  const int64_t stride = s->stride[d - 1], rest = s->reach[d - 1], most = s->n[d - 1] - 1;
  /* left + k * stride must lie in -rest..rest */
  int64_t first = -(left + rest) / stride, last = (rest - left) / stride;
  first = th_max(first - 1, moved ? -most : 0);     /* each solution has a negative: search one half */
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

/* Whether each stride is larger than the reach of all smaller ones. */
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
