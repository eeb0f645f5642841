/* fft.c - convolution by products of spectra: images are cut into tiles that overlap by the kernel less one
 * (overlap-save), and every frequency of all tiles is one product of complex matrices.
 *
 *   result     (tiles x planes)  * conj (planes x results)     kernels are the right operand
 *   gradInput  the same, of the gradient with the kernels turned round
 *   gradWeight (planes x tiles)  * conj (tiles x results)      summed over the tiles
 *
 * Three engines: fft cuts images into tiles of th x tw, fft1d cuts lines, where the kernel is one high or one wide;
 * winograd has other transforms, of real numbers, for kernels of 3 x 3.
 * Steps of 1 only. Work is cut by sizes alone. */
#include "after.h"
#include "../../conv/kernel_cache.h"
#include "../../fft/plan.h"
#include "../fft_roots.h"
#include "../gemm.h"
#include "../elementwise.h"
#include "../slots.h"
#include "../stream.h"
#include "../micro_real.h"

enum {
  ROWS = 96,                        /* of the left operand packed at a time; a multiple of 4 */
  CHUNK_BYTES = 16 << 20,           /* of spectra of tiles in memory at a time */
  LEAST_ROWS = 48,                  /* tiles in memory at a time, at least */
  MOST_ROWS = 384,
  FEW_ROWS = 96,                    /* the same by Winograd's engine, with the kernels of all */
  SPECTRA_PAST = 1 << 20,           /* bytes of spectra that go past the caches */
  RESULTS_PAST = 16 << 20,          /* and of results */
  STRIP_BYTES = 2 << 20,            /* in strips: of spectra of kernels in memory at a time */
  STRIP_TILES = 4 << 20,            /* and of tiles */
  LARGEST = 128,                    /* tiles */
  SHORTEST = 16, LONGEST = 1 << 18  /* lines */
};

/* How a product is written: into the caches, past them, or added to what is there. */
enum { KEEP, PASS, ADD };

enum { TILES, LINES, WINOGRAD };                    /* the engines */

/* What a transform is: of waves, or one of Winograd's, whose five matrices go to and from these. */
enum { WAVES, INPUTS, KERNELS, RESULTS, FROM_RESULTS, TO_KERNELS };

/* Vectors side by side in a product: as many as there are registers for. */
#define TH_WIDE (TH_VB == 64 ? 2 : 1)

/* Spectra of rows of groups of lanes. Distances are counted in vectors: from one frequency to the next, of which
 * `together` lie close, from one block of these to the next, from row to row, from panel to panel. Large spectra are
 * written past the caches: they would not stay there, and lines that lie far apart are written many times faster. */
typedef struct spectrum {
  void   *data;
  int64_t rows, groups, together, step, block, row, panel;
  bool    past;
} spectrum;

/* Pictures seen as tiles. `lanes` of a picture's planes become lanes of vectors. The numbers of a picture lie dh and
 * dw apart, with zeros between them: dilated kernels. */
typedef struct grid {
  const void *data;
  void   *out;
  int64_t sn, sl, sh, sw;           /* strides: pictures, lanes, rows, columns */
  int64_t lanes, h, w, dh, dw;
  int64_t ty, tx, my, mx;           /* tiles down and across; from one to the next */
  int64_t oy, ox;                   /* where the first one begins */
  int64_t rows, cols;               /* of a tile that count; the others are 0 */
  int     dtype;
  int64_t size;                     /* bytes of a number */
} grid;

typedef struct job {
  grid     grid;
  spectrum to;
  int64_t  th, tw, first, longest;
  const void *roots, *roots_down, *bias;            /* roots of unity: of rows, of columns */
  int64_t  bias_step;
  double   scale;
  /* what follows a result, where channels lie side by side; NULL: nothing */
  const th_conv_after *after;
  int64_t  shift;                   /* bytes from a result to its addend */
  bool     add, past;               /* past: the results go past the caches */
  int      side;
  int64_t  done;                    /* spectra of tiles that were written */
  th_slots slots;
} job;

