/* reduce.c - sums, products, means, variances and norms: of everything, or along one dimension.
 *
 * Floats are summed in double. Work is cut into blocks by size alone and the blocks' results are
 * joined in order, so that bits do not depend on the number of threads. */
#ifndef T
#include "fold.h"
#include "../op/reduce.args.h"

typedef struct fold {
  int         what;
  double      e;                       /* POWER: the exponent; SPREAD of everything: the mean */
  const th_walk *w;                    /* operand 0: x */
  const th_seq *seq;                   /* of everything */
  const void *x;                       /* its first element */
  const void *mean;                    /* SPREAD: one for each line */
  int64_t     rows, chunks, tiles;     /* rows a chunk holds, chunks of a line, tiles of columns */
  int64_t     total;
  void       *part;                    /* chunks x count; unused where a line is one chunk */
  void       *y;                       /* how a fold ends: v / divisor, the root of the p-norm */
  double      divisor, p;
  bool        root;
} fold;

#define TH_SELF "reduce.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_sum_all)[TH_NDTYPE] = TH_ALL(sum_all);
const th_kernel TH_AT(th_sum)[TH_NDTYPE] = TH_ALL(sum);
const th_kernel TH_AT(th_sum_grad)[TH_NDTYPE] = TH_ALL(sum_grad);
const th_kernel TH_AT(th_prod_all)[TH_NDTYPE] = TH_ALL(prod_all);
const th_kernel TH_AT(th_prod)[TH_NDTYPE] = TH_ALL(prod);
const th_kernel TH_AT(th_mean_all)[TH_NDTYPE] = TH_FLOATS(mean_all);
const th_kernel TH_AT(th_mean)[TH_NDTYPE] = TH_FLOATS(mean);
const th_kernel TH_AT(th_mean_grad)[TH_NDTYPE] = TH_FLOATS(mean_grad);
const th_kernel TH_AT(th_var_all)[TH_NDTYPE] = TH_FLOATS(var_all);
const th_kernel TH_AT(th_var)[TH_NDTYPE] = TH_FLOATS(var);
const th_kernel TH_AT(th_std_all)[TH_NDTYPE] = TH_FLOATS(std_all);
const th_kernel TH_AT(th_std)[TH_NDTYPE] = TH_FLOATS(std);
const th_kernel TH_AT(th_norm_all)[TH_NDTYPE] = TH_FLOATS(norm_all);
const th_kernel TH_AT(th_norm)[TH_NDTYPE] = TH_FLOATS(norm);
const th_kernel TH_AT(th_renorm)[TH_NDTYPE] = TH_FLOATS(renorm);

#else
#include "fold.h"

/* Lines' folds as the results' elements, `step` apart. */
static void K(end)(const fold *f, T *y, int64_t step, const A *v, int64_t n)
{
#if IS_FLOAT
  const double divisor = f->divisor;
  if (f->root && f->p != 2) {
    for (int64_t i = 0; i < n; i++) y[i * step] = STORE(root_of_norm(v[i] / divisor, f->p));
  } else if (f->root) {
    for (int64_t i = 0; i < n; i++) y[i * step] = STORE(sqrt(v[i] / divisor));
  } else if (divisor != 1) {
    for (int64_t i = 0; i < n; i++) y[i * step] = STORE(v[i] / divisor);
  } else
#endif
  if (step == 1) for (int64_t i = 0; i < n; i++) y[i] = STORE(v[i]);
  else for (int64_t i = 0; i < n; i++) y[i * step] = STORE(v[i]);
  (void)f;
}

/* ---- blocks of work ---- */

