/* shifted.h - sums of lines of numbers that lie some offsets apart; the lanes of vectors run along the lines. Read once per
 * computing type after micro.h: P, M(f) and M_FMA as there. */
typedef P M(loose) __attribute__((vector_size(TH_VB), aligned(sizeof(P)), may_alias));
enum { M(LANES) = TH_VB / (int)sizeof(P) };

/* U vectors: to = (add ? to : start) + the sum over the taps of k[t] * from[off[t]]. */
TH_INLINE void M(some_shifted)(const int U, P *to, const P *from, const int64_t *off, const P *k, int64_t taps, bool add, P start)
{
  M(vec) acc[8];
#pragma GCC unroll 8
  for (int u = 0; u < U; u++) acc[u] = start - (M(vec)){ 0 };
#pragma GCC unroll 8
  for (int u = 0; u < U && add; u++) acc[u] = ((const M(loose) *)to)[u];
  for (int64_t t = 0; t < taps; t++) {
    const M(loose) *p = (const M(loose) *)(from + off[t]);
    const M(vec) w = k[t] - (M(vec)){ 0 };
#pragma GCC unroll 8
    for (int u = 0; u < U; u++) acc[u] = M_FMA(w, p[u], acc[u]);
  }
#pragma GCC unroll 8
  for (int u = 0; u < U; u++) ((M(loose) *)to)[u] = acc[u];
}

/* The same for n numbers, whole vectors of which are read and written. */
static void M(shifted)(P *to, const P *from, int64_t n, const int64_t *off, const P *k, int64_t taps, bool add, P start)
{
  int64_t v = (n + M(LANES) - 1) / M(LANES);
  for (; v >= 8; v -= 8, to += 8 * M(LANES), from += 8 * M(LANES)) M(some_shifted)(8, to, from, off, k, taps, add, start);
  if (v >= 4) {
    M(some_shifted)(4, to, from, off, k, taps, add, start);
    v -= 4, to += 4 * M(LANES), from += 4 * M(LANES);
  }
  if (v >= 2) {
    M(some_shifted)(2, to, from, off, k, taps, add, start);
    v -= 2, to += 2 * M(LANES), from += 2 * M(LANES);
  }
  if (v) M(some_shifted)(1, to, from, off, k, taps, add, start);
}

/* Kernels with rows of taps below each other: what is read once serves R rows of the result. From one row to the next it is
 * `pitch` in from and `line` in to; taps of a row are `gap` apart. */
typedef struct M(block) { P *to; const P *from, *k; int64_t pitch, line, kh, kw, gap; bool add; P start; } M(block);

/* One row of what is read, at p, for rows lo..hi of the result; k: the taps of row hi. */
TH_INLINE void M(row_of_taps)(const int lo, const int hi, const int U, const M(block) *b, M(vec) (*acc)[2], const P *p,
                              const P *k)
{
  for (int64_t j = 0; j < b->kw; j++, p += b->gap, k++) {
    M(vec) x[2];
#pragma GCC unroll 2
    for (int u = 0; u < U; u++) x[u] = ((const M(loose) *)p)[u];
#pragma GCC unroll 4
    for (int r = lo; r <= hi; r++) {
      const M(vec) w = k[(hi - r) * b->kw] - (M(vec)){ 0 };
#pragma GCC unroll 2
      for (int u = 0; u < U; u++) acc[r][u] = M_FMA(w, x[u], acc[r][u]);
    }
  }
}

