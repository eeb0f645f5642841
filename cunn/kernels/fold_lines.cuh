// fold_lines.cuh - folds of the lines of a tensor. Long lines are cut into stretches, so that a few of them use the whole device;
// a second pass folds the stretches of a line in order. Sizes and strides decide the cut; the alignment of an address does not.
//
// A fold F over elements T has the types A, of its totals, and S, of what all elements of a line share, and
//   A none() const;                      S begin(int64_t k) const, for line k;
//   A take(A a, T v, S s, int64_t i) const, with element i;
//   A join(A, A) const;                  void put(int64_t k, A total) const, which writes the result of line k.
#ifndef TH_FOLD_LINES_CUH
#define TH_FOLD_LINES_CUH
#include "fold.cuh"

/* Before a loop: nvcc repeats its body n times, so that as many loads are under way. */
#ifndef TH_UNROLL
#ifdef __CUDACC__
#define TH_TEXT(...) #__VA_ARGS__
#define TH_UNROLL(n) _Pragma(TH_TEXT(unroll n))
#else
#define TH_UNROLL(n)
#endif
#endif

constexpr int FOUR = 4;                      /* elements that a thread loads at once */
template <class T> struct alignas(FOUR * sizeof(T) < 16 ? FOUR * sizeof(T) : 16) th_four { T v[FOUR]; };

/* How lines are cut: `stretches` of `per` elements. columns: a block has `wide` threads side by side, FOUR lines each, and
 * THREADS / wide of them for each; otherwise `wide` threads share a line. vector: four elements are loaded at once. */
struct th_cut { bool columns, vector; int wide; int64_t groups, stretches, per; };

constexpr int64_t STEPS = 16, BUSY = 1024;   /* steps that make a stretch worth a block; blocks that use the whole device */

TH_DEVICE_FN int64_t th_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

inline void th_cut_lines(th_cut *c, int64_t n, int64_t least, int64_t multiple)
{
  const int64_t most = th_up(n, least), want = BUSY / c->groups;
  const int64_t some = want < 1 ? 1 : want < most ? want : most;
  c->stretches = c->per = 1;
  if (n == 0) return;
  c->per = th_up(th_up(n, some), multiple) * multiple;
  c->stretches = th_up(n, c->per);
}

/* Whether neighbours along `step` 1, and only they, can be loaded in fours. */
template <class T> bool th_in_fours(const T *x, const lines &l, bool columns)
{
  const int last = l.outer.ndim - 1;
  bool fours = reinterpret_cast<uintptr_t>(x) % alignof(th_four<T>) == 0;
  fours = fours && (columns ? l.step % FOUR == 0 && l.outer.size[last] % FOUR == 0 : l.step == 1 && l.n % FOUR == 0);
  for (int d = 0; d <= last; d++) fours = fours && ((columns && d == last) || l.outer.stride[d] % FOUR == 0);
  return fours;
}

/* Lines side by side, in rows of at least 8 elements, or in rows without gaps. */
inline bool th_is_columns(const lines &l)
{
  const int last = l.outer.ndim - 1;
  if (l.step == 1 || l.count < 2 || l.n < 64 || l.outer.stride[last] != 1) return false;
  return l.outer.size[last] >= 8 || (last == 0 && l.step == l.count);
}

inline th_cut th_cut_columns(const lines &l)
{
  th_cut c = { true, false, 1, 0, 1, 1 };
  while (c.wide < 32 && c.wide * FOUR < l.count) c.wide *= 2;
  c.groups = th_up(l.count, c.wide * FOUR);
  th_cut_lines(&c, l.n, STEPS * (THREADS / c.wide), 1);
  return c;
}
inline th_cut th_cut_rows(const lines &l)
{
  th_cut c = { false, false, th_line_width(l), l.count, 1, l.n };
  if (c.wide == THREADS) th_cut_lines(&c, l.n, 2 * STEPS * THREADS, FOUR * THREADS);
  return c;
}

