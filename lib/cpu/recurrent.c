/* recurrent.c - sequences of recurrent cells. A block is a few samples with all their steps: samples do
 * not need each other, so threads meet once a sequence, and a sample's bits do not depend on its block.
 * The weight is packed once for the micro kernel; a step multiplies it with the states of the block. */
#ifndef T
#include "../formula/math.h"
#include "../op/recurrent.args.h"
#include "gemm.h"
#include "packed.h"
#include "slots.h"

typedef enum cell { LSTM, GRU, PLAIN } cell;

enum { LARGE = 1 << 19, BLOCK = 4 * TH_MR, COPIES = 3 };      /* LARGE: bytes of a weight that a cache keeps */

/* Row i of a matrix lies at p + i * step (bytes); p is NULL where there is no matrix. */
typedef struct rows { char *p; int64_t step; } rows;

typedef struct job {
  cell cell;
  bool backward, reverse, relu;
  int64_t steps, samples, n, units, gates;          /* n rows; gates: numbers of a sample's gates */
  int64_t block, k, out, panels;                    /* a step's product: k numbers of a sample become `out` */
  const int64_t *places;
  const th_tensor *weight;
  void *packed;
  int64_t *off;
  rows x, a, h, c, h0, c0, bias;                    /* c: the q of a GRU */
  rows g, ghn, gcn, gx, gq, hp, gh0, gc0;
  th_slots slots;
  char *named;                                      /* rows that have a place; NULL: all */
  th_packed copies[COPIES];                         /* of matrices whose rows have gaps */
  int ncopies;
} job;

/* The row of sample b at the s-th step of the walk, from 0; -1: there is none. */
static inline int64_t row_at(const job *j, int64_t s, int64_t b)
{
  return j->places[(j->reverse ? j->steps - 1 - s : s) * j->samples + b] - 1;
}

static inline int64_t row_before(const job *j, int64_t s, int64_t b)
{
  while (--s >= 0) {
    const int64_t row = row_at(j, s, b);
    if (row >= 0) return row;
  }
  return -1;
}

static inline void *row_of(rows m, int64_t i) { return m.p + i * m.step; }

static rows rows_of(const th_tensor *t)
{
  if (!t) return (rows){ 0 };
  const int64_t size = (int64_t)th_element_size(t->dtype);
  return (rows){ th_data(t, (size_t)size), t->ndim > 1 ? t->stride[0] * size : 0 };
}

static bool has_gaps(const th_tensor *t)
{
  return t && t->size[t->ndim - 1] > 1 && t->stride[t->ndim - 1] != 1;
}

static th_status input(job *j, rows *m, const th_tensor *t)
{
  if (has_gaps(t)) TH_TRY(th_pack_input(&j->copies[j->ncopies++ / TH_MAXPACKED], &t));
  *m = rows_of(t);
  return TH_OK;
}

static th_status result(job *j, rows *m, th_tensor *t)
{
  if (has_gaps(t)) TH_TRY(th_pack_result(&j->copies[j->ncopies++ / TH_MAXPACKED], &t, false));
  *m = rows_of(t);
  return TH_OK;
}

/* The same, with 0 in the rows that no place names. */
static th_status result_of_rows(job *j, rows *m, th_tensor *t)
{
  TH_TRY(result(j, m, t));
  const size_t row = th_element_size(t->dtype) * (size_t)t->size[1];
  for (int64_t i = 0; j->named && i < j->n; i++) if (!j->named[i]) memset(row_of(*m, i), 0, row);
  return TH_OK;
}

