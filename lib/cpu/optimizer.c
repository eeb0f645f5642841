/* optimizer.c - steps of optimizers, each in one pass over packed memory. */
#ifndef T
#include "kernel.h"
#include "../op/optimizer.args.h"
#include "packed.h"

enum { GRAIN = 1 << 14 };

typedef struct job { void *x, *m, *v, *g, *denom; double number[5]; bool nesterov; } job;

/* Number i of a vector of doubles. */
static inline double rate_at(const th_tensor *t, int64_t i) { return TH_DATA(double, t)[i * t->stride[0]]; }

#define TH_EACH_FLOATS
#define TH_SELF "optimizer.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_adam_step)[TH_NDTYPE] = TH_FLOATS(adam_step);
const th_kernel TH_AT(th_rmsprop_step)[TH_NDTYPE] = TH_FLOATS(rmsprop_step);
const th_kernel TH_AT(th_momentum_step)[TH_NDTYPE] = TH_FLOATS(momentum_step);
const th_kernel TH_AT(th_adam_step_rates)[TH_NDTYPE] = TH_FLOATS(adam_step_rates);
const th_kernel TH_AT(th_rmsprop_step_rates)[TH_NDTYPE] = TH_FLOATS(rmsprop_step_rates);
const th_kernel TH_AT(th_momentum_step_rates)[TH_NDTYPE] = TH_FLOATS(momentum_step_rates);

#else

#define SQRT(v) _Generic((C)0, float: sqrtf, double: sqrt)(v)

TH_INLINE void K(adam_with)(const bool shown, const job *j, int64_t first, int64_t last)
{
  const C rate = (C)j->number[0], b1 = (C)j->number[1], b2 = (C)j->number[2], eps = (C)j->number[3];
  const C keep = (C)j->number[4], c1 = (C)(1 - j->number[1]), c2 = (C)(1 - j->number[2]);
  T *restrict x = j->x, *restrict m = j->m, *restrict v = j->v, *restrict denom = j->denom;
  const T *restrict g = j->g;
  for (int64_t i = first; i < last; i++) {
    const C gi = LOAD(g[i]), mi = b1 * LOAD(m[i]) + c1 * gi, vi = b2 * LOAD(v[i]) + c2 * gi * gi;
    m[i] = STORE(mi);
    v[i] = STORE(vi);
    const C below = SQRT(vi) + eps;
    if (shown) denom[i] = STORE(below);
    x[i] = STORE(keep * LOAD(x[i]) - rate * mi / below);
  }
}

static void K(adam)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  if (j->denom) K(adam_with)(true, j, first, last);
  else K(adam_with)(false, j, first, last);
}

static void K(rmsprop)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const C rate = (C)j->number[0], alpha = (C)j->number[1], eps = (C)j->number[2], c = (C)(1 - j->number[1]);
  T *restrict x = j->x, *restrict v = j->v;
  const T *restrict g = j->g;
  for (int64_t i = first; i < last; i++) {
    const C gi = LOAD(g[i]), vi = alpha * LOAD(v[i]) + c * gi * gi;
    v[i] = STORE(vi);
    x[i] = STORE(LOAD(x[i]) - rate * gi / (SQRT(vi) + eps));
  }
}

TH_INLINE void K(momentum_with)(const bool nesterov, const job *j, int64_t first, int64_t last)
{
  const C rate = (C)j->number[0], momentum = (C)j->number[1], c = (C)(1 - j->number[2]), decay = (C)j->number[3];
  T *restrict x = j->x, *restrict v = j->v, *restrict g = j->g;
  for (int64_t i = first; i < last; i++) {
    C gi = LOAD(g[i]) + decay * LOAD(x[i]);
    const C vi = momentum * LOAD(v[i]) + c * gi;
    if (nesterov) gi += momentum * vi;
    g[i] = STORE(gi);
    v[i] = STORE(vi);
    x[i] = STORE(LOAD(x[i]) - rate * (nesterov ? gi : vi));
  }
}

static void K(momentum)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  if (j->nesterov) K(momentum_with)(true, j, first, last);
  else K(momentum_with)(false, j, first, last);
}

/* Of so many tensors, the last of which is g, the first `changing` change; so does `denom`, where there is one. */
static th_status K(run)(const th_call *c, int tensors, int changing, th_tensor *denom, job *j, th_block f)
{
  th_packed packed = { 0 };
  th_tensor *t[4];
  th_status s = denom ? th_pack_result(&packed, &denom, false) : TH_OK;
  if (s == TH_OK && denom) j->denom = TH_DATA(T, denom);
  for (int i = 0; i < tensors && s == TH_OK; i++) {
    const th_tensor *in = t[i] = c->arg[i].t;
    if (i < changing) s = th_pack_result(&packed, &t[i], true);
    else {
      s = th_pack_input(&packed, &in);
      t[i] = (th_tensor *)in;
    }
  }
  if (s == TH_OK) {
    j->x = TH_DATA(T, t[0]);
    j->g = TH_DATA(T, t[tensors - 1]);
    if (tensors == 4) j->m = TH_DATA(T, t[1]);
    j->v = TH_DATA(T, t[tensors - 2]);
    s = th_parallel(th_tensor_numel(t[0]), GRAIN, f, j);
  }
  return th_packed_end(&packed, s);
}

static th_status K(adam_step)(const th_call *c)
{
  const adam_step_args *a = adam_step_args_of(c);
  job j = { .number = { a->rate, a->beta1, a->beta2, a->eps, a->keep } };
  return K(run)(c, adam_step_g + 1, adam_step_v + 1, a->denom, &j, K(adam));
}
static th_status K(rmsprop_step)(const th_call *c)
{
  const rmsprop_step_args *a = rmsprop_step_args_of(c);
  job j = { .number = { a->rate, a->alpha, a->eps } };
  return K(run)(c, rmsprop_step_g + 1, rmsprop_step_v + 1, NULL, &j, K(rmsprop));
}
static th_status K(momentum_step)(const th_call *c)
{
  const momentum_step_args *a = momentum_step_args_of(c);
  job j = { .number = { a->rate, a->momentum, a->dampening, a->decay }, .nesterov = a->nesterov };
  return K(run)(c, momentum_step_g + 1, momentum_step_g + 1, NULL, &j, K(momentum));
}
static th_status K(adam_step_rates)(const th_call *c)
{
  const adam_step_rates_args *a = adam_step_rates_args_of(c);
  const th_tensor *r = a->rates;
  job j = { .number = { rate_at(r, 0), a->beta1, a->beta2, a->eps, rate_at(r, 1) } };
  return K(run)(c, adam_step_rates_g + 1, adam_step_rates_v + 1, a->denom, &j, K(adam));
}
static th_status K(rmsprop_step_rates)(const th_call *c)
{
  const rmsprop_step_rates_args *a = rmsprop_step_rates_args_of(c);
  job j = { .number = { rate_at(a->rates, 0), a->alpha, a->eps } };
  return K(run)(c, rmsprop_step_rates_g + 1, rmsprop_step_rates_v + 1, NULL, &j, K(rmsprop));
}
static th_status K(momentum_step_rates)(const th_call *c)
{
  const momentum_step_rates_args *a = momentum_step_rates_args_of(c);
  job j = { .number = { rate_at(a->rates, 0), a->momentum, a->dampening, a->decay }, .nesterov = a->nesterov };
  return K(run)(c, momentum_step_rates_g + 1, momentum_step_rates_g + 1, NULL, &j, K(momentum));
}
#undef SQRT
#endif
