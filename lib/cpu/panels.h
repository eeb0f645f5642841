/* panels.h - products of matrices of float or double where registers are wide.
 *
 * Read once per computing type, after micro.h, whose panels these are. For each group of columns and
 * stretch of products the right operand is packed once, for all threads, into panels of VECTORS registers' width.
 * A left operand whose rows lie packed and near each other is read in place; of any other one, groups
 * of TH_MR rows are packed likewise. Products are added in order, whatever the threads, so results depend on sizes alone.
 */
enum { M(V) = TH_VB / (int)sizeof(P), M(WIDE) = VECTORS * M(V) };

typedef struct M(panel_job) {
  th_gemm g;
  int64_t matrix, matrices, row, m, col, n, from, k; /* this part: matrices, rows, columns, products */
  int64_t panels, groups, deep;      /* of a matrix; products a block takes at once */
  int64_t tg, rows, tp, cols;        /* a tile's groups of rows, tiles, panels, tiles */
  P *left, *right;                   /* packed; left is NULL where it is read in place */
} M(panel_job);

/* ---- packing ---- */

/* w columns of a panel, the first at `to`; rows of the panel are M(WIDE) long. */
TH_INLINE void M(pack_columns)(P *to, const P *b, int64_t k, int64_t w, int64_t row, int64_t col)
{
  for (int64_t q = 0; q < k; q++, to += M(WIDE)) {
    for (int64_t l = 0; l < w; l++) to[l] = b[q * row + l * col];
  }
}

/* As many columns as a register has of a transposed operand: squares. */
static void M(pack_transposed)(P *to, const P *b, int64_t k, int64_t col)
{
  int64_t q = 0;
  for (; q + M(V) <= k; q += M(V)) M(transpose)(to + q * M(WIDE), M(WIDE), b + q, col);
  M(pack_columns)(to + q * M(WIDE), b + q, k - q, M(V), 1, col);
}

/* A panel; what lies behind its last column is not used. */
static void M(pack_panel)(P *to, const P *b, int64_t k, int64_t w, int64_t row, int64_t col)
{
  if (w == M(WIDE) && col == 1) {
    M(pack_columns)(to, b, k, M(WIDE), row, 1);
    return;
  }
  for (; w > 0; w -= M(V), to += M(V), b += M(V) * col) {
    if (w >= M(V) && col == 1) M(pack_columns)(to, b, k, M(V), row, 1);
    else if (w >= M(V) && row == 1) M(pack_transposed)(to, b, k, col);
    else {
      for (int64_t q = 0; q < k; q++) memset(to + q * M(WIDE), 0, sizeof(P) * M(V));   /* no numbers by chance */
      M(pack_columns)(to, b, k, w < M(V) ? w : M(V), row, col);
    }
  }
}

static void M(pack_right)(void *ctx, int64_t first, int64_t last)
{
  const M(panel_job) *j = ctx;
  const th_gemm *g = &j->g;
  for (int64_t i = first; i < last; i++) {
    const int64_t at = i % j->panels * M(WIDE), w = th_min(M(WIDE), j->n - at);
    const P *b = (const P *)g->b + (j->matrix + i / j->panels) * g->bs[0] + j->from * g->bs[1] + (j->col + at) * g->bs[2];
    P *to = j->right + i * M(WIDE) * j->k;
    M(pack_panel)(to, b, j->k, w, g->bs[1], g->bs[2]);
  }
}

/* SPAN groups of dense rows; the caches learn of what comes, whose distance the processor does not guess. */
static void M(pack_dense)(P *to, const P *a, int64_t k, int64_t col)
{
  enum { AHEAD = 8, LINE = 64 / (int)sizeof(P) };
  for (int64_t q = 0; q < k; q++, a += col, to += TH_MR) {
    if (q + AHEAD < k) for (int r = 0; r < SPAN * TH_MR; r += LINE) __builtin_prefetch(a + AHEAD * col + r);
    for (int r = 0; r < SPAN; r++) memcpy(to + r * TH_MR * k, a + r * TH_MR, TH_MR * sizeof(P));
  }
}

