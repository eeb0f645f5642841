/* environment.h - environment variables. lua/torch/environment.lua has the table of those that Cresset reads. */
#ifndef TH_ENVIRONMENT_H
#define TH_ENVIRONMENT_H
#include <stdint.h>
#include <stdlib.h>

/* The value of a variable, or NULL. Its name must be in the table. */
static inline const char *th_environment(const char *name) { return getenv(name); }

/* The value of a variable, an integer of at least 1; `otherwise` if it is unset or anything else. */
int64_t th_environment_count(const char *name, int64_t otherwise);

#endif
