/* control_channel.c - the control channel of a job on several hosts. Each rank has a service
 * thread, which performs the handshake and answers control messages while the script computes. So a
 * rank whose wait times out learns how far the others are (failure_detection.c). The thread also
 * reports to the other hosts that the job is broken. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "control_channel.h"

enum { TICK_US = 5000, LEAST = 1 << 10 };
static const double LAST_WORDS = 1;     /* seconds for the last control messages of a rank that leaves */
static const double ON_ITS_WAY = 0.5;   /* seconds in which messages that a rank sent before it left still arrive */

struct parcel {
  struct parcel *next;
  th_request request;
  int     to;
  int64_t counts;                       /* its share of `pending`; short messages count as LEAST, since they take memory too */
  char    data[];
};

int       th_wire_hosts(const th_job *j) { return j->wire ? j->wire->hosts : 1; }
int       th_wire_host(const th_job *j, int rank) { return j->wire ? j->wire->host[rank] : 0; }
th_speed *th_wire_speed(const th_job *j) { return &j->wire->speed; }
int       th_tag(const th_dist *g, int what) { return g->id * TH_TAGS + what; }

void th_pause(int us)
{
  const struct timespec t = { us / 1000000, us % 1000000 * 1000 };
  nanosleep(&t, NULL);
}

static uint64_t digest(const char *text)
{
  uint64_t h = 14695981039346656037u;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211u;
  return h;
}

/* ---- messages that no operation waits for ---- */

/* The send of a control message ends when the bytes have been copied out. Other sends end when the
 * receiver has posted a receive; until then they count in `pending`, which th_wire_post bounds. */
static th_status hand_over(th_wire *x, int to, int tag, const void *p, int64_t bytes)
{
  const bool is_letter = tag == TH_TAG_LETTER || tag == TH_TAG_ASK || tag == TH_TAG_TOLD;
  parcel *one = malloc(sizeof *one + (size_t)bytes);
  if (!one) return th_fail(TH_ENOMEM, "dist: no memory left for a message of %lld bytes", (long long)bytes);
  memcpy(one->data, p, (size_t)bytes);
  one->to = to;
  one->counts = is_letter ? 0 : bytes < LEAST ? LEAST : bytes;
  pthread_mutex_lock(&x->lock);
  const th_status s = th_mpi_send(one->data, bytes, to, tag, is_letter, &one->request);
  if (s == TH_OK) {
    one->next = x->out;
    x->out = one;
    x->pending[to] += one->counts;
  }
  pthread_mutex_unlock(&x->lock);
  if (s != TH_OK) free(one);
  return s;
}

th_status th_wire_hand(th_job *j, int to, int tag, const void *p, int64_t bytes)
{
  return hand_over(j->wire, to, tag, p, bytes);
}

/* Frees the messages whose sends have ended; returns whether there are more. */
static bool clear_out(th_wire *x)
{
  int done, n = 0;
  pthread_mutex_lock(&x->lock);
  for (parcel **at = &x->out; *at;) {
    parcel *one = *at;
    if (th_mpi_test(&one->request, 1, &done, &n) == TH_OK && n == 0) {
      at = &one->next;
      continue;
    }
    x->pending[one->to] -= one->counts;
    *at = one->next;
    free(one);
  }
  const bool more = x->out != NULL;
  pthread_mutex_unlock(&x->lock);
  return more;
}

void th_tell(th_wire *x, int to, letter *l)
{
  l->from = x->job->rank;
  if (to != x->job->rank) hand_over(x, to, TH_TAG_LETTER, l, (int64_t)sizeof *l);
}

static void tell_other_hosts(th_wire *x, letter *l)
{
  for (int r = 0; r < x->job->size; r++) if (x->host[r] != x->host[x->job->rank]) th_tell(x, r, l);
}

static void tell_all(th_wire *x, letter *l) { for (int r = 0; r < x->job->size; r++) th_tell(x, r, l); }

/* ---- receiving ---- */

