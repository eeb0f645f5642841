// attention_mma.cu - attention of halves on tensor cores: forward, and the gradients, which compute the weights again.
//
// Dao, "FlashAttention-2" (2023). A block of four warps has a tile of queries (or, for the gradients by k and v, of keys) and
// goes through the keys (the queries) in tiles, which are copied to shared memory while others are multiplied. A warp has MT
// times 16 rows; its scores stay in registers and become the left operand of the second product. Each element of a result has
// one warp, which adds in a fixed order, so the bits are the same in every run.
#include "attention.cuh"
#include "mma.cuh"

namespace {

using mma::chunk;

constexpr int WARPS = 4, LANES = 32 * WARPS;
constexpr float LOG2E = 1.4426950408889634f, LN2 = 0.6931471805599453f;

/* Dynamic memory of a block, which may exceed 48 KB; on the emulated device static memory, which has no limit. */
#ifdef __CUDACC__
#define TILES(name, chunks) extern __shared__ chunk name[]
#else
#define TILES(name, chunks) __shared__ chunk name[chunks]
#endif

/* A tile has rows of DP features. Chunks are exchanged within a row (swizzled), so that the 8 rows that a load reads at once
 * lie in different banks. */
template <int DP> struct tile_of {
  static constexpr int CHUNKS = DP / 8;
  TH_DEVICE_FN int at(int row, int c) { return row * CHUNKS + (DP >= 64 ? c ^ (row & 7) : c ^ (row >> 1 & 3)); }
};

/* Rows from `first` on, with zeros behind the last one and behind the last feature. A thread copies the same chunk of rows that
 * are a multiple of 8 apart, so that it is at the same place in each. */
template <class T, int DP, int ROWS>
static __device__ __forceinline__ void fetch(chunk *to, const attention_side<const T> &side, const T *head, int first, int n,
                                             int d)
{
  constexpr int CHUNKS = tile_of<DP>::CHUNKS, STEP = LANES / CHUNKS;
  const int row = (int)threadIdx.x / CHUNKS, c = (int)threadIdx.x % CHUNKS;
  const int left = 8 * c < d ? n - first - row : 0;
  const T *from = head + (int64_t)(first + row) * side.step + 8 * c * side.feature;
  to += tile_of<DP>::at(row, c);
  if (side.packed) {
    const int64_t step = STEP * side.step;
    UNROLL for (int r = 0; r < ROWS; r += STEP, from += step) mma::copy(to + r * CHUNKS, r < left ? from : head, r < left);
    return;
  }
  UNROLL_1 for (int r = 0; r < ROWS; r += STEP, from += STEP * side.step) {
    chunk x = {};
    UNROLL for (int e = 0; e < 8; e++) if (r < left && 8 * c + e < d) x.half[e] = from[e * side.feature].bits;
    to[r * CHUNKS] = x;
  }
}

/* The left operand of a product: rows m .. m + 15, features 16 k .. 16 k + 15. */
template <int DP> static __device__ __forceinline__ void left(uint32_t (&a)[4], const chunk *tile, int m, int k)
{
  mma::load(a, tile + tile_of<DP>::at(m + mma::lane() % 16, 2 * k + mma::lane() / 16));
}

/* acc[m][n] = a b': rows from `first` on of the tile a, all rows of the tile b. */
template <class T, int DP, int MT, int NT>
static __device__ __forceinline__ void scores(float (&acc)[MT][NT][4], const chunk *a, int first, const chunk *b)
{
  UNROLL for (int m = 0; m < MT; m++) {
    UNROLL for (int n = 0; n < NT; n++) acc[m][n][0] = acc[m][n][1] = acc[m][n][2] = acc[m][n][3] = 0;
  }
  const int row = mma::lane() % 8 + mma::lane() / 16 * 8, c = mma::lane() / 8 % 2;
  UNROLL for (int k = 0; k < DP / 16; k++) {
    uint32_t x[MT][4];
    UNROLL for (int m = 0; m < MT; m++) left<DP>(x[m], a, first + 16 * m, k);
    UNROLL for (int n = 0; n < NT; n += 2) {
      uint32_t y[4];
      mma::load(y, b + tile_of<DP>::at(8 * n + row, 2 * k + c));
      UNROLL for (int m = 0; m < MT; m++) {
        mma::product(T{}, acc[m][n], x[m], y[0], y[1]);
        mma::product(T{}, acc[m][n + 1], x[m], y[2], y[3]);
      }
    }
  }
}

/* out += w b: the columns of w are the rows of the tile b. */
template <class T, int DP, int MT, int NT>
static __device__ __forceinline__ void mix(float (&out)[MT][DP / 8][4], const float (&w)[MT][NT][4], const chunk *b)
{
  UNROLL for (int k = 0; k < NT / 2; k++) {
    uint32_t x[MT][4];
    UNROLL for (int m = 0; m < MT; m++) {
      UNROLL for (int i = 0; i < 4; i++) {
        const float (&pair)[4] = w[m][2 * k + i / 2];
        x[m][i] = th_pair_of(T{}, pair[i % 2 * 2], pair[i % 2 * 2 + 1]);
      }
    }
    UNROLL for (int n = 0; n < DP / 8; n += 2) {
      uint32_t y[4];
      mma::load_transposed(y, b + tile_of<DP>::at(16 * k + mma::lane() % 16, n + mma::lane() / 16));
      UNROLL for (int m = 0; m < MT; m++) {
        mma::product(T{}, out[m][n], x[m], y[0], y[1]);
        mma::product(T{}, out[m][n + 1], x[m], y[2], y[3]);
      }
    }
  }
}

template <class T> struct alignas(4) two { T at[2]; };

/* Writes the rows that exist; by[m][half] scales a row. */
template <class T, int DP, int MT>
static __device__ __forceinline__ void store(const attention_side<T> &side, T *head, int first, int n, int d,
                                             const float (&out)[MT][DP / 8][4], const float (&by)[MT][2])
{
  UNROLL for (int m = 0; m < MT; m++) {
    UNROLL for (int half = 0; half < 2; half++) {
      const int row = first + 16 * m + 8 * half + mma::lane() / 4;
      if (row >= n) continue;
      T *to = head + row * side.step;
      UNROLL for (int c = 0; c < DP / 8; c++) {
        const int e = 8 * c + mma::lane() % 4 * 2;
        const uint32_t pair = th_pair_of(T{}, out[m][c][2 * half] * by[m][half], out[m][c][2 * half + 1] * by[m][half]);
        if (side.packed) {
          if (e < d) *reinterpret_cast<two<T> *>(to + e) = two<T>{ { T{ (uint16_t)pair }, T{ (uint16_t)(pair >> 16) } } };
        } else {
          if (e < d) to[e * side.feature] = T{ (uint16_t)pair };
          if (e + 1 < d) to[(e + 1) * side.feature] = T{ (uint16_t)(pair >> 16) };
        }
      }
    }
  }
}

/* ---- forward ---- */

template <int DP> struct forward_size { static constexpr int HIGH = 128, WIDE = 64, CHUNKS = (HIGH + 2 * WIDE) * DP / 8; };

/* Gives hidden keys the score -infinity. `query` and `key` are those of element 0 of this lane. */
template <int MT, int NT>
static __device__ __forceinline__ void hide(float (&s)[MT][NT][4], int query, int key, int keys, int ahead,
                                            const uint8_t *padding, int64_t step)
{
  const int seen = query + ahead - key, left = keys - key;
  if (padding) padding += key * step;
  UNROLL for (int n = 0; n < NT; n++) {
    UNROLL for (int i = 0; i < 4; i++) {
      const int at = 8 * n + i % 2;
      const bool none = at >= left || (padding && padding[at * step]);
      UNROLL for (int m = 0; m < MT; m++) if (none || at > seen + 16 * m + i / 2 * 8) s[m][n][i] = -INFINITY;
    }
  }
}

/* The scores of a row become 2^(scale s - top); what was added with a smaller maximum is scaled. */
template <int DP, int MT, int NT>
static __device__ __forceinline__ void soften(float (&s)[MT][NT][4], float (&out)[MT][DP / 8][4], float (&top)[MT][2],
                                              float (&sum)[MT][2], float scale)
{
  UNROLL for (int m = 0; m < MT; m++) {
    UNROLL for (int half = 0; half < 2; half++) {
      float most = top[m][half];
      UNROLL for (int n = 0; n < NT; n++) most = fmaxf(most, fmaxf(s[m][n][2 * half], s[m][n][2 * half + 1]));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2));
      const float base = most == -INFINITY ? 0 : most * scale, by = mma::exp2_of(top[m][half] * scale - base);
      float more = 0;
      UNROLL for (int n = 0; n < NT; n++) {
        UNROLL for (int i = 2 * half; i < 2 * half + 2; i++) more += s[m][n][i] = mma::exp2_of(fmaf(s[m][n][i], scale, -base));
      }
      top[m][half] = most;
      sum[m][half] = fmaf(sum[m][half], by, more);
      UNROLL for (int c = 0; c < DP / 8; c++) {
        out[m][c][2 * half] *= by;
        out[m][c][2 * half + 1] *= by;
      }
    }
  }
}

