/* exchange.c - all ranks of a group on several hosts learn what each announces, and few bytes of each. On a host the first
 * rank gathers what lies on the desks; those of the hosts pass on what they have, to twice as many with each step (Bruck and
 * others, 1997); the others of a host read it on its first rank's desk. All have the same in the end, and so find the same
 * difference. */
#include <stdlib.h>
#include "wire.h"

/* A record: how many bytes lie behind it, and the notice. */
typedef struct record { int64_t bytes; th_notice notice; } record;

static int64_t append(char *to, const record *n, const char *bytes)
{
  memcpy(to, n, sizeof *n);
  memcpy(to + sizeof *n, bytes, (size_t)n->bytes);
  return (int64_t)sizeof *n + n->bytes;
}

/* Bytes of the records of `ranks` ranks that begin at p; -1: they do not fit into `most`. */
static int64_t length(const char *p, int ranks, int64_t most)
{
  int64_t at = 0;
  for (int i = 0; i < ranks; i++) {
    record n;
    if (most - at < (int64_t)sizeof n) return -1;
    memcpy(&n, p + at, sizeof n);
    at += (int64_t)sizeof n;
    if (n.bytes < 0 || n.bytes > most - at) return -1;
    at += n.bytes;
  }
  return at;
}

static int ranks_of(const th_between *b, int host) { return b->first[host + 1] - b->first[host]; }

/* The records of this host, from its desks. */
static th_status gather_home(th_dist_work *w, const th_between *b, const record *own, const char *mine, int64_t *n)
{
  th_dist *home = b->home;
  const int at = w->turn & 1;
  if (home->size == 1) {
    *n = append(b->room, own, mine);
    return TH_OK;
  }
  for (int r = 1; r < home->size; r++) TH_TRY(th_await(w, &home->desk[r].call[at].called, w->turn, home->world[r]));
  *n = 0;
  for (int r = 0; r < home->size; r++) {
    const th_desk *d = &home->desk[r];
    record other;
    memcpy(&other, d->small[at], sizeof other);
    *n += append(b->room + *n, &other, d->small[at] + sizeof other);
  }
  return TH_OK;
}

/* Step k: what 2^k hosts have goes to the host 2^k places before this one, and as much comes from the other side. */
static th_status pass_on(th_dist_work *w, int64_t n)
{
  const th_dist *g = w->g;
  const th_between *b = g->between;
  int64_t end[TH_MAXRANK + 1] = { 0, n };
  th_request r[8], *const sends = r + 1;
  int done[8], ended, steps = 0;
  for (int i = 0; i < 8; i++) r[i] = th_no_request();
  for (int have = 1; have < b->hosts; steps++) {
    const int more = have < b->hosts - have ? have : b->hosts - have;
    const int to = b->member[b->first[(b->here - have + b->hosts) % b->hosts]];
    const int from = b->member[b->first[(b->here + have) % b->hosts]];
    const int tag = th_tag(g, TH_TAG_NOTICE);
    TH_TRY(th_mpi_recv(b->room + end[have], TH_CHUNK - end[have], g->world[from], tag, r));
    TH_TRY(th_mpi_send(b->room, end[more], g->world[to], tag, true, &sends[steps]));
    TH_TRY(th_settle(w, r, 1, done, &ended));
    for (int i = 0; i < more; i++) {
      const int64_t one = length(b->room + end[have + i], ranks_of(b, (b->here + have + i) % b->hosts), TH_CHUNK - end[have + i]);
      if (one < 0) return th_fail_of(w, "what rank %d announces is damaged", g->world[from]);
      end[have + i + 1] = end[have + i] + one;
    }
    have += more;
  }
  for (int left = steps; left; left -= ended) TH_TRY(th_settle(w, sends, steps, done, &ended));
  return TH_OK;
}

