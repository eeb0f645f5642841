// kernel.h - the environment of a kernel on the emulated device: indices, barriers, warps, shared memory, atomics. One thread
// of the host runs all threads of a block, so shared memory is static memory, which each block fills with garbage, and an atomic
// is a plain operation.
#ifndef TH_EMU_KERNEL_H
#define TH_EMU_KERNEL_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <functional>
#include <type_traits>
#include "place.h"

#define __shared__ TH_EMU_SHARED(__LINE__)
#define TH_EMU_SHARED(line) TH_EMU_SHARED_AT(line)
#define TH_EMU_SHARED_AT(line) \
  static emu::declaration emu_declared_at_##line; emu::declare(emu_declared_at_##line); static
#define __constant__ static

struct CUstream_st;

namespace emu {

/* A __shared__ of a function. `block` is the last block that has declared it. */
struct declaration { uint64_t block; const struct shared_variables *all; };
extern uint64_t this_block;
/* Fills the shared variables of the declaration's function with garbage: shared.cc. */
void fill_shared(declaration &d);
inline void declare(declaration &d) { if (d.block != this_block) fill_shared(d); }

enum { WARP = 32 };
/* The line of a kernel that calls a barrier. All threads of a block must meet at the same one. */
struct line { const char *file; int number; };
/* Returns how many threads say yes. */
int  barrier(bool yes, line at);
/* Waits for the lanes of mask, each with 8 bytes; returns the address of the bytes of all lanes. */
const uint64_t *meet(unsigned mask, uint64_t mine);
int   lane();
void *dynamic_shared();

/* Puts a kernel into a stream; stores a wrong configuration for cudaGetLastError. The addresses among its arguments tell which
 * memory it uses. */
void launch(dim3 blocks, dim3 threads, size_t shared, CUstream_st *s, std::function<void()> run, const char *name,
            const void *addresses = nullptr, size_t bytes = 0);
/* An argument that is an address, or NULL. Those within structures are left out, because unused members hold anything. */
template <class T> const void *address_of(const T &v)
{
  if constexpr (std::is_pointer<T>::value && !std::is_function<typename std::remove_pointer<T>::type>::value) return v;
  else return (void)v, nullptr;
}

template <class T> inline uint64_t pack(T v)
{
  static_assert(sizeof(T) <= 8, "a warp exchanges at most 8 bytes");
  uint64_t u = 0;
  memcpy(&u, &v, sizeof v);
  return u;
}
template <class T> inline T unpack(uint64_t u)
{
  T v;
  memcpy(&v, &u, sizeof v);
  return v;
}
/* The value of lane `from`, or the own value if that lane is outside of the part of the warp or missing. */
template <class T> inline T take(unsigned mask, T v, int from, int first, int width)
{
  const uint64_t *all = meet(mask, pack(v));
  return from >= first && from < first + width && (mask >> from & 1) ? unpack<T>(all[from]) : v;
}

}  // namespace emu

#define TH_EMU_HERE const char *file = __builtin_FILE(), int number = __builtin_LINE()
inline void __syncthreads(TH_EMU_HERE) { emu::barrier(false, { file, number }); }
inline int __syncthreads_count(int yes, TH_EMU_HERE) { return emu::barrier(yes != 0, { file, number }); }
inline int __syncthreads_or(int yes, TH_EMU_HERE) { return emu::barrier(yes != 0, { file, number }) > 0; }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emu::meet(mask, 0); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

template <class T> inline T __shfl_sync(unsigned mask, T v, int from, int width = 32)
{
  const int first = emu::lane() & ~(width - 1);
  return emu::take(mask, v, first + (from & (width - 1)), first, width);
}
template <class T> inline T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32)
{
  const int first = emu::lane() & ~(width - 1);
  return emu::take(mask, v, emu::lane() - (int)by, first, width);
}
template <class T> inline T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32)
{
  const int first = emu::lane() & ~(width - 1);
  return emu::take(mask, v, emu::lane() + (int)by, first, width);
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T v, int with, int width = 32)
{
  const int first = emu::lane() & ~(width - 1);
  return emu::take(mask, v, emu::lane() ^ with, first, width);
}
inline unsigned __ballot_sync(unsigned mask, int yes)
{
  const uint64_t *all = emu::meet(mask, yes != 0);
  unsigned bits = 0;
  for (int l = 0; l < emu::WARP; l++) if (mask >> l & 1) bits |= (unsigned)(all[l] != 0) << l;
  return bits;
}
inline int __any_sync(unsigned mask, int yes) { return __ballot_sync(mask, yes) != 0; }
inline int __all_sync(unsigned mask, int yes) { return __ballot_sync(mask, !yes) == 0; }

/* Nanoseconds; a device counts cycles of its clock. */
long long clock64();

inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }

/* Under ThreadSanitizer's instrumentation an atomic is one access, which races with no other atomic: race.cc. */
#ifdef __SANITIZE_THREAD__
namespace emu { void atomic_access(const void *p, size_t bytes); }
#define TH_EMU_ATOMIC __attribute__((no_sanitize("thread"))) inline
#define TH_EMU_OLD(p) (emu::atomic_access((p), sizeof *(p)), *(p))
#else
#define TH_EMU_ATOMIC inline
#define TH_EMU_OLD(p) (*(p))
#endif
template <class T> TH_EMU_ATOMIC T atomicAdd(T *p, T v) { const T old = TH_EMU_OLD(p); *p = (T)(old + v); return old; }
template <class T> TH_EMU_ATOMIC T atomicMax(T *p, T v) { const T old = TH_EMU_OLD(p); if (v > old) *p = v; return old; }
template <class T> TH_EMU_ATOMIC T atomicMin(T *p, T v) { const T old = TH_EMU_OLD(p); if (v < old) *p = v; return old; }
template <class T> TH_EMU_ATOMIC T atomicOr(T *p, T v) { const T old = TH_EMU_OLD(p); *p = (T)(old | v); return old; }
template <class T> TH_EMU_ATOMIC T atomicAnd(T *p, T v) { const T old = TH_EMU_OLD(p); *p = (T)(old & v); return old; }
template <class T> TH_EMU_ATOMIC T atomicExch(T *p, T v) { const T old = TH_EMU_OLD(p); *p = v; return old; }
template <class T> TH_EMU_ATOMIC T atomicCAS(T *p, T want, T v)
{
  const T old = TH_EMU_OLD(p);
  if (old == want) *p = v;
  return old;
}

#endif
