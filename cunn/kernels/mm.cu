// mm.cu - the matrix products, all of them calls of gemm.
#include "../libraries/cublaslt.cuh"
#include "gemm.cuh"
#include "../../lib/op/mm.args.h"

namespace {

static th_cuda_gemm of_matrices(const th_call *c, int y, int a, int b)
{
  const th_tensor *ta = c->arg[a].t, *tb = c->arg[b].t, *ty = c->arg[y].t;
  const size_t es = th_element_size(c->dtype);
  const int f = ta->ndim - 2;                       /* 1: a batch */
  th_cuda_gemm g = {};
  g.dtype = c->dtype;
  g.batch = f ? ta->size[0] : 1;
  g.m = ta->size[f], g.k = ta->size[f + 1], g.n = tb->size[f + 1];
  g.alpha = 1;
  g.sum = f && ty->ndim == 2;
  g.a = th_data(ta, es), g.b = th_data(tb, es), g.c = th_data(ty, es);
  for (int i = 0; i < 2; i++) {
    g.as[1 + i] = ta->stride[f + i];
    g.bs[1 + i] = tb->stride[f + i];
    g.cs[1 + i] = ty->stride[ty->ndim - 2 + i];
  }
  if (f) g.as[0] = ta->stride[0], g.bs[0] = tb->stride[0], g.cs[0] = g.sum ? 0 : ty->stride[0];
  return g;
}

static th_status product(const th_call *c) { return th_cuda_gemm_run(of_matrices(c, mm_y, mm_a, mm_b)); }

/* m is one row that repeats, as a layer's bias is: cublasLt may add it to the product. */
static th_status add_row(const th_cuda_gemm &g, const th_tensor *m, bool *done)
{
  *done = false;
  if (m->ndim != 2 || m->size[0] < 2 || m->stride[0] != 0) return TH_OK;
  if (m->size[1] > 1 && m->stride[1] != 1) return TH_OK;
  return th_cuda_blas_add_row(g, th_data(m, th_element_size(g.dtype)), done);
}

static th_status added(const th_call *c)
{
  const addmm_args *a = addmm_args_of(c);
  th_cuda_gemm g = of_matrices(c, addmm_y, addmm_a, addmm_b);
  bool done = false;
  g.alpha = a->alpha;
  if (a->beta == 1) TH_TRY(add_row(g, a->m, &done));
  if (done) return TH_OK;
  g.beta = a->beta;
  if (g.beta != 0 && th_data(a->y, 1) != th_data(a->m, 1)) TH_TRY(th_cuda_move(a->y, a->m));
  if (g.batch == 0 && g.sum) g.batch = 1, g.k = 0;  /* an empty sum still scales */
  return th_cuda_gemm_run(g);
}

}  // namespace

#define ANY(f) f, f, f, f, f, f, f, f, f
TH_KERNELS(mm, ANY(product))
TH_KERNELS(bmm, ANY(product))
TH_KERNELS(addmm, ANY(added))
TH_KERNELS(baddbmm, ANY(added))
TH_KERNELS(addbmm, ANY(added))
