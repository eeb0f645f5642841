/* lib/conv/measure.c - times the engines of a convolution, on the actual operands and a temporary result. */
#include <time.h>
#include "kernel_cache.h"
#include "../op/conv2d.args.h"
#include "../tune/tune.h"

enum { ROUNDS = 10, HOPELESS = 4 };
static const int64_t ENOUGH = 100000000;            /* nanoseconds after which measuring ends, if two rounds are done */

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Zeros with the size and strides of t; contiguous if t has large gaps. */
static th_status like(th_tensor *to, const th_tensor *t)
{
  const int64_t reach = th_conv_reach(t);
  *to = (th_tensor){ .device = t->device };
  if (reach == 0) return th_tensor_resize(to, t->dtype, t->ndim, t->size, NULL);
  th_storage *s = NULL;
  TH_TRY(th_storage_new(&s, t->device, t->dtype, reach, 1));
  const th_status status = th_tensor_set(to, t->dtype, s, 0, t->ndim, t->size, t->stride);
  th_storage_release(s);
  return status;
}

/* The time of one run, from an idle device to an idle device. */
static th_status timed(int64_t *ns, const th_conv_engine *e, const th_conv *c, const th_call *call)
{
  if (c->s.device != TH_CPU) return th_conv_backend_get()->time(ns, e, c, call);
  const int64_t start = now();
  const th_status s = e->run(c, call);
  *ns = now() - start;
  return s;
}

/* One run. Lowers *ns to its time, or sets INT64_MAX if memory does not suffice or a library fails that the first engine does not
 * need. */
static th_status once(int64_t *ns, const th_conv_engine *e, const th_conv *c, const th_call *call)
{
  int64_t took = 0;
  const th_status s = timed(&took, e, c, call);
  if (s == TH_OK && (*ns == 0 || took < *ns)) *ns = took > 0 ? took : 1;
  const bool never = s == TH_ENOMEM || (s == TH_EBACKEND && e != th_conv_engine_at(c->s.device, 0));
  if (never) *ns = INT64_MAX;
  return never ? TH_OK : s;
}

/* A first round warms up and finds engines that are too slow; the others then take turns. On devices, the very first run makes
 * plans and loads kernels, so its time is ignored. */
static th_status rounds(th_conv_times *t, const th_conv *c, const th_call *call)
{
  int64_t best = INT64_MAX, first[TH_CONV_MOST] = { 0 };
  const int64_t start = now();
  for (int i = 0; i < TH_CONV_MOST; i++) {
    if (!th_conv_does(&c->s, i)) continue;
    int64_t unused = 0;
    if (c->s.device != TH_CPU) TH_TRY(once(&unused, th_conv_engine_at(c->s.device, i), c, call));
    TH_TRY(once(&first[i], th_conv_engine_at(c->s.device, i), c, call));
    if (first[i] < best) best = first[i];
  }
  for (int round = 0; round < ROUNDS && (round < 2 || now() - start < ENOUGH); round++) {
    for (int i = 0; i < TH_CONV_MOST; i++) {
      if (first[i] == 0 || t->ns[i] == INT64_MAX) continue;
      if (first[i] / HOPELESS > best) t->ns[i] = first[i];
      else TH_TRY(once(&t->ns[i], th_conv_engine_at(c->s.device, i), c, call));
    }
  }
  return TH_OK;
}

th_status th_conv_measure(th_conv_times *t, const th_conv *c, const th_call *call)
{
  const conv2d_args *a = conv2d_args_of(call);
  th_call scratch = *call;
  th_conv on = *c;
  th_tensor result;
  *t = (th_conv_times){ .s = c->s, .threads = th_conv_threads(&c->s) };
  th_status s = like(&result, a->y);
  if (s == TH_OK) {
    scratch.arg[conv2d_y].t = &result;              /* argument 0 of each of the ops is its result and one of the operands */
    if (on.x == a->y) on.x = &result;
    if (on.y == a->y) on.y = &result;
    if (on.k == a->y) on.k = &result;
    const bool off = th_conv_kept_off(true);        /* as for kernels in training, whose transforms are not kept */
    s = rounds(t, &on, &scratch);
    th_conv_kept_off(off);
  }
  th_tensor_release(&result);
  return s;
}

/* Times two implementations: a run of each makes plans and loads kernels, then they take turns. */
th_status th_dnn_measure(int64_t *own, int64_t *theirs, th_dnn_timer timer, void *with)
{
  int64_t *const ns[] = { own, theirs };
  const int64_t start = now();
  for (int round = -1; round < ROUNDS && (round < 2 || now() - start < ENOUGH); round++) {
    for (int i = 0; i < 2; i++) {
      int64_t took = 0;
      if (*ns[i] == INT64_MAX) continue;
      const th_status s = timer(&took, i == 1, with);
      if (i == 1 && (s == TH_ENOMEM || s == TH_EBACKEND)) *ns[i] = INT64_MAX;
      else if (s != TH_OK) return s;
      else if (round >= 0 && (*ns[i] == 0 || took < *ns[i])) *ns[i] = took > 0 ? took : 1;
    }
  }
  return TH_OK;
}
