/* image_geometry.c - pictures in another size, and seen through a field of positions, a rotation or polar coordinates.
 * A picture is planes of rows x columns; all dimensions before the last two count planes. */
#include "image_geometry.args.h"
#include "op.h"
#include "image_geometry.h"

static th_status need_word(th_call *c, int arg, const char *const *words)
{
  char list[80] = "";
  for (int i = 0; words[i]; i++) {
    if (strcmp(c->arg[arg].s, words[i]) == 0) return TH_OK;
    if (i > 0) strcat(list, words[i + 1] ? ", " : " or ");
    strcat(list, words[i]);
  }
  return th_fail(TH_EARG, "%s must be %s, got %.40s", th_arg_name(c, arg), list, c->arg[arg].s);
}

/* A picture with pixels, whose sides and strides 32 bits hold, so that kernels may keep places in them. */
static th_status need_picture(th_call *c, int arg)
{
  const th_tensor *x = c->arg[arg].t;
  TH_TRY(th_need_ndim(c, arg, 2, TH_MAXDIM));
  const int64_t h = x->size[x->ndim - 2], w = x->size[x->ndim - 1];
  const int64_t sy = x->stride[x->ndim - 2], sx = x->stride[x->ndim - 1];
  if (h < 1 || w < 1) {
    return th_fail(TH_ESHAPE, "%s must have pixels, got size %s", th_arg_name(c, arg), TH_SHAPE(x));
  }
  if (h > IMAGE_SIDE || w > IMAGE_SIDE || (h - 1) * sy + (w - 1) * sx > INT32_MAX) {
    return th_fail(TH_ESHAPE, "%s must have planes of fewer than 2^31 pixels, at most %d a side, got size %s",
                   th_arg_name(c, arg), IMAGE_SIDE, TH_SHAPE(x));
  }
  return TH_OK;
}

static th_status need_side(th_call *c, int arg)
{
  if (c->arg[arg].i >= 1 && c->arg[arg].i <= IMAGE_SIDE) return TH_OK;
  return th_fail(TH_EARG, "%s must lie in 1..%d, got %lld", th_arg_name(c, arg), IMAGE_SIDE,
                 (long long)c->arg[arg].i);
}

/* Result 0: the planes of x with other sides. */
static th_status out_planes(th_call *c, const th_tensor *x, int64_t height, int64_t width)
{
  int64_t size[TH_MAXDIM];
  if (height * width > INT32_MAX) {
    return th_fail(TH_ESHAPE, "a result of %lld x %lld pixels is too large: a plane may have 2^31 - 1",
                   (long long)height, (long long)width);
  }
  memcpy(size, x->size, sizeof size);
  size[x->ndim - 2] = height;
  size[x->ndim - 1] = width;
  return th_out(c, image_scale_y, x->dtype, x->ndim, size);
}

static th_status check_scale(th_call *c)
{
  const image_scale_args *a = image_scale_args_of(c);
  TH_TRY(need_picture(c, image_scale_x));
  TH_TRY(need_side(c, image_scale_height));
  TH_TRY(need_side(c, image_scale_width));
  TH_TRY(need_word(c, image_scale_mode, (const char *const[]){ "bilinear", "bicubic", "simple", NULL }));
  return out_planes(c, a->x, a->height, a->width);
}
const th_op th_op_image_scale = {
  .name = "image_scale",
  .args = image_scale_signature,
  .doc  = "Pictures of height x width. bilinear: lines between pixels where a side grows, the mean of the pixels that "
          "a new one covers where it shrinks. bicubic: Catmull-Rom curves through four pixels. simple: the nearest pixel "
          "before. Results of whole numbers are rounded and limited to what the type holds."
          "\ntorch.image_scale(torch.Tensor{{0, 2}, {4, 6}}, 3, 3) --> {{0, 1, 2}, {2, 3, 4}, {4, 5, 6}}",
  .flags = TH_BY_CPU, .check = check_scale,
};

