/* layernorm.c - normalisation of the rows of the last dimension, and its gradients. */
#include "layernorm.args.h"
#include "vectors.h"

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
  const int dtype = th_vectors_dtype(c, layernorm_x, layernorm_weight, layernorm_bias);
  TH_TRY(th_need_vector(c, layernorm_weight, layernorm_x, dtype, n, "", false));
  TH_TRY(th_need_vector(c, layernorm_bias, layernorm_x, dtype, n, "", false));
  TH_TRY(th_out_like(c, layernorm_y, layernorm_args_of(c)->x));
  TH_TRY(th_out(c, layernorm_mean, dtype, 1, &rows));
  return th_out(c, layernorm_invstd, dtype, 1, &rows);
}

/* The arguments x, g, mean and invstd of a gradient; the vectors have this type. */
static th_status need_pass(th_call *c, int x, int g, int mean, int invstd, int dtype, int64_t *n)
{
  int64_t rows;
  TH_TRY(need_rows(c, x, n, &rows));
  TH_TRY(th_need_same_dtype(c, g, x));
  TH_TRY(th_need_same_shape(c, g, x));
  TH_TRY(th_need_vector(c, mean, x, dtype, rows, "", false));
  return th_need_vector(c, invstd, x, dtype, rows, "", false);
}

/* The inputs of layernorm_grad, with the first of them at place x. */
static th_status need_grad(th_call *c, int x)
{
  const int first = x - layernorm_grad_x, weight = first + layernorm_grad_weight;
  const int mean = first + layernorm_grad_mean, invstd = first + layernorm_grad_invstd;
  const int dtype = th_vectors_dtype(c, x, weight, invstd);
  int64_t n;
  TH_TRY(need_pass(c, x, first + layernorm_grad_g, mean, invstd, dtype, &n));
  return th_need_vector(c, weight, x, dtype, n, "", false);
}

static th_status check_grad(th_call *c)
{
  TH_TRY(need_grad(c, layernorm_grad_x));
  return th_out_like(c, layernorm_grad_gx, layernorm_grad_args_of(c)->x);
}

static th_status check_grad_sum(th_call *c)
{
  const layernorm_grad_sum_args *a = layernorm_grad_sum_args_of(c);
  TH_TRY(need_grad(c, layernorm_grad_sum_x));
  TH_TRY(th_need_same_dtype(c, layernorm_grad_sum_base, layernorm_grad_sum_x));
  TH_TRY(th_need_same_shape(c, layernorm_grad_sum_base, layernorm_grad_sum_x));
  TH_TRY(th_out_like(c, layernorm_grad_sum_gx, a->x));
  return th_out_like(c, layernorm_grad_sum_sum, a->x);
}

static th_status check_grad_weight(th_call *c)
{
  const int dtype = th_vectors_dtype(c, layernorm_grad_weight_x, layernorm_grad_weight_gw,
                                     layernorm_grad_weight_gb);
  int64_t n;
  TH_TRY(need_pass(c, layernorm_grad_weight_x, layernorm_grad_weight_g, layernorm_grad_weight_mean,
                   layernorm_grad_weight_invstd, dtype, &n));
  TH_TRY(th_need_vector(c, layernorm_grad_weight_gw, layernorm_grad_weight_x, dtype, n, "", true));
  return th_need_vector(c, layernorm_grad_weight_gb, layernorm_grad_weight_x, dtype, n, "", true);
}

const th_op th_op_layernorm = {
  .name  = "layernorm",
  .args  = layernorm_signature,
  .doc   = "(x - mean) / sqrt(var + eps) * weight + bias, with mean and variance of each row, the elements along the last "
           "dimension. mean and invstd, 1 / sqrt(var + eps), have an element for each row. Beside "
           "halves all vectors may be floats."
           "\ntorch.layernorm(torch.Tensor{{1, 3}, {50, 10}}, 1e-5):round() --> {{-1, 1}, {1, -1}}",
  .check = check,
};

const th_op th_op_layernorm_grad = {
  .name  = "layernorm_grad",
  .args  = layernorm_grad_signature,
  .doc   = "The gradient of layernorm by x, with the mean and invstd it gave.",
  .check = check_grad,
};

const th_op th_op_layernorm_grad_sum = {
  .name  = "layernorm_grad_sum",
  .args  = layernorm_grad_sum_signature,
  .doc   = "layernorm_grad, and the sum of base and this gradient in the same pass: base is the "
           "gradient of another branch with the input x.",
  .flags = TH_INPLACE_AT(layernorm_grad_sum_base), .check = check_grad_sum,
};

const th_op th_op_layernorm_grad_weight = {
  .name  = "layernorm_grad_weight",
  .args  = layernorm_grad_weight_signature,
  .doc   = "Adds scale times the gradients of layernorm by weight and bias to gw and gb.",
  .check = check_grad_weight,
};
