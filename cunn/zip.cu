// zip.cu - y[i] = f(x[i], z[i], ...): zips, and gradients of activations.
#include "formula.cuh"
#include "../lib/op/pointwise.args.h"

#define AT2(id, T, C, s) TH_DEVICE_FN C at(kind<T>, C x, C z, C, C a, C) { return id##_##s(x, z, a); }
#define AT3(id, T, C, s) TH_DEVICE_FN C at(kind<T>, C x, C z, C w, C a, C) { return id##_##s(x, z, w, a); }
#define ATG(id, T, C, s) TH_DEVICE_FN C at(kind<T>, C x, C y, C g, C a, C b) { return id##_##s(x, y, g, a, b); }
/* What the last tensor of whole numbers must not hold. */
enum refused { NOTHING, DIVISOR, COUNT, POWER };
#define REFUSES_nothing NOTHING
#define REFUSES_divisor DIVISOR
#define REFUSES_count   COUNT
#define REFUSES_power   POWER

#define TH_MAP(...)
#define TH_MAP_AS(...)
#define TH_COMPARE(...)
#define TH_ZIP(id, name, set, refuses, args, doc, grad) \
  struct id##_op { static constexpr refused no = REFUSES_##refuses; TH_AT_##set(AT2, id) };
#define TH_ZIP3(id, name, set, refuses, args, doc, grad) \
  struct id##_op { static constexpr refused no = REFUSES_##refuses; TH_AT_##set(AT3, id) };
#define TH_ACT(id, args, names, doc) struct id##_grad_op { static constexpr refused no = NOTHING; TH_AT_FLOATS(ATG, id##_grad) };
#include "../lib/op/pointwise.def"
#undef TH_ZIP
#undef TH_ZIP3
#undef TH_ACT

template <class T> struct operand { const T *p; view v; };

template <class T, class Op>
static __global__ void zip(T *y, view vy, operand<T> x, operand<T> z, operand<T> w, bool third, int64_t n,
                           typename element<T>::C a, typename element<T>::C b)
{
  typedef element<T> E;
  for (TH_EACH(i, n)) {
    const typename E::C xi = E::load(x.p[x.v.at(i)]), zi = E::load(z.p[z.v.at(i)]), wi = third ? E::load(w.p[w.v.at(i)]) : zi;
    y[vy.at(i)] = E::store(Op::at(kind<T>(), xi, zi, wi, a, b));
  }
}

template <class T>
static __global__ void look(int *found, operand<T> x, operand<T> z, int64_t n, refused no)
{
  for (TH_EACH(i, n)) {
    const T zi = z.p[z.v.at(i)];
    if (no == DIVISOR ? zi == 0 : (int64_t)zi < 0 && (no == COUNT || x.p[x.v.at(i)] == 0)) *found = 1;
  }
}

/* The elements are looked at here, since only the device sees them. */
template <class T> static th_status need_elements(const th_call *c, refused no, operand<T> x, operand<T> z, int64_t n)
{
  static const char *const why[] = { "", "%s must not hold 0 for a %sTensor", "%s must not be negative for a %sTensor",
                                     "%s must not be negative where x is 0 for a %sTensor" };
  int found = 0;
  th_cuda_scratch s;
  TH_TRY(s.take(sizeof found));
  TH_CUDA_TRY(cudaMemsetAsync(s.as<void>(), 0, sizeof found, th_cuda_stream()));
  TH_LAUNCH((look<T>), th_blocks(n), THREADS, 0, s.as<int>(), x, z, n, no);
  TH_TRY(th_launched());
  TH_TRY(th_cuda_fetch(&found, s.as<void>(), sizeof found));
  return found ? th_fail(TH_EARG, why[no], th_arg_name(c, c->narg - 1), th_dtype_name(c->dtype)) : TH_OK;
}

template <class T, class Op> static th_status run(const th_call *c)
{
  const th_tensor *y = pointwise_args_of(c)->y;
  operand<T> in[3];
  const int64_t n = th_numel(y);
  int k = 0;
  if (n == 0) return TH_OK;
  for (int i = 1; i < c->narg; i++) {
    if (c->kind[i] != TH_K_TENSOR) continue;
    in[k].p = th_first<const T>(c->arg[i].t);
    in[k++].v = th_view_like(c->arg[i].t, y);
  }
  const bool third = k == 3;
  if (!third) in[2] = in[1];
  if constexpr (element<T>::is_int) {
    if (Op::no != NOTHING) TH_TRY(need_elements<T>(c, Op::no, in[0], in[k - 1], n));
  }
  const numbers<T> a(c);
  TH_LAUNCH((zip<T, Op>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), in[0], in[1], in[2], third, n, a.at(0),
            a.at(1));
  return th_launched();
}

#define TH_ZIP(id, name, set, refuses, args, doc, grad) TH_TABLE_##set(id, run, id##_op)
#define TH_ZIP3(id, name, set, refuses, args, doc, grad) TH_TABLE_##set(id, run, id##_op)
#define TH_ACT(id, args, names, doc) TH_TABLE_FLOATS(id##_grad, run, id##_grad_op)
#include "../lib/op/pointwise.def"
