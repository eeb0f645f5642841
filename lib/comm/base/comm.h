/* comm.h - what the rooms of lib/comm share: groups, the shared memory of their ranks, and
 * waiting.
 *
 *  * Every rank of a group has an area in shared memory (th_area). Only that rank writes there; the
 * others read. Counters hold its progress: operations announced, chunks put into its slots, chunks
 * folded (reduced in place), chunks of other ranks taken. They only grow, and wrap. A rank that
 * needs something waits until a counter reaches a value. */
#ifndef TH_COMM_H
#define TH_COMM_H
#include <pthread.h>
#include "../../core/core.h"
#include "th_dist.h"
#include "job.h"

enum { TH_SLOTS = 4, TH_CHUNK = 256 << 10, TH_SMALL = 8 << 10, TH_FEW = 24, TH_MAXGROUP = 32, TH_CELLS = 4,
       TH_CELL = 16 << 10, TH_MAXSHARED = 512, TH_PACES = 11 };

/* A counter with a cache line for itself. sleepers: threads that sleep until it grows. wanted, of a
 * lock: how many ranks of other hosts wait for it. */
typedef struct th_counter { _Alignas(64) uint32_t value; uint32_t sleepers, wanted; } th_counter;

/* What a rank announces of an operation. All ranks must announce the same, except for `op` of
 * TH_DIST_GROUP: the numbers of groups that the rank uses, as bits. */
typedef struct th_notice { uint32_t seq; int32_t kind, op, dtype, root, note; int64_t count; } th_notice;

/* An announcement in one cache line, with all the elements if they are few enough. */
typedef union th_callout {
  th_counter called;
  struct { uint32_t counter[2]; th_notice notice; char few[TH_FEW]; } with;
} th_callout;

typedef struct th_area {
  th_callout call[2];                               /* of an operation and the next one */
  th_counter posted, folded, taken;
  _Alignas(64) char small[2][TH_SMALL];             /* so few bytes are sent with the announcement */
  _Alignas(64) char slot[TH_SLOTS][TH_CHUNK];
} th_area;

/* Messages from one rank to another: a ring of cells. */
typedef struct th_channel {
  th_counter sent, read;
  uint32_t   refused;                               /* seq of the last message that the receiver refused; 0: none */
  th_notice  notice[TH_CELLS];                      /* of the message that begins in this cell */
  _Alignas(64) char cell[TH_CELLS][TH_CELL];
} th_channel;

/* Shared tensors by name, and where the next one is placed. An entry without a name was freed; its
 * `room` bytes of the job's memory at `at` can be used again. The serial distinguishes it from
 * later entries with the same name. */
typedef struct th_shared_entry {
  char     name[TH_SHARED_NAME];
  uint32_t serial;
  int32_t  dtype, form, shards, counters, maker;
  int64_t  count, at, room;
  uint64_t users;                                   /* a bit for each rank */
} th_shared_entry;
typedef struct th_directory {
  th_counter lock;
  uint32_t   n, serial;
  int64_t    end;
  th_shared_entry entry[TH_MAXSHARED];
} th_directory;

typedef struct th_control th_control;
typedef struct th_inter_host th_inter_host;
typedef struct th_shard_client th_shard_client;

/* A chunk of an operation of one host (group/chunk.h), and how a group lies on its hosts: how many,
 * its ranks, the most on one host, the share of the ranks that are not on that. */
typedef struct th_chunk th_chunk;
typedef struct th_spread { double hosts, ranks, here, away; } th_spread;

/* What a kind of operation is. The table of all (collectives/collectives.c) has one row for each;
 * the rooms below ask it instead of the number. */
typedef enum th_size { TH_AS_INPUT, TH_ONE_PART, TH_OF_ALL } th_size;
typedef struct th_operation {
  const char *name;                                 /* "allreduce" */
  bool     reduces;                                 /* elements of all ranks are combined by an operator */
  bool     to_root, from_root;                      /* only the root gets the result; only it gives elements */
  bool     in_parts;                                /* the input has a part for each rank */
  th_size  result;                                  /* elements of the result: as the input, one part of it, all inputs */
  /* On one host: writes what others need of a chunk into the own slot (NULL: all of it); then
   * computes the result from the slots. */
  void   (*put)(const th_chunk *c);
  void   (*take)(const th_chunk *c);
  /* Between hosts, if the elements are more than a few; NULL: there are no elements. */
  th_status (*between)(th_dist_work *w, int algorithm);
  /* Bytes that the busiest host sends then for a tensor of n bytes. */
  double (*sent)(const th_spread *s, double n, int algorithm);
  /* Why the operation does not run on devices; "" if it can. NULL: it never does. */
  const char *(*not_on_device)(int dtype, int op);
} th_operation;

/* The rooms group and net do not include each other; they meet in these tables. What net calls of
 * group: operations of the ranks of one host (collective.c). */
typedef struct th_group_calls {
  th_status (*run)(th_dist_work *w);
  void      (*put_few)(th_dist_work *w, char *to);
  void      (*take_few)(th_dist_work *w, char *const *slot);
  void      (*follow)(th_dist *g, uint32_t number);
} th_group_calls;

