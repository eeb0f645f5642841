/* roll.c - the order rotated along one dimension. */
#include "roll.args.h"
#include "op.h"

static th_status check(th_call *c)
{
  const roll_args *a = roll_args_of(c);
  TH_TRY(th_need_dim(c, roll_dim, a->x));
  return th_out_like(c, roll_y, a->x);
}
const th_op th_op_roll = {
  .name = "roll", .args = roll_signature,
  .doc = "x moved by shift places along dim; what leaves at one end comes back at the other."
         "\ntorch.roll(torch.range(1, 5), 2) --> {4, 5, 1, 2, 3}",
  .grad = "x: roll(g, 0 - shift, dim)", .check = check,
};
