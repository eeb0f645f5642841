/* collective.c - operations of a group on one host. All ranks announce what they call; then the
 * elements go through the slots in shared memory.
 *
 * Sums are computed in fixed pairs of ranks, whichever rank computes them, so the bits of a result
 * depend only on the ranks' elements. Large tensors are cut into chunks that stay in the cache, in
 * a pipeline of three steps:
 *    put    copy what the others need into the own slot
 *    fold   (three ranks or more) reduce the own part of the chunk
 *    take   copy, or reduce (two ranks: each reduces everything), what the others have put or folded
 *
 * The limit is memory: an all-reduce reads and writes every tensor at least once, as x:mul(1) does
 * on all ranks. The rest goes through caches, and its speed depends on where the ranks run. With a
 * shared cache (an EPYC of 2023) 256 kB chunks of two ranks come near the limit. Cores whose caches
 * are far apart hand each other a line in 200 ns instead of 40. There, streaming stores, which
 * bypass the caches, make the data arrive five times as fast. The placement cannot be queried, and
 * in virtual machines it changes, so some operations of every size measure both ways. */
#include "../../core/processor.h"
#include "chunk.h"
#include "group.h"

/* ---- the announcement ---- */

/* w->ondevice becomes the number of ranks whose tensors are on a device; then the elements do not
 * go through the slots. Operation s has its announcement in call[s % 2]. When a rank writes it, all
 * ranks have announced s - 1, and so have finished s - 2. */
th_status th_announce(th_dist_work *w)
{
  th_dist *g = w->g;
  th_area *mine = &g->area[g->rank];
  const int at = w->turn & 1;
  mine->call[at].with.notice = w->notice;
  th_count_to(&mine->call[at].called, w->turn);
  for (int r = 0; r < g->size; r++) {
    if (r != g->rank) TH_TRY(th_await(w, &g->area[r].call[at].called, w->turn, g->world[r]));
  }
  const th_notice *first = &g->area[0].call[at].with.notice;
  for (int r = 1; r < g->size; r++) {
    const th_notice *other = &g->area[r].call[at].with.notice;
    if (!th_same(first, other)) return th_differ(w, first, other, r);
  }
  w->ondevice = 0;
  for (int r = 0; r < g->size; r++) w->ondevice += th_is_on_device(&g->area[r].call[at].with.notice);
  const bool group = w->notice.kind == TH_DIST_GROUP;
  for (int r = 0; group && r < g->size; r++) th_note_groups(g->job, &g->area[r].call[at].with.notice, r == 0);
  return TH_OK;
}

/* ---- pieces of tensors ---- */

/* Streaming stores, which bypass the caches. A fence must follow before the counter is published. */
static void stream(char *to, const char *p, size_t n)
{
  const size_t before = -(uintptr_t)to % 16, head = before < n ? before : n;
  memcpy(to, p, head);
  size_t i = head;
  for (; i + TH_STREAMED <= n; i += TH_STREAMED) th_stream(to + i, p + i);
  memcpy(to + i, p + i, n - i);
}

/* Into a slot. */
void th_lay(const th_chunk *c, char *to, const th_spans *s, int64_t first, int64_t n)
{
  const int es = c->w->es;
  if (!c->streams) {
    th_gather(to, s, es, first, n);
    return;
  }
  for (int64_t i = 0, m; i < n; i += m) {
    m = n - i;
    const char *p = th_piece(s, es, first + i, &m);
    stream(to + i * es, p, (size_t)(m * es));
  }
  th_stream_end();
}

/* Reduces n elements that begin at `at` in the slots; this rank's own are elements `first` of the
 * input. The result goes to `to`, or, if that is NULL, to elements `out` of the output. */
void th_combine_slots(const th_chunk *c, int64_t at, int64_t first, int64_t n, char *to, int64_t out)
{
  const th_dist_work *w = c->w;
  const th_dist *g = w->g;
  const th_combine f = th_combine_of(w->notice.dtype);
  const void *src[TH_MAXRANK];
  for (int64_t i = 0, m; i < n; i += m) {
    m = n - i;
    char *p = to ? to + i * w->es : th_piece(&w->out, w->es, out + i, &m);
    for (int r = 0; r < g->size; r++) src[r] = c->slot[r] + (at + i) * w->es;
    src[g->rank] = th_piece(&w->in, w->es, first + i, &m);
    f(p, src, g->size, m, w->notice.op, g->size);
  }
}

/* ---- the steps ---- */

