/* half.h - numbers of 16 bits: stored in 16 bits, computed in float. Branch-free, so that loops vectorise. */
#ifndef TH_HALF_H
#define TH_HALF_H
#ifndef __CUDACC_RTC__                 /* which knows these types and memcpy */
#include <stdint.h>
#include <string.h>
#endif
#ifndef TH_INLINE
#define TH_INLINE     static inline __attribute__((always_inline, unused))
#endif

typedef struct { uint16_t bits; } th_f16;
typedef struct { uint16_t bits; } th_bf16;

TH_INLINE float th_float_of(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
TH_INLINE uint32_t th_bits_of(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }

TH_INLINE float th_load_bf16(th_bf16 h) { return th_float_of((uint32_t)h.bits << 16); }
TH_INLINE th_bf16 th_store_bf16(float f)            /* to nearest, ties to even; NaN stays NaN */
{
  const uint32_t u = th_bits_of(f), r = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  return (th_bf16){ (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? (u >> 16) | 0x40 : r) };
}
TH_INLINE float th_load_f16(th_f16 h)
{
  const uint32_t sign = (uint32_t)(h.bits & 0x8000) << 16, m = h.bits & 0x7fff;
  const uint32_t normal = (m << 13) + 0x38000000;                       /* rebias the exponent */
  const uint32_t inf = (m << 13) | (m > 0x7c00 ? 0x7fc00000 : 0x7f800000);      /* NaN becomes quiet */
  const uint32_t small = th_bits_of((float)(int32_t)m * 5.9604644775390625e-8f);   /* subnormal: m * 2^-24 */
  return th_float_of(sign | (m >= 0x7c00 ? inf : m < 0x400 ? small : normal));
}
TH_INLINE th_f16 th_store_f16(float f)              /* to nearest, ties to even; as vcvtps2ph does it */
{
  const uint32_t u = th_bits_of(f), sign = (u >> 16) & 0x8000, a = u & 0x7fffffff;
  const uint32_t normal = (a + 0xfff + ((a >> 13) & 1) - 0x38000000) >> 13;
  const uint32_t small = th_bits_of(th_float_of(a) + 0.5f) - 0x3f000000; /* adding 0.5 rounds at 2^-24 */
  const uint32_t nan = 0x7e00 | (a >> 13 & 0x3ff);
  const uint32_t r = a > 0x7f800000 ? nan : a >= 0x477ff000 ? 0x7c00 : a < 0x38800000 ? small : normal;
  return (th_f16){ (uint16_t)(sign | r) };
}

#endif
