/* environment.c - numbers from environment variables. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include "environment.h"

int64_t th_environment_count(const char *name, int64_t otherwise)
{
  const char *text = th_environment(name);
  char *end;
  if (!text || !isdigit((unsigned char)*text)) return otherwise;
  errno = 0;
  const long long n = strtoll(text, &end, 10);
  return *end || errno || n < 1 ? otherwise : n;
}