/* Sets dropped weights to 0. Rows are queries; `query` and `key` are those of element 0 of this
 * lane. It reads the seed for each tile: a key that the whole loop holds costs the registers of
 * the keys of ten rounds. */
template <class T, int MT, int NT>
static __device__ __forceinline__ void drop(float (&w)[MT][NT][4], const attention_of<T> &j,
                                            int matrix, int query, int key)
{
  static_assert(16 * MT == TH_DROP_QUERIES && NT % 2 == 0, "a lane has whole blocks of weights");
  const uint64_t seed = j.random_key(), block = th_drop_block(query, key);
  UNROLL for (int n = 0; n < NT; n += 2) {
    UNROLL for (int right = 0; right < 2; right++) {
      uint32_t word[4];
      th_philox_block(seed, (uint64_t)matrix, block + (uint64_t)(4 * n + right), word);
      UNROLL for (int a = 0; a < 4; a++) {
        UNROLL for (int half = 0; half < 2; half++) {
          float &weight = w[a / 2][n + half][a % 2 * 2 + right];
          weight = attention_drops(word[a], half, j.drops) ? 0 : weight;
        }
      }
    }
  }
}

template <class T, int DP, bool DROP>
static __global__ void __launch_bounds__(LANES, 2) forward(attention_of<T> j, unsigned blocks)
{
  typedef forward_size<DP> S;
  constexpr int MT = S::HIGH / 16 / WARPS, NT = S::WIDE / 8;
  TILES(room, S::CHUNKS);
  chunk *const q = room, *const k = q + S::HIGH * DP / 8, *const v = k + S::WIDE * DP / 8;
  const int matrix = (int)(blockIdx.x / blocks), t = (int)(blocks - 1 - blockIdx.x % blocks) * S::HIGH;      /* long ones first */
  const int queries = (int)j.queries, keys = (int)j.keys, ahead = (int)j.ahead, last = t + S::HIGH + ahead;
  const int end = last < keys ? last : keys;
  const int first = (int)threadIdx.x / 32 * 16 * MT, d = (int)j.d;
  const T *const hk = j.first_of(j.k, matrix), *const hv = j.first_of(j.v, matrix);
  const float scale = j.scale * LOG2E;
  float out[MT][DP / 8][4] = {}, top[MT][2], sum[MT][2] = {}, by[MT][2];
  for (int m = 0; m < MT; m++) top[m][0] = top[m][1] = -INFINITY;
  fetch<T, DP, S::HIGH>(q, j.q, j.first_of(j.q, matrix), t, queries, d);
  fetch<T, DP, S::WIDE>(k, j.k, hk, 0, keys, d);
  for (int s = 0; s < end; s += S::WIDE) {
    float w[MT][NT][4];
    mma::wait();
    __syncthreads();                         // k is there, and v is free
    fetch<T, DP, S::WIDE>(v, j.v, hv, s, keys, d);
    scores<T, DP, MT, NT>(w, q, first, k);
    if (j.padding || s + S::WIDE > keys || s + S::WIDE - 1 > t + ahead) {
      hide(w, t + first + mma::lane() / 4, s + mma::lane() % 4 * 2, keys, ahead, j.padding_of(matrix), j.padding_step);
    }
    mma::wait();
    __syncthreads();                         // v is there, and k is free
    if (s + S::WIDE < end) fetch<T, DP, S::WIDE>(k, j.k, hk, s + S::WIDE, keys, d);
    soften<DP>(w, out, top, sum, scale);
    if (DROP) drop(w, j, matrix, t + first + mma::lane() / 4, s + mma::lane() % 4 * 2);
    mix<T, DP, MT, NT>(out, w, v);
  }
  float *const lse = j.lse_of(matrix);
  for (int m = 0; m < MT; m++) {
    for (int half = 0; half < 2; half++) {
      float all = sum[m][half];
      all += __shfl_xor_sync(0xffffffffu, all, 1);
      all += __shfl_xor_sync(0xffffffffu, all, 2);
      by[m][half] = all == 0 ? 0 : 1 / (DROP ? all * j.rest : all);
      const int row = t + first + 16 * m + 8 * half + mma::lane() / 4;
      if (mma::lane() % 4 == 0 && row < queries) {
        lse[(int64_t)row * j.lse_step] = all == 0 ? -INFINITY : fmaf(top[m][half], j.scale, log2f(all) * LN2);
      }
    }
  }
  store<T, DP, MT>(j.out, j.first_of(j.out, matrix), t + first, queries, d, out, by);
  mma::wait();
}

