/* lib/cpu/conv/last.c - convolution of images whose channels lie side by side: pixels are read
 * where they lie, kernels lie in panels (pixels.h).
 *
 * A block is a strip of planes of a band of pixels: some rows of an image, or of kernels of one
 * pixel some pixels. Work is cut by sizes alone. */
#include "last.h"
#include "pixels.h"
#include "../slots.h"
#include "../../conv/kernel_cache.h"

enum {
  BLOCKS = 16,                      /* that a convolution should have */
  BLOCK_WORK = 1 << 19,             /* multiplications in a block, at least */
  ROOM = 512 << 10,                 /* bytes of a block's padded copy, and of its sums, at most */
  NEAR = 384 << 10,                 /* bytes of kernels that stay in the second cache */
  LEAST_PIXELS = 24,                /* in a block */
  FEW = 64,                         /* channels, below which a run is a row of a window */
  LARGEST = 1 << 20,                /* size of an image */
  RUNS = 1 << 12                    /* of a window, at most */
};

static int64_t parts(int64_t n, int64_t of) { return (n + of - 1) / of; }

/* The vectors of the result, and the panels that they are in, which have about the same number.
 * Many panels are an even number, so that strips can be equal. */
typedef struct layout { uint32_t vectors, panels; } layout;

static layout layout_of(const th_conv_shape *s)
{
  const int64_t all = parts(s->o, V), even = all < 4 ? 1 : all < 20 ? 2 : 4;
  return (layout){ (uint32_t)all, (uint32_t)(parts(parts(all, WIDE), even) * even) };
}

/* The first plane of a panel. */
static int64_t plane_of(const layout *l, int64_t panel)
{
  return (uint32_t)panel * l->vectors / l->panels * V;
}

/* How a convolution is cut: rows of `units`, of which `each` are a band, and strips of panels. Of
 * kernels of one pixel the pixels of all images are one row of units, else a unit is a row of the
 * result, and an image has `bands`. */
typedef struct cut { bool flat; int64_t images, units, each, bands, strips, panels; } cut;

typedef struct work {
  const th_conv *c;
  cut     cut;
  layout  layout;
  const float *x, *add;
  float  *y;
  float  *kernels;                  /* in panels */
  int64_t products;                 /* numbers of a window */
  int64_t pixel, step, add_step;    /* from pixel to pixel of image, result and addend */
  bool    joined, padded;           /* a run is a row of a window; it lies in a padded copy */
  int64_t width;                    /* of the copy, in pixels */
  int64_t runs, length;             /* of a window */
  int64_t together;                 /* runs whose kernels stay in the second cache */
  th_slots slots;
} work;

/* A thread's memory for a block: the pointers of a group of pixels, a pixel of zeros, a padded copy
 * or sums of the band's pixels. */
typedef struct room { const float **x; float *zeros, *copy, *sums; } room;

static bool is_flat(const th_conv_shape *s)
{
  return s->kh == 1 && s->kw == 1 && s->sh == 1 && s->sw == 1 && s->ph == 0 && s->pw == 0;
}

/* The rows of the image that so many rows of the result need. */
static int64_t reach(const th_conv_shape *s, int64_t rows)
{
  return (rows - 1) * s->sh + (s->kh - 1) * s->dh + 1;
}

static int64_t padded_width(const th_conv_shape *s)
{
  return (s->ow - 1) * s->sw + (s->kw - 1) * s->dw + 1;
}

/* Bytes of the padded copy of so many rows of the result. */
static int64_t copy_bytes(const th_conv_shape *s, int64_t rows)
{
  return reach(s, rows) * padded_width(s) * s->c * (int64_t)sizeof(float);
}

