// values.cuh - N elements at an address, as values that kernels compute with. The texts that are
// compiled at run time begin with this file, too (program_text.cuh).
#ifndef TH_VALUES_CUH
#define TH_VALUES_CUH
#include "element.cuh"

/* HOW a body sees elements of memory (E): as values (V) of the type of computation, or as they
 * are stored. */
template <class T> struct computed {
  typedef T E;
  typedef typename element<T>::C V;
  TH_DEVICE_FN V load(T v) { return element<T>::load(v); }
  TH_DEVICE_FN T store(V v) { return element<T>::store(v); }
};
template <class T> struct stored {
  typedef T E;
  typedef T V;
  TH_DEVICE_FN V load(T v) { return v; }
  TH_DEVICE_FN T store(V v) { return v; }
};

/* ---- N elements at an address ---- */

template <int B> struct word { typedef uint32_t type; };
template <> struct word<1> { typedef uint8_t type; };
template <> struct word<2> { typedef uint16_t type; };
/* B bytes at an address that B divides: one instruction loads or stores them. */
template <int B> struct alignas(B) chunk {
  typedef typename word<B>::type W;
  W w[B / sizeof(W)];
};
template <int B> __device__ __forceinline__ chunk<B> load_chunk(const void *p)
{
#ifdef __CUDA_ARCH__
  return *static_cast<const chunk<B> *>(p);
#else
  chunk<B> c;
  if ((uintptr_t)p % B) abort();                  /* a device refuses such an address, too */
  memcpy(&c, p, B);
  return c;
#endif
}
template <int B> __device__ __forceinline__ void store_chunk(void *p, const chunk<B> &c)
{
#ifdef __CUDA_ARCH__
  *static_cast<chunk<B> *>(p) = c;
#else
  if ((uintptr_t)p % B) abort();
  memcpy(p, &c, B);
#endif
}

/* Two halves in a word, the first in the low bits; newer devices convert both by one instruction.
 * */
TH_DEVICE_FN uint32_t th_pair_of(bf16, float low, float high)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint32_t w;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
  return w;
#else
  return store_bf16(low).bits | (uint32_t)store_bf16(high).bits << 16;
#endif
}
TH_DEVICE_FN uint32_t th_pair_of(f16, float low, float high)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint32_t w;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
  return w;
#else
  return store_f16(low).bits | (uint32_t)store_f16(high).bits << 16;
#endif
}
template <class How> struct is_half { static constexpr bool value = false; };
template <> struct is_half<computed<f16>> { static constexpr bool value = true; };
template <> struct is_half<computed<bf16>> { static constexpr bool value = true; };
template <class How> struct is_bf16 { static constexpr bool value = false; };
template <> struct is_bf16<computed<bf16>> { static constexpr bool value = true; };

template <class How, int N>
__device__ __forceinline__ void load_values(typename How::V (&v)[N], const typename How::E *p)
{
  typedef typename How::E E;
  const chunk<N * sizeof(E)> c = load_chunk<N * sizeof(E)>(p);
  if constexpr (is_bf16<How>::value && N > 1) {      /* shorter than the way through 16 bits */
    TH_UNROLL_ALL
    for (int k = 0; k < N; k++)
      v[k] = th_float_of(k % 2 ? c.w[k / 2] & 0xffff0000 : c.w[k / 2] << 16);
  } else {
    E e[N];
    memcpy(e, &c, sizeof e);
    TH_UNROLL_ALL
    for (int k = 0; k < N; k++) v[k] = How::load(e[k]);
  }
}
template <class How, int N>
__device__ __forceinline__ void store_values(typename How::E *p, const typename How::V (&v)[N])
{
  typedef typename How::E E;
  chunk<N * sizeof(E)> c;
  if constexpr (is_half<How>::value && N > 1) {
    TH_UNROLL_ALL
    for (int k = 0; k < N / 2; k++) c.w[k] = th_pair_of(E(), v[2 * k], v[2 * k + 1]);
  } else {
    E e[N];
    TH_UNROLL_ALL
    for (int k = 0; k < N; k++) e[k] = How::store(v[k]);
    memcpy(&c, e, sizeof c);
  }
  store_chunk<N * sizeof(E)>(p, c);
}

#endif