/* Reads places and sizes. */
static th_status begin(job *j, const th_tensor *x, const th_tensor *places, const th_tensor *weight)
{
  j->steps = places->size[0], j->samples = places->size[1], j->n = x->size[0], j->units = weight->size[1];
  j->gates = weight->size[0], j->weight = weight;
  TH_TRY(th_pack_input(&j->copies[j->ncopies++ / TH_MAXPACKED], &places));
  j->places = TH_DATA(int64_t, places);
  int64_t named = 0;
  for (int64_t i = 0; i < j->steps * j->samples; i++) named += j->places[i] > 0;
  if (named == j->n) return TH_OK;
  j->named = th_scratch((size_t)j->n);
  if (!j->named) return th_fail(TH_ENOMEM, "no memory for %lld marks", (long long)j->n);
  memset(j->named, 0, (size_t)j->n);
  for (int64_t i = 0; i < j->steps * j->samples; i++) if (j->places[i] > 0) j->named[j->places[i] - 1] = 1;
  return TH_OK;
}

static th_status end(job *j, th_status s)
{
  th_scratch_free(j->named);
  for (int i = 0; i < COPIES; i++) s = th_packed_end(&j->copies[i], s);
  return s;
}

#include "micro_real.h"

#define MICRO(...) _Generic((C)0, float: micro_f32, double: micro_f64)(__VA_ARGS__)
#define SIGMOID(v) _Generic((C)0, float: th_sigmoid_f32, double: th_sigmoid_f64)(v)
#define TANH(v)    _Generic((C)0, float: th_tanh_f32, double: th_tanh_f64)(v)
#define PANEL      (2 * TH_VB / (int64_t)sizeof(C))

#define TH_EACH_FLOATS
#define TH_SELF "recurrent.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_lstm)[TH_NDTYPE] = TH_FLOATS(lstm);
const th_kernel TH_AT(th_lstm_grad)[TH_NDTYPE] = TH_FLOATS(lstm_grad);
const th_kernel TH_AT(th_gru)[TH_NDTYPE] = TH_FLOATS(gru);
const th_kernel TH_AT(th_gru_grad)[TH_NDTYPE] = TH_FLOATS(gru_grad);
const th_kernel TH_AT(th_rnn)[TH_NDTYPE] = TH_FLOATS(rnn);
const th_kernel TH_AT(th_rnn_grad)[TH_NDTYPE] = TH_FLOATS(rnn_grad);

#else

/* ---- rows ---- */

static void K(load)(C *restrict to, const T *restrict from, int64_t n)
{
  for (int64_t i = 0; i < n; i++) to[i] = LOAD(from[i]);
}
static void K(store)(T *restrict to, const C *restrict from, int64_t n)
{
  for (int64_t i = 0; i < n; i++) to[i] = STORE(from[i]);
}
/* Row i of m, or zeros where there is no such row. */
static void K(load_or_zero)(C *to, rows m, int64_t i, int64_t n)
{
  if (m.p && i >= 0) K(load)(to, row_of(m, i), n);
  else memset(to, 0, sizeof *to * (size_t)n);
}

/* ---- cells ---- */

static void K(lstm_cell)(int64_t n, C *restrict z, C *restrict c, C *restrict h)
{
  C *const zi = z, *const zf = z + n, *const zg = z + 2 * n, *const zo = z + 3 * n;
  for (int64_t u = 0; u < n; u++) {
    const C i = SIGMOID(zi[u]), f = SIGMOID(zf[u]), g = TANH(zg[u]), o = SIGMOID(zo[u]);
    zi[u] = i, zf[u] = f, zg[u] = g, zo[u] = o;
    c[u] = f * c[u] + i * g;
    h[u] = o * TANH(c[u]);
  }
}

/* z holds the gates and becomes their gradients; dh and dc those of the states, dc of the step before. */
static void K(lstm_back)(int64_t n, C *restrict z, const C *restrict c, const C *restrict before,
                         const C *restrict dh, C *restrict dc)
{
  C *const zi = z, *const zf = z + n, *const zg = z + 2 * n, *const zo = z + 3 * n;
  for (int64_t u = 0; u < n; u++) {
    const C i = zi[u], f = zf[u], g = zg[u], o = zo[u], t = TANH(c[u]);
    const C d = dc[u] + dh[u] * o * (1 - t * t);
    zi[u] = d * g * (i * (1 - i));
    zf[u] = d * before[u] * (f * (1 - f));
    zg[u] = d * i * (1 - g * g);
    zo[u] = dh[u] * t * (o * (1 - o));
    dc[u] = d * f;
  }
}

