/* attention.c - attention by tiles of HIGH queries and WIDE keys, on the micro kernel of matrix products.
 *
 * Keys and values of all heads are packed once into panels. Then a block is HIGH queries of a head, which go through the keys
 * (forward, and the gradient by q), or WIDE keys of a head, which go through the queries (the gradients by k and v). One thread
 * computes a block in a fixed order, so the number of threads does not show in the bits. Scores lie panel by panel: that of
 * query i and key s at s / PANEL * HIGH * PANEL + i * PANEL + s % PANEL. */
#ifndef T
#include "../op/attention_dropout.h"
#include "../formula/math.h"
#include "../op/attention.args.h"
#include "gemm.h"
#include "slots.h"

enum {
  HIGH = 64, WIDE = 128, SMALL = 1 << 17, MOST = TH_ATTENTION_MOST, PACKS = 5, LANES = 8,
  MANY = 32                          /* heads that keep all threads busy without being cut into blocks */
};
_Static_assert(HIGH % TH_DROP_QUERIES == 0 && WIDE % TH_DROP_KEYS == 0,
               "no two tiles share a block of random words");

/* samples x heads x steps x d; steps between elements. */
typedef struct side { void *p; int64_t step[4]; } side;

/* A matrix of each head in panels of its columns: of steps, where the rows are features, or the reverse. */
typedef struct pack { const side *from; bool steps_across; double by; int64_t rows, cols; void *to; } pack;

typedef struct job {
  int64_t samples, heads, queries, keys, d;
  int64_t ahead;                     /* query t sees the keys up to t + ahead */
  double scale;
  side q, k, v, y, g, gq, gk, gv;
  side mask;                         /* steps of 0 where it broadcasts */
  bool masked, safe;                 /* NaN where no score is above -infinity; zeros where safe */
  uint32_t drops;                    /* of 2^16 values of a weight's bits; 0: without dropout */
  uint64_t seed;
  double rest;                       /* the part of weights that remains */
  const th_tensor *lse, *padding;
  pack packs[PACKS];
  int npacks;
  int64_t panels, blocks;            /* panels of all packs of a head; blocks of a head */
  bool whole;                        /* gradients: a thread computes all three of a head, with five products in place of seven */
  int64_t feature[MOST], key[WIDE], query[HIGH];     /* where the micro kernel finds the products of a row */
  th_slots slots;
} job;

enum { K_ACROSS, V_ACROSS, K_DOWN, Q_DOWN, G_DOWN, V_DOWN = V_ACROSS };     /* packs: the gradients have the first five */

static side side_of(const th_tensor *t)
{
  side s = { 0 };
  if (!t) return s;
  s.p = th_data(t, th_element_size(t->dtype));
  memcpy(s.step, t->stride, sizeof s.step);
  return s;
}

static void job_init(job *j, const attention_pass_args *a)
{
  const th_tensor *q = a->q, *k = a->k;
  j->samples = q->size[0], j->heads = q->size[1], j->queries = q->size[2], j->keys = k->size[2], j->d = q->size[3];
  j->ahead = a->causal ? j->keys - j->queries : j->keys;
  j->scale = a->scale != 0 ? a->scale : 1 / sqrt((double)j->d);
  j->q = side_of(q), j->k = side_of(k), j->v = side_of(a->v), j->padding = a->padding;
  j->drops = th_drops(a->dropout), j->rest = th_drop_rest(j->drops);
  if (!j->drops) return;
  const int64_t *word = TH_DATA(int64_t, a->seed);
  j->seed = th_drop_key(word[0], word[a->seed->stride[0]]);
}

static void job_mask(job *j, const th_tensor *mask, bool safe)
{
  j->mask = side_of(mask), j->masked = true, j->safe = safe;
  for (int d = 0; d < 4; d++) if (mask->size[d] == 1) j->mask.step[d] = 0;
}

/* One tile: queries from t, keys from s. */
typedef struct tile { int64_t sample, head, t, m, s, n; } tile;

static int64_t first_of(const side *x, int64_t sample, int64_t head, int64_t step)
{
  return sample * x->step[0] + head * x->step[1] + step * x->step[2];
}

static int64_t parts(int64_t n, int64_t of) { return (n + of - 1) / of; }

/* How many keys of the tile query i of it sees, padding aside. */
static int64_t seen_of(const job *j, const tile *o, int64_t i)
{
  const int64_t seen = o->t + i + j->ahead + 1 - o->s;
  return seen < 0 ? 0 : th_min(seen, o->n);
}

