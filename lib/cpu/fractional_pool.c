/* fractional_pool.c - maxima over windows at random places: plane by plane, row by row. */
#ifndef T
#include "kernel.h"
#include "../op/fractional_pool.args.h"
#include "packed.h"

#ifdef __AVX__
enum { ROW = 256, GRAIN = 1 << 16, VECTOR = 32 };
#else
enum { ROW = 256, GRAIN = 1 << 16, VECTOR = 16 };
#endif

/* Images are volumes of depth 1. */
typedef struct fractional {
  int64_t planes, n[3], out[3], k[3];
  int dims;
  const void *x, *samples;
  void *y;
  int64_t *index;
} fractional;

static fractional geometry(const th_call *c, int dims)
{
  const th_tensor *x = fractional_pool_args_of(c)->x;
  fractional p = { .planes = 1, .n = { 1, 1, 1 }, .out = { 1, 1, 1 }, .k = { 1, 1, 1 } };
  p.dims = dims;
  for (int d = 0; d < x->ndim - dims; d++) p.planes *= x->size[d];
  for (int i = 0; i < dims; i++) {
    const int to = 3 - dims + i;
    p.n[to] = x->size[x->ndim - dims + i];
    p.k[to] = c->arg[4 + i].i;
    p.out[to] = c->arg[4 + dims + i].i;
  }
  return p;
}

/* Where the windows along one dimension begin. */
typedef struct starts { double sample, step, first; int64_t out, last; } starts;

static starts starts_of(const fractional *p, int d, double sample)
{
  const int64_t out = p->out[d], last = p->n[d] - p->k[d];
  const double step = out > 1 ? (double)last / (double)(out - 1) : 0;
  return (starts){ sample, step, floor(sample * step), out, last };
}

/* A sample outside of [0, 1) moves no window out of the plane. */
TH_INLINE int64_t start(const starts *s, int64_t i)
{
  if (i == s->out - 1) return s->last;
  const double at = floor(((double)i + s->sample) * s->step) - s->first;
  return at > 0 ? at < (double)s->last ? (int64_t)at : s->last : 0;
}

#define TH_EACH_FLOATS
#define TH_SELF "fractional_pool.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_fractionalmaxpool2d)[TH_NDTYPE] = TH_FLOATS(images);
const th_kernel TH_AT(th_fractionalmaxpool3d)[TH_NDTYPE] = TH_FLOATS(volumes);

#else

#define I __typeof__(_Generic((C)0, float: (int32_t)0, double: (int64_t)0))

/* What is larger takes the place, and the first NaN. */
#define TAKES(v, best) (((v) > (best)) | (((v) != (v)) & ((best) == (best))))

/* The n windows that begin at x + col[j]; x lies `base` elements into its plane. */
static void K(row)(const fractional *p, const T *x, int64_t base, const I *col, int64_t n, T *y,
                   int64_t *index)
{
  C best[ROW];
  I where[ROW];
  for (int64_t j = 0; j < n; j++) best[j] = LOAD(x[col[j]]), where[j] = 0;
  for (int64_t a = 0; a < p->k[0]; a++) {
    for (int64_t b = 0; b < p->k[1]; b++) {
      const int64_t line = (a * p->n[1] + b) * p->n[2];
      for (int64_t tap = line; tap < line + p->k[2]; tap++) {
        const T *from = x + tap;
        for (int64_t j = 0; j < n; j++) {
          const C v = LOAD(from[col[j]]);
          const bool take = TAKES(v, best[j]);
          best[j] = take ? v : best[j];
          where[j] = take ? (I)tap : where[j];
        }
      }
    }
  }
  for (int64_t j = 0; j < n; j++) y[j] = STORE(best[j]);
  for (int64_t j = 0; j < n; j++) index[j] = base + 1 + col[j] + where[j];
}

/* Windows that are two elements wide are the common case: load pairs, four windows at a time.
 * Where a vector does not hold four elements the loop above is faster. */
#if !IS_HALF
typedef C K(pair) __attribute__((vector_size(2 * sizeof(C)), aligned(sizeof(C)), may_alias));
typedef C K(quad) __attribute__((vector_size(4 * sizeof(C)), aligned(sizeof(C)), may_alias));
typedef I K(mask) __attribute__((vector_size(4 * sizeof(C)), aligned(sizeof(C)), may_alias));
typedef int64_t K(places) __attribute__((vector_size(32), aligned(8), may_alias));

/* Vectors travel by address: how they do by value differs between levels. */
TH_INLINE void K(take)(K(quad) *best, K(mask) *where, const K(quad) *candidate, I at)
{
  const K(quad) v = *candidate;
  const K(mask) m = (K(mask))TAKES(v, *best);
  *best = (K(quad))(((K(mask))v & m) | ((K(mask))*best & ~m));
  *where = (m & at) | (*where & ~m);
}

