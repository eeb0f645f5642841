// histogram.cu - how many elements fall into each of a number of equal bins. Counts are whole numbers, so that their order
// cannot matter.
#include <math.h>
#include <vector>
#include "../runtime/backend.cuh"
#include "../../lib/op/histogram.args.h"

struct range { double least, most; };

/* Widens what holds a single number only: by 1, or by what makes a difference to a large one. */
static range widened(range r)
{
  const double by = fmax(1, fabs(r.least) / 1048576);
  return r.least == r.most ? range{ r.least - by, r.most + by } : r;
}

/* The least and the largest of the finite elements that a block sees. */
template <class T> static __global__ void __launch_bounds__(THREADS) see(range *seen, const T *x, view vx, int64_t n)
{
  __shared__ range part[THREADS];
  range r = { INFINITY, -INFINITY };
  for (TH_EACH(i, n)) {
    const double v = (double)element<T>::load(x[vx.at(i)]);
    if (!(v > -INFINITY && v < INFINITY)) continue;
    if (v < r.least) r.least = v;
    if (v > r.most) r.most = v;
  }
  part[threadIdx.x] = r;
  __syncthreads();
  if (threadIdx.x) return;
  for (int t = 1; t < THREADS; t++) {
    if (part[t].least < r.least) r.least = part[t].least;
    if (part[t].most > r.most) r.most = part[t].most;
  }
  seen[blockIdx.x] = r;
}

constexpr int NEAR = 1024;                   /* so many bins are counted near the threads of a block first */

/* Element e belongs to row e / cols, which has separate bins. */
template <class T>
static __global__ void __launch_bounds__(THREADS)
count_bins(unsigned long long *count, const T *x, view vx, int64_t n, int64_t cols, int64_t bins, range r, bool near)
{
  __shared__ unsigned long long mine[NEAR];
  if (near) {
    for (int b = (int)threadIdx.x; b < bins; b += THREADS) mine[b] = 0;
    __syncthreads();
  }
  const double least = r.least / 2, half = r.most / 2 - least;       /* halves cannot overflow, and may be 0 */
  const double width = half > 0 ? half : 1;
  for (TH_EACH(e, n)) {
    const double v = (double)element<T>::load(x[vx.at(e)]);
    if (!(v >= r.least && v <= r.most)) continue;
    const int64_t b = (int64_t)((v / 2 - least) / width * (double)bins), bin = b < bins ? b : bins - 1;
    if (near) atomicAdd(mine + bin, 1ull);
    else atomicAdd(count + th_quotient(e, cols) * bins + bin, 1ull);
  }
  if (!near) return;
  __syncthreads();
  for (int b = (int)threadIdx.x; b < bins; b += THREADS) if (mine[b]) atomicAdd(count + b, mine[b]);
}
template <class T> static __global__ void write(T *y, view vy, const unsigned long long *count, int64_t n)
{
  for (TH_EACH(i, n)) y[vy.at(i)] = element<T>::store((typename element<T>::C)count[i]);
}

/* The range asked for, or that of the finite elements. */
template <class T> static th_status range_of(range *r, const th_call *c, int64_t n)
{
  const histc_args *a = histc_args_of(c);
  const th_tensor *x = a->x;
  *r = { a->min, a->max };
  if (r->least < r->most) return TH_OK;
  range all = { INFINITY, -INFINITY };
  if (n > 0) {
    const unsigned blocks = th_blocks(n) < 256 ? th_blocks(n) : 256;
    std::vector<range> seen(blocks);
    th_cuda_scratch s;
    TH_TRY(s.take(blocks * sizeof(range)));
    TH_LAUNCH((see<T>), blocks, THREADS, 0, s.as<range>(), th_first<const T>(x), th_view_of(x), n);
    TH_TRY(th_launched());
    TH_TRY(th_cuda_fetch(seen.data(), s.as<void>(), blocks * sizeof(range)));
    for (const range &one : seen) {
      if (one.least < all.least) all.least = one.least;
      if (one.most > all.most) all.most = one.most;
    }
  }
  *r = widened(all.least > all.most ? *r : all);             /* none: around the one asked for */
  return TH_OK;
}

/* Rows of x are counted into rows of y, or all into y when it is a vector. */
template <class T> static th_status histogram(const th_call *c, int64_t rows)
{
  const histc_args *a = histc_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  const int64_t n = th_numel(x), bins = a->bins, total = rows * bins;
  range r;
  th_cuda_scratch s;
  TH_TRY(range_of<T>(&r, c, n));
  if (total == 0) return TH_OK;
  if (total > INT64_MAX / 8) return th_fail(TH_ENOMEM, "no memory left for %lld counts", (long long)bins);
  TH_TRY(s.take((size_t)total * sizeof(unsigned long long)));
  TH_CUDA_TRY(cudaMemsetAsync(s.as<void>(), 0, (size_t)total * sizeof(unsigned long long), th_cuda_stream()));
  if (n > 0) {
    TH_LAUNCH((count_bins<T>), th_blocks(n), THREADS, 0, s.as<unsigned long long>(), th_first<const T>(x), th_view_of(x), n,
              n / rows, bins, r, rows == 1 && bins <= NEAR);
  }
  TH_LAUNCH((write<T>), th_blocks(total), THREADS, 0, th_first<T>(y), th_view_of(y), s.as<unsigned long long>(), total);
  return th_launched();
}
template <class T> static th_status histc(const th_call *c) { return histogram<T>(c, 1); }
template <class T> static th_status bhistc(const th_call *c) { return histogram<T>(c, histc_args_of(c)->y->size[0]); }
TH_KERNELS(histc, TH_CUDA_FLOATS(histc))
TH_KERNELS(bhistc, TH_CUDA_FLOATS(bhistc))
