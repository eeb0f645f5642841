/* lib/cpu/conv/last.c - convolution of images whose channels lie side by side, by oneDNN: no
 * operand changes its layout, and an
 * addend and an activation follow while the result is in the caches.
 *
 * A block is one call in one thread: some images, or of kernels of one pixel some pixels; some
 * planes of the result. Work is cut
 * by sizes alone. */
#include "last.h"
#include "after.h"
#include "../slots.h"
#include "../../conv/kernel_cache.h"
#include "../../conv/onednn.h"

enum {
  BLOCKS = TH_ONEDNN_MOST,          /* that a convolution should have */
  BLOCK_WORK = 1 << 20,             /* multiplications in a block, at least */
  BLOCK_BYTES = 512 << 10,          /* of the result in a block, at most where it is read again */
  LEAST_PIXELS = 24,                /* in a block */
  LEAST_PLANES = 32,                /* of the result in a block */
  LARGEST = 1 << 20                 /* size of an image */
};

/* How a convolution is cut. flat: the pixels of all images are one row, cut into `bands` of `size`
 * pixels, of which the last may have fewer. Else `size` images are a band, or one image is cut into
 * `kinds` bands of rows. Bands of one kind share a plan. And the planes of the result are cut into
 * strips. */
typedef struct cut { bool flat; int64_t bands, size, kinds, strips, planes; } cut;

/* Rows of the result, the rows of the image that they need, and zeros above and below those. Of a
 * flat cut, `rows` is the number of pixels. */
typedef struct band { int64_t first, rows, from, in, above, below; th_onednn_plan *plan; } band;

typedef struct work {
  const th_conv *c;
  const th_conv_after *after;       /* NULL: nothing follows */
  cut     cut;
  band    band[BLOCKS];
  const float *x, *add;
  float  *y;
  char   *kernels;
  th_cached_kernel *kept;
  th_onednn_mover *mover;
  int64_t step, add_step;           /* from pixel to pixel of the result and the addend */
  bool    apart;                    /* a block's result is made in the slot */
  size_t  kernel_bytes, result_bytes, workspace;
  int     failed;
  th_slots slots;
} work;

static bool is_flat(const th_conv_shape *s)
{
  return s->kh == 1 && s->kw == 1 && s->sh == 1 && s->sw == 1 && s->ph == 0 && s->pw == 0 &&
    s->n * s->h * s->w <= LARGEST;
}

/* The largest divisor of n up to a limit. */
static int64_t divisor(int64_t n, int64_t limit)
{
  int64_t best = 1;
  for (int64_t d = 1; d * d <= n; d++) {
    if (n % d) continue;
    if (d <= limit && d > best) best = d;
    if (n / d <= limit && n / d > best) best = n / d;
  }
  return best;
}

static int64_t pixels_of(const th_conv_shape *s) { return s->n * s->h * s->w; }

/* Cuts the images into about so many bands; false if that leaves too little in a band. */
static bool cut_bands(cut *k, const th_conv_shape *s, int64_t wanted)
{
  k->kinds = 1;
  if (k->flat) {
    const int64_t all = pixels_of(s);
    k->size = (all + wanted - 1) / wanted;
    k->bands = (all + k->size - 1) / k->size;
    k->kinds = all % k->size ? 2 : 1;
    return wanted == 1 || k->size >= LEAST_PIXELS;
  }
  if (wanted <= s->n) {
    k->size = divisor(s->n, (s->n + wanted - 1) / wanted);
    k->bands = s->n / k->size;
    return true;
  }
  /* of the result, in a band */
  const int64_t each = th_min(BLOCKS, wanted / s->n), rows = (s->oh + each - 1) / each;
  k->size = 1;
  k->kinds = (s->oh + rows - 1) / rows;
  k->bands = s->n * k->kinds;
  return rows * s->ow >= LEAST_PIXELS && k->kinds <= BLOCKS;
}

/* The cut that reads the fewest bytes among those with enough blocks: each strip reads all images,
 * each band all kernels. */
