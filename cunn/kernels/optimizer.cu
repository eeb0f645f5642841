// optimizer.cu - steps of optimizers, each in one pass over parameters, gradients and state.
#include "../runtime/vector.cuh"
#include "../../lib/op/optimizer.args.h"

namespace {

TH_DEVICE_FN float root(float v) { return ::sqrtf(v); }
TH_DEVICE_FN double root(double v) { return ::sqrt(v); }
/* In a sum of two products the compiler may fuse either with the sum, and not the same in each kernel. So the kernels say which:
 * fused(a, b, c) is a * b + c, rounded once on a device; product(a, b) is not fused. */
#ifdef __CUDA_ARCH__
TH_DEVICE_FN float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
TH_DEVICE_FN double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
TH_DEVICE_FN float product(float a, float b) { return __fmul_rn(a, b); }
TH_DEVICE_FN double product(double a, double b) { return __dmul_rn(a, b); }
#else
template <class C> TH_DEVICE_FN C fused(C a, C b, C c) { return a * b + c; }
template <class C> TH_DEVICE_FN C product(C a, C b) { return a * b; }
#endif

/* rate and keep may lie in memory of the device, as doubles `step` apart. */
template <class C> struct rates {
  C rate, b1, b2, eps, keep, c1, c2;
  const double *live;
  int64_t step;
  __device__ __forceinline__ void start(bool keeps)
  {
    if (!live) return;
    rate = (C)live[0];
    if (keeps) keep = (C)live[step];
  }
};
template <class C> static void set_live(rates<C> *r, const th_tensor *t)
{
  r->live = th_first<const double>(t);
  r->step = t->stride[0];
}
/* A body with rates. */
template <class C, bool KEEPS> struct step_body {
  static constexpr bool HEAVY = false;
  rates<C> r;
  __device__ __forceinline__ void start() { r.start(KEEPS); }
};
template <class T> auto updated(const th_tensor *t) { return updates<computed<T>>(t); }
template <class T> auto given(const th_tensor *t) { return reads<computed<T>>(t, t); }

template <class C> struct adam : step_body<C, true> {
  adam(const rates<C> &r_) { this->r = r_; }
  __device__ __forceinline__ void operator()(C &x, C &m, C &v, C g) const
  {
    C below;
    (*this)(x, m, v, g, below);
  }
  __device__ __forceinline__ void operator()(C &x, C &m, C &v, C g, C &below) const
  {
    const rates<C> &k = this->r;
    m = fused(k.c1, g, product(k.b1, m));
    v = fused(product(k.c2, g), g, product(k.b2, v));
    below = root(v) + k.eps;
    x = product(k.keep, x) - k.rate * m / below;
  }
};
template <class T> static th_status adam_with(const th_call *c, const rates<typename element<T>::C> &r, const th_tensor *denom)
{
  const adam_step_args *a = adam_step_args_of(c);
  const adam<typename element<T>::C> f(r);
  const int64_t n = th_numel(a->x);
  const auto x = updated<T>(a->x), m = updated<T>(a->m), v = updated<T>(a->v);
  if (denom) return pointwise(n, f, x, m, v, given<T>(a->g), writes<computed<T>>(denom));
  return pointwise(n, f, x, m, v, given<T>(a->g));
}
template <class T> static th_status adam_step(const th_call *c)
{
  const adam_step_args *a = adam_step_args_of(c);
  typedef typename element<T>::C C;
  const rates<C> r = { (C)a->rate, (C)a->beta1, (C)a->beta2, (C)a->eps, (C)a->keep, (C)(1 - a->beta1),
                       (C)(1 - a->beta2), nullptr, 0 };
  return adam_with<T>(c, r, a->denom);
}
template <class T> static th_status adam_step_rates(const th_call *c)
{
  const adam_step_rates_args *a = adam_step_rates_args_of(c);
  typedef typename element<T>::C C;
  rates<C> r = { 0, (C)a->beta1, (C)a->beta2, (C)a->eps, 1, (C)(1 - a->beta1), (C)(1 - a->beta2), nullptr, 0 };
  set_live(&r, a->rates);
  return adam_with<T>(c, r, a->denom);
}

template <class C> struct rmsprop : step_body<C, false> {
  rmsprop(const rates<C> &r_) { this->r = r_; }
  __device__ __forceinline__ void operator()(C &x, C &v, C g) const
  {
    const rates<C> &k = this->r;
    v = fused(product(k.c2, g), g, product(k.b2, v));
    x = x - k.rate * g / (root(v) + k.eps);
  }
};
template <class T> static th_status rmsprop_with(const th_call *c, const th_tensor *live)
{
  const rmsprop_step_args *a = rmsprop_step_args_of(c);
  typedef typename element<T>::C C;
  const int64_t n = th_numel(a->x);
  rates<C> r = { live ? 0 : (C)a->rate, 0, (C)a->alpha, (C)a->eps, 1, 0, (C)(1 - a->alpha), nullptr, 0 };
  if (live) set_live(&r, live);
  return pointwise(n, rmsprop<C>(r), updated<T>(a->x), updated<T>(a->v), given<T>(a->g));
}
template <class T> static th_status rmsprop_step(const th_call *c) { return rmsprop_with<T>(c, nullptr); }
template <class T> static th_status rmsprop_step_rates(const th_call *c)
{
  return rmsprop_with<T>(c, rmsprop_step_rates_args_of(c)->rates);
}

template <class C> struct momentum : step_body<C, false> {
  C decay;
  bool nesterov;
  momentum(const rates<C> &r_, C decay_, bool nesterov_) : decay(decay_), nesterov(nesterov_) { this->r = r_; }
  __device__ __forceinline__ void operator()(C &x, C &v, C &g) const
  {
    const rates<C> &k = this->r;
    g = fused(decay, x, g);
    v = fused(k.c1, g, product(k.b1, v));
    if (nesterov) g = fused(k.b1, v, g);
    x = fused(-k.rate, nesterov ? g : v, x);
  }
};
template <class T> static th_status momentum_with(const th_call *c, const th_tensor *live)
{
  const momentum_step_args *a = momentum_step_args_of(c);
  typedef typename element<T>::C C;
  const int64_t n = th_numel(a->x);
  rates<C> r = { live ? 0 : (C)a->rate, (C)a->momentum, 0, 0, 1, (C)(1 - a->dampening), 0, nullptr, 0 };
  if (live) set_live(&r, live);
  return pointwise(n, momentum<C>(r, (C)a->decay, a->nesterov != 0), updated<T>(a->x), updated<T>(a->v), updated<T>(a->g));
}
template <class T> static th_status momentum_step(const th_call *c) { return momentum_with<T>(c, nullptr); }
template <class T> static th_status momentum_step_rates(const th_call *c)
{
  return momentum_with<T>(c, momentum_step_rates_args_of(c)->rates);
}

}  // namespace

TH_KERNELS(adam_step, TH_CUDA_FLOATS(adam_step))
TH_KERNELS(rmsprop_step, TH_CUDA_FLOATS(rmsprop_step))
TH_KERNELS(momentum_step, TH_CUDA_FLOATS(momentum_step))
TH_KERNELS(adam_step_rates, TH_CUDA_FLOATS(adam_step_rates))
TH_KERNELS(rmsprop_step_rates, TH_CUDA_FLOATS(rmsprop_step_rates))
TH_KERNELS(momentum_step_rates, TH_CUDA_FLOATS(momentum_step_rates))
