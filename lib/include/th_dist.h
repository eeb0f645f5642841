/* th_dist.h - collectives and shared tensors of a job. lua/distributed/lib.lua passes the part between FFI
 * BEGIN and FFI END to LuaJIT's FFI. */
#ifndef TH_DIST_PUBLIC_H
#define TH_DIST_PUBLIC_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
/* The ranks of a job share a block of memory. A file descriptor or a name in shared memory
 * identifies it; with neither, the job has one rank. With a host's name the job may have several
 * hosts, and Open MPI's launcher, or one that Open MPI knows, starts it. A group is a list of
 * ranks, as one of its members sees it. The tensors of a list are contiguous and have one dtype.
 * `in` and `out` are the same for an operation in place. seconds: the timeout; 0: that of the job. */
typedef struct th_dist th_dist;
typedef struct th_dist_work th_dist_work;        /* an asynchronous operation */
enum { TH_DIST_BARRIER, TH_DIST_ALLREDUCE, TH_DIST_REDUCE, TH_DIST_BROADCAST, TH_DIST_ALLGATHER, TH_DIST_REDUCESCATTER,
       TH_DIST_ALLTOALL, TH_DIST_SEND, TH_DIST_RECV, TH_DIST_GROUP, TH_DIST_INIT, TH_DIST_SHARED,
       TH_DIST_CLOSE,
       TH_DIST_KINDS };                          /* how many there are: it stays the last */
enum { TH_DIST_SECONDS = 300 };        /* the timeout of operations unless the job sets another */
enum { TH_DIST_SUM, TH_DIST_MEAN, TH_DIST_MIN, TH_DIST_MAX, TH_DIST_PROD };
typedef struct th_dist_call {
  int32_t kind, op, root, note;                  /* root: of reduce and broadcast; the other rank of send and recv */
  int64_t count;
  double seconds;
  const th_list *in, *out;
} th_dist_call;
th_status    th_dist_join(th_dist **g, int fd, const char *name, const char *host, int rank, int size, const char *secret,
                          double deadline);
th_status    th_dist_group(th_dist **g, th_dist *world, const int32_t *rank, int n);      /* *g: NULL if not a member */
th_status    th_dist_close(th_dist *g);          /* collective: all ranks of the group call it; frees the group */
void         th_dist_leave(th_dist *g, int failed);              /* the whole job; failed: the script failed */
int          th_dist_rank(const th_dist *g);
int          th_dist_size(const th_dist *g);
int          th_dist_local(const th_dist *g);    /* the number of this process on its host */
int          th_dist_hosts(const th_dist *g);    /* in the whole job */
int          th_dist_host(const th_dist *g, int rank);  /* the host of a rank of the job, from 0 */
/* Between hosts. th_dist_algorithm sets the algorithm unless name is NULL, and returns the present
 * one. th_dist_explain returns the algorithm of an operation and its predicted seconds. */
th_status    th_dist_algorithm(const char *name, const char **now);
th_status    th_dist_explain(const th_dist *g, int kind, int dtype, int op, int64_t count, const char **algorithm,
                             double *seconds);
void         th_dist_speed(const th_dist *g, double *numbers);   /* seconds of latency, bytes per second */
double       th_dist_deadline(th_dist *g, double seconds);       /* 0: only returns the present one */
/* Whether an operation runs on the device that holds its tensors. 2: yes, and *why names the
 * library. 1: yes if all ranks can, which the first operation finds out; *why is what this rank
 * lacks, or "". 0: it runs through copies on the CPU, and *why is the reason. */
int          th_dist_takes(const th_dist *g, int kind, int dtype, int op, int device, const char **why);
th_status    th_dist_run(th_dist *g, const th_dist_call *call);
th_status    th_dist_start(th_dist_work **w, th_dist *g, const th_dist_call *call);
int          th_dist_test(const th_dist_work *w);
th_status    th_dist_wait(th_dist_work *w);
const char  *th_dist_kind(int kind);             /* "allreduce"; NULL: there is no such number */
double       th_dist_now(void);                  /* seconds since an arbitrary moment */
/* Of a finished asynchronous operation: when it began and ended, and the bytes of its larger list. */
void         th_dist_times(const th_dist_work *w, double numbers[3]);
void         th_dist_work_free(th_dist_work *w);         /* waits for it */

