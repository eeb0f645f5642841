/* pool2d.c - maxima and means over windows of images, and their gradients. */
#include "pool2d.args.h"
#include "../core/bounds.h"
#include "op.h"

static th_status need_between(th_call *c, int arg, int64_t lo)
{
  const int64_t v = c->arg[arg].i;
  if (v >= lo && v <= INT32_MAX) return TH_OK;
  return th_fail(TH_EARG, "%s must lie in %lld..%d, got %lld", th_arg_name(c, arg), (long long)lo,
                 INT32_MAX, (long long)v);
}

/* Windows over the last two dimensions of argument x; the arguments pool_window begin at `first`.
 * dilation: where dilationH stands, or 0. The last window of `ceil` must start inside the image or its left padding. */
static th_status result_size(th_call *c, int x, int first, int dilation, bool up, int64_t *size)
{
  const th_tensor *t = c->arg[x].t;
  const pool_window_args *w = pool_window_args_at(c, first);
  TH_TRY(th_need_float(c, x));
  TH_TRY(th_need_ndim(c, x, 3, 4));
  for (int i = pool_window_kH; i <= pool_window_strideW; i++) TH_TRY(need_between(c, first + i, 1));
  for (int i = pool_window_padH; i <= pool_window_padW; i++) TH_TRY(need_between(c, first + i, 0));
  if (dilation) for (int i = 0; i < 2; i++) TH_TRY(need_between(c, dilation + i, 1));
  for (int d = 0; d < t->ndim; d++) size[d] = t->size[d];
  for (int i = 0; i < 2; i++) {
    const int d = t->ndim - 2 + i;
    const int side = first + pool_window_kH + i, border = first + pool_window_padH + i;
    const int64_t in = t->size[d], k = c->arg[side].i, pad = c->arg[border].i,
                  step = c->arg[first + pool_window_strideH + i].i;
    int64_t reach;
    if (pad > k / 2) {
      return th_fail(TH_EARG, "%s must be at most half of %s, %lld, got %lld",
                     th_arg_name(c, border), th_arg_name(c, side), (long long)k,
                     (long long)pad);
    }
    /* With `ceil` one window that sticks out may be larger than the image: it starts less than a step too late. */
    if (in < 1 || __builtin_mul_overflow(k - 1, dilation ? c->arg[dilation + i].i : 1, &reach) ||
        reach >= in + 2 * pad + (up ? step - 1 : 0)) {
      return th_fail(
        TH_ESHAPE,
        "%s of size %s, padded by %lldx%lld, must be at least as large as the window of %lldx%lld",
        th_arg_name(c, x), TH_SHAPE(t), (long long)w->padH, (long long)w->padW, (long long)w->kH, (long long)w->kW);
    }
    const int64_t room = in + 2 * pad - reach - 1;
    size[d] = (up ? room + step - 1 : room) / step + 1;
    if (up && (size[d] - 1) * step >= in + pad) size[d]--;
  }
  if (t->size[t->ndim - 2] > INT32_MAX / t->size[t->ndim - 1]) {
    return th_fail(TH_ESHAPE, "%s must have planes of fewer than 2^31 pixels, got size %s",
                   th_arg_name(c, x), TH_SHAPE(t));
  }
  return TH_OK;
}

static th_status need_size(th_call *c, int g, int ndim, const int64_t *size)
{
  const th_tensor *t = c->arg[g].t;
  if (t->ndim == ndim && memcmp(t->size, size, sizeof *size * (size_t)ndim) == 0) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have the size of the pooling's result, %s, got %s",
                 th_arg_name(c, g), th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, ndim, size),
                 TH_SHAPE(t));
}

static th_status check_max(th_call *c)
{
  const maxpool2d_args *a = maxpool2d_args_of(c);
  int64_t size[TH_MAXDIM];
  TH_TRY(result_size(c, maxpool2d_x, maxpool2d_kH, maxpool2d_dilationH, a->ceil != 0, size));
  TH_TRY(th_out(c, maxpool2d_y, c->dtype, a->x->ndim, size));
  return th_out(c, maxpool2d_index, TH_I64, a->x->ndim, size);
}

