// cublas.cc - the products of cuBLAS on the emulated device, with cuBLAS's names and semantics, computed by plain loops.
#include "../runtime/backend.cuh"

namespace {

enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14, C_32F = 4, C_64F = 5, COMPUTE_64F = 70 };

struct handle { cudaStream_t stream; };

struct product {
  int ta, tb, m, n, k, lda, ldb, ldc, batch;
  long long as, bs, cs;
  double alpha, beta;
  const void *a, *b;
  void *c;
};

/* Column-major: element (i, j) of a matrix is at i + j * ld, or at j + i * ld if it is transposed. */
template <class T> void multiply(const product &g)
{
  typedef element<T> E;
  typedef typename E::C C;
  for (int p = 0; p < g.batch; p++) {
    const T *a = static_cast<const T *>(g.a) + p * g.as, *b = static_cast<const T *>(g.b) + p * g.bs;
    T *c = static_cast<T *>(g.c) + p * g.cs;
    for (int j = 0; j < g.n; j++) {
      for (int i = 0; i < g.m; i++) {
        C sum = 0;
        for (int q = 0; q < g.k; q++) {
          const size_t at = g.ta ? q + (size_t)i * g.lda : i + (size_t)q * g.lda;
          const size_t bt = g.tb ? j + (size_t)q * g.ldb : q + (size_t)j * g.ldb;
          sum += E::load(a[at]) * E::load(b[bt]);
        }
        T &to = c[i + (size_t)j * g.ldc];
        to = E::store(g.beta != 0 ? (C)g.alpha * sum + (C)g.beta * E::load(to) : (C)g.alpha * sum);
      }
    }
  }
}

/* The same for complex numbers; 2: conjugate transpose. cunn uses real factors only. */
template <class T> void multiply_complex(const product &g)
{
  struct cx { T re, im; };
  for (int p = 0; p < g.batch; p++) {
    const cx *a = static_cast<const cx *>(g.a) + p * g.as, *b = static_cast<const cx *>(g.b) + p * g.bs;
    cx *c = static_cast<cx *>(g.c) + p * g.cs;
    const T sa = g.ta == 2 ? -1 : 1, sb = g.tb == 2 ? -1 : 1;
    for (int j = 0; j < g.n; j++) {
      for (int i = 0; i < g.m; i++) {
        T re = 0, im = 0;
        for (int q = 0; q < g.k; q++) {
          const cx x = a[g.ta ? q + (size_t)i * g.lda : i + (size_t)q * g.lda];
          const cx y = b[g.tb ? j + (size_t)q * g.ldb : q + (size_t)j * g.ldb];
          re += x.re * y.re - sa * sb * x.im * y.im;
          im += sb * x.re * y.im + sa * x.im * y.re;
        }
        cx &to = c[i + (size_t)j * g.ldc];
        const T alpha = (T)g.alpha, beta = (T)g.beta;
        to = { alpha * re + (beta != 0 ? beta * to.re : 0), alpha * im + (beta != 0 ? beta * to.im : 0) };
      }
    }
  }
}

int property(int which, int *value)
{
  if (which < 0 || which > 2 || !value) return INVALID_VALUE;
  *value = 0;
  return SUCCESS;
}
int create(void **h)
{
  *h = new handle{ nullptr };
  return SUCCESS;
}
int destroy(void *h)
{
  delete static_cast<handle *>(h);
  return h ? SUCCESS : NOT_INITIALIZED;
}
int set_stream(void *h, cudaStream_t s)
{
  if (!h) return NOT_INITIALIZED;
  static_cast<handle *>(h)->stream = s;
  return SUCCESS;
}
int set_mode(void *h, int) { return h ? SUCCESS : NOT_INITIALIZED; }

int set_workspace(void *h, void *p, size_t)
{
  if (!h) return NOT_INITIALIZED;
  return (uintptr_t)p % 256 ? INVALID_VALUE : SUCCESS;
}

int gemm_batch(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda, long long as,
               const void *b, int bt, int ldb, long long bs, const void *beta, void *c, int ct, int ldc, long long cs, int batch,
               int compute, int)
{
  if (!h) return NOT_INITIALIZED;
  if (m < 0 || n < 0 || k < 0 || batch < 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m || lda < 1 || ldb < 1) {
    return INVALID_VALUE;
  }
  if (at != bt || at != ct || (at == R_64F || at == C_64F) != (compute == COMPUTE_64F)) return NOT_SUPPORTED;
  const bool wide = compute == COMPUTE_64F;
  const product g = { ta, tb, m, n, k, lda, ldb, ldc, batch, as, bs, cs,
                      wide ? *static_cast<const double *>(alpha) : *static_cast<const float *>(alpha),
                      wide ? *static_cast<const double *>(beta) : *static_cast<const float *>(beta), a, b, c };
  std::function<void()> work;
  switch (at) {
    case R_32F:  work = [g] { multiply<float>(g); }; break;
    case R_64F:  work = [g] { multiply<double>(g); }; break;
    case R_16F:  work = [g] { multiply<f16>(g); }; break;
    case R_16BF: work = [g] { multiply<bf16>(g); }; break;
    case C_32F:  work = [g] { multiply_complex<float>(g); }; break;
    case C_64F:  work = [g] { multiply_complex<double>(g); }; break;
    default: return NOT_SUPPORTED;
  }
  emu::launch(1, 1, 0, static_cast<handle *>(h)->stream, work, "gemm of cuBLAS");
  return cudaGetLastError() == cudaSuccess ? SUCCESS : EXECUTION_FAILED;
}

int gemm(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda, const void *b, int bt,
         int ldb, const void *beta, void *c, int ct, int ldc, int compute, int how)
{
  return gemm_batch(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1, compute, how);
}

}  // namespace

void *emu::cublas(const char *symbol)
{
  static const struct { const char *name; void *f; } all[] = {
    { "cublasGetProperty", (void *)property },
    { "cublasCreate_v2", (void *)create }, { "cublasDestroy_v2", (void *)destroy },
    { "cublasSetStream_v2", (void *)set_stream },
    { "cublasSetMathMode", (void *)set_mode }, { "cublasSetWorkspace_v2", (void *)set_workspace },
    { "cublasGemmEx", (void *)gemm }, { "cublasGemmStridedBatchedEx", (void *)gemm_batch },
  };
  for (const auto &f : all) if (strcmp(f.name, symbol) == 0) return f.f;
  return nullptr;
}
