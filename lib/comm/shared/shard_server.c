/* shard_server.c - the shard server. It answers requests of ranks on other hosts for the shards
 * that this rank serves. It runs on the service thread, whatever the script does, and never blocks:
 * lock requests queue in FIFO order and get their reply when the lock is granted. It does not need
 * the script, which may not have opened the name, or may have ended. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "shards.h"
#include "shard_server.h"

enum { PLACES = 4, OWN_US = 50 };
static const double MOMENT = 0.02;      /* seconds that a request for a counter waits, and between checks of a holder */

/* The memory of a shared tensor, as mapped by this thread. */
typedef struct mapping {
  struct mapping *next;
  th_shared_entry e;
  char    *p;
  int64_t  bytes;
} mapping;

/* A request that waits. A rank sends one at a time, so there is one place for each rank. */
typedef struct waiting {
  bool        on;
  uint32_t    ticket;
  th_shard_request q;
  th_extent     *run;
  mapping    *m;
  uint32_t    seen;                     /* the lock's value; since when it has it; when its holder was last checked */
  double      since, looked;
} waiting;

typedef struct th_shard_server {
  th_dist   *world;
  char      *in[PLACES], *out;
  th_request r[PLACES];
  uint32_t   at, tickets;
  mapping   *maps;
  waiting    row[TH_MAXRANK];
  double     busy;
} th_shard_server;

/* ---- the shared tensors ---- */

static void drop_old(th_shard_server *k)
{
  for (mapping **at = &k->maps; *at;) {
    mapping *m = *at;
    if (th_shared_entry_of(k->world->job, m->e.serial)) {
      at = &m->next;
      continue;
    }
    *at = m->next;
    munmap(m->p, (size_t)m->bytes);
    free(m);
  }
}

static th_status find(th_shard_server *k, uint32_t serial, mapping **out)
{
  const th_job *j = k->world->job;
  for (*out = k->maps; *out; *out = (*out)->next) if ((*out)->e.serial == serial) return TH_OK;
  drop_old(k);
  const th_shared_entry *e = th_shared_entry_of(j, serial);
  if (!e) return th_fail(TH_EARG, "no rank has opened this name");
  mapping *m = calloc(1, sizeof *m);
  if (!m) return th_fail(TH_ENOMEM, "no memory left");
  m->e = *e;
  m->bytes = th_shared_entry_bytes(e);
  m->p = mmap(NULL, (size_t)m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, j->fd, (off_t)e->at);
  if (m->p == MAP_FAILED) {
    free(m);
    return th_fail(TH_EIO, "cannot map '%s': %s", e->name, strerror(errno));
  }
  m->next = k->maps;
  *out = k->maps = m;
  return TH_OK;
}

static th_counter *counters(const mapping *m) { return (th_counter *)(void *)m->p; }
static char *elements(const mapping *m) { return m->p + th_counter_bytes(&m->e); }
static int64_t element_bytes(const mapping *m) { return (int64_t)th_dtype_size(m->e.dtype); }

/* Counters by their numbers; in memory the epochs precede them. */
static th_counter *numbered(const mapping *m, int i)
{
  return counters(m) + m->e.shards + (i < m->e.counters ? m->e.shards + i : i - m->e.counters);
}

static th_status need_counters(const mapping *m, int first, int n)
{
  const bool there = first >= 0 && n >= 0 && n <= TH_VALUES && first <= m->e.counters + m->e.shards - n;
  return there ? TH_OK : th_fail(TH_EARG, "'%s' has no such counter", m->e.name);
}

static th_status need_runs(const mapping *m, const th_extent *run, int n, int64_t bytes)
{
  int64_t all = 0;
  bool there = n >= 0 && n <= TH_RUNS;
  for (int i = 0; there && i < n; i++) {
    there = run[i].first >= 0 && run[i].n > 0 && run[i].first < m->e.count && run[i].n <= m->e.count - run[i].first;
    all += there ? run[i].n : 0;
  }
  there = there && all <= TH_PART / element_bytes(m) && all * element_bytes(m) == bytes;
  return there ? TH_OK : th_fail(TH_EARG, "'%s' has no such elements", m->e.name);
}

/* ---- replies ---- */

/* Sends a reply, with the bytes that lie behind it in `out`. */
static th_status tell(th_shard_server *k, const th_shard_request *q, th_shard_reply t)
{
  t.number = q->number;
  memcpy(k->out, &t, sizeof t);
  return th_net_send_copy(k->world->job, q->from, TH_TAG_SHARD_REPLY, k->out, (int64_t)sizeof t + t.bytes);
}

