// compare.cu - comparisons with a number and between tensors, where, all and any.
#include "formula.cuh"
#include "../runtime/vector.cuh"
#include "../../lib/op/compare.args.h"

#define TH_MAP(...)
#define TH_MAP_AS(...)
#define TH_ACT(...)
#define TH_ZIP(...)
#define TH_ZIP3(...)
#define TH_COMPARE(id, operator, doc) \
  struct id##_op { template <class C> TH_DEVICE_FN bool at(C x, C z) { return x operator z; } };
#include "../../lib/op/pointwise.def"
#undef TH_COMPARE

template <class T, class Op> struct with_number : plain_body {
  typedef typename element<T>::C C;
  C v;                                            /* the number as the tensor would hold it, */
  bound b;                                        /* and for whole numbers as it is */
  with_number(double d) : v(element<T>::is_int ? C(0) : (C)element<T>::load(element<T>::from_double(d))), b(bound_of(d)) {}
  template <class Y> __device__ __forceinline__ void operator()(Y &y, C x) const
  {
    if constexpr (element<T>::is_int) y = (Y)whole_against<Op>(x, b);
    else y = (Y)Op::at(x, v);
  }
};
template <class T, class Op> struct with_tensor : plain_body {
  typedef typename element<T>::C C;
  template <class Y> __device__ __forceinline__ void operator()(Y &y, C x, C z) const { y = (Y)Op::at(x, z); }
};

/* The result is a ByteTensor, or of the type of x. */
template <class T, class F, class... X> static th_status answer(const th_tensor *y, const F &f, const X &...x)
{
  const int64_t n = th_numel(y);
  if (y->dtype == TH_U8) return pointwise(n, f, writes<stored<uint8_t>>(y), x...);
  if constexpr (sizeof(T) == 1 && element<T>::is_int) return pointwise(n, f, writes<stored<uint8_t>>(y), x...);
  else return pointwise(n, f, writes<computed<T>>(y), x...);
}
template <class T, class Op> static th_status number(const th_call *c)
{
  const compare_args *a = compare_args_of(c);
  return answer<T>(a->y, with_number<T, Op>(a->value), reads<computed<T>>(a->x, a->y));
}
template <class T, class Op> static th_status tensor(const th_call *c)
{
  const compare_tensors_args *a = compare_tensors_args_of(c);
  return answer<T>(a->y, with_tensor<T, Op>(), reads<computed<T>>(a->x, a->y), reads<computed<T>>(a->z, a->y));
}
#define TH_COMPARE(id, operator, doc) TH_TABLE_ALL(id, number, id##_op) TH_TABLE_ALL(id##_tensor, tensor, id##_op)
#include "../../lib/op/pointwise.def"

/* ---- where: elements as they are stored ---- */

template <class T> struct choose : plain_body {
  __device__ __forceinline__ void operator()(T &y, uint8_t k, T x, T z) const { y = k ? x : z; }
};
template <class T> static th_status where(const th_call *c)
{
  const where_args *a = where_args_of(c);
  const th_tensor *y = a->y;
  return pointwise(th_numel(y), choose<T>(), writes<stored<T>>(y), reads<stored<uint8_t>>(a->condition, y),
                   reads<stored<T>>(a->x, y), reads<stored<T>>(a->z, y));
}
TH_KERNELS(where, TH_CUDA_SIZED(where))

/* ---- all, any, equal: does one element answer the question ---- */

static __global__ void look(int *found, const uint8_t *x, view v, int64_t n, bool zero)
{
  for (TH_EACH(i, n)) if ((x[v.at(i)] == 0) == zero) *found = 1;
}
template <class T> static __global__ void look_differs(int *found, const T *x, view vx, const T *z, view vz, int64_t n)
{
  for (TH_EACH(i, n)) if (element<T>::load(x[vx.at(i)]) != element<T>::load(z[vz.at(i)])) *found = 1;
}

static th_status flags(const th_call *c, bool zero, int *found)
{
  const th_tensor *x = all_args_of(c)->x;
  const int64_t n = th_numel(x);
  th_cuda_scratch s;
  *found = 0;
  if (n == 0) return TH_OK;
  TH_TRY(s.take(sizeof *found));
  TH_CUDA_TRY(cudaMemsetAsync(s.as<void>(), 0, sizeof *found, th_cuda_stream()));
  TH_LAUNCH((look), th_blocks(n), THREADS, 0, s.as<int>(), th_first<const uint8_t>(x), th_view_of(x), n, zero);
  TH_TRY(th_launched());
  return th_cuda_fetch(found, s.as<void>(), sizeof *found);
}
static void give(const th_call *c, double v) { const_cast<th_call *>(c)->arg[all_yes].d = v; }
static th_status all_set(const th_call *c)
{
  int found;
  TH_TRY(flags(c, true, &found));
  give(c, !found);
  return TH_OK;
}
static th_status any_set(const th_call *c)
{
  int found;
  TH_TRY(flags(c, false, &found));
  give(c, found);
  return TH_OK;
}
TH_KERNELS(all, all_set)
TH_KERNELS(any, any_set)

template <class T> static th_status equal(const th_call *c)
{
  const equal_args *a = equal_args_of(c);
  const th_tensor *x = a->x, *z = a->z;
  const int64_t n = th_numel(x);
  int found = !th_same_shape(x, z);
  th_cuda_scratch s;
  if (!found && n > 0) {
    TH_TRY(s.take(sizeof found));
    TH_CUDA_TRY(cudaMemsetAsync(s.as<void>(), 0, sizeof found, th_cuda_stream()));
    TH_LAUNCH((look_differs<T>), th_blocks(n), THREADS, 0, s.as<int>(), th_first<const T>(x), th_view_of(x),
              th_first<const T>(z), th_view_of(z), n);
    TH_TRY(th_launched());
    TH_TRY(th_cuda_fetch(&found, s.as<void>(), sizeof found));
  }
  give(c, !found);
  return TH_OK;
}
TH_KERNELS(equal, TH_CUDA_ALL(equal))
