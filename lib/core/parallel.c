/* parallel.c - one pool of threads that run fixed blocks of work. Any thread may run a block, but the blocks depend on the
 * problem size only. So results do not depend on the number of threads. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core.h"
#include "environment.h"
#include "spin.h"

enum { MAXTHREADS = 256, SPINS = 500, AWAKE = 1000000, TICKET = 1024, RANGES = 64 };      /* AWAKE: nanoseconds */
enum { OPEN = 1 << 15, NUMBER = 1 << 16 };

/* A signal handler sets it, and all threads read it. */
static int interrupted;

void th_interrupt(int on) { __atomic_store_n(&interrupted, on, __ATOMIC_RELAXED); }
int  th_interrupted(void) { return __atomic_load_n(&interrupted, __ATOMIC_RELAXED); }

/* ---- the job that all threads run ---- */

/* Blocks that follow each other. Aligned, because threads that write to one cache line wait for each other. */
typedef struct range {
  _Alignas(64) int64_t next;        /* the next block to take, atomically */
  int64_t end;
} range;

/* Every thread begins in its own range and then helps in the others. So loops of one size run a block on the same processor,
 * whose cache still holds its elements, and threads seldom write to neighbouring elements: 1.3 to 1.6 times the speed of
 * Fourier transforms of pictures, against blocks that the threads took in turn. */
typedef struct job {
  int64_t n, grain;
  th_block f;
  void *ctx;
  int ranges;
  range range[RANGES];
} job;

static struct {
  pthread_mutex_t lock, one_job;    /* one_job: held during a job, because two Lua states may call at the same time */
  pthread_cond_t wake, done;
  pthread_t thread[MAXTHREADS];
  int started;                      /* threads beside the caller */
  int wanted;                       /* the number that is wanted, atomic because any Lua state may set it; -1 if not known yet */
  int cores;                        /* processors that no other process wants, atomic: 0 where threads must not spin for long */
  int64_t ticket;                   /* of the job: its number times TICKET, plus the number of helping threads */
  int64_t before;                   /* the ticket when the newest threads were started; atomic: older ones may start late */
  int64_t entry;                    /* atomic: the job's number times NUMBER, plus OPEN while
                                       threads may join it, plus how many have joined it */
  int64_t finished;                 /* threads that have joined and finished the job */
  int asleep;                       /* the caller sleeps on `done` */
  int sleepers;                     /* threads that sleep on `wake` */
  int avoided, placed;              /* the processor that the first `placed` threads must not use */
  job *current;
  int64_t shared;                   /* the number of jobs that ran on several threads */
  pid_t owner;                      /* the process the threads live in */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .one_job = PTHREAD_MUTEX_INITIALIZER,
           .wake = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER, .wanted = -1 };

static TH_QUICK_LOCAL bool inside;

static void divide(job *j, int ranges)
{
  const int64_t blocks = (j->n - 1) / j->grain + 1;
  j->ranges = (int)th_min(th_min(ranges, RANGES), blocks);
  int64_t b = 0;
  for (int i = 0; i < j->ranges; i++) {
    j->range[i].next = b;
    b += (blocks - b) / (j->ranges - i);
    j->range[i].end = b;
  }
}

/* me: the number of the thread, 0 for the caller. */
static void work(job *j, int me)
{
  for (int i = 0; i < j->ranges; i++) {
    range *r = &j->range[(me + i) % j->ranges];
    for (;;) {
      const int64_t b = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
      if (b >= r->end) break;
      if (th_interrupted()) return;
      const int64_t first = b * j->grain, last = first + j->grain;
      j->f(j->ctx, first, last < j->n ? last : j->n);
    }
  }
}

static int wanted(void) { return __atomic_load_n(&pool.wanted, __ATOMIC_RELAXED); }

typedef struct wait { const int64_t *word; int64_t value; bool is; } wait;

