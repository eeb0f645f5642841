/* lapack.c - linear systems, eigenvalues, singular values, factorisations, as LAPACK does them.
 *
 * All are TH_LATE: whether a matrix is singular shows only in the middle of the work, and a call
 * that is refused then must leave its results alone as well. */
#include <limits.h>
#include "lapack.args.h"
#include "op.h"

enum { LAPACK = TH_INPLACE | TH_LATE | TH_BY_CPU };

/* ---- what the arguments must be ---- */

/* At least one element, and sizes that fit LAPACK's integers of 32 bits. */
static th_status need_sizes(th_call *c, int arg)
{
  const th_tensor *t = c->arg[arg].t;
  if (th_numel(t) == 0) {
    return th_fail(TH_ESHAPE, "%s must have at least one element, got size %s",
                   th_arg_name(c, arg), TH_SHAPE(t));
  }
  for (int d = 0; d < t->ndim; d++) {
    if (t->size[d] > INT_MAX) {
      return th_fail(TH_ESHAPE,
                     "%s must have at most %d rows and columns, which is all that LAPACK counts, "
                     "got size %s", th_arg_name(c, arg), INT_MAX, TH_SHAPE(t));
    }
  }
  return TH_OK;
}

static th_status need_matrix(th_call *c, int arg)
{
  TH_TRY(th_need_ndim(c, arg, 2, 2));
  return need_sizes(c, arg);
}

/* LAPACK counts its workspace in 32 bits, too: `count` numbers are needed to work on `arg`. */
static th_status need_work(th_call *c, int arg, double count)
{
  if (count <= INT_MAX) return TH_OK;
  return th_fail(TH_ESHAPE,
                 "%s must be smaller: LAPACK cannot count the workspace of a matrix of size %s",
                 th_arg_name(c, arg), TH_SHAPE(c->arg[arg].t));
}

/* At least the numbers of workspace that blocked routines take for each column. */
enum { BLOCK = 256 };

static th_status need_square(th_call *c, int arg)
{
  const th_tensor *t = c->arg[arg].t;
  TH_TRY(need_matrix(c, arg));
  if (t->size[0] == t->size[1]) return need_work(c, arg, (double)BLOCK * (double)t->size[0]);
  return th_fail(TH_ESHAPE, "%s must be a square matrix, got size %s", th_arg_name(c, arg),
                 TH_SHAPE(t));
}

/* The right sides of the equations with matrix `a`: one in a vector, or one in each column. */
static th_status need_right_sides(th_call *c, int b, int a)
{
  const th_tensor *t = c->arg[b].t;
  TH_TRY(th_need_same_dtype(c, b, a));
  TH_TRY(th_need_ndim(c, b, 1, 2));
  TH_TRY(need_sizes(c, b));
  if (t->size[0] == c->arg[a].t->size[0]) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have %lld rows, as many as %s, got size %s", th_arg_name(c, b),
                 (long long)c->arg[a].t->size[0], th_arg_name(c, a), TH_SHAPE(t));
}

/* The string `arg` must be one of two letters. */
static th_status need_letter(th_call *c, int arg, const char two[2])
{
  const char *s = c->arg[arg].s;
  if ((s[0] == two[0] || s[0] == two[1]) && s[0] && !s[1]) return TH_OK;
  return th_fail(TH_EARG, "%s must be '%c' or '%c', got '%.20s'", th_arg_name(c, arg), two[0],
                 two[1], s);
}

/* ---- the shapes of results ---- */

static th_status out_vector(th_call *c, int arg, int64_t n)
{
  return th_out(c, arg, c->dtype, 1, &n);
}

static th_status out_matrix(th_call *c, int arg, int64_t rows, int64_t cols)
{
  return th_out(c, arg, c->dtype, 2, (const int64_t[]){ rows, cols });
}

static int64_t rows_of(const th_call *c, int arg) { return c->arg[arg].t->size[0]; }
static int64_t cols_of(const th_call *c, int arg)
{
  return c->arg[arg].t->ndim == 2 ? c->arg[arg].t->size[1] : 1;
}

/* ---- equations ---- */

