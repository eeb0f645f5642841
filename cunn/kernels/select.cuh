// select.cuh - the k smallest keys of lines, or the k-th, without sorting. Eight bits at a time, from the top, threads count
// how many keys that share the digits found so far have each next digit. The counts give the next digit of the k-th key. A last
// pass takes the keys below the k-th and the first of its equals, in the order of x. Counts are whole numbers, so the order of
// the threads does not change the result.
#ifndef TH_SELECT_CUH
#define TH_SELECT_CUH
#include "fold_lines.cuh"
#include "order_keys.cuh"

constexpr int DIGIT_BITS = 8, BINS = 256;
constexpr int64_t SHORT = 8192;              /* elements of a line that one block selects from */
static_assert(BINS == THREADS, "each thread clears and adds one bin");

/* The digits found of the k-th key, and its rank from 1 among the keys that share them. */
template <class K> struct th_kth { K key; uint32_t rank; };

/* Elements `from` to `to` of a line. */
template <class T> struct th_part {
  const T *p;
  int64_t step, from, to;
  bool descending;
  __device__ key_type<T> key(int64_t i) const { return key_of(p[i * step], descending); }
};

/* Adds the digits at `shift` to the bins. */
template <class T> static __device__ void th_count_digits(uint32_t *bins, const th_part<T> &a, key_type<T> found, int shift)
{
  const bool first = shift + DIGIT_BITS == 8 * (int)sizeof(T);
  TH_UNROLL(4)
  for (int64_t i = a.from + threadIdx.x; i < a.to; i += THREADS) {
    const key_type<T> key = a.key(i);
    if (first || (key ^ found) >> (shift + DIGIT_BITS) == 0) atomicAdd(bins + (key >> shift & (BINS - 1)), 1u);
  }
}

/* Finds the next digit by a warp, whose lanes have eight bins each, and clears the bins. */
template <class K> static __device__ void th_next_digit(th_kth<K> *kth, uint32_t *bins, int shift)
{
  constexpr int EACH = BINS / 32;
  const int lane = (int)threadIdx.x % 32;
  const th_kth<K> was = *kth;
  uint32_t own[EACH], sum = 0;
  for (int j = 0; j < EACH; j++) {
    own[j] = bins[lane * EACH + j];
    bins[lane * EACH + j] = 0;
    sum += own[j];
  }
  uint32_t upto = sum;
  for (int h = 1; h < 32; h *= 2) {
    const uint32_t before = __shfl_up_sync(0xffffffffu, upto, (unsigned)h);
    if (lane >= h) upto += before;
  }
  uint32_t before = upto - sum;
  __syncwarp();                              /* all lanes have read *kth */
  if (before >= was.rank || upto < was.rank) return;
  int j = 0;
  while (before + own[j] < was.rank) before += own[j++];
  *kth = { was.key | (K)(lane * EACH + j) << shift, was.rank - before };
}

/* How many keys come before a stretch that are below the k-th, and that equal it. */
struct th_sides { uint32_t below, equal; };

/* Takes elements of a part of a line; `one`: only the k-th. */
template <class T>
static __device__ void th_take_chosen(key_type<T> *key, uint32_t *place, const th_part<T> &a, th_kth<key_type<T>> kth,
                                      th_sides before, int64_t k, bool one)
{
  __shared__ th_sides warps[THREADS / 32];
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  for (int64_t first = a.from; first < a.to; first += THREADS) {
    const int64_t i = first + threadIdx.x;
    const key_type<T> own = i < a.to ? a.key(i) : 0;
    const bool below = i < a.to && own < kth.key, equal = i < a.to && own == kth.key;
    const uint32_t equals = before.equal < kth.rank ? before.equal : kth.rank;
    if (before.below + equals >= k) break;
    if (__syncthreads_count(below || equal) == 0) continue;
    const unsigned all_below = __ballot_sync(0xffffffffu, below), all_equal = __ballot_sync(0xffffffffu, equal);
    if (lane == 0) warps[warp] = { (uint32_t)__popc(all_below), (uint32_t)__popc(all_equal) };
    __syncthreads();
    th_sides mine = { before.below + (uint32_t)__popc(all_below & ((1u << lane) - 1)),
                      before.equal + (uint32_t)__popc(all_equal & ((1u << lane) - 1)) };
    for (int w = 0; w < THREADS / 32; w++) {
      if (w < warp) mine.below += warps[w].below, mine.equal += warps[w].equal;
      before.below += warps[w].below, before.equal += warps[w].equal;
    }
    const int64_t to = one ? 0 : mine.below + (int64_t)(mine.equal < kth.rank ? mine.equal : kth.rank);
    if (one ? equal && mine.equal + 1 == kth.rank : below || (equal && mine.equal < kth.rank)) {
      key[to] = own;
      place[to] = (uint32_t)i;
    }
  }
}

