/* job.c - joining and leaving a job, and the report when a rank is missing. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../../core/environment.h"
#include "group.h"
#include "../net/net.h"

static const char *const words[] = { "barrier", "allreduce", "reduce", "broadcast", "allgather", "reducescatter", "alltoall",
                                     "send", "recv", "group", "init", "shared", "group:close" };

const char *th_dist_word(int kind) { return words[kind]; }

/* ---- the layout of the shared memory ---- */

enum { PAGE = 4096 };

static size_t pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }
static size_t head_bytes(void) { return pages(sizeof(th_job_head)); }
static size_t group_bytes(int size) { return pages(sizeof(th_desk) * (size_t)size); }
static size_t directory_at(int size)
{
  return head_bytes() + TH_MAXGROUP * group_bytes(size) + pages(sizeof(th_channel)) * (size_t)size * (size_t)size;
}
static size_t all_bytes(int size) { return directory_at(size) + pages(sizeof(th_directory)); }

th_directory *th_directory_of(const th_job *j)
{
  return (th_directory *)(void *)((char *)j->head + directory_at(j->size));
}

th_desk *th_desks_of(const th_job *j, int group)
{
  return (th_desk *)(void *)((char *)j->head + head_bytes() + (size_t)group * group_bytes(j->size));
}

th_channel *th_channel_of(const th_job *j, int from, int to)
{
  char *first = (char *)th_desks_of(j, TH_MAXGROUP);
  return (th_channel *)(void *)(first + pages(sizeof(th_channel)) * (size_t)(from * j->size + to));
}

/* Allocates pages of shared memory now: if it is full, this is an error here instead of a signal at
 * the first write. */
th_status th_reserve(const th_job *j, const void *p, size_t bytes)
{
  if (j->fd < 0) return TH_OK;
  int why;
  do why = posix_fallocate(j->fd, (const char *)p - (const char *)j->head, (off_t)bytes);
  while (why == EINTR);
  return why ? th_fail(TH_ENOMEM, "cannot reserve %lld bytes of shared memory: %s", (long long)bytes, strerror(why)) : TH_OK;
}

/* ---- processes ---- */

uint64_t th_birth(int pid, char *state)
{
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || errno == ESRCH || kill(pid, 0) != 0 ? 0 : TH_UNKNOWN;    /* out of descriptors */
  const ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  const char *at = strrchr(text, ')');              /* the command name before it may contain anything */
  if (!at || !at[1]) return 0;
  at += 2;
  *state = *at;
  for (int field = 3; field < 22 && at; field++) {
    at = strchr(at, ' ');
    if (at) at++;
  }
  return at && *state != 'Z' && *state != 'X' ? strtoull(at, NULL, 10) + 1 : 0;
}

