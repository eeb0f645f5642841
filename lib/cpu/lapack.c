/* lapack.c - calls of LAPACK: operands are copied by columns, the routine works on the copies, and
 * only when it has succeeded do the results take shape and values. One thread a call, so that the
 * bits do not depend on threads. */
#ifndef T
#include <limits.h>
#include "../core/blas.h"
#include "../op/lapack.args.h"
#include "walk.h"

/* ---- scratch memory: taken piece by piece, given back together ---- */

enum { PIECES = 8 };
typedef struct pile {
  void *piece[PIECES];
  int n;
} pile;

/* Room for `count` elements; NULL with TH_ENOMEM's message kept when there is none. */
static void *take(pile *p, int64_t count, size_t size)
{
  const int64_t n = th_max(count, 1), most = INT64_MAX / (int64_t)size;
  void *piece = n > most ? NULL : th_scratch(size * (size_t)n);
  if (piece)
    p->piece[p->n++] = piece;
  else
    th_no_scratch((int64_t)size * th_min(n, most));
  return piece;
}
#define TAKE(p, to, count)                   \
  do {                                       \
    (to) = take((p), (count), sizeof *(to)); \
    if (!(to)) return TH_ENOMEM;             \
  } while (0)

typedef th_status (*body)(const th_call *c, pile *p);

/* Whatever comes of f, the memory that it took goes back. */
static th_status with_scratch(const th_call *c, body f)
{
  const th_blas *b;
  pile p = { 0 };
  TH_TRY(th_blas_open(&b));
  th_blas_enter();
  th_blas_waits(c->op->name);
  const th_status s = f(c, &p);
  th_blas_waits(NULL);
  th_blas_leave();
  while (p.n > 0) th_scratch_free(p.piece[--p.n]);
  return s;
}

/* ---- sizes ---- */

/* check has seen that sizes fit. */
static int rows_of(const th_call *c, int arg) { return (int)c->arg[arg].t->size[0]; }
static int cols_of(const th_call *c, int arg)
{
  const th_tensor *t = c->arg[arg].t;
  return t->ndim == 2 ? (int)t->size[1] : 1;
}
static int64_t area(int rows, int cols) { return (int64_t)rows * cols; }

/* What a routine said it would like to have; in float it was rounded, so a little more. */
static th_status work_size(int *lwork, double wish)
{
  const double n = ceil(wish * (1 + 0x1p-22));
  if (!(n <= INT_MAX))
    return th_fail(TH_ESHAPE, "LAPACK cannot count the workspace of a matrix this large");
  *lwork = n < 1 ? 1 : (int)n;
  return TH_OK;
}

/* Negative: an argument that LAPACK takes for wrong, which check should have seen. */
static th_status accepted(const char *routine, int info)
{
  if (info >= 0) return TH_OK;
  return th_fail(TH_EBACKEND, "LAPACK's %s refused its argument %d", routine, -info);
}

/* Fortran passes the length of each string behind all other arguments. */
static const size_t LETTER = 1;

#define TH_EACH_FLOATS
#define TH_SELF "lapack.c"
#include "each_dtype.h"

#define LAPACKED(f) const th_kernel TH_AT(th_##f)[TH_NDTYPE] = TH_BLASABLE(f)
LAPACKED(gesv);
LAPACKED(gels);
LAPACKED(trtrs);
LAPACKED(inverse);
LAPACKED(symeig);
LAPACKED(eig);
LAPACKED(svd);
LAPACKED(potrf);
LAPACKED(potri);
LAPACKED(potrs);
LAPACKED(pstrf);
LAPACKED(qr);
LAPACKED(geqrf);
LAPACKED(orgqr);
LAPACKED(ormqr);

#elif !IS_HALF

#define ROUTINE(f) (sizeof(T) == sizeof(float) ? "s" #f "_" : "d" #f "_")
#define GET(f)     TH_TRY(th_lapack_get(&f, ROUTINE(f)))

/* ---- copies ---- */

/* to[i, j] = from[i, j], both with steps between rows and between columns; in tiles, as one side
 * may be by rows and the other by columns. */
