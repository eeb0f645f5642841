// optimizer.cu - steps of optimizers, each in one pass over parameters, gradients and state.
#include "backend.cuh"
#include "../lib/op/optimizer.args.h"

namespace {

template <class T> struct part {
  T *p;
  view v;
  explicit part(const th_tensor *t) : p(t ? th_first<T>(t) : nullptr)
  {
    if (t) v = th_view_of(t);
    else v = view();
  }
  __device__ typename element<T>::C get(int64_t i) const { return element<T>::load(p[v.at(i)]); }
  __device__ void put(int64_t i, typename element<T>::C c) const { p[v.at(i)] = element<T>::store(c); }
};

TH_DEVICE_FN float root(float v) { return ::sqrtf(v); }
TH_DEVICE_FN double root(double v) { return ::sqrt(v); }

/* rate and keep may lie in memory of the device, as doubles `step` apart. */
template <class C> struct rates {
  C rate, b1, b2, eps, keep, c1, c2;
  const double *live;
  int64_t step;
  __device__ C rate_now() const { return live ? (C)live[0] : rate; }
  __device__ C keep_now() const { return live ? (C)live[step] : keep; }
};
template <class C> static void set_live(rates<C> *r, const th_tensor *t)
{
  r->live = th_first<const double>(t);
  r->step = t->stride[0];
}

template <class T>
static __global__ void adam(part<T> x, part<T> m, part<T> v, part<T> g, part<T> denom, rates<typename element<T>::C> r, int64_t n)
{
  typedef typename element<T>::C C;
  const C rate = r.rate_now(), keep = r.keep_now();
  for (TH_EACH(i, n)) {
    const C gi = g.get(i), mi = r.b1 * m.get(i) + r.c1 * gi, vi = r.b2 * v.get(i) + r.c2 * gi * gi;
    m.put(i, mi);
    v.put(i, vi);
    const C below = root(vi) + r.eps;
    if (denom.p) denom.put(i, below);
    x.put(i, keep * x.get(i) - rate * mi / below);
  }
}
template <class T> static th_status adam_with(const th_call *c, const rates<typename element<T>::C> &r, const th_tensor *denom)
{
  const adam_step_args *a = adam_step_args_of(c);
  const int64_t n = th_numel(a->x);
  if (n == 0) return TH_OK;
  TH_LAUNCH((adam<T>), th_blocks(n), THREADS, 0, part<T>(a->x), part<T>(a->m), part<T>(a->v),
            part<T>(a->g), part<T>(denom), r, n);
  return th_launched();
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

template <class T>
static __global__ void rmsprop(part<T> x, part<T> v, part<T> g, rates<typename element<T>::C> r, int64_t n)
{
  typedef typename element<T>::C C;
  const C rate = r.rate_now();
  for (TH_EACH(i, n)) {
    const C gi = g.get(i), vi = r.b2 * v.get(i) + r.c2 * gi * gi;
    v.put(i, vi);
    x.put(i, x.get(i) - rate * gi / (root(vi) + r.eps));
  }
}
template <class T> static th_status rmsprop_with(const th_call *c, const th_tensor *live)
{
  const rmsprop_step_args *a = rmsprop_step_args_of(c);
  typedef typename element<T>::C C;
  const int64_t n = th_numel(a->x);
  rates<C> r = { live ? 0 : (C)a->rate, 0, (C)a->alpha, (C)a->eps, 1, 0, (C)(1 - a->alpha), nullptr, 0 };
  if (live) set_live(&r, live);
  if (n == 0) return TH_OK;
  TH_LAUNCH((rmsprop<T>), th_blocks(n), THREADS, 0, part<T>(a->x), part<T>(a->v), part<T>(a->g), r, n);
  return th_launched();
}
template <class T> static th_status rmsprop_step(const th_call *c) { return rmsprop_with<T>(c, nullptr); }
template <class T> static th_status rmsprop_step_rates(const th_call *c)
{
  return rmsprop_with<T>(c, rmsprop_step_rates_args_of(c)->rates);
}

template <class T>
static __global__ void momentum(part<T> x, part<T> v, part<T> g, rates<typename element<T>::C> r, typename element<T>::C decay,
                                bool nesterov, int64_t n)
{
  typedef typename element<T>::C C;
  const C rate = r.rate_now();
  for (TH_EACH(i, n)) {
    C gi = g.get(i) + decay * x.get(i);
    const C vi = r.b1 * v.get(i) + r.c1 * gi;
    if (nesterov) gi += r.b1 * vi;
    g.put(i, gi);
    v.put(i, vi);
    x.put(i, x.get(i) - rate * (nesterov ? gi : vi));
  }
}
template <class T> static th_status momentum_with(const th_call *c, const th_tensor *live)
{
  const momentum_step_args *a = momentum_step_args_of(c);
  typedef typename element<T>::C C;
  const int64_t n = th_numel(a->x);
  rates<C> r = { live ? 0 : (C)a->rate, (C)a->momentum, 0, 0, 1, (C)(1 - a->dampening), 0, nullptr, 0 };
  if (live) set_live(&r, live);
  if (n == 0) return TH_OK;
  TH_LAUNCH((momentum<T>), th_blocks(n), THREADS, 0, part<T>(a->x), part<T>(a->v), part<T>(a->g), r,
            (C)a->decay, a->nesterov != 0, n);
  return th_launched();
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
