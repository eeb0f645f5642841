/* failure_detection.c - failure detection between hosts. A rank whose wait times out pings all
 * ranks. A rank that does not reply is dead, stopped or cut off. It is reported first, because
 * others may be blocked on it; then a rank that lags behind. A rank whose script has ended pings
 * the others every few seconds. */
#include <stdio.h>
#include "control_channel.h"

static const double ANSWER = 2;         /* seconds that a rank has to reply */
static const double LONGEST = 0.1;      /* seconds, at most, that one sleep counts */
static const double AGAIN = 5;          /* seconds, at most, between the pings of a rank whose script has ended */

static bool answered(const th_control *x, int r, uint32_t round)
{
  return (int32_t)(__atomic_load_n(&x->answered[r], __ATOMIC_ACQUIRE) - round) >= 0;     /* a later ping counts, too */
}

/* Whether rank r must reply: one that has left may have ended. */
static bool is_there(const th_control *x, int r)
{
  return r != x->job->rank && __atomic_load_n(&x->job->head->process[r].state, __ATOMIC_ACQUIRE) != TH_PROCESS_LEFT;
}

static bool is_broken(const th_control *x) { return __atomic_load_n(&x->job->head->broken, __ATOMIC_ACQUIRE); }

/* Whether a ping goes to rank r: to all, or to one. */
static bool is_asked(const th_control *x, int r, int one) { return one < 0 ? is_there(x, r) : r == one; }

static uint32_t send_pings(th_control *x, int group, int one)
{
  const uint32_t round = __atomic_add_fetch(&x->round, 1, __ATOMIC_ACQ_REL);
  for (int r = 0; r < x->job->size; r++) {
    control_message l = { .kind = PING, .group = group, .round = round };
    if (is_asked(x, r, one)) th_control_send(x, r, &l);
  }
  return round;
}

/* ---- timeouts ---- */

/* Pings all ranks, or one, and waits until they have replied or the time is over. While the whole
 * machine is suspended no rank can reply, so a long sleep counts at most LONGEST. */
static uint32_t ask(th_control *x, int group, int one)
{
  const uint32_t round = send_pings(x, group, one);
  for (double waited = 0; waited < ANSWER;) {
    const double before = th_now();
    bool all = true;
    for (int r = 0; r < x->job->size; r++) all = all && (!is_asked(x, r, one) || answered(x, r, round));
    if (all || is_broken(x)) break;
    th_pause(2000);
    const double napped = th_now() - before;
    waited += napped < LONGEST ? napped : LONGEST;
  }
  return round;
}

static bool is_silent(const th_control *x, int r, uint32_t round) { return is_there(x, r) && !answered(x, r, round); }

/* The first rank without a reply: one of those [from, to) of the group for which the operation
 * waits; otherwise any rank, and *other becomes true. -1: all have replied. */
static int find_silent(const th_dist_work *w, int from, int to, uint32_t round, bool *other)
{
  const th_control *x = w->g->job->control;
  *other = false;
  for (int i = from; i < to; i++) if (is_silent(x, w->g->world[i], round)) return w->g->world[i];
  *other = true;
  for (int r = 0; r < x->job->size; r++) if (is_silent(x, r, round)) return r;
  return -1;
}

/* Whether no rank of the other hosts replies, and there are at least two of those: then this host
 * is cut off. */
static bool is_cut_off(const th_control *x, uint32_t round)
{
  int first = -1, hosts = 0;
  for (int r = 0; r < x->job->size; r++) {
    if (!is_there(x, r) || x->host[r] == x->host[x->job->rank]) continue;
    if (answered(x, r, round)) return false;
    if (first < 0) first = x->host[r];
    if (hosts == 0 || x->host[r] != first) hosts++;
  }
  return hosts > 1;
}

/* `late` has not begun the operation, or holds a lock, possibly because it waits for `silent`. */
static void report_one_silent(const th_dist_work *w, int silent, int late, th_fault t, uint32_t round)
{
  th_job *j = w->g->job;
  const th_control *x = j->control;
  const th_process *process = &j->head->process[silent];
  const char *does = t == TH_IS_HOLDING ? "has held the shard for" : "did not come within";
  char state = 0, why[96] = "it does not answer: it was killed, is stopped, or its host is cut off";
  if (x->host[silent] == x->host[j->rank]) th_birth(process->pid, &state);
  if (state == 'T' || state == 't') snprintf(why, sizeof why, "its process %d is stopped", process->pid);
  if (is_cut_off(x, round)) {
    th_break(j, silent, "rank %d %s %g s: no rank of another host answers, this host may be cut off", late, does, w->seconds);
  } else if (late == silent) {
    th_break(j, silent, "rank %d %s %g s: %s", late, does, w->seconds, why);
  } else {
    th_break(j, silent, "rank %d %s %g s, and rank %d may be why: %s", late, does, w->seconds, silent, why);
  }
}