/* What is asked of lines `first` on, `count` of them, each in `stretches` of `per` elements. */
template <class T> struct th_selecting {
  const T *x;
  lines l;
  int64_t first, count, k, stretches, per;
  bool one, descending;
  __device__ th_part<T> part(int64_t line, int64_t stretch) const
  {
    const int64_t from = stretch * per, to = from + per < l.n ? from + per : l.n;
    return { x + l.outer.at(first + line), l.step, from, to, descending };
  }
  TH_DEVICE_FN int top() { return 8 * (int)sizeof(T) - DIGIT_BITS; }
  __device__ int64_t kept() const { return one ? 1 : k; }
};

/* Short lines: a block does all passes, so that memory is read once and caches are read again. */
template <class T>
static __global__ void __launch_bounds__(THREADS) th_select_lines(key_type<T> *key, uint32_t *place, th_selecting<T> s)
{
  typedef key_type<T> K;
  __shared__ uint32_t bins[BINS];
  __shared__ th_kth<K> kth;
  for (int64_t line = blockIdx.x; line < s.count; line += gridDim.x) {
    const th_part<T> a = s.part(line, 0);
    __syncthreads();                         // threads may still read `kth` of the previous line
    bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) kth = { 0, (uint32_t)s.k };
    for (int shift = s.top(); shift >= 0; shift -= DIGIT_BITS) {
      __syncthreads();
      th_count_digits(bins, a, kth.key, shift);
      __syncthreads();
      if (threadIdx.x < 32) th_next_digit(&kth, bins, shift);
    }
    __syncthreads();
    th_take_chosen(key + line * s.kept(), place + line * s.kept(), a, kth, th_sides{ 0, 0 }, s.k, s.one);
  }
}