/* The totals of four columns, with the rows of threads folded in a tree. All threads call it; the first `wide` get the totals. */
template <class F> static __device__ void th_join_rows(const F &f, typename F::A *a, int wide)
{
  __shared__ typename F::A sums[FOUR][THREADS];
  const int t = (int)threadIdx.x;
  for (int j = 0; j < FOUR; j++) sums[j][t] = a[j];
  for (int h = THREADS / 2; h >= wide; h /= 2) {
    __syncthreads();
    if (t < h) for (int j = 0; j < FOUR; j++) sums[j][t] = f.join(sums[j][t], sums[j][t + h]);
  }
  __syncthreads();
  for (int j = 0; j < FOUR; j++) a[j] = sums[j][t];
  __syncthreads();                           // the next group writes `sums`
}

template <class T, class F>
static __global__ void __launch_bounds__(THREADS) th_fold_columns(typename F::A *part, F f, const T *x, lines l, th_cut c)
{
  const int lane = (int)threadIdx.x % c.wide, deep = THREADS / c.wide;
  for (int64_t b = blockIdx.x; b < c.groups * c.stretches; b += gridDim.x) {
    const int64_t stretch = th_quotient(b, c.groups), group = b - stretch * c.groups, first = stretch * c.per;
    const int64_t last = first + c.per < l.n ? first + c.per : l.n, from = first + threadIdx.x / c.wide;
    int64_t k[FOUR];
    const T *p[FOUR];
    typename F::A a[FOUR];
    typename F::S s[FOUR];
    for (int j = 0; j < FOUR; j++) {
      k[j] = group * c.wide * FOUR + (c.vector ? lane * FOUR + j : j * c.wide + lane);
      const int64_t some = k[j] < l.count ? k[j] : 0;
      p[j] = x + l.outer.at(some);
      s[j] = f.begin(some);
      a[j] = f.none();
    }
    if (c.vector) {
      const int64_t end = k[0] < l.count ? last : 0;
      TH_UNROLL(4)
      for (int64_t i = from; i < end; i += deep) {
        const th_four<T> v = *reinterpret_cast<const th_four<T> *>(p[0] + i * l.step);
        for (int j = 0; j < FOUR; j++) a[j] = f.take(a[j], v.v[j], s[j], i);
      }
    } else {
      TH_UNROLL(2)
      for (int64_t i = from; i < last; i += deep) {
        for (int j = 0; j < FOUR; j++) if (k[j] < l.count) a[j] = f.take(a[j], p[j][i * l.step], s[j], i);
      }
    }
    th_join_rows(f, a, c.wide);
    if ((int)threadIdx.x >= c.wide) continue;
    for (int j = 0; j < FOUR; j++) {
      if (k[j] >= l.count) continue;
      if (part) part[stretch * l.count + k[j]] = a[j];
      else f.put(k[j], a[j]);
    }
  }
}

template <class T, class F, int W>
static __global__ void __launch_bounds__(THREADS) th_fold_rows(typename F::A *part, F f, const T *x, lines l, th_cut c)
{
  for (TH_EACH_LINE(W, b, l.count * c.stretches)) {
    const int64_t stretch = part ? th_quotient(b, l.count) : 0, k = b - stretch * l.count, first = stretch * c.per;
    const int64_t last = first + c.per < l.n ? first + c.per : l.n;
    const T *p = x + l.outer.at(k);
    const typename F::S s = f.begin(k);
    typename F::A a = f.none();
    if (c.vector) {
      TH_UNROLL(4)
      for (int64_t i = first + threadIdx.x % W * FOUR; i < last; i += W * FOUR) {
        const th_four<T> v = *reinterpret_cast<const th_four<T> *>(p + i);
        for (int j = 0; j < FOUR; j++) a = f.take(a, v.v[j], s, i + j);
      }
    } else {
      for (int64_t i = first + threadIdx.x % W * FOUR; i < last; i += W * FOUR) {
        for (int j = 0; j < FOUR; j++) if (i + j < last) a = f.take(a, p[(i + j) * l.step], s, i + j);
      }
    }
    a = th_line_fold<W>(a, [&f](typename F::A u, typename F::A v) { return f.join(u, v); });
    if (threadIdx.x % W) continue;
    if (part) part[stretch * l.count + k] = a;
    else f.put(k, a);
  }
}

