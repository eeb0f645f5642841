/* mv.c - matrix times vector, and the outer product: mv, addmv, ger, addr. */
#include "mv.args.h"
#include "op.h"

static th_status need_product(th_call *c, int a, int x)
{
  TH_TRY(th_need_ndim(c, a, 2, 2));
  TH_TRY(th_need_ndim(c, x, 1, 1));
  TH_TRY(th_need_same_dtype(c, x, a));
  if (c->arg[a].t->size[1] == c->arg[x].t->size[0]) return TH_OK;
  return th_fail(TH_ESHAPE,
                 "%s must have %lld elements, as many as %s has columns, got sizes %s and %s",
                 th_arg_name(c, x), (long long)c->arg[a].t->size[1], th_arg_name(c, a),
                 TH_SHAPE(c->arg[a].t), TH_SHAPE(c->arg[x].t));
}

static th_status need_outer(th_call *c, int u, int v)
{
  TH_TRY(th_need_ndim(c, u, 1, 1));
  TH_TRY(th_need_ndim(c, v, 1, 1));
  return th_need_same_dtype(c, v, u);
}

static th_status need_addend(th_call *c, int m, int like, int ndim, const int64_t *size)
{
  const th_tensor *t = c->arg[m].t;
  TH_TRY(th_need_same_dtype(c, m, like));
  if (t->ndim == ndim && memcmp(t->size, size, sizeof *size * (size_t)ndim) == 0) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have the size of the product, %s, got %s", th_arg_name(c, m),
                 th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, ndim, size), TH_SHAPE(t));
}

static th_status check_mv(th_call *c)
{
  TH_TRY(need_product(c, mv_a, mv_x));
  return th_out(c, mv_y, c->dtype, 1, mv_args_of(c)->a->size);
}

static th_status check_addmv(th_call *c)
{
  const addmv_args *a = addmv_args_of(c);
  TH_TRY(need_product(c, addmv_a, addmv_x));
  TH_TRY(need_addend(c, addmv_m, addmv_a, 1, a->a->size));
  return th_out(c, addmv_y, c->dtype, 1, a->a->size);
}

static th_status check_ger(th_call *c)
{
  const ger_args *a = ger_args_of(c);
  TH_TRY(need_outer(c, ger_u, ger_v));
  const int64_t size[] = { a->u->size[0], a->v->size[0] };
  return th_out(c, ger_y, c->dtype, 2, size);
}

static th_status check_addr(th_call *c)
{
  const addr_args *a = addr_args_of(c);
  TH_TRY(need_outer(c, addr_u, addr_v));
  const int64_t size[] = { a->u->size[0], a->v->size[0] };
  TH_TRY(need_addend(c, addr_m, addr_u, 2, size));
  return th_out(c, addr_y, c->dtype, 2, size);
}

const th_op th_op_mv = {
  .name  = "mv",
  .args  = mv_signature,
  .doc   = "The product of a matrix and a vector. Sums run in double for floats, in 64 bits for "
           "integers."
           "\ntorch.mv(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 1}) --> {3, 7}",
  .grad  = "a: ger(g, x) x: mv(a', g)",
  .check = check_mv,
};

const th_op th_op_addmv = {
  .name  = "addmv",
  .args  = addmv_signature,
  .doc   = "beta * m + alpha * a * x, m and x being vectors. beta 0 does not read m."
           "\ntorch.addmv(torch.Tensor{10, 20}, torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 1}) --> {13, 27}",
  .grad  = "m: mul(g, beta) a: mul(ger(g, x), alpha) x: mul(mv(a', g), alpha)",
  .flags = TH_INPLACE_AT(addmv_m),
  .check = check_addmv,
};

const th_op th_op_ger = {
  .name  = "ger",
  .args  = ger_signature,
  .doc   = "The outer product of two vectors: y[i][j] = u[i] * v[j]."
           "\ntorch.ger(torch.Tensor{1, 2}, torch.Tensor{3, 4, 5}) --> {{3, 4, 5}, {6, 8, 10}}",
  .grad  = "u: mv(g, v) v: mv(g', u)",
  .check = check_ger,
};

const th_op th_op_addr = {
  .name  = "addr",
  .args  = addr_signature,
  .doc   = "beta * m + alpha * u * v', the outer product added to a matrix. beta 0 does not read "
           "m."
           "\ntorch.addr(torch.ones(2, 2), torch.Tensor{1, 2}, torch.Tensor{3, 4}) --> {{4, 5}, {7, 9}}",
  .grad  = "m: mul(g, beta) u: mul(mv(g, v), alpha) v: mul(mv(g', u), alpha)",
  .flags = TH_INPLACE_AT(addr_m),
  .check = check_addr,
};
