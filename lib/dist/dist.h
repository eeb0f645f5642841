/* dist.h - what the files of lib/dist share: groups, the desks through which their ranks speak, and waiting.
 *
 * Every rank of a group has a desk in shared memory. It alone writes there; the others read. Counters say how far it has
 * come: calls announced, chunks put on the desk, chunks folded (reduced in place), chunks of the others taken. They only
 * grow, and wrap; who needs something waits until a counter has reached a value.
 */
#ifndef TH_DIST_H
#define TH_DIST_H
#include <pthread.h>
#include "../core/core.h"
#include "th_dist.h"
#include "job.h"

enum { TH_SLOTS = 4, TH_CHUNK = 256 << 10, TH_SMALL = 8 << 10, TH_FEW = 24, TH_MAXGROUP = 32, TH_CELLS = 4,
       TH_CELL = 16 << 10, TH_MAXSHARED = 512, TH_PACES = 11 };

/* A counter on a cache line of its own, and how many sleep until it grows; of a lock, how many of other hosts want it. */
typedef struct th_counter { _Alignas(64) uint32_t value; uint32_t sleepers, wanted; } th_counter;

/* What a rank announces: all ranks must announce the same; but `op` of a group says which numbers of groups the rank uses. */
typedef struct th_notice { uint32_t seq; int32_t kind, op, dtype, root, note; int64_t count; } th_notice;

/* A call: one cache line, with what is announced and, if they are few enough, all the elements of it. */
typedef union th_callout {
  th_counter called;
  struct { uint32_t counter[2]; th_notice notice; char few[TH_FEW]; } with;
} th_callout;

typedef struct th_desk {
  th_callout call[2];                               /* of an operation and the one after it */
  th_counter posted, folded, taken;
  _Alignas(64) char small[2][TH_SMALL];             /* so few bytes travel with the call */
  _Alignas(64) char slot[TH_SLOTS][TH_CHUNK];
} th_desk;

/* From one rank to another: a ring of cells. */
typedef struct th_channel {
  th_counter sent, read;
  uint32_t   refused;                               /* number of the last message whose receiver wanted another, plus 1 */
  th_notice  notice[TH_CELLS];                      /* of the message that begins in this cell */
  _Alignas(64) char cell[TH_CELLS][TH_CELL];
} th_channel;

/* What ranks have opened under names, and where the next one goes. An entry without a name was given back; `room` bytes of the
 * job's memory at `at` are its place still. The serial tells it from others that have the name later. */
typedef struct th_entry {
  char     name[TH_SHARED_NAME];
  uint32_t serial;
  int32_t  dtype, form, shards, counters, maker;
  int64_t  count, at, room;
  uint64_t users;                                   /* a bit for each rank */
} th_entry;
typedef struct th_directory {
  th_counter lock;
  uint32_t   n, serial;
  int64_t    end;
  th_entry   entry[TH_MAXSHARED];
} th_directory;

typedef struct th_wire th_wire;
typedef struct th_between th_between;
typedef struct th_far th_far;

typedef struct th_job {
  th_job_head *head;
  th_shared   *opened;                              /* a list */
  size_t       bytes;
  int          rank, size, fd, cores;
  int          first, local;                        /* first rank of this host, which makes the memory; this one's number here */
  th_wire     *wire;                                /* to other hosts; NULL: there are none */
  th_far      *far;                                 /* room for what they are asked */
  int32_t      pid;
  uint32_t     mine, used, given;                   /* numbers of groups, as bits: of this rank's; when the last group was
                                                       made, of some rank's; that were ever given */
  double       deadline;                            /* seconds that an operation may take */
} th_job;

/* Operations of one group, or of one channel, run in the order in which they were started. */
typedef struct th_lane {
  pthread_mutex_t lock;                             /* of those who wait for their turn */
  pthread_cond_t  turn;
  uint32_t        next, serving, waiting, turns;    /* turns: operations that have begun */
} th_lane;

