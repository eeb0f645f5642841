/* gemm.c - matrix products: BLAS on tiles where there is one for the type, our own kernel elsewhere.
 * The tiles depend on the sizes alone, and one thread computes a tile from its first to its last
 * product, so the number of threads does not show in the result. */
#ifndef T
#include <stdlib.h>
#include "../core/blas.h"
#include "gemm.h"
#include "slots.h"

enum {
  BLAS_M = 128,
  BLAS_N = 256, /* the least tile: near the speed of the whole product in one call */
  BLAS_MOST = 512,
  TILES = 16, /* large products have larger tiles, but no fewer */
  OWN_M = 48,
  OWN_N = 256,
  LONG_K = 16384, /* a call of BLAS ends soon enough for Ctrl-C */
  COPIED_K = 2048, /* where operands must be copied first: bounds the copy */
  OWN_K = 256,
  SMALL = 1 << 17, /* multiplications a block of a batch should at least hold */
  VECTORS = 3, /* registers across a panel */
  DEEP = 384, /* products that a block adds up before it touches the result */
  SPAN = 8, /* groups of rows that share a panel while it is in the first cache */
  LONGEST = 4096, /* products of one stretch */
  FAR = 1024, /* bytes from row to row, */
  OFTEN = 256, /* columns: see product in panels.h */
  NEAR = 1 << 20, /* bytes that the second cache holds */
  PACKED = 1 << 22, /* bytes of one packed operand */
  LEAST = 16, /* rows and columns: below, BLAS has kernels for thin matrices */
  THIN_MOST = TH_VB == 64 ? 48 : 16, /* rows or columns from which on packing pays */
  THIN_MOST_ROWS = TH_VB == 32 ? 8 : THIN_MOST, /* the same where the other's rows are dense */
  THIN = 1 << 14, /* elements of the other matrix; BLAS has kernels for smaller ones */
  THIN_COLUMNS = 8, THIN_ROWS = TH_VB == 64 ? 4 : 2, /* of a block, whose sums are registers */
  THIN_DEEP = 8, /* rows that are read at once */
  THIN_SHARE = 4 /* rows that share what is read */
};

typedef struct job {
  th_gemm g;
  const th_blas *blas;
  int64_t tm, tn, rows, cols, kc;   /* a tile, tiles a matrix, products a step */
  bool copy_a, copy_b, copy_c;
  th_slots slots;
} job;

typedef struct tile { const char *a, *b; char *c; int64_t m, n; } tile;

static tile tile_of(const job *j, int64_t item)
{
  const th_gemm *g = &j->g;
  const int64_t es = (int64_t)th_dtype_size(g->dtype), per = j->rows * j->cols;
  const int64_t batch = item / per, row = item % per / j->cols * j->tm,
                col = item % j->cols * j->tn;
  return (tile){ (const char *)g->a + es * (batch * g->as[0] + row * g->as[1]),
                 (const char *)g->b + es * (batch * g->bs[0] + col * g->bs[2]),
                 (char *)g->c + es * (batch * g->cs[0] + row * g->cs[1] + col * g->cs[2]),
                 th_min(j->tm, g->m - row), th_min(j->tn, g->n - col) };
}

/* The loops over what is summed: `batch` is 1 unless the products of the batch are. */
static int64_t summed(const th_gemm *g) { return g->sum ? g->batch : 1; }

#define P int32_t
#define M(f) f##_i32
#define M_FMA(a, b, c) ((a) * (b) + (c))
#include "micro.h"
#undef P
#undef M
#define P int64_t
#define M(f) f##_i64
#include "micro.h"
#undef P
#undef M
#undef M_FMA
#include "micro_real.h"

#define TH_REAL "thin.h"
#include "each_real.h"

