/* combine.c - the reducing kernels of the level at work. */
#include "dist.h"

#ifdef TH_HAVE_base
extern const th_combine th_combine_base[];
#endif
#ifdef TH_HAVE_avx2
extern const th_combine th_combine_avx2[];
#endif
#ifdef TH_HAVE_avx512
extern const th_combine th_combine_avx512[];
#endif

/* The kernels of each level that was built. */
static const struct { const char *level; const th_combine *f; } tables[] = {
#ifdef TH_HAVE_base
  { "base", th_combine_base },
#endif
#ifdef TH_HAVE_avx2
  { "avx2", th_combine_avx2 },
#endif
#ifdef TH_HAVE_avx512
  { "avx512", th_combine_avx512 },
#endif
};

th_combine th_combine_of(int dtype)
{
  size_t i = 0;
  while (i + 1 < sizeof tables / sizeof *tables && strcmp(th_cpu_level(), tables[i].level) != 0) i++;
  return tables[i].f[dtype];
}
