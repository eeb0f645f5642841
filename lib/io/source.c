/* source.c - positional reads (pread) without a file offset, so that threads can share a file; checksums of records. */
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
  int64_t stamp[TH_SOURCE_STAMP];
  char *path;
};

static const char *why(int e)
{
  static _Thread_local char text[128];
  return strerror_r(e, text, sizeof text);
}

static void take_stamp(const struct stat *st, int64_t *stamp)
{
  stamp[0] = (int64_t)st->st_dev;
  stamp[1] = (int64_t)st->st_ino;
  stamp[2] = st->st_mtim.tv_sec;
  stamp[3] = st->st_mtim.tv_nsec;
  stamp[4] = st->st_size;
}

static th_status refuse(th_source *s, const char *path, const char *reason)
{
  th_source_free(s);
  return th_fail(TH_EIO, "cannot open %s: %s", path, reason);
}

/* Opens without blocking on a pipe without a writer. Where we own the file, reads do not update its access time. */
static int open_quietly(const char *path)
{
  const int how = O_RDONLY | O_CLOEXEC | O_NONBLOCK, fd = open(path, how | O_NOATIME);
  return fd < 0 && errno == EPERM ? open(path, how) : fd;
}

th_status th_source_open(th_source **out, const char *path)
{
  struct stat st;
  th_enter(NULL);
  th_source *s = calloc(1, sizeof *s);
  if (!s) return th_fail(TH_ENOMEM, "no memory left to open %s", path);
  s->path = strdup(path);
  s->fd = open_quietly(path);
  if (s->fd < 0 || fstat(s->fd, &st) != 0) return refuse(s, path, why(errno));
  if (!S_ISREG(st.st_mode)) return refuse(s, path, S_ISDIR(st.st_mode) ? "Is a directory" : "it is no plain file");
  if (!s->path) return refuse(s, path, why(ENOMEM));
  take_stamp(&st, s->stamp);
  *out = s;
  return TH_OK;
}

/* Opens component after component, none of them a symbolic link, so that no rename between a check and an open leads outside. */
static int open_below(const char *folder, const char *name, const char **reason)
{
  const int how = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  int fd = open(*folder ? folder : ".", how | O_DIRECTORY);
  if (*name == '/') *reason = "the path is absolute";
  while (fd >= 0 && !*reason) {
    char part[256];
    const size_t n = strcspn(name, "/");
    const bool last = name[n] == 0;
    if (n == 0 || (n == 1 && name[0] == '.') || (n == 2 && name[0] == '.' && name[1] == '.')) {
      *reason = "the path has an empty part, . or ..";
      break;
    }
    if (n >= sizeof part) {
      *reason = why(ENAMETOOLONG);
      break;
    }
    memcpy(part, name, n);
    part[n] = 0;
    const int next = openat(fd, part, how | O_NOFOLLOW | (last ? 0 : O_DIRECTORY)), e = errno;
    close(fd);
    fd = next;
    if (fd < 0) *reason = e == ELOOP || e == ENOTDIR ? "it is a symbolic link, or a folder in its path is none" : why(e);
    if (last) return fd;
    name += n + 1;
  }
  if (fd < 0 && !*reason) *reason = why(errno);
  if (fd >= 0) close(fd);
  return -1;
}

th_status th_source_open_below(th_source **out, const char *folder, const char *name)
{
  struct stat st;
  const char *reason = NULL;
  th_enter(NULL);
  th_source *s = calloc(1, sizeof *s);
  if (!s) return th_fail(TH_ENOMEM, "no memory left to open %s", name);
  s->path = strdup(name);
  s->fd = open_below(folder, name, &reason);
  if (s->fd < 0) return refuse(s, name, reason);
  if (fstat(s->fd, &st) != 0) return refuse(s, name, why(errno));
  if (!S_ISREG(st.st_mode)) return refuse(s, name, "it is no plain file");
  if (st.st_nlink != 1) return refuse(s, name, "the file has several names (hard links), so it may belong to another folder");
  if (!s->path) return refuse(s, name, why(ENOMEM));
  take_stamp(&st, s->stamp);
  *out = s;
  return TH_OK;
}

int64_t th_source_size(const th_source *s) { return s->stamp[4]; }

void th_source_stamp(const th_source *s, int64_t *stamp) { memcpy(stamp, s->stamp, sizeof s->stamp); }

th_status th_source_same(const th_source *s, const int64_t *stamp)
{
  struct stat st;
  int64_t now[TH_SOURCE_STAMP];
  th_enter(NULL);
  if (fstat(s->fd, &st) != 0) return th_fail(TH_EIO, "cannot read %s: %s", s->path, why(errno));
  take_stamp(&st, now);
  if (now[4] != stamp[4]) {
    return th_fail(TH_EIO, "%s has changed: it had %lld bytes, now it has %lld", s->path, (long long)stamp[4], (long long)now[4]);
  }
  if (memcmp(now, stamp, sizeof now) != 0) return th_fail(TH_EIO, "%s has changed: it has been written since", s->path);
  return TH_OK;
}

