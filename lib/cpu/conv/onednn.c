/* lib/cpu/conv/onednn.c - the engine "direct": convolution by oneDNN (lib/conv/onednn.c), whose kernels want planes side
 * by side in vectors. Operands are converted to the layout that it asks for, and the result back, block by block in the
 * threads' caches.
 *
 * A block is one call in one thread: some images, one group, some planes of the result. gradWeight sums in parts of the
 * images, which are added up in order. Work is cut by sizes alone. */
#include "engine.h"
#include "../gemm.h"
#include "../slots.h"
#include "../../conv/kernel_cache.h"
#include "../../conv/onednn.h"
#include "../../conv/onednn_library.h"

enum {
  BLOCKS = 16,                      /* that a pass should have at least */
  FEW_BLOCKS = 4,                   /* of images for gradWeight */
  LEAST_PLANES = 32,                /* of the result in a block */
  IMAGES_BYTES = 512 << 10,         /* of images and results in a block, where it may be chosen */
  SUMMED_BYTES = 4 << 20,           /* the same for gradWeight, which adds to its sums once a block */
  SUMS_BYTES = 32 << 20             /* of all parts of gradWeight */
};

/* How a convolution is cut: images and planes of the result in a block, how many blocks each way; parts of the images that
 * gradWeight sums apart; whether what is read first is moved before all blocks, because several of them want it. */
typedef struct cut { int64_t images, chunks, planes, strips, parts; bool ahead; } cut;

typedef struct work {
  th_onednn_plan *plan;
  th_onednn_shape s;                /* of a block */
  cut      cut;
  int64_t  groups, pass;
  float   *operand[3], *bias;       /* as given */
  char    *first, *kernels, *sums;  /* moved before the blocks: what is read first, kernels; gradWeight's sums */
  th_cached_kernel *kept;           /* moved kernels that later calls use too; NULL: for this call alone */
  float   *dense;                   /* gradWeight in the order of its tensor */
  float    scale;
  int64_t  ws[4];                   /* strides of gradWeight */
  int      failed;
  size_t   bytes[3], at[3], workspace;      /* of moved operands in a slot, and where; of the workspace behind them */
  th_slots slots;
} work;

static int64_t divisor(int64_t n, int64_t limit)    /* the largest one up to a limit */
{
  int64_t best = 1;
  for (int64_t d = 1; d * d <= n; d++) {
    if (n % d) continue;
    if (d <= limit && d > best) best = d;
    if (n / d <= limit && n / d > best) best = n / d;
  }
  return best;
}

static int64_t image_bytes(const th_conv_shape *s) { return 4 * (s->c * s->h * s->w + s->o * s->oh * s->ow); }
static int64_t kernel_bytes(const th_conv_shape *s) { return 4 * s->c * s->o * s->kh * s->kw; }

static cut cut_of(const th_conv_shape *s)
{
  const int64_t planes = s->pass == TH_CONV_GRAD_INPUT ? s->c : s->o;
  cut k = { .planes = planes, .parts = 1 };
  const bool weight = s->pass == TH_CONV_GRAD_WEIGHT;
  const int64_t room = th_max(weight ? SUMMED_BYTES : IMAGES_BYTES, kernel_bytes(s) / (weight ? 1 : 2));
  k.images = divisor(s->n, th_max(1, th_min(room / image_bytes(s), s->n * s->groups / (weight ? FEW_BLOCKS : BLOCKS))));
  k.chunks = s->n / k.images;
  if (weight) {
    k.parts = th_min(th_min(k.chunks, BLOCKS), th_max(1, SUMS_BYTES / (s->groups * kernel_bytes(s))));
  }
  const int64_t blocks = s->groups * (weight ? k.parts : k.chunks);
  if (blocks < BLOCKS && planes % 16 == 0 && planes > LEAST_PLANES) {
    k.planes = 16 * divisor(planes / 16, th_max(LEAST_PLANES / 16, planes / 16 * blocks / BLOCKS));
  }
  k.strips = planes / k.planes;
  k.ahead = k.strips > 1;
  return k;
}

