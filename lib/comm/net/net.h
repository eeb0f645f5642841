/* net.h - a job on several hosts: which rank is on which host, the control channel, and operations
 * of groups that span hosts. */
#ifndef TH_COMM_NET_H
#define TH_COMM_NET_H
#include "../base/comm.h"
#include "mpi.h"

enum { TH_HOST = 64 };                          /* bytes of a host's name, with the final 0 */

/* Tags: each group has these; CONTROL is the control channel, SHARD_REQUEST and SHARD_REPLY are those of
 * shard servers. */
enum { TH_TAG_CONTROL, TH_TAG_MESSAGE, TH_TAG_DATA, TH_TAG_REPLY, TH_TAG_NOTICE, TH_TAG_FOLD, TH_TAG_RESULT,
       TH_TAG_SHARD_REQUEST, TH_TAG_SHARD_REPLY, TH_TAGS };

/* What the ranks measured at the handshake, the slowest of them: seconds of a short message, bytes
 * per second of a long one between hosts and within a host. All ranks have the same numbers. */
typedef struct th_speed { double latency, rate, local; } th_speed;

/* What the service thread runs besides the control channel. NULL functions: nothing. */
typedef struct th_service {
  void *arg;
  th_status (*tick)(void *arg);
  int       (*rest)(const void *arg, int us);           /* microseconds until the next tick, at most us */
} th_service;

/* ---- the job (service_thread.c, control_channel.c, leave.c) ---- */

/* Performs the handshake with all ranks through the launcher's Open MPI. Finds which ranks are on
 * this host, the first of them, and this rank's number there. */
th_status th_net_join(th_job *j, const char *host, const char *secret);
void      th_net_start(th_job *j, const th_service *service);   /* from now on other ranks get replies */
void      th_net_add_group(th_job *j, th_dist *g);      /* replies include this group */
void      th_net_remove_group(th_job *j, const th_dist *g); /* no longer */
void      th_net_leave(th_job *j, bool failed);
th_speed *th_net_speed(const th_job *j);
/* Sends a copy. Waits only while that rank has `most` bytes or more still to receive. */
th_status th_net_post(th_dist_work *w, int to, int tag, const void *p, int64_t bytes, int64_t most);
/* Sends a copy and never waits. For requests that get a reply, which bounds the bytes in flight. */
th_status th_net_send_copy(th_job *j, int to, int tag, const void *p, int64_t bytes);

/* ---- failure_detection.c ---- */

/* The operation timed out: pings all ranks, and breaks the job because of one that does not reply
 * or has not begun the operation. who: the rank of this host for which it waits; -1: unknown. */
th_status th_detect_failure(th_dist_work *w, int who);
/* The same for a rank that is late elsewhere or holds a lock too long: breaks the job only if some
 * rank does not reply, and returns whether it did. */
bool      th_report_silent(th_dist_work *w, int who, th_fault t);
bool      th_answers_ping(const th_job *j, int who);    /* pings one rank, which may have left */

/* ---- waiting (settle.c) ---- */

/* Waits until some of n requests have ended; `done` gets their indices. */
th_status th_settle(th_dist_work *w, th_request *r, int n, int *done, int *ndone);
th_status th_settle_few(th_dist_work *w, th_request *r, int n);       /* all of at most TH_MAXRANK + 1, of few bytes */
int       th_tag(const th_dist *g, int what);

/* ---- groups on several hosts (inter_host.c) ---- */

struct th_inter_host {
  th_dist *local;                       /* the members on this host, as a group with the same slots */
  int      hosts, here;                 /* hosts that have members; the index of this one */
  int      host[TH_MAXRANK];            /* of each rank of the group */
  int      member[TH_MAXRANK], first[TH_MAXRANK + 1];   /* the ranks sorted by host: those of host h begin at first[h] */
  uint32_t called;                      /* the present operation, or the last one */
  int32_t  kind;
  char    *room;                        /* twice TH_CHUNK bytes: announcements and small payloads */
  int      algorithm;                   /* of the last operation */
};
th_status th_inter_host_new(th_dist *g);
void      th_inter_host_free(th_dist *g);
th_status th_inter_host_run(th_dist_work *w);

th_status th_net_message(th_dist_work *w);             /* message.c: send and recv */

/* ---- announcements and few bytes (exchange.c) ---- */

/* What all ranks announce, and where their payloads lie; after a reduction on the way its result,
 * as the first rank's. All announce the same, or all fail. */
typedef struct th_exchange {
  th_notice notice[TH_MAXRANK];
  int64_t  bytes[TH_MAXRANK];
  char    *at[TH_MAXRANK];
  uint32_t number;
  bool     reduces;
} th_exchange;
th_status th_exchange_begin(th_dist_work *w, th_exchange *x, int64_t bytes, bool reduces);
void      th_exchange_end(th_dist_work *w, th_exchange *x);     /* the payloads may be freed */

/* ---- many bytes (flow.c) ---- */

/* Elements cut into parts, and the parts into chunks. */
typedef struct th_cut { int64_t n, part, chunk; int parts, chunks; } th_cut;
th_cut  th_cut_of(int64_t n, int parts, int64_t chunk, bool exact);
int64_t th_cut_at(const th_cut *c, int part, int chunk, int64_t *n);

/* A sequence of chunks to or from one rank: those of part `from`, then of part from + step, and so
 * on. */
typedef struct th_flow {
  int      peer, tag, from, step, segments;
  bool     send, keep;                  /* keep: chunks stay at their places in `stage` until they are freed */
  const th_spans *s;
  int64_t  offset;                      /* added to the elements' indices */
  const int64_t *limit;                 /* chunks that may be sent or received; NULL: all */
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
/* Runs all flows to their ends. `step` processes the chunks that have arrived, and so raises
 * limits. */
typedef th_status (*th_flow_step)(th_flows *f, void *arg);
th_status th_flows_run(th_flows *f, th_flow_step step, void *arg);

/* ---- algorithms (ring.c) ---- */

typedef struct th_team { int n, at; int rank[TH_MAXRANK]; } th_team;        /* ranks of the group that reduce together */
/* Elements [first, first + n) of in are reduced into out; kinds as of group.h. */
th_status th_fold_parts(th_dist_work *w, const th_team *t, int64_t chunk, int window);
th_status th_ring(th_dist_work *w, const th_team *t, const th_spans *x, int64_t n, int op, int over, int64_t chunk, int window);

/* ---- the choice (cost_model.c) ---- */

int     th_choose_for(const th_dist *g, const th_notice *n, int64_t bytes);
int     th_choose(const th_dist_work *w);
double  th_predict(const th_dist *g, int kind, int64_t bytes, int algorithm);
int64_t th_chunk_bytes(int64_t part, int peers);
th_status th_measure(th_dist *world);      /* measure.c */

#endif