/* to = left * conj(right); across: the left operand's rows are summed over, its m lanes are the result's rows. */
typedef struct product {
  spectrum left, right, to;
  int64_t  freqs, m;
  bool     across, add, waves, packed;  /* packed: the left operand is, as pack_all leaves it */
  th_slots slots;
} product;

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* n halves, `step` apart, become floats. */
static void widen(float *to, const void *from, int64_t step, int64_t n, int dtype)
{
  const th_f16 *half = from;
  const th_bf16 *brain = from;
  if (dtype == TH_BF16) for (int64_t j = 0; j < n; j++) to[j] = th_load_bf16(brain[j * step]);
  else if (step == 1) TH_AT(th_load_f16s)(to, half, n);
  else for (int64_t j = 0; j < n; j++) to[j] = th_load_f16(half[j * step]);
}

/* n floats become halves, `step` apart, or are added to them. */
static void narrow(void *to, int64_t step, const float *from, int64_t n, int dtype, bool add)
{
  th_f16 *half = to;
  th_bf16 *brain = to;
  if (dtype == TH_BF16) {
    for (int64_t j = 0; j < n; j++, brain += step) *brain = th_store_bf16(add ? th_load_bf16(*brain) + from[j] : from[j]);
  } else if (step == 1 && !add) {
    TH_AT(th_store_f16s)(half, from, n);
  } else {
    for (int64_t j = 0; j < n; j++, half += step) *half = th_store_f16(add ? th_load_f16(*half) + from[j] : from[j]);
  }
}

#define TH_REAL "conv/lanes.h"
#include "../each_real.h"
#define TH_REAL "conv/product.h"
#include "../each_real.h"
#define TH_REAL "conv/winograd.h"
#include "../each_real.h"
#define TH_REAL "conv/spectrum.h"
#include "../each_real.h"

/* ---- the plan: which tiles, what they cost ---- */

/* A convolution as this file computes it: sizes of the picture that is cut into tiles, of the dilated kernel, of the
 * result. Lines run along w. */
typedef struct shape {
  int64_t n, groups, lanes, outs, taps;             /* lanes: planes of a group that are transformed; outs: its results */
  int64_t h, w, kh, kw, oh, ow, ph, pw, dh, dw;
  bool    turned;                   /* h and w have changed places */
} shape;

typedef struct plan {
  int64_t th, tw, my, mx, ty, tx, tiles, freqs, rows;     /* rows: tiles in memory at a time */
  int64_t strip;                    /* groups of results whose kernels have spectra at a time */
  double  seconds, flops, bytes, workspace;
  double  kernels;                  /* of the seconds: transforms of the kernels */
} plan;

static int64_t dilated(int64_t k, int64_t d) { return (k - 1) * d + 1; }

static shape shape_of(const th_conv_shape *s, int engine)
{
  shape t = { .n = s->n, .groups = s->groups, .lanes = s->c, .outs = s->o, .taps = s->kh * s->kw, .h = s->h, .w = s->w,
              .kh = dilated(s->kh, s->dh), .kw = dilated(s->kw, s->dw), .oh = s->oh, .ow = s->ow,
              .ph = s->ph, .pw = s->pw, .dh = s->dh, .dw = s->dw };
  if (s->pass == TH_CONV_GRAD_INPUT) {
    t.lanes = s->o, t.outs = s->c;
    t.h = s->oh, t.w = s->ow, t.oh = s->h, t.ow = s->w;
    t.ph = t.kh - 1 - s->ph, t.pw = t.kw - 1 - s->pw;
  }
  if (engine == LINES && t.kh > 1) {
    t = (shape){ .n = t.n, .groups = t.groups, .lanes = t.lanes, .outs = t.outs, .taps = t.taps, .h = t.w, .w = t.h,
                 .kh = t.kw, .kw = t.kh, .oh = t.ow, .ow = t.oh, .ph = t.pw, .pw = t.ph, .dh = t.dw,
                 .dw = t.dh, .turned = true };
  }
  return t;
}

/* Seconds that a point of a tile takes on its way to a spectrum or back, all lanes of a vector together, with all loads and
 * stores; kernels are small, so most of theirs are zeros. Products run at this share of the rate of others, and a call takes
 * some time to begin. Fitted to the layers of bench/conv.lua. */