/* Cuts each row of units into so many bands; false if that leaves too little in one. */
static bool cut_bands(cut *k, const th_conv_shape *s, int64_t wanted)
{
  k->each = parts(k->units, wanted);
  if (k->flat) k->each = parts(k->each, TH_MR) * TH_MR;
  k->bands = parts(k->units, k->each);
  return wanted == 1 || (k->bands > wanted / 2 && k->each * (k->flat ? 1 : s->ow) >= LEAST_PIXELS);
}

/* The cut that reads the fewest bytes among those with enough blocks: each strip reads all images,
 * each band all kernels. */
static cut cut_of(const th_conv *c)
{
  const th_conv_shape *s = &c->s;
  const double images = (double)(s->n * s->h * s->w * s->c);
  const double kernels = (double)(s->c * s->kh * s->kw * s->o);
  const int64_t wanted = th_min(BLOCKS, th_max(1, (int64_t)(th_conv_products(s) / BLOCK_WORK)));
  const int64_t panels = layout_of(s).panels;
  const bool flat = is_flat(s);
  cut best = { 0 };
  double least = INFINITY;
  for (int64_t strips = 1; strips <= th_min(panels, BLOCKS); strips *= 2) {
    if (panels % strips && panels < 4 * strips) continue;
    cut k = { .flat = flat, .images = flat ? 1 : s->n,
      .units = flat ? s->n * s->h * s->w : s->oh };
    k.panels = parts(panels, strips), k.strips = parts(panels, k.panels);
    for (int64_t bands = 1; bands <= k.units; bands *= 2) {
      if (!cut_bands(&k, s, bands)) break;
      const int64_t blocks = k.strips * k.images * k.bands;
      const double lack = (double)wanted / (double)th_min(wanted, blocks) - 1;
      const double cost = (double)k.strips * images + (double)(k.images * k.bands) * kernels +
        lack * th_conv_products(s) / 64;
      if (cost < least) best = k, least = cost;
    }
  }
  return best;
}

/* ---- kernels in panels ---- */

/* The numbers of a panel's planes from `from` on, for n numbers of the window that lie `step`
 * apart. `width` planes lie `plane` apart. */
static void put_columns(float *to, int64_t row, const float *from, int64_t n, int64_t step,
  int64_t width, int64_t plane)
{
  int64_t l = 0;
  if (plane == 1) {
    const size_t bytes = sizeof *to * (size_t)width;
    for (int64_t k = 0; k < n; k++) memcpy(to + k * row, from + k * step, bytes);
    l = width;
  }
  for (; l + 8 <= width && l + 8 <= row; l += 8) {
    const float *p = from + l * plane;
    float *t = to + l;
    for (int64_t k = 0; k < n; k++, p += step, t += row) {
      for (int i = 0; i < 8; i++) t[i] = p[i * plane];
    }
  }
  for (; l < width; l++) {
    for (int64_t k = 0; k < n; k++) to[k * row + l] = from[l * plane + k * step];
  }
  for (; l < row; l++) {
    for (int64_t k = 0; k < n; k++) to[k * row + l] = 0;
  }
}

/* Block: panels. */
static void arrange(void *ctx, int64_t first, int64_t last)
{
  const work *w = ctx;
  const th_conv_shape *s = &w->c->s;
  const int64_t *stride = w->c->k->stride;
  for (int64_t p = first; p < last && !th_interrupted(); p++) {
    const int64_t plane = plane_of(&w->layout, p), row = plane_of(&w->layout, p + 1) - plane,
      width = th_min(row, s->o - plane);
    const float *from = TH_DATA(float, w->c->k) + plane * stride[0];
    float *to = w->kernels + plane * w->products;
    for (int64_t tap = 0; tap < s->kh * s->kw; tap++, to += s->c * row) {
      put_columns(to, row, from + tap / s->kw * stride[2] + tap % s->kw * stride[3], s->c,
        stride[1], width, stride[0]);
    }
  }
}

static size_t kernel_bytes(const work *w)
{
  return sizeof(float) * (size_t)(parts(w->c->s.o, V) * V * w->products);
}

