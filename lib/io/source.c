/* source.c - a file that is read anywhere, without a place of its own, so that threads may share it; checksums of records. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../core/core.h"
#include "th_source.h"

struct th_source {
  int fd;
  int64_t size;
  char *path;
};

static const char *why(int e)
{
  static _Thread_local char text[128];
  return strerror_r(e, text, sizeof text);
}

static th_status refuse(th_source *s, const char *path, const char *reason)
{
  th_source_free(s);
  return th_fail(TH_EIO, "cannot open %s: %s", path, reason);
}

th_status th_source_open(th_source **out, const char *path)
{
  struct stat st;
  th_enter(NULL);
  th_source *s = calloc(1, sizeof *s);
  if (!s) return th_fail(TH_ENOMEM, "no memory left to open %s", path);
  s->path = strdup(path);
  s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);       /* a pipe without a writer must not hang us */
  if (s->fd < 0 || fstat(s->fd, &st) != 0) return refuse(s, path, why(errno));
  if (!S_ISREG(st.st_mode)) return refuse(s, path, S_ISDIR(st.st_mode) ? "Is a directory" : "it is no plain file");
  if (!s->path) return refuse(s, path, why(ENOMEM));
  s->size = st.st_size;
  *out = s;
  return TH_OK;
}

int64_t th_source_size(const th_source *s) { return s->size; }

th_status th_source_read(const th_source *s, void *to, int64_t n, int64_t place)
{
  char *p = to;
  for (int64_t done = 0; done < n;) {
    const ssize_t k = pread(s->fd, p + done, (size_t)(n - done), place + done);
    if (k < 0 && errno == EINTR) continue;
    th_enter(NULL);
    if (k < 0) return th_fail(TH_EIO, "cannot read %s: %s at byte %lld", s->path, why(errno), (long long)(place + done));
    if (k == 0) {
      return th_fail(TH_EIO, "%s has become shorter: it had %lld bytes and ends after %lld", s->path, (long long)s->size,
                     (long long)(place + done));
    }
    done += k;
  }
  return TH_OK;
}

void th_source_free(th_source *s)
{
  if (!s) return;
  if (s->fd >= 0) close(s->fd);
  free(s->path);
  free(s);
}

/* ---- CRC-32C, the polynomial 0x1edc6f41, bits turned round ---------------------------------------- */

enum { POLYNOMIAL = (int)0x82f63b78u };

static uint32_t table[256];

static void fill_table(void)
{
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c >> 1 ^ (c & 1 ? (uint32_t)POLYNOMIAL : 0);
    table[i] = c;
  }
}

static uint32_t by_table(uint32_t c, const uint8_t *p, int64_t n)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_table);
  for (int64_t i = 0; i < n; i++) c = c >> 8 ^ table[(c ^ p[i]) & 255];
  return c;
}

#if defined __x86_64__
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t c, const uint8_t *p, int64_t n)
{
  uint64_t wide = c, word;
  for (; n >= 8; n -= 8, p += 8) {
    memcpy(&word, p, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  c = (uint32_t)wide;
  for (; n > 0; n--, p++) c = __builtin_ia32_crc32qi(c, *p);
  return c;
}

static uint32_t update(uint32_t c, const uint8_t *p, int64_t n)
{
  return __builtin_cpu_supports("sse4.2") ? by_instruction(c, p, n) : by_table(c, p, n);
}
#else
static uint32_t update(uint32_t c, const uint8_t *p, int64_t n) { return by_table(c, p, n); }
#endif

uint32_t th_crc32c(uint32_t crc, const void *bytes, int64_t n) { return ~update(~crc, bytes, n); }
