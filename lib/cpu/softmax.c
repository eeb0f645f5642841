/* softmax.c - softmax along a dimension: WIDE neighbouring lines at a time, or one line where its
 * elements are neighbours themselves. Sums run in double over LANES, in a fixed order. */
#ifndef T
#include "kernel.h"
#include "../op/softmax.args.h"
#include "packed.h"
#include "../formula/math.h"

enum { WIDE = 64, LANES = 8, GRAIN = 1 << 14 };

typedef struct job { const void *x, *g; void *y; int64_t n, inner; } job;

#define TH_EACH_FLOATS
#define TH_SELF "softmax.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_softmax)[TH_NDTYPE] = TH_FLOATS(softmax);
const th_kernel TH_AT(th_softmax_grad)[TH_NDTYPE] = TH_FLOATS(softmax_grad);
const th_kernel TH_AT(th_logsoftmax)[TH_NDTYPE] = TH_FLOATS(logsoftmax);
const th_kernel TH_AT(th_logsoftmax_grad)[TH_NDTYPE] = TH_FLOATS(logsoftmax_grad);

#else

#include "line_exp.h"

/* ---- one line of neighbours ---- */

/* Sum of g, or of g * y. */
TH_INLINE A K(line_sum)(const T *y, const T *g, int64_t n)
{
  A lane[LANES] = { 0 };
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int l = 0; l < LANES; l++)
      lane[l] += y ? (A)LOAD(g[i + l]) * (A)LOAD(y[i + l]) : (A)LOAD(g[i + l]);
  }
  for (int l = 0; i + l < n; l++)
    lane[l] += y ? (A)LOAD(g[i + l]) * (A)LOAD(y[i + l]) : (A)LOAD(g[i + l]);
  return K(fold)(lane);
}

TH_INLINE void K(forward_line)(const bool logarithm, T *y, const T *x, int64_t n)
{
  const C max = K(line_max)(x, n);
  if (!logarithm && !IS_HALF) {                     /* each exp once; halves would lose what y has no room for */
    for (int64_t i = 0; i < n; i++) y[i] = STORE(K(exp_of)(LOAD(x[i]) - max));
    const C by = (C)(1 / K(line_sum)(NULL, y, n));
    for (int64_t i = 0; i < n; i++) y[i] = STORE(LOAD(y[i]) * by);
    return;
  }
  const A sum = K(line_sum_exp)(x, n, max);
  if (logarithm) {
    const C off = (C)log(sum);
    for (int64_t i = 0; i < n; i++) y[i] = STORE((LOAD(x[i]) - max) - off);
  } else {
    const C by = (C)(1 / sum);
    for (int64_t i = 0; i < n; i++) y[i] = STORE(K(exp_of)(LOAD(x[i]) - max) * by);
  }
}

TH_INLINE void K(backward_line)(const bool logarithm, T *gx, const T *y, const T *g, int64_t n)
{
  const C sum = (C)K(line_sum)(logarithm ? NULL : y, g, n);
  if (logarithm) for (int64_t i = 0; i < n; i++) gx[i] = STORE(LOAD(g[i]) - EXP(LOAD(y[i])) * sum);
  else for (int64_t i = 0; i < n; i++) gx[i] = STORE(LOAD(y[i]) * (LOAD(g[i]) - sum));
}

/* ---- `wide` lines side by side, their elements `step` apart ---- */

TH_INLINE void K(forward_wide)(const bool logarithm, T *y, const T *x, int64_t n, int64_t step,
                               int64_t wide)
{
  C max[WIDE], off[WIDE];
  A sum[WIDE];
  for (int64_t j = 0; j < wide; j++) max[j] = -INFINITY, sum[j] = 0;
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < wide; j++)
      max[j] = LOAD(x[i * step + j]) > max[j] ? LOAD(x[i * step + j]) : max[j];
  }
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < wide; j++) sum[j] += (A)K(exp_of)(LOAD(x[i * step + j]) - max[j]);
  }
  for (int64_t j = 0; j < wide; j++) off[j] = logarithm ? (C)log(sum[j]) : (C)(1 / sum[j]);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < wide; j++) {
      const C v = LOAD(x[i * step + j]) - max[j];
      y[i * step + j] = STORE(logarithm ? v - off[j] : K(exp_of)(v) * off[j]);
    }
  }
}

