/* mask.c - picking and putting elements by a mask, and the places of what is not 0.
 *
 * What is picked goes to the next free place, so blocks first count their ones; then each knows
 * where it begins. */
#ifndef T
#include "walk.h"

enum { BLOCK = 32768, PUT = 0, PICK };

typedef struct masked {
  th_seq   t, mask, x;                 /* t: the masked tensor; x: the packed one */
  void    *pt;
  const uint8_t *pm;
  void    *px;
  int64_t  total, *begin;              /* ones before each block */
} masked;

static void count_ones(void *ctx, int64_t first, int64_t last)
{
  const masked *m = ctx;
  for (int64_t b = first; b < last; b++) {
    th_seq s = m->mask;
    int64_t ones = 0;
    th_seq_seek(&s, b * BLOCK);
    for (int64_t left = th_min(BLOCK, m->total - b * BLOCK); left > 0;) {
      const int64_t n = th_min(left, th_seq_left(&s)), step = th_seq_step(&s);
      const uint8_t *p = m->pm + s.off;
      for (int64_t i = 0; i < n; i++) ones += p[i * step];
      th_seq_skip(&s, n);
      left -= n;
    }
    m->begin[b] = ones;
  }
}

/* begin[] from counts to sums of what came before. */
static void add_up(int64_t *begin, int64_t blocks)
{
  int64_t sum = 0;
  for (int64_t b = 0; b < blocks; b++) {
    const int64_t n = begin[b];
    begin[b] = sum;
    sum += n;
  }
}

#define TH_SELF "mask.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_maskedFill)[TH_NDTYPE] = TH_ALL(masked_fill);
const th_kernel TH_AT(th_maskedCopy)[TH_NDTYPE] = TH_ALL(masked_copy);
const th_kernel TH_AT(th_maskedSelect)[TH_NDTYPE] = TH_ALL(masked_select);
const th_kernel TH_AT(th_mask_grad)[TH_NDTYPE] = TH_ALL(mask_grad);
const th_kernel TH_AT(th_nonzero)[TH_NDTYPE] = TH_ALL(nonzero);

#else

/* Block by block: between the masked elements and those at *at, at + 1, ... of the packed tensor. */
TH_INLINE void K(exchange)(const masked *m, int64_t first, int64_t last, int way)
{
  for (int64_t b = first; b < last; b++) {
    th_seq t = m->t, mask = m->mask, x = m->x;
    th_seq_seek(&t, b * BLOCK);
    th_seq_seek(&mask, b * BLOCK);
    th_seq_seek(&x, m->begin[b]);
    for (int64_t left = th_min(BLOCK, m->total - b * BLOCK); left > 0;) {
      const int64_t n = th_min(left, th_min(th_seq_left(&t), th_seq_left(&mask)));
      const int64_t st = th_seq_step(&t), sm = th_seq_step(&mask);
      T *p = (T *)m->pt + t.off;
      const uint8_t *q = m->pm + mask.off;
      for (int64_t i = 0; i < n;) {                  /* up to where the packed row ends */
        const int64_t room = th_seq_left(&x), sx = th_seq_step(&x);
        T *packed = (T *)m->px + x.off;
        int64_t used = 0;
        for (; i < n && used < room; i++) {
          if (!q[i * sm]) continue;
          if (way == PICK) packed[used++ * sx] = p[i * st];
          else p[i * st] = packed[used++ * sx];
        }
        th_seq_skip(&x, used);
        if (room == 0) break;                        /* the packed tensor is used up */
      }
      th_seq_skip(&t, n);
      th_seq_skip(&mask, n);
      left -= n;
    }
  }
}
static void K(put_blocks)(void *ctx, int64_t first, int64_t last) { K(exchange)(ctx, first, last, PUT); }
static void K(pick_blocks)(void *ctx, int64_t first, int64_t last) { K(exchange)(ctx, first, last, PICK); }

static th_status K(run)(const th_tensor *t, const th_tensor *mask, const th_tensor *x, th_block f)
{
  masked m = { .t = th_seq_of(t, false), .mask = th_seq_of(mask, false), .x = th_seq_of(x, false),
               .pt = TH_DATA(T, t), .pm = TH_DATA(uint8_t, mask), .px = TH_DATA(T, x),
               .total = th_tensor_numel(t) };
  const int64_t blocks = th_parts(m.total, BLOCK);
  if (blocks == 0 || th_tensor_numel(x) == 0) return TH_OK;
  m.begin = th_scratch(sizeof(int64_t) * (size_t)blocks);
  if (!m.begin) return th_fail(TH_ENOMEM, "needs %lld bytes of scratch memory", (long long)blocks * 8);
  th_status s = th_parallel(blocks, 1, count_ones, &m);
  if (s == TH_OK) {
    add_up(m.begin, blocks);
    s = th_parallel(blocks, 1, f, &m);
  }
  th_scratch_free(m.begin);
  return s;
}
static th_status K(masked_select)(const th_call *c)
{
  return K(run)(c->arg[1].t, c->arg[2].t, c->arg[0].t, K(pick_blocks));
}
static th_status K(masked_copy)(const th_call *c)
{
  return K(run)(c->arg[0].t, c->arg[1].t, c->arg[2].t, K(put_blocks));
}

