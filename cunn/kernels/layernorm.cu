// layernorm.cu - normalisation of the rows of the last dimension, and its gradients. Sums run in
// double, those of halves at first in float. Rows of up to HELD_MOST elements are read once.
#include "normalise.cuh"
#include "held.cuh"
#include "../../lib/op/layernorm.args.h"

namespace {

static lines rows_of(const th_tensor *x) { return th_cuda_lines(x, x->ndim - 1); }

/* Four elements of a vector from place i on, or `absent`; `fours`: all vectors can be loaded so. */
template <class V, class C> TH_DEVICE_FN void get_four(C *to, const th_vector<V> &v, int i, int n,
                                                       C absent, bool fours)
{
  if (!v.p) {
    for (int j = 0; j < FOUR; j++) to[j] = absent;
  } else if (fours && i < n) {
    const th_four<V> four = *reinterpret_cast<const th_four<V> *>(v.p + i);
    for (int j = 0; j < FOUR; j++) to[j] = element<V>::load(four.v[j]);
  } else {
    for (int j = 0; j < FOUR; j++) {
      to[j] = i + j < n ? element<V>::load(v.p[(i + j) * v.step]) : absent;
    }
  }
}
template <class V> static bool in_fours(const th_vector<V> &v)
{
  return !v.p || (v.step == 1 && reinterpret_cast<uintptr_t>(v.p) % alignof(th_four<V>) == 0);
}

/* A product that no sum is fused with, so that equal products differ by 0. */
TH_DEVICE_FN float product_of(float a, float b)
{
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}
TH_DEVICE_FN double product_of(double a, double b)
{
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/* ---- forward ---- */

/* T: elements of x; V: of vectors, T or beside halves floats. */
template <class T, class V> struct forward_of {
  T *y;
  const T *x;
  lines ly, lx;
  th_vector<V> weight, bias, mean, invstd;
  double eps;
  bool vector;                               /* threads that hold rows load four elements at once */
};

template <class T, class V, int W>
static __global__ void __launch_bounds__(THREADS) forward(forward_of<T, V> j)
{
  typedef element<T> E;
  typedef typename E::C C;
  for (TH_EACH_LINE(W, k, j.lx.count)) {
    const T *x = j.x + j.lx.outer.at(k);
    T *y = j.y + j.ly.outer.at(k);
    double sum = 0, squares = 0;
    for (TH_EACH_OF(W, i, j.lx.n)) sum += (double)E::load(x[i * j.lx.step]);
    const double mean = th_line_sum<W>(sum) / (double)j.lx.n;
    for (TH_EACH_OF(W, i, j.lx.n)) {
      const double d = (double)E::load(x[i * j.lx.step]) - mean;
      squares += d * d;
    }
    const C centre = (C)mean, by = (C)(1 / sqrt(th_line_sum<W>(squares) / (double)j.lx.n + j.eps));
    if (threadIdx.x % W == 0) {
      j.mean.put(k, (double)centre);
      j.invstd.put(k, (double)by);
    }
    for (TH_EACH_OF(W, i, j.lx.n)) {
      y[i * j.ly.step] = E::store((E::load(x[i * j.lx.step]) - centre) * by * (C)j.weight.get(i, 1) + (C)j.bias.get(i, 0));
    }
  }
}

template <class T, int W, int FOURS, class V>
static __global__ void __launch_bounds__(THREADS, th_held_blocks<T>(FOURS, 4))
forward_held(forward_of<T, V> j)
{
  typedef element<T> E;
  typedef typename E::C C;
  typedef th_held<T, W, FOURS> held;
  typedef th_part<T> P;
  const int n = (int)j.lx.n;
  for (TH_EACH_LINE(W, k, j.lx.count)) {
    held h;
    P sum = 0, squares = 0;
    h.load(j.x + j.lx.outer.at(k), j.lx.step, n, j.vector, E::from_double(0));
    const P first = (P)E::load(j.x[j.lx.outer.at(k)]);
    held::each([&](int f, int i) {
      const P d = held::at(f, i) < n ? (P)E::load(h.v[f].v[i]) - first : 0;
      sum += d;
      squares += d * d;
    });
    double off = (double)sum, spread = (double)squares;
    th_line_sums<W>(&off, &spread);
    off /= (double)n;
    spread = spread / (double)n - off * off;
    if (spread < 0) spread = 0;              /* by rounding */
    const C centre = (C)((double)first + off), by = (C)(1 / ::sqrt((P)(spread + j.eps)));
    if (threadIdx.x % W == 0) {
      j.mean.put(k, (double)centre);
      j.invstd.put(k, (double)by);
    }
    TH_UNROLL(8)
    for (int f = 0; f < FOURS; f++) {
      C weight[FOUR], bias[FOUR];
      get_four(weight, j.weight, held::at(f, 0), n, (C)1, j.vector);
      get_four(bias, j.bias, held::at(f, 0), n, (C)0, j.vector);
      for (int i = 0; i < FOUR; i++) h.v[f].v[i] = E::store((E::load(h.v[f].v[i]) - centre) * by * weight[i] + bias[i]);
    }
    h.store(j.y + j.ly.outer.at(k), j.ly.step, n, j.vector);
  }
}

#define BY_WIDTH(kernel, l, rest, j) \
  switch (th_line_width(l)) { \
    case 1: \
      TH_LAUNCH((kernel<T, V, 1 TH_BARE rest>), th_blocks((l).count), THREADS, 0, j); break; \
    case 32: \
      TH_LAUNCH((kernel<T, V, 32 TH_BARE rest>), th_blocks((l).count * 32), THREADS, 0, j); break; \
    default: \
      TH_LAUNCH((kernel<T, V, THREADS TH_BARE rest>), th_blocks((l).count * THREADS), THREADS, 0, \
                j); \
  }

template <class T, class V> static th_status compute(const th_call *c)
{
  const layernorm_args *a = layernorm_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  forward_of<T, V> j = { th_first<T>(y), th_first<const T>(x), rows_of(y), rows_of(x),
                         th_vector<V>(a->weight), th_vector<V>(a->bias), th_vector<V>(a->mean),
                         th_vector<V>(a->invstd), a->eps, false };
  if (th_numel(x) == 0) return TH_OK;
  if constexpr (sizeof(T) < 8) {
    if (th_can_hold<T>(j.lx)) {
      j.vector = th_in_fours(j.x, j.lx, false) && th_in_fours(j.y, j.ly, false) && in_fours(j.weight) && in_fours(j.bias);
      TH_HOLD(j.lx, forward_held, (, V), j)
      return th_launched();
    }
  }
  BY_WIDTH(forward, j.lx, (), j)
  return th_launched();
}

/* ---- backward ---- */

template <class T, class V> struct backward_of {
  T *gx, *sum;
  const T *x, *g, *base;                     /* kernels with SUM: sum becomes base plus gx */
  lines lgx, lx, lg, lbase, lsum;
  th_vector<V> weight, mean, invstd;
  bool vector;
};

template <class T, class V, int W, bool SUM>
static __global__ void __launch_bounds__(THREADS) backward(backward_of<T, V> j)
{
  typedef element<T> E;
  typedef typename E::C C;
  for (TH_EACH_LINE(W, k, j.lx.count)) {
    const T *x = j.x + j.lx.outer.at(k), *g = j.g + j.lg.outer.at(k);
    T *gx = j.gx + j.lgx.outer.at(k);
    const C mean = (C)j.mean.get(k, 0), inv = (C)j.invstd.get(k, 1);
    double sum = 0, product = 0;
    for (TH_EACH_OF(W, i, j.lx.n)) {
      const double v = (double)product_of(E::load(g[i * j.lg.step]), (C)j.weight.get(i, 1));
      sum += v;
      product += v * (double)(E::load(x[i * j.lx.step]) - mean);
    }
    sum = th_line_sum<W>(sum);
    product = th_line_sum<W>(product);
    const C minus = (C)(sum / (double)j.lx.n), back = (C)(product * (double)inv * (double)inv / (double)j.lx.n);
    for (TH_EACH_OF(W, i, j.lx.n)) {
      const C v = product_of(E::load(g[i * j.lg.step]), (C)j.weight.get(i, 1));
      gx[i * j.lgx.step] = E::store((v - minus - (E::load(x[i * j.lx.step]) - mean) * back) * inv);
      if (!SUM) continue;
      const typename E::C other = E::load(j.base[j.lbase.outer.at(k) + i * j.lbase.step]);
      j.sum[j.lsum.outer.at(k) + i * j.lsum.step] = E::store(other + E::load(gx[i * j.lgx.step]));
    }
  }
}

template <class T, int W, int FOURS, class V, bool SUM>
static __global__ void __launch_bounds__(THREADS, th_held_blocks<T>(FOURS, 4))
backward_held(backward_of<T, V> j)
{
  typedef element<T> E;
  typedef typename E::C C;
  typedef th_held<T, W, FOURS> held;
  typedef th_part<T> P;
  const int n = (int)j.lx.n;
  for (TH_EACH_LINE(W, k, j.lx.count)) {
    held hx, hg;
    C v[FOURS][FOUR];
    const C mean = (C)j.mean.get(k, 0), inv = (C)j.invstd.get(k, 1);
    P sum = 0, product = 0;
    hx.load(j.x + j.lx.outer.at(k), j.lx.step, n, j.vector, E::from_double(0));
    hg.load(j.g + j.lg.outer.at(k), j.lg.step, n, j.vector, E::from_double(0));
    TH_UNROLL(8)
    for (int f = 0; f < FOURS; f++) {
      get_four(v[f], j.weight, held::at(f, 0), n, (C)1, j.vector);
      for (int i = 0; i < FOUR; i++) v[f][i] = product_of(E::load(hg.v[f].v[i]), v[f][i]);
    }
    held::each([&](int f, int i) {
      sum += (P)v[f][i];
      product += (P)v[f][i] * (P)(E::load(hx.v[f].v[i]) - mean);
    });
    double sums = (double)sum, products = (double)product;
    th_line_sums<W>(&sums, &products);
    const C minus = (C)((P)sums / (P)n), back = (C)((P)products * (P)inv * (P)inv / (P)n);
    held::each([&](int f, int i) {
      hg.v[f].v[i] = E::store((v[f][i] - minus - (E::load(hx.v[f].v[i]) - mean) * back) * inv);
    });
    hg.store(j.gx + j.lgx.outer.at(k), j.lgx.step, n, j.vector);
    if (!SUM) continue;
    hx.load(j.base + j.lbase.outer.at(k), j.lbase.step, n, j.vector, E::from_double(0));
    held::each([&](int f, int i) {
      hx.v[f].v[i] = E::store(E::load(hx.v[f].v[i]) + E::load(hg.v[f].v[i]));
    });
    hx.store(j.sum + j.lsum.outer.at(k), j.lsum.step, n, j.vector);
  }
}

/* Tensors of a gradient. Without SUM, those of the sum only fill their places. */
struct operands {
  const th_tensor *gx, *sum, *x, *g, *weight, *mean, *invstd, *base;
};

template <class T, class V, bool SUM> static th_status differentiate(const operands &o)
{
  backward_of<T, V> j = { th_first<T>(o.gx), th_first<T>(o.sum), th_first<const T>(o.x),
                          th_first<const T>(o.g), th_first<const T>(o.base), rows_of(o.gx),
                          rows_of(o.x), rows_of(o.g), rows_of(o.base), rows_of(o.sum),
                          th_vector<V>(o.weight), th_vector<V>(o.mean), th_vector<V>(o.invstd),
                          false };
  if (th_numel(o.x) == 0) return TH_OK;
  if constexpr (sizeof(T) < 8) {
    if (th_can_hold<T>(j.lx)) {
      j.vector = th_in_fours(j.x, j.lx, false) && th_in_fours(j.g, j.lg, false) &&
                 th_in_fours(j.gx, j.lgx, false) && th_in_fours(j.sum, j.lsum, false) &&
                 th_in_fours(j.base, j.lbase, false) && in_fours(j.weight);
      TH_HOLD(j.lx, backward_held, (, V, SUM), j)
      return th_launched();
    }
  }
  BY_WIDTH(backward, j.lx, (, SUM), j)
  return th_launched();
}
template <class T, class V> static th_status compute_grad(const th_call *c)
{
  const layernorm_grad_args *a = layernorm_grad_args_of(c);
  return differentiate<T, V, false>({ a->gx, a->gx, a->x, a->g, a->weight, a->mean, a->invstd,
                                      a->x });
}
template <class T, class V> static th_status compute_grad_sum(const th_call *c)
{
  const layernorm_grad_sum_args *a = layernorm_grad_sum_args_of(c);
  return differentiate<T, V, true>({ a->gx, a->sum, a->x, a->g, a->weight, a->mean, a->invstd,
                                     a->base });
}

/* ---- by weight and bias ---- */

template <class T, class V> struct gradients {
  const T *x, *g;
  view vx, vg;
  th_vector<V> mean, invstd;
  template <int> __device__ void take(double *a, double *b, int64_t i, int64_t, int64_t row) const
  {
    typedef typename element<T>::C C;
    const C gi = element<T>::load(g[vg.at(i)]);
    *a += (double)gi;
    *b += (double)(gi * ((element<T>::load(x[vx.at(i)]) - (C)mean.get(row, 0)) * (C)invstd.get(row, 1)));
  }
};

template <class V> struct added {
  th_vector<V> gw, gb;
  double scale;
  __device__ void put(int64_t i, double slope, double times) const
  {
    gw.put(i, gw.get(i, 0) + scale * times);
    gb.put(i, gb.get(i, 0) + scale * slope);
  }
};

template <class T, class V> static th_status compute_grad_weight(const th_call *c)
{
  const layernorm_grad_weight_args *a = layernorm_grad_weight_args_of(c);
  const th_tensor *x = a->x, *g = a->g;
  const lines l = rows_of(x);
  const th_features s = { l.count, l.n, 1 };
  const gradients<T, V> f = { th_first<const T>(x), th_first<const T>(g), th_view_of(x),
                              th_view_of(g), th_vector<V>(a->mean), th_vector<V>(a->invstd) };
  const added<V> result = { th_vector<V>(a->gw), th_vector<V>(a->gb), a->scale };
  if (th_numel(x) == 0) return TH_OK;
  return th_give_features<1>(f, result, s);
}

/* ---- the types ---- */

template <class T> static th_status layernorm(const th_call *c)
{
  const bool floats = layernorm_args_of(c)->mean->dtype == TH_F32;
  if constexpr (sizeof(T) == 2) if (floats) return compute<T, float>(c);
  return compute<T, T>(c);
}
template <class T> static th_status layernorm_grad(const th_call *c)
{
  const bool floats = layernorm_grad_args_of(c)->mean->dtype == TH_F32;
  if constexpr (sizeof(T) == 2) if (floats) return compute_grad<T, float>(c);
  return compute_grad<T, T>(c);
}
template <class T> static th_status layernorm_grad_sum(const th_call *c)
{
  const bool floats = layernorm_grad_sum_args_of(c)->mean->dtype == TH_F32;
  if constexpr (sizeof(T) == 2) if (floats) return compute_grad_sum<T, float>(c);
  return compute_grad_sum<T, T>(c);
}
template <class T> static th_status grad_weight(const th_call *c)
{
  const bool floats = layernorm_grad_weight_args_of(c)->mean->dtype == TH_F32;
  if constexpr (sizeof(T) == 2) if (floats) return compute_grad_weight<T, float>(c);
  return compute_grad_weight<T, T>(c);
}

}  // namespace

TH_KERNELS(layernorm, TH_CUDA_FLOATS(layernorm))
TH_KERNELS(layernorm_grad, TH_CUDA_FLOATS(layernorm_grad))
TH_KERNELS(layernorm_grad_sum, TH_CUDA_FLOATS(layernorm_grad_sum))
TH_KERNELS(layernorm_grad_weight, TH_CUDA_FLOATS(grad_weight))
