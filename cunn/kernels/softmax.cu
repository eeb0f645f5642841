// softmax.cu - softmax and its logarithm along a dimension, and their gradients. Sums run in
// double, those of halves at first in float. Lines of up to HELD_MOST elements are read once.
#include "held.cuh"
#include "half_exp.cuh"
#include "../../lib/op/softmax.args.h"

namespace {

/* One line each: its elements are `step` apart. */
struct strided { view outer; int64_t step; };
static strided strided_of(const th_tensor *t, int dim)
{
  const lines l = th_cuda_lines(t, dim);
  return { l.outer, l.step };
}

TH_DEVICE_FN float exp_of(float v) { return ::expf(v); }
TH_DEVICE_FN double exp_of(double v) { return ::exp(v); }
/* As exact as results of type T need it. */
template <class T> TH_DEVICE_FN typename element<T>::C exp_as(typename element<T>::C v)
{
  if constexpr (sizeof(T) == 2) return th_exp_half(v);
  else return exp_of(v);
}

template <class T, int W, bool LOG>
static __global__ void __launch_bounds__(THREADS) forward(T *y, strided sy, const T *x, strided sx, int64_t count, int64_t n)
{
  typedef element<T> E;
  typedef typename E::C C;
  for (TH_EACH_LINE(W, k, count)) {
    const T *from = x + sx.outer.at(k);
    T *to = y + sy.outer.at(k);
    C max = -(C)INFINITY;
    for (TH_EACH_OF(W, i, n)) {
      const C v = E::load(from[i * sx.step]);
      max = v > max ? v : max;
    }
    max = th_line_fold<W>(max, [](C a, C b) { return b > a ? b : a; });
    double sum = 0;
    for (TH_EACH_OF(W, i, n)) sum += (double)exp_of(E::load(from[i * sx.step]) - max);
    sum = th_line_sum<W>(sum);
    const C off = (C)(LOG ? log(sum) : 1 / sum);
    for (TH_EACH_OF(W, i, n)) {
      const C v = E::load(from[i * sx.step]) - max;
      to[i * sy.step] = E::store(LOG ? v - off : exp_of(v) * off);
    }
  }
}

template <class T, int W, bool LOG>
static __global__ void __launch_bounds__(THREADS) backward(T *gx, strided sx, const T *y, strided sy, const T *g, strided sg,
                                                           int64_t count, int64_t n)
{
  typedef element<T> E;
  typedef typename E::C C;
  for (TH_EACH_LINE(W, k, count)) {
    const T *py = y + sy.outer.at(k), *pg = g + sg.outer.at(k);
    T *to = gx + sx.outer.at(k);
    double sum = 0;
    for (TH_EACH_OF(W, i, n)) {
      const double gi = (double)E::load(pg[i * sg.step]);
      sum += LOG ? gi : gi * (double)E::load(py[i * sy.step]);
    }
    const C s = (C)th_line_sum<W>(sum);
    for (TH_EACH_OF(W, i, n)) {
      const C v = E::load(py[i * sy.step]), w = E::load(pg[i * sg.step]);
      to[i * sx.step] = E::store(LOG ? w - exp_of(v) * s : v * (w - s));
    }
  }
}

/* ---- lines that threads hold ---- */

template <class T, int W, int FOURS, bool LOG>
static __global__ void __launch_bounds__(THREADS, th_held_blocks<T>(FOURS, 5))
forward_held(T *y, strided sy, const T *x, strided sx, int64_t count, int n, bool vector)
{
  typedef element<T> E;
  typedef typename E::C C;
  typedef th_held<T, W, FOURS> held;
  for (TH_EACH_LINE(W, k, count)) {
    held h;
    C e[FOURS][FOUR], max = -(C)INFINITY;
    th_part<T> part = 0;
    h.load(x + sx.outer.at(k), sx.step, n, vector, E::from_double(-INFINITY));
    held::each([&](int f, int j) {
      const C v = E::load(h.v[f].v[j]);
      max = v > max ? v : max;
    });
    max = th_line_fold<W>(max, [](C a, C b) { return b > a ? b : a; });
    held::each([&](int f, int j) {
      const C v = E::load(h.v[f].v[j]) - max, to = exp_as<T>(v);
      part += (th_part<T>)to;
      e[f][j] = LOG ? v : to;
    });
    const th_part<T> sum = (th_part<T>)th_line_sum<W>((double)part);
    const C off = (C)(LOG ? ::log(sum) : 1 / sum);
    held::each([&](int f, int j) { h.v[f].v[j] = E::store(LOG ? e[f][j] - off : e[f][j] * off); });
    h.store(y + sy.outer.at(k), sy.step, n, vector);
  }
}

template <class T, int W, int FOURS, bool LOG>
static __global__ void __launch_bounds__(THREADS, th_held_blocks<T>(FOURS, 5))
backward_held(T *gx, strided sx, const T *y, strided sy, const T *g, strided sg, int64_t count, int n, bool vector)
{
  typedef element<T> E;
  typedef typename E::C C;
  typedef th_held<T, W, FOURS> held;
  for (TH_EACH_LINE(W, k, count)) {
    held hy, hg;
    th_part<T> sum = 0;
    hy.load(y + sy.outer.at(k), sy.step, n, vector, E::from_double(0));
    hg.load(g + sg.outer.at(k), sg.step, n, vector, E::from_double(0));
    held::each([&](int f, int j) {
      const th_part<T> gi = E::load(hg.v[f].v[j]);
      sum += LOG ? gi : gi * (th_part<T>)E::load(hy.v[f].v[j]);
    });
    const C s = (C)th_line_sum<W>((double)sum);
    held::each([&](int f, int j) {
      const C v = E::load(hy.v[f].v[j]), w = E::load(hg.v[f].v[j]);
      hg.v[f].v[j] = E::store(LOG ? w - exp_as<T>(v) * s : v * (w - s));
    });
    hg.store(gx + sx.outer.at(k), sx.step, n, vector);
  }
}

#define BY_WIDTH(kernel, l, ...) \
  switch (th_line_width(l)) { \
    case 1:  TH_LAUNCH((kernel<T, 1, LOG>), th_blocks((l).count), THREADS, 0, __VA_ARGS__); break; \
    case 32: TH_LAUNCH((kernel<T, 32, LOG>), th_blocks((l).count * 32), THREADS, 0, __VA_ARGS__); break; \
    default: TH_LAUNCH((kernel<T, THREADS, LOG>), th_blocks((l).count * THREADS), THREADS, 0, __VA_ARGS__); \
  }

template <class T, bool LOG> static th_status run(const th_call *c)
{
  const softmax_args *a = softmax_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  const int dim = (int)a->dim;
  const lines l = th_cuda_lines(x, dim);
  if (l.count * l.n == 0) return TH_OK;
  if constexpr (sizeof(T) < 8) {
    if (th_can_hold<T>(l)) {
      const bool vector = th_in_fours(th_first<T>(y), th_cuda_lines(y, dim), false) && th_in_fours(th_first<T>(x), l, false);
      TH_HOLD(l, forward_held, (, LOG), th_first<T>(y), strided_of(y, dim), th_first<const T>(x), strided_of(x, dim), l.count,
              (int)l.n, vector)
      return th_launched();
    }
  }
  BY_WIDTH(forward, l, th_first<T>(y), strided_of(y, dim), th_first<const T>(x), strided_of(x, dim), l.count, l.n)
  return th_launched();
}
template <class T, bool LOG> static th_status run_grad(const th_call *c)
{
  const softmax_grad_args *a = softmax_grad_args_of(c);
  const th_tensor *gx = a->gx, *y = a->y, *g = a->g;
  const int dim = (int)a->dim;
  const lines l = th_cuda_lines(y, dim);
  if (l.count * l.n == 0) return TH_OK;
  if constexpr (sizeof(T) < 8) {
    if (th_can_hold<T>(l)) {
      const bool vector = th_in_fours(th_first<T>(y), l, false) && th_in_fours(th_first<T>(g), th_cuda_lines(g, dim), false) &&
                          th_in_fours(th_first<T>(gx), th_cuda_lines(gx, dim), false);
      TH_HOLD(l, backward_held, (, LOG), th_first<T>(gx), strided_of(gx, dim), th_first<const T>(y), strided_of(y, dim),
              th_first<const T>(g), strided_of(g, dim), l.count, (int)l.n, vector)
      return th_launched();
    }
  }
  BY_WIDTH(backward, l, th_first<T>(gx), strided_of(gx, dim), th_first<const T>(y), strided_of(y, dim), th_first<const T>(g),
           strided_of(g, dim), l.count, l.n)
  return th_launched();
}

template <class T> static th_status softmax(const th_call *c) { return run<T, false>(c); }
template <class T> static th_status logsoftmax(const th_call *c) { return run<T, true>(c); }
template <class T> static th_status softmax_grad(const th_call *c) { return run_grad<T, false>(c); }
template <class T> static th_status logsoftmax_grad(const th_call *c) { return run_grad<T, true>(c); }

}  // namespace

TH_KERNELS(softmax, TH_CUDA_FLOATS(softmax))
TH_KERNELS(softmax_grad, TH_CUDA_FLOATS(softmax_grad))
TH_KERNELS(logsoftmax, TH_CUDA_FLOATS(logsoftmax))
TH_KERNELS(logsoftmax_grad, TH_CUDA_FLOATS(logsoftmax_grad))
