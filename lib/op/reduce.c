/* lib/op/reduce.c - sums, products, means, variances, norms and distances.
 *
 * Along a dimension the result keeps that dimension with size 1, unless keepdim is false. Floats
 * are summed in double and integers in 64 bits; a sum along a dimension of an integer tensor then
 * wraps to the tensor's type, the sum of everything is a Lua number. Bits do not depend on the
 * number of threads. */
#include "reduce.args.h"
#include "reduce.h"

static th_status nonempty(th_call *c, int arg)
{
  const th_tensor *x = c->arg[arg].t;
  if (th_tensor_numel(x) > 0) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have at least one element, got size %s", th_arg_name(c, arg),
                 TH_SHAPE(x));
}

static th_status number(th_call *c, int arg)
{
  const double p = c->arg[arg].d;
  if (p == p && p > -INFINITY) return TH_OK;
  return th_fail(TH_EARG, "%s must be a number above -inf, got %g", th_arg_name(c, arg),
                 p != p ? (double)NAN : p);
}

/* ---- everything ---- */

static th_status any(th_call *c) { (void)c; return TH_OK; }

const th_op th_op_sum_all = {
  .name = "sum", .args = sum_all_signature,
  .doc = "Sum of all elements of x, as a number; 0 for an empty tensor."
         "\ntorch.sum(torch.Tensor{{1, 2}, {3, 4}}) --> 10",
  .grad = "x: g",
  .check = any,
};
const th_op th_op_prod_all = {
  .name = "prod", .args = prod_all_signature,
  .doc = "Product of all elements of x, as a number; 1 for an empty tensor."
         "\ntorch.prod(torch.Tensor{{1, 2}, {3, 4}}) --> 24",
  .check = any,
};

/* Torch7 has means of whole numbers on devices only. */
static th_status mean_all(th_call *c)
{
  if (c->device == TH_CPU) TH_TRY(th_need_float(c, mean_all_x));
  return nonempty(c, mean_all_x);
}
static th_status spread_all(th_call *c)
{
  TH_TRY(th_need_float(c, var_all_x));
  return nonempty(c, var_all_x);
}
const th_op th_op_mean_all = {
  .name = "mean", .args = mean_all_signature,
  .doc = "Mean of all elements of x, as a number. An empty tensor has none and is refused. CUDA "
         "tensors may hold whole numbers, whose means are cut off."
         "\ntorch.mean(torch.Tensor{{1, 2}, {3, 4}}) --> 2.5",
  .grad = "x: mean_all_grad(x, g)",
  .check = mean_all,
};
const th_op th_op_var_all = {
  .name = "var",
  .args = var_all_signature,
  .doc = "Variance of all elements of x, as a number: the mean square distance from the mean, over "
         "n-1, "
         "or over n if biased. NaN for one element, unless biased."
         "\ntorch.var(torch.Tensor{1, 2, 3}) --> 1",
  .check = spread_all,
};
const th_op th_op_std_all = {
  .name = "std", .args = std_all_signature,
  .doc = "Standard deviation of all elements of x, as a number: the root of `var`."
         "\ntorch.std(torch.Tensor{1, 2, 3}) --> 1",
  .check = spread_all,
};

static th_status norm_all(th_call *c)
{
  TH_TRY(th_need_float(c, norm_all_x));
  return number(c, norm_all_p);
}
const th_op th_op_norm_all = {
  .name = "norm",
  .args = norm_all_signature,
  .doc =
      "The p-norm of all elements of x, (sum |x|^p)^(1/p), as a number. p = 0 counts the elements "
      "that are not 0, p = inf gives the largest absolute value; an empty tensor has norm 0."
      "\ntorch.norm(torch.Tensor{3, 4}) --> 5",
  .check = norm_all,
};