static void find(const th_between *b, char *at, int from, th_exchange *x)
{
  for (int i = 0; i < b->hosts; i++) {
    const int host = (from + i) % b->hosts;
    for (int k = b->first[host]; k < b->first[host + 1]; k++) {
      const int r = b->member[k];
      record one;
      memcpy(&one, at, sizeof one);
      x->notice[r] = one.notice;
      x->at[r] = at + sizeof one;
      at = x->at[r] + one.bytes;
    }
  }
}

static th_status await_taken(th_dist_work *w, th_dist *home, uint32_t number)
{
  for (int r = 1; r < home->size; r++) TH_TRY(th_await(w, &home->desk[r].taken, number - TH_SLOTS, home->world[r]));
  return TH_OK;
}

/* Waits on the desks are parts of the operation: a rank there may wait for another host. */
static th_status exchange(th_dist_work *w, th_dist_work *part, const record *own, const char *mine, th_exchange *x)
{
  const th_between *b = w->g->between;
  th_dist *home = b->home;
  char *slot = home->desk[0].slot[(x->number - 1) % TH_SLOTS];
  int64_t n = 0;
  if (home->size > 1) {
    th_desk *d = &home->desk[home->rank];
    const int at = part->turn & 1;
    d->call[at].with.notice = w->notice;
    append(d->small[at], own, mine);
    th_count_to(&d->call[at].called, part->turn);
  }
  if (home->rank == 0) {
    TH_TRY(gather_home(part, b, own, mine, &n));
    TH_TRY(pass_on(w, n));
    if (home->size > 1) {
      n = length(b->room, w->g->size, TH_CHUNK);
      TH_TRY(await_taken(part, home, x->number));
      memcpy(slot, b->room, (size_t)n);
      th_count_to(&home->desk[0].posted, x->number);
    }
    find(b, b->room, b->here, x);
    return TH_OK;
  }
  th_count_to(&home->desk[home->rank].posted, x->number);
  TH_TRY(th_await(part, &home->desk[0].posted, x->number, home->world[0]));
  find(b, slot, b->here, x);
  return TH_OK;
}

static int64_t elements(const th_dist_work *w)
{
  const bool parts = w->notice.kind == TH_DIST_REDUCESCATTER || w->notice.kind == TH_DIST_ALLTOALL;
  return parts ? w->notice.count / w->g->size : w->notice.count;
}

th_status th_exchange_begin(th_dist_work *w, th_exchange *x, int64_t bytes)
{
  const record own = { .bytes = bytes, .notice = w->notice };
  th_dist *home = w->g->between->home;
  th_dist_work part = { .g = home, .whole = w, .notice = w->notice, .seconds = w->seconds, .threaded = w->threaded };
  char *mine = NULL;
  part.turn = ++home->seq;
  x->number = home->chunks + 1;
  home->chunks++;
  if (bytes) {
    mine = malloc((size_t)bytes);
    if (!mine) return th_break_for(w->g->job, th_fail(TH_ENOMEM, "dist.%s: no memory left", th_dist_word(w->notice.kind)));
    th_put_few(w, elements(w), mine);
  }
  const th_status s = exchange(w, &part, &own, mine ? mine : "", x);
  free(mine);
  TH_TRY(th_break_for(w->g->job, s));
  for (int r = 1; r < w->g->size; r++) {
    const uint32_t first = x->notice[0].seq, other = x->notice[r].seq;
    if (first != other) {
      th_break(w->g->job, w->g->world[r], "rank %d is at operation %u, rank %d at %u", w->g->world[0], first, w->g->world[r],
               other);
      return th_broken(w);
    }
    if (th_same(&x->notice[0], &x->notice[r])) continue;
    th_exchange_end(w, x);
    return th_differ(w, &x->notice[0], &x->notice[r], r);
  }
  return TH_OK;
}

void th_exchange_end(th_dist_work *w, th_exchange *x)
{
  th_dist *home = w->g->between->home;
  if (home->size == 1) return;
  th_count_to(&home->desk[home->rank].taken, x->number);
  th_follow(home, x->number);
}
