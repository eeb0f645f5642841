// mask.cu - picking and putting elements by a mask, and the places of what is not 0. Pieces are counted, the counts added up,
// then each piece knows where its first one goes.
#include "../runtime/late.cuh"
#include "../runtime/vector.cuh"
#include "../../lib/op/mask.args.h"

constexpr int64_t PIECE = 8 * THREADS;

/* How many threads of the block before this one say yes; *all: how many do. */
static __device__ int yes_before(bool yes, int *all)
{
  __shared__ int count[THREADS / 32];
  const unsigned bits = __ballot_sync(0xffffffffu, yes), lane = threadIdx.x % 32;
  const int warp = (int)threadIdx.x / 32;
  int before = 0;
  __syncthreads();                           // count may still be read from the time before
  if (lane == 0) count[warp] = __popc(bits);
  __syncthreads();
  *all = 0;
  for (int w = 0; w < THREADS / 32; w++) {
    if (w < warp) before += count[w];
    *all += count[w];
  }
  return before + __popc(bits & ((1u << lane) - 1));
}

template <class Ask> static __global__ void __launch_bounds__(THREADS) tally(int64_t *part, Ask ask, int64_t n, int64_t pieces)
{
  for (int64_t p = blockIdx.x; p < pieces; p += gridDim.x) {
    int64_t sum = 0;
    for (int64_t from = p * PIECE; from < n && from < (p + 1) * PIECE; from += THREADS) {
      const int64_t i = from + threadIdx.x;
      sum += __syncthreads_count(i < n && ask(i));
    }
    if (threadIdx.x == 0) part[p] = sum;
  }
}

/* Counts become sums of what came before: one block, tile by tile. */
static __global__ void __launch_bounds__(THREADS) add_up(int64_t *part, int64_t pieces)
{
  __shared__ int64_t a[2][THREADS];
  int64_t carry = 0;
  for (int64_t from = 0; from < pieces; from += THREADS) {
    const int64_t p = from + threadIdx.x;
    const int64_t mine = p < pieces ? part[p] : 0;
    int now = 0;
    a[0][threadIdx.x] = mine;
    __syncthreads();
    for (unsigned by = 1; by < THREADS; by *= 2, now = 1 - now) {
      a[1 - now][threadIdx.x] = a[now][threadIdx.x] + (threadIdx.x >= by ? a[now][threadIdx.x - by] : 0);
      __syncthreads();
    }
    if (p < pieces) part[p] = carry + a[now][threadIdx.x] - mine;
    carry += a[now][THREADS - 1];
    __syncthreads();
  }
}

/* does(i, k): element i is the k-th that says yes. */
template <class Ask, class Does>
static __global__ void __launch_bounds__(THREADS) deal(const int64_t *part, Ask ask, Does does, int64_t n, int64_t pieces)
{
  for (int64_t p = blockIdx.x; p < pieces; p += gridDim.x) {
    int64_t k = part[p];
    for (int64_t from = p * PIECE; from < n && from < (p + 1) * PIECE; from += THREADS) {
      const int64_t i = from + threadIdx.x;
      const bool yes = i < n && ask(i);
      int all;
      const int before = yes_before(yes, &all);
      if (yes) does(i, k + before);
      k += all;
    }
  }
}

template <class Ask, class Does> static th_status for_each_yes(const Ask &ask, const Does &does, int64_t n)
{
  const int64_t pieces = (n + PIECE - 1) / PIECE;
  const unsigned blocks = (unsigned)(pieces < 65535 ? pieces : 65535);
  th_cuda_scratch s;
  if (n == 0) return TH_OK;
  TH_TRY(s.take((size_t)pieces * sizeof(int64_t)));
  TH_LAUNCH((tally<Ask>), blocks, THREADS, 0, s.as<int64_t>(), ask, n, pieces);
  TH_LAUNCH((add_up), 1, THREADS, 0, s.as<int64_t>(), pieces);
  TH_LAUNCH((deal<Ask, Does>), blocks, THREADS, 0, s.as<int64_t>(), ask, does, n, pieces);
  return th_launched();
}

/* ---- by a mask ---- */

struct masked {
  const uint8_t *mask;
  view v;
  __device__ bool operator()(int64_t i) const { return mask[v.at(i)] != 0; }
};
/* Elements i of y are elements k of x, or the other way. */
template <class T> struct spread {
  T *y;
  view vy;
  const T *x;
  view vx;
  __device__ void operator()(int64_t i, int64_t k) const { y[vy.at(i)] = x[vx.at(k)]; }
};
template <class T> struct gathered {
  T *y;
  view vy;
  const T *x;
  view vx;
  __device__ void operator()(int64_t i, int64_t k) const { y[vy.at(k)] = x[vx.at(i)]; }
};
static masked mask_of(const th_tensor *mask) { return { th_first<const uint8_t>(mask), th_view_of(mask) }; }

