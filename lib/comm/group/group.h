/* group.h - operations of ranks of one host, through their shared memory. */
#ifndef TH_COMM_GROUP_H
#define TH_COMM_GROUP_H
#include "../base/comm.h"

extern const th_group_calls th_group_table;         /* collective.c, for net */
th_status th_collective(th_dist_work *w);
th_status th_announce(th_dist_work *w);             /* its first part: all announce the same, or all fail */
/* Small payloads: th_put_few packs this rank's, th_take_few computes the result from all ranks'
 * slots. */
void      th_put_few(th_dist_work *w, char *to);
void      th_take_few(th_dist_work *w, char *const *slot);
void      th_follow(th_dist *g, uint32_t number);   /* counts chunks up to `number` as folded */
void      th_dist_number(th_dist *g, uint32_t number);
th_status th_message(th_dist_work *w);              /* channel.c: send and recv */

#endif
