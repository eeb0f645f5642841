/* reduce.h - checks that ops along one dimension share. */
#ifndef TH_REDUCE_H
#define TH_REDUCE_H
#include <math.h>
#include "op.h"

/* Result `arg` has x's size with `dim` (from 0) at 1, or without it. */
static inline __attribute__((unused)) th_status th_reduced(th_call *c, int arg, const th_tensor *x,
                                                           int dtype, int dim, int64_t keep)
{
  int64_t size[TH_MAXDIM];
  int n = 0;
  for (int d = 0; d < x->ndim; d++) {
    if (d != dim) size[n++] = x->size[d];
    else if (keep) size[n++] = 1;
  }
  return th_out(c, arg, dtype, n, size);
}

/* Argument `arg` has the size of x with `dim` (from 0) at 1, or without it. */
static inline __attribute__((unused)) th_status th_need_reduced(th_call *c, int arg,
                                                                const th_tensor *x, int dim)
{
  const th_tensor *g = c->arg[arg].t;
  const int lost = x->ndim - g->ndim;
  bool fits = lost == 0 || lost == 1;
  for (int d = 0; d < x->ndim && fits; d++) {
    if (d == dim) fits = lost == 1 || g->size[d] == 1;
    else fits = g->size[d - (lost && d > dim)] == x->size[d];
  }
  if (fits) return TH_OK;
  return th_fail(TH_ESHAPE,
                 "%s must have the size of x, %s, without dimension %d or with 1 there, got %s",
                 th_arg_name(c, arg), TH_SHAPE(x), dim + 1, TH_SHAPE(g));
}

/* Elements of a line along dim (from 0). */
static inline __attribute__((unused)) int64_t th_line_size(const th_tensor *x, int64_t dim)
{
  return x->ndim ? x->size[dim] : 1;
}

/* A line along dim (from 0) must hold an element. */
static inline __attribute__((unused)) th_status th_need_line(th_call *c, int arg, int dim)
{
  const th_tensor *x = c->arg[arg].t;
  if (x->ndim == 0 || x->size[dim] > 0) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must not be empty along dimension %d, got size %s",
                 th_arg_name(c, arg), dim + 1, TH_SHAPE(x));
}

/* A dimension whose default, -1, is the last one. */
static inline __attribute__((unused)) th_status th_need_dim_or_last(th_call *c, int arg,
                                                                    const th_tensor *x)
{
  if (c->arg[arg].i == -1) c->arg[arg].i = x->ndim ? x->ndim : 1;
  return th_need_dim(c, arg, x);
}

/* A number that becomes an element of t. Whole numbers need a whole part that 64 bits hold. */
static inline __attribute__((unused)) th_status th_need_number(th_call *c, int arg,
                                                               const th_tensor *t)
{
  const double v = c->arg[arg].d;
  if (t->dtype >= TH_F16 || fabs(v) < 9223372036854775808.0) return TH_OK;
  return th_fail(TH_EARG, "%s must be a number of at most 64 bits for a %sTensor, got %g",
                 th_arg_name(c, arg), th_dtype_name(t->dtype), v);
}

/* Two results must not lie in the same storage: the second would overwrite the first. */
static inline __attribute__((unused)) th_status th_need_apart(th_call *c, int a, int b)
{
  const th_tensor *s = c->arg[a].t, *t = c->arg[b].t;
  if (s != t && (!s->storage || s->storage != t->storage)) return TH_OK;
  return th_fail(TH_EARG, "%s and %s must not share memory", th_arg_name(c, a), th_arg_name(c, b));
}

#endif