TH_INLINE void K(load_pairs)(const T *x, const I *col, K(quad) *left, K(quad) *right)
{
  const K(pair) p = *(const K(pair) *)(x + col[0]), q = *(const K(pair) *)(x + col[1]);
  const K(pair) r = *(const K(pair) *)(x + col[2]), s = *(const K(pair) *)(x + col[3]);
  const K(quad) u = __builtin_shufflevector(p, q, 0, 1, 2, 3);
  const K(quad) v = __builtin_shufflevector(r, s, 0, 1, 2, 3);
  *left = __builtin_shufflevector(u, v, 0, 2, 4, 6);
  *right = __builtin_shufflevector(u, v, 1, 3, 5, 7);
}

static void K(four_pairs)(const fractional *p, const T *x, int64_t base, const I *col, T *y,
                          int64_t *index)
{
  K(quad) best, right;
  K(mask) where = { 0 };
  K(load_pairs)(x, col, &best, &right);
  K(take)(&best, &where, &right, 1);
  for (int64_t a = 0; a < p->k[0]; a++) {
    for (int64_t b = a == 0; b < p->k[1]; b++) {
      const int64_t line = (a * p->n[1] + b) * p->n[2];
      K(quad) left;
      K(load_pairs)(x + line, col, &left, &right);
      K(take)(&best, &where, &left, (I)line);
      K(take)(&best, &where, &right, (I)line + 1);
    }
  }
  where += *(const K(mask) *)col;
  *(K(quad) *)y = best;
  *(K(places) *)index = __builtin_convertvector(where, K(places)) + (base + 1);
}
#endif

/* Rows of results, `n` windows wide, of a plane. */
static void K(columns)(const fractional *p, const T *x, const starts *s, const I *col, int64_t n,
                       T *y, int64_t *index)
{
  for (int64_t d = 0; d < p->out[0]; d++) {
    const int64_t top = start(&s[0], d) * p->n[1];
    for (int64_t h = 0; h < p->out[1]; h++, y += p->out[2], index += p->out[2]) {
      const int64_t base = (top + start(&s[1], h)) * p->n[2];
      int64_t j = 0;
#if !IS_HALF
      if (p->k[2] == 2 && 4 * sizeof(T) <= VECTOR)
        for (; j + 4 <= n; j += 4) K(four_pairs)(p, x + base, base, col + j, y + j, index + j);
#endif
      if (j < n) K(row)(p, x + base, base, col + j, n - j, y + j, index + j);
    }
  }
}

static void K(planes)(void *ctx, int64_t first, int64_t last)
{
  const fractional *p = ctx;
  const int64_t pixels = p->n[0] * p->n[1] * p->n[2], windows = p->out[0] * p->out[1] * p->out[2];
  for (int64_t k = first; k < last && !th_interrupted(); k++) {
    const T *sample = (const T *)p->samples + k * p->dims;
    starts s[3];
    for (int d = 0; d < 3; d++)
      s[d] = starts_of(p, d, d < 3 - p->dims ? 0 : (double)LOAD(sample[2 - d]));
    for (int64_t j = 0; j < p->out[2]; j += ROW) {
      const int64_t n = th_min(ROW, p->out[2] - j);
      I col[ROW];
      for (int64_t i = 0; i < n; i++) col[i] = (I)start(&s[2], j + i);
      K(columns)(p, (const T *)p->x + k * pixels, s, col, n, (T *)p->y + k * windows + j,
                 p->index + k * windows + j);
    }
  }
}

static th_status K(run)(const th_call *c, int dims)
{
  const fractional_pool_args *a = fractional_pool_args_of(c);
  th_tensor *y = a->y, *index = a->index;
  const th_tensor *x = a->x, *samples = a->samples;
  th_packed packed = { 0 };
  fractional p = geometry(c, dims);
  th_status s = th_pack_input(&packed, &x);
  if (s == TH_OK) s = th_pack_input(&packed, &samples);
  if (s == TH_OK) s = th_pack_result(&packed, &y, false);
  if (s == TH_OK) s = th_pack_result(&packed, &index, false);
  if (s == TH_OK) {
    p.x = TH_DATA(T, x), p.samples = TH_DATA(T, samples);
    p.y = TH_DATA(T, y), p.index = TH_DATA(int64_t, index);
    const int64_t work = p.n[0] * p.n[1] * p.n[2] + p.out[0] * p.out[1] * p.out[2] * 8;
    s = th_parallel(p.planes, GRAIN / work + 1, K(planes), &p);
  }
  return th_packed_end(&packed, s);
}

static th_status K(images)(const th_call *c) { return K(run)(c, 2); }
static th_status K(volumes)(const th_call *c) { return K(run)(c, 3); }
#undef TAKES
#undef I
#endif