static tile queries_of(const job *j, int64_t item)
{
  const int64_t t = item % j->blocks * HIGH, matrix = item / j->blocks;
  return (tile){ matrix / j->heads, matrix % j->heads, t, th_min(HIGH, j->queries - t), 0, 0 };
}

#include "micro_real.h"

#define MICRO(...) _Generic((C)0, float: micro_f32, double: micro_f64)(__VA_ARGS__)
#define TURN(...)  _Generic((C)0, float: turn4_f32, double: turn4_f64)(__VA_ARGS__)
#define EXP(v)     _Generic((C)0, float: th_exp_f32, double: th_exp_f64)(v)
#define PANEL      (2 * TH_VB / (int64_t)sizeof(C))
#define AT(p, e)   ((C *)(p) + (e))

#define TH_EACH_FLOATS
#define TH_SELF "attention.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_attention)[TH_NDTYPE] = TH_FLOATS(forward);
const th_kernel TH_AT(th_attention_masked)[TH_NDTYPE] = TH_FLOATS(forward_masked);
const th_kernel TH_AT(th_attention_grad)[TH_NDTYPE] = TH_FLOATS(backward);
const th_kernel TH_AT(th_attention_grad_query)[TH_NDTYPE] = TH_FLOATS(by_query);
const th_kernel TH_AT(th_attention_grad_key)[TH_NDTYPE] = TH_FLOATS(by_key);
const th_kernel TH_AT(th_attention_grad_value)[TH_NDTYPE] = TH_FLOATS(by_value);

#else

static int64_t K(width)(const job *j) { return parts(j->d, PANEL) * PANEL; }

/* ---- packing ---- */

static int64_t K(length)(const pack *p) { return parts(p->cols, PANEL) * PANEL * p->rows; }

/* Panel `at` of the packs of a head. */
static void K(pack_panel)(const job *j, int64_t sample, int64_t head, int64_t at)
{
  const pack *p = j->packs;
  for (; at >= parts(p->cols, PANEL); p++) at -= parts(p->cols, PANEL);
  const int64_t row = p->from->step[p->steps_across ? 3 : 2], col = p->from->step[p->steps_across ? 2 : 3];
  const int64_t w = th_min(PANEL, p->cols - at * PANEL);
  const T *from = (const T *)p->from->p + first_of(p->from, sample, head, 0) + at * PANEL * col;
  C *to = AT(p->to, (sample * j->heads + head) * K(length)(p) + at * PANEL * p->rows);
  const C by = (C)p->by;
  int64_t r = 0;
#if !IS_HALF
  static const C none[4];
  if (row == 1 && w == PANEL && by == 1) {             /* transposes 4 x 4 numbers at a time */
    for (; r + 4 <= p->rows; r += 4, to += 4 * PANEL, from += 4) {
      for (int64_t l = 0; l < PANEL; l += 4) TURN(to + l, PANEL, from + l * col, col, none);
    }
  }
#endif
  for (; r < p->rows; r++, to += PANEL, from += row) {
    if (col == 1 && w == PANEL) {
      for (int64_t l = 0; l < PANEL; l++) to[l] = LOAD(from[l]) * by;
      continue;
    }
    for (int64_t l = 0; l < w; l++) to[l] = LOAD(from[l * col]) * by;
    for (int64_t l = w; l < PANEL; l++) to[l] = 0;
  }
}

static void K(pack_panels)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  for (int64_t i = first; i < last && !th_interrupted(); i++) {
    const int64_t matrix = i / j->panels;
    K(pack_panel)(j, matrix / j->heads, matrix % j->heads, i % j->panels);
  }
}

static void K(add_pack)(job *j, const side *from, bool steps_across, int64_t steps, double by)
{
  j->packs[j->npacks++] = (pack){ from, steps_across, by, steps_across ? j->d : steps, steps_across ? steps : j->d, NULL };
}