/* SPAN groups of rows whose numbers lie side by side: squares, as in pack_transposed. */
static void M(pack_squares)(P *to, const P *a, int64_t k, int64_t row)
{
  P square[M(V) * M(V)] __attribute__((aligned(TH_VB)));
  for (int64_t r = 0; r < SPAN * TH_MR; r += M(V)) {
    int64_t q = 0;
    for (; q + M(V) <= k; q += M(V)) {
      M(transpose)(square, M(V), a + r * row + q, row);
      for (int i = 0; i < M(V); i += TH_MR) {
        P *group = to + (r + i) * k + q * TH_MR;
        for (int l = 0; l < M(V); l++) memcpy(group + l * TH_MR, square + l * M(V) + i, TH_MR * sizeof(P));
      }
    }
    for (; q < k; q++) {
      for (int i = 0; i < M(V); i++) to[(r + i) / TH_MR * TH_MR * k + q * TH_MR + i % TH_MR] = a[(r + i) * row + q];
    }
  }
}

/* Groups of TH_MR rows, in each the numbers of a column side by side, SPAN groups at a time. */
static void M(pack_left)(void *ctx, int64_t first, int64_t last)
{
  const M(panel_job) *j = ctx;
  const th_gemm *g = &j->g;
  const int64_t row = g->as[1], col = g->as[2], spans = (j->groups + SPAN - 1) / SPAN;
  for (int64_t i = first; i < last; i++) {
    const int64_t at = i % spans * SPAN * TH_MR, m = th_min(SPAN * TH_MR, j->m - at);
    const P *a = (const P *)g->a + (j->matrix + i / spans) * g->as[0] + (j->row + at) * row + j->from * col;
    P *to = j->left + (i / spans * j->groups + i % spans * SPAN) * TH_MR * j->k;
    if (m == SPAN * TH_MR && (row == 1 || col == 1)) {
      if (row == 1) M(pack_dense)(to, a, j->k, col);
      else M(pack_squares)(to, a, j->k, row);
      continue;
    }
    for (int64_t q = 0; q < j->k; q++, a += col) {
      for (int64_t r = 0; r < m; r++) to[r / TH_MR * TH_MR * j->k + q * TH_MR + r % TH_MR] = a[r * row];
    }
  }
}

/* ---- the kernel ---- */

typedef struct M(block) {
  int64_t k, row, step, ldc, w;      /* products; steps of the left operand and of C; columns of C here */
  const P *a, *b;
  P *c;
  P alpha, beta;
} M(block);

/* The vectors of C, which begin anywhere. */
typedef P M(loose) __attribute__((vector_size(TH_VB), aligned(sizeof(P)), may_alias));

static __attribute__((noinline)) void M(put_part)(int mr, const M(block) *o, const P *sums)
{
  for (int i = 0; i < mr; i++, sums += M(WIDE)) {
    P *c = o->c + i * o->ldc;
    for (int64_t l = 0; l < o->w; l++) {
      c[l] = o->beta != 0 ? sums[l] * o->alpha + c[l] * o->beta : sums[l] * o->alpha;
    }
  }
}

