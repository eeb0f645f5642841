/* plan.c - chooses how a size is transformed, makes plans and keeps the last ones: at most so many,
 * and so many bytes. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "../core/storage.h"
#include "plan.h"

enum { KEPT = 64, KEPT_BYTES = 256 << 20 };
enum {
  PRIME_MOST = 1 << 18,             /* from here on the permutations of Rader's convolution miss the caches */
  REAL_MOST = 1 << 19,              /* of real lines: longer ones round less as chirps, which take twice the time */
  PRIME_COST = 3, CHIRP_COST = 2,   /* of all but the transforms, per number, as cost_of counts */
  MIX_COST = 1                      /* of the ends of real numbers' transforms */
};

/* Plans lie in places from 1 on. A ring leads from place 0 to the oldest one and on to newer ones,
 * and back from 0 to the newest. Places of keys with the same hash are a list, and so are empty
 * ones; 0 ends it. */
enum { BUCKETS = 64 };
static struct {
  pthread_mutex_t lock;
  th_fft_plan *plan[KEPT + 1];
  int64_t key[KEPT + 1];
  uint8_t newer[KEPT + 1], older[KEPT + 1], first[BUCKETS], next[KEPT + 1], empty;
  int     taken;                      /* places that ever had a plan */
  int64_t bytes;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- memory of a plan ---- */

enum {
  LEAST_BLOCK = 4 << 10,              /* bytes of a block of memory */
  /* What a short size needs, in one block. */
  FIRST_BLOCK = 2560, PER_NUMBER = 20, MOST_FIRST = 64 << 10
};

/* Bytes that stay until the plan is destroyed. They come from its last block, or from a new one if
 * they do not fit. */
static void *take(th_fft_plan *p, size_t bytes)
{
  const size_t whole = (bytes + 63) / 64 * 64, room = sizeof(th_fft_block);
  if (bytes > INT64_MAX / 2) return NULL;
  if ((size_t)(p->end - p->next) < whole) {
    const size_t most = whole + room > LEAST_BLOCK ? whole + room : LEAST_BLOCK;
    th_fft_block *block = th_lasting(most);
    if (!block) return NULL;
    block->before = p->last;
    p->last = block;
    p->bytes += (int64_t)most;
    p->next = (char *)block + room;
    p->end = (char *)block + most;
  }
  void *m = p->next;
  p->next += whole;
  return m;
}

/* An empty plan at the front of its first block. Blocks are no larger than needed: those of the
 * plans that are kept share a cache with each other. */
static th_fft_plan *plan_new(int64_t n, int dtype, bool real, const th_fft_kernels *kernels)
{
  int64_t bytes = FIRST_BLOCK + (n < MOST_FIRST ? n : MOST_FIRST) * PER_NUMBER;
  if (bytes > MOST_FIRST) bytes = MOST_FIRST;
  th_fft_block *block = th_lasting((size_t)bytes);
  if (!block) return NULL;
  block->before = NULL;
  char *const at = (char *)block + sizeof *block;
  th_fft_plan *p = (th_fft_plan *)(void *)at;
  *p = (th_fft_plan){ .n = n, .dtype = dtype, .real = real, .kernels = kernels, .last = block,
                      .bytes = bytes, .next = at + (sizeof *p + 63) / 64 * 64,
                      .end = (char *)block + bytes };
  return p;
}
static void destroy(th_fft_plan *p)
{
  /* P itself lies in the first one. */
  for (th_fft_block *block = p->last, *before; block; block = before) {
    before = block->before;
    th_scratch_free(block);
  }
}

/* ---- primes ---- */

/* The next prime factor of *n, which is divided by all of its powers. from: the one before, or 1. */
static int64_t next_factor(int64_t *n, int64_t from)
{
  int64_t p = from + 1 + (from > 2);
  while (p * p <= *n && *n % p) p += 1 + (p > 2);
  if (p * p > *n) p = *n;
  while (*n % p == 0) *n /= p;
  return p;
}
static int64_t largest_prime(int64_t n)
{
  int64_t largest = 1;
  while (n > 1) largest = next_factor(&n, largest);
  return largest;
}

/* Products modulo n < 2^31, without a division. */
typedef struct modulus { uint64_t n, inverse; } modulus;

static modulus modulus_of(int64_t n) { return (modulus){ (uint64_t)n, UINT64_MAX / (uint64_t)n }; }
static inline uint64_t product_modulo(uint64_t a, uint64_t b, modulus m)
{
  const uint64_t p = a * b, quotient = (uint64_t)(((unsigned __int128)p * m.inverse) >> 64),
                 rest = p - quotient * m.n;
  return rest >= m.n ? rest - m.n : rest;
}
static uint64_t power_of(uint64_t g, int64_t e, modulus m)
{
  uint64_t y = 1;
  for (; e; e /= 2, g = product_modulo(g, g, m)) if (e % 2) y = product_modulo(y, g, m);
  return y;
}

/* The least primitive root of a prime n below 2^31. */
static int64_t searched_generator(int64_t n)
{
  const modulus m = modulus_of(n);
  int64_t factor[16];
  int count = 0;
  for (int64_t rest = n - 1, p = 1; rest > 1;) factor[count++] = p = next_factor(&rest, p);
  for (int64_t g = 2;; g++) {
    int i = 0;
    while (i < count && power_of((uint64_t)g, (n - 1) / factor[i], m) != 1) i++;
    if (i == count) return g;
  }
}

/* The same, searched once for each small prime. The caller holds the lock of the plans. */
static int64_t generator(int64_t n)
{
  enum { MOST = 1024 };               /* their roots are 21 at most */
  static uint8_t known[MOST];
  if (n >= MOST) return searched_generator(n);
  if (known[n] == 0) known[n] = (uint8_t)searched_generator(n);
  return known[n];
}

/* The powers 0 to count - 1 of g modulo n; four of them at once, none of which waits for the one
 * before. */
static void fill_order(int32_t *order, int64_t count, int64_t g, int64_t n)
{
  const modulus m = modulus_of(n);
  const uint64_t step = power_of((uint64_t)g, 4, m);
  uint64_t power[4] = { 1, (uint64_t)g, power_of((uint64_t)g, 2, m), power_of((uint64_t)g, 3, m) };
  for (int64_t q = 0; q < count; q += 4) {
    for (int64_t i = 0; i < 4; i++) {
      if (q + i < count) order[q + i] = (int32_t)power[i];
      power[i] = product_modulo(power[i], step, m);
    }
  }
}

/* ---- tables ---- */

/* Odd factors of the sizes that convolutions are made longer to. */
enum { ODDS = 8 };
static const int8_t odds[ODDS] = { 1, 3, 5, 9, 15, 25, 27, 45 };

/* The place of a short one of these sizes in a list of them, or -1. All plans of a type share what
 * it needs, 10 MB at most for all of them. */
enum { SHARED = 16384, SHARED_PLACES = ODDS * 16 };
static int shared_place(int64_t n)
{
  int twos = 0;
  if (n > SHARED) return -1;
  for (; n % 2 == 0; n /= 2) twos++;
  for (int i = 0; i < ODDS; i++) if (odds[i] == n) return i * 16 + twos;
  return -1;
}
static const void *shared_weights(const th_fft_plan *of, int64_t n);

/* Nodes of one pass, which all plans share: they need no roots. */
#define ONE_PASS(size) [size] = { .n = size, .kind = TH_FFT_DIRECT, .passes = 1, .radix = { size } }
static const th_fft_node one_pass[] = {
  ONE_PASS(2), ONE_PASS(3), ONE_PASS(4), ONE_PASS(5), ONE_PASS(6), ONE_PASS(7), ONE_PASS(8),
  ONE_PASS(9), ONE_PASS(10), ONE_PASS(11), ONE_PASS(12), ONE_PASS(13), ONE_PASS(15), ONE_PASS(16)
};
enum { ONE_PASS_MOST = (int)(sizeof one_pass / sizeof *one_pass) - 1 };

/* Sizes whose roots stay: to compute them takes as long as a transform. They take 0.8 MB at
 * most. */
enum { CIRCLE = 256 };

/* From so many roots on, to look one up among those of an eighth of a turn takes less time than to
 * read it from memory. */
enum { FOLDED = 1 << 18 };

#define P float
#define M(f) f##_f32
#define DTYPE TH_F32
#include "tables.h"
#undef P
#undef M
#undef DTYPE
#define P double
#define M(f) f##_f64
#define DTYPE TH_F64
#include "tables.h"
#undef P
#undef M
#undef DTYPE

/* ---- choosing ---- */

/* The radices of the passes over n numbers, few and the large ones last; returns how many. n has no large prime factor. */
static int radices(int64_t n, int *radix)
{
  int count = 0, twos = 0, threes = 0, fives = 0;
  while (n % 2 == 0) n /= 2, twos++;
  while (n % 3 == 0) n /= 3, threes++;
  while (n % 5 == 0) n /= 5, fives++;
  /* Powers of 8 and 16 leave the threes to nines and fifteens. */
  const bool whole = twos % 3 == 0 || (twos % 3 == 1 && twos >= 4), pairs = threes > 1 || (threes > 0 && fives > 0);
  int sixes = whole && pairs ? 0 : twos < threes ? twos : threes;
  twos -= sixes;
  threes -= sixes;
  const int odd = twos % 3;           /* twos that no eight takes */
  const int tens = sixes == 0 && odd > 0 && fives >= odd && (twos < 3 || odd == 2) ? odd : 0;
  const int twelves = twos == 1 && sixes > 0;
  twos -= tens;
  fives -= tens;
  if (twelves) twos--, sixes--;
  int fifteens = threes < fives ? threes : fives;
  threes -= fifteens;
  fives -= fifteens;
  const int nines = threes / 2;
  threes -= 2 * nines;
  const int sixteens = twos % 3 == 1 && twos >= 4;
  if (sixteens) twos -= 4;
  else if (twos % 3 == 1) radix[count++] = 2, twos--;
  if (twos % 3 == 2) radix[count++] = 4, twos -= 2;
  for (; threes; threes--) radix[count++] = 3;
  for (; fives; fives--) radix[count++] = 5;
  for (; sixes; sixes--) radix[count++] = 6;
  for (int r = 7; n > 1; r += 2) while (n % r == 0) radix[count++] = r, n /= r;
  for (; twos; twos -= 3) radix[count++] = 8;
  for (int i = 0; i < nines; i++) radix[count++] = 9;
  for (int i = 0; i < tens; i++) radix[count++] = 10;
  if (twelves) radix[count++] = 12;
  for (; fifteens; fifteens--) radix[count++] = 15;
  if (sixteens) radix[count++] = 16;
  return count;
}

/* What passes cost, per number, in about the time of one that only moves it: measured in transforms across lanes. SPLIT_COST: the
 * turns of a transform that is itself a matrix; LINE_COST: what one of a vector of lines takes to begin. */
static double cost_of_passes(int64_t n)
{
  static const float of[] = { [2] = 1.3F, [3] = 1.6F, [4] = 1.55F, [5] = 1.6F, [6] = 1.65F, [7] = 2.1F,
                              [8] = 2, [9] = 2, [10] = 1.9F, [11] = 3.8F, [12] = 2.4F, [13] = 5, [15] = 2.75F, [16] = 2.9F };
  int radix[TH_FFT_PASSES * 2];
  const int count = radices(n, radix);
  double sum = 0;
  for (int i = 0; i < count; i++) sum += radix[i] <= 16 && of[radix[i]] > 0 ? of[radix[i]] : 2 + (float)radix[i] / 6;
  return sum;
}
#define SPLIT_COST 0.7
/* What a transform of n costs at least, per number and doubling of n. */
#define LEAST_COST 0.7
#define LINE_COST 8
/* What lines cost that may go side by side. */
#define BESIDE_COST 0.75
/* What a matrix with columns or rows of less than a chunk costs more: its lines are copied, and narrow results written twice. */
#define NARROW_COLUMNS 1.25
#define NARROW_ROWS 1.75
/* What a doubling of a transform's size costs, per number, where its vectors and those of its results outgrow the first cache. */
#define FAR_COST 0.37

/* What a node transforms: a line, the numbers of a convolution, columns or rows of a matrix. */
enum { LINE, CONVOLUTION, INSIDE };

/* Fewer numbers are no matrix. A line of them takes less time in one lane, in passes one after the
 * other. Columns and rows are transformed across lanes, and passes are quicker as long as the
 * vectors stay in the first caches. */
static int64_t least_split(int64_t chunk, int what)
{
  return what == INSIDE ? 512 : chunk == 8 ? 32 : 48;
}

/* Whether r divides n: in 32 bits that takes a fifth of the time. */
static bool divides(int64_t r, int64_t n) { return n < INT32_MAX ? (int32_t)n % (int32_t)r == 0 : n % r == 0; }

/* A transform of n across lanes, per number: the best of the matrices that it may become. */
static double searched_cost(int64_t n, int64_t chunk)
{
  double best = cost_of_passes(n);
  bool split = false;
  if (n < least_split(chunk, INSIDE)) return best;
  for (int64_t r = chunk / 4; r * r <= n; r++) {
    if (!divides(r, n)) continue;
    const double c = SPLIT_COST + cost_of_passes(r) + cost_of_passes(n / r);
    if (split && c >= best) continue;
    best = c;
    split = true;
  }
  const int64_t near = 8 * chunk;
  return n > near ? best + FAR_COST * log2((double)n / (double)near) : best;
}

/* The same, searched once for each of the sizes that most plans are made of. The caller holds the lock of the plans. */
static double cost_of(int64_t n, int64_t chunk)
{
  enum { MOST = 1024 };
  static float known[2][MOST + 1];
  if (n > MOST) return searched_cost(n, chunk);
  float *cost = &known[chunk == 8][n];
  if (*cost == 0) *cost = (float)searched_cost(n, chunk) + FLT_MIN;
  return *cost;
}

/* n in whole chunks of 8 or 16. */
static int64_t whole(int64_t n, int64_t chunk) { return (n + chunk - 1) & -chunk; }

/* The best number of columns of n, 0 for none: both sides are at least a quarter of a chunk. *cost: of the whole. */
static int64_t best_columns(int64_t n, int64_t chunk, double *cost)
{
  int64_t best = 0;
  for (int64_t r = chunk / 4; r * r <= n; r++) {
    if (!divides(r, n)) continue;
    const int64_t other = n / r;
    const double a = cost_of(r, chunk), b = cost_of(other, chunk);
    for (int turn = 0; turn < 2; turn++) {
      const int64_t columns = turn ? r : other, rows = turn ? other : r;
      double c = (double)whole(columns, chunk) * ((double)rows * (turn ? b : a) + LINE_COST) +
                 (double)whole(rows, chunk) * ((double)columns * (turn ? a : b) + LINE_COST);
      if (columns < chunk) c *= NARROW_COLUMNS;
      if (rows < chunk) c *= NARROW_ROWS;
      if (best && c >= *cost) continue;
      best = columns;
      *cost = c;
    }
  }
  return best;
}

/* The same, searched once for each of the sizes that most plans are made of. */
static int64_t columns_of(int64_t n, int64_t chunk)
{
  enum { MOST = 1024 };
  static int16_t known[2][MOST + 1];
  double cost;
  if (n > MOST) return best_columns(n, chunk, &cost);
  int16_t *columns = &known[chunk == 8][n];
  if (*columns == 0) *columns = (int16_t)(1 + best_columns(n, chunk, &cost));
  return *columns - 1;
}

static const th_fft_node *node_of(th_fft_plan *p, int64_t n, int what);
static const th_fft_node *shared_node(const th_fft_plan *of, int64_t n);

static th_fft_node *split(th_fft_plan *p, th_fft_node *d, int64_t columns)
{
  d->kind = TH_FFT_SPLIT;
  d->row = node_of(p, columns, INSIDE);
  d->column = d->n / columns == columns ? d->row : node_of(p, d->n / columns, INSIDE);
  return d->row && d->column ? d : NULL;
}

/* The cost of a line by itself. */
static double searched_line_cost(int64_t n, int64_t chunk)
{
  double cost = (double)n * cost_of_passes(n) * (double)chunk;
  if (n >= 4 * chunk) best_columns(n, chunk, &cost);
  return cost;
}

/* The same, searched once for each of the sizes that most plans are made of. */
static double line_cost(int64_t n, int64_t chunk)
{
  enum { MOST = 4096 };
  static double known[2][MOST + 1];
  if (n > MOST) return searched_line_cost(n, chunk);
  double *cost = &known[chunk == 8][n];
  if (*cost == 0) *cost = searched_line_cost(n, chunk);
  return *cost;
}

/* The same of odds[i] << twos, searched once for each of the sizes that convolutions are made
 * longer to. */
static double padded_cost(int i, int twos, int64_t chunk)
{
  enum { MOST = 42 };
  static double known[2][ODDS][MOST + 1];
  const int64_t n = (int64_t)odds[i] << twos;
  if (twos > MOST) return searched_line_cost(n, chunk);
  double *cost = &known[chunk == 8][i][twos];
  if (*cost == 0) *cost = searched_line_cost(n, chunk);
  return *cost;
}

/* The cheapest size without large factors of a convolution of at least so many numbers. */
static int64_t padded_size(int64_t least, int64_t chunk, double *least_cost)
{
  int64_t best = 0;
  double best_cost = 0;
  for (int i = 0; i < ODDS; i++) {
    int64_t size = odds[i];
    int twos = 0;
    for (; size < least; size *= 2) twos++;
    if (best && size >= best + best / 8) continue;              /* no kernels are that much faster */
    const double cost = padded_cost(i, twos, chunk);
    if (best && cost >= best_cost) continue;
    best = size;
    best_cost = cost;
  }
  *least_cost = best_cost;
  return best;
}

/* How a size with large factors is transformed, and the size of the convolution that it becomes. */
static int64_t convolution_of(const th_fft_plan *p, th_fft_node *d, int64_t prime)
{
  const int64_t n = d->n, chunk = th_fft_chunk(p->dtype);
  const bool real = p->real && p->n == n && prime == n;
  double cost;
  if (real && n < REAL_MOST) {
    int64_t longer = 0;
    if (largest_prime(n - 1) <= TH_FFT_SUMMED) {
      const double shorter = BESIDE_COST * (MIX_COST * (double)n + line_cost((n - 1) / 2, chunk));
      d->kind = TH_FFT_PRIME;
      /* No longer one costs less than the first bound, which takes no search. */
      if (shorter <= LEAST_COST * (double)n * log2((double)n)) return (n - 1) / 2;
      longer = padded_size(n - 1, chunk, &cost);
      if (shorter <= cost) return (n - 1) / 2;
    } else {
      longer = padded_size(n - 1, chunk, &cost);
    }
    d->kind = TH_FFT_WEIGHTED;
    return longer;
  }
  if (!real && prime == n && n < PRIME_MOST && largest_prime(n - 1) <= TH_FFT_SUMMED) {
    const double most = PRIME_COST * (double)n + line_cost(n - 1, chunk);
    d->kind = TH_FFT_PRIME;
    /* No chirp costs less than the first bound, which takes no search. */
    if (most < 2 * (double)n * (LEAST_COST * log2((double)n) + CHIRP_COST)) return n - 1;
    const int64_t longer = padded_size(2 * n - 1, chunk, &cost);
    if (most < cost + CHIRP_COST * (double)longer) return n - 1;
  }
  d->kind = TH_FFT_CHIRP;
  return padded_size(2 * n - 1, chunk, &cost);
}

static const th_fft_node *node_of(th_fft_plan *p, int64_t n, int what)
{
  if (n <= ONE_PASS_MOST && one_pass[n].n) return &one_pass[n];
  th_fft_node *d = take(p, sizeof *d);
  if (!d) return NULL;
  memset(d, 0, sizeof *d);
  d->n = n;
  const int64_t chunk = th_fft_chunk(p->dtype), prime = what == LINE ? largest_prime(n) : 1;
  if (what == LINE && n > 13 && n <= TH_FFT_SUMMED && prime == n) {
    d->kind = TH_FFT_SUM;
    return d;
  }
  const bool splits = prime <= TH_FFT_LARGEST && n >= least_split(chunk, what);
  const int64_t columns = splits ? columns_of(n, chunk) : 0;
  if (columns) return split(p, d, columns);
  if (prime <= TH_FFT_LARGEST && (n < 512 || prime <= 13)) {
    d->kind = TH_FFT_DIRECT;
    d->passes = radices(n, d->radix);
    return d;
  }
  const int64_t longer = convolution_of(p, d, prime);
  const bool is_shared = shared_place(longer) >= 0;
  d->padded = is_shared ? shared_node(p, longer) : node_of(p, longer, CONVOLUTION);
  return d->padded ? d : NULL;
}

/* What convolutions of these sizes need. It is made once and stays. The caller holds the lock of
 * the plans. */
typedef struct shared { th_fft_plan *memory; const th_fft_node *node; const void *weights; } shared;

/* The entry of a size that has a place; NULL: no memory. */
static shared *shared_of(const th_fft_plan *of, int64_t n)
{
  static shared known[2][SHARED_PLACES];
  shared *s = &known[of->dtype == TH_F64][shared_place(n)];
  if (!s->memory) s->memory = plan_new(n, of->dtype, false, of->kernels);
  return s->memory ? s : NULL;
}
/* Frees the memory of an entry that nothing came of. */
static void drop_empty(shared *s)
{
  if (s->node || s->weights) return;
  destroy(s->memory);
  s->memory = NULL;
}
static const th_fft_node *shared_node(const th_fft_plan *of, int64_t n)
{
  shared *s = shared_of(of, n);
  if (!s || s->node) return s ? s->node : NULL;
  th_fft_plan *p = s->memory;
  th_fft_node *d = (th_fft_node *)(uintptr_t)node_of(p, n, CONVOLUTION);
  if (d && (p->dtype == TH_F64 ? fill_padded_f64(p, d) : fill_padded_f32(p, d))) s->node = d;
  drop_empty(s);
  return s->node;
}
static const void *shared_weights(const th_fft_plan *of, int64_t n)
{
  shared *s = shared_of(of, n);
  if (!s || s->weights) return s ? s->weights : NULL;
  th_fft_plan *p = s->memory;
  s->weights = p->dtype == TH_F64 ? (const void *)weights_f64(p, n) : weights_f32(p, n);
  drop_empty(s);
  return s->weights;
}

th_status th_fft_circle(int dtype, int64_t n, void *to, th_fft_roots *roots)
{
  if (dtype == TH_F64 ? fill_circle_f64(to, n, roots) : fill_circle_f32(to, n, roots)) return TH_OK;
  return th_fail(TH_ENOMEM, "no memory to compute %lld roots of unity", (long long)n);
}

static th_fft_plan *make(int64_t n, int dtype, bool real, const th_fft_kernels *kernels)
{
  th_fft_plan *p = plan_new(n, dtype, real, kernels);
  if (!p) return NULL;
  p->node = node_of(p, real && n % 2 == 0 ? n / 2 : n, LINE);
  if (p->node) {
    const int kind = p->node->kind;
    p->folded = real && (n % 2 == 0 || (kind != TH_FFT_DIRECT && kind != TH_FFT_CHIRP));
  }
  if (p->node && (dtype == TH_F64 ? fill_plan_f64(p) : fill_plan_f32(p))) return p;
  destroy(p);
  return NULL;
}

/* ---- keeping ---- */

static int64_t key_of(int64_t n, int dtype, bool real) { return n * 4 + (dtype == TH_F64) * 2 + real; }

static uint8_t *bucket_of(int64_t key)
{
  return &cache.first[(uint64_t)key * 0x9E3779B97F4A7C15 >> 58];
}

/* The place of a plan, 0 for none. */
static int find(int64_t key)
{
  int i = cache.older[0];
  if (cache.key[i] == key) return i;
  for (i = *bucket_of(key); i && cache.key[i] != key;) i = cache.next[i];
  return i;
}

static void unlink_place(int i)
{
  cache.newer[cache.older[i]] = cache.newer[i];
  cache.older[cache.newer[i]] = cache.older[i];
}
static void link_newest(int i)
{
  const uint8_t newest = cache.older[0];
  cache.newer[i] = 0;
  cache.older[i] = newest;
  cache.newer[newest] = cache.older[0] = (uint8_t)i;
}

/* Takes plan i out; its last user destroys it. */
static void drop(int i)
{
  th_fft_plan *p = cache.plan[i];
  uint8_t *at = bucket_of(cache.key[i]);
  while (*at != i) at = &cache.next[*at];
  *at = cache.next[i];
  unlink_place(i);
  cache.plan[i] = NULL;
  cache.key[i] = 0;
  cache.next[i] = cache.empty;
  cache.empty = (uint8_t)i;
  cache.bytes -= p->bytes;
  p->kept = false;
  if (p->users == 0) destroy(p);
}

/* Puts p into the cache, in the place of those that were not used for longest. */
static void keep(th_fft_plan *p, int64_t key)
{
  if (p->bytes > KEPT_BYTES) return;
  while (cache.bytes + p->bytes > KEPT_BYTES || (!cache.empty && cache.taken == KEPT)) {
    drop(cache.newer[0]);
  }
  int i = cache.empty;
  if (i) cache.empty = cache.next[i];
  else i = ++cache.taken;
  uint8_t *first = bucket_of(key);
  cache.next[i] = *first;
  *first = (uint8_t)i;
  cache.plan[i] = p;
  cache.key[i] = key;
  cache.bytes += p->bytes;
  link_newest(i);
  p->kept = true;
}

th_status th_fft_plan_get(th_fft_plan **to, int64_t n, int dtype, bool real,
                           const th_fft_kernels *kernels)
{
  th_status s = TH_OK;
  const int64_t key = key_of(n, dtype, real);
  pthread_mutex_lock(&cache.lock);
  const int i = find(key);
  th_fft_plan *p = cache.plan[i];
  if (i && i != cache.older[0]) {
    unlink_place(i);
    link_newest(i);
  } else if (!i && n < (int64_t)1 << 40) {
    p = make(n, dtype, real, kernels);
    if (p && (s = kernels->finish(p)) != TH_OK) destroy(p), p = NULL;
    if (p) keep(p, key);
  }
  if (p) p->users++;
  pthread_mutex_unlock(&cache.lock);
  *to = p;
  if (p || s != TH_OK) return s;
  return th_fail(TH_ENOMEM, "no memory to prepare a transform of %lld numbers", (long long)n);
}

void th_fft_plan_put(th_fft_plan *p)
{
  if (!p) return;
  pthread_mutex_lock(&cache.lock);
  if (--p->users == 0 && !p->kept) destroy(p);
  pthread_mutex_unlock(&cache.lock);
}
