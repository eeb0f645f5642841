/* environment.h - numbers that environment variables spell. */
#ifndef TH_ENVIRONMENT_H
#define TH_ENVIRONMENT_H
#include <stdint.h>

/* The whole number of at least 1 that a variable spells. What spells none is passed over: `otherwise`. */
int64_t th_environment_count(const char *name, int64_t otherwise);

#endif
