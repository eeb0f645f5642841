/* mm.c - the matrix products, all of them calls of gemm. */
#include "gemm.h"
#include "../op/mm.args.h"

static th_gemm of_matrices(const th_call *c, int y, int a, int b)
{
  const th_tensor *ta = c->arg[a].t, *tb = c->arg[b].t, *ty = c->arg[y].t;
  const size_t es = th_dtype_size(c->dtype);
  const int f = ta->ndim - 2;                       /* 1: a batch */
  th_gemm g = { .dtype = c->dtype,
                .batch = f ? ta->size[0] : 1,
                .m = ta->size[f],
                .k = ta->size[f + 1],
                .n = tb->size[f + 1],
                .alpha = 1,
                .sum = f && ty->ndim == 2,
                .a = th_data(ta, es),
                .b = th_data(tb, es),
                .c = th_data(ty, es) };
  for (int i = 0; i < 2; i++) {
    g.as[1 + i] = ta->stride[f + i];
    g.bs[1 + i] = tb->stride[f + i];
    g.cs[1 + i] = ty->stride[ty->ndim - 2 + i];
  }
  if (f) g.as[0] = ta->stride[0], g.bs[0] = tb->stride[0], g.cs[0] = g.sum ? 0 : ty->stride[0];
  return g;
}

static th_status product(const th_call *c)
{
  const th_gemm g = of_matrices(c, mm_y, mm_a, mm_b);
  return TH_AT(th_gemm_run)(&g);
}

static void copy_row(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  const size_t es = *(const size_t *)ctx;
  if (step[0] == (int64_t)es && step[1] == (int64_t)es) {
    memcpy(p[0], p[1], es * (size_t)n);
    return;
  }
  for (int64_t i = 0; i < n; i++) memcpy(p[0] + i * step[0], p[1] + i * step[1], es);
}

/* y = m, in the layout of y, unless they are one. */
static th_status put_addend(const th_call *c)
{
  const addmm_args *a = addmm_args_of(c);
  const size_t es = th_dtype_size(c->dtype);
  th_tensor *const t[] = { a->y, a->m };
  if (th_data(t[0], es) == th_data(t[1], es)) return TH_OK;
  return th_each(2, t, copy_row, &es);
}

/* beta * y where there is no product to add. */
static th_status added(const th_call *c)
{
  const addmm_args *a = addmm_args_of(c);
  th_gemm g = of_matrices(c, addmm_y, addmm_a, addmm_b);
  g.beta = a->beta;
  g.alpha = a->alpha;
  if (g.beta != 0) g.begin = put_addend, g.call = c;
  if (g.batch == 0 && g.sum) g.batch = 1, g.k = 0;  /* an empty sum still scales */
  return TH_AT(th_gemm_run)(&g);
}

const th_kernel TH_AT(th_mm)[TH_NDTYPE] = TH_ANY(product);
const th_kernel TH_AT(th_bmm)[TH_NDTYPE] = TH_ANY(product);
const th_kernel TH_AT(th_addmm)[TH_NDTYPE] = TH_ANY(added);
const th_kernel TH_AT(th_baddbmm)[TH_NDTYPE] = TH_ANY(added);
const th_kernel TH_AT(th_addbmm)[TH_NDTYPE] = TH_ANY(added);
