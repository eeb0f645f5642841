/* loss.c - losses that compare numbers one by one: the loss is a number, its gradient a tensor. */
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

static th_status check(th_call *c) { return need_operands(c, 1, 2); }

static th_status check_grad(th_call *c)
{
  TH_TRY(need_operands(c, 1, 2));
  return th_out_like(c, 0, c->arg[1].t);
}

static th_status check_weighted(th_call *c)
{
  TH_TRY(need_operands(c, 1, 2));
  return need_weight(c, 4, 1);
}

static th_status check_weighted_grad(th_call *c)
{
  TH_TRY(check_weighted(c));
  return th_out_like(c, 0, c->arg[1].t);
}

#define LOSS(id, what, gives) \
  const th_op th_op_##id = { \
    .name = #id, .args = "loss:return x:tensor target:tensor sizeAverage:bool=true", \
    .doc = "The mean (or without sizeAverage the sum) of " what ", as a number." \
           "\ntorch." #id "(torch.Tensor{1, 2}, torch.Tensor{1, 4}) --> " gives, \
    .grad = "x: mul(" #id "_grad(x, target, sizeAverage), g)", .check = check }; \
  const th_op th_op_##id##_grad = { \
    .name = #id "_grad", .args = "gx:out x:tensor target:tensor sizeAverage:bool=true", \
    .doc = "The gradient of " #id " by x.", .flags = TH_INPLACE, .check = check_grad };

LOSS(mse_loss, "(x - target)^2", "2")
LOSS(abs_loss, "|x - target|", "1")
LOSS(smoothl1_loss,
     "(x - target)^2 / 2 where that difference is below 1, |x - target| - 1/2 elsewhere", "0.75")

const th_op th_op_bce_loss = {
  .name  = "bce_loss",
  .args  = "loss:return x:tensor target:tensor sizeAverage:bool=true weight:tensor=nil",
  .doc   = "The mean (or without sizeAverage the sum) of the binary cross entropy -(t log(x + e) "
           "+ (1 - t) log(1 - x + e)), e = 1e-12, times weight, as a number."
           "\ntorch.bce_loss(torch.Tensor{0.5, 0.5}, torch.Tensor{0, 1}) --> 0.69315",
  .check = check_weighted,
};

const th_op th_op_bce_loss_grad = {
  .name  = "bce_loss_grad",
  .args  = "gx:out x:tensor target:tensor sizeAverage:bool=true weight:tensor=nil",
  .doc   = "The gradient of bce_loss by x.",
  .flags = TH_INPLACE,
  .check = check_weighted_grad,
};