/* ---- gradients ---- */

/* Of each query lse * log2(e) and the sum of g * y, times the part of the weights that dropout
 * keeps; behind the last query they give no weight. */
struct alignas(8) row { float lse, gy; };
struct alignas(16) rows2 { row at[2]; };

template <class T> static __global__ void __launch_bounds__(THREADS) fill_rows(attention_of<T> j)
{
  const int64_t all = j.samples * j.heads * j.padded;
  row *const rows = reinterpret_cast<row *>(j.rows);
  for (int64_t i = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / 32; i < all; i += (int64_t)gridDim.x * (THREADS / 32)) {
    const int64_t matrix = i / j.padded, t = i % j.padded;
    float sum = 0;
    if (t < j.queries) {
      const T *g = j.first_of(j.g, matrix) + t * j.g.step, *y = j.first_of(j.y, matrix) + t * j.y.step;
      for (int64_t e = mma::lane(); e < j.d; e += 32) {
        sum = fmaf(load_half(g[e * j.g.feature]), load_half(y[e * j.y.feature]), sum);
      }
    }
    for (int h = 16; h > 0; h /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, h);
    if (mma::lane() == 0) {
      const float lse = t < j.queries ? j.lse_of(matrix)[t * j.lse_step] : -INFINITY;
      rows[i] = row{ lse == -INFINITY ? INFINITY : lse * LOG2E, sum * j.rest };
    }
  }
}

