// extremum.cu - largest and smallest elements, of everything or along one dimension. A NaN beats every number and the first
// NaN wins; among equals the first wins.
#include "../runtime/backend.cuh"
#include "../../lib/op/extremum.args.h"

/* The best so far: a value and its place. */
template <class T> struct best { typename element<T>::C v; int64_t place; };

template <class C> TH_DEVICE_FN bool beats(bool largest, C v, C a)
{
  return (largest ? v > a : v < a) || (v != v && a == a);
}
/* Of two the better one; of equals the one that comes first. */
template <class T> TH_DEVICE_FN best<T> better(bool largest, best<T> a, best<T> b)
{
  if (b.place < 0) return a;
  if (a.place < 0 || beats(largest, b.v, a.v)) return b;
  return !beats(largest, a.v, b.v) && b.place < a.place ? b : a;
}

/* Of elements first, first + step, ... of a line. */
template <class T> TH_DEVICE_FN best<T> best_of(bool largest, const T *p, int64_t stride, int64_t first, int64_t step, int64_t n)
{
  best<T> a = { 0, -1 };
  for (int64_t i = first; i < n; i += step) {
    const typename element<T>::C v = element<T>::load(p[i * stride]);
    if (a.place < 0 || beats(largest, v, a.v)) a = { v, i };
  }
  return a;
}

/* Of all threads of a block, in thread 0. */
template <class T> __device__ best<T> block_best(bool largest, best<T> a)
{
  __shared__ best<T> part[THREADS / 32];
  for (unsigned h = 16; h > 0; h /= 2) {
    best<T> b;
    b.v = __shfl_down_sync(0xffffffffu, a.v, h);
    b.place = __shfl_down_sync(0xffffffffu, a.place, h);
    a = better(largest, a, b);
  }
  __syncthreads();                           // part may still be read from the time before
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = a;
  __syncthreads();
  if (threadIdx.x == 0) for (int w = 1; w < THREADS / 32; w++) a = better(largest, a, part[w]);
  return a;
}

template <class T> struct answer { T *y; view vy; int64_t *index; view vi; };

template <class T> static __global__ void short_lines(answer<T> to, const T *x, lines l, bool largest)
{
  for (TH_EACH(k, l.count)) {
    const best<T> a = best_of(largest, x + l.outer.at(k), l.step, 0, 1, l.n);
    to.y[to.vy.at(k)] = element<T>::store(a.v);
    to.index[to.vi.at(k)] = a.place + 1;
  }
}
template <class T>
static __global__ void __launch_bounds__(THREADS) long_lines(answer<T> to, const T *x, lines l, bool largest)
{
  for (int64_t k = blockIdx.x; k < l.count; k += gridDim.x) {
    const best<T> a = block_best(largest, best_of(largest, x + l.outer.at(k), l.step, threadIdx.x, THREADS, l.n));
    if (threadIdx.x) continue;
    to.y[to.vy.at(k)] = element<T>::store(a.v);
    to.index[to.vi.at(k)] = a.place + 1;
  }
}
template <class T>
static __global__ void __launch_bounds__(THREADS) pieces(best<T> *part, const T *x, view vx, int64_t n, bool largest)
{
  best<T> a = { 0, -1 };
  for (TH_EACH(i, n)) {
    const typename element<T>::C v = element<T>::load(x[vx.at(i)]);
    if (a.place < 0 || beats(largest, v, a.v)) a = { v, i };
  }
  a = block_best(largest, a);
  if (threadIdx.x == 0) part[blockIdx.x] = a;
}
template <class T> static __global__ void __launch_bounds__(THREADS) join(best<T> *part, int n, bool largest)
{
  best<T> a = { 0, -1 };
  for (int i = (int)threadIdx.x; i < n; i += THREADS) a = better(largest, a, part[i]);
  a = block_best(largest, a);
  if (threadIdx.x == 0) part[0] = a;
}