static void fill_called(th_wire *x, letter *l)
{
  pthread_mutex_lock(&x->lock);
  for (int i = 0; i < TH_MAXGROUP; i++) {
    const th_dist *g = x->group[i];
    l->called[i] = g ? __atomic_load_n(&g->between->called, __ATOMIC_ACQUIRE) : x->closed[i];
    if (g && i == l->group) l->last = __atomic_load_n(&g->between->kind, __ATOMIC_ACQUIRE);
  }
  pthread_mutex_unlock(&x->lock);
}

static void note_called(th_wire *x, const letter *l)
{
  for (int i = 0; i < TH_MAXGROUP; i++) __atomic_store_n(&x->called[l->from][i], l->called[i], __ATOMIC_RELEASE);
  x->last[l->from] = l->last;
}

static void read_letter(th_wire *x, const letter *l)
{
  if (l->from < 0 || l->from >= x->job->size || l->group < 0 || l->group >= TH_MAXGROUP) return;
  if (l->kind == ASK) {
    letter answer = { .kind = ANSWERS, .group = l->group, .round = l->round };
    fill_called(x, &answer);
    th_tell(x, l->from, &answer);
  } else if (l->kind == ANSWERS) {
    note_called(x, l);
    __atomic_store_n(&x->answered[l->from], l->round, __ATOMIC_RELEASE);
  } else if (l->kind == BROKEN) {
    __atomic_store_n(&x->told, 1, __ATOMIC_RELEASE);              /* the sender tells all hosts */
    th_break(x->job, l->culprit, "%.*s", TH_WHY - 1, l->why);
  } else {
    note_called(x, l);
    __atomic_store_n(&x->job->head->seat[l->from].state, TH_SEAT_LEFT, __ATOMIC_RELEASE);
  }
}

static th_status tick(th_wire *x)
{
  const th_job_head *h = x->job->head;
  int done, n = 1;
  while (n) {
    TH_TRY(th_mpi_test(&x->reading, 1, &done, &n));
    if (!n) break;
    read_letter(x, &x->in);
    TH_TRY(th_mpi_recv(&x->in, sizeof x->in, -1, TH_TAG_LETTER, &x->reading));
  }
  if (__atomic_load_n(&h->broken, __ATOMIC_ACQUIRE) == 2 && !x->told) {
    letter l = { .kind = BROKEN, .culprit = h->culprit };
    snprintf(l.why, sizeof l.why, "%s", h->why);
    tell_other_hosts(x, &l);
    __atomic_store_n(&x->told, 1, __ATOMIC_RELEASE);
  }
  TH_TRY(th_keeper_tick(x->keeper));
  clear_out(x);
  return TH_OK;
}

/* ---- handshake ---- */

typedef struct hello { char host[TH_HOST]; uint64_t secret; int32_t rank, size; } hello;

/* The messages of the handshake. They stay allocated if it fails, because messages may arrive
 * later. */
typedef struct meeting {
  hello      mine, all[TH_MAXRANK];
  th_request r[2 * TH_MAXRANK];         /* receives from each rank, then sends to each */
  int        done[2 * TH_MAXRANK];
} meeting;

enum { HELLO = 29800 };                 /* a tag that scripts are unlikely to use */

/* Each rank sends a hello to every other one. This is no collective, so that missing ranks are
 * known. */
static th_status greet(th_wire *x, meeting *m)
{
  const int n = x->job->size, me = x->job->rank;
  int left = 2 * (n - 1), ended;
  for (int r = 0; r < n; r++) {
    m->r[r] = m->r[n + r] = th_no_request();
    if (r == me) continue;
    TH_TRY(th_mpi_recv(&m->all[r], sizeof m->all[r], r, HELLO, &m->r[r]));
    TH_TRY(th_mpi_send(&m->mine, sizeof m->mine, r, HELLO, true, &m->r[n + r]));
  }
  m->all[me] = m->mine;
  for (double begin = th_now(); left; left -= ended) {
    TH_TRY(th_mpi_test(m->r, 2 * n, m->done, &ended));
    for (int i = 0; i < ended; i++) if (m->done[i] < n) __atomic_store_n(&x->came[m->done[i]], 1, __ATOMIC_RELEASE);
    if (__atomic_load_n(&x->stop, __ATOMIC_ACQUIRE)) return th_fail(TH_EBACKEND, "dist.init: this rank stopped waiting");
    if (!ended) th_pause(th_now() - begin < 0.1 ? 50 : 1000);
  }
  return TH_OK;
}

