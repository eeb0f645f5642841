/* tables.h - tables of roots of unity. Read once per type of their numbers: P, M(f) f_<type>; W computes them, with more digits,
 * SINCOS and EPSILON are of W. Roots are right to the last bit. */

/* cos and sin of 2 pi e / n for e from 0 to n - 1. */
typedef struct M(roots) { int64_t n; P *circle; } M(roots);

/* The roots of the first `count` places. They are products of those in two short tables, of angles up to an eighth of a turn, in
 * steps of 1 / (8 n / 2^unit). One in hundreds is too near to the middle of two numbers to be rounded, and computed anew. */
static bool M(fill_roots)(P *to, int64_t n, int64_t count)
{
  const int unit = n % 8 == 0 ? 3 : n % 4 == 0 ? 2 : n % 2 == 0 ? 1 : 0;
  const int64_t most = n >> unit;
  int shift = 0;
  while ((int64_t)1 << (2 * shift) < most) shift++;
  const int64_t fine = (int64_t)1 << shift, coarse = (most >> shift) + 1;
  W *table = th_scratch(sizeof(W) * 2 * (size_t)(coarse + fine)), *low = table + 2 * coarse;
  if (!table) return false;
  const W step = (W)TURN / (W)(8 * most);
  for (int64_t i = 0; i < coarse; i++) SINCOS((W)(i << shift) * step, &table[2 * i + 1], &table[2 * i]);
  for (int64_t i = 0; i < fine; i++) SINCOS((W)i * step, &low[2 * i + 1], &low[2 * i]);
  for (int64_t e = 0; e < count; e++, to += 2) {
    const eighth f = unit == 3 && e <= most ? (eighth){ .u = 8 * e } : eighth_of(e, n);
    const int64_t u = f.u >> unit;
    const W *a = table + 2 * (u >> shift), *b = low + 2 * (u & (fine - 1));
    const W x = a[0] * b[0] - a[1] * b[1], y = a[1] * b[0] + a[0] * b[1], dx = x * EPSILON, dy = y * EPSILON;
    P c = (P)(x + dx), s = (P)(y + dy);
    if (c != (P)(x - dx)) c = (P)exact_root(f.u, n, false);
    if (s != (P)(y - dy)) s = (P)exact_root(f.u, n, true);
    const P cosine = f.steep ? s : c, sine = f.steep ? c : s;
    to[0] = f.left ? -cosine : cosine;
    to[1] = f.below ? -sine : sine;
  }
  th_scratch_free(table);
  return true;
}

/* All roots: computed up to an eighth, a quarter or half of a turn, which n is a multiple of; the others are their images. */
static bool M(fill_circle)(P *to, int64_t n)
{
  if (!M(fill_roots)(to, n, (n % 8 == 0 ? n / 8 : n % 4 == 0 ? n / 4 : n / 2) + 1)) return false;
  if (n % 8 == 0) {
    for (int64_t e = n / 8 + 1; e <= n / 4; e++) to[2 * e] = to[2 * (n / 4 - e) + 1], to[2 * e + 1] = to[2 * (n / 4 - e)];
  }
  if (n % 4 == 0) {
    for (int64_t e = n / 4 + 1; e <= n / 2; e++) to[2 * e] = -to[2 * (n / 2 - e)], to[2 * e + 1] = to[2 * (n / 2 - e) + 1];
  }
  for (int64_t e = n / 2 + 1; e < n; e++) to[2 * e] = to[2 * (n - e)], to[2 * e + 1] = -to[2 * (n - e) + 1];
  return true;
}
static bool M(roots_new)(M(roots) *r, int64_t n)
{
  P *to = th_scratch(sizeof(P) * 2 * (size_t)(n + 1));
  *r = (M(roots)){ n, to };
  if (to && M(fill_circle)(to, n)) return true;
  th_scratch_free(to);
  return false;
}
static void M(roots_free)(M(roots) *r) { th_scratch_free(r->circle); }

static inline void M(root)(const M(roots) *r, int64_t e, P *to) { to[0] = r->circle[2 * e], to[1] = r->circle[2 * e + 1]; }

/* Of a pass over transforms of `size` in radix parts: for each place but the first, the powers 1 ... radix - 1. */
static void M(pass_table)(P *to, const M(roots) *r, int64_t size, int radix)
{
  const int64_t step = r->n / size;
  for (int64_t p = 1; p < size / radix; p++) {
    for (int k = 1; k < radix; k++, to += 2) M(root)(r, p * k * step, to);
  }
}

/* All of a circle of n, `step` apart. */
static void M(circle_table)(P *to, const M(roots) *r, int64_t n, int64_t count)
{
  for (int64_t k = 0; k < count; k++) M(root)(r, k * (r->n / n), to + 2 * k);
}

