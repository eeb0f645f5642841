// pool2d.cu - maxima and means over windows of images, and their gradients.
#include "../libraries/cudnn.cuh"
#include "../../lib/op/pool2d.args.h"
#include "fold.cuh"

namespace {

struct pool { int64_t planes, h, w, oh, ow, kh, kw, sh, sw, ph, pw, dh, dw; bool count_pad; };

static pool geometry(const th_tensor *x, const th_tensor *y)
{
  pool p = {};
  p.planes = x->size[x->ndim - 3] * (x->ndim == 4 ? x->size[0] : 1);
  p.h = x->size[x->ndim - 2], p.w = x->size[x->ndim - 1], p.oh = y->size[y->ndim - 2], p.ow = y->size[y->ndim - 1];
  p.dh = p.dw = 1;
  return p;
}
static void set_windows(pool *p, const pool_window_args *w)
{
  p->kh = w->kH, p->kw = w->kW, p->sh = w->strideH, p->sw = w->strideW, p->ph = w->padH, p->pw = w->padW;
}

/* ---- maxima ---- */

template <class T> static __global__ void largest(T *y, view vy, int64_t *index, view vi, const T *x, view vx, pool p, int64_t n)
{
  typedef element<T> E;
  typedef typename E::C C;
  for (TH_EACH(i, n)) {
    const int64_t line = th_quotient(i, p.ow), plane = th_quotient(line, p.oh), row = line - plane * p.oh, col = i - line * p.ow;
    const int64_t top = row * p.sh - p.ph, left = col * p.sw - p.pw;
    C best = -(C)INFINITY;
    int64_t where = 0;
    for (int64_t a = 0; a < p.kh; a++) {
      const int64_t h = top + a * p.dh;
      if (h < 0 || h >= p.h) continue;
      for (int64_t b = 0; b < p.kw; b++) {
        const int64_t w = left + b * p.dw;
        if (w < 0 || w >= p.w) continue;
        const C v = E::load(x[vx.at((plane * p.h + h) * p.w + w)]);
        if (v > best || v != v || where == 0) best = v, where = h * p.w + w + 1;
      }
    }
    y[vy.at(i)] = E::store(best);
    index[vi.at(i)] = where;
  }
}

template <class T> static th_status maxpool2d(const th_call *c)
{
  const maxpool2d_args *a = maxpool2d_args_of(c);
  const th_tensor *y = a->y, *index = a->index, *x = a->x;
  const int64_t n = th_numel(y);
  pool p = geometry(x, y);
  set_windows(&p, pool_window_args_at(c, maxpool2d_kH));
  p.dh = a->dilationH, p.dw = a->dilationW;
  if (n == 0) return TH_OK;
  TH_LAUNCH((largest<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), th_first<int64_t>(index), th_view_of(index),
            th_first<const T>(x), th_view_of(x), p, n);
  return th_launched();
}

/* ---- the gradient of maxima ---- */

/* Places of a plane: slices x rows x columns. An image has one slice. */
struct extent {
  int64_t d, h, w;
  __host__ __device__ int64_t count() const { return d * h * w; }
};
static extent extent_of(const th_tensor *t, int dims)
{
  const int64_t *size = t->size + t->ndim - dims;
  return { dims == 3 ? size[0] : 1, size[dims - 2], size[dims - 1] };
}

/* I: a type that holds the number of elements. */
template <class I> struct spot { I plane, d, h, w; };
template <class I> TH_DEVICE_FN spot<I> spot_of(int64_t at, const extent &e)
{
  const I i = (I)at, line = i / (I)e.w, slice = line / (I)e.h, plane = slice / (I)e.d;
  return { plane, slice - plane * (I)e.d, line - slice * (I)e.h, i - line * (I)e.w };
}

/* For each slice, row and column of pixels: the first and the last slice, row and column of windows that chose a pixel in it. */
typedef long long place;
struct choosers { place *first, *last; };
static __global__ void clear(choosers c, int64_t n)
{
  for (TH_EACH(i, n)) c.first[i] = INT64_MAX, c.last[i] = -1;
}
/* Most threads find that others have noted their window, and a stale value costs one more atomic. Other threads may write what
 * `volatile` reads here. */
static __device__ __forceinline__ place noted(const place *p) { return *static_cast<const volatile place *>(p); }
static __device__ __forceinline__ void note(const choosers &c, int64_t at, place window)
{
  if (window < noted(c.first + at)) atomicMin(c.first + at, window);
  if (window > noted(c.last + at)) atomicMax(c.last + at, window);
}
template <class I>
static __global__ void note_choosers(choosers c, const int64_t *index, view vi, extent pixels, extent windows, int64_t n)
{
  for (TH_EACH(k, n)) {
    const int64_t pixel = index[vi.at(k)] - 1;
    if (pixel < 0) continue;
    const spot<I> to = spot_of<I>(pixel, pixels), from = spot_of<I>(k, windows);
    if (pixels.d > 1 || windows.d > 1) note(c, (int64_t)to.d, (place)from.d);
    else if (noted(c.last) < 0) note(c, 0, 0);
    note(c, pixels.d + (int64_t)to.h, (place)from.h);
    note(c, pixels.d + pixels.h + (int64_t)to.w, (place)from.w);
  }
}

/* Each pixel adds the gradients of the windows that chose it, in their order. */
template <class T, class I>
static __global__ void add_choosers(T *gx, view vx, const int64_t *index, view vi, const T *g, view vg, choosers c, extent pixels,
                                    extent windows, int64_t n)
{
  typedef element<T> E;
  for (TH_EACH(p, n)) {
    const spot<I> at = spot_of<I>(p, pixels);
    const int64_t h = pixels.d + (int64_t)at.h, w = pixels.d + pixels.h + (int64_t)at.w;
    const int64_t mine = p - (int64_t)at.plane * pixels.count() + 1;
    const place first = c.first[w], last = c.last[w];
    T sum = E::store((typename E::C)0);
    for (place a = c.first[at.d]; a <= c.last[at.d]; a++) {
      for (place i = c.first[h]; i <= c.last[h]; i++) {
        const int64_t line = (((int64_t)at.plane * windows.d + a) * windows.h + i) * windows.w;
        for (place j = first; j <= last; j++) {
          if (index[vi.at(line + j)] == mine) sum = E::store(E::load(sum) + E::load(g[vg.at(line + j)]));
        }
      }
    }
    gx[vx.at(p)] = sum;
  }
}

template <class T, class I> static th_status max_grad_by(const th_call *c, int dims)
{
  const maxpool2d_grad_args *a = maxpool2d_grad_args_of(c);
  const th_tensor *gx = a->gx, *index = a->index, *g = a->g;
  const extent pixels = extent_of(gx, dims), windows = extent_of(g, dims);
  const int64_t lines = pixels.d + pixels.h + pixels.w, n = th_numel(g);
  th_cuda_scratch room;
  TH_TRY(room.take((size_t)lines * 2 * sizeof(place)));
  const choosers by = { room.as<place>(), room.as<place>() + lines };
  TH_LAUNCH((clear), th_blocks(lines), THREADS, 0, by, lines);
  if (n > 0) {
    TH_LAUNCH((note_choosers<I>), th_blocks(n), THREADS, 0, by, th_first<const int64_t>(index), th_view_of(index), pixels,
              windows, n);
  }
  TH_LAUNCH((add_choosers<T, I>), th_blocks(th_numel(gx)), THREADS, 0, th_first<T>(gx), th_view_of(gx),
            th_first<const int64_t>(index), th_view_of(index), th_first<const T>(g), th_view_of(g), by, pixels, windows,
            th_numel(gx));
  return th_launched();
}
template <class T> static th_status max_grad(const th_call *c, int dims)
{
  const maxpool2d_grad_args *a = maxpool2d_grad_args_of(c);
  if (th_numel(a->gx) == 0) return TH_OK;
  const bool small = th_numel(a->gx) < INT32_MAX && th_numel(a->g) < INT32_MAX;
  return small ? max_grad_by<T, uint32_t>(c, dims) : max_grad_by<T, int64_t>(c, dims);
}

template <class T> static th_status maxpool2d_grad(const th_call *c) { return max_grad<T>(c, 2); }
template <class T> static th_status maxpool3d_grad(const th_call *c) { return max_grad<T>(c, 3); }

/* ---- means ---- */

/* What window (i, j) divides by, and the part of it that lies in the image. */
struct window { int64_t h0, h1, w0, w1, by; };
TH_DEVICE_FN int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
TH_DEVICE_FN int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
TH_DEVICE_FN window window_at(const pool &p, int64_t i, int64_t j)
{
  const int64_t h0 = i * p.sh - p.ph, w0 = j * p.sw - p.pw;
  const int64_t h1 = least(h0 + p.kh, p.h + p.ph), w1 = least(w0 + p.kw, p.w + p.pw);
  window v = { most(h0, 0), least(h1, p.h), most(w0, 0), least(w1, p.w), 0 };
  v.by = p.count_pad ? (h1 - h0) * (w1 - w0) : (v.h1 - v.h0) * (v.w1 - v.w0);
  return v;
}

template <class T> static __global__ void mean(T *y, view vy, const T *x, view vx, pool p, int64_t n)
{
  typedef element<T> E;
  typedef typename E::C C;
  for (TH_EACH(i, n)) {
    const int64_t line = th_quotient(i, p.ow), plane = th_quotient(line, p.oh);
    const window v = window_at(p, line - plane * p.oh, i - line * p.ow);
    double sum = 0;
    for (int64_t h = v.h0; h < v.h1; h++) {
      for (int64_t w = v.w0; w < v.w1; w++) sum += (double)E::load(x[vx.at((plane * p.h + h) * p.w + w)]);
    }
    y[vy.at(i)] = E::store((C)(sum / (double)(C)v.by));
  }
}

/* Each pixel sums its share of the windows that hold it, in their order. */
template <class T> static __global__ void share(T *gx, view vx, const T *g, view vg, pool p, int64_t n)
{
  typedef element<T> E;
  typedef typename E::C C;
  for (TH_EACH(at, n)) {
    const int64_t line = th_quotient(at, p.w), plane = th_quotient(line, p.h), h = line - plane * p.h, w = at - line * p.w;
    const int64_t i0 = h + p.ph < p.kh ? 0 : (h + p.ph - p.kh) / p.sh + 1, i1 = least((h + p.ph) / p.sh + 1, p.oh);
    const int64_t j0 = w + p.pw < p.kw ? 0 : (w + p.pw - p.kw) / p.sw + 1, j1 = least((w + p.pw) / p.sw + 1, p.ow);
    T sum = E::store((C)0);
    for (int64_t i = i0; i < i1; i++) {
      for (int64_t j = j0; j < j1; j++) {
        const C part = E::load(g[vg.at((plane * p.oh + i) * p.ow + j)]) / (C)window_at(p, i, j).by;
        sum = E::store(E::load(sum) + part);
      }
    }
    gx[vx.at(at)] = sum;
  }
}

template <class T> static th_status own_mean(const th_call *c)
{
  const avgpool2d_args *a = avgpool2d_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  const int64_t n = th_numel(y);
  pool p = geometry(x, y);
  set_windows(&p, pool_window_args_at(c, avgpool2d_kH));
  p.count_pad = a->countPad != 0;
  if (n == 0) return TH_OK;
  TH_LAUNCH((mean<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), th_first<const T>(x), th_view_of(x), p, n);
  return th_launched();
}
template <class T> static th_status own_mean_grad(const th_call *c)
{
  const avgpool2d_grad_args *a = avgpool2d_grad_args_of(c);
  const th_tensor *gx = a->gx, *g = a->g;
  const int64_t n = th_numel(gx);
  pool p = geometry(gx, g);
  set_windows(&p, pool_window_args_at(c, avgpool2d_grad_kH));
  p.count_pad = a->countPad != 0;
  if (n == 0) return TH_OK;
  TH_LAUNCH((share<T>), th_blocks(n), THREADS, 0, th_first<T>(gx), th_view_of(gx), th_first<const T>(g), th_view_of(g), p, n);
  return th_launched();
}

/* ---- means by cuDNN: its maxima come without their places, which are a result here, and its gradient of them asks for more than
 * the places ---- */

struct by_cudnn {
  dnn::tensor x, y;
  dnn::packed from, to;
  void *d = nullptr;
  ~by_cudnn() { if (d) dnn::library.free_pool(d); }
  th_status make(const th_tensor *tx, const th_tensor *ty, const mean_window_args *w)
  {
    const int mode = w->countPad ? dnn::MEAN_WITH_PADDING : dnn::MEAN_WITHOUT_PADDING;
    TH_TRY(x.make_like(tx, true));
    TH_TRY(y.make_like(ty, true));
    TH_DNN_TRY(new_pool, &d);
    TH_DNN_TRY(set_pool, d, mode, dnn::PROPAGATE_NAN, (int)w->kH, (int)w->kW, (int)w->padH, (int)w->padW, (int)w->strideH,
               (int)w->strideW);
    return TH_OK;
  }
};

static th_status cudnn_mean(const th_call *c)
{
  const avgpool2d_args *a = avgpool2d_args_of(c);
  const dnn::factors f(1, c->dtype == TH_F64);
  by_cudnn p;
  TH_TRY(p.from.take(a->x, true));
  TH_TRY(p.to.take(a->y, false));
  dnn::handle h;
  TH_TRY(h.take());
  TH_TRY(p.make(a->x, a->y, mean_window_args_at(c, avgpool2d_kH)));
  TH_DNN_TRY(pool, h, p.d, f.at(dnn::ONCE), p.x, p.from.data(), f.at(dnn::NOTHING), p.y, p.to.data());
  return p.to.give();
}

/* The gradient of a mean needs neither x nor y, which cuDNN asks for all the same: any memory of their size does. */
static th_status cudnn_mean_grad(const th_call *c)
{
  const avgpool2d_grad_args *a = avgpool2d_grad_args_of(c);
  const dnn::factors f(1, c->dtype == TH_F64);
  by_cudnn p;
  TH_TRY(p.from.take(a->g, true));
  TH_TRY(p.to.take(a->gx, false));
  dnn::handle h;
  TH_TRY(h.take());
  TH_TRY(p.make(a->gx, a->g, mean_window_args_at(c, avgpool2d_grad_kH)));
  TH_DNN_TRY(pool_back, h, p.d, f.at(dnn::ONCE), p.y, p.from.data(), p.y, p.from.data(), p.x, p.to.data(), f.at(dnn::NOTHING),
             p.x, p.to.data());
  return p.to.give();
}

/* Both divide alike where no window hangs over the padding. */
static dnn::work mean_of(const th_call *c, int kind, const th_tensor *x, const th_tensor *y, const mean_window_args *a,
                         th_kernel own)
{
  const int h = x->ndim - 2, w = x->ndim - 1;
  const int64_t n = x->ndim == 4 ? x->size[0] : 1, planes = x->size[x->ndim - 3];
  bool can = th_numel(x) > 0 && th_numel(x) < INT32_MAX && th_numel(y) < INT32_MAX;
  const int64_t k[] = { a->kH, a->kW }, step[] = { a->strideH, a->strideW }, pad[] = { a->padH, a->padW };
  for (int i = 0; i < 2; i++) {
    const int64_t in = x->size[h + i] + 2 * pad[i] - k[i];
    can = can && k[i] < 4096 && step[i] < 4096 && in / step[i] + 1 == y->size[h + i];
  }
  dnn::work job = { dnn::key_of(c, kind, { n, 1, planes, a->countPad, x->size[h], x->size[w], k[0], k[1], y->size[h],
                                           y->size[w], step[0], step[1], pad[0], pad[1] }),
                    can, false, own, kind == TH_TUNE_MEAN ? cudnn_mean : cudnn_mean_grad,
                    { kind == TH_TUNE_MEAN ? (int)avgpool2d_y : (int)avgpool2d_grad_gx, -1 } };
  return job;
}
template <class T> static th_status avgpool2d(const th_call *c)
{
  const avgpool2d_args *a = avgpool2d_args_of(c);
  return dnn::compute(c, mean_of(c, TH_TUNE_MEAN, a->x, a->y, mean_window_args_at(c, avgpool2d_kH), own_mean<T>));
}
template <class T> static th_status avgpool2d_grad(const th_call *c)
{
  const avgpool2d_grad_args *a = avgpool2d_grad_args_of(c);
  return dnn::compute(c, mean_of(c, TH_TUNE_MEAN_GRAD, a->gx, a->g, mean_window_args_at(c, avgpool2d_grad_kH), own_mean_grad<T>));
}

}  // namespace

TH_KERNELS(maxpool2d, TH_CUDA_FLOATS(maxpool2d))
TH_KERNELS(maxpool2d_grad, TH_CUDA_FLOATS(maxpool2d_grad))
TH_KERNELS(maxpool3d_grad, TH_CUDA_FLOATS(maxpool3d_grad))
TH_KERNELS(avgpool2d, TH_CUDA_FLOATS(avgpool2d))
TH_KERNELS(avgpool2d_grad, TH_CUDA_FLOATS(avgpool2d_grad))
