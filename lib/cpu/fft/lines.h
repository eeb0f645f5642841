/* lines.h - the lines of a tensor: how they are taken, transformed and put back. Read once per computing type by
 * lib/cpu/fft.c. */
typedef P M(vec) __attribute__((vector_size(TH_VB), may_alias));
#include "butterflies.h"
#include "pass.h"
#include "across.h"
#include "line.h"
#include "mix.h"
#include "primes.h"
#include "odd.h"

static int64_t M(padded)(int64_t n) { return (n + M(PAIR) - 1) / M(PAIR) * M(PAIR); }

/* Numbers of memory for lines side by side: their buffers, vectors of them, and room. */
static int64_t M(together_room)(const pass *p)
{
  return 2 * p->line * M(V) + M(room)(p->plan->node) * M(V);
}
static bool M(may_go_together)(const pass *p)
{
  const int kind = p->plan->node->kind;
  return kind == TH_FFT_DIRECT || kind == TH_FFT_SUM || ((kind == TH_FFT_SPLIT || kind == TH_FFT_PRIME) && p->n <= TOGETHER);
}
/* Do all threads work on one line? */
static bool M(goes_alone)(const pass *p, int64_t lines)
{
  return p->plan->node->kind != TH_FFT_DIRECT && p->n >= LONG && lines < 2 * th_threads();
}

/* hand: AT_HAND bytes of memory for a call of one pass, or NULL. */
static th_status M(take_memory)(pass *p, int64_t lines, void *hand)
{
  const th_fft_node *d = p->plan->node;
  p->line = M(padded)(p->folded ? p->n + 2 : 2 * p->n);
  p->lines = th_max(1, th_min(M(CHUNK), (int64_t)NEAR / (p->line * (int64_t)sizeof(P))));
  if (M(goes_alone)(p, lines)) {
    const int64_t bytes = (p->line + M(middle_room)(d)) * (int64_t)sizeof(P);
    p->alone = th_scratch((size_t)bytes);
    if (!p->alone) return th_no_scratch(bytes);
    return th_slots_new(&p->slots, sizeof(P) * (size_t)M(step_room)(d));
  }
  const int64_t one = p->lines * p->line + M(middle_room)(d) + M(step_room)(d);
  const int64_t room = M(may_go_together)(p) && lines > 1 ? th_max(one, M(together_room)(p)) : one;
  if (hand && lines == 1 && room * (int64_t)sizeof(P) <= AT_HAND - 64) {
    th_slots_of(&p->slots, hand);
    return TH_OK;
  }
  return th_slots_new(&p->slots, sizeof(P) * (size_t)room);
}

/* ---- one by one ---- */

/* A line from `from` to `to`, by way of `buffer`, which either may be. j: with what it needs to work. */
static void M(one)(const pass *p, M(line) *j, const P *from, P *to, P *buffer)
{
  j->d = p->plan->node;
  j->form = j->out = inverse(p) ? SWAPPED : PAIRS;
  j->factor = (P)p->scale;
  j->inner = (P)p->inner;
  j->from = from;
  j->to = to;
  if (!p->folded) {
    M(transform)(j);
  } else if (p->n % 2 == 0 && p->kind == TH_FFT_HALF) {
    j->factor = (P)(0.5 * p->inner * p->scale);
    M(real_line)(j, p->n / 2, p->plan->roots, (P)p->scale);
  } else if (p->n % 2 == 0) {
    M(whole_line)(j, p->n / 2, p->plan->roots, buffer);
  } else if (j->d->kind == TH_FFT_SUM) {
    M(sum_real_line)(j);
  } else if (j->d->kind == TH_FFT_WEIGHTED) {
    M(weighted_line)(j);
  } else if (j->d->kind == TH_FFT_SPLIT) {
    M(odd_line)(j);
  } else {
    M(prime_real_line)(j, p->plan->roots);
  }
}

static int64_t M(bytes_of)(const side *s) { return s->count * (s->form == REAL ? 1 : 2) * (int64_t)sizeof(P); }

/* Do the lines and their results outgrow the caches, so that memory should be read and written in order? Steps between columns
 * and rows of a line hide the order from the processor, which fetches the lines of a cache one by one then. */
