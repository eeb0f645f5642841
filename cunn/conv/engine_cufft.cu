// engine_cufft.cu - the engine cufft of devices: spectra of tiles or lines of any size, by cuFFT.
// Tiles are gathered side by side,
// with zeros where there is no image; from cuFFT their spectra come in the order in which products read them.
#include <algorithm>
#include "spectra.cuh"
#include "../libraries/cufft.cuh"
#include "../runtime/recording.cuh"

namespace {

constexpr int64_t LONGEST = 1 << 20;                 /* kernels */

/* A block has a tile; threads walk through it. */
template <class P>
static __global__ void gather(P *to, th_pictures g, int64_t first, int64_t rows, int64_t count, int64_t h, int64_t w)
{
  for (int64_t e = blockIdx.x; e < count; e += gridDim.x) {
    const th_tile_place at = th_place_of(g, first, rows, e);
    for (int64_t k = threadIdx.x; k < h * w; k += blockDim.x) {
      const int64_t i = th_quotient(k, w);
      to[e * h * w + k] = th_take<P>(g, at, i, k - i * w);
    }
  }
}
template <class P>
static __global__ void scatter(const P *from, th_pictures g, th_results r, int64_t first, int64_t rows, int64_t count, int64_t h,
                               int64_t w)
{
  const int64_t cols = g.cols < w ? g.cols : w;
  for (int64_t e = blockIdx.x; e < count; e += gridDim.x) {
    const th_tile_place at = th_place_of(g, first, rows, e);
    for (int64_t k = threadIdx.x; k < (g.rows < h ? g.rows : h) * cols; k += blockDim.x) {
      const int64_t i = th_quotient(k, cols), j = k - i * cols;
      th_give_back<P>(g, r, at, i, j, from[(e * h + i) * w + j]);
    }
  }
}

static unsigned blocks_for(int64_t count) { return (unsigned)std::min<int64_t>(count, 1 << 20); }

template <class P> class transforms : public th_transforms {
public:
  transforms(int64_t rows, int64_t columns) : h(rows), w(columns) {}
  th_status prepare(int64_t count) override { return tiles.take((size_t)(count * h * w) * sizeof(P)); }
  th_status there(const th_pictures &g, int64_t first, int64_t rows, int64_t count, void *to) override
  {
    TH_LAUNCH((gather<P>), blocks_for(count), THREADS, 0, tiles.as<P>(), g, first, rows, count, h, w);
    TH_TRY(th_launched());
    return th_cuda_fft_run(plan(false, count), tiles.as<void>(), to);
  }
  th_status back(const th_pictures &g, const th_results &r, int64_t first, int64_t rows, int64_t count, void *from) override
  {
    TH_TRY(th_cuda_fft_run(plan(true, count), tiles.as<void>(), from));
    TH_LAUNCH((scatter<P>), blocks_for(count), THREADS, 0, tiles.as<const P>(), g, r, first, rows, count, h, w);
    return th_launched();
  }
private:
  th_cuda_fft plan(bool back, int64_t count) const
  {
    return { th_cuda_fft::REAL, sizeof(P) == 8, back, { w == 1 ? 1 : h, w == 1 ? h : w }, count, count, 1 };
  }
  const int64_t h, w;
  th_cuda_scratch tiles;
};

/* ---- the engine ---- */

static bool supports(const th_conv_shape *s)
{
  return !th_cuda_fft_why() && s->sh == 1 && s->sw == 1 && s->dh == 1 && s->dw == 1 && s->kh <= LONGEST && s->kw <= LONGEST &&
         s->kh * s->kw > 1 && s->h <= INT32_MAX && s->w <= INT32_MAX && s->ph <= INT32_MAX / 2 && s->pw <= INT32_MAX / 2;
}

static int64_t freqs_of(int64_t h, int64_t w) { return h == 1 || w == 1 ? h * w / 2 + 1 : h * (w / 2 + 1); }

/* cuFFT goes through memory once for about a thousand points of a line, and tiles are gathered
 * before. An H200 takes 2.3 to 2.6 times what follows for images, and 1.3 to 2.1 for lines. */
constexpr double IMAGES = 2.4, LINES = 1.6;

static th_conv_cost cost_of(const th_conv_shape &s, const th_tiling &p)
{
  const th_cuda_peak &peak = th_cuda_peak_of(s.device);
  const double points = (double)(p.th * p.tw), size = s.dtype == TH_F64 ? 8 : 4;
  const double walks = 2 * ((p.th > 1 && p.tw > 1 ? 2 : 1) + (double)(std::max(p.th, p.tw) > 4096)) + 2;
  double there, back;
  th_conv_cost c = th_spectral_cost(s, p, &there, &back);
  const double flops = (there + back) * 2.5 * points * log2(points), most = std::max(there, back);
  c.workspace += size * points * std::min(most, (double)p.rows * most / (double)p.tiles);
  c.flops += flops;
  c.bytes += (there + back) * points * size * walks;
  c.seconds += 4 * flops / (s.dtype == TH_F64 ? peak.doubles : peak.floats) + 2 * TH_CUDA_LAUNCH +
               (there + back) * points * size * walks / peak.bytes;
  c.seconds *= p.th > 1 && p.tw > 1 ? IMAGES : LINES;
  return c;
}

/* Sizes of a tile's side: from the kernel's on, until one holds all of the result; a kernel of one point needs no more.
 * Returns the next after `n`. */
static int64_t next_side(int64_t n)
{
  int64_t two = 1;
  while (two * 2 <= n) two *= 2;                     /* 1, 5/4, 3/2 of powers of two, so that tiles may fit */
  if (two >= 4 && n < two + two / 4) return two + two / 4;
  return two >= 2 && n < two + two / 2 ? two + two / 2 : 2 * two;
}
static int64_t first_side(int64_t k) { return k == 1 ? 1 : next_side(k - 1); }
static bool is_last(int64_t n, int64_t k, int64_t out) { return k == 1 || n >= out + k - 1; }

static th_tiling cheapest(const th_conv_shape &s, th_conv_cost *cost)
{
  const th_spectral t = th_spectral_of(s);
  th_tiling best = {};
  for (int64_t h = first_side(t.kh);; h = next_side(h)) {
    for (int64_t w = first_side(t.kw);; w = next_side(w)) {
      const th_tiling p = th_tiling_of(s, h, w, freqs_of(h, w));
      const th_conv_cost c = cost_of(s, p);
      if (!best.th || c.seconds < cost->seconds) best = p, *cost = c;
      if (is_last(w, t.kw, t.ow)) break;
    }
    if (is_last(h, t.kh, t.oh)) break;
  }
  return best;
}

static th_conv_cost cost(const th_conv_shape *s)
{
  th_conv_cost c = {};
  cheapest(*s, &c);
  return c;
}

/* To compare hundreds of ways takes longer than to begin a convolution: a thread keeps the last choices. */
static th_tiling tiling_of(const th_conv_shape &s)
{
  enum { KEPT = 16 };
  static thread_local struct { th_conv_shape s; th_tiling p; } kept[KEPT];
  static thread_local unsigned next;
  for (const auto &k : kept) if (memcmp(&k.s, &s, sizeof s) == 0) return k.p;
  th_conv_cost unused;
  auto &to = kept[next++ % KEPT];
  to.p = cheapest(s, &unused);
  to.s = s;
  return to.p;
}

template <class P> static th_status run_with(const th_conv *c, const th_tiling &p)
{
  transforms<P> f(p.th, p.tw);
  return th_spectral_run(c, p, f);
}
/* What is added to a result is added last: gemm can do what cuFFT fails to do, as where memory does not suffice. */
static th_status run(const th_conv *c, const th_call *)
{
  const th_tiling p = tiling_of(c->s);
  const th_status s = c->s.dtype == TH_F64 ? run_with<double>(c, p) : run_with<float>(c, p);
  return s == TH_EBACKEND && !th_cuda_records() ? TH_ENOMEM : s;
}

}  // namespace

const th_conv_engine th_cuda_conv_cufft = { "cufft", supports, cost, run, th_cuda_fft_why };