/* Shared tensors: elements under a name that all ranks see, cut into shards. Each shard has a lock,
 * and an epoch that counts the writes. Counters are for the user: they have numbers from 0, and the
 * epochs follow them. The first rank that opens a name creates it, filled with zeros; it is freed
 * when all ranks have closed it, or when the job ends. Counters are below 2^32 and wrap; waiting
 * compares them correctly while two values are less than 2^31 apart.
 * `what` names the rank's action in error messages. All ranks must pass the same `form`, a digest
 * of the sizes and shards that they use. A lock whose holder died breaks the job.
 * In a job on several hosts each shard has a shard server (`server`; NULL: rank i modulo size for
 * shard i). The server's host holds the shard's elements, and the host of shard 0 holds the
 * counters. Other hosts hold copies: what their ranks last read. Runs are pairs of numbers, the
 * first element (from 0) and how many. A lock reads them from the server's host and an unlock
 * writes them back; on the server's host itself there is nothing to copy. */
typedef struct th_shared th_shared;
enum { TH_SHARED_NAME = 64, TH_SHARED_SHARDS = 256, TH_SHARED_COUNTERS = 4096 };
th_status    th_shared_open(th_shared **s, th_storage **elements, th_dist *world, const char *name, int dtype, int64_t count,
                            int form, int shards, int counters, const int32_t *server);
th_status    th_shared_close(th_shared *s);      /* the last rank's call frees name and memory */
int          th_shared_is_remote(const th_shared *s, int shard); /* another host holds the shard */
th_status    th_shared_lock(th_shared *s, int shard, const char *what, double seconds, const int64_t *runs, int64_t n);
th_status    th_shared_unlock(th_shared *s, int shard, const char *what, int written, const int64_t *runs, int64_t n);
/* The same without a lock, for callers that know that no other rank uses the elements. */
th_status    th_shared_bring(th_shared *s, int shard, const char *what, const int64_t *runs, int64_t n);
th_status    th_shared_send(th_shared *s, int shard, const char *what, const int64_t *runs, int64_t n);
th_status    th_shared_count(th_shared *s, int counter, int n, uint32_t *values);
th_status    th_shared_add(th_shared *s, int counter, uint32_t n);       /* and wakes the ranks that wait for it */
/* Waits at most 20 ms and one message; *reached says whether the counter has reached the value. */
th_status    th_shared_wait(th_shared *s, int counter, uint32_t value, const char *what, int *reached);
int          th_shared_gone(const th_shared *s, int rank);       /* its process has ended */
/* Breaks the job: the rank is dead, or the others have waited for it for so many seconds. */
th_status    th_shared_blame(th_shared *s, int rank, const char *what, double seconds);
/* The same, because this rank has left a shard half written. */
th_status    th_shared_fail(th_shared *s, const char *what, const char *why);
/* FFI END */

/* ---- operations on tensors of a device: a library of that device provides them
 * (cunn/libraries/nccl_ranks.cu) ---- */

/* The elements of a list of contiguous tensors, one after the other. */
typedef struct th_span { char *p; int64_t first, n; } th_span;
typedef struct th_spans { th_span *s; int64_t count, n; th_span one; } th_spans;

/* An operation of a communicator. `mark` is the event after which the elements are valid. */
typedef struct th_device_call {
  int32_t kind, op, dtype, root, size, rank, device;
  const th_spans *in, *out;
  void *mark;
} th_device_call;

enum { TH_DEVICE_ID = 128, TH_DEVICE_NAME = 32 };
typedef struct th_device_ranks {
  const char *(*why)(void);                      /* why it cannot run; "": it can */
  const char *(*file)(void);                     /* the path of the library */
  th_status (*name)(int device, char *name);     /* a name that differs between the devices of a host */
  th_status (*id)(char *id);                     /* of a communicator: the first rank creates it */
  /* Creates a communicator without waiting; it is ready when `poll` says so. */
  th_status (*open)(void **comm, int device, int size, int rank, const char *id);
  th_status (*mark)(void **mark, int device);    /* an event after the work that the thread's stream has so far */
  void      (*unmark)(void *mark);
  th_status (*start)(void *comm, const th_device_call *call);
  th_status (*poll)(void *comm, int *done);      /* whether the last start, or open, has ended */
  void      (*close)(void *comm);                /* immediately, even during an operation */
  th_status (*to_host)(char *to, const th_spans *from, int es, int device, void *mark);
  th_status (*from_host)(const th_spans *to, const char *from, int es, int device, void *mark);
} th_device_ranks;
void         th_dist_offer(const th_device_ranks *d);

#ifdef __cplusplus
}
#endif
#endif
