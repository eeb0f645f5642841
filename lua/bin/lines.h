/* lines.h - what the ranks of a job write, put in front of a terminal line by line. */
#ifndef TH_LINES_H
#define TH_LINES_H
#include <stddef.h>

/* One stream of one rank. Lines of a stream that is held wait in `text` until they are shown. */
typedef struct lines {
  int    from, to;                  /* read here (-1: it has ended), shown there */
  int    rank, held;
  char  *text;
  size_t size, room;
  double since;                     /* when the first waiting byte came */
} lines;

double lines_now(void);
/* Reads what is there; 0 when the stream has ended. */
int    lines_read(lines *l);
/* Shows whole lines; with `all`, the last one too though no newline ended it. */
void   lines_show(lines *l, int all);
void   lines_free(lines *l);

#endif