static th_status dist(th_call *c)
{
  const dist_args *a = dist_args_of(c);
  const th_tensor *x = a->x, *y = a->y;
  TH_TRY(th_need_float(c, dist_x));
  TH_TRY(th_need_same_dtype(c, dist_y, dist_x));
  if (th_tensor_numel(x) != th_tensor_numel(y)) {
    return th_fail(TH_ESHAPE, "y must have as many elements as x, of size %s, got %s", TH_SHAPE(x),
                   TH_SHAPE(y));
  }
  return number(c, dist_p);
}
const th_op th_op_dist = {
  .name = "dist", .args = dist_signature,
  .doc = "The p-norm of x - y, as a number. x and y need as many elements, not the same size. "
         "p = 0 gives what Torch7 gives: infinity, or 1 for single elements."
         "\ntorch.dist(torch.Tensor{1, 2}, torch.Tensor{4, 6}) --> 5",
  .check = dist,
};

/* ---- along a dimension ---- */

static th_status along(th_call *c)
{
  const sum_args *a = sum_args_of(c);
  TH_TRY(th_need_dim(c, sum_dim, a->x));
  if ((a->x->dtype == TH_U8 || a->x->dtype == TH_I8) && th_notes_want(TH_NOTE_WRAP) && strcmp(c->op->name, "sum") == 0 &&
      th_line_size(a->x, (int)a->dim) > 127) {
    return th_fail(TH_ENOTE, "sums of a %sTensor along a dimension are a %sTensor, which wraps at %d: "
                   "convert it with long() first", th_dtype_name(a->x->dtype), th_dtype_name(a->x->dtype),
                   a->x->dtype == TH_U8 ? 256 : 128);
  }
  return th_reduced(c, sum_y, a->x, a->x->dtype, (int)a->dim, a->keepdim);
}
const th_op th_op_sum = {
  .name = "sum", .args = sum_signature,
  .doc = "Sums along dim. That dimension stays with size 1, unless keepdim is false."
         "\ntorch.sum(torch.Tensor{{1, 2}, {3, 4}}, 1) --> {{4, 6}}",
  .grad = "x: sum_grad(x, g, dim)", .check = along,
};
const th_op th_op_prod = {
  .name = "prod", .args = sum_signature,
  .doc = "Products along dim. That dimension stays with size 1, unless keepdim is false."
         "\ntorch.prod(torch.Tensor{{1, 2}, {3, 4}}, 2, false) --> {2, 12}",
  .grad = "x: prod_grad(x, g, dim)",
  .check = along,
};

static th_status mean(th_call *c)
{
  const sum_args *a = sum_args_of(c);
  if (c->device == TH_CPU) TH_TRY(th_need_float(c, sum_x));
  TH_TRY(th_need_dim(c, sum_dim, a->x));
  TH_TRY(th_need_line(c, sum_x, (int)a->dim));
  return th_reduced(c, sum_y, a->x, a->x->dtype, (int)a->dim, a->keepdim);
}
const th_op th_op_mean = {
  .name = "mean", .args = sum_signature,
  .doc = "Means along dim, which must not be empty. It stays with size 1, unless keepdim is false."
         "\ntorch.mean(torch.Tensor{{1, 2}, {3, 4}}, 1) --> {{2, 3}}",
  .grad = "x: mean_grad(x, g, dim)", .check = mean,
};

static th_status var(th_call *c)
{
  const var_args *a = var_args_of(c);
  TH_TRY(th_need_float(c, var_x));
  TH_TRY(th_need_dim(c, var_dim, a->x));
  TH_TRY(th_need_line(c, var_x, (int)a->dim));
  return th_reduced(c, var_y, a->x, a->x->dtype, (int)a->dim, a->keepdim);
}
const th_op th_op_var = {
  .name = "var",
  .args = var_signature,
  .doc = "Variances along dim: over n-1, or over n if biased. A dimension of size 1 gives NaN, "
         "unless biased."
         "\ntorch.var(torch.Tensor{{1, 2, 3}, {0, 0, 9}}, 2, false, false) --> {1, 27}",
  .grad = "x: var_grad(x, g, dim, biased)",
  .check = var,
};
const th_op th_op_std = {
  .name = "std", .args = var_signature,
  .doc = "Standard deviations along dim: the roots of `var`."
         "\ntorch.std(torch.Tensor{{1, 2, 3}, {0, 0, 9}}, 2, true, false) --> {0.8165, 4.2426}",
  .grad = "x: std_grad(x, y, g, dim, biased)",
  .check = var,
};

