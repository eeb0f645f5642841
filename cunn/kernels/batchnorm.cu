// batchnorm.cu - batch normalisation and its gradient, also with a ReLU behind it. Two sums of each
// feature are found in one pass: those of halves at first in float, all others in double. A second
// pass computes the results. Elements of a feature that lie side by side are taken N at a time. N
// depends on sizes alone. Views with gaps, or at other addresses than multiples of 16 bytes, are
// copied before, as for cuDNN.
#include "../libraries/cudnn.cuh"
#include "../../lib/op/batchnorm.args.h"
#include "normalise.cuh"
#include "held.cuh"

namespace {

static th_features features_of(const th_tensor *x)
{
  th_features s = { x->size[0], x->size[1], 1 };
  for (int d = 2; d < x->ndim; d++) s.places *= x->size[d];
  return s;
}

/* ---- numbers of features ---- */

/* Four numbers of each feature, which one or two loads give. */
template <class C> struct alignas(16) numbers_of { C by, add, less, back; };

/* The feature of an element, whose place is known. */
struct narrow_feature {
  typedef uint32_t index;
  uint32_t features, places_times, features_times;
  uint8_t places_shift, features_shift;
  explicit narrow_feature(const th_features &s) : features((uint32_t)s.features)
  {
    th_divisor(s.places, &places_times, &places_shift);
    th_divisor(s.features, &features_times, &features_shift);
  }
  __device__ uint32_t of(uint32_t i) const
  {
    const uint32_t plane = th_divide(i, places_times, places_shift);
    return plane - th_divide(plane, features_times, features_shift) * features;
  }
};
struct wide_feature {
  typedef int64_t index;
  int64_t features, places;
  explicit wide_feature(const th_features &s) : features(s.features), places(s.places) {}
  __device__ int64_t of(int64_t i) const { return i / places % features; }
};

/* body(i, f): template <int N>, for the elements i to i + N - 1 of feature f. */
template <int N, class F, class Body>
static __global__ void __launch_bounds__(THREADS) each_row(Body body, F feature, int64_t n)
{
  for (TH_EACH(k, n / N)) {
    const typename F::index i = (typename F::index)k * N;
    body.template at<N>((int64_t)i, (int64_t)feature.of(i));
  }
}
template <int N, class Body> static th_status for_each_row(const Body &body, const th_features &s)
{
  const int64_t n = s.samples * s.features * s.places;
  if constexpr (N > 4) if (s.places % N) return for_each_row<4>(body, s);
  if constexpr (N > 1) if (s.places % N) return for_each_row<1>(body, s);
  const unsigned blocks = th_blocks(n / N);
  if (n <= INT32_MAX) {
    TH_LAUNCH((each_row<N, narrow_feature, Body>), blocks, THREADS, 0, body, narrow_feature(s), n);
  } else {
    TH_LAUNCH((each_row<N, wide_feature, Body>), blocks, THREADS, 0, body, wide_feature(s), n);
  }
  return th_launched();
}

/* ---- forward ---- */

/* The sums of the differences from the first element of a feature, and of their squares. */
template <class T> struct deviations {
  const T *x;
  int64_t places;
  template <int N> __device__ void take(double *a, double *b, int64_t i, int64_t f, int64_t) const
  {
    typedef th_part<T> P;
    typename element<T>::C v[N];
    const P first = (P)element<T>::load(x[f * places]);
    P sum = 0, squares = 0;
    th_load_row<T, N>(v, x + i);
    for (int k = 0; k < N; k++) {
      const P d = (P)v[k] - first;
      sum += d;
      squares += d * d;
    }
    *a += (double)sum;
    *b += (double)squares;
  }
};

template <class T, class V> struct forward_of {
  typedef typename element<T>::C C;
  T *y;
  const T *x;
  numbers_of<C> *to;
  th_vector<V> weight, bias, mean, invstd, running_mean, running_var;
  bool train, relu;
  double momentum, eps, count;
  int64_t places;

  /* The numbers of a feature from the sums of its deviations. */
  __device__ void put(int64_t f, double sum, double squares) const
  {
    double centre = running_mean.get(f, 0), var = running_var.get(f, 1);
    if (train) {
      const double m = momentum, off = sum / count;
      double spread = squares - sum * off;
      if (spread < 0) spread = 0;            /* by rounding */
      running_mean.put(f, m * ((double)element<T>::load(x[f * places]) + off) + (1 - m) * centre);
      running_var.put(f, m * (spread / (count > 1 ? count - 1 : 1)) +
                      (1 - m) * running_var.get(f, 0));
      centre = (double)element<T>::load(x[f * places]) + off;
      var = spread / count;
    }
    const double inv = 1 / sqrt(var + eps);
    mean.put(f, centre);
    invstd.put(f, inv);
    to[f] = { (C)(inv * weight.get(f, 1)), (C)bias.get(f, 0), (C)centre, 0 };
  }
  template <int N> __device__ void at(int64_t i, int64_t f) const
  {
    const numbers_of<C> k = to[f];
    C v[N];
    th_load_row<T, N>(v, x + i);
    for (int e = 0; e < N; e++) {
      v[e] = (v[e] - k.less) * k.by + k.add;
      if (relu && v[e] <= 0) v[e] = 0;
    }
    th_store_row<T, N>(y + i, v);
  }
};
template <class T, class V>
static __global__ void use_running(forward_of<T, V> j, int64_t features)
{
  for (TH_EACH(f, features)) j.put(f, 0, 0);
}

template <class T, class V> static th_status own_norm(const th_call *c)
{
  const batchnorm_args *a = batchnorm_args_of(c);
  typedef typename element<T>::C C;
  const th_features s = features_of(a->x);
  th_cuda_scratch numbers;
  dnn::packed from, to;
  if (th_numel(a->x) == 0) return TH_OK;
  TH_TRY(from.take(a->x, true));
  TH_TRY(to.take(a->y, false));
  TH_TRY(numbers.take((size_t)s.features * sizeof(numbers_of<C>)));
  const T *x = static_cast<const T *>(from.data());
  T *y = static_cast<T *>(to.data());
  const forward_of<T, V> j = { y, x, numbers.as<numbers_of<C>>(), th_vector<V>(a->weight),
                               th_vector<V>(a->bias), th_vector<V>(a->mean),
                               th_vector<V>(a->invstd), th_vector<V>(a->runningMean),
                               th_vector<V>(a->runningVar), a->train != 0, a->relu != 0,
                               a->momentum, a->eps, (double)(s.samples * s.places), s.places };
  if (j.train) {
    const deviations<T> f = { x, s.places };
    TH_TRY(th_give_features<TH_MOST<T>>(f, j, s));
  } else {
    TH_LAUNCH((use_running<T, V>), th_blocks(s.features), THREADS, 0, j, s.features);
  }
  TH_TRY(for_each_row<TH_MOST<T>>(j, s));
  return to.give();
}

/* ---- backward ---- */

/* With y, g counts where y is positive, and gy becomes what counts. */
template <class T, class V> struct backward_of {
  typedef typename element<T>::C C;
  T *gx, *gy;
  const T *x, *g, *y;
  numbers_of<C> *to;
  th_vector<V> weight, mean, invstd, grad_weight, grad_bias;
  bool train;
  double scale, count;

  /* The sums of the gradients, and of these times x - mean. */
  template <int N> __device__ void take(double *a, double *b, int64_t i, int64_t f, int64_t) const
  {
    typedef th_part<T> P;
    const P centre = (P)mean.get(f, 0);
    C slope[N], v[N];
    P sum = 0, product = 0;
    th_load_row<T, N>(slope, g + i);
    if (y) {
      th_load_row<T, N>(v, y + i);
      for (int k = 0; k < N; k++) if (!(v[k] > 0)) slope[k] = 0;
      th_store_row<T, N>(gy + i, slope);
    }
    th_load_row<T, N>(v, x + i);
    for (int k = 0; k < N; k++) {
      sum += (P)slope[k];
      product += (P)slope[k] * ((P)v[k] - centre);
    }
    *a += (double)sum;
    *b += (double)product;
  }
  __device__ void put(int64_t f, double slope, double product) const
  {
    const double inv = invstd.get(f, 1);
    grad_weight.put(f, grad_weight.get(f, 0) + scale * product * inv);
    grad_bias.put(f, grad_bias.get(f, 0) + scale * slope);
    to[f] = { (C)(inv * weight.get(f, 1)), (C)(train ? slope / count : 0), (C)mean.get(f, 0),
              (C)(train ? product * inv * inv / count : 0) };
  }
  template <int N> __device__ void at(int64_t i, int64_t f) const
  {
    const numbers_of<C> k = to[f];
    C slope[N], v[N];
    th_load_row<T, N>(slope, (y ? gy : g) + i);
    th_load_row<T, N>(v, x + i);
    for (int e = 0; e < N; e++) v[e] = (slope[e] - k.add - (v[e] - k.less) * k.back) * k.by;
    th_store_row<T, N>(gx + i, v);
  }
};

template <class T, class V> static th_status own_norm_grad(const th_call *c)
{
  const batchnorm_grad_args *a = batchnorm_grad_args_of(c);
  typedef typename element<T>::C C;
  const th_features s = features_of(a->x);
  th_cuda_scratch numbers;
  dnn::packed x, g, y, gx, gy;
  if (th_numel(a->x) == 0) return TH_OK;
  TH_TRY(x.take(a->x, true));
  TH_TRY(g.take(a->g, true));
  TH_TRY(gx.take(a->gx, false));
  if (a->y) {
    TH_TRY(y.take(a->y, true));
    TH_TRY(gy.take(a->gy, false));
  }
  TH_TRY(numbers.take((size_t)s.features * sizeof(numbers_of<C>)));
  const auto at = [](const dnn::packed &p, const th_tensor *t) {
    return t ? static_cast<T *>(p.data()) : nullptr;
  };
  backward_of<T, V> j = { at(gx, a->gx), at(gy, a->gy), at(x, a->x), at(g, a->g), at(y, a->y),
                          numbers.as<numbers_of<C>>(), th_vector<V>(a->weight),
                          th_vector<V>(a->mean), th_vector<V>(a->invstd),
                          th_vector<V>(a->gradWeight), th_vector<V>(a->gradBias), a->train != 0,
                          a->scale, (double)(s.samples * s.places) };
  TH_TRY(th_give_features<TH_MOST<T>>(j, j, s));
  TH_TRY(for_each_row<TH_MOST<T>>(j, s));
  if (a->gy) TH_TRY(gy.give());
  return gx.give();
}

/* ---- by cuDNN, without ReLU: parameters are floats, or doubles, without gaps ---- */

/* Vectors of one number a feature: those that are there, or what stands for them. */
template <class V> struct vectors { th_vector<V> v[4]; double absent[4]; };
template <class V, class P> static __global__ void gather(P *to, vectors<V> from, int64_t features)
{
  for (TH_EACH(i, 4 * features)) to[i] = (P)from.v[i / features].get(i % features, from.absent[i / features]);
}
template <class V, class P> static __global__ void scatter(vectors<V> to, const P *from,
                                                           int64_t features)
{
  for (TH_EACH(i, 4 * features)) to.v[i / features].put(i % features, (double)from[i]);
}
template <class V, class P> static __global__ void keep_fixed(vectors<V> to, const P *from,
    int64_t features, double eps)
{
  for (TH_EACH(f, features)) {
    to.v[0].put(f, (double)from[2 * features + f]);
    to.v[1].put(f, 1 / sqrt((double)from[3 * features + f] + eps));
  }
}
/* The gradients of weight and bias are added, times scale. */
template <class V, class P> static __global__ void add_scaled(vectors<V> to, const P *from,
    int64_t features, double scale)
{
  for (TH_EACH(i, 2 * features)) {
    const th_vector<V> &v = to.v[i / features];
    v.put(i % features, v.get(i % features, 0) + scale * (double)from[i]);
  }
}

/* Images have planes, and lines of numbers none. */
static int mode_of(const th_tensor *x) { return x->ndim == 2 ? dnn::BY_ACTIVATION : dnn::BY_PLANE; }

template <class T, class V> static th_status cudnn_norm(const th_call *c)
{
  const batchnorm_args *a = batchnorm_args_of(c);
  typedef typename element<T>::C P;
  const th_tensor *tx = a->x;
  const int64_t n = tx->size[1];
  const int mode = mode_of(tx);
  const double eps = a->eps;
  const bool train = a->train != 0;
  const dnn::factors f(1, sizeof(P) == 8);
  const th_vector<V> none(nullptr), rm(a->runningMean), rv(a->runningVar), mean(a->mean),
      invstd(a->invstd);
  const vectors<V> in = { { th_vector<V>(a->weight), th_vector<V>(a->bias), rm, rv },
                         { 1, 0, 0, 1 } };
  const vectors<V> out = { { rm, rv, mean, invstd }, {} }, fixed =
      { { mean, invstd, none, none }, {} };
  th_cuda_scratch room;
  dnn::tensor x, p;
  dnn::packed from, to;
  TH_TRY(from.take(tx, true));
  TH_TRY(to.take(a->y, false));
  TH_TRY(room.take((size_t)(6 * n) * sizeof(P)));
  P *const v = room.as<P>(), *const bias = v + n, *const running = bias + n, *const saved = running + 2 * n;
  TH_LAUNCH((gather<V, P>), th_blocks(4 * n), THREADS, 0, v, in, n);
  dnn::handle h;
  TH_TRY(h.take());
  TH_TRY(x.make_like(tx, false));
  TH_TRY(p.make(sizeof(P) == 8 ? dnn::DOUBLE : dnn::FLOAT, 1, n, 1, 1));
  if (train) {
    TH_DNN_TRY(norm, h, mode, f.at(dnn::ONCE), f.at(dnn::NOTHING), x, from.data(), x, to.data(), p, v, bias, a->momentum, running,
               running + n, eps, saved, saved + n);
    TH_LAUNCH((scatter<V, P>), th_blocks(4 * n), THREADS, 0, out, running, n);
  } else {
    TH_DNN_TRY(norm_fixed, h, mode, f.at(dnn::ONCE), f.at(dnn::NOTHING), x, from.data(), x, to.data(), p, v, bias, running,
               running + n, eps);
    TH_LAUNCH((keep_fixed<V, P>), th_blocks(n), THREADS, 0, fixed, v, n, eps);
  }
  TH_TRY(th_launched());
  return to.give();
}

template <class T, class V> static th_status cudnn_norm_grad(const th_call *c)
{
  const batchnorm_grad_args *a = batchnorm_grad_args_of(c);
  typedef typename element<T>::C P;
  const th_tensor *tx = a->x;
  const int64_t n = tx->size[1];
  const dnn::factors f(1, sizeof(P) == 8);
  const th_vector<V> none(nullptr);
  const th_vector<V> weight(a->weight), m(a->mean), inv(a->invstd);
  const vectors<V> in = { { weight, m, inv, none }, { 1, 0, 1, 0 } };
  const vectors<V> out = { { th_vector<V>(a->gradWeight), th_vector<V>(a->gradBias), none, none },
                          {} };
  th_cuda_scratch room;
  dnn::tensor x, p;
  dnn::packed from, g, to;
  TH_TRY(from.take(tx, true));
  TH_TRY(g.take(a->g, true));
  TH_TRY(to.take(a->gx, false));
  TH_TRY(room.take((size_t)(6 * n) * sizeof(P)));
  P *const v = room.as<P>(), *const mean = v + n, *const invstd = mean + n, *const sums = invstd + 2 * n;
  TH_LAUNCH((gather<V, P>), th_blocks(4 * n), THREADS, 0, v, in, n);
  dnn::handle h;
  TH_TRY(h.take());
  TH_TRY(x.make_like(tx, false));
  TH_TRY(p.make(sizeof(P) == 8 ? dnn::DOUBLE : dnn::FLOAT, 1, n, 1, 1));
  TH_DNN_TRY(norm_back, h, mode_of(tx), f.at(dnn::ONCE), f.at(dnn::NOTHING), f.at(dnn::ONCE), f.at(dnn::NOTHING), x, from.data(),
             x, g.data(), x, to.data(), p, v, sums, sums + n, 1e-5, mean, invstd);
  TH_LAUNCH((add_scaled<V, P>), th_blocks(2 * n), THREADS, 0, out, sums, n, a->scale);
  TH_TRY(th_launched());
  return to.give();
}

/* A batch of one number has no variance without bias, and the gradient with fixed ones is a product that cuDNN has not. */
static dnn::work norm_of(const th_call *c, const th_tensor *x, bool back, th_kernel own, th_kernel theirs)
{
  const batchnorm_args *a = batchnorm_args_of(c);
  const batchnorm_grad_args *b = batchnorm_grad_args_of(c);
  const th_features s = features_of(x);
  const bool train = (back ? b->train : a->train) != 0;
  const bool sizes = th_numel(x) > 0 && th_numel(x) < INT32_MAX;
  const double eps = back ? 0 : a->eps, momentum = back || !train ? 0 : a->momentum;
  const bool numbers = eps >= 0 && eps < 1 && momentum >= 0 && momentum <= 1;
  /* no ReLU, and not in place */
  const bool alone = back ? !b->y && b->gx->storage != b->g->storage : !a->relu;
  const bool can = sizes && numbers && alone && (train ? s.samples * s.places > 1 : !back);
  const int kind = back ? TH_TUNE_NORM_GRAD : train ? TH_TUNE_NORM : TH_TUNE_NORM_FIXED;
  dnn::work job = { dnn::key_of(c, kind, { s.samples, s.features, s.places, x->ndim == 2 }), can,
                    train && s.places > 1 && x->dtype != TH_F64, own, theirs,
                    { batchnorm_y, batchnorm_mean, batchnorm_invstd, batchnorm_runningMean, batchnorm_runningVar, -1 } };
  if (!back) return job;
  job.written[0] = batchnorm_grad_gx, job.written[1] = batchnorm_grad_gradWeight, job.written[2] = batchnorm_grad_gradBias;
  job.written[3] = -1;
  return job;
}
template <class T, class V> static th_status compute(const th_call *c)
{
  return dnn::compute(c, norm_of(c, batchnorm_args_of(c)->x, false, own_norm<T, V>,
                                 cudnn_norm<T, V>));
}
template <class T, class V> static th_status compute_grad(const th_call *c)
{
  return dnn::compute(c, norm_of(c, batchnorm_grad_args_of(c)->x, true, own_norm_grad<T, V>,
                                 cudnn_norm_grad<T, V>));
}
template <class T> static th_status batchnorm(const th_call *c)
{
  const bool floats = batchnorm_args_of(c)->mean->dtype == TH_F32;
  if constexpr (sizeof(T) == 2) if (floats) return compute<T, float>(c);
  return compute<T, T>(c);
}
template <class T> static th_status batchnorm_grad(const th_call *c)
{
  const bool floats = batchnorm_grad_args_of(c)->mean->dtype == TH_F32;
  if constexpr (sizeof(T) == 2) if (floats) return compute_grad<T, float>(c);
  return compute_grad<T, T>(c);
}

}  // namespace

TH_KERNELS(batchnorm, TH_CUDA_FLOATS(batchnorm))
TH_KERNELS(batchnorm_grad, TH_CUDA_FLOATS(batchnorm_grad))
