// scalar.cuh - the formulas of lib/formula for a device, with the device's mathematical functions
// and otherwise the same text. The texts that are compiled at run time begin with this file, too
// (program_text.cuh).
#ifndef TH_SCALAR_CUH
#define TH_SCALAR_CUH
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

/* ---- comparisons of whole numbers with any number ---- */

/* A whole number compared with any number, exactly: with the whole part of v, which is below, at
 * or above v. */
struct bound {
  int64_t whole;
  int beside;
}; /* beside: v - whole is 0 or above; -2, 2: v is beyond all; 3: nan */
TH_DEVICE_FN bound bound_of(double v)
{
  if (v != v) return { 0, 3 };
  if (v >= 9223372036854775808.0) return { 0, 2 };
  if (v < -9223372036854775808.0) return { 0, -2 };
  const double f = ::floor(v);
  return { (int64_t)f, v > f };
}
/* x and z such that x is to z as the element is to the bound. */
template <class Op> TH_DEVICE_FN bool whole_against(int64_t x, bound b)
{
  if (b.beside == 3) return Op::at(0.0, (double)NAN);
  if (b.beside == 2 || b.beside == -2) return Op::at(0, b.beside);
  const int order = x < b.whole ? -1 : x > b.whole ? 1 : b.beside ? -1 : 0;
  return Op::at(order, 0);
}

#endif
