/* blas.h - opening the BLAS library, and the calls that must surround each use of it. */
#ifndef TH_BLAS_H
#define TH_BLAS_H
#include "core.h"

/* As th_blas_get, with the reason: TH_EBACKEND without a library, TH_ENOMEM without room for its buffers. */
th_status th_blas_open(const th_blas **out);
/* Each thread calls these around its calls of the library. th_blas_enter may wait until other threads have left, so between the
 * two a thread must neither wait for other threads nor enter again. */
void th_blas_enter(void);
void th_blas_leave(void);
/* The op whose call of a library begins, for messages of Ctrl-C; NULL: it has ended. */
void th_blas_waits(const char *op);

#endif
