/* inter_host.c - operations of a group that spans hosts. First all ranks exchange announcements,
 * with small payloads inline; then the elements are transferred. What all ranks of a host need is
 * sent to the host once, and its ranks pass it on through shared memory. */
#include <stdlib.h>
#include "inter_host.h"

/* ---- groups ---- */

static int host_at(const th_dist *g, int i) { return th_host_of(g->job, g->world[i]); }

/* A group whose ranks are all on this host does not need this. */
th_status th_inter_host_new(th_dist *g)
{
  th_job *j = g->job;
  int32_t here[TH_MAXRANK];
  int n = 0;
  if (!j->control || g->rank < 0) return TH_OK;
  for (int i = 0; i < g->size; i++) if (host_at(g, i) == th_host_of(j, j->rank)) here[n++] = g->world[i];
  if (n == g->size) return TH_OK;
  th_inter_host *b = calloc(1, sizeof *b);
  if (b) b->room = malloc(2 * TH_CHUNK);
  if (!b || !b->room) {
    free(b);
    return th_fail(TH_ENOMEM, "dist: no memory left");
  }
  int at = 0;
  for (int i = 0; i < g->size; i++) {
    int seen = 0;
    while (host_at(g, seen) != host_at(g, i)) seen++;
    b->host[i] = seen == i ? b->hosts++ : b->host[seen];
  }
  for (int h = 0; h < b->hosts; h++) {
    b->first[h] = at;
    for (int i = 0; i < g->size; i++) if (b->host[i] == h) b->member[at++] = i;
  }
  b->first[b->hosts] = at;
  b->here = b->host[g->rank];
  const th_status s = th_dist_new(&b->local, j, g->id, here, n);
  if (s != TH_OK) {
    free(b->room);
    free(b);
    return s;
  }
  g->inter_host = b;
  th_net_add_group(j, g);
  return TH_OK;
}

void th_inter_host_free(th_dist *g)
{
  th_net_remove_group(g->job, g);
  th_dist_free(g->inter_host->local);
  free(g->inter_host->room);
  free(g->inter_host);
  g->inter_host = NULL;
}

/* ---- the part of this host ---- */

static th_status on_this_host(th_dist_work *w, int kind, int op, int root, const th_spans *in, const th_spans *out)
{
  th_dist *local = w->g->inter_host->local;
  th_dist_work part = { .g = local, .whole = w, .notice = w->notice, .es = w->es, .seconds = w->seconds, .until = w->until,
                        .threaded = w->threaded, .in = *in, .out = *out, .turn = ++local->seq };
  if (in->s == &in->one) part.in.s = &part.in.one;
  if (out->s == &out->one) part.out.s = &part.out.one;
  part.notice.kind = kind;
  part.notice.op = op;
  part.notice.root = root;
  part.notice.count = in->n;
  const th_status s = local->job->group->run(&part);
  w->until = part.until;
  return s;
}

/* Broadcasts elements of the result, which one rank of this host has, to the others. */
th_status th_share_on_host(th_dist_work *w, int holder, int64_t first, int64_t n)
{
  const th_dist *local = w->g->inter_host->local;
  th_spans part;
  int root = 0;
  if (local->size == 1 || !n) return TH_OK;
  while (local->world[root] != w->g->world[holder]) root++;
  TH_TRY(th_slice(&part, &w->out, w->es, first, n));
  const th_status s = on_this_host(w, TH_DIST_BROADCAST, 0, root, &part, &part);
  th_unslice(&part);
  return s;
}

/* The rank of a host to which `owner` sends what all its ranks need. */
int th_receiver_at(const th_inter_host *b, int owner, int host)
{
  int k = 0;
  const int from = b->host[owner];
  if (from == host) return owner;
  while (b->member[b->first[from] + k] != owner) k++;
  return b->member[b->first[host] + k % (b->first[host + 1] - b->first[host])];
}

th_status th_share_all_on_host(th_dist_work *w, int64_t n, int64_t part)
{
  const th_inter_host *b = w->g->inter_host;
  for (int r = 0; r < w->g->size; r++) {
    const int64_t first = r * part < n ? r * part : n, end = first + part < n ? first + part : n;
    TH_TRY(th_share_on_host(w, th_receiver_at(b, r, b->here), first, end - first));
  }
  return TH_OK;
}

th_team th_all_of(const th_dist *g)
{
  th_team t = { .n = g->size, .at = g->rank };
  for (int i = 0; i < g->size; i++) t.rank[i] = i;
  return t;
}

/* ---- operations ---- */

int64_t th_chunk_of(const th_dist_work *w, int64_t elements) { return th_chunk_bytes(elements * w->es, 1) / w->es; }
/* For chunks that no rank forwards. */
int64_t th_largest_chunk(const th_dist_work *w) { return th_chunk_of(w, 1 << 30); }

/* The pause between tests: half of a chunk's transfer time, at most a hundredth of the whole
 * transfer's. Where ranks share processors, testing more often for what many ranks send would keep
 * these busy. */
