// normalise.cuh - sums over all dimensions but one, for normalisations and their gradients.
#ifndef TH_NORMALISE_CUH
#define TH_NORMALISE_CUH
#include "../runtime/vector.cuh"
#include "fold.cuh"

/* ---- elements side by side ---- */

/* How many elements a load of 16 bytes has. */
template <class T> constexpr int TH_MOST = 16 / (int)sizeof(T);

/* N elements from p on; for several, p is a multiple of their bytes. */
template <class T, int N>
__device__ __forceinline__ void th_load_row(typename element<T>::C (&v)[N], const T *p)
{
  load_values<computed<T>, N>(v, p);
}
template <class T, int N>
__device__ __forceinline__ void th_store_row(T *p, const typename element<T>::C (&v)[N])
{
  store_values<computed<T>, N>(p, v);
}

/* ---- sums ---- */

/* A tensor as samples x features x positions. */
struct th_features { int64_t samples, features, places; };

constexpr int64_t STRETCH = 4096;            /* elements of a feature that a block sums at least */
constexpr int ABREAST = 32, DEEP = THREADS / ABREAST;

/* How many elements of a feature a block sums: so many that about 2048 blocks sum planes, and 1024
 * columns. */
inline int64_t th_stretch(const th_features &s)
{
  if (s.places != 1) {
    const int64_t want = s.features < 2048 ? 2048 / (s.features ? s.features : 1) : 1;
    const int64_t each = (s.samples * s.places + want - 1) / want;
    return each <= STRETCH ? STRETCH : (each + STRETCH - 1) / STRETCH * STRETCH;
  }
  const int64_t groups = (s.features + ABREAST - 1) / ABREAST, want = groups > 0 && groups < 1024 ? 1024 / groups : 1;
  const int64_t rows = (s.samples + want - 1) / want;
  return rows < 16 * DEEP ? 16 * DEEP : rows;
}

/* What becomes of the two sums of a feature: see th_give_features. */
struct th_no_result { __device__ void put(int64_t, double, double) const {} };

/* Writes two sums for each feature and stretch to part[0 .. 2 * features * stretches). F: template
 * <int N> void take(double *a, double *b, int64_t i, int64_t f, int64_t e), which adds the elements
 * i to i + N - 1, of which the first is the e-th of feature f; N divides the places. Without `part`
 * there is one stretch, and P gets the sums: void put(int64_t f, double a, double b). */
template <int N, class F, class P>
static __global__ void __launch_bounds__(THREADS)
th_sum_features(double *part, F f, P result, th_features s, int64_t stretches, int64_t stretch)
{
  const int64_t per = s.samples * s.places;
  for (int64_t k = blockIdx.x; k < s.features * stretches; k += gridDim.x) {
    const int64_t feature = k / stretches, first = k % stretches * stretch;
    const int64_t last = first + stretch < per ? first + stretch : per;
    double a = 0, b = 0;
    for (int64_t e = first + (int64_t)threadIdx.x * N; e < last; e += THREADS * N) {
      const int64_t sample = th_quotient(e, s.places);
      const int64_t place = e - sample * s.places;
      f.template take<N>(&a, &b, (sample * s.features + feature) * s.places + place, feature, e);
    }
    a = th_block_fold(a, [](double x, double y) { return x + y; });
    b = th_block_fold(b, [](double x, double y) { return x + y; });
    if (threadIdx.x != 0) continue;
    if (part) part[2 * k] = a, part[2 * k + 1] = b;
    else result.put(feature, a, b);
  }
}

/* For one position per sample: neighbours belong to different features, one thread each; rows share a block. */
template <class F, class P>
static __global__ void __launch_bounds__(THREADS)
th_sum_columns(double *part, F f, P result, th_features s, int64_t stretches, int64_t per)
{
  __shared__ double sums[2][DEEP][ABREAST];
  const int x = (int)threadIdx.x % ABREAST, y = (int)threadIdx.x / ABREAST;
  const int64_t groups = (s.features + ABREAST - 1) / ABREAST;
  for (int64_t k = blockIdx.x; k < groups * stretches; k += gridDim.x) {
    const int64_t feature = k / stretches * ABREAST + x, first = k % stretches * per;
    const int64_t last = first + per < s.samples ? first + per : s.samples;
    double a = 0, b = 0;
    for (int64_t e = first + y; e < last && feature < s.features; e += DEEP) {
      f.template take<1>(&a, &b, e * s.features + feature, feature, e);
    }
    sums[0][y][x] = a, sums[1][y][x] = b;
    __syncthreads();
    if (y == 0 && feature < s.features) {
      for (int d = 1; d < DEEP; d++) a += sums[0][d][x], b += sums[1][d][x];
      if (part) {
        part[2 * (feature * stretches + k % stretches)] = a;
        part[2 * (feature * stretches + k % stretches) + 1] = b;
      } else {
        result.put(feature, a, b);
      }
    }
    __syncthreads();
  }
}