#if defined __AVX512F__
#define TH_PANELS
/* to (rows of `tstep`) = the transposed square at `from` (rows of `fstep`), 16 x 16. */
static void transpose_f32(float *to, int64_t tstep, const float *from, int64_t fstep)
{
  __m512 r[16], t[16];
  for (int i = 0; i < 16; i++) r[i] = _mm512_loadu_ps(from + i * fstep);
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {                 /* r[i + q]: column 4 l + q of four rows, lane l */
    r[i] = _mm512_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm512_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int q = 0; q < 4; q++) {
    const __m512 even0 = _mm512_shuffle_f32x4(r[q], r[4 + q], 0x88), odd0 = _mm512_shuffle_f32x4(r[q], r[4 + q], 0xdd);
    const __m512 even1 = _mm512_shuffle_f32x4(r[8 + q], r[12 + q], 0x88);
    const __m512 odd1 = _mm512_shuffle_f32x4(r[8 + q], r[12 + q], 0xdd);
    _mm512_storeu_ps(to + q * tstep, _mm512_shuffle_f32x4(even0, even1, 0x88));
    _mm512_storeu_ps(to + (4 + q) * tstep, _mm512_shuffle_f32x4(odd0, odd1, 0x88));
    _mm512_storeu_ps(to + (8 + q) * tstep, _mm512_shuffle_f32x4(even0, even1, 0xdd));
    _mm512_storeu_ps(to + (12 + q) * tstep, _mm512_shuffle_f32x4(odd0, odd1, 0xdd));
  }
}

static void transpose_f64(double *to, int64_t tstep, const double *from, int64_t fstep)
{
  for (int i = 0; i < 8; i++) {
    for (int l = 0; l < 8; l++) to[l * tstep + i] = from[i * fstep + l];
  }
}

#define TH_REAL "panels.h"
#include "each_real.h"
#endif

#define TH_SELF "gemm.c"
#include "each_dtype.h"

static void (*const tiles_of[TH_NDTYPE])(void *, int64_t, int64_t) = TH_ALL(own_tiles);
static void (*const blas_tiles_of[TH_NDTYPE])(void *, int64_t, int64_t) = TH_BLASABLE(blas_tiles);
static const size_t computing_size[TH_NDTYPE] = {
  [TH_U8] = 4,  [TH_I8] = 4,   [TH_I16] = 4, [TH_I32] = 4, [TH_I64] = 8,
  [TH_F16] = 4, [TH_BF16] = 4, [TH_F32] = 4, [TH_F64] = 8
};

/* Can BLAS read rows x cols with these steps, one of them being 1? Gives the leading dimension. */
static bool readable(int64_t rows, int64_t cols, int64_t row, int64_t col)
{
  if (row > INT32_MAX || col > INT32_MAX) return false;
  return (col == 1 && row >= cols) || (row == 1 && col >= rows) || (rows == 1 && col == 1) ||
         (cols == 1 && row == 1);
}

static size_t own_scratch(int dtype)
{
  return computing_size[dtype] * ((OWN_M + OWN_N) * OWN_K + (OWN_M + TH_MR) * OWN_N) +
         sizeof(int64_t) * OWN_K;
}

static size_t blas_scratch(const job *j)
{
  const int64_t tm = th_min(j->tm, j->g.m), tn = th_min(j->tn, j->g.n);
  return th_dtype_size(j->g.dtype) *
         (size_t)((j->copy_a ? tm * j->kc : 0) + (j->copy_b ? tn * j->kc : 0) +
                  (j->copy_c ? tm * tn : 0));
}

static void choose_blas_tile(job *j)
{
  const th_gemm *g = &j->g;
  for (j->tm = BLAS_M, j->tn = BLAS_N; j->tm < BLAS_MOST || j->tn < BLAS_MOST;) {
    if (((g->m - 1) / j->tm + 1) * ((g->n - 1) / j->tn + 1) <= TILES) break;
    if (j->tm <= j->tn) j->tm *= 2;
    else j->tn *= 2; /* BLAS packs the right operand for every row of tiles */
  }
  j->copy_a = g->k > 0 && !readable(th_min(g->m, j->tm), g->k, g->as[1], g->as[2]);
  j->copy_b = g->k > 0 && !readable(g->k, th_min(g->n, j->tn), g->bs[1], g->bs[2]);
  j->copy_c =
    !(g->cs[2] == 1 || g->n == 1) || (g->m > 1 && (g->cs[1] < g->n || g->cs[1] > INT32_MAX));
  j->kc = th_min(g->k, j->copy_a || j->copy_b ? COPIED_K : LONG_K);
}

