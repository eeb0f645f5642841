/* histogram.c - counts as whole numbers, so that their order cannot matter. */
#ifndef T
#define TH_EACH_FLOATS
#include "walk.h"
#include "../op/histogram.args.h"

enum {
  PIECE = 1 << 16,      /* least elements of a block; most between two looks at whether to stop */
  STEP = 64,            /* elements whose bins are found together */
};

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

/* What all blocks work on. */
typedef struct K(job) {
  const th_seq *seq;
  const T *x;
  int64_t  total, piece;               /* elements, and how many are a block */
  int64_t  bins, *count;               /* of each block */
  range    r, *seen;
} K(job);

/* The block's next stretch of elements that lie `step` apart; 0: no more. */
TH_INLINE int64_t K(next)(const K(job) *q, th_spot *s, int64_t *left, const T **from)
{
  const int64_t n = th_min(th_min(*left, PIECE), th_spot_left(s));
  if (*left == 0 || th_interrupted()) return 0;
  *from = q->x + s->off;
  *left -= n;
  th_spot_skip(s, n);
  return n;
}

/* The least and the largest of the finite elements. */
TH_INLINE void K(see)(double *least, double *most, const T *from, int64_t step, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    const double v = (double)LOAD(from[i * step]);
    const bool finite = v > -INFINITY && v < INFINITY;
    const double low = finite ? v : INFINITY, high = finite ? v : -INFINITY;
    least[i] = low < least[i] ? low : least[i];
    most[i] = high > most[i] ? high : most[i];
  }
}
static void K(see_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(job) *q = ctx;
  for (int64_t b = first; b < last; b++) {
    double least[STEP], most[STEP];
    int64_t left = th_min(PIECE, q->total - b * q->piece), n;
    const T *from;
    th_spot s;
    for (int i = 0; i < STEP; i++) least[i] = INFINITY, most[i] = -INFINITY;
    th_spot_at(&s, q->seq, b * q->piece);
    while ((n = K(next)(q, &s, &left, &from))) {
      const int64_t step = th_spot_step(&s);
      int64_t i = 0;
      if (step == 1) for (; i + STEP <= n; i += STEP) K(see)(least, most, from + i, 1, STEP);
      for (; i < n; i += STEP) K(see)(least, most, from + i * step, step, th_min(STEP, n - i));
    }
    for (int i = 1; i < STEP; i++) {
      if (least[i] < least[0]) least[0] = least[i];
      if (most[i] > most[0]) most[0] = most[i];
    }
    q->seen[b] = (range){ least[0], most[0] };
  }
}
/* The range asked for, or that of the finite elements. */
static th_status K(range_of)(const th_call *c, K(job) *q)
{
  const histc_args *a = histc_args_of(c);
  const int64_t blocks = th_parts(q->total, q->piece);
  q->r = (range){ a->min, a->max };
  if (q->r.least < q->r.most) return TH_OK;
  range seen = { INFINITY, -INFINITY };
  q->seen = th_scratch(sizeof seen * (size_t)blocks);
  if (!q->seen) return th_no_scratch(blocks * 16);
  const th_status s = th_parallel(blocks, 1, K(see_blocks), q);
  for (int64_t b = 0; b < blocks && s == TH_OK; b++) {
    if (q->seen[b].least < seen.least) seen.least = q->seen[b].least;
    if (q->seen[b].most > seen.most) seen.most = q->seen[b].most;
  }
  th_scratch_free(q->seen);
  q->r = widened(seen.least > seen.most ? q->r : seen);         /* none: around the one asked for */
  return s;
}

/* Bins of a few elements, and 1 for what lies in one. */
TH_INLINE void K(find)(int64_t *bin, int64_t *in, const T *from, int64_t step, int64_t n, range r,
                       int64_t bins)
{
  const double least = r.least / 2, half = r.most / 2 - least;      /* halves cannot overflow, and may be 0 */
  const double width = half > 0 ? half : 1;
  for (int64_t i = 0; i < n; i++) {
    const double v = (double)LOAD(from[i * step]);
    const bool inside = (v >= r.least) & (v <= r.most);
    const int64_t b = (int64_t)(((inside ? v : r.least) / 2 - least) / width * (double)bins);
    bin[i] = b < bins ? b : bins - 1;
    in[i] = inside;
  }
}
static void K(count)(int64_t *count, int64_t bins, const T *from, int64_t n, int64_t step, range r)
{
  int64_t bin[STEP], in[STEP], i = 0;
  for (; i < n; i += STEP) {
    const int64_t some = th_min(STEP, n - i);
    if (step == 1 && some == STEP) K(find)(bin, in, from + i, 1, STEP, r, bins);
    else K(find)(bin, in, from + i * step, step, some, r, bins);
    for (int64_t k = 0; k < some; k++) count[bin[k]] += in[k];
  }
}
/* Each block has separate counts. */
static void K(count_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(job) *q = ctx;
  for (int64_t b = first; b < last; b++) {
    int64_t left = th_min(q->piece, q->total - b * q->piece), n;
    int64_t *count = q->count + b * q->bins;
    const T *from;
    th_spot s;
    memset(count, 0, sizeof *count * (size_t)q->bins);
    th_spot_at(&s, q->seq, b * q->piece);
    while ((n = K(next)(q, &s, &left, &from)))
      K(count)(count, q->bins, from, n, th_spot_step(&s), q->r);
  }
}
/* The counts of all blocks, to y. */
static th_status K(write)(const K(job) *q, T *y, int64_t step)
{
  const int64_t blocks = th_parts(q->total, q->piece);
  TH_TRY(th_parallel(blocks, 1, K(count_blocks), (void *)(uintptr_t)q));
  for (int64_t i = 0; i < q->bins; i++) {
    int64_t sum = 0;
    for (int64_t b = 0; b < blocks; b++) sum += q->count[b * q->bins + i];
    y[i * step] = STORE((C)sum);
  }
  return TH_OK;
}

/* Rows k of x are counted into row k of y, or all into y when it is a vector. */
static th_status K(histogram)(const th_call *c, bool rows)
{
  const histc_args *a = histc_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  const int64_t bins = a->bins, step = y->stride[y->ndim - 1];
  th_seq seq;
  th_seq_of(&seq, x, true);
  K(job) q = { .seq = &seq, .x = TH_DATA(T, x), .total = th_tensor_numel(x),
               .piece = th_max(PIECE, 4 * bins), .bins = bins };
  TH_TRY(K(range_of)(c, &q));
  const int64_t blocks = th_max(1, th_parts(q.total, q.piece));
  if (bins > INT64_MAX / 8 / blocks || !(q.count = th_scratch((size_t)(bins * blocks) * 8)))
    return th_fail(TH_ENOMEM, "no memory left for %lld counts", (long long)bins);
  th_status s = TH_OK;
  if (rows && x->ndim == 2) {
    th_tensor row = *x;
    row.size[0] = 1;
    th_seq_of(&seq, &row, false);
    q.total = x->size[1];
    for (int64_t k = 0; k < x->size[0] && s == TH_OK; k++, q.x += x->stride[0])
      s = K(write)(&q, TH_DATA(T, y) + k * y->stride[0], step);
  } else {
    s = K(write)(&q, TH_DATA(T, y), step);
  }
  th_scratch_free(q.count);
  return s;
}

static th_status K(histc)(const th_call *c) { return K(histogram)(c, false); }
static th_status K(bhistc)(const th_call *c) { return K(histogram)(c, true); }
#endif
