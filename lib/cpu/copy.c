/* copy.c - fill, zero, copy between all dtypes. Types that differ meet in int64_t (whole numbers) or double. */
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
static const storer stores_int[TH_NDTYPE] = TH_ALL(store_int), stores_double[TH_NDTYPE] = TH_ALL(store_double);

static th_status copy(const th_call *c)
{
  th_tensor *const t[] = { c->arg[0].t, c->arg[1].t };
  if (t[0] == t[1]) return TH_OK;
  if (t[0]->dtype == t[1]->dtype) {
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
