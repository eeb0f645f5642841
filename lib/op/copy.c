/* copy.c - what filling and copying are. */
#include <math.h>
#include "copy.args.h"
#include "../core/op_flags.h"
#include "op.h"

static th_status check_target(th_call *c)
{
  return th_out_like(c, copy_y, copy_args_of(c)->y);
}

/* One number for all: also elements that share a place may have it, so any view will do. */
static th_status check_one_number(th_call *c)
{
  (void)c;
  return TH_OK;
}

static th_status check_fill(th_call *c)
{
  const double v = fill_args_of(c)->value;
  if (c->dtype < TH_F16 && !(fabs(v) < 9223372036854775808.0)) {
    return th_fail(TH_EARG, "value must be a number of at most 64 bits for a %sTensor, got %g",
                   th_dtype_name(c->dtype), v);
  }
  return check_one_number(c);
}

const th_op th_op_fill = {
  .name  = "fill",
  .args  = fill_signature,
  .doc   = "Sets every element to value; whole-number types truncate it. y may be expanded."
           "\ntorch.Tensor(2):fill(5) --> {5, 5}",
  .check = check_fill,
};
const th_op th_op_zero = {
  .name  = "zero",
  .args  = zero_signature,
  .doc   = "Sets every element to 0."
           "\ntorch.Tensor{1, 2}:zero() --> {0, 0}",
  .check = check_one_number,
};

static th_status check_copy(th_call *c)
{
  const copy_args *args = copy_args_of(c);
  const th_tensor *y = args->y, *x = args->x;
  const int64_t to = th_tensor_numel(y), from = th_tensor_numel(x);
  if (to != from) {
    return th_fail(TH_ESHAPE, "x must have %lld elements as y has, got size %s for %s",
                   (long long)to, TH_SHAPE(x), TH_SHAPE(y));
  }
  if (y->ndim == x->ndim && y->ndim > 1 && th_notes_want(TH_NOTE_COPY)) {
    bool same = true;
    for (int d = 0; d < y->ndim; d++) same = same && y->size[d] == x->size[d];
    if (!same) {
      return th_fail(TH_ENOTE, "sizes %s and %s differ: the elements are copied in row-major order, "
                     "because their number is equal", TH_SHAPE(y), TH_SHAPE(x));
    }
  }
  c->dtype = y->dtype;
  c->device = y->device ? y->device : x->device;              /* a device copies to and from the CPU, not the reverse */
  return check_target(c);
}

const th_op th_op_copy = {
  .name  = "copy",
  .args  = copy_signature,
  .doc   = "Copies the elements of x, of any type and of a size with as many elements, in row-major order. "
           "Floats become whole numbers by truncation, and whole numbers wrap."
           "\ntorch.IntTensor(2):copy(torch.Tensor{1.7, -1.7}) --> {1, -1}",
  .flags = TH_INPLACE | TH_DEVICES | TH_EACH,
  .check = check_copy,
};