static double point_time(int engine, int64_t points)
{
  return engine == WINOGRAD ? 9e-9 : points > 4096 ? 16.5e-9 : 11e-9;
}
static const double kernel_point_time = 5.5e-9, gradient_time = 3e-9;       /* the latter: to add a number to gradWeight */
static double beginning(int engine) { return engine == WINOGRAD ? 4e-4 : 2e-4; }
static double rate(int engine) { return engine == WINOGRAD ? 1.14 : 1.37; }

/* Where the caller has a keeper, Winograd's spectra are not kept but made while they are used, for
 * some results at a time: they are four times as large as the kernels. */
static bool in_strips(int engine, int pass)
{
  return engine == WINOGRAD && pass != TH_CONV_GRAD_WEIGHT && th_conv_trusted();
}

/* Groups of results whose kernels' spectra, of so many bytes a group, stay in a cache. */
static int64_t strip_of(double bytes, int64_t groups)
{
  const int64_t n = (int64_t)(STRIP_BYTES / bytes) / TH_WIDE * TH_WIDE;
  return th_min(groups, th_max(n, TH_WIDE));
}

/* Equal chunks of at most so many tiles. */
static int64_t chunk_of(int64_t tiles, int64_t most)
{
  return th_min(up(tiles, up(tiles, most)), tiles);
}

/* The plan with tiles of th x tw, without what is too large for these numbers. */
static plan plan_with(const shape *t, int pass, int dtype, int engine, int64_t th, int64_t tw)
{
  plan p = { .th = th, .tw = tw };
  const int64_t size = dtype == TH_F64 ? 8 : 4, lv = TH_VB / size;
  p.my = th - t->kh + 1, p.mx = tw - t->kw + 1;
  if (engine != WINOGRAD) p.my = th_min(p.my, t->oh), p.mx = th_min(p.mx, t->ow);
  p.ty = up(t->oh, p.my), p.tx = up(t->ow, p.mx);
  p.tiles = t->n * p.ty * p.tx;
  p.freqs = engine == WINOGRAD ? th * tw / 2 : th == 1 ? tw / 2 + 1 : th * tw / 2 + 2;
  const int64_t left = up(t->lanes, lv), right = up(t->outs, lv);
  const double vector = 2.0 * TH_VB * (double)p.freqs;      /* bytes of a group's spectrum */
  const bool kernels = pass != TH_CONV_GRAD_WEIGHT;
  p.strip = right;
  const bool strips = in_strips(engine, pass);
  if (strips) p.strip = strip_of(vector * (double)t->lanes, right);
  const double row = vector * (double)(left + p.strip);
  p.rows = th_max((int64_t)((strips ? STRIP_TILES : CHUNK_BYTES) / row), LEAST_ROWS);
  p.rows = chunk_of(p.tiles, th_min(p.rows, MOST_ROWS));
  const double chunks = (double)up(p.tiles, p.rows), tiles = (double)p.tiles;
  /* of kernels or of their gradient */
  const double fixed = vector * (double)t->lanes * (double)p.strip;
  p.flops = (double)t->groups * (engine == WINOGRAD ? 4 : 6) * (double)p.freqs * tiles * (double)t->lanes *
            (double)(up(right, 2) * 2 * lv);
  p.bytes = (double)t->groups * (2 * row * tiles + fixed * (kernels ? 1 + chunks : 1 + 2 * chunks));
  const double points = (double)(t->groups * th * tw), point = point_time(engine, th * tw);
  p.kernels = (double)t->lanes * (double)right * points * (kernels && th * tw <= 4096 ? kernel_point_time : point);
  if (p.strip < right) p.kernels *= chunks;
  p.seconds = p.flops / TH_CONV_FLOPS(dtype) / rate(engine) +
              tiles * (double)(left + right) * points * point + p.kernels + p.bytes / TH_CONV_BYTES;
  if (!kernels) p.seconds += (double)(t->groups * t->lanes * t->outs) * (double)(t->taps) * gradient_time;
  /* The next chunk finds the kernels in a cache, so chunks of few tiles are as fast. */
  if (engine == WINOGRAD && kernels && p.strip == right) {
    p.rows = chunk_of(p.tiles, th_min(p.rows, FEW_ROWS));
  }
  p.workspace = fixed + row * (double)(p.rows + 1);
  return p;
}

