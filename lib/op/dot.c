/* dot.c - the sum of the products of two tensors' elements. */
#include "op.h"

static th_status check(th_call *c)
{
  const th_tensor *a = c->arg[1].t, *b = c->arg[2].t;
  TH_TRY(th_need_same_dtype(c, 2, 1));
  if (th_tensor_numel(a) == th_tensor_numel(b)) return TH_OK;
  return th_fail(TH_ESHAPE, "b must have as many elements as a, got sizes %s and %s", TH_SHAPE(a),
                 TH_SHAPE(b));
}

const th_op th_op_dot = {
  .name  = "dot",
  .args  = "sum:return a:tensor b:tensor",
  .doc   = "The sum of a[i] * b[i] over all elements, in row-major order, as a number. Summed in "
           "double; the sum of whole numbers wraps around in their type."
           "\ntorch.dot(torch.Tensor{1, 2}, torch.Tensor{3, 4}) --> 11",
  .grad  = "a: mul(b, g) b: mul(a, g)",
  .check = check,
};
