/* compressed_allreduce.c - the compressed all-reduce: each rank gets its shard from all ranks and
 * packs the sum, and all ranks get the sums. One operation, which may be asynchronous. */
#include <stdlib.h>
#include "../base/compress.h"
#include "api.h"

typedef struct sum {
  th_compress *c;
  th_dist     *g;
  double       step;
  bool         owes;                                /* `error` is set */
  th_tensor    back, error, lost, part;
} sum;

/* All ranks find values that are not finite; a failure of this rank alone breaks the job. */
static th_status fold(void *arg)
{
  sum *s = arg;
  const int bad = th_compress_bad(s->c, &s->back);
  if (bad >= 0) {
    return th_fail(TH_EARG, "the tensors of rank %d plus its carried error are not finite: nothing has changed",
                   s->g->world[bad]);
  }
  return th_break_for(s->g->job, th_compress_fold(s->c, s->g->rank, s->step, &s->back, s->owes ? &s->error : NULL, &s->lost,
                                                  &s->part));
}

static void drop(void *arg)
{
  th_compress_free(((sum *)arg)->c);
  free(arg);
}

th_status th_compress_allreduce(th_dist_work **w, th_dist *g, th_compress *c, double step, th_tensor *parts, th_tensor *back,
                             th_tensor *error, th_tensor *lost, th_tensor *part, double seconds)
{
  th_tensor *kept[] = { lost, error };
  const th_list all = { 1, &parts }, mine = { 1, &back }, one = { 1, &part }, more = { error ? 2 : 1, kept };
  const th_dist_call calls[2] = {
    { .kind = TH_DIST_ALLTOALL, .seconds = seconds, .in = &all, .out = &mine },
    { .kind = TH_DIST_ALLGATHER, .seconds = seconds, .in = &one, .out = &all },
  };
  sum *s = malloc(sizeof *s);
  if (!s) return th_fail(TH_ENOMEM, "dist.compressor: no memory left");
  *s = (sum){ .c = c, .g = g, .step = step, .owes = error != NULL, .back = *back, .lost = *lost, .part = *part };
  if (error) s->error = *error;
  th_compress_keep(c);
  return th_dist_two(w, g, calls, (th_step){ fold, drop, s }, &more);
}
