/* mpi.h - what lib/comm needs of Open MPI, which is opened at run time: to send bytes from one rank
 * to another without blocking.
 *
 *  * Operations run in several threads, and the service thread (control_channel.c) must not wait
 * for them. If one thread made all calls, each message would have to wake it. So any thread makes
 * calls, one at a time under a lock; no call waits, so the lock is never held for long. This needs
 * only MPI_THREAD_SERIALIZED. We request MPI_THREAD_MULTIPLE, so that scripts may call MPI too. */
#ifndef TH_MPI_H
#define TH_MPI_H
#include "../../core/core.h"

typedef void *th_request;                   /* th_no_request(): none */

th_status  th_mpi_open(void);               /* loads the library; the error says what is missing */
/* Joins the launcher's job and waits for all its processes. Until all ranks have called
 * th_mpi_separate (the only other call that waits), messages share MPI_COMM_WORLD with those of the
 * script. */
th_status  th_mpi_begin(int *rank, int *size);
th_status  th_mpi_separate(void);
void       th_mpi_end(void);
th_request th_no_request(void);
/* A send ends when the receiver has posted a receive, which bounds the bytes in flight. `soon`: it
 * ends when the bytes have been copied out. */
th_status  th_mpi_send(const void *p, int64_t bytes, int to, int tag, bool soon, th_request *r);
th_status  th_mpi_recv(void *p, int64_t bytes, int from, int tag, th_request *r);       /* from -1: any rank */
/* Which of n requests have ended: `done` gets their indices. A message longer than its buffer is an
 * error. */
th_status  th_mpi_test(th_request *r, int n, int *done, int *ndone);

#endif
