// mv.cu - matrix times vector, outer products and dot products: bound by memory, so plain loops, summing in A.
#include "fold_lines.cuh"
#include "../../lib/op/mv.args.h"
#include "../../lib/op/dot.args.h"

namespace {

template <class T> using acc = typename element<T>::A;

/* A number as the elements' type sees it: integers drop the fraction. */
template <class T> static acc<T> factor_of(double v)
{
  if constexpr (element<T>::is_int) return th_whole(v);
  else return (acc<T>)v;
}

/* ---- matrix times vector ---- */

template <class T> struct vector_in { const T *p; int64_t step; };

/* Row k times x: alpha times that, and beta times element k of m if there is an m. */
template <class T> struct product {
  T *y;
  int64_t step;
  vector_in<T> m, x;
  acc<T> alpha, beta;
  typedef acc<T> A;
  typedef int S;
  static constexpr int AT_ONCE = 8;
  __host__ __device__ A none() const { return 0; }
  __device__ S begin(int64_t) const { return 0; }
  __device__ A take(A a, T v, S, int64_t i) const { return a + (A)element<T>::load(v) * (A)element<T>::load(x.p[i * x.step]); }
  __device__ A join(A a, A b) const { return a + b; }
  __device__ void put(int64_t k, A sum) const
  {
    y[k * step] = element<T>::store(m.p ? alpha * sum + beta * (A)element<T>::load(m.p[k * m.step]) : alpha * sum);
  }
};

template <class T>
static th_status mv_run(const th_tensor *y, const th_tensor *m, const th_tensor *a, const th_tensor *x, double alpha, double beta)
{
  const vector_in<T> vx = { th_first<const T>(x), x->stride[0] };
  const vector_in<T> vm = { m && beta != 0 ? th_first<const T>(m) : nullptr, m ? m->stride[0] : 0 };
  const product<T> p = { th_first<T>(y), y->stride[0], vm, vx, factor_of<T>(alpha), factor_of<T>(beta) };
  return th_fold_lines(th_first<const T>(a), th_cuda_lines(a, 1), p);
}

template <class T> static th_status mv(const th_call *c)
{
  const mv_args *a = mv_args_of(c);
  return mv_run<T>(a->y, nullptr, a->a, a->x, 1, 0);
}
template <class T> static th_status addmv(const th_call *c)
{
  const addmv_args *a = addmv_args_of(c);
  return mv_run<T>(a->y, a->m, a->a, a->x, a->alpha, a->beta);
}

/* ---- outer products ---- */

template <class T>
static __global__ void outer(T *y, view vy, const T *m, view vm, vector_in<T> u, vector_in<T> v, int64_t n, int64_t cols,
                             acc<T> alpha, acc<T> beta)
{
  typedef acc<T> A;
  for (TH_EACH(i, n)) {
    const int64_t row = i / cols;
    const A p = alpha * (A)element<T>::load(u.p[row * u.step]) * (A)element<T>::load(v.p[(i - row * cols) * v.step]);
    y[vy.at(i)] = element<T>::store(m ? p + beta * (A)element<T>::load(m[vm.at(i)]) : p);
  }
}

template <class T>
static th_status ger_run(const th_tensor *y, const th_tensor *m, const th_tensor *u, const th_tensor *v, double alpha,
                         double beta)
{
  const int64_t n = th_numel(y);
  const vector_in<T> vu = { th_first<const T>(u), u->stride[0] }, vv = { th_first<const T>(v), v->stride[0] };
  if (n == 0) return TH_OK;
  if (beta == 0) m = nullptr;
  TH_LAUNCH((outer<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), m ? th_first<const T>(m) : nullptr,
            th_view_of(m ? m : y), vu, vv, n, v->size[0], factor_of<T>(alpha), factor_of<T>(beta));
  return th_launched();
}

template <class T> static th_status ger(const th_call *c)
{
  const ger_args *a = ger_args_of(c);
  return ger_run<T>(a->y, nullptr, a->u, a->v, 1, 0);
}
template <class T> static th_status addr(const th_call *c)
{
  const addr_args *a = addr_args_of(c);
  return ger_run<T>(a->y, a->m, a->u, a->v, a->alpha, a->beta);
}

/* ---- dot ---- */

template <class T, bool CONTIGUOUS> struct products {
  const T *x, *z;
  view vx, vz;
  typedef acc<T> A;
  static constexpr int AT_ONCE = 8;
  __host__ __device__ A none() const { return 0; }
  __device__ A take(A a, int64_t i) const
  {
    const int64_t at = CONTIGUOUS ? i : vx.at(i), with = CONTIGUOUS ? i : vz.at(i);
    return a + (A)element<T>::load(x[at]) * (A)element<T>::load(z[with]);
  }
  __device__ A join(A a, A b) const { return a + b; }
};

template <class T> static th_status dot(const th_call *c)
{
  const dot_args *args = dot_args_of(c);
  const th_tensor *x = args->a, *z = args->b;
  const T *px = th_first<const T>(x), *pz = th_first<const T>(z);
  const view vx = th_view_of(x), vz = th_view_of(z);
  acc<T> sum;
  if (th_contiguous(x) && th_contiguous(z)) TH_TRY(th_fold(&sum, products<T, true>{ px, pz, vx, vz }, th_numel(x)));
  else TH_TRY(th_fold(&sum, products<T, false>{ px, pz, vx, vz }, th_numel(x)));
  if constexpr (element<T>::is_int) sum = (T)sum;    /* as Torch7 has it: a number of the elements' type */
  th_give(c, (double)sum);
  return TH_OK;
}

}  // namespace

TH_KERNELS(mv, TH_CUDA_ALL(mv))
TH_KERNELS(addmv, TH_CUDA_ALL(addmv))
TH_KERNELS(ger, TH_CUDA_ALL(ger))
TH_KERNELS(addr, TH_CUDA_ALL(addr))
TH_KERNELS(dot, TH_CUDA_ALL(dot))
