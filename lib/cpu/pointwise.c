/* pointwise.c - maps and zips: one contiguous loop per op and computing type, see elementwise.h. */
#ifndef T
#include "elementwise.h"
#include "../formula/math.h"

#define TH_COMPARE(id, op, doc)

/* Halves run the loops of float. */
#define LOOP(id) static void loop_##id##_f32(void *const *p, int64_t n, const th_scalars *k);
#define SKIP_INTS(x)
#define SKIP_ALL(x) x
#define SKIP_FLOATS(x) x
#define TH_MAP(id, name, set, numbers, args, doc, grad) SKIP_##set(LOOP(id))
#define TH_MAP_AS(id, name, set, numbers, args, doc, grad) SKIP_##set(LOOP(id))
#define TH_ACT(id, args, names, doc) LOOP(id) LOOP(id##_grad)
#define TH_ZIP(id, name, set, refuses, args, doc, grad) SKIP_##set(LOOP(id))
#define TH_ZIP3(id, name, set, refuses, args, doc, grad) SKIP_##set(LOOP(id))
#include "../op/pointwise.def"
#undef TH_MAP
#undef TH_MAP_AS
#undef TH_ACT
#undef TH_ZIP
#undef TH_ZIP3

/* The tensors of a call, the result first, and its numbers, at most two. */
typedef struct operands { th_tensor *t[TH_MAXOPND]; int n; double number[2]; } operands;

static void read_operands(const th_call *c, operands *o)
{
  int numbers = 0;
  o->n = 0;
  o->number[0] = o->number[1] = 0;
  for (int i = 0; i < c->narg; i++) {
    if (c->kind[i] == TH_K_NUMBER) o->number[numbers++] = c->arg[i].d;
    else o->t[o->n++] = c->arg[i].t;
  }
}

#define IN_ALL(...) __VA_ARGS__
#define TH_SELF "pointwise.c"
#include "each_dtype.h"

