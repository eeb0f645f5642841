/* operation.c - operations as Lua starts them: arguments are checked, operations wait for their
 * turn, run here or in a thread, and are waited for. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "../../core/storage.h"
#include "../group/group.h"
#include "api.h"

enum { IN_FLIGHT = 2,               /* added to a storage's `pinned` during a transfer */
       STACK = 256 << 10, STACK_OF_DEVICES = 8 << 20 };     /* CUDA's libraries need more */

static bool is_message(int kind) { return kind == TH_DIST_SEND || kind == TH_DIST_RECV; }

/* ---- arguments ---- */

static th_status spans_of(th_spans *s, const th_list *list, th_dist_work *w)
{
  const int64_t n = list ? list->n : 0;
  int64_t used = 0;
  s->n = 0;
  s->s = n > 1 ? malloc((size_t)n * sizeof *s->s) : &s->one;
  if (!s->s) return th_fail(TH_ENOMEM, "dist.%s: no memory left", th_word_of(w));
  s->one = (th_span){ NULL, 0, 0 };
  for (int64_t i = 0; i < n; i++) {
    const th_tensor *t = list->t[i];
    const int64_t count = th_tensor_numel(t);
    if (t->device != w->device) {
      return th_fail(TH_EARG, "dist.%s: tensors must be on one device", th_word_of(w));
    }
    if (t->dtype != w->notice.dtype || !th_tensor_is_contiguous(t)) {
      return th_fail(TH_EARG, "dist.%s: tensors must be contiguous and of one type", th_word_of(w));
    }
    if (!count) continue;
    s->s[used++] = (th_span){ (char *)t->storage->data + t->offset * w->es, s->n, count };
    s->n += count;
  }
  if (!used) s->s[0] = (th_span){ NULL, 0, 0 };
  s->count = used ? used : 1;
  return TH_OK;
}

static void forget_spans(th_spans *s)
{
  if (s->s != &s->one) free(s->s);
  s->s = &s->one;
}

/* Whether the result has the size that the input requires. */
static th_status need_sizes(const th_dist_work *w, const th_dist_call *call)
{
  const int64_t n = w->in.n, size = w->g->size;
  const th_operation *kind = &th_operations[call->kind];
  if (kind->in_parts && n % size) {
    return th_fail(TH_ESHAPE, "dist.%s: %lld elements cannot be cut into %lld parts", kind->name, (long long)n, (long long)size);
  }
  const int64_t want = kind->result == TH_ONE_PART ? n / size : kind->result == TH_OF_ALL ? n * size : n;
  if (call->in && call->out && w->out.n != want) {
    return th_fail(TH_ESHAPE, "dist.%s: the result must have %lld elements, got %lld", kind->name, (long long)want,
                   (long long)w->out.n);
  }
  return TH_OK;
}

static th_status need_numbers(const th_dist *g, const th_dist_call *call)
{
  const char *word = th_operations[call->kind].name;
  if (call->root < 0 || call->root >= g->size) {
    return th_fail(TH_EARG, "dist.%s: rank must lie in 0..%d, got %d", word, g->size - 1, call->root);
  }
  if (is_message(call->kind) && g->id) return th_fail(TH_EARG, "dist.%s: messages go between ranks of the whole job", word);
  if (is_message(call->kind) && call->root == g->rank) return th_fail(TH_EARG, "dist.%s: rank %d is this process", word, g->rank);
  if (!th_forked()) return TH_OK;
  return th_fail(TH_EARG, "dist.%s: this process is a fork of rank %d, not the rank itself", word, g->job->rank);
}

static th_status need_group(const th_dist *g, const th_dist_call *call)
{
  return g ? TH_OK : th_fail(TH_EARG, "dist.%s: the group is closed, or this rank is not in it", th_operations[call->kind].name);
}

static th_status prepare(th_dist_work *w, th_dist *g, const th_dist_call *call)
{
  const th_list *first = call->in && call->in->n ? call->in : call->out;
  w->g = g;
  w->in.s = &w->in.one;
  w->out.s = &w->out.one;
  TH_TRY(need_numbers(g, call));
  w->notice = (th_notice){ .kind = call->kind, .op = call->op, .root = call->root, .note = call->note,
                           .dtype = first && first->n ? first->t[0]->dtype : TH_U8 };
  w->device = first && first->n ? first->t[0]->device : TH_CPU;
  w->es = (int)th_dtype_size(w->notice.dtype);
  w->seconds = call->seconds > 0 ? call->seconds : g->job->deadline;
  TH_TRY(spans_of(&w->in, call->in, w));
  TH_TRY(spans_of(&w->out, call->out, w));
  TH_TRY(need_sizes(w, call));
  if (w->device) TH_TRY(th_device_prepare(w));
  w->notice.count = call->kind == TH_DIST_GROUP ? call->count : call->kind == TH_DIST_RECV ? w->out.n : w->in.n;
  return TH_OK;
}

