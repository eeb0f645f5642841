/* tables.h - tables of roots of unity, as they lie in plans. Read once per type of their
 * numbers: P, M(f) f_<type>, DTYPE. */

enum { M(CHUNK) = 64 / (int)sizeof(P) };

/* cos and sin of 2 pi e / n for e from 0 to n - 1, of many only the first part: up to `eighth` of a
 * turn, which is a quarter of it if n is no multiple of 8, or half if n is odd. The others are
 * images. */
enum { M(FEW) = 320 };              /* of fewer on the stack */
typedef struct M(roots) {
  int64_t n, half, quarter, eighth;
  const P *circle;
  P *many, few[2 * M(FEW)];         /* many: memory of what few has no room for, or NULL */
} M(roots);

/* A complex number. */
typedef P M(number) __attribute__((vector_size(2 * sizeof(P)), aligned(sizeof(P)), may_alias));

static int64_t M(first_part)(int64_t n) { return n % 8 == 0 ? n / 8 : n % 2 == 0 ? n / 4 : n / 2; }

/* The images of roots up to e = part: that of M(first_part), or half of a turn. */
static void M(fill_images)(P *to, int64_t n, int64_t part)
{
  for (int64_t e = part + 1; e <= n / 4; e++) {
    to[2 * e] = to[2 * (n / 4 - e) + 1];
    to[2 * e + 1] = to[2 * (n / 4 - e)];
  }
  const M(number) left = { -1, 1 }, below = { 1, -1 };
  M(number) *const root = (M(number) *)(void *)to;
  if (part < n / 2) for (int64_t e = n / 4 + 1; e <= n / 2; e++) root[e] = root[n / 2 - e] * left;
  for (int64_t e = n / 2 + 1; e < n; e++) root[e] = root[n - e] * below;
}
static bool M(fill_circle)(P *to, int64_t n, th_fft_roots *roots)
{
  const int64_t part = M(first_part)(n);
  if (!roots(DTYPE, n, part + 1, to)) return false;
  M(fill_images)(to, n, part);
  return true;
}

/* All roots of n up to CIRCLE, made once: all plans share them, and they stay. NULL: no
 * memory. The caller holds the lock of the plans. */
static const P *M(circle_of)(int64_t n, th_fft_roots *roots)
{
  static P *known[CIRCLE + 1];
  if (known[n]) return known[n];
  P *circle = th_lasting(sizeof(P) * 2 * (size_t)n);
  if (circle && M(fill_circle)(circle, n, roots)) return known[n] = circle;
  th_scratch_free(circle);
  return NULL;
}
static void M(set_roots)(M(roots) *r, int64_t n, bool all)
{
  r->n = n;
  r->half = all ? n : n / 2;
  r->quarter = all || n % 2 ? n : n / 4;
  r->eighth = all || n % 8 ? n : n / 8;
}
/* Memory of count roots, which r->circle points to then; NULL: none. */
static P *M(roots_room)(M(roots) *r, int64_t count)
{
  r->many = count <= M(FEW) ? NULL : th_scratch(sizeof(P) * 2 * (size_t)count);
  P *to = count <= M(FEW) ? r->few : r->many;
  r->circle = to;
  return to;
}

/* Roots 0 to count - 1 at least; false: no memory. */
static bool M(some_roots)(M(roots) *r, int64_t n, int64_t count, th_fft_roots *roots)
{
  r->many = NULL;
  if (n <= CIRCLE) return (r->circle = M(circle_of)(n, roots)) != NULL;
  P *to = M(roots_room)(r, count);
  return to && roots(DTYPE, n, count, to);
}
static bool M(roots_new)(M(roots) *r, int64_t n, th_fft_roots *roots)
{
  const bool all = n < FOLDED;
  M(set_roots)(r, n, all);
  if (!all || n <= CIRCLE) return M(some_roots)(r, n, M(first_part)(n) + 1, roots);
  P *to = M(roots_room)(r, n);
  return to && M(fill_circle)(to, n, roots);
}
static void M(roots_free)(M(roots) *r) { th_scratch_free(r->many); }

