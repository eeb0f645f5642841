/* lib/conv/choose.c - runs a convolution by an engine: the forced one, the preferred one, the one measured to be the fastest,
 * or the one with the lowest predicted cost. */
#include <math.h>
#include <pthread.h>
#include "../core/environment.h"
#include "../core/mix.h"
#include "../op/conv2d.args.h"
#include "../tune/tune.h"
#include "conv.h"
#include "kernel_cache.h"

enum { GEMM = 0 };                                  /* the first engine, which supports every shape */
/* FEW: multiplications below which no engine beats the first one. */
enum { FEW = 1 << 18, KEPT = 64 };                  /* KEPT: cached choices */

enum { UNREAD = -2 };                               /* value of `preferred` before the environment has been read */
static int forced = -1, preferred = UNREAD, by_cudnn = TH_DNN_WHERE_FASTER, benchmarks;
static TH_QUICK_LOCAL int here;                     /* the number of this thread's preferred engine, counted from 1 */

void th_conv_force(int engine) { __atomic_store_n(&forced, engine, __ATOMIC_RELAXED); }
int  th_conv_forced(void) { return __atomic_load_n(&forced, __ATOMIC_RELAXED); }
void th_conv_prefer(int engine) { __atomic_store_n(&preferred, engine, __ATOMIC_RELAXED); }

void th_dnn_set(int when) { __atomic_store_n(&by_cudnn, when, __ATOMIC_RELAXED); }
int  th_dnn_when(void) { return __atomic_load_n(&by_cudnn, __ATOMIC_RELAXED); }

static int from_environment(void)
{
  const char *wanted = th_environment("TH_CONV_ENGINE");
  for (int i = 0; wanted && th_conv_engine_known(i); i++) if (strcmp(th_conv_engine_known(i), wanted) == 0) return i;
  return -1;
}

int th_conv_prefer_here(int engine)
{
  const int before = here - 1;
  here = engine + 1;
  return before;
}

int th_conv_preferred(void)
{
  if (here) return here - 1;
  int engine = __atomic_load_n(&preferred, __ATOMIC_RELAXED);
  if (engine != UNREAD) return engine;
  const int first = from_environment();             /* another thread may have set one in the meantime */
  const bool mine = __atomic_compare_exchange_n(&preferred, &engine, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return mine ? first : engine;
}

int th_conv_benchmarks(void) { return __atomic_load_n(&benchmarks, __ATOMIC_RELAXED); }

static th_tune_key key_of(const th_conv_shape *s)
{
  return (th_tune_key){ { s->n, s->groups, s->c, s->o, s->h, s->w, s->kh, s->kw, s->oh, s->ow, s->sh, s->sw, s->ph, s->pw,
                          s->dh, s->dw }, TH_TUNE_CONV + s->pass, s->dtype, s->device };
}

static uint32_t ways_of(const th_conv_shape *s)
{
  uint32_t ways = 0;
  for (int i = 0; i < TH_CONV_MOST; i++) if (th_conv_does(s, i)) ways |= 1u << i;
  return ways;
}

static bool find_times(int64_t ns[TH_TUNE_WAYS], const th_conv_shape *s)
{
  const th_tune_key key = key_of(s);
  return th_tune_find(ns, &key, ways_of(s));
}

static int predicted(const th_conv_shape *s)
{
  int best = GEMM;
  double seconds = INFINITY;
  for (int i = GEMM; i < TH_CONV_MOST; i++) {
    th_conv_cost cost;
    if (th_conv_predict(&cost, s, i) && cost.seconds < seconds) best = i, seconds = cost.seconds;
  }
  return best;
}

/* The place of a cached choice, by the numbers that differ most between layers. */
static size_t place_of(const th_conv_shape *s)
{
  const int64_t number[] = { s->n, s->c, s->o, s->h, s->w, s->kh, s->sh };
  uint64_t h = th_mixed((uint64_t)s->pass, (uint64_t)s->dtype);
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) h = th_mixed(h, (uint64_t)number[i]);
  return h % KEPT;
}

/* The choice is a function of the shape, and on a device of its model and the rounding of floats, which th_tune_machine numbers.
 * The last choices are cached, because computing the costs takes longer than a small convolution.
 * A thread that finds the lock busy computes them again. */
