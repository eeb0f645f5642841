/* fault.c - failures of a job: which rank is missing and why, and breaking the job because of it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "comm.h"

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
  const char *word = th_word_of(w);
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
  const th_process *process = &g->job->head->process[who];
  int at = 0;
  while (at < g->size && g->world[at] != who) at++;
  const th_area *d = at < g->size ? &g->area[at] : NULL;
  const uint32_t even = d ? __atomic_load_n(&d->call[0].called.value, __ATOMIC_ACQUIRE) : 0;
  const uint32_t odd = d ? __atomic_load_n(&d->call[1].called.value, __ATOMIC_ACQUIRE) : 0;
  const uint32_t calls = (int32_t)(even - odd) > 0 ? even : odd;
  if (state == 'T' || state == 't') {
    snprintf(text, n, "its process %d is stopped", process->pid);
  } else if (calls) {
    const th_notice *last = &d->call[calls & 1].with.notice;
    snprintf(text, n, "its process %d lives; its last operation was %s, number %u", process->pid, g->job->kinds[last->kind].name,
             last->seq);
  } else {
    snprintf(text, n, "its process %d lives and has begun no operation", process->pid);
  }
}

th_fault th_fault_of(const th_dist_work *w, int who, bool late)
{
  const th_process *process = &w->g->job->head->process[who];
  const uint32_t there = __atomic_load_n(&process->state, __ATOMIC_ACQUIRE);
  char state;
  if (there == TH_PROCESS_LEFT) return TH_HAS_LEFT;
  const uint64_t born = there == TH_PROCESS_JOINED ? th_birth(process->pid, &state) : TH_UNKNOWN;
  if (born != TH_UNKNOWN && born != process->born) {
    return __atomic_load_n(&process->state, __ATOMIC_ACQUIRE) == TH_PROCESS_LEFT ? TH_HAS_LEFT : TH_IS_GONE;
  }
  return late ? TH_IS_LATE : TH_NO_FAULT;
}

void th_blame(th_dist_work *w, int who, th_fault t)
{
  th_job *j = w->g->job;
  const th_process *process = &j->head->process[who];
  char state = 0, text[160];
  if ((t == TH_IS_LATE || t == TH_IS_HOLDING) && th_host_of(j, who) != th_host_of(j, j->rank)) {
    const char *does = t == TH_IS_LATE ? "did not come within" : "has held the shard for";
    th_break(j, who, "rank %d %s %g s: its process lives", who, does, w->seconds);
  } else if (t == TH_HAS_LEFT) {
    th_break(j, who, "rank %d has left the job: its script has ended", who);
  } else if (t == TH_IS_GONE) {
    th_break(j, who, "rank %d is gone: its process %d was killed or has crashed", who, process->pid);
  } else if (__atomic_load_n(&process->state, __ATOMIC_ACQUIRE) == TH_PROCESS_EMPTY) {
    th_break(j, who, "rank %d did not come within %g s: it never joined the job", who, w->seconds);
  } else {
    th_birth(process->pid, &state);
    describe(text, sizeof text, w->g, who, state);
    if (t == TH_IS_HOLDING) th_break(j, who, "rank %d has held the shard for %g s: %s", who, w->seconds, text);
    else th_break(j, who, "rank %d did not come within %g s: %s", who, w->seconds, text);
  }
}

void th_report_late(th_dist_work *w, int who, th_fault t)
{
  const th_net_calls *net = th_net_of(w->g->job);
  const bool asks = (t == TH_IS_LATE || t == TH_IS_HOLDING) && net;
  if (!asks || !net->report_silent(w, who, t)) th_blame(w, who, t);
}

/* ---- forks ---- */

static int forked;
static void note_fork(void) { forked = 1; }
bool th_forked(void) { return forked; }
void th_notice_forks(void) { pthread_atfork(NULL, NULL, note_fork); }
