/* image_color.c - pictures in another colour space, and as brightness. */
#include "image_color.args.h"
#include "op.h"
#include "image_color.h"

static th_status need_planes(th_call *c, int64_t most)
{
  const th_tensor *x = image_color_args_of(c)->x;
  TH_TRY(th_need_ndim(c, image_color_x, 3, TH_MAXDIM));
  const int64_t planes = x->size[x->ndim - 3];
  if (planes < 3 || planes > most) {
    return th_fail(TH_ESHAPE, "x must be pictures of 3 planes x rows x columns, got size %s", TH_SHAPE(x));
  }
  return TH_OK;
}

static th_status check_color(th_call *c)
{
  const image_color_args *a = image_color_args_of(c);
  const image_color to = image_color_of(a->change);
  TH_TRY(need_planes(c, 3));
  if (to == IMAGE_COLORS) return th_fail(TH_EARG, "no change of colours is called '%.40s'", a->change);
  if (image_color_is_signed(to)) TH_TRY(th_need_float(c, image_color_x));
  return th_out_like(c, image_color_y, a->x);
}

const th_op th_op_image_color = {
  .name  = "image_color",
  .args  = image_color_signature,
  .doc   = "Pictures of 3 planes x rows x columns in another colour space. change is rgb2hsl, rgb2hsv, rgb2nrgb, rgb2yuv or "
           "rgb2lab, or one of the first two, yuv or lab the other way round, such as hsl2rgb. Fractions lie in 0..1, "
           "whole numbers in 0..255; yuv and lab take fractions only."
           "\ntorch.image_color(torch.Tensor{1, 0, 0}:view(3, 1, 1), 'rgb2hsv'):view(3) --> {0, 1, 1}",
  .flags = TH_INPLACE | TH_BY_CPU, .check = check_color,
};

static th_status check_luma(th_call *c)
{
  const th_tensor *x = image_luma_args_of(c)->x;
  int64_t size[TH_MAXDIM];
  TH_TRY(need_planes(c, INT64_MAX));
  memcpy(size, x->size, sizeof size);
  size[x->ndim - 3] = 1;
  return th_out(c, image_luma_y, x->dtype, x->ndim, size);
}

const th_op th_op_image_luma = {
  .name  = "image_luma",
  .args  = image_luma_signature,
  .doc   = "The brightness of pictures whose first 3 planes are red, green and blue: 0.299 r + 0.587 g + 0.114 b, one plane."
           "\ntorch.image_luma(torch.Tensor{1, 0, 0}:view(3, 1, 1)):view(1) --> {0.299}",
  .flags = TH_BY_CPU, .check = check_luma,
};