/* Item i is chunk i % chunks of line i / chunks. */
static void K(some_lines)(void *ctx, int64_t first, int64_t last)
{
  const fold *f = ctx;
  const int what = f->what;
  for (int64_t i = first; i < last; i++) {
    const int64_t k = f->chunks == 1 ? i : i / f->chunks, chunk = i - k * f->chunks,
                  from = chunk * BLOCK;
    const int64_t n = f->chunks == 1 ? f->w->n[0] : th_min(BLOCK, f->w->n[0] - from);
    int64_t off[TH_WALKOPS];
    th_walk_at(f->w, f->w->ndim, k, off);
    const T *p = (const T *)f->x + off[0] + from * f->w->step[0];
    A m = (A)f->e;
    if (what == SPREAD && f->mean) m = ((const A *)f->mean)[k];
    else if (what == SPREAD) m = K(line)(SUM, p, f->w->step[0], n, 0) / (A)n;
    const A v = K(line)(what, p, f->w->step[0], n, m);
    if (f->chunks == 1) K(end)(f, (T *)f->y + off[1], 1, &v, 1);
    else ((A *)f->part)[chunk * f->w->count + k] = v;
  }
}

/* Item i is one chunk of rows of one tile of columns of one outer index. */
static void K(some_tiles)(void *ctx, int64_t first, int64_t last)
{
  const fold *f = ctx;
  const int what = f->what;
  const th_walk *w = f->w;
  const int64_t cols = w->size[w->ndim - 1], right = w->stride[0][w->ndim - 1];
  for (int64_t i = first; i < last; i++) {
    const int64_t chunk = i % f->chunks, from = chunk * f->rows, o = i / f->chunks / f->tiles;
    const int64_t left = i / f->chunks % f->tiles * WIDTH, width = th_min(WIDTH, cols - left);
    int64_t off[TH_WALKOPS];
    th_walk_at(w, w->ndim - 1, o, off);
    const int64_t k = o * cols + left;
    const int64_t rows = th_min(f->rows, w->n[0] - from);
    const T *p = (const T *)f->x + off[0] + from * w->step[0] + left * right;
    A here[WIDTH], mean_here[WIDTH];
    A *acc = f->chunks == 1 ? here : (A *)f->part + chunk * w->count + k;
    const A *mean = what == SPREAD && f->mean ? (const A *)f->mean + k : mean_here;
    if (what == SPREAD && !f->mean) {
      for (int64_t j = 0; j < width; j++) mean_here[j] = 0;
      K(columns)(SUM, mean_here, p, w->step[0], right, rows, width, NULL, 0);
      for (int64_t j = 0; j < width; j++) mean_here[j] /= (A)rows;
    }
    for (int64_t j = 0; j < width; j++) acc[j] = K(none)(what);
    K(columns)(what, acc, p, w->step[0], right, rows, width, mean, (A)f->e);
    if (f->chunks > 1) continue;
    const int64_t step = w->stride[1][w->ndim - 1];
    K(end)(f, (T *)f->y + off[1] + left * step, step, acc, width);
  }
}

/* Block i of all elements. */
static A K(block)(const fold *f, int64_t i)
{
  th_spot s;
  A a = K(none)(f->what);
  th_spot_at(&s, f->seq, i * BLOCK);
  for (int64_t left = th_min(BLOCK, f->total - i * BLOCK); left > 0;) {
    const int64_t n = th_min(left, th_spot_left(&s));
    a = K(join)(f->what, a, K(line)(f->what, (const T *)f->x + s.off, th_spot_step(&s), n, (A)f->e));
    th_spot_skip(&s, n);
    left -= n;
  }
  return a;
}
static void K(some_blocks)(void *ctx, int64_t first, int64_t last)
{
  const fold *f = ctx;
  for (int64_t i = first; i < last; i++) {
    ((A *)f->part)[i] = K(block)(f, i);
  }
}

/* Chunk 0 of each line takes the other chunks in. */
static void K(join_chunks)(void *ctx, int64_t first, int64_t last)
{
  const fold *f = ctx;
  A *part = f->part;
  for (int64_t ch = 1; ch < f->chunks; ch++) {
    const A *from = part + ch * f->w->count;
    for (int64_t k = first; k < last; k++) part[k] = K(join)(f->what, part[k], from[k]);
  }
}

/* ---- everything; each line ---- */

