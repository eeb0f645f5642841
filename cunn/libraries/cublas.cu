// cublas.cu - cuBLAS, opened when the first product needs it. Without it our own kernels multiply.
#include "../runtime/graph.cuh"
#include "../runtime/recording.cuh"
#include "cublas.cuh"
#include "handles.cuh"
#include "library.h"
#include "thcuda.h"

/* ---- the library: what its interface calls things ---- */

enum { SUCCESS = 0, NO_MEMORY = 3, PLAIN = 0, TRANSPOSED = 1, CONJUGATE = 2, WHOLE_PRECISION = 16, BEST = -1 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14, C_32F = 4, C_64F = 5 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_TF32 = 77 };

#define FUNCTIONS(F) \
  F(property, cublasGetProperty, int which, int *value) \
  F(create, cublasCreate_v2, void **handle) \
  F(destroy, cublasDestroy_v2, void *handle) \
  F(set_stream, cublasSetStream_v2, void *handle, cudaStream_t stream) \
  F(set_mode, cublasSetMathMode, void *handle, int mode) \
  F(set_workspace, cublasSetWorkspace_v2, void *handle, void *workspace, size_t bytes) \
  F(gemm, cublasGemmEx, void *handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda, \
    const void *b, int bt, int ldb, const void *beta, void *c, int ct, int ldc, int compute, int how) \
  F(gemm_batch, cublasGemmStridedBatchedEx, void *handle, int ta, int tb, int m, int n, int k, const void *alpha, \
    const void *a, int at, int lda, long long as, const void *b, int bt, int ldb, long long bs, const void *beta, void *c, \
    int ct, int ldc, long long cs, int batch, int compute, int how)

static struct {
#define DECLARE(f, symbol, ...) int (*f)(__VA_ARGS__);
  FUNCTIONS(DECLARE)
#undef DECLARE
} blas;
static th_library library("cuBLAS", "TH_CUBLAS");
static bool tf32;

#ifdef __CUDACC__
static void *(*const emulated)(const char *) = nullptr;
#else
static void *(*const emulated)(const char *) = emu::cublas;                    /* it has its own */
#endif

/* A library that opens may not work with this driver, or this device. Want of memory passes. */
static std::string trial()
{
  void *made = nullptr;
  const int e = blas.create(&made);
  if (e == SUCCESS) blas.destroy(made);
  return e == SUCCESS || e == NO_MEMORY ? "" : "cublasCreate: status " + std::to_string(e);
}

static bool found()
{
#define BIND(f, symbol, ...) { (void **)&blas.f, #symbol },
  static const bool there =
    library.open({ "libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so" }, { FUNCTIONS(BIND) }, emulated,
                 trial);
#undef BIND
  return there;
}

static th_status status_of(int e, const char *what)
{
  if (e == SUCCESS) return TH_OK;
  if (e == NO_MEMORY) return th_fail(TH_ENOMEM, "out of memory on a CUDA device (%s)", what);
  return th_fail(TH_EBACKEND, "cuBLAS: status %d (%s)", e, what);
}
#define TRY(f, ...) TH_TRY(status_of(blas.f(__VA_ARGS__), #f))

/* Memory to work in, which a graph takes along. */
static th_status take_workspace(void *handle)
{
  void *p;
  size_t bytes;
  TH_TRY(th_cuda_graph_workspace(&p, &bytes));
  if (p) TRY(set_workspace, handle, p, bytes);
  return TH_OK;
}

static th_status make(void **handle, cudaStream_t stream)
{
  void *h = nullptr;
  TRY(create, &h);
  const int e = blas.set_stream(h, stream);
  const int failed = e != SUCCESS ? e : blas.set_mode(h, WHOLE_PRECISION);         /* halves are summed in float to the end */
  if (failed != SUCCESS) blas.destroy(h);
  else *handle = h;
  return status_of(failed, "a handle");
}
static th_cuda_handles handles(make, "cuBLAS");

