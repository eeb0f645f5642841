/* lib/core/mix.h - a hash of numbers, for tables in memory and names of files. */
#ifndef TH_MIX_H
#define TH_MIX_H
#include <stdint.h>

/* Adds a number to a hash. */
static inline uint64_t th_mixed(uint64_t h, uint64_t x)
{
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

#endif
