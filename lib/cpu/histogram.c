/* histogram.c - counts as whole numbers, so that their order cannot matter. */
#ifndef T
#define TH_EACH_FLOATS
#include "kernel.h"

enum { PIECE = 1 << 20 };                   /* elements between two looks at whether to stop */

typedef struct range { double least, most; } range;

/* Widens what holds a single number only: by 1, or by what makes a difference to a large one. */
TH_INLINE range widened(range r)
{
  const double by = fmax(1, fabs(r.least) / 1048576);
  return r.least == r.most ? (range){ r.least - by, r.most + by } : r;
}

#define TH_SELF "histogram.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_histc)[TH_NDTYPE] = TH_FLOATS(histc);
const th_kernel TH_AT(th_bhistc)[TH_NDTYPE] = TH_FLOATS(bhistc);

#else

/* The range asked for, or that of the finite elements. */
static th_status K(range_of)(const th_call *c, const th_lines *x, range *r)
{
  *r = (range){ c->arg[3].d, c->arg[4].d };
  if (r->least < r->most) return TH_OK;
  range seen = { INFINITY, -INFINITY };
  int64_t done = 0;
  for (int64_t k = 0; k < x->count; k++) {
    const T *from = TH_LINE(T, *x, k);
    for (int64_t i = 0; i < x->n; i++) {
      const double v = (double)LOAD(from[i * x->step]);
      if (v < seen.least && v > -INFINITY) seen.least = v;
      if (v > seen.most && v < INFINITY) seen.most = v;
      if (++done % PIECE == 0 && th_interrupted()) return th_fail(TH_EINTR, "interrupted");
    }
  }
  *r = widened(seen.least > seen.most ? *r : seen);             /* none: around the one asked for */
  return TH_OK;
}

static void K(count)(int64_t *count, int64_t bins, const T *from, int64_t n, int64_t step, range r)
{
  const double least = r.least / 2, width = r.most / 2 - least;     /* halves cannot overflow */
  for (int64_t i = 0; i < n; i++) {
    const double v = (double)LOAD(from[i * step]);
    if (!(v >= r.least && v <= r.most)) continue;
    const int64_t bin = (int64_t)((v / 2 - least) / width * (double)bins);
    count[bin < bins ? bin : bins - 1]++;
  }
}

static void K(write)(T *to, int64_t step, int64_t *count, int64_t bins)
{
  for (int64_t i = 0; i < bins; i++) {
    to[i * step] = STORE((C)count[i]);
    count[i] = 0;
  }
}

/* Rows k of x are counted into row k of y, or all into y when it is a vector. */
static th_status K(histogram)(const th_call *c, bool rows)
{
  const th_tensor *y = c->arg[0].t, *x = c->arg[1].t;
  const int64_t bins = c->arg[2].i;
  const th_lines lines = th_lines_of(x, x->ndim ? x->ndim - 1 : 0);
  const int64_t step = y->stride[y->ndim - 1];
  range r;
  TH_TRY(K(range_of)(c, &lines, &r));
  int64_t *count = th_scratch((size_t)bins * sizeof *count);
  if (!count) return th_fail(TH_ENOMEM, "no memory left for %lld counts", (long long)bins);
  memset(count, 0, (size_t)bins * sizeof *count);
  th_status s = TH_OK;
  for (int64_t k = 0; k < lines.count && s == TH_OK; k++) {
    const T *from = TH_LINE(T, lines, k);
    for (int64_t i = 0; i < lines.n && s == TH_OK; i += PIECE) {
      const int64_t n = lines.n - i < PIECE ? lines.n - i : PIECE;
      K(count)(count, bins, from + i * lines.step, n, lines.step, r);
      if (th_interrupted()) s = th_fail(TH_EINTR, "interrupted");
    }
    if (rows) K(write)(TH_DATA(T, y) + k * y->stride[0], step, count, bins);
  }
  if (!rows && s == TH_OK) K(write)(TH_DATA(T, y), step, count, bins);
  th_scratch_free(count);
  return s;
}

static th_status K(histc)(const th_call *c) { return K(histogram)(c, false); }
static th_status K(bhistc)(const th_call *c) { return K(histogram)(c, true); }
#endif
