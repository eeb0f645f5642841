// gemm.cu - products of matrices: cuBLAS where it knows the type and the layout, our own tiles elsewhere.
#include <stdlib.h>
#include "gemm.cuh"

namespace {

template <class T> struct product {
  typedef typename th_summed<T>::P P;
  typedef typename std::conditional<element<T>::is_int, int64_t, P>::type factor;
  const T *a, *b;
  T *c;
  int64_t as[3], bs[3], cs[3], k;            /* k: of one matrix, where the products of a batch are summed */
  bool sum, left_deep, right_deep;
  factor alpha, beta;

  __device__ P left(int64_t p, int64_t i, int64_t q) const
  {
    if (sum) p = q / k, q -= p * k;
    return th_summed<T>::load(a[p * as[0] + i * as[1] + q * as[2]]);
  }
  __device__ P right(int64_t p, int64_t q, int64_t j) const
  {
    if (sum) p = q / k, q -= p * k;
    return th_summed<T>::load(b[p * bs[0] + q * bs[1] + j * bs[2]]);
  }
  __device__ void put(int64_t p, int64_t i, int64_t j, P v) const
  {
    T &to = c[p * cs[0] + i * cs[1] + j * cs[2]];
    if constexpr (element<T>::is_int) {
      typedef typename std::make_signed<P>::type S;
      const uint64_t times = (uint64_t)alpha * (uint64_t)(int64_t)(S)v;
      to = (T)(int64_t)(beta ? times + (uint64_t)beta * (uint64_t)(int64_t)to : times);
    } else {
      to = element<T>::store(beta != 0 ? alpha * v + beta * element<T>::load(to) : alpha * v);
    }
  }
};

template <class T> static typename product<T>::factor factor_of(double v)
{
  if constexpr (element<T>::is_int) return th_whole(v);
  else return (typename product<T>::factor)v;
}

template <class T> static th_status own(const th_cuda_gemm &g)
{
  product<T> o;
  o.a = static_cast<const T *>(g.a), o.b = static_cast<const T *>(g.b), o.c = static_cast<T *>(g.c);
  for (int i = 0; i < 3; i++) o.as[i] = g.as[i], o.bs[i] = g.bs[i], o.cs[i] = g.cs[i];
  o.k = g.k ? g.k : 1;
  o.sum = g.sum;
  o.left_deep = llabs(g.as[2]) <= llabs(g.as[1]);
  o.right_deep = llabs(g.bs[1]) < llabs(g.bs[2]);
  o.alpha = factor_of<T>(g.alpha), o.beta = factor_of<T>(g.beta);
  return th_multiply(o, g.sum ? 1 : g.batch, g.m, g.n, g.sum ? g.k * g.batch : g.k);
}

static void transpose_all(th_cuda_gemm *g)
{
  const th_cuda_gemm o = *g;
  g->m = o.n, g->n = o.m, g->a = o.b, g->b = o.a, g->as[0] = o.bs[0], g->bs[0] = o.as[0];
  for (int i = 1; i < 3; i++) g->as[i] = o.bs[3 - i], g->bs[i] = o.as[3 - i], g->cs[i] = o.cs[3 - i];
}

}  // namespace

th_status th_cuda_gemm_run(const th_cuda_gemm &given)
{
  static th_status (*const by_type[TH_NDTYPE])(const th_cuda_gemm &) = { nullptr, TH_CUDA_ALL(own) };
  th_cuda_gemm g = given;
  bool done = false;
  if (g.m == 0 || g.n == 0 || g.batch == 0) return TH_OK;
  /* C by rows: a transposed C is the product of the transposed operands. */
  if (g.n > 1 && (g.m == 1 ? g.cs[2] != 1 : llabs(g.cs[1]) < llabs(g.cs[2]))) transpose_all(&g);
  if (g.k > 0 && g.dtype >= TH_F16) TH_TRY(th_cuda_blas_gemm(g, &done));
  return done ? TH_OK : by_type[g.dtype](g);
}