/* Is every place of a row in 0..pixels? 0 stands for a window without a pixel. */
typedef struct places { int64_t pixels; bool *bad; } places;

static void look(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  const places *t = ctx;
  bool bad = false;
  for (int64_t i = 0; i < n; i++)
    bad |= *(const uint64_t *)(const void *)(p[0] + i * step[0]) > (uint64_t)t->pixels;
  if (bad) __atomic_store_n(t->bad, true, __ATOMIC_RELAXED);
}

static th_status need_places(th_call *c, int arg, int64_t pixels)
{
  const th_bound b = { .arg = arg, .rule = TH_RULE_INDEX, .least = 0, .most = (double)pixels, .what = "index" };
  bool bad = false;
  th_status s;
  if (th_device_checks(c, &b, &s)) return s;
  TH_TRY(th_each(1, &c->arg[arg].t, look, &(places){ pixels, &bad }));
  return bad ? th_need_indices(c, arg, pixels, "index") : TH_OK;
}

/* Planes have `dims` dimensions. */
static th_status check_max_grad_of(th_call *c, int dims)
{
  const maxpool2d_grad_args *a = maxpool2d_grad_args_of(c);
  const th_tensor *x = a->x, *index = a->index;
  TH_TRY(th_need_float(c, maxpool2d_grad_x));
  TH_TRY(th_need_ndim(c, maxpool2d_grad_x, dims + 1, dims + 2));
  TH_TRY(th_need_dtype(c, maxpool2d_grad_index, TH_I64));
  TH_TRY(th_need_same_dtype(c, maxpool2d_grad_g, maxpool2d_grad_x));
  TH_TRY(th_need_same_shape(c, maxpool2d_grad_g, maxpool2d_grad_index));
  bool planes = index->ndim == x->ndim;
  for (int d = 0; planes && d < x->ndim - dims; d++) planes = index->size[d] == x->size[d];
  if (!planes) {
    return th_fail(TH_ESHAPE, "index must have the planes of x, got sizes %s and %s",
                   TH_SHAPE(index), TH_SHAPE(x));
  }
  int64_t pixels = 1;
  for (int d = x->ndim - dims; d < x->ndim; d++) pixels *= x->size[d];
  TH_TRY(need_places(c, maxpool2d_grad_index, pixels));
  return th_out_like(c, maxpool2d_grad_gx, x);
}

static th_status check_max_grad(th_call *c) { return check_max_grad_of(c, 2); }
static th_status check_max_grad3(th_call *c) { return check_max_grad_of(c, 3); }

static th_status check_pool(th_call *c)
{
  const pool2d_args *a = pool2d_args_of(c);
  int64_t size[TH_MAXDIM];
  if (strcmp(a->kind, "max") != 0 && strcmp(a->kind, "mean") != 0) {
    return th_fail(TH_EARG, "kind must be \"max\" or \"mean\", got \"%.20s\"", a->kind);
  }
  TH_TRY(result_size(c, pool2d_x, pool2d_kH, pool2d_dilationH, a->ceil != 0, size));
  if (*a->kind == 'm' && a->kind[1] == 'e' && (a->dilationH != 1 || a->dilationW != 1)) {
    return th_fail(TH_EARG, "dilationH and dilationW must be 1 for means, got %lld and %lld",
      (long long)a->dilationH,
                   (long long)a->dilationW);
  }
  return th_out(c, pool2d_y, c->dtype, a->x->ndim, size);
}

static th_status check_avg(th_call *c)
{
  const avgpool2d_args *a = avgpool2d_args_of(c);
  int64_t size[TH_MAXDIM];
  TH_TRY(result_size(c, avgpool2d_x, avgpool2d_kH, 0, a->ceil != 0, size));
  return th_out(c, avgpool2d_y, c->dtype, a->x->ndim, size);
}