static void K(move)(T *to, int64_t to_row, int64_t to_col, const T *from, int64_t row, int64_t col,
                    int64_t rows, int64_t cols)
{
  enum { TILE = 32 };
  for (int64_t i0 = 0; i0 < rows; i0 += TILE) {
    const int64_t i1 = th_min(rows, i0 + TILE);
    for (int64_t j0 = 0; j0 < cols; j0 += TILE) {
      const int64_t j1 = th_min(cols, j0 + TILE);
      for (int64_t j = j0; j < j1; j++)
        for (int64_t i = i0; i < i1; i++) to[i * to_row + j * to_col] = from[i * row + j * col];
    }
  }
}

/* Matrix or vector `arg` by columns, in memory with room for `ld` rows. */
static th_status K(load)(const th_call *c, pile *p, T **to, int arg, int ld)
{
  const th_tensor *t = c->arg[arg].t;
  TAKE(p, *to, area(ld, cols_of(c, arg)));
  K(move)(*to, 1, ld, TH_DATA(T, t), t->stride[0], t->ndim == 2 ? t->stride[1] : 0, rows_of(c, arg),
          cols_of(c, arg));
  return TH_OK;
}

/* Fills result `arg`, which has its shape by now, from memory with these steps. */
static void K(put)(const th_call *c, int arg, const T *from, int64_t row, int64_t col)
{
  const th_tensor *t = c->arg[arg].t;
  const int64_t cols = t->ndim == 2 ? t->size[1] : 1;
  K(move)(TH_DATA(T, t), t->stride[0], t->ndim == 2 ? t->stride[1] : 0, from, row, col,
          t->size[0], cols);
}

/* Routines that iterate need not end, or end well, with what is not finite. */
static th_status K(need_finite)(const th_call *c, int arg, const T *a, int rows, int cols)
{
  for (int64_t j = 0; j < cols; j++) {
    for (int64_t i = 0; i < rows; i++) {
      if (isfinite(a[i + j * rows])) continue;
      const T bad = a[i + j * rows];
      return th_fail(TH_EARG, "%s must be finite, got %s in row %lld, column %lld",
                     th_arg_name(c, arg),
                     isnan(bad) ? "nan" : bad > 0 ? "inf" : "-inf", (long long)(i + 1),
                     (long long)(j + 1));
    }
  }
  return TH_OK;
}

/* Zeros below the diagonal of a (upper) or above it. */
static void K(clear_other)(T *a, int rows, int cols, bool upper)
{
  for (int64_t j = 0; j < cols; j++) {
    const int64_t from = upper ? j + 1 : 0, to = upper ? rows : th_min(j, rows);
    for (int64_t i = from; i < to; i++) a[i + j * rows] = 0;
  }
}

/* ---- equations ---- */

static th_status K(do_gesv)(const th_call *c, pile *p)
{
  void (*gesv)(const int *n, const int *nrhs, T *a, const int *lda, int *ipiv, T *b, const int *ldb,
               int *info);
  const int n = rows_of(c, gesv_a), nrhs = cols_of(c, gesv_b);
  int info, *ipiv;
  T *a, *b;
  GET(gesv);
  TH_TRY(K(load)(c, p, &a, gesv_a, n));
  TH_TRY(K(load)(c, p, &b, gesv_b, n));
  TAKE(p, ipiv, n);
  gesv(&n, &nrhs, a, &n, ipiv, b, &n, &info);
  TH_TRY(accepted("gesv", info));
  if (info) return th_fail(TH_EARG, "the matrix a is singular: pivot %d is 0", info);
  TH_TRY(th_commit(c));
  K(put)(c, gesv_x, b, 1, n);
  K(put)(c, gesv_lu, a, 1, n);
  return TH_OK;
}
static th_status K(gesv)(const th_call *c) { return with_scratch(c, K(do_gesv)); }

