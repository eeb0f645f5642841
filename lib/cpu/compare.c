/* compare.c - comparisons with a number and between tensors, equal, all, any, where. */
#ifndef T
#include "elementwise.h"
#include "../op/compare.args.h"

#define TH_MAP(...)
#define TH_MAP_AS(...)
#define TH_ACT(...)
#define TH_ZIP(...)
#define TH_ZIP3(...)
#define LOOP(name) static void name(void *const *p, int64_t n, const th_scalars *k);
#define TH_COMPARE(id, operator, doc) LOOP(number_##id##_f32) LOOP(tensor_##id##_f32)
#include "../op/pointwise.def"
#undef TH_COMPARE
LOOP(differs_f32)

/* ---- whole numbers against any number: x op v says that x lies in an interval, or outside ---- */

enum { IS_lt, IS_le, IS_gt, IS_ge, IS_eq, IS_ne };

/* The whole part of v as int64_t, limited to what that can hold. */
static int64_t limited(double v)
{
  const double limit = 9223372036854775808.0;
  return v >= limit ? INT64_MAX : v < -limit ? INT64_MIN : (int64_t)v;
}

/* k->i becomes the first and last x of the interval, and whether the answer is turned around. */
static void interval(int op, double v, th_scalars *k)
{
  const double limit = 9223372036854775808.0;
  int64_t first = INT64_MIN, last = INT64_MAX;
  bool none = v != v;
  switch (op) {
    case IS_lt:
      none = none || v <= -limit;
      if (!none && v < limit) last = limited(ceil(v)) - 1;
      break;
    case IS_le:
      none = none || v < -limit;
      if (!none) last = limited(floor(v));
      break;
    case IS_gt:
      none = none || v >= limit;
      if (!none && v >= -limit) first = limited(floor(v)) + 1;
      break;
    case IS_ge:
      none = none || v >= limit;
      if (!none) first = limited(ceil(v));
      break;
    default:
      none = none || v != floor(v) || v >= limit || v < -limit;
      if (!none) first = last = limited(v);
  }
  k->i[0] = none ? 1 : first;
  k->i[1] = none ? 0 : last;
  k->i[2] = op == IS_ne;
}

#define TH_SELF "compare.c"
#include "each_dtype.h"

