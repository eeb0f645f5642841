/* gemm.c - convolution as matrix products without im2col: the micro kernel reads the images where
 * they lie, a row of its left operand being an address and a table of offsets.
 *
 *   result     (pixels x taps)   * (taps x planes)     rows are pixels
 *   gradInput  (taps x planes)   * (planes x pixels)   rows are taps, then added where they came from
 *   gradWeight (taps x pixels)   * (pixels x planes)   rows are taps, summed image by image
 *
 * A tap is a place in the kernel: (plane in the group, row, column). Work is cut by sizes alone. */
#ifndef T
#include "engine.h"
#include "../gemm.h"
#include "../slots.h"

#include "../micro_real.h"

enum {
  BLOCK_WORK = 1 << 20,             /* multiplications a block should hold */
  CHUNK_BYTES = 8 << 20,            /* of gradients rearranged at a time */
  SUMS = 64,                        /* parts that gradWeight is cut into, at least */
  GATHERED = 16                     /* taps of gradWeight that are put in their places together */
};

typedef struct conv {
  int64_t n, groups, c, o, h, w, kh, kw, oh, ow;    /* c, o: planes of a group */
  int64_t sh, sw, ph, pw, dh, dw;
  int64_t k, pixels, hp, wp; /* taps of a group; pixels of the result; padded height and width */
  int64_t xs[4], gs[4], ws[4];      /* strides: images, results (or their gradients), kernels */
  const void *x, *g, *b;            /* b: bias */
  void *y;
  const void *kernels;              /* rearranged */
  const int64_t *tap, *place;       /* offsets of taps, of pixels */
  int64_t ts[3];                    /* strides (plane, row, column) the offsets were made for */
  int64_t rows;                     /* of the result in a block */
  int64_t planes;                   /* of the images in a block of gradInput */
  int64_t first, count, parts;      /* gradWeight: the images at hand, parts of them */
  void *turned, *padded, *sums;
  th_slots slots;
} conv;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

static void strides_of(int64_t *to, const th_tensor *t)
{
  const int skip = 4 - t->ndim;
  to[0] = 0;
  for (int d = 0; d < t->ndim; d++) to[skip + d] = t->stride[d];
}

static conv geometry(const th_tensor *x, const th_tensor *y, const th_tensor *w, const th_arg *v)
{
  const int f = x->ndim - 3;
  conv c = { .n = f ? x->size[0] : 1, .groups = v[6].i, .h = x->size[f + 1], .w = x->size[f + 2],
             .kh = w->size[2], .kw = w->size[3], .oh = y->size[f + 1], .ow = y->size[f + 2],
             .sh = v[0].i, .sw = v[1].i, .ph = v[2].i, .pw = v[3].i, .dh = v[4].i, .dw = v[5].i };
  c.c = w->size[1];
  c.o = w->size[0] / c.groups;
  c.k = c.c * c.kh * c.kw;
  c.pixels = c.oh * c.ow;
  /* What is read; a last stride may fall outside. */
  c.hp = (c.oh - 1) * c.sh + (c.kh - 1) * c.dh + 1;
  c.wp = (c.ow - 1) * c.sw + (c.kw - 1) * c.dw + 1;
  strides_of(c.xs, x);
  strides_of(c.gs, y);
  strides_of(c.ws, w);
  return c;
}

/* The offsets of the taps from a pixel's first one, with these strides. */
static void set_taps(const conv *c, int64_t *tap, const int64_t *s)
{
  for (int64_t p = 0; p < c->c; p++) {
    for (int64_t i = 0; i < c->kh; i++) {
      for (int64_t j = 0; j < c->kw; j++) *tap++ = p * s[0] + i * c->dh * s[1] + j * c->dw * s[2];
    }
  }
}

/* The offsets of the pixels' first taps. */
static void set_places(const conv *c, int64_t *place, const int64_t *s)
{
  for (int64_t i = 0; i < c->oh; i++) {
    for (int64_t j = 0; j < c->ow; j++) *place++ = i * c->sh * s[1] + j * c->sw * s[2];
  }
}

/* Taps of a group as gradInput takes them: the last planes' filled up to whole blocks. */
static int64_t taps_of(const conv *c)
{
  const int64_t whole = c->c / TH_MR * TH_MR, area = c->kh * c->kw;
  return whole * area + up((c->c - whole) * area, TH_MR) * TH_MR;
}

static int64_t work(const conv *c) { return c->groups * c->o * c->k; } /* multiplications a pixel */