static void transpose_all(th_gemm *g)
{
  const th_gemm o = *g;
  g->m = o.n, g->n = o.m, g->a = o.b, g->b = o.a, g->as[0] = o.bs[0], g->bs[0] = o.as[0];
  for (int i = 1; i < 3; i++)
    g->as[i] = o.bs[3 - i], g->bs[i] = o.as[3 - i], g->cs[i] = o.cs[3 - i];
}

/* Is a matrix of m rows so small, and the other one of k x n, with steps along both, so large and
 * dense that it is read in place? */
static bool is_small(int64_t m, int64_t k, int64_t n, int64_t along_k, int64_t along_n)
{
  if (m >= (along_k == 1 ? THIN_MOST : THIN_MOST_ROWS) || n < THIN_MOST) return false;
  return n * k >= THIN && (along_k == 1 || along_n == 1);
}

/* Is this a product for thin.h? Makes the small matrix the left one. */
static bool is_thin(th_gemm *g)
{
  if (g->dtype != TH_F32 && g->dtype != TH_F64) return false;
  if (g->sum || g->alpha == 0 || g->k == 0) return false;
  if (is_small(g->m, g->k, g->n, g->bs[1], g->bs[2])) return true;
  if (!is_small(g->n, g->k, g->m, g->as[2], g->as[1])) return false;
  transpose_all(g);
  return true;
}

bool TH_AT(th_gemm_thin)(const th_gemm *given, th_status *status)
{
  th_gemm g = *given;
  if (!is_thin(&g)) return false;
  *status = g.dtype == TH_F32 ? thin_f32(&g) : thin_f64(&g);
  return true;
}

th_status TH_AT(th_gemm_run)(const th_gemm *given)
{
  job j = { .g = *given };
  th_gemm *g = &j.g;
  th_status thin;
  if (g->m == 0 || g->n == 0 || g->batch == 0) return TH_OK;
  if (TH_AT(th_gemm_thin)(g, &thin)) return thin;
  /* C by rows: a transposed C is the product of the transposed operands. */
  if (g->n > 1 && (g->m == 1 ? g->cs[2] != 1 : llabs(g->cs[1]) < llabs(g->cs[2]))) transpose_all(g);
#ifdef TH_PANELS
  if (!g->sum && g->alpha != 0 && g->m >= LEAST && g->n >= LEAST && g->k >= LEAST && (g->cs[2] == 1 || g->n == 1)) {
    if (g->dtype == TH_F32) return product_f32(g);
    if (g->dtype == TH_F64) return product_f64(g);
  }
#endif
  if (computing_size[g->dtype] == th_dtype_size(g->dtype) && blas_tiles_of[g->dtype]) j.blas = th_blas_get();
  th_block f;
  if (j.blas) {
    f = blas_tiles_of[g->dtype];
    choose_blas_tile(&j);
  } else {
    f = tiles_of[g->dtype];
    j.tm = OWN_M, j.tn = OWN_N, j.kc = OWN_K;
  }
  j.rows = (g->m + j.tm - 1) / j.tm;
  j.cols = (g->n + j.tn - 1) / j.tn;
  const size_t bytes = j.blas ? blas_scratch(&j) : own_scratch(g->dtype);
  if (bytes) TH_TRY(th_slots_new(&j.slots, bytes));
  const double work = (double)th_min(g->m, j.tm) * (double)th_min(g->n, j.tn) * (double)(g->k + 1);
  const int64_t grain = work < SMALL ? (int64_t)(SMALL / work) + 1 : 1;
  th_status s = g->begin ? g->begin(g->call) : TH_OK;
  if (s == TH_OK) s = th_parallel((g->sum ? 1 : g->batch) * j.rows * j.cols, grain, f, &j);
  if (bytes) th_slots_free(&j.slots);
  return s;
}

