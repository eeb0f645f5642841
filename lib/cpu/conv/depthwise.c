/* depthwise.c - convolution of every plane with one or several kernels for that plane alone. A plane is copied row behind row
 * with its padding, so that a tap is one offset for all pixels, whatever the rows' width: lanes run along the rows and over their
 * ends. Steps other than 1 split a plane into phases, each of which has pixels that are neighbours for a tap.
 *
 *   result     the sum over the taps of the padded image, shifted
 *   gradInput  the same of the padded gradient, the kernel turned round, for each phase of the image by itself
 *   gradWeight for each tap the sum of the padded image, shifted, times the gradient
 *
 * Work is cut by sizes alone: images, planes, strips of rows. */
#ifndef T
#include "engine.h"
#include "../gemm.h"
#include "../slots.h"
#include "../micro_real.h"
#define TH_REAL "conv/shifted.h"
#include "../each_real.h"

enum {
  STRIP_BYTES = 128 << 10,          /* of a strip's padded planes */
  GRAIN = 1 << 16,                  /* multiplications a block should hold */
  LONG = 4096,                      /* numbers that a float may add up, before they go to a double */
  PARTS = 16                        /* of the images, which gradWeight sums apart, at most */
};

/* Rows or columns of a plane: r-th is at first + r * step, and is 0 outside of 0..n-1. */
typedef struct axis { int64_t first, step, n, stride; } axis;

/* Taps along one axis: tap i lies i * gap further, which is phase i % phases, and `reach` neighbours further at most. */
typedef struct steps { int64_t step, gap, phases, reach; } steps;

typedef struct work {
  th_conv_shape s;
  steps    down, across;
  int64_t  phases, taps, pitch, rows, strips, total;        /* rows: of a strip; total: of all strips */
  int64_t  size, room, line;        /* numbers of a phase in a slot; of what comes out, and of a row of it */
  bool     shared;                  /* what is read serves several rows of the result */
  int64_t  parts;
  int64_t  xs[4], ys[4], ks[4];
  const void *bias;
  void    *x, *y, *k;
  const int64_t *off;               /* of the taps, phase after phase */
  const int64_t *tap;               /* where they lie in a kernel */
  const int64_t *top, *left;        /* of the phases: first row and column */
  double   scale, *sums;
  th_slots slots;
} work;

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

static steps steps_of(int64_t step, int64_t gap, int64_t taps)
{
  int64_t a = step, b = gap;
  while (b) { const int64_t t = a % b; a = b, b = t; }
  return (steps){ step, gap, th_min(taps, step / a), (taps - 1) * gap / step };
}

static void strides_of(int64_t *to, const th_tensor *t)
{
  for (int d = 0; d < t->ndim; d++) to[4 - t->ndim + d] = t->stride[d];
}

/* Without pointers: what cost wants to know too. */
static work work_of(const th_conv_shape *s)
{
  const bool input = s->pass == TH_CONV_GRAD_INPUT;
  work w = { .s = *s, .down = steps_of(s->sh, s->dh, s->kh), .across = steps_of(s->sw, s->dw, s->kw), .taps = s->kh * s->kw };
  w.phases = w.down.phases * w.across.phases;
  const int64_t lanes = TH_VB / 4;                  /* at least as many as there are */
  w.pitch = w.across.reach + (input ? (s->w - 1 + s->pw) / s->sw - s->pw / s->sw + 1 : s->ow);
  w.total = input ? (s->h - 1 + s->ph) / s->sh - s->ph / s->sh + 1 : s->oh;
  const int64_t size = th_element_size(s->dtype) == 8 ? 8 : 4;
  const int64_t fit = STRIP_BYTES / (size * w.pitch * (input ? 1 : w.phases)) - w.down.reach;
  w.strips = up(w.total, th_max(1, th_min(w.total, th_max(fit, 2 * w.down.reach))));
  w.rows = up(w.total, w.strips);
  w.strips = up(w.total, w.rows);
  w.size = (w.rows + w.down.reach) * w.pitch + lanes + w.across.reach;
  w.size = up(w.size, lanes) * lanes;
  const int64_t columns = w.pitch - w.across.reach;
  w.shared = s->pass != TH_CONV_GRAD_WEIGHT && s->sh == 1 && s->sw == 1 && s->dh == 1 && s->kh > 1 &&
             2 * columns * size > TH_VB;
  w.line = w.shared ? up(columns, lanes) * lanes : w.pitch;
  w.room = up(w.rows * w.line, lanes) * lanes + lanes;
  w.parts = th_min(s->n, up(PARTS, s->groups));
  return w;
}

