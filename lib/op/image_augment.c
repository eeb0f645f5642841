/* image_augment.c - a batch from parts of pictures: cut out, mirrored, with other colours, and normalised. */
#include "image_augment.args.h"
#include "op.h"
#include "image_augment.h"
#include "image_geometry.h"

/* A 3D tensor with the planes and the dtype of the first, whose sides 32 bits hold. */
static th_status need_picture(const th_tensor *x, const th_tensor *first, int64_t k)
{
  const long long at = (long long)k + 1;
  if (x->ndim != 3 || (x->size[0] != 1 && x->size[0] != 3) || x->size[1] < 1 || x->size[2] < 1
      || x->size[1] > IMAGE_SIDE || x->size[2] > IMAGE_SIDE) {
    return th_fail(TH_ESHAPE, "picture %lld must have size 1 or 3 x rows x columns, at most %d a side, got %s", at,
                   IMAGE_SIDE, TH_SHAPE(x));
  }
  if (x->size[0] != first->size[0]) {
    return th_fail(TH_ESHAPE, "picture %lld must have %lld plane(s) like the first, got %lld", at,
                   (long long)first->size[0], (long long)x->size[0]);
  }
  if (x->dtype != first->dtype) {
    return th_fail(TH_EDTYPE, "picture %lld must be a %sTensor like the first, got a %sTensor", at,
                   th_dtype_name(first->dtype), th_dtype_name(x->dtype));
  }
  return TH_OK;
}

/* A row of the plan holds finite numbers, and its places whole ones. */
static th_status need_row(const th_tensor *plan, int64_t k)
{
  const double *row = TH_DATA(double, plan) + k * plan->stride[0];
  for (int64_t j = 0; j < IMAGE_PLAN; j++) {
    const double v = row[j * plan->stride[1]];
    if (v - v != 0) return th_fail(TH_EARG, "plan[%lld][%lld] must be finite, got %g", (long long)k + 1, (long long)j + 1, v);
    if (j > IMAGE_LEFT) continue;
    if (v != (double)(int64_t)v || v > IMAGE_SIDE || v < -IMAGE_SIDE) {
      return th_fail(TH_EARG, "plan[%lld][%lld] must be a whole number of at most %d pixels, got %g", (long long)k + 1,
                     (long long)j + 1, IMAGE_SIDE, v);
    }
  }
  return TH_OK;
}

/* A DoubleTensor of a finite number for each plane. */
static th_status need_levels(th_call *c, int arg, int64_t planes)
{
  const th_tensor *t = c->arg[arg].t;
  if (!t) return TH_OK;
  TH_TRY(th_need_dtype(c, arg, TH_F64));
  if (t->ndim != 1 || t->size[0] != planes) {
    return th_fail(TH_ESHAPE, "%s must have a number for each of %lld plane(s), got size %s", th_arg_name(c, arg),
                   (long long)planes, TH_SHAPE(t));
  }
  for (int64_t k = 0; k < planes; k++) {
    const double v = TH_DATA(double, t)[k * t->stride[0]];
    if (v - v != 0 || (arg == image_augment_std && v <= 0)) {
      return th_fail(TH_EARG, "%s[%lld] must be finite%s, got %g", th_arg_name(c, arg), (long long)k + 1,
                     arg == image_augment_std ? " and above 0" : "", v);
    }
  }
  return TH_OK;
}

static th_status check(th_call *c)
{
  const image_augment_args *a = image_augment_args_of(c);
  const int64_t n = a->list->n, height = a->height, width = a->width;
  th_tensor *const *x = a->list->t;
  const th_tensor *plan = a->plan;
  if (n == 0) return th_fail(TH_EARG, "list must hold at least one picture");
  for (int64_t k = 0; k < n; k++) TH_TRY(need_picture(x[k], x[0], k));
  if (x[0]->dtype != TH_U8 && x[0]->dtype != TH_F32 && x[0]->dtype != TH_F64) {
    return th_fail(TH_EDTYPE, "pictures must be Byte, Float or Double tensors, got a %sTensor", th_dtype_name(x[0]->dtype));
  }
  TH_TRY(th_need_dtype(c, image_augment_plan, TH_F64));
  if (plan->ndim != 2 || plan->size[0] != n || plan->size[1] != IMAGE_PLAN) {
    return th_fail(TH_ESHAPE, "plan must have size %lldx%d, got %s", (long long)n, IMAGE_PLAN, TH_SHAPE(plan));
  }
  if (height < 1 || height > IMAGE_SIDE || width < 1 || width > IMAGE_SIDE || height * width > INT32_MAX) {
    return th_fail(TH_EARG, "height and width must lie in 1..%d and give fewer than 2^31 pixels, got %lld and %lld",
                   IMAGE_SIDE, (long long)height, (long long)width);
  }
  TH_TRY(need_levels(c, image_augment_mean, x[0]->size[0]));
  TH_TRY(need_levels(c, image_augment_std, x[0]->size[0]));
  for (int64_t k = 0; k < n; k++) TH_TRY(need_row(plan, k));
  c->dtype = x[0]->dtype;
  c->device = x[0]->device;
  const bool bytes = x[0]->dtype == TH_U8 && !a->mean && !a->std && !a->float_;
  const int dtype = bytes ? TH_U8 : x[0]->dtype == TH_F64 ? TH_F64 : TH_F32;
  return th_out(c, image_augment_y, dtype, 4, (const int64_t[]){ n, x[0]->size[0], height, width });
}

const th_op th_op_image_augment = {
  .name  = "image_augment",
  .args  = image_augment_signature,
  .doc   = "A batch of height x width pixels from each of the pictures in a table, which have 1 or 3 planes and any sides. "
           "Row k of plan, a DoubleTensor, says what becomes of picture k. It has the row and the "
           "column, from 0, of the part that is cut out, and whether it is mirrored (0: no). Then "
           "it has the factors of brightness, contrast and saturation. What lies outside of a "
           "picture is 0. Contrast moves colours away from the mean brightness of the part, "
           "saturation away from the pixel's brightness. Bytes give bytes, rounded and limited, "
           "or, with mean, std or float, fractions of 255 less mean, divided by std."
           "\nplan = torch.Tensor{{0, 1, 1, 2, 1, 1}}; "
           "torch.image_augment({torch.ByteTensor{{{1, 2, 3}}}}, plan, 1, 2):view(2) --> {6, 4}",
  .check = check,
};
