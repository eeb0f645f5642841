/* message.c - messages between ranks on different hosts. A short message is sent with its header
 * and does not wait. For a long one the header is sent first, and the receiver replies whether it
 * matches. */
#include <stdlib.h>
#include "net.h"

enum { SHORT = 64 << 10, CHUNK = 128 << 10, WINDOW = 4 };

static int64_t bytes_of(const th_notice *n) { return n->count * (int64_t)th_dtype_size(n->dtype); }

static th_status no_memory(const th_dist_work *w)
{
  return th_fail(TH_ENOMEM, "dist.%s: no memory left", th_word_of(w));
}

static th_status flow(th_dist_work *w, int peer)
{
  const bool send = w->notice.kind == TH_DIST_SEND;
  const th_cut cut = th_cut_of(w->notice.count, 1, CHUNK / w->es, true);
  th_flows f;
  TH_TRY(th_flows_new(&f, w, cut, 1, WINDOW));
  th_flow_add(&f, &(th_flow){ .peer = peer, .tag = th_tag(w->g, TH_TAG_DATA), .segments = 1, .send = send,
                               .s = send ? &w->in : &w->out });
  return th_flows_run(&f, NULL, NULL);
}

/* Receives one message of at most `bytes`. On failure the buffer stays allocated, because the
 * message may still arrive. */
static th_status await(th_dist_work *w, void *place, int64_t bytes, int from, int tag)
{
  th_request r;
  int done, n;
  TH_TRY(th_mpi_recv(place, bytes, from, tag, &r));
  return th_settle(w, &r, 1, &done, &n);
}

/* *differs: the message does not match what the receiver wants. Both ranks know it, so the job is
 * not broken. */
static th_status send(th_dist_work *w, int to, bool *differs)
{
  const th_dist *g = w->g;
  const int64_t bytes = bytes_of(&w->notice), with = bytes <= SHORT ? bytes : 0;
  char *p = malloc(sizeof w->notice + (size_t)with);
  int32_t *wanted = calloc(1, sizeof *wanted);
  if (!p || !wanted) {
    free(p);
    free(wanted);
    return no_memory(w);
  }
  memcpy(p, &w->notice, sizeof w->notice);
  th_gather(p + sizeof w->notice, &w->in, w->es, 0, with / w->es);
  th_status s = th_net_post(w, to, th_tag(g, TH_TAG_MESSAGE), p, (int64_t)sizeof w->notice + with, SHORT);
  free(p);
  if (s != TH_OK || bytes <= SHORT) {
    free(wanted);
    return s;
  }
  TH_TRY(await(w, wanted, sizeof *wanted, to, th_tag(g, TH_TAG_REPLY)));
  const bool right = *wanted != 0;
  free(wanted);
  if (right) return flow(w, to);
  *differs = true;
  return th_fail_of(w, "rank %d wanted another message than these %lld %s elements", w->notice.root, (long long)w->notice.count,
                    th_dtype_name(w->notice.dtype));
}

static th_status recv(th_dist_work *w, int from, bool *differs)
{
  const th_dist *g = w->g;
  th_notice m;
  char *p = malloc(sizeof m + SHORT);
  if (!p) return no_memory(w);
  TH_TRY(await(w, p, (int64_t)sizeof m + SHORT, from, th_tag(g, TH_TAG_MESSAGE)));
  memcpy(&m, p, sizeof m);
  const int32_t right = m.dtype == w->notice.dtype && m.count == w->notice.count;
  const bool few = bytes_of(&m) <= SHORT;
  if (few && right) th_scatter(&w->out, w->es, 0, m.count, p + sizeof m);
  free(p);
  if (!few) TH_TRY(th_net_post(w, from, th_tag(g, TH_TAG_REPLY), &right, sizeof right, SHORT));
  if (right) return few ? TH_OK : flow(w, from);
  *differs = true;
  return th_fail_of(w, "rank %d sends %lld %s elements, rank %d wants %lld %s elements", w->notice.root, (long long)m.count,
                    th_dtype_name(m.dtype), g->rank, (long long)w->notice.count, th_dtype_name(w->notice.dtype));
}

th_status th_net_message(th_dist_work *w)
{
  const int other = w->g->world[w->notice.root];
  bool differs = false;
  const th_status s = w->notice.kind == TH_DIST_SEND ? send(w, other, &differs) : recv(w, other, &differs);
  return differs ? s : th_break_for(w->g->job, s);
}
