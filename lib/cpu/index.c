/* index.c - picking and putting elements by their places along one dimension. The places were
 * checked.
 *
 * What only moves elements knows their size; what adds knows their type. Work is shared out over
 * the other dimensions, so that the places of one line are gone through in order by one thread. */
#ifndef T
#include "walk.h"

enum {
  WIDTH = 4096,                        /* columns of a tile */
  PATIENCE = (1 << 20) - 1,            /* elements between two looks at Ctrl-C, less one */
};

typedef struct job {
  th_walk        w;                    /* operands: written, read (, index) */
  char          *y;
  const char    *x;
  const int64_t *index;                /* of a vector of places; */
  int64_t        places, place_step;   /* how many, and how far apart */
  int64_t        tiles, stretch;
  int            es;                   /* bytes of an element */
  uint64_t       value;                /* an element to fill with */
} job;

/* ---- slices: a row of the innermost other dimension at a time ---- */

TH_INLINE void move_as(size_t es, char *y, int64_t sy, const char *x, int64_t sx, int64_t n)
{
  for (int64_t i = 0; i < n; i++) memcpy(y + i * sy, x + i * sx, es);
}
static void move(int es, char *y, int64_t sy, const char *x, int64_t sx, int64_t n)
{
  if (sy == es && sx == es) memcpy(y, x, (size_t)(n * es));
  else if (es == 1) move_as(1, y, sy, x, sx, n);
  else if (es == 2) move_as(2, y, sy, x, sx, n);
  else if (es == 4) move_as(4, y, sy, x, sx, n);
  else move_as(8, y, sy, x, sx, n);
}

/* The innermost other dimension, and its steps in bytes; a single column where there is none. */
static int64_t columns(const job *j, int64_t *sy, int64_t *sx)
{
  const th_walk *w = &j->w;
  *sy = *sx = j->es;
  if (w->ndim == 0) return 1;
  *sy = w->stride[0][w->ndim - 1] * j->es;
  *sx = w->stride[1][w->ndim - 1] * j->es;
  return w->size[w->ndim - 1];
}

/* Item i is a stretch of places of one outer index; places are read, so any order will do. */
static void pick_slices(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const th_walk *w = &j->w;
  int64_t sy, sx, off[TH_WALKOPS];
  const int64_t cols = columns(j, &sy, &sx);
  for (int64_t i = first; i < last; i++) {
    const int64_t from = i % j->tiles * j->stretch, to = th_min(from + j->stretch, j->places);
    th_walk_at(w, th_max(w->ndim - 1, 0), i / j->tiles, off);
    for (int64_t p = from; p < to; p++) {
      const int64_t k = j->index[p * j->place_step] - 1;
      move(j->es, j->y + (off[0] + p * w->step[0]) * j->es, sy,
           j->x + (off[1] + k * w->step[1]) * j->es, sx, cols);
    }
  }
}

/* Item i is a tile of columns of one outer index; all places in order. */
static void put_slices(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const th_walk *w = &j->w;
  int64_t sy, sx, off[TH_WALKOPS];
  const int64_t cols = columns(j, &sy, &sx);
  for (int64_t i = first; i < last; i++) {
    const int64_t left = i % j->tiles * WIDTH, width = th_min(WIDTH, cols - left);
    th_walk_at(w, th_max(w->ndim - 1, 0), i / j->tiles, off);
    for (int64_t p = 0; p < j->places; p++) {
      if ((p & 1023) == 0 && th_interrupted()) return;
      const int64_t k = j->index[p * j->place_step] - 1;
      move(j->es, j->y + (off[0] + k * w->step[0]) * j->es + left * sy, sy,
           j->x + (off[1] + p * w->step[1]) * j->es + left * sx, sx, width);
    }
  }
}

/* The job of an op on whole slices: y is written, x read (y once more where nothing is read). */
static job slices(const th_tensor *y, const th_tensor *x, int dim, const th_tensor *index)
{
  job j = { .es = (int)th_dtype_size(y->dtype), .index = TH_DATA(int64_t, index),
            .places = th_tensor_numel(index), .place_step = index->ndim ? index->stride[0] : 1 };
  th_walk_lines(&j.w, dim, 2, (const th_tensor *const[]){ y, x });
  j.y = th_data(y, (size_t)j.es);
  j.x = th_data(x, (size_t)j.es);
  return j;
}
static th_status over_tiles(job *j, th_block f)
{
  if (j->w.count == 0 || j->places == 0) return TH_OK;
  const int64_t cols = j->w.ndim ? j->w.size[j->w.ndim - 1] : 1;
  j->tiles = th_parts(cols, WIDTH);
  const int64_t each = th_min(cols, WIDTH) * j->places;
  const th_status s = th_parallel(j->w.count / cols * j->tiles, th_max(1, TH_GRAIN / each), f, j);
  return s == TH_OK && th_interrupted() ? th_fail(TH_EINTR, "interrupted") : s;
}