static th_status meet(th_wire *x)
{
  th_job *j = x->job;
  int rank, size;
  meeting *m = calloc(1, sizeof *m);
  if (!m) return th_fail(TH_ENOMEM, "dist.init: no memory left");
  m->mine = (hello){ .secret = x->secret, .rank = j->rank, .size = j->size };
  memcpy(m->mine.host, x->name, sizeof m->mine.host);
  TH_TRY(th_mpi_begin(&rank, &size));
  if (rank != j->rank || size != j->size) {
    return th_fail(TH_EBACKEND, "dist.init: the launcher says rank %d of %d, Open MPI says rank %d of %d%s", j->rank, j->size,
                   rank, size, size == 1 ? ": under Slurm, start with srun --mpi=pmix" : "");
  }
  __atomic_store_n(&x->begun, 1, __ATOMIC_RELEASE);
  TH_TRY(greet(x, m));
  TH_TRY(th_mpi_separate());
  for (int r = 0; r < size; r++) {
    hello *h = &m->all[r];
    if (h->secret != m->all[0].secret) return th_fail(TH_EARG, "dist.init: the secret of rank %d differs from rank 0's", r);
    h->host[TH_HOST - 1] = 0;
    int first = 0;
    while (strcmp(m->all[first].host, h->host) != 0) first++;
    x->host[r] = first == r ? x->hosts++ : x->host[first];
  }
  free(m);
  return th_mpi_recv(&x->in, sizeof x->in, -1, TH_TAG_LETTER, &x->reading);
}

static void *attend(void *arg)
{
  th_wire *x = arg;
  x->status = meet(x);
  if (x->status != TH_OK) snprintf(x->why, sizeof x->why, "%s", th_error());
  __atomic_store_n(&x->met, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&x->started, __ATOMIC_ACQUIRE) && !__atomic_load_n(&x->stop, __ATOMIC_ACQUIRE)) th_pause(TICK_US);
  while (!__atomic_load_n(&x->stop, __ATOMIC_ACQUIRE)) {
    if (tick(x) != TH_OK) th_break(x->job, x->job->rank, "rank %d: %s", x->job->rank, th_error());
    th_pause(th_keeper_rest(x->keeper, TICK_US));
  }
  if (x->status == TH_OK && x->finalize) th_mpi_end();
  __atomic_store_n(&x->ended, 1, __ATOMIC_RELEASE);
  return NULL;
}

static th_status start(th_wire *x)
{
  sigset_t all, before;                 /* signals belong to the thread that runs Lua */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&x->thread, NULL, attend, x);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed ? th_fail(TH_ENOMEM, "dist.init: cannot start a thread: %s", strerror(failed)) : TH_OK;
}

/* Reports which ranks are missing. MPI does not report for which ranks its initialization waits. */
static th_status fail_to_meet(const th_wire *x)
{
  const th_job *j = x->job;
  char list[256] = "";
  int n = 0;
  size_t at = 0;
  for (int r = 0; r < j->size && __atomic_load_n(&x->begun, __ATOMIC_ACQUIRE); r++) {
    if (r == j->rank || __atomic_load_n(&x->came[r], __ATOMIC_ACQUIRE)) continue;
    if (n < 16) at += (size_t)snprintf(list + at, sizeof list - at, "%s%d", n ? ", " : "", r);
    if (n == 16) snprintf(list + at, sizeof list - at, " ...");
    n++;
  }
  if (!n) {
    return th_fail(TH_EBACKEND, "dist.init: some ranks did not come within %g s: they never joined the job", j->deadline);
  }
  return th_fail(TH_EBACKEND, "dist.init: rank%s %s did not come within %g s: %s never called dist.init, or the link is cut",
                 n > 1 ? "s" : "", list, j->deadline, n > 1 ? "they" : "it");
}

/* The service thread initializes MPI, which waits for all ranks without a timeout, so this thread
 * can give up. The memory stays allocated then, because the service thread may use it. */
