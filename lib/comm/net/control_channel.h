/* control_channel.h - the control channel: what the files that send, answer and await its messages
 * share. */
#ifndef TH_COMM_CONTROL_CHANNEL_H
#define TH_COMM_CONTROL_CHANNEL_H
#include "net.h"

typedef enum letter_kind { ASK, ANSWERS, BROKEN, LEFT } letter_kind;
typedef struct letter {
  int32_t  kind, from, group, last, culprit;
  uint32_t round, called[TH_MAXGROUP];
  char     why[TH_WHY];
} letter;

typedef struct parcel parcel;           /* a message in flight that no operation waits for */

struct th_wire {
  th_job   *job;
  pthread_t thread;
  pthread_mutex_t lock;
  parcel   *out;
  int64_t   pending[TH_MAXRANK];        /* bytes in flight to each rank */
  int       hosts, host[TH_MAXRANK];
  th_dist  *group[TH_MAXGROUP];
  uint32_t  closed[TH_MAXGROUP];        /* the last operation of a group that has been closed */
  th_speed  speed;
  th_service service;                   /* what the service thread runs besides: the shard server */
  /* handshake */
  char      name[TH_HOST];
  uint64_t  secret;
  int       begun, came[TH_MAXRANK];    /* MPI is initialized; ranks whose hello has arrived */
  int       met, started, stop, finalize, ended, told;
  th_status status;
  char      why[512];
  /* what other ranks have sent */
  uint32_t  round, answered[TH_MAXRANK], called[TH_MAXRANK][TH_MAXGROUP];
  int32_t   last[TH_MAXRANK];
  letter    in;
  th_request reading;
};

void th_pause(int us);
/* Sends the control message, unless it is to this rank; to all ranks. */
void th_tell(th_wire *x, int to, letter *l);
void th_tell_all(th_wire *x, letter *l);
void th_fill_called(th_wire *x, letter *l);        /* how far this rank's groups are */
th_status th_control_tick(th_wire *x);             /* answers what has arrived; the service thread calls it */
bool th_clear_out(th_wire *x);                     /* frees the messages whose sends have ended; whether there are more */

/* ---- failure_detection.c ---- */

/* Waits until all ranks have left, as long as they live. A rank whose script has ended is not late. */
void th_await_others(th_wire *x);
bool th_all_left(const th_wire *x);

#endif
