/* copy.c - fill, zero, copy between all dtypes. Types that differ meet in int64_t or double. */
#ifndef T
#include "elementwise.h"
#include "../op/copy.args.h"
#include "move.h"

enum { PIECE = 512 };

/* n elements from one type to another, both contiguous. */
typedef void (*converter)(void *y, const void *x, int64_t n);

/* In one step, or by way of int64_t or double. */
typedef struct conversion { converter first, second; } conversion;

static void convert(void *const *p, int64_t n, const th_scalars *k)
{
  const conversion *f = k->more;
  _Alignas(64) int64_t piece[PIECE];
  if (!f->second) {
    f->first(p[0], p[1], n);
    return;
  }
  const char *x = p[1];
  char *y = p[0];
  for (int64_t i = 0; i < n; i += PIECE) {
    const int64_t m = n - i < PIECE ? n - i : PIECE;
    f->first(piece, x + i * k->i[1], m);
    f->second(y + i * k->i[0], piece, m);
  }
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

static const converter loads[TH_NDTYPE] = TH_ALL(load);          /* into int64_t or double */
static const converter stores_int[TH_NDTYPE] = TH_ALL(store_int);
static const converter stores_double[TH_NDTYPE] = TH_ALL(store_double);
static const converter to_float[TH_NDTYPE] = TH_ALL(to_float);
static const converter from_float[TH_NDTYPE] = TH_ALL(from_float);

static void f16_to_float(void *y, const void *x, int64_t n) { TH_AT(th_load_f16s)(y, x, n); }
static void float_to_f16(void *y, const void *x, int64_t n) { TH_AT(th_store_f16s)(y, x, n); }

static conversion conversion_of(int to, int from)
{
  if (to == TH_F32 && from == TH_F16) return (conversion){ f16_to_float, NULL };
  if (from == TH_F32 && to == TH_F16) return (conversion){ float_to_f16, NULL };
  const int hub = from < TH_F16 ? TH_I64 : TH_F64;
  if (to == TH_F32) return (conversion){ to_float[from], NULL };
  if (from == TH_F32) return (conversion){ from_float[to], NULL };
  if (to == hub) return (conversion){ loads[from], NULL };
  const converter store = (from < TH_F16 ? stores_int : stores_double)[to];
  return from == hub ? (conversion){ store, NULL } : (conversion){ loads[from], store };
}

static th_status copy(const th_call *c)
{
  const copy_args *a = copy_args_of(c);
  th_tensor *const t[] = { a->y, a->x };
  if (t[0] == t[1]) return TH_OK;
  if (t[0]->dtype == t[1]->dtype) return TH_AT(th_copy_elements)(t[0], t[1]);
  const conversion f = conversion_of(t[0]->dtype, t[1]->dtype);
  const th_scalars k = { .i = { (int64_t)th_element_size(t[0]->dtype),
                                (int64_t)th_element_size(t[1]->dtype) },
                         .more = &f };
  return TH_AT(th_elementwise)(2, t, convert, &k, TH_STORED);
}

const th_kernel TH_AT(th_copy)[TH_NDTYPE] = TH_ANY(copy);
const th_kernel TH_AT(th_fill)[TH_NDTYPE] = TH_ALL(fill);
const th_kernel TH_AT(th_zero)[TH_NDTYPE] = TH_ALL(zero);

#else

#if IS_INT
#define HUB int64_t
#define FROM_DOUBLE(v) ((T)th_to_int(v))
#else
#define HUB double
#define FROM_DOUBLE(v) STORE((C)(v))
#endif
static void K(load)(void *to, const void *from, int64_t n)
{
  HUB *y = to;
  const T *x = from;
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = LOAD(x[i]);
}
#undef HUB
static void K(store_int)(void *to, const void *from, int64_t n)
{
  T *y = to;
  const int64_t *x = from;
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = STORE(x[i]);
}
static void K(store_double)(void *to, const void *from, int64_t n)
{
  T *y = to;
  const double *x = from;
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = FROM_DOUBLE(x[i]);
}
static void K(to_float)(void *to, const void *from, int64_t n)
{
  float *y = to;
  const T *x = from;
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = (float)LOAD(x[i]);
}
static void K(from_float)(void *to, const void *from, int64_t n)
{
  T *y = to;
  const float *x = from;
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = FROM_DOUBLE(x[i]);
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
  const fill_args *a = fill_args_of(c);
  const T v = FROM_DOUBLE(a->value);
  th_tensor y = places(a->y);
  return th_each(1, (th_tensor *[]){ &y }, K(fill_row), &v);
}

static th_status K(zero)(const th_call *c)
{
  const T v = FROM_DOUBLE(0.0);
  th_tensor y = places(zero_args_of(c)->y);
  return th_each(1, (th_tensor *[]){ &y }, K(fill_row), &v);
}
#undef FROM_DOUBLE
#endif
