/* order.c - sorting and selecting along one dimension.
 *
 * Elements become unsigned keys that compare as wanted: NaN last, -0 as 0, descending inverted. */
#ifndef T
#include "walk.h"

enum {
  SHORT = 24,          /* insertion up to here */
  RADIX = 768,         /* radix from here on, merging below */
  PATIENCE = 1 << 20,  /* elements between two looks at Ctrl-C */
};

#define U uint8_t
#define R(f) f##_k8
#include "keys.h"
#define U uint16_t
#define R(f) f##_k16
#include "keys.h"
#define U uint32_t
#define R(f) f##_k32
#include "keys.h"
#define U uint64_t
#define R(f) f##_k64
#include "keys.h"

typedef struct order {
  th_walk     w;                       /* operands: x, y, index */
  const void *x;
  void       *y;
  int64_t    *index, k;
  bool        descending, sorted;
  int         failed;                  /* a th_status, set by any block */
} order;

static void fail(order *o, th_status s) { __atomic_store_n(&o->failed, s, __ATOMIC_RELAXED); }

/* What became of a parallel run. */
static th_status outcome(const order *o, th_status s)
{
  if (s != TH_OK) return s;
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

/* The key type as wide as T, and the functions on it. */
#define BY_WIDTH(a, b, c, d) __builtin_choose_expr(sizeof(T) == 1, a, \
  __builtin_choose_expr(sizeof(T) == 2, b, __builtin_choose_expr(sizeof(T) == 4, c, d)))
typedef __typeof__(BY_WIDTH((uint8_t)0, (uint16_t)0, (uint32_t)0, (uint64_t)0)) K(key);
typedef __typeof__(BY_WIDTH((pair_k8){ 0 }, (pair_k16){ 0 }, (pair_k32){ 0 },
                            (pair_k64){ 0 })) K(keyed);
#define SORTED BY_WIDTH(sorted_k8, sorted_k16, sorted_k32, sorted_k64)
#define SELECT BY_WIDTH(select_k8, select_k16, select_k32, select_k64)

TH_INLINE K(key) K(key_of)(T v, bool descending)
{
  const K(key) top = (K(key))((K(key))1 << (8 * sizeof(T) - 1));
  K(key) u;
  memcpy(&u, &v, sizeof u);
#if IS_FLOAT
  if (LOAD(v) != LOAD(v)) return (K(key))~(K(key))0;
  if (LOAD(v) == 0) u = 0;
  u = (K(key))(u & top ? ~u : u | top);
#else
  if ((T)-1 < 0) u ^= top;
#endif
  return (K(key))(descending ? ~u : u);
}

static void K(load)(const order *o, K(keyed) *to, const T *x)
{
  const int64_t n = o->w.n[0], step = o->w.step[0];
  for (int64_t from = 0; from < n && !th_interrupted(); from += PATIENCE) {
    const int64_t end = th_min(n, from + PATIENCE);
    for (int64_t i = from; i < end; i++) {
      to[i].key = K(key_of)(x[i * step], o->descending);
      to[i].place = (uint32_t)i;
    }
  }
}
/* Result i of a line is the element at `place`. */
static inline void K(give)(const order *o, const int64_t *off, int64_t i, uint32_t place)
{
  ((T *)o->y)[off[1] + i * o->w.step[1]] = ((const T *)o->x)[off[0] + place * o->w.step[0]];
  o->index[off[2] + i * o->w.step[2]] = (int64_t)place + 1;
}

/* The first n results of a line; false after Ctrl-C. */
static bool K(give_all)(const order *o, const int64_t *off, const K(keyed) *s, int64_t n)
{
  for (int64_t from = 0; from < n; from += PATIENCE / 4) {
    if (th_interrupted()) return false;
    const int64_t end = th_min(n, from + PATIENCE / 4);
    for (int64_t i = from; i < end; i++) K(give)(o, off, i, s[i].place);
  }
  return true;
}

/* ---- one line, its pairs loaded in a; false after Ctrl-C ---- */