template <class T> static th_status masked_select(const th_call *c)
{
  const maskedSelect_args *a = maskedSelect_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  const gathered<T> to = { th_first<T>(y), th_view_of(y), th_first<const T>(x), th_view_of(x) };
  return th_numel(y) == 0 ? TH_OK : for_each_yes(mask_of(a->mask), to, th_numel(x));
}
template <class T> static th_status put(const th_tensor *y, const th_tensor *mask, const th_tensor *x)
{
  const spread<T> to = { th_first<T>(y), th_view_of(y), th_first<const T>(x), th_view_of(x) };
  return th_numel(x) == 0 ? TH_OK : for_each_yes(mask_of(mask), to, th_numel(y));
}
template <class T> static th_status masked_copy(const th_call *c)
{
  const maskedCopy_args *a = maskedCopy_args_of(c);
  return put<T>(a->y, a->mask, a->x);
}
template <class T> static th_status mask_grad(const th_call *c)
{
  const mask_grad_args *a = mask_grad_args_of(c);
  TH_TRY(th_cuda_zero(a->gx));
  return put<T>(a->gx, a->mask, a->g);
}
TH_KERNELS(maskedSelect, TH_CUDA_SIZED(masked_select))
TH_KERNELS(maskedCopy, TH_CUDA_SIZED(masked_copy))
TH_KERNELS(mask_grad, TH_CUDA_SIZED(mask_grad))

template <class T> static __global__ void set(T *y, view vy, masked ask, int64_t n, T v, th_cuda_finder f)
{
  for (TH_EACH(i, n)) {
    const uint8_t bit = ask.mask[ask.v.at(i)];
    if (bit > 1) th_find(f, i, bit);
    if (bit == 1) y[vy.at(i)] = v;
  }
}
/* Contiguous, aligned operands: N elements at a time are read, changed and written. */
template <class T> constexpr int AT_ONCE = 16 / sizeof(T) < 8 ? 16 / (int)sizeof(T) : 8;
template <class T> static __global__ void set_vectors(T *y, const uint8_t *mask, int64_t n, T v, th_cuda_finder f)
{
  constexpr int N = AT_ONCE<T>;
  const int64_t vectors = n / N;
  for (TH_EACH(k, vectors)) {
    uint8_t bit[N], wrong = 0;
    T e[N];
    load_values<stored<uint8_t>, N>(bit, mask + k * N);
    load_values<stored<T>, N>(e, y + k * N);
    for (int j = 0; j < N; j++) {
      wrong |= bit[j];
      if (bit[j] == 1) e[j] = v;
    }
    if (wrong > 1) {
      for (int64_t i = k * N; i < (k + 1) * N; i++) if (mask[i] > 1) th_find(f, i, mask[i]);
    }
    store_values<stored<T>, N>(y + k * N, e);
  }
  const int64_t i = vectors * N + threadIdx.x;
  if (blockIdx.x > 0 || i >= n) return;
  if (mask[i] > 1) th_find(f, i, mask[i]);
  if (mask[i] == 1) y[i] = v;
}
template <class T> static bool set_fits(const th_tensor *y, const th_tensor *mask)
{
  constexpr uintptr_t N = AT_ONCE<T>;
  return th_contiguous(y) && th_contiguous(mask) && th_numel(y) == th_numel(mask) &&
         (uintptr_t)th_first<T>(y) % (N * sizeof(T)) == 0 && (uintptr_t)th_first<const uint8_t>(mask) % N == 0;
}

template <class T> static th_status masked_fill(const th_call *c)
{
  const maskedFill_args *a = maskedFill_args_of(c);
  const th_tensor *y = a->y;
  const int64_t n = th_numel(y);
  th_cuda_finder f;
  TH_TRY(th_cuda_finder_in(&f, c, maskedFill_mask));
  if (n == 0) return TH_OK;
  if (set_fits<T>(y, a->mask)) {
    TH_LAUNCH((set_vectors<T>), th_blocks(n / AT_ONCE<T>), THREADS, 0, th_first<T>(y), th_first<const uint8_t>(a->mask), n,
              element<T>::from_double(a->value), f);
    return th_launched();
  }
  TH_LAUNCH((set<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), mask_of(a->mask), n,
            element<T>::from_double(a->value), f);
  return th_launched();
}
TH_KERNELS(maskedFill, TH_CUDA_ALL(masked_fill))

/* ---- nonzero ---- */

template <class T> struct counts {
  const T *x;
  view v;
  __device__ bool operator()(int64_t i) const { return element<T>::load(x[v.at(i)]) != 0; }
};
/* The place of element i in a tensor of these sizes, to row k. */
struct placed {
  int64_t *y, down, right;
  int32_t ndim;
  int64_t size[TH_MAXDIM];
  __device__ void operator()(int64_t i, int64_t k) const
  {
    for (int d = ndim - 1; d >= 0; d--) {
      const int64_t q = th_quotient(i, size[d]);
      y[k * down + d * right] = i - q * size[d] + 1;
      i = q;
    }
  }
};
template <class T> static th_status nonzero(const th_call *c)
{
  const nonzero_args *args = nonzero_args_of(c);
  const th_tensor *y = args->y, *x = args->x;
  const counts<T> ask = { th_first<const T>(x), th_view_of(x) };
  placed to = { th_first<int64_t>(y), y->stride[0], y->stride[1], x->ndim, {} };
  if (y->ndim != 2 || y->size[1] == 0) return TH_OK;       /* no places, or a number without any */
  for (int d = 0; d < x->ndim; d++) to.size[d] = x->size[d];
  return for_each_yes(ask, to, th_numel(x));
}
TH_KERNELS(nonzero, TH_CUDA_ALL(nonzero))
