/* sync.c - objects that threads share: message queues, mutexes, conditions and counters, found by their numbers.
 * The locks in this file are held for a few instructions only, and no Lua code runs while they are. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "clocked.h"
#include "core.h"
#include "spin.h"
#include "th_worker.h"

enum { LARGE = 1 << 16 };                             /* bytes that a message may hold until its reply */

struct th_sync {
  int kind;
  int64_t id;
  atomic_int refs;
  pid_t owner;                                        /* a child of this process has no thread that would reply */
  th_sync *before, *after;                            /* in the list of all */
  pthread_mutex_t lock;                               /* of a mutex: the mutex itself */
  pthread_cond_t changed;
  th_message *first, *last;                           /* of a queue */
  int64_t put, taken;
  int senders;                                        /* that wait for room */
  atomic_int spinners;                                /* takers that spin; each checks the queue once more before it sleeps */
  atomic_llong size;
  atomic_bool closed;
  int64_t tickets, signalled;                         /* of a condition */
  atomic_llong number;                                /* of a counter */
};

/* The process id. Cached, because getpid is a system call and each call of a queue checks whether this is its owner's child. */
static pid_t self;
static void learn_self(void) { self = getpid(); }
static void learn_once(void)
{
  learn_self();
  pthread_atfork(NULL, NULL, learn_self);
}

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static th_sync *list;
static int64_t last_id;

/* ---- all objects ------------------------------------------------------------------------------ */

static void init_lock(th_sync *o)
{
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  if (o->kind == TH_SYNC_MUTEX) {
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
  }
  pthread_mutex_init(&o->lock, &how);
  pthread_mutexattr_destroy(&how);
  pthread_cond_init(&o->changed, NULL);
}

th_sync *th_sync_new(int kind)
{
  th_sync *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->kind = kind;
  o->refs = 1;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, learn_once);
  o->owner = self;
  init_lock(o);
  pthread_mutex_lock(&list_lock);
  o->id = ++last_id;
  o->after = list;
  if (list) list->before = o;
  list = o;
  pthread_mutex_unlock(&list_lock);
  return o;
}

th_sync *th_sync_find(int kind, double id)
{
  pthread_mutex_lock(&list_lock);
  th_sync *o = list;
  while (o && !(o->kind == kind && (double)o->id == id)) o = o->after;
  if (o) atomic_fetch_add(&o->refs, 1);
  pthread_mutex_unlock(&list_lock);
  return o;
}

double th_sync_id(const th_sync *o) { return (double)o->id; }

void th_sync_retain(th_sync *o) { atomic_fetch_add(&o->refs, 1); }

/* A locked robust mutex is in a list that its thread visits at its end, so its memory must stay. */
static bool can_be_freed(th_sync *o)
{
  if (o->kind != TH_SYNC_MUTEX) return true;
  const int r = pthread_mutex_trylock(&o->lock);
  if (r == EOWNERDEAD) pthread_mutex_consistent(&o->lock);
  return pthread_mutex_unlock(&o->lock) == 0;
}

void th_sync_release(th_sync *o)
{
  pthread_mutex_lock(&list_lock);                     /* so that th_sync_find finds no object without references */
  const bool last = atomic_fetch_sub(&o->refs, 1) == 1;
  if (last) {
    if (o->before) o->before->after = o->after;
    else list = o->after;
    if (o->after) o->after->before = o->before;
  }
  pthread_mutex_unlock(&list_lock);
  if (!last) return;
  for (th_message *m; (m = o->first);) {
    o->first = m->next;
    free(m);
  }
  if (!can_be_freed(o)) return;
  if (o->owner == self) {
    pthread_mutex_destroy(&o->lock);
    pthread_cond_destroy(&o->changed);
  }
  free(o);
}

static struct timespec in_future(double seconds)
{
  struct timespec t;
  if (!(seconds > 0)) seconds = 0;
  if (seconds > 1e6) seconds = 1e6;
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_sec += (time_t)seconds;
  t.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
  if (t.tv_nsec >= 1000000000) {
    t.tv_sec++;
    t.tv_nsec -= 1000000000;
  }
  return t;
}

/* With the lock held: sleeps until `changed` is signalled; false after a timeout. */
static bool sleep_until(th_sync *o, const struct timespec *end)
{
  th_awake_pause();
  const bool in_time = pthread_cond_clockwait(&o->changed, &o->lock, CLOCK_MONOTONIC, end) != ETIMEDOUT;
  th_awake_resume();
  return in_time;
}