static th_status check_gesv(th_call *c)
{
  TH_TRY(need_square(c, gesv_a));
  TH_TRY(need_right_sides(c, gesv_b, gesv_a));
  TH_TRY(out_matrix(c, gesv_x, rows_of(c, gesv_b), cols_of(c, gesv_b)));
  return out_matrix(c, gesv_lu, rows_of(c, gesv_a), cols_of(c, gesv_a));
}
const th_op th_op_gesv = {
  .name  = "gesv",
  .args  = gesv_signature,
  .doc   = "Solves a * x = b for a square matrix a. b holds one right side in each column (a "
           "vector is one column). lu gets the factors L and U of a with its rows exchanged, "
           "without the ones on the diagonal of L. A singular a is refused."
           "\n(torch.gesv(torch.Tensor{{5}, {10}}, torch.Tensor{{2, 1}, {1, 3}})) --> {{1}, {3}}",
  .flags = LAPACK,
  .check = check_gesv,
};

static th_status check_gels(th_call *c)
{
  TH_TRY(need_matrix(c, gels_a));
  TH_TRY(need_right_sides(c, gels_b, gels_a));
  const int64_t n = th_min(rows_of(c, gels_a), cols_of(c, gels_a));
  TH_TRY(need_work(c, gels_a, (double)BLOCK * (double)n));
  TH_TRY(need_work(c, gels_b, (double)n + (double)BLOCK * (double)th_max(n, cols_of(c, gels_b))));
  TH_TRY(out_matrix(c, gels_x, cols_of(c, gels_a), cols_of(c, gels_b)));
  return out_matrix(c, gels_qr, rows_of(c, gels_a), cols_of(c, gels_a));
}
const th_op th_op_gels = {
  .name  = "gels",
  .args  = gels_signature,
  .doc   = "Solves a * x = b by least squares: the x for which |a * x - b| is smallest. Where a "
           "has more columns than rows, it is the shortest x that solves it. b holds one right "
           "side in each column; qr gets the QR (or LQ) factors as geqrf gives them. An a without "
           "full rank is refused."
           "\n(torch.gels(torch.Tensor{{1}, {2}, {4}}, torch.Tensor{{1, 0}, {1, 1}, {1, 2}})) --> {{0.83333}, {1.5}}",
  .flags = LAPACK,
  .check = check_gels,
};

static th_status check_trtrs(th_call *c)
{
  TH_TRY(need_square(c, trtrs_a));
  TH_TRY(need_right_sides(c, trtrs_b, trtrs_a));
  TH_TRY(need_letter(c, trtrs_uplo, "UL"));
  TH_TRY(need_letter(c, trtrs_trans, "NT"));
  TH_TRY(need_letter(c, trtrs_diag, "NU"));
  TH_TRY(out_matrix(c, trtrs_x, rows_of(c, trtrs_b), cols_of(c, trtrs_b)));
  return out_matrix(c, trtrs_ra, rows_of(c, trtrs_a), cols_of(c, trtrs_a));
}
const th_op th_op_trtrs = {
  .name  = "trtrs",
  .args  = trtrs_signature,
  .doc   = "Solves a * x = b for a triangular matrix a, of which only the triangle uplo ('U' "
           "upper, 'L' lower) is read. trans 'T' solves a' * x = b; diag 'U' takes the diagonal "
           "as ones. ra gets a copy of a. A zero on the diagonal is refused."
           "\ntorch.trtrs(torch.Tensor{{4}, {6}}, torch.Tensor{{2, 1}, {0, 3}}) --> {{1}, {2}}, {{2, 1}, {0, 3}}",
  .flags = LAPACK,
  .check = check_trtrs,
};

static th_status check_inverse(th_call *c)
{
  TH_TRY(need_square(c, inverse_a));
  return out_matrix(c, inverse_y, rows_of(c, inverse_a), cols_of(c, inverse_a));
}
const th_op th_op_inverse = {
  .name  = "inverse",
  .args  = inverse_signature,
  .doc   = "The inverse of a square matrix. A singular one is refused."
           "\ntorch.inverse(torch.Tensor{{2, 0}, {0, 4}}) --> {{0.5, 0}, {0, 0.25}}",
  .grad  = "a: mul(mm(mm(y', g), y'), -1)",
  .flags = LAPACK,
  .check = check_inverse,
};