/* To open the library takes memory, as a capture may not. */
th_status th_cuda_blas_prepare()
{
  found();
  return handles.prepare();
}

const char *th_cuda_blas(void) { return found() ? library.file() : ""; }
const char *th_cuda_blas_why(void) { return found() ? "" : library.why(); }
const char *th_cuda_blas_version()
{
  static char text[32];
  static std::once_flag once;
  std::call_once(once, [] {
    int v[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; i++) if (!found() || blas.property(i, &v[i]) != SUCCESS) return;
    snprintf(text, sizeof text, "%d.%d.%d", v[0], v[1], v[2]);
  });
  return text;
}

int th_cuda_tf32(void) { return __atomic_load_n(&tf32, __ATOMIC_RELAXED); }
void th_cuda_set_tf32(int on) { __atomic_store_n(&tf32, on != 0, __ATOMIC_RELAXED); }

/* ---- products ---- */

th_cuda_side th_cuda_side_of(int64_t rows, int64_t cols, const int64_t *step)
{
  const int64_t row = step[1], col = step[2];
  const int64_t by_rows = rows == 1 ? cols : row, by_cols = cols == 1 ? rows : col;
  if ((cols == 1 || col == 1) && by_rows >= cols && by_rows <= INT32_MAX) return { PLAIN, (int)by_rows };
  if ((rows == 1 || row == 1) && by_cols >= rows && by_cols <= INT32_MAX) return { TRANSPOSED, (int)by_cols };
  return { PLAIN, 0 };
}

int th_cuda_blas_type(int dtype)
{
  static const int types[TH_NDTYPE] = { 0, 0, 0, 0, 0, 0, R_16F, R_16BF, R_32F, R_64F };
  return types[dtype];
}
int th_cuda_blas_compute(int dtype)
{
  if (dtype == TH_F64) return COMPUTE_64F;
  return dtype == TH_F32 && th_cuda_tf32() ? COMPUTE_TF32 : COMPUTE_32F;
}

static th_status call(const th_cuda_gemm &g, th_cuda_side a, th_cuda_side b, int ldc)
{
  const int type = th_cuda_blas_type(g.dtype), compute = th_cuda_blas_compute(g.dtype);
  const int m = (int)g.m, n = (int)g.n, k = (int)g.k;
  const size_t es = th_element_size(g.dtype);
  double d[3] = { g.alpha, g.beta, 1 };
  float f[3] = { (float)g.alpha, (float)g.beta, 1 };
  const bool wide = g.dtype == TH_F64;
  const void *const number[3] = { wide ? (void *)&d[0] : &f[0], wide ? (void *)&d[1] : &f[1], wide ? (void *)&d[2] : &f[2] };
  std::lock_guard<std::mutex> guard(handles.lock);
  void *h;
  TH_TRY(handles.of_stream(&h));
  if (th_cuda_records()) TH_TRY(take_workspace(h));
  if (g.batch > 1 && !g.sum) {
    TRY(gemm_batch, h, b.turned, a.turned, n, m, k, number[0], g.b, type, b.ld, g.bs[0], g.a, type, a.ld, g.as[0], number[1],
        g.c, type, ldc, g.cs[0], (int)g.batch, compute, BEST);
    return TH_OK;
  }
  for (int64_t i = 0; i < g.batch; i++) {
    const char *pa = static_cast<const char *>(g.a) + (int64_t)es * i * g.as[0];
    const char *pb = static_cast<const char *>(g.b) + (int64_t)es * i * g.bs[0];
    TRY(gemm, h, b.turned, a.turned, n, m, k, number[0], pb, type, b.ld, pa, type, a.ld, number[i ? 2 : 1], g.c, type, ldc,
        compute, BEST);
  }
  return TH_OK;
}

