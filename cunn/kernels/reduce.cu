// reduce.cu - sums, products, means, variances and norms: of everything, or of each line along a dimension.
//
// Floats are summed in double, whole numbers in 64 bits. How work is cut depends on sizes only, so bits are the same on
// every run and every device.
#include "fold_lines.cuh"
#include "../../lib/op/reduce.args.h"

enum fold { SUM, PROD, COUNT, ABS, SQUARE, POWER, LARGEST, SPREAD };

template <class T> using acc = typename element<T>::A;

template <class A> TH_DEVICE_FN A none(fold f) { return f == PROD ? (A)1 : (A)0; }
/* m is the exponent, or the mean. */
template <class A> TH_DEVICE_FN A take(fold f, A a, A v, double m)
{
  switch (f) {
    case PROD:    return a * v;
    case COUNT:   return a + (A)(v != 0);
    case ABS:     return a + (v < 0 ? -v : v);
    case SQUARE:  return a + v * v;
    case POWER:   return a + (A)pow(fabs((double)v), m);
    case LARGEST: { const A b = v < 0 ? -v : v; return b > a || v != v ? b : a; }
    case SPREAD:  return a + (A)(((double)v - m) * ((double)v - m));
    default:      return a + v;
  }
}
template <class A> TH_DEVICE_FN A join(fold f, A a, A b)
{
  if (f == LARGEST) return b > a || b != b ? b : a;
  return f == PROD ? a * b : a + b;
}

/* What a line's fold becomes. */
struct finish { double divisor, p; bool root; };
TH_DEVICE_FN double finished(finish e, double v)
{
  if (!e.root) return v / e.divisor;
  if (e.p == 2) return sqrt(v / e.divisor);
  return e.p == 0 || e.p == 1 || isinf(e.p) ? v / e.divisor : pow(v / e.divisor, 1 / e.p);
}
template <class T> TH_DEVICE_FN T result(finish e, acc<T> v)
{
  if constexpr (element<T>::is_int) return element<T>::store(e.divisor == 1 ? v : v / (acc<T>)e.divisor);
  else return element<T>::store(finished(e, v));
}

/* The fold of lines; PLAIN: a sum. mean: for each line what is subtracted, or nothing. */
template <class T, bool PLAIN> struct line_fold {
  fold f;
  double m;
  const double *mean;
  finish e;
  T *y;
  view vy;
  typedef acc<T> A;
  typedef double S;
  static constexpr int AT_ONCE = PLAIN ? 8 : 1;
  __host__ __device__ A none() const { return ::none<A>(f); }
  __device__ S begin(int64_t k) const { return mean ? mean[k] : m; }
  __device__ A take(A a, T v, S s, int64_t) const
  {
    const A w = (A)element<T>::load(v);
    return PLAIN ? a + w : ::take(f, a, w, s);
  }
  __device__ A join(A a, A b) const { return PLAIN ? a + b : ::join(f, a, b); }
  __device__ void put(int64_t k, A total) const { y[vy.at(k)] = result<T>(e, total); }
};

/* The mean of each line, as a double. */
template <class T> struct line_mean {
  double *mean, n;
  typedef double A;
  typedef int S;
  static constexpr int AT_ONCE = 8;
  __host__ __device__ A none() const { return 0; }
  __device__ S begin(int64_t) const { return 0; }
  __device__ A take(A a, T v, S, int64_t) const { return a + (double)element<T>::load(v); }
  __device__ A join(A a, A b) const { return a + b; }
  __device__ void put(int64_t k, A total) const { mean[k] = total / n; }
};