/* Two buffers for what is read tile by tile. */
template <int DP> struct query_size {
  static constexpr int HIGH = 128, WIDE = DP == 128 ? 32 : 64, CHUNKS = (2 * HIGH + 4 * WIDE) * DP / 8;
};
template <int DP> struct key_size {
  static constexpr int HIGH = DP == 128 ? 64 : 128, WIDE = DP == 128 ? 64 : 32, CHUNKS = (2 * HIGH + 4 * WIDE) * DP / 8;
};

/* The gradient by the queries of a block. */
template <class T, int DP, bool DROP>
static __global__ void __launch_bounds__(LANES, 2) by_query(attention_of<T> j, unsigned blocks)
{
  typedef query_size<DP> S;
  constexpr int MT = S::HIGH / 16 / WARPS, NT = S::WIDE / 8, TILE = S::WIDE * DP / 8;
  TILES(room, S::CHUNKS);
  chunk *const q = room, *const g = q + S::HIGH * DP / 8, *const pairs = g + S::HIGH * DP / 8;
  const int matrix = (int)(blockIdx.x / blocks), t = (int)(blocks - 1 - blockIdx.x % blocks) * S::HIGH;
  const int queries = (int)j.queries, keys = (int)j.keys, ahead = (int)j.ahead, last = t + S::HIGH + ahead;
  const int end = last < keys ? last : keys;
  const int first = (int)threadIdx.x / 32 * 16 * MT, d = (int)j.d;
  const T *const hk = j.first_of(j.k, matrix), *const hv = j.first_of(j.v, matrix);
  const row *const rows = reinterpret_cast<const row *>(j.rows) + matrix * j.padded + t + first + mma::lane() / 4;
  const float scale = j.scale * LOG2E;
  float out[MT][DP / 8][4] = {}, by[MT][2];
  row r[MT][2];
  for (int m = 0; m < MT; m++) for (int half = 0; half < 2; half++) r[m][half] = rows[16 * m + 8 * half];
  fetch<T, DP, S::HIGH>(q, j.q, j.first_of(j.q, matrix), t, queries, d);
  fetch<T, DP, S::HIGH>(g, j.g, j.first_of(j.g, matrix), t, queries, d);
  fetch<T, DP, S::WIDE>(pairs, j.k, hk, 0, keys, d);
  fetch<T, DP, S::WIDE>(pairs + TILE, j.v, hv, 0, keys, d);
  for (int s = 0; s < end; s += S::WIDE) {
    chunk *const k = pairs + s / S::WIDE % 2 * 2 * TILE, *const next = pairs + (s / S::WIDE + 1) % 2 * 2 * TILE;
    float w[MT][NT][4], slope[MT][NT][4];
    mma::wait();
    __syncthreads();                         // this tile is there, and the one before is free
    if (s + S::WIDE < end) {
      fetch<T, DP, S::WIDE>(next, j.k, hk, s + S::WIDE, keys, d);
      fetch<T, DP, S::WIDE>(next + TILE, j.v, hv, s + S::WIDE, keys, d);
    }
    scores<T, DP, MT, NT>(w, q, first, k);
    if (j.padding || s + S::WIDE > keys || s + S::WIDE - 1 > t + ahead) {
      hide(w, t + first + mma::lane() / 4, s + mma::lane() % 4 * 2, keys, ahead, j.padding_of(matrix), j.padding_step);
    }
    scores<T, DP, MT, NT>(slope, g, first, k + TILE);
    if (DROP) drop(slope, j, matrix, t + first + mma::lane() / 4, s + mma::lane() % 4 * 2);
    UNROLL for (int m = 0; m < MT; m++) {
      UNROLL for (int n = 0; n < NT; n++) {
        UNROLL for (int i = 0; i < 4; i++) {
          w[m][n][i] = mma::exp2_of(fmaf(w[m][n][i], scale, -r[m][i / 2].lse)) * (slope[m][n][i] - r[m][i / 2].gy);
        }
      }
    }
    mix<T, DP, MT, NT>(out, w, k);
  }
  for (int m = 0; m < MT; m++) by[m][0] = by[m][1] = DROP ? j.scale / j.rest : j.scale;
  store<T, DP, MT>(j.gq, j.first_of(j.gq, matrix), t + first, queries, d, out, by);
  mma::wait();
}

