/* ring.c - two reductions between hosts. Each of N ranks sends the same bytes in both, 2(N-1)/N of
 * the tensor.
 *
 * Parts: each rank receives its part of the elements from all others, reduces it in fixed pairs of
 * ranks, and sends the result to all. Chunks are pipelined, so results leave while elements still
 * arrive. The bits are those of a reduction on one host, whatever the chunk size and the order of
 * arrival.
 *
 * Ring: parts travel around the ring once, and each rank adds its elements; then they travel once
 * more as results. Each rank exchanges data with two others only. The order of summation differs
 * between parts. */
#include <stdlib.h>
#include "net.h"

static th_status no_memory(const th_dist_work *w)
{
  return th_fail(TH_ENOMEM, "dist.%s: no memory left", th_word_of(w));
}

/* ---- parts ---- */

typedef struct folding {
  th_flow *from[TH_MAXRANK], *result;   /* what arrives; where the result goes, if to another rank */
  const th_team *team;
  char    *own;                         /* the buffer of a result for another rank; NULL: it stays here */
  int64_t  folded, in, out;             /* chunks; the offset of the own part in the lists */
} folding;

static void fold(const th_flows *f, const folding *d, int64_t i)
{
  const th_dist_work *w = f->w;
  const th_combine combine = th_combine_of(w->notice.dtype);
  const void *src[TH_MAXRANK];
  int64_t n;
  const int64_t first = th_cut_at(&f->cut, d->team->at, (int)i, &n);
  char *own = d->own ? d->own + i % f->window * f->cut.chunk * w->es : NULL;
  for (int64_t at = 0, m; at < n; at += m) {
    m = n - at;
    char *to = own ? own + at * w->es : th_piece(&w->out, w->es, first + d->out + at, &m);
    for (int r = 0; r < d->team->n; r++) {
      src[r] = r == d->team->at ? th_piece(&w->in, w->es, first + d->in + at, &m) : th_flow_place(f, d->from[r], i) + at * w->es;
    }
    combine(to, src, d->team->n, m, w->notice.op, d->team->n);
  }
}

static th_status fold_step(th_flows *f, void *arg)
{
  folding *d = arg;
  for (; d->folded < f->cut.chunks; d->folded++) {
    for (int r = 0; r < d->team->n; r++) if (r != d->team->at && d->from[r]->done <= d->folded) return TH_OK;
    if (d->own && d->folded - d->result->done >= f->window) return TH_OK;
    fold(f, d, d->folded);
  }
  return TH_OK;
}

static int world_of(const th_dist_work *w, const th_team *t, int i) { return w->g->world[t->rank[i]]; }

/* Results go to all ranks, but only once to each other host, where the receiver passes them on
 * (inter_host.c). */
static bool gets(const th_inter_host *b, const th_team *t, int owner, int other)
{
  const int host = b->host[t->rank[other]], from = b->host[t->rank[owner]];
  if (host == from) return false;
  int k = 0;
  while (b->member[b->first[from] + k] != t->rank[owner]) k++;
  return b->member[b->first[host] + k % (b->first[host + 1] - b->first[host])] == t->rank[other];
}

/* Reduces w's input; each rank of the team reduces one part. Allreduce: all get all results.
 * Reduce: the root does. Reducescatter: each rank keeps its own. */