/* c = beta c + alpha a b for mr rows and nv vectors of columns, both constants where it is inlined. */
TH_INLINE void M(block_rows)(const int mr, const int nv, const M(block) *o)
{
  M(vec) acc[TH_MR][VECTORS];
  const P *q[TH_MR], *b = o->b;
#pragma GCC unroll 8
  for (int i = 0; i < mr; i++) {
    q[i] = o->a + i * o->row;
    for (int v = 0; v < VECTORS; v++) acc[i][v] = (M(vec)){ 0 };
  }
  const int64_t step = o->step;
#pragma GCC unroll 8
  for (int i = 0; i < mr; i++) {                    /* what is added to arrives while the products are made */
    for (int v = 0; v < nv; v++) __builtin_prefetch(o->c + i * o->ldc + v * M(V), 1);
  }
  for (int64_t k = o->k, at = 0; k > 0; k--, at += step, b += M(WIDE)) {
    M(vec) right[VECTORS];
    for (int v = 0; v < nv; v++) right[v] = ((const M(vec) *)b)[v];
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) {
      const M(vec) left = q[i][at] - (M(vec)){ 0 };
      for (int v = 0; v < nv; v++) acc[i][v] = M_FMA(left, right[v], acc[i][v]);
    }
  }
  if (o->w < nv * M(V)) {
    M(vec) sums[TH_MR][VECTORS];
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) {
      for (int v = 0; v < nv; v++) sums[i][v] = acc[i][v];
    }
    M(put_part)(mr, o, (const P *)sums);
    return;
  }
  const M(vec) alpha = o->alpha - (M(vec)){ 0 }, beta = o->beta - (M(vec)){ 0 };
  M(loose) *c = (M(loose) *)o->c;
  if (o->beta == 0) {
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++, c = (M(loose) *)((P *)c + o->ldc)) {
      for (int v = 0; v < nv; v++) c[v] = acc[i][v] * alpha;
    }
  } else {
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++, c = (M(loose) *)((P *)c + o->ldc)) {
      for (int v = 0; v < nv; v++) c[v] = acc[i][v] * alpha + c[v] * beta;
    }
  }
}

#define BLOCK(mr, nv) \
  static __attribute__((noinline)) void M(block##mr##nv)(const M(block) *o) { M(block_rows)(mr, nv, o); }
#define BLOCKS(mr) BLOCK(mr, 1) BLOCK(mr, 2) BLOCK(mr, 3)
BLOCKS(1)
BLOCKS(2) BLOCKS(3) BLOCKS(4) BLOCKS(5) BLOCKS(6) BLOCKS(7) BLOCKS(8)
#undef BLOCKS
#undef BLOCK

#define ROW(mr) { M(block##mr##1), M(block##mr##2), M(block##mr##3) }
static void (*const M(blocks)[TH_MR][VECTORS])(const M(block) *) = {
  ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7), ROW(8)
};
#undef ROW

/* ---- tiles ---- */

static void M(panel_tile)(const M(panel_job) *j, int64_t l, int64_t group, int64_t panel)
{
  const th_gemm *g = &j->g;
  const int64_t end = th_min(panel + j->tp, j->panels), last = th_min(group + j->tg, j->groups);
  const P *left = j->left ? j->left + l * j->groups * TH_MR * j->k
                          : (const P *)g->a + (j->matrix + l) * g->as[0] + j->row * g->as[1] + j->from;
  P *c = (P *)g->c + (j->matrix + l) * g->cs[0] + j->row * g->cs[1] + j->col;
  M(block) o = { .alpha = (P)g->alpha, .beta = j->from ? 1 : (P)g->beta, .ldc = g->cs[1],
                 .row = j->left ? 1 : g->as[1], .step = j->left ? TH_MR : 1 };
  for (int64_t q = 0; q < j->k && !th_interrupted(); q += j->deep, o.beta = 1) {
    o.k = th_min(j->deep, j->k - q);
    for (int64_t p = panel; p < end; p++) {
      o.w = th_min(M(WIDE), j->n - p * M(WIDE));
      o.b = j->right + ((l * j->panels + p) * j->k + q) * M(WIDE);
      for (int64_t i = group; i < last; i++) {
        o.a = j->left ? left + (i * j->k + q) * TH_MR : left + i * TH_MR * g->as[1] + q;
        o.c = c + i * TH_MR * g->cs[1] + p * M(WIDE);
        M(blocks)[th_min(TH_MR, j->m - i * TH_MR) - 1][(o.w - 1) / M(V)](&o);
      }
    }
  }
}

static void M(panel_tiles)(void *ctx, int64_t first, int64_t last)
{
  const M(panel_job) *j = ctx;
  const int64_t per = j->rows * j->cols;
  for (int64_t i = first; i < last; i++) M(panel_tile)(j, i / per, i % per / j->cols * j->tg, i % j->cols * j->tp);
}

