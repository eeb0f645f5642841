// scan.cu - running sums and products along one dimension, summed in double or 64 bits. Long lines go in pieces: the pieces are
// folded, the folds scanned, then each piece knows with what it begins. How lines are cut depends on sizes only.
#include "backend.cuh"
#include "../lib/op/scan.args.h"

template <class T> using acc = typename element<T>::A;
template <class A> TH_DEVICE_FN A join(bool product, A a, A b) { return product ? a * b : a + b; }

constexpr int64_t PIECE = 16 * THREADS, SHORT = 64, MANY_LINES = 4096;

/* Inclusive scan over the threads of a block; *all: of everything. */
template <class A> __device__ A block_scan(bool product, A v, A *all)
{
  __shared__ A a[2][THREADS];
  int now = 0;
  __syncthreads();                           // a may still be read from the time before
  a[0][threadIdx.x] = v;
  __syncthreads();
  for (unsigned by = 1; by < THREADS; by *= 2, now = 1 - now) {
    v = a[now][threadIdx.x];
    a[1 - now][threadIdx.x] = threadIdx.x >= by ? join(product, a[now][threadIdx.x - by], v) : v;
    __syncthreads();
  }
  *all = a[now][THREADS - 1];
  return a[now][threadIdx.x];
}

template <class T> static __global__ void scan_lines(T *y, lines ly, const T *x, lines lx, bool product)
{
  for (TH_EACH(k, lx.count)) {
    const T *from = x + lx.outer.at(k);
    T *to = y + ly.outer.at(k);
    acc<T> a = product ? 1 : 0;
    for (int64_t i = 0; i < lx.n; i++) {
      a = join(product, a, (acc<T>)element<T>::load(from[i * lx.step]));
      to[i * ly.step] = element<T>::store(a);
    }
  }
}

/* `part` holds what comes before each piece; without y it gets the folds of the pieces instead. */
template <class T>
static __global__ void __launch_bounds__(THREADS)
scan_pieces(T *y, lines ly, const T *x, lines lx, acc<T> *part, int64_t pieces, bool product)
{
  typedef acc<T> A;
  for (int64_t p = blockIdx.x; p < lx.count * pieces; p += gridDim.x) {
    const int64_t k = p / pieces, begin = (p - k * pieces) * PIECE, end = lx.n - begin < PIECE ? lx.n : begin + PIECE;
    const T *from = x + lx.outer.at(k);
    A before = y && pieces > 1 ? part[p] : product ? (A)1 : (A)0;
    for (int64_t first = begin; first < end; first += THREADS) {
      const int64_t i = first + threadIdx.x;
      A all;
      const A v = i < end ? (A)element<T>::load(from[i * lx.step]) : product ? (A)1 : (A)0;
      const A a = join(product, before, block_scan(product, v, &all));
      if (y && i < end) y[ly.outer.at(k) + i * ly.step] = element<T>::store(a);
      before = join(product, before, all);
    }
    if (!y && threadIdx.x == 0) part[p] = before;
  }
}
/* Folds of the pieces of each line become what comes before them. */
template <class A>
static __global__ void __launch_bounds__(THREADS) scan_parts(A *part, int64_t count, int64_t pieces, bool product)
{
  for (int64_t k = blockIdx.x; k < count; k += gridDim.x) {
    A before = product ? 1 : 0;
    for (int64_t first = 0; first < pieces; first += THREADS) {
      const int64_t p = first + threadIdx.x;
      A all, mine = product ? 1 : 0;
      if (p > 0 && p < pieces && threadIdx.x) mine = part[k * pieces + p - 1];
      const A last = part[k * pieces + (first + THREADS < pieces ? first + THREADS : pieces) - 1];
      const A a = join(product, before, block_scan(product, mine, &all));
      if (p < pieces) part[k * pieces + p] = a;
      before = join(product, join(product, before, all), last);
      __syncthreads();
    }
  }
}

template <class T> static th_status scan(const th_call *c, bool product)
{
  const cumsum_args *a = cumsum_args_of(c);
  const int dim = (int)a->dim;
  const lines ly = th_cuda_lines(a->y, dim), lx = th_cuda_lines(a->x, dim);
  const int64_t pieces = (lx.n + PIECE - 1) / PIECE, blocks = lx.count * pieces;
  const unsigned grid = (unsigned)(blocks < 65535 ? blocks : 65535);
  T *y = th_first<T>(a->y);
  const T *x = th_first<const T>(a->x);
  th_cuda_scratch s;
  if (blocks == 0) return TH_OK;
  if (lx.n <= SHORT || (lx.step != 1 && lx.count >= MANY_LINES)) {
    TH_LAUNCH((scan_lines<T>), th_blocks(lx.count), THREADS, 0, y, ly, x, lx, product);
    return th_launched();
  }
  if (pieces > 1) {
    TH_TRY(s.take((size_t)blocks * sizeof(acc<T>)));
    TH_LAUNCH((scan_pieces<T>), grid, THREADS, 0, static_cast<T *>(nullptr), ly, x, lx, s.as<acc<T>>(), pieces, product);
    const unsigned rows = (unsigned)(lx.count < 65535 ? lx.count : 65535);
    TH_LAUNCH((scan_parts<acc<T>>), rows, THREADS, 0, s.as<acc<T>>(), lx.count, pieces, product);
  }
  TH_LAUNCH((scan_pieces<T>), grid, THREADS, 0, y, ly, x, lx, s.as<acc<T>>(), pieces, product);
  return th_launched();
}
template <class T> static th_status cumsum(const th_call *c) { return scan<T>(c, false); }
template <class T> static th_status cumprod(const th_call *c) { return scan<T>(c, true); }
TH_KERNELS(cumsum, TH_CUDA_ALL(cumsum))
TH_KERNELS(cumprod, TH_CUDA_ALL(cumprod))