th_status th_source_read(const th_source *s, void *to, int64_t n, int64_t place)
{
  char *p = to;
  for (int64_t done = 0; done < n;) {
    const ssize_t k = pread(s->fd, p + done, (size_t)(n - done), place + done);
    if (k < 0 && errno == EINTR) continue;
    th_enter(NULL);
    if (k < 0) return th_fail(TH_EIO, "cannot read %s: %s at byte %lld", s->path, why(errno), (long long)(place + done));
    if (k == 0) {
      return th_fail(TH_EIO, "%s has become shorter: it had %lld bytes and ends after %lld", s->path, (long long)s->stamp[4],
                     (long long)(place + done));
    }
    done += k;
  }
  return TH_OK;
}

/* Checks record i, which was read to `head` and `body`. */
static th_status check_record(const th_records *r, int64_t i, const char *head, const char *body, bool *same)
{
  if (th_crc32c(th_crc32c(0, head, r->head_size), body, r->body_size) != r->sum[i]) {
    th_enter(NULL);
    return th_fail(TH_EIO, "sample %lld is damaged: its checksum is not that of its bytes", (long long)i + 1);
  }
  *same = memcmp(head, r->head, (size_t)r->head_size) == 0;
  return TH_OK;
}

/* Reads one record with its body at `body`. If `before` is true, the bytes before `body` are ours: reads head and body in one
 * call, then restores those bytes. */
static th_status read_record(const th_source *s, const th_records *r, int64_t i, char *body, bool before, bool *same)
{
  char room[TH_RECORD_HEAD], *head = body - r->head_size;
  const int64_t place = r->place[i], n = r->head_size + r->body_size;
  *same = r->place[i + 1] - place == n;
  if (!*same) return TH_OK;
  if (!before) {
    TH_TRY(th_source_read(s, room, r->head_size, place));
    TH_TRY(th_source_read(s, body, r->body_size, place + r->head_size));
    return check_record(r, i, room, body, same);
  }
  memcpy(room, head, (size_t)r->head_size);
  const th_status status = th_source_read(s, head, n, place);
  if (status == TH_OK) TH_TRY(check_record(r, i, head, body, same));
  memcpy(head, room, (size_t)r->head_size);
  return status;
}

/* Writes upwards in memory, which is faster than downwards, and prefetches the index entries of later records. */
th_status th_source_records(const th_source *s, const th_records *r, const int64_t *numbers, int64_t count, void *to, int *same)
{
  enum { AHEAD = 8 };
  bool go_on = true;
  for (int64_t k = 0; k < count && go_on; k++) {
    const int64_t at = k * r->body_size, later = k + AHEAD < count ? numbers[k + AHEAD] - 1 : 0;
    __builtin_prefetch(&r->place[later]);
    __builtin_prefetch(&r->sum[later]);
    TH_TRY(read_record(s, r, numbers[k] - 1, (char *)to + at, at >= r->head_size, &go_on));
  }
  *same = go_on;
  return TH_OK;
}

void th_source_free(th_source *s)
{
  if (!s) return;
  if (s->fd >= 0) close(s->fd);
  free(s->path);
  free(s);
}

/* ---- CRC-32C, the polynomial 0x1edc6f41, bits reversed --------------------------------------------- */

static const uint32_t POLYNOMIAL = 0x82f63b78u;
enum { LANE = 256 };                                          /* bytes of one of three sums that are computed in parallel */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t table[256];
static uint32_t over_lane[4][256];                            /* the sum of each byte of a sum followed by LANE zeros */
static uint64_t over[3][2];                                   /* by_folding's factors, for WIDE, BLOCK and QUAD bytes */
enum { QUAD = 16, BLOCK = 64, WIDE = 4 * BLOCK };

static uint32_t bytewise(uint32_t c, const uint8_t *p, int64_t n)
{
  for (int64_t i = 0; i < n; i++) c = c >> 8 ^ table[(c ^ p[i]) & 255];
  return c;
}

/* x^n modulo the polynomial, bits reversed, in the upper half of a word. */
static uint64_t power(int n)
{
  uint32_t c = 0x80000000u;
  for (int i = 0; i < n; i++) c = c >> 1 ^ (c & 1 ? POLYNOMIAL : 0);
  return (uint64_t)c << 32;
}

/* Sums are linear, so the sum of a word is the sum over its bits. */
static void fill_tables(void)
{
  static const uint8_t zeros[LANE];
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c >> 1 ^ (c & 1 ? POLYNOMIAL : 0);
    table[i] = c;
  }
  for (int b = 0; b < 32; b++) {
    const uint32_t c = bytewise((uint32_t)1 << b, zeros, LANE);
    for (uint32_t v = 0; v < 256; v++) {
      if (v >> b % 8 & 1) over_lane[b / 8][v] ^= c;
    }
  }
  static const int bytes[] = { WIDE, BLOCK, QUAD };
  for (int k = 0; k < 3; k++) {
    over[k][0] = power(8 * bytes[k] + 63);
    over[k][1] = power(8 * bytes[k] - 1);
  }
}

