/* batchnorm.c - batch normalisation over all dimensions but the second, and its gradient. */
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
  TH_TRY(need_images(c, 3));
  for (int i = 4; i <= 7; i++) TH_TRY(need_features(c, i, 3, i > 5));
  if (!c->arg[8].i && (!c->arg[6].t || !c->arg[7].t)) {
    return th_fail(TH_EARG, "runningMean and runningVar must be given where train is false");
  }
  TH_TRY(th_out_like(c, 0, c->arg[3].t));
  TH_TRY(th_out(c, 1, c->dtype, 1, &c->arg[3].t->size[1]));
  return th_out(c, 2, c->dtype, 1, &c->arg[3].t->size[1]);
}

static th_status check_grad(th_call *c)
{
  TH_TRY(need_images(c, 1));
  TH_TRY(th_need_same_dtype(c, 2, 1));
  TH_TRY(th_need_same_shape(c, 2, 1));
  for (int i = 3; i <= 7; i++) TH_TRY(need_features(c, i, 1, i > 5));
  return th_out_like(c, 0, c->arg[1].t);
}

const th_op th_op_batchnorm = {
  .name  = "batchnorm",
  .args  = "y:out mean:out invstd:out x:tensor weight:tensor=nil bias:tensor=nil "
           "runningMean:inout=nil runningVar:inout=nil train:bool momentum:number=0.1 "
           "eps:number=1e-5",
  .doc   = "(x - mean) / sqrt(var + eps) * weight + bias for each feature, dimension 2 of x. In "
           "training mean and var are those of the batch, and the running ones move towards them "
           "(the variance without bias) by momentum; otherwise the running ones are used. mean "
           "and invstd are what was used."
           "\ntorch.batchnorm(torch.Tensor{{1, 10}, {3, 30}}, true):round() --> {{-1, -1}, {1, 1}}",
  .check = check,
};

const th_op th_op_batchnorm_grad = {
  .name  = "batchnorm_grad",
  .args  = "gx:out x:tensor g:tensor weight:tensor=nil mean:tensor invstd:tensor "
           "gradWeight:inout=nil gradBias:inout=nil train:bool scale:number=1",
  .doc   = "The gradient of batchnorm by x, with the mean and invstd it gave; adds scale times "
           "the gradients of weight and bias to gradWeight and gradBias.",
  .check = check_grad,
};