template <class T> static th_status along(const th_call *c, int dim, fold f, double m, finish e)
{
  const sum_args *a = sum_args_of(c);
  const th_tensor *x = a->x;
  const T *p = th_first<const T>(x);
  const th_tensor y = th_cuda_with_dim(a->y, dim, x->ndim);
  const lines l = th_cuda_lines(x, dim);
  const view vy = th_cuda_lines(&y, dim).outer;
  th_cuda_scratch means;
  if (l.count == 0) return TH_OK;
  if (f == SUM) return th_fold_lines(p, l, line_fold<T, true>{ f, m, nullptr, e, th_first<T>(&y), vy });
  if (f == SPREAD) {
    TH_TRY(means.take((size_t)l.count * sizeof(double)));
    TH_TRY(th_fold_lines(p, l, line_mean<T>{ means.as<double>(), (double)l.n }));
  }
  return th_fold_lines(p, l, line_fold<T, false>{ f, m, means.as<const double>(), e, th_first<T>(&y), vy });
}

/* ---- everything ---- */

namespace {

template <class T> struct source {
  fold f;
  const T *x, *z;                            /* z: what is subtracted, or nothing */
  view vx, vz;
  double m;
  typedef acc<T> A;
  static constexpr int AT_ONCE = 1;
  __host__ __device__ A none() const { return ::none<A>(f); }
  __device__ A take(A a, int64_t i) const
  {
    A v = (A)element<T>::load(x[vx.at(i)]);
    if (z) v -= (A)element<T>::load(z[vz.at(i)]);
    return ::take(f, a, v, m);
  }
  __device__ A join(A a, A b) const { return ::join(f, a, b); }
};

/* A sum. Its order is that of contiguous elements for all layouts. */
template <class T, bool CONTIGUOUS> struct plain_source {
  const T *x;
  view v;
  typedef acc<T> A;
  static constexpr int AT_ONCE = 8;
  __host__ __device__ A none() const { return 0; }
  __device__ A take(A a, int64_t i) const { return a + (A)element<T>::load(x[CONTIGUOUS ? i : v.at(i)]); }
  __device__ A join(A a, A b) const { return a + b; }
};

}  // namespace

template <class T> static th_status everything(acc<T> *total, const th_tensor *x, const th_tensor *z, fold f, double m)
{
  const source<T> s = { f, th_first<const T>(x), z ? th_first<const T>(z) : nullptr, th_view_of(x), th_view_of(z ? z : x), m };
  if (f != SUM || z) return th_fold(total, s, th_numel(x));
  if (th_contiguous(x)) return th_fold(total, plain_source<T, true>{ s.x, s.vx }, th_numel(x));
  return th_fold(total, plain_source<T, false>{ s.x, s.vx }, th_numel(x));
}

static fold fold_of_norm(double p) { return p == 0 ? COUNT : p == 1 ? ABS : p == 2 ? SQUARE : isinf(p) ? LARGEST : POWER; }
static int64_t line_of(const th_tensor *x, int64_t dim) { return x->ndim ? x->size[dim] : 1; }

/* ---- kernels ---- */

template <class T> static th_status sum_all(const th_call *c)
{
  acc<T> v;
  TH_TRY(everything<T>(&v, sum_all_args_of(c)->x, nullptr, SUM, 0));
  th_give(c, (double)v);
  return TH_OK;
}
template <class T> static th_status prod_all(const th_call *c)
{
  acc<T> v;
  TH_TRY(everything<T>(&v, prod_all_args_of(c)->x, nullptr, PROD, 0));
  th_give(c, (double)v);
  return TH_OK;
}
template <class T> static th_status sum(const th_call *c)
{
  return along<T>(c, (int)sum_args_of(c)->dim, SUM, 0, { 1, 0, false });
}
template <class T> static th_status prod(const th_call *c)
{
  return along<T>(c, (int)sum_args_of(c)->dim, PROD, 0, { 1, 0, false });
}
TH_KERNELS(sum_all, TH_CUDA_ALL(sum_all))
TH_KERNELS(prod_all, TH_CUDA_ALL(prod_all))
TH_KERNELS(sum, TH_CUDA_ALL(sum))
TH_KERNELS(prod, TH_CUDA_ALL(prod))

