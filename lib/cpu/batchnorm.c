/* batchnorm.c - WIDE features at a time; sums in double in a fixed order, the variance in a pass of
 * its own around the mean. */
#ifndef T
#include "kernel.h"
#include "../op/batchnorm.args.h"
#include "packed.h"

enum { WIDE = 16, LANES = 8 };

/* x is samples x features x places. Vectors may have any stride, and beside halves be floats. */
typedef struct job {
  int64_t samples, features, places;
  const void *x, *g, *mask;
  void *y, *gy;
  const th_tensor *weight, *bias, *mean, *invstd;
  th_tensor *running_mean, *running_var, *grad_weight, *grad_bias;
  bool train, relu;
  double momentum, eps, scale;
} job;

static job job_of(const th_tensor *x)
{
  job j = { .samples = x->size[0], .features = x->size[1], .places = 1 };
  for (int d = 2; d < x->ndim; d++) j.places *= x->size[d];
  return j;
}

static int64_t grain_of(const job *j)
{
  return WIDE * ((1 << 15) / (j->samples * j->places * WIDE + 1) + 1);
}

#define TH_EACH_FLOATS
#define TH_SELF "batchnorm.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_batchnorm)[TH_NDTYPE] = TH_FLOATS(forward);
const th_kernel TH_AT(th_batchnorm_grad)[TH_NDTYPE] = TH_FLOATS(backward);

#else

#define AT(t, f) (TH_DATA(T, t)[(f) * (t)->stride[0]])

static A K(get)(const th_tensor *t, int64_t f, A absent)
{
  if (!t) return absent;
  return IS_HALF && t->dtype == TH_F32 ? (A)TH_DATA(float, t)[f * t->stride[0]] : (A)LOAD(AT(t, f));
}
static void K(set)(const th_tensor *t, int64_t f, A v)
{
  if (!t) return;
  if (IS_HALF && t->dtype == TH_F32) TH_DATA(float, t)[f * t->stride[0]] = (float)v;
  else AT(t, f) = STORE((C)v);
}

/* What is summed: x, (x - mean)^2, and of the gradient g and g * (x - mean). */
typedef A (*K(term))(C x, C g, A mean);
TH_INLINE A K(value)(C x, C g, A mean) { (void)g, (void)mean; return (A)x; }
TH_INLINE A K(square)(C x, C g, A mean) { (void)g; return ((A)x - mean) * ((A)x - mean); }
TH_INLINE A K(slope)(C x, C g, A mean) { (void)x, (void)mean; return (A)g; }
TH_INLINE A K(product)(C x, C g, A mean) { return (A)g * ((A)x - mean); }

/* gy is g where the result was positive, else 0, from element `at` on. */
TH_INLINE void K(mask)(const job *j, int64_t at, int64_t n)
{
  const T *g = (const T *)j->g + at, *y = (const T *)j->mask + at;
  T *gy = (T *)j->gy + at;
  for (int64_t i = 0; i < n; i++) gy[i] = STORE(LOAD(y[i]) > 0 ? LOAD(g[i]) : 0);
}

/* The sums of a term for the features [first, first + n); with `masking` it makes gy, which is then
 * the gradient. */
TH_INLINE void K(sum)(const K(term) f, const bool masking, const job *j, int64_t first, int64_t n,
                      const A *mean, A *sum)
{
  const T *gradient = j->mask ? j->gy : j->g ? j->g : j->x;
  for (int64_t i = 0; i < n; i++) sum[i] = 0;
  for (int64_t s = 0; s < j->samples; s++) {
    const int64_t at = (s * j->features + first) * j->places;
    const T *x = (const T *)j->x + at, *g = gradient + at;
    if (masking) K(mask)(j, at, n * j->places);
    if (j->places == 1) {
      for (int64_t i = 0; i < n; i++) sum[i] += f(LOAD(x[i]), LOAD(g[i]), mean[i]);
      continue;
    }
    for (int64_t i = 0; i < n; i++, x += j->places, g += j->places) {
      A lane[LANES] = { 0 };
      int64_t p = 0;
      for (; p + LANES <= j->places; p += LANES) {
        for (int l = 0; l < LANES; l++) lane[l] += f(LOAD(x[p + l]), LOAD(g[p + l]), mean[i]);
      }
      for (int l = 0; p + l < j->places; l++) lane[l] += f(LOAD(x[p + l]), LOAD(g[p + l]), mean[i]);
      for (int w = LANES / 2; w; w /= 2) for (int l = 0; l < w; l++) lane[l] += lane[l + w];
      sum[i] += lane[0];
    }
  }
}