static th_status K(fold_all)(A *result, const th_tensor *x, int what, double e)
{
  const int64_t total = th_tensor_numel(x), blocks = th_parts(total, BLOCK);
  A few[16];
  *result = K(none)(what);
  if (total == 0) return TH_OK;
  th_seq seq;
  th_seq_of(&seq, x, true);
  fold f = { .what = what, .e = e, .seq = &seq, .x = TH_DATA(T, x), .total = total };
  f.part = blocks <= 16 ? few : th_scratch(sizeof(A) * (size_t)blocks);
  if (!f.part) return th_no_scratch(blocks * 8);
  const th_status s = th_parallel(blocks, 1, K(some_blocks), &f);
  for (int64_t i = 0; i < blocks && s == TH_OK; i++)
    *result = K(join)(what, *result, ((A *)f.part)[i]);
  if (f.part != few) th_scratch_free(f.part);
  return s;
}

/* The memory that fold_lines needs; sets how f is cut. */
static int64_t K(plan_lines)(fold *f)
{
  const th_walk *w = f->w;
  if (th_walk_columns(w)) {
    const int64_t cols = w->size[w->ndim - 1];
    f->tiles = th_parts(cols, WIDTH);
    f->rows = 2 * BLOCK / th_min(cols, WIDTH);
    f->chunks = th_max(1, th_parts(w->n[0], f->rows));
  } else {
    f->tiles = 0;
    f->chunks = w->n[0] <= 2 * BLOCK ? 1 : th_parts(w->n[0], BLOCK);
  }
  return w->count * f->chunks;
}

/* Afterwards the results are done or, where lines are several chunks, they are the first `count`
 * elements of f->part. */
static th_status K(fold_lines)(fold *f, int what, double e)
{
  const th_walk *w = f->w;
  f->what = what;
  f->e = e;
  if (f->tiles) {
    const int64_t items = w->count / w->size[w->ndim - 1] * f->tiles * f->chunks;
    const int64_t each = th_min(w->size[w->ndim - 1], WIDTH) * th_min(f->rows, w->n[0]);
    TH_TRY(th_parallel(items, th_max(1, BLOCK / th_max(each, 1)), K(some_tiles), f));
  } else {
    TH_TRY(th_parallel(w->count * f->chunks, th_max(1, BLOCK / (w->n[0] + 1)), K(some_lines), f));
  }
  return f->chunks == 1 ? TH_OK : th_parallel(w->count, TH_GRAIN, K(join_chunks), f);
}

static void K(end_lines)(void *ctx, int64_t first, int64_t last)
{
  const fold *f = ctx;
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(f->w, f->w->ndim, k, off);
    K(end)(f, (T *)f->y + off[1], 1, (const A *)f->part + k, 1);
  }
}

/* SPREAD stands for the variance: the lines' means are found first. A line that is one chunk goes
 * straight to its result; only longer ones need memory for what their chunks give. */
static th_status K(reduce)(const th_tensor *y, const th_tensor *x, int dim, int what,
                           double divisor, double p, bool root)
{
  const th_tensor wide = th_with_dim(y, dim, x->ndim), *const both[] = { x, &wide };
  th_walk w;
  fold f = { .w = &w, .x = TH_DATA(T, x), .y = TH_DATA(T, y), .divisor = divisor, .p = p, .root = root };
  th_walk_lines(&w, dim, 2, both);
  if (w.count == 0) return TH_OK;
  const int64_t room = K(plan_lines)(&f), means = what == SPREAD ? w.count : 0;
  if (f.chunks == 1) return K(fold_lines)(&f, what, p);
  A *scratch = th_scratch(sizeof(A) * (size_t)(room + means));
  if (!scratch) return th_no_scratch((room + means) * 8);
  th_status s = TH_OK;
  f.part = scratch + means;
  if (what == SPREAD) {
    s = K(fold_lines)(&f, SUM, 0);
    for (int64_t k = 0; k < means; k++) scratch[k] = ((A *)f.part)[k] / w.n[0];
    f.mean = scratch;
  }
  if (s == TH_OK) s = K(fold_lines)(&f, what, p);
  if (s == TH_OK) s = th_parallel(w.count, TH_GRAIN, K(end_lines), &f);
  th_scratch_free(scratch);
  return s;
}

/* ---- kernels ---- */

