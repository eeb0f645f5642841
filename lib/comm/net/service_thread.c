/* service_thread.c - the service thread of a rank: it performs the handshake with the ranks of all
 * hosts, and then answers control messages and requests to the shard server. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "control_channel.h"

enum { TICK_US = 5000 };

/* ---- handshake ---- */

typedef struct hello { char host[TH_HOST]; uint64_t secret; int32_t rank, size; } hello;

/* The messages of the handshake. They stay allocated if it fails, because messages may arrive
 * later. */
typedef struct handshake {
  hello      mine, all[TH_MAXRANK];
  th_request r[2 * TH_MAXRANK];         /* receives from each rank, then sends to each */
  int        done[2 * TH_MAXRANK];
} handshake;

enum { HELLO = 29800 };                 /* a tag that scripts are unlikely to use */

/* Each rank sends a hello to every other one. This is no collective, so that missing ranks are
 * known. */
static th_status exchange_hellos(th_control *x, handshake *m)
{
  const int n = x->job->size, me = x->job->rank;
  int left = 2 * (n - 1), ended;
  for (int r = 0; r < n; r++) {
    m->r[r] = m->r[n + r] = th_no_request();
    if (r == me) continue;
    TH_TRY(th_mpi_recv(&m->all[r], sizeof m->all[r], r, HELLO, &m->r[r]));
    TH_TRY(th_mpi_send(&m->mine, sizeof m->mine, r, HELLO, true, &m->r[n + r]));
  }
  m->all[me] = m->mine;
  for (double begin = th_now(); left; left -= ended) {
    TH_TRY(th_mpi_test(m->r, 2 * n, m->done, &ended));
    for (int i = 0; i < ended; i++) if (m->done[i] < n) __atomic_store_n(&x->arrived[m->done[i]], 1, __ATOMIC_RELEASE);
    if (__atomic_load_n(&x->stop, __ATOMIC_ACQUIRE)) return th_fail(TH_EBACKEND, "dist.init: this rank stopped waiting");
    if (!ended) th_pause(th_now() - begin < 0.1 ? 50 : 1000);
  }
  return TH_OK;
}

static th_status shake_hands(th_control *x)
{
  th_job *j = x->job;
  int rank, size;
  handshake *m = calloc(1, sizeof *m);
  if (!m) return th_fail(TH_ENOMEM, "dist.init: no memory left");
  m->mine = (hello){ .secret = x->secret, .rank = j->rank, .size = j->size };
  memcpy(m->mine.host, x->name, sizeof m->mine.host);
  TH_TRY(th_mpi_begin(&rank, &size));
  if (rank != j->rank || size != j->size) {
    return th_fail(TH_EBACKEND, "dist.init: the launcher says rank %d of %d, Open MPI says rank %d of %d%s", j->rank, j->size,
                   rank, size, size == 1 ? ": under Slurm, start with srun --mpi=pmix" : "");
  }
  __atomic_store_n(&x->begun, 1, __ATOMIC_RELEASE);
  TH_TRY(exchange_hellos(x, m));
  TH_TRY(th_mpi_separate());
  for (int r = 0; r < size; r++) {
    hello *h = &m->all[r];
    if (h->secret != m->all[0].secret) return th_fail(TH_EARG, "dist.init: the secret of rank %d differs from rank 0's", r);
    h->host[TH_HOST - 1] = 0;
    int first = 0;
    while (strcmp(m->all[first].host, h->host) != 0) first++;
    x->host[r] = first == r ? x->hosts++ : x->host[first];
  }
  free(m);
  return th_mpi_recv(&x->in, sizeof x->in, -1, TH_TAG_CONTROL, &x->reading);
}

