/* walk.h - the lines of several tensors along one dimension, visited together; the elements of one
 * tensor in row-major order; and what a kernel that returns a number needs. */
#ifndef TH_WALK_H
#define TH_WALK_H
#include "kernel.h"

enum { TH_WALKOPS = 4 };
enum { TH_FEW = 64 };                             /* elements that are not worth a plan */

/* The dimensions beside the line's are ordered by the first operand's falling stride, so that its
 * memory is read in order, and merged where every operand allows it. Units are elements. */
typedef struct th_walk {
  int     nop, ndim;
  int64_t count;                                  /* lines */
  int64_t size[TH_MAXDIM], stride[TH_WALKOPS][TH_MAXDIM];
  int64_t n[TH_WALKOPS], step[TH_WALKOPS];        /* the line in each operand */
} th_walk;

/* t as it looks with `dim` kept at size 1, if it was reduced away. */
static inline __attribute__((unused)) th_tensor th_with_dim(const th_tensor *t, int dim, int ndim)
{
  th_tensor r = *t;
  if (t->ndim >= ndim || ndim == 0) return r;
  for (int d = ndim - 1; d > dim; d--) {
    r.size[d] = t->size[d - 1];
    r.stride[d] = t->stride[d - 1];
  }
  r.size[dim] = 1;
  r.stride[dim] = 0;
  r.ndim = ndim;
  return r;
}

/* All operands have the first one's size, except along dim. */
static __attribute__((unused, noinline)) void th_walk_lines(th_walk *w, int dim, int nop,
                                                         const th_tensor *const *t)
{
  int order[TH_MAXDIM], n = 0;
  w->nop = nop;
  w->ndim = 0;
  w->count = 1;
  for (int k = 0; k < nop; k++) {
    w->n[k] = t[k]->ndim ? t[k]->size[dim] : 1;
    w->step[k] = t[k]->ndim ? t[k]->stride[dim] : 1;
  }
  for (int d = 0; d < t[0]->ndim; d++) {
    if (d == dim) continue;
    w->count *= t[0]->size[d];
    if (t[0]->size[d] == 1) continue;
    int at = n++;
    for (; at > 0 && t[0]->stride[order[at - 1]] < t[0]->stride[d]; at--) order[at] = order[at - 1];
    order[at] = d;
  }
  for (int i = 0; i < n; i++) {
    const int d = order[i], last = w->ndim - 1;
    bool joins = last >= 0;
    for (int k = 0; k < nop && joins; k++) {
      joins = w->stride[k][last] == t[k]->stride[d] * t[0]->size[d];
    }
    const int to = joins ? last : w->ndim++;
    w->size[to] = joins ? w->size[to] * t[0]->size[d] : t[0]->size[d];
    for (int k = 0; k < nop; k++) w->stride[k][to] = t[k]->stride[d];
  }
}

/* Where index k over the first `ndim` dimensions of the walk begins in each operand. */
TH_INLINE void th_walk_at(const th_walk *w, int ndim, int64_t k, int64_t off[TH_WALKOPS])
{
  for (int o = 0; o < TH_WALKOPS; o++) off[o] = 0;
  for (int d = ndim - 1; d >= 0; d--) {
    const int64_t i = d ? k % w->size[d] : k;
    if (d) k /= w->size[d];
    for (int o = 0; o < w->nop; o++) off[o] += i * w->stride[o][d];
  }
}

/* Should lines be gone through side by side? They lie closer together than the elements of one
 * line, or they are too short to be worth a loop each. */
static inline __attribute__((unused)) bool th_walk_columns(const th_walk *w)
{
  if (w->ndim == 0 || w->n[0] < 2) return false;
  return w->stride[0][w->ndim - 1] < w->step[0] || (w->n[0] < 32 && w->size[w->ndim - 1] >= 16);
}

/* ---- elements in row-major order ---- */

typedef struct th_seq { int ndim; int64_t size[TH_MAXDIM], stride[TH_MAXDIM]; } th_seq;