static bool K(sort_line)(const order *o, const int64_t *off, K(keyed) *a, K(keyed) *b)
{
  const K(keyed) *s = SORTED(a, b, o->w.n[0]);
  return s && K(give_all)(o, off, s, o->w.n[0]);
}
static bool K(topk_line)(const order *o, const int64_t *off, K(keyed) *a, K(keyed) *b)
{
  const K(keyed) last = SELECT(a, b, o->w.n[0], o->k - 1), *s = b;
  int64_t n = 0;
  for (int64_t i = 0; n < o->k; i++) {
    if (a[i].key < last.key || (a[i].key == last.key && a[i].place <= last.place)) b[n++] = a[i];
  }
  if (o->sorted) s = SORTED(b, a, n);
  return s && K(give_all)(o, off, s, n);
}
static bool K(kth_line)(const order *o, const int64_t *off, K(keyed) *a, K(keyed) *b)
{
  K(give)(o, off, 0, SELECT(a, b, o->w.n[0], o->k - 1).place);
  return true;
}
static bool K(mode_line)(const order *o, const int64_t *off, K(keyed) *a, K(keyed) *b)
{
  const K(keyed) *s = SORTED(a, b, o->w.n[0]);
  if (!s) return false;
  int64_t most = 0, best = 0;
  for (int64_t from = 0, to; from < o->w.n[0]; from = to) {
    for (to = from + 1; to < o->w.n[0] && s[to].key == s[from].key; to++);
    if (to - from > most) most = to - from, best = from;
  }
  K(give)(o, off, 0, s[best].place);
  return true;
}

typedef bool K(line)(const order *o, const int64_t *off, K(keyed) *a, K(keyed) *b);

TH_INLINE void K(lines)(order *o, int64_t first, int64_t last, K(line) *f)
{
  const int64_t n = o->w.n[0];
  K(keyed) *a = th_scratch(2 * sizeof *a * (size_t)n);
  if (!a) {
    fail(o, TH_ENOMEM);
    return;
  }
  for (int64_t k = first; k < last; k++) {
    int64_t off[TH_WALKOPS];
    th_walk_at(&o->w, o->w.ndim, k, off);
    K(load)(o, a, (const T *)o->x + off[0]);
    if (th_interrupted() || !f(o, off, a, a + n)) {
      fail(o, TH_EINTR);
      break;
    }
  }
  th_scratch_free(a);
}
static void K(sort_lines)(void *o, int64_t first, int64_t last)
{
  K(lines)(o, first, last, K(sort_line));
}
static void K(topk_lines)(void *o, int64_t first, int64_t last)
{
  K(lines)(o, first, last, K(topk_line));
}
static void K(kth_lines)(void *o, int64_t first, int64_t last)
{
  K(lines)(o, first, last, K(kth_line));
}
static void K(mode_lines)(void *o, int64_t first, int64_t last)
{
  K(lines)(o, first, last, K(mode_line));
}

/* ---- kernels ---- */

static th_status K(run)(const th_call *c, int dim, order o, th_block f)
{
  const th_tensor *y = c->arg[0].t, *index = c->arg[1].t, *x = c->arg[2].t;
  o.x = TH_DATA(T, x);
  o.y = TH_DATA(T, y);
  o.index = TH_DATA(int64_t, index);
  th_walk_lines(&o.w, dim, 3, (const th_tensor *const[]){ x, y, index });
  if (o.w.count == 0 || o.w.n[0] == 0) return TH_OK;
  return outcome(&o, th_parallel(o.w.count, th_max(1, 8192 / o.w.n[0]), f, &o));
}
static th_status K(sort)(const th_call *c)
{
  return K(run)(c, (int)c->arg[3].i, (order){ .descending = c->arg[4].i != 0 }, K(sort_lines));
}
static th_status K(topk)(const th_call *c)
{
  return K(run)(c, (int)c->arg[4].i, (order){ .k = c->arg[3].i, .descending = c->arg[5].i != 0,
                                              .sorted = c->arg[6].i != 0 }, K(topk_lines));
}
static th_status K(kthvalue)(const th_call *c)
{
  return K(run)(c, (int)c->arg[4].i, (order){ .k = c->arg[3].i }, K(kth_lines));
}
static th_status K(median)(const th_call *c)
{
  const th_tensor *x = c->arg[2].t;
  const int64_t n = x->ndim ? x->size[c->arg[3].i] : 1;
  return K(run)(c, (int)c->arg[3].i, (order){ .k = (n + 1) / 2 }, K(kth_lines));
}
static th_status K(mode)(const th_call *c)
{
  return K(run)(c, (int)c->arg[3].i, (order){ .k = 1 }, K(mode_lines));
}
#undef BY_WIDTH
#undef SORTED
#undef SELECT
#endif
