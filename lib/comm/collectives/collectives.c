/* collectives.c - the collectives: what each does with a chunk on one host, and how its elements go
 * between hosts. A new collective is a number in th_dist.h, its functions and its row here, and a
 * function of lua/distributed/core.lua. */
#include "../group/chunk.h"
#include "../net/inter_host.h"
#include "collectives.h"

/* ---- allreduce, reduce, reducescatter ---- */

static void take_sums(const th_chunk *c)
{
  if (c->split) th_take_split(c);
  else th_combine_slots(c, 0, c->first, c->n, NULL, c->first);
}

static void take_sums_at_root(const th_chunk *c) { if (th_at_root(c->w)) take_sums(c); }

/* Each rank's part of the chunk, for alltoall too. */
static void put_parts(const th_chunk *c)
{
  const th_dist_work *w = c->w;
  const th_dist *g = w->g;
  const int64_t whole = w->in.n / g->size;
  for (int r = 0; r < g->size; r++) {
    if (r != g->rank) th_lay(c, c->slot[g->rank] + r * c->n * w->es, &w->in, r * whole + c->first, c->n);
  }
}

static void take_part_of_sums(const th_chunk *c)
{
  const th_dist *g = c->w->g;
  th_combine_slots(c, g->rank * c->n, g->rank * (c->w->in.n / g->size) + c->first, c->n, NULL, c->first);
}

static th_status allreduce_between(th_dist_work *w, int algorithm)
{
  const th_team all = th_all_of(w->g);
  const int64_t n = w->notice.count;
  if (algorithm == TH_HOSTS) return th_reduce_hosts(w);
  if (algorithm != TH_RING) return th_reduce_parts(w);
  if (w->in.s[0].p != w->out.s[0].p) th_copy_elements(w, 0, 0, n);
  return th_ring(w, &all, &w->out, n, w->notice.op, all.n, th_chunk_of(w, (n + all.n - 1) / all.n), TH_WINDOW);
}

static th_status reduce_between(th_dist_work *w, int algorithm)
{
  (void)algorithm;
  return th_reduce_parts(w);
}

static double allreduce_sent(const th_spread *s, double n, int algorithm)
{
  if (algorithm == TH_RING || algorithm == TH_HOSTS) return 2 * (s->hosts - 1) / s->hosts * n;
  return s->here * s->away * n + s->here / s->ranks * (s->hosts - 1) * n;
}

static double reduce_sent(const th_spread *s, double n, int algorithm)
{
  (void)algorithm;
  return s->here * s->away * n + s->here / s->ranks * n;
}

static double parts_sent(const th_spread *s, double n, int algorithm)
{
  (void)algorithm;
  return s->here * s->away * n;
}

static bool is_float(int dtype) { return dtype == TH_F16 || dtype == TH_BF16 || dtype == TH_F32 || dtype == TH_F64; }

static const char *sums_on_device(int dtype, int op)
{
  if (dtype == TH_I16) return "NCCL adds no shorts";
  if (op == TH_DIST_MEAN && !is_float(dtype)) return "NCCL has no mean of whole numbers that is cut";
  if ((op == TH_DIST_MIN || op == TH_DIST_MAX) && is_float(dtype)) return "with NCCL a nan would not win";
  return "";
}

/* ---- broadcast ---- */

static void put_at_root(const th_chunk *c)
{
  const th_dist_work *w = c->w;
  if (th_at_root(w)) th_lay(c, c->slot[w->g->rank], &w->in, c->first, c->n);
}

static void take_from_root(const th_chunk *c)
{
  const th_dist_work *w = c->w;
  if (!th_at_root(w)) th_scatter(&w->out, w->es, c->first, c->n, c->slot[w->notice.root]);
}

/* A chain of hosts that begins at the root's; chunks are pipelined. */
static th_status broadcast_between(th_dist_work *w, int algorithm)
{
  (void)algorithm;
  const th_dist *g = w->g;
  const th_inter_host *b = g->inter_host;
  const int root = w->notice.root, from = b->host[root], behind = (b->here - from + b->hosts) % b->hosts;
  const int holder = b->here == from ? root : b->member[b->first[b->here]];
  const th_cut cut = th_cut_of(w->notice.count, 1, th_chunk_of(w, w->notice.count), true);
  if (g->rank == holder) {
    const int tag = th_tag(g, TH_TAG_RESULT);
    const int before = (b->here - 1 + b->hosts) % b->hosts, next = (b->here + 1) % b->hosts;
    const th_flow *comes = NULL;
    th_flows f;
    TH_TRY(th_flows_new(&f, w, cut, 2, TH_WINDOW));
    if (behind) {
      const int peer = before == from ? root : b->member[b->first[before]];
      comes = th_flow_add(&f, &(th_flow){ .peer = g->world[peer], .tag = tag, .segments = 1, .s = &w->out });
    }
    if (behind + 1 < b->hosts) {
      th_flow_add(&f, &(th_flow){ .peer = g->world[b->member[b->first[next]]], .tag = tag, .segments = 1, .send = true,
                                  .s = comes ? &w->out : &w->in, .limit = comes ? &comes->done : NULL });
    }
    TH_TRY(th_flows_run(&f, NULL, NULL));
  }
  return th_share_on_host(w, holder, 0, w->notice.count);
}

static double broadcast_sent(const th_spread *s, double n, int algorithm)
{
  (void)s, (void)algorithm;
  return n;
}