static void keep_cheaper(plan *best, plan p) { if (best->seconds == 0 || p.seconds < best->seconds) *best = p; }

static const int64_t sides[] = { 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, LARGEST };     /* of tiles */

/* The cheapest plan; none: seconds is 0. */
static plan plan_of(const shape *t, int pass, int dtype, int engine)
{
  plan best = { 0 };
  if (engine == WINOGRAD) {
    for (int64_t n = 4; n <= 6; n += 2) keep_cheaper(&best, plan_with(t, pass, dtype, engine, n, n));
    return best;
  }
  if (engine == LINES) {
    for (int64_t tw = SHORTEST; tw <= LONGEST; tw *= 2) {
      if (tw >= t->kw) keep_cheaper(&best, plan_with(t, pass, dtype, engine, 1, tw));
      if (tw >= t->ow + t->kw - 1) break;
    }
    return best;
  }
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
      if (sides[k] >= t->kw && sides[i] >= t->kh)
        keep_cheaper(&best, plan_with(t, pass, dtype, engine, sides[i], sides[k]));
      if (sides[k] >= t->ow + t->kw - 1) break;
    }
    if (sides[i] >= t->oh + t->kh - 1) break;
  }
  return best;
}

static bool possible(const th_conv_shape *s, int engine)
{
  if (s->sh != 1 || s->sw != 1) return false;
  if (s->h > INT32_MAX || s->w > INT32_MAX || s->kh > LONGEST || s->kw > LONGEST) return false;
  if (s->dh > LONGEST || s->dw > LONGEST || s->ph > INT32_MAX / 2 || s->pw > INT32_MAX / 2) return false;
  if (engine == WINOGRAD) return s->kh == 3 && s->kw == 3 && s->dh == 1 && s->dw == 1;
  const bool lines = engine == LINES;
  if (lines && s->kh != 1 && s->kw != 1) return false;
  const shape t = shape_of(s, engine);
  return t.kh <= (lines ? 1 : LARGEST) && t.kw <= (lines ? LONGEST : LARGEST);
}

static th_conv_cost cost(const th_conv_shape *s, int engine)
{
  const shape t = shape_of(s, engine);
  const plan p = plan_of(&t, s->pass, s->dtype, engine);
  const bool keeps = th_conv_trusted() && !in_strips(engine, s->pass);
  const double kept = keeps && t.groups == 1 && s->pass != TH_CONV_GRAD_WEIGHT ? p.kernels : 0;
  return (th_conv_cost){ p.seconds - kept + beginning(engine), p.flops, p.bytes, p.workspace, (int32_t)p.th, (int32_t)p.tw };
}

/* ---- the passes ---- */

typedef struct strides { int64_t s[4]; } strides;   /* pictures or results, planes, rows, columns */

static strides strides_of(const th_tensor *t, bool turned)
{
  strides r = { { 0 } };
  for (int d = 0; d < t->ndim; d++) r.s[4 - t->ndim + d] = t->stride[d];
  if (turned) { const int64_t w = r.s[2]; r.s[2] = r.s[3], r.s[3] = w; }
  return r;
}

/* Frequencies lie a little more apart than they must, lest all of them share the same places of a cache. What products
 * read has its rows side by side, what they write `together` frequencies, as the way back reads them. */
static spectrum spectrum_of(int64_t rows, int64_t groups, int64_t freqs, int64_t together)
{
  const int64_t row = 2 * TH_WIDE * together, panel = rows * row, block = up(groups, TH_WIDE) * panel + 2 * TH_WIDE;
  return (spectrum){ NULL, rows, groups, together, together > 1 ? 2 * TH_WIDE : block, block, row, panel,
                     up(freqs, together) * block * TH_VB > SPECTRA_PAST };
}
static size_t bytes_of(const spectrum *s, int64_t freqs) { return (size_t)(up(freqs, s->together) * s->block) * TH_VB; }

enum { BLOCK_NUMBERS = 1 << 15 };       /* numbers of tiles in a block: about 20 us */

