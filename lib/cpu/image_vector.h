/* image_vector.h - pixels of bytes or floats, eight at a time. Each function takes the dtype as a constant, TH_U8 or TH_F32, and
 * computes what the plain loop beside its call computes, in the same order. Nothing is defined below the level avx2. */
#ifndef IMAGE_VECTOR_H
#define IMAGE_VECTOR_H
#include "kernel.h"

#ifdef __AVX2__
#include <immintrin.h>
#define IMAGE_VECTORS 1

/* Pixels i..i+7 of a row. */
TH_INLINE __m256 load_eight(const void *row, int64_t i, int dtype)
{
  if (dtype == TH_F32) return _mm256_loadu_ps((const float *)row + i);
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)((const uint8_t *)row + i))));
}

TH_INLINE float load_one(const void *row, int64_t i, int dtype)
{
  return dtype == TH_F32 ? ((const float *)row)[i] : (float)((const uint8_t *)row)[i];
}

/* The bytes nearest to values, in 32 bits each. NaN becomes 0. */
TH_INLINE __m256i nearest_bytes(__m256 v)
{
  v = _mm256_max_ps(_mm256_add_ps(v, _mm256_set1_ps(0.5f)), _mm256_setzero_ps());
  return _mm256_cvttps_epi32(_mm256_min_ps(v, _mm256_set1_ps(255)));
}

TH_INLINE void store_eight_bytes(uint8_t *to, __m256 v)
{
  const __m256i i = nearest_bytes(v);
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(i), _mm256_extracti128_si256(i, 1));
  _mm_storel_epi64((__m128i *)to, _mm_packus_epi16(words, words));
}

TH_INLINE void store_32_bytes(uint8_t *to, __m256 a, __m256 b, __m256 c, __m256 d)
{
  const __m256i low = _mm256_packs_epi32(nearest_bytes(a), nearest_bytes(b));
  const __m256i high = _mm256_packs_epi32(nearest_bytes(c), nearest_bytes(d));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order));
}

TH_INLINE uint8_t nearest_byte(float v)
{
  v += 0.5f;
  v = v > 0 ? v : 0;
  return (uint8_t)(int32_t)(v < 255 ? v : 255);
}

/* Bytes from values. */
static inline __attribute__((unused)) void write_bytes(uint8_t *restrict to, const float *restrict v, int64_t n)
{
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    store_32_bytes(to + i, _mm256_loadu_ps(v + i), _mm256_loadu_ps(v + i + 8), _mm256_loadu_ps(v + i + 16),
                   _mm256_loadu_ps(v + i + 24));
  }
  for (; i + 8 <= n; i += 8) store_eight_bytes(to + i, _mm256_loadu_ps(v + i));
  for (; i < n; i++) to[i] = nearest_byte(v[i]);
}
#else
#define IMAGE_VECTORS 0
#endif

#endif