/* The first of the ranks [from, to) of the group that has not begun the operation; -1: all have. */
static int find_late(const th_dist_work *w, int from, int to, bool message)
{
  const th_dist *g = w->g;
  for (int i = from; i < to; i++) {
    const int r = g->world[i];
    const uint32_t called = __atomic_load_n(&g->job->control->called[r][g->id], __ATOMIC_ACQUIRE);
    if (i != g->rank && (message || (int32_t)(called - w->notice.seq) < 0)) return r;
  }
  return -1;
}

th_status th_detect_failure(th_dist_work *part, int who)
{
  th_dist_work *w = part->whole ? (th_dist_work *)(uintptr_t)part->whole : part;
  th_dist *g = w->g;
  th_job *j = g->job;
  th_control *x = j->control;
  const bool message = w->notice.kind == TH_DIST_SEND || w->notice.kind == TH_DIST_RECV;
  const bool local = !g->inter_host || (message && x->host[w->notice.root] == x->host[j->rank]);
  const int from = message ? w->notice.root : 0, to = message ? w->notice.root + 1 : g->size;
  const uint32_t round = ask(x, g->id, -1);
  if (is_broken(x)) return th_broken(w);
  bool other;
  const int silent = find_silent(w, from, to, round, &other), behind = local ? who : find_late(w, from, to, message);
  if (silent >= 0) {
    report_one_silent(w, silent, other && behind >= 0 ? behind : silent, TH_IS_LATE, round);
  } else if (local) {
    th_blame(w, who, TH_IS_LATE);
  } else if (behind < 0) {
    th_break(j, j->rank, "all ranks take part and answer, but it did not end within %g s", w->seconds);
  } else if (x->called[behind][g->id]) {
    th_break(j, behind, "rank %d did not come within %g s: its process lives; its last operation was %s, number %u", behind,
             w->seconds, j->kinds[x->last[behind]].name, x->called[behind][g->id]);
  } else {
    th_break(j, behind, "rank %d did not come within %g s: its process lives and has begun no operation", behind, w->seconds);
  }
  return th_broken(w);
}

bool th_report_silent(th_dist_work *w, int who, th_fault t)
{
  th_control *x = w->g->job->control;
  const uint32_t round = ask(x, 0, -1);
  bool other;
  if (is_broken(x)) return true;
  const int silent = is_silent(x, who, round) ? who : find_silent(w, 0, 0, round, &other);
  if (silent >= 0) report_one_silent(w, silent, who, t, round);
  return silent >= 0;
}

bool th_answers_ping(const th_job *j, int who) { return answered(j->control, who, ask(j->control, 0, who)); }

/* ---- ranks whose script has ended ---- */

bool th_all_left(const th_control *x)
{
  for (int r = 0; r < x->job->size; r++) {
    if (__atomic_load_n(&x->job->head->process[r].state, __ATOMIC_ACQUIRE) != TH_PROCESS_LEFT) return false;
  }
  return true;
}

/* Whether rank r has ended, or has left so many pings, `every` seconds apart, without a reply that
 * it counts as dead. Pings are counted instead of time, because this rank itself may have been
 * stopped. */
static bool is_dead(const th_control *x, int r, int unanswered, double every)
{
  th_dist world = { .job = x->job };
  const th_dist_work w = { .g = &world };
  if (x->host[r] == x->host[x->job->rank] && th_fault_of(&w, r, false) == TH_IS_GONE) return true;
  return (unanswered - 1) * every > x->job->deadline + ANSWER;
}

void th_await_others(th_control *x)
{
  const double quarter = x->job->deadline / 4, every = quarter < AGAIN ? quarter : AGAIN;
  int unanswered[TH_MAXRANK] = { 0 };
  uint32_t heard[TH_MAXRANK];
  for (int r = 0; r < x->job->size; r++) heard[r] = __atomic_load_n(&x->answered[r], __ATOMIC_ACQUIRE);
  for (double asked = th_now(); !th_all_left(x) && !is_broken(x) && !th_interrupted(); th_pause(1000)) {
    if (th_now() - asked < every) continue;
    for (int r = 0; r < x->job->size; r++) {
      const uint32_t last = __atomic_load_n(&x->answered[r], __ATOMIC_ACQUIRE);
      unanswered[r] = last == heard[r] ? unanswered[r] + 1 : 0;
      heard[r] = last;
      if (is_there(x, r) && is_dead(x, r, unanswered[r], every)) return;
    }
    send_pings(x, 0, -1);
    asked = th_now();
  }
}