/* Between columns and rows: w^(l k) for column l of every chunk, row k. */
static void M(turn_table)(P *to, const M(roots) *r, int64_t n, int64_t columns, int64_t rows)
{
  enum { CHUNK = 64 / sizeof(P) };
  const int64_t step = r->n / n;
  for (int64_t j = 0; j < (columns + CHUNK - 1) / CHUNK; j++) {
    const int64_t start = th_fft_chunk_at(j, CHUNK, columns), most = columns - start < CHUNK ? columns - start : CHUNK;
    for (int64_t k = 0; k < rows; k++, to += 2 * CHUNK) {
      const P *from = r->circle + 2 * start * k * step;
      for (int64_t i = 0; i < most; i++, from += 2 * k * step) to[i] = from[0], to[CHUNK + i] = from[1];
      for (int64_t i = most; i < CHUNK; i++) to[i] = 1, to[CHUNK + i] = 0;
    }
  }
}

/* cos and sin of pi k^2 / n; r: of 2 n. */
static void M(chirp_table)(P *to, const M(roots) *r, int64_t n)
{
  int64_t square = 0;                               /* of k, modulo 2 n */
  for (int64_t k = 0; k < n; k++) {
    M(root)(r, square, to + 2 * k);
    square += 2 * k + 1;
    while (square >= 2 * n) square -= 2 * n;
  }
}

/* The waves of n: see plan.h. NULL: no memory. */
static P *M(wave_table)(th_fft_plan *p, const M(roots) *r, int64_t n)
{
  const int64_t half = n / 2, row = th_fft_waves(n, 64 / (int64_t)sizeof(P)), all = half * row;
  P unit[2 * TH_FFT_SUMMED], *const waves = take(p, sizeof(P) * 2 * (size_t)all);
  if (!waves) return NULL;
  M(circle_table)(unit, r, n, n);
  P *to = waves;
  int32_t place[TH_FFT_SUMMED / 2 + 1] = { 0 };     /* j k modulo n: from the row before, so that no number waits for another */
  for (int64_t k = 1; k <= half; k++, to += row) {
    for (int32_t j = 0; j <= half; j++) {
      const int32_t e = place[j] + j, rest = e - (int32_t)n;
      place[j] = rest < 0 ? e : rest;
      to[j] = unit[2 * place[j]], to[all + j] = unit[2 * place[j] + 1];
    }
    for (int64_t j = half + 1; j < row; j++) to[j] = to[all + j] = 0;
  }
  return waves;
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
    d->wave[i] = M(wave_table)(p, r, radix);
    if (!d->wave[i]) return false;
  }
  return true;
}
static bool M(fill_split)(th_fft_plan *p, th_fft_node *d, const M(roots) *r)
{
  const int64_t columns = d->row->n, rows = d->column->n, chunk = 64 / (int64_t)sizeof(P);
  P *to = take(p, sizeof(P) * 2 * (size_t)((columns + chunk - 1) / chunk * chunk * rows));
  if (!to) return false;
  M(turn_table)(to, r, d->n, columns, rows);
  d->turns = to;
  return true;
}
static bool M(fill)(th_fft_plan *p, th_fft_node *d, const M(roots) *r);

/* The roots that real lines of n numbers are put together with. */
static bool M(fill_real)(th_fft_plan *p, int64_t n, const M(roots) *r)
{
  P *to = take(p, sizeof(P) * 2 * (size_t)(n / 4 + 1));
  const int64_t half = n % 4 == 0 ? n / 8 : n / 4;
  if (to) M(circle_table)(to, r, n, half + 1);
  for (int64_t k = half + 1; to && k <= n / 4; k++) to[2 * k] = to[2 * (n / 4 - k) + 1], to[2 * k + 1] = to[2 * (n / 4 - k)];
  p->roots = to;
  return to != NULL;
}

/* The powers of a primitive root of d->n, and for the numbers whose spectrum the kernel becomes, in order of the powers of its
 * inverse: cos and sin, or for real lines cos + sin. */
static bool M(fill_powers)(th_fft_plan *p, th_fft_node *d, const M(roots) *r, P *kernel, bool real)
{
  const int64_t n = d->n, m = n - 1;
  const uint32_t g = (uint32_t)generator(n);        /* small, as n is: products fit */
  int32_t *order = take(p, sizeof *order * (size_t)(m / 2 + 1));
  if (!order) return false;
  uint32_t power = 1;
  for (int64_t q = 0; q <= m / 2; q++, power = power * g % (uint32_t)n) order[q] = (int32_t)power;
  for (int64_t q = 1; q <= m / 2; q++) {            /* powers m / 2 - q and m - q */
    P w[2], *low = kernel + (real ? 1 : 2) * (m / 2 - q), *high = kernel + (real ? 1 : 2) * (m - q);
    M(root)(r, order[q] * (r->n / n), w);
    if (real) *low = w[0] - w[1], *high = w[0] + w[1];
    else low[0] = high[0] = w[0], low[1] = w[1], high[1] = -w[1];
  }
  d->order = order;
  return true;
}

