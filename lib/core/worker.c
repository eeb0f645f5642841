/* worker.c - threads that serve another thread: one ring holds requests, another one replies. No lock is held during a wait, so a
 * thread that is ended from outside leaves nothing locked.
 *
 * Only C code ends a worker. The collector ends workers that a program forgets, and in a finalizer LuaJIT repeats a compiled
 * `pairs` loop without end: see doc/internals/luajit.md. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "clocked.h"
#include "core.h"
#include "spin.h"
#include "th_worker.h"

enum { HELD = 2 };                                    /* added to a storage's `pinned` while a thread may read it */
static const double GRACE = 0.1;                      /* seconds that the collector waits for a thread */

typedef struct kept { struct kept *next; th_tensor t; th_storage *pinned; } kept;

struct th_worker {
  pthread_t thread;
  sem_t to_do, done;                                  /* requests for the thread, replies for the caller */
  void *request[TH_WORKER_DEPTH];                     /* copies, because the caller may have ended */
  const void *answer[TH_WORKER_DEPTH];
  int64_t request_size[TH_WORKER_DEPTH], answer_size[TH_WORKER_DEPTH];
  int64_t asked, heard;                               /* requests made, replies received; used by the caller only */
  int64_t begun, answered;                            /* used by the thread only */
  atomic_bool leaving;                                /* the thread begins no further request */
  th_worker_run run;
  void *state;
  void (*close)(void *state);                         /* called when the thread has returned from run */
  kept *kept[TH_WORKER_DEPTH + 1];                    /* tensors of the pending requests, and those that are shared */
  th_sync *wake;                                      /* the queue at which the thread may wait */
  th_worker *next_late;
  bool started, ended;                                /* ended: the thread has been joined */
  int result;                                         /* of run; -1 until it has returned */
  pid_t owner;                                        /* a child of this process has the struct, but no thread */
};

th_status th_worker_new(th_worker **out, void *state, void (*close)(void *state))
{
  th_worker *w = calloc(1, sizeof *w);
  if (!w) return th_fail(TH_ENOMEM, "no memory left for a thread");
  sem_init(&w->to_do, 0, 0);
  sem_init(&w->done, 0, 0);
  w->owner = getpid();
  w->result = -1;
  w->state = state;
  w->close = close;
  *out = w;
  return TH_OK;
}

/* Frees the thread's cached storages, adds its uncounted bytes to the totals and removes it from the awake threads. Also runs
 * when something ends the thread from outside. */
static void leave(void *unused)
{
  (void)unused;
  th_storage_end_of_state();
  th_awake_end();
}

static void *body(void *arg)
{
  th_worker *w = arg;
  pthread_cleanup_push(leave, NULL);
  w->result = w->run(w->state, 0, 0, 0);
  pthread_cleanup_pop(1);
  return NULL;
}

th_status th_worker_start(th_worker *w, th_worker_run run)
{
  if (w->started) return th_fail(TH_EARG, "the thread has been started");
  sigset_t all, before;                               /* only the calling thread handles signals */
  sigfillset(&all);
  w->run = run;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&w->thread, NULL, body, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed) return th_fail(TH_ENOMEM, "the system gives no more threads");
  w->started = true;
  return TH_OK;
}

static bool gone(th_worker *w)
{
  if (!w->started || w->owner != getpid()) return true;
  if (!w->ended) w->ended = pthread_tryjoin_np(w->thread, NULL) == 0;
  return w->ended;
}

/* ---- the caller's side ------------------------------------------------------------------------ */

th_status th_worker_ask(th_worker *w, const void *bytes, int64_t n)
{
  if (gone(w)) return th_fail(TH_EARG, "the thread has ended");
  if (w->asked - w->heard >= TH_WORKER_DEPTH) {
    return th_fail(TH_EARG, "%d requests wait for their answers already", TH_WORKER_DEPTH);
  }
  void *copy = malloc(n > 0 ? (size_t)n : 1);
  if (!copy) return th_fail(TH_ENOMEM, "no memory left for %lld bytes of a request", (long long)n);
  memcpy(copy, bytes, (size_t)n);
  const int64_t slot = w->asked++ % TH_WORKER_DEPTH;  /* the previous request in this slot has its reply */
  free(w->request[slot]);
  w->request[slot] = copy;
  w->request_size[slot] = n;
  sem_post(&w->to_do);
  return TH_OK;
}

