/* lib/op/diagonal.c - triangles, diagonals, traces; the cross product of vectors of three. */
#include "diagonal.args.h"
#include "reduce.h"

enum { FARTHEST = 1 << 30 };

/* How far the diagonal is from the main one: kept small enough to add to sizes. */
static void clip(th_call *c, int arg)
{
  if (c->arg[arg].i > FARTHEST) c->arg[arg].i = FARTHEST;
  if (c->arg[arg].i < -FARTHEST) c->arg[arg].i = -FARTHEST;
}

static th_status triangle(th_call *c)
{
  TH_TRY(th_need_ndim(c, tril_x, 2, 2));
  clip(c, tril_k);
  return th_out_like(c, tril_y, tril_args_of(c)->x);
}
const th_op th_op_tril = {
  .name = "tril", .args = tril_signature,
  .doc = "The matrix x with zeros above the k-th diagonal: 0 is the main one, 1 the one above it."
         "\ntorch.tril(torch.ones(2, 3)) --> {{1, 0, 0}, {1, 1, 0}}",
  .grad = "x: tril(g, k)", .flags = TH_INPLACE, .check = triangle,
};
const th_op th_op_triu = {
  .name = "triu", .args = tril_signature,
  .doc = "The matrix x with zeros below the k-th diagonal: 0 is the main one, 1 the one above it."
         "\ntorch.triu(torch.ones(2, 3), 1) --> {{0, 1, 1}, {0, 0, 1}}",
  .grad = "x: triu(g, k)", .flags = TH_INPLACE, .check = triangle,
};

static th_status diag(th_call *c)
{
  const tril_args *a = tril_args_of(c);
  const th_tensor *x = a->x;
  TH_TRY(th_need_ndim(c, tril_x, 1, 2));
  const int64_t k = a->k, away = k < 0 ? -k : k;
  if (x->ndim == 1) {
    if (away > FARTHEST)
      return th_fail(TH_EARG, "k must lie in -%d..%d, got %lld", FARTHEST, FARTHEST, (long long)k);
    if (x->size[0] == 0) return th_out(c, tril_y, x->dtype, 1, x->size);
    const int64_t n = x->size[0] + away;
    return th_out(c, tril_y, x->dtype, 2, (const int64_t[]){ n, n });
  }
  const int64_t down = k < 0 ? -k : 0, right = k > 0 ? k : 0, rows = x->size[0] - down,
                cols = x->size[1] - right;
  if (rows <= 0 || cols <= 0) {
    return th_fail(TH_EARG, "k must name a diagonal of x, of size %s, got %lld", TH_SHAPE(x),
                   (long long)k);
  }
  const int64_t n = rows < cols ? rows : cols;
  return th_out(c, tril_y, x->dtype, 1, &n);
}
const th_op th_op_diag = {
  .name = "diag",
  .args = tril_signature,
  .doc =
      "Of a vector the square matrix with x on its k-th diagonal, of a matrix its k-th diagonal. 0 "
      "is the main one, 1 the one above it."
      "\ntorch.diag(torch.Tensor{1, 2}) --> {{1, 0}, {0, 2}}",
  .check = diag,
};

static th_status trace(th_call *c) { return th_need_ndim(c, trace_x, 2, 2); }
const th_op th_op_trace = {
  .name = "trace", .args = trace_signature,
  .doc = "The sum of the main diagonal of the matrix x, as a number."
         "\ntorch.trace(torch.Tensor{{1, 2}, {3, 4}}) --> 5",
  .check = trace,
};

static th_status cross(th_call *c)
{
  const cross_args *args = cross_args_of(c);
  const th_tensor *a = args->a;
  TH_TRY(th_need_same_dtype(c, cross_b, cross_a));
  TH_TRY(th_need_same_shape(c, cross_b, cross_a));
  if (args->dim == -1) {
    int d = 0;
    while (d < a->ndim && a->size[d] != 3) d++;
    if (d == a->ndim)
      return th_fail(TH_ESHAPE, "a must have a dimension of size 3, got size %s", TH_SHAPE(a));
    c->arg[cross_dim].i = d;
  } else {
    TH_TRY(th_need_dim(c, cross_dim, a));
    if (a->ndim == 0 || a->size[args->dim] != 3) {
      return th_fail(TH_ESHAPE, "a must have size 3 along dimension %d, got size %s",
                     (int)args->dim + 1, TH_SHAPE(a));
    }
  }
  return th_out_like(c, cross_y, a);
}
const th_op th_op_cross = {
  .name = "cross",
  .args = cross_signature,
  .doc = "Cross products of the vectors along dim, which must have size 3 (default: the first such "
         "dimension)."
         "\ntorch.cross(torch.Tensor{1, 0, 0}, torch.Tensor{0, 1, 0}) --> {0, 0, 1}",
  .grad = "a: cross(b, g, dim) b: cross(g, a, dim)",
  .check = cross,
};