/* ---- eigenvalues and singular values ---- */

static th_status check_symeig(th_call *c)
{
  TH_TRY(need_square(c, symeig_a));
  TH_TRY(need_letter(c, symeig_vectors, "NV"));
  TH_TRY(need_letter(c, symeig_uplo, "UL"));
  const double n = (double)rows_of(c, symeig_a);
  const bool vectors = *symeig_args_of(c)->vectors == 'V';
  if (vectors) TH_TRY(need_work(c, symeig_a, 2 * n * n + 6 * n + 1));
  TH_TRY(out_vector(c, symeig_e, rows_of(c, symeig_a)));
  return vectors ? out_matrix(c, symeig_v, rows_of(c, symeig_a), cols_of(c, symeig_a)) : out_vector(c, symeig_v, 0);
}
const th_op th_op_symeig = {
  .name  = "symeig",
  .args  = symeig_signature,
  .doc   = "Eigenvalues of a symmetric matrix, in ascending order, and with vectors 'V' its "
           "eigenvectors: column k of v belongs to e[k]. With 'N' v is empty. Only the triangle "
           "uplo ('U' upper, 'L' lower) of a is read; it must be finite."
           "\ntorch.symeig(torch.Tensor{{2, 1}, {1, 2}}) --> {1, 3}, {}",
  .flags = LAPACK,
  .check = check_symeig,
};

static th_status check_eig(th_call *c)
{
  TH_TRY(need_square(c, eig_a));
  TH_TRY(need_letter(c, eig_vectors, "NV"));
  TH_TRY(out_matrix(c, eig_e, rows_of(c, eig_a), 2));
  return *eig_args_of(c)->vectors == 'V' ? out_matrix(c, eig_v, rows_of(c, eig_a), cols_of(c, eig_a)) : out_vector(c, eig_v, 0);
}
const th_op th_op_eig = {
  .name  = "eig",
  .args  = eig_signature,
  .doc   = "Eigenvalues of a square matrix, and with vectors 'V' its eigenvectors of length 1. "
           "Row k of e is the real and the imaginary part of eigenvalue k, column k of v its "
           "vector. Of a complex pair k, k + 1 the columns are the real and the imaginary part of "
           "the first one's vector. With 'N' v is empty. a must be finite."
           "\ntorch.eig(torch.Tensor{{2, 0}, {0, 3}}) --> {{2, 0}, {3, 0}}, {}",
  .flags = LAPACK,
  .check = check_eig,
};

static th_status check_svd(th_call *c)
{
  TH_TRY(need_matrix(c, svd_a));
  TH_TRY(need_letter(c, svd_size, "SA"));
  const int64_t m = rows_of(c, svd_a), n = cols_of(c, svd_a), k = th_min(m, n);
  const bool all = *svd_args_of(c)->size == 'A';
  TH_TRY(need_work(c, svd_a, 4 * (double)k * (double)k + (double)BLOCK * (double)k
                         + (all ? (double)BLOCK : 1) * (double)th_max(m, n)));
  TH_TRY(out_matrix(c, svd_u, m, all ? m : k));
  TH_TRY(out_vector(c, svd_s, k));
  return out_matrix(c, svd_v, n, all ? n : k);
}
const th_op th_op_svd = {
  .name  = "svd",
  .args  = svd_signature,
  .doc   = "Singular values, in descending order, and vectors of a matrix: a = u * diag(s) * v' "
           "with orthonormal columns in u and v. size 'S' gives as many columns as there are "
           "values, 'A' square matrices u and v. a must be finite."
           "\nu, s, v = torch.svd(torch.Tensor{{3, 0}, {0, -2}}); s --> {3, 2}",
  .flags = LAPACK,
  .check = check_svd,
};

/* ---- Cholesky ---- */

