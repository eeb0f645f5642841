/* control_channel.c - the control channel of a job on several hosts: messages that the service
 * thread of a rank sends and answers while the script computes. It also reports to the other hosts
 * that the job is broken. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "control_channel.h"

enum { LEAST = 1 << 10 };

struct outgoing {
  struct outgoing *next;
  th_request request;
  int     to;
  int64_t counts;                       /* its share of `pending`; short messages count as LEAST, since they take memory too */
  char    data[];
};

th_speed *th_net_speed(const th_job *j) { return &j->control->speed; }
int       th_tag(const th_dist *g, int what) { return g->id * TH_TAGS + what; }

void th_pause(int us)
{
  const struct timespec t = { us / 1000000, us % 1000000 * 1000 };
  nanosleep(&t, NULL);
}

/* ---- messages that no operation waits for ---- */

/* The send of a control message ends when the bytes have been copied out. Other sends end when the
 * receiver has posted a receive; until then they count in `pending`, which th_net_post bounds. */
static th_status send_copy(th_control *x, int to, int tag, const void *p, int64_t bytes)
{
  const bool is_control = tag == TH_TAG_CONTROL || tag == TH_TAG_SHARD_REQUEST || tag == TH_TAG_SHARD_REPLY;
  outgoing *one = malloc(sizeof *one + (size_t)bytes);
  if (!one) return th_fail(TH_ENOMEM, "dist: no memory left for a message of %lld bytes", (long long)bytes);
  memcpy(one->data, p, (size_t)bytes);
  one->to = to;
  one->counts = is_control ? 0 : bytes < LEAST ? LEAST : bytes;
  pthread_mutex_lock(&x->lock);
  const th_status s = th_mpi_send(one->data, bytes, to, tag, is_control, &one->request);
  if (s == TH_OK) {
    one->next = x->out;
    x->out = one;
    x->pending[to] += one->counts;
  }
  pthread_mutex_unlock(&x->lock);
  if (s != TH_OK) free(one);
  return s;
}

th_status th_net_send_copy(th_job *j, int to, int tag, const void *p, int64_t bytes)
{
  return send_copy(j->control, to, tag, p, bytes);
}

/* Frees the messages whose sends have ended; returns whether there are more. */
bool th_control_free_sent(th_control *x)
{
  int done, n = 0;
  pthread_mutex_lock(&x->lock);
  for (outgoing **at = &x->out; *at;) {
    outgoing *one = *at;
    if (th_mpi_test(&one->request, 1, &done, &n) == TH_OK && n == 0) {
      at = &one->next;
      continue;
    }
    x->pending[one->to] -= one->counts;
    *at = one->next;
    free(one);
  }
  const bool more = x->out != NULL;
  pthread_mutex_unlock(&x->lock);
  return more;
}

void th_control_send(th_control *x, int to, control_message *l)
{
  l->from = x->job->rank;
  if (to != x->job->rank) send_copy(x, to, TH_TAG_CONTROL, l, (int64_t)sizeof *l);
}

static void send_to_other_hosts(th_control *x, control_message *l)
{
  for (int r = 0; r < x->job->size; r++) if (x->host[r] != x->host[x->job->rank]) th_control_send(x, r, l);
}

void th_control_send_all(th_control *x, control_message *l) { for (int r = 0; r < x->job->size; r++) th_control_send(x, r, l); }

/* ---- receiving ---- */

void th_control_progress(th_control *x, control_message *l)
{
  pthread_mutex_lock(&x->lock);
  for (int i = 0; i < TH_MAXGROUP; i++) {
    const th_dist *g = x->group[i];
    l->called[i] = g ? __atomic_load_n(&g->inter_host->called, __ATOMIC_ACQUIRE) : x->closed[i];
    if (g && i == l->group) l->last = __atomic_load_n(&g->inter_host->kind, __ATOMIC_ACQUIRE);
  }
  pthread_mutex_unlock(&x->lock);
}

static void note_called(th_control *x, const control_message *l)
{
  for (int i = 0; i < TH_MAXGROUP; i++) __atomic_store_n(&x->called[l->from][i], l->called[i], __ATOMIC_RELEASE);
  x->last[l->from] = l->last;
}

static void handle_message(th_control *x, const control_message *l)
{
  if (l->from < 0 || l->from >= x->job->size || l->group < 0 || l->group >= TH_MAXGROUP) return;
  if (l->kind == PING) {
    control_message answer = { .kind = REPLY, .group = l->group, .round = l->round };
    th_control_progress(x, &answer);
    th_control_send(x, l->from, &answer);
  } else if (l->kind == REPLY) {
    note_called(x, l);
    __atomic_store_n(&x->answered[l->from], l->round, __ATOMIC_RELEASE);
  } else if (l->kind == JOB_BROKEN) {
    __atomic_store_n(&x->reported, 1, __ATOMIC_RELEASE);          /* the sender tells all hosts */
    th_break(x->job, l->culprit, "%.*s", TH_WHY - 1, l->why);
  } else {
    note_called(x, l);
    __atomic_store_n(&x->job->head->process[l->from].state, TH_PROCESS_LEFT, __ATOMIC_RELEASE);
  }
}

th_status th_control_tick(th_control *x)
{
  const th_job_head *h = x->job->head;
  int done, n = 1;
  while (n) {
    TH_TRY(th_mpi_test(&x->reading, 1, &done, &n));
    if (!n) break;
    handle_message(x, &x->in);
    TH_TRY(th_mpi_recv(&x->in, sizeof x->in, -1, TH_TAG_CONTROL, &x->reading));
  }
  if (__atomic_load_n(&h->broken, __ATOMIC_ACQUIRE) == 2 && !x->reported) {
    control_message l = { .kind = JOB_BROKEN, .culprit = h->culprit };
    snprintf(l.why, sizeof l.why, "%s", h->why);
    send_to_other_hosts(x, &l);
    __atomic_store_n(&x->reported, 1, __ATOMIC_RELEASE);
  }
  if (x->service.tick) TH_TRY(x->service.tick(x->service.arg));
  th_control_free_sent(x);
  return TH_OK;
}

/* ---- groups ---- */

static void set_group(th_control *x, int id, th_dist *g, uint32_t closed)
{
  pthread_mutex_lock(&x->lock);
  x->group[id] = g;
  x->closed[id] = closed;
  pthread_mutex_unlock(&x->lock);
}

void th_net_add_group(th_job *j, th_dist *g) { if (g->inter_host) set_group(j->control, g->id, g, 0); }
void th_net_remove_group(th_job *j, const th_dist *g) { set_group(j->control, g->id, NULL, g->inter_host->called); }
