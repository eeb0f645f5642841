/* inter_host.h - what the kinds of operations use between hosts. */
#ifndef TH_COMM_INTER_HOST_H
#define TH_COMM_INTER_HOST_H
#include "net.h"

/* Chunks in flight to one rank. A rank that sends to many at a time uses fewer, because they queue
 * up at each receiver. */
enum { TH_WINDOW = 4, TH_WINDOW_OF_MANY = 2 };

th_team th_all_of(const th_dist *g);                    /* all ranks of the group */
int64_t th_chunk_of(const th_dist_work *w, int64_t elements);  /* elements of a chunk that ranks forward */
int64_t th_largest_chunk(const th_dist_work *w);        /* of one that no rank forwards */
void    th_copy_elements(const th_dist_work *w, int64_t from, int64_t to, int64_t n);    /* from input to output */
/* The rank of a host to which `owner` sends what all its ranks need. */
int     th_receiver_at(const th_inter_host *b, int owner, int host);
/* Broadcasts elements of the result, which one rank of this host has, to the others; and parts of
 * all ranks, `part` elements each. */
th_status th_share_on_host(th_dist_work *w, int holder, int64_t first, int64_t n);
th_status th_share_all_on_host(th_dist_work *w, int64_t n, int64_t part);
/* Reductions: each rank reduces a part of the elements; each host reduces first. */
th_status th_reduce_parts(th_dist_work *w);
th_status th_reduce_hosts(th_dist_work *w);

#endif