static th_onednn_shape block_of(const th_conv *c, const cut *k)
{
  const th_conv_shape *s = &c->s;
  th_onednn_shape b = { .n = k->images, .c = s->c, .o = s->o, .h = s->h, .w = s->w, .kh = s->kh, .kw = s->kw, .oh = s->oh,
                        .ow = s->ow, .sh = s->sh, .sw = s->sw, .ph = s->ph,
                        .pw = s->pw, .dh = s->dh, .dw = s->dw,
                        .pass = s->pass, .bias = c->bias != NULL };
  if (s->pass == TH_CONV_GRAD_INPUT) b.c = k->planes;
  else b.o = k->planes;
  for (int d = 0; d < c->x->ndim; d++) {
    b.xs[4 - c->x->ndim + d] = c->x->stride[d];
    b.ys[4 - c->x->ndim + d] = c->y->stride[d];
  }
  for (int d = 0; d < 4; d++) b.ks[d] = c->k->stride[d];
  if (c->x->ndim == 3) b.xs[0] = s->groups * s->c * s->h * s->w, b.ys[0] = s->groups * s->o * s->oh * s->ow;
  if (s->pass == TH_CONV_GRAD_WEIGHT) {             /* its sums are laid out densely first */
    b.ks[0] = s->c * s->kh * s->kw, b.ks[1] = s->kh * s->kw, b.ks[2] = s->kw, b.ks[3] = 1;
  }
  return b;
}

/* Where an operand of a block begins: images from `image`, a group, a strip of the result's planes. */
static float *place(const work *w, int operand, int64_t image, int64_t group, int64_t strip)
{
  const th_onednn_shape *s = &w->s;
  const int64_t from = strip * w->cut.planes;
  const bool input = w->pass == TH_CONV_GRAD_INPUT;
  const int64_t planes = input ? w->cut.strips * s->c : s->c, outs = input ? s->o : w->cut.strips * s->o;
  float *p = w->operand[operand];
  if (operand == TH_ONEDNN_X) return p + image * s->xs[0] + (group * planes + (input ? from : 0)) * s->xs[1];
  if (operand == TH_ONEDNN_Y) return p + image * s->ys[0] + (group * outs + (input ? 0 : from)) * s->ys[1];
  return p + (group * outs + (input ? 0 : from)) * s->ks[0] + (input ? from : 0) * s->ks[1];
}

static void fail(work *w) { __atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED); }
static bool stop(const work *w) { return th_interrupted() || __atomic_load_n(&w->failed, __ATOMIC_RELAXED); }

/* Block: the kernels of one group and strip. */
static void move_kernels(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const int before = th_onednn_enter();
  for (int64_t i = first; i < last && !stop(w); i++) {
    float *from = place(w, TH_ONEDNN_K, 0, i / w->cut.strips, i % w->cut.strips);
    if (!th_onednn_move(w->plan, TH_ONEDNN_K, from, w->kernels + (size_t)i * w->bytes[TH_ONEDNN_K])) fail(w);
  }
  th_onednn_leave(before);
}

static int first_of(const work *w) { return w->pass == TH_CONV_GRAD_INPUT ? TH_ONEDNN_Y : TH_ONEDNN_X; }

/* Block: one image of one group of what is read first. */
static void move_first(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const int before = th_onednn_enter(), operand = first_of(w);
  const size_t image = w->bytes[operand] / (size_t)w->cut.images;
  for (int64_t i = first; i < last && !stop(w); i++) {
    const int64_t n = i / w->groups, group = i % w->groups;
    const size_t chunk = (size_t)(n / w->cut.images * w->groups + group);
    char *to = w->first + chunk * w->bytes[operand] + (size_t)(n % w->cut.images) * image;
    if (!th_onednn_move_image(w->plan, place(w, operand, n, group, 0), to)) fail(w);
  }
  th_onednn_leave(before);
}

