/* roll.c - the order rotated along one dimension, line by line. */
#ifndef T
#include "walk.h"
#include "../op/roll.args.h"

typedef struct roll { th_walk w; void *y; const void *x; int64_t shift; } roll;

#define TH_SELF "roll.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_roll)[TH_NDTYPE] = TH_ALL(roll);

#else

static void K(roll_lines)(void *ctx, int64_t first, int64_t last)
{
  const roll *r = ctx;
  const int64_t n = r->w.n[0], shift = r->shift;
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&r->w, r->w.ndim, k, off);
    const T *x = (const T *)r->x + off[0];
    T *y = (T *)r->y + off[1];
    for (int64_t i = 0; i < n - shift; i++) y[(i + shift) * r->w.step[1]] = x[i * r->w.step[0]];
    for (int64_t i = n - shift; i < n; i++) y[(i + shift - n) * r->w.step[1]] = x[i * r->w.step[0]];
  }
}
static th_status K(roll)(const th_call *c)
{
  const roll_args *a = roll_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  roll r = { .y = TH_DATA(T, y), .x = TH_DATA(T, x) };
  th_walk_lines(&r.w, (int)a->dim, 2, (const th_tensor *const[]){ x, y });
  const int64_t n = r.w.n[0];
  if (r.w.count == 0 || n == 0) return TH_OK;
  r.shift = (a->shift % n + n) % n;
  return th_parallel(r.w.count, th_max(1, TH_GRAIN / (n + 1)), K(roll_lines), &r);
}
#endif