/* Allocates the packs and `numbers` for each thread, then packs. */
static th_status K(begin)(job *j, size_t numbers)
{
  int64_t all = 0;
  for (int i = 0; i < j->npacks; i++) {
    all += K(length)(&j->packs[i]) * j->samples * j->heads;
    j->panels += parts(j->packs[i].cols, PANEL);
  }
  C *room = th_scratch(sizeof(C) * (size_t)all + 64);
  if (!room) return th_fail(TH_ENOMEM, "no memory for %lld packed numbers", (long long)all);
  j->packs[0].to = room;
  for (int i = 1; i < j->npacks; i++) {
    j->packs[i].to = AT(j->packs[i - 1].to, K(length)(&j->packs[i - 1]) * j->samples * j->heads);
  }
  for (int64_t i = 0; i < MOST; i++) j->feature[i] = i;
  for (int64_t i = 0; i < WIDE; i++) j->key[i] = i / PANEL * HIGH * PANEL + i % PANEL;
  for (int64_t i = 0; i < HIGH; i++) j->query[i] = i * PANEL;
  const th_status s = th_slots_new(&j->slots, sizeof(C) * numbers);
  if (s != TH_OK) {
    th_scratch_free(room);
    return s;
  }
  return th_parallel(j->samples * j->heads * j->panels, 1 + TH_GRAIN / (PANEL * (j->d + j->keys)), K(pack_panels), j);
}

static void K(end)(job *j)
{
  if (!j->slots.base) return;
  th_slots_free(&j->slots);
  th_scratch_free(j->packs[0].to);
}

/* Row `at` of the panels of a head: where a panel begins. */
static const C *K(panel)(const job *j, int which, const tile *o, int64_t col, int64_t row)
{
  const pack *p = &j->packs[which];
  return AT(p->to, (o->sample * j->heads + o->head) * K(length)(p) + col / PANEL * PANEL * p->rows + row * PANEL);
}

/* ---- tiles ---- */

/* The d numbers of a query, each times `by`. */
static void K(load_row)(const job *j, C *restrict to, const side *x, const tile *o, int64_t query, C by)
{
  const T *from = (const T *)x->p + first_of(x, o->sample, o->head, query);
  const int64_t step = x->step[3];
  if (step == 1) for (int64_t e = 0; e < j->d; e++) to[e] = LOAD(from[e]) * by;
  else for (int64_t e = 0; e < j->d; e++) to[e] = LOAD(from[e * step]) * by;
}

static void K(load_rows)(const job *j, C *to, const side *x, const tile *o, C by)
{
  for (int64_t i = 0; i < o->m; i++) K(load_row)(j, to + i * j->d, x, o, o->t + i, by);
}

/* s = a b' for the rows of a, which load_rows has made, and the keys of the tile, packed across; 0 where no query sees the keys
 * of a panel. */
static void K(scores)(const job *j, C *s, const C *a, int which, const tile *o)
{
  const C *row[TH_MR];
  for (int64_t l = 0; l < o->n; l += PANEL) {
    const C *b = K(panel)(j, which, o, o->s + l, 0);
    for (int64_t i = 0; i < o->m; i += TH_MR) {
      const int mr = (int)th_min(TH_MR, o->m - i);
      if (l >= seen_of(j, o, i + mr - 1)) {
        memset(s + l * HIGH + i * PANEL, 0, sizeof(C) * (size_t)(mr * PANEL));
        continue;
      }
      for (int r = 0; r < mr; r++) row[r] = a + (i + r) * j->d;
      MICRO(mr, j->d, row, j->feature, b, s + l * HIGH + i * PANEL, false);
    }
  }
}

/* to = [to +] w b, where w are the scores, and b the panels of d columns from the first key on. */
static void K(mix_keys)(const job *j, C *to, const C *w, int which, const tile *o, bool add)
{
  const C *row[TH_MR];
  for (int64_t e = 0; e < j->d; e += PANEL) {
    const C *b = K(panel)(j, which, o, e, o->s);
    for (int64_t i = 0; i < o->m; i += TH_MR) {
      const int mr = (int)th_min(TH_MR, o->m - i);
      for (int r = 0; r < mr; r++) row[r] = w + (i + r) * PANEL;
      MICRO(mr, seen_of(j, o, i + mr - 1), row, j->key, b, to + e * HIGH + i * PANEL, add);
    }
  }
}

/* to = [to +] w' b: a row of `to` for each key of the tile, sums over its queries. */
static void K(mix_queries)(const job *j, C *to, const C *w, int which, const tile *o, bool add)
{
  const C *row[TH_MR];
  for (int64_t e = 0; e < j->d; e += PANEL) {
    const C *b = K(panel)(j, which, o, e, o->t);
    for (int64_t i = 0; i < o->n; i += TH_MR) {
      const int mr = (int)th_min(TH_MR, o->n - i);
      const int64_t before = o->s + i - j->ahead - o->t;           /* so many queries see none of these keys */
      const int64_t from = before < 0 ? 0 : th_min(before, o->m);
      for (int r = 0; r < mr; r++) row[r] = w + j->key[i + r] + from * PANEL;
      MICRO(mr, o->m - from, row, j->query, b + from * PANEL, to + e * WIDE + i * PANEL, add);
    }
  }
}

