/* shards.h - shared tensors: the directory of each host, and the requests to other hosts. Each
 * shard has a shard server. That rank's host holds the shard's lock, its epoch and its valid
 * elements. Other hosts have room for the elements: there a rank that holds the lock finds what it
 * read, and modifies it before it writes it back. The server of shard 0 holds the counters. */
#ifndef TH_COMM_SHARDS_H
#define TH_COMM_SHARDS_H
#include "../net/net.h"

/* ---- on this host (directory.c) ---- */

th_dist_work th_shared_work(th_dist *world, const char *what, double seconds);
int64_t   th_counter_bytes(const th_shared_entry *e);   /* of locks and counters, before the elements */
int64_t   th_shared_entry_bytes(const th_shared_entry *e);
th_status th_shared_entry_same(const th_shared_entry *there, const th_shared_entry *e);
th_status th_directory_open(th_dist *world, int who, th_shared_entry *e);
void      th_directory_leave(th_dist *world, int who, uint32_t serial);
int       th_directory_live(const th_job *j, uint32_t *serial);         /* up to TH_MAXSHARED serials */
th_status th_directory_follow(th_dist *world, const uint32_t *live, int n, const th_shared_entry *e);
th_shared_entry *th_shared_entry_of(const th_job *j, uint32_t serial);  /* NULL: there is none */

/* ---- requests and replies (shard_client.c is the client, shard_server.c the server) ---- */

enum { TH_ASK_LOCK, TH_ASK_UNLOCK, TH_ASK_READ, TH_ASK_WRITE, TH_ASK_COUNT, TH_ASK_ADD, TH_ASK_WAIT, TH_ASK_OPEN, TH_ASK_LEAVE,
       TH_ASK_FOLLOW };
/* The most that one message holds: bytes of elements, counters, runs of adjacent elements. */
enum { TH_PART = 256 << 10, TH_VALUES = 4096, TH_RUNS = 4096 };

typedef struct th_extent { int64_t first, n; } th_extent;

/* A request. Runs and elements follow it; after OPEN and FOLLOW an entry, and the serials of the
 * live entries. Serial 0: the directory. */
typedef struct th_shard_request {
  int32_t  kind, from, shard, n;                /* n: of runs, counters or serials; value of UNLOCK: whether it was written */
  uint32_t number, serial, value;
  int64_t  bytes;                               /* of the elements that follow */
  double   seconds;
} th_shard_request;

/* A reply. Elements, counters, an entry and serials follow it, or the reason of a failure. */
typedef struct th_shard_reply {
  uint32_t number, value;                       /* value: an epoch; whether a counter has reached the value */
  int32_t  status, holder, n;                   /* holder: the rank that has held the lock too long, or -1 */
  int64_t  bytes;
} th_shard_reply;

enum { TH_REQUEST_BYTES = sizeof(th_shard_request) + TH_RUNS * sizeof(th_extent) + TH_PART,
       TH_REPLY_BYTES = sizeof(th_shard_reply) + TH_PART };

/* ---- other hosts (shard_client.c) ---- */

/* Some elements of a shared tensor, as runs, and where all of it lies on this host. */
typedef struct th_part { const th_extent *run; int64_t n; char *elements; int es; } th_part;
th_status th_client_lock(th_dist_work *w, int to, uint32_t serial, int shard, const th_part *p, uint32_t *epoch);
th_status th_client_unlock(th_dist_work *w, int to, uint32_t serial, int shard, bool written, const th_part *p);
th_status th_client_move(th_dist_work *w, int to, uint32_t serial, bool to_server, const th_part *p);
th_status th_client_count(th_dist_work *w, int to, uint32_t serial, int first, int n, uint32_t *value);
th_status th_client_add(th_dist_work *w, int to, uint32_t serial, int counter, uint32_t more);
th_status th_client_wait(th_dist_work *w, int to, uint32_t serial, int counter, uint32_t value, int *there);
/* kind: OPEN, LEAVE or FOLLOW. */
th_status th_client_directory(th_dist_work *w, int to, int kind, th_shared_entry *e, uint32_t *live, int *n);

#endif