static th_status check_potrf(th_call *c)
{
  TH_TRY(need_square(c, potrf_a));
  TH_TRY(need_letter(c, potrf_uplo, "UL"));
  return out_matrix(c, potrf_y, rows_of(c, potrf_a), cols_of(c, potrf_a));
}
const th_op th_op_potrf = {
  .name  = "potrf",
  .args  = potrf_signature,
  .doc   = "The Cholesky factor of a symmetric positive definite matrix: a = y' * y with an upper "
           "triangle y. For uplo 'L' it is a = y * y' with a lower one. Only the triangle uplo of "
           "a is read; the other one of y is 0. A matrix that is not positive definite is refused."
           "\ntorch.potrf(torch.Tensor{{4, 2}, {2, 5}}) --> {{2, 1}, {0, 2}}",
  .flags = LAPACK,
  .check = check_potrf,
};
const th_op th_op_potri = {
  .name  = "potri",
  .args  = potri_signature,
  .doc   = "The inverse of the matrix whose Cholesky factor is chol. uplo says which triangle of "
           "chol is read ('U' upper, 'L' lower)."
           "\ntorch.potri(torch.potrf(torch.Tensor{{4, 0}, {0, 2}})) --> {{0.25, 0}, {0, 0.5}}",
  .flags = LAPACK,
  .check = check_potrf,
};

static th_status check_potrs(th_call *c)
{
  TH_TRY(need_square(c, potrs_chol));
  TH_TRY(need_right_sides(c, potrs_b, potrs_chol));
  TH_TRY(need_letter(c, potrs_uplo, "UL"));
  return out_matrix(c, potrs_x, rows_of(c, potrs_b), cols_of(c, potrs_b));
}
const th_op th_op_potrs = {
  .name  = "potrs",
  .args  = potrs_signature,
  .doc   = "Solves a * x = b where chol is the Cholesky factor of a, as potrf gives it. b holds "
           "one right side in each column (a vector is one column). A factor with a zero on its "
           "diagonal is refused."
           "\ntorch.potrs(torch.Tensor{{8}, {9}}, torch.potrf(torch.Tensor{{4, 2}, {2, 5}})) --> {{1.375}, {1.25}}",
  .flags = LAPACK,
  .check = check_potrs,
};

static th_status check_pstrf(th_call *c)
{
  TH_TRY(need_square(c, pstrf_a));
  TH_TRY(need_letter(c, pstrf_uplo, "UL"));
  TH_TRY(out_matrix(c, pstrf_y, rows_of(c, pstrf_a), cols_of(c, pstrf_a)));
  return th_out(c, pstrf_piv, TH_I32, 1, &pstrf_args_of(c)->a->size[0]);
}
const th_op th_op_pstrf = {
  .name  = "pstrf",
  .args  = pstrf_signature,
  .doc   = "The Cholesky factor of a symmetric positive definite matrix with rows and columns "
           "exchanged, largest pivots first. a[piv[i]][piv[j]] is element i, j of y' * y (for uplo "
           "'L' of y * y'). piv is an IntTensor. A matrix with a pivot of at most tol (default: "
           "its size times its largest diagonal element times the machine's precision) is refused. "
           "a must be finite."
           "\ntorch.pstrf(torch.Tensor{{1, 0}, {0, 4}}) --> {{2, 0}, {0, 1}}, {2, 1}",
  .flags = LAPACK,
  .check = check_pstrf,
};

/* ---- QR ---- */

static th_status need_qr(th_call *c, int arg)
{
  TH_TRY(need_matrix(c, arg));
  return need_work(c, arg, (double)BLOCK * (double)cols_of(c, arg));
}

static th_status check_qr(th_call *c)
{
  TH_TRY(need_qr(c, qr_a));
  const int64_t m = rows_of(c, qr_a), n = cols_of(c, qr_a), k = th_min(m, n);
  TH_TRY(out_matrix(c, qr_q, m, k));
  return out_matrix(c, qr_r, k, n);
}
const th_op th_op_qr = {
  .name  = "qr",
  .args  = qr_signature,
  .doc   = "The QR factors of a matrix: a = q * r with orthonormal columns in q and zeros below "
           "the diagonal of r. For m x n q has min(m, n) columns and r as many rows."
           "\nq, r = torch.qr(torch.Tensor{{3, 1}, {4, 2}}); torch.abs(r) --> {{5, 2.2}, {0, 0.4}}",
  .flags = LAPACK,
  .check = check_qr,
};

