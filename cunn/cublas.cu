// cublas.cu - cuBLAS, opened when the first product needs it. Without it our own kernels multiply.
#include <stdio.h>
#include <stdlib.h>
#include <map>
#include <mutex>
#include "gemm.cuh"
#include "graph.cuh"
#include "thcuda.h"

/* ---- the library: what its interface calls things ---- */

enum { SUCCESS = 0, NO_MEMORY = 3, PLAIN = 0, TRANSPOSED = 1, CONJUGATE = 2, WHOLE_PRECISION = 16, BEST = -1 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14, C_32F = 4, C_64F = 5 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_TF32 = 77 };

#define FUNCTIONS(F) \
  F(create, "cublasCreate_v2", void **handle) \
  F(set_stream, "cublasSetStream_v2", void *handle, cudaStream_t stream) \
  F(set_mode, "cublasSetMathMode", void *handle, int mode) \
  F(set_workspace, "cublasSetWorkspace_v2", void *handle, void *workspace, size_t bytes) \
  F(gemm, "cublasGemmEx", void *handle, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda, \
    const void *b, int bt, int ldb, const void *beta, void *c, int ct, int ldc, int compute, int how) \
  F(gemm_batch, "cublasGemmStridedBatchedEx", void *handle, int ta, int tb, int m, int n, int k, const void *alpha, \
    const void *a, int at, int lda, long long as, const void *b, int bt, int ldb, long long bs, const void *beta, void *c, \
    int ct, int ldc, long long cs, int batch, int compute, int how)

static struct {
#define DECLARE(f, symbol, ...) int (*f)(__VA_ARGS__);
  FUNCTIONS(DECLARE)
#undef DECLARE
} blas;
static bool found, tf32;
static char name[256], why_not[512];
static std::once_flag once;
static std::mutex lock;
static std::map<std::pair<int, cudaStream_t>, void *> handles;

#ifdef __CUDACC__
#include <dlfcn.h>
static void *open_library(const char *file) { return dlopen(file, RTLD_NOW | RTLD_LOCAL); }
static void *symbol_of(void *library, const char *symbol) { return dlsym(library, symbol); }
#else
static void *open_library(const char *) { return &blas; }                      /* it has its own */
static void *symbol_of(void *, const char *symbol) { return emu::cublas(symbol); }
#endif

static bool take(const char *file)
{
  void *library = open_library(file);
  if (!library) return false;
#define BIND(f, symbol, ...) \
  *(void **)&blas.f = symbol_of(library, symbol); \
  if (!blas.f) return snprintf(why_not, sizeof why_not, "the cuBLAS in %s has no %s", file, symbol) < 0;
  FUNCTIONS(BIND)
#undef BIND
  snprintf(name, sizeof name, "%s", file);
  return true;
}