static th_status K(do_gels)(const th_call *c, pile *p)
{
  void (*gels)(const char *trans, const int *m, const int *n, const int *nrhs, T *a, const int *lda,
               T *b, const int *ldb, T *work, const int *lwork, int *info, size_t);
  const int m = rows_of(c, gels_a), n = cols_of(c, gels_a), nrhs = cols_of(c, gels_b), ldb = m > n ? m : n,
            ask = -1;
  int info, lwork;
  T *a, *b, *work, wish;
  GET(gels);
  TH_TRY(K(load)(c, p, &a, gels_a, m));
  TH_TRY(K(load)(c, p, &b, gels_b, ldb)); /* b gives way to x, which may have more rows */
  TH_TRY(K(need_finite)(c, gels_a, a, m, n));
  for (int64_t j = 0; j < nrhs; j++)
    for (int64_t i = m; i < ldb; i++) b[i + j * ldb] = 0;
  TH_TRY(K(need_finite)(c, gels_b, b, ldb, nrhs));
  gels("N", &m, &n, &nrhs, a, &m, b, &ldb, &wish, &ask, &info, LETTER);
  TH_TRY(accepted("gels", info));
  TH_TRY(work_size(&lwork, wish));
  TAKE(p, work, lwork);
  gels("N", &m, &n, &nrhs, a, &m, b, &ldb, work, &lwork, &info, LETTER);
  TH_TRY(accepted("gels", info));
  if (info) {
    return th_fail(TH_EARG,
                   "the matrix a does not have full rank: element %d on the diagonal of its "
                   "triangular factor is 0",
                   info);
  }
  TH_TRY(th_commit(c));
  K(put)(c, gels_x, b, 1, ldb);
  K(put)(c, gels_qr, a, 1, m);
  return TH_OK;
}
static th_status K(gels)(const th_call *c) { return with_scratch(c, K(do_gels)); }

static th_status K(do_trtrs)(const th_call *c, pile *p)
{
  const trtrs_args *args = trtrs_args_of(c);
  void (*trtrs)(const char *uplo, const char *trans, const char *diag, const int *n,
                const int *nrhs, const T *a, const int *lda, T *b, const int *ldb, int *info,
                size_t, size_t, size_t);
  const int n = rows_of(c, trtrs_a), nrhs = cols_of(c, trtrs_b);
  int info;
  T *a, *b;
  GET(trtrs);
  TH_TRY(K(load)(c, p, &a, trtrs_a, n));
  TH_TRY(K(load)(c, p, &b, trtrs_b, n));
  trtrs(args->uplo, args->trans, args->diag, &n, &nrhs, a, &n, b, &n, &info, LETTER, LETTER,
        LETTER);
  TH_TRY(accepted("trtrs", info));
  if (info)
    return th_fail(TH_EARG, "the matrix a is singular: element %d on its diagonal is 0", info);
  TH_TRY(th_commit(c));
  K(put)(c, trtrs_x, b, 1, n);
  K(put)(c, trtrs_ra, a, 1, n);
  return TH_OK;
}
static th_status K(trtrs)(const th_call *c) { return with_scratch(c, K(do_trtrs)); }

static th_status K(do_inverse)(const th_call *c, pile *p)
{
  void (*getrf)(const int *m, const int *n, T *a, const int *lda, int *ipiv, int *info);
  void (*getri)(const int *n, T *a, const int *lda, const int *ipiv, T *work, const int *lwork,
                int *info);
  const int n = rows_of(c, inverse_a), ask = -1;
  int info, lwork, *ipiv;
  T *a, *work, wish;
  GET(getrf);
  GET(getri);
  TH_TRY(K(load)(c, p, &a, inverse_a, n));
  TAKE(p, ipiv, n);
  getrf(&n, &n, a, &n, ipiv, &info);
  TH_TRY(accepted("getrf", info));
  if (info) return th_fail(TH_EARG, "the matrix is singular: pivot %d is 0", info);
  getri(&n, a, &n, ipiv, &wish, &ask, &info);
  TH_TRY(accepted("getri", info));
  TH_TRY(work_size(&lwork, wish));
  TAKE(p, work, lwork);
  getri(&n, a, &n, ipiv, work, &lwork, &info);
  TH_TRY(accepted("getri", info));
  if (info) return th_fail(TH_EARG, "the matrix is singular: pivot %d is 0", info);
  TH_TRY(th_commit(c));
  K(put)(c, inverse_y, a, 1, n);
  return TH_OK;
}
static th_status K(inverse)(const th_call *c) { return with_scratch(c, K(do_inverse)); }

/* ---- eigenvalues and singular values ---- */