/* Writes n rows of panels that are `high` rows long. */
static void K(store_rows)(const job *j, const side *x, const tile *o, int64_t step, int64_t n, const C *from, int64_t high,
                          const C *by)
{
  for (int64_t i = 0; i < n; i++) {
    T *to = (T *)x->p + first_of(x, o->sample, o->head, step + i);
    const int64_t apart = x->step[3];
    for (int64_t e = 0; e < j->d; e += PANEL) {
      const C *row = from + e * high + i * PANEL;
      const int64_t w = th_min(PANEL, j->d - e);
      if (apart == 1) for (int64_t l = 0; l < w; l++) to[e + l] = STORE(row[l] * by[i]);
      else for (int64_t l = 0; l < w; l++) to[(e + l) * apart] = STORE(row[l] * by[i]);
    }
  }
}

/* exp(v) of v <= 0; a result too small for a number would be slow. */
TH_INLINE C K(exp_of)(C v)
{
  const bool none = v < _Generic((C)0, float: -104.0f, double: -746.0);
  const C e = EXP(none ? 0 : v);
  return none ? 0 : e;
}

/* Adds the mask to the scores of a tile. */
static void K(add_mask)(const job *j, C *s, const tile *o)
{
  const int64_t step = j->mask.step[3];
  for (int64_t i = 0; i < o->m; i++) {
    const T *from = (const T *)j->mask.p + first_of(&j->mask, o->sample, o->head, o->t + i) +
      o->s * step;
    for (int64_t p = 0; p < o->n; p += PANEL, from += PANEL * step) {
      C *row = s + p * HIGH + i * PANEL;
      const int64_t w = th_min(PANEL, o->n - p);
      if (step == 1 && w == PANEL) for (int64_t l = 0; l < PANEL; l++) row[l] += LOAD(from[l]);
      else for (int64_t l = 0; l < w; l++) row[l] += LOAD(from[l * step]);
    }
  }
}

/* Gives hidden keys the score -infinity, and those that fill up the last panel. */
static void K(hide)(const job *j, C *s, const tile *o)
{
  const int64_t full = parts(o->n, PANEL) * PANEL;
  for (int64_t i = 0; i < o->m; i++) {
    for (int64_t seen = seen_of(j, o, i); seen < full; seen = (seen / PANEL + 1) * PANEL) {
      C *row = s + seen / PANEL * HIGH * PANEL + i * PANEL;
      for (int64_t l = seen % PANEL; l < PANEL; l++) row[l] = -INFINITY;
    }
  }
  if (j->masked) K(add_mask)(j, s, o);
  if (!j->padding) return;
  const uint8_t *hidden = TH_DATA(uint8_t, j->padding) + o->sample * j->padding->stride[0] + o->s * j->padding->stride[1];
  for (int64_t l = 0; l < o->n; l++) {
    if (!hidden[l * j->padding->stride[1]]) continue;
    for (int64_t i = 0; i < o->m; i++) s[j->key[l] + i * PANEL] = -INFINITY;
  }
}

/* As many weights as lie together and have neighbouring words. */
enum { K(RUN) = PANEL < 8 ? PANEL : 8 };
typedef C K(run) __attribute__((vector_size(K(RUN) * sizeof(C)), aligned(sizeof(C)), may_alias));
typedef uint32_t K(words) __attribute__((vector_size(K(RUN) * 4), aligned(4), may_alias));

/* Drops weights w of a tile. With `slope`, the gradients by the kept weights become those by the
 * scores; gy is of each query. Products read TH_MR - 1 keys behind the last one that a query
 * sees. */
