/* hosts.h - the ranks of a job on several hosts, started by Open MPI's mpirun. */
#ifndef TH_HOSTS_H
#define TH_HOSTS_H
#include <signal.h>

typedef struct hosts_job {
  const char *list, *file;          /* a:2,b:2, or the name of a file of such lines */
  int    size, threads, again;      /* ranks, threads of a rank; 0: chosen by the hosts */
  double grace;
  const char *deadline, *commit;
  char *const *command;             /* program and arguments; the first is th's path for a script */
  const volatile sig_atomic_t *interrupts;
} hosts_job;

/* Runs the job to its end; returns its exit status. */
int hosts_run(const hosts_job *j);

#endif
