// copy.cu - fill, zero, and copies: between types, layouts and devices.
#include "backend.cuh"
#include "../lib/op/copy.args.h"

/* ---- fill ---- */

template <class T> static __global__ void set(T *y, view vy, int64_t n, T v)
{
  for (TH_EACH(i, n)) y[vy.at(i)] = v;
}

/* Elements that share a place are written once. */
template <class T> static th_status put(const th_tensor *t, double value)
{
  th_tensor y = *t;
  for (int d = 0; d < y.ndim; d++) if (y.stride[d] == 0) y.size[d] = y.size[d] ? 1 : 0;
  const int64_t n = th_numel(&y);
  if (n == 0) return TH_OK;
  TH_LAUNCH((set<T>), th_blocks(n), THREADS, 0, th_first<T>(&y), th_view_of(&y), n, element<T>::from_double(value));
  return th_launched();
}
template <class T> static th_status fill(const th_call *c) { return put<T>(fill_args_of(c)->y, fill_args_of(c)->value); }
template <class T> static th_status zero(const th_call *c) { return put<T>(zero_args_of(c)->y, 0); }
th_status th_cuda_zero(const th_tensor *y)
{
  typedef th_status putting(const th_tensor *, double);
  static putting *const of[TH_NDTYPE] = { nullptr, TH_CUDA_ALL(put) };
  return of[y->dtype](y, 0);
}
TH_KERNELS(fill, TH_CUDA_ALL(fill))
TH_KERNELS(zero, TH_CUDA_ALL(zero))

/* ---- on one device ---- */

/* An element of any type: whole numbers as such, the others as double. */
struct value { int64_t i; double d; };
static __device__ value load_any(const void *p, int64_t at, int dtype)
{
  value v = { 0, 0 };
  switch (dtype) {
    case TH_U8:  v.i = static_cast<const uint8_t *>(p)[at]; break;
    case TH_I8:  v.i = static_cast<const int8_t *>(p)[at]; break;
    case TH_I16: v.i = static_cast<const int16_t *>(p)[at]; break;
    case TH_I32: v.i = static_cast<const int32_t *>(p)[at]; break;
    case TH_I64: v.i = static_cast<const int64_t *>(p)[at]; break;
    case TH_F16: v.d = load_half(static_cast<const f16 *>(p)[at]); break;
    case TH_BF16: v.d = load_half(static_cast<const bf16 *>(p)[at]); break;
    case TH_F32: v.d = static_cast<const float *>(p)[at]; break;
    default:     v.d = static_cast<const double *>(p)[at];
  }
  return v;
}

template <class T> static __global__ void convert(T *y, view vy, const void *x, view vx, int from, int64_t n)
{
  for (TH_EACH(i, n)) {
    const value v = load_any(x, vx.at(i), from);
    y[vy.at(i)] = from < TH_F16 ? element<T>::store(v.i) : element<T>::from_double(v.d);
  }
}
template <class T> static __global__ void move(T *y, view vy, const T *x, view vx, int64_t n)
{
  for (TH_EACH(i, n)) y[vy.at(i)] = x[vx.at(i)];
}

template <class T> static th_status move_here(const th_tensor *y, const th_tensor *x)
{
  const int64_t n = th_numel(y);
  if (n == 0) return TH_OK;
  if (th_contiguous(y) && th_contiguous(x)) {
    return TH_CUDA(cudaMemcpyAsync(th_first<T>(y), th_first<T>(x), (size_t)n * sizeof(T), cudaMemcpyDeviceToDevice,
                                   th_cuda_stream()));
  }
  TH_LAUNCH((move<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), th_first<const T>(x), th_view_of(x), n);
  return th_launched();
}

template <class T> static th_status here(const th_tensor *y, const th_tensor *x)
{
  const int64_t n = th_numel(y);
  if (y->dtype == x->dtype) return th_cuda_move(y, x);
  if (n == 0) return TH_OK;
  const void *p = th_data(x, th_element_size(x->dtype));
  TH_LAUNCH((convert<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), p, th_view_of(x), x->dtype, n);
  return th_launched();
}

th_status th_cuda_move(const th_tensor *y, const th_tensor *x)
{
  typedef th_status moving(const th_tensor *, const th_tensor *);
  static moving *const of[TH_NDTYPE] = { nullptr, TH_CUDA_SIZED(move_here) };
  return of[y->dtype](y, x);
}

/* ---- between devices ---- */

const th_op *th_cuda_copy_op()
{
  static const th_op *found;
  for (int i = 0; !found; i++) if (strcmp(th_op_at(i)->name, "copy") == 0) found = th_op_at(i);
  return found;
}

/* Packed elements of one type travel; what is not packed, or of another type, is made so before or behind. */
th_status th_cuda_across(th_tensor *y, th_tensor *x)
{
  th_tensor packed, arrived;
  memset(&packed, 0, sizeof packed);
  memset(&arrived, 0, sizeof arrived);
  const int64_t n = th_numel(x);
  const size_t es = th_element_size(x->dtype);
  const bool straight = y->dtype == x->dtype && th_contiguous(y);
  th_status s = TH_OK;
  if (n == 0) return TH_OK;
  if (!th_contiguous(x)) s = th_tensor_clone(&packed, x);
  th_tensor *from = th_contiguous(x) ? x : &packed, *to = straight ? y : &arrived;
  arrived.device = y->device;
  if (s == TH_OK && !straight) s = th_tensor_resize(&arrived, x->dtype, x->ndim, x->size, nullptr);
  if (s == TH_OK) s = th_cuda_copy(th_data(to, es), to->device, th_data(from, es), from->device, n * (int64_t)es);
  if (s == TH_OK && !straight) {
    th_arg args[2];
    args[0].t = y;
    args[1].t = &arrived;
    s = th_run(th_cuda_copy_op(), args, 2);
  }
  th_tensor_release(&packed);
  th_tensor_release(&arrived);
  return s;
}

template <class T> static th_status copy(const th_call *c)
{
  const copy_args *a = copy_args_of(c);
  th_tensor *y = a->y, *x = a->x;
  if (y == x) return TH_OK;
  return y->device == x->device ? here<T>(y, x) : th_cuda_across(y, x);
}
TH_KERNELS(copy, TH_CUDA_ALL(copy))
