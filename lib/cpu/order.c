/* order.c - sorting and selecting along one dimension.
 *
 * Elements become unsigned keys that compare as wanted: NaN last, -0 as 0, descending inverted. A
 * key of at most 32 bits and its place are one word, so that no two are equal. Of many short lines
 * 16 are sorted side by side by a network. For the k-th alone, count the leading bits of the keys,
 * and look closer at the keys that share those of the k-th. */
#ifndef T
#include "network.h"
#include "../op/order.args.h"
#include "walk.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum {
  SHORT = 32,          /* so few need no memory but the stack */
  RUN = 64,            /* so many are sorted at once, and merged later */
  RADIX = 512,         /* radix from here on, merging below */
  BLOCK = 1 << 15,     /* elements of a block of a long line */
  LONG = 1 << 16,      /* a long line has at least so many */
  BINS = 2048,         /* leading bits that are counted: 11 */
  STEP = 64,           /* elements that are converted together */
  RARE = 32,           /* one of so many is wanted: then they are looked at together first */
};

typedef th_word word;                  /* key << 32 | place */
typedef struct pair { uint64_t key; uint32_t place; } pair;

/* Of n words those from first to last, one after the other, to `to`, which has room for all n; returns how many. */
static int64_t pick_words(word *restrict to, const word *restrict from, int64_t n, word first, word last)
{
  int64_t used = 0, i = 0;
#ifdef __AVX512F__
  const __m512i low = _mm512_set1_epi64((long long)first), most = _mm512_set1_epi64((long long)(last - first));
  for (; i + 8 <= n; i += 8) {
    const __m512i v = _mm512_loadu_si512(from + i);
    const __mmask8 in = _mm512_cmple_epu64_mask(_mm512_sub_epi64(v, low), most);
    _mm512_storeu_si512(to + used, _mm512_maskz_compress_epi64(in, v));
    used += __builtin_popcount(in);
  }
#endif
  for (; i < n; i++) {              /* without a branch: it could not be foretold */
    to[used] = from[i];
    used += from[i] - first <= last - first;
  }
  return used;
}

#define P word
#define R(f) f##_word
#define BEFORE(p, q) ((p) < (q))
#define KEY(p) ((p) >> 32)
#define RANKS
#include "keys.h"
#define P pair
#define R(f) f##_pair
#define BEFORE(p, q) ((p).key < (q).key || ((p).key == (q).key && (p).place < (q).place))
#define KEY(p) ((p).key)
#include "keys.h"

enum { SORT, TOPK, KTH, MODE };

typedef struct order {
  th_walk     w;                       /* operands: x, y, index */
  const void *x;
  void       *y;
  int64_t    *index, k, tiles;
  int         what;
  bool        descending, sorted;
  const th_net *net;
  int         failed;                  /* a th_status, set by any block */
} order;

/* What became of a parallel run. */
static th_status outcome(const th_call *c, const order *o, th_status s)
{
  if (s != TH_OK) return s;
  th_enter(c->op->name);               /* a block that failed on this thread has used the name */
  if (o->failed == TH_ENOMEM) return th_fail(TH_ENOMEM, "needs more scratch memory than there is");
  return o->failed || th_interrupted() ? th_fail(TH_EINTR, "interrupted") : TH_OK;
}

#define TH_SELF "order.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_sort)[TH_NDTYPE] = TH_ALL(sort);
const th_kernel TH_AT(th_sort_last)[TH_NDTYPE] = TH_ALL(sort);
const th_kernel TH_AT(th_topk)[TH_NDTYPE] = TH_ALL(topk);
const th_kernel TH_AT(th_kthvalue)[TH_NDTYPE] = TH_ALL(kthvalue);
const th_kernel TH_AT(th_median)[TH_NDTYPE] = TH_ALL(median);
const th_kernel TH_AT(th_mode)[TH_NDTYPE] = TH_ALL(mode);

#else

