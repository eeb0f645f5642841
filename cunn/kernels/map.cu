// map.cu - y[i] = f(x[i], numbers): the maps of pointwise.def and the activations.
#include <limits>
#include "formula.cuh"
#include "../runtime/vector.cuh"
#include "../../lib/op/pointwise.args.h"

#define AT(id, T, C, s) TH_DEVICE_FN C at(kind<T>, C x, C a, C b) { return id##_##s(x, a, b); }
#define TH_MAP(id, name, set, numbers, args, doc, grad) struct id##_op { TH_AT_##set(AT, id) };
#define TH_MAP_AS(id, name, set, numbers, args, doc, grad) TH_MAP(id, name, set, numbers, args, doc, grad)
#define TH_ACT(id, args, names, doc) struct id##_op { TH_AT_FLOATS(AT, id) };
#define TH_ZIP(...)
#define TH_ZIP3(...)
#define TH_COMPARE(...)
#include "../../lib/op/pointwise.def"
#undef TH_MAP
#undef TH_MAP_AS
#undef TH_ACT

/* Long formulas, whose time the arithmetic decides. */
template <class Op> struct is_long { static constexpr bool value = false; };
#define TH_LONG(id) template <> struct is_long<id##_op> { static constexpr bool value = true; };
TH_LONG(sin) TH_LONG(cos) TH_LONG(tan) TH_LONG(asin) TH_LONG(acos) TH_LONG(atan) TH_LONG(sinh) TH_LONG(cosh) TH_LONG(erf)
TH_LONG(expm1) TH_LONG(log1p) TH_LONG(fmod) TH_LONG(mod) TH_LONG(pow) TH_LONG(pow_number) TH_LONG(elu) TH_LONG(softplus)
TH_LONG(logsigmoid)

template <class T, class Op> struct map : plain_body {
  typedef typename element<T>::C C;
  static constexpr bool HEAVY = is_long<Op>::value;
  C a, b;
  map(C a_, C b_) : a(a_), b(b_) {}
  __device__ __forceinline__ void operator()(C &y, C x) const { y = Op::at(kind<T>(), x, a, b); }
};

template <class T, class Op> static th_status run_with(const th_call *c, const numbers<T> &k)
{
  const th_tensor *y = pointwise_args_of(c)->y, *x = nullptr;
  for (int i = 1; i < c->narg && !x; i++) if (c->kind[i] == TH_K_TENSOR) x = c->arg[i].t;
  return pointwise(th_numel(y), map<T, Op>(k.at(0), k.at(1)), writes<computed<T>>(y), reads<computed<T>>(x, y));
}
template <class T, class Op> static th_status run_value(const th_call *c) { return run_with<T, Op>(c, numbers<T>(c)); }

/* A bound beyond what the type holds is as good as the type's own limit. */
template <class T, class Op> static th_status run_bound(const th_call *c)
{
  numbers<T> k(c);
  for (double &v : k.d) {
    if constexpr (element<T>::is_int) {
      const double low = (double)std::numeric_limits<T>::min(), top = (double)std::numeric_limits<T>::max();
      v = v < low ? low : v < top ? v : sizeof(T) < 8 ? top : nextafter(top, 0);
    }
  }
  return run_with<T, Op>(c, k);
}
#define run_divisor run_value
#define run_count run_value

#define TH_MAP(id, name, set, numbers, args, doc, grad) TH_TABLE_##set(id, run_##numbers, id##_op)
#define TH_MAP_AS(id, name, set, numbers, args, doc, grad) TH_MAP(id, name, set, numbers, args, doc, grad)
#define TH_ACT(id, args, names, doc) TH_TABLE_FLOATS(id, run_value, id##_op)
#include "../../lib/op/pointwise.def"
