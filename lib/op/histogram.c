/* histogram.c - how many elements fall into each of a number of equal bins. */
#include <math.h>
#include "histogram.args.h"
#include "op.h"

static th_status need_bins(th_call *c)
{
  const histc_args *a = histc_args_of(c);
  const int64_t bins = a->bins;
  const double least = a->min, most = a->max;
  TH_TRY(th_need_float(c, histc_x));
  if (bins < 1) return th_fail(TH_EARG, "bins must be at least 1, got %lld", (long long)bins);
  if (!isfinite(least) || !isfinite(most)) {
    return th_fail(TH_EARG, "min and max must be finite, got %g and %g", least, most);
  }
  if (least > most) {
    return th_fail(TH_EARG, "min must not be greater than max, got %g and %g", least, most);
  }
  return TH_OK;
}

static th_status check_histc(th_call *c)
{
  const histc_args *a = histc_args_of(c);
  TH_TRY(need_bins(c));
  return th_out(c, histc_y, a->x->dtype, 1, &a->bins);
}

const th_op th_op_histc = {
  .name  = "histc",
  .args  = histc_signature,
  .doc   = "Counts the elements of x in bins of equal width from min to max, max included. When "
           "min equals max, the range is that of the finite elements. What lies outside is not "
           "counted."
           "\ntorch.histc(torch.Tensor{1, 2, 2, 5}, 4, 1, 5) --> {1, 2, 0, 1}",
  .check = check_histc,
};

static th_status check_bhistc(th_call *c)
{
  const histc_args *a = histc_args_of(c);
  const th_tensor *x = a->x;
  TH_TRY(th_need_ndim(c, histc_x, 1, 2));
  TH_TRY(need_bins(c));
  const int64_t size[2] = { x->ndim == 2 ? x->size[0] : 1, a->bins };
  return th_out(c, histc_y, x->dtype, 2, size);
}

const th_op th_op_bhistc = {
  .name  = "bhistc",
  .args  = histc_signature,
  .doc   = "Counts the elements of each row of x as histc does: a row of the result for each row "
           "of x. When min equals max, the range is that of the finite elements of all rows."
           "\ntorch.bhistc(torch.Tensor{{1, 2, 2, 5}}, 4, 1, 5) --> {{1, 2, 0, 1}}",
  .check = check_bhistc,
};
