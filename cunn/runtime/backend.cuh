// backend.cuh - declarations for the kernel files of cunn. nvcc compiles them for GPUs, the host's compiler for the emulated
// device.
#ifndef TH_BACKEND_CUH
#define TH_BACKEND_CUH
#include <cuda_runtime.h>
#include "th_backend.h"

/* TH_LAUNCH((add<float>), blocks, threads, bytes of shared memory, arguments...) in the thread's stream of the device. */
#define TH_BARE(...) __VA_ARGS__
#ifdef __CUDACC__
#define TH_LAUNCH(kernel, blocks, threads, shared, ...) \
  TH_BARE kernel<<<(blocks), (threads), (shared), th_cuda_stream()>>>(__VA_ARGS__)
#else
#include <tuple>
namespace emu {
/* Copies the arguments now, as a launch does, and not when the kernel runs. */
template <class... P, class... A>
void start(dim3 blocks, dim3 threads, size_t shared, CUstream_st *s, const char *name, void (*kernel)(P...), const A &...a)
{
  const std::tuple<P...> given(static_cast<P>(a)...);
  const void *const addresses[] = { nullptr, address_of<P>(static_cast<P>(a))... };
  launch(blocks, threads, shared, s, [=] { std::apply(kernel, given); }, name, addresses, sizeof addresses);
}
}
#define TH_LAUNCH(kernel, blocks, threads, shared, ...) \
  emu::start((blocks), (threads), (shared), th_cuda_stream(), #kernel, TH_BARE kernel, __VA_ARGS__)
#endif

/* A CUDA error as a status. */
th_status th_cuda_status(cudaError_t e, const char *what);
#define TH_CUDA(call) th_cuda_status((call), #call)
#define TH_CUDA_TRY(call) TH_TRY(TH_CUDA(call))
inline th_status th_launched() { return th_cuda_status(cudaGetLastError(), "the launch of a kernel"); }

/* The stream that this thread uses on the current device. */
cudaStream_t th_cuda_stream();

/* Memory of the current device, for the duration of a call. */
class th_cuda_scratch {
public:
  th_cuda_scratch() : p(nullptr), stream(nullptr), device(0), bytes(0) {}
  ~th_cuda_scratch();
  th_cuda_scratch(const th_cuda_scratch &) = delete;
  th_cuda_scratch &operator=(const th_cuda_scratch &) = delete;
  th_status take(size_t bytes);
  template <class T> T *as() const { return static_cast<T *>(p); }
private:
  void *p;
  cudaStream_t stream;
  int device;
  size_t bytes;
};

/* The op copy of the registry. */
const th_op *th_cuda_copy_op();
/* Copies bytes between devices, as th_backend requires. */
th_status th_cuda_copy(void *to, int to_device, const void *from, int from_device, int64_t bytes);
/* Copies elements to a tensor of the same size, on any device or the host. */
th_status th_cuda_across(th_tensor *y, th_tensor *x);
/* Copies elements to a tensor of the same device, type and element count; strides may be negative. th_cuda_zero writes zeros. */
th_status th_cuda_move(const th_tensor *y, const th_tensor *x);
th_status th_cuda_zero(const th_tensor *y);
/* Copies a few bytes to the host after all earlier work. */
th_status th_cuda_fetch(void *to, const void *from, size_t bytes);

/* ---- elements ---- */

#ifdef __CUDA_ARCH__
#define TH_UNROLL_ALL _Pragma("unroll")           /* so that places in arrays are known, which then lie in registers */
#define TH_UNROLL_NONE _Pragma("unroll 1")        /* so that rare or short loops stay short code */
#else
#define TH_UNROLL_ALL
#define TH_UNROLL_NONE
#endif
#define TH_DEVICE_FN static __host__ __device__ __forceinline__

#define TH_INLINE TH_DEVICE_FN
#include "../../lib/formula/half.h"
struct f16 { uint16_t bits; };
struct bf16 { uint16_t bits; };

/* Devices convert by one instruction where they have one, with the bits of the CPU except those of NaN: a device stores one NaN
 * for all. */
TH_DEVICE_FN float load_half(bf16 h) { return th_load_bf16({ h.bits }); }
TH_DEVICE_FN bf16 store_bf16(float f)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  bf16 h;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));
  return h;
#else
  return bf16{ th_store_bf16(f).bits };
#endif
}
TH_DEVICE_FN float load_half(f16 h)
{
#ifdef __CUDA_ARCH__
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
  return f;
#else
  return th_load_f16({ h.bits });
#endif
}
TH_DEVICE_FN f16 store_f16(float f)
{
#ifdef __CUDA_ARCH__
  f16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));
  return h;
#else
  return f16{ th_store_f16(f).bits };
#endif
}

/* For an element of type T: the type of computation (C), the type of sums (A), and the conversions. A double is truncated to an
 * integer, which wraps. */
