// reduce_grad.cu - gradients of sums, means, products, variances and norms along one dimension.
#include "fold.cuh"
#include "../../lib/op/reduce_grad.args.h"
#include "../../lib/op/reduce.args.h"

namespace {

/* Line k of gx and x, and the gradient and result that belong to it; p is what squares are divided by, or the exponent. */
template <class T> struct job {
  T *gx;
  const T *x, *g, *y;
  view vgx, vx, vg, vy;
  int64_t count, n, sgx, sx;
  double p;
};

template <class T> struct line {
  typedef element<T> E;
  T *gx;
  const T *x;
  int64_t n, sgx, sx;
  double g, y, p;
  __device__ line(const job<T> &j, int64_t k)
    : gx(j.gx + j.vgx.at(k)), x(j.x + j.vx.at(k)), n(j.n), sgx(j.sgx), sx(j.sx), g((double)E::load(j.g[j.vg.at(k)])),
      y((double)E::load(j.y[j.vy.at(k)])), p(j.p) {}
  __device__ double at(int64_t i) const { return (double)E::load(x[i * sx]); }
  __device__ void put(int64_t i, double v) const { gx[i * sgx] = E::store(v); }
};

/* What comes before each element, times what comes after it: one thread's work. */
struct prod_line {
  template <class T, int W> static __device__ void run(const line<T> &l)
  {
    if (threadIdx.x % W != 0) return;
    double before = 1, after = l.g;
    for (int64_t i = 0; i < l.n; i++) {
      l.put(i, before);
      before *= l.at(i);
    }
    for (int64_t i = l.n - 1; i >= 0; i--) {
      l.put(i, (double)element<T>::load(l.gx[i * l.sgx]) * after);
      after *= l.at(i);
    }
  }
};

template <class T, int W> static __device__ void around_mean(const line<T> &l, double scale)
{
  double sum = 0;
  for (TH_EACH_OF(W, i, l.n)) sum += l.at(i);
  const double mean = th_line_sum<W>(sum) / (double)l.n;
  for (TH_EACH_OF(W, i, l.n)) l.put(i, scale * (l.at(i) - mean));
}
struct var_line {
  template <class T, int W> static __device__ void run(const line<T> &l) { around_mean<T, W>(l, 2 * l.g / l.p); }
};
struct std_line {
  template <class T, int W> static __device__ void run(const line<T> &l)
  {
    around_mean<T, W>(l, l.y == 0 ? 0 : l.g / (l.p * l.y));
  }
};

struct norm_line {
  template <class T, int W> static __device__ void run(const line<T> &l)
  {
    double g = l.g;
    if (isinf(l.p)) {
      double ties = 0;
      for (TH_EACH_OF(W, i, l.n)) ties += fabs(l.at(i)) == l.y;
      ties = th_line_sum<W>(ties);
      g /= ties != 0 ? ties : 1;
    }
    for (TH_EACH_OF(W, i, l.n)) {
      const double v = l.at(i), sign = (v > 0) - (v < 0);
      double d = 0;
      if (l.y != 0 && l.p != 0 && v != 0) {
        if (isinf(l.p)) d = fabs(v) == l.y ? sign : 0;
        else d = l.p == 1 ? sign : l.p == 2 ? v / l.y : sign * pow(fabs(v) / l.y, l.p - 1);
      }
      l.put(i, g * d);
    }
  }
};

template <class T, class F, int W> static __global__ void __launch_bounds__(THREADS) each_line(job<T> j)
{
  for (TH_EACH_LINE(W, k, j.count)) F::template run<T, W>(line<T>(j, k));
}

template <class T, class F>
static th_status run(const th_tensor *gx, const th_tensor *x, const th_tensor *y, const th_tensor *g, int dim, double p)
{
  const th_tensor wide_g = th_cuda_with_dim(g, dim, x->ndim), wide_y = th_cuda_with_dim(y, dim, x->ndim);
  const lines l = th_cuda_lines(x, dim), to = th_cuda_lines(gx, dim);
  const job<T> j = { th_first<T>(gx), th_first<const T>(x), th_first<const T>(g), th_first<const T>(y), to.outer, l.outer,
                     th_cuda_lines(&wide_g, dim).outer, th_cuda_lines(&wide_y, dim).outer, l.count, l.n, to.step, l.step, p };
  if (l.count == 0 || l.n == 0) return TH_OK;
  switch (th_line_width(l)) {
    case 1:  TH_LAUNCH((each_line<T, F, 1>), th_blocks(l.count), THREADS, 0, j); break;
    case 32: TH_LAUNCH((each_line<T, F, 32>), th_blocks(l.count * 32), THREADS, 0, j); break;
    default: TH_LAUNCH((each_line<T, F, THREADS>), th_blocks(l.count * THREADS), THREADS, 0, j);
  }
  return th_launched();
}

static double divisor(const th_tensor *x, int64_t dim, int64_t biased)
{
  return (double)(x->ndim ? x->size[dim] : 1) - (biased ? 0 : 1);
}

template <class T> static th_status prod_grad(const th_call *c)
{
  const prod_grad_args *a = prod_grad_args_of(c);
  return run<T, prod_line>(a->gx, a->x, a->g, a->g, (int)a->dim, 0);
}
template <class T> static th_status var_grad(const th_call *c)
{
  const var_grad_args *a = var_grad_args_of(c);
  return run<T, var_line>(a->gx, a->x, a->g, a->g, (int)a->dim, divisor(a->x, a->dim, a->biased));
}
template <class T> static th_status std_grad(const th_call *c)
{
  const std_grad_args *a = std_grad_args_of(c);
  return run<T, std_line>(a->gx, a->x, a->y, a->g, (int)a->dim, divisor(a->x, a->dim, a->biased));
}
template <class T> static th_status norm_grad(const th_call *c)
{
  const norm_grad_args *a = norm_grad_args_of(c);
  return run<T, norm_line>(a->gx, a->x, a->y, a->g, (int)a->dim, a->p);
}

/* ---- one number for many ---- */

/* g, repeated along dim as a stride of 0. */
static th_tensor repeated(const th_tensor *g, int dim, const th_tensor *x)
{
  th_tensor t = th_cuda_with_dim(g, dim, x->ndim);
  if (x->ndim) t.size[dim] = x->size[dim], t.stride[dim] = 0;
  return t;
}

template <class T> static th_status sum_grad(const th_call *c)
{
  const sum_grad_args *a = sum_grad_args_of(c);
  const th_tensor g = repeated(a->g, (int)a->dim, a->x);
  return th_cuda_move(a->gx, &g);
}

template <class T> static __global__ void shares(T *gx, view v, const T *g, view vg, double n, int64_t count)
{
  for (TH_EACH(i, count)) gx[v.at(i)] = element<T>::store((double)element<T>::load(g[vg.at(i)]) / n);
}
template <class T> static th_status mean_grad(const th_call *c)
{
  const sum_grad_args *a = sum_grad_args_of(c);
  const th_tensor *gx = a->gx, *x = a->x;
  const int dim = (int)a->dim;
  const th_tensor g = repeated(a->g, dim, x);
  const int64_t n = th_numel(gx);
  if (n == 0) return TH_OK;
  TH_LAUNCH((shares<T>), th_blocks(n), THREADS, 0, th_first<T>(gx), th_view_of(gx), th_first<const T>(&g), th_view_of(&g),
            (double)(x->ndim ? x->size[dim] : 1), n);
  return th_launched();
}

template <class T> static __global__ void spread(T *gx, view v, T value, int64_t n)
{
  for (TH_EACH(i, n)) gx[v.at(i)] = value;
}
template <class T> static th_status mean_all_grad(const th_call *c)
{
  const mean_all_grad_args *a = mean_all_grad_args_of(c);
  const th_tensor *gx = a->gx;
  const int64_t n = th_numel(gx);
  if (n == 0) return TH_OK;
  TH_LAUNCH((spread<T>), th_blocks(n), THREADS, 0, th_first<T>(gx), th_view_of(gx),
            element<T>::from_double(a->g / (double)n), n);
  return th_launched();
}

}  // namespace

TH_KERNELS(prod_grad, TH_CUDA_FLOATS(prod_grad))
TH_KERNELS(var_grad, TH_CUDA_FLOATS(var_grad))
TH_KERNELS(std_grad, TH_CUDA_FLOATS(std_grad))
TH_KERNELS(norm_grad, TH_CUDA_FLOATS(norm_grad))
TH_KERNELS(sum_grad, TH_CUDA_ALL(sum_grad))
TH_KERNELS(mean_grad, TH_CUDA_FLOATS(mean_grad))
TH_KERNELS(mean_all_grad, TH_CUDA_FLOATS(mean_all_grad))
