// program_text.cuh - what the text of every program of pointwise ops begins with.
// cmake/embed.cmake puts this file, and all that it includes, into libthcuda.
#ifdef __CUDACC_RTC__
#pragma nv_diag_suppress 177           /* a program uses some of these functions only */
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
#define INT64_MIN (-0x7fffffffffffffff - 1)
#define UINT64_MAX 0xffffffffffffffff
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#else
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../emu/place.h"
#endif
#include "program_args.cuh"
#include "scalar.cuh"
#include "../runtime/values.cuh"

/* A result of an op before the next op: the compiler must not join a product of one op and a sum
 * of another in one instruction. */
TH_DEVICE_FN float apart(float v, uint32_t nothing)
{
#ifdef __CUDA_ARCH__
  return __uint_as_float(__float_as_uint(v) ^ nothing);
#else
  return (void)nothing, v;
#endif
}
TH_DEVICE_FN double apart(double v, uint32_t nothing)
{
#ifdef __CUDA_ARCH__
  return __longlong_as_double(__double_as_longlong(v) ^ nothing);
#else
  return (void)nothing, v;
#endif
}
/* The same, as the element type holds it. */
template <class T> struct result {
  TH_DEVICE_FN typename element<T>::C of(typename element<T>::C v, uint32_t)
  {
    return element<T>::load(element<T>::store(v));
  }
};
template <> struct result<float> {
  TH_DEVICE_FN float of(float v, uint32_t nothing) { return apart(v, nothing); }
};
template <> struct result<double> {
  TH_DEVICE_FN double of(double v, uint32_t nothing) { return apart(v, nothing); }
};
