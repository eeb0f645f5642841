/* diagonal.c - triangles, diagonals, traces; the cross product of vectors of three. */
#ifndef T
#include "walk.h"
#include "../op/diagonal.args.h"
#define TH_SELF "diagonal.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_tril)[TH_NDTYPE] = TH_ALL(tril);
const th_kernel TH_AT(th_triu)[TH_NDTYPE] = TH_ALL(triu);
const th_kernel TH_AT(th_diag)[TH_NDTYPE] = TH_ALL(diag);
const th_kernel TH_AT(th_trace)[TH_NDTYPE] = TH_ALL(trace);
const th_kernel TH_AT(th_cross)[TH_NDTYPE] = TH_ALL(cross);

#else

/* Row r keeps columns from <= j < to, which move with the row. */
typedef struct K(band) { const th_tensor *y, *x; int64_t k; bool lower; } K(band);

static void K(band_rows)(void *ctx, int64_t first, int64_t last)
{
  const K(band) *b = ctx;
  const th_tensor *y = b->y, *x = b->x;
  const int64_t cols = x->size[1];
  for (int64_t r = first; r < last; r++) {
    const int64_t edge = th_min(cols, th_max(0, r + b->k + (b->lower ? 1 : 0)));
    const int64_t from = b->lower ? 0 : edge, to = b->lower ? edge : cols;
    T *py = TH_DATA(T, y) + r * y->stride[0];
    const T *px = TH_DATA(T, x) + r * x->stride[0];
    for (int64_t j = 0; j < from; j++) py[j * y->stride[1]] = STORE(0);
    for (int64_t j = from; j < to; j++) py[j * y->stride[1]] = px[j * x->stride[1]];
    for (int64_t j = to; j < cols; j++) py[j * y->stride[1]] = STORE(0);
  }
}
static th_status K(triangle)(const th_call *c, bool lower)
{
  const tril_args *a = tril_args_of(c);
  K(band) b = { a->y, a->x, a->k, lower };
  return th_parallel(b.x->size[0], th_max(1, TH_GRAIN / (b.x->size[1] + 1)), K(band_rows), &b);
}
static th_status K(tril)(const th_call *c) { return K(triangle)(c, true); }
static th_status K(triu)(const th_call *c) { return K(triangle)(c, false); }

static th_status K(diag)(const th_call *c)
{
  const tril_args *a = tril_args_of(c);
  const th_tensor *x = a->x;
  const int64_t k = a->k, down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
  th_tensor *y = a->y;
  T *to = TH_DATA(T, y);
  const T *from = TH_DATA(T, x);
  if (x->ndim == 1) {
    TH_TRY(th_zero(y));
    if (y->ndim < 2) return TH_OK;
    to += down * y->stride[0] + right * y->stride[1];
    for (int64_t i = 0; i < x->size[0]; i++)
      to[i * (y->stride[0] + y->stride[1])] = from[i * x->stride[0]];
  } else {
    from += down * x->stride[0] + right * x->stride[1];
    for (int64_t i = 0; i < y->size[0]; i++)
      to[i * y->stride[0]] = from[i * (x->stride[0] + x->stride[1])];
  }
  return TH_OK;
}
static th_status K(trace)(const th_call *c)
{
  const th_tensor *x = trace_args_of(c)->x;
  const int64_t n = th_min(x->size[0], x->size[1]);
  const T *p = TH_DATA(T, x);
  A sum = 0;
  for (int64_t i = 0; i < n; i++) sum += LOAD(p[i * (x->stride[0] + x->stride[1])]);
  th_return(c, trace_trace, (double)sum);
  return TH_OK;
}

typedef struct K(crossed) { th_walk w; const T *a, *b; T *y; } K(crossed);

static void K(cross_lines)(void *ctx, int64_t first, int64_t last)
{
  const K(crossed) *q = ctx;
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&q->w, q->w.ndim, k, off);
    const T *a = q->a + off[0], *b = q->b + off[1];
    T *y = q->y + off[2];
    A u[3], v[3];
    for (int i = 0; i < 3; i++) u[i] = LOAD(a[i * q->w.step[0]]), v[i] = LOAD(b[i * q->w.step[1]]);
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      y[i * q->w.step[2]] = STORE(u[j] * v[l] - u[l] * v[j]);
    }
  }
}
static th_status K(cross)(const th_call *c)
{
  const cross_args *args = cross_args_of(c);
  const th_tensor *y = args->y, *a = args->a, *b = args->b;
  K(crossed) q = { .a = TH_DATA(T, a), .b = TH_DATA(T, b), .y = TH_DATA(T, y) };
  th_walk_lines(&q.w, (int)args->dim, 3, (const th_tensor *const[]){ a, b, y });
  return th_parallel(q.w.count, TH_GRAIN / 4, K(cross_lines), &q);
}
#endif
