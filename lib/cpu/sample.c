/* sample.c - permutations, and places drawn with given chances. */
#ifndef T
#include "kernel.h"
#include "../op/random.args.h"
#include "../core/random.h"

enum { BATCH = 65536, SWAPS = 128 };        /* draws between two looks at Ctrl-C; swaps prepared at a time */

TH_INLINE th_status interrupted(void)
{
  return th_interrupted() ? th_fail(TH_EINTR, "interrupted") : TH_OK;
}

/* A number of 0..n-1. */
TH_INLINE uint64_t below(th_generator *g, uint64_t n)
{
  const uint64_t r = th_generator_random(g);
  return n <= UINT32_MAX ? (uint32_t)r % (uint32_t)n : (r << 32 | th_generator_random(g)) % n;
}

/* Where Fisher and Yates swap steps first, first + 1, ... with, of n elements: place i goes with one of
 * i..n-1. A quotient of whole numbers below 2^32, rounded in double, never reaches the next one. */
static void partners(int64_t *with, th_generator *g, int64_t first, int64_t count, int64_t n)
{
  uint32_t word[SWAPS + TH_WORDS_OVER];
  if (n - first > UINT32_MAX) {
    for (int64_t i = 0; i < count; i++) with[i] = first + i + (int64_t)below(g, (uint64_t)(n - first - i));
    return;
  }
  th_generator_words(g, word, count);
  for (int64_t i = 0; i < count; i++) {
    const double w = word[i], most = (double)(n - first - i);
    with[i] = first + i + (int64_t)(w - trunc(w / most) * most);
  }
}

/* ---- samples: a tree of sums, so that a draw and the removal of a place cost log(n) ---- */

/* sum[1] is the root, sum[2i] and sum[2i + 1] lie below sum[i]. */
typedef struct tree { int64_t leaves; double *sum; } tree;

static void tree_build(tree *t)
{
  for (int64_t i = t->leaves - 1; i > 0; i--) t->sum[i] = t->sum[2 * i] + t->sum[2 * i + 1];
}

/* The first place at which the running share reaches u; never one of weight 0. */
static int64_t tree_find(const tree *t, double u)
{
  double rest = u * t->sum[1];
  int64_t i = 1;
  while (i < t->leaves) {
    const double left = t->sum[2 * i], right = t->sum[2 * i + 1];
    i *= 2;
    if (left > 0 && (rest <= left || !(right > 0))) continue;
    rest -= left;
    i++;
  }
  return i - t->leaves;
}

static void tree_remove(tree *t, int64_t place)
{
  int64_t i = place + t->leaves;
  t->sum[i] = 0;
  while (i /= 2) t->sum[i] = t->sum[2 * i] + t->sum[2 * i + 1];
}

#define TH_SELF "sample.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_randperm)[TH_NDTYPE] = TH_ALL(randperm);
const th_kernel TH_AT(th_multinomial)[TH_NDTYPE] = TH_FLOATS(multinomial);
const th_kernel TH_AT(th_alias_setup)[TH_NDTYPE] = TH_FLOATS(alias_setup);
const th_kernel TH_AT(th_alias)[TH_NDTYPE] = TH_FLOATS(alias);

#else

/* The swaps reach all over memory: they are known a while ahead, and fetched. */
static th_status K(randperm)(const th_call *c)
{
  const randperm_args *a = randperm_args_of(c);
  const th_tensor *y = a->y;
  const int64_t n = a->n, step = y->stride[0];
  T *to = TH_DATA(T, y);
  int64_t with[SWAPS];
  for (int64_t i = 0; i < n; i++) to[i * step] = STORE((C)(i + 1));
  for (int64_t first = 0; first + 1 < n; first += SWAPS) {
    const int64_t count = n - 1 - first < SWAPS ? n - 1 - first : SWAPS;
    partners(with, a->gen, first, count, n);
    for (int64_t i = 0; i < count; i++) __builtin_prefetch(&to[with[i] * step], 1);
    for (int64_t i = 0; i < count; i++) {
      T *here = &to[(first + i) * step], *there = &to[with[i] * step];
      const T kept = *here;
      *here = *there;
      *there = kept;
    }
    if (first % BATCH == 0) TH_TRY(interrupted());
  }
  return TH_OK;
}

