/* spans.c - lists of tensors as one sequence of elements. */
#include <stdlib.h>
#include "comm.h"

/* The address of element `first` of the list; *n is reduced to how many follow it without a gap. */
char *th_piece(const th_spans *s, int es, int64_t first, int64_t *n)
{
  int64_t lo = 0, hi = s->count - 1;
  while (lo < hi) {
    const int64_t mid = (lo + hi + 1) / 2;
    if (s->s[mid].first <= first) lo = mid;
    else hi = mid - 1;
  }
  const int64_t left = s->s[lo].first + s->s[lo].n - first;
  if (*n > left) *n = left;
  return s->s[lo].p + (first - s->s[lo].first) * es;
}

void th_gather(char *to, const th_spans *s, int es, int64_t first, int64_t n)
{
  for (int64_t i = 0, m; i < n; i += m) {
    m = n - i;
    const char *p = th_piece(s, es, first + i, &m);
    memcpy(to + i * es, p, (size_t)(m * es));
  }
}

void th_scatter(const th_spans *s, int es, int64_t first, int64_t n, const char *from)
{
  for (int64_t i = 0, m; i < n; i += m) {
    m = n - i;
    char *p = th_piece(s, es, first + i, &m);
    memcpy(p, from + i * es, (size_t)(m * es));
  }
}

th_status th_slice(th_spans *out, const th_spans *s, int es, int64_t first, int64_t n)
{
  *out = (th_spans){ .n = n };
  out->s = s->count > 1 ? malloc((size_t)s->count * sizeof *out->s) : &out->one;
  if (!out->s) return th_fail(TH_ENOMEM, "dist: no memory left");
  out->s[0] = (th_span){ NULL, 0, 0 };
  for (int64_t at = 0, m; at < n; at += m) {
    m = n - at;
    char *p = th_piece(s, es, first + at, &m);
    out->s[out->count++] = (th_span){ p, at, m };
  }
  if (!out->count) out->count = 1;
  return TH_OK;
}

void th_unslice(th_spans *s) { if (s->s != &s->one) free(s->s); }
