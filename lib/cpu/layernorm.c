/* layernorm.c - row by row; the gradients by weight and bias by columns, so that the order of the additions
 * is that of the rows. Sums run in double over LANES, in a fixed order. */
#ifndef T
#include "kernel.h"
#include "../op/layernorm.args.h"
#include "packed.h"

enum { LANES = 16, GRAIN = 1 << 14, COLUMNS = 64 };

/* x is rows of n elements. Vectors are of the type in which formulas run, C: parameters, statistics
 * and their gradients. */
typedef struct job {
  int64_t n, rows;
  const void *x, *g, *weight, *bias, *mean, *invstd;
  const void *base;
  void *y, *mean_out, *invstd_out, *gw, *gb, *sum;
  double number;                     /* eps, or scale */
} job;

#define TH_EACH_FLOATS
#define TH_SELF "layernorm.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_layernorm)[TH_NDTYPE] = TH_FLOATS(forward);
const th_kernel TH_AT(th_layernorm_grad)[TH_NDTYPE] = TH_FLOATS(backward);
const th_kernel TH_AT(th_layernorm_grad_sum)[TH_NDTYPE] = TH_FLOATS(backward_sum);
const th_kernel TH_AT(th_layernorm_grad_weight)[TH_NDTYPE] = TH_FLOATS(grad_weight);

#else

TH_INLINE A K(fold)(A *lane)
{
  for (int w = LANES / 2; w; w /= 2) for (int l = 0; l < w; l++) lane[l] += lane[l + w];
  return lane[0];
}

/* The sum of x - centre, or of its square. */
TH_INLINE A K(sum)(const bool square, const T *x, int64_t n, C centre)
{
  A lane[LANES] = { 0 };
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int l = 0; l < LANES; l++) {
      const A d = (A)(LOAD(x[i + l]) - centre);
      lane[l] += square ? d * d : d;
    }
  }
  for (int l = 0; i + l < n; l++) {
    const A d = (A)(LOAD(x[i + l]) - centre);
    lane[l] += square ? d * d : d;
  }
  return K(fold)(lane);
}

static void K(forward_rows)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const C *w = j->weight, *b = j->bias;
  for (int64_t r = first; r < last && !th_interrupted(); r++) {
    const T *x = (const T *)j->x + r * j->n;
    T *y = (T *)j->y + r * j->n;
    const A mean = K(sum)(false, x, j->n, 0) / (A)j->n;
    const C centre = (C)mean;
    const A off = mean - (A)centre, var = K(sum)(true, x, j->n, centre) / (A)j->n - off * off;
    const C by = (C)(1 / sqrt((var > 0 || var != var ? var : 0) + (A)j->number));
    ((C *)j->mean_out)[r] = centre;
    ((C *)j->invstd_out)[r] = by;
    if (w && b) {
      for (int64_t i = 0; i < j->n; i++) y[i] = STORE((LOAD(x[i]) - centre) * by * w[i] + b[i]);
    } else {
      for (int64_t i = 0; i < j->n; i++) {
        y[i] = STORE((LOAD(x[i]) - centre) * by * (w ? w[i] : 1) + (b ? b[i] : 0));
      }
    }
  }
}

/* The sums of g * weight, and of that times x - mean. */
TH_INLINE void K(slopes)(const bool weighted, const T *x, const T *g, const C *w, int64_t n, C mean,
                         A *sum, A *product)
{
  A slope[LANES] = { 0 }, times[LANES] = { 0 };
  for (int64_t i = 0; i < n; i += LANES) {
    const int64_t m = n - i < LANES ? n - i : LANES;
    for (int64_t l = 0; l < m; l++) {
      const A v = (A)(weighted ? LOAD(g[i + l]) * w[i + l] : LOAD(g[i + l]));
      slope[l] += v;
      times[l] += v * (A)(LOAD(x[i + l]) - mean);
    }
  }
  *sum = K(fold)(slope);
  *product = K(fold)(times);
}

TH_INLINE void K(backward_row)(const bool weighted, const job *j, int64_t r)
{
  const T *x = (const T *)j->x + r * j->n, *g = (const T *)j->g + r * j->n;
  const C *w = j->weight;
  T *gx = (T *)j->y + r * j->n;
  const C mean = ((const C *)j->mean)[r], inv = ((const C *)j->invstd)[r];
  A sum, product;
  K(slopes)(weighted, x, g, w, j->n, mean, &sum, &product);
  const C minus = (C)(sum / (A)j->n), back = (C)(product * (A)inv * (A)inv / (A)j->n);
  for (int64_t i = 0; i < j->n; i++) {
    const C v = weighted ? LOAD(g[i]) * w[i] : LOAD(g[i]);
    gx[i] = STORE((v - minus - (LOAD(x[i]) - mean) * back) * inv);
  }
  if (!j->base) return;
  const T *base = (const T *)j->base + r * j->n;
  T *total = (T *)j->sum + r * j->n;
  for (int64_t i = 0; i < j->n; i++) total[i] = STORE(LOAD(base[i]) + LOAD(gx[i]));
}

static void K(backward_rows)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  for (int64_t r = first; r < last && !th_interrupted(); r++) {
    if (j->weight) K(backward_row)(true, j, r);
    else K(backward_row)(false, j, r);
  }
}