/* Joins the totals of a line's stretches. */
template <class F> struct th_joining {
  F f;
  typedef typename F::A A;
  typedef int S;
  __host__ __device__ A none() const { return f.none(); }
  __device__ S begin(int64_t) const { return 0; }
  __device__ A take(A a, A v, S, int64_t) const { return f.join(a, v); }
  __device__ A join(A a, A b) const { return f.join(a, b); }
  __device__ void put(int64_t k, A total) const { f.put(k, total); }
};
template <class F> th_status th_join_parts(const typename F::A *part, const F &f, int64_t count, int64_t stretches)
{
  lines l = {};
  l.outer.ndim = 1, l.outer.size[0] = count, l.outer.stride[0] = 1;
  l.count = l.step = count;
  l.n = stretches;
  th_cut c = th_cut_columns(l);
  c.per = stretches, c.stretches = 1;
  const unsigned blocks = (unsigned)(c.groups < 65535 ? c.groups : 65535);
  TH_LAUNCH((th_fold_columns<typename F::A, th_joining<F>>), blocks, THREADS, 0, nullptr, th_joining<F>{ f }, part, l, c);
  return th_launched();
}

/* One line is folded in the order of th_fold, so that x:view(-1):sum(1) has the bits of x:sum(). */
template <class T, class F> struct th_single {
  static constexpr int AT_ONCE = F::AT_ONCE;
  F f;
  const T *x;
  int64_t step;
  typedef typename F::A A;
  __host__ __device__ A none() const { return f.none(); }
  __device__ A take(A a, int64_t i) const { return f.take(a, x[i * step], f.begin(0), i); }
  __device__ A join(A a, A b) const { return f.join(a, b); }
};
template <class F> static __global__ void __launch_bounds__(THREADS) th_put_single(F f, const typename F::A *part, unsigned n)
{
  typedef typename F::A A;
  A a = n == 1 ? part[0] : f.none();
  if (n > 1) {
    for (unsigned i = threadIdx.x; i < n; i += THREADS) a = f.join(a, part[i]);
    a = th_block_fold(a, [&f](A b, A c) { return f.join(b, c); });
  }
  if (threadIdx.x == 0) f.put(0, a);
}
template <class T, class F> th_status th_fold_single(const T *x, const lines &l, const F &f)
{
  typedef typename F::A A;
  const int64_t pieces = th_up(l.n, PIECE);
  const unsigned blocks = pieces < 1 ? 1 : pieces < PIECES ? (unsigned)pieces : PIECES;
  const th_single<T, F> single = { f, x, l.step };
  th_cuda_scratch part;
  TH_TRY(part.take(blocks * sizeof(A)));
  TH_LAUNCH((th_fold_pieces<A, th_single<T, F>>), blocks, THREADS, 0, part.as<A>(), single, l.n);
  TH_LAUNCH((th_put_single<F>), 1, THREADS, 0, f, part.as<const A>(), blocks);
  return th_launched();
}

/* Folds the lines of x. */
template <class T, class F> th_status th_fold_lines(const T *x, const lines &l, const F &f)
{
  typedef typename F::A A;
  if (l.count == 0) return TH_OK;
  if (l.count == 1) return th_fold_single(x, l, f);
  const bool columns = th_is_columns(l);
  th_cut c = columns ? th_cut_columns(l) : th_cut_rows(l);
  th_cuda_scratch room;
  c.vector = th_in_fours(x, l, columns);
  if (c.stretches > 1) TH_TRY(room.take((size_t)(l.count * c.stretches) * sizeof(A)));
  A *const part = c.stretches > 1 ? room.as<A>() : nullptr;
  if (columns) {
    const int64_t blocks = c.groups * c.stretches;
    TH_LAUNCH((th_fold_columns<T, F>), (unsigned)(blocks < 65535 ? blocks : 65535), THREADS, 0, part, f, x, l, c);
  } else {
    const unsigned blocks = th_blocks(l.count * c.stretches * c.wide);
    switch (c.wide) {
      case 1:  TH_LAUNCH((th_fold_rows<T, F, 1>), blocks, THREADS, 0, part, f, x, l, c); break;
      case 32: TH_LAUNCH((th_fold_rows<T, F, 32>), blocks, THREADS, 0, part, f, x, l, c); break;
      default: TH_LAUNCH((th_fold_rows<T, F, THREADS>), blocks, THREADS, 0, part, f, x, l, c);
    }
  }
  if (part) TH_TRY(th_join_parts(room.as<const A>(), f, l.count, c.stretches));
  return th_launched();
}

#endif
