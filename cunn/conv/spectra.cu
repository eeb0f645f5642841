// spectra.cu - convolution by products of spectra: how images and kernels become tiles, and the products of all frequencies.
#include <algorithm>
#include "spectra.cuh"
#include "../libraries/cufft.cuh"

namespace {

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static size_t size_of(const th_conv_shape &s) { return s.dtype == TH_F64 ? sizeof(cx<double>) : sizeof(cx<float>); }

/* ---- products: of each frequency and group, one of the operands is conjugate ---- */

template <class T> struct product {
  typedef cx<T> P;
  const P *a, *b;
  P *c;
  int64_t as[3], bs[3], n, cs;
  bool turned, add, left_deep, right_deep;           /* turned: the left operand is conjugate, else the right one */
  __device__ P left(int64_t p, int64_t i, int64_t q) const
  {
    const P v = a[p * as[0] + i * as[1] + q * as[2]];
    return turned ? conj_of(v) : v;
  }
  __device__ P right(int64_t p, int64_t q, int64_t j) const
  {
    const P v = b[p * bs[0] + q * bs[1] + j * bs[2]];
    return turned ? v : conj_of(v);
  }
  __device__ void put(int64_t p, int64_t i, int64_t j, P v) const
  {
    P &to = c[p * cs + i * n + j];
    to = add ? to + v : v;
  }
};

/* The sizes of a product of `batch` frequencies and groups. */
struct sizes { bool wide; int64_t batch, rows, lanes, outs; };

/* tiles (rows x outs) = left (rows x lanes) * conj right (outs x lanes)' */
template <class T> static th_status correlate_own(const sizes &s, void *to, const void *left, const void *right)
{
  typedef cx<T> P;
  const product<T> o = { static_cast<const P *>(left), static_cast<const P *>(right), static_cast<P *>(to),
                         { s.rows * s.lanes, s.lanes, 1 }, { s.outs * s.lanes, 1, s.lanes }, s.outs, s.rows * s.outs, false,
                         false, true, true };
  return th_multiply(o, s.batch, s.rows, s.outs, s.lanes);
}
static th_status correlate(const sizes &s, void *to, const void *left, const void *right)
{
  bool done = false;
  TH_TRY(th_cuda_blas_complex({ s.wide, true, s.batch, s.outs, s.rows, s.lanes, right, left, to, false }, &done));
  if (done) return TH_OK;
  return s.wide ? correlate_own<double>(s, to, left, right) : correlate_own<float>(s, to, left, right);
}

/* kernels (outs x lanes) = conj right (rows x outs)' * left (rows x lanes), or that much more */
template <class T> static th_status sum_own(const sizes &s, void *to, const void *left, const void *right, bool add)
{
  typedef cx<T> P;
  const product<T> o = { static_cast<const P *>(right), static_cast<const P *>(left), static_cast<P *>(to),
                         { s.rows * s.outs, 1, s.outs }, { s.rows * s.lanes, s.lanes, 1 }, s.lanes, s.outs * s.lanes, true, add,
                         false, false };
  return th_multiply(o, s.batch, s.outs, s.lanes, s.rows);
}
static th_status sum(const sizes &s, void *to, const void *left, const void *right, bool add)
{
  bool done = false;
  TH_TRY(th_cuda_blas_complex({ s.wide, false, s.batch, s.lanes, s.outs, s.rows, left, right, to, add }, &done));
  if (done) return TH_OK;
  return s.wide ? sum_own<double>(s, to, left, right, add) : sum_own<float>(s, to, left, right, add);
}

/* ---- the pictures of a convolution ---- */

struct strides { int64_t n, plane, row, col; };
static strides strides_of(const th_tensor *t)
{
  const int f = t->ndim - 3;
  return { f ? t->stride[0] : 0, t->stride[f], t->stride[f + 1], t->stride[f + 2] };
}

static th_pictures images(const th_tensor *t, int64_t planes, int64_t h, int64_t w, const th_tiling &p)
{
  const strides s = strides_of(t);
  return { th_data(t, th_element_size(t->dtype)), t->dtype, s.n, planes * s.plane, s.plane, s.row, s.col, planes, h, w, p.ty,
           p.tx, p.my, p.mx, 0, 0, p.my, p.mx };
}

/* Kernels: rows are results, lanes are planes; of gradInput the other way round, and turned. */
static th_pictures kernels(const th_conv *c)
{
  const strides k = strides_of(c->k);
  const th_conv_shape &s = c->s;
  th_pictures g = { th_data(c->k, th_element_size(s.dtype)), s.dtype, k.n, s.o * k.n, k.plane, k.row, k.col, s.c, s.kh, s.kw, 1,
                    1, s.kh, s.kw, 0, 0, s.kh, s.kw };
  if (s.pass != TH_CONV_GRAD_INPUT) return g;
  std::swap(g.sn, g.sl);
  g.lanes = s.o, g.sh = -k.row, g.sw = -k.col;
  g.p = static_cast<char *>(g.p) + ((s.kh - 1) * k.row + (s.kw - 1) * k.col) * (int64_t)th_element_size(s.dtype);
  return g;
}

/* ---- the passes ---- */

struct work { th_pictures left, right, out; th_cuda_scratch a, b, k; };

static th_status correlate_all(const th_conv *c, const th_spectral &t, const th_tiling &p, th_transforms &f, work &w)
{
  const th_results r = { 1.0 / (double)(p.th * p.tw), false, c->bias ? th_data(c->bias, th_element_size(c->s.dtype)) : nullptr,
                         c->bias ? c->bias->stride[0] : 0 };
  TH_TRY(f.there(w.right, 0, t.outs, t.groups * t.outs * t.lanes, w.k.as<void>()));
  for (int64_t first = 0; first < p.tiles; first += p.rows) {
    const int64_t rows = std::min(p.rows, p.tiles - first);
    TH_TRY(f.there(w.left, first, rows, t.groups * rows * t.lanes, w.a.as<void>()));
    TH_TRY(correlate({ c->s.dtype == TH_F64, p.freqs * t.groups, rows, t.lanes, t.outs }, w.b.as<void>(), w.a.as<void>(),
                     w.k.as<void>()));
    TH_TRY(f.back(w.out, r, first, rows, t.groups * rows * t.outs, w.b.as<void>()));
  }
  return TH_OK;
}

static th_status sum_all(const th_conv *c, const th_spectral &t, const th_tiling &p, th_transforms &f, work &w)
{
  const th_results r = { c->scale / (double)(p.th * p.tw), true, nullptr, 0 };
  for (int64_t first = 0; first < p.tiles; first += p.rows) {
    const int64_t rows = std::min(p.rows, p.tiles - first);
    TH_TRY(f.there(w.left, first, rows, t.groups * rows * t.lanes, w.a.as<void>()));
    TH_TRY(f.there(w.right, first, rows, t.groups * rows * t.outs, w.b.as<void>()));
    TH_TRY(sum({ c->s.dtype == TH_F64, p.freqs * t.groups, rows, t.lanes, t.outs }, w.k.as<void>(), w.a.as<void>(),
               w.b.as<void>(), first > 0));
  }
  return f.back(w.out, r, 0, t.outs, t.groups * t.outs * t.lanes, w.k.as<void>());
}

}  // namespace

