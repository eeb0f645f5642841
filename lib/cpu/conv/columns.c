/* columns.c - convolution as a product whose left operand, the kernels or gradOutput, is read where it lies; its right one
 * are the columns of im2col, packed into panels a few at a time. For kernels that are large beside their images, of which
 * every other engine would first make a copy, and for kernels of one pixel.
 *
 *   result     (planes x taps) * (taps x pixels)
 *   gradInput  the same, of the gradient with the kernels turned round; steps of 1, or kernels of one pixel
 *   gradWeight (planes x pixels) * (pixels x taps), added to where it belongs
 *
 * The pixels of all images are one row of columns. Work is cut by sizes alone, and products are added in order. */
#include "engine.h"
#include "../gemm.h"
#include "../slots.h"
#include "../micro_real.h"

enum {
  DEEP = 192,                       /* taps at a time, pixels in gradWeight: a panel of them stays in the first cache */
  WIDE = 8,                         /* panels of a block, at most, */
  HIGH = 256,                       /* planes of one: with the kernels' part they stay in the second cache */
  LEAST_HIGH = 32,
  CHAIN = 4 * DEEP,                 /* pixels whose products are summed up in one go: longer sums would lose digits */
  BLOCKS = 16,                      /* wanted, so that threads find some */
  CHUNK_BYTES = 16 << 20            /* of panels in memory at a time, where many blocks share them */
};

/* A convolution as this file computes it. The panels of gradWeight are of taps, and all pixels run along them: there `chunk`,
 * `first` and `count` are pixels, and all panels are packed. */
typedef struct job {
  int64_t n, c, o, h, w, kh, kw, oh, ow;            /* c, o: planes of a group that are read, that come out */
  int64_t sh, sw, ph, pw, dh, dw;
  int64_t xs[4], ys[4], row;        /* strides of what is read and comes out; from plane to plane of the kernels */
  int64_t gs[4];                    /* strides of gradOutput, which k holds in gradWeight */
  int64_t taps, pixels, panels, chunk;              /* pixels of an image; panels of all, at hand at a time */
  int64_t wide, high;               /* panels and planes of a block */
  int64_t first, count;             /* the panels at hand */
  const void *x, *k, *bias;
  void   *y;
  int64_t bias_step;
  void   *packed;                   /* the panels at hand; NULL: there are so many that a block packs its own */
  const int64_t *off, *dense;       /* where k's taps lie, in gradWeight its pixels at hand; where taps lie in a copy */
  const int64_t *tap;               /* of gradWeight: where the taps lie; NULL: one behind the other */
  double scale;
  th_slots slots;
} job;

/* Columns that are neighbours in a row of the result: where in the panel, of which image, row and column. */
typedef struct run { int64_t lane, n, row, col, count; } run;

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int runs_of(const job *j, run *to, int64_t column, int64_t count)
{
  int runs = 0;
  int64_t n = column / j->pixels, row = column % j->pixels / j->ow, col = column % j->ow;
  for (int64_t lane = 0; lane < count; lane += to[runs++].count, col = 0) {
    to[runs] = (run){ lane, n, row, col, th_min(count - lane, j->ow - col) };
    if (col + to[runs].count == j->ow && ++row == j->oh) row = 0, n++;
  }
  return runs;
}

#define TH_REAL "conv/columns.h"
#include "../each_real.h"
#define TH_REAL "conv/weights.h"
#include "../each_real.h"

static void strides_of(int64_t *to, const th_tensor *t)
{
  to[0] = 0;
  for (int d = 0; d < t->ndim; d++) to[4 - t->ndim + d] = t->stride[d];
}

/* A picture whose rows follow one another is one long row for a kernel of one pixel; out: strides of the result's or of its
 * gradient. */