TH_INLINE void K(backward_wide)(const bool logarithm, T *gx, const T *y, const T *g, int64_t n,
                                int64_t step, int64_t wide)
{
  A sum[WIDE] = { 0 };
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < wide; j++) {
      sum[j] +=
        logarithm ? (A)LOAD(g[i * step + j]) : (A)LOAD(g[i * step + j]) * (A)LOAD(y[i * step + j]);
    }
  }
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < wide; j++) {
      const C v = LOAD(y[i * step + j]), w = LOAD(g[i * step + j]), s = (C)sum[j];
      gx[i * step + j] = STORE(logarithm ? w - EXP(v) * s : v * (w - s));
    }
  }
}

/* ---- blocks: groups of WIDE lines, or single ones ---- */

TH_INLINE void K(blocks)(const bool logarithm, const bool backward, const job *j, int64_t first,
                         int64_t last)
{
  const int64_t groups = (j->inner + WIDE - 1) / WIDE;
  const T *x = j->x, *g = j->g;
  T *y = j->y;
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    if (j->inner == 1) {
      const int64_t at = b * j->n;
      if (backward) K(backward_line)(logarithm, y + at, x + at, g + at, j->n);
      else K(forward_line)(logarithm, y + at, x + at, j->n);
    } else {
      const int64_t from = b % groups * WIDE, at = b / groups * j->n * j->inner + from;
      const int64_t wide = j->inner - from < WIDE ? j->inner - from : WIDE;
      if (backward) K(backward_wide)(logarithm, y + at, x + at, g + at, j->n, j->inner, wide);
      else K(forward_wide)(logarithm, y + at, x + at, j->n, j->inner, wide);
    }
  }
}

static void K(softmax_blocks)(void *c, int64_t a, int64_t b) { K(blocks)(false, false, c, a, b); }
static void K(softmax_grad_blocks)(void *c, int64_t a, int64_t b)
{
  K(blocks)(false, true, c, a, b);
}
static void K(logsoftmax_blocks)(void *c, int64_t a, int64_t b) { K(blocks)(true, false, c, a, b); }
static void K(logsoftmax_grad_blocks)(void *c, int64_t a, int64_t b)
{
  K(blocks)(true, true, c, a, b);
}

static th_status K(run)(th_tensor *y, const th_tensor *x, const th_tensor *g, int dim, th_block f)
{
  th_packed packed = { 0 };
  job j = { .n = x->ndim ? x->size[dim] : 1, .inner = 1 };
  int64_t outer = 1;
  for (int d = 0; d < x->ndim; d++) {
    if (d < dim) outer *= x->size[d];
    if (d > dim) j.inner *= x->size[d];
  }
  if (th_tensor_numel(x) == 0) return TH_OK;
  th_status s = th_pack_input(&packed, &x);
  if (s == TH_OK) s = th_pack_input(&packed, &g);
  if (s == TH_OK) s = th_pack_result(&packed, &y, false);
  if (s == TH_OK) {
    j.x = TH_DATA(T, x), j.y = TH_DATA(T, y), j.g = g ? TH_DATA(T, g) : NULL;
    const int64_t block = j.n * (j.inner == 1 ? 1 : WIDE);
    s = th_parallel(outer * ((j.inner + WIDE - 1) / WIDE), GRAIN / block + 1, f, &j);
  }
  return th_packed_end(&packed, s);
}

static th_status K(softmax)(const th_call *c)
{
  const softmax_args *a = softmax_args_of(c);
  return K(run)(a->y, a->x, NULL, (int)a->dim, K(softmax_blocks));
}
static th_status K(logsoftmax)(const th_call *c)
{
  const softmax_args *a = softmax_args_of(c);
  return K(run)(a->y, a->x, NULL, (int)a->dim, K(logsoftmax_blocks));
}
static th_status K(softmax_grad)(const th_call *c)
{
  const softmax_grad_args *a = softmax_grad_args_of(c);
  return K(run)(a->gx, a->y, a->g, (int)a->dim, K(softmax_grad_blocks));
}
static th_status K(logsoftmax_grad)(const th_call *c)
{
  const softmax_grad_args *a = softmax_grad_args_of(c);
  return K(run)(a->gx, a->y, a->g, (int)a->dim, K(logsoftmax_grad_blocks));
}
#undef EXP
#endif