/* Planes of the images in a block of gradInput. */
static int64_t planes_of(int64_t per_plane, int64_t planes)
{
  return least(up(up(BLOCK_WORK, per_plane + 1), TH_MR) * TH_MR, planes);
}

#define TH_EACH_FLOATS
#define TH_SELF "conv/gemm.c"
#include "../each_dtype.h"

static const th_kernel passes[3][TH_NDTYPE] = {
  [TH_CONV_FORWARD] = TH_FLOATS(conv2d), [TH_CONV_GRAD_INPUT] = TH_FLOATS(grad_input),
  [TH_CONV_GRAD_WEIGHT] = TH_FLOATS(grad_weight)
};
const th_kernel TH_AT(th_conv_grad_bias)[TH_NDTYPE] = TH_FLOATS(grad_bias);

static bool all(const th_conv_shape *s) { (void)s; return true; }

static th_conv_cost cost(const th_conv_shape *s)
{
  const int64_t nr = 2 * TH_VB / (s->dtype == TH_F64 ? 8 : 4), area = s->kh * s->kw, image = s->oh * s->ow;
  const bool back = s->pass == TH_CONV_GRAD_INPUT;
  const double images = (double)s->n * (double)s->groups, pixels = images * (double)image;
  const double size = s->dtype == TH_F64 ? 8 : 4, taps = (double)s->c * (double)area;
  /* The side of a product that is cut into panels is filled up to whole ones; gradInput's are pixels. */
  const double outs = (double)(back ? s->o : up(s->o, nr) * nr), filled = back ? images * (double)(up(image, nr) * nr) : pixels;
  th_conv_cost r = { .flops = 2 * filled * taps * outs };
  r.bytes = size * (pixels * (double)s->o + (double)s->groups * taps * (double)s->o +
                    images * (double)s->c * (double)s->h * (double)s->w);
  r.seconds = 5e-6 + r.flops / TH_CONV_FLOPS(s->dtype) / 0.8 + r.bytes / TH_CONV_BYTES;
  const double kernels = (double)s->groups * taps * (double)s->o;
  if (s->pass == TH_CONV_FORWARD) {
    /* Kernels are gathered from far apart, results put so; a panel of many taps leaves the second cache. */
    r.seconds += kernels * (taps > 1024 ? 4e-9 : 1.5e-9) + pixels * (double)s->o * size * 0.4e-9;
    const double beyond = taps * (double)nr * size / (256 << 10) - 1;
    if (beyond > 0) r.seconds += r.flops / TH_CONV_FLOPS(s->dtype) * (beyond < 1.3 ? beyond : 1.3);
  } else if (back) {
    /* Every tap is added where it belongs; the gradient is packed again for every block of planes. */
    r.seconds += pixels * taps * (s->sw > 1 ? 1e-9 : size / 24e9) + kernels * 1e-9;
    r.seconds += pixels * (double)s->o * (double)up(s->c, planes_of(image * s->o * area, s->c)) * 0.4e-9;
  } else {
    r.seconds += kernels * 2e-9;
  }
  r.workspace = size * (double)s->groups * taps * outs;
  return r;
}

static th_status run(const th_conv *c, const th_call *call) { return passes[c->s.pass][c->s.dtype](call); }

const th_conv_engine TH_AT(th_conv_gemm) = { "gemm", all, cost, run, NULL };

#else

#define MICRO(...) _Generic((C)0, float: micro_f32, double: micro_f64)(__VA_ARGS__)
#define TRANSPOSE(...) _Generic((C)0, float: turn4_f32, double: turn4_f64)(__VA_ARGS__)
#define PANEL      (2 * TH_VB / (int64_t)sizeof(C))

/* Rows [row, row + rows) of an image, padded with zeros, as C; a plane starts every ts[0] numbers. */
static void K(pad)(const conv *c, C *start, const T *x, int64_t planes, int64_t row, int64_t rows)
{
  const int64_t left = least(c->pw, c->wp), have = least(c->w, c->wp - left);
  for (int64_t p = 0; p < planes; p++) {
    C *to = start + p * c->ts[0];
    for (int64_t i = row; i < row + rows; i++, to += c->wp) {
      const int64_t h = i - c->ph;
      if (h < 0 || h >= c->h) {
        for (int64_t j = 0; j < c->wp; j++) to[j] = 0;
        continue;
      }
      const T *from = x + p * c->xs[1] + h * c->xs[2];
      for (int64_t j = 0; j < left; j++) to[j] = 0;
      if (c->xs[3] == 1) for (int64_t j = 0; j < have; j++) to[left + j] = LOAD(from[j]);
      else for (int64_t j = 0; j < have; j++) to[left + j] = LOAD(from[j * c->xs[3]]);
      for (int64_t j = left + have; j < c->wp; j++) to[j] = 0;
    }
  }
}

