/* lib/conv/choose.c - chooses the engine of a convolution: the forced one, the preferred one, the one measured to be the fastest, or the one
 * with the lowest predicted cost. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "../core/environment.h"
#include "../op/conv2d.args.h"
#include "../tune/tune.h"
#include "../core/levels.h"
#include "../core/processor.h"

enum { GEMM = 0 };                                  /* the first engine, which supports every shape */
/* FEW: multiplications below which no engine beats the first one. */
enum { FEW = 1 << 18, KEPT = 64 };                  /* KEPT: cached choices */

enum { UNREAD = -2 };                               /* value of `preferred` before the environment has been read */
static int forced = -1, preferred = UNREAD, by_cudnn = TH_DNN_WHERE_FASTER;
static TH_QUICK_LOCAL int here;                     /* the number of this thread's preferred engine, counted from 1 */

#define DECLARE(level) extern const th_conv_engine *const th_conv_engines_##level[];
TH_EACH_LEVEL(DECLARE)

/* The engines of each level; NULL ends the list. */
#define ENGINES(level) th_conv_engines_##level,
static const th_conv_engine *const *const tables[] = { TH_EACH_LEVEL(ENGINES) NULL };

/* Numbers of engines: first the CPU's, in its order, then those that only devices have. Files of times name all of them,
 * with or without devices. */
static const char *const more[] = { "cufft", "cudnn" };
static const th_conv_backend *devices;
static const th_conv_engine *of_devices[TH_CONV_MOST];           /* indexed by engine number; written before `devices` */

static const th_conv_engine *of_cpu(int i)
{
  const th_conv_engine *const *e = i < 0 ? NULL : tables[th_cpu_level_index()];
  for (; e && *e && i > 0; i--) e++;
  return e && i == 0 ? *e : NULL;
}

const th_conv_backend *th_conv_backend_get(void) { return __atomic_load_n(&devices, __ATOMIC_ACQUIRE); }

const th_conv_engine *th_conv_engine_at(int device, int i)
{
  if (i < 0 || i >= TH_CONV_MOST) return NULL;
  if (device == TH_CPU) return of_cpu(i);
  return th_conv_backend_get() ? of_devices[i] : NULL;
}

const char *th_conv_engine_known(int i)
{
  int first = 0;
  if (of_cpu(i)) return of_cpu(i)->name;
  while (of_cpu(first)) first++;
  return i >= first && i < first + (int)(sizeof more / sizeof *more) ? more[i - first] : NULL;
}

const char *th_conv_engine_name(int i)
{
  return of_cpu(i) || th_conv_engine_at(TH_CUDA, i) ? th_conv_engine_known(i) : NULL;
}

/* Called once, before the first convolution on a device. */
void th_conv_backend_add(const th_conv_backend *b)
{
  if (th_conv_backend_get()) return;
  for (const th_conv_engine *const *e = b->engines; *e; e++) {
    for (int i = 0; th_conv_engine_known(i); i++) if (strcmp(th_conv_engine_known(i), (*e)->name) == 0) of_devices[i] = *e;
  }
  __atomic_store_n(&devices, b, __ATOMIC_RELEASE);
}

int th_conv_has(int device, int i) { return th_conv_engine_at(device, i) != NULL; }

const char *th_conv_engine_missing(int device, int i)
{
  const th_conv_engine *e = th_conv_engine_at(device, i);
  return e && e->missing ? e->missing() : NULL;
}

const char *th_conv_model(int device)
{
  const th_conv_backend *b = th_conv_backend_get();
  return device != TH_CPU && b ? b->model(device) : NULL;
}

/* For ops other than convolution, cuDNN uses the position of its engine, and our own kernels that of the first engine. */
static int th_dnn_place(void)
{
  int i = 0;
  while (th_conv_engine_known(i) && strcmp(th_conv_engine_known(i), "cudnn") != 0) i++;
  return i;
}

bool th_conv_does(const th_conv_shape *s, int engine)
{
  if (s->pass > TH_CONV_GRAD_WEIGHT) return engine == GEMM || engine == th_dnn_place();
  const th_conv_engine *e = th_conv_engine_at(s->device, engine);
  return e && e->supports(s);
}

static double products(const th_conv_shape *s)
{
  return (double)s->n * (double)s->groups * (double)s->oh * (double)s->ow * (double)s->c * (double)s->o * (double)s->kh *
         (double)s->kw;
}

double th_conv_product_time(void)
{
  static int known;
  int is = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!is) __atomic_store_n(&known, is = strcmp(th_cpu_level(), "avx512") == 0 && th_halves_products() ? 2 : 1, __ATOMIC_RELAXED);
  return is == 2 ? 1.5 : 1;
}

/* Empty shapes get no cost, because costs divide by the sizes. Seconds of the CPU assume a machine whose products are as fast as
 * on the one where the costs were fitted. */