inline int64_t th_stretches(const th_features &s) { return (s.samples * s.places + th_stretch(s) - 1) / th_stretch(s); }

/* N: the most elements that f takes at once, a power of two. */
template <int N, class F, class P>
static th_status th_sum_features_to(double *part, const F &f, const P &result, const th_features &s)
{
  const int64_t stretches = th_stretches(s);
  if (s.places == 1) {
    const int64_t blocks = (s.features + ABREAST - 1) / ABREAST * stretches;
    TH_LAUNCH((th_sum_columns<F, P>), (unsigned)(blocks < 65535 ? blocks : 65535), THREADS, 0, part,
              f, result, s, stretches, th_stretch(s));
  } else {
    if constexpr (N > 4) if (s.places % N) return th_sum_features_to<4>(part, f, result, s);
    if constexpr (N > 1) if (s.places % N) return th_sum_features_to<1>(part, f, result, s);
    const int64_t blocks = s.features * stretches;
    TH_LAUNCH((th_sum_features<N, F, P>), (unsigned)(blocks < 65535 ? blocks : 65535), THREADS, 0,
              part, f, result, s, stretches, th_stretch(s));
  }
  return th_launched();
}
template <int N, class F>
static th_status th_sum_by_feature(double *part, const F &f, const th_features &s)
{
  return th_sum_features_to<N>(part, f, th_no_result(), s);
}
/* The two sums of a feature, from the sums of its stretches. */
TH_DEVICE_FN void th_join_stretches(const double *part, int64_t feature, int64_t stretches, double *a, double *b)
{
  *a = *b = 0;
  for (const double *p = part + 2 * feature * stretches; stretches > 0; stretches--, p += 2) *a += p[0], *b += p[1];
}

template <class P>
static __global__ void th_put_features(const double *part, P result, int64_t n, int64_t stretches)
{
  for (TH_EACH(i, n)) {
    double a, b;
    th_join_stretches(part, i, stretches, &a, &b);
    result.put(i, a, b);
  }
}
/* Gives the two sums of each feature to P: one kernel if there is one stretch, else two. */
template <int N, class F, class P>
static th_status th_give_features(const F &f, const P &result, const th_features &s)
{
  const int64_t stretches = th_stretches(s);
  th_cuda_scratch part;
  if (stretches > 1) TH_TRY(part.take((size_t)(s.features * stretches) * 2 * sizeof(double)));
  TH_TRY(th_sum_features_to<N>(part.as<double>(), f, result, s));
  if (stretches > 1) {
    TH_LAUNCH((th_put_features<P>), th_blocks(s.features), THREADS, 0, part.as<const double>(),
              result, s.features, stretches);
  }
  return th_launched();
}

/* The sum of a feature's elements. ROWS: they are contiguous, from a multiple of 16 bytes on. */
template <class T, bool ROWS> struct th_values {
  const T *x;
  view v;
  explicit th_values(const th_tensor *t) : x(th_first<const T>(t)), v(th_view_of(t)) {}
  template <int N> __device__ void take(double *a, double *, int64_t i, int64_t, int64_t) const
  {
    typename element<T>::C row[N];
    if (ROWS) th_load_row<T, N>(row, x + i);
    else for (int k = 0; k < N; k++) row[k] = element<T>::load(x[v.at(i + k)]);
    for (int k = 0; k < N; k++) *a += (double)row[k];
  }
};

/* Element f of a vector, or nothing. */
template <class T> struct th_vector {
  T *p;
  int64_t step;
  explicit th_vector(const th_tensor *t) : p(t ? th_first<T>(t) : nullptr), step(t ? t->stride[0] : 0) {}
  __device__ double get(int64_t f, double absent) const { return p ? (double)element<T>::load(p[f * step]) : absent; }
  __device__ void put(int64_t f, double v) const { if (p) p[f * step] = element<T>::store((typename element<T>::C)v); }
};

#endif