static th_status check_avg_grad(th_call *c)
{
  const avgpool2d_grad_args *a = avgpool2d_grad_args_of(c);
  int64_t size[TH_MAXDIM];
  TH_TRY(result_size(c, avgpool2d_grad_x, avgpool2d_grad_kH, 0, a->ceil != 0, size));
  TH_TRY(th_need_same_dtype(c, avgpool2d_grad_g, avgpool2d_grad_x));
  TH_TRY(need_size(c, avgpool2d_grad_g, a->x->ndim, size));
  return th_out_like(c, avgpool2d_grad_gx, a->x);
}

const th_op th_op_maxpool2d = {
  .name  = "maxpool2d",
  .args  = maxpool2d_signature,
  .doc   = "The largest pixel of each window of N x C x H x W or C x H x W images; NaN counts as "
           "largest. index is its place in the plane, from 1 (the first among equals). ceil lets "
           "a window hang over the end."
           "\ntorch.maxpool2d(torch.range(1, 16):view(1, 4, 4), 2, 2, 2, 2) --> {{{6, 8}, {14, 16}}}, {{{6, 8}, {14, 16}}}",
  .grad  = "x: maxpool2d_grad(x, index, g)",
  .check = check_max,
};

const th_op th_op_pool2d = {
  .name  = "pool2d",
  .args  = pool2d_signature,
  .doc   = "The largest pixel (kind 'max') or the mean ('mean') of each window, as maxpool2d and "
           "avgpool2d give them. It gives no places of maxima and has no gradient. The ONNX "
           "executor uses it. A result of the right size keeps its strides."
           "\ntorch.pool2d(torch.range(1, 16):view(1, 4, 4), 'max', 2, 2, 2, 2)"
           " --> {{{6, 8}, {14, 16}}}",
  .check = check_pool,
};

const th_op th_op_maxpool2d_grad = {
  .name  = "maxpool2d_grad",
  .args  = maxpool2d_grad_signature,
  .doc   = "The gradient of maxpool2d: g is added where the maxima came from. x only tells the "
           "size."
           "\ny, at = torch.maxpool2d(torch.range(1, 4):view(1, 2, 2), 2, 2, 1, 1); "
           "torch.maxpool2d_grad(torch.Tensor(1, 2, 2), at, y) --> {{{0, 0}, {0, 4}}}",
  .check = check_max_grad,
};

const th_op th_op_maxpool3d_grad = {
  .name  = "maxpool3d_grad",
  .args  = maxpool2d_grad_signature,
  .doc   = "The gradient of maxima over windows: g is added where the maxima came from. Volumes "
           "are N x C x D x H x W or C x D x H x W. x only tells the size."
           "\ny, at = torch.fractionalmaxpool3d(torch.range(1, 8):view(1, 2, 2, 2), torch.zeros(1, 1, 3), 2, 2, 2, 1, 1, 1); "
           "torch.maxpool3d_grad(torch.Tensor(1, 2, 2, 2), at, y) --> {{{{0, 0}, {0, 0}}, {{0, 0}, {0, 8}}}}",
  .check = check_max_grad3,
};

const th_op th_op_avgpool2d = {
  .name  = "avgpool2d",
  .args  = avgpool2d_signature,
  .doc   = "The mean of each window of N x C x H x W or C x H x W images; countPad counts the "
           "padding's zeros."
           "\ntorch.avgpool2d(torch.range(1, 16):view(1, 4, 4), 2, 2, 2, 2) --> {{{3.5, 5.5}, {11.5, 13.5}}}",
  .grad  = "x: avgpool2d_grad(x, g, kH, kW, strideH, strideW, padH, padW, ceil, countPad)",
  .check = check_avg,
};

const th_op th_op_avgpool2d_grad = {
  .name  = "avgpool2d_grad",
  .args  = avgpool2d_grad_signature,
  .doc   = "The gradient of avgpool2d; x only tells the size."
           "\ntorch.avgpool2d_grad(torch.Tensor(1, 2, 2), torch.ones(1, 1, 1), 2, 2, 1, 1) --> {{{0.25, 0.25}, {0.25, 0.25}}}",
  .check = check_avg_grad,
};