static int cheapest(const th_conv_shape *s)
{
  static struct { pthread_mutex_t lock; struct { th_conv_shape s; int engine, dnn, model, trusted; } kept[KEPT]; } known = {
    .lock = PTHREAD_MUTEX_INITIALIZER
  };
  const int dnn = th_dnn_when(), trusted = th_conv_trusted();
  if (th_conv_products(s) < FEW) return GEMM;
  const int model = s->device == TH_CPU ? 0 : th_tune_machine(s->device);
  const size_t at = place_of(s);
  int engine = -1;
  if (pthread_mutex_trylock(&known.lock)) return predicted(s);
  if (memcmp(&known.kept[at].s, s, sizeof *s) == 0 && known.kept[at].dnn == dnn && known.kept[at].model == model &&
      known.kept[at].trusted == trusted)
    engine = known.kept[at].engine;
  pthread_mutex_unlock(&known.lock);
  if (engine >= 0) return engine;
  engine = predicted(s);
  if (pthread_mutex_trylock(&known.lock)) return engine;
  known.kept[at].s = *s, known.kept[at].engine = engine, known.kept[at].dnn = dnn, known.kept[at].model = model,
  known.kept[at].trusted = trusted;
  pthread_mutex_unlock(&known.lock);
  return engine;
}

/* The preferred engine if it supports this shape, else -1. Another thread may set another one between any two reads. */
static int preferred_for(const th_conv_shape *s)
{
  const int engine = th_conv_preferred();
  return engine >= 0 && th_conv_does(s, engine) ? engine : -1;
}

int th_conv_choose(const th_conv_shape *s)
{
  int64_t ns[TH_TUNE_WAYS];
  const int engine = preferred_for(s);
  if (engine >= 0) return engine;
  return th_conv_benchmarks() && find_times(ns, s) ? th_tune_fastest(ns) : cheapest(s);
}

/* ---- measured times: engine i is way i of the autotuner ---- */

/* A convolution on its actual operands and a temporary result. */
typedef struct trial {
  th_conv   c;
  th_call   call;
  th_tensor result;
} trial;

/* Zeros with the size and strides of t; contiguous if t has large gaps. */
static th_status like(th_tensor *to, const th_tensor *t)
{
  const int64_t reach = th_reach(t);
  *to = (th_tensor){ .device = t->device };
  if (reach == 0) return th_tensor_resize(to, t->dtype, t->ndim, t->size, NULL);
  th_storage *s = NULL;
  TH_TRY(th_storage_new(&s, t->device, t->dtype, reach, 1));
  const th_status status = th_tensor_set(to, t->dtype, s, 0, t->ndim, t->size, t->stride);
  th_storage_release(s);
  return status;
}

static th_status prepare(void *with)
{
  trial *t = with;
  const th_tensor *y = conv2d_args_of(&t->call)->y;
  TH_TRY(like(&t->result, y));
  t->call.arg[conv2d_y].t = &t->result;             /* argument 0 of each of the ops is its result and one of the operands */
  if (t->c.x == y) t->c.x = &t->result;
  if (t->c.y == y) t->c.y = &t->result;
  if (t->c.k == y) t->c.k = &t->result;
  return TH_OK;
}

/* The time of one run, from an idle device to an idle device. */
static th_status timed(int64_t *ns, int way, void *with)
{
  trial *t = with;
  const th_conv_engine *e = th_conv_engine_at(t->c.s.device, way);
  if (t->c.s.device != TH_CPU) return th_conv_backend_get()->time(ns, e, &t->c, &t->call);
  const int64_t start = th_tune_clock();
  const th_status s = e->run(&t->c, &t->call);
  *ns = th_tune_clock() - start;
  return s;
}

static th_status measure(int64_t ns[TH_TUNE_WAYS], const th_conv *c, const th_call *call)
{
  trial t = { .c = *c, .call = *call };
  const th_tune_key key = key_of(&c->s);
  const th_tune_trial how = { ways_of(&c->s), &t, prepare, timed };
  const bool off = th_kernel_cache_off(true);       /* as for kernels in training, whose transforms are not kept */
  const th_status s = th_tune(ns, &key, &how);
  th_kernel_cache_off(off);
  th_tensor_release(&t.result);
  return s;
}

void th_conv_benchmark(int enable, const char *folder)
{
  for (int i = 0; th_conv_engine_known(i); i++) th_tune_way(th_conv_engine_known(i));
  th_tune_open(enable ? folder : NULL, "conv", "times of convolution, in nanoseconds: 1");
  __atomic_store_n(&benchmarks, enable != 0, __ATOMIC_RELAXED);
}

const char *th_conv_times_file(void) { return th_tune_file(); }
const char *th_conv_times_trouble(void) { return th_tune_trouble(); }

double th_conv_measured(const th_conv_shape *s, int engine)
{
  int64_t ns[TH_TUNE_WAYS];
  if (!th_conv_benchmarks() || engine < 0 || engine >= TH_TUNE_WAYS || !find_times(ns, s)) return 0;
  return ns[engine] == INT64_MAX ? 0 : (double)ns[engine] / 1e9;
}

