/* cat.c - joins tensors along one dimension: each is copied to its part of the result. */
#include "move.h"
#include "../op/cat.args.h"

static th_status join(const th_tensor *y, int dim, int64_t n, th_tensor *const *t)
{
  th_tensor part = *y;
  for (int64_t k = 0; k < n; k++) {
    th_tensor x = *t[k];
    if (x.ndim == 1 && x.size[0] == 0) continue;
    for (; x.ndim < y->ndim; x.ndim++) x.size[x.ndim] = x.stride[x.ndim] = 1;
    part.size[dim] = x.size[dim];
    TH_TRY(TH_AT(th_copy_elements)(&part, &x));
    part.offset += x.size[dim] * y->stride[dim];
  }
  return TH_OK;
}
static th_status cat(const th_call *c)
{
  const cat_args *a = cat_args_of(c);
  return join(a->y, (int)a->dim, a->list->n, a->list->t);
}
static th_status cat_two(const th_call *c)
{
  const cat_two_args *a = cat_two_args_of(c);
  return join(a->y, (int)a->dim, 2, (th_tensor *const[]){ a->a, a->b });
}

const th_kernel TH_AT(th_cat)[TH_NDTYPE] = TH_ANY(cat);
const th_kernel TH_AT(th_cat_two)[TH_NDTYPE] = TH_ANY(cat_two);
