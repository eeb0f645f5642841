/* random.c - filling tensors with random numbers. A number knows its words, so numbers are made in
 * parallel: Philox words on the spot, those of the twister from a batch that was drawn in order, while
 * one thread already draws the next batch. */
#ifndef T
#include "kernel.h"
#include "../op/random.args.h"
#include "../core/random.h"
#include "../formula/math.h"

enum { CHUNK = 512, GRAIN = 8 * CHUNK, BATCH = 8 * GRAIN };      /* numbers made at a time, a block, a batch */
enum { VECTOR = TH_WORDS_OVER };                                 /* quick numbers are made in so many, of as many words */

/* How a distribution makes n numbers of words; p are its parameters. `exact` gives the very numbers of
 * Torch7, with the functions of the C library; `quick` gives them up to `doubt`, in vectors: n is a multiple of
 * VECTOR. Rounded to float, hardly a number is still in doubt, and those are made again. */
typedef struct law {
  void (*exact)(double *to, const uint32_t *word, int64_t n, const double *p);
  void (*quick)(double *to, double *doubt, const uint32_t *word, int64_t n, const double *p);
  int  words;                               /* a number */
  bool pairs;                               /* two words make two numbers; n is even */
  bool whole;                               /* quick numbers are right or their doubt is infinite */
} law;

/* ---- exact ---- */

static void exact_uniform(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double a = p[0], width = p[1] - p[0];
  for (int64_t i = 0; i < n; i++) to[i] = th_unit(word[i]) * width + a;
}

static void exact_normal(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double mean = p[0], std = p[1];
  for (int64_t i = 0; i < n; i += 2) {
    const double angle = 2 * TH_PI * th_unit(word[i]);
    const double radius = sqrt(-2 * log(1 - th_unit(word[i + 1])));
    to[i] = radius * cos(angle) * std + mean;
    to[i + 1] = radius * sin(angle) * std + mean;
  }
}

static void exact_lognormal(double *to, const uint32_t *word, int64_t n, const double *p)
{
  exact_normal(to, word, n, p);
  for (int64_t i = 0; i < n; i++) to[i] = exp(to[i]);
}

static void exact_exponential(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double scale = -1 / p[0];
  for (int64_t i = 0; i < n; i++) to[i] = scale * log(1 - th_unit(word[i]));
}

static void exact_cauchy(double *to, const uint32_t *word, int64_t n, const double *p)
{
  for (int64_t i = 0; i < n; i++) to[i] = p[0] + p[1] * tan(TH_PI * (th_unit(word[i]) - 0.5));
}

static void exact_geometric(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double tries = log(p[0]);
  for (int64_t i = 0; i < n; i++) to[i] = trunc(log(1 - th_unit(word[i])) / tries) + 1;
}

static void exact_bernoulli(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double chance = p[0] > 0 ? p[0] : -1;         /* never 1 when p is 0 */
  for (int64_t i = 0; i < n; i++) to[i] = th_unit(word[i]) <= chance;
}

/* p[0] + word % p[1]: a quotient of whole numbers below 2^32, rounded in double, never reaches the next. */
static void exact_whole(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const double least = p[0], count = p[1];
  for (int64_t i = 0; i < n; i++) {
    const double w = word[i];
    to[i] = least + (w - trunc(w / count) * count);
  }
}

/* More than 2^32 numbers need two words each. */
static void exact_long_whole(double *to, const uint32_t *word, int64_t n, const double *p)
{
  const uint64_t count = (uint64_t)p[1];
  for (int64_t i = 0; i < n; i++) {
    to[i] = p[0] + (double)(((uint64_t)word[2 * i] << 32 | word[2 * i + 1]) % count);
  }
}

/* ---- quick: the doubts are twice what the errors of both ways can add up to ---- */