th_status th_wire_join(th_job *j, const char *host, const char *secret)
{
  TH_TRY(th_mpi_open());
  th_wire *x = calloc(1, sizeof *x);
  if (!x) return th_fail(TH_ENOMEM, "dist.init: no memory left");
  pthread_mutex_init(&x->lock, NULL);
  x->job = j;
  x->secret = digest(secret);
  x->speed = (th_speed){ 50e-6, 1e9, 4e9 };
  snprintf(x->name, sizeof x->name, "%s", host);
  TH_TRY(start(x));
  const double until = th_now() + j->deadline;
  while (!__atomic_load_n(&x->met, __ATOMIC_ACQUIRE)) {
    const bool late = th_now() > until;
    if (late || th_interrupted()) {
      __atomic_store_n(&x->stop, 1, __ATOMIC_RELEASE);
      return late ? fail_to_meet(x) : th_fail(TH_EINTR, "interrupted");
    }
    th_pause(1000);
  }
  if (x->status != TH_OK) return th_fail(x->status, "%s", x->why);
  j->wire = x;
  j->local = 0;
  j->first = j->rank;
  for (int r = j->rank - 1; r >= 0; r--) {
    if (x->host[r] != x->host[j->rank]) continue;
    j->first = r;
    j->local++;
  }
  return TH_OK;
}

static void set_group(th_wire *x, int id, th_dist *g, uint32_t closed)
{
  pthread_mutex_lock(&x->lock);
  x->group[id] = g;
  x->closed[id] = closed;
  pthread_mutex_unlock(&x->lock);
}

void th_wire_group(th_job *j, th_dist *g) { if (g->between) set_group(j->wire, g->id, g, 0); }
void th_wire_forget(th_job *j, const th_dist *g) { set_group(j->wire, g->id, NULL, g->between->called); }
bool th_wire_hears(const th_job *j) { return j->wire && __atomic_load_n(&j->wire->started, __ATOMIC_ACQUIRE); }

th_status th_wire_start(th_job *j, th_dist *world)
{
  if (j->wire->hosts > 1) TH_TRY(th_keeper_new(&j->wire->keeper, world));
  __atomic_store_n(&j->wire->started, 1, __ATOMIC_RELEASE);
  return TH_OK;
}

/* ---- leaving ---- */

/* thrun learns in any order how ranks ended; this line tells it which rank broke the job. */
static void tell_thrun(const th_job *j)
{
  const char *key = getenv("TH_DIST_KEY");
  if (key && __atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE) == 2) dprintf(2, "%s blames %d\n", key, j->head->culprit);
}

/* MPI ends on all ranks together. A rank that leaves early waits here, and still answers control
 * messages; an error of another rank ends that wait. A broken job cannot end MPI, so its processes
 * just exit. A rank whose script failed also just exits, because thrun waits for its exit status. */
void th_wire_leave(th_job *j, bool failed)
{
  th_wire *x = j->wire;
  letter l = { .kind = LEFT };
  if (th_forked() || __atomic_load_n(&x->stop, __ATOMIC_ACQUIRE)) return;
  if (!__atomic_load_n(&x->started, __ATOMIC_ACQUIRE)) return;           /* never began */
  fill_called(x, &l);
  if (!__atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE)) tell_all(x, &l);
  if (!failed) th_await_others(x);
  tell_thrun(j);
  x->finalize = !failed && th_all_left(x) && !__atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE);
  double until = th_now() + LAST_WORDS;
  while (!x->finalize && th_now() < until && !(__atomic_load_n(&x->told, __ATOMIC_ACQUIRE) && !x->out)) th_pause(1000);
  __atomic_store_n(&x->stop, 1, __ATOMIC_RELEASE);
  until = th_now() + (x->finalize ? j->deadline : LAST_WORDS);
  while (!__atomic_load_n(&x->ended, __ATOMIC_ACQUIRE) && th_now() < until && !th_interrupted()) th_pause(1000);
}

/* ---- waiting ---- */

/* A rank that cannot take part any more: it left before it called the operation, or its process is
 * dead. */
