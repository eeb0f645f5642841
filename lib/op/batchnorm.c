/* batchnorm.c - batch normalisation over all dimensions but the second, and its gradient. */
#include "batchnorm.args.h"
#include "op.h"

/* One number a feature, or nothing. */
static th_status need_features(th_call *c, int arg, int x, bool fresh)
{
  const th_tensor *t = c->arg[arg].t;
  const int64_t n = c->arg[x].t->size[1];
  if (!t) return TH_OK;
  TH_TRY(th_need_same_dtype(c, arg, x));
  if (t->ndim != 1 || t->size[0] != n) {
    return th_fail(TH_ESHAPE, "%s must have %lld elements, one a feature of %s, got size %s",
                   th_arg_name(c, arg), (long long)n, th_arg_name(c, x), TH_SHAPE(t));
  }
  if (fresh && n > 1 && t->stride[0] == 0) {
    return th_fail(TH_ESHAPE, "%s is expanded: several elements share one place; clone it first",
                   th_arg_name(c, arg));
  }
  return TH_OK;
}

static th_status need_images(th_call *c, int x)
{
  TH_TRY(th_need_float(c, x));
  return th_need_ndim(c, x, 2, TH_MAXDIM);
}

static th_status check(th_call *c)
{
  const batchnorm_args *a = batchnorm_args_of(c);
  TH_TRY(need_images(c, batchnorm_x));
  for (int i = batchnorm_weight; i <= batchnorm_runningVar; i++) {
    TH_TRY(need_features(c, i, batchnorm_x, i >= batchnorm_runningMean));
  }
  if (!a->train && (!a->runningMean || !a->runningVar)) {
    return th_fail(TH_EARG, "runningMean and runningVar must be given where train is false");
  }
  TH_TRY(th_out_like(c, batchnorm_y, a->x));
  TH_TRY(th_out(c, batchnorm_mean, c->dtype, 1, &a->x->size[1]));
  return th_out(c, batchnorm_invstd, c->dtype, 1, &a->x->size[1]);
}

static th_status check_grad(th_call *c)
{
  TH_TRY(need_images(c, batchnorm_grad_x));
  TH_TRY(th_need_same_dtype(c, batchnorm_grad_g, batchnorm_grad_x));
  TH_TRY(th_need_same_shape(c, batchnorm_grad_g, batchnorm_grad_x));
  for (int i = batchnorm_grad_weight; i <= batchnorm_grad_gradBias; i++) {
    TH_TRY(need_features(c, i, batchnorm_grad_x, i >= batchnorm_grad_gradWeight));
  }
  return th_out_like(c, batchnorm_grad_gx, batchnorm_grad_args_of(c)->x);
}

const th_op th_op_batchnorm = {
  .name  = "batchnorm",
  .args  = batchnorm_signature,
  .doc   = "(x - mean) / sqrt(var + eps) * weight + bias for each feature, dimension 2 of x. In "
           "training mean and var are those of the batch, and the running ones move towards them "
           "(the variance without bias) by momentum. Otherwise the running ones are used. mean and "
           "invstd are what was used."
           "\ntorch.batchnorm(torch.Tensor{{1, 10}, {3, 30}}, true):round() --> {{-1, -1}, {1, 1}}",
  .check = check,
};

const th_op th_op_batchnorm_grad = {
  .name  = "batchnorm_grad",
  .args  = batchnorm_grad_signature,
  .doc   = "The gradient of batchnorm by x, with the mean and invstd it gave. Adds scale times "
           "the gradients of weight and bias to gradWeight and gradBias.",
  .check = check_grad,
};