static inline void M(root)(const M(roots) *r, int64_t e, P *cosine, P *sine)
{
  const bool below = e > r->half;
  if (below) e = r->n - e;
  const bool left = e > r->quarter;
  if (left) e = r->half - e;
  const bool steep = e > r->eighth;
  if (steep) e = r->quarter - e;
  const P c = r->circle[2 * e + steep], s = r->circle[2 * e + 1 - steep];
  *cosine = left ? -c : c;
  *sine = below ? -s : s;
}

/* Of a pass over transforms of `size` in radix parts: for each place but the first, the powers 1 ... radix - 1. */
static void M(pass_table)(P *to, const M(roots) *r, int64_t size, int radix)
{
  if (size == radix) return;
  const bool all = r->half == r->n;
  const M(number) *const roots = (const M(number) *)(const void *)r->circle;
  for (int64_t p = 1, step = r->n / size; p < size / radix; p++, step += r->n / size) {
    for (int k = 1; k < radix; k++, to += 2) {
      if (all) *(M(number) *)(void *)to = roots[k * step];
      else M(root)(r, k * step, to, to + 1);
    }
  }
}

/* The parts of `count` pairs, of which each is `apart` pairs behind the one before. Four pairs of
 * floats are loaded as doubles, and take two shuffles. */
static inline void M(part_pairs)(const P *from, int64_t apart, int64_t count, P *cosines, P *sines)
{
  int64_t i = 0;
  typedef double pair __attribute__((aligned(4), may_alias));
  typedef double two __attribute__((vector_size(16)));
  typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
  for (; DTYPE == TH_F32 && i + 4 <= count; i += 4, from += 8 * apart) {
    const pair *at[4];
    for (int k = 0; k < 4; k++) at[k] = (const pair *)(const void *)(from + 2 * k * apart);
    const four low = (four)(two){ *at[0], *at[1] }, high = (four)(two){ *at[2], *at[3] };
    *(four *)(void *)(cosines + i) = __builtin_shufflevector(low, high, 0, 2, 4, 6);
    *(four *)(void *)(sines + i) = __builtin_shufflevector(low, high, 1, 3, 5, 7);
  }
  for (; i < count; i++, from += 2 * apart) cosines[i] = from[0], sines[i] = from[1];
}

/* Cosines of a chunk's roots e + i step for i below `most`, and of nothing behind them; then the
 * sines. */
static inline void M(turn_row)(P *to, const M(roots) *r, int64_t e, int64_t step, int64_t most)
{
  if (r->half < r->n) {
    for (int64_t i = 0; i < most; i++, e += step) M(root)(r, e, to + i, to + M(CHUNK) + i);
  } else {                          /* all roots are there */
    M(part_pairs)(r->circle + 2 * e, step, most, to, to + M(CHUNK));
  }
  for (int64_t i = most; i < M(CHUNK); i++) to[i] = 1, to[M(CHUNK) + i] = 0;
}

/* Between columns and rows: w^(l k) for column l of every chunk, row k. */
static void M(turn_table)(P *to, const M(roots) *r, int64_t n, int64_t columns, int64_t rows)
{
  const int64_t step = r->n / n;
  for (int64_t j = 0; j < (columns + M(CHUNK) - 1) / M(CHUNK); j++) {
    const int64_t start = th_fft_chunk_at(j, M(CHUNK), columns),
                  most = columns - start < M(CHUNK) ? columns - start : M(CHUNK);
    for (int64_t k = 0; k < rows; k++, to += 2 * M(CHUNK)) {
      M(turn_row)(to, r, start * k * step, k * step, most);
    }
  }
}

/* Root k of 2 n, 0 <= k < 2 n, from those up to a quarter of a turn. Squares come in an order that
 * no branch predictor knows: this has no branch, nor a comparison to make one of. */
static inline void M(root_of_quarter)(const P *quarter, int64_t n, int64_t k, P *cosine, P *sine)
{
  const int64_t below = (n - k) >> 63;              /* -1 or 0 */
  k += 2 * (n - k) & below;
  const int64_t left = (n / 2 - k) >> 63;
  k += (n - 2 * k) & left;
  *cosine = (P)(1 + 2 * left) * quarter[2 * k];
  *sine = (P)(1 + 2 * below) * quarter[2 * k + 1];
}

