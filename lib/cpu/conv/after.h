/* after.h - what follows the sums of a convolution of floats: an addend and an activation, line by
 * line. */
#ifndef TH_CONV_AFTER_H
#define TH_CONV_AFTER_H
#include "engine.h"
#include "../channels_last.h"
#include "../gemm.h"
#include "../../formula/math.h"

/* A vector of floats limited to low..high, two vectors; NaN stays. */
#if TH_VB == 64
#define LIMITED(v, low, high) \
  _mm512_min_ps((__m512)(high), _mm512_max_ps((__m512)(low), (__m512)(v)))
#elif TH_VB == 32
#define LIMITED(v, low, high) \
  _mm256_min_ps((__m256)(high), _mm256_max_ps((__m256)(low), (__m256)(v)))
#else
static inline __attribute__((unused)) void limit(float *x, float low, float high)
{
  for (int i = 0; i < TH_VB / 4; i++) x[i] = x[i] < low ? low : x[i] > high ? high : x[i];
}
#endif

static inline __attribute__((unused)) float gelu_of(float x)
{
  return x * th_normal_f32(x, th_exp_f32(-0.5f * x * x));
}

/* y = act(x + add) for n numbers; add may be NULL. y may be x or add. */
static inline __attribute__((unused)) void finish_line(const th_conv_after *a, float *y,
  const float *x, const float *add,
                                                       int64_t n)
{
  const float low = (float)a->low, high = (float)a->high;
  if (a->act == TH_AFTER_CLAMP && add) {
    for (int64_t i = 0; i < n; i++) {
      const float v = x[i] + add[i];
      y[i] = v < low ? low : v > high ? high : v;
    }
  } else if (a->act == TH_AFTER_CLAMP) {
    for (int64_t i = 0; i < n; i++) y[i] = x[i] < low ? low : x[i] > high ? high : x[i];
  } else if (a->act == TH_AFTER_GELU && add) {
    for (int64_t i = 0; i < n; i++) y[i] = gelu_of(x[i] + add[i]);
  } else if (a->act == TH_AFTER_GELU) {
    for (int64_t i = 0; i < n; i++) y[i] = gelu_of(x[i]);
  } else if (add) {
    for (int64_t i = 0; i < n; i++) y[i] = x[i] + add[i];
  } else if (y != x) {
    memcpy(y, x, sizeof *y * (size_t)n);
  }
}

#endif
