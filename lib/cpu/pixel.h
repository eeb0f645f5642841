/* pixel.h - pixels of type T as values to sum, and back. Included in the body of a kernel file, once per dtype.
 * K(value) is float, or double where float does not hold every T; TH_PIXEL_SINGLE makes it float for doubles, too. */
#include "image_vector.h"
#ifdef TH_PIXEL_SINGLE
typedef __typeof__(__builtin_choose_expr(sizeof(C) == 8 && IS_INT, (double)0, (float)0)) K(value);
#else
typedef __typeof__(__builtin_choose_expr(sizeof(C) == 8, (double)0, (float)0)) K(value);
#endif

/* The pixel nearest to v. A whole number is limited to its type's range, and NaN becomes the least one. */
TH_INLINE T K(pixel)(K(value) v)
{
#if IS_INT
  const K(value) most = (T)-1 > 0 ? 255 : sizeof(T) == 8 ? (K(value))9223372036854774784.0
                                        : (K(value))(((uint64_t)1 << (8 * sizeof(T) - 1)) - 1);
  const K(value) least = (T)-1 > 0 ? 0 : -most - 1;
  v += (K(value))0.5;
  v = v > least ? v : least;
  v = v < most ? v : most;
  if ((T)-1 > 0) return (T)(int32_t)v;
  return sizeof(C) == 8 ? (T)floor((double)v) : (T)(int32_t)floorf((float)v);
#else
  return STORE((C)v);
#endif
}

TH_INLINE K(value) K(value_of)(T x) { return (K(value))LOAD(x); }

/* A row of pixels from values. */
static void K(write_row)(T *restrict to, const K(value) *restrict from, int64_t step, int64_t n)
{
#if IMAGE_VECTORS
  if (DT == TH_U8 && step == 1) {
    write_bytes((void *)to, (const void *)from, n);
    return;
  }
#endif
  if (step == 1) for (int64_t i = 0; i < n; i++) to[i] = K(pixel)(from[i]);
  else for (int64_t i = 0; i < n; i++) to[i * step] = K(pixel)(from[i]);
}