/* The key type as wide as T, and the pair that holds it. */
#define WIDE (sizeof(T) == 8)
#define IF_WIDE(a, b) __builtin_choose_expr(WIDE, a, b)
typedef __typeof__(__builtin_choose_expr(sizeof(T) == 1, (uint8_t)0,
                   __builtin_choose_expr(sizeof(T) == 2, (uint16_t)0,
                   __builtin_choose_expr(sizeof(T) == 4, (uint32_t)0, (uint64_t)0)))) K(key);
typedef __typeof__(IF_WIDE((pair){ 0 }, (word)0)) K(keyed);
#define SORTED IF_WIDE(sorted_pair, sorted_word)
#define SELECT IF_WIDE(select_pair, select_word)
#define SORT_BLOCKS IF_WIDE(sort_blocks_pair, sort_blocks_word)
#define TOP ((K(key))((K(key))1 << (8 * sizeof(T) - 1)))
#define LAST ((K(key))~(K(key))0)
#define BITS (sizeof(T) == 1 ? 8 : 11)
#define SHIFT ((int)(8 * sizeof(T)) - BITS)

/* The union holds either pair, so that both branches of a choice compile. */
typedef union K(both) { word w; pair p; K(keyed) k; } K(both);

TH_INLINE K(keyed) K(make)(K(key) key, int64_t place)
{
  K(both) u;
  if (WIDE) u.p = (pair){ key, (uint32_t)place };
  else u.w = (word)key << 32 | (uint32_t)place;
  return u.k;
}
TH_INLINE K(key) K(key_in)(K(keyed) k)
{
  const K(both) u = { .k = k };
  return WIDE ? (K(key))u.p.key : (K(key))(u.w >> 32);
}
TH_INLINE uint32_t K(place_in)(K(keyed) k)
{
  const K(both) u = { .k = k };
  return WIDE ? u.p.place : (uint32_t)u.w;
}
TH_INLINE bool K(within)(K(keyed) k, K(keyed) first, K(keyed) last)
{
  const K(both) u = { .k = k }, a = { .k = first }, b = { .k = last };
  if (!WIDE) return u.w - a.w <= b.w - a.w;
  return u.p.key >= a.p.key && (u.p.key < b.p.key || (u.p.key == b.p.key && u.p.place <= b.p.place));
}

/* flip is LAST where descending, else 0. */
TH_INLINE K(key) K(key_of)(T v, K(key) flip)
{
  K(key) u;
  memcpy(&u, &v, sizeof u);
#if IS_FLOAT
  const uint64_t infinite = DT == TH_F16 ? 0x7c00 : DT == TH_BF16 ? 0x7f80
                          : DT == TH_F32 ? 0x7f800000 : 0x7ff0000000000000;
  const K(key) size = (K(key))(u & ~TOP);
  u = size ? u : 0;
  u = (K(key))((u & TOP ? ~u : u | TOP) ^ flip);
  return size > (K(key))infinite ? LAST : u;
#else
  return (K(key))((T)-1 < 0 ? u ^ TOP ^ flip : u ^ flip);
#endif
}

/* A line on its way. */
typedef struct K(line) {
  order    *o;
  const T  *x;
  T        *y;
  int64_t  *index, n, sx;
  K(key)    flip;
  K(keyed) *a, *b;
  uint32_t (*hist)[BINS];              /* of each block */
  int64_t  *begin;                     /* where each block's pairs go */
  K(keyed)  first, last;               /* which pairs are picked, */
  bool      rare;                      /* and whether few are */
} K(line);

TH_INLINE void K(give_some)(const K(line) *l, const K(keyed) *k, int n, T *y, int64_t sy,
                            int64_t *index, int64_t si, const T *x, int64_t next)
{
  K(key) bits[STEP];
  int64_t place[STEP];
  uint64_t unsure = 0;
  for (int i = 0; i < n; i++) {
    const K(key) key = K(key_in)(k[i]), u = key ^ l->flip;
#if IS_FLOAT
    bits[i] = (K(key))(u & TOP ? u ^ TOP : ~u);
    unsure |= (uint64_t)(key == LAST) | (uint64_t)(u == TOP);
#else
    bits[i] = (K(key))((T)-1 < 0 ? u ^ TOP : u);
#endif
    place[i] = (int64_t)K(place_in)(k[i]) + 1;
  }
  for (int i = 0; unsure && i < n; i++) {                      /* a NaN or a 0: which one? */
    memcpy(&bits[i], x + i * next + (place[i] - 1) * l->sx, sizeof(T));
  }
  for (int i = 0; i < n; i++) memcpy(y + i * sy, &bits[i], sizeof(T));
  for (int i = 0; i < n; i++) index[i * si] = place[i];
}
/* Results: the elements of n pairs and their places. Pair i is of the line that begins at
 * x[i * next]. */