/* The taps, phase after phase, and where they lie: in the phases of an image, or in a gradient, where the last is first. */
static void set_taps(work *w, int64_t *off)
{
  const bool input = w->s.pass == TH_CONV_GRAD_INPUT;
  int64_t *tap = off + w->taps, *top = tap + w->taps, *left = top + w->taps;
  w->off = off, w->tap = tap, w->top = top, w->left = left;
  for (int64_t p = 0; p < w->phases; p++) {
    top[p] = p / w->across.phases * w->s.dh % w->s.sh;
    left[p] = p % w->across.phases * w->s.dw % w->s.sw;
    for (int64_t t = 0; t < w->taps; t++) {
      const int64_t turned = input ? w->taps - 1 - t : t, i = turned / w->s.kw, j = turned % w->s.kw;
      if (i % w->down.phases * w->across.phases + j % w->across.phases != p) continue;
      const int64_t r = i * w->down.gap / w->down.step, c = j * w->across.gap / w->across.step;
      *off++ = input ? (w->down.reach - r) * w->pitch + w->across.reach - c : p * w->size + r * w->pitch + c;
      *tap++ = i * w->ks[2] + j * w->ks[3];
    }
  }
}

/* How many taps a phase has. */
static int64_t taps_of(const work *w, int64_t phase)
{
  const int64_t i = phase / w->across.phases, j = phase % w->across.phases;
  return up(w->s.kh - i, w->down.phases) * up(w->s.kw - j, w->across.phases);
}

/* Which of `count` places of an axis lie inside. */
static void inside(const axis *a, int64_t count, int64_t *from, int64_t *to)
{
  const int64_t before = a->first < 0 ? -a->first : 0, end = a->first < a->n ? a->n - a->first : 0;
  *from = th_min(count, a->step == 1 ? before : up(before, a->step));
  *to = th_max(*from, th_min(count, a->step == 1 ? end : up(end, a->step)));
}

/* A strip of one plane of an image. */
typedef struct spot { int64_t strip, plane, n; } spot;

static spot spot_of(const work *w, int64_t block)
{
  return (spot){ block % w->strips, block / w->strips % w->s.groups, block / w->strips / w->s.groups };
}

static void next(const work *w, spot *at)
{
  if (++at->strip < w->strips) return;
  at->strip = 0;
  if (++at->plane < w->s.groups) return;
  at->plane = 0;
  at->n++;
}

#define TH_EACH_FLOATS
#define TH_SELF "conv/depthwise.c"
#include "../each_dtype.h"

static const th_block blocks[3][TH_NDTYPE] = {
  [TH_CONV_FORWARD] = TH_FLOATS(forward), [TH_CONV_GRAD_INPUT] = TH_FLOATS(grad_input),
  [TH_CONV_GRAD_WEIGHT] = TH_FLOATS(grad_weight)
};
static const th_block collectors[TH_NDTYPE] = TH_FLOATS(collect);

static th_status with_memory(work *w, char *memory, size_t weights)
{
  const bool weight = w->s.pass == TH_CONV_GRAD_WEIGHT, input = w->s.pass == TH_CONV_GRAD_INPUT;
  set_taps(w, (int64_t *)(void *)(memory + weights));
  w->sums = (double *)(void *)memory;
  const size_t size = th_element_size(w->s.dtype) == 8 ? 8 : 4;
  const int64_t in = input ? w->size : w->phases * w->size, out = input ? w->phases * w->room : w->room;
  const int64_t kernel = weight ? TH_VB / 4 * w->s.o * w->taps : w->taps;
  TH_TRY(th_slots_new(&w->slots, size * (size_t)(in + out + kernel)));
  const int64_t grain = up(GRAIN, w->rows * w->pitch * w->taps * w->s.o * (weight ? w->strips * up(w->s.n, w->parts) : 1));
  const int64_t n = weight ? w->parts * w->s.groups : w->s.n * w->s.groups * w->strips;
  th_status s = th_parallel(n, grain, blocks[w->s.pass][w->s.dtype], w);
  if (s == TH_OK && weight) s = th_parallel(w->s.groups * w->s.o, up(GRAIN, w->taps * w->parts), collectors[w->s.dtype], w);
  th_slots_free(&w->slots);
  return s;
}

