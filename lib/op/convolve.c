/* convolve.c - Torch's plain convolutions and correlations in two and three dimensions. */
#include "convolve.args.h"
#include "op.h"

/* x: places, or planes of them; k: places; planes, one for each of x; or planes x planes of x. */
static th_status check_places(th_call *c, int places)
{
  const convolve_args *a = convolve_args_of(c);
  const th_tensor *x = a->x, *k = a->k;
  const char *type = a->type;
  const bool full = strcmp(type, "F") == 0;
  if (!full && strcmp(type, "V") != 0) {
    return th_fail(TH_EARG, "type must be \"V\" (valid) or \"F\" (full), got \"%.20s\"", type);
  }
  TH_TRY(th_need_same_dtype(c, convolve_k, convolve_x));
  TH_TRY(th_need_ndim(c, convolve_x, places, places + 1));
  TH_TRY(th_need_ndim(c, convolve_k, x->ndim, x->ndim == places ? places : x->ndim + 1));
  const int planes = x->ndim - places;              /* 0 or 1 */
  if (planes && k->size[k->ndim - places - 1] != x->size[0]) {
    return th_fail(TH_ESHAPE, "k must have %lld planes like x, got sizes %s and %s",
                   (long long)x->size[0], TH_SHAPE(k), TH_SHAPE(x));
  }
  int64_t size[4];
  if (planes) size[0] = k->size[0];
  for (int d = 0; d < places; d++) {
    const int64_t n = x->size[planes + d], m = k->size[k->ndim - places + d];
    if (n < 1 || m < 1 || (!full && m > n)) {
      return th_fail(TH_ESHAPE, "k must %s, got sizes %s and %s",
                     full ? "have elements as x must" : "be no larger than x", TH_SHAPE(k),
                     TH_SHAPE(x));
    }
    size[planes + d] = full ? n + m - 1 : n - m + 1;
  }
  return th_out(c, convolve_y, c->dtype, x->ndim, size);
}

static th_status check2(th_call *c) { return check_places(c, 2); }
static th_status check3(th_call *c) { return check_places(c, 3); }

#define FORMS " \"V\" (valid) keeps what needs no padding, \"F\" (full) all that is touched. x may have planes: then k has " \
              "one for each, or result planes x planes of x, and these are summed."

const th_op th_op_conv2 = {
  .name = "conv2", .args = convolve_signature,
  .doc = "x convolved with k in two dimensions." FORMS
  "\ntorch.conv2(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {0, 0}}) --> {{4}}",
  .check = check2,
};
const th_op th_op_xcorr2 = {
  .name = "xcorr2", .args = convolve_signature,
  .doc = "x correlated with k in two dimensions: k is not flipped." FORMS
  "\ntorch.xcorr2(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {0, 0}}) --> {{1}}",
  .check = check2,
};
const th_op th_op_conv3 = {
  .name = "conv3", .args = convolve_signature,
  .doc = "x convolved with k in three dimensions." FORMS
  "\ntorch.conv3(torch.ones(3, 4, 5), torch.ones(2, 2, 2)):size() --> {2, 3, 4}",
  .check = check3,
};
const th_op th_op_xcorr3 = {
  .name = "xcorr3", .args = convolve_signature,
  .doc = "x correlated with k in three dimensions: k is not flipped." FORMS
  "\ntorch.xcorr3(torch.ones(3, 4, 5), torch.ones(2, 2, 2), 'F'):size() --> {4, 5, 6}",
  .check = check3,
};
