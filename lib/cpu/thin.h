/* thin.h - products where one matrix has few rows or columns, as layers give for few samples.
 *
 * Read once per computing type, after micro.h. Such a product takes as long as reading the large
 * matrix, so that is read once, in place, and not packed. The order in which an element is added up
 * depends on the length of the sums alone. */

enum {
  M(TV) = TH_VB / (int)sizeof(P),
  M(STRETCH) = 2048 / (int)sizeof(P), /* products of a row that stay in the first cache */
  M(SPREAD) = 2048 / (int)sizeof(P),  /* columns of a task whose rows are read more than once */
  M(LEAST_SPREAD) = 256 / (int)sizeof(P)
};

typedef P M(thin_vec) __attribute__((vector_size(TH_VB), aligned(sizeof(P)), may_alias));

typedef struct M(thin_job) {
  th_gemm g;                         /* A is the small matrix: m rows */
  const P *a;                        /* its elements; columns are dense */
  int64_t matrix, row;               /* steps */
  int64_t wide, parts;               /* columns of a task, tasks of a matrix */
} M(thin_job);

static void M(thin_pack)(void *ctx, int64_t first, int64_t last)
{
  const M(thin_job) *j = ctx;
  const th_gemm *g = &j->g;
  for (int64_t i = first; i < last; i++) {
    const P *from = (const P *)g->a + i / g->m * g->as[0] + i % g->m * g->as[1];
    P *to = (P *)j->a + i * g->k;
    for (int64_t k = 0; k < g->k; k++) to[k] = from[k * g->as[2]];
  }
}

TH_INLINE void M(thin_put)(const th_gemm *g, P *c, P sum)
{
  const P product = (P)g->alpha * sum;
  *c = g->beta != 0 ? product + (P)g->beta * *c : product;
}

/* ---- the large matrix has dense columns: sums of products of two dense rows ---- */

typedef struct M(thin_sums) { M(vec) of[THIN_MOST][THIN_COLUMNS]; } M(thin_sums);

/* Adds k products, a multiple of a register's, for mr rows and nc columns, both constants where it
 * is inlined. */
