/* reduce_grad.c - gradients of products, variances and norms along one dimension, line by line. */
#ifndef T
#include "walk.h"
#include "../op/reduce_grad.args.h"

typedef struct grad {
  th_walk w;                             /* operands: gx, x, g, y */
  void *gx;
  const void *x, *g, *y;
  double p;                              /* what a line's squares are divided by; the exponent */
} grad;

#define TH_EACH_FLOATS
#define TH_SELF "reduce_grad.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_prod_grad)[TH_NDTYPE] = TH_FLOATS(prod_grad);
const th_kernel TH_AT(th_var_grad)[TH_NDTYPE] = TH_FLOATS(var_grad);
const th_kernel TH_AT(th_std_grad)[TH_NDTYPE] = TH_FLOATS(std_grad);
const th_kernel TH_AT(th_norm_grad)[TH_NDTYPE] = TH_FLOATS(norm_grad);
const th_kernel TH_AT(th_mean_all_grad)[TH_NDTYPE] = TH_FLOATS(mean_all_grad);

#else

/* One line: its elements, and the gradient and result that belong to it. */
typedef struct K(one) {
  T *gx;
  const T *x;
  int64_t n, sg, sx;
  A g, y;
} K(one);

/* What comes before each element, times what comes after it. */
static void K(prod_line)(const grad *q, const K(one) *l)
{
  A before = 1, after = l->g;
  (void)q;
  for (int64_t i = 0; i < l->n; i++) {
    l->gx[i * l->sg] = STORE(before);
    before *= LOAD(l->x[i * l->sx]);
  }
  for (int64_t i = l->n - 1; i >= 0; i--) {
    l->gx[i * l->sg] = STORE((A)LOAD(l->gx[i * l->sg]) * after);
    after *= LOAD(l->x[i * l->sx]);
  }
}
static A K(mean_of)(const K(one) *l)
{
  A sum = 0;
  for (int64_t i = 0; i < l->n; i++) sum += LOAD(l->x[i * l->sx]);
  return sum / (A)l->n;
}
static void K(var_line)(const grad *q, const K(one) *l)
{
  const A mean = K(mean_of)(l), scale = 2 * l->g / q->p;
  for (int64_t i = 0; i < l->n; i++)
    l->gx[i * l->sg] = STORE(scale * (LOAD(l->x[i * l->sx]) - mean));
}
static void K(std_line)(const grad *q, const K(one) *l)
{
  const A mean = K(mean_of)(l), scale = l->y == 0 ? 0 : l->g / (q->p * l->y);
  for (int64_t i = 0; i < l->n; i++)
    l->gx[i * l->sg] = STORE(scale * (LOAD(l->x[i * l->sx]) - mean));
}
static void K(norm_line)(const grad *q, const K(one) *l)
{
  const A p = q->p;
  A g = l->g;
  if (isinf(p)) {
    int64_t ties = 0;
    for (int64_t i = 0; i < l->n; i++) ties += fabs((A)LOAD(l->x[i * l->sx])) == l->y;
    g /= (A)(ties ? ties : 1);
  }
  for (int64_t i = 0; i < l->n; i++) {
    const A v = LOAD(l->x[i * l->sx]), sign = (v > 0) - (v < 0);
    A d = 0;
    if (l->y != 0 && p != 0 && v != 0) {
      if (isinf(p)) d = fabs(v) == l->y ? sign : 0;
      else d = p == 1 ? sign : p == 2 ? v / l->y : sign * pow(fabs(v) / l->y, p - 1);
    }
    l->gx[i * l->sg] = STORE(g * d);
  }
}

TH_INLINE void K(over)(const grad *q, int64_t first, int64_t last,
                       void (*line)(const grad *, const K(one) *))
{
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&q->w, q->w.ndim, k, off);
    const K(one) l = { (T *)q->gx + off[0], (const T *)q->x + off[1], q->w.n[0], q->w.step[0],
                       q->w.step[1], LOAD(((const T *)q->g)[off[2]]),
                       LOAD(((const T *)q->y)[off[3]]) };
    line(q, &l);
  }
}
static void K(prod_lines)(void *q, int64_t first, int64_t last)
{
  K(over)(q, first, last, K(prod_line));
}
static void K(var_lines)(void *q, int64_t first, int64_t last)
{
  K(over)(q, first, last, K(var_line));
}
static void K(std_lines)(void *q, int64_t first, int64_t last)
{
  K(over)(q, first, last, K(std_line));
}
static void K(norm_lines)(void *q, int64_t first, int64_t last)
{
  K(over)(q, first, last, K(norm_line));
}

static th_status K(run)(const th_tensor *gx, const th_tensor *x, const th_tensor *y, const th_tensor *g, int dim, double p,
                        th_block f)
{
  const th_tensor wide_g = th_with_dim(g, dim, x->ndim), wide_y = th_with_dim(y, dim, x->ndim);
  grad q = {
    .gx = TH_DATA(T, gx), .x = TH_DATA(T, x), .g = TH_DATA(T, g), .y = TH_DATA(T, y), .p = p
  };
  th_walk_lines(&q.w, dim, 4, (const th_tensor *const[]){ gx, x, &wide_g, &wide_y });
  if (q.w.count == 0) return TH_OK;
  return th_parallel(q.w.count, th_max(1, TH_GRAIN / (q.w.n[0] + 1)), f, &q);
}
static double K(divisor)(const th_tensor *x, int64_t dim, int64_t biased)
{
  return (double)(x->ndim ? x->size[dim] : 1) - (biased ? 0 : 1);
}
static th_status K(prod_grad)(const th_call *c)
{
  const prod_grad_args *a = prod_grad_args_of(c);
  return K(run)(a->gx, a->x, a->g, a->g, (int)a->dim, 0, K(prod_lines));
}
static th_status K(var_grad)(const th_call *c)
{
  const var_grad_args *a = var_grad_args_of(c);
  const double n = K(divisor)(a->x, a->dim, a->biased);
  return K(run)(a->gx, a->x, a->g, a->g, (int)a->dim, n, K(var_lines));
}
static th_status K(std_grad)(const th_call *c)
{
  const std_grad_args *a = std_grad_args_of(c);
  const double n = K(divisor)(a->x, a->dim, a->biased);
  return K(run)(a->gx, a->x, a->y, a->g, (int)a->dim, n, K(std_lines));
}
static th_status K(norm_grad)(const th_call *c)
{
  const norm_grad_args *a = norm_grad_args_of(c);
  return K(run)(a->gx, a->x, a->y, a->g, (int)a->dim, a->p, K(norm_lines));
}

static void K(fill_row)(char *const *at, const int64_t *step, int64_t n, const void *ctx)
{
  const T v = *(const T *)ctx;
  for (int64_t i = 0; i < n; i++) *(T *)(at[0] + i * step[0]) = v;
}
static th_status K(mean_all_grad)(const th_call *c)
{
  const mean_all_grad_args *a = mean_all_grad_args_of(c);
  th_tensor *gx = a->gx;
  const T v = STORE(a->g / (double)th_tensor_numel(gx));
  return th_each(1, &gx, K(fill_row), &v);
}
#endif
