/* copy.c - fill, zero, copy between all dtypes. Types that differ meet in int64_t or double. */
#ifndef T
#include "kernel.h"
#include "elementwise.h"

enum { PIECE = 512 };

/* n elements at p, step bytes apart, into or out of an array of int64_t or double. */
typedef void (*loader)(void *to, const char *p, int64_t step, int64_t n);
typedef void (*storer)(char *p, int64_t step, const void *from, int64_t n);

typedef struct conversion { loader load; storer store; } conversion;

static void convert_row(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  const conversion *f = ctx;
  _Alignas(64) int64_t piece[PIECE];
  for (int64_t first = 0; first < n; first += PIECE) {
    const int64_t m = n - first < PIECE ? n - first : PIECE;
    f->load(piece, p[1] + first * step[1], step[1], m);
    f->store(p[0] + first * step[0], step[0], piece, m);
  }
}

/* Elements of one type travel as they are. */
#define SAME(size, U) \
  static void same_##size(char *const *p, const int64_t *step, int64_t n) \
  { for (int64_t i = 0; i < n; i++) *(U *)(p[0] + i * step[0]) = *(const U *)(p[1] + i * step[1]); }
SAME(1, uint8_t)
SAME(2, uint16_t)
SAME(4, uint32_t)
SAME(8, uint64_t)
#undef SAME

static void same_row(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  const int64_t size = *(const int64_t *)ctx;
  if (step[0] == size && step[1] == size) memmove(p[0], p[1], (size_t)(n * size));
  else if (size == 8) same_8(p, step, n);
  else if (size == 4) same_4(p, step, n);
  else if (size == 2) same_2(p, step, n);
  else same_1(p, step, n);
}

/* An expanded tensor without its repetitions: every place is written once. */
static th_tensor places(const th_tensor *t)
{
  th_tensor y = *t;
  for (int d = 0; d < y.ndim; d++) if (y.stride[d] == 0 && y.size[d] > 1) y.size[d] = 1;
  return y;
}

#define TH_SELF "copy.c"
#include "each_dtype.h"

static const loader loads[TH_NDTYPE] = TH_ALL(load);
static const storer stores_int[TH_NDTYPE] = TH_ALL(store_int);
static const storer stores_double[TH_NDTYPE] = TH_ALL(store_double);

/* ---- transposed: y walks one dimension in memory order, x another ---- */

enum { TILE = 32 };                 /* a tile of each side fits the first cache */

typedef struct plane {
  const th_tensor *y, *x;
  int     row, col;                 /* x is contiguous along row, y along col */
  int64_t strips;                   /* of TILE rows, in one plane */
  int64_t size;                     /* bytes of an element */
} plane;

#define TURN(size, U) \
  static void turn_##size(U *y, int64_t ystep, const U *x, int64_t xstep, int64_t rows, \
                          int64_t cols) \
  { \
    for (int64_t r = 0; r < rows; r++) { \
      for (int64_t i = 0; i < cols; i++) y[r * ystep + i] = x[i * xstep + r]; \
    } \
  }
TURN(1, uint8_t)
TURN(2, uint16_t)
TURN(4, uint32_t)
TURN(8, uint64_t)
#undef TURN

static void turn(const plane *p, int64_t yat, int64_t xat, int64_t rows, int64_t cols)
{
  const int64_t ystep = p->y->stride[p->row], xstep = p->x->stride[p->col];
  void *y = (char *)p->y->storage->data + yat * p->size;
  const void *x = (const char *)p->x->storage->data + xat * p->size;
  switch (p->size) {
    case 1:  turn_1(y, ystep, x, xstep, rows, cols); break;
    case 2:  turn_2(y, ystep, x, xstep, rows, cols); break;
    case 4:  turn_4(y, ystep, x, xstep, rows, cols); break;
    default: turn_8(y, ystep, x, xstep, rows, cols); break;
  }
}

static void turn_strips(void *ctx, int64_t first, int64_t last)
{
  const plane *p = ctx;
  const th_tensor *y = p->y, *x = p->x;
  for (int64_t k = first; k < last; k++) {
    const int64_t r = k % p->strips * TILE;
    const int64_t n = y->size[p->row] - r < TILE ? y->size[p->row] - r : TILE;
    int64_t at = k / p->strips, yat = y->offset + r * y->stride[p->row], xat = x->offset + r;
    for (int d = y->ndim - 1; d >= 0; d--) {
      if (d == p->row || d == p->col) continue;
      yat += at % y->size[d] * y->stride[d];
      xat += at % y->size[d] * x->stride[d];
      at /= y->size[d];
    }
    for (int64_t i = 0; i < y->size[p->col]; i += TILE) {
      const int64_t m = y->size[p->col] - i < TILE ? y->size[p->col] - i : TILE;
      turn(p, yat + i, xat + i * x->stride[p->col], n, m);
    }
  }
}