TH_INLINE void M(thin_dots)(const int mr, const int nc, const P *a, int64_t row, const P *b,
                            int64_t column, int64_t k, M(vec) (*sums)[THIN_COLUMNS])
{
  M(vec) s[THIN_ROWS][THIN_COLUMNS];
#pragma GCC unroll 8
  for (int i = 0; i < mr; i++) {
#pragma GCC unroll 8
    for (int c = 0; c < nc; c++) s[i][c] = sums[i][c];
  }
  for (int64_t q = 0; q < k; q += M(TV)) {
    M(vec) left[THIN_ROWS];
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) left[i] = *(const M(thin_vec) *)(a + i * row + q);
#pragma GCC unroll 8
    for (int c = 0; c < nc; c++) {
      const M(vec) right = *(const M(thin_vec) *)(b + c * column + q);
#pragma GCC unroll 8
      for (int i = 0; i < mr; i++) s[i][c] = M_FMA(left[i], right, s[i][c]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < mr; i++) {
#pragma GCC unroll 8
    for (int c = 0; c < nc; c++) sums[i][c] = s[i][c];
  }
}

#define DOTS(mr, nc) \
  static __attribute__((noinline)) void M(thin_dots##mr##nc)( \
    const P *a, int64_t row, const P *b, int64_t column, int64_t k, M(vec) (*sums)[THIN_COLUMNS]) \
  { \
    M(thin_dots)(mr, nc, a, row, b, column, k, sums); \
  }
DOTS(1, 8)
DOTS(1, 1)
#if TH_VB == 64
DOTS(2, 8)
DOTS(3, 4)
DOTS(4, 4)
#else
DOTS(2, 4)
#endif
#undef DOTS

/* The sums of rows from i on and columns from c on. */
TH_INLINE M(vec) (*M(thin_at)(M(thin_sums) *sums, int64_t i, int64_t c))[THIN_COLUMNS]
{
  return (M(vec) (*)[THIN_COLUMNS])&sums->of[i][c];
}

/* Adds k products to the sums of m rows and THIN_COLUMNS columns. */
static void M(thin_block)(const P *a, int64_t m, int64_t row, const P *b, int64_t column, int64_t k,
                          M(thin_sums) *sums)
{
  int64_t i = 0;
#if TH_VB == 64
  for (; m - i >= 3; i += th_min(4, m - i)) {
    for (int c = 0; c < THIN_COLUMNS; c += 4) {
      (m - i == 3 ? M(thin_dots34) : M(thin_dots44))(a + i * row, row, b + c * column, column, k,
                                                     M(thin_at)(sums, i, c));
    }
  }
#endif
  for (; m - i >= 2; i += 2) {
#if TH_VB == 64
    M(thin_dots28)(a + i * row, row, b, column, k, &sums->of[i]);
#else
    for (int c = 0; c < THIN_COLUMNS; c += 4) {
      M(thin_dots24)(a + i * row, row, b + c * column, column, k, M(thin_at)(sums, i, c));
    }
#endif
  }
  if (i < m) M(thin_dots18)(a + i * row, row, b, column, k, &sums->of[i]);
}

/* The same for nc columns, one by one. */
static void M(thin_edge)(const P *a, int64_t m, int64_t row, const P *b, int64_t column,
                         int64_t nc, int64_t k, M(thin_sums) *sums)
{
  for (int64_t i = 0; i < m; i++) {
    for (int64_t c = 0; c < nc; c++) {
      M(thin_dots11)(a + i * row, row, b + c * column, column, k, M(thin_at)(sums, i, c));
    }
  }
}

/* The last products, fewer than a register has, with zeros behind them. */
static void M(thin_rest)(const P *a, int64_t m, int64_t row, const P *b, int64_t column,
                         int64_t nc, int64_t k, M(thin_sums) *sums)
{
  P left[THIN_MOST * M(TV)], right[THIN_COLUMNS * M(TV)];
  memset(left, 0, sizeof left);
  memset(right, 0, sizeof right);
  const size_t bytes = sizeof(P) * (size_t)k;
  for (int64_t i = 0; i < m; i++) memcpy(left + i * M(TV), a + i * row, bytes);
  for (int64_t c = 0; c < nc; c++) memcpy(right + c * M(TV), b + c * column, bytes);
  M(thin_edge)(left, m, M(TV), right, M(TV), nc, M(TV), sums);
}

/* The sum of a register: its halves are added until they are numbers. */
TH_INLINE P M(thin_total)(M(vec) v)
{
#if TH_VB == 64
  typedef P half __attribute__((vector_size(32), may_alias));
  const half w = ((const half *)&v)[0] + ((const half *)&v)[1];
#else
  const M(vec) w = v;
#endif
#if TH_VB >= 32
  typedef P quarter __attribute__((vector_size(16), may_alias));
  const quarter x = ((const quarter *)&w)[0] + ((const quarter *)&w)[1];
#else
  const M(vec) x = w;
#endif
  enum { N = 16 / sizeof(P) };
  return N == 2 ? x[0] + x[1] : (x[0] + x[2 % N]) + (x[1] + x[3 % N]);
}

static void M(thin_columns)(const M(thin_job) *j, const P *a, const P *b, int64_t nc, P *c)
{
  const th_gemm *g = &j->g;
  M(thin_sums) sums;
  for (int64_t i = 0; i < g->m; i++) memset(sums.of[i], 0, sizeof sums.of[i]);
  const int64_t whole = g->k / M(TV) * M(TV), column = g->bs[2];
  for (int64_t q = 0; q < whole; q += M(STRETCH)) {
    const int64_t k = th_min(M(STRETCH), whole - q);
    if (nc == THIN_COLUMNS) M(thin_block)(a + q, g->m, j->row, b + q, column, k, &sums);
    else M(thin_edge)(a + q, g->m, j->row, b + q, column, nc, k, &sums);
  }
  if (whole < g->k) {
    M(thin_rest)(a + whole, g->m, j->row, b + whole, column, nc, g->k - whole, &sums);
  }
  for (int64_t i = 0; i < g->m; i++) {
    for (int64_t l = 0; l < nc; l++) {
      M(thin_put)(g, c + i * g->cs[1] + l * g->cs[2], M(thin_total)(sums.of[i][l]));
    }
  }
}

/* ---- the large matrix has dense rows: its rows times a number each are added ---- */

/* sums += a b for mr rows and `deep` products, both constants where it is inlined. The products are
 * added up before that. */
TH_INLINE void M(thin_rows)(const int mr, const int deep, const P *a, int64_t row, const P *b,
                            int64_t step, int64_t n, P *sums, int64_t wide)
{
  int64_t l = 0;
  for (; l + M(TV) <= n; l += M(TV)) {
    M(vec) right[THIN_DEEP];
#pragma GCC unroll 8
    for (int q = 0; q < deep; q++) right[q] = *(const M(thin_vec) *)(b + q * step + l);
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) {
      M(vec) t = (a[i * row] - (M(vec)){ 0 }) * right[0];
#pragma GCC unroll 8
      for (int q = 1; q < deep; q++) t = M_FMA(a[i * row + q] - (M(vec)){ 0 }, right[q], t);
      *(M(thin_vec) *)(sums + i * wide + l) += t;
    }
  }
  for (; l < n; l++) {                              /* the last columns of the matrix */
    for (int i = 0; i < mr; i++) {
      P t = a[i * row] * b[l];
      for (int q = 1; q < deep; q++) t += a[i * row + q] * b[q * step + l];
      sums[i * wide + l] += t;
    }
  }
}