static void K(gru_cell)(int64_t n, C *restrict z, const C *restrict q, C *restrict h)
{
  C *const zr = z, *const zw = z + n, *const zn = z + 2 * n;
  for (int64_t u = 0; u < n; u++) {
    const C r = SIGMOID(zr[u]), w = SIGMOID(zw[u]), t = TANH(zn[u] + r * q[u]);
    zr[u] = r, zw[u] = w, zn[u] = t;
    h[u] = t + w * (h[u] - t);
  }
}

/* z becomes the gradients of the gates but for n, whose own goes to dn; dh keeps what passes by. */
static void K(gru_back)(int64_t n, C *restrict z, const C *restrict q, const C *restrict before,
                        C *restrict dh, C *restrict dn)
{
  C *const zr = z, *const zw = z + n, *const zn = z + 2 * n;
  for (int64_t u = 0; u < n; u++) {
    const C r = zr[u], w = zw[u], t = zn[u], d = dh[u] * (1 - w) * (1 - t * t);
    zw[u] = dh[u] * (before[u] - t) * (w * (1 - w));
    zr[u] = d * q[u] * (r * (1 - r));
    zn[u] = d * r;
    dn[u] = d;
    dh[u] = dh[u] * w;
  }
}

static void K(rnn_cell)(int64_t n, const C *restrict z, C *restrict h, bool relu)
{
  if (relu) for (int64_t u = 0; u < n; u++) h[u] = z[u] > 0 || z[u] != z[u] ? z[u] : 0;
  else for (int64_t u = 0; u < n; u++) h[u] = TANH(z[u]);
}

static void K(rnn_back)(int64_t n, C *restrict z, const C *restrict h, const C *restrict dh, bool relu)
{
  if (relu) for (int64_t u = 0; u < n; u++) z[u] = h[u] > 0 ? dh[u] : 0;
  else for (int64_t u = 0; u < n; u++) z[u] = dh[u] * (1 - h[u] * h[u]);
}

/* ---- the product of a step ---- */

static void K(pack_weight)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const T *w = TH_DATA(T, j->weight);
  const int64_t row = j->weight->stride[0], col = j->weight->stride[1];
  const int64_t step = j->backward ? row : col, across = j->backward ? col : row;
  for (int64_t p = first; p < last; p++) {
    C *to = (C *)j->packed + p * PANEL * j->k;
    const int64_t width = j->out - p * PANEL < PANEL ? j->out - p * PANEL : PANEL;
    for (int64_t q = 0; q < j->k; q++, to += PANEL) {
      const T *from = w + q * step + p * PANEL * across;
      for (int64_t l = 0; l < width; l++) to[l] = LOAD(from[l * across]);
      for (int64_t l = width; l < PANEL; l++) to[l] = 0;
    }
  }
}

/* sums: panel by panel, in each a row of PANEL numbers for each of the m operands. */
static void K(multiply)(const job *j, int64_t m, const C *const *left, C *sums)
{
  for (int64_t p = 0; p < j->panels; p++) {
    const C *w = (const C *)j->packed + p * PANEL * j->k;
    for (int64_t i = 0; i < m; i += TH_MR) {
      MICRO((int)(m - i < TH_MR ? m - i : TH_MR), j->k, left + i, j->off, w, sums + (p * j->block + i) * PANEL, false);
    }
  }
}

/* to[from..to) += the sums of operand i there. */
static void K(add_sums)(const job *j, C *restrict to, const C *sums, int64_t i, int64_t first, int64_t last)
{
  for (int64_t k = first; k < last;) {
    const int64_t p = k / PANEL, end = (p + 1) * PANEL < last ? (p + 1) * PANEL : last;
    const C *restrict from = sums + (p * j->block + i) * PANEL;
    for (int64_t l = k; l < end; l++) to[l - first] += from[l - p * PANEL];
    k = end;
  }
}