/* ---- single elements: line after line ---- */

/* Item k is a stretch of one line: reading may be shared out. */
TH_INLINE void gather_as(const job *j, int64_t first, int64_t last, size_t es)
{
  const th_walk *w = &j->w;
  for (int64_t k = first; k < last; k++) {
    const int64_t from = k % j->tiles * j->stretch, to = th_min(from + j->stretch, w->n[2]);
    int64_t off[TH_WALKOPS];
    th_walk_at(w, w->ndim, k / j->tiles, off);
    char *y = j->y + off[0] * (int64_t)es;
    const char *x = j->x + off[1] * (int64_t)es;
    const int64_t *index = j->index + off[2], sy = w->step[0] * (int64_t)es,
                  sx = w->step[1] * (int64_t)es;
    for (int64_t i = from; i < to; i++)
      memcpy(y + i * sy, x + (index[i * w->step[2]] - 1) * sx, es);
  }
}
static void gather_lines(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  if (j->es == 1) gather_as(j, first, last, 1);
  else if (j->es == 2) gather_as(j, first, last, 2);
  else if (j->es == 4) gather_as(j, first, last, 4);
  else gather_as(j, first, last, 8);
}
TH_INLINE void scatter_as(const job *j, int64_t first, int64_t last, size_t es)
{
  const th_walk *w = &j->w;
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(w, w->ndim, k, off);
    char *y = j->y + off[0] * (int64_t)es;
    const char *x = j->x ? j->x + off[1] * (int64_t)es : (const char *)&j->value;
    const int64_t sx = j->x ? w->step[1] * (int64_t)es : 0, *index = j->index + off[2];
    for (int64_t i = 0; i < w->n[2]; i++) {
      if ((i & PATIENCE) == 0 && th_interrupted()) return;
      memcpy(y + (index[i * w->step[2]] - 1) * w->step[0] * (int64_t)es, x + i * sx, es);
    }
  }
}
static void scatter_lines(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  if (j->es == 1) scatter_as(j, first, last, 1);
  else if (j->es == 2) scatter_as(j, first, last, 2);
  else if (j->es == 4) scatter_as(j, first, last, 4);
  else scatter_as(j, first, last, 8);
}

/* x may be NULL: a value is put. */
static job elements(const th_tensor *y, const th_tensor *x, int dim, const th_tensor *index)
{
  job j = { .es = (int)th_dtype_size(y->dtype), .index = TH_DATA(int64_t, index) };
  th_walk_lines(&j.w, dim, 3, (const th_tensor *const[]){ y, x ? x : y, index });
  j.y = th_data(y, (size_t)j.es);
  j.x = x ? th_data(x, (size_t)j.es) : NULL;
  return j;
}
static th_status over_lines(job *j, th_block f)
{
  if (j->w.count == 0 || j->w.n[2] == 0) return TH_OK;
  const th_status s = th_parallel(j->w.count, th_max(1, TH_GRAIN / j->w.n[2]), f, j);
  return s == TH_OK && th_interrupted() ? th_fail(TH_EINTR, "interrupted") : s;
}
static th_status gather_job(job *j)
{
  if (j->w.count == 0 || j->w.n[2] == 0) return TH_OK;
  j->stretch = th_min(j->w.n[2], TH_GRAIN);
  j->tiles = th_parts(j->w.n[2], j->stretch);
  return th_parallel(j->w.count * j->tiles, TH_GRAIN / j->stretch, gather_lines, j);
}
static th_status gather_any(const th_call *c)
{
  job j = elements(c->arg[0].t, c->arg[1].t, (int)c->arg[2].i, c->arg[3].t);
  return gather_job(&j);
}
static th_status scatter_any(const th_call *c)
{
  job j = elements(c->arg[0].t, c->arg[3].t, (int)c->arg[1].i, c->arg[2].t);
  return over_lines(&j, scatter_lines);
}

/* ---- which of the two ways ---- */