static th_status K(do_symeig)(const th_call *c, pile *p)
{
  const symeig_args *args = symeig_args_of(c);
  void (*syevd)(const char *jobz, const char *uplo, const int *n, T *a, const int *lda, T *w,
                T *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t,
                size_t);
  const char *jobz = args->vectors, *uplo = args->uplo;
  const int n = rows_of(c, symeig_a), ask = -1;
  int info, lwork, liwork, *iwork;
  T *a, *w, *work, wish;
  GET(syevd);
  TH_TRY(K(load)(c, p, &a, symeig_a, n));
  K(clear_other)(a, n, n, *uplo == 'U'); /* what is not read need not be finite */
  TH_TRY(K(need_finite)(c, symeig_a, a, n, n));
  TAKE(p, w, n);
  syevd(jobz, uplo, &n, a, &n, w, &wish, &ask, &liwork, &ask, &info, LETTER, LETTER);
  TH_TRY(accepted("syevd", info));
  TH_TRY(work_size(&lwork, wish));
  TAKE(p, work, lwork);
  TAKE(p, iwork, liwork);
  syevd(jobz, uplo, &n, a, &n, w, work, &lwork, iwork, &liwork, &info, LETTER, LETTER);
  TH_TRY(accepted("syevd", info));
  if (info) return th_fail(TH_EARG, "the eigenvalues did not converge (LAPACK says %d)", info);
  TH_TRY(th_commit(c));
  K(put)(c, symeig_e, w, 1, 0);
  if (*jobz == 'V') K(put)(c, symeig_v, a, 1, n);
  return TH_OK;
}
static th_status K(symeig)(const th_call *c) { return with_scratch(c, K(do_symeig)); }

static th_status K(do_eig)(const th_call *c, pile *p)
{
  void (*geev)(const char *jobvl, const char *jobvr, const int *n, T *a, const int *lda, T *wr,
               T *wi, T *vl, const int *ldvl, T *vr, const int *ldvr, T *work, const int *lwork,
               int *info, size_t, size_t);
  const char *jobvr = eig_args_of(c)->vectors;
  const bool vectors = *jobvr == 'V';
  const int n = rows_of(c, eig_a), ask = -1, one = 1;
  int info, lwork;
  T *a, *e, *v, *work, wish, none;
  GET(geev);
  TH_TRY(K(load)(c, p, &a, eig_a, n));
  TH_TRY(K(need_finite)(c, eig_a, a, n, n));
  TAKE(p, e, area(n, 2));
  TAKE(p, v, vectors ? area(n, n) : 1);
  geev("N", jobvr, &n, a, &n, e, e + n, &none, &one, v, &n, &wish, &ask, &info, LETTER, LETTER);
  TH_TRY(accepted("geev", info));
  TH_TRY(work_size(&lwork, wish));
  TAKE(p, work, lwork);
  geev("N", jobvr, &n, a, &n, e, e + n, &none, &one, v, &n, work, &lwork, &info, LETTER, LETTER);
  TH_TRY(accepted("geev", info));
  if (info) return th_fail(TH_EARG, "the first %d of %d eigenvalues did not converge", info, n);
  TH_TRY(th_commit(c));
  K(put)(c, eig_e, e, 1, n);
  if (vectors) K(put)(c, eig_v, v, 1, n);
  return TH_OK;
}
static th_status K(eig)(const th_call *c) { return with_scratch(c, K(do_eig)); }

/* What both ways of finding singular values work on: a (m x n) = u * diag(s) * vt. */
typedef struct K(parts) {
  int m, n, ldvt;
  T *a, *s, *u, *vt;
} K(parts);

/* By QR steps: the routine and so the signs of Torch7. */
static th_status K(svd_by_steps)(const char *job, const K(parts) *x, pile *p, int *info)
{
  void (*gesvd)(const char *jobu, const char *jobvt, const int *m, const int *n, T *a,
                const int *lda, T *s, T *u, const int *ldu, T *vt, const int *ldvt, T *work,
                const int *lwork, int *info, size_t, size_t);
  const int ask = -1;
  int lwork;
  T *work, wish;
  GET(gesvd);
  gesvd(job, job, &x->m, &x->n, x->a, &x->m, x->s, x->u, &x->m, x->vt, &x->ldvt, &wish, &ask, info,
        LETTER, LETTER);
  TH_TRY(accepted("gesvd", *info));
  TH_TRY(work_size(&lwork, wish));
  TAKE(p, work, lwork);
  gesvd(job, job, &x->m, &x->n, x->a, &x->m, x->s, x->u, &x->m, x->vt, &x->ldvt, work, &lwork, info,
        LETTER, LETTER);
  return accepted("gesvd", *info);
}