/* How operations of about one size had best go: past the caches or through them. */
typedef struct th_pace {
  uint32_t operations;
  bool     streams;
  double   best[2];                                 /* seconds of those that were tried; [1] past the caches */
} th_pace;

struct th_dist {
  th_job  *job;
  int      id, rank, size;
  int32_t  world[TH_MAXRANK];                       /* ranks of the group by their numbers in the job */
  th_desk *desk;
  uint32_t seq, chunks;                             /* operations begun; chunks put so far */
  th_pace  pace[TH_PACES];                          /* from 8 kB on, by powers of two */
  th_between *between;                              /* NULL: all its ranks are on this host */
  void    *comm;                                    /* of the devices of all ranks; NULL: there is none */
  int      device, way;                             /* of this rank, once it was asked for; device.c */
  char     no_way[TH_WHY];
  int      works;                                   /* operations that were started and not waited for */
  th_lane  lane;
  th_lane *to, *from;                               /* of the channels, by rank; of the whole job only */
  th_dist *before;                                  /* of a job that has been left: the one that was left before it */
};

/* Work between two operations that go on as one: on what the first has brought, for what the second sends. What fails in it
 * must fail on all ranks, or break the job. `drop` lets go of arg at the end. */
typedef struct th_step {
  th_status (*run)(void *arg);
  void      (*drop)(void *arg);
  void       *arg;
} th_step;

struct th_dist_work {
  th_dist  *g;
  th_notice notice;
  int       es;                                     /* bytes of an element */
  uint32_t  turn;                                   /* number of the announcement on the desks */
  const th_dist_work *whole;                        /* the operation between hosts of which this is the part on one host */
  const char *what;                                 /* of a shared tensor: what is done with it */
  int       keeper;                                 /* and the rank that gives other hosts its lock, plus 1; 0: none does */
  double    began, ended;                           /* at work while the script goes on: when it had its turn, and its end */
  double    seconds, until;                         /* how long it may take; when it must have ended, once it has waited */
  int       device, ondevice;                       /* of the tensors, 0: the CPU; how many ranks have theirs on a device */
  void     *mark;
  double    rest;                                   /* seconds after which it is soon enough to look what has come */
  th_spans  in, out;
  th_dist_work *second;                             /* follows in the same turn, when `step` has run */
  th_step   step;
  th_lane  *lane;
  uint32_t  ticket;
  pthread_t thread;
  int       threaded, done, counted;                /* counted: in `works` of the group */
  th_status status;
  th_storage **held;
  int64_t   nheld;
  char      why[1024];
};

/* ---- kernels (lib/cpu/combine.c) ---- */

/* out[i] = (src[0][i] op src[1][i]) op (src[2][i] op src[3][i]) ...: always in these pairs, so that results do not depend on who
 * computes them. A mean is divided by `over`. */
typedef void (*th_combine)(void *out, const void *const *src, int nsrc, int64_t n, int op, int over);
bool       th_can_combine(void);                      /* whether this machine runs any level's kernels */
th_combine th_combine_of(int dtype);

/* ---- waiting (wait.c) ---- */

double     th_now(void);
/* Waits until the counter of the rank `who` of the job has reached `value`. */
th_status  th_await(th_dist_work *w, th_counter *c, uint32_t value, int who);
/* The same for a word that nobody sleeps on. */
th_status  th_await_word(th_dist_work *w, uint32_t *word, uint32_t value, int who);
/* What may end the waiting: the job, the user. */
th_status  th_stopped(th_dist_work *w);
void       th_count_to(th_counter *c, uint32_t value);
void       th_count(th_counter *c, uint32_t more);      /* of any number of ranks at once */
/* The same, but returns after a moment. */
th_status  th_await_moment(th_dist_work *w, th_counter *c, uint32_t value, int *there);
/* A lock is a counter: how often it was taken, times 256, plus the holder's rank + 1, or 0. So a holder that takes it again and
 * again is told from one that never gives it back. */