static void flatten(job *j, const int64_t *out)
{
  const bool pixel = j->kh == 1 && j->kw == 1 && j->sh == 1 && j->sw == 1 && j->ph == 0 && j->pw == 0;
  if (!pixel || j->xs[2] != j->w * j->xs[3] || out[2] != j->ow * out[3]) return;
  j->w *= j->h, j->ow *= j->oh, j->h = j->oh = 1;
}

/* Smaller blocks where there would be few. */
static void cut_further(job *j, int64_t panels)
{
  while (up(panels, j->wide) * up(j->o, j->high) < BLOCKS) {
    if (j->high > LEAST_HIGH) j->high = up(up(j->high, 2), TH_MR) * TH_MR;
    else if (j->wide > 1) j->wide = up(j->wide, 2);
    else break;
  }
}

/* How the work is cut: blocks as large as caches like. */
static void cut(job *j, int64_t size)
{
  const int64_t nr = 2 * TH_VB / size;
  j->taps = j->c * j->kh * j->kw, j->pixels = j->oh * j->ow, j->panels = up(j->n * j->pixels, nr);
  j->chunk = j->panels, j->wide = th_min(j->panels, WIDE), j->high = th_min(up(j->o, TH_MR) * TH_MR, HIGH);
  if (j->panels >= BLOCKS * WIDE) return;
  const int64_t fits = th_min(j->panels, th_max(1, CHUNK_BYTES / (2 * TH_VB) / j->taps));
  j->chunk = up(j->panels, up(j->panels, fits)), j->wide = th_min(j->chunk, WIDE);
  cut_further(j, j->chunk);
}

/* The same for gradWeight; the panels of the pixels at hand fit into the last cache. */
static void cut_weight(job *j, int64_t size)
{
  const int64_t nr = 2 * TH_VB / size;
  j->taps = j->c * j->kh * j->kw, j->pixels = j->oh * j->ow, j->panels = up(j->taps, nr);
  const int64_t all = j->n * j->pixels, fit = th_max(1, CHUNK_BYTES / (j->panels * DEEP * 2 * TH_VB)) * DEEP;
  j->chunk = th_min(all, fit), j->wide = th_min(j->panels, WIDE), j->high = th_min(up(j->o, TH_MR) * TH_MR, HIGH);
  cut_further(j, j->panels);
}

/* Seconds of images that are read from memory, because no cache holds them. */
static double far_away(double bytes) { return bytes > CHUNK_BYTES ? bytes / TH_CONV_BYTES : 0; }

static bool shared(const job *j) { return j->panels < BLOCKS * WIDE; }

/* A gradInput that is the product alone, between zeros. */
static bool spread(const th_conv_shape *s)
{
  return s->pass == TH_CONV_GRAD_INPUT && (s->sh > 1 || s->sw > 1) && s->kh == 1 && s->kw == 1 && s->ph == 0 && s->pw == 0;
}

static job job_of(const th_conv_shape *s)
{
  job j = { .n = s->n, .c = s->c, .o = s->o, .h = s->h, .w = s->w, .kh = s->kh, .kw = s->kw, .oh = s->oh, .ow = s->ow,
            .sh = s->sh, .sw = s->sw, .ph = s->ph, .pw = s->pw, .dh = s->dh, .dw = s->dw };
  if (s->pass == TH_CONV_GRAD_INPUT) {
    j.c = s->o, j.o = s->c, j.h = s->oh, j.w = s->ow, j.oh = s->h, j.ow = s->w;
    j.ph = (s->kh - 1) * s->dh - s->ph, j.pw = (s->kw - 1) * s->dw - s->pw;
    if (spread(s)) j.oh = s->oh, j.ow = s->ow, j.sh = j.sw = 1;
  }
  return j;
}

static bool supports(const th_conv_shape *s)
{
  if (s->dtype != TH_F32 && s->dtype != TH_F64) return false;
  return s->pass != TH_CONV_GRAD_INPUT || (s->sh == 1 && s->sw == 1) || spread(s);
}