/* The part of a split chunk that rank r folds: equal parts, the last ones shorter. */
static int64_t part(const th_chunk *c, int r, int64_t *n)
{
  const int64_t whole = (c->n + c->w->g->size - 1) / c->w->g->size, k = (whole + 15) / 16 * 16;
  const int64_t first = r * k < c->n ? r * k : c->n;
  *n = c->n - first < k ? c->n - first : k;
  return first;
}

/* Writes the chunk into the own slot; of a split chunk, the parts that other ranks fold. */
static void put_whole(const th_chunk *c)
{
  const th_dist *g = c->w->g;
  int64_t n;
  if (!c->split) {
    th_lay(c, c->slot[g->rank], &c->w->in, c->first, c->n);
    return;
  }
  for (int r = 0; r < g->size; r++) {
    const int64_t first = part(c, r, &n);
    if (r != g->rank) th_lay(c, c->slot[g->rank] + first * c->w->es, &c->w->in, c->first + first, n);
  }
}

static void put(const th_chunk *c)
{
  const th_operation *kind = th_operation_of(c->w);
  if (kind->put) kind->put(c);
  else put_whole(c);
}

/* Folds this rank's part into its result and into its slot, where put has left room. */
static void fold(const th_chunk *c)
{
  const th_dist_work *w = c->w;
  int64_t n;
  const int64_t first = part(c, w->g->rank, &n);
  char *to = c->slot[w->g->rank] + first * w->es;
  if (th_operation_of(w)->to_root && !th_at_root(w)) {
    th_combine_slots(c, first, c->first + first, n, to, 0);
  } else {
    th_combine_slots(c, first, c->first + first, n, NULL, c->first + first);
    th_lay(c, to, &w->out, c->first + first, n);
  }
}

void th_take_split(const th_chunk *c)
{
  const th_dist_work *w = c->w;
  int64_t n;
  for (int i = 1; i < w->g->size; i++) {            /* each rank begins with a different one */
    const int r = (w->g->rank + i) % w->g->size;
    const int64_t first = part(c, r, &n);
    th_scatter(&w->out, w->es, c->first + first, n, c->slot[r] + first * w->es);
  }
}

/* ---- small payloads: they are sent with the announcement ---- */

/* Elements that a slot holds, of each rank's part. */
static int64_t elements_of(const th_dist_work *w)
{
  return th_operation_of(w)->in_parts ? w->notice.count / w->g->size : w->notice.count;
}

static th_status small(th_dist_work *w)
{
  th_chunk c = { .w = w, .n = elements_of(w) };
  const int at = w->turn & 1;
  for (int r = 0; r < w->g->size; r++) {
    th_area *d = &w->g->area[r];
    c.slot[r] = w->notice.count * w->es <= TH_FEW ? d->call[at].with.few : d->small[at];
  }
  put(&c);
  TH_TRY(th_announce(w));
  if (!w->ondevice) th_operation_of(w)->take(&c);
  return TH_OK;
}

void th_put_few(th_dist_work *w, char *to)
{
  th_chunk c = { .w = w, .n = elements_of(w) };
  c.slot[w->g->rank] = to;
  put(&c);
}

void th_take_few(th_dist_work *w, char *const *slot)
{
  th_chunk c = { .w = w, .n = elements_of(w) };
  for (int r = 0; r < w->g->size; r++) c.slot[r] = slot[r];
  th_operation_of(w)->take(&c);
}

/* ---- large ones: the pipeline ---- */

typedef enum step { POSTED, FOLDED, TAKEN } step;

static th_counter *counter(th_area *d, step s) { return s == POSTED ? &d->posted : s == FOLDED ? &d->folded : &d->taken; }

static th_status await_all(th_dist_work *w, step s, uint32_t value)
{
  th_dist *g = w->g;
  for (int i = 1; i < g->size; i++) {
    const int r = (g->rank + i) % g->size;
    TH_TRY(th_await(w, counter(&g->area[r], s), value, g->world[r]));
  }
  return TH_OK;
}

/* Chunk i of the operation. */
static th_chunk chunk_at(th_dist_work *w, int64_t i, int64_t k, int64_t n, bool split, bool streams)
{
  th_chunk c = { .w = w, .first = i * k, .n = n - i * k < k ? n - i * k : k, .split = split, .streams = streams };
  const uint32_t at = (w->g->chunks + (uint32_t)i) % TH_SLOTS;
  for (int r = 0; r < w->g->size; r++) c.slot[r] = w->g->area[r].slot[at];
  return c;
}

