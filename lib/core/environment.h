/* environment.h - numbers from environment variables. */
#ifndef TH_ENVIRONMENT_H
#define TH_ENVIRONMENT_H
#include <stdint.h>

/* The value of a variable, an integer of at least 1; `otherwise` if it is unset or anything else. */
int64_t th_environment_count(const char *name, int64_t otherwise);

#endif