/* ---- blocks of samples ---- */

/* The samples of a block that have a row at step s. */
typedef struct K(live) { int64_t n, row[BLOCK], who[BLOCK]; const C *left[BLOCK]; } K(live);

static void K(find)(const job *j, K(live) *v, int64_t s, int64_t first, int64_t last, const C *left)
{
  v->n = 0;
  for (int64_t b = first; b < last; b++) {
    const int64_t row = row_at(j, s, b);
    if (row < 0) continue;
    v->row[v->n] = row, v->who[v->n] = b - first, v->left[v->n] = left + (b - first) * j->k;
    v->n++;
  }
}

static void K(forward)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  const int64_t u = j->units;
  C *const scratch = th_slot_take(&j->slots);
  C *const sums = scratch, *const h = sums + j->panels * j->block * PANEL, *const c = h + j->block * u;
  C *const own = c + j->block * u, *const bias = own + j->gates;
  K(live) v;
  for (int64_t b = first; b < last; b++) {
    K(load_or_zero)(h + (b - first) * u, j->h0, b, u);
    if (j->cell == LSTM) K(load_or_zero)(c + (b - first) * u, j->c0, b, u);
  }
  K(load_or_zero)(bias, j->bias, 0, j->gates + (j->cell == GRU ? u : 0));
  for (int64_t s = 0; s < j->steps && !th_interrupted(); s++) {
    K(find)(j, &v, s, first, last, h);
    K(multiply)(j, v.n, v.left, sums);
    for (int64_t i = 0; i < v.n; i++) {
      C *const hi = h + v.who[i] * u, *const ci = c + v.who[i] * u;
      C *const z = IS_HALF || !j->a.p ? own : row_of(j->a, v.row[i]);
      if ((void *)z != row_of(j->x, v.row[i])) K(load)(z, row_of(j->x, v.row[i]), j->gates);
      for (int64_t k = 0; k < j->gates; k++) z[k] += bias[k];
      if (j->cell == GRU) {
        memcpy(ci, bias + j->gates, sizeof *ci * (size_t)u);
        K(add_sums)(j, z, sums, i, 0, 2 * u);
        K(add_sums)(j, ci, sums, i, 2 * u, 3 * u);
        K(gru_cell)(u, z, ci, hi);
      } else {
        K(add_sums)(j, z, sums, i, 0, j->gates);
        if (j->cell == LSTM) K(lstm_cell)(u, z, ci, hi);
        else K(rnn_cell)(u, z, hi, j->relu);
      }
      K(store)(row_of(j->h, v.row[i]), hi, u);
      if (j->cell == PLAIN) continue;
      K(store)(row_of(j->c, v.row[i]), ci, u);
      if (z == own) K(store)(row_of(j->a, v.row[i]), z, j->gates);
    }
  }
  th_slot_give(&j->slots, scratch);
}

