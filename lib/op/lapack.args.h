/* lapack.args.h - the arguments of the ops of lapack.c. */
#ifndef TH_LAPACK_ARGS_H
#define TH_LAPACK_ARGS_H
#include "th_args.h"

TH_ARGS(gesv, (x, out), (lu, out), (b, tensor), (a, tensor))

TH_ARGS(gels, (x, out), (qr, out), (b, tensor), (a, tensor))

TH_ARGS(trtrs, (x, out), (ra, out), (b, tensor), (a, tensor), (uplo, string, "'U'"),
  (trans, string, "'N'"), (diag, string, "'N'"))

TH_ARGS(inverse, (y, out), (a, tensor))

TH_ARGS(symeig, (e, out), (v, out), (a, tensor), (vectors, string, "'N'"), (uplo, string, "'U'"))

TH_ARGS(eig, (e, out), (v, out), (a, tensor), (vectors, string, "'N'"))

TH_ARGS(svd, (u, out), (s, out), (v, out), (a, tensor), (size, string, "'S'"))

TH_ARGS(potrf, (y, out), (a, tensor), (uplo, string, "'U'"))

TH_ARGS(potri, (y, out), (chol, tensor), (uplo, string, "'U'"))

TH_ARGS(potrs, (x, out), (b, tensor), (chol, tensor), (uplo, string, "'U'"))

TH_ARGS(pstrf, (y, out), (piv, out), (a, tensor), (uplo, string, "'U'"), (tol, number, "-1"))

TH_ARGS(qr, (q, out), (r, out), (a, tensor))

TH_ARGS(geqrf, (m, out), (tau, out), (a, tensor))

TH_ARGS(orgqr, (q, out), (m, tensor), (tau, tensor))

TH_ARGS(ormqr, (y, out), (m, tensor), (tau, tensor), (c, tensor), (side, string, "'L'"),
  (trans, string, "'N'"))

#endif
