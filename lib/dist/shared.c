/* shared.c - elements under a name in the job's memory, which grows for each: locks and counters first, then the elements. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "wire.h"
#include "../core/storage.h"

struct th_shared {
  th_shared  *next;
  th_dist    *world;
  th_entry    e;
  th_counter *counter;                  /* the shards' locks, their epochs, and the others */
  th_storage *elements;
};

enum { PAGE = 4096 };
static int64_t pages(int64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }
static int64_t counter_bytes(const th_entry *e) { return pages((2 * e->shards + e->counters) * (int64_t)sizeof(th_counter)); }

static th_dist_work work_of(th_dist *world, const char *what, double seconds)
{
  return (th_dist_work){ .g = world, .what = what, .seconds = seconds > 0 ? seconds : world->job->deadline,
                         .notice = { .kind = TH_DIST_SHARED } };
}

/* ---- opening ---- */

static th_status need_same(const th_entry *there, const th_entry *e)
{
  const bool alike = there->dtype == e->dtype && there->count == e->count && there->shards == e->shards
                     && there->counters == e->counters;
  if (alike && there->form == e->form) return TH_OK;
  if (there->dtype == e->dtype && there->count == e->count && there->shards == e->shards && there->counters == e->counters) {
    return th_fail(TH_EARG, "dist.shared: '%s' has other sizes, or shards that end elsewhere, as rank %d has made it", e->name,
                   there->maker);
  }
  return th_fail(TH_EARG, "dist.shared: '%s' has %lld %s elements in %d shards, as rank %d has made it, not %lld %s elements in "
                 "%d", e->name, (long long)there->count, th_dtype_name(there->dtype), there->shards, there->maker,
                 (long long)e->count, th_dtype_name(e->dtype), e->shards);
}

static int64_t all_bytes(const th_entry *e) { return counter_bytes(e) + pages(e->count * (int64_t)th_dtype_size(e->dtype)); }

/* A place for a new entry: one that was given back, the shortest that is long enough, or a new one. Places that were given back
 * are without memory, so one that is too short costs nothing. */
static uint32_t place_for(const th_directory *d, int64_t bytes)
{
  uint32_t best = d->n;
  for (uint32_t i = 0; i < d->n; i++) {
    const th_entry *e = &d->entry[i];
    if (*e->name || (d->n < TH_MAXSHARED && e->room < bytes)) continue;
    const bool fits = e->room >= bytes, had = best < d->n && d->entry[best].room >= bytes;
    if (best == d->n || (fits && (!had || e->room < d->entry[best].room))) best = i;
  }
  return best;
}

/* Frees the memory of an entry that nobody uses any more, and its name. */
static void forget(const th_job *j, th_entry *e)
{
  const int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  if (j->fd >= 0 && fallocate(j->fd, how, (off_t)e->at, (off_t)all_bytes(e)) != 0) e->room = 0;       /* not all zeros */
  e->name[0] = 0;
}

/* With the directory's lock held: those who have ended do not use the entry. The last one leaves no name and no memory. */
static void sweep(th_dist *world, th_entry *e)
{
  const th_job *j = world->job;
  const th_dist_work w = work_of(world, "dist.shared", 0);
  for (int r = 0; r < j->size; r++) {
    const bool uses = e->users >> r & 1;
    if (uses && r != j->rank && th_look_after(&w, r, false) != TH_NO_TROUBLE) e->users &= ~(UINT64_C(1) << r);
  }
  if (!e->users) forget(j, e);
}

static void sweep_all(th_dist *world, th_directory *d)
{
  for (uint32_t i = 0; i < d->n; i++) if (*d->entry[i].name) sweep(world, &d->entry[i]);
}

