/* lib/op/index.c - picking and putting elements by their places along one dimension.
 *
 * Places are LongTensors and count from 1. All of them are looked at before the first element is
 * written. Where one place is named twice the later one counts (copy, fill, scatter) or both do
 * (add), in order, whatever the number of threads. */
#include "index.args.h"
#include "../core/op_flags.h"
#include "reduce.h"

/* index (argument i) is a vector of places along dim of t. */
static th_status need_vector(th_call *c, int i, const th_tensor *t, int dim)
{
  TH_TRY(th_need_dtype(c, i, TH_I64));
  const th_tensor *index = c->arg[i].t;
  if (index->ndim > 1) {
    return th_fail(TH_ESHAPE, "%s must have at most one dimension, got size %s", th_arg_name(c, i),
                   TH_SHAPE(index));
  }
  return th_need_indices(c, i, th_line_size(t, dim), th_arg_name(c, i));
}

/* Argument `arg` is like t, with as many elements along dim as `index` has. */
static th_status need_rows(th_call *c, int arg, const th_tensor *t, int dim, const th_tensor *index)
{
  const th_tensor *x = c->arg[arg].t;
  th_tensor want = *t;
  if (want.ndim == 0) want.ndim = 1;
  want.size[dim] = th_tensor_numel(index);
  if (th_same_shape(x, &want)) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have the size %s, got %s", th_arg_name(c, arg),
                 TH_SHAPE(&want), TH_SHAPE(x));
}

/* A result that is read too. */
static th_status inout(th_call *c) { return th_out_like(c, indexCopy_y, indexCopy_args_of(c)->y); }

/* ---- whole slices ---- */

static th_status index_check(th_call *c)
{
  const index_args *a = index_args_of(c);
  const th_tensor *x = a->x;
  TH_TRY(th_need_dim(c, index_dim, x));
  const int dim = (int)a->dim;
  TH_TRY(need_vector(c, index_index, x, dim));
  int64_t size[TH_MAXDIM] = { 0 };
  for (int d = 0; d < x->ndim; d++) size[d] = x->size[d];
  size[dim] = th_tensor_numel(a->index);
  return th_out(c, index_y, x->dtype, x->ndim ? x->ndim : 1, size);
}
const th_op th_op_index = {
  .name = "index", .args = index_signature,
  .doc = "The slices of x along dim that index names, in its order. index is a LongTensor vector."
         "\ntorch.index(torch.Tensor{{1, 2}, {3, 4}}, 1, torch.LongTensor{2, 2}) --> {{3, 4}, {3, 4}}",
  .grad = "x: index_grad(x, dim, index, g)", .check = index_check,
};

static th_status index_copy(th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  const th_tensor *y = a->y;
  TH_TRY(th_need_ndim(c, indexCopy_y, 1, TH_MAXDIM));
  TH_TRY(th_need_dim(c, indexCopy_dim, y));
  TH_TRY(th_need_same_dtype(c, indexCopy_x, indexCopy_y));
  TH_TRY(need_vector(c, indexCopy_index, y, (int)a->dim));
  TH_TRY(need_rows(c, indexCopy_x, y, (int)a->dim, a->index));
  c->dtype = y->dtype;
  return inout(c);
}
const th_op th_op_indexCopy = {
  .name = "indexCopy",
  .args = indexCopy_signature,
  .doc = "Copies the slices of x along dim to the places of y that index names. Of a place named "
         "twice the last copy stays."
         "\ntorch.zeros(3):indexCopy(1, torch.LongTensor{3, 1}, torch.Tensor{5, 6}) --> {6, 0, 5}",
  .flags = TH_PLACES, .check = index_copy,
};
const th_op th_op_indexAdd = {
  .name = "indexAdd",
  .args = indexCopy_signature,
  .doc = "Adds the slices of x along dim to the slices of y that index names; a place named twice "
         "gets both."
         "\ntorch.ones(3):indexAdd(1, torch.LongTensor{3, 3}, torch.Tensor{5, 6}) --> {1, 1, 12}",
  .flags = TH_PLACES, .check = index_copy,
};

static th_status index_fill(th_call *c)
{
  const indexFill_args *a = indexFill_args_of(c);
  const th_tensor *y = a->y;
  TH_TRY(th_need_ndim(c, indexFill_y, 1, TH_MAXDIM));
  TH_TRY(th_need_dim(c, indexFill_dim, y));
  TH_TRY(need_vector(c, indexFill_index, y, (int)a->dim));
  TH_TRY(th_need_number(c, indexFill_value, y));
  c->dtype = y->dtype;
  return inout(c);
}
const th_op th_op_indexFill = {
  .name = "indexFill", .args = indexFill_signature,
  .doc = "Sets the slices of y along dim that index names to value."
         "\ntorch.zeros(3):indexFill(1, torch.LongTensor{3, 1}, 7) --> {7, 0, 7}",
  .flags = TH_PLACES, .check = index_fill,
};

static th_status index_grad(th_call *c)
{
  const index_grad_args *a = index_grad_args_of(c);
  const th_tensor *x = a->x;
  TH_TRY(th_need_dim(c, index_grad_dim, x));
  TH_TRY(th_need_same_dtype(c, index_grad_g, index_grad_x));
  TH_TRY(need_vector(c, index_grad_index, x, (int)a->dim));
  TH_TRY(need_rows(c, index_grad_g, x, (int)a->dim, a->index));
  return th_out_like(c, index_grad_gx, x);
}
const th_op th_op_index_grad = {
  .name = "index_grad", .args = index_grad_signature,
  .doc = "Gradient of `index`: the slices of g added at the places that were picked, 0 elsewhere."
         "\ntorch.index_grad(torch.Tensor(3), 1, torch.LongTensor{1, 1}, torch.Tensor{5, 6}) --> {11, 0, 0}",
  .check = index_grad,
};

