/* lib/cpu/conv/last.c - convolution of images whose channels lie side by side, by oneDNN: no operand changes its layout, and an
 * addend and an activation follow while the result is in the caches.
 *
 * A block is one call in one thread: some images, or of kernels of one pixel some pixels; some planes of the result. Work is cut
 * by sizes alone. */
#include "last.h"
#include "after.h"
#include "../slots.h"
#include "../../conv/kernel_cache.h"
#include "../../conv/onednn.h"

enum {
  BLOCKS = 16,                      /* that a convolution should have */
  BLOCK_WORK = 2 << 20,             /* multiplications in a block, at least */
  LEAST_PIXELS = 24,                /* in a block */
  LEAST_PLANES = 32,                /* of the result in a block */
  LARGEST = 1 << 20                 /* size of an image */
};

/* How a convolution is cut: `bands` of images or pixels, `strips` of planes. flat: pixels of all images are one row. */
typedef struct cut { bool flat; int64_t bands, rows, strips, planes; } cut;

typedef struct work {
  const th_onednn_plan *plan;
  const th_conv *c;
  const th_conv_after *after;       /* NULL: nothing follows */
  cut     cut;
  const float *x, *add;
  float  *y;
  char   *kernels;
  th_cached_kernel *kept;
  int64_t in, out, pixels, step, add_step;  /* numbers of x in a band; pixels of the result in one; from pixel to pixel */
  bool    apart;                    /* a block's result is made in the slot */
  size_t  kernel_bytes, result_bytes;
  int     failed;
  th_slots slots;
} work;

static bool is_flat(const th_conv_shape *s)
{
  return s->kh == 1 && s->kw == 1 && s->sh == 1 && s->sw == 1 && s->ph == 0 && s->pw == 0 && s->n * s->h * s->w <= LARGEST;
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

/* The cut that reads the fewest bytes among those with enough blocks: each strip reads all images, each band all kernels. */
static cut cut_of(const th_conv_shape *s)
{
  const bool flat = is_flat(s);
  const int64_t rows = flat ? s->n * s->h * s->w : s->n;
  const double images = (double)(s->n * s->h * s->w * s->c), results = (double)(s->n * s->oh * s->ow * s->o);
  const double kernels = (double)(s->c * s->kh * s->kw * s->o);
  const int64_t wanted = th_min(BLOCKS, th_max(1, (int64_t)(th_conv_products(s) / BLOCK_WORK)));
  cut best = { flat, 1, rows, 1, s->o };
  double least = INFINITY;
  for (int64_t strips = 1; strips <= BLOCKS; strips *= 2) {
    if (strips > 1 && (s->o % strips || s->o / strips % 16 || s->o / strips < LEAST_PLANES)) break;
    for (int64_t bands = 1; bands <= th_max(BLOCKS, flat ? 1 : rows); bands *= 2) {
      const int64_t most = (rows + bands - 1) / bands, n = divisor(rows, most);
      if (flat && bands > 1 && n < LEAST_PIXELS) break;
      const int64_t count = rows / n;
      const double short_of = (double)wanted / (double)th_min(wanted, strips * count);
      const double bytes = (double)strips * images + (double)count * kernels + (strips > 1 ? results : 0);
      const double cost = bytes + 0.25 * (short_of - 1) * th_conv_products(s) / 16;
      if (cost >= least) continue;
      least = cost;
      best = (cut){ flat, count, n, strips, s->o / strips };
    }
  }
  return best;
}

static th_onednn_shape block_of(const th_conv *c, const cut *k, bool apart, int64_t step)
{
  const th_conv_shape *s = &c->s;
  th_onednn_shape b = { .n = k->rows, .c = s->c, .o = k->planes, .h = s->h, .w = s->w, .kh = s->kh, .kw = s->kw, .oh = s->oh,
                        .ow = s->ow, .sh = s->sh, .sw = s->sw, .ph = s->ph, .pw = s->pw, .dh = s->dh, .dw = s->dw,
                        .pass = TH_CONV_FORWARD, .bias = c->bias != NULL, .last = 1 };
  if (k->flat) b.n = b.h = b.oh = 1, b.w = b.ow = k->rows;
  if (apart) step = k->planes;
  const int64_t xs[4] = { b.h * b.w * b.c, 1, b.w * b.c, b.c }, ys[4] = { b.oh * b.ow * step, 1, b.ow * step, step };
  memcpy(b.xs, xs, sizeof xs);
  memcpy(b.ys, ys, sizeof ys);
  for (int d = 0; d < 4; d++) b.ks[d] = c->k->stride[d];
  return b;
}

static void fail(work *w) { __atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED); }
static bool stop(const work *w) { return th_interrupted() || __atomic_load_n(&w->failed, __ATOMIC_RELAXED); }

/* Block: the kernels of a strip. */
static void move_kernels(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const int before = th_onednn_enter();
  for (int64_t i = first; i < last && !stop(w); i++) {
    float *from = TH_DATA(float, w->c->k) + i * w->cut.planes * w->c->k->stride[0];
    if (!th_onednn_move(w->plan, TH_ONEDNN_K, from, w->kernels + (size_t)i * w->kernel_bytes)) fail(w);
  }
  th_onednn_leave(before);
}