/* ---- kernels ---- */

template <class T> static th_status along(const th_call *c, bool largest)
{
  const max_args *a = max_args_of(c);
  const th_tensor *x = a->x;
  const int dim = (int)a->dim;
  const th_tensor y = th_cuda_with_dim(a->y, dim, x->ndim), index = th_cuda_with_dim(a->index, dim, x->ndim);
  const lines l = th_cuda_lines(x, dim);
  const answer<T> to = { th_first<T>(&y), th_cuda_lines(&y, dim).outer, th_first<int64_t>(&index),
                         th_cuda_lines(&index, dim).outer };
  if (l.count == 0) return TH_OK;
  if (l.n < 256 || (l.step != 1 && l.count >= 4096)) {
    TH_LAUNCH((short_lines<T>), th_blocks(l.count), THREADS, 0, to, th_first<const T>(x), l, largest);
  } else {
    const unsigned blocks = (unsigned)(l.count < 65535 ? l.count : 65535);
    TH_LAUNCH((long_lines<T>), blocks, THREADS, 0, to, th_first<const T>(x), l, largest);
  }
  return th_launched();
}
template <class T> static th_status all(const th_call *c, bool largest)
{
  const th_tensor *x = max_all_args_of(c)->x;
  const int64_t n = th_numel(x);
  const unsigned blocks = th_blocks((n + 7) / 8) < 1024 ? th_blocks((n + 7) / 8) : 1024;
  th_cuda_scratch s;
  best<T> a;
  TH_TRY(s.take(blocks * sizeof a));
  TH_LAUNCH((pieces<T>), blocks, THREADS, 0, s.as<best<T>>(), th_first<const T>(x), th_view_of(x), n, largest);
  if (blocks > 1) TH_LAUNCH((join<T>), 1, THREADS, 0, s.as<best<T>>(), (int)blocks, largest);
  TH_TRY(th_launched());
  TH_TRY(th_cuda_fetch(&a, s.as<void>(), sizeof a));
  const_cast<th_call *>(c)->arg[max_all_max].d = (double)a.v;
  return TH_OK;
}
template <class T> static th_status max(const th_call *c) { return along<T>(c, true); }
template <class T> static th_status min(const th_call *c) { return along<T>(c, false); }
template <class T> static th_status max_all(const th_call *c) { return all<T>(c, true); }
template <class T> static th_status min_all(const th_call *c) { return all<T>(c, false); }
TH_KERNELS(max, TH_CUDA_ALL(max))
TH_KERNELS(min, TH_CUDA_ALL(min))
TH_KERNELS(max_all, TH_CUDA_ALL(max_all))
TH_KERNELS(min_all, TH_CUDA_ALL(min_all))

template <class T>
static __global__ void put(T *gx, lines l, const int64_t *index, view vi, const T *g, view vg)
{
  for (TH_EACH(k, l.count)) gx[l.outer.at(k) + (index[vi.at(k)] - 1) * l.step] = g[vg.at(k)];
}
template <class T> static th_status pick_grad(const th_call *c)
{
  const pick_grad_args *a = pick_grad_args_of(c);
  const th_tensor *gx = a->gx;
  const int dim = (int)a->dim;
  const th_tensor index = th_cuda_with_dim(a->index, dim, gx->ndim), g = th_cuda_with_dim(a->g, dim, gx->ndim);
  const lines l = th_cuda_lines(gx, dim);
  TH_TRY(th_cuda_zero(gx));
  if (l.count == 0 || l.n == 0) return TH_OK;
  TH_LAUNCH((put<T>), th_blocks(l.count), THREADS, 0, th_first<T>(gx), l, th_first<const int64_t>(&index),
            th_cuda_lines(&index, dim).outer, th_first<const T>(&g), th_cuda_lines(&g, dim).outer);
  return th_launched();
}
TH_KERNELS(pick_grad, TH_CUDA_SIZED(pick_grad))