th_status th_fold_parts(th_dist_work *w, const th_team *t, int64_t chunk, int window)
{
  const th_operation *kind = th_operation_of(w);
  const bool scatter = kind->in_parts, all = !scatter && !kind->to_root;
  const th_cut cut = th_cut_of(w->notice.count, t->n, chunk, scatter);
  const int fold_tag = th_tag(w->g, TH_TAG_FOLD), result_tag = th_tag(w->g, TH_TAG_RESULT);
  folding d = { .team = t, .out = scatter ? -t->at * cut.part : 0 };
  th_flows f;
  TH_TRY(th_flows_new(&f, w, cut, 4 * t->n, window));
  const bool away = kind->to_root && t->rank[t->at] != w->notice.root;
  if (away && !(d.own = malloc((size_t)(window * cut.chunk * w->es)))) return no_memory(w);
  for (int k = 1; k < t->n; k++) {
    const int r = (t->at + k) % t->n, peer = world_of(w, t, r);
    const th_flow *sent = th_flow_add(&f, &(th_flow){ .peer = peer, .tag = fold_tag, .from = r, .segments = 1, .send = true,
                                                       .s = &w->in });
    d.from[r] = th_flow_add(&f, &(th_flow){ .peer = peer, .tag = fold_tag, .from = t->at, .segments = 1, .keep = true,
                                            .freed = &d.folded });
    if ((all && gets(w->g->inter_host, t, t->at, r)) || (away && t->rank[r] == w->notice.root)) {
      d.result = th_flow_add(&f, &(th_flow){ .peer = peer, .tag = result_tag, .from = t->at, .segments = 1, .send = true,
                                             .s = &w->out, .keep = away, .limit = &d.folded });
      if (away) d.result->stage = d.own;
    }
    if ((all && gets(w->g->inter_host, t, r, t->at)) || (kind->to_root && !away)) {
      th_flow_add(&f, &(th_flow){ .peer = peer, .tag = result_tag, .from = r, .segments = 1, .s = &w->out,
                                  .limit = &sent->done });
    }
  }
  return th_flows_run(&f, fold_step, &d);
}

/* ---- ring ---- */

typedef struct turning {
  const th_spans *x;
  th_flow *grows, *comes;               /* partial sums, results */
  int64_t  folded, ready, results;      /* chunks folded; chunks of both kinds that may be sent */
  int      op, over;
} turning;

/* Adds this rank's elements to a chunk that arrived. The last rank that adds to a part also divides
 * it. */
static void add_own(const th_flows *f, const turning *d, int64_t i)
{
  const th_dist_work *w = f->w;
  const th_combine combine = th_combine_of(w->notice.dtype);
  const int parts = f->cut.parts, segment = (int)(i / f->cut.chunks);
  const bool last = segment == parts - 2;
  const void *src[2];
  int64_t n;
  const int64_t first = th_cut_at(&f->cut, ((d->grows->from - segment) % parts + parts) % parts, (int)(i % f->cut.chunks), &n);
  for (int64_t at = 0, m; at < n; at += m) {
    m = n - at;
    char *own = th_piece(d->x, w->es, first + at, &m);
    src[0] = th_flow_place(f, d->grows, i) + at * w->es;
    src[1] = own;
    combine(own, src, 2, m, d->op == TH_DIST_MEAN && !last ? TH_DIST_SUM : d->op, d->over);
  }
}

static th_status turn_step(th_flows *f, void *arg)
{
  turning *d = arg;
  const int64_t last = (int64_t)(f->cut.parts - 2) * f->cut.chunks;
  for (; d->folded < d->grows->done; d->folded++) add_own(f, d, d->folded);
  d->ready = f->cut.chunks + d->folded;
  d->results = d->folded - last < f->cut.chunks ? d->folded - last : f->cut.chunks + d->comes->done;
  return TH_OK;
}

/* Reduces n elements of x in place over the ranks of the team; `mean` divides by `over`. */
th_status th_ring(th_dist_work *w, const th_team *t, const th_spans *x, int64_t n, int op, int over, int64_t chunk, int window)
{
  const int next = world_of(w, t, (t->at + 1) % t->n), before = world_of(w, t, (t->at + t->n - 1) % t->n), around = t->n - 1;
  const th_cut cut = th_cut_of(n, t->n, chunk, false);
  const int grow = th_tag(w->g, TH_TAG_FOLD), result = th_tag(w->g, TH_TAG_RESULT);
  turning d = { .x = x, .op = op, .over = over };
  th_flows f;
  TH_TRY(th_flows_new(&f, w, cut, 4, window));
  th_flow_add(&f, &(th_flow){ .peer = next, .tag = grow, .from = t->at, .step = -1, .segments = around, .send = true, .s = x,
                              .limit = &d.ready });
  d.grows = th_flow_add(&f, &(th_flow){ .peer = before, .tag = grow, .from = t->at + t->n - 1, .step = -1, .segments = around,
                                        .keep = true, .freed = &d.folded });
  th_flow_add(&f, &(th_flow){ .peer = next, .tag = result, .from = t->at + 1, .step = -1, .segments = around, .send = true,
                              .s = x, .limit = &d.results });
  d.comes = th_flow_add(&f, &(th_flow){ .peer = before, .tag = result, .from = t->at, .step = -1, .segments = around, .s = x });
  return th_flows_run(&f, turn_step, &d);
}
