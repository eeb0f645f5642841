/* create.c - sequences and the unit matrix, written block by block. */
#ifndef T
#include "kernel.h"
#include "../op/create.args.h"

/* Element i of a sequence: from the nearer end, so that both ends come out exactly. */
typedef struct sequence {
  double   first, last, step;
  int64_t  n;
  th_lines to;
} sequence;

/* The lines along the last dimension: the elements of y in their order. */
TH_INLINE th_lines rows_of(const th_tensor *y) { return th_lines_of(y, y->ndim - 1); }
TH_INLINE int64_t end_of_row(const th_lines *l, int64_t i, int64_t last)
{
  const int64_t end = (i / l->n + 1) * l->n;
  return end < last ? end : last;
}

TH_INLINE double point(const sequence *s, int64_t i)
{
  if (i < s->n / 2 || s->n == 1) return s->first + (double)i * s->step;
  return s->last - (double)(s->n - 1 - i) * s->step;
}

TH_INLINE sequence points(const th_call *c)
{
  const linspace_args *a = linspace_args_of(c);
  const int64_t n = a->n;
  const double first = a->first, last = a->last;
  const double gaps = n > 1 ? (double)(n - 1) : 1;
  return (sequence){ first, last, last / gaps - first / gaps, n, rows_of(a->y) };
}

#define TH_SELF "create.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_eye)[TH_NDTYPE] = TH_ALL(eye);
const th_kernel TH_AT(th_eye_wide)[TH_NDTYPE] = TH_ALL(eye);
const th_kernel TH_AT(th_range)[TH_NDTYPE] = TH_ALL(range);
const th_kernel TH_AT(th_linspace)[TH_NDTYPE] = TH_FLOATS(linspace);
const th_kernel TH_AT(th_logspace)[TH_NDTYPE] = TH_FLOATS(logspace);

#else

static void K(eye_rows)(void *ctx, int64_t first, int64_t last)
{
  const th_tensor *y = ctx;
  T *const to = TH_DATA(T, y);
  for (int64_t i = first; i < last; i++) {
    T *row = to + i * y->stride[0];
    for (int64_t j = 0; j < y->size[1]; j++) row[j * y->stride[1]] = STORE(0);
    if (i < y->size[1]) row[i * y->stride[1]] = STORE(1);
  }
}

static th_status K(eye)(const th_call *c)
{
  th_tensor *y = eye_args_of(c)->y;
  return th_parallel(y->size[0], 1 + TH_GRAIN / y->size[1], K(eye_rows), y);
}

static void K(range_row)(const sequence *s, T *to, int64_t i, int64_t end)
{
#if IS_INT
  const int64_t a = th_to_int(s->first), step = th_to_int(s->step);
  for (; i < end; i++, to += s->to.step) *to = (T)(a + i * step);
#else
  for (; i < end; i++, to += s->to.step) *to = STORE((C)(s->first + (double)i * s->step));
#endif
}

/* Elements first..last - 1, row by row. */
static void K(in_rows)(const sequence *s, int64_t first, int64_t last,
                       void (*row)(const sequence *s, T *to, int64_t i, int64_t end))
{
  for (int64_t i = first, end; i < last; i = end) {
    end = end_of_row(&s->to, i, last);
    row(s, TH_LINE(T, s->to, i / s->to.n) + i % s->to.n * s->to.step, i, end);
  }
}

static void K(range_block)(void *ctx, int64_t first, int64_t last)
{
  K(in_rows)(ctx, first, last, K(range_row));
}

static th_status K(range)(const th_call *c)
{
  const range_args *a = range_args_of(c);
  const th_tensor *y = a->y;
  sequence s = { a->first, a->last, a->step, th_numel(y), rows_of(y) };
  return th_parallel(s.n, TH_GRAIN, K(range_block), &s);
}

#if IS_FLOAT
static void K(linspace_row)(const sequence *s, T *to, int64_t i, int64_t end)
{
  for (; i < end; i++, to += s->to.step) *to = STORE((C)point(s, i));
}
static void K(linspace_block)(void *ctx, int64_t first, int64_t last)
{
  K(in_rows)(ctx, first, last, K(linspace_row));
}

static th_status K(linspace)(const th_call *c)
{
  sequence s = points(c);
  return th_parallel(s.n, TH_GRAIN, K(linspace_block), &s);
}

static void K(logspace_row)(const sequence *s, T *to, int64_t i, int64_t end)
{
  for (; i < end; i++, to += s->to.step) *to = STORE((C)pow(10, point(s, i)));
}
static void K(logspace_block)(void *ctx, int64_t first, int64_t last)
{
  K(in_rows)(ctx, first, last, K(logspace_row));
}

static th_status K(logspace)(const th_call *c)
{
  sequence s = points(c);
  return th_parallel(s.n, TH_GRAIN, K(logspace_block), &s);
}
#endif
#endif