static th_status run(const th_conv *c, const th_call *call)
{
  (void)call;
  work w = work_of(&c->s);
  const size_t element = th_element_size(c->s.dtype);
  const size_t sums = c->s.pass == TH_CONV_GRAD_WEIGHT ? sizeof(double) * (size_t)(w.parts * c->s.groups * c->s.o * w.taps) : 0;
  th_tensor bias = { 0 };
  strides_of(w.xs, c->x);
  strides_of(w.ys, c->y);
  strides_of(w.ks, c->k);
  w.x = th_data(c->x, element), w.y = th_data(c->y, element), w.k = th_data(c->k, element);
  w.scale = c->scale;
  char *memory = th_scratch(sums + 4 * sizeof(int64_t) * (size_t)w.taps);
  th_status s = memory ? TH_OK : th_fail(TH_ENOMEM, "no memory for %zu bytes of sums", sums);
  if (s == TH_OK && c->bias) {
    s = th_tensor_clone(&bias, c->bias);
    w.bias = th_data(&bias, element);
  }
  if (s == TH_OK) s = with_memory(&w, memory, sums);
  th_tensor_release(&bias);
  th_scratch_free(memory);
  return s;
}

static bool supports(const th_conv_shape *s)
{
  const int64_t size[] = { s->h, s->w, s->kh, s->kw, s->oh, s->ow, s->sh, s->sw, s->ph, s->pw, s->dh, s->dw };
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) if (size[i] > 1 << 20) return false;
  return s->c == 1;
}

static th_conv_cost cost(const th_conv_shape *s)
{
  const work w = work_of(s);
  const double size = th_element_size(s->dtype) == 8 ? 8 : 4, planes = (double)s->n * (double)s->groups;
  const double done = planes * (double)s->o * (double)(w.strips * w.rows * w.pitch) * (double)w.taps;
  th_conv_cost r = { .flops = 2 * done };
  r.bytes = planes * (double)th_element_size(s->dtype) * (double)(s->h * s->w + s->o * s->oh * s->ow);
  r.workspace = size * (double)(w.phases * w.size + w.room);
  const double rows = planes * (double)(w.strips * (w.rows * (1 + s->o) + w.down.reach));
  r.seconds = 5e-6 + 2 * r.flops / TH_CONV_FLOPS(s->dtype) + r.bytes / TH_CONV_BYTES + 6e-9 * rows;
  return r;
}

const th_conv_engine TH_AT(th_conv_depthwise) = { "depthwise", supports, cost, run, NULL };

#else

#define SHIFTED(...) _Generic((C)0, float: shifted_f32, double: shifted_f64)(__VA_ARGS__)
#define BLOCK __typeof__(_Generic((C)0, float: (block_f32){ 0 }, double: (block_f64){ 0 }))
#define ROWS_SHIFTED(...) _Generic((C)0, float: rows_shifted_f32, double: rows_shifted_f64)(__VA_ARGS__)
#define DOTS(...) _Generic((C)0, float: dots_f32, double: dots_f64)(__VA_ARGS__)
#define DRAIN(...) _Generic((C)0, float: drain_f32, double: drain_f64)(__VA_ARGS__)
#define MOVE(...) _Generic((C)0, float: move_f32, double: move_f64)(__VA_ARGS__)

/* Rows of a plane, as C: `pitch` numbers each, zeros for what lies outside, unless they are there already. */
static void K(load)(C *to, int64_t pitch, int64_t rows, const T *from, const axis *down, const axis *across, bool padded)
{
  int64_t top, bottom, left, right;
  inside(down, rows, &top, &bottom);
  inside(across, pitch, &left, &right);
  const int64_t step = across->step * across->stride;
  for (int64_t r = 0; r < rows; r++, to += pitch) {
    if (r < top || r >= bottom || left == right) {
      if (!padded) memset(to, 0, sizeof(C) * (size_t)pitch);
      continue;
    }
    const T *f = from + (down->first + r * down->step) * down->stride + (across->first + left * across->step) * across->stride;
    if (!padded) {
      for (int64_t c = 0; c < left; c++) to[c] = 0;
      for (int64_t c = right; c < pitch; c++) to[c] = 0;
    }
#if !IS_HALF
    if (step == 1) MOVE(to + left, f, right - left);
    else
#endif
    if (step == 2) for (int64_t c = left; c < right; c++) to[c] = LOAD(f[2 * (c - left)]);
    else for (int64_t c = left; c < right; c++) to[c] = LOAD(f[(c - left) * step]);
  }
}

