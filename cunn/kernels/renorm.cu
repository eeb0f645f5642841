// renorm.cu - slices whose norm is too large shrink.
#include "fold.cuh"
#include "../../lib/op/reduce.args.h"

template <class T>
static __global__ void shrink(T *y, lines ly, const T *x, lines lx, const double *sum, double p, double limit)
{
  for (TH_EACH(e, lx.count * lx.n)) {
    const int64_t i = th_quotient(e, lx.count), k = e - i * lx.count;
    const double norm = isinf(p) || p == 1 ? sum[i] : p == 2 ? sqrt(sum[i]) : pow(sum[i], 1 / p);
    const T v = x[lx.outer.at(k) + i * lx.step];
    T to = v;
    if (norm > limit) to = element<T>::store((double)element<T>::load(v) * (limit / (norm + 1e-7)));
    y[ly.outer.at(k) + i * ly.step] = to;
  }
}
/* A slice is a line over all other dimensions: its elements lie where lines along dim begin. A block sums one up. */
template <class T>
static __global__ void __launch_bounds__(THREADS) slice_sums(double *sum, const T *x, lines l, double p)
{
  for (int64_t i = blockIdx.x; i < l.n; i += gridDim.x) {
    double a = 0;
    for (int64_t k = threadIdx.x; k < l.count; k += THREADS) {
      const double v = fabs((double)element<T>::load(x[l.outer.at(k) + i * l.step]));
      if (isinf(p)) a = v > a || v != v ? v : a;
      else a += p == 1 ? v : p == 2 ? v * v : pow(v, p);
    }
    a = th_block_fold(a, [p](double b, double c) { return !isinf(p) ? b + c : c > b || c != c ? c : b; });
    if (threadIdx.x == 0) sum[i] = a;
  }
}
template <class T> static th_status renorm(const th_call *c)
{
  const renorm_args *a = renorm_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  const int dim = (int)a->dim;
  const lines lx = th_cuda_lines(x, dim);
  const double p = a->p;
  th_cuda_scratch s;
  if (lx.count * lx.n == 0) return TH_OK;
  TH_TRY(s.take((size_t)lx.n * sizeof(double)));
  const unsigned blocks = (unsigned)(lx.n < 65535 ? lx.n : 65535);
  TH_LAUNCH((slice_sums<T>), blocks, THREADS, 0, s.as<double>(), th_first<const T>(x), lx, p);
  TH_LAUNCH((shrink<T>), th_blocks(lx.count * lx.n), THREADS, 0, th_first<T>(y), th_cuda_lines(y, dim), th_first<const T>(x), lx,
            s.as<double>(), p, a->maxnorm);
  return th_launched();
}
TH_KERNELS(renorm, TH_CUDA_FLOATS(renorm))