/* ---- turns ---- */

static void take_ticket(th_dist_work *w)
{
  th_dist *g = w->g;
  const int kind = w->notice.kind, other = w->notice.root;
  w->queue = kind == TH_DIST_SEND ? &g->to[other] : kind == TH_DIST_RECV ? &g->from[other] : &g->queue;
  w->ticket = __atomic_fetch_add(&w->queue->next, 1, __ATOMIC_RELAXED);
}

static bool is_served(th_queue *l, uint32_t ticket) { return __atomic_load_n(&l->serving, __ATOMIC_SEQ_CST) == ticket; }

static void await_turn(th_queue *l, uint32_t ticket)
{
  pthread_mutex_lock(&l->lock);
  __atomic_add_fetch(&l->waiting, 1, __ATOMIC_SEQ_CST);
  while (!is_served(l, ticket)) pthread_cond_wait(&l->turn, &l->lock);
  __atomic_sub_fetch(&l->waiting, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&l->lock);
}

/* A waiter increments `waiting` before it loads `serving`; this side stores `serving` before it
 * loads `waiting`, so no wake-up is lost. */
static void end_turn(th_queue *l, uint32_t ticket)
{
  (void)__atomic_exchange_n(&l->serving, ticket + 1, __ATOMIC_SEQ_CST);    /* as in parallel.c */
  if (!__atomic_load_n(&l->waiting, __ATOMIC_SEQ_CST)) return;
  pthread_mutex_lock(&l->lock);
  pthread_cond_broadcast(&l->turn);
  pthread_mutex_unlock(&l->lock);
}

static th_status message(th_dist_work *w)
{
  const th_job *j = w->g->job;
  return th_host_of(j, w->notice.root) != th_host_of(j, j->rank) ? th_net_message(w) : th_message(w);
}

static th_status by_cpu(th_dist_work *w)
{
  w->notice.seq = w->turn = ++w->queue->turns;
  if (__atomic_load_n(&w->g->job->head->broken, __ATOMIC_ACQUIRE)) return th_broken(w);
  return is_message(w->notice.kind) ? message(w) : w->g->inter_host ? th_inter_host_run(w) : th_collective(w);
}

/* One operation, when its turn has come. */
static th_status operate(th_dist_work *w)
{
  if (w->device && !th_is_on_device(&w->notice)) return th_by_copies(w, operate);
  TH_TRY(by_cpu(w));
  return w->ondevice ? th_by_device(w, by_cpu) : TH_OK;
}

static th_status operate_twice(th_dist_work *w)
{
  w->second->queue = w->queue;
  w->second->threaded = w->threaded;
  TH_TRY(w->step.run(w->step.arg));
  return operate(w->second);
}

static th_status in_turn(th_dist_work *w)
{
  if (!is_served(w->queue, w->ticket)) await_turn(w->queue, w->ticket);
  if (w->threaded) w->began = th_now();
  th_status s = operate(w);
  if (s == TH_OK && w->second) s = operate_twice(w);
  if (w->threaded) w->ended = th_now();         /* before the next operation of the queue begins */
  end_turn(w->queue, w->ticket);
  return s;
}

/* After a failure between hosts elements may still arrive or be sent, so the tensors stay allocated
 * and keep their size. */
static void keep(const th_dist_call *call)
{
  for (int k = 0; k < 2; k++) {
    const th_list *list = k ? call->out : call->in;
    for (int64_t i = 0; list && i < list->n; i++) {
      th_storage *s = list->t[i]->storage;
      if (!s) continue;
      th_storage_retain(s);
      __atomic_add_fetch(&s->pinned, IN_FLIGHT, __ATOMIC_RELAXED);
    }
  }
}

/* Frees what belongs to the operation. */
static void let_go(th_dist_work *w)
{
  if (w->mark) th_device_unprepare(w);
  forget_spans(&w->in);
  forget_spans(&w->out);
  if (w->second) let_go(w->second);
  free(w->second);
  if (w->step.drop) w->step.drop(w->step.arg);
}

/* One call, or two with a step between them. */
static th_status prepare_all(th_dist_work *w, th_dist *g, const th_dist_call *call, const th_step *step)
{
  if (step) w->step = *step;
  TH_TRY(prepare(w, g, call));
  if (!step) return TH_OK;
  w->second = calloc(1, sizeof *w->second);
  if (!w->second) return th_fail(TH_ENOMEM, "dist.%s: no memory left", th_operations[call[1].kind].name);
  return prepare(w->second, g, call + 1);
}

/* ---- blocking ---- */

