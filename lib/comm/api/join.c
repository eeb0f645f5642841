/* join.c - joining and leaving a job. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../../core/environment.h"
#include "../collectives/collectives.h"
#include "../group/group.h"
#include "../shared/shard_server.h"
#include "api.h"

/* ---- leaving ---- */

/* This memory stays allocated until the process ends: operations that were started and never waited
 * for may still use it. The list keeps it reachable, so that leak checkers do not report it. */
static th_dist *left;

void th_dist_leave(th_dist *g, int failed)
{
  g->before = left;
  left = g;
  if (th_forked()) return;                          /* a child that ends is not the rank */
  __atomic_store_n(&g->job->head->process[g->job->rank].state, TH_PROCESS_LEFT, __ATOMIC_RELEASE);
  if (g->job->control) th_net_leave(g->job, failed != 0);
}

/* ---- joining ---- */

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
  const th_process *p = &h->process[first];
  const bool fresh = __atomic_load_n(&h->ready, __ATOMIC_ACQUIRE) && th_birth(p->pid, &state) == p->born;
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
  j->bytes = th_job_bytes(j->size);
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
static th_status register_rank(th_dist_work *w, const char *secret)
{
  th_job *j = w->g->job;
  th_job_head *h = j->head;
  th_process *process = &h->process[j->rank];
  char state;
  process->pid = j->pid;
  process->born = th_birth(j->pid, &state);
  if (process->born == TH_UNKNOWN) return th_fail(TH_EIO, "dist.init: cannot read /proc/%d/stat: %s", j->pid, strerror(errno));
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
  uint32_t empty = TH_PROCESS_EMPTY;
  if (!__atomic_compare_exchange_n(&process->state, &empty, TH_PROCESS_JOINED, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return th_fail(TH_EARG, "dist.init: rank %d is taken already", j->rank);
  }
  for (int r = 0; r < j->size; r++) {
    if (th_host_of(j, r) == th_host_of(j, j->rank)) TH_TRY(th_await_word(w, &h->process[r].state, TH_PROCESS_JOINED, r));
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
  th_status s = th_reserve(j, j->head, th_first_bytes(j->size));
  if (s == TH_OK) s = register_rank(&w, secret);
  if (s == TH_OK && name && j->local == 0) shm_unlink(name);         /* all have joined, so the name is not needed any more */
  if (s != TH_OK || !j->control) return s;
  TH_TRY(th_inter_host_new(*g));
  th_service service = { NULL, NULL, NULL };
  if (j->hosts > 1) TH_TRY(th_shard_service(&service, *g));
  th_net_start(j, &service);
  return (*g)->inter_host ? th_measure(*g) : TH_OK;
}

/* On several hosts the name of the memory is made of those of the job and of the host. */
static th_status join_hosts(th_dist **g, th_job *j, const char *name, const char *host, const char *secret)
{
  char here[256];
  snprintf(here, sizeof here, "%.200s-%016llx", name, (unsigned long long)th_text_hash(host));
  TH_TRY(th_check_algorithm_setting());
  TH_TRY(th_net_join(j, host, secret));
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
  TH_TRY(th_check_device_setting());
  th_job *j = calloc(1, sizeof *j);
  if (!j) return th_fail(TH_ENOMEM, "dist.init: no memory left");
  th_notice_forks();
  j->rank = j->local = rank;
  j->size = size;
  j->pid = getpid();
  j->cores = cores();
  j->hosts = 1;
  j->kinds = th_operations;
  j->group = &th_group_table;
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