static void K(columns)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  C *gw = j->gw, *gb = j->gb;
  for (int64_t at = first; at < last && !th_interrupted(); at += COLUMNS) {
    const int64_t n = last - at < COLUMNS ? last - at : COLUMNS;
    A slope[COLUMNS] = { 0 }, times[COLUMNS] = { 0 };
    for (int64_t r = 0; r < j->rows; r++) {
      const T *x = (const T *)j->x + r * j->n + at, *g = (const T *)j->g + r * j->n + at;
      const C mean = ((const C *)j->mean)[r], inv = ((const C *)j->invstd)[r];
      for (int64_t i = 0; i < n; i++) {
        slope[i] += (A)LOAD(g[i]);
        times[i] += (A)(LOAD(g[i]) * ((LOAD(x[i]) - mean) * inv));
      }
    }
    for (int64_t i = 0; i < n; i++) {
      gw[at + i] = (C)((A)gw[at + i] + j->number * times[i]);
      gb[at + i] = (C)((A)gb[at + i] + j->number * slope[i]);
    }
  }
}

static job K(job_of)(const th_tensor *x)
{
  job j = { .n = x->size[x->ndim - 1], .rows = 1 };
  for (int d = 0; d < x->ndim - 1; d++) j.rows *= x->size[d];
  return j;
}

/* Packs an input, which may be absent, as elements of type dtype, and gives them. */
static th_status K(in)(th_packed *p, const th_tensor *t, int dtype, const void **data)
{
  const th_status s = th_pack_input_as(p, &t, dtype);
  *data = s == TH_OK && t ? th_data(t, th_dtype_size(dtype)) : NULL;
  return s;
}

static th_status K(out)(th_packed *p, th_tensor *t, bool read, int dtype, void **data)
{
  const th_status s = th_pack_result_as(p, &t, read, dtype);
  if (s == TH_OK) *data = th_data(t, th_dtype_size(dtype));
  return s;
}

/* The type of vectors. */
#define VECTORS (DT == TH_F64 ? TH_F64 : TH_F32)
#define THEN(e) if (s == TH_OK) s = (e)

static th_status K(forward)(const th_call *c)
{
  const layernorm_args *a = layernorm_args_of(c);
  job j = K(job_of)(a->x);
  if (j.n * j.rows == 0) return TH_OK;
  th_packed p = { 0 };
  j.number = a->eps;
  th_status s = K(in)(&p, a->x, DT, &j.x);
  THEN(K(in)(&p, a->weight, VECTORS, &j.weight));
  THEN(K(in)(&p, a->bias, VECTORS, &j.bias));
  THEN(K(out)(&p, a->y, false, DT, &j.y));
  THEN(K(out)(&p, a->mean, false, VECTORS, &j.mean_out));
  THEN(K(out)(&p, a->invstd, false, VECTORS, &j.invstd_out));
  THEN(th_parallel(j.rows, GRAIN / j.n + 1, K(forward_rows), &j));
  return th_packed_end(&p, s);
}

/* The gradient by x; without base, sum is NULL, too. */
static th_status K(differentiate)(const layernorm_grad_args *a, const th_tensor *base,
                                  th_tensor *sum)
{
  job j = K(job_of)(a->x);
  if (j.n * j.rows == 0) return TH_OK;
  th_packed p = { 0 };
  th_status s = K(in)(&p, a->x, DT, &j.x);
  THEN(K(in)(&p, a->g, DT, &j.g));
  THEN(K(in)(&p, a->weight, VECTORS, &j.weight));
  THEN(K(in)(&p, a->mean, VECTORS, &j.mean));
  THEN(K(in)(&p, a->invstd, VECTORS, &j.invstd));
  THEN(K(in)(&p, base, DT, &j.base));
  THEN(K(out)(&p, a->gx, false, DT, &j.y));
  if (sum) THEN(K(out)(&p, sum, false, DT, &j.sum));
  THEN(th_parallel(j.rows, GRAIN / j.n + 1, K(backward_rows), &j));
  return th_packed_end(&p, s);
}

static th_status K(backward)(const th_call *c)
{
  return K(differentiate)(layernorm_grad_args_of(c), NULL, NULL);
}

static th_status K(backward_sum)(const th_call *c)
{
  const layernorm_grad_sum_args *a = layernorm_grad_sum_args_of(c);
  const layernorm_grad_args plain = { .gx = a->gx, .x = a->x, .g = a->g, .weight = a->weight,
                                      .mean = a->mean, .invstd = a->invstd };
  return K(differentiate)(&plain, a->base, a->sum);
}

static th_status K(grad_weight)(const th_call *c)
{
  const layernorm_grad_weight_args *a = layernorm_grad_weight_args_of(c);
  job j = K(job_of)(a->x);
  if (j.n * j.rows == 0) return TH_OK;
  th_packed p = { 0 };
  j.number = a->scale;
  th_status s = K(in)(&p, a->x, DT, &j.x);
  THEN(K(in)(&p, a->g, DT, &j.g));
  THEN(K(in)(&p, a->mean, VECTORS, &j.mean));
  THEN(K(in)(&p, a->invstd, VECTORS, &j.invstd));
  THEN(K(out)(&p, a->gw, true, VECTORS, &j.gw));
  THEN(K(out)(&p, a->gb, true, VECTORS, &j.gb));
  THEN(th_parallel(j.n, COLUMNS, K(columns), &j));
  return th_packed_end(&p, s);
}
#undef THEN
#undef VECTORS
#endif
