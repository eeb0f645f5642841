/* shard_server.h - the shard server, which runs on the service thread. */
#ifndef TH_DIST_KEEPER_H
#define TH_DIST_KEEPER_H
#include "../net/net.h"

typedef struct th_keeper th_keeper;
th_status th_keeper_new(th_keeper **k, th_dist *world);
th_status th_keeper_tick(th_keeper *k);             /* answers what can be answered now; k may be NULL */
int       th_keeper_rest(const th_keeper *k, int us);   /* microseconds until the next tick, at most us */

#endif
