/* mv.c - matrix times vector and outer products: bound by memory, so plain loops, summing in A.
 * Large matrices of floats and doubles are multiplied as by a matrix of one row. */
#ifndef T
#include "slots.h"
#include "../op/mv.args.h"
#include "gemm.h"

enum { LANES = 16, ROWS = 64, GRAIN = 1 << 15 };

typedef struct mv_job {
  const th_call *c;
  const th_tensor *y, *m, *a;       /* m: NULL when it is not read */
  const void *x;                    /* contiguous, in A */
  double alpha, beta;
  int64_t n, k;
} mv_job;

typedef struct ger_job { const th_tensor *y, *m, *u, *v; double alpha, beta; } ger_job;

/* Elements of this type are multiplied by a whole number. */
#define TH_SELF "mv.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_mv)[TH_NDTYPE] = TH_ALL(mv);
const th_kernel TH_AT(th_addmv)[TH_NDTYPE] = TH_ALL(addmv);
const th_kernel TH_AT(th_ger)[TH_NDTYPE] = TH_ALL(ger);
const th_kernel TH_AT(th_addr)[TH_NDTYPE] = TH_ALL(addr);

#else

/* A number as the elements' type sees it: integers drop the fraction. */
TH_INLINE A K(factor)(double v)
{
#if IS_INT
  return th_to_int(v);
#else
  return (A)v;
#endif
}

TH_INLINE T K(stored)(A v)
{
#if IS_INT
  return (T)v;
#else
  return STORE((C)v);
#endif
}

/* The sums' order is fixed by LANES, whatever the width of a vector. */
static A K(dot_row)(const T *a, const A *x, int64_t k)
{
  A lane[LANES] = { 0 }, sum = 0;
  int64_t i = 0;
  for (; i + LANES <= k; i += LANES) {
    for (int l = 0; l < LANES; l++) lane[l] += (A)LOAD(a[i + l]) * x[i + l];
  }
  for (; i < k; i++) sum += (A)LOAD(a[i]) * x[i];
  for (int w = LANES / 2; w; w /= 2) for (int l = 0; l < w; l++) lane[l] += lane[l + w];
  return lane[0] + sum;
}

static void K(mv_rows)(void *ctx, int64_t first, int64_t last)
{
  const mv_job *j = ctx;
  const int64_t row = j->a->stride[0], col = j->a->stride[1];
  const T *a = TH_DATA(T, j->a);
  const A *x = j->x, alpha = K(factor)(j->alpha), beta = K(factor)(j->beta);
  const T *m = j->m ? TH_DATA(T, j->m) : NULL;
  T *y = TH_DATA(T, j->y);
  for (int64_t from = first; from < last; from += ROWS) {
    const int64_t n = last - from < ROWS ? last - from : ROWS;
    A sum[ROWS] = { 0 };
    if (col == 1 || j->k == 1) {
      for (int64_t i = 0; i < n; i++) sum[i] = K(dot_row)(a + (from + i) * row, x, j->k);
    } else {
      for (int64_t k = 0; k < j->k; k++) {
        const T *p = a + from * row + k * col;
        if (row == 1) for (int64_t i = 0; i < n; i++) sum[i] += (A)LOAD(p[i]) * x[k];
        else for (int64_t i = 0; i < n; i++) sum[i] += (A)LOAD(p[i * row]) * x[k];
      }
    }
    for (int64_t i = 0; i < n; i++) {
      const A v =
        m ? alpha * sum[i] + beta * (A)LOAD(m[(from + i) * j->m->stride[0]]) : alpha * sum[i];
      y[(from + i) * j->y->stride[0]] = K(stored)(v);
    }
  }
}

static th_status K(mv_run)(const th_tensor *y, const th_tensor *m, const th_tensor *a,
                           const th_tensor *v, double alpha, double beta)
{
  mv_job j = { .y = y, .m = beta != 0 ? m : NULL, .a = a, .alpha = alpha, .beta = beta,
               .n = a->size[0], .k = a->size[1] };
  if (j.n == 0) return TH_OK;
  A small[256], *x = j.k <= 256 ? small : th_scratch(sizeof(A) * (size_t)j.k);
  if (!x) return th_fail(TH_ENOMEM, "no memory for %lld numbers of scratch", (long long)j.k);
  const T *p = TH_DATA(T, v);
  for (int64_t k = 0; k < j.k; k++) x[k] = (A)LOAD(p[k * v->stride[0]]);
  j.x = x;
  const int64_t rows = GRAIN / (j.k + 1) / ROWS * ROWS;
  const th_status s = th_parallel(j.n, rows > ROWS ? rows : ROWS, K(mv_rows), &j);
  if (x != small) th_scratch_free(x);
  return s;
}