/* The weights of keys (rows) and queries (columns) from their scores, and the gradients by the scores. `seen` is how far the
 * first query sees beyond the first key of this lane. */
template <int MT, int NT>
static __device__ __forceinline__ void slopes_of_keys(float (&w)[MT][NT][4], float (&slope)[MT][NT][4], const row *rows,
                                                      float scale, bool some, int seen, const bool (&hidden)[MT][2])
{
  UNROLL for (int n = 0; n < NT; n++) {
    const rows2 r = *reinterpret_cast<const rows2 *>(rows + 8 * n);
    UNROLL for (int m = 0; m < MT; m++) {
      UNROLL for (int i = 0; i < 4; i++) {
        float p = mma::exp2_of(fmaf(w[m][n][i], scale, -r.at[i % 2].lse));
        if (some && (hidden[m][i / 2] || 16 * m + i / 2 * 8 > seen + 8 * n + i % 2)) p = 0;
        w[m][n][i] = p;
        slope[m][n][i] = p * (slope[m][n][i] - r.at[i % 2].gy);
      }
    }
  }
}

/* The same with dropout; w becomes the weights that remain. `query` and `key` are those of element
 * 0 of this lane. */
template <class T, int MT, int NT>
static __device__ __forceinline__ void
dropped_slopes(float (&w)[MT][NT][4], float (&slope)[MT][NT][4], const attention_of<T> &j,
               const row *rows, bool some, const bool (&hidden)[MT][2], int matrix, int query,
               int key)
{
  static_assert(8 * NT % TH_DROP_QUERIES == 0, "a lane has whole blocks of weights");
  const uint64_t seed = j.random_key();
  const float scale = j.scale * LOG2E;
  const int seen = query + (int)j.ahead - key;
  UNROLL for (int n = 0; n < NT; n += 4) {
    UNROLL for (int right = 0; right < 2; right++) {
      row r[4];
      UNROLL for (int a = 0; a < 4; a++) r[a] = rows[8 * (n + a) + right];
      UNROLL for (int m = 0; m < MT; m++) {
        uint32_t word[4];
        const uint64_t block = th_drop_block(query + 8 * n + right, key + 16 * m);
        th_philox_block(seed, (uint64_t)matrix, block, word);
        UNROLL for (int a = 0; a < 4; a++) {
          UNROLL for (int half = 0; half < 2; half++) {
            const int i = 2 * half + right;
            float &weight = w[m][n + a][i], &g = slope[m][n + a][i];
            const bool gone = attention_drops(word[a], half, j.drops);
            const bool later = 16 * m + half * 8 > seen + 8 * (n + a) + right;
            float p = mma::exp2_of(fmaf(weight, scale, -r[a].lse));
            if (some && (hidden[m][half] || later)) p = 0;
            g = p * ((gone ? 0 : g) - r[a].gy);
            weight = gone ? 0 : p;
          }
        }
      }
    }
  }
}

