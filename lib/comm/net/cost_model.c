/* cost_model.c - chooses the algorithm of an operation between hosts: the fastest one, according to
 * a model whose numbers are measured at the handshake. A message of n bytes takes latency + n /
 * rate, and a host sends one at a time. All ranks have the same numbers, and so choose alike. */
#include <stdlib.h>
#include "net.h"

th_status th_dist_explain(const th_dist *g, int kind, int dtype, int op, int64_t count, const char **algorithm, double *seconds)
{
  const th_notice n = { .kind = kind, .op = op, .dtype = dtype, .count = count };
  const int64_t bytes = count * (int64_t)th_dtype_size(dtype);
  *algorithm = "memory";
  *seconds = 0;
  if (!g->inter_host) return TH_OK;
  const int a = !g->job->kinds[kind].between ? TH_GATHER : th_choose_for(g, &n, bytes);
  *algorithm = th_algorithm_name(a);
  *seconds = th_predict(g, kind, bytes, a);
  return TH_OK;
}

void th_dist_speed(const th_dist *g, double *numbers)
{
  const th_speed *v = g->job->control ? th_net_speed(g->job) : NULL;
  numbers[0] = v ? v->latency : 0;
  numbers[1] = v ? v->rate : 0;
}

/* ---- sizes ---- */

/* The most for which the announcements and payloads of all ranks fit into one slot. */
static int64_t few_bytes(const th_dist *g)
{
  enum { RECORD = sizeof(th_notice) + sizeof(int64_t) };
  return (TH_CHUNK / g->size < TH_SMALL ? TH_CHUNK / g->size : TH_SMALL) / 8 * 8 - RECORD;
}

/* The same for payloads that are reduced on the way. With one rank per host no slot is needed, so
 * the limit is the buffer of exchange.c. */
static int64_t some_bytes(const th_dist *g) { return g->inter_host->hosts == g->size ? 64 << 10 : few_bytes(g); }

/* The chunk size for a part of so many bytes, `peers` chunks of which arrive at a time. Together
 * they are short compared with the part; each is long compared with its header; and none is longer
 * than what Open MPI sends without asking the receiver. */
int64_t th_chunk_bytes(int64_t part, int peers)
{
  enum { LEAST = 8 << 10, MOST = 60 << 10, OFTEN = 16 };
  const int64_t chunk = (part / OFTEN < MOST ? part / OFTEN : MOST) / peers;
  return (chunk < LEAST ? LEAST : chunk) / 64 * 64;
}

/* ---- the model ---- */

static int steps_of(int hosts)
{
  int steps = 0;
  while (1 << steps < hosts) steps++;
  return steps;
}

static int most_on_a_host(const th_inter_host *b)
{
  int most = 0;
  for (int h = 0; h < b->hosts; h++) if (b->first[h + 1] - b->first[h] > most) most = b->first[h + 1] - b->first[h];
  return most;
}

/* Bytes that the busiest host sends for a tensor of n bytes, without announcements. */
static double sent(const th_dist *g, int kind, double n, int algorithm)
{
  const th_inter_host *b = g->inter_host;
  const double hosts = b->hosts, ranks = g->size, here = most_on_a_host(b);
  const th_spread spread = { hosts, ranks, here, (ranks - here) / ranks };
  if (algorithm == TH_GATHER) return (hosts - 1) / hosts * ranks * n;
  if (algorithm == TH_DOUBLING) return steps_of(b->hosts) * n;
  return g->job->kinds[kind].sent(&spread, n, algorithm);
}

double th_predict(const th_dist *g, int kind, int64_t bytes, int algorithm)
{
  const th_speed *v = th_net_speed(g->job);
  const th_inter_host *b = g->inter_host;
  const double notices = steps_of(b->hosts) * v->latency + (double)g->size * sizeof(th_notice) / v->rate;
  const double bytes_sent = bytes ? sent(g, kind, (double)bytes, algorithm) : 0;
  if (algorithm == TH_GATHER || algorithm == TH_DOUBLING) return notices + bytes_sent / v->rate;
  const bool ring = algorithm != TH_PARTS;
  const int team = ring ? b->hosts : g->size, peers = ring ? 1 : team - 1;
  const int64_t part = bytes / team, most = th_chunk_bytes(part, peers);
  const double chunk = (double)(part < most ? part : most) / v->rate, late = v->latency + chunk - (double)part / v->rate;
  const double rest = (double)(part < most ? 0 : part - most < most ? part - most : most) / v->rate;
  /* In a ring the first chunk of a part arrives while the part before it is still being sent,
   * unless that is short. Otherwise the first results wait for a chunk of all others, while more
   * chunks follow. The last chunks are reduced and sent once more. */
  const double fill = ring ? v->latency + 2 * (team - 1) * (late > 0 ? late : 0) : 2 * (v->latency + peers * rest);
  const double local = most_on_a_host(b) > 1 ? 2 * (double)bytes / v->local : 0;
  return notices + fill + bytes_sent / v->rate + local;
}

/* Half types are summed in float and rounded once, and means of integers are truncated once, so
 * their sums cannot be split into partial sums. */
static bool may_split(const th_notice *n)
{
  if (n->dtype == TH_F16 || n->dtype == TH_BF16) return false;
  return n->op != TH_DIST_MEAN || n->dtype == TH_F32 || n->dtype == TH_F64;
}

/* Whether the sums of each host are also those of fixed pairs of ranks: 2^k consecutive ranks on
 * each host. */
static bool in_pairs(const th_dist *g)
{
  const th_inter_host *b = g->inter_host;
  const int each = b->first[1];
  if (each & (each - 1)) return false;
  for (int r = 0; r < g->size; r++) if (b->host[r] != r / each) return false;
  return true;
}

static bool possible(const th_dist *g, const th_notice *n, int64_t bytes, int a)
{
  const th_operation *kind = &g->job->kinds[n->kind];
  const bool sums = kind->reduces && !kind->in_parts, all = sums && !kind->to_root, alone = g->inter_host->hosts == g->size;
  switch (a) {
    case TH_GATHER: return bytes <= few_bytes(g);
    case TH_DOUBLING: return sums && may_split(n) && bytes <= some_bytes(g);
    case TH_PARTS: return true;
    default: return all && may_split(n) && alone == (a == TH_RING);
  }
}

int th_choose_for(const th_dist *g, const th_notice *n, int64_t bytes)
{
  const int told = th_forced_algorithm(), last = told == TH_FASTEST ? TH_HOSTS : TH_PARTS;
  int best = TH_PARTS;
  if (told >= TH_GATHER && possible(g, n, bytes, told)) return told;
  for (int a = TH_GATHER; a <= last; a++) {
    if (!possible(g, n, bytes, a) || (a == TH_DOUBLING && last == TH_PARTS && !in_pairs(g))) continue;
    if (th_predict(g, n->kind, bytes, a) < th_predict(g, n->kind, bytes, best)) best = a;
  }
  return best;
}

int th_choose(const th_dist_work *w) { return th_choose_for(w->g, &w->notice, w->notice.count * w->es); }
