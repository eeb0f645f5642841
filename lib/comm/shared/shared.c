/* shared.c - shared tensors in the memory of the job's hosts, which grows for each: locks and
 * counters first, then the elements. Ranks on the shard server's host use a shard in memory; others
 * send requests to the server. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "shards.h"

/* A shard, as this rank sees it: its server, and for a remote one whether this rank has
 * the lock, and the epoch. */
typedef struct shard_state { int32_t server; bool remote, held; uint32_t epoch; } shard_state;

struct th_shared {
  th_shared  *next;
  th_dist    *world;
  th_shared_entry e;                    /* as it lies on this host */
  th_counter *counter;                  /* the shards' locks, their epochs, then the counters */
  th_storage *elements;
  shard_state *shard;
  char        what[TH_SHARED_NAME + 32];        /* the action for error messages about counters */
};

/* ---- the directory of all hosts ---- */

static bool is_local(const th_job *j, int rank) { return th_host_of(j, rank) == th_host_of(j, j->rank); }

static int first_of(const th_job *j, int host)
{
  int r = 0;
  while (th_host_of(j, r) != host) r++;
  return r;
}

/* One rank at a time reads or changes directories. */
static th_status lock_directory(th_dist_work *w)
{
  th_job *j = w->g->job;
  th_directory *d = th_directory_of(j);
  uint32_t epoch;
  TH_TRY(th_reserve(j, d, sizeof *d));
  return is_local(j, 0) ? th_lock_take(w, &d->lock) : th_client_lock(w, 0, 0, 0, NULL, &epoch);
}

static th_status unlock_directory(th_dist_work *w, th_status s)
{
  th_job *j = w->g->job;
  char why[512] = "";
  if (s != TH_OK) snprintf(why, sizeof why, "%s", th_error());
  if (is_local(j, 0)) th_lock_release(&th_directory_of(j)->lock);
  else if (!__atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE)) TH_TRY(th_client_unlock(w, 0, 0, 0, false, NULL));
  return s == TH_OK ? TH_OK : th_fail(s, "%s", why);
}

/* Copies the directory of rank 0's host to all other hosts. */
static th_status follow(th_dist_work *w, th_shared_entry *e, uint32_t *live, int n)
{
  const th_job *j = w->g->job;
  for (int h = 0; h < j->hosts; h++) {
    if (h == th_host_of(j, 0)) continue;
    if (h == th_host_of(j, j->rank)) TH_TRY(th_directory_follow(w->g, live, n, e->serial ? e : NULL));
    else TH_TRY(th_client_directory(w, first_of(j, h), TH_ASK_FOLLOW, e, live, &n));
  }
  return TH_OK;
}

static th_status leave_locked(th_dist_work *w, uint32_t serial)
{
  const th_job *j = w->g->job;
  uint32_t live[TH_MAXSHARED];
  th_shared_entry e = { .serial = serial }, none = { .serial = 0 };
  int n;
  if (is_local(j, 0)) {
    th_directory_leave(w->g, j->rank, serial);
    n = th_directory_live(j, live);
  } else {
    TH_TRY(th_client_directory(w, 0, TH_ASK_LEAVE, &e, live, &n));
  }
  return follow(w, &none, live, n);
}

static th_status open_locked(th_dist_work *w, th_shared_entry *e)
{
  const th_job *j = w->g->job;
  uint32_t live[TH_MAXSHARED];
  int n;
  if (is_local(j, 0)) {
    TH_TRY(th_directory_open(w->g, j->rank, e));
    n = th_directory_live(j, live);
  } else {
    TH_TRY(th_client_directory(w, 0, TH_ASK_OPEN, e, live, &n));
  }
  const th_status s = follow(w, e, live, n);
  if (s != TH_OK) {                     /* a host that has no memory for it */
    char why[512];
    snprintf(why, sizeof why, "%s", th_error());
    leave_locked(w, e->serial);
    return th_fail(s, "%s", why);
  }
  *e = *th_shared_entry_of(j, e->serial);      /* its address on this host */
  return TH_OK;
}

/* Finds or creates the entry of the name. */
static th_status look_up(th_dist *world, th_shared_entry *e)
{
  th_dist_work w = th_shared_work(world, "dist.shared", 0);
  TH_TRY(lock_directory(&w));
  return unlock_directory(&w, open_locked(&w, e));
}

/* Removes this rank from the entry's users. */
static th_status leave(const th_shared *s)
{
  th_dist_work w = th_shared_work(s->world, "dist.shared", 0);
  TH_TRY(lock_directory(&w));
  return unlock_directory(&w, leave_locked(&w, s->e.serial));
}