/* cos and sin of pi k^2 / n; quarter: the roots of 2 n up to a quarter of a turn. Those of n - k
 * are equal to those of k, or for odd n opposite. */
static void M(chirp_table)(P *cosines, P *sines, const P *quarter, int64_t n)
{
  int64_t square = 0;                               /* of k, modulo 2 n */
  for (int64_t k = 0; k <= n / 2; k++) {
    M(root_of_quarter)(quarter, n, square, cosines + k, sines + k);
    square += 2 * k + 1;
    if (square >= 2 * n) square -= 2 * n;
  }
  const P sign = n % 2 ? -1 : 1;
  for (int64_t k = n / 2 + 1; k < n; k++) {
    cosines[k] = sign * cosines[n - k];
    sines[k] = sign * sines[n - k];
  }
}

/* Root k of n, 0 < k < n, from `half`, which has those up to half a turn. Powers of a generator
 * come in an order that no branch predictor knows: this has no branch, nor a comparison to make one
 * of. */
static inline void M(root_of_half)(const P *half, int64_t n, int64_t k, P *cosine, P *sine)
{
  const int64_t other = n - k, far = (other - k) >> 63;         /* -1 or 0 */
  const P *root = half + 2 * (k + ((other - k) & far));
  *cosine = root[0];
  *sine = (P)(1 + 2 * far) * root[1];
}

/* The waves of a prime up to TH_FFT_SUMMED; NULL: no memory. They are made once: all plans share
 * them, and they stay. The caller holds the lock of the plans. */
static const th_fft_wave *M(wave_of)(int64_t n, th_fft_roots *roots)
{
  static th_fft_wave *known[TH_FFT_SUMMED + 1];
  if (known[n]) return known[n];
  const int64_t count = th_fft_waves(n, M(CHUNK));
  const size_t row = (sizeof(P) * (size_t)count + 63) / 64 * 64;
  const P *circle = M(circle_of)(n, roots);
  const size_t bytes = sizeof(th_fft_wave) + 2 * row + sizeof(int32_t) * (size_t)count;
  char *memory = circle ? th_lasting(bytes) : NULL;
  if (!memory) return NULL;
  char *tables = memory + sizeof(th_fft_wave);
  P *cosines = (P *)(void *)tables, *sines = (P *)(void *)(tables + row);
  int32_t *order = (int32_t *)(void *)(tables + 2 * row);
  fill_order(order, count, generator(n), n);
  for (int64_t e = 0; e < count; e++) {
    cosines[e] = circle[2 * order[e]];
    sines[e] = circle[2 * order[e] + 1];
  }
  known[n] = (th_fft_wave *)(void *)memory;
  *known[n] = (th_fft_wave){ .order = order, .cosines = cosines, .sines = sines };
  return known[n];
}

/* ---- plans ---- */

/* Fills what nodes of this size need; false: no memory. */
static bool M(fill_direct)(th_fft_plan *p, th_fft_node *d, const M(roots) *r)
{
  int64_t size = d->n;
  for (int i = 0; i < d->passes; size /= d->radix[i++]) {
    const int radix = d->radix[i];
    P *to = take(p, sizeof(P) * 2 * (size_t)((size / radix - 1) * (radix - 1) + 1));
    if (!to) return false;
    M(pass_table)(to, r, size, radix);
    d->roots[i] = to;
    if (radix <= 13 || radix == 15 || radix == 16) continue;
    if (!(d->wave[i] = M(wave_of)(radix, p->kernels->roots))) return false;
  }
  return true;
}
static bool M(fill_split)(th_fft_plan *p, th_fft_node *d, const M(roots) *r)
{
  const int64_t columns = d->row->n, rows = d->column->n;
  const int64_t whole = (columns + M(CHUNK) - 1) / M(CHUNK) * M(CHUNK);
  P *to = take(p, sizeof(P) * 2 * (size_t)(whole * rows));
  if (!to) return false;
  M(turn_table)(to, r, d->n, columns, rows);
  d->turns = to;
  return true;
}

