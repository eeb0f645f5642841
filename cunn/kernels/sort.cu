// sort.cu - radix sort of long lines, merge sort of others: tiles in shared memory, then runs of tiles two by two, each tile of
// the result by one block. A pair's new place is its own place in its run and the number of pairs of the other run that come
// before it, so that equal keys stay in order and nothing depends on when a thread runs.
#include "radix.cuh"
#include "sort.cuh"

constexpr int TILE = 1024, EACH = TILE / THREADS;            /* pairs of a tile, and of a thread */

template <class K> struct tile { K key[TILE]; uint32_t place[TILE]; };

/* How many of n ascending keys come before k: those below it, or with `equal` those that are not above. */
template <class K> TH_DEVICE_FN int rank_of(const K *key, int n, K k, bool equal)
{
  int low = 0;
  while (n > 0) {
    const int half = n / 2;
    if (key[low + half] < k || (equal && key[low + half] == k)) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

/* Runs of a that begin every `run` pairs of each line of n, merged two by two into b. */
template <class K> __device__ void merge_runs(tile<K> &b, const tile<K> &a, int count, int n, int run)
{
  for (int j = 0; j < EACH; j++) {
    const int i = (int)threadIdx.x + j * THREADS;
    if (i >= count) break;
    const int line = i / n * n, at = i - line, first = at / (2 * run) * (2 * run), mid = first + run;
    const int end = first + 2 * run < n ? first + 2 * run : n;
    const K k = a.key[i];
    int to = i;
    if (mid < end) {
      if (at < mid) to = i + rank_of(a.key + line + mid, end - mid, k, false);
      else to = line + first + (at - mid) + rank_of(a.key + line + first, run, k, true);
    }
    b.key[to] = k;
    b.place[to] = a.place[i];
  }
  __syncthreads();
}

/* `some` whole lines of n pairs a block, or a tile of one. */
template <class K>
static __global__ void __launch_bounds__(THREADS)
sort_tiles(K *key, uint32_t *place, int64_t lines, int64_t n, int64_t some, int64_t tiles)
{
  __shared__ tile<K> a, b;
  const int64_t blocks = some > 1 ? (lines + some - 1) / some : lines * tiles;
  for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    int64_t begin, count;
    if (some > 1) {
      begin = block * some * n;
      count = (lines - block * some < some ? lines - block * some : some) * n;
    } else {
      const int64_t line = block / tiles, from = (block - line * tiles) * TILE;
      begin = line * n + from;
      count = n - from < TILE ? n - from : TILE;
    }
    const int size = (int)(some > 1 ? n : count);            /* of a line in the tile */
    for (int64_t i = threadIdx.x; i < count; i += THREADS) {
      a.key[i] = key[begin + i];
      a.place[i] = place[begin + i];
    }
    __syncthreads();
    bool in_b = false;
    for (int run = 1; run < size; run *= 2, in_b = !in_b) {
      if (in_b) merge_runs(a, b, (int)count, size, run);
      else merge_runs(b, a, (int)count, size, run);
    }
    const tile<K> &sorted = in_b ? b : a;
    for (int64_t i = threadIdx.x; i < count; i += THREADS) {
      key[begin + i] = sorted.key[i];
      place[begin + i] = sorted.place[i];
    }
    __syncthreads();
  }
}

/* How many of the first d pairs of two merged runs come from the first one. */
template <class K> TH_DEVICE_FN int64_t split(const K *a, int64_t na, const K *b, int64_t nb, int64_t d)
{
  int64_t low = d > nb ? d - nb : 0, high = d < na ? d : na;
  while (low < high) {
    const int64_t mid = (low + high) / 2;
    if (a[mid] <= b[d - 1 - mid]) low = mid + 1;
    else high = mid;
  }
  return low;
}

template <class K>
static __global__ void __launch_bounds__(THREADS)
merge_tiles(K *to_key, uint32_t *to_place, const K *key, const uint32_t *place, int64_t lines, int64_t n, int64_t run,
            int64_t tiles)
{
  __shared__ tile<K> a, b;
  __shared__ int64_t cut[2];
  for (int64_t block = blockIdx.x; block < lines * tiles; block += gridDim.x) {
    const int64_t line = block / tiles, from = (block - line * tiles) * TILE, first = from / (2 * run) * (2 * run);
    const int64_t na = n - first < run ? n - first : run, nb = n - first - na < run ? n - first - na : run;
    const int64_t begin = line * n + first, d = from - first;
    const int64_t count = na + nb - d < TILE ? na + nb - d : TILE;
    const K *one = key + begin, *two = one + na;
    if (threadIdx.x < 2) cut[threadIdx.x] = split(one, na, two, nb, threadIdx.x ? d + count : d);
    __syncthreads();
    const int64_t i0 = cut[0], j0 = d - i0;
    const int left = (int)(cut[1] - i0);
    for (int i = (int)threadIdx.x; i < count; i += THREADS) {
      const int64_t at = i < left ? i0 + i : na + j0 + (i - left);
      a.key[i] = one[at];
      a.place[i] = place[begin + at];
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < count; i += THREADS) {
      const K k = a.key[i];
      const int to = i < left ? i + rank_of(a.key + left, (int)count - left, k, false)
                              : i - left + rank_of(a.key, left, k, true);
      b.key[to] = k;
      b.place[to] = a.place[i];
    }
    __syncthreads();
    for (int64_t i = threadIdx.x; i < count; i += THREADS) {
      to_key[line * n + from + i] = b.key[i];
      to_place[line * n + from + i] = b.place[i];
    }
    __syncthreads();
  }
}

template <class K> th_status sorting<K>::take(int64_t count)
{
  const size_t n = (size_t)(count + 1) & ~(size_t)1;         /* so that all begin where their elements may lie */
  TH_TRY(room.take(2 * n * (sizeof(K) + sizeof(uint32_t))));
  key = room.template as<K>();
  spare_key = key + n;
  place = reinterpret_cast<uint32_t *>(spare_key + n);
  spare_place = place + n;
  return TH_OK;
}

template <class K> void sorting<K>::swap()
{
  K *const k = key;
  uint32_t *const p = place;
  key = spare_key, place = spare_place;
  spare_key = k, spare_place = p;
}

template <class K> th_status sorting<K>::sort_by_digits(int64_t lines, int64_t n, int bits)
{
  const int64_t tiles = (n + radix_tile<K> - 1) / radix_tile<K>, rows = lines * RADIX;
  const unsigned grid = (unsigned)(lines * tiles < 65535 ? lines * tiles : 65535);
  th_cuda_scratch counts;
  TH_TRY(counts.take((size_t)(rows * (tiles + 1)) * sizeof(uint32_t)));
  uint32_t *const count = counts.as<uint32_t>(), *const total = count + rows * tiles;
  for (int shift = 0; shift < bits; shift += 8, swap()) {
    TH_LAUNCH((radix_count<K>), grid, THREADS, 0, count, key, lines, n, tiles, shift);
    TH_LAUNCH((radix_sum), (unsigned)(rows < 65535 ? rows : 65535), THREADS, 0, count, total, rows, tiles);
    TH_LAUNCH((radix_write<K>), grid, THREADS, 0, spare_key, spare_place, key, place, count, total, lines, n, tiles, shift);
  }
  return th_launched();
}

template <class K> th_status sorting<K>::sort(int64_t lines, int64_t n, int bits)
{
  if (lines == 0 || n < 2) return TH_OK;
  const int64_t some = n <= TILE ? TILE / n : 1, tiles = (n + TILE - 1) / TILE;
  int merges = 0;
  for (int64_t run = TILE; run < n; run *= 2) merges++;
  if (3 * ((bits + 7) / 8) < 2 * merges) return sort_by_digits(lines, n, bits);      /* a digit reads keys once more */
  const int64_t blocks = some > 1 ? (lines + some - 1) / some : lines * tiles;
  const unsigned grid = (unsigned)(blocks < 65535 ? blocks : 65535);
  TH_LAUNCH((sort_tiles<K>), grid, THREADS, 0, key, place, lines, n, some, tiles);
  for (int64_t run = TILE; run < n; run *= 2, swap()) {
    TH_LAUNCH((merge_tiles<K>), grid, THREADS, 0, spare_key, spare_place, key, place, lines, n, run, tiles);
  }
  return th_launched();
}

template class sorting<uint32_t>;
template class sorting<uint64_t>;
