// zip.cu - y[i] = f(x[i], z[i], ...): zips, and gradients of activations.
#include "formula.cuh"
#include "../runtime/vector.cuh"
#include "../../lib/op/pointwise.args.h"

#define AT2(id, T, C, s) TH_DEVICE_FN C at(kind<T>, C a, C, C x, C z) { return id##_##s(x, z, a); }
#define AT3(id, T, C, s) TH_DEVICE_FN C at(kind<T>, C a, C, C x, C z, C w) { return id##_##s(x, z, w, a); }
#define ATG(id, T, C, s) TH_DEVICE_FN C at(kind<T>, C a, C b, C x, C y, C g) { return id##_##s(x, y, g, a, b); }
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
  struct id##_op { static constexpr refused no = REFUSES_##refuses; static constexpr int K = 2; TH_AT_##set(AT2, id) };
#define TH_ZIP3(id, name, set, refuses, args, doc, grad) \
  struct id##_op { static constexpr refused no = REFUSES_##refuses; static constexpr int K = 3; TH_AT_##set(AT3, id) };
#define TH_ACT(id, args, names, doc) \
  struct id##_grad_op { static constexpr refused no = NOTHING; static constexpr int K = 3; TH_AT_FLOATS(ATG, id##_grad) };
#include "../../lib/op/pointwise.def"
#undef TH_ZIP
#undef TH_ZIP3
#undef TH_ACT

template <class T> struct input { const T *p; view v; };

/* Long formulas, whose time the arithmetic decides. */
template <class Op> struct is_long { static constexpr bool value = false; };
#define TH_LONG(id) template <> struct is_long<id##_op> { static constexpr bool value = true; };
TH_LONG(cfmod) TH_LONG(cmod) TH_LONG(cremainder) TH_LONG(cpow) TH_LONG(atan2) TH_LONG(clshift) TH_LONG(crshift)
TH_LONG(softplus_grad) TH_LONG(logsigmoid_grad) TH_LONG(gelu_grad) TH_LONG(swish_grad)

template <class T, class Op> struct zip : plain_body {
  typedef typename element<T>::C C;
  static constexpr bool HEAVY = is_long<Op>::value;
  C a, b;
  zip(C a_, C b_) : a(a_), b(b_) {}
  template <class... X> __device__ __forceinline__ void operator()(C &y, X... x) const { y = Op::at(kind<T>(), a, b, x...); }
};

template <class T>
static __global__ void look(int *found, input<T> x, input<T> z, int64_t n, refused no)
{
  for (TH_EACH(i, n)) {
    const T zi = z.p[z.v.at(i)];
    if (no == DIVISOR ? zi == 0 : (int64_t)zi < 0 && (no == COUNT || x.p[x.v.at(i)] == 0)) *found = 1;
  }
}

/* The elements are looked at here, since only the device sees them. */
template <class T> static th_status need_elements(const th_call *c, refused no, input<T> x, input<T> z, int64_t n)
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

template <class T> static input<T> input_of(const th_tensor *t, const th_tensor *y)
{
  return { th_first<const T>(t), th_view_like(t, y) };
}

template <class T, class Op> static th_status run(const th_call *c)
{
  typedef computed<T> how;
  const th_tensor *y = pointwise_args_of(c)->y, *in[3] = { nullptr, nullptr, nullptr };
  const int64_t n = th_numel(y);
  int k = 0;
  if (n == 0) return TH_OK;
  for (int i = 1; i < c->narg; i++) if (c->kind[i] == TH_K_TENSOR) in[k++] = c->arg[i].t;
  if constexpr (element<T>::is_int) {
    if (Op::no != NOTHING) TH_TRY(need_elements<T>(c, Op::no, input_of<T>(in[0], y), input_of<T>(in[k - 1], y), n));
  }
  const numbers<T> a(c);
  const zip<T, Op> f(a.at(0), a.at(1));
  if constexpr (Op::K == 3) {
    return pointwise(n, f, writes<how>(y), reads<how>(in[0], y), reads<how>(in[1], y), reads<how>(in[2], y));
  } else {
    return pointwise(n, f, writes<how>(y), reads<how>(in[0], y), reads<how>(in[1], y));
  }
}

#define TH_ZIP(id, name, set, refuses, args, doc, grad) TH_TABLE_##set(id, run, id##_op)
#define TH_ZIP3(id, name, set, refuses, args, doc, grad) TH_TABLE_##set(id, run, id##_op)
#define TH_ACT(id, args, names, doc) TH_TABLE_FLOATS(id##_grad, run, id##_grad_op)
#include "../../lib/op/pointwise.def"
