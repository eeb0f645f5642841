/* chunk.h - a chunk of an operation of one host, and what the kinds of operations do with it. */
#ifndef TH_COMM_CHUNK_H
#define TH_COMM_CHUNK_H
#include "../base/comm.h"

/* A slot holds `n` elements, or `n` of each rank's part. */
struct th_chunk {
  th_dist_work *w;
  int64_t first, n;
  bool    split;                    /* each rank folds a part of it */
  bool    streams;                  /* put uses streaming stores */
  char   *slot[TH_MAXRANK];
};

/* Writes elements of a list to a place in a slot. */
void th_lay(const th_chunk *c, char *to, const th_spans *s, int64_t first, int64_t n);
/* Reduces n elements that begin at `at` in the slots; this rank's own are elements `first` of the
 * input. The result goes to `to`, or, if that is NULL, to elements `out` of the output. */
void th_combine_slots(const th_chunk *c, int64_t at, int64_t first, int64_t n, char *to, int64_t out);
/* Of a split chunk: reads the parts that other ranks have folded. */
void th_take_split(const th_chunk *c);

#endif
