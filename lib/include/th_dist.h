/* th_dist.h - collectives of the processes of a job; the part between FFI BEGIN and FFI END is read by lua/dist/lib.lua as it
 * stands. */
#ifndef TH_DIST_PUBLIC_H
#define TH_DIST_PUBLIC_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
/* The processes of a job share a block of memory, which a file descriptor or a name in shared memory tells; neither: a job of
 * one. With the name of a host: a job on several, started by Open MPI's launcher or one that it knows. A group is a list of
 * ranks, seen from one of them. Lists of tensors hold packed ones of one type; `in` and `out` are the same where the result
 * takes the place of the input. Seconds: 0 means what the job has. */
typedef struct th_dist th_dist;
typedef struct th_dist_work th_dist_work;        /* an operation that goes on while the script does */
enum { TH_DIST_BARRIER, TH_DIST_ALLREDUCE, TH_DIST_REDUCE, TH_DIST_BROADCAST, TH_DIST_ALLGATHER, TH_DIST_REDUCESCATTER,
       TH_DIST_ALLTOALL, TH_DIST_SEND, TH_DIST_RECV, TH_DIST_GROUP, TH_DIST_INIT, TH_DIST_SHARED, TH_DIST_CLOSE };
enum { TH_DIST_SUM, TH_DIST_MEAN, TH_DIST_MIN, TH_DIST_MAX, TH_DIST_PROD };
typedef struct th_dist_call {
  int32_t kind, op, root, note;                  /* root: of reduce and broadcast; the other rank of send and recv */
  int64_t count;
  double seconds;
  const th_list *in, *out;
} th_dist_call;
th_status    th_dist_join(th_dist **g, int fd, const char *name, const char *host, int rank, int size, const char *secret,
                          double deadline);
th_status    th_dist_group(th_dist **g, th_dist *world, const int32_t *rank, int n);      /* NULL: this rank is none of it */
th_status    th_dist_close(th_dist *g);          /* all ranks of a group give it back: it is gone */
void         th_dist_leave(th_dist *g, int failed);              /* of the whole job; failed: the script has */
int          th_dist_rank(const th_dist *g);
int          th_dist_size(const th_dist *g);
int          th_dist_local(const th_dist *g);    /* this process's number on its host */
int          th_dist_hosts(const th_dist *g);    /* of the whole job */
int          th_dist_host(const th_dist *g, int rank);  /* of a rank of the job, from 0 */
/* Between hosts: sets the algorithm, unless name is NULL; how it is called now. What an operation takes, and its seconds. */
th_status    th_dist_algorithm(const char *name, const char **now);
th_status    th_dist_explain(const th_dist *g, int kind, int dtype, int op, int64_t count, const char **algorithm,
                             double *seconds);
void         th_dist_speed(const th_dist *g, double *numbers);   /* latency, bytes a second */
double       th_dist_deadline(th_dist *g, double seconds);       /* 0: only asks */
/* Whether an operation goes to the device on which its tensors lie. 2: it does, *why is by what library; 1: if all ranks can,
 * which the first one finds out, *why is what this rank lacks, or ""; 0: it goes by copies on the CPU, *why says why. */
int          th_dist_takes(const th_dist *g, int kind, int dtype, int op, int device, const char **why);
th_status    th_dist_run(th_dist *g, const th_dist_call *call);
th_status    th_dist_start(th_dist_work **w, th_dist *g, const th_dist_call *call);
int          th_dist_test(const th_dist_work *w);
th_status    th_dist_wait(th_dist_work *w);
double       th_dist_now(void);                  /* seconds since some moment */
/* Of one that was waited for: from when to when it was at work, and bytes of its larger list. */
void         th_dist_times(const th_dist_work *w, double numbers[3]);
void         th_dist_work_free(th_dist_work *w);         /* waits for it */

