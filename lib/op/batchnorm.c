/* batchnorm.c - batch normalisation over all dimensions but the second, and its gradient. */
#include "batchnorm.args.h"
#include "vectors.h"

/* Each of the arguments first..last is a vector with one number a feature of x, or nothing; those
 * from `changed` on change. Sets *dtype to their type. */
static th_status need_features(th_call *c, int x, int first, int last, int changed, int *dtype)
{
  const int64_t n = c->arg[x].t->size[1];
  *dtype = th_vectors_dtype(c, x, first, last);
  for (int i = first; i <= last; i++) {
    TH_TRY(th_need_vector(c, i, x, *dtype, n, ", one a feature of x", i >= changed));
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
  int dtype;
  TH_TRY(need_images(c, batchnorm_x));
  TH_TRY(need_features(c, batchnorm_x, batchnorm_weight, batchnorm_runningVar,
                       batchnorm_runningMean, &dtype));
  if (!a->train && (!a->runningMean || !a->runningVar)) {
    return th_fail(TH_EARG, "runningMean and runningVar must be given where train is false");
  }
  TH_TRY(th_out_like(c, batchnorm_y, a->x));
  TH_TRY(th_out(c, batchnorm_mean, dtype, 1, &a->x->size[1]));
  return th_out(c, batchnorm_invstd, dtype, 1, &a->x->size[1]);
}

/* y and gy belong together, and have the shape of x. */
static th_status need_mask(th_call *c)
{
  const batchnorm_grad_args *a = batchnorm_grad_args_of(c);
  if (!a->y && !a->gy) return TH_OK;
  if (!a->y || !a->gy) return th_fail(TH_EARG, "y and gy must be given together");
  for (int i = batchnorm_grad_y; i <= batchnorm_grad_gy; i++) {
    TH_TRY(th_need_same_dtype(c, i, batchnorm_grad_x));
    TH_TRY(th_need_same_shape(c, i, batchnorm_grad_x));
  }
  return TH_OK;
}

static th_status check_grad(th_call *c)
{
  int dtype;
  TH_TRY(need_images(c, batchnorm_grad_x));
  TH_TRY(th_need_same_dtype(c, batchnorm_grad_g, batchnorm_grad_x));
  TH_TRY(th_need_same_shape(c, batchnorm_grad_g, batchnorm_grad_x));
  TH_TRY(need_features(c, batchnorm_grad_x, batchnorm_grad_weight, batchnorm_grad_gradBias,
                       batchnorm_grad_gradWeight, &dtype));
  TH_TRY(need_mask(c));
  return th_out_like(c, batchnorm_grad_gx, batchnorm_grad_args_of(c)->x);
}

const th_op th_op_batchnorm = {
  .name  = "batchnorm",
  .args  = batchnorm_signature,
  .doc   = "(x - mean) / sqrt(var + eps) * weight + bias for each feature, dimension 2 of x. In "
           "training mean and var are those of the batch, and the running ones move towards them "
           "(the variance without bias) by momentum. Otherwise the running ones are used. mean and "
           "invstd are what was used. With relu, negative results become 0. Beside halves all "
           "vectors may be floats."
           "\ntorch.batchnorm(torch.Tensor{{1, 10}, {3, 30}}, true):round() --> {{-1, -1}, {1, 1}}",
  .check = check,
};

const th_op th_op_batchnorm_grad = {
  .name  = "batchnorm_grad",
  .args  = batchnorm_grad_signature,
  .doc   = "The gradient of batchnorm by x, with the mean and invstd it gave. Adds scale times "
           "the gradients of weight and bias to gradWeight and gradBias. For a batchnorm with "
           "relu, y is what it gave: gy, which may be g itself, becomes g where y is positive, "
           "and 0 elsewhere.",
  .flags = TH_INPLACE_AT(batchnorm_grad_g), .check = check_grad,
};
