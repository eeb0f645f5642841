/* dot.c - a dot product: blocks of fixed length, summed in A, added up in order. */
#ifndef T
#include "kernel.h"
#include "../op/dot.args.h"

enum { LANES = 16, BLOCK = 32768 };

typedef struct job { const char *a, *b; int64_t as, bs, n; void *sums; } job;

#define TH_SELF "dot.c"
#include "each_dtype.h"
const th_kernel TH_AT(th_dot)[TH_NDTYPE] = TH_ALL(dot);
#else

static A K(sum)(const T *a, const T *b, int64_t as, int64_t bs, int64_t n)
{
  A lane[LANES] = { 0 }, rest = 0;
  int64_t i = 0;
  if (as == 1 && bs == 1) {
    for (; i + LANES <= n; i += LANES) {
      for (int l = 0; l < LANES; l++) lane[l] += (A)LOAD(a[i + l]) * (A)LOAD(b[i + l]);
    }
  }
  for (; i < n; i++) rest += (A)LOAD(a[i * as]) * (A)LOAD(b[i * bs]);
  for (int w = LANES / 2; w; w /= 2) for (int l = 0; l < w; l++) lane[l] += lane[l + w];
  return lane[0] + rest;
}

static void K(blocks)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  for (int64_t k = first; k < last; k++) {
    const int64_t from = k * BLOCK, n = j->n - from < BLOCK ? j->n - from : BLOCK;
    ((A *)j->sums)[k] =
      K(sum)((const T *)j->a + from * j->as, (const T *)j->b + from * j->bs, j->as, j->bs, n);
  }
}

static th_status K(flat)(const th_tensor *a, const th_tensor *b, A *result)
{
  const int64_t n = th_tensor_numel(a), blocks = (n + BLOCK - 1) / BLOCK;
  job j = { .a = th_data(a, sizeof(T)), .b = th_data(b, sizeof(T)), .n = n,
            .as = a->ndim == 1 ? a->stride[0] : 1, .bs = b->ndim == 1 ? b->stride[0] : 1 };
  A sum = 0;
  *result = 0;
  if (n == 0) return TH_OK;
  if (blocks == 1) {
    *result = K(sum)((const T *)j.a, (const T *)j.b, j.as, j.bs, n);
    return TH_OK;
  }
  j.sums = th_scratch(sizeof(A) * (size_t)blocks);
  if (!j.sums) return th_fail(TH_ENOMEM, "no memory for %lld sums", (long long)blocks);
  const th_status s = th_parallel(blocks, 1, K(blocks), &j);
  for (int64_t k = 0; k < blocks && s == TH_OK; k++) sum += ((A *)j.sums)[k];
  th_scratch_free(j.sums);
  *result = sum;
  return s;
}

/* Tensors that are no straight line in memory are packed first. */
static th_status K(dot)(const th_call *c)
{
  th_tensor packed[2] = { { 0 }, { 0 } };
  const th_tensor *use[2];
  th_status s = TH_OK;
  A sum = 0;
  for (int i = 0; i < 2 && s == TH_OK; i++) {
    use[i] = c->arg[1 + i].t;
    if (use[i]->ndim == 1 || th_tensor_is_contiguous(use[i])) continue;
    s = th_tensor_clone(&packed[i], use[i]);
    use[i] = &packed[i];
  }
  if (s == TH_OK) s = K(flat)(use[0], use[1], &sum);
  for (int i = 0; i < 2; i++) th_tensor_release(&packed[i]);
#if IS_INT
  sum = (T)sum;                               /* as Torch7 has it: a number of the elements' type */
#endif
  ((th_call *)c)->arg[dot_sum].d = (double)sum;     /* a `return`: th_run hands it on */
  return s;
}
#endif