static void K(give)(const K(line) *l, const K(keyed) *k, int64_t n, T *y, int64_t sy, int64_t *index,
                    int64_t si, int64_t next)
{
  for (int64_t from = 0; from < n; from += STEP, k += STEP, y += STEP * sy, index += STEP * si) {
    const T *x = l->x + from * next;
    if (n - from >= STEP) K(give_some)(l, k, STEP, y, sy, index, si, x, next);
    else K(give_some)(l, k, (int)(n - from), y, sy, index, si, x, next);
  }
}
/* Results from the `first` on. */
static void K(give_line)(const K(line) *l, int64_t first, const K(keyed) *k, int64_t n)
{
  const int64_t sy = l->o->w.step[1], si = l->o->w.step[2];
  K(give)(l, k, n, l->y + first * sy, sy, l->index + first * si, si, 0);
}

/* ---- blocks of a line ---- */

TH_INLINE void K(keys)(const K(line) *l, K(key) *key, int64_t from, int64_t n)
{
  const T *x = l->x + from * l->sx;
  if (l->sx == 1) for (int64_t i = 0; i < n; i++) key[i] = K(key_of)(x[i], l->flip);
  else for (int64_t i = 0; i < n; i++) key[i] = K(key_of)(x[i * l->sx], l->flip);
}
TH_INLINE void K(load)(const K(line) *l, int64_t from, int64_t n)
{
  K(key) key[STEP];
  K(keys)(l, key, from, n);
  for (int64_t i = 0; i < n; i++) l->a[from + i] = K(make)(key[i], from + i);
}
static void K(load_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(line) *l = ctx;
  const int64_t end = th_min(l->n, last * BLOCK);
  int64_t from = first * BLOCK;
  for (; from + STEP <= end; from += STEP) K(load)(l, from, STEP);
  K(load)(l, from, end - from);
}
static void K(give_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(line) *l = ctx;
  const int64_t from = first * BLOCK;
  K(give_line)(l, from, l->a + from, th_min(l->n, last * BLOCK) - from);
}
TH_INLINE void K(count)(const K(line) *l, uint32_t *hist, int64_t from, int64_t n)
{
  K(key) key[STEP];
  K(keys)(l, key, from, n);
  for (int64_t i = 0; i < n; i++) hist[key[i] >> SHIFT]++;
}
static void K(hist_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(line) *l = ctx;
  for (int64_t b = first; b < last; b++) {
    const int64_t end = th_min(l->n, (b + 1) * BLOCK);
    uint32_t *hist = l->hist[b];
    memset(hist, 0, sizeof *hist << BITS);
    int64_t from = b * BLOCK;
    for (; from + STEP <= end; from += STEP) K(count)(l, hist, from, STEP);
    K(count)(l, hist, from, end - from);
  }
}
/* The pairs from first to last, to a. */
TH_INLINE int64_t K(pick)(const K(line) *l, K(keyed) *to, int64_t from, int64_t n)
{
  const K(key) low = K(key_in)(l->first), most = (K(key))(K(key_in)(l->last) - low);
  K(key) key[STEP];
  K(keyed) all[STEP], some[STEP];
  uint32_t found = !l->rare;
  int64_t used = 0;
  K(keys)(l, key, from, n);
  if (l->rare) for (int64_t i = 0; i < n; i++) found += (K(key))(key[i] - low) <= most;
  if (!found) return 0;
  for (int64_t i = 0; i < n; i++) all[i] = K(make)(key[i], from + i);
  if (WIDE) {
    for (int64_t i = 0; i < n; i++) {
      some[used] = all[i];
      used += K(within)(all[i], l->first, l->last);
    }
  } else {
    const K(both) first = { .k = l->first }, end = { .k = l->last };
    used = pick_words((word *)some, (const word *)all, n, first.w, end.w);
  }
  for (int64_t i = 0; i < used; i++) to[i] = some[i];
  return used;
}
static void K(pick_blocks)(void *ctx, int64_t first, int64_t last)
{
  const K(line) *l = ctx;
  for (int64_t b = first; b < last; b++) {
    const int64_t end = th_min(l->n, (b + 1) * BLOCK);
    K(keyed) *to = l->a + l->begin[b];
    int64_t from = b * BLOCK;
    for (; from + STEP <= end; from += STEP) to += K(pick)(l, to, from, STEP);
    to += K(pick)(l, to, from, end - from);
  }
}