#define TH_MAP(id, name, set, numbers, args, doc, grad) \
  const th_kernel TH_AT(th_##id)[TH_NDTYPE] = TH_##set(run_##id);
#define TH_MAP_AS(id, name, set, numbers, args, doc, grad) \
  TH_MAP(id, name, set, numbers, args, doc, grad)
#define TH_ACT(id, args, names, doc) \
  const th_kernel TH_AT(th_##id)[TH_NDTYPE] = TH_FLOATS(run_##id); \
  const th_kernel TH_AT(th_##id##_grad)[TH_NDTYPE] = TH_FLOATS(run_##id##_grad);
#define TH_ZIP(id, name, set, refuses, args, doc, grad) \
  const th_kernel TH_AT(th_##id)[TH_NDTYPE] = TH_##set(run_##id);
#define TH_ZIP3(id, name, set, refuses, args, doc, grad) \
  TH_ZIP(id, name, set, refuses, args, doc, grad)
#include "../op/pointwise.def"

#else

/* ---- loops: contiguous, in the computing type ---- */
#define F(f) K(f)
#if IS_INT
#define IN_INTS(...) __VA_ARGS__
#define IN_FLOATS(...)
#define RUN(id) K(loop_##id)
#include "../formula/integer.h"
#define VALUE(v) ((C)(T)th_to_int(v))
#elif IS_HALF
#define IN_INTS(...)
#define IN_FLOATS(...) __VA_ARGS__
#define RUN(id) loop_##id##_f32
#else
#define IN_INTS(...)
#define IN_FLOATS(...) __VA_ARGS__
#define RUN(id) K(loop_##id)
#include "../formula/pointwise.h"
#define VALUE(v) ((C)(v))
#endif

#if !IS_HALF
TH_INLINE void K(map_all)(void *const *p, int64_t n, const th_scalars *k, C (*f)(C, C, C))
{
  T *y = p[0];
  const T *x = p[1];
  const C a = VALUE(k->d[0]), b = VALUE(k->d[1]);
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = (T)f((C)x[i], a, b);
}
#if IS_FLOAT
/* Does one of n angles lie where the formulas do not reach? */
TH_INLINE bool K(any_far)(const T *x, int64_t n)
{
  int far = 0;
  for (int64_t i = 0; i < n; i++) far |= !(F(th_abs)(x[i]) <= (C)TH_ANGLE_MAX);
  return far;
}
/* Sines and their kin: stretches with a large angle in them go one by one. */
TH_INLINE void K(map_angles)(void *const *p, int64_t n, const th_scalars *k, C (*f)(C, C, C),
                             C (*libm)(C))
{
  enum { STRETCH = 512 };
  for (int64_t first = 0; first < n; first += STRETCH) {
    const int64_t m = n - first < STRETCH ? n - first : STRETCH;
    T *y = (T *)p[0] + first;
    const T *x = (const T *)p[1] + first;
    if (!K(any_far)(x, m)) {
      K(map_all)((void *const[]){ y, (void *)(uintptr_t)x }, m, k, f);
      continue;
    }
    for (int64_t i = 0; i < m; i++) {
      y[i] = F(th_abs)(x[i]) <= (C)TH_ANGLE_MAX ? f(x[i], 0, 0) : libm(x[i]);
    }
  }
}
static bool K(plain_power)(void *const *p, int64_t n, const th_scalars *k)
{
  const double a = k->d[0];
  if (a == 2) K(map_all)(p, n, k, K(square));
  else if (a == 3) K(map_all)(p, n, k, K(pow_three));
  else if (a == -1) K(map_all)(p, n, k, K(cinv));
  else if (a == -2) K(map_all)(p, n, k, K(pow_less_two));
  else if (a == 0.5) K(map_all)(p, n, k, K(pow_half));
  else return false;
  return true;
}
#endif
TH_INLINE void K(map)(void *const *p, int64_t n, const th_scalars *k, C (*f)(C, C, C))
{
#if IS_FLOAT
  if (f == K(sin)) K(map_angles)(p, n, k, K(sin), TH_LIBM(sin, (C)0));
  else if (f == K(cos)) K(map_angles)(p, n, k, K(cos), TH_LIBM(cos, (C)0));
  else if (f == K(tan)) K(map_angles)(p, n, k, K(tan), TH_LIBM(tan, (C)0));
  else if (f == K(pow) && K(plain_power)(p, n, k)) return;
  else
#endif
    K(map_all)(p, n, k, f);
}
TH_INLINE void K(zip)(void *const *p, int64_t n, const th_scalars *k, C (*f)(C, C, C))
{
  T *y = p[0];
  const T *x = p[1], *z = p[2];
  const C a = VALUE(k->d[0]);
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = (T)f((C)x[i], (C)z[i], a);
}
TH_INLINE void K(zip3)(void *const *p, int64_t n, const th_scalars *k, C (*f)(C, C, C, C))
{
  T *y = p[0];
  const T *x = p[1], *z = p[2], *w = p[3];
  const C a = VALUE(k->d[0]);
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = (T)f((C)x[i], (C)z[i], (C)w[i], a);
}
#if IS_FLOAT
TH_INLINE void K(gradient)(void *const *p, int64_t n, const th_scalars *k, C (*f)(C, C, C, C, C))
{
  T *gx = p[0];
  const T *x = p[1], *y = p[2], *g = p[3];
  const C a = VALUE(k->d[0]), b = VALUE(k->d[1]);
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) gx[i] = (T)f((C)x[i], (C)y[i], (C)g[i], a, b);
}
#endif
#endif

/* Numbers as this dtype takes them. A bound is limited to what the type can hold. */
#if IS_INT
#define NUMBER_bound(v) K(within)(v)
static double K(within)(double v)
{
  const int is_signed = (T)-1 < 0;
  const double top = ldexp(1, 8 * (int)sizeof(T) - is_signed), low = is_signed ? -top : 0;
  return v < low ? low : v < top ? v : (double)(top - 1) < top ? top - 1 : nextafter(top, 0);
}
#else
#define NUMBER_bound(v) (v)
#endif
#define NUMBER_value(v) (v)
#define NUMBER_divisor(v) (v)
#define NUMBER_count(v) (v)

#if IS_HALF
#define STAMP_LOOP(id, shape)
#else
#define STAMP_LOOP(id, shape) \
  static void K(loop_##id)(void *const *p, int64_t n, const th_scalars *k) \
  { K(shape)(p, n, k, K(id)); }
#endif
#define STAMP(name_, id, shape, takes) \
  STAMP_LOOP(id, shape) \
  static th_status K(name_)(const th_call *c) \
  { \
    operands o; \
    th_scalars k = { .found = NULL }; \
    read_operands(c, &o); \
    k.d[0] = takes(o.number[0]);                    /* no loop: it becomes `rep movs`, which takes 10 ns to begin */ \
    k.d[1] = takes(o.number[1]); \
    return TH_AT(th_elementwise)(o.n, o.t, RUN(id), &k, DT); \
  }

#define TH_MAP(id, name, set, numbers, args, doc, grad) \
  IN_##set(STAMP(run_##id, id, map, NUMBER_##numbers))
#define TH_MAP_AS(id, name, set, numbers, args, doc, grad) \
  TH_MAP(id, name, set, numbers, args, doc, grad)
#define TH_ACT(id, args, names, doc) \
  IN_FLOATS(STAMP(run_##id, id, map, NUMBER_value) \
            STAMP(run_##id##_grad, id##_grad, gradient, NUMBER_value))
#define TH_ZIP(id, name, set, refuses, args, doc, grad) \
  IN_##set(STAMP(run_##id, id, zip, NUMBER_value))
#define TH_ZIP3(id, name, set, refuses, args, doc, grad) \
  IN_##set(STAMP(run_##id, id, zip3, NUMBER_value))
#include "../op/pointwise.def"
#undef TH_MAP
#undef TH_MAP_AS
#undef TH_ACT
#undef TH_ZIP
#undef TH_ZIP3
#undef STAMP
#undef STAMP_LOOP
#undef NUMBER_bound
#undef NUMBER_value
#undef NUMBER_divisor
#undef NUMBER_count
#undef RUN
#undef VALUE
#undef F
#undef IN_INTS
#undef IN_FLOATS
#undef TH_X
#undef TH_G
#undef TH_XZ
#undef TH_UNUSED
#endif
