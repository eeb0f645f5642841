/* packed.h - for kernels that walk packed memory: inputs with gaps are copied before, results after. */
#ifndef TH_PACKED_H
#define TH_PACKED_H
#include "../core/core.h"
#include "../core/entry.h"

enum { TH_MAXPACKED = 8 };

/* The copies of one call; release them with th_packed_end. */
typedef struct th_packed {
  th_tensor copy[TH_MAXPACKED];
  th_tensor *result[TH_MAXPACKED];
  int n;
} th_packed;

/* *t becomes a packed tensor of the same values; NULL stays NULL. */
static inline __attribute__((unused)) th_status th_pack_input(th_packed *p, const th_tensor **t)
{
  if (!*t || th_tensor_is_contiguous(*t)) return TH_OK;
  TH_TRY(th_tensor_clone(&p->copy[p->n], *t));
  *t = &p->copy[p->n++];
  return TH_OK;
}

/* The same, with elements of another type. */
static inline __attribute__((unused))
th_status th_pack_input_as(th_packed *p, const th_tensor **t, int dtype)
{
  if (!*t || (*t)->dtype == dtype) return th_pack_input(p, t);
  th_tensor *to = &p->copy[p->n++];
  TH_TRY(th_tensor_resize(to, dtype, (*t)->ndim, (*t)->size, NULL));
  TH_TRY(th_copy_tensor(to, *t));
  *t = to;
  return TH_OK;
}

/* *t becomes a packed tensor to write to, with elements of this type; `keep` copies the values
 * first. */
static inline __attribute__((unused))
th_status th_pack_result_as(th_packed *p, th_tensor **t, bool keep, int dtype)
{
  if (!*t || ((*t)->dtype == dtype && th_tensor_is_contiguous(*t))) return TH_OK;
  th_tensor *to = &p->copy[p->n];
  p->result[p->n++] = *t;
  TH_TRY(th_tensor_resize(to, dtype, (*t)->ndim, (*t)->size, NULL));
  if (keep) TH_TRY(th_copy_tensor(to, *t));
  *t = to;
  return TH_OK;
}

static inline __attribute__((unused))
th_status th_pack_result(th_packed *p, th_tensor **t, bool keep)
{
  return *t ? th_pack_result_as(p, t, keep, (*t)->dtype) : TH_OK;
}

static inline void th_packed_row(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  const size_t size = *(const size_t *)ctx;
  if (step[0] == (int64_t)size && step[1] == (int64_t)size) {
    memcpy(p[0], p[1], size * (size_t)n);
    return;
  }
  for (int64_t i = 0; i < n; i++) memcpy(p[0] + i * step[0], p[1] + i * step[1], size);
}

/* Copies results back, if all went well, and releases what was taken. */
static inline __attribute__((unused)) th_status th_packed_end(th_packed *p, th_status s)
{
  for (int i = 0; i < p->n; i++) {
    if (s == TH_OK && p->result[i] && p->result[i]->dtype != p->copy[i].dtype) {
      s = th_copy_tensor(p->result[i], &p->copy[i]);
    } else if (s == TH_OK && p->result[i]) {
      const size_t size = th_dtype_size(p->copy[i].dtype);
      s = th_each(2, (th_tensor *const[]){ p->result[i], &p->copy[i] }, th_packed_row, &size);
    }
    th_tensor_release(&p->copy[i]);
  }
  return s;
}

#endif