/* ---- opening ---- */

static th_status map(th_shared *s, const th_job *j)
{
  char path[32];
  const int64_t bytes = th_counter_bytes(&s->e), es = (int64_t)th_dtype_size(s->e.dtype);
  const int flags = (j->fd < 0 ? MAP_ANONYMOUS : 0) | MAP_SHARED;
  void *p = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, flags, j->fd, j->fd < 0 ? 0 : (off_t)s->e.at);
  if (p == MAP_FAILED) return th_fail(TH_EIO, "dist.shared: cannot map '%s': %s", s->e.name, strerror(errno));
  s->counter = p;
  snprintf(path, sizeof path, "/proc/self/fd/%d", j->fd);
  const th_status status = j->fd < 0 ? th_storage_new(&s->elements, TH_CPU, s->e.dtype, s->e.count, 1)
                           : th_storage_map(&s->elements, s->e.dtype, path, (s->e.at + bytes) / es, s->e.count, TH_MAP_SHARED);
  if (status != TH_OK) munmap(p, (size_t)bytes);
  return status;
}

static void place(th_shared *s, const int32_t *server)
{
  const th_job *j = s->world->job;
  for (int i = 0; i < s->e.shards; i++) {
    const int r = server ? server[i] : i % j->size;
    s->shard[i] = (shard_state){ .server = r, .remote = !is_local(j, r) };
  }
}

static th_status open_new(th_shared **out, th_dist *world, th_shared_entry *e, const int32_t *server)
{
  th_shared *s = calloc(1, sizeof *s);
  if (s) s->shard = calloc((size_t)e->shards, sizeof *s->shard);
  if (!s || !s->shard) {
    free(s);
    return th_fail(TH_ENOMEM, "dist.shared: no memory left");
  }
  th_status status = look_up(world, e);
  s->world = world;
  s->e = *e;
  snprintf(s->what, sizeof s->what, "dist.shared '%s', counters", e->name);
  if (status == TH_OK) {
    status = map(s, world->job);
    if (status != TH_OK) {
      char why[512];
      snprintf(why, sizeof why, "%s", th_error());
      leave(s);                         /* its error is dropped: it fails only if the job is broken */
      th_fail(status, "%s", why);
    }
  }
  if (status != TH_OK) {
    free(s->shard);
    free(s);
    return status;
  }
  place(s, server);
  __atomic_or_fetch(&s->elements->pinned, 1, __ATOMIC_RELAXED);             /* so views of other types cannot resize it */
  s->next = world->job->opened;
  world->job->opened = s;
  *out = s;
  return TH_OK;
}

static th_status need_rank(void)
{
  return th_forked() ? th_fail(TH_EARG, "dist.shared: this process is a fork of a rank, not the rank itself") : TH_OK;
}

static th_status need_open(const th_shared *s)
{
  if (!s->counter) return th_fail(TH_EARG, "dist.shared: this rank has closed '%s'", s->e.name);
  return need_rank();
}

static th_status need_room(const th_shared_entry *e)
{
  const int64_t most = INT64_MAX / 64;
  if (e->count < 1 || e->count > most) return th_fail(TH_EARG, "dist.shared: it cannot have %lld elements", (long long)e->count);
  if (e->shards < 1 || e->shards > TH_SHARED_SHARDS) {
    return th_fail(TH_EARG, "dist.shared: shards must lie in 1..%d, got %d", TH_SHARED_SHARDS, e->shards);
  }
  if (e->counters < 0 || e->counters > TH_SHARED_COUNTERS) {
    return th_fail(TH_EARG, "dist.shared: counters must lie in 0..%d, got %d", TH_SHARED_COUNTERS, e->counters);
  }
  return need_rank();
}

static th_status need_servers(const th_shared_entry *e, const int32_t *server, int size)
{
  for (int i = 0; server && i < e->shards; i++) {
    if (server[i] < 0 || server[i] >= size) {
      return th_fail(TH_EARG, "dist.shared: keepers must lie in 0..%d, got %d", size - 1, server[i]);
    }
  }
  return TH_OK;
}