#if IS_FLOAT && !IS_HALF
/* y = m, of the arguments of addmv. */
static th_status K(put_addend)(const th_call *c)
{
  const addmv_args *a = addmv_args_of(c);
  T *y = TH_DATA(T, a->y);
  const T *m = TH_DATA(T, a->m);
  for (int64_t i = 0; y != m && i < a->y->size[0]; i++) {
    y[i * a->y->stride[0]] = m[i * a->m->stride[0]];
  }
  return TH_OK;
}

/* The product by the kernel for one row, where that is faster. */
static bool K(mv_as_row)(const th_call *c, const th_tensor *y, const th_tensor *a,
                         const th_tensor *v, double alpha, double beta, th_status *status)
{
  const th_gemm g = { .dtype = c->dtype, .batch = 1, .m = 1, .k = a->size[1], .n = a->size[0],
                      .alpha = alpha, .beta = beta, .a = TH_DATA(T, v), .b = TH_DATA(T, a),
                      .c = TH_DATA(T, y), .as = { 0, 0, v->stride[0] },
                      .bs = { 0, a->stride[1], a->stride[0] }, .cs = { 0, 0, y->stride[0] },
                      .begin = beta != 0 ? K(put_addend) : NULL, .call = c };
  return TH_AT(th_gemm_thin)(&g, status);
}
#endif

static th_status K(mv)(const th_call *c)
{
  const mv_args *a = mv_args_of(c);
#if IS_FLOAT && !IS_HALF
  th_status s;
  if (K(mv_as_row)(c, a->y, a->a, a->x, 1, 0, &s)) return s;
#endif
  return K(mv_run)(a->y, NULL, a->a, a->x, 1, 0);
}

static th_status K(addmv)(const th_call *c)
{
  const addmv_args *a = addmv_args_of(c);
#if IS_FLOAT && !IS_HALF
  th_status s;
  if (K(mv_as_row)(c, a->y, a->a, a->x, a->alpha, a->beta, &s)) return s;
#endif
  return K(mv_run)(a->y, a->m, a->a, a->x, a->alpha, a->beta);
}

static void K(ger_rows)(void *ctx, int64_t first, int64_t last)
{
  const ger_job *j = ctx;
  const int64_t ys = j->y->stride[1], vs = j->v->stride[0], n = j->v->size[0],
                ms = j->m ? j->m->stride[1] : 0;
  const T *v = TH_DATA(T, j->v);
  const A alpha = K(factor)(j->alpha), beta = K(factor)(j->beta);
  for (int64_t i = first; i < last; i++) {
    T *y = TH_DATA(T, j->y) + i * j->y->stride[0];
    const A u = alpha * (A)LOAD(TH_DATA(T, j->u)[i * j->u->stride[0]]);
    if (!j->m) {
      for (int64_t k = 0; k < n; k++) y[k * ys] = K(stored)(u * (A)LOAD(v[k * vs]));
    } else {
      const T *m = TH_DATA(T, j->m) + i * j->m->stride[0];
      for (int64_t k = 0; k < n; k++)
        y[k * ys] = K(stored)(u * (A)LOAD(v[k * vs]) + beta * (A)LOAD(m[k * ms]));
    }
  }
}

static th_status K(ger_run)(ger_job j)
{
  const int64_t n = j.v->size[0];
  if (j.beta == 0) j.m = NULL;
  return th_parallel(n ? j.u->size[0] : 0, GRAIN / (n + 1) + 1, K(ger_rows), &j);
}

static th_status K(ger)(const th_call *c)
{
  const ger_args *a = ger_args_of(c);
  return K(ger_run)((ger_job){ a->y, NULL, a->u, a->v, 1, 0 });
}

static th_status K(addr)(const th_call *c)
{
  const addr_args *a = addr_args_of(c);
  return K(ger_run)(
    (ger_job){ a->y, a->m, a->u, a->v, a->alpha, a->beta });
}
#endif