/* Memory for a new entry. A job of one rank has its own. */
static th_status make(th_dist *world, th_directory *d, th_entry *e)
{
  const th_job *j = world->job;
  const int64_t bytes = all_bytes(e);
  uint32_t at = place_for(d, bytes);
  int why;
  if (at == TH_MAXSHARED) {
    sweep_all(world, d);
    at = place_for(d, bytes);
  }
  if (at == TH_MAXSHARED) return th_fail(TH_EARG, "dist.shared: a job has at most %d names", TH_MAXSHARED);
  if (!d->end) d->end = (int64_t)j->bytes;
  const bool again = at < d->n && d->entry[at].room >= bytes;
  e->at = again ? d->entry[at].at : d->end;
  e->room = again ? d->entry[at].room : bytes;
  e->maker = j->rank;
  if (th_too_much(bytes)) return th_out_of_memory(bytes);
  if (j->fd >= 0) {
    do why = posix_fallocate(j->fd, e->at, bytes);
    while (why == EINTR);
    if (why) {
      return th_fail(TH_ENOMEM, "dist.shared: cannot reserve %lld bytes of shared memory for '%s': %s", (long long)bytes, e->name,
                     strerror(why));
    }
  }
  if (!again) d->end += bytes;
  if (at == d->n) d->n++;
  d->entry[at] = *e;
  return TH_OK;
}

static th_entry *named(th_directory *d, const char *name)
{
  for (uint32_t i = 0; i < d->n; i++) if (strcmp(d->entry[i].name, name) == 0) return &d->entry[i];
  return NULL;
}

/* The entry of the name, a new one if there is none. Directories are looked at one rank at a time. */
static th_status look_up(th_dist *world, th_entry *e)
{
  th_directory *d = th_directory_of(world->job);
  th_dist_work w = work_of(world, "dist.shared", 0);
  TH_TRY(th_reserve(world->job, d, sizeof *d));
  TH_TRY(th_take(&w, &d->lock));
  th_entry *there = named(d, e->name);
  if (there) sweep(world, there);
  if (there && !*there->name) there = NULL;
  const th_status s = there ? need_same(there, e) : make(world, d, e);
  if (s == TH_OK) {
    if (there) *e = *there;
    e->users |= UINT64_C(1) << world->job->rank;
    named(d, e->name)->users = e->users;
  }
  th_give(&d->lock);
  return s;
}

/* This rank does not use the entry any more. */
static th_status leave(const th_shared *s)
{
  th_dist_work w = work_of(s->world, "dist.shared", 0);
  th_directory *d = th_directory_of(s->world->job);
  TH_TRY(th_take(&w, &d->lock));
  th_entry *e = named(d, s->e.name);
  if (e) {
    e->users &= ~(UINT64_C(1) << s->world->job->rank);
    sweep(s->world, e);
  }
  th_give(&d->lock);
  return TH_OK;
}

