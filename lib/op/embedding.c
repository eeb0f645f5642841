/* embedding.c - rows of a table picked by number, and the gradient added back to them. */
#include "embedding.args.h"
#include "op.h"

static th_status check(th_call *c)
{
  const embedding_args *a = embedding_args_of(c);
  const th_tensor *w = a->weight, *index = a->index;
  TH_TRY(th_need_ndim(c, embedding_weight, 1, TH_MAXDIM));
  TH_TRY(th_need_dtype(c, embedding_index, TH_I64));
  TH_TRY(th_need_indices(c, embedding_index, w->size[0], "index"));
  if (index->ndim + w->ndim - 1 > TH_MAXDIM) {
    return th_fail(TH_ESHAPE,
                   "the result would have more than %d dimensions: weight has size %s, index %s",
                   TH_MAXDIM, TH_SHAPE(w), TH_SHAPE(index));
  }
  int64_t size[TH_MAXDIM];
  for (int d = 0; d < index->ndim; d++) size[d] = index->size[d];
  for (int d = 1; d < w->ndim; d++) size[index->ndim + d - 1] = w->size[d];
  return th_out(c, embedding_y, w->dtype, index->ndim + w->ndim - 1, size);
}

static th_status check_grad(th_call *c)
{
  const embedding_grad_args *a = embedding_grad_args_of(c);
  const th_tensor *gw = a->gw, *index = a->index, *g = a->g;
  TH_TRY(th_need_float(c, embedding_grad_gw));
  TH_TRY(th_need_ndim(c, embedding_grad_gw, 1, TH_MAXDIM));
  TH_TRY(th_need_same_dtype(c, embedding_grad_g, embedding_grad_gw));
  TH_TRY(th_need_dtype(c, embedding_grad_index, TH_I64));
  TH_TRY(th_need_indices(c, embedding_grad_index, gw->size[0], "index"));
  int64_t row = 1;
  for (int d = 1; d < gw->ndim; d++) row *= gw->size[d];
  if (th_tensor_numel(g) != row * th_tensor_numel(index)) {
    return th_fail(TH_ESHAPE, "g must have a row of gw for each index, got sizes %s, %s and %s",
                   TH_SHAPE(g), TH_SHAPE(gw), TH_SHAPE(index));
  }
  c->dtype = gw->dtype;
  return th_out(c, embedding_grad_gw, gw->dtype, gw->ndim, gw->size);
}

const th_op th_op_embedding = {
  .name  = "embedding",
  .args  = embedding_signature,
  .doc   = "The rows of weight that the LongTensor index names, from 1; y has the sizes of index, "
           "then those of a row."
           "\ntorch.embedding(torch.Tensor{{1, 2}, {3, 4}}, torch.LongTensor{2, 1, 2}) --> {{3, 4}, {1, 2}, {3, 4}}",
  .grad  = "weight: embedding_grad(zero(add(weight, 0)), index, g)",
  .check = check,
};

const th_op th_op_embedding_grad = {
  .name  = "embedding_grad",
  .args  = embedding_grad_signature,
  .doc   = "Adds scale times each row of g to the row of gw that index names, in order; row "
           "`padding` stays as it is."
           "\ntorch.zeros(2, 1):embedding_grad(torch.LongTensor{2, 2}, torch.Tensor{{1}, {5}}) --> {{0}, {6}}",
  .check = check_grad,
};
