/* build.c - what the library was built from. */
#include "core.h"
#include "levels.h"

#define NAME(level) " " #level
static const char levels[] = "" TH_EACH_LEVEL(NAME);

const char *th_build(int what)
{
  switch (what) {
    case TH_BUILD_VERSION: return TH_VERSION;
#if defined __clang__
    case TH_BUILD_COMPILER: return __VERSION__;
#else
    case TH_BUILD_COMPILER: return "gcc " __VERSION__;
#endif
    default: return levels + 1;
  }
}