/* The gradients by the keys and values of a block. */
template <class T, int DP, bool DROP>
static __global__ void __launch_bounds__(LANES, 2) by_key(attention_of<T> j, unsigned blocks)
{
  typedef key_size<DP> S;
  constexpr int MT = S::HIGH / 16 / WARPS, NT = S::WIDE / 8, TILE = S::WIDE * DP / 8;
  TILES(room, S::CHUNKS);
  chunk *const k = room, *const v = k + S::HIGH * DP / 8, *const pairs = v + S::HIGH * DP / 8;
  const int matrix = (int)(blockIdx.x / blocks), s = (int)(blockIdx.x % blocks) * S::HIGH;
  const int queries = (int)j.queries, keys = (int)j.keys, ahead = (int)j.ahead;
  const int begin = s > ahead ? (s - ahead) / S::WIDE * S::WIDE : 0;     /* earlier queries see none of these keys */
  const int first = (int)threadIdx.x / 32 * 16 * MT, d = (int)j.d;
  const int key = s + first + mma::lane() / 4;
  const T *const hq = j.first_of(j.q, matrix), *const hg = j.first_of(j.g, matrix);
  const row *const rows = reinterpret_cast<const row *>(j.rows) + matrix * j.padded + mma::lane() % 4 * 2;
  const uint8_t *const padding = j.padding_of(matrix);
  float gk[MT][DP / 8][4] = {}, gv[MT][DP / 8][4] = {}, by[MT][2];
  bool hidden[MT][2];
  for (int m = 0; m < MT; m++) {
    for (int half = 0; half < 2; half++) {
      const int at = key + 16 * m + 8 * half;
      hidden[m][half] = padding && at < keys && padding[at * j.padding_step];
    }
  }
  fetch<T, DP, S::HIGH>(k, j.k, j.first_of(j.k, matrix), s, keys, d);
  fetch<T, DP, S::HIGH>(v, j.v, j.first_of(j.v, matrix), s, keys, d);
  if (begin < queries) {
    fetch<T, DP, S::WIDE>(pairs, j.q, hq, begin, queries, d);
    fetch<T, DP, S::WIDE>(pairs + TILE, j.g, hg, begin, queries, d);
  }
  for (int t = begin; t < queries; t += S::WIDE) {
    const int turn = (t - begin) / S::WIDE;
    chunk *const q = pairs + turn % 2 * 2 * TILE, *const next = pairs + (turn + 1) % 2 * 2 * TILE;
    float w[MT][NT][4], slope[MT][NT][4];
    mma::wait();
    __syncthreads();                         // this tile is there, and the one before is free
    if (t + S::WIDE < queries) {
      fetch<T, DP, S::WIDE>(next, j.q, hq, t + S::WIDE, queries, d);
      fetch<T, DP, S::WIDE>(next + TILE, j.g, hg, t + S::WIDE, queries, d);
    }
    scores<T, DP, MT, NT>(w, k, first, q);
    scores<T, DP, MT, NT>(slope, v, first, q + TILE);
    const int query = t + mma::lane() % 4 * 2;
    const bool some = padding || s + S::HIGH - 1 > t + ahead;
    if (DROP) {
      dropped_slopes(w, slope, j, rows + t, some, hidden, matrix, query, key);
    } else {
      slopes_of_keys<MT, NT>(w, slope, rows + t, j.scale * LOG2E, some, query + ahead - key,
                             hidden);
    }
    mix<T, DP, MT, NT>(gv, w, q + TILE);
    mix<T, DP, MT, NT>(gk, slope, q);
  }
  for (int m = 0; m < MT; m++) by[m][0] = by[m][1] = DROP ? j.scale / j.rest : j.scale;
  if (j.gk.p) store<T, DP, MT>(j.gk, j.first_of(j.gk, matrix), s + first, keys, d, gk, by);
  for (int m = 0; m < MT; m++) by[m][0] = by[m][1] = DROP ? 1 / j.rest : 1;
  if (j.gv.p) store<T, DP, MT>(j.gv, j.first_of(j.gv, matrix), s + first, keys, d, gv, by);
  mma::wait();
}