/* ---- queues ----------------------------------------------------------------------------------- */

static bool is_shut(const th_sync *q) { return atomic_load(&q->closed) || q->owner != self; }

/* With the lock held: the number of messages for receiver `to`, or of all if it is 0. */
static int64_t count_for(const th_sync *q, int to)
{
  if (to == 0) return q->size;
  int64_t n = 0;
  for (const th_message *m = q->first; m; m = m->next) n += m->to == to;
  return n;
}

/* With the lock held: waits for room; false after a timeout. */
static bool wait_for_room(th_sync *q, int to, int64_t room, double seconds)
{
  if (room == 0 || count_for(q, to) < room) return true;
  const struct timespec end = in_future(seconds);
  q->senders++;
  bool in_time = true;
  while (in_time && !q->closed && count_for(q, to) >= room) in_time = sleep_until(q, &end);
  q->senders--;
  return count_for(q, to) < room;
}

/* Appends a message, or frees it if the queue is closed or has no room in time. */
static int put(th_sync *q, th_message *m, int64_t room, double seconds)
{
  pthread_mutex_lock(&q->lock);
  if (!wait_for_room(q, m->to, room, seconds) || q->closed) {
    const int why = q->closed ? TH_SYNC_CLOSED : TH_SYNC_LATE;
    pthread_mutex_unlock(&q->lock);
    free(m);
    return why;
  }
  const bool one = m->to == 0 && q->senders == 0;     /* any sleeper can take it */
  if (q->last) q->last->next = m;
  else q->first = m;
  q->last = m;
  q->put++;
  q->size++;
  const bool awaited = one && q->spinners >= q->size;
  pthread_mutex_unlock(&q->lock);
  if (awaited) return TH_SYNC_DONE;
  if (one) pthread_cond_signal(&q->changed);
  else pthread_cond_broadcast(&q->changed);
  return TH_SYNC_DONE;
}

int th_sync_put(th_sync *q, int to, int64_t tag, const void *bytes, int64_t n, int64_t room, double seconds)
{
  if (is_shut(q)) return TH_SYNC_CLOSED;
  th_message *m = malloc(sizeof *m + (size_t)n);
  if (!m) return TH_SYNC_FULL_MEMORY;
  *m = (th_message){ .size = n, .tag = tag, .to = to };
  memcpy(m->bytes, bytes, (size_t)n);
  return put(q, m, room, seconds);
}

/* Reuses the message for the reply if that fits into it. Also reuses it, without content, if there is no memory for another one,
 * because a sender without a reply would wait for ever. */
int th_sync_reply(th_sync *q, int from, th_message *m, const void *bytes, int64_t n)
{
  if (is_shut(q)) {
    free(m);
    return TH_SYNC_CLOSED;
  }
  th_message *answer = n <= m->size ? m : malloc(sizeof *m + (size_t)n);
  const bool has_room = answer != NULL;
  if (!answer) answer = m;
  *answer = (th_message){ .size = has_room ? n : -1, .tag = m->tag, .to = from };
  if (has_room) memcpy(answer->bytes, bytes, (size_t)n);
  if (answer != m) free(m);
  const int state = put(q, answer, 0, 0);
  return state == TH_SYNC_DONE && !has_room ? TH_SYNC_FULL_MEMORY : state;
}

th_message *th_sync_shrink(th_message *m)
{
  if (m->size <= LARGE) return m;
  th_message *small = realloc(m, sizeof *m);
  if (!small) small = m;
  small->size = 0;
  return small;
}

/* With the lock held: unlinks the first message that fits, or NULL. */
static th_message *unlink_first(th_sync *q, bool (*fits)(const th_message *, int), int number)
{
  th_message *before = NULL;
  for (th_message *m = q->first; m; before = m, m = m->next) {
    if (!fits(m, number)) continue;
    if (before) before->next = m->next;
    else q->first = m->next;
    if (q->last == m) q->last = before;
    q->size--;
    m->next = NULL;
    return m;
  }
  return NULL;
}

static bool for_taker(const th_message *m, int taker) { return taker == 0 || m->to == 0 || m->to == taker; }
static bool for_receiver(const th_message *m, int to) { return to == 0 || m->to == to; }

