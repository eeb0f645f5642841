/* conv2d.c - convolution (in fact correlation) of images and its gradients. */
#include "conv2d.args.h"
#include "op.h"

/* The arguments conv_geometry begin at `first`. */
static th_status need_geometry(th_call *c, int first)
{
  for (int i = conv_geometry_strideH; i <= conv_geometry_groups; i++) {
    const int64_t v = c->arg[first + i].i, least = i == conv_geometry_padH || i == conv_geometry_padW ? 0 : 1;
    if (v < least || v > INT32_MAX) {
      return th_fail(TH_EARG, "%s must lie in %lld..%d, got %lld", th_arg_name(c, first + i),
                     (long long)least, INT32_MAX, (long long)v);
    }
  }
  return TH_OK;
}

/* x (N x C x H x W or C x H x W) and weight fit together; gives the size of the result. */
static th_status result_size(th_call *c, int x, int w, const int64_t *weight, int first, int *ndim,
                             int64_t *size)
{
  const th_tensor *t = c->arg[x].t;
  const conv_geometry_args *a = conv_geometry_args_at(c, first);
  const int64_t groups = a->groups, stride[] = { a->strideH, a->strideW }, border[] = { a->padH, a->padW };
  const int64_t dilation[] = { a->dilationH, a->dilationW };
  const int f = t->ndim - 3;                        /* the dimension of the planes */
  const int64_t planes = t->size[f];
  if (weight[0] % groups != 0 || planes % groups != 0 || planes / groups != weight[1]) {
    return th_fail(
      TH_ESHAPE, "%s must have %lld planes in %lld group%s for %s of size %s, got size %s",
      th_arg_name(c, x), (long long)(weight[1] * groups), (long long)groups, groups == 1 ? "" : "s",
      th_arg_name(c, w), th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, 4, weight), TH_SHAPE(t));
  }
  for (int i = 0; i < 2; i++) {
    const int64_t in = t->size[f + 1 + i], pad = border[i], kernel = weight[2 + i];
    int64_t reach;
    if (kernel < 1 ||
        __builtin_mul_overflow(kernel - 1, dilation[i], &reach) ||
        reach >= in + 2 * pad) {
      return th_fail(
        TH_ESHAPE,
        "%s of size %s, padded by %lldx%lld, must be at least as large as the kernel of %s, %s",
        th_arg_name(c, x), TH_SHAPE(t), (long long)a->padH,
        (long long)a->padW, th_arg_name(c, w),
        th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, 4, weight));
    }
    size[f + 1 + i] = (in + 2 * pad - reach - 1) / stride[i] + 1;
  }
  int64_t padded;
  if (__builtin_mul_overflow(t->size[f + 1] + 2 * a->padH,
                             t->size[f + 2] + 2 * a->padW, &padded) ||
      __builtin_mul_overflow(padded, (planes + 64) * (int64_t)sizeof(double), &padded)) {
    return th_fail(TH_ESHAPE,
                   "%s of size %s, padded by %lldx%lld, would have more pixels than can be counted",
                   th_arg_name(c, x), TH_SHAPE(t), (long long)a->padH,
                   (long long)a->padW);
  }
  if (f) size[0] = t->size[0];
  size[f] = weight[0];
  *ndim = t->ndim;
  return TH_OK;
}

static th_status need_gradient(th_call *c, int g, int ndim, const int64_t *size)
{
  const th_tensor *t = c->arg[g].t;
  if (t->ndim == ndim && memcmp(t->size, size, sizeof *size * (size_t)ndim) == 0) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have the size of the convolution's result, %s, got %s",
                 th_arg_name(c, g), th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, ndim, size),
                 TH_SHAPE(t));
}

/* A bias, or its gradient: one number a plane. */
static th_status need_bias(th_call *c, int b, int x, int64_t planes)
{
  const th_tensor *t = c->arg[b].t;
  if (!t) return TH_OK;
  TH_TRY(th_need_same_dtype(c, b, x));
  if (t->ndim == 1 && t->size[0] == planes) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have %lld elements, got size %s", th_arg_name(c, b),
                 (long long)planes, TH_SHAPE(t));
}

static th_status need_operands(th_call *c, int x, int w)
{
  TH_TRY(th_need_float(c, x));
  TH_TRY(th_need_same_dtype(c, w, x));
  TH_TRY(th_need_ndim(c, x, 3, 4));
  return th_need_ndim(c, w, 4, 4);
}

/* Checks the arguments of conv2d; gives the size of the result. */
static th_status need_convolution(th_call *c, int *ndim, int64_t *size)
{
  const conv2d_args *a = conv2d_args_of(c);
  TH_TRY(need_operands(c, conv2d_x, conv2d_weight));
  TH_TRY(need_geometry(c, conv2d_strideH));
  TH_TRY(result_size(c, conv2d_x, conv2d_weight, a->weight->size, conv2d_strideH, ndim, size));
  TH_TRY(need_bias(c, conv2d_bias, conv2d_x, a->weight->size[0]));
  return th_out(c, conv2d_y, c->dtype, *ndim, size);
}

static th_status check(th_call *c)
{
  int ndim;
  int64_t size[4];
  return need_convolution(c, &ndim, size);
}