static void K(backward)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  const int64_t u = j->units;
  C *const scratch = th_slot_take(&j->slots);
  C *const sums = scratch, *const dh = sums + j->panels * j->block * PANEL, *const dc = dh + j->block * u;
  C *const d = dc + j->block * u, *const now = d + j->block * j->gates, *const before = now + u, *const dn = before + u;
  K(live) v;
  for (int64_t b = first; b < last; b++) {
    K(load_or_zero)(dh + (b - first) * u, j->ghn, b, u);
    K(load_or_zero)(dc + (b - first) * u, j->gcn, b, u);
  }
  for (int64_t s = j->steps - 1; s >= 0 && !th_interrupted(); s--) {
    K(find)(j, &v, s, first, last, d);
    for (int64_t i = 0; i < v.n; i++) {
      const int64_t row = v.row[i], b = first + v.who[i], old = row_before(j, s, b);
      C *const dhi = dh + v.who[i] * u, *const dci = dc + v.who[i] * u, *const di = d + v.who[i] * j->gates;
      K(load)(now, row_of(j->g, row), u);
      for (int64_t k = 0; k < u; k++) dhi[k] += now[k];
      K(load_or_zero)(before, old >= 0 ? j->h : j->h0, old >= 0 ? old : b, u);
      K(store)(row_of(j->hp, row), before, u);
      if (j->cell == PLAIN) {
        K(load)(now, row_of(j->h, row), u);
        K(rnn_back)(u, di, now, dhi, j->relu);
        K(store)(row_of(j->gx, row), di, u);
        memset(dhi, 0, sizeof *dhi * (size_t)u);
        continue;
      }
      K(load)(now, row_of(j->c, row), u);
      K(load)(di, row_of(j->a, row), j->gates);
      if (j->cell == LSTM) {
        K(load_or_zero)(before, old >= 0 ? j->c : j->c0, old >= 0 ? old : b, u);
        K(lstm_back)(u, di, now, before, dhi, dci);
        K(store)(row_of(j->gx, row), di, j->gates);
        memset(dhi, 0, sizeof *dhi * (size_t)u);
      } else {
        K(gru_back)(u, di, now, before, dhi, dn);
        K(store)(row_of(j->gx, row), di, 2 * u);
        K(store)((T *)row_of(j->gx, row) + 2 * u, dn, u);
        K(store)(row_of(j->gq, row), di + 2 * u, u);
      }
    }
    K(multiply)(j, v.n, v.left, sums);
    for (int64_t i = 0; i < v.n; i++) K(add_sums)(j, dh + v.who[i] * u, sums, i, 0, u);
  }
  for (int64_t b = first; b < last; b++) {
    K(store)(row_of(j->gh0, b), dh + (b - first) * u, u);
    if (j->cell == LSTM) K(store)(row_of(j->gc0, b), dc + (b - first) * u, u);
  }
  th_slot_give(&j->slots, scratch);
}

/* ---- calls ---- */

static th_status K(run)(job *j)
{
  const int64_t u = j->units;
  j->k = j->backward ? j->gates : u;
  j->out = j->backward ? u : j->gates;
  j->panels = (j->out + PANEL - 1) / PANEL;
  j->block = j->gates * u * (int64_t)sizeof(C) > LARGE ? BLOCK : TH_MR;
  const int64_t weight = j->panels * PANEL * j->k;
  j->packed = th_scratch(sizeof(C) * (size_t)weight + sizeof *j->off * (size_t)j->k);
  if (!j->packed) return th_fail(TH_ENOMEM, "no memory for the packed weight");
  j->off = (int64_t *)((C *)j->packed + weight);
  for (int64_t q = 0; q < j->k; q++) j->off[q] = q;
  const int64_t numbers = j->panels * j->block * PANEL + j->block * (2 * u + (j->backward ? j->gates : 0)) +
                          2 * j->gates + 3 * u;
  th_status s = th_slots_new(&j->slots, sizeof(C) * (size_t)numbers);
  if (s == TH_OK) {
    s = th_parallel(j->panels, 1 + TH_GRAIN / (PANEL * j->k), K(pack_weight), j);
    if (s == TH_OK) s = th_parallel(j->samples, j->block, j->backward ? K(backward) : K(forward), j);
    th_slots_free(&j->slots);
  }
  th_scratch_free(j->packed);
  return s;
}

#define THEN(e) if (s == TH_OK) s = (e)

static th_status K(lstm)(const th_call *c)
{
  const lstm_args *a = lstm_args_of(c);
  job j = { .cell = LSTM, .reverse = a->reverse };
  th_status s = begin(&j, a->x, a->places, a->weight);
  THEN(input(&j, &j.x, a->x));
  THEN(input(&j, &j.bias, a->bias));
  THEN(input(&j, &j.h0, a->h0));
  THEN(input(&j, &j.c0, a->c0));
  THEN(result_of_rows(&j, &j.h, a->h));
  THEN(result_of_rows(&j, &j.c, a->c));
  THEN(result_of_rows(&j, &j.a, a->a));
  THEN(K(run)(&j));
  return end(&j, s);
}