/* A place in a sequence: which element, and where it lies. */
typedef struct th_spot { const th_seq *seq; int64_t at[TH_MAXDIM], off; } th_spot;

/* `sorted` visits the elements in memory's order instead, for what does not depend on the order. */
static __attribute__((unused, noinline)) void th_seq_of(th_seq *s, const th_tensor *t, bool sorted)
{
  s->ndim = 0;
  int order[TH_MAXDIM], n = 0;
  for (int d = 0; d < t->ndim; d++) {
    if (t->size[d] == 1) continue;
    int at = n++;
    for (; sorted && at > 0 && t->stride[order[at - 1]] < t->stride[d]; at--)
      order[at] = order[at - 1];
    order[at] = d;
  }
  for (int i = 0; i < n; i++) {
    const int d = order[i], last = s->ndim - 1;
    const bool joins = last >= 0 && s->stride[last] == t->stride[d] * t->size[d];
    const int to = joins ? last : s->ndim++;
    s->size[to] = joins ? s->size[to] * t->size[d] : t->size[d];
    s->stride[to] = t->stride[d];
  }
  if (s->ndim == 0) s->size[s->ndim++] = 1, s->stride[0] = 1;
}
/* Goes to element k of a sequence. */
static inline __attribute__((unused)) void th_spot_at(th_spot *p, const th_seq *s, int64_t k)
{
  p->seq = s;
  p->off = 0;
  for (int d = s->ndim - 1; d >= 0; d--) {
    p->at[d] = d ? k % s->size[d] : k;
    if (d) k /= s->size[d];
    p->off += p->at[d] * s->stride[d];
  }
}
/* Elements that follow each other `th_spot_step` apart from here on. */
TH_INLINE int64_t th_spot_left(const th_spot *p)
{
  const int d = p->seq->ndim - 1;
  return p->seq->size[d] - p->at[d];
}
TH_INLINE int64_t th_spot_step(const th_spot *p) { return p->seq->stride[p->seq->ndim - 1]; }
static inline __attribute__((unused)) void th_spot_skip(th_spot *p, int64_t n)   /* n <= left */
{
  const th_seq *s = p->seq;
  int d = s->ndim - 1;
  p->at[d] += n;
  p->off += n * s->stride[d];
  for (; d > 0 && p->at[d] == s->size[d]; d--) {
    p->off += s->stride[d - 1] - s->size[d] * s->stride[d];
    p->at[d] = 0;
    p->at[d - 1]++;
  }
}

/* Asks for what lies 4 KiB behind the `bytes` at p: the processor itself stops at the end of a page. */
TH_INLINE void th_read_ahead(const void *p, size_t bytes)
{
  for (size_t b = 0; b < bytes; b += 64) __builtin_prefetch((const char *)p + 4096 + b);
}

TH_INLINE int64_t th_parts(int64_t n, int64_t size) { return (n + size - 1) / size; }

TH_INLINE th_status th_no_scratch(int64_t bytes)
{
  return th_fail(TH_ENOMEM, "needs %lld bytes of scratch memory", (long long)bytes);
}

static __attribute__((unused)) void th_zero_row(char *const *at, const int64_t *step, int64_t n,
                                                const void *ctx)
{
  const size_t es = *(const size_t *)ctx;
  if (step[0] == (int64_t)es) memset(at[0], 0, (size_t)n * es);
  else for (int64_t i = 0; i < n; i++) memset(at[0] + i * step[0], 0, es);
}
/* Nothing everywhere. */
static inline __attribute__((unused)) th_status th_zero(th_tensor *t)
{
  const size_t es = th_element_size(t->dtype);
  return th_each(1, &t, th_zero_row, &es);
}

/* Gives `return` argument i its number. */
TH_INLINE void th_return(const th_call *c, int i, double v)
{
  ((th_call *)(uintptr_t)c)->arg[i].d = v;
}

#endif
