/* status.c - the message of the last failure, one per thread. */
#include <stdarg.h>
#include <stdio.h>
#include "core.h"
#include "th_record.h"

enum { MESSAGE = 1024 };

static TH_QUICK_LOCAL const char *speaker;  /* set by every call */
static TH_QUICK_LOCAL void *message;

void th_enter(const char *name) { speaker = name; }
const char *th_entered(void) { return speaker; }

const char *th_error(void) { return message ? message : "out of memory"; }

th_status th_fail(th_status s, const char *fmt, ...)
{
  const char *who = speaker;
  char *text = th_thread_memory(&message, MESSAGE);
  speaker = NULL;                   /* the next failure may come from another function */
  if (!text) return s;
  const int n = who ? snprintf(text, MESSAGE, "%s: ", who) : 0;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text + n, (size_t)(MESSAGE - n), fmt, ap);
  va_end(ap);
  return s;
}
