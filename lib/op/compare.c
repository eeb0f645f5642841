/* compare.c - what comparisons, equal, all, any and where are. */
#include "compare.args.h"
#include "op.h"

/* A ByteTensor of zeros and ones; a result of x's own type is taken as well, as Torch7 did. */
static int result_dtype(const th_call *c)
{
  const compare_args *a = compare_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  return y->dtype == x->dtype ? x->dtype : TH_U8;
}

static th_status check_number(th_call *c)
{
  const th_tensor *x = compare_args_of(c)->x;
  return th_out(c, compare_y, result_dtype(c), x->ndim, x->size);
}

static th_status check_tensors(th_call *c)
{
  TH_TRY(th_need_same_dtype(c, compare_tensors_z, compare_tensors_x));
  return th_out_broadcast(c, compare_tensors_y, result_dtype(c), 2,
                          (int[]){ compare_tensors_x, compare_tensors_z });
}

#define TH_MAP(...)
#define TH_MAP_AS(...)
#define TH_ACT(...)
#define TH_ZIP(...)
#define TH_ZIP3(...)
#define TH_COMPARE(id, operator, doc_) \
  const th_op th_op_##id = { \
    .name = #id, .args = compare_signature, \
    .doc = doc_, .check = check_number }; \
  const th_op th_op_##id##_tensor = { \
    .name = #id, .args = compare_tensors_signature, .doc = doc_, .check = check_tensors };
#include "pointwise.def"

static th_status check_equal(th_call *c) { return th_need_same_dtype(c, equal_z, equal_x); }

const th_op th_op_equal = {
  .name  = "equal",
  .args  = equal_signature,
  .doc   = "true if x and z have the same size and equal elements; NaN equals nothing."
           "\ntorch.equal(torch.Tensor{1, 2}, torch.Tensor{1, 2}) --> true",
  .check = check_equal,
};

static th_status check_flags(th_call *c) { return th_need_dtype(c, all_x, TH_U8); }

const th_op th_op_all = {
  .name  = "all",
  .args  = all_signature,
  .doc   = "true if no element of the ByteTensor x is 0; true for an empty one."
           "\ntorch.all(torch.ByteTensor{1, 0}) --> false",
  .check = check_flags,
};
const th_op th_op_any = {
  .name  = "any",
  .args  = all_signature,
  .doc   = "true if an element of the ByteTensor x is not 0; false for an empty one."
           "\ntorch.any(torch.ByteTensor{1, 0}) --> true",
  .check = check_flags,
};

static th_status check_where(th_call *c)
{
  TH_TRY(th_need_dtype(c, where_condition, TH_U8));
  TH_TRY(th_need_same_dtype(c, where_z, where_x));
  c->dtype = where_args_of(c)->x->dtype;
  return th_out_broadcast(c, where_y, c->dtype, 3, (int[]){ where_x, where_condition, where_z });
}

const th_op th_op_where = {
  .name  = "where",
  .args  = where_signature,
  .doc   = "x where the ByteTensor condition is not 0, else z."
           "\ntorch.where(torch.ByteTensor{1, 0}, torch.Tensor{1, 2}, torch.Tensor{3, 4}) --> {1, 4}",
  .grad  = "x: where(condition, g, mul(g, 0)) z: where(condition, mul(g, 0), g)",
  .flags = TH_INPLACE,
  .check = check_where,
};