/* ---- blocks ---- */

/* Copies the rows of an image that a band needs, from row `top` on, with zeros around them. */
static void pad(const work *w, float *to, int64_t image, int64_t top, int64_t rows)
{
  const th_conv_shape *s = &w->c->s;
  const size_t pixel = sizeof(float) * (size_t)s->c;
  const int64_t left = th_min(s->pw, w->width), inside = th_min(s->w, w->width - left);
  for (int64_t r = top; r < top + rows; r++, to += w->width * s->c) {
    if (r < 0 || r >= s->h) {
      memset(to, 0, pixel * (size_t)w->width);
      continue;
    }
    const float *from = w->x + (image * s->h + r) * s->w * w->pixel;
    memset(to, 0, pixel * (size_t)left);
    memset(to + (left + inside) * s->c, 0, pixel * (size_t)(w->width - left - inside));
    if (w->pixel == s->c) {
      memcpy(to + left * s->c, from, pixel * (size_t)inside);
      continue;
    }
    for (int64_t i = 0; i < inside; i++) {
      memcpy(to + (left + i) * s->c, from + i * w->pixel, pixel);
    }
  }
}

static const float no_bias[PANEL];

/* What a block computes: `pixels` of the result from `first` on, whose windows begin at row `top`
 * of an image, and a strip. */
typedef struct band { int64_t image, top, first, pixels, strip; } band;

/* Finds the runs from `run` on of a group of pixels, the first of which is number `at` of the
 * band. */
static void find_runs(const work *w, const band *b, const room *m, int64_t run, int64_t at, int mr)
{
  const th_conv_shape *s = &w->c->s;
  const float *image = w->x + b->image * s->h * s->w * w->pixel;
  if (w->cut.flat) {
    for (int i = 0; i < mr; i++) m->x[i] = w->x + (b->first + at + i) * w->pixel;
    return;
  }
  int64_t row = at / s->ow, column = at % s->ow;
  const float *const origin = w->padded ? m->copy : image + b->top * s->w * w->pixel;
  const int64_t pixel = w->padded ? s->c : w->pixel, line = (w->padded ? w->width : s->w) * pixel;
  const int64_t end = th_min(s->kh, (run + w->together - 1) / s->kw + 1);
  for (int i = 0; i < mr; i++) {
    const float **x = m->x + i, *from = origin + row * s->sh * line + column * s->sw * pixel;
    if (w->joined) {
      for (int64_t ky = 0; ky < s->kh; ky++, from += s->dh * line) x[ky * TH_MR] = from;
    } else {
      for (int64_t ky = run / s->kw; ky < end; ky++) {
        const int64_t y = b->top + row * s->sh + ky * s->dh;
        for (int64_t kx = 0; kx < s->kw; kx++) {
          const int64_t z = column * s->sw + kx * s->dw - s->pw;
          const bool inside = y >= 0 && y < s->h && z >= 0 && z < s->w;
          x[(ky * s->kw + kx) * TH_MR] = inside ? image + (y * s->w + z) * w->pixel : m->zeros;
        }
      }
    }
    if (++column == s->ow) column = 0, row++;
  }
}

/* Some runs, from `run` on, of a panel of a group of pixels, the first of which is number `at` of
 * the band. */
