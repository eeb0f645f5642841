/* wait.c - waiting for counters in shared memory: spin briefly, then sleep on a futex. */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../../core/spin.h"
#include "comm.h"

enum { SPINS = 200, AWAKE = 200000, SLEEP_MS = 20, HOLDERS = 256, WAY_NS = 20000 };
static const double WAY = 2e-3;         /* seconds for which a free lock is left to other hosts */

double th_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t value_of(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static bool reached(const uint32_t *word, uint32_t value) { return (int32_t)(value_of(word) - value) >= 0; }
typedef bool (*condition)(const uint32_t *word, uint32_t value);
static bool changed(const uint32_t *word, uint32_t value) { return value_of(word) != value; }

/* Publishes a new value. A waiter increments `sleepers` before it loads `value`; this side stores
 * `value` before it loads `sleepers`, so no wake-up is lost. */
void th_count_to(th_counter *c, uint32_t value)
{
  (void)__atomic_exchange_n(&c->value, value, __ATOMIC_SEQ_CST);           /* as in parallel.c */
  if (__atomic_load_n(&c->sleepers, __ATOMIC_SEQ_CST)) syscall(SYS_futex, &c->value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void th_count(th_counter *c, uint32_t more)
{
  __atomic_add_fetch(&c->value, more, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&c->sleepers, __ATOMIC_SEQ_CST)) syscall(SYS_futex, &c->value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

typedef struct wait { condition over; const uint32_t *word; uint32_t value; } wait;

static bool is_over(const void *what)
{
  const wait *a = what;
  return a->over(a->word, a->value);
}

/* Spins for long only if every rank has a processor. If ranks share processors, the other rank may
 * need this one. */
static bool soon(const th_dist_work *w, condition over, const uint32_t *word, uint32_t value)
{
  const bool crowded = w->g->job->size > w->g->job->cores || w->threaded;
  return th_spin(is_over, &(wait){ over, word, value }, SPINS, crowded ? 0 : AWAKE);
}

/* Sleeps until the counter changes, at most SLEEP_MS, because a dead rank does not wake it. */
static void sleep_on(th_counter *c, condition over, uint32_t value)
{
  const struct timespec moment = { 0, SLEEP_MS * 1000000 };
  __atomic_add_fetch(&c->sleepers, 1, __ATOMIC_SEQ_CST);
  const uint32_t seen = __atomic_load_n(&c->value, __ATOMIC_SEQ_CST);
  if (!over(&seen, value)) syscall(SYS_futex, &c->value, FUTEX_WAIT, seen, &moment, NULL, 0);
  __atomic_sub_fetch(&c->sleepers, 1, __ATOMIC_SEQ_CST);
}

th_status th_stopped(th_dist_work *w)
{
  th_job *j = w->g->job;
  if (__atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE)) return th_broken(w);
  if (!th_interrupted()) return TH_OK;
  th_break(j, j->rank, "rank %d was interrupted", j->rank);
  return th_fail(TH_EINTR, "interrupted");
}

/* A rank of another host releases a lock through the shard server. */
static bool is_server_gone(const th_dist_work *w, int who)
{
  const th_job *j = w->g->job;
  if (!w->server || th_host_of(j, who) == th_host_of(j, j->rank)) return false;
  return th_fault_of(w, w->server - 1, false) == TH_IS_GONE;
}

/* late: what a rank does that exceeds the timeout. */
static th_status look(th_dist_work *w, int who, th_fault late, condition over, const uint32_t *word, uint32_t value)
{
  if (w->until == 0) w->until = th_now() + w->seconds;
  if (over(word, value)) return TH_OK;
  TH_TRY(th_stopped(w));
  const th_fault t = th_fault_of(w, who, th_now() > w->until);
  if (is_server_gone(w, who)) {
    th_blame(w, w->server - 1, TH_IS_GONE);
    return th_broken(w);
  }
  if (t == TH_NO_FAULT || over(word, value)) return TH_OK;              /* it may have counted before it left */
  const th_net_calls *net = th_net_of(w->g->job);
  const bool asks = t == TH_IS_LATE && late == TH_IS_LATE && net;
  if (asks) return net->detect_failure(w, who);                         /* that rank may itself wait for another host */
  th_report_late(w, who, t == TH_IS_LATE ? late : t);
  return th_broken(w);
}

th_status th_await(th_dist_work *w, th_counter *c, uint32_t value, int who)
{
  if (reached(&c->value, value) || soon(w, reached, &c->value, value)) return TH_OK;
  while (!reached(&c->value, value)) {
    sleep_on(c, reached, value);
    if (!reached(&c->value, value)) TH_TRY(look(w, who, TH_IS_LATE, reached, &c->value, value));
  }
  return TH_OK;
}

th_status th_await_word(th_dist_work *w, uint32_t *word, uint32_t value, int who)
{
  const struct timespec moment = { 0, 1000000 };
  while (!reached(word, value)) {
    nanosleep(&moment, NULL);
    if (!reached(word, value)) TH_TRY(look(w, who, TH_IS_LATE, reached, word, value));
  }
  return TH_OK;
}

th_status th_await_moment(th_dist_work *w, th_counter *c, uint32_t value, int *there)
{
  *there = reached(&c->value, value) || soon(w, reached, &c->value, value);
  if (*there) return TH_OK;
  sleep_on(c, reached, value);
  *there = reached(&c->value, value);
  return *there ? TH_OK : th_stopped(w);
}

/* ---- locks ---- */

int  th_lock_holder(uint32_t seen) { return (int)(seen % HOLDERS) - 1; }
bool th_lock_is_held(const th_dist *g, const th_counter *lock) { return th_lock_holder(value_of(&lock->value)) == g->job->rank; }

bool th_lock_try(th_counter *lock, int rank, uint32_t *seen)
{
  *seen = value_of(&lock->value);
  while (*seen % HOLDERS == 0) {
    const uint32_t mine = *seen + HOLDERS + (uint32_t)rank + 1;
    if (__atomic_compare_exchange_n(&lock->value, seen, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return true;
  }
  return false;
}

/* A free lock that ranks of other hosts want is left to them once, before this rank takes it. They
 * poll it only now and then, and would never find it free between ranks of this host that take it
 * again and again. The wait is limited to WAY, in case they do not take it. */
static bool gives_way(const th_counter *lock, uint32_t first, double *until)
{
  const struct timespec moment = { 0, WAY_NS };
  const uint32_t seen = value_of(&lock->value);
  if (seen % HOLDERS || seen / HOLDERS != first / HOLDERS || !__atomic_load_n(&lock->wanted, __ATOMIC_ACQUIRE)) return false;
  if (*until == 0) *until = th_now() + WAY;
  if (th_now() > *until) return false;
  nanosleep(&moment, NULL);
  return true;
}

th_status th_lock_take(th_dist_work *w, th_counter *lock)
{
  const uint32_t first = value_of(&lock->value);
  uint32_t seen, before = first;
  double way = 0;
  if (__atomic_load_n(&w->g->job->head->broken, __ATOMIC_ACQUIRE)) return th_broken(w);
  for (;;) {
    if (gives_way(lock, first, &way)) continue;
    if (th_lock_try(lock, w->g->job->rank, &seen)) return TH_OK;
    if (th_lock_holder(seen) == w->g->job->rank) return th_fail(TH_EARG, "%s: this rank already holds the shard's lock", w->what);
    if (seen != before) w->until = 0;       /* the timeout is for one holder: many ranks may be queued before this one */
    before = seen;
    if (soon(w, changed, &lock->value, seen)) continue;
    sleep_on(lock, changed, seen);
    if (!changed(&lock->value, seen)) TH_TRY(look(w, th_lock_holder(seen), TH_IS_HOLDING, changed, &lock->value, seen));
  }
}

void th_lock_release(th_counter *lock)
{
  const uint32_t seen = value_of(&lock->value);
  (void)__atomic_exchange_n(&lock->value, seen - seen % HOLDERS, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&lock->sleepers, __ATOMIC_SEQ_CST)) syscall(SYS_futex, &lock->value, FUTEX_WAKE, 1, NULL, NULL, 0);
}
