// conv_fft.cu - the engine fft of devices: spectra of tiles of 8, 16 or 32 points a side, made within a warp.
//
// A complex transform carries two real tiles. A lane holds a column in its registers, which are transformed where they are; rows
// go across 32, 16 or 8 lanes by shuffles. What comes out of both is in the order of reversed bits, which nobody puts right: the
// way back begins with that order. Of a real tile's spectrum those frequencies are stored that are not conjugates of others.
// A block stores one line of frequencies of all its tiles at a time, so that neighbours in memory are written together.
#include <algorithm>
#include "conv_spectra.cuh"

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

/* H x W points. A block has PAIRS complex tiles at a time, and of a line of frequencies (all columns v of one row u) twice
 * as many numbers for each v. Rows 0 and H / 2 are half as long: the rest of them is conjugate. */
template <int H, int W> struct tile {
  static constexpr int PAIRS = THREADS / W;
  TH_DEVICE_FN constexpr int length(int u) { return u == 0 || u == H / 2 ? W / 2 + 1 : W; }
  TH_DEVICE_FN constexpr int begin(int u) { return u == 0 ? 0 : W / 2 + 1 + (u - 1) * W; }
};

/* to: H * W / 2 + 2 lines of `count` complex numbers. */
template <int H, int W>
static __global__ void __launch_bounds__(THREADS) to_spectra(th_pictures g, int64_t first, int64_t rows, int64_t count,
                                                             complex *to)
{
  typedef tile<H, W> T;
  __shared__ complex stage[W][2 * T::PAIRS + 1];
  const int pair = (int)threadIdx.x / W, lane = (int)threadIdx.x % W;
  const int v = turned<W>(lane), opposite = turned<W>((W - v) % W);
  for (int64_t base = blockIdx.x * (int64_t)(2 * T::PAIRS); base < count; base += gridDim.x * (int64_t)(2 * T::PAIRS)) {
    const int64_t mine = base + 2 * pair;
    complex z[H];
    const bool one = mine < count, two = mine + 1 < count;
    const th_tile_place a = th_place_of(g, first, rows, one ? mine : 0), b = th_place_of(g, first, rows, two ? mine + 1 : 0);
    TH_UNROLL
    for (int i = 0; i < H; i++) {
      z[i].re = one ? th_take<float>(g, a, i, lane) : 0;
      z[i].im = two ? th_take<float>(g, b, i, lane) : 0;
    }
    down<H>(z);
    across<W, H>(z, lane);
    TH_UNROLL
    for (int u = 0; u <= H / 2; u++) {
      const complex x = z[turned<H>(u)], y = z[turned<H>((H - u) % H)];
      const complex o(__shfl_sync(0xffffffffu, y.re, opposite, W), __shfl_sync(0xffffffffu, y.im, opposite, W));
      stage[v][2 * pair] = complex(0.5f * (x.re + o.re), 0.5f * (x.im - o.im));
      stage[v][2 * pair + 1] = complex(0.5f * (x.im + o.im), 0.5f * (o.re - x.re));
      __syncthreads();
      for (int i = (int)threadIdx.x; i < T::length(u) * 2 * T::PAIRS; i += THREADS) {
        const int f = i / (2 * T::PAIRS), k = i % (2 * T::PAIRS);
        if (base + k < count) to[(T::begin(u) + f) * count + base + k] = stage[f][k];
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
  __shared__ complex stage[W][2 * T::PAIRS + 1];
  const int pair = (int)threadIdx.x / W, lane = (int)threadIdx.x % W, v = turned<W>(lane), opposite = (W - v) % W;
  for (int64_t base = blockIdx.x * (int64_t)(2 * T::PAIRS); base < count; base += gridDim.x * (int64_t)(2 * T::PAIRS)) {
    const int64_t mine = base + 2 * pair;
    complex z[H];
    TH_UNROLL
    for (int u = 0; u <= H / 2; u++) {
      __syncthreads();
      for (int i = (int)threadIdx.x; i < T::length(u) * 2 * T::PAIRS; i += THREADS) {
        const int f = i / (2 * T::PAIRS), k = i % (2 * T::PAIRS);
        stage[f][k] = base + k < count ? from[(T::begin(u) + f) * count + base + k] : complex(0);
      }
      __syncthreads();
      const bool half = T::length(u) < W, there = !half || v <= W / 2;
      const complex x = stage[there ? v : opposite][2 * pair], y = stage[there ? v : opposite][2 * pair + 1];
      const float s = there ? 1 : -1;                       /* x + i y, of x and y or their conjugates */
      z[turned<H>(u)] = complex(x.re - s * y.im, s * x.im + y.re);
      if (half) continue;
      const complex p = stage[opposite][2 * pair], q = stage[opposite][2 * pair + 1];
      z[turned<H>(H - u)] = complex(p.re + q.im, q.re - p.im);
    }
    across_back<W, H>(z, lane);
    down_back<H>(z);
    const th_tile_place a = th_place_of(g, first, rows, mine < count ? mine : 0);
    const th_tile_place b = th_place_of(g, first, rows, mine + 1 < count ? mine + 1 : 0);
    TH_UNROLL
    for (int i = 0; i < H; i++) {
      if (mine < count) th_give_back<float>(g, r, a, i, lane, z[i].re);
      if (mine + 1 < count) th_give_back<float>(g, r, b, i, lane, z[i].im);
    }
  }
}

static unsigned blocks_for(int64_t count, int pairs)
{
  return (unsigned)std::min<int64_t>((count + 2 * pairs - 1) / (2 * pairs), 1 << 20);
}

template <int H, int W> class transforms : public th_transforms {
public:
  th_status there(const th_pictures &g, int64_t first, int64_t rows, int64_t count, void *to) override
  {
    TH_LAUNCH((to_spectra<H, W>), blocks_for(count, tile<H, W>::PAIRS), THREADS, 0, g, first, rows, count,
              static_cast<complex *>(to));
    return th_launched();
  }
  th_status back(const th_pictures &g, const th_results &r, int64_t first, int64_t rows, int64_t count, void *from) override
  {
    TH_LAUNCH((from_spectra<H, W>), blocks_for(count, tile<H, W>::PAIRS), THREADS, 0, g, r, first, rows, count,
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

/* Of one way to cut into tiles; transforms are counted as bytes that pass, and as operations at a sixth of the device's rate:
 * an estimate that no device was measured for. */
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
