/* shard_client.c - the shard client: requests of a rank to shard servers on other hosts, for locks,
 * elements, counters and directories. Each request gets a reply. Large transfers are cut into
 * parts, a few of which are in flight at a time. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "shards.h"

enum { WINDOW = 4 };
static const double IN_FLIGHT_S = 0.5;  /* seconds in which replies that a rank sent before it left still arrive */

struct th_shard_client {
  char      *in[WINDOW], *out;
  th_request r[WINDOW];
  uint32_t   begun, ended;
};

/* ---- missing replies ---- */

typedef struct patience { double until, left; bool lock, asked; } patience;

/* A lock arrives when its earlier holders have released it, and the server monitors these, so this
 * rank only monitors the server. Other replies come immediately. But if all machines were suspended
 * for a while, the server gets its timeout again. */
static th_status look(th_dist_work *w, int who, patience *p)
{
  const double now = th_now();
  TH_TRY(th_stopped(w));
  if (th_fault_of(w, who, false) == TH_HAS_LEFT) {
    if (p->left == 0) p->left = now;
    if (now - p->left < IN_FLIGHT_S) return TH_OK;
    p->left = 0;
    if (!th_answers_ping(w->g->job, who)) th_blame(w, who, TH_HAS_LEFT);
    return th_stopped(w);
  }
  if (now < p->until) return TH_OK;
  const bool there = p->lock && th_answers_ping(w->g->job, who);
  if (!there && !th_report_silent(w, who, TH_IS_LATE) && p->asked) th_blame(w, who, TH_IS_LATE);
  p->asked = !p->lock;
  p->until = th_now() + w->seconds;
  return th_stopped(w);
}

/* Spins briefly, since replies come soon; then sleeps between tests. */
static th_status await(th_dist_work *w, int who, th_request *r, bool lock)
{
  const double begin = th_now();
  double seen = begin;
  patience p = { .until = begin + w->seconds, .lock = lock };
  for (;;) {
    int done, n;
    TH_TRY(th_mpi_test(r, 1, &done, &n));
    if (n) return TH_OK;
    const double now = th_now(), waited = now - begin;
    if (now - seen > 0.02) {
      TH_TRY(look(w, who, &p));
      seen = now;
    }
    const struct timespec nap = { 0, waited < 5e-3 ? 20000 : waited < 0.1 ? 100000 : 1000000 };
    if (waited < 200e-6) sched_yield();
    else nanosleep(&nap, NULL);
  }
}

/* ---- requests and replies ---- */

static th_status need_room(th_job *j)
{
  th_shard_client *f = j->shard_client;
  if (f) return TH_OK;
  f = calloc(1, sizeof *f);
  bool whole = f && (f->out = malloc(TH_REQUEST_BYTES));
  for (int i = 0; whole && i < WINDOW; i++) whole = (f->in[i] = malloc(TH_REPLY_BYTES)) != NULL;
  if (whole) {
    j->shard_client = f;
    return TH_OK;
  }
  for (int i = 0; f && i < WINDOW; i++) free(f->in[i]);
  if (f) free(f->out);
  free(f);
  return th_fail(TH_ENOMEM, "dist.shared: no memory left");
}

static char *behind(th_shard_client *f) { return f->out + sizeof(th_shard_request); }

/* Sends a request with `more` bytes behind it. A failure here leaves the server with an open
 * request, so it breaks the job. */
static th_status put(th_dist_work *w, int to, th_shard_request *q, int64_t more)
{
  th_job *j = w->g->job;
  th_shard_client *f = j->shard_client;
  const uint32_t k = f->begun % WINDOW;
  if (__atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE)) return th_broken(w);
  q->from = j->rank;
  q->number = f->begun;
  q->seconds = w->seconds;
  memcpy(f->out, q, sizeof *q);
  TH_TRY(th_break_for(j, th_mpi_recv(f->in[k], TH_REPLY_BYTES, to, TH_TAG_SHARD_REPLY, &f->r[k])));
  f->begun++;
  return th_break_for(j, th_net_send_copy(j, to, TH_TAG_SHARD_REQUEST, f->out, (int64_t)sizeof *q + more));
}

/* The next reply, and the bytes behind it. */
static th_status get(th_dist_work *w, int from, bool lock, th_shard_reply *t, char **more)
{
  th_job *j = w->g->job;
  th_shard_client *f = j->shard_client;
  char *in = f->in[f->ended % WINDOW];
  TH_TRY(th_break_for(j, await(w, from, &f->r[f->ended % WINDOW], lock)));
  memcpy(t, in, sizeof *t);
  *more = in + sizeof *t;
  if (t->number != f->ended || t->bytes < 0 || t->bytes > TH_PART) {
    return th_break_for(j, th_fail(TH_EBACKEND, "the reply of rank %d is damaged", from));
  }
  f->ended++;
  if (t->status == TH_OK || t->holder < 0) return TH_OK;
  th_report_late(w, t->holder, TH_IS_HOLDING);
  return th_broken(w);
}

