/* gemm.h - products of matrices, of any strides, in parallel over fixed tiles. */
#ifndef TH_GEMM_H
#define TH_GEMM_H
#include "kernel.h"

/* C = beta C + alpha A B for every matrix of a batch; with `sum`, C is one matrix and the products of
 * the batch are summed into it in order. Steps count elements: of the batch, a row, a column.
 * beta 0 does not read C. A and B may not overlap C. `begin`, where it is set, puts into C what beta scales: it is called with
 * `call` when all memory has been taken, so that a product that fails for want of memory has changed nothing. */
typedef struct th_gemm {
  int     dtype;
  bool    sum;
  int64_t batch, m, n, k;
  double  alpha, beta;
  const void *a, *b;
  void   *c;
  int64_t as[3], bs[3], cs[3];
  th_status (*begin)(const th_call *call);
  const th_call *call;
} th_gemm;

th_status TH_AT(th_gemm_run)(const th_gemm *g);

/* Runs a product of floats or doubles where one matrix is small, and the other one large and dense.
 * Returns false for other products. */
bool TH_AT(th_gemm_thin)(const th_gemm *g, th_status *status);

/* ---- what micro.h is read with ---- */

#if defined __AVX512F__
#include <immintrin.h>
#define TH_VB 64
#define TH_MR 8
#define TH_FMA_F32(a, b, c) ((__typeof__(c))_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define TH_FMA_F64(a, b, c) ((__typeof__(c))_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#elif defined __FMA__
#include <immintrin.h>
#define TH_VB 32
#define TH_MR 6
#define TH_FMA_F32(a, b, c) ((__typeof__(c))_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define TH_FMA_F64(a, b, c) ((__typeof__(c))_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#else
#define TH_VB 16
#define TH_MR 4
#define TH_FMA_F32(a, b, c) ((a) * (b) + (c))
#define TH_FMA_F64(a, b, c) ((a) * (b) + (c))
#endif

#endif
