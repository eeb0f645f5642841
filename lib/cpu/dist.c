/* dist.c - the norm of a difference. The tensors may differ in shape, not in the number of elements.
 */
#ifndef T
#define TH_EACH_FLOATS
#include "fold.h"
#include "../op/reduce.args.h"
#define TH_SELF "dist.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_dist)[TH_NDTYPE] = TH_FLOATS(dist);

#else
#include "fold.h"

typedef struct K(pair) {
  const th_seq *x, *y;
  const T *px, *py;
  int64_t total;
  int what;
  double p;
  A *part;
} K(pair);

static void K(dist_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(pair) *q = ctx;
  for (int64_t b = first; b < last; b++) {
    th_spot x, y;
    A lane[LANES] = { 0 };
    th_spot_at(&x, q->x, b * BLOCK);
    th_spot_at(&y, q->y, b * BLOCK);
    for (int64_t left = th_min(BLOCK, q->total - b * BLOCK); left > 0;) {
      const int64_t n = th_min(left, th_min(th_spot_left(&x), th_spot_left(&y)));
      const int64_t sx = th_spot_step(&x), sy = th_spot_step(&y);
      const T *a = q->px + x.off, *d = q->py + y.off;
      for (int64_t i = 0; i < n; i++) {
        const A v = (A)LOAD(a[i * sx]) - (A)LOAD(d[i * sy]);
        lane[i % LANES] = K(take)(q->what, lane[i % LANES], v, q->p);
      }
      th_spot_skip(&x, n);
      th_spot_skip(&y, n);
      left -= n;
    }
    A a = lane[0];
    for (int l = 1; l < LANES; l++) a = K(join)(q->what, a, lane[l]);
    q->part[b] = a;
  }
}
static th_status K(dist)(const th_call *c)
{
  const dist_args *a = dist_args_of(c);
  const th_tensor *x = a->x, *y = a->y;
  const double p = a->p;
  const int64_t total = th_tensor_numel(x), blocks = th_parts(total, BLOCK);
  th_seq sx, sy;
  th_seq_of(&sx, x, false);
  th_seq_of(&sy, y, false);
  K(pair) q = { &sx, &sy, TH_DATA(T, x), TH_DATA(T, y), total,
                p == 0 ? POWER : what_of_norm(p), p, NULL };     /* p = 0: infinity, as in Torch7 */
  th_return(c, dist_dist, 0);
  if (total == 0) return TH_OK;
  q.part = th_scratch(sizeof(A) * (size_t)blocks);
  if (!q.part) return th_no_scratch(blocks * 8);
  const th_status s = th_parallel(blocks, 1, K(dist_blocks), &q);
  A sum = 0;
  for (int64_t b = 0; b < blocks && s == TH_OK; b++) sum = K(join)(q.what, sum, q.part[b]);
  th_return(c, dist_dist, p == 0 ? pow(sum, 1 / p) : root_of_norm(sum, p));
  th_scratch_free(q.part);
  return s;
}
#endif