/* ---- whole lines ---- */

static th_status K(no_room)(int64_t n) { return th_no_scratch(n * (int64_t)sizeof(K(keyed))); }

/* The pairs of the whole line in order; *scratch holds them. */
static th_status K(sort_pairs)(K(line) *l, K(keyed) **scratch)
{
  const int64_t blocks = th_parts(l->n, BLOCK), at = l->n >= LONG ? blocks * 1024 : 0;
  *scratch = th_scratch(2 * sizeof(K(keyed)) * (size_t)l->n + (size_t)at);
  if (!*scratch) return K(no_room)(2 * l->n);
  K(keyed) *b = *scratch + l->n;
  l->a = *scratch;
  if (l->n >= LONG) {
    TH_TRY(th_parallel(blocks, 1, K(load_blocks), l));
    return SORT_BLOCKS(&l->a, l->a, b, l->n, sizeof(T), b + l->n);
  }
  K(load_blocks)(l, 0, blocks);
  l->a = SORTED(l->a, b, l->n, sizeof(T));
  return TH_OK;
}
/* The results, from all pairs in order. */
static void K(finish)(const K(line) *l, K(keyed) *a)
{
  const order *o = l->o;
  int64_t some = o->what == SORT ? l->n : o->what == TOPK ? o->k : 0, most = 0, best = o->k - 1;
  if (o->what == TOPK && !o->sorted) {                         /* as they come */
    for (int64_t i = 1; i < some; i++) {
      const K(keyed) v = a[i];
      int64_t k = i;
      for (; k > 0 && K(place_in)(a[k - 1]) > K(place_in)(v); k--) a[k] = a[k - 1];
      a[k] = v;
    }
  }
  for (int64_t from = 0, to; o->what == MODE && from < l->n; from = to) {
    const K(key) key = K(key_in)(a[from]);
    for (to = from + 1; to < l->n && K(key_in)(a[to]) == key; to++);
    if (to - from > most) most = to - from, best = from;
  }
  K(give_line)(l, 0, some ? a : a + best, th_max(some, 1));
}
static th_status K(sort_line)(K(line) *l)
{
  K(keyed) *scratch;
  th_status s = K(sort_pairs)(l, &scratch);
  const int64_t blocks = th_parts(l->n, BLOCK);
  if (s == TH_OK && blocks > 1 && l->o->what == SORT)
    s = th_parallel(blocks, 1, K(give_blocks), l);
  else if (s == TH_OK) K(finish)(l, l->a);
  if (scratch) th_scratch_free(scratch);
  return s;
}

/* From the blocks' counts: begin[] for the pairs in the bin of the k-th; the others are left out. */
static int64_t K(find_bin)(K(line) *l, int64_t blocks, int64_t *k)
{
  const K(key) mask = (K(key))(((K(key))1 << SHIFT) - 1);
  uint32_t sums[BINS];
  const uint32_t *total = blocks > 1 ? sums : l->hist[0];
  const int64_t bins = (int64_t)1 << BITS;
  if (blocks > 1) memcpy(sums, l->hist[0], sizeof sums);
  for (int64_t b = 1; b < blocks; b++) {
    for (int64_t i = 0; i < bins; i++) sums[i] += l->hist[b][i];
  }
  int64_t bin = 0, left = *k, sum = 0;
  for (;; bin += STEP) {                                       /* many at a time, then each */
    uint32_t some = 0;
    for (int64_t i = bin; i < bin + STEP; i++) some += total[i];
    if (left < some) break;
    left -= some;
  }
  for (; left >= total[bin]; bin++) left -= total[bin];
  *k = left;
  for (int64_t b = 0; b < blocks; b++) {
    l->begin[b] = sum;
    sum += l->hist[b][bin];
  }
  const K(key) low = (K(key))((K(key))bin << SHIFT);
  l->first = K(make)(low, 0);
  l->last = K(make)(low | mask, UINT32_MAX);
  l->rare = sum < l->n / RARE;
  return sum;
}
/* Of the k pairs up to the last one wanted: where each block's begin. `found` are those of its bin,
 * block after block. */