static void run_panel(const work *w, const band *b, const room *m, int64_t panel, int64_t run,
  int64_t at, int64_t group, int mr)
{
  const int64_t plane = plane_of(&w->layout, panel), next = plane_of(&w->layout, panel + 1),
    vectors = (next - plane) / V, width = th_min(next, w->c->s.o) - plane,
    end = th_min(run + w->together, w->runs), pixel = b->first + at,
    numbers = (end - run) * w->length;
  const float *const bias = w->c->bias ? TH_DATA(float, w->c->bias) + plane : no_bias;
  float copy[PANEL] = { 0 };
  patch p = { .x = m->x + run * TH_MR, .runs = end - run, .length = w->length,
    .kernels = w->kernels + plane * w->products + run * w->length * vectors * V,
    .y = w->y + pixel * w->step + plane, .step = w->step,
    .add = w->add ? w->add + pixel * w->add_step + plane : NULL, .add_step = w->add_step,
    .width = width, .after = w->c->after, .begin = bias };
  if (run > 0) p.begin = m->sums + at * PANEL, p.begin_step = PANEL;
  else if (width < next - plane) p.begin = memcpy(copy, bias, sizeof *bias * (size_t)width);
  if (end < w->runs) p.sums = m->sums + at * PANEL;
  p.ahead = p.kernels + (vectors + (int)group % (int)vectors) * numbers * V;
  patches[mr - 1][vectors - 1](&p);
}

/* Groups have about the same number of pixels. */
static void run_band(const work *w, const band *b, const room *m)
{
  const int64_t groups = parts(b->pixels, TH_MR), begin = b->strip * w->cut.panels,
    end = th_min(begin + w->cut.panels, w->layout.panels);
  const bool near = (end - begin) * PANEL * w->products * (int64_t)sizeof(float) <= NEAR;
  const int64_t stretch = near ? end - begin : 1;   /* panels that a group meets at once */
  for (int64_t panel = begin; panel < end; panel += stretch) {
    for (int64_t run = 0; run < w->runs; run += w->together) {
      for (int64_t g = 0; g < groups && !th_interrupted(); g++) {
        const int64_t at = g * b->pixels / groups;
        const int mr = (int)((g + 1) * b->pixels / groups - at);
        find_runs(w, b, m, run, at, mr);
        for (int64_t i = panel; i < panel + stretch; i++) run_panel(w, b, m, i, run, at, g, mr);
      }
    }
  }
}

static size_t whole(int64_t bytes) { return ((size_t)bytes + 63) & ~(size_t)63; }

/* Bytes of a room, whose places in `memory` *m gets. */
static size_t place_room(const work *w, room *m, char *memory)
{
  const th_conv_shape *s = &w->c->s;
  const int64_t number = sizeof(float),
    pixels = w->cut.each * (w->cut.flat ? 1 : s->ow);
  const size_t x = whole(w->runs * TH_MR * (int64_t)sizeof(float *)),
    zeros = w->joined || w->cut.flat ? 0 : whole(s->c * number),
    copy = w->padded ? whole(copy_bytes(s, w->cut.each)) : 0,
    sums = w->together < w->runs ? whole(pixels * PANEL * number) : 0;
  if (memory) {
    m->x = (const float **)(void *)memory;
    m->zeros = (float *)(void *)(memory + x);
    m->copy = m->sums = (float *)(void *)(memory + x + zeros);
    if (zeros) memset(m->zeros, 0, zeros);
  }
  return x + zeros + (copy > sums ? copy : sums);
}

/* Block: a strip of a band. Neighbours share a strip, whose kernels stay in the cache. */
static void correlate(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const th_conv_shape *s = &w->c->s;
  const cut *k = &w->cut;
  char *slot = th_slot_take(&w->slots);
  room m;
  place_room(w, &m, slot);
  for (int64_t i = first; i < last && !th_interrupted(); i++) {
    const int64_t unit = i % k->bands * k->each, units = th_min(k->each, k->units - unit);
    band b = { .image = i / k->bands % k->images, .strip = i / (k->images * k->bands),
      .first = unit, .pixels = units };
    if (!k->flat) {
      b.top = unit * s->sh - s->ph;
      b.first = (b.image * s->oh + unit) * s->ow, b.pixels = units * s->ow;
    }
    if (w->padded) pad(w, m.copy, b.image, b.top, reach(s, units));
    run_band(w, &b, &m);
  }
  th_slot_give(&w->slots, slot);
}

