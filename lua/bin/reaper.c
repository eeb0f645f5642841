/* reaper.c - the reaper: a process that kills what the ranks have started if thrun is killed.
 *
 * The system kills the ranks when thrun dies, but not the programs that they have started. Those
 * are in the ranks' process groups, which the reaper kills. It waits at a pipe that only thrun
 * holds open. */
#include "reaper.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void guard(int from, const pid_t *group, int ranks)
{
  char byte;
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; fd++) dup2(null, fd);         /* a reader of thrun's output must not wait for this process */
  setpgid(0, 0);                                    /* so Ctrl-C does not reach it */
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  while (read(from, &byte, 1) < 0 && errno == EINTR) {}
  for (int i = 0; i < ranks; i++) if (group[i] > 0) kill(-group[i], SIGKILL);
  _exit(0);
}

int reaper_start(reaper *w, int ranks)
{
  int ends[2];
  w->group = mmap(NULL, (size_t)ranks * sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (w->group == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0) return -1;
  w->pid = fork();
  if (w->pid < 0) return -1;
  if (w->pid == 0) {
    close(ends[1]);
    guard(ends[0], w->group, ranks);
  }
  close(ends[0]);
  w->end = ends[1];
  return 0;
}

void reaper_stop(reaper *w)
{
  close(w->end);
  while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {}
}