static double rest_of(const th_dist_work *w, int64_t chunk)
{
  const double rate = th_net_speed(w->g->job)->rate;
  const double one = (double)(chunk * w->es) / rate / 2, all = (double)(w->notice.count * w->es) / rate / 100;
  return one < all ? one : all;
}

th_status th_reduce_parts(th_dist_work *w)
{
  const th_team t = th_all_of(w->g);
  const int64_t part = (w->notice.count + t.n - 1) / t.n;
  w->rest = rest_of(w, th_chunk_bytes(part * w->es, t.n - 1) / w->es);
  TH_TRY(th_fold_parts(w, &t, th_chunk_bytes(part * w->es, t.n - 1) / w->es, t.n > 2 ? TH_WINDOW_OF_MANY : TH_WINDOW));
  if (th_operation_of(w)->to_root || th_operation_of(w)->in_parts) return TH_OK;
  return th_share_all_on_host(w, w->notice.count, th_cut_of(w->notice.count, t.n, 1, false).part);
}

void th_copy_elements(const th_dist_work *w, int64_t from, int64_t to, int64_t n)
{
  for (int64_t at = 0, m; at < n; at += m) {
    m = n - at;
    char *p = th_piece(&w->out, w->es, to + at, &m);
    th_gather(p, &w->in, w->es, from + at, m);
  }
}

/* Each host reduces; each of its ranks reduces one part with one rank of each other host (th_ring);
 * then the host's ranks exchange these parts. */
th_status th_reduce_hosts(th_dist_work *w)
{
  const th_dist *g = w->g;
  const th_inter_host *b = g->inter_host;
  const int op = w->notice.op, me = b->local->rank;
  int rails = g->size;
  th_team t = { .n = b->hosts, .at = b->here };
  for (int h = 0; h < b->hosts; h++) if (b->first[h + 1] - b->first[h] < rails) rails = b->first[h + 1] - b->first[h];
  if (b->local->size > 1) TH_TRY(on_this_host(w, TH_DIST_ALLREDUCE, op == TH_DIST_MEAN ? TH_DIST_SUM : op, 0, &w->in, &w->out));
  else if (w->in.s[0].p != w->out.s[0].p) th_copy_elements(w, 0, 0, w->notice.count);
  const th_cut cut = th_cut_of(w->notice.count, rails, 1, false);
  if (me < rails) {
    th_spans mine;
    const int64_t first = me * cut.part < cut.n ? me * cut.part : cut.n, n = cut.n - first < cut.part ? cut.n - first : cut.part;
    for (int h = 0; h < b->hosts; h++) t.rank[h] = b->member[b->first[h] + me];
    TH_TRY(th_slice(&mine, &w->out, w->es, first, n));
    if (n) TH_TRY(th_ring(w, &t, &mine, n, op, g->size, th_chunk_of(w, (n + t.n - 1) / t.n), TH_WINDOW));
    th_unslice(&mine);
  }
  for (int r = 0; r < rails; r++) {
    const int64_t first = r * cut.part < cut.n ? r * cut.part : cut.n, n = cut.n - first < cut.part ? cut.n - first : cut.part;
    TH_TRY(th_share_on_host(w, b->member[b->first[b->here] + r], first, n));
  }
  return TH_OK;
}

static int64_t own_bytes(const th_dist_work *w)
{
  const bool none = w->device || (th_operation_of(w)->from_root && !th_at_root(w));
  return none ? 0 : w->notice.count * w->es;
}

th_status th_inter_host_run(th_dist_work *w)
{
  th_inter_host *b = w->g->inter_host;
  th_exchange x;
  const bool group = w->notice.kind == TH_DIST_GROUP, empty = group || w->notice.count == 0;
  if (!group) w->notice.note = th_forced_algorithm() | (w->notice.note & TH_ON_DEVICE);
  const int algorithm = empty ? TH_GATHER : th_choose(w);
  __atomic_store_n(&b->kind, w->notice.kind, __ATOMIC_RELEASE);
  __atomic_store_n(&b->called, w->notice.seq, __ATOMIC_RELEASE);
  const bool few = !empty && (algorithm == TH_GATHER || algorithm == TH_DOUBLING);
  TH_TRY(th_exchange_begin(w, &x, few ? own_bytes(w) : 0, algorithm == TH_DOUBLING));
  w->ondevice = 0;
  for (int r = 0; r < w->g->size; r++) w->ondevice += th_is_on_device(&x.notice[r]);
  const bool takes = !th_operation_of(w)->to_root || th_at_root(w);
  if (few && !w->ondevice && algorithm == TH_GATHER) w->g->job->group->take_few(w, x.at);
  else if (few && !w->ondevice && takes) th_scatter(&w->out, w->es, 0, w->notice.count, x.at[0]);
  for (int r = 0; group && r < w->g->size; r++) th_note_groups(w->g->job, &x.notice[r], r == 0);
  th_exchange_end(w, &x);
  if (empty || few || w->ondevice) return TH_OK;
  return th_break_for(w->g->job, th_operation_of(w)->between(w, algorithm));
}
