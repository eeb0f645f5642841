/* device.c - operations on tensors of devices. The devices of all ranks exchange elements directly
 * where they can (NCCL); elsewhere the operation runs on the CPU, with copies.
 *
 * All ranks announce an operation as usual, and announce whether their tensors are on a device. The
 * first operation of a group for which all are finds out, once, whether the devices can
 * communicate, and all ranks get the same result. If they cannot, or the tensors of some rank are
 * on the CPU, all ranks repeat the operation with copies. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "../../core/environment.h"
#include "../group/group.h"
#include "api.h"

enum { UNKNOWN, OPEN, REFUSED };                    /* `way` of a group */
enum { AUTO, CPU, NCCL };
static const char *const settings[] = { "auto", "cpu", "nccl" };
static const th_device_ranks *offered;

/* What a rank sends to the others before there is a communicator. */
typedef struct device_info {
  int32_t well, forced;
  char name[TH_DEVICE_NAME], id[TH_DEVICE_ID], why[256];
} device_info;

void th_dist_offer(const th_device_ranks *d) { offered = d; }

/* ---- which way ---- */

static int setting(void)
{
  const char *told = th_environment("TH_DIST_CUDA");
  for (int i = 0; told && i < 3; i++) if (strcmp(told, settings[i]) == 0) return i;
  return told ? -1 : AUTO;
}

th_status th_check_device_setting(void)
{
  if (setting() >= 0) return TH_OK;
  return th_fail(TH_EARG, "dist.init: TH_DIST_CUDA must be auto, cpu or nccl, got %s", th_environment("TH_DIST_CUDA"));
}

/* The reason why NCCL is not used for an operation; "" if its result equals the CPU's, up to the
 * order of sums. */
static const char *unlike(int kind, int dtype, int op)
{
  return th_operations[kind].not_on_device ? th_operations[kind].not_on_device(dtype, op) : "NCCL is not used for it";
}

int th_dist_takes(const th_dist *g, int kind, int dtype, int op, int device, const char **why)
{
  const int way = __atomic_load_n(&g->way, __ATOMIC_ACQUIRE), algorithm = th_forced_algorithm();
  *why = unlike(kind, dtype, op);
  if (**why) return 0;
  *why = !device ? "the tensor is on the CPU" : !offered ? "no CUDA library is loaded"
       : setting() == CPU ? "TH_DIST_CUDA is cpu" : g->size == 1 ? "there is one rank"
       : algorithm != TH_AUTO && algorithm != TH_FASTEST ? "dist.algorithm asks for another order of sums than NCCL's"
       : way == REFUSED ? g->why_no_device : g->device && g->device != device ? "the group has another device of this rank" : "";
  if (**why) return 0;
  *why = way == OPEN ? offered->file() : offered->why();
  return way == OPEN ? 2 : 1;
}

/* Records the event after which the elements are valid, now, in the script's stream. */
th_status th_device_prepare(th_dist_work *w)
{
  if (!offered || *unlike(w->notice.kind, w->notice.dtype, w->notice.op)) {
    return th_fail(TH_EARG, "dist.%s: tensors must be on the CPU, got one on a CUDA device", th_word_of(w));
  }
  const char *why;
  if (th_dist_takes(w->g, w->notice.kind, w->notice.dtype, w->notice.op, w->device, &why)) {
    w->notice.note = TH_ON_DEVICE;
    w->g->device = w->device;
  }
  return offered->mark(&w->mark, w->device);
}

void th_device_unprepare(th_dist_work *w)
{
  offered->unmark(w->mark);
  w->mark = NULL;
}

void th_device_close(th_dist *g)
{
  if (g->comm) offered->close(g->comm);
  g->comm = NULL;
}

static void refuse(th_dist *g, const char *why)
{
  th_device_close(g);
  snprintf(g->why_no_device, sizeof g->why_no_device, "%s", why);
  __atomic_store_n(&g->way, REFUSED, __ATOMIC_RELEASE);
}

/* ---- waiting for devices ---- */

static const double LAST_WORDS = 2;     /* seconds in which operations of ranks that have left end */

