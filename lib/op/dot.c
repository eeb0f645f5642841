/* dot.c - the sum of the products of two tensors' elements. */
#include "dot.args.h"
#include "op.h"

static th_status check(th_call *c)
{
  const dot_args *args = dot_args_of(c);
  const th_tensor *a = args->a, *b = args->b;
  TH_TRY(th_need_same_dtype(c, dot_b, dot_a));
  if (th_tensor_numel(a) == th_tensor_numel(b)) return TH_OK;
  return th_fail(TH_ESHAPE, "b must have as many elements as a, got sizes %s and %s", TH_SHAPE(a),
                 TH_SHAPE(b));
}

const th_op th_op_dot = {
  .name  = "dot",
  .args  = dot_signature,
  .doc   = "The sum of a[i] * b[i] over all elements, in row-major order, as a number. Summed in "
           "double; the sum of whole numbers wraps around in their type."
           "\ntorch.dot(torch.Tensor{1, 2}, torch.Tensor{3, 4}) --> 11",
  .grad  = "a: mul(b, g) b: mul(a, g)",
  .check = check,
};
