/* cost_model.c - chooses the algorithm of an operation between hosts: the fastest one, according to
 * a model whose numbers are measured at the handshake. A message of n bytes takes latency + n /
 * rate, and a host sends one at a time. All ranks have the same numbers, and so choose alike. */
#include <stdlib.h>
#include "net.h"

static const char *const names[] = { "auto", "fastest", "gather", "doubling", "parts", "ring", "hosts" };
#define ALL_NAMES "auto, fastest, gather, doubling, parts, ring or hosts"
static int forced = -1;                 /* -1: the environment has not been read */

const char *th_algorithm_name(int a) { return names[a]; }

static int number_of(const char *name)
{
  for (int a = 0; a < TH_ALGORITHMS; a++) if (strcmp(names[a], name) == 0) return a;
  return -1;
}

int th_forced_algorithm(void)
{
  if (forced < 0) {
    const char *told = getenv("TH_DIST_ALGORITHM");
    const int a = told ? number_of(told) : TH_AUTO;
    forced = a < 0 ? TH_AUTO : a;
  }
  return forced;
}

th_status th_know_algorithm(void)
{
  const char *told = getenv("TH_DIST_ALGORITHM");
  if (!told || number_of(told) >= 0) return TH_OK;
  return th_fail(TH_EARG, "dist.init: TH_DIST_ALGORITHM must be " ALL_NAMES ", got %s", told);
}

th_status th_dist_algorithm(const char *name, const char **now)
{
  const int a = name ? number_of(name) : th_forced_algorithm();
  if (a < 0) return th_fail(TH_EARG, "dist.algorithm: it must be " ALL_NAMES ", got %s", name);
  if (name) forced = a;
  *now = names[th_forced_algorithm()];
  return TH_OK;
}

th_status th_dist_explain(const th_dist *g, int kind, int dtype, int op, int64_t count, const char **algorithm, double *seconds)
{
  const th_notice n = { .kind = kind, .op = op, .dtype = dtype, .count = count };
  const int64_t bytes = count * (int64_t)th_dtype_size(dtype);
  *algorithm = "memory";
  *seconds = 0;
  if (!g->between) return TH_OK;
  const int a = kind == TH_DIST_BARRIER ? TH_GATHER : th_choose_for(g, &n, bytes);
  *algorithm = names[a];
  *seconds = th_predict(g, kind, bytes, a);
  return TH_OK;
}

void th_dist_speed(const th_dist *g, double *numbers)
{
  const th_speed *v = g->job->wire ? th_wire_speed(g->job) : NULL;
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
static int64_t some_bytes(const th_dist *g) { return g->between->hosts == g->size ? 64 << 10 : few_bytes(g); }

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

static int most_on_a_host(const th_between *b)
{
  int most = 0;
  for (int h = 0; h < b->hosts; h++) if (b->first[h + 1] - b->first[h] > most) most = b->first[h + 1] - b->first[h];
  return most;
}

/* Bytes that the busiest host sends for a tensor of n bytes, without announcements. */
static double sent(const th_dist *g, int kind, double n, int algorithm)
{
  const th_between *b = g->between;
  const double hosts = b->hosts, ranks = g->size, here = most_on_a_host(b), away = (ranks - here) / ranks;
  if (algorithm == TH_GATHER) return (hosts - 1) / hosts * ranks * n;
  if (algorithm == TH_DOUBLING) return steps_of(b->hosts) * n;
  switch (kind) {
    case TH_DIST_ALLREDUCE:
      if (algorithm == TH_RING || algorithm == TH_HOSTS) return 2 * (hosts - 1) / hosts * n;
      return here * away * n + here / ranks * (hosts - 1) * n;
    case TH_DIST_REDUCE: return here * away * n + here / ranks * n;
    case TH_DIST_ALLGATHER: return here * (hosts - 1) * n;
    case TH_DIST_BROADCAST: return n;
    default: return here * away * n;
  }
}

double th_predict(const th_dist *g, int kind, int64_t bytes, int algorithm)
{
  const th_speed *v = th_wire_speed(g->job);
  const th_between *b = g->between;
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
  const double home = most_on_a_host(b) > 1 ? 2 * (double)bytes / v->home : 0;
  return notices + fill + bytes_sent / v->rate + home;
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
  const th_between *b = g->between;
  const int each = b->first[1];
  if (each & (each - 1)) return false;
  for (int r = 0; r < g->size; r++) if (b->host[r] != r / each) return false;
  return true;
}

static bool possible(const th_dist *g, const th_notice *n, int64_t bytes, int a)
{
  const bool all = n->kind == TH_DIST_ALLREDUCE, alone = g->between->hosts == g->size;
  switch (a) {
    case TH_GATHER: return bytes <= few_bytes(g);
    case TH_DOUBLING: return (all || n->kind == TH_DIST_REDUCE) && may_split(n) && bytes <= some_bytes(g);
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

/* ---- measuring ---- */

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
static th_status turn(th_dist_work *w, const th_between *b, char *out, char *in, int64_t bytes, double *seconds)
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
  for (int i = 0; i < SHORT; i++) TH_TRY(turn(w, w->g->between, out, in, 1, &t[i]));
  for (int i = 0; i < LONG; i++) TH_TRY(turn(w, w->g->between, out, in, bytes, &u[i]));
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
  if (world->between->home->rank == 0) {
    char *out = calloc(2, BYTES);
    if (!out) return th_fail(TH_ENOMEM, "dist.init: no memory left");
    TH_TRY(measure(&w, out, out + BYTES, BYTES, took));
    free(out);
  }
  const int told = th_forced_algorithm();
  forced = TH_AUTO;
  const th_status s = th_between_run(&sum);
  forced = told;
  TH_TRY(s);
  th_speed *v = th_wire_speed(world->job);
  v->latency = took[0];
  v->rate = BYTES / (took[1] > took[0] ? took[1] - took[0] : took[1]);
  world->between->called = 0;
  return TH_OK;
}