static th_status transforms(job *j, int dtype, bool back)
{
  const int64_t lanes = TH_VB / (dtype == TH_F64 ? 8 : 4);
  const int64_t n = j->to.rows * j->to.groups;
  const int64_t numbers = j->side == WAVES ? BLOCK_NUMBERS : BLOCK_NUMBERS / 4;
  const int64_t grain = up(numbers, j->th * j->tw * lanes);
  th_block f = dtype == TH_F64 ? back ? from_spectra_f64 : to_spectra_f64 : back ? from_spectra_f32 : to_spectra_f32;
  return th_parallel(n, grain, f, j);
}

static th_status multiplied(product *p, int dtype)
{
  return th_parallel(p->freqs, 1, dtype == TH_F64 ? multiply_f64 : multiply_f32, p);
}

/* The grids of a convolution: what is cut into tiles, what it is multiplied with, what comes out. */
typedef struct grids { grid left, right, out; } grids;

static grids grids_of(const th_conv *c, const shape *t, const plan *p)
{
  const strides x = strides_of(c->x, t->turned), y = strides_of(c->y, t->turned), k = strides_of(c->k, t->turned);
  const bool input = c->s.pass == TH_CONV_GRAD_INPUT;
  const strides *from = input ? &y : &x, *to = input ? &x : &y;
  const grid pictures = {
    .sn = from->s[0], .sl = from->s[1], .sh = from->s[2], .sw = from->s[3], .lanes = t->lanes, .h = t->h, .w = t->w,
    .dh = 1, .dw = 1, .ty = p->ty, .tx = p->tx, .my = p->my, .mx = p->mx, .oy = -t->ph, .ox = -t->pw,
    .rows = p->my + t->kh - 1, .cols = p->mx + t->kw - 1
  };
  const grid results = {
    .sn = to->s[0], .sl = to->s[1], .sh = to->s[2], .sw = to->s[3], .lanes = t->outs, .h = t->oh, .w = t->ow,
    .dh = 1, .dw = 1, .ty = p->ty, .tx = p->tx, .my = p->my, .mx = p->mx, .rows = p->my, .cols = p->mx
  };
  const int sign = input ? -1 : 1;                  /* kernels turned round */
  const grid kernels = {
    .sn = input ? k.s[0] : k.s[1], .sl = input ? k.s[1] : k.s[0], .sh = sign * k.s[2], .sw = sign * k.s[3],
    .lanes = t->outs, .h = t->kh, .w = t->kw, .dh = t->dh, .dw = t->dw, .ty = 1, .tx = 1, .my = t->kh, .mx = t->kw,
    .rows = t->kh, .cols = t->kw
  };
  if (c->s.pass == TH_CONV_GRAD_WEIGHT) return (grids){ pictures, results, kernels };
  return (grids){ pictures, kernels, results };
}

/* Where the first element that a grid reads or writes of this group lies; kept: the kernels, NULL: they are where they are. */
static void set_data(const th_conv *c, const shape *t, grids *g, const th_cached_kernel *kept, int64_t group)
{
  const size_t size = th_element_size(c->s.dtype);
  const strides k = strides_of(c->k, t->turned);
  char *x = th_data(c->x, size), *y = th_data(c->y, size), *w = kept ? (char *)kept->kernels : th_data(c->k, size);
  x += group * c->s.c * strides_of(c->x, false).s[1] * (int64_t)size;
  y += group * c->s.o * strides_of(c->y, false).s[1] * (int64_t)size;
  w += group * c->s.o * k.s[0] * (int64_t)size;
  g->left.dtype = g->right.dtype = g->out.dtype = c->s.dtype;
  g->left.size = g->right.size = g->out.size = (int64_t)size;
  if (c->s.pass == TH_CONV_FORWARD) g->left.data = x, g->right.data = w, g->out.out = y;
  else if (c->s.pass == TH_CONV_GRAD_WEIGHT) g->left.data = x, g->right.data = y, g->out.out = w;
  else {
    w += ((t->kh - 1) / t->dh * k.s[2] + (t->kw - 1) / t->dw * k.s[3]) * (int64_t)size;
    g->left.data = y, g->right.data = w, g->out.out = x;
  }
}