static void K(drop)(const job *j, C *w, C *slope, const C *gy, const tile *o)
{
  enum { KEYS = TH_DROP_KEYS, BLOCKS = WIDE / KEYS * 8 };
  const uint64_t matrix = (uint64_t)(o->sample * j->heads + o->head);
  uint32_t block[4 * BLOCKS], word[4][BLOCKS];
  for (int64_t t = 0; t < o->m; t += t % 8 == 7 ? TH_DROP_QUERIES - 7 : 1) {
    const int64_t last = th_min(t + TH_DROP_QUERIES - 8, o->m - 1);
    const int64_t read = seen_of(j, o, last) + TH_MR, groups = parts(th_min(o->n, read), KEYS);
    th_philox_blocks(j->seed, matrix, th_drop_block(o->t + t, o->s), block, groups * 8);
    for (int64_t k = 0; k < groups * 8; k++) {
      for (int a = 0; a < 4; a++) word[a][k] = block[4 * k + a];
    }
    for (int a = 0; a < 4 && t + 8 * a < o->m; a++) {
      const int64_t i = t + 8 * a;
      for (int64_t s = 0; s < groups * KEYS; s += K(RUN)) {
        const int64_t at = j->key[s] + i * PANEL;
        const K(words) both = *(const K(words) *)(word[a] + s / KEYS * 8 + s % 8);
        const K(words) bits = (s % KEYS < 8 ? both : both >> 16) & 0xffff;
        const K(run) kept = __builtin_convertvector((bits < j->drops) + 1, K(run));
        K(run) *p = (K(run) *)(w + at);
        if (slope) *(K(run) *)(slope + at) = *p * (*(K(run) *)(slope + at) * kept - gy[i]);
        *p *= kept;
      }
    }
  }
}

/* ---- forward ---- */

/* The running maximum and sum of a query, and its part of the mean so far. */
typedef struct K(query) { C top; A sum; } K(query);

/* Scores of a row become exp(score - top); what was made with a smaller maximum is scaled. */
static void K(soften)(const job *j, C *s, const tile *o, K(query) *q, C *mixed)
{
  C lane[PANEL];
  A sum = 0;
  const int64_t panels = parts(o->n, PANEL);
  for (int64_t l = 0; l < PANEL; l++) lane[l] = q->top;
  for (int64_t p = 0; p < panels; p++) {
    for (int64_t l = 0; l < PANEL; l++) lane[l] = s[p * HIGH * PANEL + l] > lane[l] ? s[p * HIGH * PANEL + l] : lane[l];
  }
  C top = q->top;
  for (int64_t l = 0; l < PANEL; l++) top = lane[l] > top ? lane[l] : top;
  const C base = top == -INFINITY ? 0 : top;
  for (int64_t l = 0; l < PANEL; l++) lane[l] = 0;
  for (int64_t p = 0; p < panels; p++) {
    C *row = s + p * HIGH * PANEL;
    for (int64_t l = 0; l < PANEL; l++) row[l] = K(exp_of)(row[l] - base);
    for (int64_t l = 0; l < PANEL; l++) lane[l] += row[l];
  }
  for (int64_t l = 0; l < PANEL; l++) sum += (A)lane[l];
  const C by = K(exp_of)(q->top - base);
  q->sum = q->sum * (A)by + sum;
  q->top = top;
  if (o->s == 0 || by == 1) return;
  for (int64_t e = 0; e < j->d; e += PANEL) {
    for (int64_t l = 0; l < PANEL; l++) mixed[e * HIGH + l] *= by;
  }
}

static void K(store_sums)(const job *j, const tile *o, const K(query) *state)
{
  const int64_t *step = j->lse->stride;
  C *lse = TH_DATA(C, j->lse) + o->sample * step[0] + o->head * step[1] + o->t * step[2];
  for (int64_t i = 0; i < o->m; i++) {
    const A sum = state[i].sum;
    lse[i * step[2]] = (C)(sum == 0 ? -INFINITY : (A)state[i].top + log(sum));
  }
}

static size_t K(forward_room)(const job *j)
{
  return (size_t)(HIGH * j->d + HIGH * WIDE + HIGH * (j->d + PANEL) + HIGH * 8);
}