/* By divide and conquer: several times faster where matrices are large. */
static th_status K(svd_by_halves)(const char *job, const K(parts) *x, pile *p, int *info)
{
  void (*gesdd)(const char *jobz, const int *m, const int *n, T *a, const int *lda, T *s, T *u,
                const int *ldu, T *vt, const int *ldvt, T *work, const int *lwork, int *iwork,
                int *info, size_t);
  const int ask = -1;
  int lwork, *iwork;
  T *work, wish;
  GET(gesdd);
  TAKE(p, iwork, 8 * th_min(x->m, x->n));
  gesdd(job, &x->m, &x->n, x->a, &x->m, x->s, x->u, &x->m, x->vt, &x->ldvt, &wish, &ask, iwork,
        info, LETTER);
  TH_TRY(accepted("gesdd", *info));
  TH_TRY(work_size(&lwork, wish));
  TAKE(p, work, lwork);
  gesdd(job, &x->m, &x->n, x->a, &x->m, x->s, x->u, &x->m, x->vt, &x->ldvt, work, &lwork, iwork,
        info, LETTER);
  return accepted("gesdd", *info);
}

static th_status K(do_svd)(const th_call *c, pile *p)
{
  enum { SMALL = 64 };
  const char *job = svd_args_of(c)->size;
  const bool all = *job == 'A';
  K(parts) x = { .m = rows_of(c, svd_a), .n = cols_of(c, svd_a) };
  const int k = (int)th_min(x.m, x.n);
  int info;
  x.ldvt = all ? x.n : k;
  TH_TRY(K(load)(c, p, &x.a, svd_a, x.m));
  TH_TRY(K(need_finite)(c, svd_a, x.a, x.m, x.n));
  TAKE(p, x.s, k);
  TAKE(p, x.u, area(x.m, all ? x.m : k));
  TAKE(p, x.vt, area(x.ldvt, x.n));
  TH_TRY((k <= SMALL ? K(svd_by_steps) : K(svd_by_halves))(job, &x, p, &info));
  if (info) return th_fail(TH_EARG, "the singular values did not converge (LAPACK says %d)", info);
  TH_TRY(th_commit(c));
  K(put)(c, svd_u, x.u, 1, x.m);
  K(put)(c, svd_s, x.s, 1, 0);
  K(put)(c, svd_v, x.vt, x.ldvt, 1); /* transposed */
  return TH_OK;
}
static th_status K(svd)(const th_call *c) { return with_scratch(c, K(do_svd)); }

/* ---- Cholesky ---- */

static th_status K(do_potrf)(const th_call *c, pile *p)
{
  void (*potrf)(const char *uplo, const int *n, T *a, const int *lda, int *info, size_t);
  const char *uplo = potrf_args_of(c)->uplo;
  const int n = rows_of(c, potrf_a);
  int info;
  T *a;
  GET(potrf);
  TH_TRY(K(load)(c, p, &a, potrf_a, n));
  potrf(uplo, &n, a, &n, &info, LETTER);
  TH_TRY(accepted("potrf", info));
  if (info)
    return th_fail(
        TH_EARG, "the matrix is not positive definite: its leading minor of order %d is not", info);
  K(clear_other)(a, n, n, *uplo == 'U');
  TH_TRY(th_commit(c));
  K(put)(c, potrf_y, a, 1, n);
  return TH_OK;
}
static th_status K(potrf)(const th_call *c) { return with_scratch(c, K(do_potrf)); }

/* A Cholesky factor with a zero on its diagonal is that of a singular matrix. */
static th_status K(need_pivots)(const th_call *c, int arg, const T *a, int n)
{
  for (int64_t i = 0; i < n; i++) {
    if (a[i + i * n] != 0) continue;
    return th_fail(TH_EARG,
                   "the matrix with the factor %s is singular: element %lld on the diagonal is 0",
                   th_arg_name(c, arg), (long long)(i + 1));
  }
  return TH_OK;
}

