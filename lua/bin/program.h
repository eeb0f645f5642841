/* program.h - the path of the running program. */
#ifndef TH_PROGRAM_H
#define TH_PROGRAM_H

#include <limits.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Writes the absolute path of the running program. Without /proc, as in some containers, it takes the name that execve got.
 * Returns 0 if neither is known. */
static inline int program_path(char path[PATH_MAX])
{
  const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (n > 0) {
    path[n] = 0;
    return 1;
  }
  const char *name = (const char *)getauxval(AT_EXECFN);
  return name && realpath(name, path) != NULL;
}

#endif
