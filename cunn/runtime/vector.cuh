// vector.cuh - launches of pointwise kernels: 16 bytes of each operand at a time where all operands are contiguous and aligned,
// else element by element.
//
// pointwise(n, body, writes<HOW>(y), reads<HOW>(x, y), ...) calls body(value, value, ...) for each of n elements, with a value
// for each operand in the order of the operands; the body assigns the values of operands that are written. A body begins with
// start(), once in each thread. A thread reads an element of all operands before it writes one, so an operand that is written may
// be the same as others. Both kernels compute an element by the same code. A body with a sum of two products must say which one
// is fused with the sum, because the compiler may choose differently in each kernel.
#ifndef TH_VECTOR_CUH
#define TH_VECTOR_CUH
#include <type_traits>
#include "backend.cuh"
#include "values.cuh"

#define TH_MEMBER __host__ __device__ __forceinline__

/* ---- operands ---- */

enum { TH_READ = 1, TH_WRITE = 2 };
template <class How, int USE> struct operand {
  typedef How how;
  typedef typename How::E E;
  static constexpr int use = USE;
  E *p;
  const th_tensor *t, *like;                     /* t is broadcast to the shape of `like` */
};
template <class How, int USE> operand<How, USE> operand_of(const th_tensor *t, const th_tensor *like)
{
  return { th_first<typename How::E>(t), t, like };
}
template <class How> operand<How, TH_READ> reads(const th_tensor *t, const th_tensor *like)
{
  return operand_of<How, TH_READ>(t, like);
}
template <class How> operand<How, TH_WRITE> writes(const th_tensor *t) { return operand_of<How, TH_WRITE>(t, t); }
template <class How> operand<How, TH_READ | TH_WRITE> updates(const th_tensor *t)
{
  return operand_of<How, TH_READ | TH_WRITE>(t, t);
}

/* What bodies without preparations begin with. HEAVY bodies are long, so the vector kernel repeats them less often. */
struct plain_body {
  static constexpr bool HEAVY = false;
  TH_MEMBER void start() {}
};

/* ---- lists of operands and of their values ---- */

template <class... S> struct pointers {
  pointers() {}
};
template <class S, class... R> struct pointers<S, R...> {
  typename S::E *p;
  pointers<R...> rest;
  pointers(const S &s, const R &...r) : p(s.p), rest(r...) {}
};

/* N elements of each operand. */
template <int N, class... S> struct batch {
  __device__ __forceinline__ void load(const pointers<> &, uint32_t) {}
  __device__ __forceinline__ void store(const pointers<> &, uint32_t) const {}
  template <class F, class... V> __device__ __forceinline__ void apply(const F &f, int, V &...v) { f(v...); }
};
template <int N, class S, class... R> struct batch<N, S, R...> {
  typename S::how::V v[N];
  batch<N, R...> rest;
  __device__ __forceinline__ void load(const pointers<S, R...> &s, uint32_t at)
  {
    if constexpr ((S::use & TH_READ) != 0) load_values<typename S::how, N>(v, s.p + at);
    rest.load(s.rest, at);
  }
  __device__ __forceinline__ void store(const pointers<S, R...> &s, uint32_t at) const
  {
    if constexpr ((S::use & TH_WRITE) != 0) store_values<typename S::how, N>(s.p + at, v);
    rest.store(s.rest, at);
  }
  template <class F, class... V> __device__ __forceinline__ void apply(const F &f, int k, V &...before)
  {
    rest.apply(f, k, before..., v[k]);
  }
};

/* ---- contiguous, aligned operands ---- */

/* N elements make a vector, of 16 bytes for the widest type but where bodies are long or elements
 * have one byte; a thread computes U vectors, 16 bytes of the widest operand. One turn for each
 * thread was the fastest way on an H200: bench/results/nvidia-h200.md. */
constexpr int th_larger(int a, int b) { return a > b ? a : b; }
constexpr int th_smaller(int a, int b) { return a < b ? a : b; }
template <class Body, class... S> struct shape_of {
  static constexpr int widest()
  {
    int most = 1;
    ((most = th_larger(most, (int)sizeof(typename S::E))), ...);
    return most;
  }
  static constexpr int N = th_smaller(16 / widest(), Body::HEAVY ? 4 : 8);
  static constexpr int U = Body::HEAVY ? 1 : 16 / (N * widest());
  static constexpr uint32_t TILE = THREADS * N * U;
};

/* A block computes a tile; blocks from `tiles` on compute what follows, an element a thread. */
template <class Body, class... S>
static __global__ void __launch_bounds__(THREADS) by_vectors(Body f, uint32_t n, uint32_t tiles, pointers<S...> s)
{
  typedef shape_of<Body, S...> shape;
  constexpr int N = shape::N, U = shape::U;
  f.start();
  if (blockIdx.x < tiles) {
    const uint32_t first = blockIdx.x * shape::TILE + threadIdx.x * N;
    batch<N, S...> b[U];
    TH_UNROLL_ALL
    for (int u = 0; u < U; u++) b[u].load(s, first + u * (THREADS * N));
    TH_UNROLL_ALL
    for (int u = 0; u < U; u++) {
      TH_UNROLL_ALL
      for (int k = 0; k < N; k++) b[u].apply(f, k);
      b[u].store(s, first + u * (THREADS * N));
    }
    return;
  }
  const uint32_t i = tiles * shape::TILE + (blockIdx.x - tiles) * THREADS + threadIdx.x;
  if (i >= n) return;
  batch<1, S...> b;
  b.load(s, i);
  b.apply(f, 0);
  b.store(s, i);
}

/* ---- other operands ---- */