/* The way back: what lies inside is written. */
static void K(store)(T *to, const axis *down, const axis *across, const C *from, int64_t pitch, int64_t rows, int64_t columns)
{
  int64_t top, bottom, left, right;
  inside(down, rows, &top, &bottom);
  inside(across, columns, &left, &right);
  const int64_t step = across->step * across->stride;
  for (int64_t r = top; r < bottom; r++) {
    T *t = to + (down->first + r * down->step) * down->stride + (across->first + left * across->step) * across->stride;
    const C *f = from + r * pitch + left;
    const int64_t n = right - left;
#if !IS_HALF
    if (step == 1) MOVE(t, f, n);
    else
#endif
    if (step == 1) for (int64_t c = 0; c < n; c++) t[c] = STORE(f[c]);
    else for (int64_t c = 0; c < n; c++) t[c * step] = STORE(f[c]);
  }
}

/* The phases of a strip of an image, from the result's row `row` on. */
static void K(load_phases)(const work *w, C *to, const T *x, int64_t row, int64_t rows, bool padded)
{
  const th_conv_shape *s = &w->s;
  for (int64_t p = 0; p < w->phases; p++, to += w->size) {
    const int64_t i = w->top[p], j = w->left[p];
    const axis down = { row * s->sh + i - s->ph, s->sh, s->h, w->xs[2] }, across = { j - s->pw, s->sw, s->w, w->xs[3] };
    const int64_t end = (rows + w->down.reach) * w->pitch;
    K(load)(to, w->pitch, rows + w->down.reach, x, &down, &across, padded);
    if (!padded) memset(to + end, 0, sizeof(C) * (size_t)(w->size - end));
  }
}

/* A kernel in the order of the taps. */
static void K(load_kernel)(const work *w, C *to, int64_t o)
{
  const T *k = (const T *)w->k + o * w->ks[0];
  for (int64_t t = 0; t < w->taps; t++) to[t] = LOAD(k[w->tap[t]]);
}

/* Some taps, from the first-th on, applied to some rows. */
static void K(apply)(const work *w, C *to, const C *from, int64_t rows, int64_t first, int64_t taps, const C *k, bool add,
                     C start)
{
  if (w->shared) {
    BLOCK b = { to, from, k, w->pitch, w->line, w->s.kh, w->s.kw, w->s.dw, add, start };
    ROWS_SHIFTED(&b, rows, w->pitch - w->across.reach);
  } else {
    SHIFTED(to, from, rows * w->pitch, w->off + first, k + first, taps, add, start);
  }
}

/* Block: a strip of the result's planes that belong to one plane of an image. */
static void K(forward)(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const th_conv_shape *s = &w->s;
  C *in = th_slot_take(&w->slots), *out = in + w->phases * w->size, *k = out + w->room;
  spot at = spot_of(w, first);
  for (int64_t b = first; b < last && !th_interrupted(); b++, next(w, &at)) {
    const int64_t row = at.strip * w->rows, rows = th_min(w->rows, s->oh - row), n = at.n, plane = at.plane;
    const bool padded = w->strips == 1 && b > first;
    const axis down = { row, 1, s->oh, w->ys[2] }, across = { 0, 1, s->ow, w->ys[3] };
    K(load_phases)(w, in, (const T *)w->x + n * w->xs[0] + plane * w->xs[1], row, rows, padded);
    for (int64_t o = plane * s->o; o < (plane + 1) * s->o; o++) {
      K(load_kernel)(w, k, o);
      K(apply)(w, out, in, rows, 0, w->taps, k, false, w->bias ? LOAD(((const T *)w->bias)[o]) : 0);
      K(store)((T *)w->y + n * w->ys[0] + o * w->ys[1], &down, &across, out, w->line, rows, s->ow);
    }
  }
  th_slot_give(&w->slots, in);
}

/* The rows of a strip of gradInput become 0, where some phase has no taps. */
static void K(clear)(const work *w, T *x, int64_t row, int64_t rows)
{
  const int64_t end = th_min(w->s.h, (row + rows) * w->s.sh - w->s.ph);
  for (int64_t h = th_max(0, row * w->s.sh - w->s.ph); h < end; h++) {
    for (int64_t c = 0; c < w->s.w; c++) x[h * w->xs[2] + c * w->xs[3]] = STORE(0);
  }
}

