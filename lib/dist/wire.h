/* wire.h - a job on several hosts: who is where, letters between its ranks, and operations of groups that more than one host
 * has. */
#ifndef TH_WIRE_H
#define TH_WIRE_H
#include "dist.h"
#include "mpi.h"

enum { TH_HOST = 64 };                          /* bytes of a host's name, with its 0 */

/* What messages are about: of each group these; letters, which attend.c reads, and what ranks ask of the keepers of shards. */
enum { TH_TAG_LETTER, TH_TAG_MESSAGE, TH_TAG_DATA, TH_TAG_REPLY, TH_TAG_NOTICE, TH_TAG_FOLD, TH_TAG_RESULT,
       TH_TAG_ASK, TH_TAG_TOLD, TH_TAGS };

/* What the ranks have measured when they met, the slowest of them: seconds of a short message, bytes a second of a long one
 * between hosts and within one. The same numbers on all ranks. */
typedef struct th_speed { double latency, rate, home; } th_speed;

/* ---- the job (attend.c) ---- */

/* Meets all ranks by the launcher's Open MPI: which of them are on this host, the first of those, this rank's number there. */
th_status th_wire_join(th_job *j, const char *host, const char *secret);
th_status th_wire_start(th_job *j, th_dist *world);     /* from now on other ranks get answers */
void      th_wire_group(th_job *j, th_dist *g);         /* of this group, too */
void      th_wire_forget(th_job *j, const th_dist *g);  /* no more */
void      th_wire_leave(th_job *j, bool failed);
int       th_wire_hosts(const th_job *j);
int       th_wire_host(const th_job *j, int rank);      /* hosts are numbered by their first ranks */
th_speed *th_wire_speed(const th_job *j);
/* Sends a copy and does not wait, while that rank has less than `most` bytes to receive still; after that it does. */
th_status th_wire_post(th_dist_work *w, int to, int tag, const void *p, int64_t bytes, int64_t most);
/* The operation is too late: asks all ranks how far they are, and breaks the job for one that does not answer or has not come.
 * `who` is waited for on this host; -1: that is not known. */
th_status th_inquire(th_dist_work *w, int who);
/* A rank is late, or holds a lock for too long: the same for others than operations. th_blame does not ask; th_accuse_silent
 * blames nobody if all answer, and says whether it has. */
void      th_accuse(th_dist_work *w, int who, th_trouble t);
bool      th_accuse_silent(th_dist_work *w, int who, th_trouble t);
bool      th_wire_answers(const th_job *j, int who);    /* asks one rank, which may have left */
bool      th_wire_hears(const th_job *j);               /* there are several hosts, and their ranks get answers */
/* Sends a copy, and never waits: for what is answered, so that little is on its way. */
th_status th_wire_hand(th_job *j, int to, int tag, const void *p, int64_t bytes);
/* Waits until some of n requests have ended: `done` gets their numbers. */
th_status th_settle(th_dist_work *w, th_request *r, int n, int *done, int *ndone);
th_status th_settle_few(th_dist_work *w, th_request *r, int n);       /* all of at most TH_MAXRANK + 1, of few bytes */
int       th_tag(const th_dist *g, int what);

/* ---- groups on several hosts (between.c) ---- */

struct th_between {
  th_dist *home;                        /* the ranks of this host, at the desks of the group */
  int      hosts, here;                 /* hosts that have ranks of it; which of them this is */
  int      host[TH_MAXRANK];            /* of each rank of the group */
  int      member[TH_MAXRANK], first[TH_MAXRANK + 1];   /* the ranks by hosts: those of host h begin at first[h] */
  uint32_t called;                      /* the operation at work, or the last one */
  int32_t  kind;
  char    *room;                        /* twice TH_CHUNK bytes: what ranks announce, and few bytes */
  int      algorithm;                   /* of the last operation */
};
th_status th_between_new(th_dist *g);
void      th_between_forget(th_dist *g);
th_status th_between_run(th_dist_work *w);
/* Some elements of a list. */
th_status th_slice(th_spans *out, const th_spans *s, int es, int64_t first, int64_t n);
void      th_unslice(th_spans *s);

th_status th_wire_message(th_dist_work *w);            /* message.c: send and recv */

/* ---- announcements and few bytes (exchange.c) ---- */

/* What all ranks announce, and where their bytes lie; or those of what was reduced on the way, as the first rank's. All announce
 * the same, or all fail. */
typedef struct th_exchange {
  th_notice notice[TH_MAXRANK];
  int64_t  bytes[TH_MAXRANK];
  char    *at[TH_MAXRANK];
  uint32_t number;
  bool     reduces;
} th_exchange;
th_status th_exchange_begin(th_dist_work *w, th_exchange *x, int64_t bytes, bool reduces);
void      th_exchange_end(th_dist_work *w, th_exchange *x);     /* the bytes may go */

/* ---- many bytes (flow.c) ---- */

/* Elements cut into parts, and those into chunks. */
typedef struct th_cut { int64_t n, part, chunk; int parts, chunks; } th_cut;
th_cut  th_cut_of(int64_t n, int parts, int64_t chunk, bool exact);
int64_t th_cut_at(const th_cut *c, int part, int chunk, int64_t *n);

/* A row of chunks to one rank, or from it: those of part `from`, then of part from + step, and so on. */
typedef struct th_flow {
  int      peer, tag, from, step, segments;
  bool     send, keep;                  /* keep: chunks lie at their places in `stage`, until those are freed */
  const th_spans *s;
  int64_t  offset;                      /* added to the elements' numbers */
  const int64_t *limit;                 /* chunks that may be sent or wanted; NULL: all */
  const int64_t *freed;                 /* chunks whose places are free; NULL: those that are done */
  int64_t  chunks, issued, done;
  char    *stage;
  bool    *ended;
} th_flow;
typedef struct th_flows {
  th_dist_work *w;
  th_cut   cut;
  int      n, room, window;
  th_flow *f;
  th_request *r;
} th_flows;
th_status th_flows_new(th_flows *f, th_dist_work *w, th_cut cut, int most, int window);
th_flow  *th_flow_add(th_flows *f, const th_flow *like);
char     *th_flow_place(const th_flows *f, const th_flow *one, int64_t i);
/* Runs all to their ends; `step` works on what has come, and lets more go. */
typedef th_status (*th_flow_step)(th_flows *f, void *arg);
th_status th_flows_run(th_flows *f, th_flow_step step, void *arg);

/* ---- algorithms (ring.c) ---- */

typedef struct th_team { int n, at; int rank[TH_MAXRANK]; } th_team;        /* ranks of the group that work together */
/* Elements [first, first + n) of in are reduced into out; kinds as of dist.h. */
th_status th_fold_parts(th_dist_work *w, const th_team *t, int64_t chunk, int window);
th_status th_ring(th_dist_work *w, const th_team *t, const th_spans *x, int64_t n, int op, int over, int64_t chunk, int window);

/* ---- the choice (model.c) ---- */

enum { TH_AUTO, TH_FASTEST, TH_GATHER, TH_DOUBLING, TH_PARTS, TH_RING, TH_HOSTS, TH_ALGORITHMS };
const char *th_algorithm_name(int a);
int     th_forced_algorithm(void);
th_status th_know_algorithm(void);        /* whether the environment names one that there is */
int     th_choose_for(const th_dist *g, const th_notice *n, int64_t bytes);
int     th_choose(const th_dist_work *w);
double  th_predict(const th_dist *g, int kind, int64_t bytes, int algorithm);
int64_t th_chunk_bytes(int64_t part, int peers);
th_status th_measure(th_dist *world);

#endif
