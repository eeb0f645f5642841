/* softmax.c - softmax and its logarithm along a dimension, with their gradients. */
#include "softmax.args.h"
#include "op.h"

static th_status check(th_call *c)
{
  const softmax_args *a = softmax_args_of(c);
  TH_TRY(th_need_float(c, softmax_x));
  TH_TRY(th_need_dim(c, softmax_dim, a->x));
  return th_out_like(c, softmax_y, a->x);
}

static th_status check_grad(th_call *c)
{
  const softmax_grad_args *a = softmax_grad_args_of(c);
  TH_TRY(th_need_float(c, softmax_grad_y));
  TH_TRY(th_need_same_dtype(c, softmax_grad_g, softmax_grad_y));
  TH_TRY(th_need_same_shape(c, softmax_grad_g, softmax_grad_y));
  TH_TRY(th_need_dim(c, softmax_grad_dim, a->y));
  return th_out_like(c, softmax_grad_gx, a->y);
}

const th_op th_op_softmax = {
  .name  = "softmax",
  .args  = softmax_signature,
  .doc   = "exp(x) divided by its sum along `dim`, without overflow."
           "\ntorch.softmax(torch.Tensor{0, math.log(3)}, 1) --> {0.25, 0.75}",
  .grad  = "x: softmax_grad(y, g, dim)",
  .flags = TH_INPLACE,
  .check = check,
};

const th_op th_op_softmax_grad = {
  .name  = "softmax_grad",
  .args  = softmax_grad_signature,
  .doc   = "The gradient of softmax from its result y and the gradient g of that."
           "\ntorch.softmax_grad(torch.Tensor{0.5, 0.5}, torch.Tensor{1, 0}, 1) --> {0.25, -0.25}",
  .flags = TH_INPLACE,
  .check = check_grad,
};

const th_op th_op_logsoftmax = {
  .name  = "logsoftmax",
  .args  = softmax_signature,
  .doc   = "The logarithm of softmax along `dim`: x - log(sum(exp(x))), without overflow."
           "\ntorch.logsoftmax(torch.Tensor{0, 0}, 1) --> {-0.69315, -0.69315}",
  .grad  = "x: logsoftmax_grad(y, g, dim)",
  .flags = TH_INPLACE,
  .check = check,
};

const th_op th_op_logsoftmax_grad = {
  .name  = "logsoftmax_grad",
  .args  = softmax_grad_signature,
  .doc   = "The gradient of logsoftmax from its result y and the gradient g of that."
           "\ntorch.logsoftmax_grad(torch.Tensor{math.log(0.5), math.log(0.5)}, torch.Tensor{1, 0}, 1) --> {0.5, -0.5}",
  .flags = TH_INPLACE,
  .check = check_grad,
};