/* R rows of U vectors; R <= kh. */
TH_INLINE void M(some_rows)(const int R, const int U, const M(block) *b, int64_t column)
{
  M(vec) acc[4][2];
  const P *p = b->from + column;
#pragma GCC unroll 4
  for (int r = 0; r < R; r++) {
#pragma GCC unroll 2
    for (int u = 0; u < U; u++) {
      acc[r][u] = b->start - (M(vec)){ 0 };
      if (b->add) acc[r][u] = ((const M(loose) *)(b->to + r * b->line + column))[u];
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R - 1; r++, p += b->pitch) M(row_of_taps)(0, r, U, b, acc, p, b->k);
  for (int64_t i = 0; i <= b->kh - R; i++, p += b->pitch) M(row_of_taps)(0, R - 1, U, b, acc, p, b->k + i * b->kw);
#pragma GCC unroll 4
  for (int r = 1; r < R; r++, p += b->pitch) M(row_of_taps)(r, R - 1, U, b, acc, p, b->k + (b->kh - R + r) * b->kw);
#pragma GCC unroll 4
  for (int r = 0; r < R; r++) {
#pragma GCC unroll 2
    for (int u = 0; u < U; u++) ((M(loose) *)(b->to + r * b->line + column))[u] = acc[r][u];
  }
}

TH_INLINE void M(row_group)(const int R, const M(block) *b, int64_t columns)
{
  int64_t c = 0;
  for (; c + M(LANES) < columns; c += 2 * M(LANES)) M(some_rows)(R, 2, b, c);
  if (c < columns) M(some_rows)(R, 1, b, c);
}

static void M(rows_shifted)(M(block) *b, int64_t rows, int64_t columns)
{
  while (rows > 0) {
    const int64_t r = rows < b->kh ? rows : b->kh;
    if (r >= 4) M(row_group)(4, b, columns);
    else if (r == 3) M(row_group)(3, b, columns);
    else if (r == 2) M(row_group)(2, b, columns);
    else M(row_group)(1, b, columns);
    const int64_t done = r < 4 ? r : 4;
    b->to += done * b->line, b->from += done * b->pitch, rows -= done;
  }
}

/* N taps: the t-th vector of sums takes v vectors of g times those of x at off[t]. */
TH_INLINE void M(some_dots)(const int N, P *sums, const P *g, const P *x, int64_t v, const int64_t *off)
{
  M(vec) acc[9];
  const P *p[9];
#pragma GCC unroll 9
  for (int t = 0; t < N; t++) acc[t] = ((const M(loose) *)sums)[t], p[t] = x + off[t];
  for (int64_t i = 0; i < v * M(LANES); i += M(LANES)) {
    const M(vec) a = *(const M(loose) *)(g + i);
#pragma GCC unroll 9
    for (int t = 0; t < N; t++) acc[t] = M_FMA(a, *(const M(loose) *)(p[t] + i), acc[t]);
  }
#pragma GCC unroll 9
  for (int t = 0; t < N; t++) ((M(loose) *)sums)[t] = acc[t];
}

static void M(dots)(P *sums, const P *g, const P *x, int64_t n, const int64_t *off, int64_t taps)
{
  const int64_t v = (n + M(LANES) - 1) / M(LANES);
  for (; taps >= 9; taps -= 9, sums += 9 * M(LANES), off += 9) M(some_dots)(9, sums, g, x, v, off);
  if (taps >= 5) {
    M(some_dots)(5, sums, g, x, v, off);
    taps -= 5, sums += 5 * M(LANES), off += 5;
  }
  for (; taps >= 3; taps -= 3, sums += 3 * M(LANES), off += 3) M(some_dots)(3, sums, g, x, v, off);
  for (; taps; taps--, sums += M(LANES), off++) M(some_dots)(1, sums, g, x, v, off);
}

/* Adds the lanes of each of n vectors to a sum in double, and clears them. */
static void M(drain)(double *sums, P *lane, int64_t n)
{
  for (int64_t t = 0; t < n; t++, lane += M(LANES)) {
    for (int w = M(LANES) / 2; w; w /= 2) for (int l = 0; l < w; l++) lane[l] += lane[l + w];
    sums[t] += (double)lane[0];
    memset(lane, 0, sizeof(P) * M(LANES));
  }
}

/* n numbers. Short lines are common, so the rest of whole vectors is copied by vectors that overlap. */
TH_INLINE void M(move)(P *to, const P *from, int64_t n)
{
  typedef P four __attribute__((vector_size(4 * sizeof(P)), aligned(sizeof(P)), may_alias));
  typedef P eight __attribute__((vector_size(8 * sizeof(P)), aligned(sizeof(P)), may_alias));
  int64_t i = 0;
  if (n >= 8 && n < 16) {
    *(eight *)to = *(const eight *)from;
    *(eight *)(to + n - 8) = *(const eight *)(from + n - 8);
  } else if (n >= M(LANES)) {
    for (; i + M(LANES) <= n; i += M(LANES)) *(M(loose) *)(to + i) = *(const M(loose) *)(from + i);
    if (i < n) *(M(loose) *)(to + n - M(LANES)) = *(const M(loose) *)(from + n - M(LANES));
  } else if (n >= 4) {
    for (; i + 4 <= n; i += 4) *(four *)(to + i) = *(const four *)(from + i);
    if (i < n) *(four *)(to + n - 4) = *(const four *)(from + n - 4);
  } else {
    for (; i < n; i++) to[i] = from[i];
  }
}