static th_conv_cost cost_weight(const th_conv_shape *s)
{
  job j = job_of(s);
  const int64_t size = s->dtype == TH_F64 ? 8 : 4, nr = 2 * TH_VB / size;
  cut_weight(&j, size);
  const double pixels = (double)s->n * (double)j.pixels, taps = (double)j.taps * (double)s->groups, o = (double)j.o;
  th_conv_cost r = { .flops = 2 * pixels * (double)(j.panels * nr * s->groups) * (double)(up(j.o, TH_MR) * TH_MR) };
  r.bytes = (double)size * (pixels * (taps + (double)s->groups * o) + taps * o * (double)up(s->n * j.pixels, j.chunk));
  const bool pixel = s->kh == 1 && s->kw == 1 && s->sw == 1 && s->ph == 0 && s->pw == 0;
  const double packing = pixels * taps * (0.36e-9 + (pixel ? 0 : s->sw > 1 ? 1.5e-9 : 26e-9 / (double)j.ow));
  r.seconds = 3e-5 + r.flops / TH_CONV_FLOPS(s->dtype) * 1.06 + packing + pixels * (double)s->groups * o * 0.45e-9 +
              far_away((double)size * pixels * taps / (double)(s->kh * s->kw) * (double)(s->sh * s->sw));
  r.workspace = (double)size * (double)nr * ((double)(j.chunk * j.panels) + (double)(j.wide * j.high));
  return r;
}

static th_conv_cost cost(const th_conv_shape *s)
{
  if (s->pass == TH_CONV_GRAD_WEIGHT) return cost_weight(s);
  job j = job_of(s);
  const int64_t size = s->dtype == TH_F64 ? 8 : 4, nr = 2 * TH_VB / size;
  const bool pixel = s->kh == 1 && s->kw == 1 && j.sh == 1 && j.sw == 1 && s->ph == 0 && s->pw == 0;
  cut(&j, size);
  const double columns = (double)(j.panels * nr) * (double)s->groups, taps = (double)j.taps;
  th_conv_cost r = { .flops = 2 * columns * taps * (double)(up(j.o, TH_MR) * TH_MR) };
  r.bytes = (double)size * ((double)s->groups * taps * (double)j.o + columns * (double)j.o + (shared(&j) ? columns * taps : 0) +
                            (double)s->n * (double)s->groups * (double)j.c * (double)j.h * (double)j.w);
  /* Panels are packed row by row of the image. */
  const bool back = s->pass == TH_CONV_GRAD_INPUT;
  const double runs = pixel ? 1 : (double)nr / (double)th_min(nr, j.ow) + 1;
  const double times = shared(&j) ? 1 : (double)up(j.o, j.high);
  const double each = j.sw > 2 ? 1.7e-9 * (double)nr : (j.sw == 2 ? 13e-9 : back ? 5.5e-9 : 8e-9) * runs;
  const double packing = columns / (double)nr * taps * times * each;
  const double rate = s->kh * s->kw == 1 ? back ? 1 : 0.92 : back ? 1.15 : 1.1;
  r.seconds = 6e-5 + r.flops / TH_CONV_FLOPS(s->dtype) * rate + packing + columns * (double)j.o * 0.6e-9 +
              far_away((double)size * (double)(s->n * s->groups * j.c) * (double)(j.h * j.w));
  if (spread(s)) r.seconds += 0.5e-9 * (double)(s->n * s->groups * s->c) * (double)(s->h * s->w);      /* zeros between */
  r.workspace = (double)size * (double)nr * ((shared(&j) ? (double)j.chunk * taps : 0) + (double)(j.wide * (j.high + DEEP)));
  return r;
}