/* i / size = (times * i / 2^32 + i) / 2^shift for i below 2^31 (Granlund and Montgomery, Division
 * by invariant integers using multiplication, 1994). */
TH_DEVICE_FN uint32_t th_divide(uint32_t i, uint32_t times, int shift)
{
  return ((uint32_t)((uint64_t)i * times >> 32) + i) >> shift;
}
/* The product and the shift that divide by a size. */
inline void th_divisor(int64_t size, uint32_t *times, uint8_t *shift)
{
  *shift = 0;
  while ((int64_t)1 << *shift < size) ++*shift;
  const uint64_t n = (uint64_t)size, excess = ((uint64_t)1 << *shift) - n;
  *times = (uint32_t)(((uint64_t)1 << 32) * excess / n + 1);
}

/* A view whose elements, and their distances, are counted in 32 bits. */
struct narrow_view {
  int32_t ndim, stride[TH_MAXDIM];
  uint32_t size[TH_MAXDIM], times[TH_MAXDIM];
  uint8_t shift[TH_MAXDIM];
  TH_MEMBER int32_t at(uint32_t i) const
  {
    int32_t off = 0;
    TH_UNROLL_NONE
    for (int d = ndim - 1; d > 0; d--) {
      const uint32_t q = th_divide(i, times[d], shift[d]);
      off += (int32_t)(i - q * size[d]) * stride[d];
      i = q;
    }
    return off + (int32_t)i * stride[0];
  }
};
/* Returns whether v fits. */
inline bool th_make_narrow(narrow_view *w, const view &v, int64_t n)
{
  int64_t reach = 0;
  if (n > INT32_MAX) return false;
  w->ndim = v.ndim;
  for (int d = 0; d < v.ndim; d++) {
    const int64_t stride = v.stride[d] < 0 ? -v.stride[d] : v.stride[d];
    if (stride > INT32_MAX) return false;
    reach += (v.size[d] - 1) * stride;
    w->size[d] = (uint32_t)v.size[d];
    w->stride[d] = (int32_t)v.stride[d];
    th_divisor(v.size[d], &w->times[d], &w->shift[d]);
  }
  return reach <= INT32_MAX;
}

struct any_view {
  union { view wide; narrow_view narrow; };
  __device__ __forceinline__ int64_t at(int64_t i, bool is_narrow) const
  {
    return is_narrow ? narrow.at((uint32_t)i) : wide.at(i);
  }
};

template <class... S> struct places {
  places() {}
  bool narrow(int64_t) { return true; }
  void widen() {}
};
template <class S, class... R> struct places<S, R...> {
  typename S::E *p;
  any_view v;
  places<R...> rest;
  const th_tensor *t, *like;
  places(const S &s, const R &...r) : p(s.p), rest(r...), t(s.t), like(s.like) {}
  bool narrow(int64_t n) { return th_make_narrow(&v.narrow, th_view_like(t, like), n) && rest.narrow(n); }
  void widen() { v.wide = th_view_like(t, like); rest.widen(); }
};

/* One element of each operand, and where it lies. */
template <class... S> struct single {
  __device__ __forceinline__ void load(const places<> &, int64_t, bool) {}
  __device__ __forceinline__ void store(const places<> &) const {}
  template <class F, class... V> __device__ __forceinline__ void apply(const F &f, V &...v) { f(v...); }
};
template <class S, class... R> struct single<S, R...> {
  typename S::how::V v;
  int64_t at;
  single<R...> rest;
  __device__ __forceinline__ void load(const places<S, R...> &s, int64_t i, bool narrow)
  {
    at = s.v.at(i, narrow);
    if constexpr ((S::use & TH_READ) != 0) v = S::how::load(s.p[at]);
    rest.load(s.rest, i, narrow);
  }
  __device__ __forceinline__ void store(const places<S, R...> &s) const
  {
    if constexpr ((S::use & TH_WRITE) != 0) s.p[at] = S::how::store(v);
    rest.store(s.rest);
  }
  template <class F, class... V> __device__ __forceinline__ void apply(const F &f, V &...before) { rest.apply(f, before..., v); }
};

template <class Body, class... S>
static __global__ void __launch_bounds__(THREADS) by_elements(Body f, int64_t n, bool narrow, places<S...> s)
{
  f.start();
  TH_UNROLL_NONE
  for (TH_EACH(i, n)) {
    single<S...> e;
    e.load(s, i, narrow);
    e.apply(f);
    e.store(s);
  }
}

/* ---- the choice ---- */

template <int N, class S> bool fits_vectors(const S &s, int64_t n)
{
  return th_contiguous(s.t) && th_numel(s.t) == n && (uintptr_t)s.p % (N * sizeof(typename S::E)) == 0;
}

template <class Body, class... S> th_status pointwise(int64_t n, const Body &f, const S &...s)
{
  typedef shape_of<Body, S...> shape;
  if (n == 0) return TH_OK;
  if (n <= INT32_MAX && (... && fits_vectors<shape::N>(s, n))) {
    const uint32_t tiles = (uint32_t)n / shape::TILE, turns = tiles + ((uint32_t)n % shape::TILE + THREADS - 1) / THREADS;
    TH_LAUNCH((by_vectors<Body, S...>), turns, THREADS, 0, f, (uint32_t)n, tiles,
              pointers<S...>(s...));
    return th_launched();
  }
  places<S...> p(s...);
  const bool narrow = p.narrow(n);
  if (!narrow) p.widen();
  TH_LAUNCH((by_elements<Body, S...>), th_blocks(n), THREADS, 0, f, n, narrow, p);
  return th_launched();
}

#endif