static char *behind(th_shard_server *k) { return k->out + sizeof(th_shard_reply); }

static th_status tell_failure(th_shard_server *k, const th_shard_request *q, th_status s)
{
  const int n = snprintf(behind(k), 512, "%s", th_error());
  return tell(k, q, (th_shard_reply){ .status = s, .holder = -1, .bytes = n < 511 ? n + 1 : 512 });
}

static th_status tell_elements(th_shard_server *k, const th_shard_request *q, const mapping *m, const th_extent *run,
                               uint32_t value)
{
  char *to = behind(k);
  for (int i = 0; i < q->n; i++) {
    const size_t bytes = (size_t)(run[i].n * element_bytes(m));
    memcpy(to, elements(m) + run[i].first * element_bytes(m), bytes);
    to += bytes;
  }
  return tell(k, q, (th_shard_reply){ .value = value, .bytes = q->bytes });
}

static void write_elements(const th_shard_request *q, const mapping *m, const th_extent *run)
{
  const char *from = (const char *)(run + q->n);
  for (int i = 0; i < q->n; i++) {
    const size_t bytes = (size_t)(run[i].n * element_bytes(m));
    memcpy(elements(m) + run[i].first * element_bytes(m), from, bytes);
    from += bytes;
  }
}

/* ---- locks ---- */

static th_counter *lock_of(const th_shard_server *k, const mapping *m, int shard)
{
  return m ? counters(m) + shard : &th_directory_of(k->world->job)->lock;
}

static th_status need_lock(th_shard_server *k, const th_shard_request *q, mapping **m)
{
  th_directory *d = th_directory_of(k->world->job);
  *m = NULL;
  if (!q->serial) return th_reserve(k->world->job, d, sizeof *d);
  TH_TRY(find(k, q->serial, m));
  return q->shard >= 0 && q->shard < (*m)->e.shards ? TH_OK : th_fail(TH_EARG, "'%s' has no such shard", (*m)->e.name);
}

/* Tries to take the lock; *done: it was taken, and the reply is sent. */
static th_status grant(th_shard_server *k, const th_shard_request *q, const mapping *m, const th_extent *run, uint32_t *seen,
                       bool *done)
{
  th_counter *lock = lock_of(k, m, q->shard);
  *done = th_lock_try(lock, q->from, seen);
  if (!*done) return TH_OK;
  k->busy = th_now();
  if (!m) return tell(k, q, (th_shard_reply){ .value = 0 });
  return tell_elements(k, q, m, run, __atomic_load_n(&counters(m)[m->e.shards + q->shard].value, __ATOMIC_ACQUIRE));
}

static th_status lock(th_shard_server *k, const th_shard_request *q, const th_extent *run)
{
  mapping *m;
  bool done = false;
  uint32_t seen;
  TH_TRY(need_lock(k, q, &m));
  if (m) TH_TRY(need_runs(m, run, q->n, q->bytes));
  else if (q->n || q->bytes) return th_fail(TH_EARG, "the directory has no elements");
  th_counter *at = lock_of(k, m, q->shard);
  if (!__atomic_load_n(&at->wanted, __ATOMIC_ACQUIRE)) TH_TRY(grant(k, q, m, run, &seen, &done));     /* the queue is empty */
  if (done) return TH_OK;
  waiting *w = &k->row[q->from];
  th_extent *kept = malloc((size_t)(q->n + 1) * sizeof *kept);
  if (!kept) return th_fail(TH_ENOMEM, "no memory left");
  memcpy(kept, run, (size_t)q->n * sizeof *kept);
  const double now = th_now();
  *w = (waiting){ .on = true, .ticket = k->tickets++, .q = *q, .run = kept, .m = m, .seen = __atomic_load_n(&at->value,
                  __ATOMIC_ACQUIRE), .since = now, .looked = now };
  __atomic_add_fetch(&at->wanted, 1, __ATOMIC_ACQ_REL);
  return TH_OK;
}

static th_status unlock(th_shard_server *k, const th_shard_request *q, const th_extent *run)
{
  mapping *m;
  TH_TRY(need_lock(k, q, &m));
  th_counter *at = lock_of(k, m, q->shard);
  if (th_lock_holder(__atomic_load_n(&at->value, __ATOMIC_ACQUIRE)) != q->from) {
    return th_fail(TH_EARG, "this rank does not hold the lock");
  }
  if (m) {
    TH_TRY(need_runs(m, run, q->n, q->bytes));
    write_elements(q, m, run);
    if (q->value) th_count(counters(m) + m->e.shards + q->shard, 1);
  }
  th_lock_release(at);
  return tell(k, q, (th_shard_reply){ .value = 0 });
}

