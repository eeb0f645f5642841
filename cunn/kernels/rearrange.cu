// rearrange.cu - joins, orders reversed and rotated, triangles, diagonals; the cross product of vectors of three.
#include "../runtime/backend.cuh"
#include "../../lib/op/reduce.args.h"
#include "../../lib/op/scan.args.h"
#include "../../lib/op/roll.args.h"
#include "../../lib/op/cat.args.h"
#include "../../lib/op/diagonal.args.h"

/* ---- elements moved: tensors that lie over parts of others ---- */

/* Places first, first + 1, ... along dim. */
static th_tensor part_of(const th_tensor *t, int dim, int64_t first, int64_t n)
{
  th_tensor part = *t;
  if (t->ndim == 0) return part;
  part.offset += first * t->stride[dim];
  part.size[dim] = n;
  return part;
}

static th_status join(const th_tensor *y, int dim, int64_t n, th_tensor *const *t)
{
  int64_t first = 0;
  for (int64_t k = 0; k < n; k++) {
    th_tensor x = *t[k];
    if (x.ndim == 1 && x.size[0] == 0) continue;
    for (; x.ndim < y->ndim; x.ndim++) x.size[x.ndim] = x.stride[x.ndim] = 1;
    const th_tensor part = part_of(y, dim, first, x.size[dim]);
    TH_TRY(th_cuda_move(&part, &x));
    first += x.size[dim];
  }
  return TH_OK;
}
static th_status cat(const th_call *c)
{
  const cat_args *a = cat_args_of(c);
  return join(a->y, (int)a->dim, a->list->n, a->list->t);
}
static th_status cat_two(const th_call *c)
{
  const cat_two_args *a = cat_two_args_of(c);
  th_tensor *const both[2] = { a->a, a->b };
  return join(a->y, (int)a->dim, 2, both);
}

static th_status flip(const th_call *c)
{
  const flip_args *a = flip_args_of(c);
  th_tensor x = *a->x;
  const int dim = (int)a->dim;
  if (x.ndim && x.size[dim] > 0) {
    x.offset += (x.size[dim] - 1) * x.stride[dim];
    x.stride[dim] = -x.stride[dim];
  }
  return th_cuda_move(a->y, &x);
}

static th_status roll(const th_call *c)
{
  const roll_args *a = roll_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  const int dim = (int)a->dim;
  const int64_t n = x->ndim ? x->size[dim] : 1;
  if (n == 0) return TH_OK;
  if (x->ndim == 0) return th_cuda_move(y, x);
  const int64_t shift = (a->shift % n + n) % n;
  const th_tensor y1 = part_of(y, dim, shift, n - shift), x1 = part_of(x, dim, 0, n - shift);
  const th_tensor y2 = part_of(y, dim, 0, shift), x2 = part_of(x, dim, n - shift, shift);
  TH_TRY(th_cuda_move(&y1, &x1));
  return th_cuda_move(&y2, &x2);
}

/* The k-th diagonal of matrix t, of n elements. */
static th_tensor diagonal(const th_tensor *t, int64_t k, int64_t n)
{
  th_tensor d = *t;
  d.offset += k < 0 ? -k * t->stride[0] : k * t->stride[1];
  d.ndim = 1;
  d.size[0] = n;
  d.stride[0] = t->stride[0] + t->stride[1];
  return d;
}
static th_status diag(const th_call *c)
{
  const tril_args *a = tril_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  if (x->ndim == 2) {
    const th_tensor d = diagonal(x, a->k, y->size[0]);
    return th_cuda_move(y, &d);
  }
  TH_TRY(th_cuda_zero(y));
  if (y->ndim < 2) return TH_OK;
  const th_tensor d = diagonal(y, a->k, x->size[0]);
  return th_cuda_move(&d, x);
}

/* Elements are known by their type only where they are computed with. */
template <class T> static th_status cat_any(const th_call *c) { return cat(c); }
template <class T> static th_status cat_two_any(const th_call *c) { return cat_two(c); }
template <class T> static th_status flip_any(const th_call *c) { return flip(c); }
template <class T> static th_status roll_any(const th_call *c) { return roll(c); }
template <class T> static th_status diag_any(const th_call *c) { return diag(c); }
TH_KERNELS(cat, TH_CUDA_ALL(cat_any))
TH_KERNELS(cat_two, TH_CUDA_ALL(cat_two_any))
TH_KERNELS(flip, TH_CUDA_ALL(flip_any))
TH_KERNELS(roll, TH_CUDA_ALL(roll_any))
TH_KERNELS(diag, TH_CUDA_ALL(diag_any))

/* ---- triangles ---- */

template <class T>
static __global__ void keep(T *y, view vy, const T *x, view vx, int64_t n, int64_t cols, int64_t k, bool lower)
{
  for (TH_EACH(e, n)) {
    const int64_t i = th_quotient(e, cols), j = e - i * cols;
    y[vy.at(e)] = (lower ? j <= i + k : j >= i + k) ? x[vx.at(e)] : (T)0;
  }
}
template <class T> static th_status triangle(const th_call *c, bool lower)
{
  const tril_args *a = tril_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  const int64_t n = th_numel(y);
  if (n == 0) return TH_OK;
  TH_LAUNCH((keep<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), th_first<const T>(x), th_view_of(x), n,
            x->size[1], a->k, lower);
  return th_launched();
}
template <class T> static th_status tril(const th_call *c) { return triangle<T>(c, true); }
template <class T> static th_status triu(const th_call *c) { return triangle<T>(c, false); }
TH_KERNELS(tril, TH_CUDA_SIZED(tril))
TH_KERNELS(triu, TH_CUDA_SIZED(triu))

/* ---- trace, cross ---- */

extern "C" { extern const th_kernel th_sum_all_cuda[TH_NDTYPE]; }

/* The sum of a vector that lies over the diagonal. */
template <class T> static th_status trace(const th_call *c)
{
  const th_tensor *x = trace_args_of(c)->x;
  th_tensor d = diagonal(x, 0, x->size[0] < x->size[1] ? x->size[0] : x->size[1]);
  th_call sum = *c;
  sum.arg[sum_all_x].t = &d;
  TH_TRY(th_sum_all_cuda[c->dtype](&sum));
  const_cast<th_call *>(c)->arg[trace_trace].d = sum.arg[sum_all_sum].d;
  return TH_OK;
}
TH_KERNELS(trace, TH_CUDA_ALL(trace))

template <class T> static __global__ void cross_lines(T *y, lines ly, const T *a, lines la, const T *b, lines lb)
{
  typedef element<T> E;
  typedef typename E::A A;
  for (TH_EACH(k, ly.count)) {
    A u[3], v[3];
    for (int i = 0; i < 3; i++) {
      u[i] = E::load(a[la.outer.at(k) + i * la.step]);
      v[i] = E::load(b[lb.outer.at(k) + i * lb.step]);
    }
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      y[ly.outer.at(k) + i * ly.step] = E::store(u[j] * v[l] - u[l] * v[j]);
    }
  }
}
template <class T> static th_status cross(const th_call *c)
{
  const cross_args *a = cross_args_of(c);
  const int dim = (int)a->dim;
  const lines ly = th_cuda_lines(a->y, dim);
  if (ly.count == 0) return TH_OK;
  TH_LAUNCH((cross_lines<T>), th_blocks(ly.count), THREADS, 0, th_first<T>(a->y), ly, th_first<const T>(a->a),
            th_cuda_lines(a->a, dim), th_first<const T>(a->b), th_cuda_lines(a->b, dim));
  return th_launched();
}
TH_KERNELS(cross, TH_CUDA_ALL(cross))
