/* random.h - drawing many random words at once, for kernels that fill tensors. */
#ifndef TH_RANDOM_H
#define TH_RANDOM_H
#include "core.h"

#define TH_PI 3.14159265358979323846

/* The next n words of 32 random bits: what n calls of th_generator_random would give. */
void th_generator_words(th_generator *g, uint32_t *to, int64_t n);

/* A uniform number of [0, 1) from 32 random bits. */
static inline double th_unit(uint32_t word) { return word * (1.0 / 4294967296.0); }

/* Box and Muller draw normal numbers in pairs. The second one waits here for the next call. */
typedef struct th_normal_pair { int32_t waiting; double angle, radius; } th_normal_pair;
th_normal_pair *th_generator_pair(th_generator *g);

#endif