/* Cosine and sine of t quarter turns, 0 <= t <= 4, by their series around the nearest quarter. */
TH_INLINE void circle(double t, double *cosine, double *sine)
{
  const double rounded = t + 6755399441055744.0;      /* 1.5 * 2^52: the quarter is in its last bits */
  const uint64_t quarter = th_bits_f64(rounded);
  const double x = (t - (rounded - 6755399441055744.0)) * (TH_PI / 2), z = x * x;
  const double w = z * z;           /* even and odd powers apart: half as long to wait for */
  double ce = -1 / 87178291200.0, co = 1 / 20922789888000.0, se = -1 / 1307674368000.0, so = 1 / 355687428096000.0;
  ce = ce * w - 1 / 3628800.0;
  co = co * w + 1 / 479001600.0;
  se = se * w - 1 / 39916800.0;
  so = so * w + 1 / 6227020800.0;
  ce = ce * w - 1 / 720.0;
  co = co * w + 1 / 40320.0;
  se = se * w - 1 / 5040.0;
  so = so * w + 1 / 362880.0;
  ce = ce * w - 0.5;
  co = co * w + 1 / 24.0;
  se = se * w - 1 / 6.0;
  so = so * w + 1 / 120.0;
  const double c = (co * z + ce) * z + 1, s = (so * z + se) * (z * x) + x;
  const uint64_t odd = -(quarter & 1), a = th_bits_f64(c), b = th_bits_f64(s);
  *cosine = th_from_f64(((a & ~odd) | (b & odd)) ^ ((quarter + 1) & 2) << 62);
  *sine = th_from_f64(((b & ~odd) | (a & odd)) ^ (quarter & 2) << 62);
}