/* Can the micro kernel read the images as they are? */
static bool K(direct)(const conv *c) { return !IS_HALF && c->ph == 0 && c->pw == 0; }

/* ---- the result ---- */

/* Kernels as panels of planes: group, panel, tap, plane. Block: panels of all groups. */
static void K(arrange)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t panels = up(c->o, PANEL);
  for (int64_t b = first; b < last; b++) {
    const int64_t o = b % panels * PANEL, width = least(PANEL, c->o - o);
    const T *w = (const T *)c->x + (b / panels * c->o + o) * c->ws[0];
    C *to = (C *)c->kernels + b * c->k * PANEL;
    for (int64_t k = 0; k < c->k; k++, to += PANEL) {
      const T *from =
        w + k / (c->kh * c->kw) * c->ws[1] + k / c->kw % c->kh * c->ws[2] + k % c->kw * c->ws[3];
      for (int64_t l = 0; l < width; l++) to[l] = LOAD(from[l * c->ws[0]]);
      for (int64_t l = width; l < PANEL; l++) to[l] = 0;
    }
  }
}

/* mr pixels of `width` planes: turned, the bias added, stored. */
static void K(store)(T *y, const C *tile, const T *bias, int mr, int64_t width, int64_t plane)
{
  int i = 0;
#if !IS_HALF
  for (; i + 4 <= mr; i += 4) {
    int64_t l = 0;
    for (; l + 4 <= width; l += 4) {
      const C *b = bias ? bias + l : (const C[4]){ 0 };
      TRANSPOSE(y + l * plane + i, plane, tile + i * PANEL + l, PANEL, b);
    }
    for (; l < width; l++) {
      for (int r = i; r < i + 4; r++) y[l * plane + r] = tile[r * PANEL + l] + (bias ? bias[l] : 0);
    }
  }
#endif
  for (int64_t l = 0; l < width; l++) {
    const C b = bias ? LOAD(bias[l]) : 0;
    for (int r = i; r < mr; r++) y[l * plane + r] = STORE(tile[r * PANEL + l] + b);
  }
}

/* Block: some rows of the result of one image. */
static void K(forward)(void *ctx, int64_t first, int64_t last)
{
  conv *c = ctx;
  const int64_t cuts = up(c->oh, c->rows), panels = up(c->o, PANEL);
  C *buffer = K(direct)(c) ? NULL : th_slot_take(&c->slots);
  C tile[TH_MR * PANEL] __attribute__((aligned(64)));
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t n = b / cuts, row = b % cuts * c->rows, rows = least(c->rows, c->oh - row);
    const T *x = (const T *)c->x + n * c->xs[0];
    const C *from = (const C *)(const void *)x + row * c->sh * c->xs[2];
    if (buffer) {
      K(pad)(c, buffer, x, c->groups * c->c, row * c->sh,
             (rows - 1) * c->sh + (c->kh - 1) * c->dh + 1);
      from = buffer;
    }
    const int64_t pixels = rows * c->ow;
    for (int64_t p = 0; p < c->groups * panels; p++) {
      const int64_t group = p / panels, o = group * c->o + p % panels * PANEL;
      const int64_t width = least(PANEL, c->o - p % panels * PANEL);
      const C *kernels = (const C *)c->kernels + p * c->k * PANEL,
              *planes = from + group * c->c * c->ts[0];
      T *y = (T *)c->y + (n * c->groups * c->o + o) * c->pixels + row * c->ow;
      for (int64_t i = 0; i < pixels; i += TH_MR) {
        const int mr = (int)least(TH_MR, pixels - i);
        const C *at[TH_MR];
        for (int r = 0; r < mr; r++) at[r] = planes + c->place[i + r];
        MICRO(mr, c->k, at, c->tap, kernels, tile, false);
        K(store)(y + i, tile, c->b ? (const T *)c->b + o : NULL, mr, width, c->pixels);
      }
    }
  }
  if (buffer) th_slot_give(&c->slots, buffer);
}