/* One step of one chunk: waits for what it needs of the others, executes it, and publishes the
 * progress. */
static th_status run(th_dist_work *w, step s, const th_chunk *c, uint32_t number)
{
  th_area *mine = &w->g->area[w->g->rank];
  if (s == POSTED) TH_TRY(await_all(w, TAKEN, number - TH_SLOTS));
  else TH_TRY(await_all(w, s == TAKEN && c->split ? FOLDED : POSTED, number));
  if (s == POSTED) put(c);
  else if (s == FOLDED) fold(c);
  else th_operation_of(w)->take(c);
  th_count_to(counter(mine, s), number);
  return TH_OK;
}

/* Of every PERIOD operations of a size, TRIES pairs measure both ways, at the same operations on
 * all ranks. The first WARM do not, because they touch new memory. The first PROBE chunks are
 * measured. The choice affects how this rank writes its slots, and no result. */
enum { PERIOD = 256, WARM = 8, TRIES = 2, PROBE = 16 };

static th_pace *pace_of(th_dist_work *w)
{
  int at = 63 - __builtin_clzll((uint64_t)(w->notice.count * w->es)) - 13;
  at = at < 0 ? 0 : at < TH_PACES ? at : TH_PACES - 1;
  return &w->g->pace[at];
}

/* The way that this operation measures; -1: none. */
static int way_of(th_pace *p)
{
  const uint32_t at = p->operations++ % PERIOD;
  if (at == WARM) p->best[0] = p->best[1] = 1e9;
  return at >= WARM && at < WARM + 2 * TRIES ? (int)(at & 1) : -1;
}

static void note(th_pace *p, int way, double seconds)
{
  if (seconds < p->best[way]) p->best[way] = seconds;
  if (way) p->streams = p->best[1] < p->best[0];
}

/* Chunk numbers are compared by their difference, which must stay below 2^31, so a rank that has
 * not folded for long advances its counter. */
void th_follow(th_dist *g, uint32_t number) { __atomic_store_n(&g->area[g->rank].folded.value, number, __ATOMIC_RELEASE); }

/* For tests, on all ranks between operations: sets the state after so many chunks, none of them
 * folded. */
void th_dist_number(th_dist *g, uint32_t number)
{
  th_area *mine = &g->area[g->rank];
  __atomic_store_n(&mine->posted.value, number, __ATOMIC_SEQ_CST);
  __atomic_store_n(&mine->taken.value, number, __ATOMIC_SEQ_CST);
  g->chunks = number;
}

/* n elements in chunks of k. */
static th_status pipeline(th_dist_work *w, int64_t n, int64_t k, bool split)
{
  const int64_t chunks = (n + k - 1) / k, lag = split ? 2 : 1;
  const uint32_t base = w->g->chunks + 1;
  th_pace *p = pace_of(w);
  int way = way_of(p);
  const double start = way < 0 ? 0 : th_now();
  for (int64_t i = 0; i < chunks + lag; i++) {
    if (way >= 0 && i == PROBE) {
      note(p, way, th_now() - start);
      way = -1;
    }
    const bool streams = way < 0 ? p->streams : way;
    for (step s = POSTED; s <= TAKEN; s++) {
      if (s == FOLDED && !split) continue;
      const int64_t at = s == POSTED ? i : s == FOLDED ? i - 1 : i - lag;
      if (at < 0 || at >= chunks) continue;
      const th_chunk c = chunk_at(w, at, k, n, split, streams);
      TH_TRY(run(w, s, &c, base + (uint32_t)at));
    }
  }
  if (way >= 0) note(p, way, th_now() - start);
  w->g->chunks += (uint32_t)chunks;
  if (!split) th_follow(w->g, w->g->chunks);
  return TH_OK;
}

th_status th_collective(th_dist_work *w)
{
  const int size = w->g->size;
  const th_operation *kind = th_operation_of(w);
  const int64_t whole = w->notice.count;
  if (whole == 0 || w->notice.kind == TH_DIST_GROUP || th_is_on_device(&w->notice)) return th_announce(w);
  if (whole * w->es <= TH_SMALL) return small(w);
  TH_TRY(th_announce(w));
  if (w->ondevice) return TH_OK;
  const int64_t k = TH_CHUNK / w->es / (kind->in_parts ? size : 1);
  return pipeline(w, elements_of(w), k, kind->reduces && !kind->in_parts && size > 2);
}

const th_group_calls th_group_table = { th_collective, th_put_few, th_take_few, th_follow };