static int64_t M(both)(const pass *p) { return M(bytes_of)(&p->from) + M(bytes_of)(&p->to); }
static bool M(outgrows)(const pass *p)
{
  return p->w.count > 1 && p->from.packed && p->to.packed && M(both)(p) * p->w.count >= ALL_NEAR;
}

/* Are results written past the caches? */
static bool M(streams)(const pass *p)
{
  return !p->read_soon && M(outgrows)(p) && M(both)(p) <= COPIED && M(both)(p) * p->w.count >= ALL_FAR;
}
/* By the last step of a transform, or else from a copy? */
static bool M(goes_past)(const pass *p, const P *to)
{
  return M(streams)(p) && !(p->folded && (p->kind == TH_FFT_HALF || p->n % 2)) &&
      M(may_pass)(p->plan->node, to);
}

static void M(one_at)(const pass *p, M(line) *j, char *const *buffer, int lines, const int64_t (*off)[TH_WALKOPS])
{
  const bool in = p->from.packed, out = p->to.packed, streams = M(streams)(p);
  const bool copies = M(outgrows)(p) && M(both)(p) > AHEAD && M(both)(p) <= COPIED;
  const bool copy_in = streams ? M(bytes_of)(&p->from) > AHEAD_ALONE : copies;
  if (!in) collect(p, buffer, lines, off);
  for (int l = 0; l < lines; l++) {
    P *own = (P *)(void *)buffer[l], *to = out ? (P *)p->to.data + off[l][1] : own;
    const P *from = in ? (const P *)p->from.data + off[l][0] : own;
    j->past = M(goes_past)(p, to);
    const bool mixes = p->folded && p->kind == TH_FFT_HALF && p->n % 2 == 0;
    j->past_to = streams && mixes ? to : NULL;
    const bool copy_out = streams ? !j->past : copies;
    if (copy_in) memcpy(own, from, (size_t)M(bytes_of)(&p->from));
    M(one)(p, j, copy_in ? own : from, copy_out ? own : to, own);
    if (!copy_out || j->past_to) continue;
    if (streams) TH_AT(th_stream)((char *)to, (const char *)own, M(bytes_of)(&p->to));
    else memcpy(to, own, (size_t)M(bytes_of)(&p->to));
  }
  if (!out) spread(p, buffer, lines, off);
}

/* Line i is the next one. Where it lies is fetched while the one before it is transformed, and where its result goes, unless that
 * is written past the caches. */
static void M(look_ahead)(const pass *p, M(line) *j, int64_t i)
{
  int64_t off[1][TH_WALKOPS];
  const bool streams = M(streams)(p);
  j->soon[0] = j->soon[1] = NULL;
  if (i >= p->w.count || p->plan->node->kind != TH_FFT_SPLIT || !M(outgrows)(p)) return;
  j->bytes[0] = M(bytes_of)(&p->from);
  j->bytes[1] = M(bytes_of)(&p->to);
  if (streams ? j->bytes[0] > AHEAD_ALONE : j->bytes[0] + j->bytes[1] > AHEAD) return;
  th_walk_at(&p->w, p->w.ndim, i, off[0]);
  j->soon[0] = (const P *)p->from.data + off[0][0];
  j->soon[1] = streams ? NULL : (const P *)p->to.data + off[0][1];
}

static void M(run_single)(void *ctx, int64_t first, int64_t last)
{
  pass *p = ctx;
  const th_fft_node *d = p->plan->node;
  P *memory = th_slot_take(&p->slots), *middle = memory + p->lines * p->line;
  M(line) j = { .middle = middle, .work = middle + M(middle_room)(d) };
  const int64_t together = p->from.packed && p->to.packed ? 1 : p->lines;
  for (int64_t i = first * together; i < th_min(p->w.count, last * together) && !th_interrupted(); i += together) {
    int64_t off[M(CHUNK)][TH_WALKOPS];
    char *buffer[M(CHUNK)];
    const int lines = (int)th_min(together, p->w.count - i);
    for (int l = 0; l < lines; l++) {
      th_walk_at(&p->w, p->w.ndim, i + l, off[l]);
      buffer[l] = (char *)(memory + l * p->line);
    }
    M(look_ahead)(p, &j, i + 1 < last * together ? i + 1 : p->w.count);
    M(one_at)(p, &j, buffer, lines, (const int64_t(*)[TH_WALKOPS])off);
  }
  th_slot_give(&p->slots, memory);
}

