/* mask.c - picking and putting elements by a mask, and the places of what is not 0.
 *
 * What is picked goes to the next free place, so blocks first count their ones; then each knows
 * where it begins. */
#ifndef T
#include "elementwise.h"
#include "../op/mask.args.h"
#include "walk.h"

enum { BLOCK = 32768, PIECE = 1024 };

typedef struct masked {
  const th_seq *t, *mask, *x;               /* t: the masked tensor; x: the packed one */
  void    *pt;
  const uint8_t *pm;
  void    *px;
  int64_t  total, *begin;              /* ones before each block */
  size_t   es;
  bool     picking;                    /* from t to x; else from x to t */
} masked;

static void count_ones(void *ctx, int64_t first, int64_t last)
{
  const masked *m = ctx;
  for (int64_t b = first; b < last; b++) {
    th_spot s;
    int64_t ones = 0;
    th_spot_at(&s, m->mask, b * BLOCK);
    for (int64_t left = th_min(BLOCK, m->total - b * BLOCK); left > 0;) {
      const int64_t n = th_min(left, th_spot_left(&s)), step = th_spot_step(&s);
      const uint8_t *p = m->pm + s.off;
      for (int64_t i = 0; i < n; i++) ones += p[i * step];
      th_spot_skip(&s, n);
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

/* ---- between masked and packed elements, which are known by their size only ---- */

/* Of n elements of t those where mask is 1 come to piece, one after the other; returns how many. */
TH_INLINE int64_t pack(size_t es, char *piece, const char *t, int64_t st, const uint8_t *mask,
                       int64_t sm, int64_t n)
{
  int64_t used = 0;
  for (int64_t i = 0; i < n; i++) { /* without a branch: it could not be foretold */
    memcpy(piece + used * (int64_t)es, t + i * st * (int64_t)es, es);
    used += mask[i * sm];
  }
  return used;
}
TH_INLINE void spread(size_t es, const char *piece, char *t, int64_t st, const uint8_t *mask,
                      int64_t sm, int64_t n)
{
  int64_t used = 0;
  for (int64_t i = 0; i < n; i++) {
    if (mask[i * sm]) memcpy(t + i * st * (int64_t)es, piece + used++ * (int64_t)es, es);
  }
}

/* The next n packed elements, to or from a piece. */
TH_INLINE void packed_next(size_t es, th_spot *s, char *x, char *piece, int64_t n, bool picking)
{
  while (n > 0) {
    const int64_t some = th_min(n, th_spot_left(s)), step = th_spot_step(s) * (int64_t)es;
    char *at = x + s->off * (int64_t)es;
    if (step == (int64_t)es) memcpy(picking ? at : piece, picking ? piece : at, es * (size_t)some);
    else if (picking)
      for (int64_t i = 0; i < some; i++) memcpy(at + i * step, piece + i * (int64_t)es, es);
    else for (int64_t i = 0; i < some; i++) memcpy(piece + i * (int64_t)es, at + i * step, es);
    th_spot_skip(s, some);
    piece += some * (int64_t)es;
    n -= some;
  }
}

TH_INLINE void exchange(size_t es, const masked *m, int64_t b)
{
  th_spot t, mask, x;
  char piece[PIECE * 8 + 8];
  th_spot_at(&t, m->t, b * BLOCK);
  th_spot_at(&mask, m->mask, b * BLOCK);
  th_spot_at(&x, m->x, m->begin[b]);
  for (int64_t left = th_min(BLOCK, m->total - b * BLOCK); left > 0;) {
    const int64_t n = th_min(th_min(left, PIECE), th_min(th_spot_left(&t), th_spot_left(&mask)));
    const int64_t st = th_spot_step(&t), sm = th_spot_step(&mask);
    char *p = (char *)m->pt + t.off * (int64_t)es;
    const uint8_t *q = m->pm + mask.off;
    if (m->picking) {
      packed_next(es, &x, m->px, piece, pack(es, piece, p, st, q, sm, n), true);
    } else {
      int64_t ones = 0;
      for (int64_t i = 0; i < n; i++) ones += q[i * sm];
      packed_next(es, &x, m->px, piece, ones, false);
      spread(es, piece, p, st, q, sm, n);
    }
    th_spot_skip(&t, n);
    th_spot_skip(&mask, n);
    left -= n;
  }
}
static void exchange_blocks(void *ctx, int64_t first, int64_t last)
{
  const masked *m = ctx;
  for (int64_t b = first; b < last; b++) {
    if (m->es == 1) exchange(1, m, b);
    else if (m->es == 2) exchange(2, m, b);
    else if (m->es == 4) exchange(4, m, b);
    else exchange(8, m, b);
  }
}

static th_status run(const th_tensor *t, const th_tensor *mask, const th_tensor *x, bool picking)
{
  th_seq seq[3];
  th_seq_of(&seq[0], t, false);
  th_seq_of(&seq[1], mask, false);
  th_seq_of(&seq[2], x, false);
  masked m = { .t = &seq[0], .mask = &seq[1], .x = &seq[2],
               .total = th_tensor_numel(t), .es = th_dtype_size(t->dtype), .picking = picking };
  const int64_t blocks = th_parts(m.total, BLOCK);
  if (blocks == 0 || th_tensor_numel(x) == 0) return TH_OK;
  m.pt = th_data(t, m.es);
  m.pm = TH_DATA(uint8_t, mask);
  m.px = th_data(x, m.es);
  m.begin = th_scratch(sizeof(int64_t) * (size_t)blocks);
  if (!m.begin) return th_no_scratch(blocks * 8);
  th_status s = th_parallel(blocks, 1, count_ones, &m);
  if (s == TH_OK) {
    add_up(m.begin, blocks);
    s = th_parallel(blocks, 1, exchange_blocks, &m);
  }
  th_scratch_free(m.begin);
  return s;
}
static th_status masked_select(const th_call *c)
{
  const maskedSelect_args *a = maskedSelect_args_of(c);
  return run(a->x, a->mask, a->y, true);
}
static th_status masked_copy(const th_call *c)
{
  const maskedCopy_args *a = maskedCopy_args_of(c);
  return run(a->y, a->mask, a->x, false);
}

#define TH_SELF "mask.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_maskedFill)[TH_NDTYPE] = TH_ALL(masked_fill);
const th_kernel TH_AT(th_maskedCopy)[TH_NDTYPE] = TH_ANY(masked_copy);
const th_kernel TH_AT(th_maskedSelect)[TH_NDTYPE] = TH_ANY(masked_select);
const th_kernel TH_AT(th_mask_grad)[TH_NDTYPE] = TH_ALL(mask_grad);
const th_kernel TH_AT(th_nonzero)[TH_NDTYPE] = TH_ALL(nonzero);

#else

static void K(put)(void *const *p, int64_t n, const th_scalars *k)
{
  const T v = *(const T *)k->more;
  T *y = p[0];
  const uint8_t *mask = p[1];
  const T *x = p[2];
  TH_VECTORISE
  for (int64_t i = 0; i < n; i++) y[i] = mask[i] ? v : x[i];
}
static th_status K(masked_fill)(const th_call *c)
{
  const maskedFill_args *a = maskedFill_args_of(c);
  const T v = ELEMENT(a->value);
  th_tensor *const t[] = { a->y, a->mask, a->y };
  return TH_AT(th_elementwise)(3, t, K(put), &(th_scalars){ .more = &v }, TH_STORED);
}

static th_status K(mask_grad)(const th_call *c)
{
  const mask_grad_args *a = mask_grad_args_of(c);
  TH_TRY(th_zero(a->gx));
  return run(a->gx, a->mask, a->g, false);
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

typedef struct K(found) {
  const th_tensor *x;
  const th_seq *seq;
  const T *px;
  int64_t total, *begin, *y, down, right;
} K(found);

static void K(count_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(found) *f = ctx;
  for (int64_t b = first; b < last; b++) {
    th_spot s;
    int64_t count = 0;
    th_spot_at(&s, f->seq, b * BLOCK);
    for (int64_t left = th_min(BLOCK, f->total - b * BLOCK); left > 0;) {
      const int64_t n = th_min(left, th_spot_left(&s)), step = th_spot_step(&s);
      const T *p = f->px + s.off;
      uint32_t some = 0;
      if (step == 1) for (int64_t i = 0; i < n; i++) some += K(counts)(p[i]);
      else for (int64_t i = 0; i < n; i++) some += K(counts)(p[i * step]);
      count += some;
      th_spot_skip(&s, n);
      left -= n;
    }
    f->begin[b] = count;
  }
}
/* Which of n elements count: `found` has room for one more. */
TH_INLINE int64_t K(find)(int32_t *found, const T *p, int64_t step, int64_t n)
{
  int64_t used = 0;
  for (int64_t i = 0; i < n; i++) { /* without a branch: it could not be foretold */
    found[used] = (int32_t)i;
    used += K(counts)(p[i * step]);
  }
  return used;
}
/* Rows of the last dimension are counted through; `at` and `row` say which one it is and where it begins. */
static void K(place_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(found) *f = ctx;
  const th_tensor *x = f->x;
  const int inner = x->ndim - 1;
  const int64_t size = x->size[inner], right = f->right;
  for (int64_t b = first; b < last; b++) {
    th_spot s;
    int64_t *to = f->y + f->begin[b] * f->down, k = b * BLOCK, row = k - k % size, at[TH_MAXDIM];
    int32_t found[PIECE + 1];
    int64_t place = k / size;
    for (int d = inner - 1; d >= 0; place /= x->size[d], d--) at[d] = place % x->size[d];
    th_spot_at(&s, f->seq, k);
    for (const int64_t end = th_min(k + BLOCK, f->total); k < end;) {
      const int64_t n = th_min(th_min(end - k, PIECE), th_spot_left(&s)), step = th_spot_step(&s);
      const T *p = f->px + s.off;
      const int64_t used = step == 1 ? K(find)(found, p, 1, n) : K(find)(found, p, step, n);
      for (int64_t i = 0; i < used; i++, to += f->down) {
        const int64_t here = k + found[i];
        while (inner > 0 && here - row >= size) {
          int d = inner - 1;
          row += size;
          while (d > 0 && ++at[d] == x->size[d]) at[d--] = 0;
          if (d == 0) at[0]++;
        }
        for (int d = 0; d < inner; d++) to[d * right] = at[d] + 1;
        to[inner * right] = here - row + 1;
      }
      th_spot_skip(&s, n);
      k += n;
    }
  }
}
static th_status K(nonzero)(const th_call *c)
{
  const nonzero_args *args = nonzero_args_of(c);
  const th_tensor *y = args->y, *x = args->x;
  if (y->ndim != 2 || y->size[1] == 0) return TH_OK;   /* no places, or a number without any */
  th_seq seq;
  th_seq_of(&seq, x, false);
  K(found) f = { .x = x,
                 .seq = &seq,
                 .px = TH_DATA(T, x),
                 .total = th_tensor_numel(x),
                 .y = TH_DATA(int64_t, y),
                 .down = y->stride[0],
                 .right = y->stride[1] };
  const int64_t blocks = th_parts(f.total, BLOCK);
  f.begin = th_scratch(sizeof(int64_t) * (size_t)blocks);
  if (!f.begin) return th_no_scratch(blocks * 8);
  th_status s = th_parallel(blocks, 1, K(count_blocks), &f);
  if (s == TH_OK) {
    add_up(f.begin, blocks);
    s = th_parallel(blocks, 1, K(place_blocks), &f);
  }
  th_scratch_free(f.begin);
  return s;
}
#endif