static th_status K(gru)(const th_call *c)
{
  const gru_args *a = gru_args_of(c);
  job j = { .cell = GRU, .reverse = a->reverse };
  th_status s = begin(&j, a->x, a->places, a->weight);
  THEN(input(&j, &j.x, a->x));
  THEN(input(&j, &j.bias, a->bias));
  THEN(input(&j, &j.h0, a->h0));
  THEN(result_of_rows(&j, &j.h, a->h));
  THEN(result_of_rows(&j, &j.c, a->q));
  THEN(result_of_rows(&j, &j.a, a->a));
  THEN(K(run)(&j));
  return end(&j, s);
}

static th_status K(rnn)(const th_call *c)
{
  const rnn_args *a = rnn_args_of(c);
  job j = { .cell = PLAIN, .relu = a->relu, .reverse = a->reverse };
  th_status s = begin(&j, a->x, a->places, a->weight);
  THEN(input(&j, &j.x, a->x));
  THEN(input(&j, &j.bias, a->bias));
  THEN(input(&j, &j.h0, a->h0));
  THEN(result_of_rows(&j, &j.h, a->h));
  THEN(K(run)(&j));
  return end(&j, s);
}

static th_status K(lstm_grad)(const th_call *c)
{
  const lstm_grad_args *a = lstm_grad_args_of(c);
  job j = { .cell = LSTM, .backward = true, .reverse = a->reverse };
  th_status s = begin(&j, a->a, a->places, a->weight);
  rows *const in[] = { &j.a, &j.h, &j.c, &j.g }, *const state[] = { &j.h0, &j.c0, &j.ghn, &j.gcn };
  for (int i = 0; i < 4; i++) THEN(input(&j, in[i], c->arg[lstm_grad_a + i].t));
  for (int i = 0; i < 4; i++) THEN(input(&j, state[i], c->arg[lstm_grad_h0 + i].t));
  THEN(result_of_rows(&j, &j.gx, a->gx));
  THEN(result_of_rows(&j, &j.hp, a->hp));
  THEN(result(&j, &j.gh0, a->gh0));
  THEN(result(&j, &j.gc0, a->gc0));
  THEN(K(run)(&j));
  return end(&j, s);
}

static th_status K(gru_grad)(const th_call *c)
{
  const gru_grad_args *a = gru_grad_args_of(c);
  job j = { .cell = GRU, .backward = true, .reverse = a->reverse };
  th_status s = begin(&j, a->a, a->places, a->weight);
  rows *const in[] = { &j.a, &j.h, &j.c, &j.g }, *const state[] = { &j.h0, &j.ghn };
  for (int i = 0; i < 4; i++) THEN(input(&j, in[i], c->arg[gru_grad_a + i].t));
  for (int i = 0; i < 2; i++) THEN(input(&j, state[i], c->arg[gru_grad_h0 + i].t));
  THEN(result_of_rows(&j, &j.gx, a->gx));
  THEN(result_of_rows(&j, &j.gq, a->gq));
  THEN(result_of_rows(&j, &j.hp, a->hp));
  THEN(result(&j, &j.gh0, a->gh0));
  THEN(K(run)(&j));
  return end(&j, s);
}

static th_status K(rnn_grad)(const th_call *c)
{
  const rnn_grad_args *a = rnn_grad_args_of(c);
  job j = { .cell = PLAIN, .backward = true, .relu = a->relu, .reverse = a->reverse };
  th_status s = begin(&j, a->h, a->places, a->weight);
  THEN(input(&j, &j.h, a->h));
  THEN(input(&j, &j.g, a->g));
  THEN(input(&j, &j.h0, a->h0));
  THEN(input(&j, &j.ghn, a->ghn));
  THEN(result_of_rows(&j, &j.gx, a->gx));
  THEN(result_of_rows(&j, &j.hp, a->hp));
  THEN(result(&j, &j.gh0, a->gh0));
  THEN(K(run)(&j));
  return end(&j, s);
}
#undef THEN
#endif
