/* random.c - filling tensors from the Mersenne twister. Words are drawn in order by the calling
 * thread; turning them into numbers is then done in parallel, since each number knows its words. */
#ifndef T
#include "kernel.h"
#include "../core/random.h"

enum { CHUNK = 512, BATCH = 65536 };        /* numbers converted, and words drawn, at a time */

/* Makes n numbers from their words; p are the parameters of the distribution. */
typedef void (*convert)(double *to, const uint32_t *word, int64_t n, const double *p);

static void to_uniform(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double a = p[0], width = p[1] - p[0];
  for (int64_t i = 0; i < n; i++) to[i] = th_unit(word[i]) * width + a;
}

/* Two words make two numbers; n is even. */
static void to_normal(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double mean = p[0], std = p[1];
  for (int64_t i = 0; i < n; i += 2) {
    const double angle = 2 * TH_PI * th_unit(word[i]);
    const double radius = sqrt(-2 * log(1 - th_unit(word[i + 1])));
    to[i] = radius * cos(angle) * std + mean;
    to[i + 1] = radius * sin(angle) * std + mean;
  }
}

static void to_lognormal(double *to, const uint32_t *word, int64_t n, const double *p)
{
  to_normal(to, word, n, p);
  for (int64_t i = 0; i < n; i++) to[i] = exp(to[i]);
}

static void to_exponential(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double scale = -1 / p[0];
  for (int64_t i = 0; i < n; i++) to[i] = scale * log(1 - th_unit(word[i]));
}

static void to_cauchy(double *to, const uint32_t *word, int64_t n, const double *p)
{
  for (int64_t i = 0; i < n; i++) to[i] = p[0] + p[1] * tan(TH_PI * (th_unit(word[i]) - 0.5));
}

static void to_geometric(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double tries = log(p[0]);
  for (int64_t i = 0; i < n; i++) to[i] = trunc(log(1 - th_unit(word[i])) / tries) + 1;
}

static void to_bernoulli(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double chance = p[0] > 0 ? p[0] : -1;         /* never 1 when p is 0 */
  for (int64_t i = 0; i < n; i++) to[i] = th_unit(word[i]) <= chance;
}

static void to_whole(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double least = p[0];
  if (p[1] == 4294967296.0) {
    for (int64_t i = 0; i < n; i++) to[i] = least + word[i];
    return;
  }
  const uint32_t count = (uint32_t)p[1];
  for (int64_t i = 0; i < n; i++) to[i] = least + word[i] % count;
}

/* More than 2^32 numbers need two words each. */
static void to_long_whole(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const uint64_t count = (uint64_t)p[1];
  for (int64_t i = 0; i < n; i++) {
    to[i] = p[0] + (double)(((uint64_t)word[2 * i] << 32 | word[2 * i + 1]) % count);
  }
}

/* What is converted: numbers go to `to`, one every `step` elements. */
typedef struct job {
  convert f;
  const double   *p;
  const uint32_t *word;
  int words;                                /* a number */
  char   *to;
  int64_t step;
} job;

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

#define TH_SELF "random.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_uniform)[TH_NDTYPE] = TH_FLOATS(uniform);
const th_kernel TH_AT(th_normal)[TH_NDTYPE] = TH_FLOATS(normal);
const th_kernel TH_AT(th_lognormal)[TH_NDTYPE] = TH_FLOATS(lognormal);
const th_kernel TH_AT(th_exponential)[TH_NDTYPE] = TH_FLOATS(exponential);
const th_kernel TH_AT(th_cauchy)[TH_NDTYPE] = TH_FLOATS(cauchy);
const th_kernel TH_AT(th_geometric)[TH_NDTYPE] = TH_ALL(geometric);
const th_kernel TH_AT(th_bernoulli)[TH_NDTYPE] = TH_ALL(bernoulli);
const th_kernel TH_AT(th_bernoulli_tensor)[TH_NDTYPE] = TH_ALL(bernoulli_tensor);
const th_kernel TH_AT(th_random)[TH_NDTYPE] = TH_ALL(random);
const th_kernel TH_AT(th_random_to)[TH_NDTYPE] = TH_ALL(random);
const th_kernel TH_AT(th_random_between)[TH_NDTYPE] = TH_ALL(random);
const th_kernel TH_AT(th_randperm)[TH_NDTYPE] = TH_ALL(randperm);
const th_kernel TH_AT(th_multinomial)[TH_NDTYPE] = TH_FLOATS(multinomial);
const th_kernel TH_AT(th_alias_setup)[TH_NDTYPE] = TH_FLOATS(alias_setup);
const th_kernel TH_AT(th_alias)[TH_NDTYPE] = TH_FLOATS(alias);

