/* system.c - folders, kinds of paths, names of the machine, clocks: system calls that take C structs. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include "../core/core.h"

struct th_dir { DIR *dir; };

int th_path_kind(const char *path, int follow)
{
  struct stat st;
  if ((follow ? stat(path, &st) : lstat(path, &st)) != 0) return TH_PATH_NONE;
  return S_ISDIR(st.st_mode) ? TH_PATH_DIR : S_ISREG(st.st_mode) ? TH_PATH_FILE : TH_PATH_OTHER;
}

th_dir *th_dir_open(const char *path)
{
  th_dir *d = malloc(sizeof *d);
  if (d && !(d->dir = opendir(path))) {
    free(d);
    d = NULL;
  }
  return d;
}

const char *th_dir_next(th_dir *d)
{
  const struct dirent *e = readdir(d->dir);
  return e ? e->d_name : NULL;
}

void th_dir_close(th_dir *d)
{
  if (!d) return;
  closedir(d->dir);
  free(d);
}

const char *th_system_name(int which)
{
  static _Thread_local struct utsname u;
  if (uname(&u) != 0) return "unknown";
  switch (which) {
    case 0:  return u.sysname;
    case 1:  return u.nodename;
    case 2:  return u.release;
    default: return u.machine;
  }
}

void th_clock(double seconds[3])
{
  struct timespec now;
  struct rusage use;
  clock_gettime(CLOCK_MONOTONIC, &now);
  getrusage(RUSAGE_SELF, &use);
  seconds[0] = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
  seconds[1] = (double)use.ru_utime.tv_sec + (double)use.ru_utime.tv_usec * 1e-6;
  seconds[2] = (double)use.ru_stime.tv_sec + (double)use.ru_stime.tv_usec * 1e-6;
}
