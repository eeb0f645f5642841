/* wait.c - counters in shared memory: waited for awake while that is cheap, then asleep. */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "dist.h"

enum { SPINS = 200, AWAKE_US = 200, SLEEP_MS = 20 };

double th_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t value_of(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static bool reached(const uint32_t *word, uint32_t value) { return (int32_t)(value_of(word) - value) >= 0; }

/* Publishes a new value. Who goes to sleep counts himself first and looks at the value then; here it is the other way
 * round, so one of both sees the other. */
void th_count_to(th_counter *c, uint32_t value)
{
  __atomic_store_n(&c->value, value, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&c->sleepers, __ATOMIC_SEQ_CST)) syscall(SYS_futex, &c->value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Where every rank has a processor, the other one comes soon. Where they share, it may need this one. */
static bool reached_soon(const th_dist_work *w, const uint32_t *word, uint32_t value)
{
  for (int i = 0; i < SPINS; i++) {
    if (reached(word, value)) return true;
    __builtin_ia32_pause();
  }
  if (w->g->job->size > w->g->job->cores || w->threaded) return false;
  for (const double end = th_now() + 1e-6 * AWAKE_US; th_now() < end;) {
    for (int i = 0; i < 16; i++) {
      if (reached(word, value)) return true;
      __builtin_ia32_pause();
    }
  }
  return false;
}

/* Sleeps until somebody counts, or for a moment: the dead count no more. */
static void sleep_on(th_counter *c, uint32_t value)
{
  const struct timespec moment = { 0, SLEEP_MS * 1000000 };
  __atomic_add_fetch(&c->sleepers, 1, __ATOMIC_SEQ_CST);
  const uint32_t seen = __atomic_load_n(&c->value, __ATOMIC_SEQ_CST);
  if ((int32_t)(seen - value) < 0) syscall(SYS_futex, &c->value, FUTEX_WAIT, seen, &moment, NULL, 0);
  __atomic_sub_fetch(&c->sleepers, 1, __ATOMIC_SEQ_CST);
}

/* What may end the waiting: the job, the user, the other rank, the clock. */
static th_status look(th_dist_work *w, int who, const uint32_t *word, uint32_t value)
{
  th_job *j = w->g->job;
  if (w->until == 0) w->until = th_now() + w->seconds;
  if (__atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE) && !reached(word, value)) return th_broken(w);
  if (th_interrupted()) {
    th_break(j, j->rank, "rank %d was interrupted", j->rank);
    return th_fail(TH_EINTR, "interrupted");
  }
  const th_trouble t = th_look_after(w, who, th_now() > w->until);
  if (t == TH_NO_TROUBLE || reached(word, value)) return TH_OK;         /* it may have counted before it left */
  th_blame(w, who, t);
  return th_broken(w);
}

th_status th_await(th_dist_work *w, th_counter *c, uint32_t value, int who)
{
  if (reached(&c->value, value) || reached_soon(w, &c->value, value)) return TH_OK;
  while (!reached(&c->value, value)) {
    sleep_on(c, value);
    if (!reached(&c->value, value)) TH_TRY(look(w, who, &c->value, value));
  }
  return TH_OK;
}

th_status th_await_word(th_dist_work *w, uint32_t *word, uint32_t value, int who)
{
  const struct timespec moment = { 0, 1000000 };
  while (!reached(word, value)) {
    nanosleep(&moment, NULL);
    if (!reached(word, value)) TH_TRY(look(w, who, word, value));
  }
  return TH_OK;
}