static th_status K(do_potri)(const th_call *c, pile *p)
{
  void (*potri)(const char *uplo, const int *n, T *a, const int *lda, int *info, size_t);
  const char *uplo = potri_args_of(c)->uplo;
  const int n = rows_of(c, potri_chol);
  int info;
  T *a;
  GET(potri);
  TH_TRY(K(load)(c, p, &a, potri_chol, n));
  TH_TRY(K(need_pivots)(c, potri_chol, a, n));
  potri(uplo, &n, a, &n, &info, LETTER);
  TH_TRY(accepted("potri", info));
  if (info)
    return th_fail(TH_EARG,
                   "the matrix with the factor chol is singular: element %d on the diagonal is 0",
                   info);
  for (int64_t j = 0; j < n; j++) { /* the triangle that LAPACK left out */
    for (int64_t i = 0; i < j; i++) {
      if (*uplo == 'U')
        a[j + i * n] = a[i + j * n];
      else
        a[i + j * n] = a[j + i * n];
    }
  }
  TH_TRY(th_commit(c));
  K(put)(c, potri_y, a, 1, n);
  return TH_OK;
}
static th_status K(potri)(const th_call *c) { return with_scratch(c, K(do_potri)); }

static th_status K(do_potrs)(const th_call *c, pile *p)
{
  void (*potrs)(const char *uplo, const int *n, const int *nrhs, const T *a, const int *lda, T *b,
                const int *ldb, int *info, size_t);
  const int n = rows_of(c, potrs_chol), nrhs = cols_of(c, potrs_b);
  int info;
  T *a, *b;
  GET(potrs);
  TH_TRY(K(load)(c, p, &a, potrs_chol, n));
  TH_TRY(K(need_pivots)(c, potrs_chol, a, n));
  TH_TRY(K(load)(c, p, &b, potrs_b, n));
  potrs(potrs_args_of(c)->uplo, &n, &nrhs, a, &n, b, &n, &info, LETTER);
  TH_TRY(accepted("potrs", info));
  TH_TRY(th_commit(c));
  K(put)(c, potrs_x, b, 1, n);
  return TH_OK;
}
static th_status K(potrs)(const th_call *c) { return with_scratch(c, K(do_potrs)); }

static th_status K(do_pstrf)(const th_call *c, pile *p)
{
  const pstrf_args *args = pstrf_args_of(c);
  void (*pstrf)(const char *uplo, const int *n, T *a, const int *lda, int *piv, int *rank,
                const T *tol, T *work, int *info, size_t);
  const char *uplo = args->uplo;
  const int n = rows_of(c, pstrf_a);
  const T tol = (T)args->tol;
  int info, rank, *piv;
  T *a, *work;
  GET(pstrf);
  if (isnan(tol)) return th_fail(TH_EARG, "tol must be a number, got nan");
  TH_TRY(K(load)(c, p, &a, pstrf_a, n));
  K(clear_other)(a, n, n, *uplo == 'U');
  TH_TRY(K(need_finite)(c, pstrf_a, a, n, n));
  TAKE(p, piv, n);
  TAKE(p, work, 2 * (int64_t)n);
  pstrf(uplo, &n, a, &n, piv, &rank, &tol, work, &info, LETTER);
  TH_TRY(accepted("pstrf", info));
  if (info)
    return th_fail(TH_EARG,
                   "the matrix is not positive definite: only %d of %d pivots are above tol", rank,
                   n);
  TH_TRY(th_commit(c));
  K(put)(c, pstrf_y, a, 1, n);
  const th_tensor *t = args->piv;
  for (int64_t i = 0; i < n; i++) TH_DATA(int32_t, t)[i * t->stride[0]] = piv[i];
  return TH_OK;
}
static th_status K(pstrf)(const th_call *c) { return with_scratch(c, K(do_pstrf)); }

/* ---- QR ---- */

/* The factors of m x n numbers, in their place. */
static th_status K(factor)(pile *p, T *a, T *tau, int m, int n)
{
  void (*geqrf)(const int *m, const int *n, T *a, const int *lda, T *tau, T *work, const int *lwork,
                int *info);
  const int ask = -1;
  int info, lwork;
  T *work, wish;
  GET(geqrf);
  geqrf(&m, &n, a, &m, tau, &wish, &ask, &info);
  TH_TRY(accepted("geqrf", info));
  TH_TRY(work_size(&lwork, wish));
  TAKE(p, work, lwork);
  geqrf(&m, &n, a, &m, tau, work, &lwork, &info);
  return accepted("geqrf", info);
}