/* The result of a block that was made at `from`. */
static void finish(const work *w, const float *from, int64_t band, int64_t strip)
{
  const int64_t planes = w->cut.planes, first = band * w->pixels, at = strip * planes;
  float *y = w->y + first * w->step + at;
  const float *add = w->add ? w->add + first * w->add_step + at : NULL;
  const int64_t step = w->apart ? planes : w->step;
  if (step == planes && w->step == planes && (!add || w->add_step == planes)) {
    finish_line(w->after, y, from, add, w->pixels * planes);
    return;
  }
  for (int64_t i = 0; i < w->pixels; i++, y += w->step, from += step) {
    finish_line(w->after, y, from, add ? add + i * w->add_step : NULL, planes);
  }
}

/* Block: a strip of a band. Neighbours share a strip, whose kernels stay in the cache. */
static void correlate(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const int before = th_onednn_enter();
  char *slot = th_slot_take(&w->slots);
  for (int64_t b = first; b < last && !stop(w); b++) {
    const int64_t band = b % w->cut.bands, strip = b / w->cut.bands;
    float *y = w->apart ? (float *)(void *)slot : w->y + band * w->pixels * w->step + strip * w->cut.planes;
    float *k = w->kernels ? (float *)(void *)(w->kernels + (size_t)strip * w->kernel_bytes) :
                            TH_DATA(float, w->c->k) + strip * w->cut.planes * w->c->k->stride[0];
    float *bias = w->c->bias ? TH_DATA(float, w->c->bias) + strip * w->cut.planes : NULL;
    void *const operand[3] = { (void *)(uintptr_t)(w->x + band * w->in), y, k };
    if (!th_onednn_run(w->plan, operand, bias, slot + w->result_bytes)) fail(w);
    else if (w->after) finish(w, y, band, strip);
  }
  th_slot_give(&w->slots, slot);
  th_onednn_leave(before);
}

static th_cached_kernel *kept_of(const th_conv *c, const work *w, const th_onednn_shape *s, size_t bytes)
{
  static const char engine;
  const th_kernel_tag tag = { &engine, { s->n, s->h << 32 | s->w, s->oh << 32 | s->ow, s->sh << 32 | s->sw,
                                         s->ph << 32 | s->pw, s->dh << 32 | s->dw, w->cut.strips, s->bias } };
  return th_kernel_cache_get(c->k, &tag, bytes);
}

static size_t whole(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static th_status with_plan(const th_conv *c, work *w, const th_onednn_shape *s)
{
  const bool fits = th_onednn_fits(w->plan, TH_ONEDNN_K);
  w->kernel_bytes = whole(th_onednn_bytes(w->plan, TH_ONEDNN_K));
  w->result_bytes = w->apart ? whole(th_onednn_bytes(w->plan, TH_ONEDNN_Y)) : 0;
  const size_t bytes = (size_t)w->cut.strips * w->kernel_bytes;
  w->kept = !fits && th_conv_trusted() ? kept_of(c, w, s, bytes) : NULL;
  char *memory = !fits && !w->kept ? th_scratch(bytes) : NULL;
  if (!fits && !w->kept && !memory) return th_fail(TH_ENOMEM, "no memory for %zu bytes of kernels", bytes);
  w->kernels = w->kept ? w->kept->data : memory;
  th_status t = th_slots_new(&w->slots, w->result_bytes + th_onednn_workspace(w->plan));
  if (t == TH_OK) {
    if (w->kernels && !(w->kept && w->kept->made)) t = th_parallel(w->cut.strips, 1, move_kernels, w);
    if (t == TH_OK && !w->failed) t = th_parallel(w->cut.bands * w->cut.strips, 1, correlate, w);
    if (t == TH_OK && w->failed) t = th_fail(TH_ENOMEM, "no memory for oneDNN");
    th_slots_free(&w->slots);
  }
  th_kernel_cache_give(w->kept, t == TH_OK);
  th_scratch_free(memory);
  return t;
}

th_status TH_AT(th_conv_last)(const th_conv *c)
{
  static const th_conv_after nothing = { .act = TH_AFTER_NONE };
  work w = { .c = c, .after = c->after, .cut = cut_of(&c->s), .x = TH_DATA(float, c->x), .y = TH_DATA(float, c->y),
             .step = pixel_step(c->y) };
  if (c->after && c->after->add) {
    w.add = TH_DATA(float, c->after->add), w.add_step = pixel_step(c->after->add);
  }
  w.apart = w.cut.strips > 1 || w.step != c->s.o || w.add == w.y;
  if (w.apart && !w.after) w.after = &nothing;
  w.in = w.cut.rows * c->s.c * (w.cut.flat ? 1 : c->s.h * c->s.w);
  w.pixels = w.cut.rows * (w.cut.flat ? 1 : c->s.oh * c->s.ow);
  const th_onednn_shape s = block_of(c, &w.cut, w.apart, w.step);
  th_onednn_plan *plan;
  TH_TRY(th_onednn_take(&plan, &s));
  w.plan = plan;
  const th_status t = with_plan(c, &w, &s);
  th_onednn_give(plan);
  return t;
}

bool TH_AT(th_conv_can_last)(const th_conv *c)
{
  const th_conv_shape *s = &c->s;
  const int64_t size[] = { s->n, s->c, s->o, s->h, s->w, s->kh, s->kw, s->oh, s->ow, s->sh, s->sw, s->ph, s->pw, s->dh, s->dw };
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) if (size[i] > LARGEST) return false;
  return TH_VB == 64 && s->dtype == TH_F32 && s->groups == 1 && !th_onednn_missing() && pixel_step(c->x) == s->c &&
         pixel_step(c->y) > 0;
}
