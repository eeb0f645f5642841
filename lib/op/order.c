/* lib/op/order.c - sorting, the k smallest or largest, the k-th, the median, the most frequent.
 *
 * The order is stable: of equal elements the one with the smaller place comes first. NaN is equal
 * to NaN and comes last, ascending as descending; -0 is equal to 0. */
#include "order.args.h"
#include "reduce.h"

enum { LONGEST = 2147483647 };         /* places within a line travel in 32 bits */

/* Arguments 0 and 1 are results, 2 is x, `dim` the dimension. */
static th_status need_order(th_call *c, int dim)
{
  const th_tensor *x = order_args_of(c)->x;
  TH_TRY(th_need_dim_or_last(c, dim, x));
  TH_TRY(th_need_apart(c, order_y, order_index));
  if (th_line_size(x, c->arg[dim].i) <= LONGEST) return TH_OK;
  return th_fail(TH_ESHAPE, "x must have at most %d elements along dimension %d, got size %s",
                 LONGEST, (int)c->arg[dim].i + 1, TH_SHAPE(x));
}
static th_status results(th_call *c, int dim, int64_t n)
{
  const th_tensor *x = order_args_of(c)->x;
  int64_t size[TH_MAXDIM];
  for (int d = 0; d < x->ndim; d++) size[d] = d == c->arg[dim].i ? n : x->size[d];
  TH_TRY(th_out(c, order_y, x->dtype, x->ndim, size));
  return th_out(c, order_index, TH_I64, x->ndim, size);
}
static th_status need_k(th_call *c, int k, int dim)
{
  const th_tensor *x = order_args_of(c)->x;
  const int64_t n = th_line_size(x, c->arg[dim].i), got = c->arg[k].i;
  if (got >= 1 && got <= n) return TH_OK;
  return th_fail(TH_EARG, "k must lie in 1..%lld, the size along dimension %d, got %lld",
                 (long long)n, (int)c->arg[dim].i + 1, (long long)got);
}

static th_status sort(th_call *c)
{
  const sort_args *a = sort_args_of(c);
  TH_TRY(need_order(c, sort_dim));
  return results(c, sort_dim, th_line_size(a->x, a->dim));
}
const th_op th_op_sort = {
  .name = "sort",
  .args = sort_signature,
  .doc = "The elements in order along dim (default: the last), and the places they come from (a "
         "LongTensor). "
         "The order is stable; NaN comes last either way."
         "\ntorch.sort(torch.Tensor{3, 1, 2}) --> {1, 2, 3}, {2, 3, 1}",
  .grad = "x: gather_grad(x, dim, index, g)",
  .check = sort,
};

/* The same with the last dimension: the kernel sees the other form's arguments. */
static th_status sort_last(th_call *c)
{
  c->arg[sort_descending].i = sort_last_args_of(c)->descending;
  c->arg[sort_dim].i = -1;
  return sort(c);
}
const th_op th_op_sort_last = {
  .name = "sort", .args = sort_last_signature,
  .doc = "The elements in order along the last dimension, and the places they come from."
         "\ntorch.sort(torch.Tensor{3, 1, 2}, true) --> {3, 2, 1}, {1, 3, 2}",
  .check = sort_last,
};

static th_status topk(th_call *c)
{
  TH_TRY(need_order(c, topk_dim));
  TH_TRY(need_k(c, topk_k, topk_dim));
  return results(c, topk_dim, topk_args_of(c)->k);
}
const th_op th_op_topk = {
  .name = "topk",
  .args = topk_signature,
  .doc =
      "The k smallest elements along dim (default: the last), or the k largest, and their places. "
      "sorted puts them in order, ascending or, if largest, descending. Otherwise they come as "
      "Torch7's selection leaves a line of up to 32 elements, and in the order of x from a longer "
      "one. A NaN is taken only when nothing else is left."
      "\ntorch.topk(torch.Tensor{3, 1, 4, 2}, 2, 1, true, true) --> {4, 3}, {3, 1}",
  .grad = "x: gather_grad(x, dim, index, g)",
  .check = topk,
};

static th_status kthvalue(th_call *c)
{
  TH_TRY(need_order(c, kthvalue_dim));
  TH_TRY(need_k(c, kthvalue_k, kthvalue_dim));
  return results(c, kthvalue_dim, 1);
}
const th_op th_op_kthvalue = {
  .name = "kthvalue",
  .args = kthvalue_signature,
  .doc = "The k-th smallest elements along dim (default: the last), and the places where a stable "
         "sort would find them."
         "\ntorch.kthvalue(torch.Tensor{3, 1, 4, 2}, 3) --> {3}, {1}",
  .grad = "x: pick_grad(x, dim, index, g)",
  .check = kthvalue,
};

static th_status median(th_call *c)
{
  TH_TRY(need_order(c, median_dim));
  TH_TRY(th_need_line(c, median_x, (int)median_args_of(c)->dim));
  return results(c, median_dim, 1);
}
const th_op th_op_median = {
  .name = "median",
  .args = median_signature,
  .doc = "The medians along dim (default: the last), and their places: the lower of the two middle "
         "elements "
         "where their number is even."
         "\ntorch.median(torch.Tensor{3, 1, 4, 2}) --> {2}, {4}",
  .grad = "x: pick_grad(x, dim, index, g)",
  .check = median,
};
const th_op th_op_mode = {
  .name = "mode",
  .args = median_signature,
  .doc = "The most frequent values along dim (default: the last), the smallest of equally frequent "
         "ones, "
         "and the first places that hold them."
         "\ntorch.mode(torch.Tensor{3, 1, 3, 2}) --> {3}, {1}",
  .grad = "x: pick_grad(x, dim, index, g)",
  .check = median,
};