/* ---- single elements ---- */

/* index has as many dimensions as t and its size, except along dim. */
static th_status need_places(th_call *c, int i, const th_tensor *t, int dim)
{
  TH_TRY(th_need_dtype(c, i, TH_I64));
  const th_tensor *index = c->arg[i].t;
  bool fits = index->ndim == t->ndim;
  for (int d = 0; d < t->ndim && fits; d++) fits = d == dim || index->size[d] == t->size[d];
  if (!fits) {
    return th_fail(TH_ESHAPE, "%s must have the size %s, dimension %d aside, got %s",
                   th_arg_name(c, i), TH_SHAPE(t), dim + 1, TH_SHAPE(index));
  }
  return th_need_indices(c, i, th_line_size(t, dim), th_arg_name(c, i));
}

static th_status gather(th_call *c)
{
  const index_args *a = index_args_of(c);
  const th_tensor *x = a->x, *index = a->index;
  TH_TRY(th_need_dim(c, index_dim, x));
  TH_TRY(need_places(c, index_index, x, (int)a->dim));
  return th_out(c, index_y, x->dtype, index->ndim, index->size);
}
const th_op th_op_gather = {
  .name = "gather", .args = index_signature,
  .doc = "From every line of x along dim the elements that the same line of index names; "
         "for dim 1 of a matrix, y[i][j] = x[index[i][j]][j]."
         "\ntorch.gather(torch.Tensor{{1, 2}, {3, 4}}, 2, torch.LongTensor{{2}, {1}}) --> {{2}, {3}}",
  .grad = "x: gather_grad(x, dim, index, g)", .check = gather,
};

static th_status gather_grad(th_call *c)
{
  const index_grad_args *a = index_grad_args_of(c);
  const th_tensor *x = a->x;
  TH_TRY(th_need_dim_or_last(c, index_grad_dim, x));
  TH_TRY(th_need_same_dtype(c, index_grad_g, index_grad_x));
  TH_TRY(need_places(c, index_grad_index, x, (int)a->dim));
  TH_TRY(th_need_same_shape(c, index_grad_g, index_grad_index));
  return th_out_like(c, index_grad_gx, x);
}
const th_op th_op_gather_grad = {
  .name = "gather_grad",
  .args = index_grad_signature,
  .doc = "Gradient of `gather`, `sort` and `topk`: g added at the places that were picked, 0 "
         "elsewhere. dim -1 is the last."
         "\ntorch.gather_grad(torch.Tensor(3), 1, torch.LongTensor{1, 1}, torch.Tensor{5, 6}) --> {11, 0, 0}",
  .check = gather_grad,
};

static th_status scatter(th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  const th_tensor *y = a->y;
  TH_TRY(th_need_dim(c, indexCopy_dim, y));
  const int dim = (int)a->dim;
  if (th_kind_of(c->op, 3) == TH_K_TENSOR) {
    const th_tensor *x = a->x, *index = a->index;
    TH_TRY(th_need_same_dtype(c, indexCopy_x, indexCopy_y));
    TH_TRY(need_places(c, indexCopy_index, y, dim));
    bool fits = x->ndim == index->ndim;
    for (int d = 0; d < x->ndim && fits; d++) {
      fits = d == dim ? x->size[d] >= index->size[d] : x->size[d] == index->size[d];
    }
    if (!fits) {
      return th_fail(TH_ESHAPE, "%s must have at least the size of %s, %s, got %s",
                     th_arg_name(c, indexCopy_x), th_arg_name(c, indexCopy_index), TH_SHAPE(index), TH_SHAPE(x));
    }
  } else {
    TH_TRY(need_places(c, indexCopy_index, y, dim));
    TH_TRY(th_need_number(c, indexCopy_x, y));
  }
  c->dtype = y->dtype;
  return inout(c);
}
const th_op th_op_scatter = {
  .name = "scatter",
  .args = indexCopy_signature,
  .doc = "Puts the elements of x into y, each line along dim at the places that the same line of "
         "index names. For dim 1 of a matrix, y[index[i][j]][j] = x[i][j]."
         "\ntorch.zeros(2, 2):scatter(2, torch.LongTensor{{2}, {1}}, torch.Tensor{{5}, {6}}) --> {{0, 5}, {6, 0}}",
  .flags = TH_PLACES, .check = scatter,
};
const th_op th_op_scatter_value = {
  .name = "scatter", .args = indexFill_signature,
  .doc = "Sets the elements of y that index names to value, along dim as the form with x does."
         "\ntorch.zeros(2, 2):scatter(2, torch.LongTensor{{2}, {1}}, 7) --> {{0, 7}, {7, 0}}",
  .flags = TH_PLACES, .check = scatter,
};
const th_op th_op_scatterAdd = {
  .name = "scatterAdd",
  .args = indexCopy_signature,
  .doc = "Adds the elements of x to those of y that index names, along dim as `scatter` does, in "
         "order."
         "\ntorch.ones(1, 2):scatterAdd(2, torch.LongTensor{{2, 2}}, torch.Tensor{{5, 6}}) --> {{1, 12}}",
  .flags = TH_PLACES, .check = scatter,
};
