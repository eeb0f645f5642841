/* embedding.c - rows of a table picked by number, and the gradient added back to them. */
#include "op.h"

static th_status check(th_call *c)
{
  const th_tensor *w = c->arg[1].t, *index = c->arg[2].t;
  TH_TRY(th_need_ndim(c, 1, 1, TH_MAXDIM));
  TH_TRY(th_need_dtype(c, 2, TH_I64));
  TH_TRY(th_need_indices(c, 2, w->size[0], "index"));
  if (index->ndim + w->ndim - 1 > TH_MAXDIM) {
    return th_fail(TH_ESHAPE,
                   "the result would have more than %d dimensions: weight has size %s, index %s",
                   TH_MAXDIM, TH_SHAPE(w), TH_SHAPE(index));
  }
  int64_t size[TH_MAXDIM];
  for (int d = 0; d < index->ndim; d++) size[d] = index->size[d];
  for (int d = 1; d < w->ndim; d++) size[index->ndim + d - 1] = w->size[d];
  return th_out(c, 0, w->dtype, index->ndim + w->ndim - 1, size);
}

static th_status check_grad(th_call *c)
{
  const th_tensor *gw = c->arg[0].t, *index = c->arg[1].t, *g = c->arg[2].t;
  TH_TRY(th_need_float(c, 0));
  TH_TRY(th_need_ndim(c, 0, 1, TH_MAXDIM));
  TH_TRY(th_need_same_dtype(c, 2, 0));
  TH_TRY(th_need_dtype(c, 1, TH_I64));
  TH_TRY(th_need_indices(c, 1, gw->size[0], "index"));
  int64_t row = 1;
  for (int d = 1; d < gw->ndim; d++) row *= gw->size[d];
  if (th_tensor_numel(g) != row * th_tensor_numel(index)) {
    return th_fail(TH_ESHAPE, "g must have a row of gw for each index, got sizes %s, %s and %s",
                   TH_SHAPE(g), TH_SHAPE(gw), TH_SHAPE(index));
  }
  c->dtype = gw->dtype;
  return th_out(c, 0, gw->dtype, gw->ndim, gw->size);
}

const th_op th_op_embedding = {
  .name  = "embedding",
  .args  = "y:out weight:tensor index:tensor",
  .doc   = "The rows of weight that the LongTensor index names, from 1; y has the sizes of index, "
           "then those of a row."
           "\ntorch.embedding(torch.Tensor{{1, 2}, {3, 4}}, torch.LongTensor{2, 1, 2}) --> {{3, 4}, {1, 2}, {3, 4}}",
  .grad  = "weight: embedding_grad(zero(add(weight, 0)), index, g)",
  .check = check,
};

const th_op th_op_embedding_grad = {
  .name  = "embedding_grad",
  .args  = "gw:inout index:tensor g:tensor scale:number=1 padding:int=0",
  .doc   = "Adds scale times each row of g to the row of gw that index names, in order; row "
           "`padding` stays as it is."
           "\ntorch.zeros(2, 1):embedding_grad(torch.LongTensor{2, 2}, torch.Tensor{{1}, {5}}) --> {{0}, {6}}",
  .check = check_grad,
};
