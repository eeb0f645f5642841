/* warden.h - a process beside thrun that ends what the ranks have started, should thrun be killed. */
#ifndef TH_WARDEN_H
#define TH_WARDEN_H
#include <sys/types.h>

typedef struct warden {
  pid_t  pid;                       /* 0: there is none */
  int    end;                       /* of a pipe: open as long as thrun lives */
  pid_t *group;                     /* of each rank, in memory that both see; 0: it has ended */
} warden;

/* 0, or -1 and errno. */
int  warden_start(warden *w, int ranks);
/* Ends it, and waits until it has. */
void warden_stop(warden *w);

#endif
