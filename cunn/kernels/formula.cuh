// formula.cuh - the formulas of lib/formula for a device, with the device's mathematical functions and otherwise the same text.
#ifndef TH_FORMULA_CUH
#define TH_FORMULA_CUH
#include <math.h>
#include "half_exp.cuh"

#define TH_FORMULA TH_DEVICE_FN __attribute__((unused))
#define TH_LIBM(name, x) ::name              /* an overload for the type of the argument */

#define TH_OWN(C, s) \
  TH_FORMULA C th_abs_##s(C x) { return ::fabs(x); } \
  TH_FORMULA C th_expm1_##s(C x) { return ::expm1(x); } \
  TH_FORMULA C th_log_##s(C x) { return ::log(x); } \
  TH_FORMULA C th_log1p_##s(C x) { return ::log1p(x); } \
  TH_FORMULA C th_sin_##s(C x) { return ::sin(x); } \
  TH_FORMULA C th_cos_##s(C x) { return ::cos(x); } \
  TH_FORMULA C th_tan_##s(C x) { return ::tan(x); } \
  TH_FORMULA C th_asin_##s(C x) { return ::asin(x); } \
  TH_FORMULA C th_acos_##s(C x) { return ::acos(x); } \
  TH_FORMULA C th_atan_##s(C x) { return ::atan(x); } \
  TH_FORMULA C th_sinh_##s(C x) { return ::sinh(x); } \
  TH_FORMULA C th_cosh_##s(C x) { return ::cosh(x); } \
  TH_FORMULA C th_tanh_##s(C x) { return ::tanh(x); } \
  TH_FORMULA C th_erf_##s(C x) { return ::erf(x); } \
  TH_FORMULA C th_round_##s(C x) { return ::round(x); } \
  TH_FORMULA C th_pow_##s(C x, C y) { return ::pow(x, y); } \
  TH_FORMULA C th_atan2_##s(C x, C z) { return ::atan2(x, z); }
#define TH_OWN_EXP(C, s) \
  TH_FORMULA C th_exp_##s(C x) { return ::exp(x); } \
  TH_FORMULA C th_sigmoid_##s(C x) { return 1 / (1 + ::exp(-x)); }
TH_OWN(float, f32)
TH_OWN_EXP(float, f32)
TH_OWN(double, f64)
TH_OWN_EXP(double, f64)
TH_OWN(float, half)
#undef TH_OWN
#undef TH_OWN_EXP
TH_FORMULA double th_normal_f64(double x, double)
{
  return 0.5 * ::erfc(x * -0.7071067811865476);
}
TH_FORMULA float th_ma_f32(float a, float b, float c) { return ::fmaf(a, b, c); }
#ifdef __CUDA_ARCH__
#define TH_RECIPROCAL(x) __fdividef(1, x)    /* the argument lies between 1 and infinity */
#endif
#include "../../lib/formula/normal.h"

/* For results that become halves. */
TH_FORMULA float th_sigmoid_half(float x) { return TH_RECIPROCAL(1 + th_exp_half(-x)); }
/* As th_normal_f32, with a polynomial of u = 1 / (1 + 0.32 |x|) of degree 6. */
TH_FORMULA float th_normal_half(float x, float e)
{
  const float u = TH_RECIPROCAL(1 + 0.32f * ::fabsf(x));
  float p = -0.06677385898223463f;
  p = ::fmaf(p, u, 0.13958406301925252f);
  p = ::fmaf(p, u, 0.04961582177803165f);
  p = ::fmaf(p, u, 0.1230504528549948f);
  p = ::fmaf(p, u, 0.12682835725998093f);
  p = ::fmaf(p, u, 0.12768968828819874f);
  const float below = e * (u * p);
  return x > 0 ? 1 - below : below;
}

#define C float
#define F(f) f##_f32
#include "../../lib/formula/pointwise.h"
#undef F
#define F(f) f##_half
#include "../../lib/formula/pointwise.h"
#undef C
#undef F
#define C double
#define F(f) f##_f64
#include "../../lib/formula/pointwise.h"
#undef C
#undef F

#define C int32_t
#define T uint8_t
#define F(f) f##_u8
#include "../../lib/formula/integer.h"
#undef T
#undef F
#define T int8_t
#define F(f) f##_i8
#include "../../lib/formula/integer.h"
#undef T
#undef F
#define T int16_t
#define F(f) f##_i16
#include "../../lib/formula/integer.h"
#undef T
#undef F
#undef C
#define C int64_t
#define T int32_t
#define F(f) f##_i32
#include "../../lib/formula/integer.h"
#undef T
#undef F
#define T int64_t
#define F(f) f##_i64
#include "../../lib/formula/integer.h"
#undef T
#undef F
#undef C
#undef TH_X
#undef TH_G
#undef TH_XZ
#undef TH_UNUSED

/* A formula as a type: op::at(kind<T>(), ...) is the one for elements T. */
template <class T> struct kind {};
#define TH_AT_FLOATS(M, id) \
  M(id, f16, float, half) M(id, bf16, float, half) M(id, float, float, f32) \
  M(id, double, double, f64)
#define TH_AT_INTS(M, id) \
  M(id, uint8_t, int32_t, u8) M(id, int8_t, int32_t, i8) M(id, int16_t, int32_t, i16) M(id, int32_t, int64_t, i32) \
  M(id, int64_t, int64_t, i64)
#define TH_AT_ALL(M, id) TH_AT_INTS(M, id) TH_AT_FLOATS(M, id)

/* The tables: run is a template with the element type and the formula. */
#define TH_TABLE_FLOATS(id, run, op) \
  TH_KERNELS(id, nullptr, nullptr, nullptr, nullptr, nullptr, run<f16, op>, run<bf16, op>, run<float, op>, run<double, op>)
#define TH_TABLE_INTS(id, run, op) \
  TH_KERNELS(id, run<uint8_t, op>, run<int8_t, op>, run<int16_t, op>, run<int32_t, op>, run<int64_t, op>)
#define TH_TABLE_ALL(id, run, op) \
  TH_KERNELS(id, run<uint8_t, op>, run<int8_t, op>, run<int16_t, op>, run<int32_t, op>, run<int64_t, op>, \
             run<f16, op>, run<bf16, op>, run<float, op>, run<double, op>)

/* The number arguments of a call, in order, converted for elements of type T. */
template <class T> struct numbers {
  double d[2];
  explicit numbers(const th_call *c) : d{ 0, 0 }
  {
    int n = 0;
    for (int i = 0; i < c->narg; i++) if (c->kind[i] == TH_K_NUMBER) d[n++] = c->arg[i].d;
  }
  typename element<T>::C at(int i) const { return element<T>::number(d[i]); }
};

#endif
