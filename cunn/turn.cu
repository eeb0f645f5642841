// turn.cu - joins, orders reversed and rotated, triangles, diagonals; the cross product of vectors of three.
#include "backend.cuh"

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
static th_status cat(const th_call *c) { return join(c->arg[0].t, (int)c->arg[2].i, c->arg[1].list->n, c->arg[1].list->t); }
static th_status cat_two(const th_call *c)
{
  th_tensor *const both[2] = { c->arg[1].t, c->arg[2].t };
  return join(c->arg[0].t, (int)c->arg[3].i, 2, both);
}

static th_status flip(const th_call *c)
{
  th_tensor x = *c->arg[1].t;
  const int dim = (int)c->arg[2].i;
  if (x.ndim && x.size[dim] > 0) {
    x.offset += (x.size[dim] - 1) * x.stride[dim];
    x.stride[dim] = -x.stride[dim];
  }
  return th_cuda_move(c->arg[0].t, &x);
}

static th_status roll(const th_call *c)
{
  const th_tensor *y = c->arg[0].t, *x = c->arg[1].t;
  const int dim = (int)c->arg[3].i;
  const int64_t n = x->ndim ? x->size[dim] : 1;
  if (n == 0) return TH_OK;
  if (x->ndim == 0) return th_cuda_move(y, x);
  const int64_t shift = (c->arg[2].i % n + n) % n;
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
  const th_tensor *y = c->arg[0].t, *x = c->arg[1].t;
  if (x->ndim == 2) {
    const th_tensor d = diagonal(x, c->arg[2].i, y->size[0]);
    return th_cuda_move(y, &d);
  }
  TH_TRY(th_cuda_zero(y));
  if (y->ndim < 2) return TH_OK;
  const th_tensor d = diagonal(y, c->arg[2].i, x->size[0]);
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
  const th_tensor *y = c->arg[0].t, *x = c->arg[1].t;
  const int64_t n = th_numel(y);
  if (n == 0) return TH_OK;
  TH_LAUNCH((keep<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), th_first<const T>(x), th_view_of(x), n,
            x->size[1], c->arg[2].i, lower);
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
  const th_tensor *x = c->arg[1].t;
  th_tensor d = diagonal(x, 0, x->size[0] < x->size[1] ? x->size[0] : x->size[1]);
  th_call sum = *c;
  sum.arg[1].t = &d;
  TH_TRY(th_sum_all_cuda[c->dtype](&sum));
  const_cast<th_call *>(c)->arg[0].d = sum.arg[0].d;
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
  const int dim = (int)c->arg[3].i;
  const lines ly = th_cuda_lines(c->arg[0].t, dim);
  if (ly.count == 0) return TH_OK;
  TH_LAUNCH((cross_lines<T>), th_blocks(ly.count), THREADS, 0, th_first<T>(c->arg[0].t), ly, th_first<const T>(c->arg[1].t),
            th_cuda_lines(c->arg[1].t, dim), th_first<const T>(c->arg[2].t), th_cuda_lines(c->arg[2].t, dim));
  return th_launched();
}
TH_KERNELS(cross, TH_CUDA_ALL(cross))
