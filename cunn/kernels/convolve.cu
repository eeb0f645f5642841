// convolve.cu - Torch's plain convolutions and correlations in two and three dimensions: a thread sums one element.
#include "../runtime/backend.cuh"
#include "../../lib/op/convolve.args.h"

/* Places are depth (1 in two dimensions), row, column; steps count elements. Tap a of a dimension reads x at i + a - pad. */
struct places { int64_t size[3], step[3]; };
struct job {
  places x, k, y;
  int64_t pad[3], summed;           /* summed: planes of x that one of the result is made of */
  int64_t x_plane, x_summed, k_plane, k_summed, y_plane;      /* steps from plane to plane */
  bool flip;
};

/* The last `n` dimensions of t. */
static places places_of(const th_tensor *t, int n)
{
  places p = { { 1, 1, 1 }, { 0, 0, 0 } };
  for (int d = 0; d < n; d++) {
    p.size[2 - d] = t->size[t->ndim - 1 - d];
    p.step[2 - d] = t->stride[t->ndim - 1 - d];
  }
  return p;
}

/* x has planes or none. The kernels have the same dimensions, one plane for each of x, or one dimension more: planes of the
 * result x planes of x, and those are summed. */
static job job_of(const th_tensor *y, const th_tensor *x, const th_tensor *k, int n, bool full, bool flip)
{
  job j = { places_of(x, n), places_of(k, n), places_of(y, n), { 0, 0, 0 }, 1, 0, 0, 0, 0, 0, flip };
  if (full) for (int d = 0; d < 3; d++) j.pad[d] = j.k.size[d] - 1;
  if (x->ndim == n) return j;
  j.y_plane = y->stride[0];
  j.k_plane = k->stride[0];
  if (k->ndim == x->ndim) {
    j.x_plane = x->stride[0];
  } else {
    j.summed = x->size[0];
    j.x_summed = x->stride[0];
    j.k_summed = k->stride[1];
  }
  return j;
}

template <class T> static __global__ void convolve(T *y, const T *x, const T *k, job j, int64_t n)
{
  typedef element<T> E;
  typedef typename E::A A;
  for (TH_EACH(i, n)) {
    int64_t at[3], rest = i;
    for (int d = 2; d >= 0; d--) {
      const int64_t q = th_quotient(rest, j.y.size[d]);
      at[d] = rest - q * j.y.size[d];
      rest = q;
    }
    A sum = 0;
    for (int64_t s = 0; s < j.summed; s++) {
      const T *xs = x + rest * j.x_plane + s * j.x_summed, *ks = k + rest * j.k_plane + s * j.k_summed;
      for (int64_t p = 0; p < j.k.size[0]; p++) {
        const int64_t depth = at[0] + p - j.pad[0], tp = j.flip ? j.k.size[0] - 1 - p : p;
        if (depth < 0 || depth >= j.x.size[0]) continue;
        for (int64_t q = 0; q < j.k.size[1]; q++) {
          const int64_t row = at[1] + q - j.pad[1], tq = j.flip ? j.k.size[1] - 1 - q : q;
          if (row < 0 || row >= j.x.size[1]) continue;
          for (int64_t a = 0; a < j.k.size[2]; a++) {
            const int64_t col = at[2] + a - j.pad[2], ta = j.flip ? j.k.size[2] - 1 - a : a;
            if (col < 0 || col >= j.x.size[2]) continue;
            sum += (A)E::load(ks[tp * j.k.step[0] + tq * j.k.step[1] + ta * j.k.step[2]]) *
                   (A)E::load(xs[depth * j.x.step[0] + row * j.x.step[1] + col * j.x.step[2]]);
          }
        }
      }
    }
    y[rest * j.y_plane + at[0] * j.y.step[0] + at[1] * j.y.step[1] + at[2] * j.y.step[2]] = E::store(sum);
  }
}

template <class T> static th_status run(const th_call *c, int n, bool flip)
{
  const convolve_args *a = convolve_args_of(c);
  const th_tensor *y = a->y;
  const int64_t count = th_numel(y);
  if (count == 0) return TH_OK;
  const job j = job_of(y, a->x, a->k, n, strcmp(a->type, "F") == 0, flip);
  TH_LAUNCH((convolve<T>), th_blocks(count), THREADS, 0, th_first<T>(y), th_first<const T>(a->x),
            th_first<const T>(a->k), j, count);
  return th_launched();
}
template <class T> static th_status conv2(const th_call *c) { return run<T>(c, 2, true); }
template <class T> static th_status xcorr2(const th_call *c) { return run<T>(c, 2, false); }
template <class T> static th_status conv3(const th_call *c) { return run<T>(c, 3, true); }
template <class T> static th_status xcorr3(const th_call *c) { return run<T>(c, 3, false); }
TH_KERNELS(conv2, TH_CUDA_ALL(conv2))
TH_KERNELS(xcorr2, TH_CUDA_ALL(xcorr2))
TH_KERNELS(conv3, TH_CUDA_ALL(conv3))
TH_KERNELS(xcorr3, TH_CUDA_ALL(xcorr3))