static void K(fill_row)(char *const *at, const int64_t *step, int64_t n, const void *ctx)
{
  const T v = *(const T *)ctx;
  if (step[0] == sizeof(T) && step[1] == 1) {
    T *y = (T *)at[0];
    const uint8_t *m = (const uint8_t *)at[1];
    for (int64_t i = 0; i < n; i++) y[i] = m[i] ? v : y[i];
    return;
  }
  for (int64_t i = 0; i < n; i++) if (at[1][i * step[1]]) *(T *)(at[0] + i * step[0]) = v;
}
static th_status K(masked_fill)(const th_call *c)
{
#if IS_INT
  const T v = STORE(th_to_int(c->arg[2].d));
#else
  const T v = STORE(c->arg[2].d);
#endif
  return th_each(2, (th_tensor *const[]){ c->arg[0].t, c->arg[1].t }, K(fill_row), &v);
}

static void K(zero_row)(char *const *at, const int64_t *step, int64_t n, const void *ctx)
{
  (void)ctx;
  for (int64_t i = 0; i < n; i++) *(T *)(at[0] + i * step[0]) = STORE(0);
}
static th_status K(mask_grad)(const th_call *c)
{
  TH_TRY(th_each(1, (th_tensor *const[]){ c->arg[0].t }, K(zero_row), NULL));
  return K(run)(c->arg[0].t, c->arg[2].t, c->arg[3].t, K(put_blocks));
}

/* ---- nonzero ---- */

TH_INLINE bool K(counts)(T v)
{
#if IS_HALF
  return (v.bits & 0x7fff) != 0;
#else
  return v != 0;
#endif
}

typedef struct K(found) { const th_tensor *x; th_seq seq; const T *px; int64_t total, *begin, *y, down, right; } K(found);

static void K(count_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(found) *f = ctx;
  for (int64_t b = first; b < last; b++) {
    th_seq s = f->seq;
    int64_t count = 0;
    th_seq_seek(&s, b * BLOCK);
    for (int64_t left = th_min(BLOCK, f->total - b * BLOCK); left > 0;) {
      const int64_t n = th_min(left, th_seq_left(&s)), step = th_seq_step(&s);
      const T *p = f->px + s.off;
      for (int64_t i = 0; i < n; i++) count += K(counts)(p[i * step]);
      th_seq_skip(&s, n);
      left -= n;
    }
    f->begin[b] = count;
  }
}
static void K(place_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(found) *f = ctx;
  for (int64_t b = first; b < last; b++) {
    th_seq s = f->seq;
    int64_t *to = f->y + f->begin[b] * f->down, k = b * BLOCK;
    th_seq_seek(&s, k);
    for (const int64_t end = th_min(k + BLOCK, f->total); k < end;) {
      const int64_t n = th_min(end - k, th_seq_left(&s)), step = th_seq_step(&s);
      const T *p = f->px + s.off;
      for (int64_t i = 0; i < n; i++) {
        if (!K(counts)(p[i * step])) continue;
        int64_t place = k + i;
        for (int d = f->x->ndim - 1; d >= 0; d--) {
          to[d * f->right] = place % f->x->size[d] + 1;
          place /= f->x->size[d];
        }
        to += f->down;
      }
      th_seq_skip(&s, n);
      k += n;
    }
  }
}
static th_status K(nonzero)(const th_call *c)
{
  const th_tensor *y = c->arg[0].t, *x = c->arg[1].t;
  if (y->ndim != 2) return TH_OK;
  K(found) f = { .x = x, .seq = th_seq_of(x, false), .px = TH_DATA(T, x), .total = th_tensor_numel(x),
                 .y = TH_DATA(int64_t, y), .down = y->stride[0], .right = y->stride[1] };
  const int64_t blocks = th_parts(f.total, BLOCK);
  f.begin = th_scratch(sizeof(int64_t) * (size_t)blocks);
  if (!f.begin) return th_fail(TH_ENOMEM, "needs %lld bytes of scratch memory", (long long)blocks * 8);
  th_status s = th_parallel(blocks, 1, K(count_blocks), &f);
  if (s == TH_OK) {
    add_up(f.begin, blocks);
    s = th_parallel(blocks, 1, K(place_blocks), &f);
  }
  th_scratch_free(f.begin);
  return s;
}
#endif
