/* flow.c - sequences of chunks between ranks, many at a time. Each has a window of chunks in
 * flight, which bounds its memory, however long the tensors are. Chunks are sent from tensors and
 * received into them. Only a chunk that spans two tensors, or that is to be reduced, has a staging
 * buffer. */
#include <stdlib.h>
#include "net.h"

/* One of so many sends ends only when the receiver has posted its receive. This bounds the bytes in
 * flight with few extra messages. */
enum { SYNCHRONOUS = 4 };

th_cut th_cut_of(int64_t n, int parts, int64_t chunk, bool exact)
{
  const int64_t even = (n + parts - 1) / parts, part = exact ? even : (even + 15) / 16 * 16;
  return (th_cut){ .n = n, .part = part, .chunk = chunk, .parts = parts, .chunks = part ? (int)((part + chunk - 1) / chunk) : 0 };
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t th_cut_at(const th_cut *c, int part, int chunk, int64_t *n)
{
  const int64_t begin = least(part * c->part, c->n), end = least(begin + c->part, c->n);
  const int64_t first = least(begin + chunk * c->chunk, end);
  *n = least(c->chunk, end - first);
  return first;
}

th_status th_flows_new(th_flows *f, th_dist_work *w, th_cut cut, int most, int window)
{
  *f = (th_flows){ .w = w, .cut = cut, .room = most, .window = window };
  f->f = calloc((size_t)most + 1, sizeof *f->f);
  f->r = malloc(((size_t)most * (size_t)window + 1) * sizeof *f->r);
  if (f->f && f->r) return TH_OK;
  free(f->f);
  free(f->r);
  return th_fail(TH_ENOMEM, "dist.%s: no memory left", th_word_of(w));
}

th_flow *th_flow_add(th_flows *f, const th_flow *like)
{
  th_flow *one = &f->f[f->n];
  *one = *like;
  one->chunks = (int64_t)like->segments * f->cut.chunks;
  for (int i = 0; i < f->window; i++) f->r[f->n * f->window + i] = th_no_request();
  f->n++;
  return one;
}

char *th_flow_place(const th_flows *f, const th_flow *one, int64_t i)
{
  return one->stage + i % f->window * f->cut.chunk * f->w->es;
}

static th_status need_stage(const th_flows *f, th_flow *one)
{
  if (!one->stage) one->stage = malloc((size_t)(f->window * f->cut.chunk * f->w->es));
  return one->stage ? TH_OK : th_fail(TH_ENOMEM, "dist.%s: no memory left", th_word_of(f->w));
}

/* The first element of chunk i in the list, and how many. */
static int64_t elements(const th_flows *f, const th_flow *one, int64_t i, int64_t *n)
{
  const int parts = f->cut.parts, segment = (int)(i / f->cut.chunks);
  const int part = ((one->from + segment * one->step) % parts + parts) % parts;
  return th_cut_at(&f->cut, part, (int)(i % f->cut.chunks), n) + one->offset;
}

/* The address of the elements if they lie in one tensor, else NULL. */
static char *whole(const th_flows *f, const th_flow *one, int64_t first, int64_t n)
{
  int64_t m = n;
  if (one->keep || !n) return NULL;
  char *p = th_piece(one->s, f->w->es, first, &m);
  return m == n ? p : NULL;
}

static th_status issue(th_flows *f, th_flow *one)
{
  const int es = f->w->es;
  const int64_t i = one->issued;
  int64_t n;
  const int64_t first = elements(f, one, i, &n);
  char *p = whole(f, one, first, n);
  th_request *r = &f->r[(one - f->f) * f->window + i % f->window];
  if (!p) {
    TH_TRY(need_stage(f, one));
    p = th_flow_place(f, one, i);
    if (one->send && !one->keep) th_gather(p, one->s, es, first, n);
  }
  one->issued++;
  if (one->send) return th_mpi_send(p, n * es, one->peer, one->tag, i % SYNCHRONOUS != SYNCHRONOUS - 1, r);
  return th_mpi_recv(p, n * es, one->peer, one->tag, r);
}

/* The chunk at `place` of a flow has been sent, or received. */
static void end(th_flows *f, th_flow *one, int place)
{
  const int64_t i = one->done + (place - one->done % f->window + f->window) % f->window;
  int64_t n;
  const int64_t first = elements(f, one, i, &n);
  if (!one->send && !one->keep && n && !whole(f, one, first, n)) th_scatter(one->s, f->w->es, first, n, th_flow_place(f, one, i));
  one->ended[place] = true;
  for (; one->done < one->issued && one->ended[one->done % f->window]; one->done++) one->ended[one->done % f->window] = false;
}

static bool may_issue(const th_flows *f, const th_flow *one)
{
  if (one->issued == one->chunks || (one->limit && one->issued >= *one->limit)) return false;
  return one->issued - (one->freed ? *one->freed : one->done) < f->window;
}

/* Chunk by chunk over all flows, so that the chunks of all ranks can be reduced before the next
 * ones arrive. */
static th_status issue_all(th_flows *f)
{
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < f->n; i++) {
      if (!may_issue(f, &f->f[i])) continue;
      TH_TRY(issue(f, &f->f[i]));
      more = true;
    }
  }
  return TH_OK;
}

static th_status run(th_flows *f, th_flow_step step, void *arg, int *done)
{
  for (;;) {
    bool over = true;
    int n;
    if (step) TH_TRY(step(f, arg));
    TH_TRY(issue_all(f));
    for (int i = 0; i < f->n; i++) over = over && f->f[i].done == f->f[i].chunks;
    if (over) return TH_OK;
    TH_TRY(th_settle(f->w, f->r, f->n * f->window, done, &n));
    for (int i = 0; i < n; i++) end(f, &f->f[done[i] / f->window], done[i] % f->window);
  }
}

/* After a failure messages may still arrive in these buffers. The job is broken, so they stay
 * allocated. */
th_status th_flows_run(th_flows *f, th_flow_step step, void *arg)
{
  int *done = malloc(((size_t)f->n * (size_t)f->window + 1) * sizeof *done);
  bool *ended = calloc((size_t)f->n * (size_t)f->window + 1, sizeof *ended);
  th_status s = done && ended ? TH_OK : th_fail(TH_ENOMEM, "dist.%s: no memory left", th_word_of(f->w));
  for (int i = 0; s == TH_OK && i < f->n; i++) f->f[i].ended = ended + i * f->window;
  if (s == TH_OK) s = run(f, step, arg, done);
  free(done);
  if (s != TH_OK) return s;
  free(ended);
  for (int i = 0; i < f->n; i++) free(f->f[i].stage);
  free(f->f);
  free(f->r);
  return TH_OK;
}