static th_status check_geqrf(th_call *c)
{
  TH_TRY(need_qr(c, geqrf_a));
  TH_TRY(out_matrix(c, geqrf_m, rows_of(c, geqrf_a), cols_of(c, geqrf_a)));
  return out_vector(c, geqrf_tau, th_min(rows_of(c, geqrf_a), cols_of(c, geqrf_a)));
}
const th_op th_op_geqrf = {
  .name  = "geqrf",
  .args  = geqrf_signature,
  .doc   = "The QR factors of a matrix as LAPACK keeps them. R is on and above the diagonal of m, "
           "below it and in tau the reflectors whose product is Q. orgqr makes Q of them, ormqr "
           "multiplies by it."
           "\nm, tau = torch.geqrf(torch.Tensor{{3, 1}, {4, 2}}); tau:size() --> {2}",
  .flags = LAPACK,
  .check = check_geqrf,
};

/* The reflectors in m and tau, as geqrf gives them. */
static th_status need_reflectors(th_call *c, int m, int tau)
{
  TH_TRY(need_matrix(c, m));
  TH_TRY(th_need_same_dtype(c, tau, m));
  TH_TRY(th_need_ndim(c, tau, 1, 1));
  TH_TRY(need_sizes(c, tau));
  const int64_t k = th_min(rows_of(c, m), cols_of(c, m));
  if (rows_of(c, tau) <= k) return need_work(c, m, (double)BLOCK * (double)k);
  return th_fail(TH_ESHAPE,
                 "%s must have at most %lld elements, as many as %s of size %s can have reflectors"
                 ", got %lld",
                 th_arg_name(c, tau), (long long)k, th_arg_name(c, m), TH_SHAPE(c->arg[m].t),
                 (long long)rows_of(c, tau));
}

static th_status check_orgqr(th_call *c)
{
  TH_TRY(need_reflectors(c, orgqr_m, orgqr_tau));
  return out_matrix(c, orgqr_q, rows_of(c, orgqr_m), rows_of(c, orgqr_tau));
}
const th_op th_op_orgqr = {
  .name  = "orgqr",
  .args  = orgqr_signature,
  .doc   = "The matrix Q that geqrf keeps as reflectors in m and tau: one orthonormal column for "
           "each element of tau."
           "\nq = torch.orgqr(torch.geqrf(torch.Tensor{{3, 1}, {4, 2}})); torch.round(torch.mm(q:t(), q)) --> {{1, 0}, {0, 1}}",
  .flags = LAPACK,
  .check = check_orgqr,
};

static th_status check_ormqr(th_call *c)
{
  const ormqr_args *a = ormqr_args_of(c);
  TH_TRY(need_reflectors(c, ormqr_m, ormqr_tau));
  TH_TRY(th_need_same_dtype(c, ormqr_c, ormqr_m));
  TH_TRY(need_matrix(c, ormqr_c));
  TH_TRY(need_letter(c, ormqr_side, "LR"));
  TH_TRY(need_letter(c, ormqr_trans, "NT"));
  const bool left = *a->side == 'L';
  if ((left ? rows_of(c, ormqr_c) : cols_of(c, ormqr_c)) != rows_of(c, ormqr_m)) {
    return th_fail(TH_ESHAPE, "%s must have %lld %s, as many as %s has rows, got size %s",
                   th_arg_name(c, ormqr_c), (long long)rows_of(c, ormqr_m), left ? "rows" : "columns",
                   th_arg_name(c, ormqr_m), TH_SHAPE(a->c));
  }
  const int64_t others = left ? cols_of(c, ormqr_c) : rows_of(c, ormqr_c);
  TH_TRY(need_work(c, ormqr_c, (double)BLOCK * ((double)BLOCK + (double)others)));
  return out_matrix(c, ormqr_y, rows_of(c, ormqr_c), cols_of(c, ormqr_c));
}
const th_op th_op_ormqr = {
  .name  = "ormqr",
  .args  = ormqr_signature,
  .doc   = "Multiplies c by the square matrix Q that geqrf keeps in m and tau: Q * c, or c * Q for "
           "side 'R'. trans 'T' takes Q' instead of Q."
           "\nm, tau = torch.geqrf(torch.Tensor{{0, 1}, {1, 0}}); torch.abs(torch.ormqr(m, tau, torch.Tensor{{5}, {6}}))"
           " --> {{6}, {5}}",
  .flags = LAPACK,
  .check = check_ormqr,
};
