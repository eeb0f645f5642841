// cublaslt.cuh - products of matrices, and a row that cublasLt adds to them.
#ifndef TH_CUBLASLT_CUH
#define TH_CUBLASLT_CUH
#include "cublas.cuh"

/* C = alpha A B + row, which is added to each row of C: n elements side by side. By cublasLt, for
 * floats and halves; done says whether it accepted the product. */
th_status th_cuda_blas_add_row(const th_cuda_gemm &g, const void *row, bool *done);
/* Makes cublasLt ready for a recording. */
th_status th_cuda_blaslt_prepare();

#endif