static th_status run(th_dist *g, const th_dist_call *call, const th_step *step)
{
  th_dist_work w;
  TH_TRY(need_group(g, call));
  memset(&w, 0, offsetof(th_dist_work, why));
  th_status s = prepare_all(&w, g, call, step);
  if (s == TH_OK) {
    take_ticket(&w);
    s = in_turn(&w);
    if (s != TH_OK && g->job->control && __atomic_load_n(&g->job->head->broken, __ATOMIC_ACQUIRE)) {
      for (int i = 0; i < (step ? 2 : 1); i++) keep(call + i);
    }
  }
  let_go(&w);
  return s;
}

th_status th_dist_run(th_dist *g, const th_dist_call *call) { return run(g, call, NULL); }

/* ---- asynchronous ---- */

static void *work(void *arg)
{
  th_dist_work *w = arg;
  w->status = in_turn(w);
  if (w->status != TH_OK) snprintf(w->why, sizeof w->why, "%s", th_error());
  __atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
  return NULL;
}

static void hold(th_dist_work *w, const th_list *list)
{
  for (int64_t i = 0; list && i < list->n; i++) {
    th_storage *s = list->t[i]->storage;
    if (!s) continue;
    th_storage_retain(s);
    __atomic_add_fetch(&s->pinned, IN_FLIGHT, __ATOMIC_RELAXED);
    w->held[w->nheld++] = s;
  }
}

static th_status start_thread(th_dist_work *w)
{
  sigset_t all, before;                             /* only the thread that runs Lua handles signals */
  pthread_attr_t attr;
  sigfillset(&all);
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, w->device ? STACK_OF_DEVICES : STACK);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  w->threaded = 1;
  take_ticket(w);
  const int failed = pthread_create(&w->thread, &attr, work, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  if (!failed) return TH_OK;
  w->threaded = 0;                                  /* only this thread takes tickets, so this is the last one */
  __atomic_sub_fetch(&w->queue->next, 1, __ATOMIC_RELAXED);
  return th_fail(TH_ENOMEM, "dist.%s: too many asynchronous operations", th_word_of(w));
}

static int64_t length(const th_list *list) { return list ? list->n : 0; }

static th_status start(th_dist_work **out, th_dist *g, const th_dist_call *call, const th_step *step, const th_list *more)
{
  TH_TRY(need_group(g, call));
  th_dist_work *w = calloc(1, sizeof *w);
  int64_t most = length(more) + 1;
  for (int i = 0; i < (step ? 2 : 1); i++) most += length(call[i].in) + length(call[i].out);
  if (w) w->held = malloc((size_t)most * sizeof *w->held);
  if (!w || !w->held) {
    free(w);
    if (step) step->drop(step->arg);
    return th_fail(TH_ENOMEM, "dist.%s: no memory left", th_operations[call->kind].name);
  }
  th_status s = prepare_all(w, g, call, step);
  if (s == TH_OK) {
    for (int i = 0; i < (step ? 2 : 1); i++) {
      hold(w, call[i].in);
      hold(w, call[i].out);
    }
    hold(w, more);
    s = start_thread(w);
  }
  if (s != TH_OK) {
    th_dist_work_free(w);
    return s;
  }
  w->counted = 1;
  g->works++;
  *out = w;
  return TH_OK;
}

th_status th_dist_start(th_dist_work **out, th_dist *g, const th_dist_call *call) { return start(out, g, call, NULL, NULL); }

th_status th_dist_two(th_dist_work **w, th_dist *g, const th_dist_call call[2], th_step step, const th_list *more)
{
  const th_status s = need_group(g, call);
  if (s == TH_OK) return w ? start(w, g, call, &step, more) : run(g, call, &step);
  step.drop(step.arg);
  return s;
}

int th_dist_test(const th_dist_work *w) { return __atomic_load_n(&w->done, __ATOMIC_ACQUIRE); }

th_status th_dist_wait(th_dist_work *w)
{
  if (w->threaded) pthread_join(w->thread, NULL);
  w->threaded = 0;
  return w->status == TH_OK ? TH_OK : th_fail(w->status, "%s", w->why);
}

double th_dist_now(void) { return th_now(); }

void th_dist_times(const th_dist_work *w, double numbers[3])
{
  numbers[0] = w->began;
  numbers[1] = w->ended;
  numbers[2] = (double)((w->in.n > w->out.n ? w->in.n : w->out.n) * w->es);
}

void th_dist_work_free(th_dist_work *w)
{
  if (w->threaded) pthread_join(w->thread, NULL);
  if (w->counted) w->g->works--;
  const bool stays = w->status != TH_OK && w->g->job->control && __atomic_load_n(&w->g->job->head->broken, __ATOMIC_ACQUIRE);
  for (int64_t i = 0; !stays && i < w->nheld; i++) {                  /* transfers may still be active */
    __atomic_sub_fetch(&w->held[i]->pinned, IN_FLIGHT, __ATOMIC_RELEASE);
    th_storage_release(w->held[i]);
  }
  let_go(w);
  free(w->held);
  free(w);
}