th_status th_shared_open(th_shared **s, th_storage **elements, th_dist *world, const char *name, int dtype, int64_t count,
                         int form, int shards, int counters, const int32_t *server)
{
  th_shared_entry e = { .dtype = dtype, .form = form, .shards = shards, .counters = counters, .count = count };
  if (!*name || strlen(name) >= TH_SHARED_NAME) {
    return th_fail(TH_EARG, "dist.shared: a name has 1 to %d bytes, got %lld", TH_SHARED_NAME - 1, (long long)strlen(name));
  }
  strcpy(e.name, name);
  TH_TRY(need_room(&e));
  TH_TRY(need_servers(&e, server, world->job->size));
  th_shared *at = world->job->opened;
  while (at && strcmp(at->e.name, name) != 0) at = at->next;
  if (at) TH_TRY(th_shared_entry_same(&at->e, &e));
  else TH_TRY(open_new(&at, world, &e, server));
  th_storage_retain(at->elements);
  *elements = at->elements;
  *s = at;
  return TH_OK;
}

/* ---- closing ---- */

static bool holds(const th_shared *s, int i)
{
  return s->shard[i].remote ? s->shard[i].held : th_lock_is_held(s->world, s->counter + i);
}

th_status th_shared_close(th_shared *s)
{
  TH_TRY(need_open(s));
  for (int i = 0; i < s->e.shards; i++) {
    if (holds(s, i)) return th_fail(TH_EARG, "dist.shared '%s', close: this rank holds the lock of a shard", s->e.name);
  }
  TH_TRY(leave(s));
  th_shared **at = &s->world->job->opened;
  while (*at != s) at = &(*at)->next;
  *at = s->next;
  munmap(s->counter, (size_t)th_counter_bytes(&s->e));
  th_storage_release(s->elements);      /* it lives on while a tensor uses it */
  s->counter = NULL;
  s->elements = NULL;
  return TH_OK;
}

/* ---- shards ---- */

static th_status need_shard(const th_shared *s, int shard, const char *what)
{
  if (shard < 0 || shard >= s->e.shards) {
    return th_fail(TH_EARG, "%s: shards lie in 1..%d, got %d", what, s->e.shards, shard + 1);
  }
  return need_open(s);
}

static th_status need_runs(const th_shared *s, const char *what, const int64_t *runs, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    const int64_t first = runs[2 * i], many = runs[2 * i + 1];
    if (first >= 0 && many > 0 && first < s->e.count && many <= s->e.count - first) continue;
    return th_fail(TH_EARG, "%s: it has no %lld elements from %lld on", what, (long long)many, (long long)first + 1);
  }
  return TH_OK;
}

/* Runs are pairs of integers, as Lua passes them. */
static th_part part_of(const th_shared *s, const int64_t *runs, int64_t n)
{
  return (th_part){ .run = (const th_extent *)(const void *)runs, .n = n, .elements = s->elements->data,
                    .es = (int)th_dtype_size(s->e.dtype) };
}

int th_shared_is_remote(const th_shared *s, int shard) { return shard >= 0 && shard < s->e.shards && s->shard[shard].remote; }

th_status th_shared_lock(th_shared *s, int shard, const char *what, double seconds, const int64_t *runs, int64_t n)
{
  th_dist_work w = th_shared_work(s->world, what, seconds);
  TH_TRY(need_shard(s, shard, what));
  TH_TRY(need_runs(s, what, runs, n));
  if (!s->shard[shard].remote) {
    w.server = s->shard[shard].server + 1;
    return th_lock_take(&w, s->counter + shard);
  }
  if (s->shard[shard].held) return th_fail(TH_EARG, "%s: this rank already holds the shard's lock", what);
  const th_part p = part_of(s, runs, n);
  TH_TRY(th_client_lock(&w, s->shard[shard].server, s->e.serial, shard, &p, &s->shard[shard].epoch));
  s->shard[shard].held = true;
  return TH_OK;
}

th_status th_shared_unlock(th_shared *s, int shard, const char *what, int written, const int64_t *runs, int64_t n)
{
  th_dist_work w = th_shared_work(s->world, what, 0);
  TH_TRY(need_shard(s, shard, what));
  TH_TRY(need_runs(s, what, runs, n));
  if (!holds(s, shard)) return th_fail(TH_EARG, "dist.shared: this rank does not hold the lock");
  if (s->shard[shard].remote) {
    const th_part p = part_of(s, runs, n);
    s->shard[shard].held = false;
    return th_client_unlock(&w, s->shard[shard].server, s->e.serial, shard, written != 0, &p);
  }
  if (written) th_count(s->counter + s->e.shards + shard, 1);
  th_lock_release(s->counter + shard);
  return TH_OK;
}