static cut cut_of(const th_conv *c)
{
  const th_conv_shape *s = &c->s;
  const double images = (double)(s->n * s->h * s->w * s->c),
    results = (double)(s->n * s->oh * s->ow * s->o);
  const double kernels = (double)(s->c * s->kh * s->kw * s->o);
  const int64_t wanted = th_min(BLOCKS, th_max(1, (int64_t)(th_conv_products(s) / BLOCK_WORK)));
  cut best = { 0 };
  double least = INFINITY;
  for (int64_t strips = 1; strips <= BLOCKS; strips *= 2) {
    if (strips > 1 && (s->o % strips || s->o / strips % 16 || s->o / strips < LEAST_PLANES)) break;
    for (int64_t bands = 1; bands <= BLOCKS * s->n; bands *= 2) {
      cut k = { .flat = is_flat(s), .strips = strips, .planes = s->o / strips };
      if (!cut_bands(&k, s, bands)) break;
      const double lack = (double)wanted / (double)th_min(wanted, strips * k.bands) - 1;
      const double bytes = (double)strips * images + (double)k.bands * kernels +
        (strips > 1 ? results : 0);
      const double block = results * sizeof(float) / (double)(strips * k.bands);
      const double cost = bytes + (c->after && block > BLOCK_BYTES ? results : 0) +
        lack * th_conv_products(s) / 64;
      if (cost < least) best = k, least = cost;
    }
  }
  return best;
}

static th_onednn_shape block_of(const th_conv *c, const cut *k, const band *b, bool apart,
  int64_t step)
{
  const th_conv_shape *s = &c->s;
  th_onednn_shape r = { .n = k->size, .c = s->c, .o = k->planes, .h = b->in, .w = s->w,
    .kh = s->kh, .kw = s->kw, .oh = b->rows,
                        .ow = s->ow, .sh = s->sh, .sw = s->sw, .ph = b->above, .pb = b->below,
                          .pw = s->pw, .dh = s->dh,
                        .dw = s->dw, .pass = TH_CONV_FORWARD, .bias = c->bias != NULL, .last = 1 };
  if (k->flat) r.n = r.h = r.oh = 1, r.w = r.ow = b->rows;
  if (apart) step = k->planes;
  const int64_t xs[4] = { r.h * r.w * r.c, 1, r.w * r.c, r.c },
    ys[4] = { r.oh * r.ow * step, 1, r.ow * step, step };
  memcpy(r.xs, xs, sizeof xs);
  memcpy(r.ys, ys, sizeof ys);
  for (int d = 0; d < 4; d++) r.ks[d] = c->k->stride[d];
  return r;
}

/* The kinds of bands. False if one has no row of the image. */
static bool set_bands(work *w)
{
  const th_conv_shape *s = &w->c->s;
  if (w->cut.flat) {
    w->band[0] = (band){ .rows = w->cut.size };
    w->band[1] = (band){ .rows = pixels_of(s) - (w->cut.bands - 1) * w->cut.size };
    return true;
  }
  const int64_t rows = (s->oh + w->cut.kinds - 1) / w->cut.kinds;
  for (int64_t i = 0; i < w->cut.kinds; i++) {
    band *b = &w->band[i];
    b->first = i * rows;
    b->rows = th_min(rows, s->oh - b->first);
    const int64_t top = b->first * s->sh - s->ph, reach = (b->rows - 1) * s->sh +
      (s->kh - 1) * s->dh + 1;
    b->above = top < 0 ? -top : 0;
    b->below = th_max(0, top + reach - s->h);
    b->from = th_max(0, top);
    b->in = w->cut.kinds == 1 ? s->h : reach - b->above - b->below;
    if (b->in < 1) return false;
  }
  if (w->cut.kinds == 1) w->band[0].below = s->ph;
  return true;
}

static void give_plans(work *w)
{
  for (int64_t i = 0; i < w->cut.kinds; i++) {
    th_onednn_give(w->band[i].plan);
    w->band[i].plan = NULL;
  }
}

