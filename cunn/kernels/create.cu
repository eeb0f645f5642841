// create.cu - sequences and the unit matrix.
#include "../runtime/backend.cuh"
#include "../../lib/op/create.args.h"

/* Element i of a sequence: from the nearer end, so that both ends come out exactly. */
struct sequence {
  double first, last, step;
  int64_t n;
  TH_DEVICE_FN double point(const sequence &s, int64_t i)
  {
    if (i < s.n / 2 || s.n == 1) return s.first + (double)i * s.step;
    return s.last - (double)(s.n - 1 - i) * s.step;
  }
};

template <class T> static __global__ void unit_matrix(T *y, view vy, int64_t n, int64_t cols)
{
  for (TH_EACH(e, n)) {
    const int64_t i = th_quotient(e, cols);
    y[vy.at(e)] = element<T>::store((typename element<T>::C)(e - i * cols == i));
  }
}
template <class T> static __global__ void count_on(T *y, view vy, sequence s)
{
  for (TH_EACH(i, s.n)) {
    if constexpr (element<T>::is_int) y[vy.at(i)] = (T)(th_whole(s.first) + i * th_whole(s.step));
    else y[vy.at(i)] = element<T>::from_double(s.first + (double)i * s.step);
  }
}
template <class T> static __global__ void space_out(T *y, view vy, sequence s, bool powers)
{
  for (TH_EACH(i, s.n)) {
    const double v = sequence::point(s, i);
    y[vy.at(i)] = element<T>::from_double(powers ? pow(10.0, v) : v);
  }
}

template <class T> static th_status eye(const th_call *c)
{
  const th_tensor *y = eye_args_of(c)->y;
  const int64_t n = th_numel(y);
  TH_LAUNCH((unit_matrix<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), n, y->size[1]);
  return th_launched();
}
template <class T> static th_status range(const th_call *c)
{
  const range_args *a = range_args_of(c);
  const th_tensor *y = a->y;
  const sequence s = { a->first, a->last, a->step, th_numel(y) };
  TH_LAUNCH((count_on<T>), th_blocks(s.n), THREADS, 0, th_first<T>(y), th_view_of(y), s);
  return th_launched();
}
template <class T> static th_status points(const th_call *c, bool powers)
{
  const linspace_args *a = linspace_args_of(c);
  const th_tensor *y = a->y;
  const int64_t n = a->n;
  const double first = a->first, last = a->last, gaps = n > 1 ? (double)(n - 1) : 1;
  const sequence s = { first, last, last / gaps - first / gaps, n };
  TH_LAUNCH((space_out<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), s, powers);
  return th_launched();
}
template <class T> static th_status linspace(const th_call *c) { return points<T>(c, false); }
template <class T> static th_status logspace(const th_call *c) { return points<T>(c, true); }
TH_KERNELS(eye, TH_CUDA_ALL(eye))
TH_KERNELS(eye_wide, TH_CUDA_ALL(eye))
TH_KERNELS(range, TH_CUDA_ALL(range))
TH_KERNELS(linspace, TH_CUDA_FLOATS(linspace))
TH_KERNELS(logspace, TH_CUDA_FLOATS(logspace))