static th_status move(th_shared *s, int shard, const char *what, bool there, const int64_t *runs, int64_t n)
{
  th_dist_work w = th_shared_work(s->world, what, 0);
  TH_TRY(need_shard(s, shard, what));
  TH_TRY(need_runs(s, what, runs, n));
  if (!s->shard[shard].remote) return TH_OK;
  const th_part p = part_of(s, runs, n);
  return th_client_move(&w, s->shard[shard].server, s->e.serial, there, &p);
}

th_status th_shared_bring(th_shared *s, int shard, const char *what, const int64_t *runs, int64_t n)
{
  return move(s, shard, what, false, runs, n);
}

th_status th_shared_send(th_shared *s, int shard, const char *what, const int64_t *runs, int64_t n)
{
  return move(s, shard, what, true, runs, n);
}

/* ---- counters ---- */

/* The shard whose server holds counter i; epochs are numbered behind the counters. */
static shard_state *place_of(const th_shared *s, int i) { return &s->shard[i < s->e.counters ? 0 : i - s->e.counters]; }

static th_counter *numbered(const th_shared *s, int i)
{
  return s->counter + s->e.shards + (i < s->e.counters ? s->e.shards + i : i - s->e.counters);
}

static th_status need_counter(const th_shared *s, int i)
{
  const int n = s->e.counters + s->e.shards;
  if (i < 0 || i >= n) return th_fail(TH_EARG, "dist.shared: counters of '%s' lie in 0..%d, got %d", s->e.name, n - 1, i);
  return need_open(s);
}

/* How many of the n counters from i on the same server holds. */
static int beside(const th_shared *s, int i, int n)
{
  const int left = s->e.counters - i;
  return left < 1 ? 1 : left < n ? left : n;
}

th_status th_shared_count(th_shared *s, int i, int n, uint32_t *value)
{
  th_dist_work w = th_shared_work(s->world, s->what, 0);
  TH_TRY(need_counter(s, i));
  if (n < 1) return th_fail(TH_EARG, "dist.shared: how many counters must be at least 1, got %d", n);
  TH_TRY(need_counter(s, n > INT32_MAX - i ? INT32_MAX : i + n - 1));
  for (int m; n > 0; i += m, value += m, n -= m) {
    const shard_state *at = place_of(s, i);
    m = beside(s, i, n);
    if (!at->remote) for (int k = 0; k < m; k++) value[k] = __atomic_load_n(&numbered(s, i + k)->value, __ATOMIC_ACQUIRE);
    else if (at->held && i >= s->e.counters) *value = at->epoch;
    else TH_TRY(th_client_count(&w, at->server, s->e.serial, i, m, value));
  }
  return TH_OK;
}

th_status th_shared_add(th_shared *s, int i, uint32_t n)
{
  th_dist_work w = th_shared_work(s->world, s->what, 0);
  TH_TRY(need_counter(s, i));
  shard_state *at = place_of(s, i);
  if (!at->remote) {
    th_count(numbered(s, i), n);
    return TH_OK;
  }
  if (i >= s->e.counters) at->epoch += n;
  return th_client_add(&w, at->server, s->e.serial, i, n);
}

th_status th_shared_wait(th_shared *s, int i, uint32_t value, const char *what, int *there)
{
  th_dist_work w = th_shared_work(s->world, what, 0);
  TH_TRY(need_counter(s, i));
  const shard_state *at = place_of(s, i);
  if (at->remote) return th_client_wait(&w, at->server, s->e.serial, i, value, there);
  return th_await_moment(&w, numbered(s, i), value, there);
}

/* ---- ranks ---- */

int th_shared_gone(const th_shared *s, int rank)
{
  const th_dist_work w = th_shared_work(s->world, NULL, 0);
  if (rank < 0 || rank >= s->world->job->size) return 1;
  return th_fault_of(&w, rank, false) != TH_NO_FAULT;
}

th_status th_shared_blame(th_shared *s, int rank, const char *what, double seconds)
{
  th_dist_work w = th_shared_work(s->world, what, seconds);
  const int n = s->world->job->size;
  if (rank < 0 || rank >= n) return th_fail(TH_EARG, "%s: ranks lie in 0..%d, got %d", what, n - 1, rank);
  th_report_late(&w, rank, th_fault_of(&w, rank, true));
  return th_broken(&w);
}

th_status th_shared_fail(th_shared *s, const char *what, const char *why)
{
  th_dist_work w = th_shared_work(s->world, what, 0);
  const int me = s->world->job->rank;
  th_break(s->world->job, me, "rank %d failed while it wrote a shard, which may be half written: %s", me, why);
  return th_broken(&w);
}
