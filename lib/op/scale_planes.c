/* scale_planes.c - a factor and an addend for each plane, then an activation: batch normalization
 * with known statistics. */
#include "scale_planes.args.h"
#include "op.h"

static th_status need_numbers(th_call *c, int arg, int64_t planes)
{
  const th_tensor *t = c->arg[arg].t;
  TH_TRY(th_need_same_dtype(c, arg, scale_planes_x));
  if (t->ndim == 1 && t->size[0] == planes) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have %lld elements, one for each plane of x, got size %s",
    th_arg_name(c, arg),
                 (long long)planes, TH_SHAPE(t));
}

static th_status check(th_call *c)
{
  const scale_planes_args *a = scale_planes_args_of(c);
  TH_TRY(th_need_float(c, scale_planes_x));
  TH_TRY(th_need_ndim(c, scale_planes_x, 2, TH_MAXDIM));
  TH_TRY(need_numbers(c, scale_planes_scale, a->x->size[1]));
  TH_TRY(need_numbers(c, scale_planes_shift, a->x->size[1]));
  const bool clip = strcmp(a->act, "clip") == 0;
  if (!clip && strcmp(a->act, "none") != 0 && strcmp(a->act, "relu") != 0) {
    return th_fail(TH_EARG, "act must be \"none\", \"relu\" or \"clip\", got \"%.20s\"", a->act);
  }
  if (clip && !(a->low <= a->high)) {
    return th_fail(TH_EARG, "low must be at most high, got %g and %g", a->low, a->high);
  }
  return th_out_like(c, scale_planes_y, a->x);
}

const th_op th_op_scale_planes = {
  .name  = "scale_planes",
  .args  = scale_planes_signature,
  .doc   = "act(x * scale + shift): x is N x C x ..., and scale and shift have a number for "
           "each of the C planes. act is 'none', 'relu' or 'clip' (to low..high). The ONNX "
           "executor uses it for batch normalization; it has no gradient."
           "\ntorch.scale_planes(torch.ones(1, 2, 1), torch.Tensor{2, 3}, torch.Tensor{1, -4}, "
           "'relu') --> {{{3}, {0}}}",
  .flags = TH_INPLACE_AT(scale_planes_x),
  .check = check,
};
