// engine.cuh - convolution engines of devices, and the units of their costs.
#ifndef TH_CONV_CUH
#define TH_CONV_CUH
#include "../kernels/gemm.cuh"
#include "th_conv_engine.h"
#include "thcuda.h"

extern const th_conv_engine th_cuda_conv_gemm, th_cuda_conv_fft, th_cuda_conv_cufft, th_cuda_conv_cudnn;

/* The peak rates of a device per second, from its properties: operations on floats and doubles, operations that tensor cores
 * reach on halves and on floats rounded to TF32, bytes to and from memory. A kernel that others wait for costs at least `launch`
 * seconds. */
struct th_cuda_peak { double floats, doubles, halves, tf32, bytes; int multiprocessors; };
const th_cuda_peak &th_cuda_peak_of(int device);
constexpr double TH_CUDA_LAUNCH = 4e-6;

/* The name of a device's model and the versions of its libraries; NULL without such a device. */
const char *th_cuda_model(int device);

/* The fraction of a device that `blocks` equal blocks keep busy, two per multiprocessor at a time. */
double th_cuda_share(const th_cuda_peak &p, double blocks);

inline double th_conv_products(const th_conv_shape &s)
{
  return (double)s.n * (double)s.groups * (double)s.c * (double)s.o * (double)s.oh * (double)s.ow * (double)s.kh * (double)s.kw;
}
/* Bytes of the operands, each counted once. */
inline double th_conv_bytes(const th_conv_shape &s)
{
  const double x = (double)(s.n * s.groups) * (double)s.c * (double)s.h * (double)s.w;
  const double y = (double)(s.n * s.groups) * (double)s.o * (double)s.oh * (double)s.ow;
  const double k = (double)(s.groups * s.o) * (double)s.c * (double)s.kh * (double)s.kw;
  return (double)th_element_size(s.dtype) * (x + y + k);
}

#endif
