/* lib/conv/engines.c - the engines of convolution: their numbers and names, which of them a device has, and what they cost. */
#include "conv.h"
#include "../core/levels.h"
#include "../core/processor.h"
#include "../tune/tune.h"

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
  th_tune_set_model(b->model);
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

const char *th_conv_model(int device) { return th_tune_model(device); }

bool th_conv_does(const th_conv_shape *s, int engine)
{
  const th_conv_engine *e = th_conv_engine_at(s->device, engine);
  return e && e->supports(s);
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
  *cost = th_conv_products(s) == 0 ? (th_conv_cost){ 0 } : th_conv_engine_at(s->device, engine)->cost(s);
  if (s->device == TH_CPU) cost->seconds /= th_conv_product_time();
  return 1;
}