th_spectral th_spectral_of(const th_conv_shape &s)
{
  if (s.pass == TH_CONV_GRAD_INPUT) {
    return { s.n, s.groups, s.o, s.c, s.oh, s.ow, s.kh, s.kw, s.h, s.w, s.kh - 1 - s.ph, s.kw - 1 - s.pw };
  }
  return { s.n, s.groups, s.c, s.o, s.h, s.w, s.kh, s.kw, s.oh, s.ow, s.ph, s.pw };
}

th_tiling th_tiling_of(const th_conv_shape &s, int64_t th, int64_t tw, int64_t freqs)
{
  const th_spectral t = th_spectral_of(s);
  th_tiling p = { th, tw, std::min(th - t.kh + 1, t.oh), std::min(tw - t.kw + 1, t.ow), 0, 0, 0, freqs, 0 };
  p.ty = up(t.oh, p.my), p.tx = up(t.ow, p.mx);
  p.tiles = t.n * p.ty * p.tx;
  const double row = (double)size_of(s) * (double)freqs * (double)(t.groups * (t.lanes + t.outs));
  p.rows = (int64_t)std::min(std::max((double)th_cuda_chunk(s.device) / row, 1.0), (double)p.tiles);
  p.rows = up(p.tiles, up(p.tiles, p.rows));
  return p;
}

