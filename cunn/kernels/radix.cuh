// radix.cuh - radix sort of pairs, eight bits at a time from the lowest: kernels count the digits of each tile, sum the counts,
// and write each pair to its place: the number of pairs of its line with smaller digits, or with its digit and before it. So
// equal keys stay in order, and the order of the threads does not change the result. A tile is
// sorted in shared memory first, because neighbours then go to neighbouring places (Merrill and
// Grimshaw, High performance and scalable radix sorting, 2011).
#ifndef TH_RADIX_CUH
#define TH_RADIX_CUH
#include "fold_lines.cuh"

constexpr int RADIX = 256, WARPS = THREADS / 32;
static_assert(RADIX == THREADS, "each thread has one digit");
/* Pairs of a thread, and of the tile of a block, which lies in shared memory. */
template <class K> constexpr int radix_each = 64 / (int)sizeof(K);
template <class K> constexpr int radix_tile = radix_each<K> * THREADS;

template <class K> TH_DEVICE_FN int digit_of(K key, int shift) { return (int)(key >> shift & (RADIX - 1)); }

/* The sum of v over the threads before this one; `total` is that of all. */
static __device__ uint32_t sum_before(uint32_t v, uint32_t *total)
{
  __shared__ uint32_t warps[WARPS];
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  uint32_t upto = v, before = 0, all = 0;
  for (int h = 1; h < 32; h *= 2) {
    const uint32_t left = __shfl_up_sync(0xffffffffu, upto, (unsigned)h);
    if (lane >= h) upto += left;
  }
  __syncthreads();                           // threads may still read `warps` of the previous sum
  if (lane == 31) warps[warp] = upto;
  __syncthreads();
  for (int w = 0; w < WARPS; w++) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  *total = all;
  return before + upto - v;
}

/* The lanes of the warp that are valid and have this digit. */
static __device__ __forceinline__ unsigned lanes_with(int digit, bool valid)
{
  unsigned peers = __ballot_sync(0xffffffffu, valid);
  for (int bit = 0; bit < 8; bit++) {
    const bool one = digit >> bit & 1;
    const unsigned ones = __ballot_sync(0xffffffffu, one);
    peers &= one ? ones : ~ones;
  }
  return peers;
}

/* count[(line * RADIX + digit) * tiles + tile]. The lanes of a warp add together if all have one
 * digit, as they often have of high digits. */
template <class K>
static __global__ void __launch_bounds__(THREADS)
radix_count(uint32_t *count, const K *key, int64_t lines, int64_t n, int64_t tiles, int shift)
{
  __shared__ uint32_t bins[RADIX];
  for (int64_t b = blockIdx.x; b < lines * tiles; b += gridDim.x) {
    const int64_t line = b / tiles, tile = b - line * tiles, from = tile * radix_tile<K>;
    bins[threadIdx.x] = 0;
    __syncthreads();
    TH_UNROLL(4)
    for (int r = 0; r < radix_each<K>; r++) {
      const int64_t i = from + r * THREADS + threadIdx.x;
      const bool valid = i < n;
      const int digit = digit_of(valid ? key[line * n + i] : 0, shift);
      const int first = __shfl_sync(0xffffffffu, digit, 0);
      if (__ballot_sync(0xffffffffu, valid && digit == first) != 0xffffffffu) {
        if (valid) atomicAdd(bins + digit, 1u);
      } else if (threadIdx.x % 32 == 0) {
        atomicAdd(bins + digit, 32u);
      }
    }
    __syncthreads();
    count[(line * RADIX + threadIdx.x) * tiles + tile] = bins[threadIdx.x];
  }
}

/* The counts of a digit become sums of the tiles before; total[line * RADIX + digit] is that of all tiles. */
static __global__ void __launch_bounds__(THREADS) radix_sum(uint32_t *count, uint32_t *total, int64_t rows, int64_t tiles)
{
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    uint32_t carry = 0;
    for (int64_t first = 0; first < tiles; first += THREADS) {
      const int64_t i = first + threadIdx.x;
      uint32_t all;
      const uint32_t before = sum_before(i < tiles ? count[row * tiles + i] : 0, &all);
      if (i < tiles) count[row * tiles + i] = carry + before;
      carry += all;
    }
    if (threadIdx.x == 0) total[row] = carry;
  }
}

/* A warp has neighbouring pairs of the tile, 32 at a time. */
template <class K>
static __global__ void __launch_bounds__(THREADS, 3)
radix_write(K *to_key, uint32_t *to_place, const K *key, const uint32_t *place, const uint32_t *count, const uint32_t *total,
            int64_t lines, int64_t n, int64_t tiles, int shift)
{
  __shared__ uint32_t next[WARPS][RADIX];    /* pairs of a warp, then where in the tile they go */
  __shared__ uint32_t away[RADIX];           /* from the place in the tile to that in the line */
  __shared__ K sorted[radix_tile<K>];
  __shared__ uint32_t sorted_place[radix_tile<K>];
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  for (int64_t b = blockIdx.x; b < lines * tiles; b += gridDim.x) {
    const int64_t line = b / tiles, tile = b - line * tiles;
    const int64_t from = tile * radix_tile<K> + warp * (radix_tile<K> / WARPS) + lane;
    K own[radix_each<K>];
    uint32_t rank[radix_each<K>], unused;
    for (int w = 0; w < WARPS; w++) next[w][threadIdx.x] = 0;
    __syncthreads();
    TH_UNROLL(16)
    for (int r = 0; r < radix_each<K>; r++) {
      const int64_t i = from + r * 32;
      const bool valid = i < n;
      own[r] = valid ? key[line * n + i] : 0;
      const int digit = digit_of(own[r], shift);
      const unsigned peers = lanes_with(digit, valid), before = peers & ((1u << lane) - 1);
      const uint32_t earlier = next[warp][digit];
      __syncwarp();
      if (valid && before == 0) next[warp][digit] = earlier + (uint32_t)__popc(peers);
      __syncwarp();
      rank[r] = earlier + (uint32_t)__popc(before);
    }
    __syncthreads();
    const int64_t row = line * RADIX + threadIdx.x;
    uint32_t mine = 0;
    for (int w = 0; w < WARPS; w++) mine += next[w][threadIdx.x];
    uint32_t start = sum_before(mine, &unused);
    away[threadIdx.x] = sum_before(total[row], &unused) + count[row * tiles + tile] - start;
    for (int w = 0; w < WARPS; w++) {
      const uint32_t some = next[w][threadIdx.x];
      next[w][threadIdx.x] = start;
      start += some;
    }
    __syncthreads();
    TH_UNROLL(16)
    for (int r = 0; r < radix_each<K>; r++) {
      const int64_t i = from + r * 32;
      if (i >= n) continue;
      rank[r] += next[warp][digit_of(own[r], shift)];
      sorted[rank[r]] = own[r];
      sorted_place[rank[r]] = place[line * n + i];
    }
    __syncthreads();
    const int64_t left = n - tile * radix_tile<K>;
    TH_UNROLL(4)
    for (int r = 0; r < radix_each<K>; r++) {
      const int j = (int)threadIdx.x + r * THREADS;
      if (j >= left) continue;
      const K k = sorted[j];
      const uint32_t to = away[digit_of(k, shift)] + (uint32_t)j;
      to_key[line * n + to] = k;
      to_place[line * n + to] = sorted_place[j];
    }
    __syncthreads();                         // the next tile clears `next` and writes `sorted`
  }
}

#endif
