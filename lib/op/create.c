/* create.c - tensors made from a few numbers. The result is a tensor of the wanted type. */
#include <math.h>
#include "create.args.h"
#include "op.h"

static th_status typed(th_call *c)
{
  const eye_args *a = eye_args_of(c);
  c->dtype = a->y->dtype;
  c->device = a->y->device;
  if (c->dtype != TH_NONE) return TH_OK;
  return th_fail(TH_EDTYPE, "the result must be a tensor of some type, got none");
}

static th_status need_finite(const th_call *c, int arg)
{
  const double v = c->arg[arg].d;
  if (isfinite(v)) return TH_OK;
  return th_fail(TH_EARG, "%s must be finite, got %g", th_arg_name(c, arg), v);
}

/* ---- eye ------------------------------------------------------------------------------------- */

static th_status ones_on_diagonal(th_call *c, int64_t n, int64_t m)
{
  const int64_t size[2] = { n, m };
  TH_TRY(typed(c));
  if (n < 1) return th_fail(TH_EARG, "n must be at least 1, got %lld", (long long)n);
  if (m < 1) return th_fail(TH_EARG, "m must be at least 1, got %lld", (long long)m);
  return th_out(c, eye_y, c->dtype, 2, size);
}

static th_status check_eye(th_call *c) { return ones_on_diagonal(c, eye_args_of(c)->n, eye_args_of(c)->n); }
static th_status check_eye_wide(th_call *c)
{
  const eye_wide_args *a = eye_wide_args_of(c);
  return ones_on_diagonal(c, a->n, a->m);
}

const th_op th_op_eye = {
  .name  = "eye",
  .args  = eye_signature,
  .doc   = "The n x n matrix with ones on the diagonal and zeros elsewhere."
           "\ntorch.eye(2) --> {{1, 0}, {0, 1}}",
  .check = check_eye,
};

const th_op th_op_eye_wide = {
  .name  = "eye",
  .args  = eye_wide_signature,
  .doc   = "The n x m matrix with ones on the diagonal and zeros elsewhere."
           "\ntorch.eye(2, 3) --> {{1, 0, 0}, {0, 1, 0}}",
  .check = check_eye_wide,
};

/* ---- sequences: a result of as many elements keeps its shape, and they go through it row by row ------- */

static th_status out_points(th_call *c, int64_t n)
{
  const th_tensor *y = points_args_of(c)->y;
  if (y->ndim > 0 && th_numel(y) == n) return th_out_like(c, points_y, y);
  return th_out(c, points_y, c->dtype, 1, &n);
}

/* ---- range ----------------------------------------------------------------------------------- */

static th_status check_range(th_call *c)
{
  const range_args *a = range_args_of(c);
  TH_TRY(typed(c));
  for (int i = range_first; i <= range_step; i++) {
    TH_TRY(need_finite(c, i));
    if (c->dtype < TH_F16) c->arg[i].d = trunc(c->arg[i].d);      /* Torch7 took long arguments there */
  }
  const double first = a->first, last = a->last, step = a->step;
  if (step == 0) return th_fail(TH_EARG, "step must not be 0");
  if (step > 0 ? last < first : last > first) {
    return th_fail(TH_EARG, "step must lead from first to last, got %g from %g to %g", step, first,
                   last);
  }
  const double steps = trunc((last - first) / step);
  if (!(steps < 9007199254740992.0)) {
    return th_fail(TH_EARG, "step must be larger: %g makes more than 2^53 elements from %g to %g",
                   step, first, last);
  }
  return out_points(c, (int64_t)steps + 1);
}

const th_op th_op_range = {
  .name  = "range",
  .args  = range_signature,
  .doc   = "The numbers first, first + step, ... up to last, or down to it with a negative step. A result of "
           "that many elements keeps its shape. Types of whole numbers cut the fractions of all three off."
           "\ntorch.range(1, 7, 2) --> {1, 3, 5, 7}",
  .check = check_range,
};

/* ---- linspace, logspace ---------------------------------------------------------------------- */

static th_status check_points(th_call *c)
{
  const linspace_args *a = linspace_args_of(c);
  const int64_t n = a->n;
  TH_TRY(typed(c));
  TH_TRY(th_need_float(c, linspace_y));
  for (int i = linspace_first; i <= linspace_last; i++) TH_TRY(need_finite(c, i));
  if (n < 1) return th_fail(TH_EARG, "n must be at least 1, got %lld", (long long)n);
  if (n == 1 && a->first != a->last) {
    return th_fail(TH_EARG, "n must be at least 2 when first and last differ, got 1");
  }
  return out_points(c, n);
}

const th_op th_op_linspace = {
  .name  = "linspace",
  .args  = linspace_signature,
  .doc   = "n numbers evenly spaced from first to last, both included. A result of n elements keeps its shape."
           "\ntorch.linspace(0, 1, 5) --> {0, 0.25, 0.5, 0.75, 1}",
  .check = check_points,
};

const th_op th_op_logspace = {
  .name  = "logspace",
  .args  = linspace_signature,
  .doc   = "n numbers from 10^first to 10^last, both included, whose logarithms are evenly spaced. A result of n "
           "elements keeps its shape."
           "\ntorch.logspace(0, 2, 3) --> {1, 10, 100}",
  .check = check_points,
};
