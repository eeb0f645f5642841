/* exchange.c - all ranks of a group that spans hosts exchange their announcements and small
 * payloads, or the reduction of these. The first rank of a host gathers its ranks' announcements
 * from shared memory. These first ranks exchange them by recursive doubling (Thakur and others,
 * 2005): after each step twice as many hosts have the same. The other ranks of a host read the
 * result in its slot. In the end all ranks have the same announcements, and so find the same
 * difference. */
#include <stdlib.h>
#include "net.h"

/* A record: an announcement and the bytes of the payload behind it. Records begin at multiples of
 * 8. */
typedef struct record { int64_t bytes; th_notice notice; } record;

static int64_t append(char *to, const record *n, const char *bytes)
{
  memcpy(to, n, sizeof *n);
  memcpy(to + sizeof *n, bytes, (size_t)n->bytes);
  return (int64_t)sizeof *n + (n->bytes + 7) / 8 * 8;
}

/* Writes the records of hosts [first, end) to a message; returns its bytes. */
static int64_t put(const th_inter_host *b, const th_exchange *x, int first, int end, char *to)
{
  int64_t n = 0;
  for (int i = b->first[first]; i < b->first[end]; i++) {
    const int r = b->member[i];
    n += append(to + n, &(record){ x->bytes[r], x->notice[r] }, x->at[r]);
  }
  return n;
}

/* Reads them from a message at p, where the payloads stay. Returns its bytes; -1: they exceed
 * `most`. */
static int64_t find(const th_inter_host *b, th_exchange *x, int first, int end, char *p, int64_t most)
{
  int64_t n = 0;
  for (int i = b->first[first]; i < b->first[end]; i++) {
    const int r = b->member[i];
    record one;
    if (most - n < (int64_t)sizeof one) return -1;
    memcpy(&one, p + n, sizeof one);
    n += (int64_t)sizeof one;
    if (one.bytes < 0 || one.bytes > most - n) return -1;
    x->notice[r] = one.notice;
    x->bytes[r] = one.bytes;
    x->at[r] = p + n;
    n += (one.bytes + 7) / 8 * 8;
  }
  return n;
}

/* The records of this host, from its shared memory. */
static th_status gather_host(th_dist_work *w, const th_inter_host *b, const record *own, const char *mine, int64_t *n)
{
  th_dist *local = b->local;
  const int at = w->turn & 1;
  if (local->size == 1) {
    *n = append(b->room, own, mine);
    return TH_OK;
  }
  for (int r = 1; r < local->size; r++) TH_TRY(th_await(w, &local->area[r].call[at].called, w->turn, local->world[r]));
  *n = 0;
  for (int r = 0; r < local->size; r++) {
    const th_area *d = &local->area[r];
    record other;
    memcpy(&other, d->small[at], sizeof other);
    *n += append(b->room + *n, &other, d->small[at] + sizeof other);
  }
  return TH_OK;
}

/* Whether hosts [first, end) announce the same, with all tensors on the CPU. */
static bool agree(const th_dist_work *w, const th_exchange *x, int first, int end)
{
  const th_inter_host *b = w->g->inter_host;
  const th_notice *n = &x->notice[b->member[b->first[first]]];
  bool device = false;
  for (int i = b->first[first]; i < b->first[end]; i++) {
    const int r = b->member[i];
    if (x->notice[r].seq != n->seq || !th_same(n, &x->notice[r])) return false;
    device = device || th_is_on_device(&x->notice[r]);
  }
  return !device;
}

/* Merges hosts [first, end) into one block. The payloads of their ranks are reduced into `sum`,
 * which then is the first rank's payload; they are dropped if announcements differ. Returns whether
 * the bytes that just arrived are still needed. */
static bool join(th_dist_work *w, th_exchange *x, int first, int end)
{
  const th_inter_host *b = w->g->inter_host;
  const int from = b->first[first], to = b->first[end], holder = b->member[from], op = w->notice.op;
  const bool last = to - from == w->g->size, fits = agree(w, x, first, end);
  char *sum = b->room + sizeof(record);
  const void *src[TH_MAXRANK];
  int n = 0;
  if (fits && !x->reduces) return true;
  for (int i = from; i < to; i++) {
    const int r = b->member[i];
    if (x->bytes[r] == w->notice.count * w->es) src[n++] = x->at[r];
    if (i > from || !fits) x->bytes[r] = 0;
  }
  if (!fits || n == 0) return false;
  th_combine_of(w->notice.dtype)(sum, src, n, w->notice.count, op == TH_DIST_MEAN && !last ? TH_DIST_SUM : op, w->g->size);
  x->at[holder] = sum;
  return false;
}