/* The results of the features [first, first + n). */
TH_INLINE void K(normalise)(const bool relu, const job *j, int64_t first, int64_t n, const C *by,
                            const C *plus, const C *centre)
{
  for (int64_t s = 0; s < j->samples; s++) {
    const T *x = (const T *)j->x + (s * j->features + first) * j->places;
    T *y = (T *)j->y + (s * j->features + first) * j->places;
    if (j->places == 1) {
      for (int64_t i = 0; i < n; i++) {
        const C v = (LOAD(x[i]) - centre[i]) * by[i] + plus[i];
        y[i] = STORE(relu && v <= 0 ? 0 : v);
      }
      continue;
    }
    for (int64_t i = 0; i < n; i++, x += j->places, y += j->places) {
      for (int64_t p = 0; p < j->places; p++) {
        const C v = (LOAD(x[p]) - centre[i]) * by[i] + plus[i];
        y[p] = STORE(relu && v <= 0 ? 0 : v);
      }
    }
  }
}

static void K(forward_features)(void *ctx, int64_t begin, int64_t end)
{
  const job *j = ctx;
  const A count = (A)(j->samples * j->places);
  for (int64_t first = begin; first < end && !th_interrupted(); first += WIDE) {
    const int64_t n = end - first < WIDE ? end - first : WIDE;
    A mean[WIDE] = { 0 }, var[WIDE] = { 0 };
    C by[WIDE], plus[WIDE], centre[WIDE];
    if (j->train) {
      K(sum)(K(value), false, j, first, n, mean, mean);
      for (int64_t i = 0; i < n; i++) mean[i] /= count;
      K(sum)(K(square), false, j, first, n, mean, var);
    }
    for (int64_t i = 0; i < n; i++) {
      const int64_t f = first + i;
      if (j->train) {
        const A m = (A)j->momentum, unbiased = var[i] / (count > 1 ? count - 1 : 1);
        var[i] /= count;
        K(set)(j->running_mean, f, m * mean[i] + (1 - m) * K(get)(j->running_mean, f, 0));
        K(set)(j->running_var, f, m * unbiased + (1 - m) * K(get)(j->running_var, f, 0));
      } else {
        mean[i] = K(get)(j->running_mean, f, 0);
        var[i] = K(get)(j->running_var, f, 1);
      }
      const A inv = 1 / sqrt(var[i] + (A)j->eps);
      K(set)(j->mean, f, mean[i]);
      K(set)(j->invstd, f, inv);
      by[i] = (C)(inv * K(get)(j->weight, f, 1));
      plus[i] = (C)K(get)(j->bias, f, 0);
      centre[i] = (C)mean[i];
    }
    if (j->relu) K(normalise)(true, j, first, n, by, plus, centre);
    else K(normalise)(false, j, first, n, by, plus, centre);
  }
}

static th_status K(forward)(const th_call *c)
{
  const batchnorm_args *a = batchnorm_args_of(c);
  th_tensor *y = a->y;
  const th_tensor *x = a->x;
  th_packed packed = { 0 };
  job j = job_of(x);
  j.mean = a->mean, j.invstd = a->invstd, j.weight = a->weight, j.bias = a->bias;
  j.running_mean = a->runningMean, j.running_var = a->runningVar;
  j.train = a->train != 0, j.relu = a->relu != 0, j.momentum = a->momentum, j.eps = a->eps;
  if (j.samples * j.places == 0) return TH_OK;
  th_status s = th_pack_input(&packed, &x);
  if (s == TH_OK) s = th_pack_result(&packed, &y, false);
  if (s == TH_OK) {
    j.x = TH_DATA(T, x), j.y = TH_DATA(T, y);
    s = th_parallel(j.features, grain_of(&j), K(forward_features), &j);
  }
  return th_packed_end(&packed, s);
}