/* Elements under a name that all ranks see, cut into shards: each has a lock, and an epoch that counts how often it was
 * written. Counters beside them are for whoever opens it: they are numbered from 0, epochs follow them. Who opens it first
 * makes it, full of zeros; it stays until all have closed it, or the job ends. `what` says in errors what the rank was doing. A
 * lock whose holder has died breaks the job. All must give the same `form`, a digest of what they see in the elements. Counters
 * are numbers below 2^32 and wrap; waiting compares them so that values may be 2^31 apart.
 * In a job on several hosts each shard has a rank that keeps it (`keeper`; NULL: shard i has rank i, and so around), and is at
 * home on the host of that one; counters are where shard 0 is. Elsewhere its elements are what this host's ranks have brought.
 * Runs are pairs of numbers: the first of some elements, from 0, and how many; a lock brings them, unlocking sends them home;
 * where the shard is at home there is nothing to do. */
typedef struct th_shared th_shared;
enum { TH_SHARED_NAME = 64, TH_SHARED_SHARDS = 256, TH_SHARED_COUNTERS = 4096 };
th_status    th_shared_open(th_shared **s, th_storage **elements, th_dist *world, const char *name, int dtype, int64_t count,
                            int form, int shards, int counters, const int32_t *keeper);
th_status    th_shared_close(th_shared *s);      /* this rank has done with it; the last one's gives name and memory back */
int          th_shared_far(const th_shared *s, int shard);       /* at home on another host */
th_status    th_shared_lock(th_shared *s, int shard, const char *what, double seconds, const int64_t *runs, int64_t n);
th_status    th_shared_unlock(th_shared *s, int shard, const char *what, int written, const int64_t *runs, int64_t n);
/* The same without a lock, for who knows that nobody is at work on them. */
th_status    th_shared_bring(th_shared *s, int shard, const char *what, const int64_t *runs, int64_t n);
th_status    th_shared_send(th_shared *s, int shard, const char *what, const int64_t *runs, int64_t n);
th_status    th_shared_count(th_shared *s, int counter, int n, uint32_t *values);
th_status    th_shared_add(th_shared *s, int counter, uint32_t n);       /* and wakes who waits for it */
/* Waits a moment, of 20 ms and a message at most; *reached says whether the counter has come to the value. */
th_status    th_shared_wait(th_shared *s, int counter, uint32_t value, const char *what, int *reached);
int          th_shared_gone(const th_shared *s, int rank);       /* its process has ended */
/* Breaks the job: the rank is gone, or has let the others wait for so many seconds. */
th_status    th_shared_blame(th_shared *s, int rank, const char *what, double seconds);
/* The same: this rank has left a shard half written. */
th_status    th_shared_fail(th_shared *s, const char *what, const char *why);
/* FFI END */

/* ---- operations on tensors of a device: a library of that device offers them (cunn/nccl_ranks.cu) ---- */

/* The elements of a list of packed tensors, one after the other. */
typedef struct th_span { char *p; int64_t first, n; } th_span;
typedef struct th_spans { th_span *s; int64_t count, n; th_span one; } th_spans;

/* What a communicator is asked for. `mark` is the moment from which on the elements are there. */
typedef struct th_device_call {
  int32_t kind, op, dtype, root, size, rank, device;
  const th_spans *in, *out;
  void *mark;
} th_device_call;

enum { TH_DEVICE_ID = 128, TH_DEVICE_NAME = 32 };
typedef struct th_device_ranks {
  const char *(*why)(void);                      /* why it cannot; "": it can */
  const char *(*file)(void);                     /* the library that does it */
  th_status (*name)(int device, char *name);     /* tells a device from the others of the host */
  th_status (*id)(char *id);                     /* of a communicator: the first rank makes it */
  /* A communicator: nobody waits. It is there when `poll` says so. */
  th_status (*open)(void **comm, int device, int size, int rank, const char *id);
  th_status (*mark)(void **mark, int device);    /* what the thread's stream has been given so far */
  void      (*unmark)(void *mark);
  th_status (*start)(void *comm, const th_device_call *call);
  th_status (*poll)(void *comm, int *done);      /* how far the last start, or open, is */
  void      (*close)(void *comm);                /* at once, whatever is at work */
  th_status (*to_host)(char *to, const th_spans *from, int es, int device, void *mark);
  th_status (*from_host)(const th_spans *to, const char *from, int es, int device, void *mark);
} th_device_ranks;
void         th_dist_offer(const th_device_ranks *d);

#ifdef __cplusplus
}
#endif
#endif