static th_status check_fused(th_call *c)
{
  static const char *const acts[] = { "none", "relu", "clip", "gelu" };
  const conv2d_fused_args *a = conv2d_fused_args_of(c);
  int ndim;
  int64_t size[4];
  TH_TRY(need_convolution(c, &ndim, size));
  bool known = false;
  for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) known = known ||
    strcmp(a->act, acts[i]) == 0;
  if (!known) {
    return th_fail(TH_EARG, "act must be \"none\", \"relu\", \"clip\" or \"gelu\", got \"%.20s\"",
      a->act);
  }
  if (strcmp(a->act, "clip") == 0 && !(a->low <= a->high)) {
    return th_fail(TH_EARG, "low must be at most high, got %g and %g", a->low, a->high);
  }
  if (!a->add) return TH_OK;
  TH_TRY(th_need_same_dtype(c, conv2d_fused_add, conv2d_fused_x));
  return need_gradient(c, conv2d_fused_add, ndim, size);
}

static th_status check_grad_input(th_call *c)
{
  const conv2d_grad_input_args *a = conv2d_grad_input_args_of(c);
  int ndim;
  int64_t size[4];
  TH_TRY(need_operands(c, conv2d_grad_input_x, conv2d_grad_input_weight));
  TH_TRY(th_need_same_dtype(c, conv2d_grad_input_g, conv2d_grad_input_x));
  TH_TRY(need_geometry(c, conv2d_grad_input_strideH));
  TH_TRY(result_size(c, conv2d_grad_input_x, conv2d_grad_input_weight, a->weight->size, conv2d_grad_input_strideH, &ndim, size));
  TH_TRY(need_gradient(c, conv2d_grad_input_g, ndim, size));
  return th_out_like(c, conv2d_grad_input_gx, a->x);
}

static th_status check_grad_weight(th_call *c)
{
  const conv2d_grad_weight_args *a = conv2d_grad_weight_args_of(c);
  int ndim;
  int64_t size[4];
  TH_TRY(need_operands(c, conv2d_grad_weight_x, conv2d_grad_weight_gw));
  TH_TRY(th_need_same_dtype(c, conv2d_grad_weight_g, conv2d_grad_weight_x));
  TH_TRY(need_geometry(c, conv2d_grad_weight_strideH));
  TH_TRY(result_size(c, conv2d_grad_weight_x, conv2d_grad_weight_gw, a->gw->size, conv2d_grad_weight_strideH, &ndim, size));
  TH_TRY(need_gradient(c, conv2d_grad_weight_g, ndim, size));
  TH_TRY(need_bias(c, conv2d_grad_weight_gb, conv2d_grad_weight_x, a->gw->size[0]));
  TH_TRY(th_out(c, conv2d_grad_weight_gw, c->dtype, 4, a->gw->size));
  return a->gb ? th_out(c, conv2d_grad_weight_gb, c->dtype, 1, a->gb->size) : TH_OK;
}

const th_op th_op_conv2d = {
  .name  = "conv2d",
  .args  = conv2d_signature,
  .doc   = "Images correlated with kernels. x is N x C x H x W or C x H x W, weight outPlanes x "
           "C/groups x kH x kW. Zeros are padded on both sides; dilation spreads the kernel's "
           "taps; stride thins the result."
           "\ntorch.conv2d(torch.ones(1, 3, 3), torch.ones(1, 1, 2, 2), torch.Tensor{0.5}) --> {{{4.5, 4.5}, {4.5, 4.5}}}",
  .grad  = "x: conv2d_grad_input(x, g, weight, strideH, strideW, padH, padW, dilationH, "
           "dilationW, groups)",
  .check = check,
};

const th_op th_op_conv2d_fused = {
  .name  = "conv2d_fused",
  .args  = conv2d_fused_signature,
  .doc   = "act(conv2d(x, weight, bias, ...) + add), in one step: act is 'none', 'relu', 'clip' "
           "(to low..high) or 'gelu'. The ONNX executor uses it; it has no gradient. "
           "A result of the right size keeps its strides. Channels side by side, those of a "
           "permuted N x H x W x C tensor, are the fastest."
           "\ntorch.conv2d_fused(torch.Tensor{{{-1, 2}}}, torch.ones(1, 1, 1, 1), nil, "
           "1, 1, 0, 0, 1, 1, 1, nil, 'relu') --> {{{0, 2}}}",
  .flags = TH_INPLACE_AT(conv2d_fused_add),
  .check = check_fused,
};

const th_op th_op_conv2d_grad_input = {
  .name  = "conv2d_grad_input",
  .args  = conv2d_grad_input_signature,
  .doc   = "The gradient of conv2d by its images: g is that of the result, x only tells the size."
           "\ntorch.conv2d_grad_input(torch.Tensor(1, 2, 2), torch.ones(1, 1, 1), torch.ones(1, 1, 2, 2))"
           " --> {{{1, 1}, {1, 1}}}",
  .check = check_grad_input,
};

const th_op th_op_conv2d_grad_weight = {
  .name  = "conv2d_grad_weight",
  .args  = conv2d_grad_weight_signature,
  .doc   = "Adds scale times the gradient of conv2d by its kernels to gw and, if given, by its "
           "bias to gb."
           "\ntorch.conv2d_grad_weight(torch.zeros(1, 1, 1, 1), torch.range(1, 4):view(1, 2, 2), torch.ones(1, 2, 2))"
           " --> {{{{10}}}}",
  .check = check_grad_weight,
};