template <class T> static th_status mean_all(const th_call *c)
{
  const mean_all_args *args = mean_all_args_of(c);
  acc<T> v;
  TH_TRY(everything<T>(&v, args->x, nullptr, SUM, 0));
  th_give(c, (double)(v / (acc<T>)th_numel(args->x)));       /* a quotient of whole numbers is cut off, as in cutorch */
  return TH_OK;
}
template <class T> static th_status mean(const th_call *c)
{
  const sum_args *a = sum_args_of(c);
  return along<T>(c, (int)a->dim, SUM, 0, { (double)line_of(a->x, a->dim), 0, false });
}
template <class T> static th_status variance(const th_call *c, double *v)
{
  const var_all_args *a = var_all_args_of(c);
  const th_tensor *x = a->x;
  const double n = (double)th_numel(x);
  double sum;
  TH_TRY(everything<T>(&sum, x, nullptr, SUM, 0));
  TH_TRY(everything<T>(v, x, nullptr, SPREAD, sum / n));
  *v /= a->biased ? n : n - 1;
  return TH_OK;
}
template <class T> static th_status var_all(const th_call *c)
{
  double v;
  TH_TRY(variance<T>(c, &v));
  th_give(c, v);
  return TH_OK;
}
template <class T> static th_status std_all(const th_call *c)
{
  double v;
  TH_TRY(variance<T>(c, &v));
  th_give(c, sqrt(v));
  return TH_OK;
}
template <class T> static th_status variances(const th_call *c, bool root)
{
  const var_args *a = var_args_of(c);
  const double n = (double)line_of(a->x, a->dim);
  return along<T>(c, (int)a->dim, SPREAD, 0, { a->biased ? n : n - 1, 2, root });
}
template <class T> static th_status var(const th_call *c) { return variances<T>(c, false); }
template <class T> static th_status std_(const th_call *c) { return variances<T>(c, true); }
template <class T> static th_status norm(const th_call *c)
{
  const norm_args *a = norm_args_of(c);
  const double p = a->p;
  return along<T>(c, (int)a->dim, fold_of_norm(p), p, { 1, p, true });
}

static __global__ void finish_one(double *to, finish e, double v) { *to = finished(e, v); }

/* The root that makes a norm of a sum v. The device computes powers, as for the norms of lines:
 * those of the host differ in the last bit. */
static th_status root_of(double *v, double p)
{
  const finish e = { 1, p, true };
  th_cuda_scratch room;
  if (fold_of_norm(p) != POWER) {
    *v = finished(e, *v);
    return TH_OK;
  }
  TH_TRY(room.take(sizeof *v));
  TH_LAUNCH((finish_one), 1, 1, 0, room.as<double>(), e, *v);
  TH_TRY(th_launched());
  return th_cuda_fetch(v, room.as<double>(), sizeof *v);
}
template <class T> static th_status norm_all(const th_call *c)
{
  const norm_all_args *a = norm_all_args_of(c);
  const double p = a->p;
  double v;
  TH_TRY(everything<T>(&v, a->x, nullptr, fold_of_norm(p), p));
  TH_TRY(root_of(&v, p));
  th_give(c, v);
  return TH_OK;
}

/* The norm of a difference; p = 0 gives infinity, or 1 for single elements, as in Torch7. */
template <class T> static th_status dist(const th_call *c)
{
  const dist_args *a = dist_args_of(c);
  const double p = a->p;
  double v;
  TH_TRY(everything<T>(&v, a->x, a->y, p == 0 ? POWER : fold_of_norm(p), p));
  if (th_numel(a->x) == 0) v = 0;
  else if (p == 0) v = pow(v, 1 / p);
  else TH_TRY(root_of(&v, p));
  th_give(c, v);
  return TH_OK;
}

TH_KERNELS(mean_all, TH_CUDA_ALL(mean_all))
TH_KERNELS(mean, TH_CUDA_ALL(mean))
#define FLOATS(id, run) TH_KERNELS(id, TH_CUDA_FLOATS(run))
FLOATS(var_all, var_all)
FLOATS(std_all, std_all)
FLOATS(var, var)
FLOATS(std, std_)
FLOATS(norm, norm)
FLOATS(norm_all, norm_all)
FLOATS(dist, dist)
