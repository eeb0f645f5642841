/* worker.c - threads that serve another one: a request, then its answer, over and over. No lock is held while one waits, so a
 * thread that is ended from outside leaves nothing locked behind. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core.h"
#include "th_worker.h"

struct th_worker {
  pthread_t thread;
  sem_t asked, answered;
  void *request;                                      /* a copy of what was asked: the asker may be gone */
  const void *answer;
  int64_t request_size, answer_size;                  /* a request of size -1: no more will come */
  th_worker_run run;
  void *state;
  bool started, ended;                                /* ended: there is no such thread any more */
  bool due;                                           /* an answer that nobody has waited for; the asker's own */
  int result;                                         /* of run; -1 until it has returned */
  pid_t owner;                                        /* a child of this process has the struct, but no thread */
};

th_status th_worker_new(th_worker **out)
{
  th_worker *w = calloc(1, sizeof *w);
  if (!w) return th_fail(TH_ENOMEM, "no memory left for a thread");
  sem_init(&w->asked, 0, 0);
  sem_init(&w->answered, 0, 0);
  w->owner = getpid();
  w->result = -1;
  *out = w;
  return TH_OK;
}

static void *body(void *arg)
{
  th_worker *w = arg;
  w->result = w->run(w->state, 0, 0, 0);
  return NULL;
}

th_status th_worker_start(th_worker *w, th_worker_run run, void *state)
{
  if (w->started) return th_fail(TH_EARG, "the thread has been started");
  sigset_t all, before;                               /* signals belong to the thread that asks */
  sigfillset(&all);
  w->run = run;
  w->state = state;
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

/* ---- who asks --------------------------------------------------------------------------------- */

th_status th_worker_ask(th_worker *w, const void *bytes, int64_t n)
{
  if (gone(w)) return th_fail(TH_EARG, "the thread has ended");
  void *copy = n > 0 ? malloc((size_t)n) : NULL;
  if (n > 0 && !copy) return th_fail(TH_ENOMEM, "no memory left for %lld bytes of a request", (long long)n);
  if (n > 0) memcpy(copy, bytes, (size_t)n);
  if (n >= 0) {                                       /* the last one asks while the one before may still be read */
    free(w->request);
    w->request = copy;
    w->due = true;
  }
  w->request_size = n;
  sem_post(&w->asked);
  return TH_OK;
}

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

static int took(th_worker *w)
{
  w->due = false;
  return 1;
}

/* Whoever waits looks up now and then: a thread that is gone says nothing. An answer that was taken is there all the same: the
 * asker may have been interrupted on its way. */
int th_worker_wait(th_worker *w, double seconds)
{
  struct timespec now, end;
  if (!w->due) return 1;
  clock_gettime(CLOCK_MONOTONIC, &now);
  end = after(now, seconds < 1e9 ? seconds : 1e9);
  for (;;) {
    const struct timespec look = after(now, 0.05);
    if (sem_clockwait(&w->answered, CLOCK_MONOTONIC, is_before(look, end) ? &look : &end) == 0) return took(w);
    if (errno != ETIMEDOUT && errno != EINTR) return -1;
    if (gone(w)) return sem_trywait(&w->answered) == 0 ? took(w) : -1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!is_before(now, end)) return 0;
  }
}

const void *th_worker_answer(const th_worker *w, int64_t *n)
{
  *n = w->answer_size;
  return w->answer;
}

int th_worker_result(const th_worker *w) { return w->result; }

int th_worker_end(th_worker *w, double seconds)
{
  struct timespec now;
  if (w->owner != getpid()) return 0;
  if (!gone(w)) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    const struct timespec end = after(now, seconds);
    th_worker_ask(w, NULL, -1);
    if (pthread_clockjoin_np(w->thread, NULL, CLOCK_MONOTONIC, &end) != 0) return 0;
    w->ended = true;
  }
  const bool middle = w->started && w->result < 0;
  sem_destroy(&w->asked);
  sem_destroy(&w->answered);
  free(w->request);
  free(w);
  return middle ? -1 : 1;
}

/* ---- the thread itself ------------------------------------------------------------------------ */

const void *th_worker_next(th_worker *w, int64_t *n)
{
  while (sem_wait(&w->asked) != 0 && errno == EINTR) {}
  *n = w->request_size;
  return *n < 0 ? NULL : w->request;
}

void th_worker_reply(th_worker *w, const void *bytes, int64_t n)
{
  w->answer = bytes;
  w->answer_size = n;
  sem_post(&w->answered);
}
