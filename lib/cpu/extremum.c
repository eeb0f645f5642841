/* extremum.c - largest and smallest elements, of everything or along one dimension.
 *
 * A NaN beats every number and the first NaN wins; among equals the first wins. */
#ifndef T
#include "walk.h"
#include "../op/extremum.args.h"

enum {
  LANES = 32,           /* of a line side by side */
  BLOCK = 65536,        /* elements of a block */
  WIDTH = 1024,         /* columns side by side */
  NARROW = 128,         /* columns are narrow where two rows of them are at most so many elements */
};

typedef struct best {
  bool        largest;
  const th_walk *w;                    /* operands: x, y, index */
  const th_seq *seq;
  const void *x;
  int64_t     rows, chunks, tiles, total;
  void       *value;                   /* chunks x count; unused where a line is one chunk */
  int64_t    *place;                   /* the same, from 0 */
  void       *y;
  int64_t    *index;
} best;

#define TH_SELF "extremum.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_max_all)[TH_NDTYPE] = TH_ALL(max_all);
const th_kernel TH_AT(th_min_all)[TH_NDTYPE] = TH_ALL(min_all);
const th_kernel TH_AT(th_max)[TH_NDTYPE] = TH_ALL(max);
const th_kernel TH_AT(th_min)[TH_NDTYPE] = TH_ALL(min);
const th_kernel TH_AT(th_pick_grad)[TH_NDTYPE] = TH_ALL(pick_grad);

#else

/* V is what values are compared in. */
#if IS_HALF
typedef float K(V);
#else
typedef T K(V);
#endif
#define V K(V)

TH_INLINE bool K(beats)(bool largest, V v, V a)
{
#if IS_FLOAT
  return (largest ? v > a : v < a) | ((v != v) & (a == a));
#else
  return largest ? v > a : v < a;
#endif
}

TH_INLINE V K(value_as)(bool largest, const T *p, int64_t step, int64_t n)
{
  V a = LOAD(p[0]);
  int64_t i = 0;
  if (step == 1 && n >= LANES) {
    V lane[LANES];
    for (int l = 0; l < LANES; l++) lane[l] = LOAD(p[l]);
    for (i = LANES; i + LANES <= n; i += LANES) {
      th_read_ahead(p + i, LANES * sizeof *p);
      for (int l = 0; l < LANES; l++) {
        const V v = LOAD(p[i + l]);
        lane[l] = K(beats)(largest, v, lane[l]) ? v : lane[l];
      }
    }
    for (int l = 0; l < LANES; l++) if (K(beats)(largest, lane[l], a)) a = lane[l];
  }
  for (; i < n; i++) {
    const V v = LOAD(p[i * step]);
    if (K(beats)(largest, v, a)) a = v;
  }
  return a;
}
static V K(value)(bool largest, const T *p, int64_t step, int64_t n)
{
  return largest ? K(value_as)(true, p, step, n) : K(value_as)(false, p, step, n);
}

/* The first place of a value that the line holds; of NaN: the first NaN. Parts are compared as a
 * whole, so that the loop vectorizes. */
static int64_t K(first_of)(const T *p, int64_t n, V a)
{
  enum { PART = 128 };
  int64_t i = 0;
#if IS_FLOAT
  if (a != a) {
    while (LOAD(p[i]) == LOAD(p[i])) i++;
    return i;
  }
#endif
  for (; i + PART <= n; i += PART) {
    __typeof__(_Generic((V)0, double: (int64_t)0, int64_t: (int64_t)0, default: 0)) found = 0;
    for (int l = 0; l < PART; l++) found |= LOAD(p[i + l]) == a;
    if (found) break;
  }
  while (LOAD(p[i]) != a) i++;
  return i;
}

