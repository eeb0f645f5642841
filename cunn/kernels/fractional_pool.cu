// fractional_pool.cu - maxima over windows whose places come from random samples.
#include "../runtime/backend.cuh"
#include "../../lib/op/fractional_pool.args.h"

namespace {

/* Images are volumes of depth 1. */
struct fractional { int64_t planes, n[3], out[3], k[3]; int dims; };

fractional geometry(const th_call *c, int dims)
{
  const th_tensor *x = fractional_pool_args_of(c)->x;
  fractional p = { 1, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, dims };
  for (int d = 0; d < x->ndim - dims; d++) p.planes *= x->size[d];
  for (int i = 0; i < dims; i++) {
    const int to = 3 - dims + i;
    p.n[to] = x->size[x->ndim - dims + i];
    p.k[to] = c->arg[4 + i].i;
    p.out[to] = c->arg[4 + dims + i].i;
  }
  return p;
}

/* Where window i along dimension d begins; the same arithmetic as on the CPU. A sample outside
 * of [0, 1) moves no window out of the plane. */
TH_DEVICE_FN int64_t start(const fractional &p, int d, double sample, int64_t i)
{
  const int64_t out = p.out[d], last = p.n[d] - p.k[d];
  if (i == out - 1) return last;
  const double step = (double)last / (double)(out - 1), first = floor(sample * step);
  const double at = floor(((double)i + sample) * step) - first;
  return at > 0 ? at < (double)last ? (int64_t)at : last : 0;
}

/* What is larger takes the place, and the first NaN. */
template <class T>
__global__ void largest(T *y, view vy, int64_t *index, view vi, const T *x, view vx,
                        const T *samples, view vs, fractional p, int64_t n)
{
  typedef element<T> E;
  typedef typename E::C C;
  const int64_t windows = p.out[0] * p.out[1] * p.out[2], pixels = p.n[0] * p.n[1] * p.n[2];
  for (TH_EACH(i, n)) {
    const int64_t plane = i / windows;
    int64_t rest = i % windows, corner[3] = { 0, 0, 0 };
    for (int d = 2; d >= 3 - p.dims; d--) {
      const double sample = (double)E::load(samples[vs.at(plane * p.dims + 2 - d)]);
      corner[d] = start(p, d, sample, rest % p.out[d]);
      rest /= p.out[d];
    }
    C best = 0;
    int64_t where = -1;
    for (int64_t a = corner[0]; a < corner[0] + p.k[0]; a++) {
      for (int64_t b = corner[1]; b < corner[1] + p.k[1]; b++) {
        const int64_t line = (a * p.n[1] + b) * p.n[2];
        for (int64_t at = line + corner[2]; at < line + corner[2] + p.k[2]; at++) {
          const C v = E::load(x[vx.at(plane * pixels + at)]);
          if (where < 0 || v > best || (v != v && best == best)) best = v, where = at;
        }
      }
    }
    y[vy.at(i)] = E::store(best);
    index[vi.at(i)] = where + 1;
  }
}

template <class T> th_status run(const th_call *c, int dims)
{
  const fractional_pool_args *a = fractional_pool_args_of(c);
  const th_tensor *y = a->y, *index = a->index, *x = a->x, *samples = a->samples;
  const int64_t n = th_numel(y);
  if (n == 0) return TH_OK;
  TH_LAUNCH((largest<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y),
            th_first<int64_t>(index), th_view_of(index), th_first<const T>(x), th_view_of(x),
            th_first<const T>(samples), th_view_of(samples), geometry(c, dims), n);
  return th_launched();
}
template <class T> th_status images(const th_call *c) { return run<T>(c, 2); }
template <class T> th_status volumes(const th_call *c) { return run<T>(c, 3); }

}  // namespace

TH_KERNELS(fractionalmaxpool2d, TH_CUDA_FLOATS(images))
TH_KERNELS(fractionalmaxpool3d, TH_CUDA_FLOATS(volumes))