/* log(x) of 2^-32 <= x <= 1: th_log without what such numbers do not need. */
TH_INLINE double log_of(double x)
{
  const uint64_t u = th_bits_f64(x) + 0x00095f619980c433;       /* from 1 to the bits of sqrt(1/2) */
  const double k = th_from_f64((u >> 52) | 0x4330000000000000) - (4503599627370496.0 + 1023);
  const double f = th_from_f64((u & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd) - 1, s = f / (2 + f), z = s * s;
  const double w = z * z;
  double even = 2 / 19.0, odd = 2 / 21.0;
  even = even * w + 2 / 15.0;
  odd = odd * w + 2 / 17.0;
  even = even * w + 2 / 11.0;
  odd = odd * w + 2 / 13.0;
  even = even * w + 2 / 7.0;
  odd = odd * w + 2 / 9.0;
  even = even * w + 2 / 3.0;
  odd = odd * w + 2 / 5.0;
  const double p = odd * z + even;
  const double half = 0.5 * f * f;
  return k * 0.69314718036912381649 - ((half - (s * (half + z * p) + k * 1.9082149292705877e-10)) - f);
}

/* `pairs` of numbers in short loops: one alone would need more registers than there are. turns and radius have room for
 * as many. */
TH_INLINE void normal_pairs(double *to, double *doubt, const uint32_t *word, int64_t pairs, const double *p, double *turns,
                            double *radius)
{
  const double mean = p[0], std = p[1], width = std * 2e-15, least = fabs(mean) * 2e-15;
  for (int64_t i = 0; i < pairs; i++) {
    turns[i] = word[2 * i] * (1 / 1073741824.0);
    radius[i] = 1 - th_unit(word[2 * i + 1]);
  }
  for (int64_t i = 0; i < pairs; i++) radius[i] = sqrt(-2 * log_of(radius[i]));
  for (int64_t i = 0; i < pairs; i++) {
    double c, s;
    circle(turns[i], &c, &s);
    to[2 * i] = radius[i] * c * std + mean;
    to[2 * i + 1] = radius[i] * s * std + mean;
  }
  for (int64_t i = 0; i < pairs; i++) doubt[2 * i] = doubt[2 * i + 1] = radius[i] * width + least;
}

/* A single vector, compiled apart: its loops are no loops. */
static __attribute__((noinline)) void normal_vector(double *to, double *doubt, const uint32_t *word, const double *p)
{
  double turns[VECTOR / 2], radius[VECTOR / 2];
  normal_pairs(to, doubt, word, VECTOR / 2, p, turns, radius);
}

static void quick_normal(double *to, double *doubt, const uint32_t *word, int64_t n, const double *p)
{
  double turns[CHUNK / 2], radius[CHUNK / 2];
  if (n == VECTOR) normal_vector(to, doubt, word, p);
  else normal_pairs(to, doubt, word, n / 2, p, turns, radius);
}

static void quick_lognormal(double *to, double *doubt, const uint32_t *word, int64_t n, const double *p)
{
  quick_normal(to, doubt, word, n, p);
  for (int64_t i = 0; i < n; i++) {
    to[i] = th_exp_f64(to[i]);
    doubt[i] = to[i] * (2 * doubt[i] + 1e-15);
  }
}

static void quick_exponential(double *to, double *doubt, const uint32_t *word, int64_t n, const double *p)
{
  const double scale = -1 / p[0];
  for (int64_t i = 0; i < n; i++) {
    to[i] = scale * log_of(1 - th_unit(word[i]));
    doubt[i] = to[i] * 1e-15;
  }
}

/* The tangent of pi (u - 1/2) is minus the cotangent of pi u. */
static void quick_cauchy(double *to, double *doubt, const uint32_t *word, int64_t n, const double *p)
{
  const double median = p[0], sigma = p[1], width = fabs(sigma) * 2e-15, least = fabs(median) * 1e-15;
  for (int64_t i = 0; i < n; i++) {
    double c, s;
    circle(word[i] * (1 / 2147483648.0), &c, &s);
    const double t = -c / s;
    to[i] = median + sigma * t;
    doubt[i] = (1 + t * t) * width + least;
  }
}

static void quick_geometric(double *to, double *doubt, const uint32_t *word, int64_t n, const double *p)
{
  const double tries = log(p[0]);
  for (int64_t i = 0; i < n; i++) {
    const double t = log_of(1 - th_unit(word[i])) / tries, slack = t * 2e-15, whole = trunc(t - slack);
    to[i] = whole + 1;
    doubt[i] = trunc(t + slack) == whole ? 0 : INFINITY;
  }
}

static const law laws_uniform = { exact_uniform, NULL, 1, false, false },
                 laws_normal = { exact_normal, quick_normal, 1, true, false },
                 laws_lognormal = { exact_lognormal, quick_lognormal, 1, true, false },
                 laws_exponential = { exact_exponential, quick_exponential, 1, false, false },
                 laws_cauchy = { exact_cauchy, quick_cauchy, 1, false, false },
                 laws_geometric = { exact_geometric, quick_geometric, 1, false, true },
                 laws_bernoulli = { exact_bernoulli, NULL, 1, false, false },
                 laws_whole = { exact_whole, NULL, 1, false, false },
                 laws_long_whole = { exact_long_whole, NULL, 2, false, false };

/* ---- filling ---- */

/* A row of numbers to make: `n` of them, `step` elements apart. */
typedef struct row {
  const law *how;
  const double *p;
  th_generator *g;
  char   *to;
  int64_t n, step;
  const uint32_t *word;                     /* drawn already; NULL: Philox words, each block its own */
  uint32_t *ahead;                          /* where the first task draws the next batch, and how many words */
  int64_t drawn;
} row;

TH_INLINE th_status interrupted(void)
{
  return th_interrupted() ? th_fail(TH_EINTR, "interrupted") : TH_OK;
}

/* The first of numbers i, i + 1, ... that float does not settle. */
static int64_t first_doubt(const double *number, const double *doubt, int64_t i, int64_t n)
{
  while (i < n && (float)(number[i] - doubt[i]) == (float)(number[i] + doubt[i])) i++;
  return i;
}

static bool any_doubt(const double *number, const double *doubt, int64_t n)
{
  int different = 0;
  for (int64_t i = 0; i < n; i++) different |= !((float)(number[i] - doubt[i]) == (float)(number[i] + doubt[i]));
  return different;
}

/* `strict`: quick numbers that float does not settle are made again. */
static void make(double *number, const row *r, const uint32_t *word, int64_t n, bool quick, bool strict)
{
  const law *how = r->how;
  double doubt[CHUNK];
  if (!how->quick || !quick) {
    how->exact(number, word, n, r->p);
    return;
  }
  const int64_t whole = (n + VECTOR - 1) & -VECTOR;
  how->quick(number, doubt, word, whole, r->p);
  if (!strict || !any_doubt(number, doubt, n)) return;
  for (int64_t i = first_doubt(number, doubt, 0, n); i < n; i = first_doubt(number, doubt, i + 1, n)) {
    const int64_t at = how->pairs ? i & ~INT64_C(1) : i;
    double again[2];
    how->exact(again, word + at, how->pairs ? 2 : 1, r->p);
    number[i] = again[i - at];
  }
}

/* Elements at, at + step, ... of p, of any float dtype. */
static void chances_at(double *chance, const th_tensor *p, int64_t at, int64_t step, int64_t n)
{
  const void *data = p->storage->data;
  for (int64_t i = 0; i < n; i++, at += step) {
    switch (p->dtype) {
      case TH_F64: chance[i] = ((const double *)data)[at]; break;
      case TH_F32: chance[i] = ((const float *)data)[at]; break;
      default:     chance[i] = th_half_to_double(((const uint16_t *)data)[at], p->dtype);
    }
  }
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
const th_kernel TH_AT(th_dropout)[TH_NDTYPE] = TH_FLOATS(dropout);
const th_kernel TH_AT(th_random)[TH_NDTYPE] = TH_ALL(random);
const th_kernel TH_AT(th_random_to)[TH_NDTYPE] = TH_ALL(random);
const th_kernel TH_AT(th_random_between)[TH_NDTYPE] = TH_ALL(random);

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

/* Numbers first..last of the row. The twister keeps Torch7's numbers to the last bit. */
static void K(block)(void *ctx, int64_t first, int64_t last)
{
  const row *r = ctx;
  const int words = r->how->words;
  const bool strict = r->g->kind != TH_PHILOX, quick = !strict || r->how->whole || DT != TH_F64;
  double number[CHUNK];
  uint32_t own[2 * CHUNK + TH_WORDS_OVER];
  for (int64_t i = first; i < last; i += CHUNK) {
    const int64_t n = last - i < CHUNK ? last - i : CHUNK;
    T *to = (T *)r->to + i * r->step;
    if (!r->word) th_philox_words(r->g, (uint64_t)(i * words), own, n * words);
    make(number, r, r->word ? r->word + i * words : own, n, quick, strict);
    if (r->step == 1) for (int64_t k = 0; k < n; k++) to[k] = K(element)(number[k]);
    else for (int64_t k = 0; k < n; k++) to[k * r->step] = K(element)(number[k]);
  }
}

/* Task 0 draws the next batch, the others make blocks of this one. */
static void K(task)(void *ctx, int64_t first, int64_t last)
{
  row *r = ctx;
  for (int64_t k = first; k < last; k++) {
    const int64_t from = (k - 1) * GRAIN, end = from + GRAIN;
    if (k == 0) th_twister_words(r->g, r->ahead, r->drawn);
    else K(block)(r, from, end < r->n ? end : r->n);
  }
}

/* Twister numbers: `word` has room for two batches. Like all that fill a row, it uses r up. */
static th_status K(fill_from_batches)(row *r, uint32_t *word)
{
  const int words = r->how->words;
  const int64_t total = r->n, most = BATCH / words;
  uint32_t *now = word;
  r->n = total < most ? total : most;
  th_twister_words(r->g, now, r->n * words);
  for (int64_t done = 0; done < total;) {
    const int64_t left = total - done - r->n;
    r->word = now;
    r->ahead = now == word ? word + BATCH + TH_WORDS_OVER : word;
    r->drawn = (left < most ? left : most) * words;
    if (left == 0 && r->n <= GRAIN) K(block)(r, 0, r->n);
    else TH_TRY(th_parallel(1 + (r->n + GRAIN - 1) / GRAIN, 1, K(task), r));
    TH_TRY(interrupted());
    r->to += r->n * r->step * (int64_t)sizeof(T);
    done += r->n;
    r->n = left < most ? left : most;
    now = r->ahead;
  }
  return TH_OK;
}

static th_status K(fill_row)(row *r, uint32_t *word)
{
  if (r->n == 0) return TH_OK;
  if (r->g->kind != TH_PHILOX) {
    if (r->n > CHUNK) return K(fill_from_batches)(r, word);
    th_twister_words(r->g, word, r->n * r->how->words);
    r->word = word;
    K(block)(r, 0, r->n);
    return TH_OK;
  }
  TH_TRY(th_parallel(r->n, GRAIN, K(block), r));
  th_philox_skip(r->g, (uint64_t)(r->n * r->how->words));
  return TH_OK;
}

/* One normal number through the generator, which keeps the other one of the pair or gives it. */
static void K(fill_lone)(T *to, const row *r)
{
  const double z = th_generator_normal(r->g, r->p[0], r->p[1]);
  *to = K(element)(r->how == &laws_lognormal ? exp(z) : z);
}

/* Normal numbers of a row: the half of a pair that waits, whole pairs, and half of a new pair. */
static th_status K(fill_normal_row)(row *r, uint32_t *word)
{
  if (r->n > 0 && r->g->pair.waiting) {
    K(fill_lone)((T *)r->to, r);
    r->to += r->step * (int64_t)sizeof(T);
    r->n--;
  }
  const bool odd = r->n % 2;
  r->n -= odd;
  T *last = (T *)r->to + r->n * r->step;
  TH_TRY(K(fill_row)(r, word));
  if (odd) K(fill_lone)(last, r);
  return TH_OK;
}

static th_status K(fill_tensor)(const th_tensor *x, th_generator *g, const double *p, const law *how)
{
  const int64_t total = th_tensor_numel(x);
  if (total == 0) return TH_OK;
  row r = { .how = how, .p = p, .g = g };
  uint32_t few[2 * CHUNK + TH_WORDS_OVER], *word = few;
  if (total > CHUNK && r.g->kind != TH_PHILOX) word = th_scratch(2 * (BATCH + TH_WORDS_OVER) * sizeof *word);
  if (!word) return th_fail(TH_ENOMEM, "no memory left for %d random words", 2 * BATCH);
  th_lines rows = { x, 0, 1, total, 1 };
  if (!th_tensor_is_contiguous(x)) rows = th_lines_of(x, x->ndim - 1);
  th_status s = TH_OK;
  r.step = rows.step;
  for (int64_t k = 0; k < rows.count && s == TH_OK; k++) {
    r.to = (char *)(rows.count == 1 ? TH_DATA(T, x) : TH_LINE(T, rows, k));
    r.n = rows.n;
    s = how->pairs ? K(fill_normal_row)(&r, word) : K(fill_row)(&r, word);
    if (k % 4096 == 4095 && s == TH_OK) s = interrupted();
  }
  if (word != few) th_scratch_free(word);
  return s;
}

static th_status K(fill)(const th_call *c, const law *how)
{
  const law_args *a = law_args_of(c);
  return K(fill_tensor)(a->x, a->gen, (const double[2]){ a->p, a->q }, how);
}

#if IS_FLOAT
static th_status K(uniform)(const th_call *c) { return K(fill)(c, &laws_uniform); }
static th_status K(normal)(const th_call *c) { return K(fill)(c, &laws_normal); }
static th_status K(lognormal)(const th_call *c) { return K(fill)(c, &laws_lognormal); }
static th_status K(exponential)(const th_call *c) { return K(fill)(c, &laws_exponential); }
static th_status K(cauchy)(const th_call *c) { return K(fill)(c, &laws_cauchy); }

/* A row of y, noise and x; ctx: what noise is divided by. */
static void K(drop)(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  const C by = (C)*(const double *)ctx;
  for (int64_t i = 0; i < n; i++) {
    T *noise = (T *)(void *)(p[1] + i * step[1]);
    *noise = STORE(LOAD(*noise) / by);
    *(T *)(void *)(p[0] + i * step[0]) = STORE(LOAD(*(const T *)(const void *)(p[2] + i * step[2])) * LOAD(*noise));
  }
}
static th_status K(dropout)(const th_call *c)
{
  const dropout_args *a = dropout_args_of(c);
  const double keep[2] = { 1 - a->p, 0 }, by = a->scaled ? keep[0] : 1;
  TH_TRY(K(fill_tensor)(a->noise, a->gen, keep, &laws_bernoulli));
  return th_each(3, (th_tensor *const[]){ a->y, a->noise, a->x }, K(drop), &by);
}
#endif
static th_status K(geometric)(const th_call *c) { return K(fill)(c, &laws_geometric); }
static th_status K(bernoulli)(const th_call *c) { return K(fill)(c, &laws_bernoulli); }
static th_status K(random)(const th_call *c)
{
  return K(fill)(c, law_args_of(c)->q <= 4294967296.0 ? &laws_whole : &laws_long_whole);
}

/* p has the shape of x, its own float dtype and its own strides. */
static th_status K(bernoulli_tensor)(const th_call *c)
{
  const bernoulli_tensor_args *a = bernoulli_tensor_args_of(c);
  const th_tensor *x = a->x, *p = a->p;
  if (th_tensor_numel(x) == 0) return TH_OK;
  const int last = x->ndim ? x->ndim - 1 : 0;
  const th_lines rows = th_lines_of(x, last), chances = th_lines_of(p, last);
  uint32_t word[CHUNK + TH_WORDS_OVER];
  double chance[CHUNK];
  int64_t done = 0;
  for (int64_t k = 0; k < rows.count; k++) {
    T *to = TH_LINE(T, rows, k);
    const int64_t at = p->offset + th_line_offset(&chances, k);
    for (int64_t first = 0; first < rows.n; first += CHUNK) {
      const int64_t n = rows.n - first < CHUNK ? rows.n - first : CHUNK;
      chances_at(chance, p, at + first * chances.step, chances.step, n);
      th_generator_words(a->gen, word, n);
      for (int64_t i = 0; i < n; i++) {
        to[(first + i) * rows.step] = K(element)((chance[i] > 0) & (th_unit(word[i]) <= chance[i]));
      }
      done += n;
      if (done % BATCH < n) TH_TRY(interrupted());
    }
  }
  return TH_OK;
}
#endif