typedef struct work {
  job     job;
  product product;
  grids   grids;
  plan    plan;
  spectrum kernels;
  th_cached_kernel *kept;               /* the kernels' spectra; NULL: they are for this call alone */
  int64_t  missing;                 /* spectra of kernels that have not been written */
  int      sides[3];                /* the transforms: of the left, of the right operand, of the product */
} work;

/* Part of a grid: n groups of lanes of a vector from `first` on. */
static grid strip(const grid *g, int64_t first, int64_t n, int64_t lanes)
{
  grid r = *g;
  const int64_t at = first * lanes * g->sl * g->size;
  if (r.data) r.data = (const char *)r.data + at;
  if (r.out) r.out = (char *)r.out + at;
  r.lanes = th_min(n * lanes, g->lanes - first * lanes);
  return r;
}

/* The spectra of the kernels of a strip. */
static th_status kernels_of(work *w, int dtype, const grid *kernels)
{
  job *j = &w->job;
  j->grid = *kernels, j->to = w->kernels, j->first = j->done = 0, j->side = w->sides[1];
  TH_TRY(transforms(j, dtype, false));
  w->missing -= j->done;
  return TH_OK;
}

/* A chunk of tiles, whose spectra are there, by the kernels of n groups of results from `first`. */
static th_status one_strip(work *w, int dtype, int64_t tile, int64_t first, int64_t n, bool made)
{
  const int64_t lanes = TH_VB / (dtype == TH_F64 ? 8 : 4), all = w->kernels.groups;
  const void *const bias = w->job.bias;
  product *q = &w->product;
  job *j = &w->job;
  const grid kernels = strip(&w->grids.right, first, n, lanes);
  w->kernels.groups = q->to.groups = n;
  th_status s = made ? TH_OK : kernels_of(w, dtype, &kernels);
  q->right = w->kernels;
  if (s == TH_OK) s = multiplied(q, dtype);
  j->grid = strip(&w->grids.out, first, n, lanes), j->to = q->to, j->first = tile;
  j->side = w->sides[2];
  if (bias) j->bias = (const char *)bias + first * lanes * j->bias_step * j->grid.size;
  if (s == TH_OK) s = transforms(j, dtype, true);
  j->bias = bias, w->kernels.groups = all;
  return s;
}

/* result, gradInput: chunks of tiles, each by strips of kernels. The spectra of a single strip are
 * made once. */
static th_status correlate(const th_conv *c, work *w)
{
  product *q = &w->product;
  job *j = &w->job;
  const int64_t groups = up(w->grids.right.lanes, TH_VB / (c->s.dtype == TH_F64 ? 8 : 4));
  bool made = w->kept && w->kept->made;
  for (int64_t first = 0; first < w->plan.tiles; first += w->plan.rows) {
    const int64_t rows = th_min(w->plan.rows, w->plan.tiles - first);
    q->left.rows = q->to.rows = q->m = rows;
    j->grid = w->grids.left, j->to = q->left, j->first = first, j->side = w->sides[0];
    TH_TRY(transforms(j, c->s.dtype, false));
    q->packed = w->plan.strip < groups;
    if (q->packed) {
      TH_TRY(th_parallel(q->freqs, 1, c->s.dtype == TH_F64 ? pack_all_f64 : pack_all_f32, q));
    }
    for (int64_t g = 0; g < groups; g += w->plan.strip) {
      TH_TRY(one_strip(w, c->s.dtype, first, g, th_min(w->plan.strip, groups - g), made));
      made = w->plan.strip >= groups;
    }
  }
  return TH_OK;
}

/* gradWeight: chunks of tiles of both, then the kernels' gradient from the sums. */
static th_status sum_up(const th_conv *c, work *w)
{
  product *q = &w->product;
  job *j = &w->job;
  q->across = true;
  for (int64_t first = 0; first < w->plan.tiles; first += w->plan.rows) {
    const int64_t rows = th_min(w->plan.rows, w->plan.tiles - first);
    q->left.rows = q->right.rows = rows;
    j->grid = w->grids.left, j->to = q->left, j->first = first, j->side = w->sides[0];
    TH_TRY(transforms(j, c->s.dtype, false));
    j->grid = w->grids.right, j->to = q->right, j->side = w->sides[1];
    TH_TRY(transforms(j, c->s.dtype, false));
    q->to = w->kernels, q->add = first > 0;
    TH_TRY(multiplied(q, c->s.dtype));
  }
  j->grid = w->grids.out, j->to = w->kernels, j->first = 0, j->add = true, j->side = w->sides[2];
  return transforms(j, c->s.dtype, true);
}