static void K(forward_block)(const job *j, tile o, C *room)
{
  C *mixed = room, *s = mixed + HIGH * K(width)(j), *q = s + HIGH * WIDE;
  K(query) state[HIGH];
  C by[HIGH];
  for (int64_t i = 0; i < o.m; i++) state[i] = (K(query)){ -INFINITY, 0 };
  K(load_rows)(j, q, &j->q, &o, (C)j->scale);
  const int64_t end = th_min(j->keys, o.t + o.m + j->ahead);
  if (end <= 0) memset(mixed, 0, sizeof(C) * HIGH * (size_t)(K(width)(j)));
  for (o.s = 0; o.s < end; o.s += WIDE) {
    o.n = th_min(WIDE, end - o.s);
    K(scores)(j, s, q, K_ACROSS, &o);
    K(hide)(j, s, &o);
    for (int64_t i = 0; i < o.m; i++) K(soften)(j, s + i * PANEL, &o, &state[i], mixed + i * PANEL);
    if (j->drops) K(drop)(j, s, NULL, NULL, &o);
    K(mix_keys)(j, mixed, s, V_DOWN, &o, o.s > 0);
  }
  for (int64_t i = 0; i < o.m; i++) {
    const A sum = state[i].sum;
    by[i] = (C)(sum == 0 ? (j->masked && j->keys > 0 ? NAN : 0) : 1 / (sum * (A)j->rest));
    if (!j->safe || by[i] == by[i]) continue;
    C *row = mixed + i * PANEL;
    for (int64_t e = 0; e < j->d; e += PANEL) memset(row + e * HIGH, 0, sizeof(C) * PANEL);
    by[i] = 0;
  }
  if (j->lse) K(store_sums)(j, &o, state);
  K(store_rows)(j, &j->y, &o, o.t, o.m, mixed, HIGH, by);
}

static void K(forward_blocks)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  void *room = th_slot_take(&j->slots);
  for (int64_t i = first; i < last && !th_interrupted(); i++) K(forward_block)(j, queries_of(j, i), room);
  th_slot_give(&j->slots, room);
}

static int64_t K(grain)(const job *j, int64_t high, int64_t wide)
{
  const double work = (double)th_min(high, HIGH) * (double)(wide + 1) * (double)j->d;
  return work < SMALL ? (int64_t)(SMALL / work) + 1 : 1;
}

static th_status K(run_forward)(job *j)
{
  K(add_pack)(j, &j->k, true, j->keys, 1);
  K(add_pack)(j, &j->v, false, j->keys, 1);
  j->blocks = parts(j->queries, HIGH);
  const int64_t all = j->samples * j->heads * j->blocks;
  th_status s = K(begin)(j, K(forward_room)(j));
  if (s == TH_OK) s = th_parallel(all, K(grain)(j, j->queries, j->keys), K(forward_blocks), j);
  K(end)(j);
  return s;
}

static th_status K(forward)(const th_call *c)
{
  const attention_args *a = attention_args_of(c);
  const attention_pass_args given = { .q = a->q, .k = a->k, .v = a->v, .scale = a->scale, .causal = a->causal,
                                      .padding = a->padding, .dropout = a->dropout,
                                      .seed = a->seed };
  job j = { .y = side_of(a->y), .lse = a->lse };
  if (th_numel(a->q) == 0) return TH_OK;
  job_init(&j, &given);
  return K(run_forward)(&j);
}

static th_status K(forward_masked)(const th_call *c)
{
  const attention_masked_args *a = attention_masked_args_of(c);
  const attention_pass_args given = { .q = a->q, .k = a->k, .v = a->v, .scale = a->scale };
  job j = { .y = side_of(a->y) };
  if (th_numel(a->q) == 0) return TH_OK;
  job_init(&j, &given);
  job_mask(&j, a->mask, a->safe != 0);
  return K(run_forward)(&j);
}

/* ---- gradients ---- */

/* What a block of queries brings: its rows of q and g, and of each query lse and the sum of g * y. gq holds the gradients by all
 * queries where a thread computes a whole head. */
typedef struct K(pass) { C *q, *g, *p, *gp, *sum, *sum2, *gq; C lse[HIGH], gy[HIGH]; } K(pass);

static int64_t K(block_room)(const job *j) { return 2 * HIGH * j->d + 2 * HIGH * WIDE + 2 * WIDE * K(width)(j); }

static size_t K(backward_room)(const job *j)
{
  return (size_t)(K(block_room)(j) + (j->whole ? parts(j->queries, HIGH) * HIGH * K(width)(j) : 0));
}

static void K(pass_init)(const job *j, K(pass) *x, C *room)
{
  x->sum = room, x->sum2 = x->sum + WIDE * K(width)(j);
  x->p = x->sum2 + WIDE * K(width)(j), x->gp = x->p + HIGH * WIDE;
  x->q = x->gp + HIGH * WIDE, x->g = x->q + HIGH * j->d;
  x->gq = j->whole ? room + K(block_room)(j) : NULL;
}

