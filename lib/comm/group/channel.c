/* channel.c - messages between ranks of a host: a ring of cells for each pair of ranks. A send ends
 * when its last cell is filled. So a message that fits into the ring neither waits for its receiver
 * nor learns that the receiver refused it. */
#include "group.h"

static int64_t cells_of(const th_notice *m, int es) { return m->count ? (m->count * es + TH_CELL - 1) / TH_CELL : 1; }

static th_status send(th_dist_work *w)
{
  th_dist *g = w->g;
  th_channel *c = th_channel_of(g->job, g->rank, w->notice.root);
  const int64_t per = TH_CELL / w->es, cells = cells_of(&w->notice, w->es);
  TH_TRY(th_reserve(g->job, c, sizeof *c));
  for (int64_t i = 0; i < cells; i++) {
    const uint32_t at = c->sent.value;
    const int64_t left = w->in.n - i * per;
    TH_TRY(th_await(w, &c->read, at - TH_CELLS + 1, w->notice.root));
    if (i == 0) c->notice[at % TH_CELLS] = w->notice;
    th_gather(c->cell[at % TH_CELLS], &w->in, w->es, i * per, left < per ? left : per);
    th_count_to(&c->sent, at + 1);
  }
  /* A message of more cells than the ring has: the receiver has read the first one. */
  if (cells <= TH_CELLS || __atomic_load_n(&c->refused, __ATOMIC_ACQUIRE) != w->notice.seq) return TH_OK;
  return th_fail_of(w, "rank %d wanted another message than these %lld %s elements", w->notice.root, (long long)w->notice.count,
                    th_dtype_name(w->notice.dtype));
}

/* A message that does not match is read to its end and dropped. */
static th_status recv(th_dist_work *w)
{
  th_dist *g = w->g;
  const int from = w->notice.root;
  th_channel *c = th_channel_of(g->job, from, g->rank);
  TH_TRY(th_await(w, &c->sent, c->read.value + 1, from));
  const th_notice m = c->notice[c->read.value % TH_CELLS];
  const bool right = m.dtype == w->notice.dtype && m.count == w->notice.count;
  const int es = (int)th_dtype_size(m.dtype);
  const int64_t per = TH_CELL / es, cells = cells_of(&m, es);
  if (!right) __atomic_store_n(&c->refused, m.seq, __ATOMIC_RELEASE);
  for (int64_t i = 0; i < cells; i++) {
    const uint32_t at = c->read.value;
    const int64_t left = m.count - i * per;
    TH_TRY(th_await(w, &c->sent, at + 1, from));
    if (right) th_scatter(&w->out, es, i * per, left < per ? left : per, c->cell[at % TH_CELLS]);
    th_count_to(&c->read, at + 1);
  }
  if (right) return TH_OK;
  return th_fail_of(w, "rank %d sends %lld %s elements, rank %d wants %lld %s elements", from, (long long)m.count,
                    th_dtype_name(m.dtype), g->rank, (long long)w->notice.count, th_dtype_name(w->notice.dtype));
}

th_status th_message(th_dist_work *w) { return w->notice.kind == TH_DIST_SEND ? send(w) : recv(w); }