static th_status K(all)(const th_call *c, int what)
{
  A v;
  TH_TRY(K(fold_all)(&v, reduce_all_args_of(c)->x, what, 0));
  th_return(c, reduce_all_result, (double)v);
  return TH_OK;
}
static th_status K(sum_all)(const th_call *c) { return K(all)(c, SUM); }
static th_status K(prod_all)(const th_call *c) { return K(all)(c, PROD); }
static th_status K(sum)(const th_call *c)
{
  const sum_args *a = sum_args_of(c);
  return K(reduce)(a->y, a->x, (int)a->dim, SUM, 1, 0, false);
}
static th_status K(prod)(const th_call *c)
{
  const sum_args *a = sum_args_of(c);
  return K(reduce)(a->y, a->x, (int)a->dim, PROD, 1, 0, false);
}

/* The gradient of each line's elements is that of its sum, divided by `ctx`. */
static void K(spread_row)(char *const *at, const int64_t *step, int64_t n, const void *ctx)
{
  const double divisor = *(const double *)ctx;
  for (int64_t i = 0; i < n; i++) {
    const T g = *(const T *)(at[1] + i * step[1]);
    *(T *)(at[0] + i * step[0]) = divisor == 1 ? g : STORE(LOAD(g) / divisor);
  }
}
static th_status K(spread)(const th_call *c, double divisor)
{
  const sum_grad_args *a = sum_grad_args_of(c);
  th_tensor *gx = a->gx, g = th_with_dim(a->g, (int)a->dim, gx->ndim);
  return th_each(2, (th_tensor *const[]){ gx, &g }, K(spread_row), &divisor);
}
static th_status K(sum_grad)(const th_call *c) { return K(spread)(c, 1); }

#if IS_FLOAT
TH_INLINE int64_t K(line_size)(const th_tensor *x, int64_t dim)
{
  return x->ndim ? x->size[dim] : 1;
}

static th_status K(mean_grad)(const th_call *c)
{
  const sum_grad_args *a = sum_grad_args_of(c);
  return K(spread)(c, (double)K(line_size)(a->gx, a->dim));
}
static th_status K(mean_all)(const th_call *c)
{
  const mean_all_args *a = mean_all_args_of(c);
  A v;
  TH_TRY(K(fold_all)(&v, a->x, SUM, 0));
  th_return(c, mean_all_mean, v / (double)th_tensor_numel(a->x));
  return TH_OK;
}
static th_status K(mean)(const th_call *c)
{
  const sum_args *a = sum_args_of(c);
  const th_tensor *x = a->x;
  return K(reduce)(a->y, x, (int)a->dim, SUM, (double)K(line_size)(x, a->dim), 0,
                   false);
}

/* Each block's sum, and then, while a cache holds it, its squares around its own mean. */
static void K(var_blocks)(void *ctx, int64_t first, int64_t last)
{
  fold f = *(const fold *)ctx;
  A *part = f.part;
  for (int64_t i = first; i < last; i++) {
    f.what = SUM;
    const A sum = part[2 * i] = K(block)(&f, i);
    f.what = SPREAD;
    f.e = sum / (double)th_min(BLOCK, f.total - i * BLOCK);
    part[2 * i + 1] = K(block)(&f, i);
  }
}
static th_status K(variance)(const th_call *c, double *result)
{
  const var_all_args *a = var_all_args_of(c);
  const th_tensor *x = a->x;
  const int64_t n = th_tensor_numel(x), blocks = th_parts(n, BLOCK);
  A few[32], sum = 0, spread = 0;
  th_seq seq;
  th_seq_of(&seq, x, true);
  fold f = { .seq = &seq, .x = TH_DATA(T, x), .total = n };
  A *part = blocks <= 16 ? few : th_scratch(2 * sizeof(A) * (size_t)blocks);
  if (!part) return th_no_scratch(blocks * 16);
  f.part = part;
  const th_status s = th_parallel(blocks, 1, K(var_blocks), &f);
  for (int64_t i = 0; i < blocks && s == TH_OK; i++) sum += part[2 * i];
  for (int64_t i = 0; i < blocks && s == TH_OK; i++) {           /* around the mean of all */
    const A some = (A)th_min(BLOCK, n - i * BLOCK), off = part[2 * i] / some - sum / (A)n;
    spread += part[2 * i + 1] + some * off * off;
  }
  *result = spread / (double)(a->biased ? n : n - 1);
  if (part != few) th_scratch_free(part);
  return s;
}
static th_status K(var_all)(const th_call *c)
{
  double v;
  TH_TRY(K(variance)(c, &v));
  th_return(c, var_all_var, v);
  return TH_OK;
}
static th_status K(std_all)(const th_call *c)
{
  double v;
  TH_TRY(K(variance)(c, &v));
  th_return(c, std_all_std, sqrt(v));
  return TH_OK;
}
static th_status K(variances)(const th_call *c, bool root)
{
  const var_args *a = var_args_of(c);
  const th_tensor *x = a->x;
  const double n = (double)K(line_size)(x, a->dim);
  return K(reduce)(a->y, x, (int)a->dim, SPREAD, a->biased ? n : n - 1, 2, root);
}
static th_status K(var)(const th_call *c) { return K(variances)(c, false); }
static th_status K(std)(const th_call *c) { return K(variances)(c, true); }