static void K(begin_topk)(K(line) *l, int64_t blocks, const K(keyed) *found)
{
  const int64_t bin = (int64_t)(K(key_in)(l->last) >> SHIFT);
  int64_t sum = 0;
  l->first = K(make)(0, 0);
  l->rare = l->o->k < l->n / RARE;
  for (int64_t b = 0; b < blocks; b++) {
    l->begin[b] = sum;
    for (int64_t i = 0; i < bin; i++) sum += l->hist[b][i];
    for (int64_t i = 0; i < l->hist[b][bin]; i++) sum += K(within)(*found++, l->first, l->last);
  }
}
static th_status K(select_line)(K(line) *l)
{
  const order *o = l->o;
  const bool topk = o->what == TOPK;
  const int64_t blocks = th_parts(l->n, BLOCK);
  uint32_t hist[1][BINS];
  int64_t begin[1], k = o->k - 1;
  K(keyed) *found = NULL, *picked = NULL;
  th_status s = TH_OK;
  l->hist = hist;
  l->begin = begin;
  if (blocks > 1) {
    l->hist = th_scratch((size_t)blocks * (sizeof *hist + sizeof *begin));
    if (!l->hist) return th_no_scratch(blocks * (int64_t)sizeof *hist);
    l->begin = (int64_t *)(l->hist + blocks);
    s = th_parallel(blocks, 1, K(hist_blocks), l);
  } else {
    K(hist_blocks)(l, 0, 1);
  }
  if (s != TH_OK) goto done;
  const int64_t count = K(find_bin)(l, blocks, &k);
  found = th_scratch(sizeof *found * 2 * (size_t)count);
  if (!found) s = K(no_room)(2 * count);
  if (s != TH_OK) goto done;
  l->a = found;
  if (blocks > 1) s = th_parallel(blocks, 1, K(pick_blocks), l);
  else K(pick_blocks)(l, 0, 1);
  if (s != TH_OK) goto done;
  memcpy(found + count, found, sizeof *found * (size_t)count);
  l->last = SELECT(found + count, count, k, sizeof(T));
  if (!topk) K(give_line)(l, 0, &l->last, 1);
  if (!topk) goto done;
  picked = th_scratch(sizeof *picked * 2 * (size_t)o->k);
  if (!picked) s = K(no_room)(2 * o->k);
  if (s != TH_OK) goto done;
  K(begin_topk)(l, blocks, found);
  l->a = picked;
  if (blocks > 1) s = th_parallel(blocks, 1, K(pick_blocks), l);
  else K(pick_blocks)(l, 0, 1);
  if (s != TH_OK) goto done;
  if (o->sorted) l->a = SORTED(picked, picked + o->k, o->k, sizeof(T));
  K(give_line)(l, 0, l->a, o->k);
done:
  if (found) th_scratch_free(found);
  if (picked) th_scratch_free(picked);
  if (blocks > 1) th_scratch_free(l->hist);
  return s;
}

/* Puts at place k, from 0, the pair that belongs there, none behind in front of it and none before behind it. The rest
 * lies as Torch7's selection leaves it, since programs of Torch7 see that order: quickselect with the median of three, on
 * keys alone (Press et al., Numerical Recipes). `down`: the keys fall. */
