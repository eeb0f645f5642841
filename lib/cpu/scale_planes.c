/* scale_planes.c - plane after plane, or pixel after pixel where the channels of a pixel lie side
 * by side. */
#ifndef T
#include "channels_last.h"
#include "packed.h"
#include "../op/scale_planes.args.h"

enum { WORK = 1 << 15 };

typedef struct scaled {
  const void *x, *scale, *shift;
  void   *y;
  int64_t planes, pixels, from, to; /* pixels of a plane; distances of pixels of x and y */
  double  low, high;                /* infinite where nothing is limited */
} scaled;

#define TH_EACH_FLOATS
#define TH_SELF "scale_planes.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_scale_planes)[TH_NDTYPE] = TH_FLOATS(run);

#else

/* Block: pixels whose channels lie side by side. */
static void K(pixels)(void *ctx, int64_t first, int64_t last)
{
  const scaled *s = ctx;
  const C low = (C)s->low, high = (C)s->high;
  const T *scale = s->scale, *shift = s->shift;
  for (int64_t i = first; i < last; i++) {
    const T *x = (const T *)s->x + i * s->from;
    T *y = (T *)s->y + i * s->to;
    for (int64_t c = 0; c < s->planes; c++) {
      const C v = LOAD(x[c]) * LOAD(scale[c]) + LOAD(shift[c]);
      y[c] = STORE(v < low ? low : v > high ? high : v);
    }
  }
}

/* Block: planes. */
static void K(planes)(void *ctx, int64_t first, int64_t last)
{
  const scaled *s = ctx;
  const C low = (C)s->low, high = (C)s->high;
  for (int64_t k = first; k < last; k++) {
    const C scale = LOAD(((const T *)s->scale)[k % s->planes]),
      shift = LOAD(((const T *)s->shift)[k % s->planes]);
    const T *x = (const T *)s->x + k * s->pixels;
    T *y = (T *)s->y + k * s->pixels;
    for (int64_t i = 0; i < s->pixels; i++) {
      const C v = LOAD(x[i]) * scale + shift;
      y[i] = STORE(v < low ? low : v > high ? high : v);
    }
  }
}

static th_status K(run)(const th_call *c)
{
  const scale_planes_args *a = scale_planes_args_of(c);
  const th_tensor *x = a->x, *scale = a->scale, *shift = a->shift;
  th_tensor *y = a->y;
  th_packed packed = { 0 };
  scaled s = { .planes = x->size[1], .from = pixel_step(x), .to = pixel_step(y), .low = -INFINITY,
    .high = INFINITY };
  if (th_numel(x) == 0) return TH_OK;
  if (strcmp(a->act, "relu") == 0) s.low = 0;
  else if (strcmp(a->act, "clip") == 0) s.low = a->low, s.high = a->high;
  const bool last = s.from > 0 && s.to > 0;
  s.pixels = th_numel(x) / x->size[0] / s.planes;
  th_status t = last ? TH_OK : th_pack_input(&packed, &x);
  if (t == TH_OK) t = th_pack_input(&packed, &scale);
  if (t == TH_OK) t = th_pack_input(&packed, &shift);
  if (t == TH_OK && !last) t = th_pack_result(&packed, &y, false);
  if (t == TH_OK) {
    s.x = TH_DATA(T, x), s.y = TH_DATA(T, y), s.scale = TH_DATA(T, scale),
      s.shift = TH_DATA(T, shift);
    if (last) t = th_parallel(x->size[0] * s.pixels, WORK / s.planes + 1, K(pixels), &s);
    else t = th_parallel(x->size[0] * s.planes, WORK / s.pixels + 1, K(planes), &s);
  }
  return th_packed_end(&packed, t);
}
#endif