/* All threads on one line after the other. */
static th_status M(run_alone)(pass *p)
{
  P *buffer = (P *)(void *)p->alone;
  M(line) j = { .middle = buffer + p->line, .slots = &p->slots };
  for (int64_t i = 0; i < p->w.count && !th_interrupted(); i++) {
    int64_t off[1][TH_WALKOPS];
    th_walk_at(&p->w, p->w.ndim, i, off[0]);
    M(one_at)(p, &j, &p->alone, 1, (const int64_t(*)[TH_WALKOPS])off);
  }
  return th_interrupted() ? th_fail(TH_EINTR, "interrupted") : TH_OK;
}

/* ---- side by side ---- */

/* Rows of vectors in a buffer, and of lines that lie next to each other. */
static void M(set_rows)(M(rows) *r, P *at, int64_t step, int64_t im, int form)
{
  r->at = at;
  r->step = step;
  r->im = im;
  r->form = form;
}
static void M(rows_in_place)(M(rows) *r, const side *s, int64_t off)
{
  P *at = (P *)s->data + off;
  if (s->form == REAL) M(set_rows)(r, at, 2 * s->step, s->step, SPLIT);
  else M(set_rows)(r, at, s->step, 0, PAIRS);
}
static void M(swap_rows)(M(rows) *r, const M(rows) *from)
{
  if (from->form == SPLIT) M(set_rows)(r, from->at + from->im, from->step, -from->im, SPLIT);
  else M(set_rows)(r, from->at, from->step, 0, SWAPPED);
}

/* Do V lines lie next to each other? */
static bool M(in_a_row)(const side *s, int operand, int lines, const int64_t (*off)[TH_WALKOPS])
{
  if (!s->adjacent || lines < M(V)) return false;
  for (int l = 1; l < M(V); l++) if (off[l][operand] - off[0][operand] != l * (s->form == REAL ? 1 : 2)) return false;
  return true;
}

static void M(group)(const pass *p, P *memory, int lines, const int64_t (*off)[TH_WALKOPS])
{
  const th_fft_node *d = p->plan->node;
  P *rows = memory + p->line * M(V), *work = rows + p->line * M(V);
  const bool in = M(in_a_row)(&p->from, 0, lines, off), out = M(in_a_row)(&p->to, 1, lines, off);
  char *buffer[M(V)];
  const P *from[M(V)];
  P *to[M(V)];
  for (int l = 0; l < M(V); l++) {
    const int k = l < lines ? l : 0;
    buffer[l] = (char *)(memory + k * p->line);
    from[l] = p->from.packed || p->from.bare ? (const P *)p->from.data + off[k][0] : (const P *)(void *)buffer[l];
    to[l] = p->to.packed || (p->to.bare && p->to.form == SPECTRUM) ? (P *)p->to.data + off[k][1] : (P *)(void *)buffer[l];
  }
  const int64_t n = p->n, whole = p->folded ? n : 2 * n;
  const bool real = p->from.bare && p->from.form == REAL;
  if (real) {
    M(gather_lanes)(memory, from, n);
    memset(memory + n * M(V), 0, sizeof(P) * (size_t)(n * M(V)));
  } else if (!in) {
    if (!p->from.packed) collect(p, buffer, lines, off);
    M(gather_lanes)(rows, from, p->from.form == SPECTRUM && p->folded ? 2 * (n / 2 + 1) : whole);
  }
  /* Where the numbers come from, lie meanwhile and go to, in this order and with their parts exchanged. */
  M(rows) at[3], swapped[3];
  M(set_rows)(&at[1], rows, M(PAIR), M(V), SPLIT);
  if (real) M(set_rows)(&at[0], memory, M(V), n * M(V), SPLIT);
  else if (in) M(rows_in_place)(&at[0], &p->from, off[0][0]);
  if (out) M(rows_in_place)(&at[2], &p->to, off[0][1]);
  const int x = in || real ? 0 : 1, y = out ? 2 : 1;
  for (int i = 0; i < 3; i++) {
    if (i == 1 || i == x || i == y) M(swap_rows)(&swapped[i], &at[i]);
  }
  const M(after) end = { p->scale == 1 ? NOTHING : SCALE, (P)p->scale, NULL, 0, 0 };
  if (p->folded && n % 2) {
    if (d->kind == TH_FFT_PRIME) {
      M(prime_real_across)(p->plan, &at[x], &at[y], work, (P)p->scale, (P)p->inner, inverse(p));
    } else if (d->kind == TH_FFT_SPLIT) {
      (inverse(p) ? M(odd_across_back) : M(odd_across))(d, &at[x], &at[y], work, (P)p->scale,
                                                        (P)p->inner);
    } else if (inverse(p)) {
      M(sum_whole)(d, &at[x], &at[y], (P)p->scale, (P)p->inner);
    } else {
      M(sum_real)(d, &at[x], &at[y], (P)p->scale, (P)p->inner);
    }
  } else if (p->kind == TH_FFT_HALF && p->folded) {
    const M(after) none = { NOTHING, 1, NULL, 0, 0 };
    M(across)(d, &at[x], &at[1], work, &none);
    M(mix_rows)(&at[1], &at[y], n / 2, p->plan->roots, (P)(0.5 * p->inner * p->scale), (P)p->scale, false);
  } else if (p->folded) {
    M(mix_rows)(&at[x], &at[1], n / 2, p->plan->roots, (P)p->inner, 1, true);
    M(across)(d, &swapped[1], &swapped[y], work, &end);
  } else if (inverse(p)) {
    M(across)(d, &swapped[x], &swapped[y], work, &end);
  } else {
    M(across)(d, &at[x], &at[y], work, &end);
  }
  if (out) return;
  if (p->to.bare && p->to.form == SPECTRUM) {
    M(scatter_lanes)(to, rows, n + 1, lines);
    for (int l = 0; l < lines; l++) to[l][1] = 0;
    return;
  }
  M(scatter_lanes)(to, rows, p->to.form == SPECTRUM && p->folded ? 2 * (n / 2 + 1) : whole, lines);
  if (!p->to.packed) spread(p, buffer, lines, off);
}