#else

/* A double as an element; whole numbers wrap as Torch7's do. */
TH_INLINE T K(element)(double v)
{
#if IS_INT
  return (T)th_to_int(v);
#else
  return STORE((C)v);
#endif
}

static void K(convert)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  double number[CHUNK];
  for (int64_t i = first; i < last; i += CHUNK) {
    const int64_t n = last - i < CHUNK ? last - i : CHUNK;
    T *to = (T *)j->to + i * j->step;
    j->f(number, j->word + i * j->words, n, j->p);
    if (j->step == 1) for (int64_t k = 0; k < n; k++) to[k] = K(element)(number[k]);
    else for (int64_t k = 0; k < n; k++) to[k * j->step] = K(element)(number[k]);
  }
}

/* n numbers in a row of memory, `step` elements apart. */
static th_status K(fill_row)(T *to, int64_t step, int64_t n, th_generator *g, job *j,
                             uint32_t *word)
{
  j->step = step;
  while (n > 0) {
    const int64_t most = BATCH / j->words, count = n < most ? n : most;
    th_generator_words(g, word, count * j->words);
    j->to = (char *)to;
    if (count <= CHUNK) {
      K(convert)(j, 0, count);
    } else {
      TH_TRY(th_parallel(count, 8 * CHUNK, K(convert), j));
      TH_TRY(interrupted());
    }
    to += count * step;
    n -= count;
  }
  return TH_OK;
}

/* One normal number through the generator, which keeps the other one of the pair or gives it. */
static void K(fill_lone)(T *to, th_generator *g, const job *j)
{
  const double z = th_generator_normal(g, j->p[0], j->p[1]);
  *to = K(element)(j->f == to_lognormal ? exp(z) : z);
}

/* Normal numbers of a row: the half of a pair that waits, whole pairs, and half of a new pair. */
static th_status K(fill_normal_row)(T *to, int64_t step, int64_t n, th_generator *g, job *j,
                                    uint32_t *word)
{
  if (n > 0 && th_generator_pair(g)->waiting) {
    K(fill_lone)(to, g, j);
    to += step;
    n--;
  }
  const int64_t pairs = n / 2 * 2;
  TH_TRY(K(fill_row)(to, step, pairs, g, j, word));
  if (n > pairs) K(fill_lone)(to + pairs * step, g, j);
  return TH_OK;
}

static th_status K(fill)(const th_call *c, convert f, int words)
{
  const th_tensor *x = c->arg[0].t;
  th_generator *g = c->arg[1].gen;
  const double p[2] = { c->arg[2].d, c->arg[3].d };
  const bool normal = f == to_normal || f == to_lognormal;
  const int64_t total = th_tensor_numel(x);
  if (total == 0) return TH_OK;
  uint32_t few[2 * CHUNK], *word = few;
  if (total > CHUNK) word = th_scratch(BATCH * sizeof *word);
  if (!word) return th_fail(TH_ENOMEM, "no memory left for %d random words", BATCH);
  job j = { .f = f, .p = p, .word = word, .words = words };
  th_lines rows = { x, 0, 1, total, 1 };
  if (!th_tensor_is_contiguous(x)) rows = th_lines_of(x, x->ndim - 1);
  th_status s = TH_OK;
  for (int64_t k = 0; k < rows.count && s == TH_OK; k++) {
    T *to = rows.count == 1 ? TH_DATA(T, x) : TH_LINE(T, rows, k);
    s = (normal ? K(fill_normal_row) : K(fill_row))(to, rows.step, rows.n, g, &j, word);
    if (k % 4096 == 4095 && s == TH_OK) s = interrupted();
  }
  if (word != few) th_scratch_free(word);
  return s;
}