/* ---- tensors ---------------------------------------------------------------------------------- */

th_storage *th_worker_hold(const th_tensor *t)
{
  th_storage *s = t->storage;
  if (!s) return NULL;
  th_storage_retain(s);
  __atomic_add_fetch(&s->pinned, HELD, __ATOMIC_RELAXED);
  return s;
}

void th_worker_let_go(th_storage *s)
{
  __atomic_sub_fetch(&s->pinned, HELD, __ATOMIC_RELEASE);
  th_storage_release(s);
}

th_tensor *th_worker_wrap(const th_tensor *t)
{
  th_tensor *wrapped = calloc(1, sizeof *wrapped);
  if (wrapped) th_tensor_alias(wrapped, t);
  return wrapped;
}

void th_worker_unwrap(th_tensor *to, th_tensor *wrapped)
{
  th_tensor_alias(to, wrapped);
  th_tensor_release(wrapped);
  free(wrapped);
}

void th_worker_move(th_tensor *t, th_storage *s)
{
  th_storage_retain(s);
  if (t->storage) th_storage_release(t->storage);
  t->storage = s;
}

static int slot_of(int64_t number) { return number < 0 ? TH_WORKER_DEPTH : (int)(number % TH_WORKER_DEPTH); }

const th_tensor *th_worker_keep(th_worker *w, int64_t number, const th_tensor *t)
{
  kept *k = calloc(1, sizeof *k);
  if (!k) return NULL;
  th_tensor_alias(&k->t, t);
  k->pinned = th_worker_hold(t);
  const int slot = slot_of(number);
  k->next = w->kept[slot];
  w->kept[slot] = k;
  return &k->t;
}

void th_worker_drop(th_worker *w, int64_t number)
{
  const int slot = slot_of(number);
  for (kept *k; (k = w->kept[slot]);) {
    w->kept[slot] = k->next;
    if (k->pinned) th_worker_let_go(k->pinned);
    th_tensor_release(&k->t);
    free(k);
  }
}

/* ---- waiting ---------------------------------------------------------------------------------- */

static struct timespec after(struct timespec t, double seconds)
{
  const int64_t ns = t.tv_nsec + (int64_t)(1e9 * (seconds - (double)(int64_t)seconds));
  t.tv_sec += (time_t)seconds + (time_t)(ns / 1000000000);
  t.tv_nsec = (long)(ns % 1000000000);
  return t;
}

static bool is_before(struct timespec a, struct timespec b)
{
  return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* The wait polls every 50 ms, because a thread that has ended never signals. A reply that arrived before the end still counts:
 * the caller may have been interrupted before it took the reply. */
int th_worker_wait(th_worker *w, int64_t number, double seconds)
{
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &now);
  end = after(now, seconds < 1e9 ? seconds : 1e9);
  while (w->heard < number) {
    const struct timespec look = after(now, 0.05);
    if (th_wait_semaphore(&w->done, is_before(look, end) ? &look : &end) == 0) {
      w->heard++;
      continue;
    }
    if (errno != ETIMEDOUT && errno != EINTR) return -1;
    if (gone(w)) {
      while (w->heard < number && sem_trywait(&w->done) == 0) w->heard++;
      return w->heard >= number ? 1 : -1;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!is_before(now, end)) return 0;
  }
  return 1;
}

const void *th_worker_answer(const th_worker *w, int64_t number, int64_t *n)
{
  const int64_t slot = (number - 1) % TH_WORKER_DEPTH;
  *n = w->answer_size[slot];
  return w->answer[slot];
}

int th_worker_result(const th_worker *w) { return w->result; }

/* ---- the end ---------------------------------------------------------------------------------- */

