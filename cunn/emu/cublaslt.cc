// cublaslt.cc - products with a bias by cublasLt on the emulated device, with its names and
// semantics. It refuses what cunn must not ask for: operands that are less aligned than promised,
// an algorithm of another product, too little workspace.
#include "../runtime/backend.cuh"

namespace
{

enum {
  SUCCESS = 0,
  NOT_INITIALIZED = 1,
  INVALID_VALUE = 7,
  EXECUTION_FAILED = 13,
  NOT_SUPPORTED = 15
};
enum { R_32F = 0, R_16F = 2, R_16BF = 14, COMPUTE_32F = 68, COMPUTE_TF32 = 77 };
enum { TRANSA = 3, TRANSB = 4, EPILOGUE = 7, BIAS_POINTER = 8, BIAS = 4 };
const size_t WORKSPACE = 1024, ALIGNED = 16;

struct product {
  int compute, ta, tb, epilogue;
  const void *bias;
};
struct layout {
  int type;
  uint64_t rows, cols;
  int64_t ld;
};
struct wish {
  size_t workspace;
  uint32_t aligned[4];
};
struct result {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

struct job {
  int ta, tb;
  int64_t m, n, k, lda, ldb, ldd;
  float alpha;
  const void *a, *b, *bias;
  void *d;
};

/* Column-major: d(i, j) = alpha sum of op(a)(i, q) op(b)(q, j), and bias(i). */
template <class T> void multiply_of(const job &g)
{
  typedef element<T> E;
  const T *a = static_cast<const T *>(g.a), *b = static_cast<const T *>(g.b),
          *bias = static_cast<const T *>(g.bias);
  for (int64_t j = 0; j < g.n; j++) {
    for (int64_t i = 0; i < g.m; i++) {
      float sum = 0;
      for (int64_t q = 0; q < g.k; q++) {
        sum += E::load(a[g.ta ? q + i * g.lda : i + q * g.lda]) *
               E::load(b[g.tb ? j + q * g.ldb : q + j * g.ldb]);
      }
      static_cast<T *>(g.d)[i + j * g.ldd] = E::store(g.alpha * sum + E::load(bias[i]));
    }
  }
}

int create(void **h)
{
  *h = new int(1);
  return SUCCESS;
}
int destroy(void *h)
{
  delete static_cast<int *>(h);
  return SUCCESS;
}

int make_product(void **p, int compute, int scale)
{
  if ((compute != COMPUTE_32F && compute != COMPUTE_TF32) || scale != R_32F) return NOT_SUPPORTED;
  *p = new product{ compute, 0, 0, 1, nullptr };
  return SUCCESS;
}
int forget_product(void *p)
{
  delete static_cast<product *>(p);
  return SUCCESS;
}
int set_product(void *of, int which, const void *value, size_t bytes)
{
  product *p = static_cast<product *>(of);
  if (!p || !value || bytes != (which == BIAS_POINTER ? sizeof(void *) : sizeof(int)))
    return INVALID_VALUE;
  switch (which) {
    case TRANSA: memcpy(&p->ta, value, bytes); break;
    case TRANSB: memcpy(&p->tb, value, bytes); break;
    case EPILOGUE: memcpy(&p->epilogue, value, bytes); break;
    case BIAS_POINTER: memcpy(&p->bias, value, bytes); break;
    default: return INVALID_VALUE;
  }
  return SUCCESS;
}

int make_layout(void **l, int type, uint64_t rows, uint64_t cols, int64_t ld)
{
  if (ld < (int64_t)rows) return INVALID_VALUE;
  *l = new layout{ type, rows, cols, ld };
  return SUCCESS;
}
int forget_layout(void *l)
{
  delete static_cast<layout *>(l);
  return SUCCESS;
}

int make_wish(void **w)
{
  *w = new wish{ 0, { 256, 256, 256, 256 } };
  return SUCCESS;
}
int forget_wish(void *w)
{
  delete static_cast<wish *>(w);
  return SUCCESS;
}
int set_wish(void *of, int which, const void *value, size_t bytes)
{
  wish *w = static_cast<wish *>(of);
  if (which == 1 && bytes == sizeof w->workspace) memcpy(&w->workspace, value, bytes);
  else if (which >= 5 && which <= 8 && bytes == sizeof w->aligned[0])
    memcpy(&w->aligned[which - 5], value, bytes);
  else return which == 3 && bytes == sizeof(uint32_t) ? SUCCESS : INVALID_VALUE;
  return SUCCESS;
}

/* What an algorithm is for. */
void name_of(uint64_t *to, const product &p, const layout &a, const layout &b, const layout &d)
{
  const uint64_t name[8] = { (uint64_t)p.ta << 1 | (uint64_t)p.tb,
                             a.rows,
                             a.cols,
                             b.rows,
                             b.cols,
                             d.rows,
                             d.cols,
                             (uint64_t)d.type };
  memcpy(to, name, sizeof name);
}

int choose(void *h, void *of, void *la, void *lb, void *lc, void *ld, void *wishes, int most,
           result *r, int *found)
{
  const product &p = *static_cast<product *>(of);
  const layout &a = *static_cast<layout *>(la), &b = *static_cast<layout *>(lb),
               &d = *static_cast<layout *>(ld);
  const wish &w = *static_cast<wish *>(wishes);
  *found = 0;
  if (!h) return NOT_INITIALIZED;
  if (most < 1 || lc != ld || p.epilogue != BIAS || !p.bias || (uintptr_t)p.bias % ALIGNED)
    return INVALID_VALUE;
  if (a.type != b.type || a.type != d.type ||
      (a.type != R_32F && a.type != R_16F && a.type != R_16BF))
    return NOT_SUPPORTED;
  for (const uint32_t aligned : w.aligned)
    if (aligned != ALIGNED) return NOT_SUPPORTED;
  if (w.workspace < WORKSPACE) return NOT_SUPPORTED;
  memset(r, 0, sizeof *r);
  name_of(r->algorithm, p, a, b, d);
  r->workspace = WORKSPACE;
  *found = 1;
  return SUCCESS;
}

int multiply(void *h, void *of, const void *alpha, const void *a, void *la, const void *b, void *lb,
             const void *beta, const void *c, void *lc, void *d, void *ld, const void *algorithm,
             void *workspace, size_t bytes, cudaStream_t stream)
{
  const product &p = *static_cast<product *>(of);
  const layout &as = *static_cast<layout *>(la), &bs = *static_cast<layout *>(lb),
               &ds = *static_cast<layout *>(ld);
  uint64_t name[8];
  name_of(name, p, as, bs, ds);
  if (!h) return NOT_INITIALIZED;
  if (memcmp(name, algorithm, sizeof name) != 0 || c != d || lc != ld ||
      *static_cast<const float *>(beta) != 0)
    return INVALID_VALUE;
  if (!workspace || bytes < WORKSPACE || (uintptr_t)workspace % 256) return INVALID_VALUE;
  for (const void *q : { a, b, (const void *)d, p.bias })
    if (!q || (uintptr_t)q % ALIGNED) return INVALID_VALUE;
  const uint64_t rows = p.ta ? as.cols : as.rows, deep = p.ta ? as.rows : as.cols,
                 cols = p.tb ? bs.rows : bs.cols;
  if ((p.tb ? bs.cols : bs.rows) != deep || ds.rows != rows || ds.cols != cols)
    return INVALID_VALUE;
  const job g = { p.ta,
                  p.tb,
                  (int64_t)rows,
                  (int64_t)cols,
                  (int64_t)deep,
                  as.ld,
                  bs.ld,
                  ds.ld,
                  *static_cast<const float *>(alpha),
                  a,
                  b,
                  p.bias,
                  d };
  std::function<void()> work;
  switch (ds.type) {
    case R_32F: work = [g] { multiply_of<float>(g); }; break;
    case R_16F: work = [g] { multiply_of<f16>(g); }; break;
    default: work = [g] { multiply_of<bf16>(g); }; break;
  }
  emu::launch(1, 1, 0, stream, work, "product with a bias of cublasLt");
  return cudaGetLastError() == cudaSuccess ? SUCCESS : EXECUTION_FAILED;
}

}  // namespace

void *emu::cublaslt(const char *symbol)
{
  static const struct {
    const char *name;
    void *f;
  } all[] = {
    { "cublasLtCreate", (void *)create },
    { "cublasLtDestroy", (void *)destroy },
    { "cublasLtMatmulDescCreate", (void *)make_product },
    { "cublasLtMatmulDescDestroy", (void *)forget_product },
    { "cublasLtMatmulDescSetAttribute", (void *)set_product },
    { "cublasLtMatrixLayoutCreate", (void *)make_layout },
    { "cublasLtMatrixLayoutDestroy", (void *)forget_layout },
    { "cublasLtMatmulPreferenceCreate", (void *)make_wish },
    { "cublasLtMatmulPreferenceDestroy", (void *)forget_wish },
    { "cublasLtMatmulPreferenceSetAttribute", (void *)set_wish },
    { "cublasLtMatmulAlgoGetHeuristic", (void *)choose },
    { "cublasLtMatmul", (void *)multiply },
  };
  for (const auto &f : all)
    if (strcmp(f.name, symbol) == 0) return f.f;
  return nullptr;
}