static void leave_queue(th_shard_server *k, waiting *w)
{
  if (w->q.kind == TH_ASK_LOCK) __atomic_sub_fetch(&lock_of(k, w->m, w->q.shard)->wanted, 1, __ATOMIC_ACQ_REL);
  free(w->run);
  w->run = NULL;
  w->on = false;
}

/* The timeout is for one holder. A holder on this host, or one that has left, is reported here. A
 * holder on another host would have to be pinged, and this thread would wait for itself. So the
 * waiting rank gets a reply that the holder is late, and pings it. */
static th_status look_at_holder(th_shard_server *k, waiting *w, uint32_t seen)
{
  th_job *j = k->world->job;
  const double now = th_now();
  const int holder = th_lock_holder(seen);
  if (seen != w->seen) w->since = now;
  w->seen = seen;
  if (now - w->looked < MOMENT || holder < 0) return TH_OK;
  w->looked = now;
  th_dist_work work = th_shared_work(k->world, "dist.shared", w->q.seconds);
  const th_fault t = th_fault_of(&work, holder, now - w->since > w->q.seconds);
  if (t == TH_NO_FAULT) return TH_OK;
  if (t != TH_IS_LATE || th_host_of(j, holder) == th_host_of(j, j->rank)) {
    th_blame(&work, holder, t == TH_IS_LATE ? TH_IS_HOLDING : t);
    return TH_OK;
  }
  const th_shard_request q = w->q;
  leave_queue(k, w);
  return tell(k, &q, (th_shard_reply){ .status = TH_EBACKEND, .holder = holder });
}

/* ---- waiting requests ---- */

static bool has_come(const mapping *m, const th_shard_request *q)
{
  return (int32_t)(__atomic_load_n(&numbered(m, q->shard)->value, __ATOMIC_ACQUIRE) - q->value) >= 0;
}

static th_status serve_waiting(th_shard_server *k, waiting *w)
{
  if (w->q.kind == TH_ASK_WAIT) {
    const bool come = has_come(w->m, &w->q);
    if (!come && th_now() - w->since < MOMENT) return TH_OK;
    leave_queue(k, w);
    return tell(k, &w->q, (th_shard_reply){ .value = come });
  }
  bool done;
  uint32_t seen;
  TH_TRY(grant(k, &w->q, w->m, w->run, &seen, &done));
  if (!done) return look_at_holder(k, w, seen);
  leave_queue(k, w);
  return TH_OK;
}

/* In the order of arrival. */
static th_status serve_queue(th_shard_server *k)
{
  waiting *row[TH_MAXRANK];
  int n = 0;
  for (int r = 0; r < k->world->size; r++) {
    waiting *w = &k->row[r];
    int i = n;
    if (!w->on) continue;
    for (n++; i > 0 && (int32_t)(row[i - 1]->ticket - w->ticket) > 0; i--) row[i] = row[i - 1];
    row[i] = w;
  }
  for (int i = 0; i < n; i++) TH_TRY(serve_waiting(k, row[i]));
  return TH_OK;
}

/* ---- requests ---- */

static th_status count(th_shard_server *k, const th_shard_request *q, const mapping *m)
{
  TH_TRY(need_counters(m, q->shard, q->n));
  for (int i = 0; i < q->n; i++) {
    const uint32_t value = __atomic_load_n(&numbered(m, q->shard + i)->value, __ATOMIC_ACQUIRE);
    memcpy(behind(k) + (size_t)i * sizeof value, &value, sizeof value);
  }
  return tell(k, q, (th_shard_reply){ .bytes = q->n * (int64_t)sizeof(uint32_t) });
}

static th_status wait_for(th_shard_server *k, const th_shard_request *q, mapping *m)
{
  TH_TRY(need_counters(m, q->shard, 1));
  if (has_come(m, q)) return tell(k, q, (th_shard_reply){ .value = 1 });
  k->row[q->from] = (waiting){ .on = true, .ticket = k->tickets++, .q = *q, .m = m, .since = th_now() };
  return TH_OK;
}

static th_status add(th_shard_server *k, const th_shard_request *q, const mapping *m)
{
  TH_TRY(need_counters(m, q->shard, 1));
  th_count(numbered(m, q->shard), q->value);
  return tell(k, q, (th_shard_reply){ .value = 0 });
}

/* OPEN and LEAVE go to rank 0, FOLLOW to the first rank of another host. The sender holds rank 0's
 * lock. */
