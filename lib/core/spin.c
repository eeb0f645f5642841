/* spin.c - counts the threads that are awake, and spins with sched_yield. */
#include <pthread.h>
#include <sched.h>
#include "core.h"
#include "spin.h"

int th_cores(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return 1;
}

enum { YIELDS = 20 };                       /* at most, if more threads are awake than there are processors */
enum { FREE = 100000, LONG = 100000 };      /* nanoseconds */

static int64_t awake;
static TH_QUICK_LOCAL bool counted;

/* A child of this process has one thread. */
static void count_child(void) { __atomic_store_n(&awake, counted, __ATOMIC_RELAXED); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_child); }

void th_awake_begin(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (counted) return;
  pthread_once(&once, watch_forks);
  counted = true;
  __atomic_add_fetch(&awake, 1, __ATOMIC_RELAXED);
}

void th_awake_pause(void)
{
  if (counted) __atomic_sub_fetch(&awake, 1, __ATOMIC_RELAXED);
}

void th_awake_resume(void)
{
  if (counted) __atomic_add_fetch(&awake, 1, __ATOMIC_RELAXED);
}

void th_awake_end(void)
{
  th_awake_pause();
  counted = false;
}

/* A yield that takes long has given the processor to another process. Then either the wait is over or the processor is busy. Each
 * further yield would lose another time slice, while a sleeping thread is scheduled soon after its wake-up. */
bool th_spin_yield(th_spin_over over, const void *what)
{
  const int64_t end = th_nanoseconds() + FREE;
  int64_t before = end - FREE;
  for (int yields = 0; !over(what); yields++) {
    if (yields == YIELDS && __atomic_load_n(&awake, __ATOMIC_RELAXED) > th_cores()) return false;
    sched_yield();
    const int64_t now = th_nanoseconds();
    if (now - before >= LONG || (now >= end && yields >= YIELDS)) return over(what);
    before = now;
  }
  return true;
}
