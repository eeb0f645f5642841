/* lib/op/reduce_grad.c - gradients of products, variances and norms along one dimension. */
#include "reduce_grad.args.h"
#include "reduce.h"

/* Results along dim of x, with that dimension at size 1 or without it. */
static th_status need_reduced(th_call *c, int arg, const th_tensor *x, int dim)
{
  const th_tensor *t = c->arg[arg].t;
  const int lost = x->ndim - t->ndim;
  bool fits = lost == 0 || lost == 1;
  for (int d = 0; d < x->ndim && fits; d++) {
    if (d == dim) fits = lost == 1 || t->size[d] == 1;
    else fits = t->size[d - (lost && d > dim)] == x->size[d];
  }
  if (fits) return th_need_same_dtype(c, arg, prod_grad_x);
  return th_fail(TH_ESHAPE,
                 "%s must have the size of x, %s, without dimension %d or with 1 there, got %s",
                 th_arg_name(c, arg), TH_SHAPE(x), dim + 1, TH_SHAPE(t));
}

/* In all four ops gx and x come first; the arguments between them and `dim` are results of the op, and g. */
static th_status check(th_call *c, int dim)
{
  const th_tensor *x = prod_grad_args_of(c)->x;
  TH_TRY(th_need_float(c, prod_grad_x));
  TH_TRY(th_need_dim(c, dim, x));
  for (int i = prod_grad_x + 1; i < dim; i++) TH_TRY(need_reduced(c, i, x, (int)c->arg[dim].i));
  return th_out_like(c, prod_grad_gx, x);
}

static th_status one(th_call *c) { return check(c, prod_grad_dim); }
static th_status two(th_call *c) { return check(c, std_grad_dim); }

const th_op th_op_prod_grad = {
  .name = "prod_grad",
  .args = prod_grad_signature,
  .doc = "Gradient of `prod` along dim: g times the product of the others, right at zeros too.",
  .check = one,
};
const th_op th_op_var_grad = {
  .name = "var_grad",
  .args = var_grad_signature,
  .doc = "Gradient of `var` along dim: 2 g (x - mean) / (n-1), or / n if biased.",
  .check = one,
};
const th_op th_op_std_grad = {
  .name = "std_grad",
  .args = std_grad_signature,
  .doc = "Gradient of `std` along dim, y being its result; 0 where the deviation is 0.",
  .check = two,
};
const th_op th_op_norm_grad = {
  .name = "norm_grad",
  .args = norm_grad_signature,
  .doc = "Gradient of `norm` along dim, y being its result: g sign(x) (|x| / y)^(p-1). "
         "0 where the norm is 0; for p = inf the largest elements share g.",
  .check = two,
};

static th_status mean_all(th_call *c)
{
  TH_TRY(th_need_float(c, mean_all_grad_x));
  return th_out_like(c, mean_all_grad_gx, mean_all_grad_args_of(c)->x);
}
const th_op th_op_mean_all_grad = {
  .name = "mean_all_grad",
  .args = mean_all_grad_signature,
  .doc = "Gradient of `mean` of everything: g / n in the size of x.",
  .check = mean_all,
};