TH_DEVICE_FN int64_t th_whole(double x)
{
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}
template <class T, class C_> struct whole_element {
  typedef C_ C;
  typedef int64_t A;
  static constexpr bool is_int = true;
  TH_DEVICE_FN C load(T v) { return v; }
  template <class V> TH_DEVICE_FN T store(V v) { return (T)v; }
  TH_DEVICE_FN T from_double(double v) { return (T)th_whole(v); }
  TH_DEVICE_FN C number(double v) { return (C)(T)th_whole(v); }
};
template <class T, class C_> struct float_element {
  typedef C_ C;
  typedef double A;
  static constexpr bool is_int = false;
  TH_DEVICE_FN C number(double v) { return (C)v; }
};
template <class T> struct element;
template <> struct element<uint8_t> : whole_element<uint8_t, int32_t> {};
template <> struct element<int8_t> : whole_element<int8_t, int32_t> {};
template <> struct element<int16_t> : whole_element<int16_t, int32_t> {};
template <> struct element<int32_t> : whole_element<int32_t, int64_t> {};
template <> struct element<int64_t> : whole_element<int64_t, int64_t> {};
template <> struct element<float> : float_element<float, float> {
  TH_DEVICE_FN float load(float v) { return v; }
  template <class V> TH_DEVICE_FN float store(V v) { return (float)v; }
  TH_DEVICE_FN float from_double(double v) { return (float)v; }
};
template <> struct element<double> : float_element<double, double> {
  TH_DEVICE_FN double load(double v) { return v; }
  template <class V> TH_DEVICE_FN double store(V v) { return (double)v; }
  TH_DEVICE_FN double from_double(double v) { return v; }
};
template <> struct element<f16> : float_element<f16, float> {
  TH_DEVICE_FN float load(f16 v) { return load_half(v); }
  template <class V> TH_DEVICE_FN f16 store(V v) { return store_f16((float)v); }
  TH_DEVICE_FN f16 from_double(double v) { return store_f16((float)v); }
};
template <> struct element<bf16> : float_element<bf16, float> {
  TH_DEVICE_FN float load(bf16 v) { return load_half(v); }
  template <class V> TH_DEVICE_FN bf16 store(V v) { return store_bf16((float)v); }
  TH_DEVICE_FN bf16 from_double(double v) { return store_bf16((float)v); }
};

/* The tables of an op, exported under its name. */
#define TH_KERNELS(id, ...) \
  extern "C" { extern const th_kernel th_##id##_cuda[TH_NDTYPE]; } \
  const th_kernel th_##id##_cuda[TH_NDTYPE] = { nullptr, __VA_ARGS__ };
#define TH_CUDA_ALL(...) \
  __VA_ARGS__<uint8_t>, __VA_ARGS__<int8_t>, __VA_ARGS__<int16_t>, __VA_ARGS__<int32_t>, __VA_ARGS__<int64_t>, \
  __VA_ARGS__<f16>, __VA_ARGS__<bf16>, __VA_ARGS__<float>, __VA_ARGS__<double>
/* A kernel that only moves elements depends on their size alone. */
#define TH_CUDA_SIZED(...) \
  __VA_ARGS__<uint8_t>, __VA_ARGS__<uint8_t>, __VA_ARGS__<uint16_t>, __VA_ARGS__<uint32_t>, __VA_ARGS__<uint64_t>, \
  __VA_ARGS__<uint16_t>, __VA_ARGS__<uint16_t>, __VA_ARGS__<uint32_t>, __VA_ARGS__<uint64_t>
#define TH_CUDA_FLOATS(...) \
  nullptr, nullptr, nullptr, nullptr, nullptr, __VA_ARGS__<f16>, __VA_ARGS__<bf16>, __VA_ARGS__<float>, __VA_ARGS__<double>

/* ---- addresses ---- */

/* i / n, for element counts. */
TH_DEVICE_FN int64_t th_quotient(int64_t i, int64_t n)
{
  return (uint64_t)(i | n) < ((uint64_t)1 << 32) ? (int64_t)((uint32_t)i / (uint32_t)n) : i / n;
}

/* The address of element i of a tensor, in row-major order; dimensions that are contiguous with each other are merged. */
struct view {
  int32_t ndim;
  int64_t size[TH_MAXDIM], stride[TH_MAXDIM];
  __host__ __device__ int64_t at(int64_t i) const
  {
    int64_t off = 0;
    TH_UNROLL_NONE
    for (int d = ndim - 1; d > 0; d--) {
      const int64_t q = th_quotient(i, size[d]);
      off += (i - q * size[d]) * stride[d];
      i = q;
    }
    return off + i * stride[0];
  }
};
view th_view_of(const th_tensor *t);
/* t broadcast to the shape of y; with the same element count, t keeps its row-major order. */
view th_view_like(const th_tensor *t, const th_tensor *y);

/* Lines of x along a dimension: line k begins at outer.at(k), and has n elements `step` apart. */
struct lines { view outer; int64_t count, n, step; };
lines th_cuda_lines(const th_tensor *t, int dim);
/* y with size 1 at dim, if a reduction has removed that dimension. */
th_tensor th_cuda_with_dim(const th_tensor *y, int dim, int ndim);

template <class T> T *th_first(const th_tensor *t) { return static_cast<T *>(th_data(t, sizeof(T))); }

constexpr int THREADS = 256;
/* The number of blocks for n elements. One element a thread is the fastest way; threads loop over n
 * that are larger than memory. */
inline unsigned th_blocks(int64_t n)
{
  const int64_t blocks = (n + THREADS - 1) / THREADS;
  return (unsigned)(blocks < 1 ? 1 : blocks > 1 << 24 ? 1 << 24 : blocks);
}
/* for (TH_EACH(i, n)): the elements of a thread. */
#define TH_EACH(i, n) int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (n); i += (int64_t)gridDim.x * blockDim.x

#endif