/* Lines that lie closer together than the elements of one line are moved as whole slices. */
static bool by_slices(const th_tensor *t, int dim)
{
  for (int d = 0; d < t->ndim; d++) {
    if (d != dim && t->size[d] > 1 && t->stride[d] < t->stride[dim]) return true;
  }
  return false;
}
/* A vector of places, the same for every line of t. */
static th_tensor for_all_lines(const th_tensor *index, const th_tensor *t, int dim)
{
  th_tensor r = *index;
  r.ndim = t->ndim;
  for (int d = 0; d < t->ndim; d++) r.size[d] = t->size[d], r.stride[d] = 0;
  if (t->ndim == 0) return r;
  r.size[dim] = th_tensor_numel(index);
  r.stride[dim] = index->ndim ? index->stride[0] : 1;
  return r;
}

static th_status index_any(const th_call *c)
{
  th_tensor x = *c->arg[1].t;
  const int dim = (int)c->arg[2].i;
  if (x.ndim == 0) x.ndim = 1, x.size[0] = x.stride[0] = 1;
  if (!by_slices(&x, dim)) {
    const th_tensor index = for_all_lines(c->arg[3].t, &x, dim);
    job j = elements(c->arg[0].t, &x, dim, &index);
    return gather_job(&j);
  }
  job j = slices(c->arg[0].t, &x, dim, c->arg[3].t);
  if (j.w.count == 0 || j.places == 0) return TH_OK;
  const int64_t cols = j.w.ndim ? j.w.size[j.w.ndim - 1] : 1;
  j.stretch = th_max(1, TH_GRAIN / cols);
  j.tiles = th_parts(j.places, j.stretch);
  return th_parallel(j.w.count / cols * j.tiles, 1, pick_slices, &j);
}
static th_status index_copy_any(const th_call *c)
{
  const th_tensor *y = c->arg[0].t, *x = c->arg[3].t;
  const int dim = (int)c->arg[1].i;
  const th_tensor index = for_all_lines(c->arg[2].t, y, dim);
  job j = by_slices(y, dim) ? slices(y, x, dim, c->arg[2].t) : elements(y, x, dim, &index);
  return by_slices(y, dim) ? over_tiles(&j, put_slices) : over_lines(&j, scatter_lines);
}

#define TH_SELF "index.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_index)[TH_NDTYPE] = TH_ANY(index_any);
const th_kernel TH_AT(th_indexCopy)[TH_NDTYPE] = TH_ANY(index_copy_any);
const th_kernel TH_AT(th_indexAdd)[TH_NDTYPE] = TH_ALL(index_add);
const th_kernel TH_AT(th_indexFill)[TH_NDTYPE] = TH_ALL(index_fill);
const th_kernel TH_AT(th_index_grad)[TH_NDTYPE] = TH_ALL(index_grad);
const th_kernel TH_AT(th_gather)[TH_NDTYPE] = TH_ANY(gather_any);
const th_kernel TH_AT(th_gather_grad)[TH_NDTYPE] = TH_ALL(gather_grad);
const th_kernel TH_AT(th_scatter)[TH_NDTYPE] = TH_ANY(scatter_any);
const th_kernel TH_AT(th_scatter_value)[TH_NDTYPE] = TH_ALL(scatter_value);
const th_kernel TH_AT(th_scatterAdd)[TH_NDTYPE] = TH_ALL(scatter_add);

#else

/* A Lua number as an element. */
static T K(element)(double v)
{
#if IS_INT
  return STORE(th_to_int(v));
#else
  return STORE(v);
#endif
}

