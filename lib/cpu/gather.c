/* gather.c - single elements picked from, put into or added to named places along one dimension. */
#ifndef T
#include "index.h"
#include "../op/index.args.h"

enum {
  PATIENCE = 1 << 18,   /* elements between two looks at Ctrl-C */
  NEAR = 1 << 17,       /* bytes of columns that are visited in no order */
  DEALT = 1 << 17,      /* places of a block that are dealt out */
  PARTS = 64,           /* most parts a line is dealt into */
  PART_BITS = 15,       /* 2^15 elements at least are a part: it fits into the second-level cache */
};

/* A long line that is written: its places are dealt, in order, into parts of the line. */
typedef struct dealt {
  const th_places *j;
  int              shift;              /* place >> shift is its part */
  int64_t          parts, blocks;
  int64_t         *begin;              /* blocks x parts: where the block's next one of a part goes */
  int64_t         *end;                /* of each part */
  void            *one;                /* the elements, part after part */
} dealt;

/* begin[] from counts to places, part after part, each in the order of blocks. */
static void begin_parts(dealt *d)
{
  int64_t sum = 0;
  for (int64_t p = 0; p < d->parts; p++) {
    for (int64_t b = 0; b < d->blocks; b++) {
      const int64_t some = d->begin[b * d->parts + p];
      d->begin[b * d->parts + p] = sum;
      sum += some;
    }
    d->end[p] = sum;
  }
}
static void count_parts(void *ctx, int64_t first, int64_t last)
{
  const dealt *d = ctx;
  const int64_t *index = d->j->index, step = d->j->w.step[2];
  for (int64_t b = first; b < last; b++) {
    uint32_t count[PARTS] = { 0 };
    const int64_t end = th_min(d->j->n, (b + 1) * DEALT);
    for (int64_t i = b * DEALT; i < end; i++) count[(index[i * step] - 1) >> d->shift]++;
    for (int64_t p = 0; p < d->parts; p++) d->begin[b * d->parts + p] = count[p];
  }
}

#define TH_SELF "gather.c"
#include "each_dtype.h"

typedef th_status elements(int what, const th_tensor *y, const th_tensor *x, int dim,
                           const th_tensor *index);
th_status TH_AT(th_elements)(int what, const th_tensor *y, const th_tensor *x, int dim,
                             const th_tensor *index)
{
  static elements *const of[TH_NDTYPE] = TH_ALL(elements);
  return of[y->dtype](what, y, x, dim, index);
}

static th_status gather_any(const th_call *c)
{
  const index_args *a = index_args_of(c);
  return TH_AT(th_elements)(TH_GATHER, a->y, a->x, (int)a->dim, a->index);
}
static th_status scatter_any(const th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  return TH_AT(th_elements)(TH_PUT, a->y, a->x, (int)a->dim, a->index);
}
static th_status scatter_add_any(const th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  return TH_AT(th_elements)(TH_ADD, a->y, a->x, (int)a->dim, a->index);
}
const th_kernel TH_AT(th_gather)[TH_NDTYPE] = TH_ANY(gather_any);
const th_kernel TH_AT(th_gather_grad)[TH_NDTYPE] = TH_ALL(gather_grad);
const th_kernel TH_AT(th_scatter)[TH_NDTYPE] = TH_ANY(scatter_any);
const th_kernel TH_AT(th_scatter_value)[TH_NDTYPE] = TH_ALL(scatter_value);
const th_kernel TH_AT(th_scatterAdd)[TH_NDTYPE] = TH_ANY(scatter_add_any);

#else

/* ---- a piece: some columns, some places; y, x and index begin at its first column ---- */

TH_INLINE void K(one)(int what, T *y, const T *x)
{
  if (what == TH_ADD) *y = STORE(LOAD(*y) + LOAD(*x));
  else *y = *x;
}
/* Element i of column c, steps s* along the line and r* to the next column. */
#define AT(i, c)                                                                                  \
  const int64_t k = index[(i)*si + (c)*ri] - 1;                                                   \
  K(one)(what, y + (c)*ry + (what == TH_GATHER ? (i) : k) * sy,                                   \
         x + (c)*rx + (what == TH_GATHER ? k : (i)) * sx)
