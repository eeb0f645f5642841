// order.cu - sorting along one dimension, the k smallest or largest, the k-th, the median, the most frequent. Elements become
// unsigned keys. Whole lines of them are sorted, stably; of long lines a few elements are selected by their digits.
#include "select.cuh"
#include "sort.cuh"
#include "../../lib/op/order.args.h"

template <class T>
static __global__ void load_keys(key_type<T> *key, uint32_t *place, const T *x, lines l, int64_t first, int64_t count,
                                 bool descending)
{
  for (TH_EACH(e, count * l.n)) {
    const int64_t k = th_quotient(e, l.n), i = e - k * l.n;
    key[e] = key_of(x[l.outer.at(first + k) + i * l.step], descending);
    place[e] = (uint32_t)i;
  }
}

/* Results of a line: from its pairs `from` on, of `n` a line. */
template <class T> struct results { T *y; lines ly; int64_t *index; lines li; };

/* key: those of the pairs, or nothing; most numbers come from there, not from all over the line. */
template <class T>
static __global__ void give(results<T> r, const T *x, lines l, const key_type<T> *key,
                            const uint32_t *place, int64_t n, int64_t from, int64_t first,
                            int64_t count, bool descending)
{
  for (TH_EACH(e, count * r.ly.n)) {
    const int64_t k = th_quotient(e, r.ly.n), i = e - k * r.ly.n, at = place[k * n + from + i];
    const key_type<T> its = key ? key[k * n + from + i] : (key_type<T>)0;
    r.y[r.ly.outer.at(first + k) + i * r.ly.step] =
        key && tells_number<T>(its, descending) ? number_of<T>(its, descending)
                                                : x[l.outer.at(first + k) + at * l.step];
    r.index[r.li.outer.at(first + k) + i * r.li.step] = at + 1;
  }
}

/* The first k pairs of each line of n become pairs that are in order when their places are. */
static __global__ void take_first(uint32_t *key, uint32_t *to, const uint32_t *place, int64_t n, int64_t k, int64_t count)
{
  for (TH_EACH(e, count * k)) {
    const int64_t line = th_quotient(e, k);
    key[e] = to[e] = place[line * n + e - line * k];
  }
}

/* Where equal keys end that begin at i. */
template <class K> TH_DEVICE_FN int64_t end_of(const K *key, int64_t i, int64_t n)
{
  const K k = key[i];
  int64_t low = i + 1, high = n;
  while (low < high) {
    const int64_t mid = (low + high) / 2;
    if (key[mid] == k) low = mid + 1;
    else high = mid;
  }
  return low;
}

/* Of each sorted line the place of the first of the most frequent ones becomes its first. A block walks a line. */
template <class K>
static __global__ void __launch_bounds__(THREADS) find_mode(const K *key, uint32_t *place, int64_t n, int64_t count)
{
  __shared__ int64_t length[THREADS], begin[THREADS];
  for (int64_t k = blockIdx.x; k < count; k += gridDim.x) {
    const K *line = key + k * n;
    int64_t longest = 0, first = 0;
    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
      if (i > 0 && line[i - 1] == line[i]) continue;
      const int64_t some = end_of(line, i, n) - i;
      if (some > longest) longest = some, first = i;
    }
    length[threadIdx.x] = longest;
    begin[threadIdx.x] = first;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int t = 1; t < THREADS; t++) {
        if (length[t] > longest || (length[t] == longest && longest && begin[t] < first)) longest = length[t], first = begin[t];
      }
      place[k * n] = place[k * n + first];
    }
    __syncthreads();
  }
}

/* ---- kernels ---- */

enum what { SORTED, IN_PLACE_ORDER, MODE };
enum selection { IN_ORDER, IN_PLACE, ONE };
constexpr int64_t AT_ONCE = 1 << 26;         /* pairs that are held at a time, where lines are shorter */