/* An operand that a block reads, in the wanted layout: as it is, as it was moved before, or moved into the slot. */
static void *wanted(work *w, int operand, char *slot, int64_t chunk, int64_t group, int64_t strip)
{
  float *given = place(w, operand, chunk * w->cut.images, group, strip);
  if (th_onednn_fits(w->plan, operand)) return given;
  if (operand == first_of(w) && w->first) return w->first + (size_t)(chunk * w->groups + group) * w->bytes[operand];
  if (operand == TH_ONEDNN_K) return w->kernels + (size_t)(group * w->cut.strips + strip) * w->bytes[operand];
  if (!th_onednn_move(w->plan, operand, given, slot + w->at[operand])) fail(w);
  return slot + w->at[operand];
}

/* Block: images of a group, a strip of the result. */
static void correlate(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const int before = th_onednn_enter(), result = w->pass == TH_CONV_FORWARD ? TH_ONEDNN_Y : TH_ONEDNN_X;
  const int64_t strips = w->cut.strips;
  char *slot = th_slot_take(&w->slots);
  for (int64_t b = first; b < last && !stop(w); b++) {
    const int64_t chunk = b / strips / w->groups, group = b / strips % w->groups, strip = b % strips;
    void *operand[3];
    for (int i = 0; i < 3; i++) if (i != result) operand[i] = wanted(w, i, slot, chunk, group, strip);
    float *to = place(w, result, chunk * w->cut.images, group, strip);
    const bool fits = th_onednn_fits(w->plan, result);
    operand[result] = fits ? (void *)to : slot + w->at[result];
    float *bias = w->bias ? w->bias + group * strips * w->cut.planes + strip * w->cut.planes : NULL;
    if (!th_onednn_run(w->plan, operand, bias, slot + w->workspace)) fail(w);
    if (!fits && !th_onednn_move(w->plan, result, operand[result], to)) fail(w);
  }
  th_slot_give(&w->slots, slot);
  th_onednn_leave(before);
}

/* Block: gradWeight of one part of the images, a group and a strip. */
static void sum_up(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const int before = th_onednn_enter();
  const int64_t strips = w->cut.strips, numbers = (int64_t)(w->bytes[TH_ONEDNN_K] / sizeof(float));
  char *slot = th_slot_take(&w->slots);
  for (int64_t b = first; b < last; b++) {
    const int64_t part = b / strips / w->groups, group = b / strips % w->groups, strip = b % strips;
    const int64_t from = w->cut.chunks * part / w->cut.parts, end = w->cut.chunks * (part + 1) / w->cut.parts;
    float *sums = (float *)(void *)(w->sums + (size_t)b * w->bytes[TH_ONEDNN_K]);
    for (int64_t chunk = from; chunk < end && !stop(w); chunk++) {
      float *to = chunk == from ? sums : (float *)(void *)(slot + w->at[TH_ONEDNN_K]);
      void *const operand[3] = { wanted(w, TH_ONEDNN_X, slot, chunk, group, strip),
                                 wanted(w, TH_ONEDNN_Y, slot, chunk, group, strip), to };
      if (!th_onednn_run(w->plan, operand, NULL, slot + w->workspace)) fail(w);
      if (to != sums) for (int64_t i = 0; i < numbers; i++) sums[i] += to[i];
    }
  }
  th_slot_give(&w->slots, slot);
  th_onednn_leave(before);
}

/* Block: numbers of the sums; the parts are added up in order. */
static void add_parts(void *ctx, int64_t first, int64_t last)
{
  const work *w = ctx;
  const size_t part = (size_t)(w->groups * w->cut.strips) * w->bytes[TH_ONEDNN_K];
  float *to = (float *)(void *)w->sums;
  for (int64_t p = 1; p < w->cut.parts; p++) {
    const float *from = (const float *)(const void *)(w->sums + (size_t)p * part);
    for (int64_t i = first; i < last; i++) to[i] += from[i];
  }
}