static bool may_have_changed(const void *queue)
{
  const th_sync *q = queue;
  return atomic_load_explicit(&q->size, memory_order_relaxed) != 0 || atomic_load_explicit(&q->closed, memory_order_relaxed);
}

/* A thread whose last wait ended without a message does not spin; it spins again after its next message. */
th_message *th_sync_take(th_sync *q, int taker, double seconds)
{
  static TH_QUICK_LOCAL bool in_vain;
  if (is_shut(q)) return NULL;
  th_awake_begin();
  const struct timespec end = in_future(seconds);
  const bool spins = seconds > 0 && !in_vain && !may_have_changed(q);
  if (spins) {
    q->spinners++;
    th_spin_yield(may_have_changed, q);
  }
  pthread_mutex_lock(&q->lock);
  if (spins) q->spinners--;
  th_message *m = NULL;
  for (bool in_time = true; !q->closed; in_time = sleep_until(q, &end)) {
    m = unlink_first(q, for_taker, taker);
    if (m || !in_time) break;
  }
  if (m) q->taken++;
  if (m || seconds > 0) in_vain = !m;
  const bool awaited = m && q->senders > 0;
  pthread_mutex_unlock(&q->lock);
  if (awaited) pthread_cond_broadcast(&q->changed);
  return m;
}

void th_sync_free(th_message *m) { free(m); }

void th_sync_close(th_sync *q)
{
  if (q->owner != self) return;
  pthread_mutex_lock(&q->lock);
  q->closed = true;
  pthread_mutex_unlock(&q->lock);
  pthread_cond_broadcast(&q->changed);
}

th_message *th_sync_rest(th_sync *q, int to)
{
  if (q->owner != self) return NULL;
  pthread_mutex_lock(&q->lock);
  th_message *m = unlink_first(q, for_receiver, to);
  pthread_mutex_unlock(&q->lock);
  return m;
}

int th_sync_closed(const th_sync *q) { return is_shut(q); }

int64_t th_sync_size(th_sync *q, int to)
{
  if (to == 0 || q->owner != self) return q->size;
  pthread_mutex_lock(&q->lock);
  const int64_t n = count_for(q, to);
  pthread_mutex_unlock(&q->lock);
  return n;
}

int64_t th_sync_count(th_sync *q, int taken)
{
  if (q->owner != self) return 0;
  pthread_mutex_lock(&q->lock);
  const int64_t n = taken ? q->taken : q->put;
  pthread_mutex_unlock(&q->lock);
  return n;
}

/* ---- mutexes, conditions, counters ------------------------------------------------------------ */

int th_sync_lock(th_sync *o, double seconds)
{
  const struct timespec end = in_future(seconds);
  int r = pthread_mutex_trylock(&o->lock);
  if (r == EBUSY) r = th_lock_until(&o->lock, &end);
  if (r == EOWNERDEAD) {
    pthread_mutex_consistent(&o->lock);
    return TH_SYNC_ORPHAN;
  }
  return r == 0 ? TH_SYNC_LOCKED : r == EDEADLK ? TH_SYNC_MINE : TH_SYNC_BUSY;
}

int th_sync_unlock(th_sync *o) { return pthread_mutex_unlock(&o->lock) != 0; }

int64_t th_sync_ticket(th_sync *o)
{
  pthread_mutex_lock(&o->lock);
  const int64_t ticket = ++o->tickets;
  pthread_mutex_unlock(&o->lock);
  return ticket;
}

int th_sync_await(th_sync *o, int64_t ticket, double seconds)
{
  const struct timespec end = in_future(seconds);
  pthread_mutex_lock(&o->lock);
  while (o->signalled < ticket && sleep_until(o, &end)) {}
  const bool done = o->signalled >= ticket;
  pthread_mutex_unlock(&o->lock);
  return done;
}

void th_sync_signal(th_sync *o, int all)
{
  pthread_mutex_lock(&o->lock);
  if (all) o->signalled = o->tickets;
  else if (o->signalled < o->tickets) o->signalled++;
  pthread_mutex_unlock(&o->lock);
  pthread_cond_broadcast(&o->changed);
}

int64_t th_sync_add(th_sync *o, int64_t n) { return atomic_fetch_add(&o->number, n); }
void th_sync_set(th_sync *o, int64_t n) { atomic_store(&o->number, n); }