/* Raises the server's error, with this rank's name of the action. */
static th_status fail_as_replied(const th_dist_work *w, const th_shard_reply *t, const char *why)
{
  const int n = (int)strnlen(why, (size_t)t->bytes);
  if (n > 5 && strncmp(why, "dist.", 5) == 0) return th_fail(t->status, "%.*s", n, why);
  return th_fail(t->status, "%s: %.*s", w->what, n, why);
}

/* One request of few bytes, and its reply. */
static th_status ask(th_dist_work *w, int to, th_shard_request *q, int64_t more, th_shard_reply *t, char **data)
{
  TH_TRY(put(w, to, q, more));
  TH_TRY(get(w, to, q->kind == TH_ASK_LOCK, t, data));
  return t->status == TH_OK ? TH_OK : fail_as_replied(w, t, *data);
}

/* ---- elements ---- */

typedef struct cutter { const th_part *p; int64_t at, off; } cutter;

static bool is_over(const cutter *c) { return !c->p || c->at == c->p->n; }

/* The next part: as many runs as a message holds. Returns the number of runs; *elements: their
 * elements. */
static int next(cutter *c, th_extent *to, int64_t *elements)
{
  const int64_t most = TH_PART / c->p->es;
  int n = 0;
  *elements = 0;
  while (!is_over(c) && n < TH_RUNS && *elements < most) {
    const th_extent *r = &c->p->run[c->at];
    const int64_t left = r->n - c->off, m = left < most - *elements ? left : most - *elements;
    to[n++] = (th_extent){ r->first + c->off, m };
    *elements += m;
    c->off += m;
    if (c->off < r->n) break;
    c->off = 0;
    c->at++;
  }
  return n;
}

/* Copies the elements of the runs to `packed`, one after the other, or back. */
static void copy(const th_part *p, const th_extent *run, int n, char *packed, bool back)
{
  for (int i = 0; i < n; i++) {
    char *at = p->elements + run[i].first * p->es;
    const size_t bytes = (size_t)(run[i].n * p->es);
    if (back) memcpy(at, packed, bytes);
    else memcpy(packed, at, bytes);
    packed += bytes;
  }
}

/* Sends a request for the next part: its runs and, for a write, its elements. */
static th_status put_part(th_dist_work *w, int to, th_shard_request *q, cutter *c, bool to_server)
{
  th_extent *run = (th_extent *)(void *)behind(w->g->job->shard_client);
  int64_t elements = 0;
  q->n = is_over(c) ? 0 : next(c, run, &elements);
  q->bytes = elements * (c->p ? c->p->es : 0);
  if (to_server && q->n) copy(c->p, run, q->n, (char *)(run + q->n), false);
  return put(w, to, q, q->n * (int64_t)sizeof *run + (to_server ? q->bytes : 0));
}

/* Copies the elements of a reply into the tensor. `back` walks through the parts in the order of
 * the requests. */
static void take_part(const th_dist_work *w, cutter *back, char *data)
{
  th_extent *run = (th_extent *)(void *)behind(w->g->job->shard_client); /* the runs there have been sent */
  int64_t elements;
  if (is_over(back)) return;
  const int n = next(back, run, &elements);
  copy(back->p, run, n, data, true);
}

/* All parts from c on; the last request is of the kind `last`. */
static th_status flow(th_dist_work *w, int to, th_shard_request q, cutter c, bool to_server, int last)
{
  const int kind = q.kind;
  cutter back = c;
  th_status status = TH_OK;
  char why[512] = "";
  for (int open = 0; open || (!is_over(&c) && status == TH_OK);) {
    th_shard_reply t;
    char *data;
    while (open < WINDOW && !is_over(&c) && status == TH_OK) {
      cutter after = c;
      th_extent *run = (th_extent *)(void *)behind(w->g->job->shard_client);
      int64_t elements;
      next(&after, run, &elements);
      q.kind = is_over(&after) ? last : kind;
      TH_TRY(put_part(w, to, &q, &c, to_server));
      open++;
    }
    TH_TRY(get(w, to, false, &t, &data));
    open--;
    if (t.status != TH_OK && status == TH_OK) {
      status = fail_as_replied(w, &t, data);
      snprintf(why, sizeof why, "%s", th_error());
    }
    if (t.status == TH_OK && !to_server) take_part(w, &back, data);
  }
  return status == TH_OK ? TH_OK : th_fail(status, "%s", why);
}