static bool is_over(const void *what)
{
  const wait *w = what;
  return (__atomic_load_n(w->word, __ATOMIC_ACQUIRE) == w->value) == w->is;
}

/* Spins until *word is (or, with `is` false, is no longer) `value`: for AWAKE at most, or for SPINS looks where there are more
 * threads than processors. To wake a thread may take longer than a whole job of a million elements (100 to 500 us on a virtual
 * machine), and by then the caller sleeps too. */
static bool wait_awake(const int64_t *word, int64_t value, bool is)
{
  const bool crowded = wanted() >= __atomic_load_n(&pool.cores, __ATOMIC_RELAXED);
  return th_spin(is_over, &(wait){ word, value, is }, SPINS, crowded ? 0 : AWAKE);
}

/* The next ticket. Jobs come in quick succession, so a thread spins before it sleeps. It spins without the mutex, because
 * contention on it would put threads to sleep. */
static int64_t next_ticket(int64_t seen)
{
  int64_t t;
  if (wait_awake(&pool.ticket, seen, false)) return __atomic_load_n(&pool.ticket, __ATOMIC_ACQUIRE);
  pthread_mutex_lock(&pool.lock);
  pool.sleepers++;
  th_awake_pause();
  while ((t = __atomic_load_n(&pool.ticket, __ATOMIC_ACQUIRE)) == seen) pthread_cond_wait(&pool.wake, &pool.lock);
  th_awake_resume();
  pool.sleepers--;
  pthread_mutex_unlock(&pool.lock);
  return t;
}

/* Joins the job of a ticket; false where its caller has closed it. */
static bool join(int64_t ticket)
{
  int64_t e = __atomic_load_n(&pool.entry, __ATOMIC_ACQUIRE);
  while (e / NUMBER == ticket / TICKET && e & OPEN) {
    if (__atomic_compare_exchange_n(&pool.entry, &e, e + 1, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) return true;
  }
  return false;
}

/* The caller waits for every thread that has joined, so the job stays valid until each has
 * incremented `finished`. It does not wait for a thread that wakes, or gets a processor, after all
 * blocks were taken. */
static void *loop(void *arg)
{
  const int me = (int)(intptr_t)arg;
  int64_t seen = __atomic_load_n(&pool.before, __ATOMIC_RELAXED);
  inside = true;
  th_awake_begin();
  for (;;) {
    seen = next_ticket(seen);
    if (me >= seen % TICKET || !join(seen)) continue;
    work(pool.current, me + 1);
    __atomic_add_fetch(&pool.finished, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&pool.asleep, __ATOMIC_SEQ_CST)) continue;
    pthread_mutex_lock(&pool.lock);
    pthread_cond_signal(&pool.done);
    pthread_mutex_unlock(&pool.lock);
  }
  return NULL;
}

/* The system may start or wake a thread on the caller's processor although another is free. It then leaves both there, because
 * they wait for each other in turn. So the pool's threads are excluded from the caller's processor. */
static void keep_away(int helpers)
{
  cpu_set_t set;
  const int here = sched_getcpu();
  if (here < 0 || (here == pool.avoided && helpers <= pool.placed)) return;
  if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 2) return;
  CPU_CLR(here, &set);
  for (int i = 0; i < helpers; i++) pthread_setaffinity_np(pool.thread[i], sizeof set, &set);
  pool.avoided = here;
  pool.placed = helpers;
}

static void hand_out(job *j, int helpers)
{
  pthread_mutex_lock(&pool.lock);
  keep_away(helpers);
  const int64_t number = pool.ticket / TICKET + 1;
  pool.current = j;
  __atomic_store_n(&pool.finished, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&pool.entry, number * NUMBER + OPEN, __ATOMIC_RELEASE);
  __atomic_store_n(&pool.ticket, number * TICKET + helpers, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&pool.wake);
  pthread_mutex_unlock(&pool.lock);
}

