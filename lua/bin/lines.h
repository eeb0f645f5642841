/* lines.h - the output of a job's ranks, shown line by line. */
#ifndef TH_LINES_H
#define TH_LINES_H
#include <stddef.h>

/* One stream of one rank. Lines of a held stream wait in `text` until they are shown. */
typedef struct lines {
  int    from, to;                  /* source (-1: it has ended) and destination */
  int    rank, held;
  char  *text;
  size_t size, room;
  double since;                     /* when the first waiting byte arrived */
} lines;

double lines_now(void);
/* Reads what is available; returns 0 when the stream has ended. */
int    lines_read(lines *l);
/* Shows whole lines; with `all`, also the last one if no newline ended it. */
void   lines_show(lines *l, int all);
void   lines_free(lines *l);

#endif