/* Positions may be of another type than the picture: a field of bytes cannot point to the left. */
static th_status check_warp(th_call *c)
{
  const image_warp_args *a = image_warp_args_of(c);
  const th_tensor *x = a->x, *field = a->field;
  TH_TRY(need_picture(c, image_warp_x));
  if (field->dtype != x->dtype && field->dtype != TH_F32 && field->dtype != TH_F64) {
    return th_fail(TH_EDTYPE, "field must be a torch.FloatTensor, a torch.DoubleTensor or have the type of x");
  }
  const int n = field->ndim;
  if (n < 3 || n > 4 || field->size[n - 3] != 2) {
    return th_fail(TH_ESHAPE, "field must have size 2 x rows x columns or pictures x 2 x rows x columns, got %s",
                   TH_SHAPE(field));
  }
  if (n == 4 && (x->ndim != 4 || x->size[0] != field->size[0])) {
    return th_fail(TH_ESHAPE, "a field of size %s needs as many pictures, got x of size %s", TH_SHAPE(field), TH_SHAPE(x));
  }
  TH_TRY(need_word(c, image_warp_mode, (const char *const[]){ "bilinear", "bicubic", "lanczos", "simple", NULL }));
  TH_TRY(need_word(c, image_warp_clamp, (const char *const[]){ "clamp", "pad", NULL }));
  return out_planes(c, x, field->size[n - 2], field->size[n - 1]);
}
const th_op th_op_image_warp = {
  .name = "image_warp",
  .args = image_warp_signature,
  .doc  = "Each pixel of the result is read from x at the position that field[1] (row) and "
          "field[2] (column) give. Positions count from 0, or from the pixel's own position if "
          "offset is true. Positions outside of x are moved to its edge (clamp), or give the "
          "number pad. A field of four dimensions has one for each picture of a batch."
          "\ntorch.image_warp(torch.Tensor{{1, 2, 3}}, torch.Tensor{{{0, 0}}, {{1.5, 0}}}, 'bilinear', false)"
          " --> {{2.5, 1}}",
  .flags = TH_BY_CPU, .check = check_warp,
};

static th_status check_affine(th_call *c)
{
  const th_tensor *x = image_affine_args_of(c)->x;
  TH_TRY(need_picture(c, image_affine_x));
  for (int i = image_affine_a; i <= image_affine_right; i++) {
    if (!(c->arg[i].d - c->arg[i].d == 0)) {
      return th_fail(TH_EARG, "%s must be finite, got %g", th_arg_name(c, i), c->arg[i].d);
    }
  }
  TH_TRY(need_word(c, image_affine_mode, (const char *const[]){ "bilinear", "bicubic", "lanczos", "simple", NULL }));
  TH_TRY(need_word(c, image_affine_clamp, (const char *const[]){ "clamp", "pad", NULL }));
  return out_planes(c, x, x->size[x->ndim - 2], x->size[x->ndim - 1]);
}
const th_op th_op_image_affine = {
  .name = "image_affine",
  .args = image_affine_signature,
  .doc  = "Each pixel of the result is read from x where the matrix {{a, b}, {c, d}} puts its row "
          "and column around the centre. Then that place is moved back by down and right. mode, "
          "clamp and pad are those of image_warp."
          "\ntorch.image_affine(torch.Tensor{{1, 2, 3}}, 1, 0, 0, 1, 0, 1) --> {{1, 1, 2}}",
  .flags = TH_BY_CPU, .check = check_affine,
};

static th_status check_rotate(th_call *c)
{
  const image_rotate_args *a = image_rotate_args_of(c);
  const th_tensor *x = a->x;
  TH_TRY(need_picture(c, image_rotate_x));
  TH_TRY(need_word(c, image_rotate_mode, (const char *const[]){ "simple", "bilinear", NULL }));
  if (!(a->angle - a->angle == 0)) return th_fail(TH_EARG, "angle must be finite, got %g", a->angle);
  return out_planes(c, x, x->size[x->ndim - 2], x->size[x->ndim - 1]);
}
const th_op th_op_image_rotate = {
  .name = "image_rotate",
  .args = image_rotate_signature,
  .doc  = "Pictures turned counterclockwise around their centre by an angle in radians. Pixels that lie outside of x are 0."
          "\ntorch.image_rotate(torch.Tensor{{1, 2}, {3, 4}}, math.pi) --> {{4, 3}, {2, 1}}",
  .flags = TH_BY_CPU, .check = check_rotate,
};

static th_status check_polar(th_call *c)
{
  const image_polar_args *a = image_polar_args_of(c);
  TH_TRY(need_picture(c, image_polar_x));
  TH_TRY(need_side(c, image_polar_height));
  TH_TRY(need_side(c, image_polar_width));
  TH_TRY(need_word(c, image_polar_mode, (const char *const[]){ "simple", "bilinear", NULL }));
  TH_TRY(need_word(c, image_polar_area, (const char *const[]){ "valid", "full", NULL }));
  return out_planes(c, a->x, a->height, a->width);
}
const th_op th_op_image_polar = {
  .name = "image_polar",
  .args = image_polar_signature,
  .doc  = "Pictures in polar coordinates: rows are angles, columns distances from the centre, or their logarithms. "
          "valid: up to the nearest edge. full: up to the corners; pixels outside of x are 0."
          "\ntorch.image_polar(torch.ones(3, 3), 2, 2) --> {{1, 1}, {1, 1}}",
  .flags = TH_BY_CPU, .check = check_polar,
};
