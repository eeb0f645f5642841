/* lib/op/extremum.c - largest and smallest elements. */
#include "reduce.h"

static th_status all(th_call *c)
{
  const th_tensor *x = c->arg[1].t;
  if (th_tensor_numel(x) > 0) return TH_OK;
  return th_fail(TH_ESHAPE, "x must have at least one element, got size %s", TH_SHAPE(x));
}
const th_op th_op_max_all = {
  .name = "max",
  .args = "max:return x:tensor",
  .doc = "The largest element of x, as a number; NaN if x has a NaN. An empty tensor has none and "
         "is refused."
         "\ntorch.max(torch.Tensor{{1, 5}, {7, 2}}) --> 7",
  .check = all,
};
const th_op th_op_min_all = {
  .name = "min",
  .args = "min:return x:tensor",
  .doc = "The smallest element of x, as a number; NaN if x has a NaN. An empty tensor has none and "
         "is refused."
         "\ntorch.min(torch.Tensor{{1, 5}, {7, 2}}) --> 1",
  .check = all,
};

static th_status along(th_call *c)
{
  const th_tensor *x = c->arg[2].t;
  TH_TRY(th_need_dim(c, 3, x));
  TH_TRY(th_need_line(c, 2, (int)c->arg[3].i));
  TH_TRY(th_need_apart(c, 0, 1));
  TH_TRY(th_reduced(c, 0, x, x->dtype, (int)c->arg[3].i, c->arg[4].i));
  return th_reduced(c, 1, x, TH_I64, (int)c->arg[3].i, c->arg[4].i);
}
const th_op th_op_max = {
  .name = "max",
  .args = "y:out index:out x:tensor dim:dim keepdim:bool=true",
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
  .args = "y:out index:out x:tensor dim:dim keepdim:bool=true",
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
  const th_tensor *x = c->arg[1].t;
  TH_TRY(th_need_dim_or_last(c, 2, x));
  TH_TRY(th_need_same_dtype(c, 4, 1));
  TH_TRY(th_need_reduced(c, 3, x, (int)c->arg[2].i));
  TH_TRY(th_need_same_shape(c, 4, 3));
  TH_TRY(th_need_indices(c, 3, th_line_size(x, c->arg[2].i), "index"));
  return th_out_like(c, 0, x);
}
const th_op th_op_pick_grad = {
  .name = "pick_grad",
  .args = "gx:out x:tensor dim:dim index:tensor g:tensor",
  .doc = "Gradient of `max`, `min`, `median` and their like: g at the places that were picked, 0 "
         "elsewhere. dim -1 is the last."
         "\ntorch.pick_grad(torch.Tensor(2, 2), 1, torch.LongTensor{{2, 1}}, torch.Tensor{{5, 6}}) --> {{0, 6}, {5, 0}}",
  .check = pick_grad,
};