/* Adds `o` kernels, whose numbers lie densely, to gradWeight. */
static void add_kernels(const work *w, const float *from, int64_t first, int64_t o)
{
  const th_onednn_shape *s = &w->s;
  const int64_t *const ws = w->ws;
  float *to = w->operand[TH_ONEDNN_K] + first * ws[0];
  if (ws[0] == s->ks[0] && ws[1] == s->ks[1] && ws[2] == s->ks[2] && ws[3] == 1) {
    for (int64_t i = 0; i < o * s->ks[0]; i++) to[i] += w->scale * from[i];
    return;
  }
  for (; o--; to += ws[0]) {
    for (int64_t c = 0; c < s->c; c++) {
      for (int64_t i = 0; i < s->kh; i++, from += s->kw) {
        for (int64_t j = 0; j < s->kw; j++) to[c * ws[1] + i * ws[2] + j * ws[3]] += w->scale * from[j];
      }
    }
  }
}

/* Block: a group and strip of gradWeight, out of oneDNN's layout, scaled and added. */
static void add_sums(void *ctx, int64_t first, int64_t last)
{
  work *w = ctx;
  const th_onednn_shape *s = &w->s;
  const int before = th_onednn_enter();
  for (int64_t i = first; i < last && !stop(w); i++) {
    float *sums = (float *)(void *)(w->sums + (size_t)i * w->bytes[TH_ONEDNN_K]);
    float *from = w->dense + i * s->o * s->ks[0];
    if (th_onednn_fits(w->plan, TH_ONEDNN_K)) from = sums;
    else if (!th_onednn_move(w->plan, TH_ONEDNN_K, sums, from)) { fail(w); break; }
    add_kernels(w, from, i * s->o, s->o);
  }
  th_onednn_leave(before);
}

/* ---- the passes ---- */

static size_t whole(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Room for the operands that a block moves, and the workspace behind them. */
static th_status make_slots(work *w)
{
  size_t bytes = 0;
  for (int i = 0; i < 3; i++) {
    w->bytes[i] = whole(th_onednn_bytes(w->plan, i));
    w->at[i] = bytes;
    const bool weight = w->pass == TH_CONV_GRAD_WEIGHT && i == TH_ONEDNN_K;
    if (weight || !th_onednn_fits(w->plan, i)) bytes += w->bytes[i];
  }
  w->workspace = bytes;
  return th_slots_new(&w->slots, bytes + th_onednn_workspace(w->plan));
}

static th_status moved(work *w, th_status s)
{
  return s == TH_OK && w->failed ? th_fail(TH_ENOMEM, "no memory for oneDNN") : s;
}

/* The steps of a pass, whose memory is there. */
static th_status steps(work *w)
{
  const int64_t strips = w->groups * w->cut.strips;
  if (w->first) TH_TRY(moved(w, th_parallel(w->cut.chunks * w->cut.images * w->groups, 1, move_first, w)));
  if (w->pass != TH_CONV_GRAD_WEIGHT) {
    if (w->kernels && !(w->kept && w->kept->made)) TH_TRY(moved(w, th_parallel(strips, 1, move_kernels, w)));
    return moved(w, th_parallel(w->cut.chunks * strips, 1, correlate, w));
  }
  TH_TRY(moved(w, th_parallel(w->cut.parts * strips, 1, sum_up, w)));
  const int64_t numbers = strips * (int64_t)(w->bytes[TH_ONEDNN_K] / sizeof(float));
  if (w->cut.parts > 1) TH_TRY(th_parallel(numbers, 1 << 14, add_parts, w));
  return moved(w, th_parallel(strips, 1, add_sums, w));
}

/* The moved kernels, which are kept where the caller promised that they never change. The tag has all
 * that their layout depends on beside their size, three numbers in a word; a shape with larger numbers
 * gets none. */
static th_cached_kernel *kept_of(const th_conv *c, const work *w, size_t bytes)
{
  enum { BITS = 21 };
  const th_onednn_shape *s = &w->s;
  const int64_t numbers[] = {
    w->pass, w->groups, w->cut.strips, s->n, s->h, s->w, s->oh, s->ow, s->sh, s->sw, s->ph, s->pw, s->dh, s->dw,
    s->bias, s->c, s->o
  };
  th_kernel_tag tag = { .engine = &TH_AT(th_conv_direct) };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (numbers[i] < 0 || numbers[i] >> BITS) return NULL;
    tag.form[i / 3] |= numbers[i] << i % 3 * BITS;
  }
  return th_kernel_cache_get(c->k, &tag, bytes);
}