static void K(backward_features)(void *ctx, int64_t begin, int64_t end)
{
  const job *j = ctx;
  const A count = (A)(j->samples * j->places), scale = (A)j->scale;
  for (int64_t first = begin; first < end && !th_interrupted(); first += WIDE) {
    const int64_t n = end - first < WIDE ? end - first : WIDE;
    A mean[WIDE] = { 0 }, slope[WIDE] = { 0 }, product[WIDE] = { 0 };
    C by[WIDE], back[WIDE], minus[WIDE], centre[WIDE];
    for (int64_t i = 0; i < n; i++) mean[i] = K(get)(j->mean, first + i, 0);
    if (j->mask) K(sum)(K(slope), true, j, first, n, mean, slope);
    else K(sum)(K(slope), false, j, first, n, mean, slope);
    K(sum)(K(product), false, j, first, n, mean, product);
    for (int64_t i = 0; i < n; i++) {
      const int64_t f = first + i;
      const A inv = K(get)(j->invstd, f, 1);
      if (j->grad_weight)
        K(set)(j->grad_weight, f, K(get)(j->grad_weight, f, 0) + scale * product[i] * inv);
      if (j->grad_bias) K(set)(j->grad_bias, f, K(get)(j->grad_bias, f, 0) + scale * slope[i]);
      by[i] = (C)(inv * K(get)(j->weight, f, 1));
      back[i] = (C)(j->train ? product[i] * inv * inv / count : 0);
      minus[i] = (C)(j->train ? slope[i] / count : 0);
      centre[i] = (C)mean[i];
    }
    for (int64_t s = 0; s < j->samples; s++) {
      const int64_t at = (s * j->features + first) * j->places;
      const T *x = (const T *)j->x + at, *g = (const T *)(j->mask ? j->gy : j->g) + at;
      T *gx = (T *)j->y + at;
      for (int64_t i = 0; i < n; i++, x += j->places, g += j->places, gx += j->places) {
        for (int64_t p = 0; p < j->places; p++) {
          gx[p] = STORE((LOAD(g[p]) - minus[i] - (LOAD(x[p]) - centre[i]) * back[i]) * by[i]);
        }
      }
    }
  }
}

static th_status K(backward)(const th_call *c)
{
  const batchnorm_grad_args *a = batchnorm_grad_args_of(c);
  th_tensor *gx = a->gx, *gy = a->gy;
  const th_tensor *x = a->x, *g = a->g, *y = a->y;
  th_packed packed = { 0 };
  job j = job_of(x);
  j.weight = a->weight, j.mean = a->mean, j.invstd = a->invstd;
  j.grad_weight = a->gradWeight, j.grad_bias = a->gradBias, j.train = a->train != 0,
  j.scale = a->scale;
  if (j.samples * j.places == 0) return TH_OK;
  th_status s = th_pack_input(&packed, &x);
  if (s == TH_OK) s = th_pack_input(&packed, &g);
  if (s == TH_OK) s = th_pack_input(&packed, &y);
  if (s == TH_OK) s = th_pack_result(&packed, &gx, false);
  if (s == TH_OK) s = th_pack_result(&packed, &gy, false);
  if (s == TH_OK) {
    j.x = TH_DATA(T, x), j.g = TH_DATA(T, g), j.y = TH_DATA(T, gx);
    if (y) j.mask = TH_DATA(T, y), j.gy = TH_DATA(T, gy);
    s = th_parallel(j.features, grain_of(&j), K(backward_features), &j);
  }
  return th_packed_end(&packed, s);
}
#undef AT
#endif
