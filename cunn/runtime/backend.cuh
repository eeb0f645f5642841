// backend.cuh - declarations for the kernel files of cunn. nvcc compiles them for GPUs, the host's compiler for the emulated
// device.
#ifndef TH_BACKEND_CUH
#define TH_BACKEND_CUH
#include <cuda_runtime.h>
#include "th_backend.h"
#include "element.cuh"

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