/* trusted: the kernels, if their moved form may be kept, else NULL. */
static th_status with_plan(const th_conv *c, work *w, const th_tensor *trusted)
{
  TH_TRY(make_slots(w));
  const bool weight = w->pass == TH_CONV_GRAD_WEIGHT;
  const int operand = first_of(w);
  const size_t strips = (size_t)(w->groups * w->cut.strips), kernels = strips * w->bytes[TH_ONEDNN_K];
  const size_t ahead = w->cut.ahead && !th_onednn_fits(w->plan, operand) ?
                       (size_t)(w->cut.chunks * w->groups) * w->bytes[operand] : 0;
  const bool fits = th_onednn_fits(w->plan, TH_ONEDNN_K);
  w->kept = c->k == trusted && !weight && !fits ? kept_of(c, w, kernels) : NULL;
  const size_t held = weight ? (size_t)w->cut.parts * kernels : fits || w->kept ? 0 : kernels;
  const size_t dense = weight ? strips * (size_t)(w->s.o * w->s.ks[0]) * sizeof(float) : 0;
  char *memory = th_scratch(ahead + held + dense + 64);
  th_status s = memory ? TH_OK : th_fail(TH_ENOMEM, "no memory for %zu bytes of rearranged images", ahead + held + dense);
  if (s == TH_OK) {
    if (ahead) w->first = memory;
    if (weight) w->sums = memory + ahead;
    else if (w->kept) w->kernels = w->kept->data;
    else if (held) w->kernels = memory + ahead;
    w->dense = (float *)(void *)(memory + ahead + held);
    s = steps(w);
  }
  th_kernel_cache_give(w->kept, s == TH_OK);
  th_scratch_free(memory);
  th_slots_free(&w->slots);
  return s;
}

static th_status run_packed(const th_conv *c, const th_tensor *trusted)
{
  const cut k = cut_of(&c->s);
  work w = { .s = block_of(c, &k), .cut = k, .groups = c->s.groups, .pass = c->s.pass, .scale = (float)c->scale,
             .operand = { TH_DATA(float, c->x), TH_DATA(float, c->y), TH_DATA(float, c->k) },
             .bias = c->bias ? TH_DATA(float, c->bias) : NULL };
  for (int d = 0; d < 4; d++) w.ws[d] = c->k->stride[d];
  th_onednn_plan *plan;
  TH_TRY(th_onednn_take(&plan, &w.s));
  w.plan = plan;
  const th_status s = with_plan(c, &w, trusted);
  th_onednn_give(plan);
  return s;
}

