// conv2d.cu - convolutions of images and their gradients: each a product of matrices whose elements are looked up where they
// are needed, so that no unfolded image is stored. The order of each sum depends on sizes only.
#include "gemm.cuh"
#include "normalise.cuh"

namespace {

/* groups times o planes from groups times c planes. */
struct shape { int64_t n, groups, c, o, h, w, kh, kw, oh, ow, sh, sw, ph, pw, dh, dw; };

static shape shape_of(const th_tensor *x, const th_tensor *y, const th_tensor *k, const th_arg *v)
{
  const int f = x->ndim - 3;
  const int64_t groups = v[6].i;
  return { f ? x->size[0] : 1, groups, k->size[1], k->size[0] / groups, x->size[f + 1], x->size[f + 2], k->size[2], k->size[3],
           y->size[f + 1], y->size[f + 2], v[0].i, v[1].i, v[2].i, v[3].i, v[4].i, v[5].i };
}

template <class T> struct operand {
  const T *p;
  view v;
  explicit operand(const th_tensor *t) : p(th_first<const T>(t)), v(th_view_of(t)) {}
  __device__ typename element<T>::C get(int64_t i) const { return element<T>::load(p[v.at(i)]); }
};

/* The pixel of the planes of group `first` on that tap `tap` (plane, row, column) of result `at` looks at; 0 outside. */
template <class T> static __device__ typename element<T>::C unfolded(const operand<T> &x, const shape &s, int64_t plane0,
                                                                     int64_t tap, int64_t at)
{
  const int64_t c = th_quotient(tap, s.kh * s.kw), ab = tap - c * s.kh * s.kw, a = th_quotient(ab, s.kw), b = ab - a * s.kw;
  const int64_t i = th_quotient(at, s.ow), j = at - i * s.ow;
  const int64_t h = i * s.sh - s.ph + a * s.dh, w = j * s.sw - s.pw + b * s.dw;
  return h >= 0 && h < s.h && w >= 0 && w < s.w ? x.get(((plane0 + c) * s.h + h) * s.w + w) : 0;
}

/* ---- forward: planes of the result x its pixels; summed over taps ---- */

template <class T> struct forward_of {
  typedef typename element<T>::C P;
  shape s;
  operand<T> x, k;
  th_vector<T> bias;
  T *y;
  view vy;
  bool left_deep, right_deep;
  __device__ P left(int64_t p, int64_t i, int64_t q) const { return k.get((p % s.groups * s.o + i) * (s.c * s.kh * s.kw) + q); }
  __device__ P right(int64_t p, int64_t q, int64_t j) const { return unfolded(x, s, p * s.c, q, j); }
  __device__ void put(int64_t p, int64_t i, int64_t j, P v) const
  {
    y[vy.at((p * s.o + i) * (s.oh * s.ow) + j)] = element<T>::store(v + (P)bias.get(p % s.groups * s.o + i, 0));
  }
};

template <class T> static th_status conv2d(const th_call *c)
{
  const th_tensor *y = c->arg[0].t, *x = c->arg[1].t, *k = c->arg[2].t;
  const forward_of<T> f = { shape_of(x, y, k, c->arg + 4), operand<T>(x), operand<T>(k), th_vector<T>(c->arg[3].t),
                            th_first<T>(y), th_view_of(y), true, false };
  return th_multiply(f, f.s.n * f.s.groups, f.s.o, f.s.oh * f.s.ow, f.s.c * f.s.kh * f.s.kw);
}

/* ---- the gradient by the images: their planes x pixels; summed over planes of the result and taps ---- */

template <class T> struct input_of {
  typedef typename element<T>::C P;
  shape s;
  operand<T> g, k;
  T *gx;
  view vgx;
  bool left_deep, right_deep;
  __device__ P left(int64_t p, int64_t i, int64_t q) const
  {
    const int64_t taps = s.kh * s.kw, o = th_quotient(q, taps);
    return k.get(((p % s.groups * s.o + o) * s.c + i) * taps + (q - o * taps));
  }
  __device__ P right(int64_t p, int64_t q, int64_t j) const
  {
    const int64_t taps = s.kh * s.kw, o = th_quotient(q, taps), ab = q - o * taps, a = th_quotient(ab, s.kw), b = ab - a * s.kw;
    const int64_t h = th_quotient(j, s.w), w = j - h * s.w, up = h + s.ph - a * s.dh, left = w + s.pw - b * s.dw;
    if (up < 0 || left < 0) return 0;
    const int64_t row = th_quotient(up, s.sh), col = th_quotient(left, s.sw);
    if (row * s.sh != up || col * s.sw != left || row >= s.oh || col >= s.ow) return 0;
    return g.get(((p * s.o + o) * s.oh + row) * s.ow + col);
  }
  __device__ void put(int64_t p, int64_t i, int64_t j, P v) const
  {
    gx[vgx.at((p * s.c + i) * (s.h * s.w) + j)] = element<T>::store(v);
  }
};

template <class T> static th_status conv2d_grad_input(const th_call *c)
{
  const th_tensor *gx = c->arg[0].t, *g = c->arg[2].t, *k = c->arg[3].t;
  const input_of<T> f = { shape_of(gx, g, k, c->arg + 4), operand<T>(g), operand<T>(k), th_first<T>(gx), th_view_of(gx), true,
                          false };
  return th_multiply(f, f.s.n * f.s.groups, f.s.c, f.s.h * f.s.w, f.s.o * f.s.kh * f.s.kw);
}

/* ---- the gradient by the kernels: planes of the result x taps; summed over images and pixels, in stretches ---- */

template <class T> struct weight_of {
  typedef typename element<T>::C P;
  shape s;
  operand<T> x, g;
  P *part;                                   /* stretches x planes x taps */
  int64_t stretch, total;                    /* products of a stretch, and in all */
  bool left_deep, right_deep;
  __device__ P left(int64_t p, int64_t i, int64_t q) const
  {
    const int64_t pixels = s.oh * s.ow, group = p % s.groups;
    q += p / s.groups * stretch;
    if (q >= total) return 0;
    const int64_t image = th_quotient(q, pixels);
    return g.get(((image * s.groups + group) * s.o + i) * pixels + (q - image * pixels));
  }
  __device__ P right(int64_t p, int64_t q, int64_t j) const
  {
    const int64_t pixels = s.oh * s.ow, group = p % s.groups;
    q += p / s.groups * stretch;
    if (q >= total) return 0;
    const int64_t image = th_quotient(q, pixels);
    return unfolded(x, s, (image * s.groups + group) * s.c, j, q - image * pixels);
  }
  __device__ void put(int64_t p, int64_t i, int64_t j, P v) const { part[(p * s.o + i) * (s.c * s.kh * s.kw) + j] = v; }
};

template <class T>
static __global__ void add_parts(T *gw, view v, const typename element<T>::C *part, int64_t stretches, double scale, int64_t n)
{
  for (TH_EACH(i, n)) {
    double sum = 0;
    for (int64_t k = 0; k < stretches; k++) sum += (double)part[k * n + i];
    T &to = gw[v.at(i)];
    to = element<T>::store((typename element<T>::C)((double)element<T>::load(to) + scale * sum));
  }
}
template <class T>
static __global__ void add_bias(th_vector<T> gb, const double *part, int64_t planes, int64_t stretches, double scale)
{
  for (TH_EACH(f, planes)) {
    double sum, unused;
    th_join_stretches(part, f, stretches, &sum, &unused);
    gb.put(f, gb.get(f, 0) + scale * sum);
  }
}

enum { LEAST = 1024, MOST = 1 << 15, TILES = 512 };      /* products of a stretch; tiles that keep a device busy */

template <class T> static th_status conv2d_grad_weight(const th_call *c)
{
  typedef typename element<T>::C P;
  const th_tensor *gw = c->arg[0].t, *gb = c->arg[1].t, *x = c->arg[2].t, *g = c->arg[3].t;
  const shape s = shape_of(x, g, gw, c->arg + 5);
  const double scale = c->arg[4].d;
  const int64_t total = s.n * s.oh * s.ow, taps = s.c * s.kh * s.kw, n = th_numel(gw);
  const int64_t tiles = s.groups * ((s.o + TILE - 1) / TILE) * ((taps + TILE - 1) / TILE);
  int64_t stretches = tiles ? (TILES + tiles - 1) / tiles : 1;
  if (stretches > (total + LEAST - 1) / LEAST) stretches = (total + LEAST - 1) / LEAST;
  if (stretches < (total + MOST - 1) / MOST) stretches = (total + MOST - 1) / MOST;      /* longer sums would lose digits */
  if (total == 0) return TH_OK;
  if (n > 0) {
    th_cuda_scratch part;
    TH_TRY(part.take((size_t)(stretches * n) * sizeof(P)));
    const weight_of<T> f = { s, operand<T>(x), operand<T>(g), part.as<P>(), (total + stretches - 1) / stretches, total, true,
                             true };
    TH_TRY(th_multiply(f, stretches * s.groups, s.o, taps, f.stretch));
    TH_LAUNCH((add_parts<T>), th_blocks(n), THREADS, 0, th_first<T>(gw), th_view_of(gw), part.as<const P>(), stretches, scale, n);
  }
  if (gb && gb->size[0] > 0) {
    const th_features by_plane = { s.n, s.groups * s.o, s.oh * s.ow };
    const th_values<T> v = { th_first<const T>(g), th_view_of(g) };
    th_cuda_scratch sums;
    TH_TRY(sums.take((size_t)(by_plane.features * th_stretches(by_plane)) * 2 * sizeof(double)));
    TH_TRY(th_sum_by_feature(sums.as<double>(), v, by_plane));
    TH_LAUNCH((add_bias<T>), th_blocks(by_plane.features), THREADS, 0, th_vector<T>(gb), sums.as<const double>(),
              by_plane.features, th_stretches(by_plane), scale);
  }
  return th_launched();
}

}  // namespace

TH_KERNELS(conv2d, TH_CUDA_FLOATS(conv2d))
TH_KERNELS(conv2d_grad_input, TH_CUDA_FLOATS(conv2d_grad_input))
TH_KERNELS(conv2d_grad_weight, TH_CUDA_FLOATS(conv2d_grad_weight))