static void K(load_queries)(const job *j, K(pass) *x, const tile *o)
{
  K(load_rows)(j, x->q, &j->q, o, (C)j->scale);
  K(load_rows)(j, x->g, &j->g, o, 1);
  const C *lse = TH_DATA(C, j->lse) + o->sample * j->lse->stride[0] + o->head * j->lse->stride[1];
  for (int64_t i = 0; i < o->m; i++) {
    C y[MOST];
    A lane[LANES] = { 0 }, sum = 0;
    const C *g = x->g + i * j->d;
    K(load_row)(j, y, &j->y, o, o->t + i, 1);
    int64_t e = 0;
    for (; e + LANES <= j->d; e += LANES) for (int l = 0; l < LANES; l++) lane[l] += (A)g[e + l] * (A)y[e + l];
    for (; e < j->d; e++) lane[0] += (A)g[e] * (A)y[e];
    for (int l = 0; l < LANES; l++) sum += lane[l];
    const C l = lse[(o->t + i) * j->lse->stride[2]];
    x->gy[i] = (C)(sum * (A)j->rest);
    x->lse[i] = l == -INFINITY ? INFINITY : l;       /* no weights where no key is seen */
  }
}

/* The weights p of a tile and, with `slopes`, the gradients gp by its scores. */
static void K(weights)(const job *j, const K(pass) *x, const tile *o, bool slopes)
{
  const int64_t panels = parts(o->n, PANEL);
  const bool whole = slopes && !j->drops;
  K(scores)(j, x->p, x->q, K_ACROSS, o);
  K(hide)(j, x->p, o);
  if (slopes) K(scores)(j, x->gp, x->g, V_ACROSS, o);
  for (int64_t p = 0; p < panels; p++) {
    for (int64_t i = 0; i < o->m; i++) {
      C *w = x->p + p * HIGH * PANEL + i * PANEL, *slope = x->gp + p * HIGH * PANEL + i * PANEL;
      for (int64_t l = 0; l < PANEL; l++) w[l] = K(exp_of)(w[l] - x->lse[i]);
      if (whole) for (int64_t l = 0; l < PANEL; l++) slope[l] = w[l] * (slope[l] - x->gy[i]);
    }
  }
  if (j->drops) K(drop)(j, x->p, slopes ? x->gp : NULL, x->gy, o);
}

static void K(query_block)(const job *j, tile o, K(pass) *x)
{
  C by[HIGH];
  for (int64_t i = 0; i < HIGH; i++) by[i] = (C)(j->scale / j->rest);
  const int64_t end = th_min(j->keys, o.t + o.m + j->ahead);
  if (end <= 0) memset(x->sum, 0, sizeof(C) * HIGH * (size_t)(K(width)(j)));
  K(load_queries)(j, x, &o);
  for (o.s = 0; o.s < end; o.s += WIDE) {
    o.n = th_min(WIDE, end - o.s);
    K(weights)(j, x, &o, true);
    K(mix_keys)(j, x->sum, x->gp, K_DOWN, &o, o.s > 0);
  }
  K(store_rows)(j, &j->gq, &o, o.t, o.m, x->sum, HIGH, by);
}

/* With x->gq it also adds the tiles' part of the gradients by the queries. */
static void K(key_block)(const job *j, tile o, K(pass) *x)
{
  C by[WIDE];
  for (int64_t i = 0; i < WIDE; i++) by[i] = (C)(1 / j->rest);
  const int64_t first = o.s > j->ahead ? (o.s - j->ahead) / HIGH * HIGH : 0;     /* earlier queries see none of these keys */
  if (first >= j->queries) memset(x->sum, 0, 2 * sizeof(C) * WIDE * (size_t)(K(width)(j)));
  for (o.t = first; o.t < j->queries; o.t += HIGH) {
    o.m = th_min(HIGH, j->queries - o.t);
    K(load_queries)(j, x, &o);
    K(weights)(j, x, &o, j->gk.p != NULL);
    if (j->gk.p) K(mix_queries)(j, x->sum, x->gp, Q_DOWN, &o, o.t > first);
    if (j->gv.p) K(mix_queries)(j, x->sum2, x->p, G_DOWN, &o, o.t > first);
    if (x->gq) K(mix_keys)(j, x->gq + o.t * K(width)(j), x->gp, K_DOWN, &o, true);
  }
  if (j->gk.p) K(store_rows)(j, &j->gk, &o, o.s, o.n, x->sum, WIDE, by);
  if (j->gv.p) K(store_rows)(j, &j->gv, &o, o.s, o.n, x->sum2, WIDE, by);
}