/* Of pairs of columns: w^(l k) and w^((l + columns / 2) k), for l in chunks, k to half of the
 * rows. */
static bool M(fill_pairs)(th_fft_plan *p, th_fft_node *d, const M(roots) *r)
{
  const int64_t columns = d->row->n, half = d->column->n / 2 + 1, pairs = columns / 2 + 1;
  const int64_t chunks = (pairs + M(CHUNK) - 1) / M(CHUNK);
  P *to = take(p, sizeof(P) * 4 * M(CHUNK) * (size_t)(chunks * half));
  d->pair_turns = to;
  for (int64_t c = 0; to && c < chunks; c++) {
    const int64_t start = th_fft_chunk_at(c, M(CHUNK), pairs), other = start + columns / 2;
    const int64_t most = pairs - start < M(CHUNK) ? pairs - start : M(CHUNK);
    for (int64_t k = 0; k < half; k++, to += 4 * M(CHUNK)) {
      M(turn_row)(to, r, start * k, k, most);
      M(turn_row)(to + 2 * M(CHUNK), r, other * k, k, most);
    }
  }
  return to != NULL;
}
static bool M(fill)(th_fft_plan *p, th_fft_node *d, const M(roots) *r);

/* Cosines and sines of 2 pi e / n for e below count. */
static bool M(fill_apart)(const th_fft_plan *p, int64_t n, int64_t count, P *cosines, P *sines)
{
  M(roots) r;
  const bool done = M(some_roots)(&r, n, count, p->kernels->roots);
  const P *const pairs = r.circle;
  for (int64_t e = 0; done && e < count; e++) {
    cosines[e] = pairs[2 * e];
    sines[e] = pairs[2 * e + 1];
  }
  M(roots_free)(&r);
  return done;
}

/* The roots that real lines of n numbers are put together with: computed up to an eighth, if n is a
 * multiple of 4. */
static bool M(fill_real)(th_fft_plan *p, int64_t n)
{
  const int64_t most = n / 4, half = n % 4 == 0 ? n / 8 : most;
  const int64_t room = th_fft_root_room(n, M(CHUNK));
  P *cosines = take(p, sizeof(P) * (size_t)(2 * room + M(CHUNK)));
  p->roots = cosines;
  if (!cosines || !M(fill_apart)(p, n, half + 1, cosines, cosines + room)) return false;
  P *sines = cosines + room;
  for (int64_t k = half + 1; k <= most; k++) cosines[k] = sines[most - k],
      sines[k] = cosines[most - k];
  return true;
}

/* The powers of a primitive root of d->n, and for the numbers whose spectrum the kernel becomes, in order of the powers of its
 * inverse: cos and sin, or for real lines cos + sin. */
static bool M(fill_powers)(th_fft_plan *p, th_fft_node *d, P *kernel, bool real)
{
  const int64_t n = d->n, m = n - 1;
  int32_t *order = take(p, sizeof *order * (size_t)(m / 2 + 1));
  M(roots) r;
  const bool done = M(some_roots)(&r, n, m / 2 + 1, p->kernels->roots) && order;
  const P *const half = r.circle;
  if (done) fill_order(order, m / 2 + 1, generator(n), n);
  for (int64_t q = 1; done && q <= m / 2; q++) {    /* powers m / 2 - q and m - q */
    P c, s;
    M(root_of_half)(half, n, order[q], &c, &s);
    P *low = kernel + (real ? 1 : 2) * (m / 2 - q), *high = kernel + (real ? 1 : 2) * (m - q);
    if (real) *low = c - s, *high = c + s;
    else low[0] = high[0] = c, low[1] = s, high[1] = -s;
  }
  M(roots_free)(&r);
  d->order = order;
  return done;
}

/* What a transform needs for which no roots were computed yet. */
static bool M(fill_padded)(th_fft_plan *p, const th_fft_node *d)
{
  M(roots) own;
  const bool done = M(roots_new)(&own, d->n, p->kernels->roots) &&
                    M(fill)(p, (th_fft_node *)(uintptr_t)d, &own);
  M(roots_free)(&own);
  return done;
}

