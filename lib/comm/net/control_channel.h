/* control_channel.h - the control channel: what the files that send, answer and await its messages
 * share. */
#ifndef TH_COMM_CONTROL_CHANNEL_H
#define TH_COMM_CONTROL_CHANNEL_H
#include "net.h"

typedef enum control_kind { PING, REPLY, JOB_BROKEN, RANK_LEFT } control_kind;
typedef struct control_message {
  int32_t  kind, from, group, last, culprit;
  uint32_t round, called[TH_MAXGROUP];
  char     why[TH_WHY];
} control_message;

typedef struct outgoing outgoing;       /* a message in flight that no operation waits for */

struct th_control {
  th_job   *job;
  pthread_t thread;
  pthread_mutex_t lock;
  outgoing *out;
  int64_t   pending[TH_MAXRANK];        /* bytes in flight to each rank */
  int       hosts, host[TH_MAXRANK];
  th_dist  *group[TH_MAXGROUP];
  uint32_t  closed[TH_MAXGROUP];        /* the last operation of a group that has been closed */
  th_speed  speed;
  th_service service;                   /* what the service thread runs besides: the shard server */
  /* handshake */
  char      name[TH_HOST];
  uint64_t  secret;
  int       begun, arrived[TH_MAXRANK]; /* MPI is initialized; ranks whose hello has arrived */
  int       handshake_done, started, stop, finalize, ended, reported;
  th_status status;
  char      why[512];
  /* what other ranks have sent */
  uint32_t  round, answered[TH_MAXRANK], called[TH_MAXRANK][TH_MAXGROUP];
  int32_t   last[TH_MAXRANK];
  control_message in;
  th_request reading;
};

void th_pause(int us);
/* Sends the control message, unless it is to this rank; to all ranks. */
void th_control_send(th_control *x, int to, control_message *l);
void th_control_send_all(th_control *x, control_message *l);
void th_control_progress(th_control *x, control_message *l); /* how far this rank's groups are */
th_status th_control_tick(th_control *x);          /* answers what has arrived; the service thread calls it */
bool th_control_free_sent(th_control *x);          /* frees messages whose sends have ended; whether there are more */

/* ---- failure_detection.c ---- */

/* Waits until all ranks have left, as long as they live. A rank whose script has ended is not late. */
void th_await_others(th_control *x);
bool th_all_left(const th_control *x);

#endif