#else

/* What is computed in: float for the halves, int32_t where it wraps to the same bits. */
#if IS_FLOAT
#define P C
#else
#define P __typeof__(_Generic((T)0, int64_t: (int64_t)0, default: (int32_t)0))
#endif
#define MICRO(...) _Generic((P)0, float: micro_f32, double: micro_f64, int64_t: micro_i64, int32_t: micro_i32)(__VA_ARGS__)
#define PANEL      (2 * TH_VB / (int64_t)sizeof(P))

#if IS_INT
TH_INLINE T K(mix)(P sum, int64_t alpha, int64_t beta, const T *old)
{
  const int64_t v = (int64_t)((uint64_t)alpha * (uint64_t)(int64_t)sum);
  return (T)(beta ? (int64_t)((uint64_t)v + (uint64_t)beta * (uint64_t)(int64_t)*old) : v);
}
#else
TH_INLINE T K(mix)(P sum, P alpha, P beta, const T *old)
{
  return beta != 0 ? STORE(alpha * sum + beta * LOAD(*old)) : STORE(alpha * sum);
}
#endif

static void K(pack_rows)(P *to, const T *a, int64_t m, int64_t k, int64_t row, int64_t col)
{
  for (int64_t i = 0; i < m; i++)
    for (int64_t q = 0; q < k; q++) to[i * OWN_K + q] = (P)LOAD(a[i * row + q * col]);
}

/* Panels of PANEL columns, filled up with zeros. */
static void K(pack_panels)(P *to, const T *b, int64_t k, int64_t n, int64_t row, int64_t col)
{
  for (int64_t j = 0; j < n; j += PANEL) {
    const int64_t w = th_min(PANEL, n - j);
    for (int64_t q = 0; q < k; q++, to += PANEL) {
      const T *from = b + q * row + j * col;
      for (int64_t l = 0; l < w; l++) to[l] = (P)LOAD(from[l * col]);
      for (int64_t l = w; l < PANEL; l++) to[l] = 0;
    }
  }
}

/* One step of k products added to the tile's sums, which lie panel by panel. */
static void K(multiply)(P *sums, const P *a, const P *b, const int64_t *off, int64_t m, int64_t n,
                        int64_t k, bool add)
{
  const P *row[TH_MR];
  for (int64_t j = 0; j < n; j += PANEL) {
    for (int64_t i = 0; i < m; i += TH_MR) {
      const int mr = (int)th_min(TH_MR, m - i);
      for (int r = 0; r < mr; r++) row[r] = a + (i + r) * OWN_K;
      MICRO(mr, k, row, off, b + j * k, sums + j * OWN_M + i * PANEL, add);
    }
  }
}

static void K(own_tile)(const job *j, const tile *t, P *scratch)
{
  const th_gemm *g = &j->g;
  P *b = scratch, *sums = b + OWN_N * OWN_K, *a = sums + (OWN_M + TH_MR) * OWN_N;
  int64_t *off = (int64_t *)(a + OWN_M * OWN_K);
  for (int64_t q = 0; q < OWN_K; q++) off[q] = q;
  bool add = false;
  for (int64_t l = 0; l < summed(g); l++) {
    const T *from_a = (const T *)t->a + l * g->as[0], *from_b = (const T *)t->b + l * g->bs[0];
    for (int64_t q = 0; q < g->k && !th_interrupted(); q += OWN_K) {
      const int64_t k = th_min(OWN_K, g->k - q);
      K(pack_rows)(a, from_a + q * g->as[2], t->m, k, g->as[1], g->as[2]);
      K(pack_panels)(b, from_b + q * g->bs[1], k, t->n, g->bs[1], g->bs[2]);
      K(multiply)(sums, a, b, off, t->m, t->n, k, add);
      add = true;
    }
  }
#if IS_INT
  const int64_t alpha = th_to_int(g->alpha), beta = th_to_int(g->beta);
#else
  const P alpha = (P)g->alpha, beta = (P)g->beta;
#endif
  for (int64_t i = 0; i < t->m; i++) {
    for (int64_t q = 0; q < t->n; q++) {
      T *c = (T *)t->c + i * g->cs[1] + q * g->cs[2];
      const P sum = add ? sums[q / PANEL * PANEL * OWN_M + i * PANEL + q % PANEL] : 0;
      *c = K(mix)(sum, alpha, beta, c);
    }
  }
}

