/* loss.c - losses that compare numbers one by one: the loss is a number, its gradient a tensor. */
#include "loss.args.h"
#include "op.h"

static th_status need_operands(th_call *c, int x, int target)
{
  TH_TRY(th_need_float(c, x));
  TH_TRY(th_need_same_dtype(c, target, x));
  if (th_tensor_numel(c->arg[x].t) == th_tensor_numel(c->arg[target].t)) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have as many elements as %s, got sizes %s and %s",
                 th_arg_name(c, target), th_arg_name(c, x), TH_SHAPE(c->arg[target].t),
                 TH_SHAPE(c->arg[x].t));
}

/* A weight's elements are repeated over those of x: one a column of a batch, or one each. */
static th_status need_weight(th_call *c, int weight, int x)
{
  const th_tensor *w = c->arg[weight].t;
  if (!w) return TH_OK;
  TH_TRY(th_need_same_dtype(c, weight, x));
  const int64_t n = th_tensor_numel(w), all = th_tensor_numel(c->arg[x].t);
  if (n > 0 && all % n == 0) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have as many elements as a sample of %s, got sizes %s and %s",
                 th_arg_name(c, weight), th_arg_name(c, x), TH_SHAPE(w), TH_SHAPE(c->arg[x].t));
}

static th_status check(th_call *c) { return need_operands(c, loss_x, loss_target); }

static th_status check_grad(th_call *c)
{
  TH_TRY(need_operands(c, loss_grad_x, loss_grad_target));
  return th_out_like(c, loss_grad_gx, loss_grad_args_of(c)->x);
}

static th_status check_weighted(th_call *c)
{
  TH_TRY(need_operands(c, bce_loss_x, bce_loss_target));
  return need_weight(c, bce_loss_weight, bce_loss_x);
}

static th_status check_weighted_grad(th_call *c)
{
  TH_TRY(check_weighted(c));
  return th_out_like(c, bce_loss_grad_gx, bce_loss_grad_args_of(c)->x);
}

#define LOSS(id, what, gives) \
  const th_op th_op_##id = { \
    .name = #id, .args = loss_signature, \
    .doc = "The mean (or without sizeAverage the sum) of " what ", as a number." \
           "\ntorch." #id "(torch.Tensor{1, 2}, torch.Tensor{1, 4}) --> " gives, \
    .grad = "x: mul(" #id "_grad(x, target, sizeAverage), g)", .check = check }; \
  const th_op th_op_##id##_grad = { \
    .name = #id "_grad", .args = loss_grad_signature, \
    .doc = "The gradient of " #id " by x.", .flags = TH_INPLACE, .check = check_grad };

LOSS(mse_loss, "(x - target)^2", "2")
LOSS(abs_loss, "|x - target|", "1")
LOSS(smoothl1_loss,
     "(x - target)^2 / 2 where that difference is below 1, |x - target| - 1/2 elsewhere", "0.75")

const th_op th_op_bce_loss = {
  .name  = "bce_loss",
  .args  = bce_loss_signature,
  .doc   = "The mean (or without sizeAverage the sum) of the binary cross entropy -(t log(x + e) + "
           "(1 - t) log(1 - x + e)), times weight. e is 1e-12. A number."
           "\ntorch.bce_loss(torch.Tensor{0.5, 0.5}, torch.Tensor{0, 1}) --> 0.69315",
  .check = check_weighted,
};

const th_op th_op_bce_loss_grad = {
  .name  = "bce_loss_grad",
  .args  = bce_loss_grad_signature,
  .doc   = "The gradient of bce_loss by x.",
  .flags = TH_INPLACE,
  .check = check_weighted_grad,
};
