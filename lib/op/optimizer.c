/* optimizer.c - steps of optimizers, each in one pass over parameters, gradients and state. */
#include "optimizer.args.h"
#include "../core/overlap.h"
#include "op.h"

/* x is the first argument of each op, then comes its state, then g. */

/* What changes in step with x: of its type, with as many elements. */
static th_status need_one(th_call *c, int i, bool changes)
{
  const th_tensor *t = c->arg[i].t, *x = adam_step_args_of(c)->x;
  TH_TRY(th_need_same_dtype(c, i, adam_step_x));
  if (th_tensor_numel(t) != th_tensor_numel(x)) {
    return th_fail(TH_ESHAPE, "%s must have as many elements as %s, got sizes %s and %s", th_arg_name(c, i),
                   th_arg_name(c, adam_step_x), TH_SHAPE(t), TH_SHAPE(x));
  }
  if (changes && th_overlaps_itself(t)) {
    return th_fail(TH_ESHAPE, "%s %s: several elements share one place; clone it first", th_arg_name(c, i), th_overlap_text(t));
  }
  return TH_OK;
}

/* The arguments from x to `g`, of which those up to `changing` change. */
static th_status need_alike(th_call *c, int changing, int g)
{
  TH_TRY(th_need_float(c, adam_step_x));
  for (int i = adam_step_x; i <= g; i++) TH_TRY(need_one(c, i, i <= changing));
  c->dtype = adam_step_args_of(c)->x->dtype;
  return TH_OK;
}

/* Rates that lie in memory: `n` doubles. */
static th_status need_rates(th_call *c, int arg, int64_t n)
{
  const th_tensor *t = c->arg[arg].t;
  TH_TRY(th_need_dtype(c, arg, TH_F64));
  if (t->ndim == 1 && t->size[0] == n) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must be a vector of %lld, got size %s", th_arg_name(c, arg), (long long)n, TH_SHAPE(t));
}

static th_status check_adam(th_call *c)
{
  TH_TRY(need_alike(c, adam_step_v, adam_step_g));
  return adam_step_args_of(c)->denom ? need_one(c, adam_step_denom, true) : TH_OK;
}
static th_status check_rmsprop(th_call *c) { return need_alike(c, rmsprop_step_v, rmsprop_step_g); }
static th_status check_momentum(th_call *c) { return need_alike(c, momentum_step_g, momentum_step_g); }
static th_status check_adam_rates(th_call *c)
{
  TH_TRY(need_alike(c, adam_step_rates_v, adam_step_rates_g));
  TH_TRY(need_rates(c, adam_step_rates_rates, 2));
  return adam_step_rates_args_of(c)->denom ? need_one(c, adam_step_rates_denom, true) : TH_OK;
}
static th_status check_rmsprop_rates(th_call *c)
{
  TH_TRY(need_alike(c, rmsprop_step_rates_v, rmsprop_step_rates_g));
  return need_rates(c, rmsprop_step_rates_rates, 1);
}
static th_status check_momentum_rates(th_call *c)
{
  TH_TRY(need_alike(c, momentum_step_rates_g, momentum_step_rates_g));
  return need_rates(c, momentum_step_rates_rates, 1);
}

const th_op th_op_adam_step = {
  .name  = "adam_step",
  .args  = adam_step_signature,
  .doc   = "A step of Adam with the moments m and v of the gradient g. m = beta1 m + (1 - beta1) "
           "g, v = beta2 v + (1 - beta2) g^2, x = keep x - rate m / (sqrt(v) + eps). That "
           "denominator goes to denom, too. All in one pass; optim.adam brings rates and state."
           "\nx = torch.Tensor{1, 2}; x:adam_step(torch.zeros(2), torch.zeros(2), torch.Tensor{1, -1}, 1, 0, 0, 0); x --> {0, 3}",
  .check = check_adam,
};

const th_op th_op_rmsprop_step = {
  .name  = "rmsprop_step",
  .args  = rmsprop_step_signature,
  .doc   = "A step of RMSprop with the mean square v of the gradient g: v = alpha v + (1 - alpha) g^2, "
           "x = x - rate g / (sqrt(v) + eps). All in one pass; optim.rmsprop brings rate and state."
           "\nx = torch.Tensor{1, 2}; x:rmsprop_step(torch.zeros(2), torch.Tensor{1, -2}, 1, 0, 0); x --> {0, 3}",
  .check = check_rmsprop,
};

const th_op th_op_momentum_step = {
  .name  = "momentum_step",
  .args  = momentum_step_signature,
  .doc   = "A step of gradient descent with the momentum v: g = g + decay x, v = momentum v + (1 - "
           "dampening) g, x = x - rate v. With nesterov g = g + momentum v and x = x - rate g. All "
           "in one pass; optim.sgd brings rates and state."
           "\nx = torch.Tensor{1, 2}; x:momentum_step(torch.ones(2), torch.Tensor{1, 2}, 1, 0.5); x --> {-0.5, -0.5}",
  .check = check_momentum,
};

/* The same with rates in memory, where a CUDA graph finds those of each replay. */
const th_op th_op_adam_step_rates = {
  .name  = "adam_step",
  .args  = adam_step_rates_signature,
  .doc   = "The same with rates, a vector of two doubles beside x: rate and keep."
           "\nx = torch.Tensor{1}; y = torch.zeros(1); x:adam_step(y, y:clone(), torch.ones(1), torch.Tensor{1, 1}, 0, 0, 0); "
            "x --> {0}",
  .check = check_adam_rates,
};

const th_op th_op_rmsprop_step_rates = {
  .name  = "rmsprop_step",
  .args  = rmsprop_step_rates_signature,
  .doc   = "The same with rates, a vector of one double beside x: the rate."
           "\nx = torch.Tensor{1, 2}; x:rmsprop_step(torch.zeros(2), torch.Tensor{1, -2}, torch.Tensor{1}, 0, 0); x --> {0, 3}",
  .check = check_rmsprop_rates,
};

const th_op th_op_momentum_step_rates = {
  .name  = "momentum_step",
  .args  = momentum_step_rates_signature,
  .doc   = "The same with rates, a vector of one double beside x: the rate."
           "\nx = torch.Tensor{1, 2}; x:momentum_step(torch.ones(2), torch.Tensor{1, 2}, torch.Tensor{1}, 0.5); "
            "x --> {-0.5, -0.5}",
  .check = check_momentum_rates,
};