static th_status map(th_shared *s, const th_job *j)
{
  char path[32];
  const int64_t bytes = counter_bytes(&s->e), es = (int64_t)th_dtype_size(s->e.dtype);
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

static th_status open_new(th_shared **out, th_dist *world, th_entry *e)
{
  th_shared *s = calloc(1, sizeof *s);
  if (!s) return th_fail(TH_ENOMEM, "dist.shared: no memory left");
  th_status status = look_up(world, e);
  s->world = world;
  s->e = *e;
  if (status == TH_OK) {
    status = map(s, world->job);
    if (status != TH_OK) {
      char why[512];
      snprintf(why, sizeof why, "%s", th_error());
      leave(s);                         /* says nothing new where it fails: then the job is broken */
      th_fail(status, "%s", why);
    }
  }
  if (status != TH_OK) {
    free(s);
    return status;
  }
  s->elements->pinned |= 1;             /* views of other types do not make it grow */
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
  if (!s->counter) return th_fail(TH_EARG, "dist.shared: this rank has given '%s' back", s->e.name);
  return need_rank();
}

static th_status need_room(const th_entry *e)
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

th_status th_shared_open(th_shared **s, th_storage **elements, th_dist *world, const char *name, int dtype, int64_t count,
                         int form, int shards, int counters)
{
  th_entry e = { .dtype = dtype, .form = form, .shards = shards, .counters = counters, .count = count };
  if (!*name || strlen(name) >= TH_SHARED_NAME) {
    return th_fail(TH_EARG, "dist.shared: a name has 1 to %d bytes, got %lld", TH_SHARED_NAME - 1, (long long)strlen(name));
  }
  strcpy(e.name, name);
  if (th_wire_hosts(world->job) > 1) {
    return th_fail(TH_EBACKEND, "dist.shared: '%s' needs all ranks on one host, this job has %d hosts", name,
                   th_wire_hosts(world->job));
  }
  TH_TRY(need_room(&e));
  th_shared *at = world->job->opened;
  while (at && strcmp(at->e.name, name) != 0) at = at->next;
  if (at) TH_TRY(need_same(&at->e, &e));
  else TH_TRY(open_new(&at, world, &e));
  th_storage_retain(at->elements);
  *elements = at->elements;
  *s = at;
  return TH_OK;
}

/* ---- giving back ---- */

th_status th_shared_close(th_shared *s)
{
  TH_TRY(need_open(s));
  for (int i = 0; i < s->e.shards; i++) {
    if (th_holds(s->world, s->counter + i)) {
      return th_fail(TH_EARG, "dist.shared '%s', close: this rank is at work on a shard", s->e.name);
    }
  }
  TH_TRY(leave(s));
  th_shared **at = &s->world->job->opened;
  while (*at != s) at = &(*at)->next;
  *at = s->next;
  munmap(s->counter, (size_t)counter_bytes(&s->e));
  th_storage_release(s->elements);      /* who holds a tensor of it keeps them */
  s->counter = NULL;
  s->elements = NULL;
  return TH_OK;
}

/* ---- shards and counters ---- */

static th_counter *counter_of(const th_shared *s, int i) { return s->counter + s->e.shards + i; }
static th_counter *numbered(const th_shared *s, int i)
{
  return counter_of(s, i < s->e.counters ? s->e.shards + i : i - s->e.counters);
}

static th_status need_shard(const th_shared *s, int shard, const char *what)
{
  if (shard < 0 || shard >= s->e.shards) {
    return th_fail(TH_EARG, "%s: shards lie in 1..%d, got %d", what, s->e.shards, shard + 1);
  }
  return need_open(s);
}

static th_status need_counter(const th_shared *s, int i)
{
  const int n = s->e.counters + s->e.shards;
  if (i < 0 || i >= n) return th_fail(TH_EARG, "dist.shared: counters of '%s' lie in 0..%d, got %d", s->e.name, n - 1, i);
  return need_open(s);
}

th_status th_shared_lock(th_shared *s, int shard, const char *what, double seconds)
{
  th_dist_work w = work_of(s->world, what, seconds);
  TH_TRY(need_shard(s, shard, what));
  return th_take(&w, s->counter + shard);
}

th_status th_shared_unlock(th_shared *s, int shard, int written)
{
  TH_TRY(need_shard(s, shard, "dist.shared"));
  if (!th_holds(s->world, s->counter + shard)) return th_fail(TH_EARG, "dist.shared: this rank has no lock to give back");
  if (written) th_count(counter_of(s, shard), 1);
  th_give(s->counter + shard);
  return TH_OK;
}

th_status th_shared_count(const th_shared *s, int i, uint32_t *value)
{
  TH_TRY(need_counter(s, i));
  *value = __atomic_load_n(&numbered(s, i)->value, __ATOMIC_ACQUIRE);
  return TH_OK;
}

th_status th_shared_add(th_shared *s, int i, uint32_t n)
{
  TH_TRY(need_counter(s, i));
  th_count(numbered(s, i), n);
  return TH_OK;
}

th_status th_shared_wait(th_shared *s, int i, uint32_t value, const char *what, int *there)
{
  th_dist_work w = work_of(s->world, what, 0);
  TH_TRY(need_counter(s, i));
  return th_await_moment(&w, numbered(s, i), value, there);
}

int th_shared_gone(const th_shared *s, int rank)
{
  const th_dist_work w = work_of(s->world, NULL, 0);
  if (rank < 0 || rank >= s->world->job->size) return 1;
  return th_look_after(&w, rank, false) != TH_NO_TROUBLE;
}

th_status th_shared_blame(th_shared *s, int rank, const char *what, double seconds)
{
  th_dist_work w = work_of(s->world, what, seconds);
  const int n = s->world->job->size;
  if (rank < 0 || rank >= n) return th_fail(TH_EARG, "%s: ranks lie in 0..%d, got %d", what, n - 1, rank);
  th_blame(&w, rank, th_look_after(&w, rank, true));
  return th_broken(&w);
}

th_status th_shared_fail(th_shared *s, const char *what, const char *why)
{
  th_dist_work w = work_of(s->world, what, 0);
  const int me = s->world->job->rank;
  th_break(s->world->job, me, "rank %d failed at work on a shard, which may be half written: %s", me, why);
  return th_broken(&w);
}
