/* lib/op/scan.c - running sums and products along one dimension, and the order reversed. */
#include "scan.args.h"
#include "reduce.h"

static th_status check(th_call *c)
{
  const cumsum_args *a = cumsum_args_of(c);
  TH_TRY(th_need_dim(c, cumsum_dim, a->x));
  return th_out_like(c, cumsum_y, a->x);
}
const th_op th_op_cumsum = {
  .name = "cumsum",
  .args = cumsum_signature,
  .doc = "Running sum along dim: y[i] = x[1] + ... + x[i], summed in double or int64. y may be x "
         "itself."
         "\ntorch.cumsum(torch.Tensor{1, 2, 3}) --> {1, 3, 6}",
  .grad = "x: flip(cumsum(flip(g, dim), dim), dim)",
  .flags = TH_INPLACE,
  .check = check,
};
const th_op th_op_cumprod = {
  .name = "cumprod", .args = cumsum_signature,
  .doc = "Running product along dim: y[i] = x[1] * ... * x[i]. y may be x itself."
         "\ntorch.cumprod(torch.Tensor{1, 2, 3}) --> {1, 2, 6}",
  .flags = TH_INPLACE, .check = check,
};
const th_op th_op_flip = {
  .name = "flip", .args = flip_signature,
  .doc = "x in reverse order along dim."
         "\ntorch.flip(torch.Tensor{1, 2, 3}, 1) --> {3, 2, 1}",
  .grad = "x: flip(g, dim)", .check = check,
};
