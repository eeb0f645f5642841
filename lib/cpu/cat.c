/* cat.c - joins tensors along one dimension: each is copied to its part of the result. */
#include "walk.h"

TH_INLINE void copy_as(size_t es, char *const *at, const int64_t *step, int64_t n)
{
  for (int64_t i = 0; i < n; i++) memcpy(at[0] + i * step[0], at[1] + i * step[1], es);
}
static void copy_row(char *const *at, const int64_t *step, int64_t n, const void *ctx)
{
  const size_t es = *(const size_t *)ctx;
  if (step[0] == (int64_t)es && step[1] == (int64_t)es) memcpy(at[0], at[1], es * (size_t)n);
  else if (es == 1) copy_as(1, at, step, n);
  else if (es == 2) copy_as(2, at, step, n);
  else if (es == 4) copy_as(4, at, step, n);
  else copy_as(8, at, step, n);
}

static th_status join(const th_tensor *y, int dim, int64_t n, th_tensor *const *t)
{
  const size_t es = th_dtype_size(y->dtype);
  th_tensor part = *y;
  for (int64_t k = 0; k < n; k++) {
    th_tensor x = *t[k];
    if (x.ndim == 1 && x.size[0] == 0) continue;
    for (; x.ndim < y->ndim; x.ndim++) x.size[x.ndim] = x.stride[x.ndim] = 1;
    part.size[dim] = x.size[dim];
    TH_TRY(th_each(2, (th_tensor *const[]){ &part, &x }, copy_row, &es));
    part.offset += x.size[dim] * y->stride[dim];
  }
  return TH_OK;
}
static th_status cat(const th_call *c)
{
  return join(c->arg[0].t, (int)c->arg[2].i, c->arg[1].list->n, c->arg[1].list->t);
}
static th_status cat_two(const th_call *c)
{
  return join(c->arg[0].t, (int)c->arg[3].i, 2, (th_tensor *const[]){ c->arg[1].t, c->arg[2].t });
}

const th_kernel TH_AT(th_cat)[TH_NDTYPE] = TH_ANY(cat);
const th_kernel TH_AT(th_cat_two)[TH_NDTYPE] = TH_ANY(cat_two);
