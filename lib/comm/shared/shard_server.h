/* shard_server.h - the shard server, which runs on the service thread. */
#ifndef TH_COMM_SHARD_SERVER_H
#define TH_COMM_SHARD_SERVER_H
#include "../net/net.h"

th_status th_shard_service(th_service *s, th_dist *world);

#endif
