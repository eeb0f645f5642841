/* blas.h - what those who call the BLAS library do around each call. */
#ifndef TH_BLAS_H
#define TH_BLAS_H
#include "core.h"

/* As th_blas_get, with the reason. TH_EBACKEND: there is no library; TH_ENOMEM: the process has no room for its buffers. */
th_status th_blas_open(const th_blas **out);
/* Around calls of the library, by each thread. th_blas_enter may wait until other threads have left, so between the two a thread
 * must not wait for others, nor enter again. */
void th_blas_enter(void);
void th_blas_leave(void);

#endif
