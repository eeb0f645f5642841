// fold.cuh - folds over threads, blocks and lines, mostly sums, in an order that depends on sizes only. So the bits are the
// same in every run and on every device.
#ifndef TH_FOLD_CUH
#define TH_FOLD_CUH
#include "../runtime/backend.cuh"
#include "../../lib/op/reduce.args.h"

/* The fold over all THREADS threads of a block, in thread 0, in a fixed tree. */
template <class A, class Join> static __device__ A th_block_fold(A a, const Join &join)
{
  __shared__ A part[THREADS / 32];
  for (int h = 16; h > 0; h /= 2) a = join(a, __shfl_down_sync(0xffffffffu, a, h));
  __syncthreads();                           // threads may still read part of the previous fold
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = a;
  __syncthreads();
  if (threadIdx.x == 0) for (int w = 1; w < THREADS / 32; w++) a = join(a, part[w]);
  return a;
}

/* The fold over the W threads of a line (one, a warp, or a block), in each of them. */
template <int W, class A, class Join> static __device__ A th_line_fold(A a, const Join &join)
{
  if constexpr (W == 32) {
    for (int h = 16; h > 0; h /= 2) a = join(a, __shfl_xor_sync(0xffffffffu, a, h));
  } else if constexpr (W > 1) {
    __shared__ A whole;
    a = th_block_fold(a, join);
    if (threadIdx.x == 0) whole = a;
    __syncthreads();
    a = whole;
    __syncthreads();
  }
  return a;
}
template <int W> static __device__ double th_line_sum(double a)
{
  return th_line_fold<W>(a, [](double b, double c) { return b + c; });
}

/* Two sums at once: threads wait for each other once less. */
template <int W> static __device__ void th_line_sums(double *a, double *b)
{
  if constexpr (W > 1) {
    for (int h = 16; h > 0; h /= 2) {
      *a += __shfl_xor_sync(0xffffffffu, *a, h);
      *b += __shfl_xor_sync(0xffffffffu, *b, h);
    }
  }
  if constexpr (W > 32) {
    __shared__ double part[2][THREADS / 32];
    __syncthreads();                         // threads may still read the previous sums
    if (threadIdx.x % 32 == 0) part[0][threadIdx.x / 32] = *a, part[1][threadIdx.x / 32] = *b;
    __syncthreads();
    *a = *b = 0;
    for (int w = 0; w < THREADS / 32; w++) *a += part[0][w], *b += part[1][w];
  }
}

/* The number of threads for a line: 1, 32 or THREADS. One thread per line is fast if the lines are adjacent. */
inline int th_line_width(const lines &l)
{
  if (l.n <= 16 || (l.step != 1 && l.count >= 4096)) return 1;
  return l.n <= 1024 ? 32 : THREADS;
}
/* for (TH_EACH_LINE(W, k, count)): the lines of W threads; for (TH_EACH_OF(W, i, n)): the elements of one of them. */
#define TH_EACH_LINE(W, k, count) \
  int64_t k = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / (W); k < (count); k += (int64_t)gridDim.x * THREADS / (W)
#define TH_EACH_OF(W, i, n) int64_t i = threadIdx.x % (W); i < (n); i += (W)

/* ---- all elements ---- */

constexpr int64_t PIECE = 32 * THREADS;      /* elements of a block's piece */
constexpr unsigned PIECES = 1024;            /* at most this many at a time */

/* F: A none() const; A take(A, int64_t i) const, with element i; A join(A, A) const. A thread keeps AT_ONCE folds of a piece, so
 * that as many elements are on their way from memory. Only a short `take` gains by that. */
template <class A, class F> static __global__ void __launch_bounds__(THREADS) th_fold_pieces(A *part, F f, int64_t n)
{
  constexpr int AT_ONCE = F::AT_ONCE;
  A of[AT_ONCE];
  for (A &a : of) a = f.none();
  for (int64_t first = blockIdx.x * PIECE; first < n; first += gridDim.x * PIECE) {
    if (first + PIECE <= n) {
      for (int64_t i = first + threadIdx.x; i < first + PIECE; i += AT_ONCE * THREADS) {
        for (int k = 0; k < AT_ONCE; k++) of[k] = f.take(of[k], i + k * THREADS);
      }
    } else {
      for (int64_t i = first + threadIdx.x; i < n; i += THREADS) of[0] = f.take(of[0], i);
    }
  }
  for (int k = 1; k < AT_ONCE; k++) of[0] = f.join(of[0], of[k]);
  const A a = th_block_fold(of[0], [&f](A b, A c) { return f.join(b, c); });
  if (threadIdx.x == 0) part[blockIdx.x] = a;
}
template <class A, class F> static __global__ void __launch_bounds__(THREADS) th_fold_parts(A *to, const A *part, unsigned n, F f)
{
  A a = f.none();
  for (unsigned i = threadIdx.x; i < n; i += THREADS) a = f.join(a, part[i]);
  a = th_block_fold(a, [&f](A b, A c) { return f.join(b, c); });
  if (threadIdx.x == 0) *to = a;
}

/* Folds n elements; the result stays on the device. */
template <class A, class F> static th_status th_fold_to(A *to, const F &f, int64_t n)
{
  const int64_t pieces = (n + PIECE - 1) / PIECE;
  const unsigned blocks = pieces < 1 ? 1 : pieces < PIECES ? (unsigned)pieces : PIECES;
  th_cuda_scratch part;
  if (blocks > 1) TH_TRY(part.take(blocks * sizeof(A)));
  A *const first = blocks > 1 ? part.as<A>() : to;
  TH_LAUNCH((th_fold_pieces<A, F>), blocks, THREADS, 0, first, f, n);
  if (blocks > 1) TH_LAUNCH((th_fold_parts<A, F>), 1, THREADS, 0, to, part.as<const A>(), blocks, f);
  return th_launched();
}
/* The same, for the host. */
template <class A, class F> static th_status th_fold(A *total, const F &f, int64_t n)
{
  th_cuda_scratch room;
  *total = f.none();
  if (n == 0) return TH_OK;
  TH_TRY(room.take(sizeof(A)));
  TH_TRY(th_fold_to(room.as<A>(), f, n));
  return th_cuda_fetch(total, room.as<A>(), sizeof(A));
}

/* A base of F for sums: all but `take`. */
struct th_sum {
  static constexpr int AT_ONCE = 1;
  __host__ __device__ double none() const { return 0; }
  __device__ double join(double a, double b) const { return a + b; }
};

/* A number that the op returns to Lua. */
inline void th_give(const th_call *c, double v) { const_cast<th_call *>(c)->arg[reduce_all_result].d = v; }

#endif
