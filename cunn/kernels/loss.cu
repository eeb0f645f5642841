// loss.cu - losses of pairs of numbers, and of classes; each term and its slope in double.
#include "fold.cuh"
#include "../runtime/late.cuh"
#include "../../lib/op/loss.args.h"
#include "../../lib/op/nll_loss.args.h"

namespace {

/* ---- pairs ---- */

constexpr double epsilon = 1e-12;

struct mse {
  TH_DEVICE_FN double term(double x, double t) { return (x - t) * (x - t); }
  TH_DEVICE_FN double slope(double x, double t) { return 2 * (x - t); }
};
struct absolute {
  TH_DEVICE_FN double term(double x, double t) { return fabs(x - t); }
  TH_DEVICE_FN double slope(double x, double t) { return x >= t ? 1 : x < t ? -1 : x - t; }
};
struct smooth {
  TH_DEVICE_FN double term(double x, double t)
  {
    const double d = fabs(x - t);
    return d < 1 ? d * d / 2 : d - 0.5;
  }
  TH_DEVICE_FN double slope(double x, double t)
  {
    const double d = x - t;
    return d < -1 ? -1 : d > 1 ? 1 : d;
  }
};
struct bce {
  TH_DEVICE_FN double term(double x, double t) { return -(log(x + epsilon) * t + log(1 - x + epsilon) * (1 - t)); }
  TH_DEVICE_FN double slope(double x, double t) { return (x - t) / ((1 - x + epsilon) * (x + epsilon)); }
};

/* weight repeats every `period` elements. */
template <class T> struct pair_of {
  const T *x, *t, *weight;
  view vx, vt, vw;
  int64_t period;
  __device__ double weight_of(int64_t i) const { return weight ? (double)element<T>::load(weight[vw.at(i % period)]) : 1; }
  __device__ double x_of(int64_t i) const { return (double)element<T>::load(x[vx.at(i)]); }
  __device__ double t_of(int64_t i) const { return (double)element<T>::load(t[vt.at(i)]); }
};
template <class T> static pair_of<T> pair_in(const th_tensor *x, const th_tensor *t, const th_tensor *w)
{
  return { th_first<const T>(x), th_first<const T>(t), w ? th_first<const T>(w) : nullptr, th_view_of(x), th_view_of(t),
           th_view_of(w ? w : x), w ? th_numel(w) : 1 };
}

template <class T, class F> struct terms : th_sum {
  pair_of<T> p;
  explicit terms(const pair_of<T> &q) : p(q) {}
  __device__ double take(double a, int64_t i) const { return a + F::term(p.x_of(i), p.t_of(i)) * p.weight_of(i); }
};

template <class T, class F> static __global__ void slopes(T *gx, view v, pair_of<T> p, double by, int64_t n)
{
  typedef element<T> E;
  for (TH_EACH(i, n)) {
    gx[v.at(i)] = E::store((typename E::C)(F::slope(p.x_of(i), p.t_of(i)) * by * p.weight_of(i)));
  }
}

template <class T, class F> static th_status loss(const th_call *c, const th_tensor *weight)
{
  const loss_args *a = loss_args_of(c);
  const int64_t n = th_numel(a->x);
  double sum;
  TH_TRY(th_fold(&sum, terms<T, F>(pair_in<T>(a->x, a->target, weight)), n));
  th_give(c, a->sizeAverage && n ? sum / (double)n : sum);
  return TH_OK;
}
template <class T, class F> static th_status loss_grad(const th_call *c, const th_tensor *weight)
{
  const loss_grad_args *a = loss_grad_args_of(c);
  const th_tensor *gx = a->gx;
  const int64_t n = th_numel(gx);
  if (n == 0) return TH_OK;
  TH_LAUNCH((slopes<T, F>), th_blocks(n), THREADS, 0, th_first<T>(gx), th_view_of(gx),
            pair_in<T>(a->x, a->target, weight), a->sizeAverage ? 1 / (double)n : 1.0, n);
  return th_launched();
}

#define LOSS(id, F, weight, grad_weight) \
  template <class T> static th_status id(const th_call *c) { return loss<T, F>(c, weight); } \
  template <class T> static th_status id##_grad(const th_call *c) { return loss_grad<T, F>(c, grad_weight); }
LOSS(mse_loss, mse, nullptr, nullptr)
LOSS(abs_loss, absolute, nullptr, nullptr)
LOSS(smoothl1_loss, smooth, nullptr, nullptr)
LOSS(bce_loss, bce, bce_loss_args_of(c)->weight, bce_loss_grad_args_of(c)->weight)

/* ---- classes ---- */

/* A sample is (s, p): s of `samples`, p of `places` that each has. */
template <class T> struct classes {
  const int64_t *target;
  const T *weight;
  view vt, vw;
  int64_t number, places, samples, ignore;

  __device__ int64_t class_of(int64_t k) const { return target[vt.at(k)]; }
  __device__ bool is_class(int64_t c) const { return c >= 1 && c <= number; }
  __device__ double weight_of(int64_t c) const { return weight ? (double)element<T>::load(weight[vw.at(c - 1)]) : 1; }
  /* Where the log probability of class c of sample k stands, in row-major order. */
  __device__ int64_t place_of(int64_t k, int64_t c) const { return (k / places * number + c - 1) * places + k % places; }
};
template <class T> static classes<T> classes_of(const th_tensor *x, const th_tensor *target, const th_tensor *w, int64_t ignore)
{
  classes<T> q = { th_first<const int64_t>(target), w ? th_first<const T>(w) : nullptr, th_view_of(target),
                   th_view_of(w ? w : x), x->size[x->ndim > 1 ? 1 : 0], 1, th_numel(target), ignore };
  for (int d = 2; d < x->ndim; d++) q.places *= x->size[d];
  return q;
}

template <class T, bool WEIGHTS> struct likelihoods : th_sum {
  classes<T> q;
  const T *x;
  view vx;
  th_cuda_finder finder;
  likelihoods(const classes<T> &given, const th_tensor *t, const th_cuda_finder &f)
    : q(given), x(th_first<const T>(t)), vx(th_view_of(t)), finder(f) {}
  __device__ double take(double a, int64_t k) const
  {
    const int64_t c = q.class_of(k);
    if (c == q.ignore) return a;
    if (!q.is_class(c)) {
      th_find(finder, k, c);
      return a;
    }
    return WEIGHTS ? a + q.weight_of(c) : a - q.weight_of(c) * (double)element<T>::load(x[vx.at(q.place_of(k, c))]);
  }
};

template <class T> static __global__ void conclude(T *y, T *total, const double *sums, bool average)
{
  typedef typename element<T>::C C;
  *y = element<T>::store((C)(average && sums[1] != 0 ? sums[0] / sums[1] : sums[0]));
  *total = element<T>::store((C)sums[1]);
}

template <class T> static th_status nll_loss(const th_call *c)
{
  const nll_loss_args *a = nll_loss_args_of(c);
  const th_tensor *x = a->x;
  const classes<T> q = classes_of<T>(x, a->target, a->weight, a->ignore);
  th_cuda_scratch sums;
  th_cuda_finder f;
  TH_TRY(th_cuda_finder_in(&f, c, nll_loss_target));
  TH_TRY(sums.take(2 * sizeof(double)));
  TH_TRY(th_fold_to(sums.as<double>(), likelihoods<T, false>(q, x, f), q.samples));
  TH_TRY(th_fold_to(sums.as<double>() + 1, likelihoods<T, true>(q, x, {}), q.samples));
  TH_LAUNCH((conclude<T>), 1, 1, 0, th_first<T>(a->y), th_first<T>(a->total), sums.as<const double>(),
            a->sizeAverage != 0);
  return th_launched();
}

/* The sample's class alone has a gradient. */
template <class T>
static __global__ void blame(T *gx, view v, classes<T> q, const T *total, double g, bool average, th_cuda_finder f)
{
  typedef element<T> E;
  const double sum = (double)E::load(*total), by = g / (average && sum != 0 ? sum : 1);
  for (TH_EACH(i, q.samples * q.number)) {
    const int64_t k = i / (q.number * q.places) * q.places + i % q.places, at = i / q.places % q.number + 1, c = q.class_of(k);
    if (at == 1 && c != q.ignore && !q.is_class(c)) th_find(f, k, c);
    gx[v.at(i)] = E::store((typename E::C)(c == at && c != q.ignore ? -q.weight_of(c) * by : 0));
  }
}
template <class T> static th_status nll_loss_grad(const th_call *c)
{
  const nll_loss_grad_args *a = nll_loss_grad_args_of(c);
  const th_tensor *gx = a->gx;
  const int64_t n = th_numel(gx);
  th_cuda_finder f;
  TH_TRY(th_cuda_finder_in(&f, c, nll_loss_grad_target));
  if (n == 0) return TH_OK;
  TH_LAUNCH((blame<T>), th_blocks(n), THREADS, 0, th_first<T>(gx), th_view_of(gx),
            classes_of<T>(gx, a->target, a->weight, a->ignore), th_first<const T>(a->total), a->g,
            a->sizeAverage != 0, f);
  return th_launched();
}

}  // namespace

TH_KERNELS(mse_loss, TH_CUDA_FLOATS(mse_loss))
TH_KERNELS(mse_loss_grad, TH_CUDA_FLOATS(mse_loss_grad))
TH_KERNELS(abs_loss, TH_CUDA_FLOATS(abs_loss))
TH_KERNELS(abs_loss_grad, TH_CUDA_FLOATS(abs_loss_grad))
TH_KERNELS(smoothl1_loss, TH_CUDA_FLOATS(smoothl1_loss))
TH_KERNELS(smoothl1_loss_grad, TH_CUDA_FLOATS(smoothl1_loss_grad))
TH_KERNELS(bce_loss, TH_CUDA_FLOATS(bce_loss))
TH_KERNELS(bce_loss_grad, TH_CUDA_FLOATS(bce_loss_grad))
TH_KERNELS(nll_loss, TH_CUDA_FLOATS(nll_loss))
TH_KERNELS(nll_loss_grad, TH_CUDA_FLOATS(nll_loss_grad))