TH_INLINE void K(piece_as)(int what, bool rows, T *restrict y, int64_t sy, int64_t ry,
                           const T *restrict x, int64_t sx, int64_t rx,
                           const int64_t *restrict index, int64_t si, int64_t ri, int64_t n,
                           int64_t cols)
{
  if (rows) {
    for (int64_t i = 0; i < n; i++) for (int64_t c = 0; c < cols; c++) { AT(i, c); }
  } else {
    for (int64_t c = 0; c < cols; c++) {
      int64_t i = 0;
      for (; i + 8 <= n; i += 8) {      /* what lies in order is asked for a page ahead */
        __builtin_prefetch(index + (i + 512) * si + c * ri);
        if (what == TH_GATHER) __builtin_prefetch(y + c * ry + (i + 1024) * sy, 1);
        else __builtin_prefetch(x + c * rx + (i + 1024) * sx);
        for (int l = 0; l < 8; l++) { AT(i + l, c); }
      }
      for (; i < n; i++) { AT(i, c); }
    }
  }
}
#undef AT

/* Either way, with the steps of the inner loop known where they usually are 1. */
TH_INLINE void K(piece_of)(int what, const th_places *j, const th_piece *p, int64_t from, int64_t n)
{
  const th_walk *w = &j->w;
  const int64_t sy = w->step[0], sx = w->step[1], si = w->step[2];
  const int64_t ry = j->col[0], rx = j->col[1], ri = j->col[2];
  T *y = (T *)j->y + p->at[0] + (what == TH_GATHER ? from * sy : 0);
  const T *x = (const T *)j->x + p->at[1] + (what == TH_GATHER ? 0 : from * sx);
  const int64_t *index = j->index + p->at[2] + from * si;
  const bool rows = p->cols > 1 && ry < sy;
  if (rows && ry == 1 && rx == 1 && ri == 1)
    K(piece_as)(what, true, y, sy, 1, x, sx, 1, index, si, 1, n, p->cols);
  else if (!rows && sy == 1 && sx == 1 && si == 1)
    K(piece_as)(what, false, y, 1, ry, x, 1, rx, index, 1, ri, n, p->cols);
  else K(piece_as)(what, rows, y, sy, ry, x, sx, rx, index, si, ri, n, p->cols);
}
static void K(one_piece)(const th_places *j, const th_piece *p, int64_t from, int64_t n)
{
  if (j->what == TH_GATHER) K(piece_of)(TH_GATHER, j, p, from, n);
  else if (j->what == TH_PUT) K(piece_of)(TH_PUT, j, p, from, n);
  else K(piece_of)(TH_ADD, j, p, from, n);
}
static void K(pieces)(void *ctx, int64_t first, int64_t last)
{
  const th_places *j = ctx;
  for (int64_t item = first; item < last; item++) {
    const th_piece p = th_places_piece(j, item);
    const int64_t some = th_max(1, PATIENCE / p.cols);
    for (int64_t from = p.from; from < p.from + p.n && !th_interrupted(); from += some) {
      K(one_piece)(j, &p, from, th_min(some, p.from + p.n - from));
    }
  }
}

/* ---- one long line is written ---- */

typedef struct K(put) { T value; uint32_t place; } K(put);

