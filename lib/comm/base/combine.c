/* combine.c - the reduction kernels of the CPU's level. */
#include "comm.h"
#include "../../core/levels.h"

#define DECLARE(level) extern const th_combine th_combine_##level[];
TH_EACH_LEVEL(DECLARE)

#define KERNELS(level) th_combine_##level,
static const th_combine *const tables[] = { TH_EACH_LEVEL(KERNELS) NULL };

bool th_can_combine(void) { return tables[th_cpu_level_index()] != NULL; }
th_combine th_combine_of(int dtype) { return tables[th_cpu_level_index()][dtype]; }
