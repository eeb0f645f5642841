/* settle.c - waiting for messages between hosts: spin briefly, then sleep between tests. */
#include <sched.h>
#include "control_channel.h"

static const double IN_FLIGHT_S = 0.5;  /* seconds in which messages that a rank sent before it left still arrive */

/* A rank that cannot take part any more: it left before it called the operation, or its process is
 * dead. */
static th_fault fault_of_rank(const th_dist_work *w, int i)
{
  const th_dist *g = w->g;
  const int r = g->world[i];
  const th_fault t = th_fault_of(w, r, false);
  if (t != TH_HAS_LEFT || w->notice.kind == TH_DIST_SEND || w->notice.kind == TH_DIST_RECV) return t;
  const uint32_t called = __atomic_load_n(&g->job->control->called[r][g->id], __ATOMIC_ACQUIRE);
  return (int32_t)(called - w->notice.seq) < 0 ? t : TH_NO_FAULT;
}

static th_status look(th_dist_work *w, double *left)
{
  th_dist *g = w->g;
  const bool message = w->notice.kind == TH_DIST_SEND || w->notice.kind == TH_DIST_RECV;
  TH_TRY(th_stopped(w));
  for (int i = message ? w->notice.root : 0; i < (message ? w->notice.root + 1 : g->size); i++) {
    const th_fault t = i == g->rank ? TH_NO_FAULT : fault_of_rank(w, i);
    if (t == TH_NO_FAULT) continue;
    if (t == TH_HAS_LEFT && *left == 0) *left = th_now();
    if (t == TH_HAS_LEFT && th_now() - *left < IN_FLIGHT_S) continue;
    th_blame(w, g->world[i], t);
    return th_broken(w);
  }
  if (w->until == 0) w->until = th_now() + w->seconds;
  return th_now() > w->until ? th_detect_failure(w, -1) : TH_OK;
}

/* Sleeps. The time grows with the seconds already waited, and is at least `rest` (up to 1 ms). */
static void nap(double waited, double rest)
{
  const int us = waited < 5e-3 ? 20 : waited < 0.1 ? 100 : 1000, known = rest < 1e-3 ? (int)(1e6 * rest) : 1000;
  th_pause(us > known ? us : known);
}

/* Spins for `awake` seconds, yielding the processor; then sleeps between tests. *waited: the
 * seconds it took. */
static th_status settle(th_dist_work *w, th_request *r, int n, int *done, int *ndone, double awake, double *waited)
{
  const double begin = th_now();
  double seen = begin, now = begin, left = 0;
  for (;;) {
    for (int i = 0; i < 2; i++) {       /* MPI reports in the second test what the first one found */
      TH_TRY(th_mpi_test(r, n, done, ndone));
      *waited = now - begin;
      if (*ndone) return TH_OK;
    }
    now = th_now();
    if (now - seen > 0.02) {
      TH_TRY(look(w, &left));
      seen = now;
    }
    if (now - begin < awake && !w->threaded) sched_yield();
    else nap(now - begin, w->rest);
  }
}

/* Spins less after late arrivals, because the next will be late too: a slow network delivers a
 * chunk in a millisecond, and other ranks may need the processor. */
th_status th_settle(th_dist_work *w, th_request *r, int n, int *done, int *ndone)
{
  static const double AWAKE = 200e-6, LEAST_AWAKE = 10e-6;
  static __thread double awake = 200e-6;
  double waited;
  TH_TRY(settle(w, r, n, done, ndone, w->rest < AWAKE / 2 ? awake : 0, &waited));
  awake = waited < AWAKE ? AWAKE : awake > LEAST_AWAKE ? awake / 2 : awake;
  return TH_OK;
}

/* Small messages spin longer: they are slow where ranks share processors, and other ranks wait for
 * what this rank sends next. */
th_status th_settle_few(th_dist_work *w, th_request *r, int n)
{
  static const double AWAKE = 2e-3;
  int done[TH_MAXRANK + 1], ended;
  double waited;
  for (int left = n; left; left -= ended) TH_TRY(settle(w, r, n, done, &ended, AWAKE, &waited));
  return TH_OK;
}

th_status th_net_post(th_dist_work *w, int to, int tag, const void *p, int64_t bytes, int64_t most)
{
  th_control *x = w->g->job->control;
  const double begin = th_now();
  double seen = begin, left = 0;
  for (;;) {
    th_control_free_sent(x);
    pthread_mutex_lock(&x->lock);
    const bool room = x->pending[to] + bytes <= most || x->pending[to] == 0;
    pthread_mutex_unlock(&x->lock);
    if (room) return th_net_send_copy(w->g->job, to, tag, p, bytes);
    const double now = th_now();
    if (now - seen > 0.02) {
      TH_TRY(look(w, &left));
      seen = now;
    }
    nap(now - begin, 0);
  }
}
