// engine_gemm.cu - the engine gemm of devices: convolutions of images and their gradients, each a product of matrices whose
// elements are looked up where they are needed, so that no unfolded image is stored. The order of each sum depends on sizes only.
#include "engine.cuh"
#include "../kernels/normalise.cuh"

namespace {

typedef th_conv_shape shape;

template <class T> struct operand {
  const T *p;
  view v;
  explicit operand(const th_tensor *t) : p(th_first<const T>(t)), v(th_view_of(t)) {}
  __device__ typename element<T>::C get(int64_t i) const { return element<T>::load(p[v.at(i)]); }
};

/* The pixel of the planes from `plane0` on that tap `tap` (plane, row, column) of result `at` looks at; 0 outside. */
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

template <class T> static th_status forward(const th_conv *c)
{
  const shape &s = c->s;
  const forward_of<T> f = { s, operand<T>(c->x), operand<T>(c->k), th_vector<T>(c->bias), th_first<T>(c->y), th_view_of(c->y),
                            true, false };
  return th_multiply(f, s.n * s.groups, s.o, s.oh * s.ow, s.c * s.kh * s.kw);
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

template <class T> static th_status grad_input(const th_conv *c)
{
  const shape &s = c->s;
  const input_of<T> f = { s, operand<T>(c->y), operand<T>(c->k), th_first<T>(c->x), th_view_of(c->x), true, false };
  return th_multiply(f, s.n * s.groups, s.c, s.h * s.w, s.o * s.kh * s.kw);
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
enum { LEAST = 1024, MOST = 1 << 15, TILES = 512 };      /* products of a stretch; tiles that keep a device busy */

static int64_t tiles_of(int64_t n) { return (n + TILE - 1) / TILE; }

static int64_t stretches_of(const shape &s)
{
  const int64_t total = s.n * s.oh * s.ow, tiles = s.groups * tiles_of(s.o) * tiles_of(s.c * s.kh * s.kw);
  int64_t stretches = tiles ? (TILES + tiles - 1) / tiles : 1;
  if (stretches > (total + LEAST - 1) / LEAST) stretches = (total + LEAST - 1) / LEAST;
  if (stretches < (total + MOST - 1) / MOST) stretches = (total + MOST - 1) / MOST;      /* longer sums would lose digits */
  return stretches;
}

template <class T> static th_status grad_weight(const th_conv *c)
{
  typedef typename element<T>::C P;
  const shape &s = c->s;
  const int64_t total = s.n * s.oh * s.ow, taps = s.c * s.kh * s.kw, n = th_numel(c->k), stretches = stretches_of(s);
  th_cuda_scratch part;
  if (total == 0 || n == 0) return TH_OK;
  TH_TRY(part.take((size_t)(stretches * n) * sizeof(P)));
  const weight_of<T> f = { s, operand<T>(c->x), operand<T>(c->y), part.as<P>(), (total + stretches - 1) / stretches, total, true,
                           true };
  TH_TRY(th_multiply(f, stretches * s.groups, s.o, taps, f.stretch));
  TH_LAUNCH((add_parts<T>), th_blocks(n), THREADS, 0, th_first<T>(c->k), th_view_of(c->k), part.as<const P>(), stretches,
            c->scale, n);
  return th_launched();
}

template <class T> static th_status pass(const th_conv *c)
{
  if (c->s.pass == TH_CONV_FORWARD) return forward<T>(c);
  return c->s.pass == TH_CONV_GRAD_INPUT ? grad_input<T>(c) : grad_weight<T>(c);
}
static th_status run(const th_conv *c, const th_call *)
{
  static th_status (*const by_type[TH_NDTYPE])(const th_conv *) = { nullptr, TH_CUDA_FLOATS(pass) };
  return by_type[c->s.dtype](c);
}

static bool supports(const th_conv_shape *) { return true; }

/* Tiles are multiplied whole. A thread looks 8 operands up, by quotients, for 256 multiplications: an estimate from the count of
 * instructions, that no device was measured for. */
static th_conv_cost cost(const th_conv_shape *s)
{
  const th_cuda_peak &p = th_cuda_peak_of(s->device);
  const bool weight = s->pass == TH_CONV_GRAD_WEIGHT;
  const int64_t m = s->pass == TH_CONV_GRAD_INPUT ? s->c : s->o;
  const int64_t n = weight ? s->c * s->kh * s->kw : s->pass == TH_CONV_GRAD_INPUT ? s->h * s->w : s->oh * s->ow;
  const double stretches = weight ? (double)stretches_of(*s) : 1, batch = weight ? stretches : (double)s->n;
  const double tiles = batch * (double)s->groups * (double)tiles_of(m) * (double)tiles_of(n);
  const double taps = (double)(s->kh * s->kw) * (double)(s->pass == TH_CONV_GRAD_INPUT ? s->o : s->c);
  const double depth = weight ? (double)(s->n * s->oh * s->ow) / stretches : taps;
  const double flops = 2 * tiles * TILE * TILE * depth, rate = 0.2 * (s->dtype == TH_F64 ? p.doubles : p.floats);
  th_conv_cost c = {};
  c.workspace = weight ? stretches * (double)(s->groups * s->o) * (double)n * (s->dtype == TH_F64 ? 8 : 4) : 0;
  c.flops = 2 * th_conv_products(*s);
  c.bytes = th_conv_bytes(*s) + 2 * c.workspace;
  c.seconds = TH_CUDA_LAUNCH * (weight ? 2 : 1) + flops / rate / th_cuda_share(p, tiles) + c.bytes / p.bytes;
  return c;
}

}  // namespace

const th_conv_engine th_cuda_conv_gemm = { "gemm", supports, cost, run, nullptr };
