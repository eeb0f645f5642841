/* status.c - the message of the last failure, one per thread. */
#include <stdarg.h>
#include <stdio.h>
#include "core.h"

static _Thread_local char message[1024];
static _Thread_local const char *speaker;

void th_enter(const char *name) { speaker = name; }

const char *th_error(void) { return message; }

th_status th_fail(th_status s, const char *fmt, ...)
{
  const int n = speaker ? snprintf(message, sizeof message, "%s: ", speaker) : 0;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(message + n, sizeof message - (size_t)n, fmt, ap);
  va_end(ap);
  speaker = NULL;                   /* the message is complete; the next failure may be another's */
  return s;
}