/* What waits on one host call of net, once other hosts answer: failure_detection.c. */
typedef enum th_fault { TH_NO_FAULT, TH_HAS_LEFT, TH_IS_GONE, TH_IS_LATE, TH_IS_HOLDING } th_fault;
typedef struct th_net_calls {
  th_status (*detect_failure)(th_dist_work *w, int who);
  bool      (*report_silent)(th_dist_work *w, int who, th_fault t);
} th_net_calls;

typedef struct th_job {
  th_job_head *head;
  th_shared   *opened;                              /* a linked list */
  size_t       bytes;
  int          rank, size, fd, cores;
  int          first, local;                        /* first rank of this host (it creates the memory); this rank's number here */
  int          hosts, host[TH_MAXRANK];             /* of each rank; hosts are numbered by their first ranks */
  const th_operation *kinds;                        /* by number */
  const th_group_calls *group;
  const th_net_calls *net;                          /* NULL: there are no other hosts, or they do not answer yet */
  th_control  *control;                             /* to other hosts; NULL: there are none */
  th_shard_client *shard_client;                    /* buffers of the shard client */
  int32_t      pid;
  uint32_t     mine, used, given;                   /* group numbers, as bits: this rank's; those in use when the last group
                                                       was made; all that were ever used */
  double       deadline;                            /* default timeout of an operation */
} th_job;

/* A queue: operations of one group, or of one channel, run in the order in which they were started. */
typedef struct th_queue {
  pthread_mutex_t lock;                             /* for threads that wait for their turn */
  pthread_cond_t  turn;
  uint32_t        next, serving, waiting, turns;    /* turns: operations that have begun */
} th_queue;

/* Whether operations of about one size are faster with streaming stores or with normal ones. */
typedef struct th_pace {
  uint32_t operations;
  bool     streams;
  double   best[2];                                 /* best seconds of both; [1] with streaming stores */
} th_pace;

struct th_dist {
  th_job  *job;
  int      id, rank, size;
  int32_t  world[TH_MAXRANK];                       /* the group's ranks, by their ranks in the job */
  th_area *area;
  uint32_t seq, chunks;                             /* operations begun; chunks put so far */
  th_pace  pace[TH_PACES];                          /* from 8 kB on, by powers of two */
  th_inter_host *inter_host;                        /* NULL: all its ranks are on this host */
  void    *comm;                                    /* the device communicator of all ranks, or NULL */
  int      device, way;                             /* this rank's device, once it was used; the state of device.c */
  char     why_no_device[TH_WHY];
  int      works;                                   /* operations that were started and not waited for */
  th_queue queue;
  th_queue *to, *from;                              /* queues of the channels, by rank; only of the whole job */
  th_dist *before;                                  /* the next in the list of jobs that were left (api/join.c) */
};

/* A step between two operations that run as one: it uses the results of the first and prepares the
 * input of the second. A failure in it must occur on all ranks, or break the job. `drop` frees arg. */
typedef struct th_step {
  th_status (*run)(void *arg);
  void      (*drop)(void *arg);
  void       *arg;
} th_step;

struct th_dist_work {
  th_dist  *g;
  th_notice notice;
  int       es;                                     /* bytes of an element */
  uint32_t  turn;                                   /* number of the announcement in th_area */
  const th_dist_work *whole;                        /* the operation between hosts of which this is the part on one host */
  const char *what;                                 /* of a shared tensor: the action, for error messages */
  int       server;                                 /* the shard server of the lock, plus 1; 0: none */
  double    began, ended;                           /* of an asynchronous operation: when its turn began, and when it ended */
  double    seconds, until;                         /* the timeout; when it expires, set by the first wait */
  int       device, ondevice;                       /* of the tensors, 0: the CPU; how many ranks have theirs on a device */
  void     *mark;
  double    rest;                                   /* a test for arrivals may wait so many seconds */
  th_spans  in, out;
  th_dist_work *second;                             /* runs after `step`, in the same turn */
  th_step   step;
  th_queue *queue;
  uint32_t  ticket;
  pthread_t thread;
  int       threaded, done, counted;                /* counted: in `works` of the group */
  th_status status;
  th_storage **held;
  int64_t   nheld;
  char      why[1024];
};

/* ---- kernels (lib/cpu/combine.c) ---- */

/* out[i] = (src[0][i] op src[1][i]) op (src[2][i] op src[3][i]) ...: always in these pairs, so that
 * results do not depend on the rank that computes them. A mean is divided by `over`. */
typedef void (*th_combine)(void *out, const void *const *src, int nsrc, int64_t n, int op, int over);
bool       th_can_combine(void);                      /* whether this machine can run kernels of any level */
th_combine th_combine_of(int dtype);

/* ---- waiting (wait.c) ---- */

