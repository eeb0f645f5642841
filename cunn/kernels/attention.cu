// attention.cu - attention of any float type on the units for single numbers, and the choice between these kernels and those of
// attention_mma.cu. The algorithm is the same: tiles, an online softmax, weights computed again for the gradients.
//
// A block has BT rows (queries, or keys for the gradients by k and v) and goes through tiles of BT columns. A thread computes
// RY x RX scores, then RY rows of two columns in each 32 features of the result.
#include "../libraries/cudnn_attention.cuh"
#include "attention.cuh"

namespace {

constexpr int TX = 16, RY = 4, PART = 32;            /* threads across, rows of a thread, features at a time */

template <class C> struct sizes { static constexpr int BT = sizeof(C) == 8 ? 32 : 64, RX = BT / TX, COUNT = BT / RY * TX; };

/* With dropout, the random words of a tile, a block of them for 8 weights (attention_dropout.h). */
template <class C, bool DROP> struct drawn {};
template <class C> struct drawn<C, true> {
  static constexpr int ROWS = sizes<C>::BT / TH_DROP_QUERIES * 8;
  static constexpr int COLS = sizes<C>::BT / TH_DROP_KEYS * 8;
  uint32_t word[ROWS][COLS][4];
};

template <class C, bool DROP> struct tiles : drawn<C, DROP> {
  static constexpr int BT = sizes<C>::BT;
  C a[BT][PART + 1], b[BT][PART + 1], w[BT][BT + 1], rows[BT][2];
};

TH_DEVICE_FN float exp_of(float v) { return ::expf(v); }
TH_DEVICE_FN double exp_of(double v) { return ::exp(v); }
TH_DEVICE_FN float log_of(float v) { return ::logf(v); }
TH_DEVICE_FN double log_of(double v) { return ::log(v); }

static __device__ __forceinline__ int across() { return (int)threadIdx.x % TX; }
static __device__ __forceinline__ int down() { return (int)threadIdx.x / TX * RY; }

/* PART features of BT rows from `first` on, with zeros where there are none. */
template <class T, class C>
static __device__ void fetch(C (&to)[sizes<C>::BT][PART + 1], const attention_side<const T> &side, const T *head, int64_t first,
                             int64_t n, int64_t feature, int64_t d)
{
  for (int i = (int)threadIdx.x; i < sizes<C>::BT * PART; i += sizes<C>::COUNT) {
    const int row = i / PART, e = i % PART;
    const bool some = first + row < n && feature + e < d;
    to[row][e] = some ? element<T>::load(head[(first + row) * side.step + (feature + e) * side.feature]) : C(0);
  }
}

/* s = a b' for BT rows of a and of b. */
template <class T, class C, bool DROP>
static __device__ void scores(tiles<C, DROP> &room, C (&s)[RY][sizes<C>::RX],
                              const attention_of<T> &j,
                              const attention_side<const T> &a, int64_t row, int64_t rows,
                              const attention_side<const T> &b, int64_t col, int64_t cols, int64_t matrix)
{
  for (int y = 0; y < RY; y++) for (int x = 0; x < sizes<C>::RX; x++) s[y][x] = 0;
  for (int64_t feature = 0; feature < j.d; feature += PART) {
    __syncthreads();
    fetch<T, C>(room.a, a, j.first_of(a, matrix), row, rows, feature, j.d);
    fetch<T, C>(room.b, b, j.first_of(b, matrix), col, cols, feature, j.d);
    __syncthreads();
    UNROLL_4 for (int e = 0; e < PART; e++) {
      C left[RY], right[sizes<C>::RX];
      for (int y = 0; y < RY; y++) left[y] = room.a[down() + y][e];
      for (int x = 0; x < sizes<C>::RX; x++) right[x] = room.b[across() + TX * x][e];
      for (int y = 0; y < RY; y++) for (int x = 0; x < sizes<C>::RX; x++) s[y][x] += left[y] * right[x];
    }
  }
}

/* out += w b for BT rows of b, where w is room.w. */
template <class T, class C, int PARTS, bool DROP>
static __device__ void mix(tiles<C, DROP> &room, C (&out)[PARTS][RY][2],
                           const attention_of<T> &j, const attention_side<const T> &b,
                           int64_t row, int64_t rows, int64_t matrix)
{
  UNROLL for (int part = 0; part < PARTS; part++) {
    if (part * PART >= j.d) break;
    __syncthreads();
    fetch<T, C>(room.b, b, j.first_of(b, matrix), row, rows, part * PART, j.d);
    __syncthreads();
    UNROLL_4 for (int k = 0; k < sizes<C>::BT; k++) {
      const C low = room.b[k][across()], high = room.b[k][across() + TX];
      for (int y = 0; y < RY; y++) {
        const C w = room.w[down() + y][k];
        out[part][y][0] += w * low;
        out[part][y][1] += w * high;
      }
    }
  }
}

template <class T, class C, int PARTS>
static __device__ void store(const attention_side<T> &side, T *head, const C (&out)[PARTS][RY][2], const C (&by)[RY], int64_t row,
                             int64_t rows, int64_t d)
{
  UNROLL for (int part = 0; part < PARTS; part++) {
    for (int y = 0; y < RY; y++) {
      const int64_t at = row + down() + y;
      for (int x = 0; x < 2; x++) {
        const int64_t e = part * PART + across() + TX * x;
        if (at < rows && e < d) head[at * side.step + e * side.feature] = element<T>::store(out[part][y][x] * by[y]);
      }
    }
  }
}

/* A fold over the threads of a row. */
template <class C> static __device__ C row_max(C v)
{
  for (int h = TX / 2; h > 0; h /= 2) {
    const C other = __shfl_xor_sync(0xffffffffu, v, h);
    v = other > v ? other : v;
  }
  return v;
}
template <class C> static __device__ C row_sum(C v)
{
  for (int h = TX / 2; h > 0; h /= 2) v += __shfl_xor_sync(0xffffffffu, v, h);
  return v;
}

template <class T> static __device__ bool hidden(const attention_of<T> &j, int64_t matrix, int64_t query, int64_t key)
{
  return key >= j.keys || key > query + j.ahead || (j.padding && j.padding_of(matrix)[key * j.padding_step]);
}

/* Draws the words of a tile. The caller has a barrier before and after it. */
template <class T, class C>
static __device__ void draw(tiles<C, false> &, const attention_of<T> &, int64_t, int64_t, int64_t)
{
}
template <class T, class C>
static __device__ void draw(tiles<C, true> &room, const attention_of<T> &j, int64_t matrix,
                            int64_t query, int64_t key)
{
  typedef drawn<C, true> D;
  UNROLL_1 for (int i = (int)threadIdx.x; i < D::ROWS * D::COLS; i += sizes<C>::COUNT) {
    const int row = i / D::COLS, col = i % D::COLS;
    const uint64_t block = th_drop_block(query + row / 8 * TH_DROP_QUERIES + row % 8,
                                         key + col / 8 * TH_DROP_KEYS + col % 8);
    th_philox_block(j.random_key(), (uint64_t)matrix, block, room.word[row][col]);
  }
}
/* Whether a weight is dropped, by its query and key in the tile. */
template <class C>
static __device__ bool dropped(const tiles<C, false> &, int, int, uint32_t)
{
  return false;
}
template <class C>
static __device__ bool dropped(const tiles<C, true> &room, int query, int key, uint32_t drops)
{
  const int row = query / TH_DROP_QUERIES * 8 + query % 8, col = key / TH_DROP_KEYS * 8 + key % 8;
  return attention_drops(room.word[row][col][query / 8 % 4], key / 8 % 2, drops);
}

/* ---- forward ---- */

/* Scores become exp(score - top) in room.w; what was added with a smaller maximum is scaled. */
template <class T, class C, int PARTS, bool DROP>
static __device__ void soften(tiles<C, DROP> &room, C (&s)[RY][sizes<C>::RX],
                              C (&out)[PARTS][RY][2], C (&top)[RY], C (&sum)[RY],
                              const attention_of<T> &j, int64_t matrix, int64_t query, int64_t key)
{
  UNROLL for (int y = 0; y < RY; y++) {
    C most = top[y], more = 0;
    UNROLL for (int x = 0; x < sizes<C>::RX; x++) {
      s[y][x] = hidden(j, matrix, query + down() + y, key + across() + TX * x) ? -(C)INFINITY : s[y][x] * j.scale;
      most = s[y][x] > most ? s[y][x] : most;
    }
    most = row_max(most);
    const C base = most == -(C)INFINITY ? 0 : most, by = exp_of(top[y] - base);
    UNROLL for (int x = 0; x < sizes<C>::RX; x++) {
      const C p = exp_of(s[y][x] - base);
      const bool gone = dropped(room, down() + y, across() + TX * x, j.drops);
      room.w[down() + y][across() + TX * x] = gone ? 0 : p;
      more += p;
    }
    top[y] = most;
    sum[y] = sum[y] * by + row_sum(more);
    UNROLL for (int part = 0; part < PARTS; part++) {
      out[part][y][0] *= by;
      out[part][y][1] *= by;
    }
  }
}

/* for (EACH_ITEM(item, n)): the work of a block. */
#define EACH_ITEM(item, n) int64_t item = blockIdx.x; item < (n); item += gridDim.x

template <class T, int D, bool DROP>
static __global__ void __launch_bounds__(sizes<typename element<T>::C>::COUNT) forward(attention_of<T> j, int64_t blocks)
{
  typedef typename element<T>::C C;
  constexpr int BT = sizes<C>::BT, PARTS = D / PART;
  __shared__ tiles<C, DROP> room;
  for (EACH_ITEM(item, j.samples * j.heads * blocks)) {
    const int64_t matrix = item / blocks, t = item % blocks * BT, last = t + BT + j.ahead, end = last < j.keys ? last : j.keys;
    C out[PARTS][RY][2] = {}, top[RY], sum[RY] = {};
    for (int y = 0; y < RY; y++) top[y] = -(C)INFINITY;
    for (int64_t s = 0; s < end; s += BT) {
      C w[RY][sizes<C>::RX];
      draw(room, j, matrix, t, s);
      scores<T, C>(room, w, j, j.q, t, j.queries, j.k, s, j.keys, matrix);
      soften(room, w, out, top, sum, j, matrix, t, s);
      mix(room, out, j, j.v, s, j.keys, matrix);
    }
    for (int y = 0; y < RY; y++) {
      const C lse = sum[y] == 0 ? -(C)INFINITY : top[y] + log_of(sum[y]);
      if (across() == 0 && t + down() + y < j.queries) j.lse_of(matrix)[(t + down() + y) * j.lse_step] = lse;
      sum[y] = sum[y] == 0 ? 0 : 1 / (DROP ? sum[y] * j.rest : sum[y]);
    }
    store(j.out, j.first_of(j.out, matrix), out, sum, t, j.queries, j.d);
  }
}

/* ---- gradients ---- */

/* Of BT queries lse, and with `sums` the sum of g * y, in room.rows; behind the last query they
 * give no weight. The caller has a barrier before and after it. */
template <class T, class C, bool DROP>
static __device__ void read_rows(tiles<C, DROP> &room, const attention_of<T> &j, int64_t matrix,
                                 int64_t first, bool sums)
{
  constexpr int SHARE = sizes<C>::COUNT / sizes<C>::BT;      /* threads of a query */
  const int row = (int)threadIdx.x / SHARE, part = (int)threadIdx.x % SHARE;
  const int64_t t = first + row;
  C sum = 0;
  if (sums && t < j.queries) {
    const T *g = j.first_of(j.g, matrix) + t * j.g.step;
    const T *y = j.first_of(j.y, matrix) + t * j.y.step;
    for (int64_t e = part; e < j.d; e += SHARE) {
      sum += element<T>::load(g[e * j.g.feature]) * element<T>::load(y[e * j.y.feature]);
    }
  }
  for (int h = SHARE / 2; h > 0; h /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, h);
  if (part != 0) return;
  const C lse = t < j.queries ? j.lse_of(matrix)[t * j.lse_step] : -(C)INFINITY;
  room.rows[row][0] = lse == -(C)INFINITY ? (C)INFINITY : lse;
  room.rows[row][1] = DROP ? sum * j.rest : sum;
}

enum side { QUERY, KEY, VALUE };

/* BT rows of the gradient by one side. Rows are queries for the first one, else keys; columns are
 * the others. */
template <class T, int D, side BY, bool DROP>
static __device__ void backward_rows(tiles<typename element<T>::C, DROP> &room,
                                     const attention_of<T> &j, int64_t matrix, int64_t first)
{
  typedef typename element<T>::C C;
  constexpr int BT = sizes<C>::BT, PARTS = D / PART;
  constexpr bool down_queries = BY == QUERY;
  const attention_side<const T> &a = down_queries ? j.q : j.k, &b = down_queries ? j.k : j.q;
  const attention_side<const T> &ga = down_queries ? j.g : j.v, &gb = down_queries ? j.v : j.g;
  const attention_side<T> &to = BY == QUERY ? j.gq : BY == KEY ? j.gk : j.gv;
  const int64_t n = down_queries ? j.queries : j.keys, m = down_queries ? j.keys : j.queries;
  const int64_t last = first + BT + j.ahead;
  const int64_t begin = down_queries || first <= j.ahead ? 0 : (first - j.ahead) / BT * BT;
  const int64_t end = !down_queries ? m : last < m ? last : m;
  C out[PARTS][RY][2] = {}, by[RY];
  __syncthreads();                           /* the rows before may be read still */
  if (down_queries) read_rows<T, C>(room, j, matrix, first, true);
  for (int64_t at = begin; at < end; at += BT) {
    C w[RY][sizes<C>::RX], slope[RY][sizes<C>::RX];
    if (!down_queries) read_rows<T, C>(room, j, matrix, at, BY != VALUE);    /* mix has a barrier */
    draw(room, j, matrix, down_queries ? first : at, down_queries ? at : first);
    scores<T, C>(room, w, j, a, first, n, b, at, m, matrix);
    if (BY != VALUE) scores<T, C>(room, slope, j, ga, first, n, gb, at, m, matrix);
    UNROLL for (int y = 0; y < RY; y++) {
      UNROLL for (int x = 0; x < sizes<C>::RX; x++) {
        const int64_t row = first + down() + y, col = at + across() + TX * x;
        const int64_t query = down_queries ? row : col, key = down_queries ? col : row;
        const C *const r = room.rows[down_queries ? down() + y : across() + TX * x];
        const C p = hidden(j, matrix, query, key) ? 0 : exp_of(w[y][x] * j.scale - r[0]);
        const bool gone = down_queries ? dropped(room, down() + y, across() + TX * x, j.drops)
                                       : dropped(room, across() + TX * x, down() + y, j.drops);
        const C g = BY == VALUE ? 1 : gone ? 0 : slope[y][x];
        room.w[down() + y][across() + TX * x] = BY != VALUE ? p * (g - r[1]) : gone ? 0 : p;
      }
    }
    mix(room, out, j, BY == VALUE ? j.g : b, at, m, matrix);
  }
  for (int y = 0; y < RY; y++) by[y] = (BY == VALUE ? C(1) : j.scale) / (DROP ? j.rest : C(1));
  store(to, j.first_of(to, matrix), out, by, first, n, j.d);
}

TH_DEVICE_FN int64_t tiles_for(int64_t rows, int tile) { return (rows + tile - 1) / tile; }

/* How many blocks of rows each side has in all; 0: its gradient is not wanted. */
struct side_items { int64_t query, key, value; };

template <class T, int D, bool DROP>
static __global__ void __launch_bounds__(sizes<typename element<T>::C>::COUNT)
backward(attention_of<T> j, side_items n)
{
  typedef typename element<T>::C C;
  constexpr int BT = sizes<C>::BT;
  __shared__ tiles<C, DROP> room;
  const int64_t queries = tiles_for(j.queries, BT), keys = tiles_for(j.keys, BT);
  for (EACH_ITEM(item, n.query + n.key + n.value)) {
    const int64_t k = item - n.query, v = k - n.key;
    if (k < 0) backward_rows<T, D, QUERY, DROP>(room, j, item / queries, item % queries * BT);
    else if (v < 0) backward_rows<T, D, KEY, DROP>(room, j, k / keys, k % keys * BT);
    else backward_rows<T, D, VALUE, DROP>(room, j, v / keys, v % keys * BT);
  }
}

/* ---- the ops ---- */

static unsigned blocks_for(int64_t items) { return (unsigned)(items < 1 << 20 ? items : 1 << 20); }

template <class T, int D, bool DROP> static th_status run_forward(const attention_of<T> &j)
{
  typedef typename element<T>::C C;
  const int64_t blocks = tiles_for(j.queries, sizes<C>::BT), items = j.samples * j.heads * blocks;
  const unsigned count = sizes<C>::COUNT;
  if (items) TH_LAUNCH((forward<T, D, DROP>), blocks_for(items), count, 0, j, blocks);
  return th_launched();
}

template <class T, int D, bool DROP> static th_status run_backward(const attention_of<T> &j)
{
  typedef typename element<T>::C C;
  const int64_t matrices = j.samples * j.heads;
  const int64_t queries = matrices * tiles_for(j.queries, sizes<C>::BT);
  const int64_t keys = matrices * tiles_for(j.keys, sizes<C>::BT);
  const side_items n = { j.gq.p ? queries : 0, j.gk.p ? keys : 0, j.gv.p ? keys : 0 };
  const int64_t items = n.query + n.key + n.value;
  const unsigned count = sizes<C>::COUNT;
  if (items) TH_LAUNCH((backward<T, D, DROP>), blocks_for(items), count, 0, j, n);
  return th_launched();
}

template <class T, int D> static th_status start_forward(const attention_of<T> &j)
{
  return j.drops ? run_forward<T, D, true>(j) : run_forward<T, D, false>(j);
}
template <class T, int D> static th_status start_backward(const attention_of<T> &j)
{
  return j.drops ? run_backward<T, D, true>(j) : run_backward<T, D, false>(j);
}

template <class T> static attention_side<T> side_of(const th_tensor *t)
{
  if (!t) return {};
  attention_side<T> s = { th_first<T>(t), t->stride[0], t->stride[1], t->stride[2], t->stride[3], false };
  s.packed = sizeof(T) == 2 && (uintptr_t)s.p % 16 == 0 && s.feature == 1 && t->size[3] % 8 == 0 && s.sample % 8 == 0 &&
             s.head % 8 == 0 && s.step % 8 == 0;
  return s;
}

template <class T> static attention_of<T> job_of(const attention_pass_args *a, const th_tensor *lse)
{
  typedef typename element<T>::C C;
  const int64_t *size = a->q->size;
  attention_of<T> j = {};
  j.samples = size[0], j.heads = size[1], j.queries = size[2], j.keys = a->k->size[2], j.d = size[3];
  j.ahead = a->causal ? j.keys - j.queries : j.keys;
  j.scale = (C)(a->scale != 0 ? a->scale : 1 / sqrt((double)j.d));
  j.q = side_of<const T>(a->q), j.k = side_of<const T>(a->k), j.v = side_of<const T>(a->v);
  j.lse = th_first<C>(lse), j.lse_sample = lse->stride[0], j.lse_head = lse->stride[1], j.lse_step = lse->stride[2];
  if (a->padding) {
    j.padding = th_first<const uint8_t>(a->padding);
    j.padding_sample = a->padding->stride[0], j.padding_step = a->padding->stride[1];
  }
  j.drops = th_drops(a->dropout), j.rest = (C)th_drop_rest(j.drops);
  if (j.drops) j.seed = th_first<const int64_t>(a->seed), j.seed_step = a->seed->stride[0];
  return j;
}

template <class T> static th_status own_attention(const th_call *c)
{
  const attention_args *a = attention_args_of(c);
  attention_pass_args given = {};
  given.q = a->q, given.k = a->k, given.v = a->v, given.scale = a->scale, given.causal = a->causal, given.padding = a->padding;
  given.dropout = a->dropout, given.seed = a->seed;
  if (th_numel(a->q) == 0) return TH_OK;
  attention_of<T> j = job_of<T>(&given, a->lse);
  j.out = side_of<T>(a->y);
  if (th_attention_on_tensor_cores(j)) return th_attention_forward(j);
  return j.d <= 128 ? start_forward<T, 128>(j) : start_forward<T, 256>(j);
}

template <class T>
static th_status gradients(const attention_pass_args *a, const th_tensor *gq, const th_tensor *gk, const th_tensor *gv)
{
  typedef typename element<T>::C C;
  attention_of<T> j = job_of<T>(a, a->lse);
  if (j.samples * j.heads == 0) return TH_OK;
  j.y = side_of<const T>(a->y), j.g = side_of<const T>(a->g);
  j.gq = side_of<T>(gq), j.gk = side_of<T>(gk), j.gv = side_of<T>(gv);
  if (th_attention_on_tensor_cores(j)) {
    th_cuda_scratch rows;
    j.padded = (j.queries + ATTENTION_ROWS - 1) / ATTENTION_ROWS * ATTENTION_ROWS;
    if (j.padded) TH_TRY(rows.take((size_t)(j.samples * j.heads * j.padded) * 2 * sizeof(C)));
    j.rows = rows.as<C>();
    return th_attention_backward(j);
  }
  return j.d <= 128 ? start_backward<T, 128>(j) : start_backward<T, 256>(j);
}

template <class T> static th_status own_grad(const th_call *c)
{
  const attention_grad_args *a = attention_grad_args_of(c);
  return gradients<T>(attention_pass_args_at(c, attention_grad_q), a->gq, a->gk, a->gv);
}
template <class T> static th_status grad_query(const th_call *c)
{
  return gradients<T>(attention_pass_args_at(c, attention_grad_query_q), attention_grad_query_args_of(c)->gq, nullptr, nullptr);
}
template <class T> static th_status grad_key(const th_call *c)
{
  return gradients<T>(attention_pass_args_at(c, attention_grad_key_q), nullptr, attention_grad_key_args_of(c)->gk, nullptr);
}
template <class T> static th_status grad_value(const th_call *c)
{
  return gradients<T>(attention_pass_args_at(c, attention_grad_value_q), nullptr, nullptr, attention_grad_value_args_of(c)->gv);
}

/* ---- by cuDNN ---- */

static dnn::attention cudnn_forward_of(const th_call *c)
{
  const attention_args *a = attention_args_of(c);
  dnn::attention j = {};
  j.q = a->q, j.k = a->k, j.v = a->v, j.y = a->y, j.lse = a->lse;
  j.scale = a->scale, j.causal = a->causal;
  return j;
}
static dnn::attention cudnn_grad_of(const th_call *c)
{
  const attention_grad_args *a = attention_grad_args_of(c);
  dnn::attention j = {};
  j.q = a->q, j.k = a->k, j.v = a->v, j.y = a->y, j.lse = a->lse, j.g = a->g;
  j.gq = a->gq, j.gk = a->gk, j.gv = a->gv, j.scale = a->scale, j.causal = a->causal;
  return j;
}
static th_status cudnn_attention(const th_call *c) { return dnn::attend(cudnn_forward_of(c)); }
static th_status cudnn_grad(const th_call *c) { return dnn::attend(cudnn_grad_of(c)); }

/* `plain`: no padding and no dropout. cuDNN is not assumed to be faster before a GPU has run it. */
static dnn::work attention_work(const th_call *c, const dnn::attention &j, bool plain,
                                th_kernel own)
{
  const int64_t *n = j.q->size;
  const bool can = plain && dnn::can_attend(j);
  const int kind = j.g ? TH_TUNE_ATTENTION_GRAD : TH_TUNE_ATTENTION;
  dnn::work w = { dnn::key_of(c, kind, { n[0], n[1], n[2], j.k->size[2], n[3], j.causal }), can,
                  false, own, cudnn_attention, { attention_y, attention_lse, -1 } };
  if (!j.g) return w;
  w.theirs = cudnn_grad;
  w.written[0] = attention_grad_gq, w.written[1] = attention_grad_gk;
  w.written[2] = attention_grad_gv, w.written[3] = -1;
  return w;
}

template <class T> static th_status attention(const th_call *c)
{
  const attention_args *a = attention_args_of(c);
  const bool plain = !a->padding && !th_drops(a->dropout);
  return dnn::compute(c, attention_work(c, cudnn_forward_of(c), plain, own_attention<T>));
}
template <class T> static th_status grad(const th_call *c)
{
  const attention_grad_args *a = attention_grad_args_of(c);
  const bool plain = !a->padding && !th_drops(a->dropout);
  return dnn::compute(c, attention_work(c, cudnn_grad_of(c), plain, own_grad<T>));
}

}  // namespace

TH_KERNELS(attention, TH_CUDA_FLOATS(attention))
TH_KERNELS(attention_grad, TH_CUDA_FLOATS(grad))
TH_KERNELS(attention_grad_query, TH_CUDA_FLOATS(grad_query))
TH_KERNELS(attention_grad_key, TH_CUDA_FLOATS(grad_key))
TH_KERNELS(attention_grad_value, TH_CUDA_FLOATS(grad_value))