static void K(add_slices)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const th_walk *w = &j->w;
  int64_t sy, sx, off[TH_WALKOPS];
  const int64_t cols = columns(j, &sy, &sx);
  sy /= j->es;
  sx /= j->es;
  for (int64_t i = first; i < last; i++) {
    const int64_t left = i % j->tiles * WIDTH, width = th_min(WIDTH, cols - left);
    th_walk_at(w, th_max(w->ndim - 1, 0), i / j->tiles, off);
    for (int64_t p = 0; p < j->places; p++) {
      if ((p & 1023) == 0 && th_interrupted()) return;
      T *y = (T *)j->y + off[0] + (j->index[p * j->place_step] - 1) * w->step[0] + left * sy;
      const T *x = (const T *)j->x + off[1] + p * w->step[1] + left * sx;
      if (sy == 1 && sx == 1)
        for (int64_t k = 0; k < width; k++) y[k] = STORE(LOAD(y[k]) + LOAD(x[k]));
      else for (int64_t k = 0; k < width; k++) y[k * sy] = STORE(LOAD(y[k * sy]) + LOAD(x[k * sx]));
    }
  }
}
static void K(fill_slices)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const th_walk *w = &j->w;
  int64_t sy, sx, off[TH_WALKOPS];
  const int64_t cols = columns(j, &sy, &sx);
  T v;
  memcpy(&v, &j->value, sizeof v);
  sy /= j->es;
  for (int64_t i = first; i < last; i++) {
    const int64_t left = i % j->tiles * WIDTH, width = th_min(WIDTH, cols - left);
    th_walk_at(w, th_max(w->ndim - 1, 0), i / j->tiles, off);
    for (int64_t p = 0; p < j->places; p++) {
      if ((p & 1023) == 0 && th_interrupted()) return;
      T *y = (T *)j->y + off[0] + (j->index[p * j->place_step] - 1) * w->step[0] + left * sy;
      for (int64_t k = 0; k < width; k++) y[k * sy] = v;
    }
  }
}
static void K(add_lines)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const th_walk *w = &j->w;
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(w, w->ndim, k, off);
    T *y = (T *)j->y + off[0];
    const T *x = (const T *)j->x + off[1];
    for (int64_t i = 0; i < w->n[2]; i++) {
      if ((i & PATIENCE) == 0 && th_interrupted()) return;
      T *to = y + (j->index[off[2] + i * w->step[2]] - 1) * w->step[0];
      *to = STORE(LOAD(*to) + LOAD(x[i * w->step[1]]));
    }
  }
}
static th_status K(add)(const th_tensor *y, const th_tensor *x, int dim, const th_tensor *places)
{
  const th_tensor index = for_all_lines(places, y, dim);
  job j = by_slices(y, dim) ? slices(y, x, dim, places) : elements(y, x, dim, &index);
  return by_slices(y, dim) ? over_tiles(&j, K(add_slices)) : over_lines(&j, K(add_lines));
}
static th_status K(index_add)(const th_call *c)
{
  return K(add)(c->arg[0].t, c->arg[3].t, (int)c->arg[1].i, c->arg[2].t);
}
static th_status K(index_fill)(const th_call *c)
{
  const th_tensor *y = c->arg[0].t;
  const T v = K(element)(c->arg[3].d);
  const int dim = (int)c->arg[1].i;
  const th_tensor index = for_all_lines(c->arg[2].t, y, dim);
  job j = by_slices(y, dim) ? slices(y, y, dim, c->arg[2].t) : elements(y, NULL, dim, &index);
  memcpy(&j.value, &v, sizeof v);
  return by_slices(y, dim) ? over_tiles(&j, K(fill_slices)) : over_lines(&j, scatter_lines);
}
static th_status K(scatter_add)(const th_call *c)
{
  job j = elements(c->arg[0].t, c->arg[3].t, (int)c->arg[1].i, c->arg[2].t);
  return over_lines(&j, K(add_lines));
}
static th_status K(scatter_value)(const th_call *c)
{
  const T v = K(element)(c->arg[3].d);
  job j = elements(c->arg[0].t, NULL, (int)c->arg[1].i, c->arg[2].t);
  memcpy(&j.value, &v, sizeof v);
  return over_lines(&j, scatter_lines);
}

/* ---- gradients: nothing, and then what came back is added ---- */

static void K(zero_row)(char *const *at, const int64_t *step, int64_t n, const void *ctx)
{
  (void)ctx;
  for (int64_t i = 0; i < n; i++) *(T *)(at[0] + i * step[0]) = STORE(0);
}
static th_status K(zero)(th_tensor *t) { return th_each(1, &t, K(zero_row), NULL); }

static th_status K(index_grad)(const th_call *c)
{
  th_tensor gx = *c->arg[0].t;
  TH_TRY(K(zero)(&gx));
  if (gx.ndim == 0) gx.ndim = 1, gx.size[0] = gx.stride[0] = 1;
  return K(add)(&gx, c->arg[4].t, (int)c->arg[2].i, c->arg[3].t);
}
static th_status K(gather_grad)(const th_call *c)
{
  TH_TRY(K(zero)(c->arg[0].t));
  job j = elements(c->arg[0].t, c->arg[4].t, (int)c->arg[2].i, c->arg[3].t);
  return over_lines(&j, K(add_lines));
}
#endif