static th_status K(norm_all)(const th_call *c)
{
  const norm_all_args *a = norm_all_args_of(c);
  const double p = a->p;
  A v;
  TH_TRY(K(fold_all)(&v, a->x, what_of_norm(p), p));
  th_return(c, norm_all_norm, root_of_norm(v, p));
  return TH_OK;
}
static th_status K(norm)(const th_call *c)
{
  const norm_args *a = norm_args_of(c);
  const double p = a->p;
  return K(reduce)(a->y, a->x, (int)a->dim, what_of_norm(p), 1, p, true);
}

/* ---- renorm: slices whose norm is too large shrink ---- */

typedef struct K(slices) { const th_tensor *y, *x; int dim; double p, limit; } K(slices);

static void K(renorm_slices)(void *ctx, int64_t first, int64_t last)
{
  const K(slices) *q = ctx;
  th_tensor x = *q->x, y = *q->y;
  x.size[q->dim] = y.size[q->dim] = 1;
  const int64_t total = th_tensor_numel(&x);
  for (int64_t k = first; k < last; k++) {
    const T *px = TH_DATA(T, q->x) + k * q->x->stride[q->dim];
    T *py = TH_DATA(T, q->y) + k * q->y->stride[q->dim];
    const int what = what_of_norm(q->p);
    th_seq seq, rows[2];
    th_seq_of(&seq, &x, true);
    fold f = { .what = what, .e = q->p, .seq = &seq, .x = px, .total = total };
    A norm = 0;
    for (int64_t b = 0; b * BLOCK < total && !th_interrupted(); b++)
      norm = K(join)(what, norm, K(block)(&f, b));
    if (th_interrupted()) return;
    norm = root_of_norm(norm, q->p);
    const double scale = norm > q->limit ? q->limit / (norm + 1e-7) : 1;
    th_spot from, to;
    th_seq_of(&rows[0], &x, false);
    th_seq_of(&rows[1], &y, false);
    th_spot_at(&from, &rows[0], 0);
    th_spot_at(&to, &rows[1], 0);
    for (int64_t left = total; left > 0;) {
      const int64_t n = th_min(th_spot_left(&from), th_spot_left(&to));
      const int64_t sx = th_spot_step(&from), sy = th_spot_step(&to);
      for (int64_t i = 0; i < n; i++) {
        const T v = px[from.off + i * sx];
        py[to.off + i * sy] = scale == 1 ? v : STORE((A)LOAD(v) * scale);
      }
      th_spot_skip(&from, n);
      th_spot_skip(&to, n);
      left -= n;
    }
  }
}
static th_status K(renorm)(const th_call *c)
{
  const renorm_args *a = renorm_args_of(c);
  const th_tensor *x = a->x;
  const int dim = (int)a->dim;
  if (th_tensor_numel(x) == 0) return TH_OK;
  K(slices) q = { a->y, x, dim, a->p, a->maxnorm };
  const int64_t each = th_tensor_numel(x) / x->size[dim];
  const th_status s = th_parallel(x->size[dim], th_max(1, TH_GRAIN / each), K(renorm_slices), &q);
  return s == TH_OK && th_interrupted() ? th_fail(TH_EINTR, "interrupted") : s;
}
#endif

#endif
