/* fractional_pool.c - maxima over windows whose places come from random samples.
 * Graham, "Fractional max-pooling" (2014). */
#include "fractional_pool.args.h"
#include "op.h"

/* Where these arguments begin: sides of the windows, then sizes of the result, outermost first. */
enum { SIDES = 4 };

/* Planes of `dims` dimensions in argument x, which has one or two dimensions before them. */
static th_status check(th_call *c, int dims)
{
  const fractional_pool_args *a = fractional_pool_args_of(c);
  const th_tensor *x = a->x, *samples = a->samples;
  TH_TRY(th_need_float(c, fractional_pool_x));
  TH_TRY(th_need_ndim(c, fractional_pool_x, dims + 1, dims + 2));
  TH_TRY(th_need_same_dtype(c, fractional_pool_samples, fractional_pool_x));
  const int64_t images = x->ndim == dims + 2 ? x->size[0] : 1;
  const int64_t want[3] = { images, x->size[x->ndim - dims - 1], dims };
  if (samples->ndim != 3 || memcmp(samples->size, want, sizeof want) != 0) {
    return th_fail(TH_ESHAPE,
                   "samples must have size %s, a number for each dimension of a plane, got %s",
                   th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, 3, want), TH_SHAPE(samples));
  }
  int64_t size[TH_MAXDIM], pixels = 1;
  memcpy(size, x->size, sizeof size);
  for (int i = 0; i < dims; i++) {
    const int d = x->ndim - dims + i, side = SIDES + i, out = SIDES + dims + i;
    const int64_t n = x->size[d], k = c->arg[side].i;
    if (k < 1 || k > n) {
      return th_fail(TH_EARG, "%s must lie in 1..%lld, the size of x, got %lld",
                     th_arg_name(c, side), (long long)n, (long long)k);
    }
    size[d] = c->arg[out].i;
    if (size[d] < 1 || size[d] > n - k + 1) {
      return th_fail(TH_EARG, "%s must lie in 1..%lld, got %lld", th_arg_name(c, out),
                     (long long)(n - k + 1), (long long)size[d]);
    }
    if (__builtin_mul_overflow(pixels, n, &pixels) || pixels > INT32_MAX) {
      return th_fail(TH_ESHAPE, "x must have planes of fewer than 2^31 pixels, got size %s",
                     TH_SHAPE(x));
    }
  }
  TH_TRY(th_out(c, fractional_pool_y, c->dtype, x->ndim, size));
  return th_out(c, fractional_pool_index, TH_I64, x->ndim, size);
}

static th_status check_images(th_call *c) { return check(c, 2); }
static th_status check_volumes(th_call *c) { return check(c, 3); }

#define PLACES \
  " The windows overlap or leave gaps. Along a dimension of n places, window i of m begins at " \
  "floor((i - 1 + s) a) - floor(s a). s is the sample, and a = (n - k) / (m - 1). The last one " \
  "ends where the dimension ends. samples holds a number of [0, 1) for each plane and " \
  "dimension, those of the last dimension first. index is the place in the plane, from 1 (the " \
  "first among equals; a NaN is the largest)."

const th_op th_op_fractionalmaxpool2d = {
  .name  = "fractionalmaxpool2d",
  .args  = fractionalmaxpool2d_signature,
  .doc   = "The largest pixel of each window of kH x kW. An image has outH x outW windows. Images "
           "are N x C x H x W or C x H x W." PLACES
           "\ntorch.fractionalmaxpool2d(torch.range(1, 9):view(1, 3, 3), "
           "torch.zeros(1, 1, 2), 2, 2, 2, 2) --> "
           "{{{5, 6}, {8, 9}}}, {{{5, 6}, {8, 9}}}",
  .grad  = "x: maxpool2d_grad(x, index, g)",
  .check = check_images,
};

const th_op th_op_fractionalmaxpool3d = {
  .name  = "fractionalmaxpool3d",
  .args  = fractionalmaxpool3d_signature,
  .doc   = "The largest element of each window of kD x kH x kW. Volumes are N x C x D x H x W or C "
           "x D x H x W." PLACES
           "\ntorch.fractionalmaxpool3d(torch.range(1, 8):view(1, 2, 2, 2), "
           "torch.zeros(1, 1, 3), 2, 2, 2, 1, 1, 1) --> "
           "{{{{8}}}}, {{{{8}}}}",
  .grad  = "x: maxpool3d_grad(x, index, g)",
  .check = check_volumes,
};
