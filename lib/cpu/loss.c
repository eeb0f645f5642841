/* loss.c - losses of pairs of numbers: each term in C, sums in double over fixed blocks. */
#ifndef T
#include "kernel.h"
#include "../op/loss.args.h"
#include "packed.h"

enum { BLOCK = 8192, LANES = 8 };

/* b is the factor of the gradient; weight repeats every `period` elements. */
typedef struct job {
  const void *x, *t, *weight;
  void *gx;
  double *sums, by;
  int64_t n, period;
} job;

static int64_t blocks_of(int64_t n) { return (n + BLOCK - 1) / BLOCK; }
static const double epsilon = 1e-12;

#define TH_EACH_FLOATS
#define TH_SELF "loss.c"
#include "each_dtype.h"

#define TABLES(f) const th_kernel TH_AT(th_##f)[TH_NDTYPE] = TH_FLOATS(f); \
                  const th_kernel TH_AT(th_##f##_grad)[TH_NDTYPE] = TH_FLOATS(f##_grad);
TABLES(mse_loss)
TABLES(abs_loss)
TABLES(smoothl1_loss)
TABLES(bce_loss)

#else

typedef A (*K(term))(C x, C t);

TH_INLINE A K(mse)(C x, C t) { const A d = (A)x - (A)t; return d * d; }
TH_INLINE A K(abs)(C x, C t) { return fabs((A)x - (A)t); }
TH_INLINE A K(smooth)(C x, C t)
{
  const A d = fabs((A)x - (A)t);
  return d < 1 ? d * d / 2 : d - 0.5;
}
TH_INLINE A K(bce)(C x, C t)
{
  return -(log((A)x + epsilon) * (A)t + log(1 - (A)x + epsilon) * (1 - (A)t));
}

TH_INLINE A K(mse_slope)(C x, C t) { return 2 * ((A)x - (A)t); }
TH_INLINE A K(abs_slope)(C x, C t) { return x >= t ? 1 : x < t ? -1 : (A)x - (A)t; }
TH_INLINE A K(smooth_slope)(C x, C t)
{
  const A d = (A)x - (A)t;
  return d < -1 ? -1 : d > 1 ? 1 : d;
}
TH_INLINE A K(bce_slope)(C x, C t)
{
  return ((A)x - (A)t) / ((1 - (A)x + epsilon) * ((A)x + epsilon));
}

TH_INLINE void K(sum_blocks)(const K(term) f, const job *j, int64_t first, int64_t last)
{
  const T *x = j->x, *t = j->t, *w = j->weight;
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t end = (b + 1) * BLOCK < j->n ? (b + 1) * BLOCK : j->n;
    A lane[LANES] = { 0 };
    int64_t i = b * BLOCK;
    if (w) {
      for (; i < end; i++) lane[i % LANES] += f(LOAD(x[i]), LOAD(t[i])) * (A)LOAD(w[i % j->period]);
    }
    for (; i + LANES <= end; i += LANES)
      for (int l = 0; l < LANES; l++) lane[l] += f(LOAD(x[i + l]), LOAD(t[i + l]));
    for (int l = 0; i + l < end; l++) lane[l] += f(LOAD(x[i + l]), LOAD(t[i + l]));
    for (int v = LANES / 2; v; v /= 2) for (int l = 0; l < v; l++) lane[l] += lane[l + v];
    j->sums[b] = lane[0];
  }
}

TH_INLINE void K(slopes)(const K(term) f, const job *j, int64_t first, int64_t last)
{
  const T *x = j->x, *t = j->t, *w = j->weight;
  T *gx = j->gx;
  const A by = j->by;
  if (w) {
    for (int64_t i = first; i < last; i++) {
      gx[i] = STORE((C)(f(LOAD(x[i]), LOAD(t[i])) * by * (A)LOAD(w[i % j->period])));
    }
  } else {
    for (int64_t i = first; i < last; i++) gx[i] = STORE((C)(f(LOAD(x[i]), LOAD(t[i])) * by));
  }
}

static th_status K(loss)(const th_call *c, const th_tensor *weight, th_block f)
{
  const loss_args *args = loss_args_of(c);
  const th_tensor *x = args->x, *t = args->target;
  th_packed packed = { 0 };
  job j = { .n = th_tensor_numel(x) };
  const int64_t blocks = blocks_of(j.n);
  double few[1] = { 0 }, sum = 0;
  j.sums = blocks > 1 ? th_scratch(sizeof(double) * (size_t)blocks) : few;
  if (!j.sums) return th_fail(TH_ENOMEM, "no memory for %lld sums", (long long)blocks);
  th_status s = th_pack_input(&packed, &x);
  if (s == TH_OK) s = th_pack_input(&packed, &t);
  if (s == TH_OK) s = th_pack_input(&packed, &weight);
  if (s == TH_OK) {
    j.x = TH_DATA(T, x), j.t = TH_DATA(T, t);
    if (weight) j.weight = TH_DATA(T, weight), j.period = th_tensor_numel(weight);
    s = th_parallel(blocks, 1, f, &j);
  }
  for (int64_t b = 0; b < blocks && s == TH_OK; b++) sum += j.sums[b];
  if (blocks > 1) th_scratch_free(j.sums);
  ((th_call *)c)->arg[loss_loss].d =
    args->sizeAverage && j.n ? sum / (double)j.n : sum; /* a `return`: th_run hands it on */
  return th_packed_end(&packed, s);
}

static th_status K(loss_grad)(const th_call *c, const th_tensor *weight, th_block f)
{
  const loss_grad_args *a = loss_grad_args_of(c);
  th_tensor *gx = a->gx;
  const th_tensor *x = a->x, *t = a->target;
  th_packed packed = { 0 };
  job j = { .n = th_tensor_numel(x) };
  j.by = a->sizeAverage ? 1 / (double)j.n : 1;
  th_status s = th_pack_input(&packed, &x);
  if (s == TH_OK) s = th_pack_input(&packed, &t);
  if (s == TH_OK) s = th_pack_input(&packed, &weight);
  if (s == TH_OK) s = th_pack_result(&packed, &gx, false);
  if (s == TH_OK) {
    j.x = TH_DATA(T, x), j.t = TH_DATA(T, t), j.gx = TH_DATA(T, gx);
    if (weight) j.weight = TH_DATA(T, weight), j.period = th_tensor_numel(weight);
    s = th_parallel(j.n, BLOCK, f, &j);
  }
  return th_packed_end(&packed, s);
}

#define OPS(f, term, w, gw) \
  static void K(f##_sums)(void *j, int64_t a, int64_t b) { K(sum_blocks)(K(term), j, a, b); } \
  static void K(f##_slopes)(void *j, int64_t a, int64_t b) { K(slopes)(K(term##_slope), j, a, b); } \
  static th_status K(f)(const th_call *c) { return K(loss)(c, w, K(f##_sums)); } \
  static th_status K(f##_grad)(const th_call *c) { return K(loss_grad)(c, gw, K(f##_slopes)); }
OPS(mse_loss, mse, NULL, NULL)
OPS(abs_loss, abs, NULL, NULL)
OPS(smoothl1_loss, smooth, NULL, NULL)
OPS(bce_loss, bce, bce_loss_args_of(c)->weight, bce_loss_grad_args_of(c)->weight)
#undef OPS
#endif