/* The kernels' spectra, of so many bytes a group, that are kept for the next call where their share of the time is worth it. */
static th_cached_kernel *kept_of(const th_conv *c, const shape *t, const plan *p, int engine, size_t bytes)
{
  if (in_strips(engine, c->s.pass)) return NULL;
  const th_kernel_tag tag = { &TH_AT(th_conv_fft), { engine, c->s.pass, c->s.dtype, t->groups, p->th, p->tw, t->dh, t->dw } };
  if (c->s.pass == TH_CONV_GRAD_WEIGHT || p->kernels < p->seconds / 50) return NULL;
  if ((double)t->groups * (double)bytes > (double)(INT64_MAX / 4)) return NULL;
  return th_kernel_cache_get(c->k, &tag, (size_t)t->groups * bytes);
}

/* Group by group, in memory that has been found; spectra of a group's kernels: so many bytes. */
static th_status groups(const th_conv *c, work *w, const shape *t, size_t bytes)
{
  const bool weight = c->s.pass == TH_CONV_GRAD_WEIGHT;
  const size_t stored = th_element_size(c->s.dtype), size = c->s.dtype == TH_F64 ? 8 : 4;
  th_status s = TH_OK;
  w->grids = grids_of(c, t, &w->plan);
  w->missing = t->groups * w->kernels.rows * w->kernels.groups;
  for (int64_t group = 0; group < t->groups && s == TH_OK; group++) {
    set_data(c, t, &w->grids, w->kept, group);
    if (w->kept) w->kernels.data = (char *)w->kept->data + (size_t)group * bytes;
    w->job.add = w->product.add = false;
    w->job.after = c->after;
    if (c->after && c->after->add) w->job.shift = (char *)th_data(c->after->add,
      stored) - (char *)th_data(c->y, stored);
    w->job.past = !weight && t->n * t->groups * t->outs * t->oh * t->ow * (int64_t)size > RESULTS_PAST;
    if (c->s.pass == TH_CONV_FORWARD && c->bias) {
      w->job.bias_step = c->bias->stride[0];
      w->job.bias = (char *)th_data(c->bias, stored) + group * t->outs * w->job.bias_step * (int64_t)stored;
    }
    s = weight ? sum_up(c, w) : correlate(c, w);
  }
  return s;
}

