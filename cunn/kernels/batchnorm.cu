// batchnorm.cu - batch normalisation and its gradient: sums in double, the variance in a second pass around the mean.
#include "../libraries/cudnn.cuh"
#include "../../lib/op/batchnorm.args.h"
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

template <class T> static th_status own_norm(const th_call *c)
{
  const batchnorm_args *a = batchnorm_args_of(c);
  typedef typename element<T>::C C;
  const th_tensor *y = a->y, *x = a->x;
  const th_features s = features_of(x);
  const int64_t n = th_numel(x), stretches = th_stretches(s);
  forward_of<T> j = { th_vector<T>(a->weight), th_vector<T>(a->bias), th_vector<T>(a->mean), th_vector<T>(a->invstd),
                      th_vector<T>(a->runningMean), th_vector<T>(a->runningVar), a->train != 0, a->momentum, a->eps,
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

template <class T> static th_status own_norm_grad(const th_call *c)
{
  const batchnorm_grad_args *a = batchnorm_grad_args_of(c);
  typedef typename element<T>::C C;
  const th_tensor *gx = a->gx, *x = a->x, *g = a->g;
  const th_features s = features_of(x);
  const int64_t n = th_numel(x), stretches = th_stretches(s);
  const backward_of<T> j = { th_vector<T>(a->weight), th_vector<T>(a->mean), th_vector<T>(a->invstd),
                             th_vector<T>(a->gradWeight), th_vector<T>(a->gradBias), a->train != 0, a->scale,
                             (double)(s.samples * s.places) };
  th_cuda_scratch part, by;
  if (n == 0) return TH_OK;
  TH_TRY(part.take((size_t)(s.features * stretches) * 2 * sizeof(double)));
  TH_TRY(by.take((size_t)s.features * 4 * sizeof(C)));
  const gradients<T> f = { th_first<const T>(x), th_first<const T>(g), th_view_of(x), th_view_of(g), th_vector<T>(a->mean) };
  TH_TRY(th_sum_by_feature(part.as<double>(), f, s));
  TH_LAUNCH((prepare_grad<T>), th_blocks(s.features), THREADS, 0, by.as<C>(), j, part.as<const double>(), s.features, stretches);
  TH_LAUNCH((differentiate<T>), th_blocks(n), THREADS, 0, th_first<T>(gx), th_view_of(gx), th_first<const T>(x), th_view_of(x),
            th_first<const T>(g), th_view_of(g), by.as<const C>(), s, n);
  return th_launched();
}

/* ---- by cuDNN, which has the parameters as floats, or doubles, without gaps ---- */

/* Vectors of one number a feature: those that are there, or what stands for them. */
template <class T> struct vectors { th_vector<T> v[4]; double absent[4]; };
template <class T, class P> static __global__ void gather(P *to, vectors<T> from, int64_t features)
{
  for (TH_EACH(i, 4 * features)) to[i] = (P)from.v[i / features].get(i % features, from.absent[i / features]);
}
template <class T, class P> static __global__ void scatter(vectors<T> to, const P *from, int64_t features)
{
  for (TH_EACH(i, 4 * features)) to.v[i / features].put(i % features, (double)from[i]);
}
template <class T, class P> static __global__ void keep_fixed(vectors<T> to, const P *from, int64_t features, double eps)
{
  for (TH_EACH(f, features)) {
    to.v[0].put(f, (double)from[2 * features + f]);
    to.v[1].put(f, 1 / sqrt((double)from[3 * features + f] + eps));
  }
}
/* The gradients of weight and bias are added, times scale. */
template <class T, class P> static __global__ void add_scaled(vectors<T> to, const P *from, int64_t features, double scale)
{
  for (TH_EACH(i, 2 * features)) {
    const th_vector<T> &v = to.v[i / features];
    v.put(i % features, v.get(i % features, 0) + scale * (double)from[i]);
  }
}

/* Images have planes, and lines of numbers none. */
static int mode_of(const th_tensor *x) { return x->ndim == 2 ? dnn::BY_ACTIVATION : dnn::BY_PLANE; }

template <class T> static th_status cudnn_norm(const th_call *c)
{
  const batchnorm_args *a = batchnorm_args_of(c);
  typedef typename element<T>::C P;
  const th_tensor *tx = a->x;
  const int64_t n = tx->size[1];
  const int mode = mode_of(tx);
  const double eps = a->eps;
  const bool train = a->train != 0;
  const dnn::factors f(1, sizeof(P) == 8);
  const th_vector<T> none(nullptr), rm(a->runningMean), rv(a->runningVar), mean(a->mean), invstd(a->invstd);
  const vectors<T> in = { { th_vector<T>(a->weight), th_vector<T>(a->bias), rm, rv }, { 1, 0, 0, 1 } };
  const vectors<T> out = { { rm, rv, mean, invstd }, {} }, fixed = { { mean, invstd, none, none }, {} };
  th_cuda_scratch room;
  dnn::tensor x, p;
  dnn::packed from, to;
  TH_TRY(from.take(tx, true));
  TH_TRY(to.take(a->y, false));
  TH_TRY(room.take((size_t)(6 * n) * sizeof(P)));
  P *const v = room.as<P>(), *const bias = v + n, *const running = bias + n, *const saved = running + 2 * n;
  TH_LAUNCH((gather<T, P>), th_blocks(4 * n), THREADS, 0, v, in, n);
  dnn::handle h;
  TH_TRY(h.take());
  TH_TRY(x.make_like(tx, false));
  TH_TRY(p.make(sizeof(P) == 8 ? dnn::DOUBLE : dnn::FLOAT, 1, n, 1, 1));
  if (train) {
    TH_DNN_TRY(norm, h, mode, f.at(dnn::ONCE), f.at(dnn::NOTHING), x, from.data(), x, to.data(), p, v, bias, a->momentum, running,
               running + n, eps, saved, saved + n);
    TH_LAUNCH((scatter<T, P>), th_blocks(4 * n), THREADS, 0, out, running, n);
  } else {
    TH_DNN_TRY(norm_fixed, h, mode, f.at(dnn::ONCE), f.at(dnn::NOTHING), x, from.data(), x, to.data(), p, v, bias, running,
               running + n, eps);
    TH_LAUNCH((keep_fixed<T, P>), th_blocks(n), THREADS, 0, fixed, v, n, eps);
  }
  TH_TRY(th_launched());
  return to.give();
}

template <class T> static th_status cudnn_norm_grad(const th_call *c)
{
  const batchnorm_grad_args *a = batchnorm_grad_args_of(c);
  typedef typename element<T>::C P;
  const th_tensor *tx = a->x;
  const int64_t n = tx->size[1];
  const dnn::factors f(1, sizeof(P) == 8);
  const th_vector<T> none(nullptr);
  const th_vector<T> weight(a->weight), m(a->mean), inv(a->invstd);
  const vectors<T> in = { { weight, m, inv, none }, { 1, 0, 1, 0 } };
  const vectors<T> out = { { th_vector<T>(a->gradWeight), th_vector<T>(a->gradBias), none, none }, {} };
  th_cuda_scratch room;
  dnn::tensor x, p;
  dnn::packed from, g, to;
  TH_TRY(from.take(tx, true));
  TH_TRY(g.take(a->g, true));
  TH_TRY(to.take(a->gx, false));
  TH_TRY(room.take((size_t)(6 * n) * sizeof(P)));
  P *const v = room.as<P>(), *const mean = v + n, *const invstd = mean + n, *const sums = invstd + 2 * n;
  TH_LAUNCH((gather<T, P>), th_blocks(4 * n), THREADS, 0, v, in, n);
  dnn::handle h;
  TH_TRY(h.take());
  TH_TRY(x.make_like(tx, false));
  TH_TRY(p.make(sizeof(P) == 8 ? dnn::DOUBLE : dnn::FLOAT, 1, n, 1, 1));
  TH_DNN_TRY(norm_back, h, mode_of(tx), f.at(dnn::ONCE), f.at(dnn::NOTHING), f.at(dnn::ONCE), f.at(dnn::NOTHING), x, from.data(),
             x, g.data(), x, to.data(), p, v, sums, sums + n, 1e-5, mean, invstd);
  TH_LAUNCH((add_scaled<T, P>), th_blocks(2 * n), THREADS, 0, out, sums, n, a->scale);
  TH_TRY(th_launched());
  return to.give();
}

/* A batch of one number has no variance without bias, and the gradient with fixed ones is a product that cuDNN has not. */
static dnn::work norm_of(const th_call *c, const th_tensor *x, bool back, th_kernel own, th_kernel theirs)
{
  const batchnorm_args *a = batchnorm_args_of(c);
  const th_features s = features_of(x);
  const bool train = (back ? batchnorm_grad_args_of(c)->train : a->train) != 0;
  const bool sizes = th_numel(x) > 0 && th_numel(x) < INT32_MAX;
  const double eps = back ? 0 : a->eps, momentum = back || !train ? 0 : a->momentum;
  const bool can = sizes && (train ? s.samples * s.places > 1 : !back) && eps >= 0 && eps < 1 && momentum >= 0 && momentum <= 1;
  const int kind = back ? TH_TUNE_NORM_GRAD : train ? TH_TUNE_NORM : TH_TUNE_NORM_FIXED;
  dnn::work job = { dnn::key_of(c, kind, { s.samples, s.features, s.places, x->ndim == 2 }), can,
                    train && s.places > 1 && x->dtype != TH_F64, own, theirs,
                    { batchnorm_y, batchnorm_mean, batchnorm_invstd, batchnorm_runningMean, batchnorm_runningVar, -1 } };
  if (!back) return job;
  job.written[0] = batchnorm_grad_gx, job.written[1] = batchnorm_grad_gradWeight, job.written[2] = batchnorm_grad_gradBias;
  job.written[3] = -1;
  return job;
}
template <class T> static th_status batchnorm(const th_call *c)
{
  return dnn::compute(c, norm_of(c, batchnorm_args_of(c)->x, false, own_norm<T>, cudnn_norm<T>));
}
template <class T> static th_status batchnorm_grad(const th_call *c)
{
  return dnn::compute(c, norm_of(c, batchnorm_grad_args_of(c)->x, true, own_norm_grad<T>, cudnn_norm_grad<T>));
}

}  // namespace

TH_KERNELS(batchnorm, TH_CUDA_FLOATS(batchnorm))
TH_KERNELS(batchnorm_grad, TH_CUDA_FLOATS(batchnorm_grad))
