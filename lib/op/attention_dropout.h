/* attention_dropout.h - which weights attention drops: the same ones on the CPU and on devices.
 *
 * The weight of a query and a key has 16 random bits, and is dropped where they are less than
 * th_drops. One Philox block has the bits of 8 weights: of queries t, t + 8, t + 16 and t + 24, a
 * word each, and of keys s, in the low half of the word, and s + 8, in the high half. Here
 * t % 32 < 8 and s % 16 < 8. A lane of the products of tensor cores holds all of these weights,
 * whether its rows are queries or keys, so no lane computes a block for another one.
 *
 * Before it includes this file, device code includes philox.h. */
#ifndef TH_ATTENTION_DROPOUT_H
#define TH_ATTENTION_DROPOUT_H
#include <math.h>
#include "../core/philox.h"

enum { TH_DROP_QUERIES = 32, TH_DROP_KEYS = 16, TH_DROP_ALL = 65536 };

/* For how many of the 2^16 values of its bits a weight is dropped: p is rounded. Some are kept. */
static inline uint32_t th_drops(double p)
{
  const double n = floor(p * TH_DROP_ALL + 0.5);
  return n < TH_DROP_ALL - 1 ? (uint32_t)n : TH_DROP_ALL - 1;
}

/* The part of the weights that remains, an exact number. They are divided by it. */
static inline double th_drop_rest(uint32_t drops)
{
  return (double)(TH_DROP_ALL - drops) / TH_DROP_ALL;
}

/* The key of the generator, from the two words of a seed. */
TH_PHILOX_FN uint64_t th_drop_key(int64_t first, int64_t second)
{
  return (uint64_t)first << 32 | (uint32_t)second;
}

/* The number of the block of a weight. The matrix, sample * heads + head, is its stream. */
TH_PHILOX_FN uint64_t th_drop_block(int64_t query, int64_t key)
{
  const uint32_t row = (uint32_t)(query / TH_DROP_QUERIES * 8 + query % 8);
  return (uint64_t)row << 32 | (uint32_t)(key / TH_DROP_KEYS * 8 + key % 8);
}

#endif