/* Results from the pair `from` of each line on. */
template <class T> static th_status run(const th_call *c, int dim, what w, int64_t from, bool descending)
{
  const order_args *a = order_args_of(c);
  const th_tensor *y = a->y, *index = a->index, *x = a->x;
  const lines l = th_cuda_lines(x, dim);
  const results<T> r = { th_first<T>(y), th_cuda_lines(y, dim), th_first<int64_t>(index), th_cuda_lines(index, dim) };
  const T *p = th_first<const T>(x);
  const int64_t some = l.n >= AT_ONCE ? 1 : l.n ? AT_ONCE / l.n : 1, k = r.ly.n;
  if (l.count == 0 || l.n == 0) return TH_OK;
  sorting<key_type<T>> s;
  sorting<uint32_t> again;
  TH_TRY(s.take((some < l.count ? some : l.count) * l.n));
  if (w == IN_PLACE_ORDER) TH_TRY(again.take((some < l.count ? some : l.count) * k));
  for (int64_t first = 0; first < l.count; first += some) {
    const int64_t count = l.count - first < some ? l.count - first : some;
    TH_LAUNCH((load_keys<T>), th_blocks(count * l.n), THREADS, 0, s.key, s.place, p, l, first, count, descending);
    TH_TRY(s.sort(count, l.n, 8 * (int)sizeof(T)));
    const uint32_t *place = s.place;
    int64_t n = l.n;
    if (w == MODE) {
      const unsigned blocks = (unsigned)(count < 65535 ? count : 65535);
      TH_LAUNCH((find_mode<key_type<T>>), blocks, THREADS, 0, s.key, s.place, l.n, count);
    } else if (w == IN_PLACE_ORDER) {
      TH_LAUNCH((take_first), th_blocks(count * k), THREADS, 0, again.key, again.place, s.place, l.n, k, count);
      TH_TRY(again.sort(count, k));
      place = again.place;
      n = k;
    }
    const key_type<T> *const key = w == SORTED ? s.key : nullptr;
    TH_LAUNCH((give<T>), th_blocks(count * k), THREADS, 0, r, p, l, key, place, n, from, first,
              count, descending);
    TH_TRY(th_launched());
  }
  return TH_OK;
}

template <class T> static th_status sort(const th_call *c)
{
  const sort_args *a = sort_args_of(c);
  return run<T>(c, (int)a->dim, SORTED, 0, a->descending != 0);
}
/* Lines longer than a tile of the sort are read a few times, and at most `k` elements of them are sorted. */
constexpr int64_t SELECT_FROM = 1025;

/* The k first elements of each line, or the k-th. */
template <class T> static th_status choose(const th_call *c, int dim, int64_t k, selection w, bool descending)
{
  const order_args *a = order_args_of(c);
  const th_tensor *y = a->y, *index = a->index, *x = a->x;
  const lines l = th_cuda_lines(x, dim);
  const results<T> r = { th_first<T>(y), th_cuda_lines(y, dim), th_first<int64_t>(index), th_cuda_lines(index, dim) };
  const T *p = th_first<const T>(x);
  if (l.n < SELECT_FROM || (w == IN_ORDER && k > l.n / 4)) {
    return run<T>(c, dim, w == IN_PLACE ? IN_PLACE_ORDER : SORTED, w == ONE ? k - 1 : 0, descending);
  }
  const int64_t all = l.n >= AT_ONCE ? 1 : AT_ONCE / l.n, some = all < l.count ? all : l.count, kept = w == ONE ? 1 : k;
  sorting<key_type<T>> s;
  if (l.count == 0) return TH_OK;
  TH_TRY(s.take(some * kept));
  for (int64_t first = 0; first < l.count; first += some) {
    const int64_t count = l.count - first < some ? l.count - first : some;
    TH_TRY(th_select(s.key, s.place, p, l, first, count, k, w == ONE, descending));
    if (w == IN_ORDER) TH_TRY(s.sort(count, kept, 8 * (int)sizeof(T)));
    const key_type<T> *const none = nullptr;
    TH_LAUNCH((give<T>), th_blocks(count * kept), THREADS, 0, r, p, l, none, s.place, kept,
              (int64_t)0, first, count, descending);
    TH_TRY(th_launched());
  }
  return TH_OK;
}

template <class T> static th_status topk(const th_call *c)
{
  const topk_args *a = topk_args_of(c);
  return choose<T>(c, (int)a->dim, a->k, a->sorted ? IN_ORDER : IN_PLACE, a->largest != 0);
}
template <class T> static th_status kthvalue(const th_call *c)
{
  const kthvalue_args *a = kthvalue_args_of(c);
  return choose<T>(c, (int)a->dim, a->k, ONE, false);
}
template <class T> static th_status median(const th_call *c)
{
  const median_args *a = median_args_of(c);
  const int dim = (int)a->dim;
  return choose<T>(c, dim, (th_cuda_lines(a->x, dim).n + 1) / 2, ONE, false);
}
template <class T> static th_status mode(const th_call *c) { return run<T>(c, (int)median_args_of(c)->dim, MODE, 0, false); }
TH_KERNELS(sort, TH_CUDA_ALL(sort))
TH_KERNELS(sort_last, TH_CUDA_ALL(sort))
TH_KERNELS(topk, TH_CUDA_ALL(topk))
TH_KERNELS(kthvalue, TH_CUDA_ALL(kthvalue))
TH_KERNELS(median, TH_CUDA_ALL(median))
TH_KERNELS(mode, TH_CUDA_ALL(mode))