void th_break(th_job *j, int culprit, const char *fmt, ...)
{
  uint32_t whole = 0;
  th_job_head *h = j->head;
  if (!__atomic_compare_exchange_n(&h->broken, &whole, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(h->why, sizeof h->why, fmt, ap);
  va_end(ap);
  h->culprit = culprit;
  __atomic_store_n(&h->broken, 2, __ATOMIC_RELEASE);
}

/* A failure of this rank alone breaks the job, because the other ranks would match its next
 * operation with this one. */
th_status th_break_for(th_job *j, th_status s)
{
  if (s != TH_OK) th_break(j, j->rank, "rank %d failed: %s", j->rank, th_error());
  return s;
}

th_status th_fail_of(const th_dist_work *w, const char *fmt, ...)
{
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (w->whole) w = w->whole;
  const char *word = th_dist_word(w->notice.kind);
  if (w->what) return th_fail(TH_EBACKEND, "%s: %s", w->what, text);
  if (w->notice.kind == TH_DIST_INIT) return th_fail(TH_EBACKEND, "dist.init: %s", text);
  if (w->g->id) return th_fail(TH_EBACKEND, "dist.%s, operation %u of group %d: %s", word, w->notice.seq, w->g->id, text);
  return th_fail(TH_EBACKEND, "dist.%s, operation %u: %s", word, w->notice.seq, text);
}

th_status th_broken(th_dist_work *w)
{
  const th_job_head *h = w->g->job->head;
  const struct timespec moment = { 0, 100000 };
  for (int i = 0; i < 1000 && __atomic_load_n(&h->broken, __ATOMIC_ACQUIRE) < 2; i++) nanosleep(&moment, NULL);
  return th_fail_of(w, "%.*s", TH_WHY, h->why);
}

/* What a late rank is doing, as far as its process and its announcements show. */
static void describe(char *text, size_t n, const th_dist *g, int who, char state)
{
  const th_seat *seat = &g->job->head->seat[who];
  int at = 0;
  while (at < g->size && g->world[at] != who) at++;
  const th_desk *d = at < g->size ? &g->desk[at] : NULL;
  const uint32_t even = d ? __atomic_load_n(&d->call[0].called.value, __ATOMIC_ACQUIRE) : 0;
  const uint32_t odd = d ? __atomic_load_n(&d->call[1].called.value, __ATOMIC_ACQUIRE) : 0;
  const uint32_t calls = (int32_t)(even - odd) > 0 ? even : odd;
  if (state == 'T' || state == 't') {
    snprintf(text, n, "its process %d is stopped", seat->pid);
  } else if (calls) {
    const th_notice *last = &d->call[calls & 1].with.notice;
    snprintf(text, n, "its process %d lives; its last operation was %s, number %u", seat->pid, th_dist_word(last->kind),
             last->seq);
  } else {
    snprintf(text, n, "its process %d lives and has begun no operation", seat->pid);
  }
}

th_trouble th_look_after(const th_dist_work *w, int who, bool late)
{
  const th_seat *seat = &w->g->job->head->seat[who];
  const uint32_t there = __atomic_load_n(&seat->state, __ATOMIC_ACQUIRE);
  char state;
  if (there == TH_SEAT_LEFT) return TH_HAS_LEFT;
  const uint64_t born = there == TH_SEAT_TAKEN ? th_birth(seat->pid, &state) : TH_UNKNOWN;
  if (born != TH_UNKNOWN && born != seat->born) {
    return __atomic_load_n(&seat->state, __ATOMIC_ACQUIRE) == TH_SEAT_LEFT ? TH_HAS_LEFT : TH_IS_GONE;
  }
  return late ? TH_IS_LATE : TH_NO_TROUBLE;
}

void th_blame(th_dist_work *w, int who, th_trouble t)
{
  th_job *j = w->g->job;
  const th_seat *seat = &j->head->seat[who];
  char state = 0, text[160];
  if ((t == TH_IS_LATE || t == TH_IS_HOLDING) && th_wire_host(j, who) != th_wire_host(j, j->rank)) {
    const char *does = t == TH_IS_LATE ? "did not come within" : "has held the shard for";
    th_break(j, who, "rank %d %s %g s: its process lives", who, does, w->seconds);
  } else if (t == TH_HAS_LEFT) {
    th_break(j, who, "rank %d has left the job: its script has ended", who);
  } else if (t == TH_IS_GONE) {
    th_break(j, who, "rank %d is gone: its process %d was killed or has crashed", who, seat->pid);
  } else if (__atomic_load_n(&seat->state, __ATOMIC_ACQUIRE) == TH_SEAT_EMPTY) {
    th_break(j, who, "rank %d did not come within %g s: it never joined the job", who, w->seconds);
  } else {
    th_birth(seat->pid, &state);
    describe(text, sizeof text, w->g, who, state);
    if (t == TH_IS_HOLDING) th_break(j, who, "rank %d has held the shard for %g s: %s", who, w->seconds, text);
    else th_break(j, who, "rank %d did not come within %g s: %s", who, w->seconds, text);
  }
}

/* ---- groups ---- */

static void lane_init(th_lane *l)
{
  pthread_mutex_init(&l->lock, NULL);
  pthread_cond_init(&l->turn, NULL);
}

th_status th_dist_new(th_dist **out, th_job *j, int id, const int32_t *world, int n)
{
  th_dist *g = calloc(1, sizeof *g + (id ? 0 : 2 * (size_t)j->size * sizeof(th_lane)));
  if (!g) return th_fail(TH_ENOMEM, "dist: no memory left");
  g->job = j;
  g->id = id;
  g->size = n;
  g->rank = -1;
  for (int i = 0; i < n; i++) {
    g->world[i] = world[i];
    if (world[i] == j->rank) g->rank = i;
  }
  g->desk = th_desks_of(j, id);
  lane_init(&g->lane);
  if (!id) {
    g->to = (th_lane *)(void *)(g + 1);
    g->from = g->to + j->size;
    for (int i = 0; i < 2 * j->size; i++) lane_init(&g->to[i]);
  }
  *out = g;
  return TH_OK;
}

static void lane_end(th_lane *l)
{
  pthread_cond_destroy(&l->turn);
  pthread_mutex_destroy(&l->lock);
}

void th_dist_forget(th_dist *g)
{
  th_device_close(g);
  if (g->between) th_between_forget(g);
  lane_end(&g->lane);
  free(g);
}

/* This memory stays allocated until the process ends: operations that were started and never waited
 * for may still use it. The list keeps it reachable, so that leak checkers do not report it. */
static th_dist *left;

void th_dist_leave(th_dist *g, int failed)
{
  g->before = left;
  left = g;
  if (th_forked()) return;                          /* a child that ends is not the rank */
  __atomic_store_n(&g->job->head->seat[g->job->rank].state, TH_SEAT_LEFT, __ATOMIC_RELEASE);
  if (g->job->wire) th_wire_leave(g->job, failed != 0);
}

/* ---- joining ---- */

static int forked;
static void note_fork(void) { forked = 1; }
bool th_forked(void) { return forked; }


/* Opens memory by name. The first rank creates it, and replaces what a job of the same name has
 * left behind. */
static int open_named(const char *name, bool first)
{
  if (first) {
    shm_unlink(name);
    return shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }
  return shm_open(name, O_RDWR | O_CLOEXEC, 0);
}

/* Whether memory found by name belongs to this user and to a job whose first rank lives. */
static bool is_fresh(int fd, int first)
{
  struct stat st;
  char state;
  if (fstat(fd, &st) != 0 || st.st_uid != geteuid() || st.st_size < (off_t)sizeof(th_job_head)) return false;
  th_job_head *h = mmap(NULL, sizeof *h, PROT_READ, MAP_SHARED, fd, 0);
  if (h == MAP_FAILED) return false;
  const bool fresh = __atomic_load_n(&h->ready, __ATOMIC_ACQUIRE) && th_birth(h->seat[first].pid, &state) == h->seat[first].born;
  munmap(h, sizeof *h);
  return fresh;
}

static th_status find(int *fd, const char *name, const th_job *j, double until)
{
  const struct timespec moment = { 0, 2000000 };
  for (;;) {
    *fd = open_named(name, j->local == 0);
    if (*fd >= 0 && (j->local == 0 || is_fresh(*fd, j->first))) return TH_OK;
    if (*fd >= 0) close(*fd);
    else if (errno != ENOENT) return th_fail(TH_EIO, "dist.init: cannot open shared memory %s: %s", name, strerror(errno));
    if (th_now() > until) {
      return th_fail(TH_EBACKEND, "dist.init: rank %d did not come within %g s: it never joined the job", j->first, j->deadline);
    }
    if (th_interrupted()) return th_fail(TH_EINTR, "interrupted");
    nanosleep(&moment, NULL);
  }
}

static th_status map(th_job *j, int fd)
{
  struct stat st;
  j->bytes = all_bytes(j->size);
  if (fd >= 0 && (fstat(fd, &st) != 0 || (st.st_size < (off_t)j->bytes && ftruncate(fd, (off_t)j->bytes) != 0))) {
    return th_fail(TH_EIO, "dist.init: cannot make shared memory of %lld bytes: %s", (long long)j->bytes, strerror(errno));
  }
  void *p = mmap(NULL, j->bytes, PROT_READ | PROT_WRITE, (fd < 0 ? MAP_ANONYMOUS : 0) | MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (p == MAP_FAILED) return th_fail(TH_EIO, "dist.init: cannot map the job's memory: %s", strerror(errno));
  j->head = p;
  if (fd >= 0) {
    const int flags = fcntl(fd, F_GETFD);
    if (flags >= 0) fcntl(fd, F_SETFD, flags | FD_CLOEXEC);         /* programs that the script starts are not ranks */
  }
  j->fd = fd;
  return TH_OK;
}

/* Registers this rank, and waits until all ranks of this host are registered. */
static th_status sit(th_dist_work *w, const char *secret)
{
  th_job *j = w->g->job;
  th_job_head *h = j->head;
  th_seat *seat = &h->seat[j->rank];
  char state;
  seat->pid = j->pid;
  seat->born = th_birth(j->pid, &state);
  if (seat->born == TH_UNKNOWN) return th_fail(TH_EIO, "dist.init: cannot read /proc/%d/stat: %s", j->pid, strerror(errno));
  if (j->local == 0) {
    h->size = (uint32_t)j->size;
    snprintf(h->secret, sizeof h->secret, "%s", secret);
    __atomic_store_n(&h->ready, 1, __ATOMIC_RELEASE);
  }
  TH_TRY(th_await_word(w, &h->ready, 1, j->first));
  if (strncmp(h->secret, secret, sizeof h->secret - 1) != 0) return th_fail(TH_EARG, "dist.init: this is not the job's secret");
  if (h->size != (uint32_t)j->size) {
    return th_fail(TH_EARG, "dist.init: the job has %u ranks, rank %d says %d", h->size, j->rank, j->size);
  }
  uint32_t empty = TH_SEAT_EMPTY;
  if (!__atomic_compare_exchange_n(&seat->state, &empty, TH_SEAT_TAKEN, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return th_fail(TH_EARG, "dist.init: rank %d is taken already", j->rank);
  }
  for (int r = 0; r < j->size; r++) {
    if (th_wire_host(j, r) == th_wire_host(j, j->rank)) TH_TRY(th_await_word(w, &h->seat[r].state, TH_SEAT_TAKEN, r));
  }
  return TH_OK;
}

static th_status join(th_dist **g, th_job *j, int fd, const char *name, const char *secret)
{
  const double until = th_now() + j->deadline;
  int32_t world[TH_MAXRANK];
  for (int r = 0; r < j->size; r++) world[r] = r;
  if (name) TH_TRY(find(&fd, name, j, until));
  TH_TRY(map(j, fd));
  TH_TRY(th_dist_new(g, j, 0, world, j->size));
  th_dist_work w = { .g = *g, .until = until, .seconds = j->deadline, .notice = { .kind = TH_DIST_INIT } };
  th_status s = th_reserve(j, j->head, head_bytes() + group_bytes(j->size));
  if (s == TH_OK) s = sit(&w, secret);
  if (s == TH_OK && name && j->local == 0) shm_unlink(name);         /* all have joined, so the name is not needed any more */
  if (s != TH_OK || !j->wire) return s;
  TH_TRY(th_between_new(*g));
  TH_TRY(th_wire_start(j, *g));
  return (*g)->between ? th_measure(*g) : TH_OK;
}

/* On several hosts the name of the memory is made of those of the job and of the host. */
static th_status join_hosts(th_dist **g, th_job *j, const char *name, const char *host, const char *secret)
{
  char here[256];
  uint64_t h = 14695981039346656037u;
  for (const char *p = host; *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u;
  snprintf(here, sizeof here, "%.200s-%016llx", name, (unsigned long long)h);
  TH_TRY(th_know_algorithm());
  TH_TRY(th_wire_join(j, host, secret));
  return join(g, j, -1, here, secret);
}

/* Processors of all ranks together. thrun passes TH_DIST_CORES, because a bound rank sees only its
 * own ones. */
static int cores(void)
{
  const int64_t n = th_environment_count("TH_DIST_CORES", sysconf(_SC_NPROCESSORS_ONLN));
  return (int)th_max(1, th_min(n, 1 << 20));
}

th_status th_dist_join(th_dist **g, int fd, const char *name, const char *host, int rank, int size, const char *secret,
                       double deadline)
{
  if (!th_can_combine()) return th_fail(TH_EBACKEND, "dist.init: this library was not built for a processor like this one");
  if (size < 1 || size > TH_MAXRANK) return th_fail(TH_EARG, "dist.init: size must lie in 1..%d, got %d", TH_MAXRANK, size);
  if (rank < 0 || rank >= size) return th_fail(TH_EARG, "dist.init: rank must lie in 0..%d, got %d", size - 1, rank);
  TH_TRY(th_know_devices());
  th_job *j = calloc(1, sizeof *j);
  if (!j) return th_fail(TH_ENOMEM, "dist.init: no memory left");
  pthread_atfork(NULL, NULL, note_fork);
  j->rank = j->local = rank;
  j->size = size;
  j->pid = getpid();
  j->cores = cores();
  j->deadline = deadline;
  j->fd = -1;
  j->mine = j->given = 1;                           /* number 0 is the whole job */
  *g = NULL;
  const th_status s = host ? join_hosts(g, j, name, host, secret) : join(g, j, fd, name, secret);
  if (s == TH_OK) return TH_OK;
  if (host) {                                       /* the service thread may still wait in MPI, with this memory */
    *g = NULL;
    return s;
  }
  if (*g) {
    free(*g);
    munmap(j->head, j->bytes);
  }
  free(j);
  *g = NULL;
  return s;
}