#if IS_FLOAT
static th_status K(uniform)(const th_call *c) { return K(fill)(c, to_uniform, 1); }
static th_status K(normal)(const th_call *c) { return K(fill)(c, to_normal, 1); }
static th_status K(lognormal)(const th_call *c) { return K(fill)(c, to_lognormal, 1); }
static th_status K(exponential)(const th_call *c) { return K(fill)(c, to_exponential, 1); }
static th_status K(cauchy)(const th_call *c) { return K(fill)(c, to_cauchy, 1); }
#endif
static th_status K(geometric)(const th_call *c) { return K(fill)(c, to_geometric, 1); }
static th_status K(bernoulli)(const th_call *c) { return K(fill)(c, to_bernoulli, 1); }
static th_status K(random)(const th_call *c)
{
  return c->arg[3].d <= 4294967296.0 ? K(fill)(c, to_whole, 1) : K(fill)(c, to_long_whole, 2);
}

/* p has the shape of x, its own float dtype and its own strides. */
static th_status K(bernoulli_tensor)(const th_call *c)
{
  const th_tensor *x = c->arg[0].t, *p = c->arg[2].t;
  th_generator *g = c->arg[1].gen;
  if (th_tensor_numel(x) == 0) return TH_OK;
  const int last = x->ndim ? x->ndim - 1 : 0;
  const th_lines rows = th_lines_of(x, last), chances = th_lines_of(p, last);
  int64_t done = 0;
  for (int64_t k = 0; k < rows.count; k++) {
    T *to = TH_LINE(T, rows, k);
    const int64_t at = p->offset + th_line_offset(&chances, k);
    const void *data = p->storage->data;
    for (int64_t i = 0; i < rows.n; i++) {
      const int64_t from = at + i * chances.step;
      const double chance = p->dtype == TH_F64 ? ((const double *)data)[from]
                          : p->dtype == TH_F32 ? ((const float *)data)[from]
                          : th_half_to_double(((const uint16_t *)data)[from], p->dtype);
      const double u = th_generator_uniform(g, 0, 1);
      to[i * rows.step] = K(element)(chance > 0 && u <= chance);
      if (++done % BATCH == 0) TH_TRY(interrupted());
    }
  }
  return TH_OK;
}

static th_status K(randperm)(const th_call *c)
{
  const th_tensor *y = c->arg[0].t;
  const int64_t n = c->arg[2].i, step = y->stride[0];
  T *to = TH_DATA(T, y);
  for (int64_t i = 0; i < n; i++) to[i * step] = K(element)((double)(i + 1));
  for (int64_t i = 0; i + 1 < n; i++) {
    const int64_t k = i + (int64_t)below(c->arg[1].gen, (uint64_t)(n - i));
    const T kept = to[i * step];
    to[i * step] = to[k * step];
    to[k * step] = kept;
    if (i % BATCH == BATCH - 1) TH_TRY(interrupted());
  }
  return TH_OK;
}

#if IS_FLOAT
static th_status K(sample_row)(tree *t, const th_call *c, int64_t row)
{
  const th_tensor *y = c->arg[0].t, *p = c->arg[2].t;
  const int last = p->ndim - 1;
  const int64_t n = c->arg[3].i, classes = p->size[last];
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
    const int64_t place = tree_find(t, th_generator_uniform(c->arg[1].gen, 0, 1));
    to[i * y->stride[last]] = place + 1;
    if (!c->arg[4].i) tree_remove(t, place);
    if (i % BATCH == BATCH - 1) TH_TRY(interrupted());
  }
  return interrupted();
}

static th_status K(multinomial)(const th_call *c)
{
  const th_tensor *p = c->arg[2].t;
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
  const th_tensor *J = c->arg[0].t, *q = c->arg[1].t, *p = c->arg[2].t;
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
  const th_tensor *y = c->arg[0].t, *J = c->arg[2].t, *q = c->arg[3].t;
  if (th_tensor_numel(y) == 0) return TH_OK;
  const int64_t n = J->size[0], *j = TH_DATA(int64_t, J);
  const T *stay = TH_DATA(T, q);
  const th_lines rows = th_lines_of(y, y->ndim ? y->ndim - 1 : 0);
  int64_t done = 0;
  for (int64_t k = 0; k < rows.count; k++) {
    int64_t *to = TH_LINE(int64_t, rows, k);
    for (int64_t i = 0; i < rows.n; i++) {
      const int64_t place = (int64_t)th_generator_uniform(c->arg[1].gen, 0, (double)n);
      const double u = th_generator_uniform(c->arg[1].gen, 0, 1);
      const bool stays = u <= (double)LOAD(stay[place * q->stride[0]]);
      to[i * rows.step] = stays ? place + 1 : j[place * J->stride[0]];
      if (++done % BATCH == 0) TH_TRY(interrupted());
    }
  }
  return TH_OK;
}
#endif
#endif
