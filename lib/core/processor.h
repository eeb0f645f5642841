/* processor.h - instructions that C has no words for, and what other processors than x86-64 do instead. */
#ifndef TH_PROCESSOR_H
#define TH_PROCESSOR_H
#include <stdbool.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <emmintrin.h>
#endif

/* In a loop that waits for another thread: leaves the core's units to the other thread of the core. */
static inline void th_pause(void)
{
#if defined __x86_64__
  __builtin_ia32_pause();
#elif defined __aarch64__
  __asm__ volatile("yield");
#endif
}

enum { TH_STREAMED = 64 };                  /* bytes of a streaming store */

/* Copies TH_STREAMED bytes past the caches; `to` lies at a multiple of 16 bytes. Elsewhere a plain copy. */
static inline void th_stream(char *to, const char *from)
{
#ifdef __x86_64__
  const __m128i *p = (const __m128i *)(const void *)from;
  __m128i *at = (__m128i *)(void *)to;
  const __m128i a = _mm_loadu_si128(p), b = _mm_loadu_si128(p + 1);
  const __m128i c = _mm_loadu_si128(p + 2), d = _mm_loadu_si128(p + 3);
  _mm_stream_si128(at, a);
  _mm_stream_si128(at + 1, b);
  _mm_stream_si128(at + 2, c);
  _mm_stream_si128(at + 3, d);
#else
  memcpy(to, from, TH_STREAMED);
#endif
}

/* Makes what was streamed visible to other threads before what is stored next. */
static inline void th_stream_end(void)
{
#ifdef __x86_64__
  _mm_sfence();
#endif
}

/* Whether this is AMD's family 19h (Zen 3 and 4), which executes products of 512 bits as two halves. */
static inline bool th_halves_products(void)
{
#ifdef __x86_64__
  unsigned a, b, c, d;
  if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_AMD_ebx) return false;
  return __get_cpuid(1, &a, &b, &c, &d) && (a >> 8 & 15) + (a >> 20 & 255) == 0x19;
#else
  return false;
#endif
}

#endif