static bool M(fill_prime)(th_fft_plan *p, th_fft_node *d, const M(roots) *r)
{
  const int64_t m = d->n - 1;
  const bool real = p->folded && p->n == d->n;
  P *kernel = take(p, sizeof(P) * (size_t)(real ? m + 2 : 2 * m));
  if (!kernel || !M(fill_powers)(p, d, r, kernel, real)) return false;
  d->kernel = kernel;
  M(roots) own;
  if (!M(roots_new)(&own, m)) return false;
  const bool done = M(fill)(p, (th_fft_node *)(uintptr_t)d->padded, &own) && (!real || M(fill_real)(p, m, &own));
  M(roots_free)(&own);
  return done;
}

/* The kernel has numbers from -(m - 1) to m - 1. Those below 0 lie at the end of 2 n, with the other sign, as turning by half a
 * circle gives them. Numbers k and k + n are a pair. */
static void M(weighted_kernel)(P *to, const P *powers, const P *weights, int64_t m, int64_t n)
{
  for (int64_t k = 0; k < n; k++) {
    const W re = k < m ? powers[k] : 0, im = n - k < m ? -powers[m - n + k] : 0, c = weights[2 * k], s = weights[2 * k + 1];
    to[2 * k] = (P)(re * c - im * s), to[2 * k + 1] = (P)(re * s + im * c);
  }
}
/* cos and sin of 2 pi k / (4 n) for k below n. */
static bool M(fill_weights)(P *to, int64_t n)
{
  if (!M(fill_roots)(to, 4 * n, n / 2 + 1)) return false;
  for (int64_t k = n / 2 + 1; k < n; k++) to[2 * k] = to[2 * (n - k) + 1], to[2 * k + 1] = to[2 * (n - k)];
  return true;
}
static bool M(fill_weighted)(th_fft_plan *p, th_fft_node *d, const M(roots) *r)
{
  const int64_t m = d->n - 1, n = d->padded->n;
  P *kernel = take(p, sizeof(P) * 2 * (size_t)th_fft_kernel_room(d->padded, 64 / (int64_t)sizeof(P)));
  P *weights = take(p, sizeof(P) * 2 * (size_t)n), *powers = th_scratch(sizeof(P) * (size_t)m);
  bool done = kernel && weights && powers && M(fill_powers)(p, d, r, powers, true) && M(fill_weights)(weights, n);
  if (done) M(weighted_kernel)(kernel, powers, weights, m, n);
  th_scratch_free(powers);
  d->kernel = kernel;
  d->chirp = weights;
  M(roots) own;
  if (!done || !M(roots_new)(&own, n)) return false;
  done = M(fill)(p, (th_fft_node *)(uintptr_t)d->padded, &own);
  M(roots_free)(&own);
  return done;
}

static bool M(fill)(th_fft_plan *p, th_fft_node *d, const M(roots) *r)
{
  if (d->kind == TH_FFT_SUM) return (d->waves = M(wave_table)(p, r, d->n)) != NULL;
  if (d->kind == TH_FFT_PRIME) return M(fill_prime)(p, d, r);
  if (d->kind == TH_FFT_WEIGHTED) return M(fill_weighted)(p, d, r);
  if (d->kind == TH_FFT_DIRECT) return M(fill_direct)(p, d, r);
  if (d->kind == TH_FFT_SPLIT) {
    if (!M(fill)(p, (th_fft_node *)(uintptr_t)d->column, r)) return false;
    if (d->row != d->column && !M(fill)(p, (th_fft_node *)(uintptr_t)d->row, r)) return false;
    return M(fill_split)(p, d, r);
  }
  P *to = take(p, sizeof(P) * 2 * (size_t)d->n);
  d->kernel = take(p, sizeof(P) * 2 * (size_t)th_fft_kernel_room(d->padded, 64 / (int64_t)sizeof(P)));
  if (!to || !d->kernel) return false;
  M(chirp_table)(to, r, d->n);
  d->chirp = to;
  M(roots) own;
  if (!M(roots_new)(&own, d->padded->n)) return false;
  const bool done = M(fill)(p, (th_fft_node *)(uintptr_t)d->padded, &own);
  M(roots_free)(&own);
  return done;
}
static bool M(fill_plan)(th_fft_plan *p)
{
  M(roots) r;
  if (!M(roots_new)(&r, p->node->kind == TH_FFT_CHIRP ? 2 * p->node->n : p->n)) return false;
  bool done = M(fill)(p, (th_fft_node *)(uintptr_t)p->node, &r);
  if (done && p->folded && p->n % 2 == 0) done = M(fill_real)(p, p->n, &r);
  M(roots_free)(&r);
  return done;
}