/* ---- launches ---- */

#ifdef __CUDACC__
/* The bytes of shared memory of a launch; more than 48 KB must be asked for. */
template <class F> static th_status ask(F *kernel, int chunks, size_t *bytes)
{
  *bytes = (size_t)chunks * sizeof(chunk);
  return TH_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)*bytes));
}
#else
template <class F> static th_status ask(F *, int, size_t *bytes)
{
  *bytes = 0;
  return TH_OK;
}
#endif

#define START(kernel, size, n) \
  do { \
    size_t bytes_; \
    const int64_t blocks_ = ((n) + size<DP>::HIGH - 1) / size<DP>::HIGH; \
    TH_TRY(ask(kernel<T, DP, DROP>, size<DP>::CHUNKS, &bytes_)); \
    if (blocks_) { \
      const unsigned all_ = (unsigned)(j.samples * j.heads * blocks_); \
      TH_LAUNCH((kernel<T, DP, DROP>), all_, LANES, bytes_, j, (unsigned)blocks_); \
    } \
    TH_TRY(th_launched()); \
  } while (0)

template <class T, int DP, bool DROP> static th_status run_forward(const attention_of<T> &j)
{
  START(forward, forward_size, j.queries);
  return TH_OK;
}

template <class T, int DP, bool DROP> static th_status run_backward(const attention_of<T> &j)
{
  if (j.gq.p) START(by_query, query_size, j.queries);
  if (j.gk.p || j.gv.p) START(by_key, key_size, j.keys);
  return TH_OK;
}

template <class T> static bool fits(const attention_of<T> &j)
{
#ifdef __CUDACC__
  int device = 0, major = 0, most = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  if (major < 8 || most < 96 << 10) return false;
#endif
  const int64_t longest = j.queries > j.keys ? j.queries : j.keys;
  if (longest > 1 << 28) return false;       /* a position is an int */
  return j.d <= 128 && j.scale > 0 && j.samples * j.heads * (longest / 64 + 1) < INT32_MAX;
}

template <class T, bool DROP> static th_status sized_forward(const attention_of<T> &j)
{
  if (j.d <= 32) return run_forward<T, 32, DROP>(j);
  return j.d <= 64 ? run_forward<T, 64, DROP>(j) : run_forward<T, 128, DROP>(j);
}

template <class T, bool DROP> static th_status sized_backward(const attention_of<T> &j)
{
  if (j.d <= 32) return run_backward<T, 32, DROP>(j);
  return j.d <= 64 ? run_backward<T, 64, DROP>(j) : run_backward<T, 128, DROP>(j);
}

template <class T> static th_status start_forward(const attention_of<T> &j)
{
  return j.drops ? sized_forward<T, true>(j) : sized_forward<T, false>(j);
}

template <class T> static th_status start_backward(const attention_of<T> &j)
{
  const int64_t all = j.samples * j.heads * j.padded;
  if (all) TH_LAUNCH((fill_rows<T>), th_blocks(all * 32), THREADS, 0, j);
  TH_TRY(th_launched());
  return j.drops ? sized_backward<T, true>(j) : sized_backward<T, false>(j);
}

}  // namespace

bool th_attention_on_tensor_cores(const attention_of<f16> &j) { return fits(j); }
bool th_attention_on_tensor_cores(const attention_of<bf16> &j) { return fits(j); }
th_status th_attention_forward(const attention_of<f16> &j) { return start_forward(j); }
th_status th_attention_forward(const attention_of<bf16> &j) { return start_forward(j); }
th_status th_attention_backward(const attention_of<f16> &j) { return start_backward(j); }
th_status th_attention_backward(const attention_of<bf16> &j) { return start_backward(j); }