static void *serve(void *arg)
{
  th_control *x = arg;
  x->status = shake_hands(x);
  if (x->status != TH_OK) snprintf(x->why, sizeof x->why, "%s", th_error());
  __atomic_store_n(&x->handshake_done, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&x->started, __ATOMIC_ACQUIRE) && !__atomic_load_n(&x->stop, __ATOMIC_ACQUIRE)) th_pause(TICK_US);
  while (!__atomic_load_n(&x->stop, __ATOMIC_ACQUIRE)) {
    if (th_control_tick(x) != TH_OK) th_break(x->job, x->job->rank, "rank %d: %s", x->job->rank, th_error());
    th_pause(x->service.rest ? x->service.rest(x->service.arg, TICK_US) : TICK_US);
  }
  if (x->status == TH_OK && x->finalize) th_mpi_end();
  __atomic_store_n(&x->ended, 1, __ATOMIC_RELEASE);
  return NULL;
}

static th_status start(th_control *x)
{
  sigset_t all, before;                 /* signals belong to the thread that runs Lua */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&x->thread, NULL, serve, x);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed ? th_fail(TH_ENOMEM, "dist.init: cannot start a thread: %s", strerror(failed)) : TH_OK;
}

/* Reports which ranks are missing. MPI does not report for which ranks its initialization waits. */
static th_status fail_handshake(const th_control *x)
{
  const th_job *j = x->job;
  char list[256] = "";
  int n = 0;
  size_t at = 0;
  for (int r = 0; r < j->size && __atomic_load_n(&x->begun, __ATOMIC_ACQUIRE); r++) {
    if (r == j->rank || __atomic_load_n(&x->arrived[r], __ATOMIC_ACQUIRE)) continue;
    if (n < 16) at += (size_t)snprintf(list + at, sizeof list - at, "%s%d", n ? ", " : "", r);
    if (n == 16) snprintf(list + at, sizeof list - at, " ...");
    n++;
  }
  if (!n) {
    return th_fail(TH_EBACKEND, "dist.init: some ranks did not come within %g s: they never joined the job", j->deadline);
  }
  return th_fail(TH_EBACKEND, "dist.init: rank%s %s did not come within %g s: %s never called dist.init, or the link is cut",
                 n > 1 ? "s" : "", list, j->deadline, n > 1 ? "they" : "it");
}

/* The service thread initializes MPI, which waits for all ranks without a timeout, so this thread
 * can give up. The memory stays allocated then, because the service thread may use it. */
th_status th_net_join(th_job *j, const char *host, const char *secret)
{
  TH_TRY(th_mpi_open());
  th_control *x = calloc(1, sizeof *x);
  if (!x) return th_fail(TH_ENOMEM, "dist.init: no memory left");
  pthread_mutex_init(&x->lock, NULL);
  x->job = j;
  x->secret = th_text_hash(secret);
  x->speed = (th_speed){ 50e-6, 1e9, 4e9 };
  snprintf(x->name, sizeof x->name, "%s", host);
  TH_TRY(start(x));
  const double until = th_now() + j->deadline;
  while (!__atomic_load_n(&x->handshake_done, __ATOMIC_ACQUIRE)) {
    const bool late = th_now() > until;
    if (late || th_interrupted()) {
      __atomic_store_n(&x->stop, 1, __ATOMIC_RELEASE);
      return late ? fail_handshake(x) : th_fail(TH_EINTR, "interrupted");
    }
    th_pause(1000);
  }
  if (x->status != TH_OK) return th_fail(x->status, "%s", x->why);
  j->control = x;
  j->hosts = x->hosts;
  memcpy(j->host, x->host, sizeof j->host);
  j->local = 0;
  j->first = j->rank;
  for (int r = j->rank - 1; r >= 0; r--) {
    if (x->host[r] != x->host[j->rank]) continue;
    j->first = r;
    j->local++;
  }
  return TH_OK;
}

static const th_net_calls calls = { th_detect_failure, th_report_silent };

void th_net_start(th_job *j, const th_service *service)
{
  j->control->service = *service;
  __atomic_store_n(&j->net, &calls, __ATOMIC_RELEASE);
  __atomic_store_n(&j->control->started, 1, __ATOMIC_RELEASE);
}
