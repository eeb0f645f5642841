// element.cuh - elements of tensors on a device: their types, and the types of computation. The
// texts that are compiled at run time begin with this file, too (program_text.cuh).
#ifndef TH_ELEMENT_CUH
#define TH_ELEMENT_CUH

#ifdef __CUDA_ARCH__
#define TH_UNROLL_ALL                                                                              \
  _Pragma("unroll") /* so that places in arrays are known, which then lie in registers */
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

/* Devices convert by one instruction where they have one, with the bits of the CPU except those
 * of NaN: a device stores one NaN for all. */
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

/* For an element of type T: the type of computation (C), the type of sums (A), and the
 * conversions. A double is truncated to an integer, which wraps. */
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

#endif