static void K(partition)(K(keyed) *a, int64_t n, int64_t k, bool down)
{
#define LESS(p, q) (down ? K(key_in)(p) > K(key_in)(q) : K(key_in)(p) < K(key_in)(q))
#define SWAP(i, j) do { const K(keyed) t_ = a[i]; a[i] = a[j]; a[j] = t_; } while (0)
  int64_t first = 0, last = n - 1;
  while (last > first + 1) {
    SWAP((first + last) / 2, first + 1);
    if (LESS(a[last], a[first + 1])) SWAP(first + 1, last);
    if (LESS(a[last], a[first])) SWAP(first, last);
    if (LESS(a[first], a[first + 1])) SWAP(first + 1, first);
    const K(keyed) pivot = a[first];
    int64_t i = first + 1, j = last;
    for (;;) {
      do i++; while (LESS(a[i], pivot));
      do j--; while (LESS(pivot, a[j]));
      if (j < i) break;
      SWAP(i, j);
    }
    SWAP(first, j);
    if (j <= k) first = i;
    if (j >= k) last = j - 1;
  }
  if (last == first + 1 && LESS(a[last], a[first])) SWAP(first, last);
#undef SWAP
#undef LESS
}

/* topk of up to SHORT elements that are not sorted. Kept out of K(short_line), where its registers cost sort 8 %. */
static __attribute__((noinline)) void K(short_selection)(K(line) *l)
{
  const order *o = l->o;
  K(keyed) a[SHORT];
  l->a = a;
  K(load_blocks)(l, 0, 1);
  const int64_t begin = o->descending ? l->n - o->k : 0;       /* the largest are the last */
  if (begin > 0 || !o->descending) K(partition)(a, l->n, begin > 0 ? begin - 1 : o->k - 1, o->descending);
  K(give_line)(l, 0, a + begin, o->k);
}

/* Up to SHORT elements, all on the stack. */
static void K(short_line)(K(line) *l)
{
  if (l->o->what == TOPK && !l->o->sorted) {
    K(short_selection)(l);
    return;
  }
  K(keyed) a[SHORT], b[SHORT];
  l->a = a;
  K(load_blocks)(l, 0, 1);
  K(finish)(l, SORTED(a, b, l->n, sizeof(T)));
}

TH_INLINE K(line) K(line_at)(order *o, const int64_t *off)
{
  return (K(line)){ .o = o, .x = (const T *)o->x + off[0], .y = (T *)o->y + off[1],
                    .index = o->index + off[2], .n = o->w.n[0], .sx = o->w.step[0],
                    .flip = o->descending ? LAST : 0 };
}
static void K(lines)(void *ctx, int64_t first, int64_t last)
{
  order *o = ctx;
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&o->w, o->w.ndim, k, off);
    K(line) l = K(line_at)(o, off);
    th_status s = TH_OK;
    if (l.n <= SHORT) K(short_line)(&l);
    else if (o->what == SORT || o->what == MODE) s = K(sort_line)(&l);
    else s = K(select_line)(&l);
    if (s != TH_OK) {
      __atomic_store_n(&o->failed, s, __ATOMIC_RELAXED);
      return;
    }
  }
}

/* ---- short lines side by side ---- */

