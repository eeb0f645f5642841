/* roll.c - the order rotated along one dimension. */
#include "op.h"

static th_status check(th_call *c)
{
  TH_TRY(th_need_dim(c, 3, c->arg[1].t));
  return th_out_like(c, 0, c->arg[1].t);
}
const th_op th_op_roll = {
  .name = "roll", .args = "y:out x:tensor shift:int dim:dim=1",
  .doc = "x moved by shift places along dim; what leaves at one end comes back at the other."
         "\ntorch.roll(torch.range(1, 5), 2) --> {4, 5, 1, 2, 3}",
  .grad = "x: roll(g, 0 - shift, dim)", .check = check,
};
