/* reaper.h - the reaper, a process that kills what the ranks have started if thrun is killed. */
#ifndef TH_REAPER_H
#define TH_REAPER_H
#include <sys/types.h>

typedef struct reaper {
  pid_t  pid;                       /* 0: none */
  int    end;                       /* of a pipe that stays open while thrun lives */
  pid_t *group;                     /* of each rank, in memory shared with the reaper; 0: it has ended */
} reaper;

/* Returns 0, or -1 and errno. */
int  reaper_start(reaper *w, int ranks);
/* Ends the reaper, and waits until it has ended. */
void reaper_stop(reaper *w);

#endif