double     th_now(void);
/* Waits until the counter reaches `value`. who: the rank of the job that advances it. */
th_status  th_await(th_dist_work *w, th_counter *c, uint32_t value, int who);
/* The same for a word on which no thread sleeps. */
th_status  th_await_word(th_dist_work *w, uint32_t *word, uint32_t value, int who);
/* Fails if a wait has to end: the job is broken, or the user interrupted it. */
th_status  th_stopped(th_dist_work *w);
void       th_count_to(th_counter *c, uint32_t value);
void       th_count(th_counter *c, uint32_t more);      /* any number of ranks at a time may call it */
/* The same, but returns after about 20 ms. */
th_status  th_await_moment(th_dist_work *w, th_counter *c, uint32_t value, int *there);
/* A lock is a counter: 256 * how often it was taken + the holder's rank + 1, or + 0 when it is
 * free. So a holder that releases it and takes it again differs from one that never releases it. */
th_status  th_lock_take(th_dist_work *w, th_counter *lock);
bool       th_lock_try(th_counter *lock, int rank, uint32_t *seen);     /* if it is free; *seen becomes its last value */
int        th_lock_holder(uint32_t seen);              /* -1: it is free */
bool       th_lock_is_held(const th_dist *g, const th_counter *lock);
void       th_lock_release(th_counter *lock);

/* ---- the job ---- */

/* FNV-1a of a text. Ranks of one job compare such hashes, so all must be built from one version. */
static inline uint64_t th_text_hash(const char *text)
{
  uint64_t h = 14695981039346656037u;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211u;
  return h;
}
static inline int th_host_of(const th_job *j, int rank) { return j->host[rank]; }
static inline const th_net_calls *th_net_of(const th_job *j) { return __atomic_load_n(&j->net, __ATOMIC_ACQUIRE); }
static inline const th_operation *th_operation_of(const th_dist_work *w) { return &w->g->job->kinds[w->notice.kind]; }
static inline const char *th_word_of(const th_dist_work *w) { return th_operation_of(w)->name; }
static inline bool th_at_root(const th_dist_work *w) { return w->g->rank == w->notice.root; }

/* ---- failures (fault.c) ---- */

uint64_t    th_birth(int pid, char *state);         /* 0: no such process; TH_UNKNOWN: it lives, /proc is unreadable */
#define TH_UNKNOWN UINT64_MAX
/* Why rank `who` does not advance; and breaking the job because of it. th_report_late pings it
 * first, if it is late; th_blame does not. */
th_fault  th_fault_of(const th_dist_work *w, int who, bool late);
void        th_blame(th_dist_work *w, int who, th_fault t);
void        th_report_late(th_dist_work *w, int who, th_fault t);
th_status   th_broken(th_dist_work *w);
void        th_break(th_job *j, int culprit, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
th_status   th_break_for(th_job *j, th_status s);       /* if s is a failure; returns s */
th_status   th_fail_of(const th_dist_work *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool        th_forked(void);                        /* this process is a child of the rank */
void        th_notice_forks(void);

/* ---- memory and groups (group.c) ---- */

size_t      th_job_bytes(int size);                 /* of the memory of a job */
size_t      th_first_bytes(int size);               /* of it, what the handshake needs */
th_channel *th_channel_of(const th_job *j, int from, int to);
th_area    *th_areas_of(const th_job *j, int group);
th_directory *th_directory_of(const th_job *j);
th_status   th_reserve(const th_job *j, const void *p, size_t bytes);
th_status   th_dist_new(th_dist **g, th_job *j, int id, const int32_t *world, int n);
void        th_dist_free(th_dist *g);

/* ---- announcements (announce.c) ---- */

/* A rank announces that its tensors are on a device. */
enum { TH_ON_DEVICE = 1 << 16 };
static inline int th_note(const th_notice *n) { return n->kind == TH_DIST_GROUP ? n->note : n->note & ~TH_ON_DEVICE; }
static inline bool th_is_on_device(const th_notice *n) { return n->kind != TH_DIST_GROUP && n->note & TH_ON_DEVICE; }
bool      th_same(const th_notice *a, const th_notice *b);
th_status th_differ(const th_dist_work *w, const th_notice *a, const th_notice *b, int r);
void      th_note_groups(th_job *j, const th_notice *n, bool first);   /* sets the group numbers in use */

/* ---- elements of lists (spans.c) ---- */

char     *th_piece(const th_spans *s, int es, int64_t first, int64_t *n);
void      th_gather(char *to, const th_spans *s, int es, int64_t first, int64_t n);
void      th_scatter(const th_spans *s, int es, int64_t first, int64_t n, const char *from);
/* A part of the elements of a list. */
th_status th_slice(th_spans *out, const th_spans *s, int es, int64_t first, int64_t n);
void      th_unslice(th_spans *s);

/* ---- the algorithm of operations between hosts, as a setting (algorithm.c) ---- */

enum { TH_AUTO, TH_FASTEST, TH_GATHER, TH_DOUBLING, TH_PARTS, TH_RING, TH_HOSTS, TH_ALGORITHMS };
const char *th_algorithm_name(int a);
int       th_forced_algorithm(void);
void      th_force_algorithm(int a);
th_status th_check_algorithm_setting(void); /* whether the environment names a known algorithm, or none */

#endif
