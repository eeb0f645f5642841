/* lib/op/cat.c - joins tensors along one dimension. */
#include "cat.args.h"
#include "reduce.h"

static bool is_void(const th_tensor *t) { return t->ndim == 1 && t->size[0] == 0; }
static int64_t size_at(const th_tensor *t, int d) { return d < t->ndim ? t->size[d] : 1; }

/* The n tensors of t; dimensions that one of them lacks on the right have size 1. */
static th_status check_list(th_call *c, int dim_arg, int64_t n, th_tensor *const *t)
{
  const th_tensor *first = NULL;
  int ndim = 0;
  if (n == 0) return th_fail(TH_EARG, "list must hold at least one tensor");
  for (int64_t k = 0; k < n; k++) {
    if (t[k]->dtype != t[0]->dtype) {
      return th_fail(TH_EDTYPE, "tensor %lld must be a %sTensor like the first, got a %sTensor",
                     (long long)k + 1, th_dtype_name(t[0]->dtype), th_dtype_name(t[k]->dtype));
    }
    if (is_void(t[k])) continue;
    if (!first) first = t[k];
    if (t[k]->ndim > ndim) ndim = t[k]->ndim;
  }
  int64_t dim = c->arg[dim_arg].i;
  const int most = ndim ? ndim : 1;                    /* -1: the last of the tensor that has most */
  if (dim < 0 && dim >= -most) dim += most + 1;
  if (dim < 1 || dim > TH_MAXDIM) {
    return th_fail(TH_EARG, "dim must lie in 1..%d, got %lld", TH_MAXDIM, (long long)dim);
  }
  c->arg[dim_arg].i = --dim;
  c->dtype = t[0]->dtype;
  c->device = t[0]->device;
  int64_t size[TH_MAXDIM] = { 0 };
  if (!first) return th_out(c, cat_y, t[0]->dtype, 1, size);
  if (ndim <= dim) ndim = (int)dim + 1;
  for (int d = 0; d < ndim; d++) size[d] = d == dim ? 0 : size_at(first, d);
  for (int64_t k = 0; k < n; k++) {
    if (is_void(t[k])) continue;
    for (int d = 0; d < ndim; d++) {
      if (d == dim) size[d] += size_at(t[k], d);
      else if (size_at(t[k], d) != size[d]) {
        return th_fail(
            TH_ESHAPE,
            "tensor %lld must have the size of the first, %s, dimension %d aside, got %s",
            (long long)k + 1, TH_SHAPE(first), (int)dim + 1, TH_SHAPE(t[k]));
      }
    }
  }
  return th_out(c, cat_y, t[0]->dtype, ndim, size);
}

static th_status cat(th_call *c)
{
  const cat_args *a = cat_args_of(c);
  return check_list(c, cat_dim, a->list->n, a->list->t);
}
static th_status cat_two(th_call *c)
{
  const cat_two_args *a = cat_two_args_of(c);
  return check_list(c, cat_two_dim, 2, (th_tensor *const[]){ a->a, a->b });
}

const th_op th_op_cat = {
  .name = "cat", .args = cat_signature,
  .doc = "Joins the tensors of a table along dim (default: the last). Empty tensors are skipped; "
         "dim may be one more than the tensors have, then they are stacked."
         "\ntorch.cat({torch.Tensor{1, 2}, torch.Tensor{3}, torch.Tensor{4}}, 1) --> {1, 2, 3, 4}",
  .check = cat,
};
const th_op th_op_cat_two = {
  .name = "cat", .args = cat_two_signature,
  .doc = "Joins two tensors along dim (default: the last)."
         "\ntorch.cat(torch.Tensor{{1}, {2}}, torch.Tensor{{3}, {4}}, 2) --> {{1, 3}, {2, 4}}",
  .check = cat_two,
};
