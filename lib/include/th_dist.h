/* th_dist.h - collectives of the processes of a job; the part between FFI BEGIN and FFI END is read by lua/dist/lib.lua as it
 * stands. */
#ifndef TH_DIST_PUBLIC_H
#define TH_DIST_PUBLIC_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
/* The processes of a job share a block of memory, which a file descriptor or a name in shared memory tells;
 * neither: a job of one. A group is a list of ranks, seen from one of them. Lists of tensors hold packed ones of one type;
 * `in` and `out` are the same where the result takes the place of the input. Seconds: 0 means what the job has. */
typedef struct th_dist th_dist;
typedef struct th_dist_work th_dist_work;        /* an operation that goes on while the script does */
enum { TH_DIST_BARRIER, TH_DIST_ALLREDUCE, TH_DIST_REDUCE, TH_DIST_BROADCAST, TH_DIST_ALLGATHER, TH_DIST_REDUCESCATTER,
       TH_DIST_ALLTOALL, TH_DIST_SEND, TH_DIST_RECV, TH_DIST_GROUP, TH_DIST_INIT };
enum { TH_DIST_SUM, TH_DIST_MEAN, TH_DIST_MIN, TH_DIST_MAX, TH_DIST_PROD };
typedef struct th_dist_call {
  int32_t kind, op, root, note;                  /* root: of reduce and broadcast; the other rank of send and recv */
  int64_t count;
  double seconds;
  const th_list *in, *out;
} th_dist_call;
th_status    th_dist_join(th_dist **g, int fd, const char *name, int rank, int size, const char *secret, double deadline);
th_status    th_dist_group(th_dist **g, th_dist *world, const int32_t *rank, int n);      /* NULL: this rank is none of it */
void         th_dist_leave(th_dist *g);          /* of the whole job */
int          th_dist_rank(const th_dist *g);
int          th_dist_size(const th_dist *g);
double       th_dist_deadline(th_dist *g, double seconds);       /* 0: only asks */
th_status    th_dist_run(th_dist *g, const th_dist_call *call);
th_status    th_dist_start(th_dist_work **w, th_dist *g, const th_dist_call *call);
int          th_dist_test(const th_dist_work *w);
th_status    th_dist_wait(th_dist_work *w);
void         th_dist_work_free(th_dist_work *w);         /* waits for it */
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
