// held.cuh - lines of at most HELD_MOST elements, which the threads of a line read once and hold in registers, four at a
// time. A thread has the same elements whether it loads four at once or one by one, so an address does not change the bits.
#ifndef TH_HELD_CUH
#define TH_HELD_CUH
#include <type_traits>
#include "fold_lines.cuh"

/* A thread sums its elements of a line in this type, the threads of a line their sums in double. At
 * most 32 halves lose less in a float than the result when it becomes a half. */
template <class T> using th_part = typename std::conditional<sizeof(T) == 2, float, double>::type;

constexpr int HELD_WARP = 512, HELD_MOST = 8192;      /* the longest line of a warp, and of a block */

/* The part of a line of W threads that one of them holds: element j of four f has place `at(f, j)` in the line. */
template <class T, int W, int FOURS> struct th_held {
  th_four<T> v[FOURS];
  TH_DEVICE_FN int at(int f, int j) { return ((int)threadIdx.x % W + f * W) * FOUR + j; }
  /* Places from n on hold `absent`. */
  __device__ __forceinline__ void load(const T *p, int64_t step, int n, bool vector, T absent)
  {
    TH_UNROLL(8)
    for (int f = 0; f < FOURS; f++) {
      for (int j = 0; j < FOUR; j++) v[f].v[j] = absent;
      if (vector) {
        if (at(f, 0) < n) v[f] = *reinterpret_cast<const th_four<T> *>(p + at(f, 0));
      } else {
        for (int j = 0; j < FOUR; j++) if (at(f, j) < n) v[f].v[j] = p[at(f, j) * step];
      }
    }
  }
  __device__ __forceinline__ void store(T *p, int64_t step, int n, bool vector) const
  {
    if (vector) {
      TH_UNROLL(8)
      for (int f = 0; f < FOURS; f++) if (at(f, 0) < n) *reinterpret_cast<th_four<T> *>(p + at(f, 0)) = v[f];
    } else {
      TH_UNROLL(8)
      for (int f = 0; f < FOURS; f++) {
        for (int j = 0; j < FOUR; j++) if (at(f, j) < n) p[at(f, j) * step] = v[f].v[j];
      }
    }
  }
  /* F: void f(int four, int j), for each element of the thread, and for what is absent. */
  template <class F> __device__ __forceinline__ static void each(const F &f)
  {
    TH_UNROLL(8)
    for (int k = 0; k < FOURS; k++) {
      TH_UNROLL(4)
      for (int j = 0; j < FOUR; j++) f(k, j);
    }
  }
};

/* Whether threads hold these lines: neighbours, or few lines, as th_line_width says. Doubles would need too many registers. */
template <class T> bool th_can_hold(const lines &l) { return sizeof(T) < 8 && th_line_width(l) > 1 && l.n <= HELD_MOST; }

/* For __launch_bounds__: blocks at a time of a multiprocessor, which limits the registers of a
 * thread to 64, 80 or 128. Lines of halves have half the bytes, so more blocks must be under way:
 * `halves`, or two less for eight fours. */
template <class T> constexpr int th_held_blocks(int fours, int halves)
{
  if (sizeof(T) == 2) return fours <= 4 ? halves : halves - 2;
  return fours <= 2 ? 4 : fours <= 4 ? 3 : 2;
}

/* Starts kernel<T, W, FOURS, ...> for lines that threads can hold. */
#define TH_HOLD(l, kernel, rest, ...) \
  if ((l).n <= HELD_WARP) { \
    TH_LAUNCH((kernel<T, 32, 4 TH_BARE rest>), th_blocks((l).count * 32), THREADS, 0, __VA_ARGS__); \
  } else if ((l).n <= HELD_MOST / 4) { \
    TH_LAUNCH((kernel<T, THREADS, 2 TH_BARE rest>), th_blocks((l).count * THREADS), THREADS, 0, __VA_ARGS__); \
  } else if ((l).n <= HELD_MOST / 2) { \
    TH_LAUNCH((kernel<T, THREADS, 4 TH_BARE rest>), th_blocks((l).count * THREADS), THREADS, 0, __VA_ARGS__); \
  } else { \
    TH_LAUNCH((kernel<T, THREADS, 8 TH_BARE rest>), th_blocks((l).count * THREADS), THREADS, 0, __VA_ARGS__); \
  }

#endif
