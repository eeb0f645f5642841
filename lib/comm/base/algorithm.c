/* algorithm.c - the setting: which algorithm operations between hosts use. */
#include <stdlib.h>
#include "../../core/environment.h"
#include "comm.h"

static const char *const names[] = { "auto", "fastest", "gather", "doubling", "parts", "ring", "hosts" };
#define ALL_NAMES "auto, fastest, gather, doubling, parts, ring or hosts"
static int forced = -1;                 /* -1: the environment has not been read */

const char *th_algorithm_name(int a) { return names[a]; }

static int number_of(const char *name)
{
  for (int a = 0; a < TH_ALGORITHMS; a++) if (strcmp(names[a], name) == 0) return a;
  return -1;
}

int th_forced_algorithm(void)
{
  if (forced < 0) {
    const char *told = th_environment("TH_DIST_ALGORITHM");
    const int a = told ? number_of(told) : TH_AUTO;
    forced = a < 0 ? TH_AUTO : a;
  }
  return forced;
}

void th_force_algorithm(int a) { forced = a; }

th_status th_check_algorithm_setting(void)
{
  const char *told = th_environment("TH_DIST_ALGORITHM");
  if (!told || number_of(told) >= 0) return TH_OK;
  return th_fail(TH_EARG, "dist.init: TH_DIST_ALGORITHM must be " ALL_NAMES ", got %s", told);
}

th_status th_dist_algorithm(const char *name, const char **now)
{
  const int a = name ? number_of(name) : th_forced_algorithm();
  if (a < 0) return th_fail(TH_EARG, "dist.algorithm: it must be " ALL_NAMES ", got %s", name);
  if (name) forced = a;
  *now = names[th_forced_algorithm()];
  return TH_OK;
}