static th_status K(conv2d_packed)(const th_call *call, const th_tensor *y, const th_tensor *bias)
{
  conv c = geometry(call->arg[1].t, y, call->arg[2].t, call->arg + 4);
  if (th_tensor_numel(y) == 0) return TH_OK;
  c.rows = up(BLOCK_WORK, c.ow * work(&c));
  if (c.rows > c.oh) c.rows = c.oh;
  const int64_t in_rows = (c.rows - 1) * c.sh + (c.kh - 1) * c.dh + 1,
                panels = c.groups * up(c.o, PANEL);
  const size_t kernels = sizeof(C) * (size_t)(panels * c.k * PANEL);
  char *arranged = th_scratch(kernels + sizeof(int64_t) * (size_t)(c.k + c.pixels));
  if (!arranged)
    return th_fail(TH_ENOMEM, "no memory for %zu bytes of rearranged kernels", kernels);
  th_status s = TH_OK;
  if (K(direct)(&c)) memcpy(c.ts, c.xs + 1, sizeof c.ts);
  else {
    c.ts[0] = in_rows * c.wp, c.ts[1] = c.wp, c.ts[2] = 1;
    s = th_slots_new(&c.slots, sizeof(C) * (size_t)(c.groups * c.c * c.ts[0]));
  }
  if (s == TH_OK) {
    int64_t *tap = (int64_t *)(arranged + kernels), *place = tap + c.k;
    set_taps(&c, tap, c.ts);
    set_places(&c, place, c.ts);
    c.kernels = arranged, c.tap = tap, c.place = place;
    c.x = TH_DATA(T, call->arg[2].t);
    s = th_parallel(panels, up(1 << 14, c.k * PANEL), K(arrange), &c);
    c.x = TH_DATA(T, call->arg[1].t);
    c.y = TH_DATA(T, y);
    c.b = bias ? TH_DATA(T, bias) : NULL;
    const int64_t block = c.rows * c.ow * work(&c);
    if (s == TH_OK)
      s = th_parallel(c.n * up(c.oh, c.rows), up(BLOCK_WORK / 4, block + 1), K(forward), &c);
    if (!K(direct)(&c)) th_slots_free(&c.slots);
  }
  th_scratch_free(arranged);
  return s;
}

static void K(copy_row)(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  (void)ctx;
  for (int64_t i = 0; i < n; i++) *(T *)(p[0] + i * step[0]) = *(const T *)(p[1] + i * step[1]);
}

/* A result with gaps is computed packed, then copied. */
static th_status K(conv2d)(const th_call *call)
{
  th_tensor *y = call->arg[0].t, packed = { 0 }, bias = { 0 };
  const th_tensor *given = call->arg[3].t;
  th_status s = TH_OK;
  if (given && !th_tensor_is_contiguous(given)) {
    s = th_tensor_clone(&bias, given);
    given = &bias;
  }
  if (s == TH_OK && th_tensor_is_contiguous(y)) s = K(conv2d_packed)(call, y, given);
  else if (s == TH_OK) {
    s = th_tensor_resize(&packed, y->dtype, y->ndim, y->size, NULL);
    if (s == TH_OK) s = K(conv2d_packed)(call, &packed, given);
    if (s == TH_OK) s = th_each(2, (th_tensor *const[]){ y, &packed }, K(copy_row), NULL);
  }
  th_tensor_release(&packed);
  th_tensor_release(&bias);
  return s;
}

/* ---- gradInput ---- */

/* Where a tap of the kernel's plane lies in the padded image. */
TH_INLINE int64_t K(spot)(const conv *c, int64_t tap)
{
  return tap / c->kw * c->dh * c->wp + tap % c->kw * c->dw;
}

/* Kernels as blocks of TH_MR taps: group, TH_MR planes of the image, block, plane, tap. The taps go through
 * those planes in turn, so that neighbours are added to different planes: neighbours in a row would overlap
 * what was stored a moment ago, and wait for it. Block: TH_MR planes. */
static void K(arrange_taps)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t area = c->kh * c->kw, steps = up(c->c, TH_MR);
  for (int64_t b = first; b < last; b++) {
    const int64_t p = b % steps * TH_MR, planes = least(TH_MR, c->c - p), taps = planes * area;
    C *to = (C *)c->kernels + b / steps * taps_of(c) * c->o + p * area * c->o;
    for (int64_t o = 0; o < c->o; o++, to += TH_MR) {
      const T *w = (const T *)c->x + (b / steps * c->o + o) * c->ws[0] + p * c->ws[1];
      for (int64_t q = taps; q % TH_MR; q++) to[q / TH_MR * c->o * TH_MR + q % TH_MR] = 0;
      for (int64_t l = 0; l < planes; l++, w += c->ws[1]) {
        int64_t q = l;
        for (int64_t i = 0; i < c->kh; i++) {
          for (int64_t j = 0; j < c->kw; j++, q += planes) {
            to[q / TH_MR * c->o * TH_MR + q % TH_MR] = LOAD(w[i * c->ws[2] + j * c->ws[3]]);
          }
        }
      }
    }
  }
}