th_status th_client_lock(th_dist_work *w, int to, uint32_t serial, int shard, const th_part *p, uint32_t *epoch)
{
  th_shard_request q = { .kind = TH_ASK_LOCK, .serial = serial, .shard = shard };
  cutter c = { .p = p }, back = c;
  th_shard_reply t;
  char *data;
  TH_TRY(need_room(w->g->job));
  TH_TRY(put_part(w, to, &q, &c, false));
  TH_TRY(get(w, to, true, &t, &data));
  if (t.status != TH_OK) return fail_as_replied(w, &t, data);
  take_part(w, &back, data);
  *epoch = t.value;
  q.kind = TH_ASK_READ;
  return is_over(&c) ? TH_OK : th_break_for(w->g->job, flow(w, to, q, c, false, TH_ASK_READ));
}

/* Writes the elements back first. If that fails, some of them may have been written. */
th_status th_client_unlock(th_dist_work *w, int to, uint32_t serial, int shard, bool written, const th_part *p)
{
  th_shard_request q = { .kind = TH_ASK_WRITE, .serial = serial, .shard = shard, .value = written };
  const cutter c = { .p = p };
  th_shard_reply t;
  char *data;
  TH_TRY(need_room(w->g->job));
  if (!is_over(&c)) return th_break_for(w->g->job, flow(w, to, q, c, true, TH_ASK_UNLOCK));
  q.kind = TH_ASK_UNLOCK;
  return th_break_for(w->g->job, ask(w, to, &q, 0, &t, &data));
}

th_status th_client_move(th_dist_work *w, int to, uint32_t serial, bool to_server, const th_part *p)
{
  const int kind = to_server ? TH_ASK_WRITE : TH_ASK_READ;
  const th_shard_request q = { .kind = kind, .serial = serial };
  TH_TRY(need_room(w->g->job));
  return th_break_for(w->g->job, flow(w, to, q, (cutter){ .p = p }, to_server, kind));
}

/* ---- counters ---- */

th_status th_client_count(th_dist_work *w, int to, uint32_t serial, int first, int n, uint32_t *value)
{
  th_shard_request q = { .kind = TH_ASK_COUNT, .serial = serial, .shard = first, .n = n };
  th_shard_reply t;
  char *data;
  TH_TRY(need_room(w->g->job));
  TH_TRY(ask(w, to, &q, 0, &t, &data));
  memcpy(value, data, (size_t)n * sizeof *value);
  return TH_OK;
}

th_status th_client_add(th_dist_work *w, int to, uint32_t serial, int counter, uint32_t more)
{
  th_shard_request q = { .kind = TH_ASK_ADD, .serial = serial, .shard = counter, .value = more };
  th_shard_reply t;
  char *data;
  TH_TRY(need_room(w->g->job));
  return ask(w, to, &q, 0, &t, &data);
}

th_status th_client_wait(th_dist_work *w, int to, uint32_t serial, int counter, uint32_t value, int *there)
{
  th_shard_request q = { .kind = TH_ASK_WAIT, .serial = serial, .shard = counter, .value = value };
  th_shard_reply t;
  char *data;
  TH_TRY(need_room(w->g->job));
  TH_TRY(ask(w, to, &q, 0, &t, &data));
  *there = t.value != 0;
  return TH_OK;
}

/* ---- directories ---- */

th_status th_client_directory(th_dist_work *w, int to, int kind, th_shared_entry *e, uint32_t *live, int *n)
{
  th_shard_request q = { .kind = kind, .serial = e->serial, .n = kind == TH_ASK_FOLLOW ? *n : 0 };
  const size_t serials = (size_t)q.n * sizeof *live;
  th_shard_reply t;
  char *data;
  TH_TRY(need_room(w->g->job));
  memcpy(behind(w->g->job->shard_client), e, sizeof *e);
  memcpy(behind(w->g->job->shard_client) + sizeof *e, live, serials);
  TH_TRY(ask(w, to, &q, (int64_t)(sizeof *e + serials), &t, &data));
  if (kind == TH_ASK_FOLLOW) return TH_OK;
  if (t.n < 0 || t.n > TH_MAXSHARED) return th_break_for(w->g->job, th_fail(TH_EBACKEND, "the reply of rank %d is damaged", to));
  memcpy(e, data, sizeof *e);
  memcpy(live, data + sizeof *e, (size_t)t.n * sizeof *live);
  *n = t.n;
  return TH_OK;
}
