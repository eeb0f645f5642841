/* build.c - what the library was built from. */
#include "core.h"

static const char levels[] = ""
#ifdef TH_HAVE_base
  " base"
#endif
#ifdef TH_HAVE_avx2
  " avx2"
#endif
#ifdef TH_HAVE_avx512
  " avx512"
#endif
  ;

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
