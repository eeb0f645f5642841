// scan.cu - running sums and products along one dimension, summed in double or 64 bits. A block walks a line tile by tile; where
// lines are few, long ones are cut into pieces: the pieces are folded, the folds scanned, then each piece knows with what it
// begins. How lines are cut depends on sizes only.
#include "../runtime/backend.cuh"
#include "../../lib/op/scan.args.h"

template <class T> using acc = typename element<T>::A;
template <class A> TH_DEVICE_FN A join(bool product, A a, A b) { return product ? a * b : a + b; }

/* A thread of a block scans EACH elements of a tile. Lines of up to SHORT elements take one thread each. With ENOUGH lines every
 * multiprocessor has a line to walk. */
constexpr int EACH = 16;
constexpr int64_t TILE = EACH * THREADS, SHORT = 64, MANY_LINES = 4096, ENOUGH = 512;

/* Inclusive scan over the threads of a block; *all: of everything. */
template <class A> __device__ A block_scan(bool product, A v, A *all)
{
  __shared__ A of_warp[THREADS / 32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned by = 1; by < 32; by *= 2) {
    const A below = __shfl_up_sync(0xffffffffu, v, by);
    if (lane >= by) v = join(product, below, v);
  }
  __syncthreads();                           // of_warp may still be read from the time before
  if (lane == 31) of_warp[warp] = v;
  __syncthreads();
  A before = product ? 1 : 0, sum = before;
  for (unsigned w = 0; w < THREADS / 32; w++) {
    if (w == warp) before = sum;
    sum = join(product, sum, of_warp[w]);
  }
  *all = sum;
  return join(product, before, v);
}

/* The place of element i of a tile in shared memory: threads that each read EACH neighbours meet no bank twice. */
TH_DEVICE_FN int padded(int i) { return i + i / 32; }

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

/* `part` holds what comes before each piece of `length` elements; without y it gets the folds of the pieces instead. */
template <class T>
static __global__ void __launch_bounds__(THREADS)
scan_pieces(T *y, lines ly, const T *x, lines lx, acc<T> *part, int64_t pieces, int64_t length, bool product)
{
  typedef acc<T> A;
  __shared__ T tile[TILE + TILE / 32];
  const A one = product ? 1 : 0;
  for (int64_t p = blockIdx.x; p < lx.count * pieces; p += gridDim.x) {
    const int64_t k = p / pieces, begin = (p - k * pieces) * length, end = lx.n - begin < length ? lx.n : begin + length;
    const T *from = x + lx.outer.at(k);
    T *to = y ? y + ly.outer.at(k) : nullptr;
    A before = y && pieces > 1 ? part[p] : one;
    for (int64_t first = begin; first < end; first += TILE) {
      const int n = end - first < TILE ? (int)(end - first) : (int)TILE, mine = (int)threadIdx.x * EACH;
      A v[EACH], all;
      for (int i = (int)threadIdx.x; i < n; i += THREADS) tile[padded(i)] = from[(first + i) * lx.step];
      __syncthreads();
      for (int j = 0; j < EACH; j++) {
        const A at = mine + j < n ? (A)element<T>::load(tile[padded(mine + j)]) : one;
        v[j] = j ? join(product, v[j - 1], at) : at;
      }
      const A here = v[EACH - 1], with = block_scan(product, here, &all);
      /* What the threads before have: not with - here, which would round once more. */
      A left = __shfl_up_sync(0xffffffffu, with, 1);
      __shared__ A last[THREADS / 32];
      if (threadIdx.x % 32 == 31) last[threadIdx.x / 32] = with;
      __syncthreads();
      if (threadIdx.x % 32 == 0) left = threadIdx.x ? last[threadIdx.x / 32 - 1] : one;
      left = join(product, before, left);
      if (y) {
        for (int j = 0; j < EACH; j++) if (mine + j < n) tile[padded(mine + j)] = element<T>::store(join(product, left, v[j]));
        __syncthreads();
        for (int i = (int)threadIdx.x; i < n; i += THREADS) to[(first + i) * ly.step] = tile[padded(i)];
      }
      before = join(product, before, all);
      __syncthreads();                       // the next tile reuses the memory
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
  const int64_t pieces = lx.count >= ENOUGH ? (lx.n > 0) : (lx.n + TILE - 1) / TILE, blocks = lx.count * pieces;
  const int64_t length = pieces > 1 ? TILE : lx.n;
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
    TH_LAUNCH((scan_pieces<T>), grid, THREADS, 0, static_cast<T *>(nullptr), ly, x, lx, s.as<acc<T>>(), pieces,
              length, product);
    const unsigned rows = (unsigned)(lx.count < 65535 ? lx.count : 65535);
    TH_LAUNCH((scan_parts<acc<T>>), rows, THREADS, 0, s.as<acc<T>>(), lx.count, pieces, product);
  }
  TH_LAUNCH((scan_pieces<T>), grid, THREADS, 0, y, ly, x, lx, s.as<acc<T>>(), pieces, length, product);
  return th_launched();
}
template <class T> static th_status cumsum(const th_call *c) { return scan<T>(c, false); }
template <class T> static th_status cumprod(const th_call *c) { return scan<T>(c, true); }
TH_KERNELS(cumsum, TH_CUDA_ALL(cumsum))
TH_KERNELS(cumprod, TH_CUDA_ALL(cumprod))