th_status th_cuda_blas_gemm(const th_cuda_gemm &g, bool *done)
{
  *done = false;
  const th_cuda_side a = th_cuda_side_of(g.m, g.k, g.as), b = th_cuda_side_of(g.k, g.n, g.bs);
  const th_cuda_side c = th_cuda_side_of(g.m, g.n, g.cs);
  const bool halves_summed = g.sum && g.batch > 1 && g.dtype < TH_F32;          /* would be rounded after each product */
  if (!a.ld || !b.ld || !c.ld || c.turned != PLAIN || halves_summed) return TH_OK;
  if (g.m > INT32_MAX || g.n > INT32_MAX || g.k > INT32_MAX || g.batch > INT32_MAX) return TH_OK;
  if (!found()) return TH_OK;
  *done = true;
  return call(g, a, b, c.ld);
}

th_status th_cuda_blas_complex(const th_cuda_complex &g, bool *done)
{
  const double d[2][2] = { { 1, 0 }, { g.add ? 1.0 : 0.0, 0 } };
  const float f[2][2] = { { 1, 0 }, { g.add ? 1.0f : 0.0f, 0 } };
  const void *const alpha = g.wide ? (const void *)d[0] : f[0], *const beta = g.wide ? (const void *)d[1] : f[1];
  const int type = g.wide ? C_64F : C_32F, m = (int)g.m, n = (int)g.n, k = (int)g.k;
  *done = false;
  if (g.m > INT32_MAX || g.n > INT32_MAX || g.k > INT32_MAX || g.batch > INT32_MAX) return TH_OK;
  if (!found()) return TH_OK;
  *done = true;
  std::lock_guard<std::mutex> guard(handles.lock);
  void *h;
  TH_TRY(handles.of_stream(&h));
  if (th_cuda_records()) TH_TRY(take_workspace(h));
  TRY(gemm_batch, h, g.first ? CONJUGATE : PLAIN, g.first ? PLAIN : CONJUGATE, m, n, k, alpha,
      g.a, type, g.first ? k : m, g.m * g.k, g.b, type, g.first ? k : n, g.n * g.k, beta, g.c, type, m, g.m * g.n,
      (int)g.batch, g.wide ? COMPUTE_64F : COMPUTE_32F, BEST);
  return TH_OK;
}

#if defined __CUDACC__ && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include "same.cuh"
TH_SAME_NUMBER(SUCCESS, CUBLAS_STATUS_SUCCESS)
TH_SAME_NUMBER(NO_MEMORY, CUBLAS_STATUS_ALLOC_FAILED)
TH_SAME_NUMBER(PLAIN, CUBLAS_OP_N)
TH_SAME_NUMBER(TRANSPOSED, CUBLAS_OP_T)
TH_SAME_NUMBER(CONJUGATE, CUBLAS_OP_C)
TH_SAME_NUMBER(WHOLE_PRECISION, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)
TH_SAME_NUMBER(BEST, CUBLAS_GEMM_DEFAULT)
TH_SAME_NUMBER(R_32F, CUDA_R_32F)
TH_SAME_NUMBER(R_64F, CUDA_R_64F)
TH_SAME_NUMBER(R_16F, CUDA_R_16F)
TH_SAME_NUMBER(R_16BF, CUDA_R_16BF)
TH_SAME_NUMBER(C_32F, CUDA_C_32F)
TH_SAME_NUMBER(C_64F, CUDA_C_64F)
TH_SAME_NUMBER(COMPUTE_32F, CUBLAS_COMPUTE_32F)
TH_SAME_NUMBER(COMPUTE_64F, CUBLAS_COMPUTE_64F)
TH_SAME_NUMBER(COMPUTE_TF32, CUBLAS_COMPUTE_32F_FAST_TF32)
TH_SAME_ARGUMENTS(blas.property, cublasGetProperty)          /* the products have overloads */
TH_SAME_ARGUMENTS(blas.create, cublasCreate_v2)
TH_SAME_ARGUMENTS(blas.destroy, cublasDestroy_v2)
TH_SAME_ARGUMENTS(blas.set_stream, cublasSetStream_v2)
TH_SAME_ARGUMENTS(blas.set_mode, cublasSetMathMode)
TH_SAME_ARGUMENTS(blas.set_workspace, cublasSetWorkspace_v2)
#endif
