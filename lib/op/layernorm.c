/* layernorm.c - normalisation of the rows of the last dimension, and its gradients. */
#include "layernorm.args.h"
#include "op.h"

/* `arg`, where it is given, must be a vector with `n` elements of the type of argument x. */
static th_status need_vector(th_call *c, int arg, int x, int64_t n, bool changes)
{
  const th_tensor *t = c->arg[arg].t;
  if (!t) return TH_OK;
  TH_TRY(th_need_same_dtype(c, arg, x));
  if (t->ndim != 1 || t->size[0] != n) {
    return th_fail(TH_ESHAPE, "%s must have %lld elements, got size %s", th_arg_name(c, arg), (long long)n, TH_SHAPE(t));
  }
  if (changes && n > 1 && t->stride[0] == 0) {
    return th_fail(TH_ESHAPE, "%s is expanded: several elements share one place; clone it first", th_arg_name(c, arg));
  }
  return TH_OK;
}

/* The length of a row of argument x, and how many there are. */
static th_status need_rows(th_call *c, int x, int64_t *n, int64_t *rows)
{
  const th_tensor *t = c->arg[x].t;
  TH_TRY(th_need_float(c, x));
  TH_TRY(th_need_ndim(c, x, 2, TH_MAXDIM));
  *n = t->size[t->ndim - 1];
  *rows = 1;
  for (int d = 0; d < t->ndim - 1; d++) *rows *= t->size[d];
  c->dtype = t->dtype;
  return TH_OK;
}

static th_status check(th_call *c)
{
  int64_t n, rows;
  TH_TRY(need_rows(c, layernorm_x, &n, &rows));
  TH_TRY(need_vector(c, layernorm_weight, layernorm_x, n, false));
  TH_TRY(need_vector(c, layernorm_bias, layernorm_x, n, false));
  TH_TRY(th_out_like(c, layernorm_y, layernorm_args_of(c)->x));
  TH_TRY(th_out(c, layernorm_mean, c->dtype, 1, &rows));
  return th_out(c, layernorm_invstd, c->dtype, 1, &rows);
}

/* The arguments x, g, mean and invstd of a gradient. */
static th_status need_pass(th_call *c, int x, int g, int mean, int invstd, int64_t *n)
{
  int64_t rows;
  TH_TRY(need_rows(c, x, n, &rows));
  TH_TRY(th_need_same_dtype(c, g, x));
  TH_TRY(th_need_same_shape(c, g, x));
  TH_TRY(need_vector(c, mean, x, rows, false));
  return need_vector(c, invstd, x, rows, false);
}

static th_status check_grad(th_call *c)
{
  int64_t n;
  TH_TRY(need_pass(c, layernorm_grad_x, layernorm_grad_g, layernorm_grad_mean, layernorm_grad_invstd, &n));
  TH_TRY(need_vector(c, layernorm_grad_weight, layernorm_grad_x, n, false));
  return th_out_like(c, layernorm_grad_gx, layernorm_grad_args_of(c)->x);
}

static th_status check_grad_weight(th_call *c)
{
  int64_t n;
  TH_TRY(need_pass(c, layernorm_grad_weight_x, layernorm_grad_weight_g, layernorm_grad_weight_mean,
                   layernorm_grad_weight_invstd, &n));
  TH_TRY(need_vector(c, layernorm_grad_weight_gw, layernorm_grad_weight_x, n, true));
  return need_vector(c, layernorm_grad_weight_gb, layernorm_grad_weight_x, n, true);
}

const th_op th_op_layernorm = {
  .name  = "layernorm",
  .args  = layernorm_signature,
  .doc   = "(x - mean) / sqrt(var + eps) * weight + bias, with mean and variance of each row, the elements along the last "
           "dimension. mean and invstd, 1 / sqrt(var + eps), have an element for each row."
           "\ntorch.layernorm(torch.Tensor{{1, 3}, {50, 10}}, 1e-5):round() --> {{-1, 1}, {1, -1}}",
  .check = check,
};

const th_op th_op_layernorm_grad = {
  .name  = "layernorm_grad",
  .args  = layernorm_grad_signature,
  .doc   = "The gradient of layernorm by x, with the mean and invstd it gave.",
  .check = check_grad,
};

const th_op th_op_layernorm_grad_weight = {
  .name  = "layernorm_grad_weight",
  .args  = layernorm_grad_weight_signature,
  .doc   = "Adds scale times the gradients of layernorm by weight and bias to gw and gb.",
  .check = check_grad_weight,
};