/* PANEL pixels of the gradient of one group's planes. */
static void K(take_pixels)(const conv *c, C *to, const T *g, int64_t pixel, int64_t n)
{
  const bool straight = c->gs[3] == 1 && (c->gs[2] == c->ow || c->oh == 1);
  for (int64_t o = 0; o < c->o; o++, to += PANEL, g += c->gs[1]) {
    if (straight) for (int64_t i = 0; i < n; i++) to[i] = LOAD(g[pixel + i]);
    else
      for (int64_t i = 0; i < n; i++)
        to[i] = LOAD(g[(pixel + i) / c->ow * c->gs[2] + (pixel + i) % c->ow * c->gs[3]]);
    for (int64_t i = n; i < PANEL; i++) to[i] = 0;
  }
}

typedef C K(eight) __attribute__((vector_size(8 * sizeof(C)), aligned(sizeof(C)), may_alias));

/* Pixels of a panel that are neighbours in a row: where the first was read from, and how many. */
typedef struct K(run) { int64_t at, n; } K(run);

static int K(runs_of)(const conv *c, K(run) *run, int64_t pixel, int64_t n)
{
  int count = 0;
  for (int64_t row = pixel / c->ow, col = pixel % c->ow; n > 0; row++, col = 0) {
    run[count] = (K(run)){ row * c->sh * c->wp + col * c->sw, least(n, c->ow - col) };
    n -= run[count++].n;
  }
  return count;
}

/* Adds one tap's pixels where they were read. */
TH_INLINE void K(scatter)(C *to, const C *tile, const K(run) *run, int runs, int64_t step)
{
  for (int r = 0; r < runs; tile += run[r++].n) {
    C *p = to + run[r].at;
    int64_t i = 0;
    if (step == 1)
      for (; i + 8 <= run[r].n; i += 8) *(K(eight) *)(p + i) += *(const K(eight) *)(tile + i);
    for (; i < run[r].n; i++) p[i * step] += tile[i];
  }
}

/* Adds the taps of up to TH_MR planes, for the pixels of a panel. */
static void K(add_taps)(const conv *c, C *gx, const C *kernels, int64_t planes, const C *panel,
                        const K(run) *run, int runs)
{
  C tile[TH_MR * PANEL] __attribute__((aligned(64)));
  const int64_t taps = planes * c->kh * c->kw,
                *tap = planes == TH_MR ? c->tap : c->tap + TH_MR * c->kh * c->kw;
  for (int64_t k = 0; k < taps; k += TH_MR) {
    const C *at[TH_MR];
    for (int i = 0; i < TH_MR; i++) at[i] = kernels + k * c->o + i;
    MICRO(TH_MR, c->o, at, c->place, panel, tile, false);
    for (int64_t t = k; t < least(taps, k + TH_MR); t++) {
      K(scatter)(gx + tap[t], tile + (t - k) * PANEL, run, runs, c->sw);
    }
  }
}

/* Block: some planes of one image; they are summed in a padded copy. */
static void K(backward)(void *ctx, int64_t first, int64_t last)
{
  conv *c = ctx;
  const int64_t cuts = up(c->c, c->planes), per_plane = c->kh * c->kw * c->o, area = c->hp * c->wp;
  C *gx = th_slot_take(&c->slots), *panel = gx + up(c->planes * area, 16) * 16;
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t n = b / cuts / c->groups, group = b / cuts % c->groups,
                  plane = b % cuts * c->planes;
    const int64_t planes = least(c->planes, c->c - plane);
    const T *g = (const T *)c->g + n * c->gs[0] + group * c->o * c->gs[1];
    const C *kernels = (const C *)c->kernels + group * taps_of(c) * c->o + plane * per_plane;
    memset(gx, 0, sizeof(C) * (size_t)(planes * area));
    for (int64_t pixel = 0; pixel < c->pixels; pixel += PANEL) {
      K(run) run[PANEL];
      const int64_t count = least(PANEL, c->pixels - pixel);
      const int runs = K(runs_of)(c, run, pixel, count);
      K(take_pixels)(c, panel, g, pixel, count);
      for (int64_t p = 0; p < planes; p += TH_MR) {
        K(add_taps)(c, gx + p * area, kernels + p * per_plane, least(TH_MR, planes - p), panel,
                    run, runs);
      }
    }
    T *out = (T *)c->y + n * c->xs[0] + (group * c->c + plane) * c->xs[1];
    for (int64_t p = 0; p < planes; p++) {
      for (int64_t i = 0; i < c->h; i++) {
        T *line = out + p * c->xs[1] + i * c->xs[2];
        const C *sums = gx + p * area + (i + c->ph) * c->wp + c->pw;
        const int64_t have =
          i + c->ph < c->hp ? least(c->w, c->wp - c->pw) : 0; /* the rest was never read */
        for (int64_t j = 0; j < have; j++) line[j * c->xs[3]] = STORE(sums[j]);
        for (int64_t j = have < 0 ? 0 : have; j < c->w; j++) line[j * c->xs[3]] = STORE((C)0);
      }
    }
  }
  th_slot_give(&c->slots, gx);
}