#if IS_FLOAT
static th_status K(sample_row)(tree *t, const th_call *c, int64_t row)
{
  const multinomial_args *a = multinomial_args_of(c);
  const th_tensor *y = a->y, *p = a->p;
  const int last = p->ndim - 1;
  const int64_t n = a->n, classes = p->size[last];
  const T *from = TH_DATA(T, p) + (last ? row * p->stride[0] : 0);
  int64_t *to = TH_DATA(int64_t, y) + (last ? row * y->stride[0] : 0);
  double *leaf = t->sum + t->leaves, largest = 0;
  for (int64_t i = 0; i < classes; i++) {
    leaf[i] = LOAD(from[i * p->stride[last]]);
    if (leaf[i] > largest) largest = leaf[i];
  }
  for (int64_t i = 0; i < classes; i++) leaf[i] /= largest;     /* so that no sum overflows */
  for (int64_t i = classes; i < t->leaves; i++) leaf[i] = 0;
  tree_build(t);
  for (int64_t i = 0; i < n; i++) {
    const int64_t place = tree_find(t, th_generator_uniform(a->gen, 0, 1));
    to[i * y->stride[last]] = place + 1;
    if (!a->replacement) tree_remove(t, place);
    if (i % BATCH == BATCH - 1) TH_TRY(interrupted());
  }
  return interrupted();
}

static th_status K(multinomial)(const th_call *c)
{
  const th_tensor *p = multinomial_args_of(c)->p;
  const int64_t rows = p->ndim == 2 ? p->size[0] : 1, classes = p->size[p->ndim - 1];
  if (rows == 0) return TH_OK;
  tree t = { 1, NULL };
  while (t.leaves < classes) t.leaves *= 2;
  t.sum = th_scratch((size_t)t.leaves * 2 * sizeof *t.sum);
  if (!t.sum) {
    return th_fail(TH_ENOMEM, "no memory left for the sums of %lld places", (long long)classes);
  }
  th_status s = TH_OK;
  for (int64_t k = 0; k < rows && s == TH_OK; k++) s = K(sample_row)(&t, c, k);
  th_scratch_free(t.sum);
  return s;
}

/* Walker's tables by Vose's method: a place with less than its share gets the rest from another. */
static th_status K(alias_setup)(const th_call *c)
{
  const alias_setup_args *a = alias_setup_args_of(c);
  const th_tensor *J = a->J, *q = a->q, *p = a->p;
  const int64_t n = p->size[0];
  double *share = th_scratch((size_t)n * (sizeof *share + sizeof(int64_t)));
  if (!share) {
    return th_fail(TH_ENOMEM, "no memory left for the shares of %lld places", (long long)n);
  }
  int64_t *list = (int64_t *)(share + n);
  int64_t few = 0, many = n;                /* less: from the front; more: from the back */
  int64_t *j = TH_DATA(int64_t, J);
  double sum = 0, largest = 0;
  for (int64_t i = 0; i < n; i++) {
    share[i] = LOAD(TH_DATA(T, p)[i * p->stride[0]]);
    if (share[i] > largest) largest = share[i];
  }
  for (int64_t i = 0; i < n; i++) sum += share[i] /= largest;
  for (int64_t i = 0; i < n; i++) {
    share[i] *= (double)n / sum;
    j[i * J->stride[0]] = i + 1;
    if (share[i] < 1) list[few++] = i;
  }
  for (int64_t i = 0; i < n; i++) if (share[i] >= 1) list[--many] = i;
  while (few > 0 && many < n) {
    const int64_t small = list[--few], large = list[many];
    j[small * J->stride[0]] = large + 1;
    share[large] -= 1 - share[small];
    if (share[large] < 1) {
      many++;
      list[few++] = large;
    }
  }
  /* What rounding left over owns its whole share. */
  while (few > 0) share[list[--few]] = 1;
  while (many < n) share[list[many++]] = 1;
  for (int64_t i = 0; i < n; i++) TH_DATA(T, q)[i * q->stride[0]] = STORE((C)share[i]);
  th_scratch_free(share);
  return TH_OK;
}

static th_status K(alias)(const th_call *c)
{
  const alias_args *a = alias_args_of(c);
  const th_tensor *y = a->y, *J = a->J, *q = a->q;
  if (th_tensor_numel(y) == 0) return TH_OK;
  const int64_t n = J->size[0], *j = TH_DATA(int64_t, J);
  const T *stay = TH_DATA(T, q);
  const th_lines rows = th_lines_of(y, y->ndim ? y->ndim - 1 : 0);
  int64_t done = 0;
  for (int64_t k = 0; k < rows.count; k++) {
    int64_t *to = TH_LINE(int64_t, rows, k);
    for (int64_t i = 0; i < rows.n; i++) {
      const int64_t place = (int64_t)th_generator_uniform(a->gen, 0, (double)n);
      const double u = th_generator_uniform(a->gen, 0, 1);
      const bool stays = u <= (double)LOAD(stay[place * q->stride[0]]);
      to[i * rows.step] = stays ? place + 1 : j[place * J->stride[0]];
      if (++done % BATCH == 0) TH_TRY(interrupted());
    }
  }
  return TH_OK;
}
#endif
#endif