/* A plan for each kind of band; all require the kernels in one layout. */
static th_status take_plans(work *w)
{
  const int64_t n = w->cut.kinds;
  th_onednn_plan *plan[BLOCKS];
  th_onednn_shape shape[BLOCKS];
  if (n < 1 || !set_bands(w)) return TH_EBACKEND;
  for (int64_t i = 0; i < n; i++) {
    shape[i] = block_of(w->c, &w->cut, &w->band[i], w->apart, w->step);
  }
  TH_TRY(th_onednn_take(plan, shape, (int)n));
  th_status s = TH_OK;
  for (int64_t i = 0; i < n; i++) {
    w->band[i].plan = plan[i];
    if (!th_onednn_same_kernels(plan[0], plan[i])) s = TH_EBACKEND;
  }
  if (s != TH_OK) give_plans(w);
  return s;
}

static void fail(work *w) { __atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED); }
static bool stop(const work *w) { return th_interrupted() ||
  __atomic_load_n(&w->failed, __ATOMIC_RELAXED); }

/* Block: the kernels of a strip. */
static void move_kernels(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const int before = th_onednn_enter();
  for (int64_t i = first; i < last && !stop(w); i++) {
    float *from = TH_DATA(float, w->c->k) + i * w->cut.planes * w->c->k->stride[0];
    if (!th_onednn_mover_run(w->mover, from, w->kernels + (size_t)i * w->kernel_bytes)) fail(w);
  }
  th_onednn_leave(before);
}

/* Moves the kernels into the layout of the plans, if that has not been done. */
static th_status have_kernels(work *w)
{
  if (!w->kernels || (w->kept && w->kept->made)) return TH_OK;
  w->mover = th_onednn_mover_new(w->band[0].plan);
  if (!w->mover) return th_fail(TH_ENOMEM, "no memory for oneDNN");
  const th_status s = th_parallel(w->cut.strips, 1, move_kernels, w);
  th_onednn_mover_free(w->mover);
  return s;
}

/* The result of a block, n pixels from the `first` on, which was made at `from`. */
static void finish(const work *w, const float *from, int64_t first, int64_t n, int64_t strip)
{
  const int64_t planes = w->cut.planes, at = strip * planes, step = w->apart ? planes : w->step;
  float *y = w->y + first * w->step + at;
  const float *add = w->add ? w->add + first * w->add_step + at : NULL;
  if (step == planes && w->step == planes && (!add || w->add_step == planes)) {
    finish_line(w->after, y, from, add, n * planes);
    return;
  }
  for (int64_t i = 0; i < n; i++, y += w->step, from += step) {
    finish_line(w->after, y, from, add ? add + i * w->add_step : NULL, planes);
  }
}

/* Block: a strip of a band. Neighbours share a strip, whose kernels stay in the cache. */
static void correlate(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const th_conv_shape *s = &w->c->s;
  const cut *k = &w->cut;
  const int before = th_onednn_enter();
  char *slot = th_slot_take(&w->slots);
  for (int64_t i = first; i < last && !stop(w); i++) {
    const int64_t at = i % k->bands, strip = i / k->bands;
    const band *b = &w->band[k->flat ? k->kinds == 2 && at == k->bands - 1 : at % k->kinds];
    const int64_t image = at / k->kinds * k->size;
    const int64_t pixel = k->flat ? at * k->size : (image * s->oh + b->first) * s->ow;
    const int64_t n = k->flat ? b->rows : k->size * b->rows * s->ow;
    const float *x = w->x + (k->flat ? at * k->size : (image * s->h + b->from) * s->w) * s->c;
    float *y = w->apart ? (float *)(void *)slot : w->y + pixel * w->step + strip * k->planes;
    float *kernels = w->kernels ? (float *)(void *)(w->kernels + (size_t)strip * w->kernel_bytes) :
                                  TH_DATA(float, w->c->k) + strip * k->planes * w->c->k->stride[0];
    float *bias = w->c->bias ? TH_DATA(float, w->c->bias) + strip * k->planes : NULL;
    void *const operand[3] = { (void *)(uintptr_t)x, y, kernels };
    if (!th_onednn_run(b->plan, operand, bias, slot + w->result_bytes)) fail(w);
    else if (w->after) finish(w, y, pixel, n, strip);
  }
  th_slot_give(&w->slots, slot);
  th_onednn_leave(before);
}

