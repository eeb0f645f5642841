/* spin.h - waits that spin, because to wake a thread on a halted processor takes longer than a short job. */
#ifndef TH_SPIN_H
#define TH_SPIN_H
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "processor.h"

static inline int64_t th_nanoseconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Whether a wait is over; may read data that other threads write. */
typedef bool (*th_spin_over)(const void *what);

/* Checks `looks` times, then for `ns` nanoseconds more. Never yields the processor: for waits in which every thread has a
 * processor. Returns whether the wait is over. */
static inline bool th_spin(th_spin_over over, const void *what, int looks, int64_t ns)
{
  for (int i = 0; i < looks; i++) {
    if (over(what)) return true;
    th_pause();
  }
  if (ns == 0) return false;
  for (const int64_t end = th_nanoseconds() + ns; th_nanoseconds() < end; th_pause()) {
    if (over(what)) return true;
  }
  return false;
}

/* The same with sched_yield between the checks, because the awaited thread may share the processor. Spins for 100 us if each
 * awake thread has a processor, else for 20 checks. Ends early if another process has run on this processor. */
bool th_spin_yield(th_spin_over over, const void *what);

/* Count the awake threads of this process: those that have called th_awake_begin, except while between th_awake_pause and
 * th_awake_resume. A thread that waits for a file counts as awake. */
void th_awake_begin(void);
void th_awake_end(void);                    /* before the thread ends */
void th_awake_pause(void);                  /* before sleep; no effect in a thread that is not counted */
void th_awake_resume(void);                 /* after sleep */

#endif
