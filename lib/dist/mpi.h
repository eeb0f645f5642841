/* mpi.h - what lib/dist needs of Open MPI, which is opened at run time: bytes from one rank to another, and nothing that
 * waits.
 *
 * Threads: operations run in threads of their own, and answers to other ranks (attend.c) must not wait for them. A thread that
 * owned all calls would have to be woken for each message; so any thread calls, one at a time under a lock, and since no call
 * waits the lock is never held for long. That needs MPI_THREAD_SERIALIZED only; MPI_THREAD_MULTIPLE is asked for, so that
 * scripts may call MPI too. */
#ifndef TH_MPI_H
#define TH_MPI_H
#include "../core/core.h"

typedef void *th_request;                   /* th_no_request(): none */

th_status  th_mpi_open(void);               /* loads the library, or says what is missing */
/* Joins the launcher's job; waits for all its processes. Messages may be mistaken for those of the script until all ranks have
 * called th_mpi_separate, the only other call that waits. */
th_status  th_mpi_begin(int *rank, int *size);
th_status  th_mpi_separate(void);
void       th_mpi_end(void);
th_request th_no_request(void);
/* A send has ended when the receiver wants the message, so the bytes on their way are bounded; `soon`: when they are out. */
th_status  th_mpi_send(const void *p, int64_t bytes, int to, int tag, bool soon, th_request *r);
th_status  th_mpi_recv(void *p, int64_t bytes, int from, int tag, th_request *r);       /* from -1: anybody */
/* Which of n requests have ended: `done` gets their numbers. A message longer than its place is an error. */
th_status  th_mpi_test(th_request *r, int n, int *done, int *ndone);

#endif