void th_worker_wake(th_worker *w, th_sync *queue)
{
  th_sync_retain(queue);
  w->wake = queue;
}

void th_worker_leave(th_worker *w)
{
  atomic_store(&w->leaving, true);
  if (w->owner != getpid()) return;
  sem_post(&w->to_do);
  if (w->wake) th_sync_close(w->wake);
}

static bool ends_in_time(th_worker *w, double seconds)
{
  struct timespec now;
  if (gone(w)) return true;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const struct timespec end = after(now, seconds);
  th_worker_leave(w);
  w->ended = th_join_until(w->thread, &end) == 0;
  return w->ended;
}

/* Frees a worker without a thread. Does not close the state of a thread that ended in the middle of `run`, because that state may
 * be inconsistent. */
static void destroy(th_worker *w)
{
  for (int i = 0; i <= TH_WORKER_DEPTH; i++) th_worker_drop(w, i == TH_WORKER_DEPTH ? -1 : i);
  if (!w->started || w->result >= 0) w->close(w->state);
  if (w->wake) th_sync_release(w->wake);
  sem_destroy(&w->to_do);
  sem_destroy(&w->done);
  for (int i = 0; i < TH_WORKER_DEPTH; i++) free(w->request[i]);
  free(w);
}

static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static th_worker *late;                               /* workers whose threads have not ended in time */

/* A thread that still computes must not run into the destructors of libraries such as OpenBLAS, which free memory that it uses.
 * The C library calls this function before them. */
static void leave_at_once(int status, void *unused)
{
  (void)unused;
  if (!late || late->owner != getpid()) return;
  if (ftrylockfile(stdout) == 0) fflush(stdout);
  _exit(status);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void at_exit(void) { on_exit(leave_at_once, NULL); }

int th_worker_finish(th_worker *w, double seconds)
{
  if (w->owner != getpid()) return 0;
  if (ends_in_time(w, seconds)) {
    destroy(w);
    return 1;
  }
  pthread_once(&once, at_exit);
  pthread_mutex_lock(&late_lock);
  w->next_late = late;
  late = w;
  pthread_mutex_unlock(&late_lock);
  return 0;
}

/* All threads of one pool share one GRACE period. */
void th_worker_forget(th_worker **box)
{
  static TH_QUICK_LOCAL double late_queue;            /* the queue number of the last late thread, or 0 */
  th_worker *w = *box;
  *box = NULL;
  if (!w) return;
  const double queue = w->wake ? th_sync_id(w->wake) : 0;
  const bool in_time = th_worker_finish(w, queue != 0 && queue == late_queue ? 0 : GRACE);
  if (!in_time) late_queue = queue;
}

/* Unlinks a late worker whose thread has ended since. */
static th_worker *take_ended(int *left)
{
  th_worker *found = NULL;
  *left = 0;
  pthread_mutex_lock(&late_lock);
  for (th_worker **at = &late; *at;) {
    th_worker *w = *at;
    if (!found && w->owner == getpid() && gone(w)) {
      found = w;
      *at = w->next_late;
    } else {
      (*left)++;
      at = &w->next_late;
    }
  }
  pthread_mutex_unlock(&late_lock);
  return found;
}

int th_worker_reap(void)
{
  int left;
  for (th_worker *w; (w = take_ended(&left));) destroy(w);
  return left;
}

/* ---- the thread's side ------------------------------------------------------------------------ */

const void *th_worker_next(th_worker *w, int64_t *n)
{
  while (sem_wait(&w->to_do) != 0 && errno == EINTR) {}
  if (atomic_load(&w->leaving)) return NULL;
  const int64_t slot = w->begun++ % TH_WORKER_DEPTH;
  *n = w->request_size[slot];
  return w->request[slot];
}

void th_worker_reply(th_worker *w, const void *bytes, int64_t n)
{
  const int64_t slot = w->answered++ % TH_WORKER_DEPTH;
  w->answer[slot] = bytes;
  w->answer_size[slot] = n;
  sem_post(&w->done);
}
