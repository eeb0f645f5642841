/* directory.c - the shared tensors of a host: where they lie in its memory, and which ranks have
 * opened them. In a job on several hosts the directory of rank 0's host is authoritative. The
 * others have the same entries at different addresses. A rank that changes directories
 * holds the lock of rank 0's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include "shards.h"
#include "../../core/storage.h"

enum { PAGE = 4096 };
static int64_t pages(int64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }
int64_t th_counter_bytes(const th_shared_entry *e) { return pages((2 * e->shards + e->counters) * (int64_t)sizeof(th_counter)); }

th_dist_work th_shared_work(th_dist *world, const char *what, double seconds)
{
  return (th_dist_work){ .g = world, .what = what, .seconds = seconds > 0 ? seconds : world->job->deadline,
                         .notice = { .kind = TH_DIST_SHARED } };
}

th_status th_shared_entry_same(const th_shared_entry *there, const th_shared_entry *e)
{
  const bool alike = there->dtype == e->dtype && there->count == e->count && there->shards == e->shards
                     && there->counters == e->counters;
  if (alike && there->form == e->form) return TH_OK;
  if (alike) {
    return th_fail(TH_EARG, "dist.shared: '%s' has other sizes or other shards, as created by rank %d", e->name,
                   there->maker);
  }
  return th_fail(TH_EARG, "dist.shared: '%s' has %lld %s elements in %d shards, as created by rank %d, not %lld %s elements in "
                 "%d", e->name, (long long)there->count, th_dtype_name(there->dtype), there->shards, there->maker,
                 (long long)e->count, th_dtype_name(e->dtype), e->shards);
}

int64_t th_shared_entry_bytes(const th_shared_entry *e)
{
  return th_counter_bytes(e) + pages(e->count * (int64_t)th_dtype_size(e->dtype));
}

/* The index for a new entry: the freed one with the least sufficient room, else a new one. With no
 * new one left it is a freed one that is too small; its old room holds no memory. */
static uint32_t place_for(const th_directory *d, int64_t bytes)
{
  uint32_t best = d->n;
  for (uint32_t i = 0; i < d->n; i++) {
    const th_shared_entry *e = &d->entry[i];
    if (*e->name || (d->n < TH_MAXSHARED && e->room < bytes)) continue;
    const bool fits = e->room >= bytes, had = best < d->n && d->entry[best].room >= bytes;
    if (best == d->n || (fits && (!had || e->room < d->entry[best].room))) best = i;
  }
  return best;
}

/* Frees the memory and the name of an entry that no rank uses any more. */
static void forget(const th_job *j, th_shared_entry *e)
{
  const int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  if (j->fd >= 0 && fallocate(j->fd, how, (off_t)e->at, (off_t)th_shared_entry_bytes(e)) != 0) e->room = 0; /* not zeroed */
  e->name[0] = 0;
  e->serial = 0;
}

/* Drops ranks whose processes have ended, except `who`, which is the caller. Frees the entry if no
 * rank is left. */
static void sweep(th_dist *world, int who, th_shared_entry *e)
{
  const th_job *j = world->job;
  const th_dist_work w = th_shared_work(world, "dist.shared", 0);
  for (int r = 0; r < j->size; r++) {
    const bool uses = e->users >> r & 1;
    if (uses && r != who && th_fault_of(&w, r, false) != TH_NO_FAULT) e->users &= ~(UINT64_C(1) << r);
  }
  if (!e->users) forget(j, e);
}

static void sweep_all(th_dist *world, int who, th_directory *d)
{
  for (uint32_t i = 0; i < d->n; i++) if (*d->entry[i].name) sweep(world, who, &d->entry[i]);
}

/* Memory for a new entry. In a job of one rank the tensor allocates it. */
static th_status make(th_dist *world, th_directory *d, th_shared_entry *e)
{
  const th_job *j = world->job;
  const int64_t bytes = th_shared_entry_bytes(e);
  uint32_t at = place_for(d, bytes);
  int why;
  if (at == TH_MAXSHARED) {
    sweep_all(world, e->maker, d);
    at = place_for(d, bytes);
  }
  if (at == TH_MAXSHARED) return th_fail(TH_EARG, "dist.shared: a job has at most %d names", TH_MAXSHARED);
  if (!d->end) d->end = (int64_t)j->bytes;
  const bool again = at < d->n && d->entry[at].room >= bytes;
  e->at = again ? d->entry[at].at : d->end;
  e->room = again ? d->entry[at].room : bytes;
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

static th_shared_entry *named(th_directory *d, const char *name)
{
  for (uint32_t i = 0; i < d->n; i++) if (strcmp(d->entry[i].name, name) == 0) return &d->entry[i];
  return NULL;
}

th_shared_entry *th_shared_entry_of(const th_job *j, uint32_t serial)
{
  th_directory *d = th_directory_of(j);
  for (uint32_t i = 0; serial && i < d->n; i++) {
    if (__atomic_load_n(&d->entry[i].serial, __ATOMIC_ACQUIRE) == serial) return &d->entry[i];
  }
  return NULL;
}

/* Finds or creates the entry of the name, and adds `who` to its users. */
th_status th_directory_open(th_dist *world, int who, th_shared_entry *e)
{
  th_directory *d = th_directory_of(world->job);
  th_shared_entry *there = named(d, e->name);
  if (there) sweep(world, who, there);
  if (there && *there->name) {
    TH_TRY(th_shared_entry_same(there, e));
    *e = *there;
  } else {
    e->maker = who;
    e->users = 0;
    e->serial = d->serial + 1 ? d->serial + 1 : 1;
    TH_TRY(make(world, d, e));
    d->serial = e->serial;
  }
  e->users |= UINT64_C(1) << who;
  th_shared_entry_of(world->job, e->serial)->users = e->users;
  return TH_OK;
}

/* Removes `who` from its users. */
void th_directory_leave(th_dist *world, int who, uint32_t serial)
{
  th_shared_entry *e = th_shared_entry_of(world->job, serial);
  if (!e) return;
  e->users &= ~(UINT64_C(1) << who);
  sweep(world, who, e);
}

int th_directory_live(const th_job *j, uint32_t *serial)
{
  const th_directory *d = th_directory_of(j);
  int n = 0;
  for (uint32_t i = 0; i < d->n; i++) if (*d->entry[i].name) serial[n++] = d->entry[i].serial;
  return n;
}

/* On a host other than rank 0's: frees entries that are not among the n live ones, and creates e's
 * unless e is NULL. */
th_status th_directory_follow(th_dist *world, const uint32_t *live, int n, const th_shared_entry *e)
{
  th_directory *d = th_directory_of(world->job);
  for (uint32_t i = 0; i < d->n; i++) {
    int k = 0;
    if (!*d->entry[i].name) continue;
    while (k < n && live[k] != d->entry[i].serial) k++;
    if (k == n) forget(world->job, &d->entry[i]);
  }
  if (!e || th_shared_entry_of(world->job, e->serial)) return TH_OK;
  th_shared_entry mine = *e;
  return make(world, d, &mine);
}