#define ROWS(mr, deep) \
  static __attribute__((noinline)) void M(thin_rows##mr##deep)( \
    const P *a, int64_t row, const P *b, int64_t step, int64_t n, P *sums, int64_t wide) \
  { \
    M(thin_rows)(mr, deep, a, row, b, step, n, sums, wide); \
  }
ROWS(1, 8)
ROWS(2, 8)
ROWS(3, 8)
ROWS(4, 8)
ROWS(1, 1)
#undef ROWS

static void (*const M(thin_rows_of)[THIN_SHARE])(const P *, int64_t, const P *, int64_t, int64_t,
                                                 P *, int64_t) = {
  M(thin_rows18), M(thin_rows28), M(thin_rows38), M(thin_rows48)
};

static void M(thin_spread)(const M(thin_job) *j, const P *a, const P *b, int64_t n, P *c)
{
  const th_gemm *g = &j->g;
  const int64_t step = g->bs[1];
  P sums[THIN_MOST * M(SPREAD)];
  for (int64_t i = 0; i < g->m; i++) memset(sums + i * j->wide, 0, sizeof(P) * (size_t)n);
  int64_t k = 0;
  for (; k + THIN_DEEP <= g->k && !th_interrupted(); k += THIN_DEEP) {
    for (int64_t i = 0; i < g->m; i += THIN_SHARE) {
      const int64_t mr = th_min(THIN_SHARE, g->m - i);
      M(thin_rows_of)[mr - 1](a + i * j->row + k, j->row, b + k * step, step, n,
                              sums + i * j->wide, j->wide);
    }
  }
  for (; k < g->k; k++) {
    for (int64_t i = 0; i < g->m; i++) {
      M(thin_rows11)(a + i * j->row + k, j->row, b + k * step, step, n, sums + i * j->wide,
                     j->wide);
    }
  }
  for (int64_t i = 0; i < g->m; i++) {
    for (int64_t l = 0; l < n; l++) {
      M(thin_put)(g, c + i * g->cs[1] + l * g->cs[2], sums[i * j->wide + l]);
    }
  }
}

/* ---- tasks ---- */

static void M(thin_tasks)(void *ctx, int64_t first, int64_t last)
{
  const M(thin_job) *j = ctx;
  const th_gemm *g = &j->g;
  for (int64_t t = first; t < last && !th_interrupted(); t++) {
    const int64_t l = t / j->parts, at = t % j->parts * j->wide, n = th_min(j->wide, g->n - at);
    const P *a = j->a + l * j->matrix;
    const P *b = (const P *)g->b + l * g->bs[0] + at * g->bs[2];
    P *c = (P *)g->c + l * g->cs[0] + at * g->cs[2];
    if (g->bs[1] == 1) M(thin_columns)(j, a, b, n, c);
    else M(thin_spread)(j, a, b, n, c);
  }
}

/* The width of a task; no result depends on it. */
static int64_t M(thin_width)(const th_gemm *g)
{
  if (g->bs[1] == 1) return THIN_COLUMNS;
  const int64_t most = g->m <= THIN_MOST / 4 ? 4 * M(SPREAD) : M(SPREAD);
  const int64_t least = (g->n - 1) / most + 1;
  const int64_t parts = least < th_threads() ? th_threads() : least;
  return ((g->n - 1) / parts / M(LEAST_SPREAD) + 1) * M(LEAST_SPREAD);
}

static th_status M(thin)(const th_gemm *g)
{
  M(thin_job) j = { .g = *g, .a = g->a, .matrix = g->as[0], .row = g->as[1],
                    .wide = M(thin_width)(g) };
  P *packed = NULL;
  if (g->as[2] != 1 && g->k > 1) {
    packed = th_scratch(sizeof(P) * (size_t)(g->batch * g->m * g->k));
    if (!packed) return th_fail(TH_ENOMEM, "no memory for the packed operand");
    j.a = packed, j.matrix = g->m * g->k, j.row = g->k;
    const th_status s = th_parallel(g->batch * g->m, 1 + SMALL / (4 * g->k), M(thin_pack), &j);
    if (s != TH_OK) {
      th_scratch_free(packed);
      return s;
    }
  }
  j.parts = (g->n + j.wide - 1) / j.wide;
  const double work = (double)g->m * (double)j.wide * (double)(g->k + 1);
  th_status s = g->begin ? g->begin(g->call) : TH_OK;
  const int64_t grain = work < SMALL ? (int64_t)(SMALL / work) + 1 : 1;
  if (s == TH_OK) s = th_parallel(g->batch * j.parts, grain, M(thin_tasks), &j);
  if (packed) th_scratch_free(packed);
  return s;
}
