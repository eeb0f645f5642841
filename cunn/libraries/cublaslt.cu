// cublaslt.cu - products to which cublasLt adds a row, as a layer's bias: one kernel in place of
// two.
#include <array>
#include <map>
#include "../runtime/device.cuh"
#include "../runtime/recording.cuh"
#include "cublaslt.cuh"
#include "library.h"

namespace
{

enum { SUCCESS = 0, NO_MEMORY = 3, INVALID = 7, WRONG_GPU = 8, NOT_SUPPORTED = 15 };
enum { TRANSPOSE_A = 3, TRANSPOSE_B = 4, EPILOGUE = 7, BIAS_POINTER = 8, ADD_BIAS = 4 };
enum {
  WORKSPACE = 1,
  REDUCTIONS = 3,
  ALIGN_A = 5,
  ALIGN_B = 6,
  ALIGN_C = 7,
  ALIGN_D = 8,
  IN_FULL = 2
};
const size_t MOST_WORKSPACE = 4 << 20, ALIGNED = 16;

/* What cublasLt has chosen for a product. */
struct choice {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

#define FUNCTIONS(F) \
  F(create, cublasLtCreate, void **handle) \
  F(destroy, cublasLtDestroy, void *handle) \
  F(product, cublasLtMatmulDescCreate, void **product, int compute, int scale) \
  F(forget_product, cublasLtMatmulDescDestroy, void *product) \
  F(set_product, cublasLtMatmulDescSetAttribute, void *product, int which, const void *value, \
    size_t bytes) \
  F(layout, cublasLtMatrixLayoutCreate, void **layout, int type, uint64_t rows, uint64_t cols, \
    int64_t ld) \
  F(forget_layout, cublasLtMatrixLayoutDestroy, void *layout) \
  F(wish, cublasLtMatmulPreferenceCreate, void **wish) \
  F(forget_wish, cublasLtMatmulPreferenceDestroy, void *wish) \
  F(set_wish, cublasLtMatmulPreferenceSetAttribute, void *wish, int which, const void *value, \
    size_t bytes) \
  F(choose, cublasLtMatmulAlgoGetHeuristic, void *handle, void *product, void *a, void *b, \
    void *c, void *d, void *wish, int most, choice *choices, int *found) \
  F(multiply, cublasLtMatmul, void *handle, void *product, const void *alpha, const void *a, \
    void *la, const void *b, void *lb, const void *beta, const void *c, void *lc, void *d, \
    void *ld, const void *algorithm, void *workspace, size_t bytes, cudaStream_t stream)

struct {
#define DECLARE(f, symbol, ...) int (*f)(__VA_ARGS__);
  FUNCTIONS(DECLARE)
#undef DECLARE
} lt;
th_library library("cublasLt", "TH_CUBLASLT");

#ifdef __CUDACC__
void *(*const emulated)(const char *) = nullptr;
#else
void *(*const emulated)(const char *) = emu::cublaslt;
#endif

/* A library that opens may not work with this driver. Want of memory passes. */
std::string trial()
{
  void *made = nullptr;
  const int e = lt.create(&made);
  if (e == SUCCESS) lt.destroy(made);
  return e == SUCCESS || e == NO_MEMORY ? "" : "cublasLtCreate: status " + std::to_string(e);
}

bool found()
{
#define BIND(f, symbol, ...) { (void **)&lt.f, #symbol },
  static const bool there = library.open(
      { "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so" },
      { FUNCTIONS(BIND) }, emulated, trial);
#undef BIND
  return there;
}

/* ---- plans ---- */

/* A product of these sizes, column-major: d (m x n) = op(a) op(b) + a column. */
struct sizes {
  int device, type, compute, ta, tb, m, n, k, lda, ldb, ldd;
};
typedef std::array<int, 11> sizes_key;
static sizes_key key_of(const sizes &s)
{
  return { { s.device, s.type, s.compute, s.ta, s.tb, s.m, s.n, s.k, s.lda, s.ldb, s.ldd } };
}

/* How cublasLt computes it. works: it can. */
struct plan {
  void *product, *a, *b, *d;
  choice chosen;
  bool works;
};

std::mutex lock; /* of everything below */
void *handles[TH_MAXDEVICE];
std::map<sizes_key, plan> plans;
const size_t MOST_PLANS = 2048;

void forget(plan *p)
{
  if (p->product) lt.forget_product(p->product);
  for (void *layout : { p->a, p->b, p->d })
    if (layout) lt.forget_layout(layout);
}

int set(void *product, int which, int value)
{
  return lt.set_product(product, which, &value, sizeof value);
}

/* Describes the product; a status of cublasLt. */
int describe(plan *p, const sizes &s)
{
  const int single = 0, scale = single; /* CUDA_R_32F */
  int e = lt.product(&p->product, s.compute, scale);
  if (e == SUCCESS) e = set(p->product, TRANSPOSE_A, s.ta);
  if (e == SUCCESS) e = set(p->product, TRANSPOSE_B, s.tb);
  if (e == SUCCESS) e = set(p->product, EPILOGUE, ADD_BIAS);
  if (e == SUCCESS)
    e = lt.layout(&p->a, s.type, (uint64_t)(s.ta ? s.k : s.m), (uint64_t)(s.ta ? s.m : s.k), s.lda);
  if (e == SUCCESS)
    e = lt.layout(&p->b, s.type, (uint64_t)(s.tb ? s.n : s.k), (uint64_t)(s.tb ? s.k : s.n), s.ldb);
  return e == SUCCESS ? lt.layout(&p->d, s.type, (uint64_t)s.m, (uint64_t)s.n, s.ldd) : e;
}

/* The best algorithm for operands at multiples of 16 bytes that sums in floats to the end. */
int choose(plan *p, void *handle)
{
  void *wish = nullptr;
  int n = 0, e = lt.wish(&wish);
  const void *const somewhere =
      (const void *)ALIGNED; /* only the alignment of the address counts */
  const uint32_t aligned = ALIGNED, reductions = IN_FULL;
  if (e == SUCCESS) e = lt.set_product(p->product, BIAS_POINTER, &somewhere, sizeof somewhere);
  if (e == SUCCESS) e = lt.set_wish(wish, WORKSPACE, &MOST_WORKSPACE, sizeof MOST_WORKSPACE);
  if (e == SUCCESS) e = lt.set_wish(wish, REDUCTIONS, &reductions, sizeof reductions);
  for (int which : { ALIGN_A, ALIGN_B, ALIGN_C, ALIGN_D }) {
    if (e == SUCCESS) e = lt.set_wish(wish, which, &aligned, sizeof aligned);
  }
  if (e == SUCCESS)
    e = lt.choose(handle, p->product, p->a, p->b, p->d, p->d, wish, 1, &p->chosen, &n);
  if (wish) lt.forget_wish(wish);
  return e != SUCCESS ? e : n < 1 ? NOT_SUPPORTED : p->chosen.state;
}

/* Under the lock. A plan that does not work is kept, too, so that nothing tries again. */
plan *plan_for(const sizes &s, void *handle)
{
  const auto at = plans.find(key_of(s));
  if (at != plans.end()) return &at->second;
  if (plans.size() >= MOST_PLANS) {
    for (auto &p : plans) forget(&p.second);
    plans.clear();
  }
  plan p = {};
  p.works = describe(&p, s) == SUCCESS && choose(&p, handle) == SUCCESS;
  return &(plans[key_of(s)] = p);
}

/* The device's handle; nothing if there is none and a recording forbids to create it. */
void *handle_of(int device)
{
  if (!handles[device] && (th_cuda_records() || lt.create(&handles[device]) != SUCCESS))
    return nullptr;
  return handles[device];
}

bool is_aligned(const void *p) { return (uintptr_t)p % ALIGNED == 0; }

th_status multiply(const th_cuda_gemm &g, const void *row, const sizes &s, bool *done)
{
  const float alpha = (float)g.alpha, beta = 0;
  th_cuda_scratch work;
  plan p;
  {
    std::lock_guard<std::mutex> guard(lock);
    void *const handle = handle_of(s.device);
    if (!handle) return TH_OK;
    p = *plan_for(s, handle);
  }
  if (!p.works) return TH_OK;
  if (p.chosen.workspace) TH_TRY(work.take(p.chosen.workspace));
  std::lock_guard<std::mutex> guard(lock);
  const auto at = plans.find(key_of(s));
  if (at == plans.end() || at->second.product != p.product)
    return TH_OK; /* another thread has cleared the plans */
  plan &now = at->second;
  int e = lt.set_product(now.product, BIAS_POINTER, &row, sizeof row);
  if (e == SUCCESS) {
    e = lt.multiply(handles[s.device], now.product, &alpha, g.b, now.a, g.a, now.b, &beta, g.c,
                    now.d, g.c, now.d, now.chosen.algorithm, work.as<void>(), now.chosen.workspace,
                    th_cuda_stream());
  }
  *done = e == SUCCESS;
  now.works = e != INVALID && e != WRONG_GPU && e != NOT_SUPPORTED;
  if (e == NO_MEMORY) return th_fail(TH_ENOMEM, "out of memory on a CUDA device (cublasLt)");
  return *done || !now.works
             ? TH_OK
             : th_fail(TH_EBACKEND, "cublasLt: status %d (a product with a bias)", e);
}

}  // namespace

/* To open a library takes memory, as a capture may not. */
th_status th_cuda_blaslt_prepare()
{
  int device = 0;
  if (!*th_cuda_blas() || !found()) return TH_OK;
  TH_CUDA_TRY(cudaGetDevice(&device));
  std::lock_guard<std::mutex> guard(lock);
  handle_of(device);
  return TH_OK;
}

th_status th_cuda_blas_add_row(const th_cuda_gemm &g, const void *row, bool *done)
{
  const th_cuda_side a = th_cuda_side_of(g.m, g.k, g.as), b = th_cuda_side_of(g.k, g.n, g.bs);
  const th_cuda_side c = th_cuda_side_of(g.m, g.n, g.cs);
  int device = 0;
  *done = false;
  if (g.batch != 1 || g.m < 1 || g.n < 1 || g.k < 1 || g.dtype < TH_F16 || g.dtype > TH_F32)
    return TH_OK;
  if (g.m > INT32_MAX || g.n > INT32_MAX || g.k > INT32_MAX || !a.ld || !b.ld || !c.ld || c.turned)
    return TH_OK;
  if (!is_aligned(g.a) || !is_aligned(g.b) || !is_aligned(g.c) || !is_aligned(row)) return TH_OK;
  if (!*th_cuda_blas() || !found()) return TH_OK;
  TH_CUDA_TRY(cudaGetDevice(&device));
  return multiply(g, row,
                  { device, th_cuda_blas_type(g.dtype), th_cuda_blas_compute(g.dtype), b.turned,
                    a.turned, (int)g.n, (int)g.m, (int)g.k, b.ld, a.ld, c.ld },
                  done);
}

#if defined __CUDACC__ && __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include "same.cuh"
TH_SAME_NUMBER(SUCCESS, CUBLAS_STATUS_SUCCESS)
TH_SAME_NUMBER(NO_MEMORY, CUBLAS_STATUS_ALLOC_FAILED)
TH_SAME_NUMBER(INVALID, CUBLAS_STATUS_INVALID_VALUE)
TH_SAME_NUMBER(WRONG_GPU, CUBLAS_STATUS_ARCH_MISMATCH)
TH_SAME_NUMBER(NOT_SUPPORTED, CUBLAS_STATUS_NOT_SUPPORTED)
TH_SAME_NUMBER(TRANSPOSE_A, CUBLASLT_MATMUL_DESC_TRANSA)
TH_SAME_NUMBER(TRANSPOSE_B, CUBLASLT_MATMUL_DESC_TRANSB)
TH_SAME_NUMBER(EPILOGUE, CUBLASLT_MATMUL_DESC_EPILOGUE)
TH_SAME_NUMBER(BIAS_POINTER, CUBLASLT_MATMUL_DESC_BIAS_POINTER)
TH_SAME_NUMBER(ADD_BIAS, CUBLASLT_EPILOGUE_BIAS)
TH_SAME_NUMBER(WORKSPACE, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
TH_SAME_NUMBER(REDUCTIONS, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)
TH_SAME_NUMBER(ALIGN_A, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES)
TH_SAME_NUMBER(ALIGN_B, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES)
TH_SAME_NUMBER(ALIGN_C, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES)
TH_SAME_NUMBER(ALIGN_D, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES)
TH_SAME_NUMBER(IN_FULL, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)
TH_SAME_NUMBER(sizeof(choice), sizeof(cublasLtMatmulHeuristicResult_t))
TH_SAME_NUMBER(offsetof(choice, workspace),
               offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize))
TH_SAME_NUMBER(offsetof(choice, state), offsetof(cublasLtMatmulHeuristicResult_t, state))
TH_SAME_ARGUMENTS(lt.create, cublasLtCreate)
TH_SAME_ARGUMENTS(lt.destroy, cublasLtDestroy)
TH_SAME_ARGUMENTS(lt.product, cublasLtMatmulDescCreate)
TH_SAME_ARGUMENTS(lt.forget_product, cublasLtMatmulDescDestroy)
TH_SAME_ARGUMENTS(lt.set_product, cublasLtMatmulDescSetAttribute)
TH_SAME_ARGUMENTS(lt.layout, cublasLtMatrixLayoutCreate)
TH_SAME_ARGUMENTS(lt.forget_layout, cublasLtMatrixLayoutDestroy)
TH_SAME_ARGUMENTS(lt.wish, cublasLtMatmulPreferenceCreate)
TH_SAME_ARGUMENTS(lt.forget_wish, cublasLtMatmulPreferenceDestroy)
TH_SAME_ARGUMENTS(lt.set_wish, cublasLtMatmulPreferenceSetAttribute)
TH_SAME_ARGUMENTS(lt.choose, cublasLtMatmulAlgoGetHeuristic)
TH_SAME_ARGUMENTS(lt.multiply, cublasLtMatmul)
#endif