/* ---- running ---- */

/* The engine of c. Measures it now if that is enabled and not done yet; without memory for that, uses the predicted costs. */
static th_status choose(int *engine, const th_conv *c, const th_call *call)
{
  int64_t ns[TH_TUNE_WAYS];
  *engine = preferred_for(&c->s);
  if (*engine >= 0) return TH_OK;
  if (!th_conv_benchmarks() || th_conv_products(&c->s) < FEW) {
    *engine = cheapest(&c->s);
    return TH_OK;
  }
  const th_status s = find_times(ns, &c->s) ? TH_OK : measure(ns, c, call);
  *engine = s == TH_OK ? th_tune_fastest(ns) : cheapest(&c->s);
  return s == TH_ENOMEM ? TH_OK : s;
}

/* The convolution of a call of conv2d, conv2d_grad_input or conv2d_grad_weight; `pass` says which. */
th_conv th_conv_of(const th_call *call, int pass)
{
  static const struct { int x, y, k, geometry; } places[] = {
    [TH_CONV_FORWARD] = { conv2d_x, conv2d_y, conv2d_weight, conv2d_strideH },
    [TH_CONV_GRAD_INPUT] = { conv2d_grad_input_gx, conv2d_grad_input_g, conv2d_grad_input_weight, conv2d_grad_input_strideH },
    [TH_CONV_GRAD_WEIGHT] = { conv2d_grad_weight_x, conv2d_grad_weight_g, conv2d_grad_weight_gw, conv2d_grad_weight_strideH }
  };
  const th_tensor *x = call->arg[places[pass].x].t, *y = call->arg[places[pass].y].t, *k = call->arg[places[pass].k].t;
  const conv_geometry_args *a = conv_geometry_args_at(call, places[pass].geometry);
  const int f = x->ndim - 3;
  const int64_t groups = a->groups;
  return (th_conv){
    .x = x, .y = y, .k = k, .bias = pass == TH_CONV_FORWARD ? conv2d_args_of(call)->bias : NULL,
    .scale = pass == TH_CONV_GRAD_WEIGHT ? conv2d_grad_weight_args_of(call)->scale : 1, .s = {
      .n = f ? x->size[0] : 1, .groups = groups, .c = k->size[1], .o = k->size[0] / groups, .h = x->size[f + 1],
      .w = x->size[f + 2], .kh = k->size[2], .kw = k->size[3], .oh = y->size[f + 1], .ow = y->size[f + 2],
      .sh = a->strideH, .sw = a->strideW, .ph = a->padH, .pw = a->padW, .dh = a->dilationH, .dw = a->dilationW,
      .pass = pass, .dtype = (int16_t)call->dtype, .device = (int16_t)call->device
    }
  };
}

/* Checks that the forced engine exists where the tensors are, and supports this convolution. */
static th_status need_forced(const th_conv_shape *s, int engine)
{
  const char *name = th_conv_engine_name(engine), *missing = th_conv_engine_missing(s->device, engine);
  if (missing) return th_fail(TH_EBACKEND, "the engine %s, which torch.conv.engine asks for: %s", name, missing);
  if (th_conv_does(s, engine)) return TH_OK;
  return th_fail(TH_EARG, "the engine %s, which torch.conv.engine asks for, does not do this convolution: "
                 "torch.conv.explain lists those that do", name);
}

/* A forced engine that only other devices have leaves the choice to this function. A chosen engine that finds only now that it
 * cannot run the convolution falls back to the first one. */
th_status th_conv_run(const th_call *call, int pass)
{
  const th_conv of = th_conv_of(call, pass), *const c = &of;
  int chosen = GEMM;
  if (th_kernels_gone()) return th_kernels_missed();
  const int wanted = th_conv_forced();
  const bool empty = th_numel(c->x) == 0 || th_numel(c->y) == 0 || th_numel(c->k) == 0;
  if (!empty && th_conv_has(c->s.device, wanted)) {
    chosen = wanted;
    TH_TRY(need_forced(&c->s, chosen));
  } else if (!empty) {
    TH_TRY(choose(&chosen, c, call));
  }
  const th_status s = th_conv_engine_at(c->s.device, chosen)->run(c, call);
  if (s == TH_OK || chosen == GEMM) return s;
  const bool cannot = s == TH_EBACKEND && chosen != wanted && !th_conv_does(&c->s, chosen);
  return s == TH_ENOMEM || cannot ? th_conv_engine_at(c->s.device, GEMM)->run(c, call) : s;
}
