/* mm.c - matrix times matrix: mm, addmm, and over batches bmm, baddbmm, addbmm. */
#include "mm.args.h"
#include "op.h"

/* a (.. x k) and b (k x ..) fit; `first` is their first matrix dimension. */
static th_status need_product(th_call *c, int a, int b, int first)
{
  const th_tensor *x = c->arg[a].t, *y = c->arg[b].t;
  TH_TRY(th_need_ndim(c, a, first + 2, first + 2));
  TH_TRY(th_need_ndim(c, b, first + 2, first + 2));
  TH_TRY(th_need_same_dtype(c, b, a));
  if (first && x->size[0] != y->size[0]) {
    return th_fail(TH_ESHAPE, "%s must have %lld matrices like %s, got size %s", th_arg_name(c, b),
                   (long long)x->size[0], th_arg_name(c, a), TH_SHAPE(y));
  }
  if (x->size[first + 1] != y->size[first]) {
    return th_fail(TH_ESHAPE,
                   "%s must have %lld rows, as many as %s has columns, got sizes %s and %s",
                   th_arg_name(c, b), (long long)x->size[first + 1], th_arg_name(c, a), TH_SHAPE(x),
                   TH_SHAPE(y));
  }
  return TH_OK;
}

/* The added tensor is of the product's shape. */
static th_status need_addend(th_call *c, int m, int a, int ndim, const int64_t *size)
{
  const th_tensor *t = c->arg[m].t;
  TH_TRY(th_need_same_dtype(c, m, a));
  if (t->ndim == ndim && memcmp(t->size, size, sizeof *size * (size_t)ndim) == 0) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have the size of the product, %s, got %s", th_arg_name(c, m),
                 th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, ndim, size), TH_SHAPE(t));
}

static th_status check_mm(th_call *c)
{
  const mm_args *a = mm_args_of(c);
  TH_TRY(need_product(c, mm_a, mm_b, 0));
  const int64_t size[] = { a->a->size[0], a->b->size[1] };
  return th_out(c, mm_y, c->dtype, 2, size);
}

static th_status check_bmm(th_call *c)
{
  const mm_args *a = mm_args_of(c);
  TH_TRY(need_product(c, mm_a, mm_b, 1));
  const int64_t size[] = { a->a->size[0], a->a->size[1], a->b->size[2] };
  return th_out(c, mm_y, c->dtype, 3, size);
}

static th_status check_addmm(th_call *c)
{
  const addmm_args *a = addmm_args_of(c);
  TH_TRY(need_product(c, addmm_a, addmm_b, 0));
  const int64_t size[] = { a->a->size[0], a->b->size[1] };
  TH_TRY(need_addend(c, addmm_m, addmm_a, 2, size));
  return th_out(c, addmm_y, c->dtype, 2, size);
}

static th_status check_baddbmm(th_call *c)
{
  const addmm_args *a = addmm_args_of(c);
  TH_TRY(need_product(c, addmm_a, addmm_b, 1));
  const int64_t size[] = { a->a->size[0], a->a->size[1], a->b->size[2] };
  TH_TRY(need_addend(c, addmm_m, addmm_a, 3, size));
  return th_out(c, addmm_y, c->dtype, 3, size);
}

static th_status check_addbmm(th_call *c)
{
  const addmm_args *a = addmm_args_of(c);
  TH_TRY(need_product(c, addmm_a, addmm_b, 1));
  const int64_t size[] = { a->a->size[1], a->b->size[2] };
  TH_TRY(need_addend(c, addmm_m, addmm_a, 2, size));
  return th_out(c, addmm_y, c->dtype, 2, size);
}

const th_op th_op_mm = {
  .name  = "mm",
  .args  = mm_signature,
  .doc   = "The product of two matrices. Integers are summed without loss and wrap at the end, "
           "halves in float."
           "\ntorch.mm(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {1, 1}}) --> {{3, 2}, {7, 4}}",
  .grad  = "a: mm(g, b') b: mm(a', g)",
  .check = check_mm,
};

const th_op th_op_bmm = {
  .name  = "bmm",
  .args  = mm_signature,
  .doc   = "The products of two batches of matrices: y[i] = a[i] * b[i]."
           "\ntorch.bmm(torch.ones(3, 2, 4), torch.ones(3, 4, 1)):size() --> {3, 2, 1}",
  .grad  = "a: bmm(g, transpose(b, 2, 3)) b: bmm(transpose(a, 2, 3), g)",
  .check = check_bmm,
};

const th_op th_op_addmm = {
  .name  = "addmm",
  .args  = addmm_signature,
  .doc   = "beta * m + alpha * a * b of matrices. beta 0 does not read m."
           "\ntorch.addmm(10, torch.ones(1, 2), torch.Tensor{{1, 2}}, torch.Tensor{{1, 0}, {1, 1}}) --> {{13, 12}}",
  .grad  = "m: mul(g, beta) a: mul(mm(g, b'), alpha) b: mul(mm(a', g), alpha)",
  .flags = TH_INPLACE_AT(addmm_m),
  .check = check_addmm,
};

const th_op th_op_baddbmm = {
  .name  = "baddbmm",
  .args  = addmm_signature,
  .doc   = "beta * m[i] + alpha * a[i] * b[i] for every matrix of a batch. beta 0 does not read m."
           "\ntorch.baddbmm(torch.ones(2, 1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1)) --> {{{4}}, {{4}}}",
  .grad  = "m: mul(g, beta) a: mul(bmm(g, transpose(b, 2, 3)), alpha) b: mul(bmm(transpose(a, 2, "
           "3), g), alpha)",
  .flags = TH_INPLACE_AT(addmm_m),
  .check = check_baddbmm,
};

const th_op th_op_addbmm = {
  .name  = "addbmm",
  .args  = addmm_signature,
  .doc   = "beta * m + alpha * (a[1] * b[1] + a[2] * b[2] + ...). beta 0 does not read m."
           "\ntorch.addbmm(torch.ones(1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1)) --> {{7}}",
  .flags = TH_INPLACE_AT(addmm_m),
  .check = check_addbmm,
};