#if defined __x86_64__
#include <immintrin.h>

static uint32_t shifted(uint32_t c)
{
  return over_lane[0][c & 255] ^ over_lane[1][c >> 8 & 255] ^ over_lane[2][c >> 16 & 255] ^ over_lane[3][c >> 24];
}

static uint64_t word(const uint8_t *p)
{
  uint64_t w;
  memcpy(&w, p, 8);
  return w;
}

/* The instruction has a latency of three cycles and starts every cycle, so three lanes keep it busy. */
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t c, const uint8_t *p, int64_t n)
{
  for (; n >= 3 * LANE; n -= 3 * LANE, p += 3 * LANE) {
    uint64_t x = c, y = 0, z = 0;
    for (int i = 0; i < LANE; i += 8) {
      x = __builtin_ia32_crc32di(x, word(p + i));
      y = __builtin_ia32_crc32di(y, word(p + LANE + i));
      z = __builtin_ia32_crc32di(z, word(p + 2 * LANE + i));
    }
    c = shifted(shifted((uint32_t)x) ^ (uint32_t)y) ^ (uint32_t)z;
  }
  for (; n >= 8; n -= 8, p += 8) c = (uint32_t)__builtin_ia32_crc32di(c, word(p));
  for (; n > 0; n--, p++) c = __builtin_ia32_crc32qi(c, *p);
  return c;
}

/* 16 bytes of a message can be moved forward: modulo the polynomial they become the sum of their halves times powers of x
 * (Gopal and others, Fast CRC Computation Using PCLMULQDQ, Intel 2009). This folds a long message into a short one with the
 * same sum, 16 lanes at a time. */
#define FOLDING "avx512f,vpclmulqdq,pclmul,sse4.2"
__attribute__((target(FOLDING))) static __m512i folded(__m512i x, __m512i by)
{
  return _mm512_xor_si512(_mm512_clmulepi64_epi128(x, by, 0x00), _mm512_clmulepi64_epi128(x, by, 0x11));
}

__attribute__((target(FOLDING))) static __m512i factors(int k)
{
  return _mm512_broadcast_i32x4(_mm_set_epi64x((int64_t)over[k][1], (int64_t)over[k][0]));
}

/* The sum of four consecutive lanes. */
__attribute__((target(FOLDING))) static uint32_t sum_of(__m512i x)
{
  const __m128i by = _mm_set_epi64x((int64_t)over[2][1], (int64_t)over[2][0]);
  __m128i lane[4];
  _mm512_storeu_si512(lane, x);
  for (int k = 1; k < 4; k++) {
    const __m128i low = _mm_clmulepi64_si128(lane[k - 1], by, 0x00), high = _mm_clmulepi64_si128(lane[k - 1], by, 0x11);
    lane[k] = _mm_xor_si128(lane[k], _mm_xor_si128(low, high));
  }
  const uint64_t first = __builtin_ia32_crc32di(0, (uint64_t)lane[3][0]);
  return (uint32_t)__builtin_ia32_crc32di(first, (uint64_t)lane[3][1]);
}

/* The sum of at least WIDE bytes. */
__attribute__((target(FOLDING))) static uint32_t by_folding(uint32_t c, const uint8_t *p, int64_t n)
{
  const __m512i wide = factors(0), block = factors(1);
  __m512i x[4];
  for (int k = 0; k < 4; k++) x[k] = _mm512_loadu_si512(p + k * BLOCK);
  x[0] = _mm512_xor_si512(x[0], _mm512_inserti32x4(_mm512_setzero_si512(), _mm_cvtsi32_si128((int)c), 0));
  for (p += WIDE, n -= WIDE; n >= WIDE; p += WIDE, n -= WIDE) {
    for (int k = 0; k < 4; k++) x[k] = _mm512_xor_si512(folded(x[k], wide), _mm512_loadu_si512(p + k * BLOCK));
  }
  for (int k = 1; k < 4; k++) x[k] = _mm512_xor_si512(folded(x[k - 1], block), x[k]);
  for (; n >= BLOCK; p += BLOCK, n -= BLOCK) x[3] = _mm512_xor_si512(folded(x[3], block), _mm512_loadu_si512(p));
  return by_instruction(sum_of(x[3]), p, n);
}

static bool folds(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("pclmul")
         && __builtin_cpu_supports("sse4.2");
}

static uint32_t update(uint32_t c, const uint8_t *p, int64_t n)
{
  if (n >= 2 * WIDE && folds()) return by_folding(c, p, n);
  return __builtin_cpu_supports("sse4.2") ? by_instruction(c, p, n) : bytewise(c, p, n);
}
#else
static uint32_t update(uint32_t c, const uint8_t *p, int64_t n) { return bytewise(c, p, n); }
#endif

uint32_t th_crc32c(uint32_t crc, const void *bytes, int64_t n)
{
  pthread_once(&once, fill_tables);
  return ~update(~crc, bytes, n);
}