/* Operands that are read are packed first; that which is written may have gaps. */
static th_status run(const th_conv *c, const th_call *call)
{
  (void)call;
  th_conv packed = *c;
  const th_tensor **operand[4] = { &packed.x, &packed.y, &packed.k, &packed.bias };
  static const int result[3] = { TH_ONEDNN_Y, TH_ONEDNN_X, TH_ONEDNN_K };
  th_tensor copy[4] = { { 0 } };
  th_status s = TH_OK;
  for (int i = 0; i < 4 && s == TH_OK; i++) {
    if (i == result[c->s.pass] || !*operand[i] || th_contiguous(*operand[i])) continue;
    s = th_tensor_clone(&copy[i], *operand[i]);
    *operand[i] = &copy[i];
  }
  if (s == TH_OK) s = run_packed(&packed, th_conv_trusted() ? c->k : NULL);
  for (int i = 0; i < 4; i++) th_tensor_release(&copy[i]);
  return s;
}

static bool supports(const th_conv_shape *s)
{
  const int64_t size[] = { s->n, s->c, s->o, s->h, s->w, s->kh, s->kw, s->oh, s->ow, s->sh, s->sw, s->ph, s->pw, s->dh, s->dw };
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) if (size[i] > 1 << 20) return false;
  return s->dtype == TH_F32 && !th_onednn_missing();
}

/* Seconds of one core that a pass takes beside its products, for a number of the images, of the results, of the kernels, which
 * are all moved into another layout; what its products take, of the time at full rate. Fitted to the layers of bench/conv.lua. */
static const struct { double image, result, kernel, pixels, taps; } takes[] = {
  [TH_CONV_FORWARD] = { 0.55e-9, 0.36e-9, 0.9e-9, 0.76, 0.87 },
  [TH_CONV_GRAD_INPUT] = { 0.1e-9, 0.85e-9, 0.5e-9, 0.86, 0.89 },
  [TH_CONV_GRAD_WEIGHT] = { 0.7e-9, 0.53e-9, 2e-9, 0.93, 0.98 },
};

static double slowness(const th_conv_shape *s)
{
  const int64_t planes = s->pass == TH_CONV_GRAD_INPUT ? s->c : s->o;
  const double filled = (double)((planes + 15) / 16 * 16) / (double)planes;
  const double more = s->c >= 16 ? s->sw > 1 ? 0.2 : 0 : s->pass != TH_CONV_GRAD_WEIGHT ? 0.12 : 0;
  return filled * (more + (s->kh * s->kw == 1 ? takes[s->pass].pixels : takes[s->pass].taps));
}

static th_conv_cost cost(const th_conv_shape *s)
{
  const cut k = cut_of(s);
  const double images = (double)s->n * (double)s->groups, pixels = images * (double)s->oh * (double)s->ow;
  const double kernels = (double)(s->groups * s->c * s->o) * (double)(s->kh * s->kw);
  const int64_t calls = s->groups * k.strips * (s->pass == TH_CONV_GRAD_WEIGHT ? k.parts : k.chunks);
  th_conv_cost r = { .flops = 2 * pixels * (double)(s->c * s->kh * s->kw) * (double)s->o };
  r.bytes = images * (double)image_bytes(s) + (double)(s->groups * kernel_bytes(s));
  r.seconds = 2e-6 * (double)calls + slowness(s) * r.flops / TH_CONV_FLOPS(TH_F32);
  r.seconds *= (double)(calls + calls % 2) / (double)calls;        /* as two threads share them */
  r.seconds += 1e-4 + images * (double)s->c * (double)s->h * (double)s->w * takes[s->pass].image +
               pixels * (double)s->o * takes[s->pass].result;
  if (s->pass == TH_CONV_GRAD_WEIGHT || !th_conv_trusted()) r.seconds += kernels * takes[s->pass].kernel;
  if (s->pass == TH_CONV_GRAD_WEIGHT) r.seconds += kernels * 0.25e-9 * (double)k.parts;      /* sums are added up */
  r.workspace = (double)(k.ahead ? s->n * s->groups : 1) * (double)image_bytes(s) + (double)(s->groups * kernel_bytes(s));
  return r;
}

const th_conv_engine TH_AT(th_conv_direct) = { "direct", supports, cost, run, th_onednn_missing };