static void K(deal_blocks)(void *ctx, int64_t first, int64_t last)
{
  const dealt *d = ctx;
  const th_places *j = d->j;
  const int64_t si = j->w.step[2], sx = j->w.step[1], *index = j->index;
  const int shift = d->shift;
  const T *x = j->x;
  for (int64_t b = first; b < last; b++) {
    K(put) *to[PARTS];
    const int64_t end = th_min(j->n, (b + 1) * DEALT);
    for (int64_t p = 0; p < d->parts; p++) to[p] = (K(put) *)d->one + d->begin[b * d->parts + p];
    for (int64_t i = b * DEALT; i < end; i++) {
      const uint32_t k = (uint32_t)(index[i * si] - 1);
      *to[k >> shift]++ = (K(put)){ x[i * sx], k };
    }
  }
}
static void K(write_parts)(void *ctx, int64_t first, int64_t last)
{
  const dealt *d = ctx;
  T *y = d->j->y;
  const K(put) *one = d->one;
  const int64_t sy = d->j->w.step[0];
  const bool add = d->j->what == TH_ADD;
  for (int64_t i = first ? d->end[first - 1] : 0; i < d->end[last - 1]; i++) {
    T *to = y + one[i].place * sy;
    *to = add ? STORE(LOAD(*to) + LOAD(one[i].value)) : one[i].value;
  }
}
/* False: there is no memory for it. */
static bool K(deal)(const th_places *j, th_status *s)
{
  dealt d = { .j = j, .shift = PART_BITS, .blocks = th_parts(j->n, DEALT) };
  while ((j->w.n[0] - 1) >> d.shift >= PARTS) d.shift++;
  d.parts = ((j->w.n[0] - 1) >> d.shift) + 1;
  const size_t counts = sizeof(int64_t) * (size_t)((d.blocks + 1) * d.parts);
  char *scratch = th_scratch(counts + (size_t)j->n * sizeof(K(put)));
  if (!scratch) return false;
  d.begin = (int64_t *)scratch;
  d.end = d.begin + d.blocks * d.parts;
  d.one = d.end + d.parts;
  *s = th_parallel(d.blocks, 1, count_parts, &d);
  begin_parts(&d);
  if (*s == TH_OK) *s = th_parallel(d.blocks, 1, K(deal_blocks), &d);
  if (*s == TH_OK) *s = th_parallel(d.parts, 1, K(write_parts), &d);
  th_scratch_free(scratch);
  return true;
}

/* Few places of a vector or a matrix are one piece. */
static void K(few)(th_places *j, int dim, const th_tensor *const *t)
{
  const int other = 1 - dim;
  const bool matrix = t[0]->ndim == 2;
  for (int k = 0; k < 3; k++) {
    j->w.step[k] = t[k]->stride[dim];
    j->col[k] = matrix ? t[k]->stride[other] : 0;
  }
  const th_piece p = { .cols = matrix ? t[2]->size[other] : 1 };
  K(one_piece)(j, &p, 0, t[2]->size[dim]);
}

static th_status K(elements)(int what, const th_tensor *y, const th_tensor *x, int dim,
                             const th_tensor *index)
{
  th_places j;
  j.what = what;
  j.y = TH_DATA(T, y);
  j.x = TH_DATA(T, x);
  j.index = TH_DATA(int64_t, index);
  const int64_t count = th_numel(index);
  if (count == 0) return TH_OK;
  if (count <= TH_FEW && y->ndim && y->ndim <= 2) {
    K(few)(&j, dim, (const th_tensor *const[]){ y, x, index });
    return TH_OK;
  }
  th_walk_lines(&j.w, dim, 3, (const th_tensor *const[]){ y, x, index });
  j.n = j.w.n[2];
  const int64_t target = j.w.n[0] * (int64_t)sizeof(T);
  th_status s;
  if (what != TH_GATHER && j.w.count == 1 && j.n >= 2 * DEALT && target >= 1 << 20 &&
      j.w.n[0] <= INT32_MAX && K(deal)(&j, &s))
    return s;
  const int64_t far = j.w.n[what == TH_GATHER] * (int64_t)sizeof(T);
  th_places_cut(&j, 4, th_min(1024, th_max(32, NEAR / th_max(far, 1))),
                j.w.ndim && j.w.stride[0][j.w.ndim - 1] < j.w.step[0]);
  return th_places_run(&j, K(pieces));
}

/* ---- a value; the gradient: nothing, and then what came back is added ---- */

static th_status K(scatter_value)(const th_call *c)
{
  const indexFill_args *a = indexFill_args_of(c);
  const T v = ELEMENT(a->value);
  th_storage one;
  const th_tensor x = th_everywhere(&one, &v, a->y);
  return K(elements)(TH_PUT, a->y, &x, (int)a->dim, a->index);
}
static th_status K(gather_grad)(const th_call *c)
{
  const index_grad_args *a = index_grad_args_of(c);
  TH_TRY(th_zero(a->gx));
  return K(elements)(TH_ADD, a->gx, a->g, (int)a->dim, a->index);
}
#endif
