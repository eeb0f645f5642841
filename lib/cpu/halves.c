/* halves.c - many halves to float and back, by the processor's own instructions where it has them: the same
 * bits as th_load_f16 and th_store_f16. */
#ifdef __F16C__
#include <immintrin.h>
#endif
#include "elementwise.h"

enum { LANES = 8 };

void TH_AT(th_load_f16s)(float *y, const th_f16 *x, int64_t n)
{
  int64_t i = 0;
#ifdef __F16C__
  for (; i + LANES <= n; i += LANES) {
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i))));
  }
#endif
  TH_VECTORISE
  for (; i < n; i++) y[i] = th_load_f16(x[i]);
}

void TH_AT(th_store_f16s)(th_f16 *y, const float *x, int64_t n)
{
  int64_t i = 0;
#ifdef __F16C__
  for (; i + LANES <= n; i += LANES) {
    const __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128((__m128i *)(y + i), h);
  }
#endif
  TH_VECTORISE
  for (; i < n; i++) y[i] = th_store_f16(x[i]);
}
