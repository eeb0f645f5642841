/* embedding.c - rows are copied in parallel; gradients are added by columns, so that the order of
 * the additions to a row is that of the indices. */
#ifndef T
#include "kernel.h"
#include "../op/embedding.args.h"
#include "packed.h"

enum { GRAIN = 1 << 15, COLUMNS = 64 };

typedef struct job {
  const char *from;
  char *to;
  const int64_t *index;
  int64_t row, count, padding;
  double scale;
} job;

static int64_t row_of(const th_tensor *w)
{
  int64_t n = 1;
  for (int d = 1; d < w->ndim; d++) n *= w->size[d];
  return n;
}

static void copy_rows(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  for (int64_t k = first; k < last; k++) {
    memcpy(j->to + k * j->row, j->from + (j->index[k] - 1) * j->row, (size_t)j->row);
  }
}

static th_status pick(const th_call *c)
{
  const embedding_args *a = embedding_args_of(c);
  th_tensor *y = a->y;
  const th_tensor *w = a->weight, *index = a->index;
  th_packed packed = { 0 };
  job j = { .row = row_of(w) * (int64_t)th_dtype_size(c->dtype), .count = th_tensor_numel(index) };
  if (th_tensor_numel(y) == 0) return TH_OK;
  th_status s = th_pack_input(&packed, &w);
  if (s == TH_OK) s = th_pack_input(&packed, &index);
  if (s == TH_OK) s = th_pack_result(&packed, &y, false);
  if (s == TH_OK) {
    j.from = th_data(w, th_dtype_size(c->dtype)), j.to = th_data(y, th_dtype_size(c->dtype));
    j.index = TH_DATA(int64_t, index);
    s = th_parallel(j.count, GRAIN / (j.row + 1) + 1, copy_rows, &j);
  }
  return th_packed_end(&packed, s);
}

#define TH_EACH_FLOATS
#define TH_SELF "embedding.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_embedding)[TH_NDTYPE] = TH_ANY(pick);
const th_kernel TH_AT(th_embedding_grad)[TH_NDTYPE] = TH_FLOATS(grad);

#else

static void K(add_columns)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const C scale = (C)j->scale;
  for (int64_t k = 0; k < j->count; k++) {
    if (j->index[k] == j->padding) continue;
    if (k % 4096 == 0 && th_interrupted()) return;
    const T *g = (const T *)(const void *)j->from + k * j->row;
    T *gw = (T *)(void *)j->to + (j->index[k] - 1) * j->row;
    for (int64_t i = first; i < last; i++) gw[i] = STORE(LOAD(gw[i]) + scale * LOAD(g[i]));
  }
}

static th_status K(grad)(const th_call *c)
{
  const embedding_grad_args *a = embedding_grad_args_of(c);
  th_tensor *gw = a->gw;
  const th_tensor *index = a->index, *g = a->g;
  th_packed packed = { 0 };
  job j = {
    .row = row_of(gw), .count = th_tensor_numel(index), .scale = a->scale, .padding = a->padding
  };
  if (j.count == 0) return TH_OK;
  th_status s = th_pack_input(&packed, &index);
  if (s == TH_OK) s = th_pack_input(&packed, &g);
  if (s == TH_OK) s = th_pack_result(&packed, &gw, true);
  if (s == TH_OK) {
    j.from = th_data(g, sizeof(T)), j.to = th_data(gw, sizeof(T)),
    j.index = TH_DATA(int64_t, index);
    s = th_parallel(j.row, COLUMNS, K(add_columns), &j);
  }
  return th_packed_end(&packed, s);
}
#endif
