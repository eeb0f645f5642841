/* philox.h - Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): four random words from a counter and a key. The including file's
 * instruction set determines the vectors; the words are the same. Device code defines TH_PHILOX_FN as its function qualifier and
 * gets single blocks only. */
#ifndef TH_PHILOX_H
#define TH_PHILOX_H
#include <stdint.h>
#include <string.h>

/* Lanes of 64 bits hold a word in their low half. MUL multiplies the low halves; EVEN and ODD pair the
 * even, or odd, lanes of two vectors. */
#if defined TH_PHILOX_FN
#elif defined __AVX512F__
#include <immintrin.h>
#define TH_PHILOX_LANES 8
#define TH_PHILOX_MUL(a, b)  ((th_philox_lanes)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define TH_PHILOX_EVEN(a, b) ((th_philox_lanes)_mm512_unpacklo_epi64((__m512i)(a), (__m512i)(b)))
#define TH_PHILOX_ODD(a, b)  ((th_philox_lanes)_mm512_unpackhi_epi64((__m512i)(a), (__m512i)(b)))
#elif defined __AVX2__
#include <immintrin.h>
#define TH_PHILOX_LANES 4
#define TH_PHILOX_MUL(a, b)  ((th_philox_lanes)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define TH_PHILOX_EVEN(a, b) ((th_philox_lanes)_mm256_unpacklo_epi64((__m256i)(a), (__m256i)(b)))
#define TH_PHILOX_ODD(a, b)  ((th_philox_lanes)_mm256_unpackhi_epi64((__m256i)(a), (__m256i)(b)))
#elif defined __SSE2__
#include <emmintrin.h>
#define TH_PHILOX_LANES 2
#define TH_PHILOX_MUL(a, b)  ((th_philox_lanes)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#define TH_PHILOX_EVEN(a, b) ((th_philox_lanes)_mm_unpacklo_epi64((__m128i)(a), (__m128i)(b)))
#define TH_PHILOX_ODD(a, b)  ((th_philox_lanes)_mm_unpackhi_epi64((__m128i)(a), (__m128i)(b)))
#endif

#define TH_PHILOX_M0 0xd2511f53u
#define TH_PHILOX_M1 0xcd9e8d57u
#define TH_PHILOX_W0 0x9e3779b9u            /* added to the key in every round */
#define TH_PHILOX_W1 0xbb67ae85u

#ifndef TH_PHILOX_FN
#define TH_PHILOX_FN static inline
#define TH_PHILOX_MANY
#endif

TH_PHILOX_FN void th_philox_block(uint64_t key, uint64_t stream, uint64_t block, uint32_t *to)
{
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  uint32_t a = (uint32_t)block, b = (uint32_t)(block >> 32), c = (uint32_t)stream, d = (uint32_t)(stream >> 32);
  for (int round = 0; round < 10; round++) {
    const uint64_t p = (uint64_t)a * TH_PHILOX_M0, q = (uint64_t)c * TH_PHILOX_M1;
    a = (uint32_t)(q >> 32) ^ b ^ k0;
    b = (uint32_t)q;
    c = (uint32_t)(p >> 32) ^ d ^ k1;
    d = (uint32_t)p;
    k0 += TH_PHILOX_W0;
    k1 += TH_PHILOX_W1;
  }
  to[0] = a;
  to[1] = b;
  to[2] = c;
  to[3] = d;
}

#ifdef TH_PHILOX_MANY
/* Writes `count` blocks of four words, beginning with `block`. The low half of the counter wraps, the high half stays. */
static inline void th_philox_blocks(uint64_t key, uint64_t stream, uint64_t block, uint32_t *to, int64_t count)
{
  int64_t i = 0;
#ifdef TH_PHILOX_LANES
  enum { LANES = TH_PHILOX_LANES };
  typedef uint64_t th_philox_lanes __attribute__((vector_size(8 * LANES)));
  th_philox_lanes place;                    /* in an order from which EVEN and ODD give consecutive blocks */
  for (int k = 0; k < LANES; k++) place[k] = (uint64_t)(k / 2 + k % 2 * (LANES / 2));
  for (; i + LANES <= count; i += LANES) {
    const th_philox_lanes at = place + (block + (uint64_t)i), m0 = (th_philox_lanes){ 0 } + TH_PHILOX_M0,
                          m1 = (th_philox_lanes){ 0 } + TH_PHILOX_M1, low = (th_philox_lanes){ 0 } + 0xffffffffu;
    th_philox_lanes a = at, b = at >> 32, c = (th_philox_lanes){ 0 } + (uint32_t)stream,
                    d = (th_philox_lanes){ 0 } + (stream >> 32);
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {         /* the high halves fill with unused bits */
      const th_philox_lanes p = TH_PHILOX_MUL(a, m0), q = TH_PHILOX_MUL(c, m1);
      a = (q >> 32) ^ b ^ k0;
      b = q;
      c = (p >> 32) ^ d ^ k1;
      d = p;
      k0 += TH_PHILOX_W0;
      k1 += TH_PHILOX_W1;
    }
    const th_philox_lanes ab = (a & low) | b << 32, cd = (c & low) | d << 32;
    const th_philox_lanes first = TH_PHILOX_EVEN(ab, cd), second = TH_PHILOX_ODD(ab, cd);
    memcpy(to + 4 * i, &first, sizeof first);
    memcpy(to + 4 * i + 2 * LANES, &second, sizeof second);
  }
#endif
  for (; i < count; i++) th_philox_block(key, stream, block + (uint64_t)i, to + 4 * i);
}
#endif

#endif