/* Closes the job and waits for the threads that have joined it. */
static void wait_for_all(void)
{
  const int64_t joined = __atomic_fetch_and(&pool.entry, ~(int64_t)OPEN, __ATOMIC_ACQ_REL) % OPEN;
  if (joined == 0 || wait_awake(&pool.finished, joined, true)) return;
  pthread_mutex_lock(&pool.lock);
  /* Not a store: qemu lets a later load pass a store of 64-bit ARM, and a wake-up is lost. */
  (void)__atomic_exchange_n(&pool.asleep, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&pool.finished, __ATOMIC_SEQ_CST) != joined) {
    pthread_cond_wait(&pool.done, &pool.lock);
  }
  __atomic_store_n(&pool.asleep, 0, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&pool.lock);
}

static void set_default(void)
{
  int unknown = -1;
  if (wanted() >= 0) return;
  const int64_t n = th_environment_count("TH_NUM_THREADS", th_cores());
  __atomic_compare_exchange_n(&pool.wanted, &unknown, (int)th_min(n, MAXTHREADS) - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Where several programs share the processors, a thread that spins takes the time of the one that it waits for. */
static bool passive(void)
{
  const char *policy = th_environment("TH_WAIT_POLICY");
  return policy && strcmp(policy, "passive") == 0;
}

/* After a fork the child has no threads and starts new ones. */
static void start_threads(int count)
{
  if (pool.owner != getpid()) {
    pool.owner = getpid();
    pool.started = 0;
    pool.finished = pool.asleep = pool.sleepers = pool.placed = 0;
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.done, NULL);
  }
  __atomic_store_n(&pool.before, pool.ticket, __ATOMIC_RELAXED);
  __atomic_store_n(&pool.cores, passive() ? 0 : th_cores(), __ATOMIC_RELAXED);
  sigset_t all, before;             /* only the thread that runs Lua handles signals */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  while (pool.started < count) {
    if (pthread_create(&pool.thread[pool.started], &attr, loop, (void *)(intptr_t)pool.started)) break;
    pool.started++;
  }
  pthread_attr_destroy(&attr);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

th_status th_set_threads(int n)
{
  if (n < 1 || n > MAXTHREADS) return th_fail(TH_EARG, "setnumthreads: the number must lie in 1..%d, got %d", MAXTHREADS, n);
  __atomic_store_n(&pool.wanted, n - 1, __ATOMIC_RELAXED);
  return TH_OK;
}

int th_threads(void)
{
  set_default();
  return wanted() + 1;
}

int64_t th_loops_shared(void) { return __atomic_load_n(&pool.shared, __ATOMIC_RELAXED); }

th_status th_parallel(int64_t n, int64_t grain, th_block f, void *ctx)
{
  if (n <= 0) return TH_OK;
  if (n <= grain) {                 /* one block */
    const bool was = inside;
    inside = true;
    if (!th_interrupted()) f(ctx, 0, n);
    inside = was;
    return th_interrupted() ? th_fail(TH_EINTR, "interrupted") : TH_OK;
  }
  job j;
  j.n = n, j.grain = grain, j.f = f, j.ctx = ctx;
  const int others = th_threads() - 1;
  if (others == 0 || inside || pthread_mutex_trylock(&pool.one_job)) {
    const bool was = inside;
    inside = true;
    divide(&j, 1);
    work(&j, 0);
    inside = was;
  } else {
    if (pool.started < others || pool.owner != getpid()) start_threads(others);
    __atomic_add_fetch(&pool.shared, 1, __ATOMIC_RELAXED);
    const int helpers = pool.started < others ? pool.started : others;
    divide(&j, helpers + 1);
    hand_out(&j, helpers);
    inside = true;
    work(&j, 0);
    inside = false;
    wait_for_all();
    pthread_mutex_unlock(&pool.one_job);
  }
  return th_interrupted() ? th_fail(TH_EINTR, "interrupted") : TH_OK;
}
