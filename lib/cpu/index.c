/* index.c - whole slices picked from, put into or added to named places along one dimension. */
#ifndef T
#include "index.h"
#include "../op/index.args.h"

/* Rows are often short: then a call of memcpy would cost more than what it does. */
TH_INLINE void copy_ends(char *y, const char *x, int64_t n, size_t half)
{
  char a[32], b[32];
  memcpy(a, x, half);
  memcpy(b, x + n - half, half);
  memcpy(y, a, half);
  memcpy(y + n - half, b, half);
}
TH_INLINE void copy_row(void *to, const void *from, int64_t n)
{
  char *y = to;
  const char *x = from;
  if (n > 64) memcpy(y, x, (size_t)n);
  else if (n >= 32) copy_ends(y, x, n, 32);
  else if (n >= 16) copy_ends(y, x, n, 16);
  else if (n >= 8) copy_ends(y, x, n, 8);
  else if (n >= 4) copy_ends(y, x, n, 4);
  else for (int64_t i = 0; i < n; i++) y[i] = x[i];
}

/* A vector of places, the same for every line of t. */
static void for_all_lines(th_tensor *r, const th_tensor *index, const th_tensor *t, int dim)
{
  r->storage = index->storage;          /* no more of it is set than is used */
  r->offset = index->offset;
  r->dtype = index->dtype;
  r->ndim = t->ndim;
  if (t->ndim == 0) return;
  for (int d = 0; d < t->ndim; d++) r->size[d] = t->size[d], r->stride[d] = 0;
  r->size[dim] = th_tensor_numel(index);
  r->stride[dim] = index->ndim ? index->stride[0] : 1;
}

#define TH_SELF "index.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_index)[TH_NDTYPE] = TH_ALL(index);
const th_kernel TH_AT(th_indexCopy)[TH_NDTYPE] = TH_ALL(index_copy);
const th_kernel TH_AT(th_indexAdd)[TH_NDTYPE] = TH_ALL(index_add);
const th_kernel TH_AT(th_indexFill)[TH_NDTYPE] = TH_ALL(index_fill);
const th_kernel TH_AT(th_index_grad)[TH_NDTYPE] = TH_ALL(index_grad);

#else

static void K(row)(bool add, T *restrict y, int64_t sy, const T *restrict x, int64_t sx, int64_t n)
{
  if (add && sy == 1 && sx == 1)
    for (int64_t i = 0; i < n; i++) y[i] = STORE(LOAD(y[i]) + LOAD(x[i]));
  else if (add)
    for (int64_t i = 0; i < n; i++) y[i * sy] = STORE(LOAD(y[i * sy]) + LOAD(x[i * sx]));
  else for (int64_t i = 0; i < n; i++) y[i * sy] = x[i * sx];
}
static void K(slices)(void *ctx, int64_t first, int64_t last)
{
  const th_places *j = ctx;
  const th_walk *w = &j->w;
  const int64_t sy = j->col[0], sx = j->col[1], si = w->step[2];
  const bool gather = j->what == TH_GATHER, add = j->what == TH_ADD,
             packed = !add && sy == 1 && sx == 1;
  for (int64_t item = first; item < last; item++) {
    const th_piece piece = th_places_piece(j, item);
    const int64_t bytes = piece.cols * (int64_t)sizeof(T);
    T *y = (T *)j->y + piece.at[0];
    const T *x = (const T *)j->x + piece.at[1];
    for (int64_t p = piece.from; p < piece.from + piece.n; p++) {
      if ((p & 1023) == 0 && th_interrupted()) return;
      const int64_t k = j->index[p * si] - 1;
      T *to = y + (gather ? p : k) * w->step[0];
      const T *from = x + (gather ? k : p) * w->step[1];
      if (packed) copy_row(to, from, bytes);
      else K(row)(add, to, sy, from, sx, piece.cols);
    }
  }
}

/* Elements of a line that lie side by side are taken one by one, and so are few. */
static th_status K(move)(int what, const th_tensor *y, const th_tensor *x, int dim,
                         const th_tensor *places)
{
  const th_tensor *lines = what == TH_GATHER ? x : y;
  th_tensor index;
  for_all_lines(&index, places, lines, dim);
  if (th_numel(&index) <= TH_FEW || !th_lines_close(lines, dim)) return TH_AT(th_elements)(what, y, x, dim, &index);
  th_places j = { .what = what, .y = TH_DATA(T, y), .x = TH_DATA(T, x),
                  .index = TH_DATA(int64_t, places), .n = th_tensor_numel(places) };
  th_walk_lines(&j.w, dim, 3, (const th_tensor *const[]){ y, x, &index });
  if (j.w.count == 0 || j.n == 0) return TH_OK;
  th_places_cut(&j, 64 / (int64_t)sizeof(T), 4096, true);
  return th_places_run(&j, K(slices));
}

static th_status K(index)(const th_call *c)
{
  const index_args *a = index_args_of(c);
  const th_tensor *x = a->x;
  th_tensor one;
  if (x->ndim == 0) {
    one = *x;
    one.ndim = 1, one.size[0] = one.stride[0] = 1;
    x = &one;
  }
  return K(move)(TH_GATHER, a->y, x, (int)a->dim, a->index);
}
static th_status K(index_copy)(const th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  return K(move)(TH_PUT, a->y, a->x, (int)a->dim, a->index);
}
static th_status K(index_add)(const th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  return K(move)(TH_ADD, a->y, a->x, (int)a->dim, a->index);
}
static th_status K(index_fill)(const th_call *c)
{
  const indexFill_args *a = indexFill_args_of(c);
  const T v = ELEMENT(a->value);
  th_storage one;
  const th_tensor x = th_everywhere(&one, &v, a->y);
  return K(move)(TH_PUT, a->y, &x, (int)a->dim, a->index);
}

/* The gradient: nothing, and then what came back is added. */
static th_status K(index_grad)(const th_call *c)
{
  const index_grad_args *a = index_grad_args_of(c);
  th_tensor gx = *a->gx;
  TH_TRY(th_zero(&gx));
  if (gx.ndim == 0) gx.ndim = 1, gx.size[0] = gx.stride[0] = 1;
  return K(move)(TH_ADD, &gx, a->g, (int)a->dim, a->index);
}
#endif