static th_status K(grad_input)(const th_call *call)
{
  const th_tensor *gx = call->arg[0].t, *g = call->arg[2].t, *w = call->arg[3].t;
  conv c = geometry(gx, g, w, call->arg + 4);
  if (th_tensor_numel(gx) == 0) return TH_OK;
  c.g = TH_DATA(T, g);
  c.y = TH_DATA(T, gx);
  const int64_t per_plane = c.pixels * c.o * c.kh * c.kw;
  c.planes = planes_of(per_plane, c.c);
  const int64_t area = c.kh * c.kw;
  const size_t kernels = sizeof(C) * (size_t)(c.groups * taps_of(&c) * c.o);
  char *arranged = th_scratch(kernels + 64 + sizeof(int64_t) * (size_t)(2 * TH_MR * area + c.o));
  if (!arranged)
    return th_fail(TH_ENOMEM, "no memory for %zu bytes of rearranged kernels", kernels);
  const size_t slot = sizeof(C) * (size_t)(up(c.planes * c.hp * c.wp, 16) * 16 + c.o * PANEL);
  th_status s = th_slots_new(&c.slots, slot);
  if (s == TH_OK) {
    int64_t *tap = (int64_t *)(arranged + up((int64_t)kernels, 64) * 64),
            *place = tap + 2 * TH_MR * area;
    /* Whole groups of planes share their offsets; the last has its own. */
    const int64_t rest = c.c % TH_MR;
    for (int64_t i = 0; i < TH_MR * area; i++)
      tap[i] = i % TH_MR * c.hp * c.wp + K(spot)(&c, i / TH_MR);
    for (int64_t i = 0; i < rest * area; i++)
      tap[TH_MR * area + i] = i % rest * c.hp * c.wp + K(spot)(&c, i / rest);
    for (int64_t o = 0; o < c.o; o++) place[o] = o * TH_MR;
    c.x = TH_DATA(T, w), c.kernels = arranged, c.tap = tap, c.place = place;
    const int64_t turns = c.groups * up(c.c, TH_MR);
    s = th_parallel(turns, up(1 << 14, area * c.o * TH_MR), K(arrange_taps), &c);
    const int64_t block = c.planes * per_plane;
    const int64_t blocks = c.n * c.groups * up(c.c, c.planes);
    if (s == TH_OK) s = th_parallel(blocks, up(BLOCK_WORK / 4, block + 1), K(backward), &c);
    th_slots_free(&c.slots);
  }
  th_scratch_free(arranged);
  return s;
}

/* ---- gradWeight ---- */

/* A row of `width` planes' gradients, planes becoming neighbours. */
static void K(turn_row)(const conv *c, C *to, const T *g, int64_t width)
{
  int64_t l = 0;
#if !IS_HALF
  if (c->gs[3] == 1) {
    for (; l + 4 <= width; l += 4) {
      const T *from = g + l * c->gs[1];
      int64_t j = 0;
      for (; j + 4 <= c->ow; j += 4)
        TRANSPOSE(to + j * PANEL + l, PANEL, from + j, c->gs[1], (const C[4]){ 0 });
      for (; j < c->ow; j++)
        for (int64_t q = 0; q < 4; q++) to[j * PANEL + l + q] = from[j + q * c->gs[1]];
    }
  }
#endif
  for (; l < PANEL; l++) {
    const T *from = g + l * c->gs[1];
    if (l < width) for (int64_t j = 0; j < c->ow; j++) to[j * PANEL + l] = LOAD(from[j * c->gs[3]]);
    else for (int64_t j = 0; j < c->ow; j++) to[j * PANEL + l] = 0;
  }
}

