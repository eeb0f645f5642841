// engine_fft.cu - the engine fft of devices: spectra of tiles of 8, 16 or 32 points a side, made within a warp.
//
// A lane holds two columns of a real tile as the parts of complex numbers in its registers, which are transformed where they are
// and then taken apart; rows go across half as many lanes as a tile has columns, by shuffles. So no number meets another tile's,
// whose size its rounding would depend on. Both leave their results in bit-reversed order, and the inverse transform
// begins with that order. Of a real tile's spectrum those frequencies are stored that are not conjugates of others.
// A block stores one line of frequencies of all its tiles at a time, so that neighbours in memory are written together.
#include <algorithm>
#include "spectra.cuh"

#ifdef __CUDACC__
#define TH_UNROLL _Pragma("unroll")      /* so that places in arrays are known, which then lie in registers */
#else
#define TH_UNROLL
#endif

namespace {

typedef cx<float> complex;

/* cos and sin of 2 pi k / 32. */
__constant__ float cosines[32] = {
  1, 0.98078528f, 0.92387953f, 0.83146961f, 0.70710678f, 0.55557023f, 0.38268343f, 0.19509032f, 0, -0.19509032f, -0.38268343f,
  -0.55557023f, -0.70710678f, -0.83146961f, -0.92387953f, -0.98078528f, -1, -0.98078528f, -0.92387953f, -0.83146961f,
  -0.70710678f, -0.55557023f, -0.38268343f, -0.19509032f, 0, 0.19509032f, 0.38268343f, 0.55557023f, 0.70710678f, 0.83146961f,
  0.92387953f, 0.98078528f
};
/* The same, where k is known when this is compiled. */
TH_DEVICE_FN float cosine(int k)
{
  switch (k & 31) {
    case 0: return 1;
    case 1: case 31: return 0.98078528f;
    case 2: case 30: return 0.92387953f;
    case 3: case 29: return 0.83146961f;
    case 4: case 28: return 0.70710678f;
    case 5: case 27: return 0.55557023f;
    case 6: case 26: return 0.38268343f;
    case 7: case 25: return 0.19509032f;
    case 8: case 24: return 0;
    case 9: case 23: return -0.19509032f;
    case 10: case 22: return -0.38268343f;
    case 11: case 21: return -0.55557023f;
    case 12: case 20: return -0.70710678f;
    case 13: case 19: return -0.83146961f;
    case 14: case 18: return -0.92387953f;
    case 15: case 17: return -0.98078528f;
  }
  return -1;
}
TH_DEVICE_FN complex root(int k) { return complex(cosine(k), -cosine(k - 8)); }          /* exp(-2 pi i k / 32) */

/* The bits of i, of which there are as many as n needs, the other way round. */
template <int N> TH_DEVICE_FN constexpr int turned(int i)
{
  int r = 0;
  for (int b = 1; b < N; b *= 2) r = 2 * r + ((i & b) != 0);
  return r;
}

/* ---- transforms of N points ---- */

template <int N> static __device__ __forceinline__ void down(complex (&z)[N])
{
  TH_UNROLL
  for (int half = N / 2; half >= 1; half /= 2) {
    TH_UNROLL
    for (int i = 0; i < N / 2; i++) {
      const int j = i % half, a = i / half * 2 * half + j;
      const complex d = z[a] - z[a + half];
      z[a] += z[a + half];
      z[a + half] = j ? d * root(j * (16 / half)) : d;
    }
  }
}
template <int N> static __device__ __forceinline__ void down_back(complex (&z)[N])
{
  TH_UNROLL
  for (int half = 1; half < N; half *= 2) {
    TH_UNROLL
    for (int i = 0; i < N / 2; i++) {
      const int j = i % half, a = i / half * 2 * half + j;
      const complex d = j ? z[a + half] * conj_of(root(j * (16 / half))) : z[a + half];
      z[a + half] = z[a] - d;
      z[a] += d;
    }
  }
}

template <int W> static __device__ __forceinline__ complex from_lane(complex z, int with)
{
  return complex(__shfl_xor_sync(0xffffffffu, z.re, with, W), __shfl_xor_sync(0xffffffffu, z.im, with, W));
}
static __device__ __forceinline__ complex lane_root(int lane, int half)
{
  const int k = (lane & (half - 1)) * (16 / half);
  return complex(cosines[k], -cosines[(k - 8) & 31]);
}
template <int W, int N> static __device__ __forceinline__ void across(complex (&z)[N], int lane)
{
  TH_UNROLL
  for (int half = W / 2; half >= 1; half /= 2) {
    const complex w = lane_root(lane, half);
    TH_UNROLL
    for (int i = 0; i < N; i++) {
      const complex other = from_lane<W>(z[i], half);
      z[i] = lane & half ? (other - z[i]) * w : z[i] + other;
    }
  }
}
template <int W, int N> static __device__ __forceinline__ void across_back(complex (&z)[N], int lane)
{
  TH_UNROLL
  for (int half = 1; half < W; half *= 2) {
    const complex w = conj_of(lane_root(lane, half));
    TH_UNROLL
    for (int i = 0; i < N; i++) {
      if (lane & half) z[i] = z[i] * w;
      const complex other = from_lane<W>(z[i], half);
      z[i] = lane & half ? other - z[i] : z[i] + other;
    }
  }
}

/* ---- tiles ---- */

/* H x W points. A block has TILES of them at a time, a lane columns `lane` and `lane` + W / 2. Of lines of frequencies (all
 * columns v of one row u) rows 0 and H / 2 are half as long: the rest of them is conjugate. These are one line on their way,
 * row 0 plus i times row H / 2. Of line u register even(u) has columns of even numbers, register odd(u) the others. */
template <int H, int W> struct tile {
  static constexpr int LANES = W / 2, TILES = THREADS / LANES;
  TH_DEVICE_FN constexpr int begin(int u) { return u == 0 ? 0 : W / 2 + 1 + (u - 1) * W; }
  TH_DEVICE_FN constexpr int even(int u) { return turned<H>(u); }
  TH_DEVICE_FN constexpr int odd(int u) { return turned<H>(u ? H - u : H / 2); }
};

/* Spectra of two columns out of that of x + i y, and the first step of the rows' transforms; there and back. */
template <int H, int W> static __device__ __forceinline__ void part(complex (&z)[H], int lane)
{
  typedef tile<H, W> T;
  const complex w = lane_root(lane, W / 2);
  TH_UNROLL
  for (int u = 0; u < H / 2; u++) {
    const complex x = z[T::even(u)], y = z[T::odd(u)];
    const complex a = u ? complex(0.5f * (x.re + y.re), 0.5f * (x.im - y.im)) : complex(x.re, y.re);
    const complex b = u ? complex(0.5f * (x.im + y.im), 0.5f * (y.re - x.re)) : complex(x.im, y.im);
    z[T::even(u)] = a + b;
    z[T::odd(u)] = (a - b) * w;
  }
}
template <int H, int W> static __device__ __forceinline__ void join(complex (&z)[H], int lane)
{
  typedef tile<H, W> T;
  const complex w = conj_of(lane_root(lane, W / 2));
  TH_UNROLL
  for (int u = 0; u < H / 2; u++) {
    const complex d = z[T::odd(u)] * w, a = z[T::even(u)] + d, b = z[T::even(u)] - d;
    z[T::even(u)] = u ? complex(a.re - b.im, a.im + b.re) : complex(a.re, b.re);
    z[T::odd(u)] = u ? complex(a.re + b.im, b.re - a.im) : complex(a.im, b.im);
  }
}

/* to: H * W / 2 + 2 lines of `count` complex numbers. */
template <int H, int W>
static __global__ void __launch_bounds__(THREADS) to_spectra(th_pictures g, int64_t first, int64_t rows, int64_t count,
                                                             complex *to)
{
  typedef tile<H, W> T;
  __shared__ complex stage[W][T::TILES + 1];
  const int mine = (int)threadIdx.x / T::LANES, lane = (int)threadIdx.x % T::LANES, v = 2 * turned<T::LANES>(lane);
  for (int64_t base = blockIdx.x * (int64_t)T::TILES; base < count; base += gridDim.x * (int64_t)T::TILES) {
    complex z[H];
    const bool one = base + mine < count;
    const th_tile_place at = th_place_of(g, first, rows, one ? base + mine : 0);
    TH_UNROLL
    for (int i = 0; i < H; i++) {
      z[i].re = one ? th_take<float>(g, at, i, lane) : 0;
      z[i].im = one ? th_take<float>(g, at, i, lane + W / 2) : 0;
    }
    down<H>(z);
    part<H, W>(z, lane);
    across<T::LANES, H>(z, lane);
    TH_UNROLL
    for (int u = 0; u < H / 2; u++) {
      stage[v][mine] = z[T::even(u)];
      stage[v + 1][mine] = z[T::odd(u)];
      __syncthreads();
      for (int i = (int)threadIdx.x; i < (u ? W : W / 2 + 1) * T::TILES; i += THREADS) {
        const int f = i / T::TILES, k = i % T::TILES;
        if (base + k >= count) continue;
        const complex x = stage[f][k], o = stage[(W - f) % W][k];
        to[(T::begin(u) + f) * count + base + k] = u ? x : complex(0.5f * (x.re + o.re), 0.5f * (x.im - o.im));
        if (!u) to[(T::begin(H / 2) + f) * count + base + k] = complex(0.5f * (x.im + o.im), 0.5f * (o.re - x.re));
      }
      __syncthreads();
    }
  }
}

template <int H, int W>
static __global__ void __launch_bounds__(THREADS) from_spectra(th_pictures g, th_results r, int64_t first, int64_t rows,
                                                               int64_t count, const complex *from)
{
  typedef tile<H, W> T;
  __shared__ complex stage[W][T::TILES + 1];
  const int mine = (int)threadIdx.x / T::LANES, lane = (int)threadIdx.x % T::LANES, v = 2 * turned<T::LANES>(lane);
  for (int64_t base = blockIdx.x * (int64_t)T::TILES; base < count; base += gridDim.x * (int64_t)T::TILES) {
    complex z[H];
    TH_UNROLL
    for (int u = 0; u < H / 2; u++) {
      __syncthreads();
      for (int i = (int)threadIdx.x; i < (u ? W : W / 2 + 1) * T::TILES; i += THREADS) {
        const int f = i / T::TILES, k = i % T::TILES;
        const bool one = base + k < count;
        const complex x = one ? from[(T::begin(u) + f) * count + base + k] : complex(0);
        const complex y = one && !u ? from[(T::begin(H / 2) + f) * count + base + k] : complex(0);
        stage[f][k] = complex(x.re - y.im, x.im + y.re);
        if (!u && f > 0 && f < W / 2) stage[W - f][k] = complex(x.re + y.im, y.re - x.im);
      }
      __syncthreads();
      z[T::even(u)] = stage[v][mine];
      z[T::odd(u)] = stage[v + 1][mine];
    }
    across_back<T::LANES, H>(z, lane);
    join<H, W>(z, lane);
    down_back<H>(z);
    if (base + mine >= count) continue;
    const th_tile_place at = th_place_of(g, first, rows, base + mine);
    TH_UNROLL
    for (int i = 0; i < H; i++) {
      th_give_back<float>(g, r, at, i, lane, z[i].re);
      th_give_back<float>(g, r, at, i, lane + W / 2, z[i].im);
    }
  }
}

static unsigned blocks_for(int64_t count, int tiles) { return (unsigned)std::min<int64_t>((count + tiles - 1) / tiles, 1 << 20); }

template <int H, int W> class transforms : public th_transforms {
public:
  th_status there(const th_pictures &g, int64_t first, int64_t rows, int64_t count, void *to) override
  {
    TH_LAUNCH((to_spectra<H, W>), blocks_for(count, tile<H, W>::TILES), THREADS, 0, g, first, rows, count,
              static_cast<complex *>(to));
    return th_launched();
  }
  th_status back(const th_pictures &g, const th_results &r, int64_t first, int64_t rows, int64_t count, void *from) override
  {
    TH_LAUNCH((from_spectra<H, W>), blocks_for(count, tile<H, W>::TILES), THREADS, 0, g, r, first, rows, count,
              static_cast<const complex *>(from));
    return th_launched();
  }
};

/* ---- the engine ---- */

constexpr int SIDES[] = { 8, 16, 32 };

static bool supports(const th_conv_shape *s)
{
  return s->dtype != TH_F64 && s->sh == 1 && s->sw == 1 && s->dh == 1 && s->dw == 1 && s->kh <= 32 && s->kw <= 32 &&
         s->ph <= INT32_MAX / 2 && s->pw <= INT32_MAX / 2;
}

/* Of one way to cut into tiles; transforms are counted as bytes that pass, and as operations at a
 * sixth of the device's rate. An H200 takes 0.8 to 1.25 times the time that follows. */
static th_conv_cost cost_of(const th_conv_shape &s, const th_tiling &p)
{
  const th_cuda_peak &peak = th_cuda_peak_of(s.device);
  double there, back;
  th_conv_cost c = th_spectral_cost(s, p, &there, &back);
  const double points = (double)(p.th * p.tw), flops = (there + back) * 2.5 * points * log2(points);
  c.flops += flops;
  c.seconds += 6 * flops / peak.floats + (there + back) * 4 * points / peak.bytes;
  return c;
}

static th_tiling cheapest(const th_conv_shape &s, th_conv_cost *cost)
{
  th_tiling best = {};
  for (int64_t h : SIDES) {
    for (int64_t w : SIDES) {
      if (h < s.kh || w < s.kw) continue;
      const th_tiling p = th_tiling_of(s, h, w, h * w / 2 + 2);
      const th_conv_cost c = cost_of(s, p);
      if (!best.th || c.seconds < cost->seconds) best = p, *cost = c;
    }
  }
  return best;
}

static th_conv_cost cost(const th_conv_shape *s)
{
  th_conv_cost c = {};
  cheapest(*s, &c);
  return c;
}

template <int H, int W> static th_status run_with(const th_conv *c, const th_tiling &p)
{
  transforms<H, W> f;
  return th_spectral_run(c, p, f);
}
static th_status run(const th_conv *c, const th_call *)
{
  static th_status (*const by_sides[3][3])(const th_conv *, const th_tiling &) = {
    { run_with<8, 8>, run_with<8, 16>, run_with<8, 32> }, { run_with<16, 8>, run_with<16, 16>, run_with<16, 32> },
    { run_with<32, 8>, run_with<32, 16>, run_with<32, 32> }
  };
  th_conv_cost unused;
  const th_tiling p = cheapest(c->s, &unused);
  const auto index = [](int64_t side) { return side == 8 ? 0 : side == 16 ? 1 : 2; };
  return by_sides[index(p.th)][index(p.tw)](c, p);
}

}  // namespace

const th_conv_engine th_cuda_conv_fft = { "fft", supports, cost, run, nullptr };
