// library.cc - opens libraries of CUDA: the file that the environment names, or the first usual one that is there.
#include "library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool th_library::take(const char *file, std::initializer_list<th_symbol> symbols, void *(*emulated)(const char *))
{
  void *library = emulated ? nullptr : dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!emulated && !library) return false;
  for (const th_symbol &s : symbols) {
    *s.f = emulated ? emulated(s.name) : dlsym(library, s.name);
    if (*s.f) continue;
    snprintf(why_not, sizeof why_not, "the %s in %s has no %s", what, file, s.name);
    return false;
  }
  snprintf(name, sizeof name, "%s", file);
  return found = true;
}

bool th_library::without(const char *reason)
{
  snprintf(why_not, sizeof why_not, "%s", reason);
  return found = false;
}

bool th_library::open(std::initializer_list<const char *> usual, std::initializer_list<th_symbol> symbols,
                      void *(*emulated)(const char *))
{
  std::call_once(once, [&] {
    const char *wanted = getenv(variable);
    if (wanted && *wanted) {
      snprintf(why_not, sizeof why_not, "%s=%s", variable, wanted);
      if (strcmp(wanted, "none") != 0) take(wanted, symbols, emulated);
      return;
    }
    snprintf(why_not, sizeof why_not, "%s was not found: %s names one elsewhere", *usual.begin(), variable);
    for (const char *file : usual) if (!found && take(file, symbols, emulated)) return;
  });
  return found;
}