/* What the transform inside of a convolution needs. */
static bool M(fill_convolution)(th_fft_plan *p, const th_fft_node *d)
{
  return shared_place(d->n) >= 0 || M(fill_padded)(p, d);
}

/* What a transform inside a real one of n numbers needs, d, and the roots of that. */
static bool M(fill_both)(th_fft_plan *p, const th_fft_node *d, int64_t n)
{
  const int64_t h = n / 2;
  if (!M(fill_real)(p, n)) return false;
  if (d->n != h || h <= CIRCLE || h >= FOLDED) return M(fill_padded)(p, d);
  const P *cosines = p->roots, *sines = cosines + th_fft_root_room(n, M(CHUNK));
  M(roots) r;
  M(set_roots)(&r, h, true);
  P *circle = M(roots_room)(&r, h);
  for (int64_t e = 0; circle && e <= h / 4; e++) {
    circle[2 * e] = cosines[2 * e];
    circle[2 * e + 1] = sines[2 * e];
  }
  for (int64_t e = h / 4 + 1; circle && e <= h / 2; e++) {
    circle[2 * e] = -cosines[h - 2 * e];
    circle[2 * e + 1] = sines[h - 2 * e];
  }
  if (circle) M(fill_images)(circle, h, h / 2);
  const bool done = circle && M(fill)(p, (th_fft_node *)(uintptr_t)d, &r);
  M(roots_free)(&r);
  return done;
}

static bool M(fill_prime)(th_fft_plan *p, th_fft_node *d)
{
  const int64_t m = d->n - 1;
  const bool real = p->folded && p->n == d->n;
  P *kernel = take(p, sizeof(P) * (size_t)(real ? m + 2 : 2 * m));
  if (!kernel || !M(fill_powers)(p, d, kernel, real)) return false;
  d->kernel = kernel;
  if (!real) return M(fill_convolution)(p, d->padded);
  if (shared_place(d->padded->n) >= 0) return M(fill_real)(p, m);
  return M(fill_both)(p, d->padded, m);
}

/* Memory of a convolution's chirp or weights: n cosines in whole chunks, then the sines. */
static P *M(take_chirp)(th_fft_plan *p, int64_t n)
{
  const int64_t whole = (n + M(CHUNK) - 1) / M(CHUNK) * M(CHUNK);
  P *to = take(p, sizeof(P) * 2 * (size_t)whole);
  for (int64_t k = n; to && k < whole; k++) to[k] = to[whole + k] = 0;
  return to;
}
static P *M(sines_of)(const P *cosines, int64_t n)
{
  return (P *)(uintptr_t)cosines + (n + M(CHUNK) - 1) / M(CHUNK) * M(CHUNK);
}

/* The weights of a convolution of n numbers: cosines of pi k / (2 n), then the sines. NULL: no
 * memory. */
static P *M(weights)(th_fft_plan *p, int64_t n)
{
  P *cosines = M(take_chirp)(p, n);
  if (!cosines) return NULL;
  P *sines = M(sines_of)(cosines, n);
  if (!M(fill_apart)(p, 4 * n, n / 2 + 1, cosines, sines)) return NULL;
  for (int64_t k = n / 2 + 1; k < n; k++) cosines[k] = sines[n - k], sines[k] = cosines[n - k];
  return cosines;
}

/* Numbers from <= k < end of a weighted kernel: powers k of re and of im; NULL: they are 0 there.
 * Each call has a loop without conditions. */
static inline void M(weigh)(P *restrict to, const P *re, const P *im, const P *cosines,
                            const P *sines, int64_t from, int64_t end)
{
  for (int64_t k = from; k < end; k++) {
    const double c = cosines[k], s = sines[k], x = re ? re[k] : 0, y = im ? -im[k] : 0;
    to[2 * k] = (P)(x * c - y * s), to[2 * k + 1] = (P)(x * s + y * c);
  }
}

/* The kernel has numbers from -(m - 1) to m - 1, m <= n. Those below 0 lie at the end of 2 n, with
 * the other sign, as turning by half a circle gives them. Numbers k and k + n are a pair. */