static th_status directory(th_shard_server *k, const th_shard_request *q, const char *data)
{
  th_job *j = k->world->job;
  th_directory *d = th_directory_of(j);
  uint32_t live[TH_MAXSHARED];
  th_shared_entry e;
  th_shard_reply t = { .value = 0 };
  memcpy(&e, data, sizeof e);
  e.name[TH_SHARED_NAME - 1] = 0;
  TH_TRY(th_reserve(j, d, sizeof *d));
  if (q->kind == TH_ASK_FOLLOW) {
    if (q->n < 0 || q->n > TH_MAXSHARED) return th_fail(TH_EARG, "no job has so many names");
    memcpy(live, data + sizeof e, (size_t)q->n * sizeof *live);
    TH_TRY(th_directory_follow(k->world, live, q->n, e.serial ? &e : NULL));
    return tell(k, q, t);
  }
  if (q->kind == TH_ASK_OPEN) TH_TRY(th_directory_open(k->world, q->from, &e));
  else th_directory_leave(k->world, q->from, q->serial);
  t.n = th_directory_live(j, live);
  memcpy(behind(k), &e, sizeof e);
  memcpy(behind(k) + sizeof e, live, (size_t)t.n * sizeof *live);
  t.bytes = (int64_t)(sizeof e + (size_t)t.n * sizeof *live);
  return tell(k, q, t);
}

static th_status answer(th_shard_server *k, const th_shard_request *q, char *data)
{
  th_extent *run = (th_extent *)(void *)data;
  mapping *m;
  if (q->kind == TH_ASK_LOCK) return lock(k, q, run);
  if (q->kind == TH_ASK_UNLOCK) return unlock(k, q, run);
  if (q->kind >= TH_ASK_OPEN) return directory(k, q, data);
  TH_TRY(find(k, q->serial, &m));
  if (q->kind == TH_ASK_COUNT) return count(k, q, m);
  if (q->kind == TH_ASK_ADD) return add(k, q, m);
  if (q->kind == TH_ASK_WAIT) return wait_for(k, q, m);
  TH_TRY(need_runs(m, run, q->n, q->bytes));
  if (q->kind == TH_ASK_READ) return tell_elements(k, q, m, run, 0);
  write_elements(q, m, run);
  return tell(k, q, (th_shard_reply){ .value = 0 });
}

/* ---- the thread ---- */

static th_status listen_at(th_shard_server *k, uint32_t i)
{
  return th_mpi_recv(k->in[i], TH_REQUEST_BYTES, -1, TH_TAG_SHARD_REQUEST, &k->r[i]);
}

static th_status tick(void *arg)
{
  th_shard_server *k = arg;
  int done, n = 1;
  const th_job_head *h = k->world->job->head;
  while (n) {
    const uint32_t i = k->at % PLACES;              /* requests arrive at the places in turn */
    th_shard_request q;
    TH_TRY(th_mpi_test(&k->r[i], 1, &done, &n));
    if (!n) break;
    memcpy(&q, k->in[i], sizeof q);
    k->busy = th_now();
    if (q.from >= 0 && q.from < k->world->size && !k->row[q.from].on) {
      const th_status s = answer(k, &q, k->in[i] + sizeof q);
      if (s != TH_OK) TH_TRY(tell_failure(k, &q, s));
    }
    TH_TRY(listen_at(k, i));
    k->at++;
  }
  return __atomic_load_n(&h->broken, __ATOMIC_ACQUIRE) ? TH_OK : serve_queue(k);
}

static int rest(const void *arg, int us)
{
  const th_shard_server *k = arg;
  const double idle = th_now() - k->busy;
  const int least = idle < 5e-3 ? OWN_US : idle < 0.1 ? 4 * OWN_US : idle < 2 ? 20 * OWN_US : us;
  return least < us ? least : us;
}

th_status th_shard_service(th_service *s, th_dist *world)
{
  th_shard_server *k = calloc(1, sizeof *k);
  bool whole = k && (k->out = malloc(TH_REPLY_BYTES));
  for (int i = 0; whole && i < PLACES; i++) whole = (k->in[i] = malloc(TH_REQUEST_BYTES)) != NULL;
  if (!whole) return th_fail(TH_ENOMEM, "dist.init: no memory left");           /* the process ends, so nothing is freed */
  k->world = world;
  for (uint32_t i = 0; i < PLACES; i++) TH_TRY(listen_at(k, i));
  *s = (th_service){ k, tick, rest };
  return TH_OK;
}