/* One image of those at hand: its gradient as panels (group, panel, pixel, plane), itself padded. */
static void K(turn)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t panels = up(c->o, PANEL);
  for (int64_t n = first; n < last && !th_interrupted(); n++) {
    const T *g = (const T *)c->g + (c->first + n) * c->gs[0];
    for (int64_t p = 0; p < c->groups * panels; p++) {
      const int64_t o = p / panels * c->o + p % panels * PANEL,
                    width = least(PANEL, c->o - p % panels * PANEL);
      C *to = (C *)c->turned + (n * c->groups * panels + p) * c->pixels * PANEL;
      for (int64_t i = 0; i < c->oh; i++, to += c->ow * PANEL)
        K(turn_row)(c, to, g + o * c->gs[1] + i * c->gs[2], width);
    }
    if (c->padded) {
      const int64_t planes = c->groups * c->c;
      K(pad)(c, (C *)c->padded + n * planes * c->ts[0],
             (const T *)c->x + (c->first + n) * c->xs[0], planes, 0, c->hp);
    }
  }
}

/* Block: TH_MR taps by PANEL planes of one part of the images at hand. */
static void K(correlate)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t panels = up(c->o, PANEL), steps = up(c->k, TH_MR), per = c->groups * panels * steps;
  const int64_t image = c->padded ? c->groups * c->c * c->ts[0] : c->xs[0];
  const C *x =
    c->padded ? c->padded : (const C *)(const void *)((const T *)c->x + c->first * c->xs[0]);
  C tile[TH_MR * PANEL] __attribute__((aligned(64)));
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t part = b / per, p = b % per / steps, k = b % steps * TH_MR;
    const int mr = (int)least(TH_MR, c->k - k);
    const int64_t end = c->count * (part + 1) / c->parts;
    C *sums = (C *)c->sums + b * TH_MR * PANEL;
    for (int64_t n = c->count * part / c->parts; n < end; n++) {
      const C *at[TH_MR];
      for (int i = 0; i < mr; i++)
        at[i] = x + n * image + p / panels * c->c * c->ts[0] + c->tap[k + i];
      const C *turned = (const C *)c->turned + (n * c->groups * panels + p) * c->pixels * PANEL;
      const bool fresh = c->first == 0 && n == c->count * part / c->parts;
      MICRO(mr, c->pixels, at, c->place, turned, fresh ? sums : tile, false);
      for (int64_t i = 0; i < mr * PANEL && !fresh; i++) sums[i] += tile[i];
    }
  }
}

/* Block: GATHERED taps of a panel of planes; the parts are added up in order. */
static void K(collect)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t panels = up(c->o, PANEL), steps = up(c->k, TH_MR), cuts = up(c->k, GATHERED), area = c->kh * c->kw,
                per = c->groups * panels * steps * TH_MR * PANEL;
  const C scale = *(const C *)c->b;
  for (int64_t b = first; b < last; b++) {
    const int64_t p = b / cuts, tap = b % cuts * GATHERED, n = least(GATHERED, c->k - tap);
    const int64_t o = p % panels * PANEL, width = least(PANEL, c->o - o);
    const C *from = (const C *)c->sums + (p * steps * TH_MR + tap) * PANEL;
    C sums[GATHERED * PANEL];
    int64_t at[GATHERED];
    for (int64_t i = 0; i < n * PANEL; i++) sums[i] = from[i];
    for (int64_t part = 1; part < c->parts; part++)
      for (int64_t i = 0; i < n * PANEL; i++) sums[i] += from[part * per + i];
    for (int64_t i = 0, k = tap; i < n; i++, k++)
      at[i] = k / area * c->ws[1] + k / c->kw % c->kh * c->ws[2] + k % c->kw * c->ws[3];
    T *to = (T *)c->y + (p / panels * c->o + o) * c->ws[0];
    for (int64_t l = 0; l < width; l++, to += c->ws[0])
      for (int64_t i = 0; i < n; i++) to[at[i]] = STORE(LOAD(to[at[i]]) + scale * sums[i * PANEL + l]);
  }
}

typedef struct K(bias_job) { const conv *c; const th_tensor *gb; double scale; } K(bias_job);