static int64_t M(parts)(int64_t n, int64_t of) { return (n + of - 1) / of; }

/* Tiles of up to SPAN groups; more and lower ones where there would be fewer than TILES. */
static void M(cut)(M(panel_job) *j)
{
  for (j->tg = SPAN;; j->tg /= 2) {
    j->rows = M(parts)(j->groups, j->tg);
    j->tp = M(parts)(j->panels, M(parts)(TILES, j->rows));
    j->cols = M(parts)(j->panels, j->tp);
    if (j->tg == 2 || j->matrices * j->rows * j->cols >= TILES) return;
  }
}

static th_status M(panel_part)(M(panel_job) *j)
{
  j->panels = M(parts)(j->n, M(WIDE));
  j->groups = M(parts)(j->m, TH_MR);
  M(cut)(j);
  if (j->left) {
    TH_TRY(th_parallel(j->matrices * M(parts)(j->groups, SPAN), 1 + SMALL / (SPAN * TH_MR * j->k * 4), M(pack_left), j));
  }
  const double work = (double)(j->tg * TH_MR) * (double)(j->tp * M(WIDE)) * (double)j->k;
  return th_parallel(j->matrices * j->rows * j->cols, work < SMALL ? (int64_t)(SMALL / work) + 1 : 1, M(panel_tiles), j);
}

static th_status M(product)(const th_gemm *g)
{
  enum { ROOM = PACKED / (int)sizeof(P) };
  /* Rows far apart crowd the same sets of the caches; that is worth a copy where it is read often. */
  const bool in_place = g->as[2] == 1 && (g->as[1] < FAR / (int64_t)sizeof(P) || g->n < OFTEN);
  M(panel_job) j = { .g = *g };
  /* So long that the panels stay in the second cache, and no shorter than a block wants. */
  const int64_t fits = NEAR / (int64_t)sizeof(P) / (g->n < M(WIDE) ? M(WIDE) : g->n) / DEEP * DEEP;
  const int64_t stretch = th_min(g->k, fits < DEEP ? DEEP : th_min(fits, LONGEST));
  const int64_t wide = th_min(M(parts)(g->n, M(WIDE)), ROOM / (M(WIDE) * stretch)) * M(WIDE);
  const int64_t high = in_place ? g->m : th_min(M(parts)(g->m, TH_MR), ROOM / (TH_MR * stretch)) * TH_MR;
  const int64_t most = wide >= g->n && high >= g->m && stretch >= g->k ? ROOM / ((wide > high ? wide : high) * g->k) : 1;
  const int64_t matrices = th_min(most > 1 ? most : 1, g->batch);
  j.deep = M(parts)(stretch, M(parts)(stretch, DEEP));
  const size_t right = sizeof(P) * (size_t)(matrices * wide * stretch);
  const size_t left = in_place ? 0 : sizeof(P) * (size_t)(matrices * high * stretch);
  j.right = th_scratch(right + left);
  if (!j.right) return th_fail(TH_ENOMEM, "no memory for the packed operands");
  if (left) j.left = j.right + right / sizeof(P);
  th_status s = g->begin ? g->begin(g->call) : TH_OK;
  for (; s == TH_OK && j.matrix < g->batch; j.matrix += matrices) {
    j.matrices = th_min(matrices, g->batch - j.matrix);
    for (j.col = 0; s == TH_OK && j.col < g->n; j.col += wide) {
      j.n = th_min(wide, g->n - j.col);
      for (j.from = 0; s == TH_OK && j.from < g->k; j.from += stretch) {
        j.k = th_min(stretch, g->k - j.from);
        j.panels = M(parts)(j.n, M(WIDE));
        s = th_parallel(j.matrices * j.panels, 1 + SMALL / (M(WIDE) * j.k * 4), M(pack_right), &j);
        for (j.row = 0; s == TH_OK && j.row < g->m; j.row += high) {
          j.m = th_min(high, g->m - j.row);
          s = M(panel_part)(&j);
        }
      }
    }
  }
  th_scratch_free(j.right);
  return s;
}