/* Block: a strip of the gradient of one plane of an image. */
static void K(grad_input)(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const th_conv_shape *s = &w->s;
  C *in = th_slot_take(&w->slots), *out = in + w->size, *k = out + w->phases * w->room;
  const int64_t columns = w->pitch - w->across.reach, column = s->pw / s->sw, top = s->ph / s->sh;
  spot at = spot_of(w, first);
  for (int64_t b = first; b < last && !th_interrupted(); b++, next(w, &at)) {
    const int64_t from = at.strip * w->rows, row = top + from, rows = th_min(w->rows, w->total - from);
    const int64_t n = at.n, plane = at.plane, end = (rows + w->down.reach) * w->pitch;
    const axis down = { row - w->down.reach, 1, s->oh, w->ys[2] }, across = { column - w->across.reach, 1, s->ow, w->ys[3] };
    for (int64_t o = plane * s->o; o < (plane + 1) * s->o; o++) {
      const bool padded = w->strips == 1 && (b > first || o > plane * s->o);
      K(load)(in, w->pitch, rows + w->down.reach, (const T *)w->y + n * w->ys[0] + o * w->ys[1], &down, &across, padded);
      if (!padded) memset(in + end, 0, sizeof(C) * (size_t)(w->size - end));
      K(load_kernel)(w, k, o);
      for (int64_t p = 0, t = 0; p < w->phases; t += taps_of(w, p), p++) {
        K(apply)(w, out + p * w->room, in, rows, t, taps_of(w, p), k, o > plane * s->o, 0);
      }
    }
    T *x = (T *)w->x + n * w->xs[0] + plane * w->xs[1];
    if (w->phases < s->sh * s->sw) K(clear)(w, x, row, rows);
    for (int64_t p = 0; p < w->phases; p++) {
      const int64_t i = w->top[p], j = w->left[p];
      const axis to = { row * s->sh + i - s->ph, s->sh, s->h, w->xs[2] };
      const axis along = { column * s->sw + j - s->pw, s->sw, s->w, w->xs[3] };
      K(store)(x, &to, &along, out + p * w->room, w->line, rows, columns);
    }
  }
  th_slot_give(&w->slots, in);
}

/* Block: the sums of one part of the images for the kernels of one plane. */
static void K(grad_weight)(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const th_conv_shape *s = &w->s;
  C *in = th_slot_take(&w->slots), *g = in + w->phases * w->size, *lanes = g + w->room;
  const int64_t per = TH_VB / (int64_t)sizeof(C) * w->taps;
  bool loaded = false;
  memset(lanes, 0, sizeof(C) * (size_t)(per * s->o));
  for (int64_t b = first; b < last; b++) {
    const int64_t part = b / s->groups, plane = b % s->groups;
    double *sums = w->sums + b * s->o * w->taps;
    int64_t added = 0;
    memset(sums, 0, sizeof *sums * (size_t)(s->o * w->taps));
    for (int64_t n = s->n * part / w->parts; n < s->n * (part + 1) / w->parts && !th_interrupted(); n++) {
      for (int64_t row = 0; row < s->oh; row += w->rows) {
        const int64_t rows = th_min(w->rows, s->oh - row);
        const bool padded = w->strips == 1 && loaded;
        loaded = true;
        const axis down = { row, 1, s->oh, w->ys[2] }, across = { 0, 1, s->ow, w->ys[3] };
        K(load_phases)(w, in, (const T *)w->x + n * w->xs[0] + plane * w->xs[1], row, rows, padded);
        for (int64_t o = 0; o < s->o; o++) {
          K(load)(g, w->pitch, rows, (const T *)w->y + n * w->ys[0] + (plane * s->o + o) * w->ys[1], &down, &across, padded);
          if (!padded) memset(g + rows * w->pitch, 0, sizeof(C) * (size_t)(w->room - rows * w->pitch));
          DOTS(lanes + o * per, g, in, rows * w->pitch, w->off, w->taps);
        }
        if ((added += rows * w->pitch) < LONG) continue;
        DRAIN(sums, lanes, s->o * w->taps);
        added = 0;
      }
    }
    DRAIN(sums, lanes, s->o * w->taps);
  }
  th_slot_give(&w->slots, in);
}

/* Block: kernels; the parts are added up in order. */
static void K(collect)(void *ctx, int64_t first, int64_t last)
{
  const work *w = ctx;
  const int64_t kernels = w->s.groups * w->s.o;
  for (int64_t o = first; o < last; o++) {
    T *k = (T *)w->k + o * w->ks[0];
    for (int64_t t = 0; t < w->taps; t++) {
      double sum = 0;
      for (int64_t part = 0; part < w->parts; part++) sum += w->sums[(part * kernels + o) * w->taps + t];
      T *to = k + w->tap[t];
      *to = STORE(LOAD(*to) + (C)(w->scale * sum));
    }
  }
}

#undef SHIFTED
#undef BLOCK
#undef ROWS_SHIFTED
#undef DOTS
#undef DRAIN
#undef MOVE
#endif