#define TH_COMPARE(id, operator, doc) \
  const th_kernel TH_AT(th_##id)[TH_NDTYPE] = TH_ALL(run_##id); \
  const th_kernel TH_AT(th_##id##_tensor)[TH_NDTYPE] = TH_ALL(run_tensor_##id);
#include "../op/pointwise.def"
const th_kernel TH_AT(th_equal)[TH_NDTYPE] = TH_ALL(run_equal);
const th_kernel TH_AT(th_where)[TH_NDTYPE] = TH_ALL(run_where);

/* ---- all, any: is there a zero, is there anything else ---- */

static void look_for_zero(void *const *p, int64_t n, const th_scalars *k)
{
  const uint8_t *x = p[1];
  int found = 0;
  for (int64_t i = 0; i < n; i++) found |= x[i] == 0;
  if (found) __atomic_store_n(k->found, 1, __ATOMIC_RELAXED);
}

static void look_for_other(void *const *p, int64_t n, const th_scalars *k)
{
  const uint8_t *x = p[1];
  int found = 0;
  for (int64_t i = 0; i < n; i++) found |= x[i] != 0;
  if (found) __atomic_store_n(k->found, 1, __ATOMIC_RELAXED);
}

static th_status look(const th_call *c, th_loop loop, int *found)
{
  const all_args *a = all_args_of(c);
  th_scalars k = { .found = found };
  *found = 0;
  return TH_AT(th_elementwise)(2, (th_tensor *[]){ a->x, a->x }, loop, &k, TH_NONE);
}

static th_status all_u8(const th_call *c)
{
  int found;
  TH_TRY(look(c, look_for_zero, &found));
  ((th_call *)(uintptr_t)c)->arg[all_yes].d = !found;
  return TH_OK;
}

static th_status any_u8(const th_call *c)
{
  int found;
  TH_TRY(look(c, look_for_other, &found));
  ((th_call *)(uintptr_t)c)->arg[all_yes].d = found;
  return TH_OK;
}

const th_kernel TH_AT(th_all)[TH_NDTYPE] = { [TH_U8] = all_u8 };
const th_kernel TH_AT(th_any)[TH_NDTYPE] = { [TH_U8] = any_u8 };

#else

#if IS_HALF
#define RUN(f) f##_f32
#define NUMBER(v) ((double)LOAD(STORE((float)(v))))         /* as the tensor would hold it */
#else
#define RUN(f) K(f)
#define NUMBER(v) ((double)(C)(v))

/* ---- loops ---- */
#if IS_INT
static void K(inside)(void *const *p, int64_t n, const th_scalars *k)
{
  uint8_t *y = p[0];
  const T *x = p[1];
  const int is_signed = (T)-1 < 0;
  const int64_t top = sizeof(T) == 8 ? INT64_MAX : ((int64_t)1 << (8 * sizeof(T) - is_signed)) - 1;
  const int64_t low = is_signed ? -top - 1 : 0;
  const bool none = k->i[0] > top || k->i[1] < low || k->i[0] > k->i[1];
  const T first = (T)(none ? 1 : k->i[0] < low ? low : k->i[0]);
  const T last = (T)(none ? 0 : k->i[1] > top ? top : k->i[1]);
  const uint8_t turned = (uint8_t)k->i[2];
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = (uint8_t)(((x[i] >= first) & (x[i] <= last)) ^ turned);
}
#define NUMBER_LOOP(id, operator)
#else
#define NUMBER_LOOP(id, operator) \
  static int K(is_##id)(C x, C a) { return x operator a; } \
  static void K(number_##id)(void *const *p, int64_t n, const th_scalars *k) \
  { K(number)(p, n, k, K(is_##id)); }
TH_INLINE void K(number)(void *const *p, int64_t n, const th_scalars *k, int (*f)(C, C))
{
  uint8_t *y = p[0];
  const T *x = p[1];
  const C a = (C)k->d[0];
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = (uint8_t)f(x[i], a);
}
#endif

TH_INLINE void K(tensor)(void *const *p, int64_t n, int (*f)(T, T))
{
  uint8_t *y = p[0];
  const T *x = p[1], *z = p[2];
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = (uint8_t)f(x[i], z[i]);
}

#define TH_COMPARE(id, operator, doc) \
  NUMBER_LOOP(id, operator) \
  static int K(are_##id)(T x, T z) { return x operator z; } \
  static void K(tensor_##id)(void *const *p, int64_t n, const th_scalars *k) \
  { (void)k; K(tensor)(p, n, K(are_##id)); }
#include "../op/pointwise.def"
#undef TH_COMPARE
#undef NUMBER_LOOP

static void K(differs)(void *const *p, int64_t n, const th_scalars *k)
{
  const T *x = p[1], *z = p[2];
  int found = 0;
  if (__atomic_load_n(k->found, __ATOMIC_RELAXED)) return;
  for (int64_t i = 0; i < n; i++) found |= x[i] != z[i];
  if (found) __atomic_store_n(k->found, 1, __ATOMIC_RELAXED);
}
#endif

/* ---- kernels ---- */
#if IS_INT
#define PREPARE(id) interval(IS_##id, compare_args_of(c)->value, &k);
#define NUMBER_RUN(id) K(inside)
#else
#define PREPARE(id) k.d[0] = NUMBER(compare_args_of(c)->value);
#define NUMBER_RUN(id) RUN(number_##id)
#endif

#define TH_COMPARE(id, operator, doc) \
  static th_status K(run_##id)(const th_call *c) \
  { \
    th_scalars k = { .found = NULL }; \
    PREPARE(id) \
    th_tensor *t[] = { compare_args_of(c)->y, compare_args_of(c)->x }; \
    return TH_AT(th_elementwise)(2, t, NUMBER_RUN(id), &k, TH_U8); \
  } \
  static th_status K(run_tensor_##id)(const th_call *c) \
  { \
    const compare_tensors_args *a = compare_tensors_args_of(c); \
    th_scalars k = { .found = NULL }; \
    th_tensor *t[] = { a->y, a->x, a->z }; \
    return TH_AT(th_elementwise)(3, t, RUN(tensor_##id), &k, TH_U8); \
  }
#include "../op/pointwise.def"
#undef TH_COMPARE
#undef PREPARE
#undef NUMBER_RUN
#undef NUMBER

static th_status K(run_equal)(const th_call *c)
{
  const equal_args *a = equal_args_of(c);
  th_tensor *x = a->x, *z = a->z;
  int found = !th_same_shape(x, z);
  th_scalars k = { .found = &found };
  th_tensor *t[] = { x, x, z };
  if (!found) TH_TRY(TH_AT(th_elementwise)(3, t, RUN(differs), &k, TH_NONE));
  ((th_call *)(uintptr_t)c)->arg[equal_same].d = !found;
  return TH_OK;
}
#undef RUN

/* No arithmetic: the elements travel as they are stored. */
static void K(choose)(void *const *p, int64_t n, const th_scalars *k)
{
  T *y = p[0];
  const uint8_t *cond = p[1];
  const T *x = p[2], *z = p[3];
  (void)k;
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = cond[i] ? x[i] : z[i];
}

static th_status K(run_where)(const th_call *c)
{
  const where_args *a = where_args_of(c);
  th_tensor *t[] = { a->y, a->condition, a->x, a->z };
  return TH_AT(th_elementwise)(4, t, K(choose), NULL, TH_STORED);
}
#endif