/* The operation timed out, and all ranks have begun it. A stopped rank is reported as the cause. */
static th_status too_late(th_dist_work *w)
{
  th_dist *g = w->g;
  th_job *j = g->job;
  if (g->inter_host) return th_detect_failure(w, -1);
  for (int r = 0; r < g->size; r++) {
    char state = 0;
    th_birth(j->head->process[g->world[r]].pid, &state);
    if (state != 'T' && state != 't') continue;
    th_blame(w, g->world[r], TH_IS_LATE);
    return th_broken(w);
  }
  th_break(j, j->rank, "all ranks take part, but their devices did not end within %g s", w->seconds);
  return th_broken(w);
}

static th_status look(th_dist_work *w, double *left)
{
  th_dist *g = w->g;
  TH_TRY(th_stopped(w));
  for (int r = 0; r < g->size; r++) {
    if (r == g->rank) continue;
    const th_fault t = th_fault_of(w, g->world[r], false);
    if (t == TH_NO_FAULT) continue;
    if (t == TH_HAS_LEFT && *left == 0) *left = th_now();
    if (t == TH_HAS_LEFT && th_now() - *left < LAST_WORDS) continue;
    th_blame(w, g->world[r], t);
    return th_broken(w);
  }
  if (w->until == 0) w->until = th_now() + w->seconds;
  return th_now() > w->until ? too_late(w) : TH_OK;
}

/* Spins briefly, then sleeps between polls. */
static th_status await_device(th_dist_work *w)
{
  const double begin = th_now();
  double seen = begin, left = 0;
  for (;;) {
    int done = 0;
    TH_TRY(offered->poll(w->g->comm, &done));
    if (done) return TH_OK;
    const double now = th_now();
    if (now - seen > 0.02) {
      TH_TRY(look(w, &left));
      seen = now;
    }
    const double waited = now - begin;
    const struct timespec nap = { 0, waited < 1e-3 ? 5000 : waited < 0.1 ? 50000 : 1000000 };
    if (waited > 100e-6) nanosleep(&nap, NULL);
  }
}

/* ---- the communicator ---- */

/* Gathers the bytes of all ranks during an operation. */
static th_status gather(th_dist_work *w, void *mine, void *all, int64_t bytes)
{
  th_dist_work part = { .g = w->g, .whole = w, .es = 1, .seconds = w->seconds, .until = w->until, .threaded = w->threaded };
  w->notice.seq = w->turn = ++w->queue->turns;
  part.turn = w->turn;
  part.notice = (th_notice){ .seq = w->turn, .kind = TH_DIST_ALLGATHER, .dtype = TH_U8, .count = bytes };
  part.in = (th_spans){ .s = &part.in.one, .count = 1, .n = bytes, .one = { mine, 0, bytes } };
  part.out = (th_spans){ .s = &part.out.one, .count = 1, .n = bytes * w->g->size, .one = { all, 0, bytes * w->g->size } };
  const th_status s = w->g->inter_host ? th_inter_host_run(&part) : th_collective(&part);
  w->until = part.until;
  return s;
}

static void fail_on(device_info *c)
{
  c->well = 0;
  snprintf(c->why, sizeof c->why, "%s", th_error());
}

/* The first problem on the cards of all ranks, in words; the same on all ranks. */
static bool find_problem(const th_dist *g, const device_info *all, char *why, size_t n)
{
  for (int r = 0; r < g->size; r++) {
    if (!all[r].well) {
      snprintf(why, n, "rank %d: %.*s", g->world[r], (int)sizeof all[r].why, all[r].why);
      return true;
    }
    for (int q = 0; q < r; q++) {
      const bool one_host = th_host_of(g->job, g->world[q]) == th_host_of(g->job, g->world[r]);
      if (!one_host || strncmp(all[q].name, all[r].name, TH_DEVICE_NAME) != 0) continue;
      snprintf(why, n, "ranks %d and %d are on one device", g->world[q], g->world[r]);
      return true;
    }
  }
  return false;
}

static void describe_device(th_dist_work *w, device_info *c)
{
  c->well = 1;
  c->forced = setting() == NCCL;
  if (*offered->why()) {
    c->well = 0;
    snprintf(c->why, sizeof c->why, "%s", offered->why());
  } else if (offered->name(w->device, c->name) != TH_OK || (w->g->rank == 0 && offered->id(c->id) != TH_OK)) {
    fail_on(c);
  }
}

/* Opens the communicator of this rank, or writes the reason of a failure on its card. Fails only if
 * the job is broken. */