/* Blocks of 1, 2, 4, ... hosts exchange records with the neighbour block. The last block may have
 * fewer hosts: each of them sends to several, and each receiver gets one message. */
static th_status trade(th_dist_work *w, th_exchange *x, int64_t used)
{
  const th_dist *g = w->g;
  const th_inter_host *b = g->inter_host;
  const int tag = th_tag(g, TH_TAG_NOTICE);
  char *out = b->room + TH_CHUNK;
  for (int half = 1; half < b->hosts; half *= 2) {
    const int first = b->here & -2 * half, middle = first + half, end = middle + half < b->hosts ? middle + half : b->hosts;
    if (middle >= b->hosts) continue;
    const bool low = b->here < middle;
    const int mine = low ? first : middle, theirs = low ? middle : first, few = end - middle, place = b->here - mine;
    const int from = b->member[b->first[theirs + (low ? place % few : place)]];
    th_request r[TH_MAXRANK + 1];
    int n = 1;
    TH_TRY(th_mpi_recv(b->room + used, TH_CHUNK - used, g->world[from], tag, r));
    const int64_t bytes = put(b, x, mine, low ? middle : end, out);
    for (int to = theirs + place; to < (low ? end : middle); to += few) {
      TH_TRY(th_mpi_send(out, bytes, g->world[b->member[b->first[to]]], tag, true, &r[n++]));
    }
    TH_TRY(th_settle_few(w, r, n));
    const int64_t came = find(b, x, theirs, low ? end : middle, b->room + used, TH_CHUNK - used);
    if (came < 0) return th_fail_of(w, "the announcement of rank %d is damaged", g->world[from]);
    if (join(w, x, first, end)) used += came;
  }
  return TH_OK;
}

static th_status await_taken(th_dist_work *w, th_dist *local, uint32_t number)
{
  for (int r = 1; r < local->size; r++) TH_TRY(th_await(w, &local->area[r].taken, number - TH_SLOTS, local->world[r]));
  return TH_OK;
}

/* The waits in shared memory belong to the whole operation, because a rank there may wait for
 * another host. */
static th_status exchange(th_dist_work *w, th_dist_work *part, const record *own, const char *mine, th_exchange *x)
{
  const th_inter_host *b = w->g->inter_host;
  th_dist *local = b->local;
  char *slot = local->area[0].slot[(x->number - 1) % TH_SLOTS];
  int64_t n = 0;
  if (local->size > 1) {
    th_area *d = &local->area[local->rank];
    const int at = part->turn & 1;
    d->call[at].with.notice = w->notice;
    append(d->small[at], own, mine);
    th_count_to(&d->call[at].called, part->turn);
  }
  if (local->rank == 0) {
    TH_TRY(gather_host(part, b, own, mine, &n));
    find(b, x, b->here, b->here + 1, b->room, TH_CHUNK);
    if (local->size > 1) join(w, x, b->here, b->here + 1);
    TH_TRY(trade(w, x, n));
    if (local->size > 1) {
      TH_TRY(await_taken(part, local, x->number));
      put(b, x, 0, b->hosts, slot);
      th_count_to(&local->area[0].posted, x->number);
    }
    return TH_OK;
  }
  th_count_to(&local->area[local->rank].posted, x->number);
  TH_TRY(th_await(part, &local->area[0].posted, x->number, local->world[0]));
  find(b, x, 0, b->hosts, slot, TH_CHUNK);
  return TH_OK;
}

th_status th_exchange_begin(th_dist_work *w, th_exchange *x, int64_t bytes, bool reduces)
{
  const record own = { .bytes = bytes, .notice = w->notice };
  th_dist *local = w->g->inter_host->local;
  th_dist_work part = { .g = local, .whole = w, .notice = w->notice, .seconds = w->seconds, .threaded = w->threaded };
  char *mine = NULL;
  part.turn = ++local->seq;
  x->number = local->chunks + 1;
  x->reduces = reduces;
  local->chunks++;
  if (bytes) {
    mine = malloc((size_t)bytes);
    if (!mine) return th_break_for(w->g->job, th_fail(TH_ENOMEM, "dist.%s: no memory left", th_word_of(w)));
    w->g->job->group->put_few(w, mine);
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
  th_dist *local = w->g->inter_host->local;
  if (local->size == 1) return;
  th_count_to(&local->area[local->rank].taken, x->number);
  local->job->group->follow(local, x->number);
}