static void K(own_tiles)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  void *scratch = th_slot_take(&j->slots);
  for (int64_t i = first; i < last; i++) {
    const tile t = tile_of(j, i);
    K(own_tile)(j, &t, scratch);
  }
  th_slot_give(&j->slots, scratch);
}

#if IS_FLOAT && !IS_HALF
#define GEMM _Generic((T)0, float: j->blas->sgemm, double: j->blas->dgemm)

/* How BLAS is to read an operand. */
typedef struct K(side) { const T *p; int trans, ld; } K(side);

static K(side) K(side_of)(const T *p, int64_t rows, int64_t cols, int64_t row, int64_t col, T *copy)
{
  if (!copy) {
    if (col == 1 || (cols == 1 && row != 1)) {
      return (K(side)){ p, TH_NOTRANS, (int)(rows == 1 || row < 1 ? cols : row) };
    }
    return (K(side)){ p, TH_TRANS, (int)(cols == 1 ? rows : col) };
  }
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < cols; k++) copy[i * cols + k] = p[i * row + k * col];
  return (K(side)){ copy, TH_NOTRANS, (int)cols };
}

static void K(blas_tile)(const job *j, const tile *t, T *scratch)
{
  const th_gemm *g = &j->g;
  T *const copy_c = j->copy_c ? scratch : NULL, *const copy_a =
                                                  scratch + (j->copy_c ? t->m * t->n : 0);
  T *const copy_b = copy_a + (j->copy_a ? t->m * j->kc : 0);
  T *const c = copy_c ? copy_c : (T *)t->c;
  const int ldc = (int)(copy_c || t->m == 1 ? t->n : g->cs[1]);
  T beta = copy_c ? 0 : (T)g->beta;
  bool done = false;
  for (int64_t l = 0; l < summed(g); l++) {
    const T *a = (const T *)t->a + l * g->as[0], *b = (const T *)t->b + l * g->bs[0];
    for (int64_t q = 0; q < g->k && !(done && th_interrupted()); q += j->kc) {
      const int64_t k = th_min(j->kc, g->k - q);
      const K(side) sa =
        K(side_of)(a + q * g->as[2], t->m, k, g->as[1], g->as[2], j->copy_a ? copy_a : NULL);
      const K(side) sb =
        K(side_of)(b + q * g->bs[1], k, t->n, g->bs[1], g->bs[2], j->copy_b ? copy_b : NULL);
      GEMM(TH_ROWMAJOR, sa.trans, sb.trans, (int)t->m, (int)t->n, (int)k, (T)g->alpha, sa.p, sa.ld,
           sb.p, sb.ld, beta, c, ldc);
      beta = 1;
      done = true;
    }
  }
  if (done && !copy_c) return;
  for (int64_t i = 0; i < t->m; i++) {
    for (int64_t k = 0; k < t->n; k++) {
      T *to = (T *)t->c + i * g->cs[1] + k * g->cs[2];
      *to = (T)((g->beta != 0 ? (T)g->beta * *to : 0) + (done ? copy_c[i * t->n + k] : 0));
    }
  }
}

static void K(blas_tiles)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  const bool scratch = j->copy_a || j->copy_b || j->copy_c;
  void *p = scratch ? th_slot_take(&j->slots) : NULL;
  for (int64_t i = first; i < last; i++) {
    const tile t = tile_of(j, i);
    th_blas_enter();
    K(blas_tile)(j, &t, p);
    th_blas_leave();
  }
  if (scratch) th_slot_give(&j->slots, p);
}
#undef GEMM
#endif

#undef P
#undef MICRO
#undef PANEL
#endif