/* Long lines: blocks share them, and each pass is a kernel. */
template <class K> static __global__ void th_begin_select(th_kth<K> *kth, uint32_t *bins, int64_t count, int64_t k)
{
  for (TH_EACH(i, count * BINS)) {
    bins[i] = 0;
    if (i < count) kth[i] = { 0, (uint32_t)k };
  }
}
template <class T>
static __global__ void __launch_bounds__(THREADS) th_count_lines(uint32_t *all, const th_kth<key_type<T>> *kth, th_selecting<T> s,
                                                                  int shift)
{
  __shared__ uint32_t bins[BINS];
  for (int64_t b = blockIdx.x; b < s.count * s.stretches; b += gridDim.x) {
    const int64_t line = th_quotient(b, s.stretches);
    bins[threadIdx.x] = 0;
    __syncthreads();
    th_count_digits(bins, s.part(line, b - line * s.stretches), kth[line].key, shift);
    __syncthreads();
    if (bins[threadIdx.x]) atomicAdd(all + line * BINS + threadIdx.x, bins[threadIdx.x]);
  }
}
template <class K> static __global__ void th_next_digits(th_kth<K> *kth, uint32_t *bins, int64_t count, int shift)
{
  for (int64_t k = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / 32; k < count; k += gridDim.x * (int64_t)(THREADS / 32)) {
    th_next_digit(kth + k, bins + k * BINS, shift);
  }
}
template <class T>
static __global__ void __launch_bounds__(THREADS) th_count_sides(th_sides *sides, const th_kth<key_type<T>> *kth,
                                                                  th_selecting<T> s)
{
  for (int64_t b = blockIdx.x; b < s.count * s.stretches; b += gridDim.x) {
    const int64_t line = th_quotient(b, s.stretches);
    const th_part<T> a = s.part(line, b - line * s.stretches);
    const key_type<T> key = kth[line].key;
    uint64_t both = 0;                       /* below in the upper half, equal in the lower one */
    TH_UNROLL(4)
    for (int64_t i = a.from + threadIdx.x; i < a.to; i += THREADS) {
      const key_type<T> own = a.key(i);
      both += own < key ? (uint64_t)1 << 32 : own == key;
    }
    both = th_block_fold(both, [](uint64_t u, uint64_t v) { return u + v; });
    if (threadIdx.x == 0) sides[b] = { (uint32_t)(both >> 32), (uint32_t)both };
  }
}
template <class T>
static __global__ void __launch_bounds__(THREADS) th_take_lines(key_type<T> *key, uint32_t *place,
                                                                 const th_kth<key_type<T>> *kth, const th_sides *sides,
                                                                 th_selecting<T> s)
{
  for (int64_t b = blockIdx.x; b < s.count * s.stretches; b += gridDim.x) {
    const int64_t line = th_quotient(b, s.stretches), stretch = b - line * s.stretches;
    uint64_t both = 0;
    for (int64_t i = threadIdx.x; i < stretch; i += THREADS) {
      const th_sides v = sides[line * s.stretches + i];
      both += (uint64_t)v.below << 32 | v.equal;
    }
    both = th_line_fold<THREADS>(both, [](uint64_t u, uint64_t v) { return u + v; });
    th_take_chosen(key + line * s.kept(), place + line * s.kept(), s.part(line, stretch), kth[line],
                   th_sides{ (uint32_t)(both >> 32), (uint32_t)both }, s.k, s.one);
  }
}

/* Writes keys and places of the k first elements of each line in the order of x, or those of the k-th. */
template <class T>
static th_status th_select(key_type<T> *key, uint32_t *place, const T *x, const lines &l, int64_t first, int64_t count, int64_t k,
                           bool one, bool descending)
{
  typedef key_type<T> K;
  th_cut cut = { false, false, THREADS, count, 1, l.n };
  th_cut_lines(&cut, l.n, SHORT, 1);
  const th_selecting<T> s = { x, l, first, count, k, cut.stretches, cut.per, one, descending };
  const int64_t want = count * s.stretches;
  const unsigned blocks = (unsigned)(want < 65535 ? want : 65535);
  if (s.stretches == 1) {
    TH_LAUNCH((th_select_lines<T>), blocks, THREADS, 0, key, place, s);
    return th_launched();
  }
  th_cuda_scratch kth, bins, sides;
  TH_TRY(kth.take((size_t)count * sizeof(th_kth<K>)));
  TH_TRY(bins.take((size_t)(count * BINS) * sizeof(uint32_t)));
  TH_TRY(sides.take((size_t)want * sizeof(th_sides)));
  TH_LAUNCH((th_begin_select<K>), th_blocks(count * BINS), THREADS, 0, kth.as<th_kth<K>>(), bins.as<uint32_t>(), count, k);
  for (int shift = s.top(); shift >= 0; shift -= DIGIT_BITS) {
    TH_LAUNCH((th_count_lines<T>), blocks, THREADS, 0, bins.as<uint32_t>(), kth.as<const th_kth<K>>(), s, shift);
    TH_LAUNCH((th_next_digits<K>), th_blocks(count * 32), THREADS, 0, kth.as<th_kth<K>>(), bins.as<uint32_t>(), count, shift);
  }
  TH_LAUNCH((th_count_sides<T>), blocks, THREADS, 0, sides.as<th_sides>(), kth.as<const th_kth<K>>(), s);
  TH_LAUNCH((th_take_lines<T>), blocks, THREADS, 0, key, place, kth.as<const th_kth<K>>(), sides.as<const th_sides>(), s);
  return th_launched();
}

#endif
