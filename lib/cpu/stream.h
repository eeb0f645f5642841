/* stream.h - stores of whole vectors past the caches, for results that would not stay in them. */
#ifndef TH_STREAM_H
#define TH_STREAM_H
#include "gemm.h"

#if TH_VB == 64
#define TH_STREAM(to, v) _mm512_stream_si512((__m512i *)(to), (__m512i)(v))
#define TH_STREAMED()    _mm_sfence()
#elif TH_VB == 32
#define TH_STREAM(to, v) _mm256_stream_si256((__m256i *)(to), (__m256i)(v))
#define TH_STREAMED()    _mm_sfence()
#elif defined __SSE2__
#include <emmintrin.h>
#define TH_STREAM(to, v) _mm_stream_si128((__m128i *)(to), (__m128i)(v))
#define TH_STREAMED()    _mm_sfence()
#else
#define TH_STREAM(to, v) (*(to) = (v))
#define TH_STREAMED()    ((void)0)
#endif

#endif