/* The best of a line, and its first place. */
static V K(place)(bool largest, const T *p, int64_t step, int64_t n, int64_t *place)
{
  if (step == 1 && n >= 2 * LANES) {
    const V a = K(value)(largest, p, step, n);
    *place = K(first_of)(p, n, a);
    return a;
  }
  V a = LOAD(p[0]);
  int64_t first = 0;
  for (int64_t i = 1; i < n; i++) { /* without a branch: it could not be foretold */
    const V v = LOAD(p[i * step]);
    const bool better = K(beats)(largest, v, a);
    a = better ? v : a;
    first = better ? i : first;
  }
  *place = first;
  return a;
}

/* Places count from the chunk's first row, so that 32 bits hold them. */
TH_INLINE void K(columns_as)(bool largest, V *restrict value, int32_t *restrict place, const T *p,
                             int64_t down, int64_t right, int32_t rows, int64_t cols)
{
  for (int64_t j = 0; j < cols; j++) value[j] = LOAD(p[j * right]), place[j] = 0;
  for (int32_t r = 1; r < rows; r++) {
    p += down;
    for (int64_t j = 0; j < cols; j++) {
      const V v = LOAD(p[j * right]), a = value[j];
      const bool better = K(beats)(largest, v, a);
      value[j] = better ? v : a;
      place[j] = better ? r : place[j];
    }
  }
}
/* So few columns that several rows make one: a matrix of fewer and longer rows. Of equals the one
 * of the earlier row counts. */
static void K(narrow)(bool largest, V *value, int32_t *near, const T *p, int64_t rows, int64_t cols)
{
  const int64_t some = NARROW / cols, wide = some * cols, longer = rows / some;
  V best_of[NARROW];
  int32_t row_of[NARROW];
  if (largest) K(columns_as)(true, best_of, row_of, p, wide, 1, (int32_t)longer, wide);
  else K(columns_as)(false, best_of, row_of, p, wide, 1, (int32_t)longer, wide);
  for (int64_t j = 0; j < cols; j++) value[j] = best_of[j], near[j] = row_of[j] * (int32_t)some;
  for (int64_t k = cols; k < wide; k++) {
    const int64_t j = k % cols;
    const V v = best_of[k], a = value[j];
    const int32_t row = row_of[k] * (int32_t)some + (int32_t)(k / cols);
    if (K(beats)(largest, v, a) || (!K(beats)(largest, a, v) && row < near[j]))
      value[j] = v, near[j] = row;
  }
  for (int64_t r = longer * some; r < rows; r++) {
    for (int64_t j = 0; j < cols; j++) {
      const V v = LOAD(p[r * cols + j]);
      if (K(beats)(largest, v, value[j])) value[j] = v, near[j] = (int32_t)r;
    }
  }
}
static void K(columns)(bool largest, V *value, int64_t *place, const T *p, int64_t down,
                       int64_t right, int64_t rows, int64_t cols, int64_t from)
{
  int32_t near[WIDTH];
  if (right == 1 && down == cols && cols <= NARROW / 2 && rows >= 2 * (NARROW / cols)) {
    K(narrow)(largest, value, near, p, rows, cols);
  } else
  if (largest && right == 1) K(columns_as)(true, value, near, p, down, 1, (int32_t)rows, cols);
  else if (right == 1) K(columns_as)(false, value, near, p, down, 1, (int32_t)rows, cols);
  else K(columns_as)(largest, value, near, p, down, right, (int32_t)rows, cols);
  for (int64_t j = 0; j < cols; j++) place[j] = from + near[j];
}

/* ---- blocks of work ---- */