int th_conv_predict(th_conv_cost *cost, const th_conv_shape *s, int engine)
{
  if (!th_conv_does(s, engine)) return 0;
  *cost = products(s) == 0 ? (th_conv_cost){ 0 } : th_conv_engine_at(s->device, engine)->cost(s);
  if (s->device == TH_CPU) cost->seconds /= th_conv_product_time();
  return 1;
}

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

/* The choice is a function of the shape, and on a device of its model and the rounding of floats, which th_conv_threads numbers.
 * The last choices are cached, because computing the costs takes longer than a small convolution. A thread that finds the lock busy
 * computes them again. */
static int cheapest(const th_conv_shape *s)
{
  static struct { pthread_mutex_t lock; struct { th_conv_shape s; int engine, dnn, model; } kept[KEPT]; } known = {
    .lock = PTHREAD_MUTEX_INITIALIZER
  };
  const int dnn = th_dnn_when();
  if (products(s) < FEW) return GEMM;
  const int model = s->device == TH_CPU ? 0 : th_conv_threads(s);
  const size_t at = th_conv_hash(s, 0) % KEPT;
  int engine = -1;
  if (pthread_mutex_trylock(&known.lock)) return predicted(s);
  if (memcmp(&known.kept[at].s, s, sizeof *s) == 0 && known.kept[at].dnn == dnn && known.kept[at].model == model)
    engine = known.kept[at].engine;
  pthread_mutex_unlock(&known.lock);
  if (engine >= 0) return engine;
  engine = predicted(s);
  if (pthread_mutex_trylock(&known.lock)) return engine;
  known.kept[at].s = *s, known.kept[at].engine = engine, known.kept[at].dnn = dnn, known.kept[at].model = model;
  pthread_mutex_unlock(&known.lock);
  return engine;
}

static int fastest(const th_conv_times *t)
{
  int best = GEMM;
  for (int i = 1; i < TH_CONV_MOST; i++) if (t->ns[i] && t->ns[i] < t->ns[best]) best = i;
  return best;
}

/* The preferred engine if it supports this shape, else -1. Another thread may set another one between any two reads. */
static int preferred_for(const th_conv_shape *s)
{
  const int engine = th_conv_preferred();
  return engine >= 0 && th_conv_does(s, engine) ? engine : -1;
}

int th_conv_choose(const th_conv_shape *s)
{
  th_conv_times t;
  const int engine = preferred_for(s);
  if (engine >= 0) return engine;
  return th_conv_benchmarks() && th_conv_times_find(&t, s) ? fastest(&t) : cheapest(s);
}

/* One thread measures at a time: threads would disturb each other's times and could choose different engines. */
static pthread_mutex_t measuring = PTHREAD_MUTEX_INITIALIZER;

th_status th_dnn_contest(bool *yes, const th_conv_shape *s, th_dnn_timer timer, void *with)
{
  const int place = th_dnn_place();
  th_conv_times t;
  th_status status = TH_OK;
  *yes = false;
  if (!th_conv_times_find(&t, s)) {
    pthread_mutex_lock(&measuring);
    if (!th_conv_times_find(&t, s)) {
      t = (th_conv_times){ .s = *s, .threads = th_conv_threads(s) };
      status = th_dnn_measure(&t.ns[GEMM], &t.ns[place], timer, with);
      if (status == TH_OK) th_conv_times_add(&t);
    }
    pthread_mutex_unlock(&measuring);
  }
  *yes = status == TH_OK && t.ns[place] < t.ns[GEMM];
  return status;
}

/* Measures c unless its times are known. */
static th_status measure(th_conv_times *t, const th_conv *c, const th_call *call)
{
  th_status s = TH_OK;
  pthread_mutex_lock(&measuring);
  if (!th_conv_times_find(t, &c->s)) {
    s = th_conv_measure(t, c, call);
    if (s == TH_OK) th_conv_times_add(t);
  }
  pthread_mutex_unlock(&measuring);
  return s;
}

/* The engine of c. Measures it now if that is enabled and not done yet; without memory for that, uses the predicted costs. */
static th_status choose(int *engine, const th_conv *c, const th_call *call)
{
  th_conv_times t;
  *engine = preferred_for(&c->s);
  if (*engine >= 0) return TH_OK;
  if (!th_conv_benchmarks() || products(&c->s) < FEW) {
    *engine = cheapest(&c->s);
    return TH_OK;
  }
  const th_status s = th_conv_times_find(&t, &c->s) ? TH_OK : measure(&t, c, call);
  *engine = s == TH_OK ? fastest(&t) : cheapest(&c->s);
  return s == TH_ENOMEM ? TH_OK : s;
}

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
th_status th_conv_run(const th_conv *c, const th_call *call)
{
  int chosen = GEMM;
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
