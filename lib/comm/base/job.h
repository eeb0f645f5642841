/* job.h - the head of the memory that the processes of a job share; thrun reads it too. It is
 * zeroed at first. */
#ifndef TH_JOB_H
#define TH_JOB_H
#include <stdint.h>

enum { TH_MAXRANK = 64, TH_SECRET = 64, TH_WHY = 384 };
enum { TH_PROCESS_EMPTY, TH_PROCESS_JOINED, TH_PROCESS_LEFT };

/* The state of a rank. `born` is its process's start time, which differs if the pid was reused. */
typedef struct th_process {
  _Alignas(64) uint32_t state;
  int32_t  pid;
  uint64_t born;
} th_process;

typedef struct th_job_head {
  uint32_t ready;                   /* rank 0 has written size and secret */
  uint32_t size;
  uint32_t broken;                  /* 0; 1 while `why` is being written; 2: the job is broken, all operations fail */
  int32_t  culprit;                 /* the rank that broke it */
  char     why[TH_WHY];
  char     secret[TH_SECRET];
  th_process process[TH_MAXRANK];
} th_job_head;

#endif