static void K(lanes)(void *ctx, int64_t first, int64_t last)
{
  order *o = ctx;
  const th_walk *w = &o->w;
  const int64_t n = w->n[0], cols = w->size[w->ndim - 1], right = w->stride[0][w->ndim - 1];
  const K(key) flip = o->descending ? LAST : 0;
  const bool rows = o->what == SORT || o->what == KTH || (o->what == TOPK && o->sorted);
  const int64_t some = o->what == SORT ? n : o->what == TOPK ? o->k : 1;
  word lane[TH_NET][TH_LANES];
  K(keyed) a[TH_NET];
  for (int64_t item = first; item < last; item++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(w, w->ndim - 1, item / o->tiles, off);
    const int64_t left = item % o->tiles * TH_LANES, width = th_min(TH_LANES, cols - left);
    for (int k = 0; k < 3; k++) off[k] += left * w->stride[k][w->ndim - 1];
    const K(line) all = K(line_at)(o, off);
    for (int64_t i = 0; i < n; i++) {
      T x[TH_LANES];
      for (int64_t c = 0; c < TH_LANES; c++)
        x[c] = all.x[i * all.sx + (c < width ? c : width - 1) * right];
      for (int64_t c = 0; c < TH_LANES; c++)
        lane[i][c] = (word)K(key_of)(x[c], flip) << 32 | (uint32_t)i;
    }
    th_net_sort(o->net, lane);
    for (int64_t i = 0; rows && i < some; i++) {
      const word *from = lane[o->what == KTH ? o->k - 1 : i];
      for (int64_t c = 0; c < TH_LANES; c++) a[c] = K(make)((K(key))(from[c] >> 32), (uint32_t)from[c]);
      K(give)(&all, a, width, all.y + i * w->step[1], w->stride[1][w->ndim - 1],
              all.index + i * w->step[2], w->stride[2][w->ndim - 1], right);
    }
    for (int64_t c = 0; !rows && c < width; c++) {
      const K(line) l = K(line_at)(o, off);
      for (int64_t i = 0; i < n; i++)
        a[i] = K(make)((K(key))(lane[i][c] >> 32), (uint32_t)lane[i][c]);
      K(finish)(&l, a);
      for (int k = 0; k < 3; k++) off[k] += w->stride[k][w->ndim - 1];
    }
  }
}

/* ---- kernels ---- */

static th_status K(run)(const th_call *c, int dim, order o)
{
  const order_args *args = order_args_of(c);
  const th_tensor *y = args->y, *index = args->index, *x = args->x;
  th_walk *w = &o.w;
  o.x = TH_DATA(T, x);
  o.y = TH_DATA(T, y);
  o.index = TH_DATA(int64_t, index);
  th_walk_lines(w, dim, 3, (const th_tensor *const[]){ x, y, index });
  const int64_t n = w->n[0], cols = w->ndim ? w->size[w->ndim - 1] : 1;
  if (w->count == 0 || n == 0) return TH_OK;
  if (w->count == 1 || (n >= LONG && w->count < 4)) {          /* the threads share a line */
    K(lines)(&o, 0, w->count);
    return outcome(c, &o, TH_OK);
  }
  const bool partition = o.what == TOPK && !o.sorted && n <= SHORT;
  if (!WIDE && n > 1 && n <= TH_NET && cols >= TH_LANES / 2 && !partition) {
    th_net t;
    th_net_make(&t, (int)n);
    o.net = &t;
    o.tiles = th_parts(cols, TH_LANES);
    return outcome(c, &o, th_parallel(w->count / cols * o.tiles, th_max(1, TH_GRAIN / (n * TH_LANES)),
                                   K(lanes), &o));
  }
  return outcome(c, &o, th_parallel(w->count, th_max(1, 16384 / n), K(lines), &o));
}
static th_status K(sort)(const th_call *c)
{
  const sort_args *a = sort_args_of(c);
  return K(run)(c, (int)a->dim, (order){ .what = SORT, .descending = a->descending != 0 });
}
static th_status K(topk)(const th_call *c)
{
  const topk_args *a = topk_args_of(c);
  return K(run)(c, (int)a->dim, (order){ .what = TOPK, .k = a->k,
                .descending = a->largest != 0, .sorted = a->sorted != 0 });
}
static th_status K(kthvalue)(const th_call *c)
{
  const kthvalue_args *a = kthvalue_args_of(c);
  return K(run)(c, (int)a->dim, (order){ .what = KTH, .k = a->k });
}
static th_status K(median)(const th_call *c)
{
  const median_args *a = median_args_of(c);
  const th_tensor *x = a->x;
  const int64_t n = x->ndim ? x->size[a->dim] : 1;
  return K(run)(c, (int)a->dim, (order){ .what = KTH, .k = (n + 1) / 2 });
}
static th_status K(mode)(const th_call *c)
{
  return K(run)(c, (int)median_args_of(c)->dim, (order){ .what = MODE });
}
#undef WIDE
#undef IF_WIDE
#undef SORTED
#undef SELECT
#undef SORT_BLOCKS
#undef TOP
#undef LAST
#undef BITS
#undef SHIFT
#endif
