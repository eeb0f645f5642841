// copy.cu - fill, zero, and copies: between types, layouts and devices.
#include <type_traits>
#include "device.cuh"
#include "vector.cuh"
#include "../../lib/op/copy.args.h"

/* ---- fill ---- */

template <class T> struct set : plain_body {
  T v;
  set(T v_) : v(v_) {}
  __device__ __forceinline__ void operator()(T &y) const { y = v; }
};
static th_status set_bits(const th_tensor *y, uint64_t bits, size_t element_size)
{
  const int64_t n = th_numel(y);
  switch (element_size) {
    case 1:  return pointwise(n, set<uint8_t>((uint8_t)bits), writes<stored<uint8_t>>(y));
    case 2:  return pointwise(n, set<uint16_t>((uint16_t)bits), writes<stored<uint16_t>>(y));
    case 4:  return pointwise(n, set<uint32_t>((uint32_t)bits), writes<stored<uint32_t>>(y));
    default: return pointwise(n, set<uint64_t>(bits), writes<stored<uint64_t>>(y));
  }
}
/* Elements that share a place are written once. */
template <class T> static th_status put(const th_tensor *t, double value)
{
  const T v = element<T>::from_double(value);
  uint64_t bits = 0;
  th_tensor y = *t;
  for (int d = 0; d < y.ndim; d++) if (y.stride[d] == 0) y.size[d] = y.size[d] ? 1 : 0;
  const int64_t n = th_numel(&y);
  if (n == 0) return TH_OK;
  memcpy(&bits, &v, sizeof v);
  const uint64_t every = (bits & 0xff) * (0x0101010101010101 >> (64 - 8 * sizeof v));
  if (bits == every && th_contiguous(&y)) {
    return TH_CUDA(cudaMemsetAsync(th_first<T>(&y), (int)(bits & 0xff), (size_t)n * sizeof v, th_cuda_stream()));
  }
  return set_bits(&y, bits, sizeof v);
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

template <class T> struct move : plain_body {
  __device__ __forceinline__ void operator()(T &y, T x) const { y = x; }
};

/* A transpose: x is stored along its rows and y along its columns, for each of `count` matrices. Tiles pass through shared
 * memory, so that neighbouring threads read and write neighbouring addresses. */
enum { TILE = 32, LEAST = 8 };
struct matrices {
  int64_t rows, cols, count;
  int64_t x_step, y_step;                         /* from a column of x to the next; from a row of y to the next */
  view x, y;                                      /* where the matrices begin */
  __host__ __device__ int64_t down() const { return (rows + TILE - 1) / TILE; }
  __host__ __device__ int64_t across() const { return (cols + TILE - 1) / TILE; }
};
template <class T> static __global__ void __launch_bounds__(THREADS) transpose(T *y, const T *x, matrices m)
{
  __shared__ T tile[TILE][TILE + 1];
  const int64_t down = m.down(), across = m.across(), n = m.count * down * across;
  const int lane = threadIdx.x % TILE, first = threadIdx.x / TILE;
  for (int64_t k = blockIdx.x; k < n; k += gridDim.x) {
    const int64_t line = th_quotient(k, across), matrix = th_quotient(line, down);
    const int64_t row = (line - matrix * down) * TILE, col = (k - line * across) * TILE;
    const T *from = x + m.x.at(matrix);
    T *to = y + m.y.at(matrix);
    for (int c = first; c < TILE; c += THREADS / TILE) {
      if (row + lane < m.rows && col + c < m.cols) tile[c][lane] = from[row + lane + (col + c) * m.x_step];
    }
    __syncthreads();
    for (int r = first; r < TILE; r += THREADS / TILE) {
      if (row + r < m.rows && col + lane < m.cols) to[(row + r) * m.y_step + col + lane] = tile[lane][r];
    }
    __syncthreads();
  }
}
/* Returns whether a copy is such a transpose: one tensor is contiguous, the other one is stored along an earlier dimension. */
static bool find_transpose(matrices *m, const th_tensor *y, const th_tensor *x)
{
  const bool from_packed = th_contiguous(x);
  if (!from_packed && !th_contiguous(y)) return false;
  const view v = th_view_of(from_packed ? y : x);
  const int last = v.ndim - 1;
  int unit = -1;
  int64_t packed[TH_MAXDIM], step = 1;
  for (int d = last; d >= 0; d--) {
    packed[d] = step;
    step *= v.size[d];
    if (v.stride[d] == 1) unit = d;
  }
  if (unit < 0 || v.stride[last] == 1 || v.size[unit] < LEAST || v.size[last] < LEAST) return false;
  view *const other = from_packed ? &m->y : &m->x, *const whole = from_packed ? &m->x : &m->y;
  int n = 0;
  m->count = 1;
  for (int d = 0; d < last; d++) {
    if (d == unit) continue;
    other->size[n] = whole->size[n] = v.size[d];
    other->stride[n] = v.stride[d];
    whole->stride[n++] = packed[d];
    m->count *= v.size[d];
  }
  if (n == 0) {
    other->size[0] = whole->size[0] = other->stride[0] = whole->stride[0] = 1;
    n = 1;
  }
  other->ndim = whole->ndim = n;
  m->rows = v.size[from_packed ? last : unit];
  m->cols = v.size[from_packed ? unit : last];
  m->x_step = from_packed ? packed[unit] : v.stride[last];
  m->y_step = from_packed ? v.stride[last] : packed[unit];
  return true;
}

template <class T> static th_status move_here(const th_tensor *y, const th_tensor *x)
{
  const int64_t n = th_numel(y);
  matrices m;
  if (n == 0) return TH_OK;
  if (th_contiguous(y) && th_contiguous(x)) {
    return TH_CUDA(cudaMemcpyAsync(th_first<T>(y), th_first<T>(x), (size_t)n * sizeof(T), cudaMemcpyDeviceToDevice,
                                   th_cuda_stream()));
  }
  if (find_transpose(&m, y, x)) {
    const int64_t tiles = m.count * m.down() * m.across();
    const int64_t most = 132 * 32;           /* a block has several tiles of large tensors */
    TH_LAUNCH((transpose<T>), (unsigned)(tiles < most ? tiles : most), THREADS, 0,
              th_first<T>(y), th_first<const T>(x), m);
    return th_launched();
  }
  return pointwise(n, move<T>(), writes<stored<T>>(y), reads<stored<T>>(x, x));
}

/* Whole numbers pass through int64_t, the others through double. */
template <class T, class S> struct convert : plain_body {
  template <class Y, class X> __device__ __forceinline__ void operator()(Y &y, X x) const
  {
    if constexpr (element<S>::is_int) y = (Y)(int64_t)x;
    else if constexpr (element<T>::is_int) y = (Y)th_whole((double)x);
    else y = (Y)x;
  }
};
/* Copies to type T. */
template <class T> struct to {
  template <class S> static th_status from(const th_tensor *y, const th_tensor *x)
  {
    if constexpr (std::is_same<T, S>::value) return th_cuda_move(y, x);
    else return pointwise(th_numel(y), convert<T, S>(), writes<as<T>>(y), reads<as<S>>(x, x));
  }
  template <class E> using as = typename std::conditional<element<E>::is_int, stored<E>, computed<E>>::type;
};
template <class T> static th_status here(const th_tensor *y, const th_tensor *x)
{
  typedef th_status converting(const th_tensor *, const th_tensor *);
  static converting *const from[TH_NDTYPE] = { nullptr, TH_CUDA_ALL(to<T>::template from) };
  return from[x->dtype](y, x);
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

th_status th_cuda_copy_async(th_tensor *to, th_tensor *from)
{
  if (to->device != from->device) TH_CUDA_NOT_RECORDED("elements come from the host, or go there");
  th_arg args[2];
  args[copy_y].t = to;
  args[copy_x].t = from;
  th_cuda_hurry(true);
  const th_status s = th_run(th_cuda_copy_op(), args, 2);
  th_cuda_hurry(false);
  return s;
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