static void K(some_lines)(void *ctx, int64_t first, int64_t last)
{
  const best *b = ctx;
  for (int64_t i = first; i < last; i++) {
    const int64_t k = b->chunks == 1 ? i : i / b->chunks, chunk = i - k * b->chunks,
                  from = chunk * BLOCK;
    const int64_t n = b->chunks == 1 ? b->w->n[0] : th_min(BLOCK, b->w->n[0] - from);
    const int64_t to = chunk * b->w->count + k;
    int64_t off[TH_WALKOPS], place;
    th_walk_at(b->w, b->w->ndim, k, off);
    const T *p = (const T *)b->x + off[0] + from * b->w->step[0];
    const V v = K(place)(b->largest, p, b->w->step[0], n, &place);
    if (b->chunks == 1) {
      ((T *)b->y)[off[1]] = STORE(v);
      b->index[off[2]] = place + 1;
    } else {
      ((V *)b->value)[to] = v;
      b->place[to] = from + place;
    }
  }
}
static void K(some_tiles)(void *ctx, int64_t first, int64_t last)
{
  const best *b = ctx;
  const th_walk *w = b->w;
  const int64_t cols = w->size[w->ndim - 1], right = w->stride[0][w->ndim - 1];
  for (int64_t i = first; i < last; i++) {
    const int64_t chunk = i % b->chunks, from = chunk * b->rows, o = i / b->chunks / b->tiles;
    const int64_t left = i / b->chunks % b->tiles * WIDTH, to = chunk * w->count + o * cols + left;
    int64_t off[TH_WALKOPS];
    th_walk_at(w, w->ndim - 1, o, off);
    const int64_t width = th_min(WIDTH, cols - left), rows = th_min(b->rows, w->n[0] - from);
    V value_here[WIDTH], *value = b->chunks == 1 ? value_here : (V *)b->value + to;
    int64_t place_here[WIDTH], *place = b->chunks == 1 ? place_here : b->place + to;
    K(columns)
    (b->largest, value, place, (const T *)b->x + off[0] + from * w->step[0] + left * right,
     w->step[0], right, rows, width, from);
    if (b->chunks > 1) continue;
    const int64_t sy = w->stride[1][w->ndim - 1], si = w->stride[2][w->ndim - 1];
    T *y = (T *)b->y + off[1] + left * sy;
    int64_t *index = b->index + off[2] + left * si;
    for (int64_t j = 0; j < width; j++) y[j * sy] = STORE(value[j]), index[j * si] = place[j] + 1;
  }
}
static void K(some_blocks)(void *ctx, int64_t first, int64_t last)
{
  const best *b = ctx;
  for (int64_t i = first; i < last; i++) {
    th_spot s;
    th_spot_at(&s, b->seq, i * BLOCK);
    V a = LOAD(((const T *)b->x)[s.off]);
    for (int64_t left = th_min(BLOCK, b->total - i * BLOCK); left > 0;) {
      const int64_t n = th_min(left, th_spot_left(&s));
      const V v = K(value)(b->largest, (const T *)b->x + s.off, th_spot_step(&s), n);
      if (K(beats)(b->largest, v, a)) a = v;
      th_spot_skip(&s, n);
      left -= n;
    }
    ((V *)b->value)[i] = a;
  }
}

/* Joins the chunks of each line, the earlier one first, and stores. */
static void K(end_lines)(void *ctx, int64_t first, int64_t last)
{
  const best *b = ctx;
  for (int64_t k = first; k < last; k++) {
    V a = ((V *)b->value)[k];
    int64_t place = b->place[k], off[TH_WALKOPS];
    for (int64_t ch = 1; ch < b->chunks; ch++) {
      const V v = ((V *)b->value)[ch * b->w->count + k];
      if (K(beats)(b->largest, v, a)) a = v, place = b->place[ch * b->w->count + k];
    }
    th_walk_at(b->w, b->w->ndim, k, off);
    ((T *)b->y)[off[1]] = STORE(a);
    b->index[off[2]] = place + 1;
  }
}

/* ---- kernels ---- */

static th_status K(all)(const th_call *c, bool largest)
{
  const th_tensor *x = max_all_args_of(c)->x;
  th_seq seq;
  th_seq_of(&seq, x, true);
  best b = {
    .largest = largest, .seq = &seq, .x = TH_DATA(T, x), .total = th_tensor_numel(x)
  };
  const int64_t blocks = th_parts(b.total, BLOCK);
  V few[16];
  b.value = blocks <= 16 ? few : th_scratch(sizeof(V) * (size_t)blocks);
  if (!b.value) return th_no_scratch(blocks * 8);
  const th_status s = th_parallel(blocks, 1, K(some_blocks), &b);
  V a = *(V *)b.value;
  for (int64_t i = 1; i < blocks && s == TH_OK; i++) {
    if (K(beats)(largest, ((V *)b.value)[i], a)) a = ((V *)b.value)[i];
  }
  th_return(c, max_all_max, (double)a);
  if (b.value != few) th_scratch_free(b.value);
  return s;
}
static th_status K(max_all)(const th_call *c) { return K(all)(c, true); }
static th_status K(min_all)(const th_call *c) { return K(all)(c, false); }