th_status  th_take(th_dist_work *w, th_counter *lock);
bool       th_take_now(th_counter *lock, int rank, uint32_t *seen);     /* if it is free; what it was */
int        th_holder(uint32_t seen);                   /* -1: nobody */
bool       th_holds(const th_dist *g, const th_counter *lock);
void       th_give(th_counter *lock);

/* ---- the job (job.c) ---- */

const char *th_dist_word(int kind);                 /* "allreduce" */
uint64_t    th_birth(int pid, char *state);         /* 0: there is no such process; TH_UNKNOWN: it lives, no more is known */
#define TH_UNKNOWN UINT64_MAX
/* What keeps rank `who` from coming, and breaking the job for it. */
typedef enum th_trouble { TH_NO_TROUBLE, TH_HAS_LEFT, TH_IS_GONE, TH_IS_LATE, TH_IS_HOLDING } th_trouble;
th_trouble  th_look_after(const th_dist_work *w, int who, bool late);
void        th_blame(th_dist_work *w, int who, th_trouble t);
th_status   th_broken(th_dist_work *w);
void        th_break(th_job *j, int culprit, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
th_status   th_break_for(th_job *j, th_status s);       /* when s is a failure; returns s */
th_channel *th_channel_of(const th_job *j, int from, int to);
th_desk    *th_desks_of(const th_job *j, int group);
th_directory *th_directory_of(const th_job *j);
bool        th_forked(void);                        /* this process is a child of the rank */
th_status   th_reserve(const th_job *j, const void *p, size_t bytes);
th_status   th_dist_new(th_dist **g, th_job *j, int id, const int32_t *world, int n);
void        th_dist_forget(th_dist *g);             /* a group that no operation uses any more */

/* ---- operations ---- */

/* Two operations of a group, and a step between them, as one; blocking where w is NULL. `more`: tensors that the step needs. */
th_status th_dist_two(th_dist_work **w, th_dist *g, const th_dist_call call[2], th_step step, const th_list *more);

/* Tensors on devices (device.c). A rank that has them there says so in what it announces. */
enum { TH_ON_DEVICE = 1 << 16 };
static inline int th_note(const th_notice *n) { return n->kind == TH_DIST_GROUP ? n->note : n->note & ~TH_ON_DEVICE; }
static inline bool th_is_on_device(const th_notice *n) { return n->kind != TH_DIST_GROUP && n->note & TH_ON_DEVICE; }
th_status th_know_devices(void);                    /* what the environment says */
th_status th_device_prepare(th_dist_work *w);       /* in the script's thread */
void      th_device_unprepare(th_dist_work *w);
/* By copies on the CPU, which `by` is given. */
th_status th_by_copies(th_dist_work *w, th_status (*by)(th_dist_work *));
th_status th_by_device(th_dist_work *w, th_status (*by_cpu)(th_dist_work *));      /* after all have announced it */
void      th_device_close(th_dist *g);

th_status th_collective(th_dist_work *w);           /* collective.c */
th_status th_announce(th_dist_work *w);             /* its first part: all announce the same, or all fail */
th_status th_message(th_dist_work *w);              /* channel.c */
bool      th_same(const th_notice *a, const th_notice *b);
th_status th_differ(const th_dist_work *w, const th_notice *a, const th_notice *b, int r);
/* Few bytes of this rank; and the result from those of all ranks, each at its slot. */
void      th_note_numbers(th_job *j, const th_notice *n, bool first);  /* of groups that a rank uses */
void      th_dist_number(th_dist *g, uint32_t number);
void      th_follow(th_dist *g, uint32_t number);  /* counts chunks up to `number` as folded */
void      th_put_few(th_dist_work *w, char *to);
void      th_take_few(th_dist_work *w, char *const *slot);
char     *th_piece(const th_spans *s, int es, int64_t first, int64_t *n);
void      th_gather(char *to, const th_spans *s, int es, int64_t first, int64_t n);
void      th_scatter(const th_spans *s, int es, int64_t first, int64_t n, const char *from);
th_status th_fail_of(const th_dist_work *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
