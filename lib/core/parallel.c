/* parallel.c - one pool of threads, work cut into fixed blocks. Who runs a block is open; which blocks
 * there are depends on the problem's size only, so results do not depend on the number of threads. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "core.h"

enum { MAXTHREADS = 256, SPINS = 2000 };

static volatile sig_atomic_t interrupted;

void th_interrupt(int on) { interrupted = on; }
int  th_interrupted(void) { return interrupted; }

/* ---- the job that all threads work on ---- */

typedef struct job {
  int64_t n, grain, blocks;
  th_block f;
  void *ctx;
  int64_t next;                     /* the next block to take, atomically */
} job;

static struct {
  pthread_mutex_t lock, one_job;    /* one_job: two Lua states may call at the same time */
  pthread_cond_t wake, done;
  pthread_t thread[MAXTHREADS];
  int started, wanted;              /* threads beside the caller */
  int64_t generation;               /* counts jobs; changed under lock, read without */
  int working;                      /* threads that have not finished the job */
  int64_t shared;                   /* jobs so far that were shared out */
  job *current;
  pid_t owner;                      /* the process the threads live in */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .one_job = PTHREAD_MUTEX_INITIALIZER,
           .wake = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER, .wanted = -1 };

static TH_QUICK_LOCAL bool inside;

static void work(job *j)
{
  for (;;) {
    const int64_t b = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
    if (b >= j->blocks || interrupted) return;
    const int64_t first = b * j->grain, last = first + j->grain;
    j->f(j->ctx, first, last < j->n ? last : j->n);
  }
}

static inline void pause_cpu(void) { __builtin_ia32_pause(); }

/* Waits a moment awake, since jobs come in quick succession, then asleep. */
static void *loop(void *arg)
{
  const int me = (int)(intptr_t)arg;
  int64_t seen = 0;
  inside = true;
  for (;;) {
    for (int i = 0; i < SPINS && __atomic_load_n(&pool.generation, __ATOMIC_ACQUIRE) == seen; i++) pause_cpu();
    pthread_mutex_lock(&pool.lock);
    while (pool.generation == seen) pthread_cond_wait(&pool.wake, &pool.lock);
    seen = pool.generation;
    job *j = me < pool.wanted ? pool.current : NULL;
    pthread_mutex_unlock(&pool.lock);
    if (!j) continue;
    work(j);
    if (__atomic_sub_fetch(&pool.working, 1, __ATOMIC_ACQ_REL) == 0) {
      pthread_mutex_lock(&pool.lock);
      pthread_cond_signal(&pool.done);
      pthread_mutex_unlock(&pool.lock);
    }
  }
  return NULL;
}

int th_cores(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return 1;
}

static void set_default(void)
{
  if (pool.wanted >= 0) return;
  const char *s = getenv("TH_NUM_THREADS");
  int n = s ? atoi(s) : 0;
  if (n < 1) n = th_cores();
  pool.wanted = (n > MAXTHREADS ? MAXTHREADS : n) - 1;
}

/* After a fork the child has no threads: it starts its own. */
static void start_threads(void)
{
  if (pool.owner != getpid()) {
    pool.owner = getpid();
    pool.started = 0;
    pool.working = 0;
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.done, NULL);
  }
  sigset_t all, before;             /* signals belong to the thread that runs Lua */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  while (pool.started < pool.wanted) {
    if (pthread_create(&pool.thread[pool.started], &attr, loop, (void *)(intptr_t)pool.started)) break;
    pool.started++;
  }
  pthread_attr_destroy(&attr);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

th_status th_set_threads(int n)
{
  if (n < 1 || n > MAXTHREADS) return th_fail(TH_EARG, "setnumthreads: the number must lie in 1..%d, got %d", MAXTHREADS, n);
  pthread_mutex_lock(&pool.lock);
  pool.wanted = n - 1;
  pthread_mutex_unlock(&pool.lock);
  return TH_OK;
}

int th_threads(void)
{
  set_default();
  return pool.wanted + 1;
}

int64_t th_loops_shared(void) { return __atomic_load_n(&pool.shared, __ATOMIC_RELAXED); }

th_status th_parallel(int64_t n, int64_t grain, th_block f, void *ctx)
{
  if (n <= 0) return TH_OK;
  job j = { .n = n, .grain = grain, .blocks = (n + grain - 1) / grain, .f = f, .ctx = ctx };
  set_default();
  if (j.blocks == 1 || pool.wanted == 0 || inside || pthread_mutex_trylock(&pool.one_job)) {
    const bool was = inside;
    inside = true;
    work(&j);
    inside = was;
  } else {
    if (pool.started < pool.wanted || pool.owner != getpid()) start_threads();
    __atomic_add_fetch(&pool.shared, 1, __ATOMIC_RELAXED);
    const int helpers = pool.started < pool.wanted ? pool.started : pool.wanted;
    pthread_mutex_lock(&pool.lock);
    pool.current = &j;
    pool.working = helpers;
    __atomic_add_fetch(&pool.generation, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    inside = true;
    work(&j);
    inside = false;
    for (int i = 0; i < SPINS && __atomic_load_n(&pool.working, __ATOMIC_ACQUIRE); i++) pause_cpu();
    pthread_mutex_lock(&pool.lock);
    while (__atomic_load_n(&pool.working, __ATOMIC_ACQUIRE)) pthread_cond_wait(&pool.done, &pool.lock);
    pool.current = NULL;
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.one_job);
  }
  return interrupted ? th_fail(TH_EINTR, "interrupted") : TH_OK;
}