static th_status K(along)(const th_call *c, bool largest)
{
  const max_args *a = max_args_of(c);
  const th_tensor *x = a->x;
  const int dim = (int)a->dim;
  const th_tensor y = th_with_dim(a->y, dim, x->ndim),
                  index = th_with_dim(a->index, dim, x->ndim);
  th_walk walk;
  best b = { .largest = largest, .w = &walk, .x = TH_DATA(T, x), .y = TH_DATA(T, &y),
             .index = TH_DATA(int64_t, &index) };
  const th_walk *w = &walk;
  th_walk_lines(&walk, dim, 3, (const th_tensor *const[]){ x, &y, &index });
  if (w->count == 0) return TH_OK;
  const bool columns = th_walk_columns(w);
  const int64_t cols = columns ? w->size[w->ndim - 1] : 1;
  b.rows = 2 * BLOCK / th_min(cols, WIDTH);
  b.tiles = th_parts(cols, WIDTH);
  b.chunks = columns                ? th_parts(w->n[0], b.rows)
             : w->n[0] <= 2 * BLOCK ? 1
                                    : th_parts(w->n[0], BLOCK);
  const int64_t room = w->count * b.chunks;
  if (b.chunks > 1) {
    b.place = th_scratch((sizeof(int64_t) + sizeof(V)) * (size_t)room);
    if (!b.place) return th_no_scratch(room * 16);
    b.value = b.place + room;
  }
  const int64_t each = columns ? th_min(cols, WIDTH) * th_min(b.rows, w->n[0]) : w->n[0];
  const int64_t grain = th_max(1, BLOCK / th_max(each, 1));
  th_status s = columns
                    ? th_parallel(w->count / cols * b.tiles * b.chunks, grain, K(some_tiles), &b)
                    : th_parallel(room, grain, K(some_lines), &b);
  if (b.chunks == 1) return s;
  if (s == TH_OK) s = th_parallel(w->count, TH_GRAIN, K(end_lines), &b);
  th_scratch_free(b.place);
  return s;
}
static th_status K(max)(const th_call *c) { return K(along)(c, true); }
static th_status K(min)(const th_call *c) { return K(along)(c, false); }

typedef struct K(picked) { th_walk w; T *gx; const T *g; const int64_t *index; } K(picked);

static void K(pick_lines)(void *ctx, int64_t first, int64_t last)
{
  const K(picked) *q = ctx;
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&q->w, q->w.ndim, k, off);
    T *gx = q->gx + off[0];
    for (int64_t i = 0; i < q->w.n[0]; i++) gx[i * q->w.step[0]] = STORE(0);
    gx[(q->index[off[1]] - 1) * q->w.step[0]] = q->g[off[2]];
  }
}
static th_status K(pick_grad)(const th_call *c)
{
  const pick_grad_args *a = pick_grad_args_of(c);
  const th_tensor *gx = a->gx;
  const int dim = (int)a->dim;
  const th_tensor index = th_with_dim(a->index, dim, gx->ndim),
                  g = th_with_dim(a->g, dim, gx->ndim);
  K(picked) q = { .gx = TH_DATA(T, gx), .g = TH_DATA(T, &g), .index = TH_DATA(int64_t, &index) };
  th_walk_lines(&q.w, dim, 3, (const th_tensor *const[]){ gx, &index, &g });
  return th_parallel(q.w.count, th_max(1, TH_GRAIN / (q.w.n[0] + 1)), K(pick_lines), &q);
}
#undef V
#endif
