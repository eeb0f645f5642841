/* levels.h - the CPU levels that this library was built for, the best one first.
 * TH_EACH_LEVEL(f) is f(level) for each; a table made with it is indexed by th_cpu_level_index(). */
#ifndef TH_LEVELS_H
#define TH_LEVELS_H

#ifdef TH_HAVE_avx512
#define TH_IF_avx512(f) f(avx512)
#else
#define TH_IF_avx512(f)
#endif
#ifdef TH_HAVE_avx2
#define TH_IF_avx2(f) f(avx2)
#else
#define TH_IF_avx2(f)
#endif
#ifdef TH_HAVE_base
#define TH_IF_base(f) f(base)
#else
#define TH_IF_base(f)
#endif
#define TH_EACH_LEVEL(f) TH_IF_avx512(f) TH_IF_avx2(f) TH_IF_base(f)

/* The level in use, as an index into TH_EACH_LEVEL; one past the last if this machine can run none of them. */
int th_cpu_level_index(void);

#endif
