// batchnorm.cu - batch normalisation and its gradient: sums in double, the variance in a pass of its own around the mean.
#include "normalise.cuh"

namespace {

static th_features features_of(const th_tensor *x)
{
  th_features s = { x->size[0], x->size[1], 1 };
  for (int d = 2; d < x->ndim; d++) s.places *= x->size[d];
  return s;
}

/* ---- sums ---- */

template <class T> struct squares {
  const T *x;
  view v;
  const double *mean;
  __device__ void take(double *a, double *, int64_t i, int64_t f, int64_t) const
  {
    const double d = (double)element<T>::load(x[v.at(i)]) - mean[f];
    *a += d * d;
  }
};
template <class T> struct gradients {
  const T *x, *g;
  view vx, vg;
  th_vector<T> mean;
  __device__ void take(double *a, double *b, int64_t i, int64_t f, int64_t) const
  {
    const double gi = (double)element<T>::load(g[vg.at(i)]);
    *a += gi;
    *b += gi * ((double)element<T>::load(x[vx.at(i)]) - mean.get(f, 0));
  }
};

/* ---- forward ---- */

static __global__ void means(double *mean, const double *part, int64_t features, int64_t stretches, double count)
{
  for (TH_EACH(f, features)) {
    double a, b;
    th_join_stretches(part, f, stretches, &a, &b);
    mean[f] = a / count;
  }
}

template <class T> struct forward_of {
  th_vector<T> weight, bias, mean, invstd, running_mean, running_var;
  bool train;
  double momentum, eps, count;
};

/* What each feature is multiplied by, what is added and what subtracted, to to[3 f ...]. */
template <class T>
static __global__ void prepare(typename element<T>::C *to, forward_of<T> j, const double *batch_mean, const double *part,
                               int64_t features, int64_t stretches)
{
  typedef typename element<T>::C C;
  for (TH_EACH(f, features)) {
    double mean = j.running_mean.get(f, 0), var = j.running_var.get(f, 1), unused;
    if (j.train) {
      const double m = j.momentum;
      double sum;
      th_join_stretches(part, f, stretches, &sum, &unused);
      j.running_mean.put(f, m * batch_mean[f] + (1 - m) * mean);
      j.running_var.put(f, m * (sum / (j.count > 1 ? j.count - 1 : 1)) + (1 - m) * j.running_var.get(f, 0));
      mean = batch_mean[f], var = sum / j.count;
    }
    const double inv = 1 / sqrt(var + j.eps);
    j.mean.put(f, mean);
    j.invstd.put(f, inv);
    to[3 * f] = (C)(inv * j.weight.get(f, 1));
    to[3 * f + 1] = (C)j.bias.get(f, 0);
    to[3 * f + 2] = (C)mean;
  }
}

template <class T>
static __global__ void normalise(T *y, view vy, const T *x, view vx, const typename element<T>::C *by, th_features s, int64_t n)
{
  typedef element<T> E;
  for (TH_EACH(i, n)) {
    const typename E::C *k = by + 3 * (i / s.places % s.features);
    y[vy.at(i)] = E::store((E::load(x[vx.at(i)]) - k[2]) * k[0] + k[1]);
  }
}

template <class T> static th_status batchnorm(const th_call *c)
{
  typedef typename element<T>::C C;
  const th_tensor *y = c->arg[0].t, *x = c->arg[3].t;
  const th_features s = features_of(x);
  const int64_t n = th_numel(x), stretches = th_stretches(s);
  forward_of<T> j = { th_vector<T>(c->arg[4].t), th_vector<T>(c->arg[5].t), th_vector<T>(c->arg[1].t), th_vector<T>(c->arg[2].t),
                      th_vector<T>(c->arg[6].t), th_vector<T>(c->arg[7].t), c->arg[8].i != 0, c->arg[9].d, c->arg[10].d,
                      (double)(s.samples * s.places) };
  th_cuda_scratch part, mean, by;
  if (n == 0) return TH_OK;
  TH_TRY(by.take((size_t)s.features * 3 * sizeof(C)));
  if (j.train) {
    TH_TRY(part.take((size_t)(s.features * stretches) * 2 * sizeof(double)));
    TH_TRY(mean.take((size_t)s.features * sizeof(double)));
    const th_values<T> v = { th_first<const T>(x), th_view_of(x) };
    TH_TRY(th_sum_by_feature(part.as<double>(), v, s));
    TH_LAUNCH((means), th_blocks(s.features), THREADS, 0, mean.as<double>(), part.as<const double>(), s.features, stretches,
              j.count);
    const squares<T> q = { th_first<const T>(x), th_view_of(x), mean.as<const double>() };
    TH_TRY(th_sum_by_feature(part.as<double>(), q, s));
  }
  TH_LAUNCH((prepare<T>), th_blocks(s.features), THREADS, 0, by.as<C>(), j, mean.as<const double>(), part.as<const double>(),
            s.features, stretches);
  TH_LAUNCH((normalise<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), th_first<const T>(x), th_view_of(x),
            by.as<const C>(), s, n);
  return th_launched();
}

/* ---- backward ---- */

template <class T> struct backward_of {
  th_vector<T> weight, mean, invstd, grad_weight, grad_bias;
  bool train;
  double scale, count;
};

template <class T>
static __global__ void prepare_grad(typename element<T>::C *to, backward_of<T> j, const double *part, int64_t features,
                                    int64_t stretches)
{
  typedef typename element<T>::C C;
  for (TH_EACH(f, features)) {
    const double inv = j.invstd.get(f, 1);
    double slope, product;
    th_join_stretches(part, f, stretches, &slope, &product);
    j.grad_weight.put(f, j.grad_weight.get(f, 0) + j.scale * product * inv);
    j.grad_bias.put(f, j.grad_bias.get(f, 0) + j.scale * slope);
    to[4 * f] = (C)(inv * j.weight.get(f, 1));
    to[4 * f + 1] = (C)(j.train ? product * inv * inv / j.count : 0);
    to[4 * f + 2] = (C)(j.train ? slope / j.count : 0);
    to[4 * f + 3] = (C)j.mean.get(f, 0);
  }
}

template <class T>
static __global__ void differentiate(T *gx, view vgx, const T *x, view vx, const T *g, view vg, const typename element<T>::C *by,
                                     th_features s, int64_t n)
{
  typedef element<T> E;
  for (TH_EACH(i, n)) {
    const typename E::C *k = by + 4 * (i / s.places % s.features);
    gx[vgx.at(i)] = E::store((E::load(g[vg.at(i)]) - k[2] - (E::load(x[vx.at(i)]) - k[3]) * k[1]) * k[0]);
  }
}

template <class T> static th_status batchnorm_grad(const th_call *c)
{
  typedef typename element<T>::C C;
  const th_tensor *gx = c->arg[0].t, *x = c->arg[1].t, *g = c->arg[2].t;
  const th_features s = features_of(x);
  const int64_t n = th_numel(x), stretches = th_stretches(s);
  const backward_of<T> j = { th_vector<T>(c->arg[3].t), th_vector<T>(c->arg[4].t), th_vector<T>(c->arg[5].t),
                             th_vector<T>(c->arg[6].t), th_vector<T>(c->arg[7].t), c->arg[8].i != 0, c->arg[9].d,
                             (double)(s.samples * s.places) };
  th_cuda_scratch part, by;
  if (n == 0) return TH_OK;
  TH_TRY(part.take((size_t)(s.features * stretches) * 2 * sizeof(double)));
  TH_TRY(by.take((size_t)s.features * 4 * sizeof(C)));
  const gradients<T> f = { th_first<const T>(x), th_first<const T>(g), th_view_of(x), th_view_of(g), th_vector<T>(c->arg[4].t) };
  TH_TRY(th_sum_by_feature(part.as<double>(), f, s));
  TH_LAUNCH((prepare_grad<T>), th_blocks(s.features), THREADS, 0, by.as<C>(), j, part.as<const double>(), s.features, stretches);
  TH_LAUNCH((differentiate<T>), th_blocks(n), THREADS, 0, th_first<T>(gx), th_view_of(gx), th_first<const T>(x), th_view_of(x),
            th_first<const T>(g), th_view_of(g), by.as<const C>(), s, n);
  return th_launched();
}

}  // namespace

TH_KERNELS(batchnorm, TH_CUDA_FLOATS(batchnorm))
TH_KERNELS(batchnorm_grad, TH_CUDA_FLOATS(batchnorm_grad))
