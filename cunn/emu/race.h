// race.h - finds data races of kernels, in builds with ThreadSanitizer's instrumentation (TH_EMU_RACES).
//
// race.cc replaces the sanitizer's library: the compiler calls it for each access of a kernel, and of the host's code in this
// library. It knows what a GPU orders. The functions below tell it what runs; in other builds they are empty.
//
// The sanitizer's library is not used, because a fiber of it costs 4 to 7 ms to create and 1 to 35 us at each barrier
// (libtsan of gcc 12, 256 to 1024 fibers, two shared cores).
#ifndef TH_EMU_RACE_H
#define TH_EMU_RACE_H
#include <stddef.h>
#include <memory>
#include "kernel.h"
#include "order.h"

namespace emu {

/* What a thread of a kernel knows of the lanes of its warp since the last barrier of its block. */
struct progress {
  unsigned block, thread, barrier;   /* barrier: how many the block has met */
  uint32_t clock[WARP];              /* how often a lane has met others, as far as this thread has learned */
};

#ifdef TH_EMU_RACES

/* Memory in which races are looked for: of devices, pinned, or shared by a block. */
void watch(void *p, size_t bytes);
void unwatch(void *p, size_t bytes);
/* Nothing that has accessed this memory before matters any more. */
void forget_accesses(void *p, size_t bytes);
/* The running work, of a host thread that holds the lock, reads or writes memory. */
void access_range(const void *p, size_t bytes, bool writes);

/* The host begins and ends work of a stream. Works nest, where one waits for another stream. */
struct work {
  work(moment m, std::shared_ptr<const times> known, const char *name);
  ~work();                           /* prints what was found; sets found_races */
  moment at;
  std::shared_ptr<const times> known;
  const char *name;
  uint32_t number;                   /* of the last kernel, copy or fill; a graph is one work with several */
  const work *outer;
};
extern bool found_races;
/* What the host knows has changed. */
void host_has_learned(const times &t);
/* The next kernel, copy or fill of the running work. */
void next_step(const char *name);
/* The thread of a kernel that runs next on this host thread; its stack is not watched. NULL: none. */
void run_as(const progress *p);

inline void begin_thread(progress &p, unsigned block, unsigned thread)
{
  p = progress();
  p.block = block;
  p.thread = thread;
  p.clock[thread % WARP] = 1;
}
inline void pass_barrier(progress &p)
{
  const unsigned barrier = p.barrier + 1;
  begin_thread(p, p.block, p.thread);
  p.barrier = barrier;
}
/* The lanes of `group` meet: each learns what the others know. progress_of(lane) is a lane's. */
template <class F> void pass_meeting(unsigned group, F progress_of)
{
  uint32_t known[WARP] = { 0 };
  for (int l = 0; l < WARP; l++) {
    if (!(group >> l & 1)) continue;
    const progress &p = progress_of(l);
    for (int k = 0; k < WARP; k++) known[k] = known[k] < p.clock[k] ? p.clock[k] : known[k];
  }
  for (int l = 0; l < WARP; l++) {
    if (!(group >> l & 1)) continue;
    memcpy(progress_of(l).clock, known, sizeof known);
    progress_of(l).clock[l]++;
  }
}

#else

inline void watch(void *, size_t) {}
inline void unwatch(void *, size_t) {}
inline void forget_accesses(void *, size_t) {}
inline void access_range(const void *, size_t, bool) {}
inline void host_has_learned(const times &) {}
inline void next_step(const char *) {}
inline void run_as(const progress *) {}
inline void begin_thread(progress &, unsigned, unsigned) {}
inline void pass_barrier(progress &) {}
template <class F> void pass_meeting(unsigned, F) {}

#endif

}  // namespace emu
#endif
