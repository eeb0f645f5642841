/* bounds.c - checks of elements that must lie within bounds, and the words in which one is refused. */
#include <stdio.h>
#include "bounds.h"
#include "core.h"
#include "op_flags.h"
#include "entry.h"

const th_tensor *th_elements_here(const th_call *c, int arg)
{
  const th_tensor *t = c->arg[arg].t;
  return t->device == TH_CPU ? t : th_source_of(t);
}

bool th_device_checks(th_call *c, const th_bound *b, th_status *s)
{
  const th_guard *g = th_guard_get();
  int64_t place;
  double element;                                       /* room for one of any type */
  *s = TH_OK;
  if (th_elements_here(c, b->arg)) return false;
  const bool possible = b->least <= b->most;            /* otherwise no element could take the place of a wrong one */
  if (g && possible && g->late() && th_note_bound(c, b)) return true;
  *s = th_backend_get()->outside(c->arg[b->arg].t, b, &place, &element);
  if (*s == TH_OK && place >= 0) *s = th_refuse_element(c, b, place, &element);
  return true;
}

const char *th_bound_text(char text[TH_BOUND_TEXT], const th_bound *b, const char *arg, int64_t place, const void *element,
                          int dtype)
{
  const double v = th_read(element, dtype);
  const long long most = (long long)b->most;
  long long whole = (long long)v;
  if (dtype == TH_I64) memcpy(&whole, element, sizeof whole);
  switch (b->rule) {
    case TH_RULE_INDEX:
      snprintf(text, TH_BOUND_TEXT, "%s must lie in 1..%lld, got %lld at place %lld of %s", b->what, most, whole,
               (long long)place + 1, arg);
      break;
    case TH_RULE_ROW:
      snprintf(text, TH_BOUND_TEXT, "%s must hold each of 0..%lld at most once, but 0, got %lld at step %lld of sample %lld", arg,
               most, whole, (long long)(place / b->columns) + 1, (long long)(place % b->columns) + 1);
      break;
    case TH_RULE_CLASS:
      snprintf(text, TH_BOUND_TEXT, "%s must lie in 1..%lld, got %lld (sample %lld)", arg, most, whole, (long long)place + 1);
      break;
    case TH_RULE_MASK:
      snprintf(text, TH_BOUND_TEXT, "%s must hold only 0 and 1, got %lld at place %lld", arg, whole, (long long)place + 1);
      break;
    default:
      snprintf(text, TH_BOUND_TEXT, "%s must hold %s only, got %g at place %lld", arg,
               b->most == 1 ? "numbers of 0..1" : "finite numbers not below 0", v, (long long)place + 1);
  }
  return text;
}

th_status th_refuse_element(const th_call *c, const th_bound *b, int64_t place, const void *element)
{
  char text[TH_BOUND_TEXT];
  return th_fail(TH_EARG, "%s", th_bound_text(text, b, th_arg_name(c, b->arg), place, element, c->arg[b->arg].t->dtype));
}

/* ---- indices ---- */

/* Whether all n indices are in 1..limit. Only the sign of the accumulated values counts, so that the loop vectorizes. */
static bool all_within(const int64_t *p, int64_t step, int64_t n, int64_t limit)
{
  int64_t lane[8] = { 0 }, bad = 0, i = 0;
  for (; step == 1 && i + 8 <= n; i += 8) {
    __builtin_prefetch(p + i + 512);                    /* the hardware prefetcher stops at the end of a page */
    for (int l = 0; l < 8; l++) lane[l] |= (p[i + l] - 1) | (limit - p[i + l]);
  }
  for (; i < n; i++) bad |= (p[i * step] - 1) | (limit - p[i * step]);
  for (int l = 0; l < 8; l++) bad |= lane[l];
  return bad >= 0;
}

enum {
  PLACES = 1 << 14,                 /* indices per block, and between two checks for Ctrl-C */
  FEW_INDICES = 1 << 10             /* that are checked before anything else */
};

typedef struct places { const int64_t *p; int64_t n, limit; int bad; } places;

static void some_within(void *ctx, int64_t first, int64_t last)
{
  places *q = ctx;
  if (!all_within(q->p + first, 1, last - first, q->limit)) __atomic_store_n(&q->bad, 1, __ATOMIC_RELAXED);
}

/* The same for indices that may lie on a device or apart, or of which one is wrong. */
static __attribute__((noinline)) th_status need_any_indices(th_call *c, int arg, int64_t n,
                                                            const char *what)
{
  const th_bound b = { .arg = arg, .rule = TH_RULE_INDEX, .least = 1, .most = (double)n, .what = what };
  th_status s;
  TH_TRY(th_need_dtype(c, arg, TH_I64));
  if (th_numel(c->arg[arg].t) == 0) return TH_OK;
  if (th_device_checks(c, &b, &s)) return s;
  const th_tensor *t = th_elements_here(c, arg);
  const int64_t count = th_numel(t);
  const int64_t *p = TH_DATA(int64_t, t);
  if (th_contiguous(t)) {                               /* check all in one pass; only a refusal needs the position */
    places q = { p, count, n, 0 };
    if (count <= PLACES) some_within(&q, 0, count);
    else TH_TRY(th_parallel(count, PLACES, some_within, &q));
    if (!q.bad) return TH_OK;
  }
  const int64_t row = t->ndim ? t->size[t->ndim - 1] : 1, step = t->ndim ? t->stride[t->ndim - 1] : 1;
  int64_t place[TH_MAXDIM] = { 0 };
  for (int64_t k = 0; k < count; k += row) {
    for (int64_t i = 0; i < row; i += PLACES) {
      const int64_t some = row - i < PLACES ? row - i : PLACES;
      if (th_interrupted()) return th_fail(TH_EINTR, "interrupted");
      if (all_within(p + i * step, step, some, n)) continue;
      while (p[i * step] >= 1 && p[i * step] <= n) i++;
      return th_refuse_element(c, &b, k + i, &p[i * step]);
    }
    for (int d = t->ndim - 2; d >= 0; d--) {
      p += t->stride[d];
      if (++place[d] < t->size[d]) break;
      p -= t->stride[d] * t->size[d];
      place[d] = 0;
    }
  }
  return TH_OK;
}

th_status th_need_indices(th_call *c, int arg, int64_t n, const char *what)
{
  const th_tensor *t = c->arg[arg].t;
  if (t->dtype == TH_I64 && t->device == TH_CPU && th_contiguous(t)) {
    const int64_t count = th_numel(t);
    if (count == 0) return TH_OK;
    if (count <= FEW_INDICES && all_within(TH_DATA(int64_t, t), 1, count, n)) return TH_OK;
  }
  return need_any_indices(c, arg, n, what);
}