static void M(run_groups)(void *ctx, int64_t first, int64_t last)
{
  pass *p = ctx;
  P *memory = th_slot_take(&p->slots);
  for (int64_t group = first; group < last && !th_interrupted(); group++) {
    int64_t off[M(V)][TH_WALKOPS];
    const int lines = (int)th_min(M(V), p->w.count - group * M(V));
    for (int l = 0; l < lines; l++) th_walk_at(&p->w, p->w.ndim, group * M(V) + l, off[l]);
    M(group)(p, memory, lines, (const int64_t(*)[TH_WALKOPS])off);
  }
  th_slot_give(&p->slots, memory);
}

/* Would a line by itself leave many lanes empty? */
static bool M(wasteful)(const pass *p)
{
  const th_fft_node *d = p->plan->node;
  return p->n <= TOGETHER / 2 && (d->row->n % M(CHUNK) || d->column->n % M(CHUNK));
}

/* Are lines transformed side by side wherever they lie? */
static bool M(side_by_side)(const pass *p)
{
  const th_fft_node *d = p->plan->node;
  if (!M(may_go_together)(p)) return false;
  if (d->kind == TH_FFT_SUM) return p->w.count >= M(V);
  /* Side by side they take two thirds of the time, if few lanes are empty. */
  if (d->kind == TH_FFT_PRIME) return th_parts(p->w.count, M(V)) * M(V) * 3 <= p->w.count * 4;
  if (d->kind == TH_FFT_DIRECT || M(wasteful)(p)) return true;
  return d->n <= SHORT / (int64_t)sizeof(P);
}

static th_status M(run_lines)(pass *p)
{
  const int64_t count = p->w.count;
  if (p->alone) return M(run_alone)(p);
  const bool rows = p->from.adjacent && p->w.size[p->w.ndim - 1] >= M(V) && M(may_go_together)(p);
  if (count > 1 && (rows || M(side_by_side)(p))) {
    const int64_t groups = th_parts(count, M(V));
    return th_parallel(groups, share(groups, M(V) * p->n), M(run_groups), p);
  }
  const int64_t together = p->from.packed && p->to.packed ? 1 : p->lines;
  const int64_t parts = th_parts(count, together);
  int64_t turn = share(parts, together * p->n);
  /* Several lines of a turn, so that all but the first one are fetched ahead. */
  if (M(outgrows)(p)) turn = th_max(turn, th_min(AHEAD_LINES, parts / (4 * th_threads())));
  return th_parallel(parts, turn, M(run_single), p);
}
