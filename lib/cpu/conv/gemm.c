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
#include "../../op/conv2d.args.h"
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

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }
/* Blocks of `each` multiplications that make `a`; there may be no planes to multiply with. */
static int64_t blocks_of(int64_t a, int64_t each) { return up(a, th_max(1, each)); }

static void strides_of(int64_t *to, const th_tensor *t)
{
  const int skip = 4 - t->ndim;
  to[0] = 0;
  for (int d = 0; d < t->ndim; d++) to[skip + d] = t->stride[d];
}

static conv geometry(const th_tensor *x, const th_tensor *y, const th_tensor *w, const conv_geometry_args *a)
{
  const int f = x->ndim - 3;
  conv c = { .n = f ? x->size[0] : 1, .groups = a->groups, .h = x->size[f + 1], .w = x->size[f + 2],
             .kh = w->size[2], .kw = w->size[3], .oh = y->size[f + 1], .ow = y->size[f + 2],
             .sh = a->strideH, .sw = a->strideW, .ph = a->padH, .pw = a->padW,
             .dh = a->dilationH, .dw = a->dilationW };
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
  return th_min(up(up(BLOCK_WORK, per_plane + 1), TH_MR) * TH_MR, planes);
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
  /* Panels are read from the second cache, which takes longer than products do, unless these take long themselves. */
  const bool hidden = th_conv_product_time() > 1;
  const double product = r.flops / TH_CONV_FLOPS(s->dtype);
  r.seconds = 5e-6 + product * (!hidden || back ? 1.25 : s->pass == TH_CONV_FORWARD ? 1.06 : 1) + r.bytes / TH_CONV_BYTES;
  const double kernels = (double)s->groups * taps * (double)s->o;
  if (s->pass == TH_CONV_FORWARD) {
    /* Kernels are gathered from far apart, results put so; a panel of many taps leaves the second cache. */
    r.seconds += kernels * (taps > 1024 ? 4e-9 : 1.5e-9) + pixels * (double)s->o * size * 0.4e-9;
    const double beyond = taps * (double)nr * size / (256 << 10) - 1;
    if (beyond > 0 && !hidden) r.seconds += product * (beyond < 1.3 ? beyond : 1.3);
  } else if (back) {
    /* Every tap is added where it belongs; the gradient is packed again for every block of planes. */
    r.seconds += pixels * taps * (s->sw > 1 ? 1e-9 : size / 24e9) + kernels * 1e-9;
    r.seconds += pixels * (double)s->o * (double)up(s->c, planes_of(image * s->o * area, s->c)) * 0.4e-9;
    r.seconds += images * (double)up(image, nr) * 4e-7;       /* a panel finds its way */
  } else {
    /* The gradient is turned; what each image adds to the kernels is added up. */
    r.seconds += kernels * (2e-9 + (double)s->n * size * 0.14e-9) + pixels * (double)s->o * size * 0.25e-9;
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
  const int64_t left = th_min(c->pw, c->wp), have = th_min(c->w, c->wp - left);
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

#include "gemm_forward.h"
#include "gemm_input.h"
#include "gemm_weight.h"

#undef MICRO
#undef TRANSPOSE
#undef PANEL
#endif
