/* fused.c - conv2d_fused: a convolution with an addend and an activation, made for weights that
 * never change. */
#ifndef T
#include "after.h"
#include "last.h"
#include "../../conv/kernel_cache.h"
#include "../../core/overlap.h"
#include "../move.h"
#include "../../op/conv2d.args.h"

enum {                              /* where Winograd's transforms do not pay */
  FEW_PLANES = 16, LEAST_KERNELS = 1024, LEAST_PIXELS = 49, FEW_PRODUCTS = 1 << 19,
  THIN = 24, THIN_PRODUCTS = 1 << 25          /* planes, and products of fewer planes, at most */
};

/* Products of one core in a second, and the seconds to transform a kernel, which each call does. */
static const double PRODUCTS = 58e9, KERNEL = 7.2e-9;

#define TH_EACH_FLOATS
#define TH_SELF "conv/fused.c"
#include "../each_dtype.h"

static th_status (*const follow[TH_NDTYPE])(const th_call *c,
  const th_conv_after *a) = TH_FLOATS(follow);

static th_conv_after after_of(const conv2d_fused_args *a)
{
  th_conv_after r = { .add = a->add, .low = a->low, .high = a->high };
  if (strcmp(a->act, "clip") == 0) r.act = TH_AFTER_CLAMP;
  else if (strcmp(a->act, "relu") == 0) r.act = TH_AFTER_CLAMP, r.low = 0, r.high = INFINITY;
  else if (strcmp(a->act, "gelu") == 0) r.act = TH_AFTER_GELU;
  return r;
}

/* Whether Winograd's tiles are quicker than products of pixels. They are where vectors are wide. */
static bool wants_tiles(const th_conv_shape *s)
{
  const double kernels = (double)(s->c * s->o), products = th_conv_products(s);
  if (TH_VB < 64 || s->kh != 3 || s->kw != 3 || s->sh != 1 || s->sw != 1 || s->dh != 1 ||
      s->dw != 1) return false;
  return s->c >= FEW_PLANES && s->o >= FEW_PLANES && kernels >= LEAST_KERNELS &&
    s->oh * s->ow >= LEAST_PIXELS && products >= FEW_PRODUCTS &&
    (th_min(s->c, s->o) >= THIN || products <= THIN_PRODUCTS) &&
    kernels * KERNEL < 0.4 * products / PRODUCTS;
}

/* Images of few planes, as those that networks begin with, and their copy with channels side by
 * side. */
enum { COLOURS = 3 };
typedef struct colours { const th_tensor *from; float *to; } colours;

/* Block: rows of all images. */
static void mix_rows(void *ctx, int64_t first, int64_t last)
{
  const colours *m = ctx;
  const th_tensor *t = m->from;
  const int64_t h = t->size[2], w = t->size[3], plane = t->stride[1];
  for (int64_t r = first; r < last; r++) {
    const float *red = TH_DATA(float, t) + r / h * t->stride[0] + r % h * t->stride[2];
    const float *green = red + plane, *blue = green + plane;
    float *to = m->to + r * w * COLOURS;
    for (int64_t i = 0; i < w; i++) {
      to[COLOURS * i] = red[i], to[COLOURS * i + 1] = green[i], to[COLOURS * i + 2] = blue[i];
    }
  }
}

/* A copy of images, floats, in scratch memory. */
typedef struct copied { th_tensor t; th_storage memory; } copied;

/* Copies t so that its channels lie side by side. */
static th_status turned(copied *to, const th_tensor *t)
{
  const int64_t h = t->size[2], w = t->size[3], c = t->size[1], numbers = th_numel(t);
  const int64_t stride[4] = { h * w * c, 1, w * c, c };
  const int64_t bytes = numbers * (int64_t)sizeof(float);
  float *const data = th_scratch((size_t)bytes);
  if (!data) return th_fail(TH_ENOMEM, "no memory for %lld bytes of images", (long long)bytes);
  to->memory = (th_storage){ .data = data, .size = numbers, .capacity = bytes, .refs = 1,
                             .dtype = t->dtype, .pinned = 1 };
  to->t = (th_tensor){ .storage = &to->memory, .ndim = 4, .dtype = t->dtype };
  memcpy(to->t.size, t->size, sizeof stride);
  memcpy(to->t.stride, stride, sizeof stride);
  if (c == COLOURS && t->stride[3] == 1) {
    colours m = { t, data };
    return th_parallel(t->size[0] * h, TH_GRAIN / (w * c) + 1, mix_rows, &m);
  }
  return TH_AT(th_copy_elements)(&to->t, (th_tensor *)(uintptr_t)t);
}