static void set_offsets(const th_conv *c, const job *j, const int64_t *ws, int64_t *off)
{
  const bool turned = c->s.pass == TH_CONV_GRAD_INPUT;
  for (int64_t p = 0; p < j->c; p++) {
    for (int64_t y = 0; y < j->kh; y++) {
      for (int64_t x = 0; x < j->kw; x++) {
        *off++ = turned ? p * ws[0] + (j->kh - 1 - y) * ws[2] + (j->kw - 1 - x) * ws[3]
                        : p * ws[1] + y * ws[2] + x * ws[3];
      }
    }
  }
}

/* All panels of a group, a chunk of them at a time. */
static th_status multiply(job *j, bool wide)
{
  const int64_t width = 2 * TH_VB / (wide ? 8 : 4);
  th_status s = TH_OK;
  for (j->first = 0; j->first < j->panels && s == TH_OK; j->first += j->chunk) {
    j->count = th_min(j->chunk, j->panels - j->first);
    const int64_t work = j->wide * width * j->high * j->taps, small = 1 << 17;
    if (j->packed) s = th_parallel(up(j->count, WIDE) * up(j->taps, DEEP), 1, wide ? pack_all_f64 : pack_all_f32, j);
    if (s == TH_OK) {
      s = th_parallel(up(j->count, j->wide) * up(j->o, j->high), small / work + 1, wide ? block_f64 : block_f32, j);
    }
  }
  return s;
}

static void clear_row(char *const *p, const int64_t *step, int64_t n, const void *size)
{
  const size_t bytes = *(const size_t *)size;
  if (step[0] == (int64_t)bytes) memset(p[0], 0, (size_t)n * bytes);
  else for (int64_t i = 0; i < n; i++) memset(p[0] + i * step[0], 0, bytes);
}

static th_status run_columns(const th_conv *c)
{
  const bool turned = c->s.pass == TH_CONV_GRAD_INPUT, wide = c->s.dtype == TH_F64;
  const th_tensor *from = turned ? c->y : c->x;
  th_tensor to = turned ? *c->x : *c->y;
  const int64_t size = wide ? 8 : 4;
  int64_t ws[4];
  job j = job_of(&c->s);
  strides_of(j.xs, from);
  strides_of(j.ys, &to);
  strides_of(ws, c->k);
  if (spread(&c->s)) j.ys[2] *= c->s.sh, j.ys[3] *= c->s.sw;
  flatten(&j, j.ys);
  cut(&j, size);
  j.row = ws[turned ? 1 : 0];
  const size_t packed = shared(&j) ? (size_t)(j.chunk * j.taps) * 2 * TH_VB : 0;
  char *memory = th_scratch(packed + (size_t)(j.taps + DEEP) * sizeof *j.off);
  if (!memory) return th_fail(TH_ENOMEM, "no memory for %zu bytes of rearranged images", packed);
  if (packed) j.packed = memory;
  int64_t *off = (int64_t *)(void *)(memory + packed), *dense = off + j.taps;
  set_offsets(c, &j, ws, off);
  for (int64_t i = 0; i < DEEP; i++) dense[i] = i * TH_MR;
  j.off = off, j.dense = dense;
  const int64_t left = j.row == 1 ? up(j.high, TH_MR) * TH_MR * DEEP * size : 0;
  const int64_t own = packed ? 0 : j.wide * DEEP * 2 * TH_VB;
  th_status s = th_slots_new(&j.slots, (size_t)(j.wide * j.high * 2 * TH_VB + own + left));
  if (s == TH_OK) {
    const size_t bytes = (size_t)size;
    if (spread(&c->s)) s = th_each(1, (th_tensor *const[]){ &to }, clear_row, &bytes);
    for (int64_t g = 0; g < c->s.groups && s == TH_OK; g++) {
      j.x = (const char *)th_data(from, (size_t)size) + g * j.c * j.xs[1] * size;
      j.y = (char *)th_data(&to, (size_t)size) + g * j.o * j.ys[1] * size;
      j.k = (const char *)th_data(c->k, (size_t)size) + g * c->s.o * ws[0] * size;
      if (!turned && c->bias) {
        j.bias_step = c->bias->stride[0];
        j.bias = (const char *)th_data(c->bias, (size_t)size) + g * j.o * j.bias_step * size;
      }
      s = multiply(&j, wide);
    }
    th_slots_free(&j.slots);
  }
  th_scratch_free(memory);
  return s;
}