/* Block: planes of the bias. Sums in double. */
static void K(bias)(void *ctx, int64_t first, int64_t last)
{
  const K(bias_job) *j = ctx;
  const conv *c = j->c;
  const bool straight = c->gs[3] == 1 && c->gs[2] == c->ow;       /* a plane is one long row */
  const int64_t rows = straight ? 1 : c->oh, n_row = straight ? c->pixels : c->ow;
  for (int64_t o = first; o < last && !th_interrupted(); o++) {
    double total = 0;
    for (int64_t n = 0; n < c->n; n++) {
      double lane[16] = { 0 };
      for (int64_t i = 0; i < rows; i++) {
        const T *g = (const T *)c->g + n * c->gs[0] + o * c->gs[1] + i * c->gs[2];
        int64_t q = 0;
        if (c->gs[3] == 1) {
          for (; q + 16 <= n_row; q += 16)
            for (int l = 0; l < 16; l++) lane[l] += (double)LOAD(g[q + l]);
        }
        for (; q < n_row; q++) lane[q % 16] += (double)LOAD(g[q * c->gs[3]]);
      }
      for (int w = 8; w; w /= 2) for (int l = 0; l < w; l++) lane[l] += lane[l + w];
      total += lane[0];
    }
    T *to = TH_DATA(T, j->gb) + o * j->gb->stride[0];
    *to = STORE((C)((double)LOAD(*to) + j->scale * total));
  }
}

static th_status K(grad_kernels)(conv *c, const th_tensor *gw, C scale)
{
  const int64_t panels = c->groups * up(c->o, PANEL), steps = up(c->k, TH_MR),
                planes = c->groups * c->c;
  const bool direct = K(direct)(c);
  if (direct) memcpy(c->ts, c->xs + 1, sizeof c->ts);
  else c->ts[0] = c->hp * c->wp, c->ts[1] = c->wp, c->ts[2] = 1;
  const int64_t turned = panels * c->pixels * PANEL,
                padded = direct ? 0 : up(planes * c->ts[0], 16) * 16;
  int64_t chunk = CHUNK_BYTES / (int64_t)sizeof(C) / (turned + padded);
  chunk = chunk < 1 ? 1 : least(chunk, c->n);
  c->parts = least(up(SUMS, panels * steps), chunk);
  const int64_t sums = c->parts * panels * steps * TH_MR * PANEL;
  const size_t bytes = sizeof(C) * (size_t)(sums + chunk * (turned + padded)) +
                       sizeof(int64_t) * (size_t)(c->k + c->pixels);
  char *scratch = th_scratch(bytes);
  if (!scratch) return th_fail(TH_ENOMEM, "no memory for %zu bytes of rearranged gradients", bytes);
  c->sums = scratch;
  c->turned = (C *)c->sums + sums;
  c->padded = direct ? NULL : (C *)c->turned + chunk * turned;
  int64_t *tap = (int64_t *)((C *)c->turned + chunk * (turned + padded)), *place = tap + c->k;
  set_taps(c, tap, c->ts);
  set_places(c, place, c->ts);
  c->tap = tap, c->place = place, c->b = &scale;
  th_status s = TH_OK;
  for (c->first = 0; c->first < c->n && s == TH_OK; c->first += chunk) {
    c->count = least(chunk, c->n - c->first);
    s = th_parallel(c->count, up(1 << 14, turned + padded), K(turn), c);
    const int64_t block = up(c->count, c->parts) * c->pixels * TH_MR * PANEL;
    if (s == TH_OK)
      s = th_parallel(c->parts * panels * steps, up(BLOCK_WORK / 4, block + 1), K(correlate), c);
  }
  c->y = TH_DATA(T, gw);
  if (s == TH_OK) s = th_parallel(panels * up(c->k, GATHERED), up(1 << 14, GATHERED * PANEL * c->parts), K(collect), c);
  th_scratch_free(scratch);
  return s;
}

static th_status K(grad_weight)(const th_call *call)
{
  const th_tensor *gw = call->arg[0].t, *x = call->arg[2].t, *g = call->arg[3].t;
  const double scale = call->arg[4].d;
  conv c = geometry(x, g, gw, call->arg + 5);
  c.x = TH_DATA(T, x);
  c.g = TH_DATA(T, g);
  if (th_tensor_numel(g) == 0) return TH_OK;
  return c.k > 0 ? K(grad_kernels)(&c, gw, (C)scale) : TH_OK;
}

static th_status K(grad_bias)(const th_call *call)
{
  const th_tensor *gw = call->arg[0].t, *x = call->arg[2].t, *g = call->arg[3].t;
  conv c = geometry(x, g, gw, call->arg + 5);
  c.g = TH_DATA(T, g);
  if (th_tensor_numel(g) == 0) return TH_OK;
  K(bias_job) j = { &c, call->arg[1].t, call->arg[4].d };
  return th_parallel(c.groups * c.o, up(1 << 14, c.n * c.pixels), K(bias), &j);
}

#undef MICRO
#undef TRANSPOSE
#undef PANEL
#endif