static int contiguous_dim(const th_tensor *t)
{
  for (int d = 0; d < t->ndim; d++) if (t->stride[d] == 1 && t->size[d] >= TILE) return d;
  return -1;
}

static bool is_transposed(const th_tensor *y, const th_tensor *x, plane *p)
{
  if (y->ndim < 2 || !th_same_shape(y, x)) return false;
  p->y = y;
  p->x = x;
  p->row = contiguous_dim(x);
  p->col = contiguous_dim(y);
  if (p->row < 0 || p->col < 0 || p->row == p->col) return false;
  p->strips = (y->size[p->row] + TILE - 1) / TILE;
  p->size = (int64_t)th_dtype_size(y->dtype);
  return true;
}

static th_status copy(const th_call *c)
{
  th_tensor *const t[] = { c->arg[0].t, c->arg[1].t };
  plane p;
  if (t[0] == t[1]) return TH_OK;
  if (t[0]->dtype == t[1]->dtype) {
    if (is_transposed(t[0], t[1], &p)) {
      const int64_t n = th_tensor_numel(t[0]), strip = TILE * t[0]->size[p.col];
      const int64_t planes = n / (t[0]->size[p.row] * t[0]->size[p.col]);
      const int64_t grain = strip < TH_GRAIN ? TH_GRAIN / strip : 1;
      return th_parallel(planes * p.strips, grain, turn_strips, &p);
    }
    const int64_t size = (int64_t)th_dtype_size(t[0]->dtype);
    return th_each(2, t, same_row, &size);
  }
  const bool from_int = t[1]->dtype < TH_F16;
  const conversion f = { loads[t[1]->dtype], (from_int ? stores_int : stores_double)[t[0]->dtype] };
  return th_each(2, t, convert_row, &f);
}

const th_kernel TH_AT(th_copy)[TH_NDTYPE] = TH_ANY(copy);
const th_kernel TH_AT(th_fill)[TH_NDTYPE] = TH_ALL(fill);
const th_kernel TH_AT(th_zero)[TH_NDTYPE] = TH_ALL(zero);

#else

#if IS_INT
#define HUB int64_t
#else
#define HUB double
#endif
static void K(load)(void *to, const char *p, int64_t step, int64_t n)
{
  HUB *y = to;
  if (step == sizeof(T)) {
    const T *x = (const T *)p;
    for (int64_t i = 0; i < n; i++) y[i] = LOAD(x[i]);
  } else {
    for (int64_t i = 0; i < n; i++) y[i] = LOAD(*(const T *)(p + i * step));
  }
}
#undef HUB

static void K(store_int)(char *p, int64_t step, const void *from, int64_t n)
{
  const int64_t *x = from;
  if (step == sizeof(T)) {
    T *y = (T *)p;
    for (int64_t i = 0; i < n; i++) y[i] = STORE(x[i]);
  } else {
    for (int64_t i = 0; i < n; i++) *(T *)(p + i * step) = STORE(x[i]);
  }
}

#if IS_INT
#define FROM_DOUBLE(v) ((T)th_to_int(v))
#else
#define FROM_DOUBLE(v) STORE((C)(v))
#endif
static void K(store_double)(char *p, int64_t step, const void *from, int64_t n)
{
  const double *x = from;
  if (step == sizeof(T)) {
    T *y = (T *)p;
    for (int64_t i = 0; i < n; i++) y[i] = FROM_DOUBLE(x[i]);
  } else {
    for (int64_t i = 0; i < n; i++) *(T *)(p + i * step) = FROM_DOUBLE(x[i]);
  }
}

static void K(fill_row)(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  const T v = *(const T *)ctx;
  if (step[0] == sizeof(T)) {
    T *y = (T *)p[0];
    for (int64_t i = 0; i < n; i++) y[i] = v;
  } else {
    for (int64_t i = 0; i < n; i++) *(T *)(p[0] + i * step[0]) = v;
  }
}

static th_status K(fill)(const th_call *c)
{
  const T v = FROM_DOUBLE(c->arg[1].d);
  th_tensor y = places(c->arg[0].t);
  return th_each(1, (th_tensor *[]){ &y }, K(fill_row), &v);
}

static th_status K(zero)(const th_call *c)
{
  const T v = FROM_DOUBLE(0.0);
  th_tensor y = places(c->arg[0].t);
  return th_each(1, (th_tensor *[]){ &y }, K(fill_row), &v);
}
#undef FROM_DOUBLE
#endif
