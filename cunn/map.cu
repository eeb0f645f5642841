// map.cu - y[i] = f(x[i], numbers): the maps of pointwise.def and the activations.
#include <limits>
#include "formula.cuh"
#include "../lib/op/pointwise.args.h"

#define AT(id, T, C, s) TH_DEVICE_FN C at(kind<T>, C x, C a, C b) { return id##_##s(x, a, b); }
#define TH_MAP(id, name, set, numbers, args, doc, grad) struct id##_op { TH_AT_##set(AT, id) };
#define TH_MAP_AS(id, name, set, numbers, args, doc, grad) TH_MAP(id, name, set, numbers, args, doc, grad)
#define TH_ACT(id, args, names, doc) struct id##_op { TH_AT_FLOATS(AT, id) };
#define TH_ZIP(...)
#define TH_ZIP3(...)
#define TH_COMPARE(...)
#include "../lib/op/pointwise.def"
#undef TH_MAP
#undef TH_MAP_AS
#undef TH_ACT

template <class T, class Op>
static __global__ void map(T *y, view vy, const T *x, view vx, int64_t n, typename element<T>::C a, typename element<T>::C b)
{
  for (TH_EACH(i, n)) y[vy.at(i)] = element<T>::store(Op::at(kind<T>(), element<T>::load(x[vx.at(i)]), a, b));
}

template <class T, class Op> static th_status run_with(const th_call *c, const numbers<T> &k)
{
  const th_tensor *y = pointwise_args_of(c)->y, *x = nullptr;
  for (int i = 1; i < c->narg && !x; i++) if (c->kind[i] == TH_K_TENSOR) x = c->arg[i].t;
  const int64_t n = th_numel(y);
  if (n == 0) return TH_OK;
  TH_LAUNCH((map<T, Op>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), th_first<const T>(x), th_view_like(x, y),
            n, k.at(0), k.at(1));
  return th_launched();
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
#include "../lib/op/pointwise.def"