static th_trouble trouble_with(const th_dist_work *w, int i)
{
  const th_dist *g = w->g;
  const int r = g->world[i];
  const th_trouble t = th_look_after(w, r, false);
  if (t != TH_HAS_LEFT || w->notice.kind == TH_DIST_SEND || w->notice.kind == TH_DIST_RECV) return t;
  const uint32_t called = __atomic_load_n(&g->job->wire->called[r][g->id], __ATOMIC_ACQUIRE);
  return (int32_t)(called - w->notice.seq) < 0 ? t : TH_NO_TROUBLE;
}

static th_status look(th_dist_work *w, double *left)
{
  th_dist *g = w->g;
  const bool message = w->notice.kind == TH_DIST_SEND || w->notice.kind == TH_DIST_RECV;
  TH_TRY(th_stopped(w));
  for (int i = message ? w->notice.root : 0; i < (message ? w->notice.root + 1 : g->size); i++) {
    const th_trouble t = i == g->rank ? TH_NO_TROUBLE : trouble_with(w, i);
    if (t == TH_NO_TROUBLE) continue;
    if (t == TH_HAS_LEFT && *left == 0) *left = th_now();
    if (t == TH_HAS_LEFT && th_now() - *left < ON_ITS_WAY) continue;
    th_blame(w, g->world[i], t);
    return th_broken(w);
  }
  if (w->until == 0) w->until = th_now() + w->seconds;
  return th_now() > w->until ? th_inquire(w, -1) : TH_OK;
}

/* Sleeps. The time grows with the seconds already waited, and is at least `rest` (up to 1 ms). */
static void nap(double waited, double rest)
{
  const int us = waited < 5e-3 ? 20 : waited < 0.1 ? 100 : 1000, known = rest < 1e-3 ? (int)(1e6 * rest) : 1000;
  th_pause(us > known ? us : known);
}

/* Spins for `awake` seconds, yielding the processor; then sleeps between tests. *waited: the
 * seconds it took. */
static th_status settle(th_dist_work *w, th_request *r, int n, int *done, int *ndone, double awake, double *waited)
{
  const double begin = th_now();
  double seen = begin, now = begin, left = 0;
  for (;;) {
    for (int i = 0; i < 2; i++) {       /* MPI reports in the second test what the first one found */
      TH_TRY(th_mpi_test(r, n, done, ndone));
      *waited = now - begin;
      if (*ndone) return TH_OK;
    }
    now = th_now();
    if (now - seen > 0.02) {
      TH_TRY(look(w, &left));
      seen = now;
    }
    if (now - begin < awake && !w->threaded) sched_yield();
    else nap(now - begin, w->rest);
  }
}

/* Spins less after late arrivals, because the next will be late too: a slow network delivers a
 * chunk in a millisecond, and other ranks may need the processor. */
th_status th_settle(th_dist_work *w, th_request *r, int n, int *done, int *ndone)
{
  static const double AWAKE = 200e-6, LEAST_AWAKE = 10e-6;
  static __thread double awake = 200e-6;
  double waited;
  TH_TRY(settle(w, r, n, done, ndone, w->rest < AWAKE / 2 ? awake : 0, &waited));
  awake = waited < AWAKE ? AWAKE : awake > LEAST_AWAKE ? awake / 2 : awake;
  return TH_OK;
}

/* Small messages spin longer: they are slow where ranks share processors, and other ranks wait for
 * what this rank sends next. */
th_status th_settle_few(th_dist_work *w, th_request *r, int n)
{
  static const double AWAKE = 2e-3;
  int done[TH_MAXRANK + 1], ended;
  double waited;
  for (int left = n; left; left -= ended) TH_TRY(settle(w, r, n, done, &ended, AWAKE, &waited));
  return TH_OK;
}

th_status th_wire_post(th_dist_work *w, int to, int tag, const void *p, int64_t bytes, int64_t most)
{
  th_wire *x = w->g->job->wire;
  const double begin = th_now();
  double seen = begin, left = 0;
  for (;;) {
    clear_out(x);
    pthread_mutex_lock(&x->lock);
    const bool room = x->pending[to] + bytes <= most || x->pending[to] == 0;
    pthread_mutex_unlock(&x->lock);
    if (room) return hand_over(x, to, tag, p, bytes);
    const double now = th_now();
    if (now - seen > 0.02) {
      TH_TRY(look(w, &left));
      seen = now;
    }
    nap(now - begin, 0);
  }
}