th_conv_cost th_spectral_cost(const th_conv_shape &s, const th_tiling &p, double *there, double *back)
{
  const th_cuda_peak &peak = th_cuda_peak_of(s.device);
  const th_spectral t = th_spectral_of(s);
  const bool weight = s.pass == TH_CONV_GRAD_WEIGHT;
  const double size = (double)size_of(s) * (double)p.freqs, tiles = (double)p.tiles, chunks = (double)up(p.tiles, p.rows);
  const double left = (double)(t.groups * t.lanes), right = (double)(t.groups * t.outs), k = (double)t.lanes * right;
  const double rate = (th_cuda_blas()[0] ? 0.5 : 0.15) * (s.dtype == TH_F64 ? peak.doubles : peak.floats);
  th_conv_cost c = {};
  *there = tiles * left + (weight ? tiles * right : k), *back = weight ? k : tiles * right;
  c.th = (int32_t)p.th, c.tw = (int32_t)p.tw;
  c.workspace = size * (k + (double)p.rows * (left + right));
  c.flops = 8 * (double)p.freqs * tiles * (double)t.lanes * right;
  /* Spectra are written, and read; those of kernels once a chunk. */
  c.bytes = size * (2 * tiles * (left + right) + k * (1 + chunks * (weight ? 2 : 1))) + th_conv_bytes(s);
  c.seconds = c.flops / rate + c.bytes / peak.bytes + TH_CUDA_LAUNCH * (2 + 3 * chunks);
  return c;
}

th_status th_spectral_run(const th_conv *c, const th_tiling &p, th_transforms &f)
{
  const th_conv_shape &s = c->s;
  const th_spectral t = th_spectral_of(s);
  const bool input = s.pass == TH_CONV_GRAD_INPUT, weight = s.pass == TH_CONV_GRAD_WEIGHT;
  const double all = (double)size_of(s) * (double)p.freqs * (double)t.groups *
                     std::max((double)t.lanes * (double)t.outs, (double)p.rows * (double)std::max(t.lanes, t.outs));
  if (all > (double)(INT64_MAX / 4)) return th_fail(TH_ENOMEM, "no memory for %g bytes of spectra", all);
  work w;
  w.left = images(input ? c->y : c->x, t.lanes, t.h, t.w, p);
  w.left.oy = -t.ph, w.left.ox = -t.pw, w.left.rows = p.my + t.kh - 1, w.left.cols = p.mx + t.kw - 1;
  w.right = weight ? images(c->y, t.outs, t.oh, t.ow, p) : kernels(c);
  w.out = weight ? kernels(c) : images(input ? c->x : c->y, t.outs, t.oh, t.ow, p);
  const size_t row = size_of(s) * (size_t)p.freqs * (size_t)t.groups;
  TH_TRY(w.a.take(row * (size_t)(p.rows * t.lanes)));
  TH_TRY(w.b.take(row * (size_t)(p.rows * t.outs)));
  TH_TRY(w.k.take(row * (size_t)(t.outs * t.lanes)));
  TH_TRY(f.prepare(t.groups * std::max(t.lanes * t.outs, p.rows * std::max(t.lanes, t.outs))));
  return weight ? sum_all(c, t, p, f, w) : correlate_all(c, t, p, f, w);
}