static void M(weighted_kernel)(P *to, const P *powers, const P *cosines, const P *sines, int64_t m,
                               int64_t n)
{
  const P *below = powers + m - n;
  const int64_t least = n - m + 1;              /* place of the first number below 0 */
  if (least < m) {
    M(weigh)(to, powers, NULL, cosines, sines, 0, least);
    M(weigh)(to, powers, below, cosines, sines, least, m);
    M(weigh)(to, NULL, below, cosines, sines, m, n);
  } else {
    M(weigh)(to, powers, NULL, cosines, sines, 0, m);
    M(weigh)(to, NULL, NULL, cosines, sines, m, least);
    M(weigh)(to, NULL, below, cosines, sines, least, n);
  }
}
static bool M(fill_weighted)(th_fft_plan *p, th_fft_node *d)
{
  const int64_t m = d->n - 1, n = d->padded->n;
  P *kernel = take(p, sizeof(P) * 2 * (size_t)th_fft_kernel_room(d->padded, M(CHUNK)));
  P few[M(FEW)], *powers = m <= M(FEW) ? few : th_scratch(sizeof(P) * (size_t)m);
  const P *cosines = shared_place(n) >= 0 ? shared_weights(p, n) : M(weights)(p, n);
  const bool done = kernel && cosines && powers && M(fill_powers)(p, d, powers, true);
  if (done) M(weighted_kernel)(kernel, powers, cosines, M(sines_of)(cosines, n), m, n);
  if (powers != few) th_scratch_free(powers);
  d->kernel = kernel;
  d->chirp = cosines;
  return done && M(fill_convolution)(p, d->padded);
}

static bool M(fill_chirp)(th_fft_plan *p, th_fft_node *d)
{
  P *cosines = M(take_chirp)(p, d->n);
  d->kernel = take(p, sizeof(P) * 2 * (size_t)th_fft_kernel_room(d->padded, M(CHUNK)));
  if (!cosines || !d->kernel) return false;
  M(roots) r;
  const bool done = M(some_roots)(&r, 2 * d->n, d->n / 2 + 1, p->kernels->roots);
  if (done) M(chirp_table)(cosines, M(sines_of)(cosines, d->n), r.circle, d->n);
  M(roots_free)(&r);
  d->chirp = cosines;
  return done && M(fill_convolution)(p, d->padded);
}

/* r: the roots of a DIRECT or SPLIT node, or a multiple of them. */
static bool M(fill)(th_fft_plan *p, th_fft_node *d, const M(roots) *r)
{
  if (d->n <= ONE_PASS_MOST && one_pass[d->n].n) return true;
  if (d->kind == TH_FFT_DIRECT) return M(fill_direct)(p, d, r);
  if (!M(fill)(p, (th_fft_node *)(uintptr_t)d->column, r)) return false;
  if (d->row != d->column && !M(fill)(p, (th_fft_node *)(uintptr_t)d->row, r)) return false;
  const bool odd = d == p->node && p->folded && p->n % 2;
  return odd ? M(fill_pairs)(p, d, r) : M(fill_split)(p, d, r);
}

static bool M(fill_plan)(th_fft_plan *p)
{
  th_fft_node *d = (th_fft_node *)(uintptr_t)p->node;
  bool done = false;
  if (d->kind == TH_FFT_SUM) done = (d->wave[0] = M(wave_of)(d->n, p->kernels->roots)) != NULL;
  else if (d->kind == TH_FFT_PRIME) done = M(fill_prime)(p, d);
  else if (d->kind == TH_FFT_WEIGHTED) done = M(fill_weighted)(p, d);
  else if (d->kind == TH_FFT_CHIRP) done = M(fill_chirp)(p, d);
  else if (p->folded && p->n % 2 == 0) return M(fill_both)(p, d, p->n);
  else if (d->passes == 1) return M(fill)(p, d, NULL);          /* needs no roots */
  else return M(fill_padded)(p, d);
  return done && (!p->folded || p->n % 2 || M(fill_real)(p, p->n));
}