/* Images and results with channels side by side. Gives TH_EBACKEND or TH_ENOMEM before it writes
 * where it cannot. */
static th_status run_last(const th_call *call, const th_conv_after *after)
{
  th_conv c = th_conv_of(call, TH_CONV_FORWARD);
  th_conv_after a = *after;
  copied x = { 0 }, add = { 0 };
  th_tensor bias = { 0 };
  th_status s = TH_OK;
  const int64_t step = pixel_step(c.x);
  const bool wanted = wants_tiles(&c.s);            /* tiles, whose images have no gaps */
  if (step == 0 || (wanted && step != c.s.c)) s = turned(&x, c.x), c.x = &x.t;
  if (s == TH_OK && a.add && pixel_step(a.add) == 0) s = turned(&add, a.add), a.add = &add.t;
  if (s == TH_OK && c.bias && c.bias->stride[0] != 1) s = th_tensor_clone(&bias, c.bias),
    c.bias = &bias;
  if (a.add || a.act) c.after = &a;
  if (s == TH_OK && !TH_AT(th_conv_can_last)(&c)) s = TH_EBACKEND;
  const bool even = !a.add || pixel_step(a.add) == pixel_step(c.y);
  const bool tiles = even && wanted;                /* which read the kernels themselves */
  if (s == TH_OK && tiles) s = th_kernels_gone() ? th_kernels_missed() :
    TH_AT(th_conv_winograd).run(&c, call);
  else if (s == TH_OK) s = TH_AT(th_conv_last)(&c);
  th_scratch_free(x.memory.data);
  th_scratch_free(add.memory.data);
  th_tensor_release(&bias);
  return s;
}

static th_status fused(const th_call *call)
{
  const conv2d_fused_args *a = conv2d_fused_args_of(call);
  th_conv_after after = after_of(a);
  th_tensor kept = { 0 };
  const bool empty = th_numel(a->x) == 0 || th_numel(a->y) == 0 || th_numel(a->weight) == 0;
  if (!empty && call->dtype == TH_F32 && a->y->ndim == 4 && pixel_step(a->y) > 0 &&
    th_conv_forced() < 0 && th_conv_preferred() < 0) {
    const th_status s = run_last(call, &after);
    if (s == TH_OK || th_kernels_gone() || (s != TH_EBACKEND && s != TH_ENOMEM)) return s;
  }
  if (a->add && th_shares_memory(a->add, a->y)) {    /* the convolution would overwrite it */
    TH_TRY(th_tensor_clone(&kept, a->add));
    after.add = &kept;
  }
  th_status s = th_conv_run(call, TH_CONV_FORWARD);
  if (s == TH_OK && (after.add || after.act)) s = follow[call->dtype](call, &after);
  th_tensor_release(&kept);
  return s;
}

const th_kernel TH_AT(th_conv2d_fused)[TH_NDTYPE] = { [TH_F16] = fused, [TH_BF16] = fused,
  [TH_F32] = fused, [TH_F64] = fused };

#else

static C K(normal)(C x) { return x * _Generic((C)0, float: th_normal_f32, double: th_normal_f64)(x,
    _Generic((C)0, float: th_exp_f32, double: th_exp_f64)((C)-0.5 * x * x)); }

/* A row of the result, and of the addend if there is one. */
static void K(follow_row)(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  const th_conv_after *a = ctx;
  const C low = (C)a->low, high = (C)a->high;
  for (int64_t i = 0; i < n; i++) {
    T *y = (T *)(void *)(p[0] + i * step[0]);
    C v = LOAD(*y);
    if (a->add) v += LOAD(*(const T *)(const void *)(p[1] + i * step[1]));
    if (a->act == TH_AFTER_CLAMP) v = v < low ? low : v > high ? high : v;
    else if (a->act == TH_AFTER_GELU) v = K(normal)(v);
    *y = STORE(v);
  }
}

static th_status K(follow)(const th_call *c, const th_conv_after *a)
{
  th_tensor *const t[2] = { conv2d_fused_args_of(c)->y, (th_tensor *)(uintptr_t)a->add };
  return th_each(a->add ? 2 : 1, t, K(follow_row), a);
}
#endif