/* Where the pixels at hand lie in a gradient. */
static void set_pixels(const job *j, int64_t *off)
{
  int64_t n = j->first / j->pixels, row = j->first % j->pixels / j->ow, col = j->first % j->ow;
  for (int64_t i = 0; i < j->count; i++) {
    *off++ = n * j->gs[0] + row * j->gs[2] + col * j->gs[3];
    if (++col == j->ow && (col = 0, ++row == j->oh)) row = 0, n++;
  }
}

/* gradWeight of a group, a chunk of the pixels at a time; off: room for where they lie. */
static th_status weigh(job *j, bool wide, int64_t *off)
{
  const int64_t width = 2 * TH_VB / (wide ? 8 : 4), all = j->n * j->pixels, small = 1 << 17;
  th_status s = TH_OK;
  for (j->first = 0; j->first < all && s == TH_OK; j->first += j->chunk) {
    j->count = th_min(j->chunk, all - j->first);
    set_pixels(j, off);
    const int64_t part = 8 * width * th_min(j->count, DEEP), work = j->wide * width * j->high * j->count;
    s = th_parallel(j->panels * up(j->count, DEEP), small / part + 1, wide ? pack_pixels_f64 : pack_pixels_f32, j);
    if (s != TH_OK) break;
    s = th_parallel(up(j->panels, j->wide) * up(j->o, j->high), small / work + 1, wide ? weigh_f64 : weigh_f32, j);
  }
  return s;
}

static th_status run_weight(const th_conv *c)
{
  const bool wide = c->s.dtype == TH_F64;
  const size_t size = wide ? 8 : 4;
  int64_t ws[4];
  job j = job_of(&c->s);
  strides_of(j.xs, c->x);
  strides_of(j.gs, c->y);
  strides_of(ws, c->k);
  flatten(&j, j.gs);
  cut_weight(&j, (int64_t)size);
  j.row = j.gs[1], j.ys[0] = ws[0], j.scale = c->scale;
  const size_t packed = (size_t)(j.chunk * j.panels) * 2 * TH_VB;
  char *memory = th_scratch(packed + (size_t)(j.taps + j.chunk) * sizeof *j.off);
  if (!memory) return th_fail(TH_ENOMEM, "no memory for %zu bytes of rearranged images", packed);
  int64_t *tap = (int64_t *)(void *)(memory + packed), *off = tap + j.taps;
  j.packed = memory, j.off = off;
  if (ws[1] != j.kh * j.kw || ws[2] != j.kw || ws[3] != 1) {
    set_offsets(c, &j, ws, tap);
    j.tap = tap;
  }
  th_status s = th_slots_new(&j.slots, (size_t)(j.wide * j.high) * 2 * TH_VB);
  if (s == TH_OK) {
    for (int64_t g = 0; g < c->s.groups && s == TH_OK; g++) {
      j.x = (const char *)th_data(c->x, size) + (size_t)(g * j.c * j.xs[1]) * size;
      j.k = (const char *)th_data(c->y, size) + (size_t)(g * j.o * j.gs[1]) * size;
      j.y = (char *)th_data(c->k, size) + (size_t)(g * j.o * ws[0]) * size;
      s = weigh(&j, wide, off);
    }
    th_slots_free(&j.slots);
  }
  th_scratch_free(memory);
  return s;
}

static th_status run_pass(const th_conv *c, const th_call *call)
{
  (void)call;
  return c->s.pass == TH_CONV_GRAD_WEIGHT ? run_weight(c) : run_columns(c);
}

const th_conv_engine TH_AT(th_conv_columns) = { "columns", supports, cost, run_pass, NULL };