static const char *copies_on_device(int dtype, int op)
{
  (void)dtype, (void)op;
  return "";
}

/* ---- allgather, alltoall ---- */

static void take_parts(const th_chunk *c)
{
  const th_dist_work *w = c->w;
  const th_dist *g = w->g;
  const bool all = !th_operation_of(w)->in_parts;
  const int64_t whole = all ? w->in.n : w->in.n / g->size, at = all ? 0 : g->rank * c->n;
  for (int i = 0; i < g->size; i++) {
    const int r = (g->rank + i) % g->size;
    if (i) {
      th_scatter(&w->out, w->es, r * whole + c->first, c->n, c->slot[r] + at * w->es);
    } else {
      const int64_t own = all ? 0 : g->rank * whole;
      th_gather(w->out.s[0].p + (g->rank * whole + c->first) * w->es, &w->in, w->es, own + c->first, c->n);
    }
  }
}

static th_status allgather_between(th_dist_work *w, int algorithm)
{
  (void)algorithm;
  const th_dist *g = w->g;
  const th_inter_host *b = g->inter_host;
  const int64_t n = w->notice.count;
  const th_cut cut = th_cut_of(n, 1, th_largest_chunk(w), true);
  const int tag = th_tag(g, TH_TAG_RESULT);
  th_flows f;
  TH_TRY(th_flows_new(&f, w, cut, 2 * g->size, TH_WINDOW));
  for (int k = 1; k < g->size; k++) {
    const int r = (g->rank + k) % g->size;
    if (b->host[r] == b->here) continue;
    if (th_receiver_at(b, g->rank, b->host[r]) == r) {
      th_flow_add(&f, &(th_flow){ .peer = g->world[r], .tag = tag, .segments = 1, .send = true, .s = &w->in });
    }
    if (th_receiver_at(b, r, b->here) == g->rank) {
      th_flow_add(&f, &(th_flow){ .peer = g->world[r], .tag = tag, .segments = 1, .s = &w->out, .offset = r * n });
    }
  }
  th_copy_elements(w, 0, g->rank * n, n);
  TH_TRY(th_flows_run(&f, NULL, NULL));
  return th_share_all_on_host(w, n * g->size, n);
}

static double allgather_sent(const th_spread *s, double n, int algorithm)
{
  (void)algorithm;
  return s->here * (s->hosts - 1) * n;
}

static th_status alltoall_between(th_dist_work *w, int algorithm)
{
  (void)algorithm;
  const th_dist *g = w->g;
  const int64_t n = w->notice.count / g->size;
  const th_cut cut = th_cut_of(n, 1, th_largest_chunk(w), true);
  const int tag = th_tag(g, TH_TAG_RESULT);
  th_flows f;
  TH_TRY(th_flows_new(&f, w, cut, 2 * g->size, TH_WINDOW));
  for (int k = 1; k < g->size; k++) {
    const int r = (g->rank + k) % g->size, peer = g->world[r];
    th_flow_add(&f, &(th_flow){ .peer = peer, .tag = tag, .segments = 1, .send = true, .s = &w->in, .offset = r * n });
    th_flow_add(&f, &(th_flow){ .peer = peer, .tag = tag, .segments = 1, .s = &w->out, .offset = r * n });
  }
  th_copy_elements(w, g->rank * n, g->rank * n, n);
  return th_flows_run(&f, NULL, NULL);
}

/* ---- the table ---- */

const th_operation th_operations[] = {
  [TH_DIST_BARRIER] = { .name = "barrier" },
  [TH_DIST_ALLREDUCE] = { .name = "allreduce", .reduces = true, .take = take_sums,
                          .between = allreduce_between, .sent = allreduce_sent,
                          .not_on_device = sums_on_device },
  [TH_DIST_REDUCE] = { .name = "reduce", .reduces = true, .to_root = true,
                       .take = take_sums_at_root, .between = reduce_between, .sent = reduce_sent,
                       .not_on_device = sums_on_device },
  [TH_DIST_BROADCAST] = { .name = "broadcast", .from_root = true, .put = put_at_root,
                          .take = take_from_root, .between = broadcast_between,
                          .sent = broadcast_sent, .not_on_device = copies_on_device },
  [TH_DIST_ALLGATHER] = { .name = "allgather", .result = TH_OF_ALL, .take = take_parts,
                          .between = allgather_between, .sent = allgather_sent,
                          .not_on_device = copies_on_device },
  [TH_DIST_REDUCESCATTER] = { .name = "reducescatter", .reduces = true, .in_parts = true,
                              .result = TH_ONE_PART, .put = put_parts, .take = take_part_of_sums,
                              .between = reduce_between, .sent = parts_sent,
                              .not_on_device = sums_on_device },
  [TH_DIST_ALLTOALL] = { .name = "alltoall", .in_parts = true, .put = put_parts, .take = take_parts,
                         .between = alltoall_between, .sent = parts_sent },
  [TH_DIST_SEND] = { .name = "send" },
  [TH_DIST_RECV] = { .name = "recv" },
  [TH_DIST_GROUP] = { .name = "group" },
  [TH_DIST_INIT] = { .name = "init" },
  [TH_DIST_SHARED] = { .name = "shared" },
  [TH_DIST_CLOSE] = { .name = "group:close" },
};
_Static_assert(sizeof th_operations / sizeof *th_operations == TH_DIST_KINDS,
               "a number of th_dist.h has no row here");
