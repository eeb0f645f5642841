// order_keys.cuh - elements as unsigned keys that compare as wanted: NaN last, -0 as 0, descending inverted.
#ifndef TH_ORDER_KEYS_CUH
#define TH_ORDER_KEYS_CUH
#include "../runtime/backend.cuh"

template <int SIZE> struct bits;
template <> struct bits<1> { typedef uint8_t U; typedef uint32_t key; };
template <> struct bits<2> { typedef uint16_t U; typedef uint32_t key; };
template <> struct bits<4> { typedef uint32_t U; typedef uint32_t key; };
template <> struct bits<8> { typedef uint64_t U; typedef uint64_t key; };
template <class T> using key_type = typename bits<sizeof(T)>::key;

/* The bits of infinity. */
template <class T> struct infinite;
template <> struct infinite<f16> { static constexpr uint16_t bits = 0x7c00; };
template <> struct infinite<bf16> { static constexpr uint16_t bits = 0x7f80; };
template <> struct infinite<float> { static constexpr uint32_t bits = 0x7f800000; };
template <> struct infinite<double> { static constexpr uint64_t bits = 0x7ff0000000000000; };

template <class T> TH_DEVICE_FN key_type<T> key_of(T v, bool descending)
{
  typedef typename bits<sizeof(T)>::U U;
  const U top = (U)((U)1 << (8 * sizeof(T) - 1)), last = (U)~(U)0, flip = descending ? last : (U)0;
  U u;
  memcpy(&u, &v, sizeof u);
  if constexpr (element<T>::is_int) {
    return (U)(((T)-1 < (T)0 ? u ^ top : u) ^ flip);
  } else {
    const U size = (U)(u & ~top);
    if (size == 0) u = 0;
    u = (U)((u & top ? (U)~u : (U)(u | top)) ^ flip);
    return size > infinite<T>::bits ? last : u;
  }
}

/* Whether the key says what the number is: zeros share one, and NaN do. */
template <class T> TH_DEVICE_FN bool tells_number(key_type<T> key, bool descending)
{
  if constexpr (element<T>::is_int) return true;
  typedef typename bits<sizeof(T)>::U U;
  const U last = (U)~(U)0, zero = (U)((U)1 << (8 * sizeof(T) - 1));
  return key != last && (U)(key ^ (descending ? last : (U)0)) != zero;
}
/* The number of such a key. */
template <class T> TH_DEVICE_FN T number_of(key_type<T> key, bool descending)
{
  typedef typename bits<sizeof(T)>::U U;
  const U top = (U)((U)1 << (8 * sizeof(T) - 1));
  U u = (U)(descending ? ~(U)key : (U)key);
  if constexpr (element<T>::is_int) u = (T)-1 < (T)0 ? (U)(u ^ top) : u;
  else u = u & top ? (U)(u & ~top) : (U)~u;
  T v;
  memcpy(&v, &u, sizeof v);
  return v;
}

#endif
