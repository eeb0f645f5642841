/* conv.c - chooses the engine of a convolution: by force, or by what the engines predict. */
#include <stdlib.h>
#include "conv.h"

enum { GEMM = 0 };                                  /* the first engine does everything */
/* Multiplications below which no engine could beat the first one. */
enum { FEW = 1 << 18 };

static int forced = -1;

#ifdef TH_HAVE_base
extern const th_conv_engine *const th_conv_engines_base[];
#endif
#ifdef TH_HAVE_avx2
extern const th_conv_engine *const th_conv_engines_avx2[];
#endif
#ifdef TH_HAVE_avx512
extern const th_conv_engine *const th_conv_engines_avx512[];
#endif

/* The engines of each level that was built; NULL ends them. */
static const struct { const char *level; const th_conv_engine *const *engines; } tables[] = {
#ifdef TH_HAVE_base
  { "base", th_conv_engines_base },
#endif
#ifdef TH_HAVE_avx2
  { "avx2", th_conv_engines_avx2 },
#endif
#ifdef TH_HAVE_avx512
  { "avx512", th_conv_engines_avx512 },
#endif
  { NULL, NULL }
};

/* The engine of this number; NULL: there is none. */
static const th_conv_engine *engine_at(int i)
{
  const th_conv_engine *const *e = NULL;
  for (size_t k = 0; tables[k].level; k++) if (strcmp(th_cpu_level(), tables[k].level) == 0) e = tables[k].engines;
  for (; e && *e && i > 0; i--) e++;
  return e && i == 0 ? *e : NULL;
}

const char *th_conv_engine_name(int i)
{
  const th_conv_engine *e = engine_at(i);
  return e ? e->name : NULL;
}

int th_conv_predict(th_conv_cost *cost, const th_conv_shape *s, int engine)
{
  const th_conv_engine *e = engine_at(engine);
  if (!e->supports(s)) return 0;
  *cost = e->cost(s);
  return 1;
}

void th_conv_force(int engine) { __atomic_store_n(&forced, engine, __ATOMIC_RELAXED); }
int  th_conv_forced(void) { return __atomic_load_n(&forced, __ATOMIC_RELAXED); }

int th_conv_choose(const th_conv_shape *s)
{
  const double pixels = (double)s->n * (double)s->groups * (double)s->oh * (double)s->ow;
  if (pixels * (double)s->c * (double)s->o * (double)s->kh * (double)s->kw < FEW) return GEMM;
  int best = GEMM;
  double seconds = engine_at(GEMM)->cost(s).seconds;
  for (int i = 1; engine_at(i); i++) {
    th_conv_cost cost;
    if (th_conv_predict(&cost, s, i) && cost.seconds < seconds) best = i, seconds = cost.seconds;
  }
  return best;
}

th_status th_conv_run(const th_conv *c, const th_call *call)
{
  const int wanted = th_conv_forced();
  const bool empty = th_numel(c->x) == 0 || th_numel(c->y) == 0 || th_numel(c->k) == 0;
  if (wanted >= 0 && !empty && !engine_at(wanted)->supports(&c->s)) {
    return th_fail(TH_EARG, "the engine %s, which torch.conv.engine asks for, does not do this convolution: "
                   "torch.conv.explain lists those that do", engine_at(wanted)->name);
  }
  const int chosen = empty ? GEMM : wanted >= 0 ? wanted : th_conv_choose(&c->s);
  const th_status s = engine_at(chosen)->run(c, call);
  return s == TH_ENOMEM && chosen != GEMM ? engine_at(GEMM)->run(c, call) : s;
}