/* The kernels in panels: kept ones, or in scratch memory, which *memory then is. */
static th_status have_kernels(work *w, th_cached_kernel **kept, void **memory)
{
  static const char engine;
  const size_t bytes = kernel_bytes(w);
  const th_kernel_tag tag = { &engine, { 0 } };
  *kept = th_conv_trusted() ? th_kernel_cache_get(w->c->k, &tag, bytes) : NULL;
  if (th_kernels_gone() && !(*kept && (*kept)->made)) return th_kernels_missed();
  if (!*kept) *memory = th_scratch(bytes);
  if (!*kept && !*memory) return th_fail(TH_ENOMEM, "no memory for %zu bytes of kernels", bytes);
  w->kernels = *kept ? (*kept)->data : *memory;
  if (*kept && (*kept)->made) return TH_OK;
  return th_parallel(w->layout.panels, parts(1 << 14, w->products * PANEL), arrange, w);
}

static th_status run(work *w)
{
  const cut *k = &w->cut;
  TH_TRY(th_slots_new(&w->slots, place_room(w, NULL, NULL)));
  th_cached_kernel *kept = NULL;
  void *memory = NULL;
  th_status t = have_kernels(w, &kept, &memory);
  if (t == TH_OK) t = th_parallel(k->images * k->bands * k->strips, 1, correlate, w);
  if (kept && t == TH_OK) th_kernels_sufficed();
  th_kernel_cache_give(kept, t == TH_OK);
  th_scratch_free(memory);
  th_slots_free(&w->slots);
  return t;
}

/* Of few channels, rows of windows are runs, which lie in a padded copy where there are zeros or
 * gaps. Of others, each pixel of a window is one. */
static void set_runs(work *w)
{
  const th_conv_shape *s = &w->c->s;
  cut *k = &w->cut;
  w->joined = s->c < FEW && s->dw == 1 && !k->flat && copy_bytes(s, 1) <= ROOM;
  w->padded = w->joined && (s->ph || s->pw || w->pixel != s->c);
  w->width = padded_width(s);
  w->runs = w->joined ? s->kh : s->kh * s->kw;
  w->length = w->products / w->runs;
  const int64_t bytes = w->length * PANEL * (int64_t)sizeof(float);
  const int64_t most = w->joined ? w->runs : th_min(w->runs, th_max(1, NEAR / 2 / bytes));
  w->together = parts(w->runs, parts(w->runs, most));
  const bool sums = w->together < w->runs;
  const int64_t row = s->ow * PANEL * (int64_t)sizeof(float);
  while (k->each > 1 && ((w->padded && copy_bytes(s, k->each) > ROOM) ||
                         (sums && k->each * row > ROOM))) {
    k->each = parts(k->each, 2), k->bands = parts(k->units, k->each);
  }
}

th_status TH_AT(th_conv_last)(const th_conv *c)
{
  const th_conv_shape *s = &c->s;
  work w = { .c = c, .cut = cut_of(c), .layout = layout_of(s), .x = TH_DATA(float, c->x),
    .y = TH_DATA(float, c->y), .pixel = pixel_step(c->x), .step = pixel_step(c->y),
    .products = s->c * s->kh * s->kw };
  if (c->after && c->after->add) {
    w.add = TH_DATA(float, c->after->add), w.add_step = pixel_step(c->after->add);
  }
  set_runs(&w);
  return run(&w);
}

bool TH_AT(th_conv_can_last)(const th_conv *c)
{
  const th_conv_shape *s = &c->s;
  const int64_t size[] = { s->n, s->c, s->o, s->h, s->w, s->kh, s->kw, s->oh, s->ow, s->sh, s->sw,
    s->ph, s->pw, s->dh, s->dw };
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) if (size[i] > LARGEST) return false;
  return TH_VB > 16 && s->dtype == TH_F32 && s->groups == 1 && s->kh * s->kw <= RUNS &&
    pixel_step(c->x) > 0 && pixel_step(c->y) > 0;
}