static th_status run(const th_conv *c, int engine)
{
  const shape t = shape_of(&c->s, engine);
  const plan p = plan_of(&t, c->s.pass, c->s.dtype, engine);
  if (p.workspace > (double)(INT64_MAX / 4)) return th_fail(TH_ENOMEM, "no memory for %g bytes of spectra", p.workspace);
  const bool weight = c->s.pass == TH_CONV_GRAD_WEIGHT, waves = engine != WINOGRAD;
  const size_t size = c->s.dtype == TH_F64 ? 8 : 4;
  const int64_t lv = TH_VB / (int64_t)size, left = up(t.lanes, lv);
  const int64_t together = !waves ? p.freqs : p.th == 1 ? 8 : p.th;
  work w = { .plan = p, .kernels = spectrum_of(t.lanes, p.strip, p.freqs, weight ? together : 1) };
  w.product = (product){ .left = spectrum_of(p.rows, left, p.freqs, 1), .freqs = p.freqs, .m = t.lanes, .waves = waves };
  if (!waves) {
    w.sides[0] = INPUTS, w.sides[1] = weight ? FROM_RESULTS : KERNELS, w.sides[2] = weight ? TO_KERNELS : RESULTS;
  }
  spectrum tiles = spectrum_of(p.rows, p.strip, p.freqs, weight ? 1 : together);
  /* The memory: roots of unity, spectra of tiles, of results, of kernels. */
  const size_t across = (size_t)up(2 * p.tw * (int64_t)size, 64) * 64;
  const size_t roots = across + (size_t)up(2 * p.th * (int64_t)size, 64) * 64;
  const size_t parts[3] = { bytes_of(&w.product.left, p.freqs), bytes_of(&tiles, p.freqs), bytes_of(&w.kernels, p.freqs) };
  w.kept = kept_of(c, &t, &p, engine, parts[2]);
  /* As much as without kept kernels: whether it suffices, and so who computes, shall not depend on what was kept. */
  const size_t all = roots + 2 * 64 + parts[0] + parts[1] + parts[2];
  char *memory = th_scratch(all);
  if (!memory && w.kept) {
    th_kernel_cache_give(w.kept, false);
    w.kept = NULL;
    memory = th_scratch(all);
  }
  if (!memory) return th_fail(TH_ENOMEM, "no memory for %zu bytes of spectra", all);
  if (in_strips(engine, c->s.pass)) w.kernels.past = tiles.past = w.product.left.past = false;
  /* Lines of a cache are fetched in pairs: spectra start where a pair does. */
  char *const data = memory + roots + -((uintptr_t)memory + roots) % (2 * 64);
  w.product.left.data = data;
  tiles.data = data + parts[0];
  w.kernels.data = data + parts[0] + parts[1];
  if (weight) w.product.right = tiles;
  else w.product.to = tiles;
  w.job = (job){ .th = p.th, .tw = p.tw, .roots = memory, .roots_down = memory + across,
                 .longest = th_max(th_max(p.th, p.tw), 18),
                 .scale = (weight ? c->scale : 1) / (waves ? (double)(p.th * p.tw) : 1) };
  const int64_t columns = p.th == 1 ? 0 : p.tw / 2 * (p.th + 1);
  const bool whole = weight || p.strip < up(t.outs, lv);    /* all rows are packed at a time */
  const int64_t packed = 3 * (whole ? th_max(p.rows, weight ? 0 : ROWS) : ROWS) * left * lv;
  th_status s = waves ? th_fft_circle(c->s.dtype, p.tw, memory, TH_AT(th_fft_roots)) : TH_OK;
  if (s == TH_OK && waves) s = th_fft_circle(c->s.dtype, p.th, memory + across,
                                             TH_AT(th_fft_roots));
  if (s == TH_OK) s = th_slots_new(&w.job.slots, (size_t)(2 * w.job.longest + columns) * 2 * TH_VB);
  if (s == TH_OK) {
    s = th_slots_new(&w.product.slots, (size_t)packed * size);
    if (s == TH_OK) {
      s = groups(c, &w, &t, parts[2]);
      th_slots_free(&w.product.slots);
    }
    th_slots_free(&w.job.slots);
  }
  th_kernel_cache_give(w.kept, s == TH_OK && w.missing == 0);
  th_scratch_free(memory);
  return s;
}

/* ---- the engines ---- */

static bool can_tiles(const th_conv_shape *s) { return possible(s, TILES); }
static bool can_lines(const th_conv_shape *s) { return possible(s, LINES); }
static bool can_winograd(const th_conv_shape *s) { return possible(s, WINOGRAD); }
static th_conv_cost cost_tiles(const th_conv_shape *s) { return cost(s, TILES); }
static th_conv_cost cost_lines(const th_conv_shape *s) { return cost(s, LINES); }
static th_conv_cost cost_winograd(const th_conv_shape *s) { return cost(s, WINOGRAD); }
static th_status run_tiles(const th_conv *c, const th_call *call) { (void)call; return run(c, TILES); }
static th_status run_lines(const th_conv *c, const th_call *call) { (void)call; return run(c, LINES); }
static th_status run_winograd(const th_conv *c, const th_call *call) { (void)call; return run(c, WINOGRAD); }

const th_conv_engine TH_AT(th_conv_fft) = { "fft", can_tiles, cost_tiles, run_tiles, NULL };
const th_conv_engine TH_AT(th_conv_fft1d) = { "fft1d", can_lines, cost_lines, run_lines, NULL };
const th_conv_engine TH_AT(th_conv_winograd) = { "winograd", can_winograd, cost_winograd, run_winograd, NULL };
