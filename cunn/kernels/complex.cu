// complex.cu - products of complex numbers, element by element.
#include "../runtime/backend.cuh"
#include "../../lib/op/fft.args.h"

template <class T> struct factor { const T *p; view v; };

/* n: how many complex numbers y has; real and imaginary part are elements 2 i and 2 i + 1 of all three. */
template <class T, bool CONJUGATE> static __global__ void product(T *y, view vy, factor<T> a, factor<T> b, int64_t n)
{
  typedef element<T> E;
  typedef typename E::C C;
  for (TH_EACH(i, n)) {
    const C re = E::load(a.p[a.v.at(2 * i)]), im = E::load(a.p[a.v.at(2 * i + 1)]);
    const C u = E::load(b.p[b.v.at(2 * i)]), v = CONJUGATE ? -E::load(b.p[b.v.at(2 * i + 1)]) : E::load(b.p[b.v.at(2 * i + 1)]);
    y[vy.at(2 * i)] = E::store(re * u - im * v);
    y[vy.at(2 * i + 1)] = E::store(re * v + im * u);
  }
}

template <class T, bool CONJUGATE> static th_status run(const th_call *c)
{
  const complexMul_args *in = complexMul_args_of(c);
  const th_tensor *y = in->y;
  const int64_t n = th_numel(y) / 2;
  if (n == 0) return TH_OK;
  const factor<T> a = { th_first<const T>(in->a), th_view_like(in->a, y) };
  const factor<T> b = { th_first<const T>(in->b), th_view_like(in->b, y) };
  TH_LAUNCH((product<T, CONJUGATE>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), a, b, n);
  return th_launched();
}
template <class T> static th_status complexMul(const th_call *c) { return run<T, false>(c); }
template <class T> static th_status complexMulConj(const th_call *c) { return run<T, true>(c); }
TH_KERNELS(complexMul, TH_CUDA_FLOATS(complexMul))
TH_KERNELS(complexMulConj, TH_CUDA_FLOATS(complexMulConj))