/* TH_CUBLAS names the library to open; "none" asks for our own kernels. */
static void find()
{
  static const char *const usual[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so" };
  const char *wanted = getenv("TH_CUBLAS");
  snprintf(why_not, sizeof why_not, "libcublas.so was not found: it comes with CUDA's toolkit; TH_CUBLAS names one elsewhere");
  if (wanted && *wanted) {
    snprintf(why_not, sizeof why_not, "TH_CUBLAS=%s", wanted);
    found = strcmp(wanted, "none") != 0 && take(wanted);
    return;
  }
  for (const char *file : usual) if (!found) found = take(file);
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

/* Each stream has a handle of its own, and with it memory to work in: so bits do not depend on other streams. Under the
 * lock. */
static th_status handle_of_stream(void **handle)
{
  int device = 0;
  TH_CUDA_TRY(cudaGetDevice(&device));
  void *&h = handles[std::make_pair(device, th_cuda_stream())];
  if (!h) {
    void *made = nullptr;
    TRY(create, &made);
    TRY(set_stream, made, th_cuda_stream());
    TRY(set_mode, made, WHOLE_PRECISION);            /* halves are summed in float to the end */
    h = made;
  }
  *handle = h;
  return TH_OK;
}

/* The handle of a stream that is about to be captured, where products have been asked for before. */
th_status th_cuda_blas_prepare()
{
  std::lock_guard<std::mutex> guard(lock);
  void *h;
  return handles.empty() ? TH_OK : handle_of_stream(&h);
}

const char *th_cuda_blas(void)
{
  std::call_once(once, find);
  return found ? name : "";
}
const char *th_cuda_blas_why(void)
{
  std::call_once(once, find);
  return found ? "" : why_not;
}
int th_cuda_tf32(void) { return __atomic_load_n(&tf32, __ATOMIC_RELAXED); }
void th_cuda_set_tf32(int on) { __atomic_store_n(&tf32, on != 0, __ATOMIC_RELAXED); }

/* ---- products ---- */

/* How the library, which counts by columns, is to read a matrix that we count by rows: as its transpose (PLAIN), or, where
 * neighbours in a column lie side by side, as it is. ld 0: not at all. */
struct side { int turned, ld; };
static side side_of(int64_t rows, int64_t cols, const int64_t *step)
{
  const int64_t row = step[1], col = step[2];
  const int64_t by_rows = rows == 1 ? cols : row, by_cols = cols == 1 ? rows : col;
  if ((cols == 1 || col == 1) && by_rows >= cols && by_rows <= INT32_MAX) return { PLAIN, (int)by_rows };
  if ((rows == 1 || row == 1) && by_cols >= rows && by_cols <= INT32_MAX) return { TRANSPOSED, (int)by_cols };
  return { PLAIN, 0 };
}

static th_status call(const th_cuda_gemm &g, side a, side b, int ldc)
{
  static const int types[TH_NDTYPE] = { 0, 0, 0, 0, 0, 0, R_16F, R_16BF, R_32F, R_64F };
  const int type = types[g.dtype], m = (int)g.m, n = (int)g.n, k = (int)g.k;
  const int compute = g.dtype == TH_F64 ? COMPUTE_64F : g.dtype == TH_F32 && th_cuda_tf32() ? COMPUTE_TF32 : COMPUTE_32F;
  const size_t es = th_element_size(g.dtype);
  double d[3] = { g.alpha, g.beta, 1 };
  float f[3] = { (float)g.alpha, (float)g.beta, 1 };
  const bool wide = g.dtype == TH_F64;
  const void *const number[3] = { wide ? (void *)&d[0] : &f[0], wide ? (void *)&d[1] : &f[1], wide ? (void *)&d[2] : &f[2] };
  std::lock_guard<std::mutex> guard(lock);
  void *h;
  TH_TRY(handle_of_stream(&h));
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
  const side a = side_of(g.m, g.k, g.as), b = side_of(g.k, g.n, g.bs), c = side_of(g.m, g.n, g.cs);
  const bool halves_summed = g.sum && g.batch > 1 && g.dtype < TH_F32;          /* would be rounded after each product */
  if (!a.ld || !b.ld || !c.ld || c.turned != PLAIN || halves_summed) return TH_OK;
  if (g.m > INT32_MAX || g.n > INT32_MAX || g.k > INT32_MAX || g.batch > INT32_MAX) return TH_OK;
  std::call_once(once, find);
  if (!found) return TH_OK;
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
  std::call_once(once, find);
  if (!found) return TH_OK;
  *done = true;
  std::lock_guard<std::mutex> guard(lock);
  void *h;
  TH_TRY(handle_of_stream(&h));
  if (th_cuda_records()) TH_TRY(take_workspace(h));
  TRY(gemm_batch, h, g.first ? CONJUGATE : PLAIN, g.first ? PLAIN : CONJUGATE, m, n, k, alpha,
      g.a, type, g.first ? k : m, g.m * g.k, g.b, type, g.first ? k : n, g.n * g.k, beta, g.c, type, m, g.m * g.n,
      (int)g.batch, g.wide ? COMPUTE_64F : COMPUTE_32F, BEST);
  return TH_OK;
}
