/* index.h - a job on named places along one dimension, and how it is cut; for index.c and gather.c.
 *
 * The places were checked. Jobs that only read divide the places among threads. Jobs that write go
 * through all places of a line in order, and divide the lines. */
#ifndef TH_INDEX_H
#define TH_INDEX_H
#include "walk.h"

enum { TH_GATHER, TH_PUT, TH_ADD };

typedef struct th_places {
  th_walk        w;                    /* operands: written, read (, index) */
  void          *y;
  const void    *x;
  const int64_t *index;
  int            what;
  int64_t        n;                    /* places of a line */
  int64_t        cols;                 /* the innermost other dimension, 1 where there is none, */
  int64_t        col[3];               /* and its stride in each operand */
  int64_t        width, tiles;         /* columns of an item, and how many such tiles there are */
  int64_t        stretch, stretches;   /* places of an item, and how many such stretches there are */
} th_places;

/* One item of work: where it begins in each operand, and its extent. */
typedef struct th_piece { int64_t at[TH_WALKOPS], cols, from, n; } th_piece;

/* `least` columns are the narrowest tile that is worth a thread, `near` are so many that what is
 * visited in no order stays in the cache. */
static __attribute__((unused, noinline)) void th_places_cut(th_places *j, int64_t least,
                                                            int64_t near, bool rows)
{
  const th_walk *w = &j->w;
  j->cols = w->ndim ? w->size[w->ndim - 1] : 1;
  for (int o = 0; o < w->nop; o++) j->col[o] = w->ndim ? w->stride[o][w->ndim - 1] : 0;
  if (!rows) j->width = th_min(j->cols, th_max(1, TH_GRAIN / j->n));
  else if (j->what == TH_GATHER) j->width = th_min(j->cols, near);
  else {
    const int64_t wanted = th_min(8, j->cols * j->n / TH_GRAIN),
                  tiles = th_max(1, th_min(j->cols / least, wanted));
    j->width = th_min(near, th_parts(th_parts(j->cols, tiles), least) * least);
  }
  j->stretch = j->what == TH_GATHER ? th_min(j->n, th_max(1, TH_GRAIN / j->width)) : j->n;
  j->tiles = th_parts(j->cols, j->width);
  j->stretches = th_parts(j->n, j->stretch);
}
TH_INLINE th_piece th_places_piece(const th_places *j, int64_t item)
{
  th_piece p;
  const int64_t stretch = item % j->stretches, tile = item / j->stretches % j->tiles;
  th_walk_at(&j->w, j->w.ndim ? j->w.ndim - 1 : 0, item / j->stretches / j->tiles, p.at);
  for (int o = 0; o < j->w.nop; o++) p.at[o] += tile * j->width * j->col[o];
  p.cols = th_min(j->width, j->cols - tile * j->width);
  p.from = stretch * j->stretch;
  p.n = th_min(j->stretch, j->n - p.from);
  return p;
}
static inline __attribute__((unused)) th_status th_places_run(th_places *j, th_block f)
{
  const int64_t items = j->w.count / j->cols * j->tiles * j->stretches;
  const th_status s = th_parallel(items, th_max(1, TH_GRAIN / (j->width * j->stretch)), f, j);
  return s == TH_OK && th_interrupted() ? th_fail(TH_EINTR, "interrupted") : s;
}

/* Do lines of t lie closer together than the elements of one line? */
static inline __attribute__((unused)) bool th_lines_close(const th_tensor *t, int dim)
{
  for (int d = 0; d < t->ndim; d++) {
    if (d != dim && t->size[d] > 1 && t->stride[d] < t->stride[dim]) return true;
  }
  return false;
}

/* One element in the shape of t. */
static inline __attribute__((unused)) th_tensor th_everywhere(th_storage *one, const void *element,
                                                              const th_tensor *t)
{
  *one = (th_storage){ .data = (void *)(uintptr_t)element, .size = 1 };
  th_tensor x = *t;
  x.storage = one;
  x.offset = 0;
  for (int d = 0; d < x.ndim; d++) x.stride[d] = 0;
  return x;
}

/* Single elements: y and x have the size of index except along dim (gather.c). */
th_status TH_AT(th_elements)(int what, const th_tensor *y, const th_tensor *x, int dim,
                             const th_tensor *index);

#endif
