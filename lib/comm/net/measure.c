/* measure.c - latency and rate of the links between hosts, measured when the job begins. */
#include <stdlib.h>
#include "net.h"

static double median(double *t, int n)
{
  for (int i = 1; i < n; i++) {
    for (int k = i; k > 0 && t[k] < t[k - 1]; k--) {
      const double swap = t[k];
      t[k] = t[k - 1];
      t[k - 1] = swap;
    }
  }
  return t[n / 2];
}

/* Each host sends to the next and receives from the previous one; *seconds until both have ended. */
static th_status turn(th_dist_work *w, const th_inter_host *b, char *out, char *in, int64_t bytes, double *seconds)
{
  const th_dist *g = w->g;
  const int next = b->member[b->first[(b->here + 1) % b->hosts]];
  const int before = b->member[b->first[(b->here + b->hosts - 1) % b->hosts]];
  th_request r[2];
  int done[2], ended;
  const double begin = th_now();
  TH_TRY(th_mpi_recv(in, bytes, g->world[before], th_tag(g, TH_TAG_DATA), r));
  TH_TRY(th_mpi_send(out, bytes, g->world[next], th_tag(g, TH_TAG_DATA), false, r + 1));
  for (int left = 2; left; left -= ended) TH_TRY(th_settle(w, r, 2, done, &ended));
  *seconds = th_now() - begin;
  return TH_OK;
}

static th_status measure(th_dist_work *w, char *out, char *in, int64_t bytes, double took[2])
{
  enum { SHORT = 9, LONG = 3 };
  double t[SHORT], u[LONG];
  for (int i = 0; i < SHORT; i++) TH_TRY(turn(w, w->g->inter_host, out, in, 1, &t[i]));
  for (int i = 0; i < LONG; i++) TH_TRY(turn(w, w->g->inter_host, out, in, bytes, &u[i]));
  took[0] = median(t, SHORT);
  took[1] = median(u, LONG);
  return TH_OK;
}

th_status th_measure(th_dist *world)
{
  enum { BYTES = 512 << 10 };
  th_dist_work w = { .g = world, .notice = { .kind = TH_DIST_INIT }, .seconds = world->job->deadline };
  double took[2] = { 0, 0 };
  th_dist_work sum = { .g = world, .es = sizeof(double), .seconds = w.seconds };
  sum.notice = (th_notice){ .seq = 1, .kind = TH_DIST_ALLREDUCE, .op = TH_DIST_MAX, .dtype = TH_F64, .count = 2 };
  sum.in.s = &sum.in.one;
  sum.in.count = 1;
  sum.in.n = 2;
  sum.in.one = (th_span){ (char *)took, 0, 2 };
  sum.out = sum.in;
  sum.out.s = &sum.out.one;
  if (world->inter_host->local->rank == 0) {
    char *out = calloc(2, BYTES);
    if (!out) return th_fail(TH_ENOMEM, "dist.init: no memory left");
    TH_TRY(measure(&w, out, out + BYTES, BYTES, took));
    free(out);
  }
  const int told = th_forced_algorithm();
  th_force_algorithm(TH_AUTO);
  const th_status s = th_inter_host_run(&sum);
  th_force_algorithm(told);
  TH_TRY(s);
  th_speed *v = th_net_speed(world->job);
  v->latency = took[0];
  v->rate = BYTES / (took[1] > took[0] ? took[1] - took[0] : took[1]);
  world->inter_host->called = 0;
  return TH_OK;
}