static th_status open_here(th_dist_work *w, device_info *mine, const char *id)
{
  th_dist *g = w->g;
  th_status s = offered->open(&g->comm, w->device, g->size, g->rank, id);
  if (s == TH_OK) s = await_device(w);
  if (s == TH_OK) return TH_OK;
  fail_on(mine);
  th_device_close(g);
  return __atomic_load_n(&g->job->head->broken, __ATOMIC_ACQUIRE) ? s : TH_OK;
}

/* Tried once by all ranks of the group, when the tensors of all are on devices. */
static th_status set_up(th_dist_work *w, device_info *all)
{
  th_dist *g = w->g;
  char why[TH_WHY], id[TH_DEVICE_ID];
  bool forced = false;
  device_info mine;
  memset(&mine, 0, sizeof mine);
  describe_device(w, &mine);
  TH_TRY(gather(w, &mine, all, sizeof mine));
  bool bad = find_problem(g, all, why, sizeof why);
  for (int r = 0; r < g->size; r++) forced |= all[r].forced != 0;
  if (!bad) {
    memcpy(id, all[0].id, sizeof id);
    TH_TRY(open_here(w, &mine, id));
    TH_TRY(gather(w, &mine, all, sizeof mine));
    bad = find_problem(g, all, why, sizeof why);
  }
  if (!bad) {
    __atomic_store_n(&g->way, OPEN, __ATOMIC_RELEASE);
    return TH_OK;
  }
  if (!forced) {
    refuse(g, why);
    return TH_OK;
  }
  th_device_close(g);
  return th_fail_of(w, "TH_DIST_CUDA is nccl, but %s", why);
}

/* ---- an operation ---- */

static th_status by_communicator(th_dist_work *w)
{
  th_dist *g = w->g;
  const th_device_call call = { .kind = w->notice.kind, .op = w->notice.op, .dtype = w->notice.dtype, .root = w->notice.root,
                                .size = g->size, .rank = g->rank, .device = w->device, .in = &w->in, .out = &w->out,
                                .mark = w->mark };
  th_status s = offered->start(g->comm, &call);
  if (s == TH_OK) s = await_device(w);
  if (s == TH_OK) return TH_OK;
  th_break_for(g->job, s);              /* the others wait for this rank */
  refuse(g, "an operation has failed");
  return s == TH_EINTR ? s : th_broken(w);
}

static void span_of(th_spans *s, char *p, int64_t n)
{
  *s = (th_spans){ .count = 1, .n = n, .one = { p, 0, n } };
  s->s = &s->one;
}

th_status th_by_copies(th_dist_work *w, th_status (*by)(th_dist_work *))
{
  const bool place = w->in.s[0].p == w->out.s[0].p && w->in.n == w->out.n, keeps = th_operation_of(w)->to_root;
  const bool wants = !keeps || th_at_root(w);
  const int64_t n = w->in.n, all = n + (place ? 0 : w->out.n);
  char *room = malloc((size_t)(all * w->es));
  if (!room) return th_break_for(w->g->job, th_fail(TH_ENOMEM, "dist.%s: no memory left", th_word_of(w)));
  th_dist_work copy = *w;
  copy.device = 0;
  copy.notice.note &= ~TH_ON_DEVICE;
  span_of(&copy.in, room, n);
  span_of(&copy.out, place ? room : room + n * w->es, w->out.n);
  th_status s = th_break_for(w->g->job, offered->to_host(room, &w->in, w->es, w->device, w->mark));
  if (s == TH_OK) s = by(&copy);
  w->notice.seq = copy.notice.seq;
  w->turn = copy.turn;
  w->until = copy.until;
  if (s == TH_OK && wants) s = offered->from_host(&w->out, copy.out.one.p, w->es, w->device, w->mark);
  free(room);
  return s;
}

th_status th_by_device(th_dist_work *w, th_status (*by_cpu)(th_dist_work *))
{
  th_dist *g = w->g;
  if (!w->notice.count) return TH_OK;
  if (w->ondevice == g->size && g->way == UNKNOWN) {
    device_info *all = calloc((size_t)g->size, sizeof *all);
    if (!all) return th_break_for(g->job, th_fail(TH_ENOMEM, "dist.%s: no memory left", th_word_of(w)));
    const th_status s = set_up(w, all);
    free(all);
    TH_TRY(s);
  }
  if (w->ondevice == g->size && g->way == OPEN) return by_communicator(w);
  return w->device ? th_by_copies(w, by_cpu) : by_cpu(w);
}
