// spectra.cuh - convolution on devices by products of spectra, for any transform: images are cut into tiles that overlap
// by the kernel size minus one (overlap-save), and each frequency of all tiles is one product of complex matrices.
//
//   result     (tiles x planes) * conj (results x planes)'      kernels are the right operand
//   gradInput  the same, of the gradient with reversed kernels
//   gradWeight conj (tiles x results)' * (tiles x planes)       summed over the tiles
//
// A spectrum is stored frequency by frequency, then groups, rows (tiles, or kernels), lanes (planes of a group). Real inputs of
// the transforms are numbered in the order of the last three. Strides and dilation of 1 only.
#ifndef TH_CONV_SPECTRA_CUH
#define TH_CONV_SPECTRA_CUH
#include "engine.cuh"

/* P is float or double. Trivial, so that it can be in shared memory. */
template <class P> struct cx {
  P re, im;
  cx() = default;
  __host__ __device__ constexpr cx(P r, P i) : re(r), im(i) {}
  __host__ __device__ explicit constexpr cx(int r) : re((P)r), im(0) {}
};
template <class P> TH_DEVICE_FN cx<P> operator+(cx<P> a, cx<P> b) { return cx<P>(a.re + b.re, a.im + b.im); }
template <class P> TH_DEVICE_FN cx<P> operator-(cx<P> a, cx<P> b) { return cx<P>(a.re - b.re, a.im - b.im); }
template <class P> TH_DEVICE_FN cx<P> operator*(cx<P> a, cx<P> b)
{
  return cx<P>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
template <class P> __host__ __device__ __forceinline__ cx<P> &operator+=(cx<P> &a, cx<P> b) { return a = a + b; }
template <class P> TH_DEVICE_FN cx<P> conj_of(cx<P> a) { return cx<P>(a.re, -a.im); }

/* A convolution in the form that is computed here: `lanes` planes of a group are transformed and become `outs`. */
struct th_spectral { int64_t n, groups, lanes, outs, h, w, kh, kw, oh, ow, ph, pw; };
th_spectral th_spectral_of(const th_conv_shape &s);

/* Tiles of th x tw of which my x mx are results, `rows` of them in memory at a time. */
struct th_tiling { int64_t th, tw, my, mx, ty, tx, tiles, freqs, rows; };
th_tiling th_tiling_of(const th_conv_shape &s, int64_t th, int64_t tw, int64_t freqs);

/* The cost of a tiling without its transforms; `there` and `back` are the counts of numbers that are transformed forward and
 * back. */
th_conv_cost th_spectral_cost(const th_conv_shape &s, const th_tiling &p, double *there, double *back);

/* Pictures as tiles: strides of pictures, groups, lanes, rows, columns; ty x tx tiles per picture at distances of my x mx, the
 * first at oy, ox. rows x cols of a tile are used; the others are 0, or are not written. */
struct th_pictures {
  void *p;
  int dtype;
  int64_t sn, sg, sl, sh, sw, lanes, h, w, ty, tx, my, mx, oy, ox, rows, cols;
};
template <class P> TH_DEVICE_FN P th_read(const void *p, int dtype, int64_t k)
{
  if constexpr (sizeof(P) == 8) return static_cast<const P *>(p)[k];
  if (dtype == TH_F32) return static_cast<const float *>(p)[k];
  return dtype == TH_F16 ? load_half(static_cast<const f16 *>(p)[k]) : load_half(static_cast<const bf16 *>(p)[k]);
}

/* The beginning of the tile with a flat index. */
struct th_tile_place { int64_t offset, y, x, lane; };
TH_DEVICE_FN th_tile_place th_place_of(const th_pictures &g, int64_t first, int64_t rows, int64_t number)
{
  const int64_t r = th_quotient(number, g.lanes), lane = number - r * g.lanes, group = th_quotient(r, rows);
  const int64_t tile = first + r - group * rows, line = th_quotient(tile, g.tx), n = th_quotient(line, g.ty);
  th_tile_place at;
  at.y = (line - n * g.ty) * g.my + g.oy, at.x = (tile - line * g.tx) * g.mx + g.ox;
  at.offset = n * g.sn + group * g.sg + lane * g.sl;
  at.lane = group * g.lanes + lane;
  return at;
}
template <class P> TH_DEVICE_FN P th_take(const th_pictures &g, const th_tile_place &at, int64_t i, int64_t j)
{
  const int64_t y = at.y + i, x = at.x + j;
  if (i >= g.rows || j >= g.cols || y < 0 || x < 0 || y >= g.h || x >= g.w) return 0;
  return th_read<P>(g.p, g.dtype, at.offset + y * g.sh + x * g.sw);
}

/* How to store results of the inverse transform: times scale, plus the bias of their lane, or added to the old contents. */
struct th_results { double scale; bool add; const void *bias; int64_t step; };
template <class P> TH_DEVICE_FN void th_give_back(const th_pictures &g, const th_results &r, const th_tile_place &at, int64_t i,
                                                  int64_t j, P v)
{
  const int64_t y = at.y + i, x = at.x + j;
  if (i >= g.rows || j >= g.cols || y >= g.h || x >= g.w) return;
  const int64_t k = at.offset + y * g.sh + x * g.sw;
  v *= (P)r.scale;
  if (r.bias) v += th_read<P>(r.bias, g.dtype, at.lane * r.step);
  if (r.add) v += th_read<P>(g.p, g.dtype, k);
  if constexpr (sizeof(P) == 8) static_cast<P *>(g.p)[k] = v;
  else if (g.dtype == TH_F32) static_cast<float *>(g.p)[k] = v;
  else if (g.dtype == TH_F16) static_cast<f16 *>(g.p)[k] = store_f16(v);
  else static_cast<bf16 *>(g.p)[k] = store_bf16(v);
}

/* The transform. Converts `count` tiles, in groups of `rows` x lanes, to and from spectra. prepare allocates the memory for the
 * largest count. */
class th_transforms {
public:
  virtual th_status prepare(int64_t) { return TH_OK; }
  virtual th_status there(const th_pictures &g, int64_t first, int64_t rows, int64_t count, void *to) = 0;
  virtual th_status back(const th_pictures &g, const th_results &r, int64_t first, int64_t rows, int64_t count, void *from) = 0;
protected:
  ~th_transforms() = default;
};

/* If this fails because of memory or a library, it has not changed the result, so another engine may repeat the call. */
th_status th_spectral_run(const th_conv *c, const th_tiling &p, th_transforms &f);

#endif
