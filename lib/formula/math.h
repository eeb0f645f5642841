/* math.h - exp, log and their kin without branches, so that loops over them vectorise.
 *
 * Sums of products are fused where the processor can, so avx2 and avx512 give the same bits, and base may
 * differ in the last one. NaN, infinities and denormals come out right. Largest errors, in units of
 * the last place (test/op/math_spec.lua):
 *   exp 1.1   expm1 2   log 1   log1p 1.5   tanh 3   sigmoid 3   (float and double)
 * Read once per type: C float or double, F(f) the name of f for that type. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef TH_FORMULA
#define TH_FORMULA static inline __attribute__((always_inline, unused))
#endif

/* The function of the C library for the type of x: floorf or floor. */
#ifndef TH_LIBM
#define TH_LIBM(name, x) _Generic((x), float: name##f, default: name)
#endif

#define C float
#define F(f) f##_f32
#define U uint32_t
#define I int32_t
#define MANTISSA 23
#define BIAS 127
#define ROUNDER 12582912.0f              /* 1.5 * 2^23: adding it rounds to a whole number */
#define LN2_HI 0.693145751953125f        /* few enough bits that k * LN2_HI is exact */
#define LN2_LO 1.42860682030941723e-6f
#define EXP_MAX 89.0f                    /* beyond these the result is infinity, or 0 */
#define EXP_MIN -104.0f
#define SMALLEST 1.17549435e-38f         /* the smallest normal number */
#define ROOT_HALF 0x3f3504f3             /* bits of sqrt(1/2) */
#include "math_body.h"
#undef C
#undef F
#undef U
#undef I
#undef MANTISSA
#undef BIAS
#undef ROUNDER
#undef LN2_HI
#undef LN2_LO
#undef EXP_MAX
#undef EXP_MIN
#undef SMALLEST
#undef ROOT_HALF

#define TH_MATH_DOUBLE
#define C double
#define F(f) f##_f64
#define U uint64_t
#define I int64_t
#define MANTISSA 52
#define BIAS 1023
#define ROUNDER 6755399441055744.0
#define LN2_HI 0.69314718036912381649
#define LN2_LO 1.9082149292705877e-10
#define EXP_MAX 710.0
#define EXP_MIN -746.0
#define SMALLEST 2.2250738585072014e-308
#define ROOT_HALF 0x3fe6a09e667f3bcd
#include "math_body.h"
#undef TH_MATH_DOUBLE
#undef C
#undef F
#undef U
#undef I
#undef MANTISSA
#undef BIAS
#undef ROUNDER
#undef LN2_HI
#undef LN2_LO
#undef EXP_MAX
#undef EXP_MIN
#undef SMALLEST
#undef ROOT_HALF
#include "wide.h"
