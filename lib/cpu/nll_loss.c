/* nll_loss.c - sums in double over blocks of BLOCK samples, added up in order. */
#ifndef T
#include "kernel.h"
#include "../op/nll_loss.args.h"
#include "packed.h"

enum { BLOCK = 4096 };

/* A sample is (s, p): s of `samples`, p of `places` that each has. */
typedef struct job {
  int64_t samples, classes, places, ignore;
  const void *x, *weight;
  const int64_t *target;
  void *gx;
  double by;
  double *sums, *totals;
} job;

static job job_of(const th_tensor *x, int64_t ignore)
{
  job j = { .samples = x->ndim > 1 ? x->size[0] : 1,
            .classes = x->size[x->ndim > 1 ? 1 : 0],
            .places = 1,
            .ignore = ignore };
  for (int d = 2; d < x->ndim; d++) j.places *= x->size[d];
  return j;
}

/* Where the log probability of the class of sample k stands. */
static int64_t place_of(const job *j, int64_t k)
{
  return (k / j->places * j->classes + j->target[k] - 1) * j->places + k % j->places;
}

#define TH_EACH_FLOATS
#define TH_SELF "nll_loss.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_nll_loss)[TH_NDTYPE] = TH_FLOATS(loss);
const th_kernel TH_AT(th_nll_loss_grad)[TH_NDTYPE] = TH_FLOATS(grad);

#else

static void K(blocks)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const T *x = j->x, *weight = j->weight;
  for (int64_t b = first; b < last; b++) {
    const int64_t end =
      (b + 1) * BLOCK < j->samples * j->places ? (b + 1) * BLOCK : j->samples * j->places;
    double sum = 0, total = 0;
    for (int64_t k = b * BLOCK; k < end; k++) {
      if (j->target[k] == j->ignore) continue;
      const double w = weight ? (double)LOAD(weight[j->target[k] - 1]) : 1;
      sum -= w * (double)LOAD(x[place_of(j, k)]);
      total += w;
    }
    j->sums[b] = sum;
    j->totals[b] = total;
  }
}

static th_status K(loss)(const th_call *c)
{
  const nll_loss_args *a = nll_loss_args_of(c);
  const th_tensor *x = a->x, *target = a->target, *weight = a->weight;
  th_packed packed = { 0 };
  job j = job_of(x, a->ignore);
  const int64_t blocks = (j.samples * j.places + BLOCK - 1) / BLOCK;
  double few[2] = { 0, 0 };
  j.sums = blocks > 1 ? th_scratch(sizeof(double) * 2 * (size_t)blocks) : few;
  if (!j.sums) return th_fail(TH_ENOMEM, "no memory for %lld sums", (long long)blocks);
  j.totals = j.sums + (blocks > 1 ? blocks : 1);
  th_status s = th_pack_input(&packed, &x);
  if (s == TH_OK) s = th_pack_input(&packed, &target);
  if (s == TH_OK) s = th_pack_input(&packed, &weight);
  if (s == TH_OK) {
    j.x = TH_DATA(T, x), j.target = TH_DATA(int64_t, target),
    j.weight = weight ? TH_DATA(T, weight) : NULL;
    s = th_parallel(blocks, 1, K(blocks), &j);
  }
  if (s == TH_OK) {
    double sum = 0, total = 0;
    for (int64_t b = 0; b < blocks; b++) sum += j.sums[b], total += j.totals[b];
    if (a->sizeAverage && total != 0) sum /= total;
    *TH_DATA(T, a->y) = STORE((C)sum);
    *TH_DATA(T, a->total) = STORE((C)total);
  }
  if (blocks > 1) th_scratch_free(j.sums);
  return th_packed_end(&packed, s);
}

static void K(clear)(void *ctx, int64_t first, int64_t last)
{
  memset((T *)((const job *)ctx)->gx + first, 0, sizeof(T) * (size_t)(last - first));
}

static void K(grad_samples)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const T *weight = j->weight;
  for (int64_t k = first; k < last; k++) {
    if (j->target[k] == j->ignore) continue;
    const double w = weight ? (double)LOAD(weight[j->target[k] - 1]) : 1;
    ((T *)j->gx)[place_of(j, k)] = STORE((C)(-w * j->by));
  }
}

static th_status K(grad)(const th_call *c)
{
  const nll_loss_grad_args *a = nll_loss_grad_args_of(c);
  th_tensor *gx = a->gx;
  const th_tensor *target = a->target, *weight = a->weight;
  th_packed packed = { 0 };
  job j = job_of(gx, a->ignore);
  const double total = (double)LOAD(*TH_DATA(T, a->total));
  j.by = a->g / (a->sizeAverage && total != 0 ? total : 1);
  th_status s = th_pack_input(&packed, &target);
  if (s == TH_OK) s = th_pack_input(&packed, &weight);
  if (s == TH_OK) s = th_pack_result(&packed, &gx, false);
  if (s == TH_OK) {
    j.gx = TH_DATA(T, gx), j.target = TH_DATA(int64_t, target),
    j.weight = weight ? TH_DATA(T, weight) : NULL;
    s = th_parallel(th_tensor_numel(gx), TH_GRAIN, K(clear), &j);
  }
  if (s == TH_OK) s = th_parallel(j.samples * j.places, BLOCK, K(grad_samples), &j);
  return th_packed_end(&packed, s);
}
#endif