static th_status norm(th_call *c)
{
  const norm_args *a = norm_args_of(c);
  TH_TRY(th_need_float(c, norm_x));
  TH_TRY(number(c, norm_p));
  TH_TRY(th_need_dim(c, norm_dim, a->x));
  return th_reduced(c, norm_y, a->x, a->x->dtype, (int)a->dim, a->keepdim);
}
const th_op th_op_norm = {
  .name = "norm",
  .args = norm_signature,
  .doc = "p-norms along dim; p = 0 counts the elements that are not 0, p = inf gives the largest "
         "absolute value."
         "\ntorch.norm(torch.Tensor{{3, 4}, {6, 8}}, 2, 2) --> {{5}, {10}}",
  .grad = "x: norm_grad(x, y, g, dim, p)",
  .check = norm,
};

static th_status renorm(th_call *c)
{
  const renorm_args *a = renorm_args_of(c);
  TH_TRY(th_need_float(c, renorm_x));
  TH_TRY(th_need_ndim(c, renorm_x, 2, TH_MAXDIM));
  TH_TRY(number(c, renorm_p));
  if (a->p <= 0) return th_fail(TH_EARG, "p must be above 0, got %g", a->p);
  TH_TRY(th_need_dim(c, renorm_dim, a->x));
  if (!(a->maxnorm >= 0))
    return th_fail(TH_EARG, "maxnorm must be at least 0, got %g", a->maxnorm);
  return th_out_like(c, renorm_y, a->x);
}
const th_op th_op_renorm = {
  .name = "renorm",
  .args = renorm_signature,
  .doc = "Shrinks every slice along dim whose p-norm is above maxnorm by maxnorm / (norm + 1e-7), "
         "as Torch7 does; "
         "the others are copied."
         "\ntorch.renorm(torch.Tensor{{3, 4}, {0, 1}}, 2, 1, 1) --> {{0.6, 0.8}, {0, 1}}",
  .flags = TH_INPLACE,
  .check = renorm,
};

/* ---- gradients ---- */

static th_status spread(th_call *c)
{
  const sum_grad_args *a = sum_grad_args_of(c);
  const th_tensor *x = a->x;
  TH_TRY(th_need_same_dtype(c, sum_grad_g, sum_grad_x));
  TH_TRY(th_need_dim(c, sum_grad_dim, x));
  TH_TRY(th_need_reduced(c, sum_grad_g, x, (int)a->dim));
  return th_out_like(c, sum_grad_gx, x);
}
const th_op th_op_sum_grad = {
  .name = "sum_grad", .args = sum_grad_signature,
  .doc = "Gradient of `sum` along dim: g repeated along dim to the size of x."
         "\ntorch.sum_grad(torch.Tensor(2, 2), torch.Tensor{{5, 6}}, 1) --> {{5, 6}, {5, 6}}",
  .check = spread,
};
static th_status mean_spread(th_call *c)
{
  TH_TRY(th_need_float(c, sum_grad_x));
  return spread(c);
}
const th_op th_op_mean_grad = {
  .name = "mean_grad", .args = sum_grad_signature,
  .doc = "Gradient of `mean` along dim: g / n repeated along dim to the size of x."
         "\ntorch.mean_grad(torch.Tensor(2, 2), torch.Tensor{{5, 6}}, 1) --> {{2.5, 3}, {2.5, 3}}",
  .check = mean_spread,
};
