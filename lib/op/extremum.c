/* lib/op/extremum.c - largest and smallest elements. */
#include "extremum.args.h"
#include "reduce.h"

static th_status all(th_call *c)
{
  const th_tensor *x = max_all_args_of(c)->x;
  if (th_tensor_numel(x) > 0) return TH_OK;
  return th_fail(TH_ESHAPE, "x must have at least one element, got size %s", TH_SHAPE(x));
}
const th_op th_op_max_all = {
  .name = "max",
  .args = max_all_signature,
  .doc = "The largest element of x, as a number; NaN if x has a NaN. An empty tensor has none and "
         "is refused."
         "\ntorch.max(torch.Tensor{{1, 5}, {7, 2}}) --> 7",
  .check = all,
};
const th_op th_op_min_all = {
  .name = "min",
  .args = min_all_signature,
  .doc = "The smallest element of x, as a number; NaN if x has a NaN. An empty tensor has none and "
         "is refused."
         "\ntorch.min(torch.Tensor{{1, 5}, {7, 2}}) --> 1",
  .check = all,
};

static th_status along(th_call *c)
{
  const max_args *a = max_args_of(c);
  const th_tensor *x = a->x;
  TH_TRY(th_need_dim(c, max_dim, x));
  TH_TRY(th_need_line(c, max_x, (int)a->dim));
  TH_TRY(th_need_apart(c, max_y, max_index));
  TH_TRY(th_reduced(c, max_y, x, x->dtype, (int)a->dim, a->keepdim));
  return th_reduced(c, max_index, x, TH_I64, (int)a->dim, a->keepdim);
}
const th_op th_op_max = {
  .name = "max",
  .args = max_signature,
  .doc = "The largest elements along dim and their places (a LongTensor; the first place if "
         "several are "
         "equal). A NaN counts as larger than everything. dim stays with size 1, unless keepdim is "
         "false."
         "\ntorch.max(torch.Tensor{{1, 5}, {7, 2}}, 2) --> {{5}, {7}}, {{2}, {1}}",
  .grad = "x: pick_grad(x, dim, index, g)",
  .check = along,
};
const th_op th_op_min = {
  .name = "min",
  .args = max_signature,
  .doc = "The smallest elements along dim and their places (a LongTensor; the first place if "
         "several are "
         "equal). A NaN counts as smaller than everything. dim stays with size 1, unless keepdim "
         "is false."
         "\ntorch.min(torch.Tensor{{1, 5}, {7, 2}}, 1) --> {{1, 2}}, {{1, 2}}",
  .grad = "x: pick_grad(x, dim, index, g)",
  .check = along,
};

/* The index may have lost its dimension, so this is more than a scatter. */
static th_status pick_grad(th_call *c)
{
  const pick_grad_args *a = pick_grad_args_of(c);
  const th_tensor *x = a->x;
  TH_TRY(th_need_dim_or_last(c, pick_grad_dim, x));
  TH_TRY(th_need_same_dtype(c, pick_grad_g, pick_grad_x));
  TH_TRY(th_need_reduced(c, pick_grad_index, x, (int)a->dim));
  TH_TRY(th_need_same_shape(c, pick_grad_g, pick_grad_index));
  TH_TRY(th_need_indices(c, pick_grad_index, th_line_size(x, a->dim), "index"));
  return th_out_like(c, pick_grad_gx, x);
}
const th_op th_op_pick_grad = {
  .name = "pick_grad",
  .args = pick_grad_signature,
  .doc = "Gradient of `max`, `min`, `median` and their like: g at the places that were picked, 0 "
         "elsewhere. dim -1 is the last."
         "\ntorch.pick_grad(torch.Tensor(2, 2), 1, torch.LongTensor{{2, 1}}, torch.Tensor{{5, 6}}) --> {{0, 6}, {5, 0}}",
  .check = pick_grad,
};