static void K(query_blocks)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  void *room = th_slot_take(&j->slots);
  K(pass) x;
  K(pass_init)(j, &x, room);
  for (int64_t i = first; i < last && !th_interrupted(); i++) K(query_block)(j, queries_of(j, i), &x);
  th_slot_give(&j->slots, room);
}

static void K(heads)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  void *room = th_slot_take(&j->slots);
  K(pass) x;
  C by[HIGH];
  K(pass_init)(j, &x, room);
  for (int64_t i = 0; i < HIGH; i++) by[i] = (C)(j->scale / j->rest);
  for (int64_t i = first; i < last && !th_interrupted(); i++) {
    tile o = { i / j->heads, i % j->heads, 0, 0, 0, 0 };
    memset(x.gq, 0, sizeof(C) * (size_t)(parts(j->queries, HIGH) * HIGH * K(width)(j)));
    for (o.s = 0; o.s < j->keys && !th_interrupted(); o.s += WIDE) {
      o.n = th_min(WIDE, j->keys - o.s);
      K(key_block)(j, o, &x);
    }
    for (int64_t t = 0; t < j->queries; t += HIGH) {
      K(store_rows)(j, &j->gq, &o, t, th_min(HIGH, j->queries - t), x.gq + t * K(width)(j), HIGH, by);
    }
  }
  th_slot_give(&j->slots, room);
}

static void K(key_blocks)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  void *room = th_slot_take(&j->slots);
  K(pass) x;
  K(pass_init)(j, &x, room);
  for (int64_t i = first; i < last && !th_interrupted(); i++) {
    const int64_t s = i % j->blocks * WIDE, matrix = i / j->blocks;
    K(key_block)(j, (tile){ matrix / j->heads, matrix % j->heads, 0, 0, s, th_min(WIDE, j->keys - s) }, &x);
  }
  th_slot_give(&j->slots, room);
}

/* Sides without memory are not computed. */
static th_status K(gradients)(const attention_pass_args *a, th_tensor *gq, th_tensor *gk, th_tensor *gv)
{
  job j = { .y = side_of(a->y), .g = side_of(a->g), .lse = a->lse, .gq = side_of(gq), .gk = side_of(gk), .gv = side_of(gv) };
  job_init(&j, a);
  const int64_t matrices = j.samples * j.heads;
  if (matrices == 0) return TH_OK;
  j.whole = matrices >= MANY && j.gq.p && j.gk.p && j.gv.p;
  K(add_pack)(&j, &j.k, true, j.keys, 1);
  K(add_pack)(&j, &j.v, true, j.keys, 1);
  K(add_pack)(&j, &j.k, false, j.keys, 1);
  K(add_pack)(&j, &j.q, false, j.queries, j.scale);
  K(add_pack)(&j, &j.g, false, j.queries, 1);
  th_status s = K(begin)(&j, K(backward_room)(&j));
  if (s == TH_OK && j.whole) {
    s = th_parallel(matrices, K(grain)(&j, j.keys, j.queries), K(heads), &j);
  } else if (s == TH_OK && j.gq.p) {
    j.blocks = parts(j.queries, HIGH);
    s = th_parallel(matrices * j.blocks, K(grain)(&j, j.queries, j.keys), K(query_blocks), &j);
  }
  if (s == TH_OK && !j.whole && (j.gk.p || j.gv.p)) {
    j.blocks = parts(j.keys, WIDE);
    s = th_parallel(matrices * j.blocks, K(grain)(&j, j.keys, j.queries), K(key_blocks), &j);
  }
  K(end)(&j);
  return s;
}

static th_status K(backward)(const th_call *c)
{
  const attention_grad_args *a = attention_grad_args_of(c);
  return K(gradients)(attention_pass_args_at(c, attention_grad_q), a->gq, a->gk, a->gv);
}
static th_status K(by_query)(const th_call *c)
{
  return K(gradients)(attention_pass_args_at(c, attention_grad_query_q), attention_grad_query_args_of(c)->gq, NULL, NULL);
}
static th_status K(by_key)(const th_call *c)
{
  return K(gradients)(attention_pass_args_at(c, attention_grad_key_q), NULL, attention_grad_key_args_of(c)->gk, NULL);
}
static th_status K(by_value)(const th_call *c)
{
  return K(gradients)(attention_pass_args_at(c, attention_grad_value_q), NULL, NULL, attention_grad_value_args_of(c)->gv);
}
#endif
