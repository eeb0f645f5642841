// cublas.cuh - products of matrices by cuBLAS.
#ifndef TH_CUBLAS_CUH
#define TH_CUBLAS_CUH
#include "../runtime/backend.cuh"

/* C = beta C + alpha A B for every matrix of a batch; with `sum`, C is one matrix and the products of the batch are summed
 * into it in order. Steps count elements: of the batch, a row, a column. beta 0 does not read C. A and B may not overlap C. */
struct th_cuda_gemm {
  int dtype;
  bool sum;
  int64_t batch, m, n, k;
  double alpha, beta;
  const void *a, *b;
  void *c;
  int64_t as[3], bs[3], cs[3];
};

/* The product by cuBLAS; done says whether it accepted the product. */
th_status th_cuda_blas_gemm(const th_cuda_gemm &g, bool *done);

/* How the library, which counts by columns, is to read a matrix that we count by rows: as its
 * transpose (turned 0), or, where neighbours in a column lie side by side, as it is (1). ld 0: not
 * at all. */
struct th_cuda_side { int turned, ld; };
th_cuda_side th_cuda_side_of(int64_t rows, int64_t cols, const int64_t *step);
/* The library's numbers for a type of elements, and for the arithmetic of their products. */
int th_cuda_blas_type(int dtype);
int th_cuda_blas_compute(int dtype);

/* C = A B, or C + A B, for each of a batch of complex matrices of floats, or doubles (wide); all packed, column-major, m x k and
 * k x n. A (first) or B is stored as its conjugate transpose. By cuBLAS; done says whether it accepted the products. */
struct th_cuda_complex {
  bool wide, first;
  int64_t batch, m, n, k;
  const void *a, *b;
  void *c;
  bool add;
};
th_status th_cuda_blas_complex(const th_cuda_complex &g, bool *done);
/* The version of cuBLAS, like 13.0.2; "" without cuBLAS. */
const char *th_cuda_blas_version();

/* Makes cuBLAS ready for a recording, if it is in use. */
th_status th_cuda_blas_prepare();

#endif