/* The first k columns of Q, in place of its k reflectors. */
static th_status K(unfold)(pile *p, T *a, const T *tau, int m, int k)
{
  void (*orgqr)(const int *m, const int *n, const int *k, T *a, const int *lda, const T *tau,
                T *work, const int *lwork, int *info);
  const int ask = -1;
  int info, lwork;
  T *work, wish;
  GET(orgqr);
  orgqr(&m, &k, &k, a, &m, tau, &wish, &ask, &info);
  TH_TRY(accepted("orgqr", info));
  TH_TRY(work_size(&lwork, wish));
  TAKE(p, work, lwork);
  orgqr(&m, &k, &k, a, &m, tau, work, &lwork, &info);
  return accepted("orgqr", info);
}

static th_status K(do_qr)(const th_call *c, pile *p)
{
  const int m = rows_of(c, qr_a), n = cols_of(c, qr_a), k = (int)th_min(m, n);
  T *a, *r, *tau;
  TH_TRY(K(load)(c, p, &a, qr_a, m));
  TAKE(p, tau, k);
  TAKE(p, r, area(k, n));
  TH_TRY(K(factor)(p, a, tau, m, n));
  K(move)(r, 1, k, a, 1, m, k, n);
  K(clear_other)(r, k, n, true);
  TH_TRY(K(unfold)(p, a, tau, m, k));
  TH_TRY(th_commit(c));
  K(put)(c, qr_q, a, 1, m);
  K(put)(c, qr_r, r, 1, k);
  return TH_OK;
}
static th_status K(qr)(const th_call *c) { return with_scratch(c, K(do_qr)); }

static th_status K(do_geqrf)(const th_call *c, pile *p)
{
  const int m = rows_of(c, geqrf_a), n = cols_of(c, geqrf_a);
  T *a, *tau;
  TH_TRY(K(load)(c, p, &a, geqrf_a, m));
  TAKE(p, tau, th_min(m, n));
  TH_TRY(K(factor)(p, a, tau, m, n));
  TH_TRY(th_commit(c));
  K(put)(c, geqrf_m, a, 1, m);
  K(put)(c, geqrf_tau, tau, 1, 0);
  return TH_OK;
}
static th_status K(geqrf)(const th_call *c) { return with_scratch(c, K(do_geqrf)); }

static th_status K(do_orgqr)(const th_call *c, pile *p)
{
  const int m = rows_of(c, orgqr_m), k = rows_of(c, orgqr_tau);
  T *a, *tau;
  TH_TRY(K(load)(c, p, &a, orgqr_m, m));
  TH_TRY(K(load)(c, p, &tau, orgqr_tau, k));
  TH_TRY(K(unfold)(p, a, tau, m, k));
  TH_TRY(th_commit(c));
  K(put)(c, orgqr_q, a, 1, m);
  return TH_OK;
}
static th_status K(orgqr)(const th_call *c) { return with_scratch(c, K(do_orgqr)); }

static th_status K(do_ormqr)(const th_call *c, pile *p)
{
  const ormqr_args *args = ormqr_args_of(c);
  void (*ormqr)(const char *side, const char *trans, const int *m, const int *n, const int *k,
                const T *a, const int *lda, const T *tau, T *y, const int *ldy, T *work,
                const int *lwork, int *info, size_t, size_t);
  const char *side = args->side, *trans = args->trans;
  const int q = rows_of(c, ormqr_m), k = rows_of(c, ormqr_tau), m = rows_of(c, ormqr_c), n = cols_of(c, ormqr_c), ask = -1;
  int info, lwork;
  T *a, *tau, *y, *work, wish;
  GET(ormqr);
  TH_TRY(K(load)(c, p, &a, ormqr_m, q));
  TH_TRY(K(load)(c, p, &tau, ormqr_tau, k));
  TH_TRY(K(load)(c, p, &y, ormqr_c, m));
  ormqr(side, trans, &m, &n, &k, a, &q, tau, y, &m, &wish, &ask, &info, LETTER, LETTER);
  TH_TRY(accepted("ormqr", info));
  TH_TRY(work_size(&lwork, wish));
  TAKE(p, work, lwork);
  ormqr(side, trans, &m, &n, &k, a, &q, tau, y, &m, work, &lwork, &info, LETTER, LETTER);
  TH_TRY(accepted("ormqr", info));
  TH_TRY(th_commit(c));
  K(put)(c, ormqr_y, y, 1, m);
  return TH_OK;
}
static th_status K(ormqr)(const th_call *c) { return with_scratch(c, K(do_ormqr)); }

#undef ROUTINE
#undef GET
#endif