/* Kernels in the layout of the plans, for all plans that have it. */
static th_cached_kernel *kept_of(const th_conv *c, const work *w, size_t bytes)
{
  static const char engine;
  const int layout = th_onednn_kernel_layout(w->band[0].plan);
  const th_kernel_tag tag = { &engine, { layout, w->cut.strips } };
  return layout < 0 ? NULL : th_kernel_cache_get(c->k, &tag, bytes);
}

static size_t whole(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static th_status with_plans(const th_conv *c, work *w)
{
  const bool fits = th_onednn_fits(w->band[0].plan, TH_ONEDNN_K);
  w->kernel_bytes = whole(th_onednn_bytes(w->band[0].plan, TH_ONEDNN_K));
  for (int64_t i = 0; i < w->cut.kinds; i++) {
    const bool room = w->apart || w->add;   /* the next call may have the addend in its result */
    const size_t result = room ? whole(th_onednn_bytes(w->band[i].plan, TH_ONEDNN_Y)) : 0;
    if (result > w->result_bytes) w->result_bytes = result;
    const size_t workspace = th_onednn_workspace(w->band[i].plan);
    if (workspace > w->workspace) w->workspace = workspace;
  }
  const size_t bytes = (size_t)w->cut.strips * w->kernel_bytes;
  w->kept = !fits && th_conv_trusted() ? kept_of(c, w, bytes) : NULL;
  if (th_kernels_gone() && !(w->kept && w->kept->made)) {
    th_kernel_cache_give(w->kept, false);
    return th_kernels_missed();
  }
  char *memory = !fits && !w->kept ? th_scratch(bytes) : NULL;
  if (!fits && !w->kept && !memory) return th_fail(TH_ENOMEM, "no memory for %zu bytes of kernels",
    bytes);
  w->kernels = w->kept ? w->kept->data : memory;
  th_status t = th_slots_new(&w->slots, w->result_bytes + w->workspace);
  if (t == TH_OK) {
    t = have_kernels(w);
    if (t == TH_OK && !w->failed) t = th_parallel(w->cut.bands * w->cut.strips, 1, correlate, w);
    if (t == TH_OK && w->failed) t = th_fail(TH_ENOMEM, "no memory for oneDNN");
    th_slots_free(&w->slots);
  }
  if (w->kept && t == TH_OK) th_kernels_sufficed();
  th_kernel_cache_give(w->kept, t == TH_OK);
  th_scratch_free(memory);
  return t;
}

th_status TH_AT(th_conv_last)(const th_conv *c)
{
  static const th_conv_after nothing = { .act = TH_AFTER_NONE };
  work w = { .c = c, .after = c->after, .cut = cut_of(c), .x = TH_DATA(float, c->x),
    .y = TH_DATA(float, c->y),
             .step = pixel_step(c->y) };
  if (c->after && c->after->add) {
    w.add = TH_DATA(float, c->after->add), w.add_step = pixel_step(c->after->add);
  }
  w.apart = w.cut.strips > 1 || w.step != c->s.o || w.add == w.y;
  if (w.apart && !w.after) w.after = &nothing;
  th_status s = take_plans(&w);
  if (s != TH_OK && w.cut.kinds > 1) {              /* whole images */
    w.cut.bands = w.cut.flat ? 1 : c->s.n, w.cut.kinds = 1;
    if (w.cut.flat) w.cut.size = pixels_of(&c->s);
    s = take_plans(&w);
  }
  if (s != TH_OK) return s;
  s = with_plans(c, &w);
  give_plans(&w);
  return s;
}

bool TH_AT(th_conv_can_last)(const th_conv *c)
{
  const th_conv_shape *s = &c->s;
  const int64_t size[] = { s->n, s->c, s->o, s->h, s->w, s->kh, s->kw, s->oh, s->ow, s->sh, s->sw,
    s->ph, s->pw, s->dh, s->dw };
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) if (size[i] > LARGEST) return false;
  return TH_VB == 64 && s->dtype == TH_F32 && s->groups == 1 && !th_onednn_missing() &&
    pixel_step(c->x) == s->c &&
         pixel_step(c->y) > 0;
}
