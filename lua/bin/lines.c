/* lines.c - reads the ranks' pipes and shows whole lines with the rank's number in front. */
#include "lines.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PART = 1 << 16, LONGEST = 1 << 20 };         /* bytes: longer lines are shown in pieces */

double lines_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int has_room(lines *l)
{
  if (l->room - l->size >= PART) return 1;
  char *p = realloc(l->text, 2 * l->room + PART);
  if (!p) return 0;
  l->text = p;
  l->room = 2 * l->room + PART;
  return 1;
}

int lines_read(lines *l)
{
  if (l->from < 0) return 0;
  if (!has_room(l)) lines_show(l, 1);
  if (l->from < 0) return 0;
  const ssize_t n = l->room > l->size ? read(l->from, l->text + l->size, l->room - l->size) : 0;
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) {
    close(l->from);
    l->from = -1;
    return 0;
  }
  if (!l->size) l->since = lines_now();
  l->size += (size_t)n;
  return 1;
}

/* Returns 0 if the reader of a pipe has closed it. */
static int put(int fd, const char *p, size_t n)
{
  while (n) {
    const ssize_t done = write(fd, p, n);
    if (done < 0 && errno != EINTR) return errno != EPIPE;
    if (done > 0) {
      p += done;
      n -= (size_t)done;
    }
  }
  return 1;
}

/* The rank then gets SIGPIPE too, as it would without thrun. */
static void leave(lines *l)
{
  if (l->from >= 0) close(l->from);
  l->from = -1;
  l->size = 0;
}

static int show_line(const lines *l, const char *p, size_t n)
{
  char *out = malloc(n + 32);
  if (!out) return 1;
  const int head = snprintf(out, 32, "[%d] ", l->rank);
  memcpy(out + head, p, n);
  out[(size_t)head + n] = '\n';
  const int read = put(l->to, out, (size_t)head + n + 1);       /* one write: lines of two ranks do not mix */
  free(out);
  return read;
}

void lines_show(lines *l, int all)
{
  size_t at = 0;
  while (at < l->size) {
    const char *end = memchr(l->text + at, '\n', l->size - at);
    if (!end && !all && l->size - at < LONGEST) break;
    const size_t n = end ? (size_t)(end - l->text) - at : l->size - at;
    if (!show_line(l, l->text + at, n)) {
      leave(l);
      return;
    }
    at += n + (end != NULL);
  }
  if (at) memmove(l->text, l->text + at, l->size - at);
  l->size -= at;
  l->since = lines_now();
}

void lines_free(lines *l)
{
  if (l->from >= 0) close(l->from);
  free(l->text);
  l->from = -1;
  l->text = NULL;
  l->size = l->room = 0;
}
