/* zip.c - reads zip archives in memory or from files, and packs members: stored ones, and deflated ones through zlib, which is
 * opened on demand. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include "../core/core.h"

enum {
  MOST_MEMBERS = 65536,
  STORED = 0, DEFLATED = 8,
  PORTION = 1 << 20,                /* bytes between two checks of th_interrupted */
  FILE_PORTION = 1 << 16,           /* packed bytes that are read from a file at once */
};
/* Deflate's highest ratio is 1032; a member that promises more is refused. */
enum { MOST_RATIO = 1032 };

/* ---- the part of zlib that we need ---- */

typedef struct z_stream {
  const uint8_t *next_in;
  unsigned  avail_in;
  unsigned long total_in;
  uint8_t  *next_out;
  unsigned  avail_out;
  unsigned long total_out;
  const char *msg;
  void     *state;
  void     *(*zalloc)(void *, unsigned, unsigned);
  void      (*zfree)(void *, void *);
  void     *opaque;
  int       data_type;
  unsigned long adler, reserved;
} z_stream;
enum { Z_NO_FLUSH = 0, Z_FINISH = 4, Z_OK = 0, Z_STREAM_END = 1, Z_BUF_ERROR = -5 };

static struct {
  int (*inflate_init)(z_stream *z, int bits, const char *version, int size);
  int (*inflate)(z_stream *z, int flush);
  int (*inflate_end)(z_stream *z);
  int (*deflate_init)(z_stream *z, int level, int method, int bits, int memory, int strategy,
                      const char *version, int size);
  int (*deflate)(z_stream *z, int flush);
  int (*deflate_end)(z_stream *z);
} zlib;
static bool have_zlib;
static pthread_once_t zlib_once = PTHREAD_ONCE_INIT;

static void open_zlib(void)
{
  void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) handle = dlopen("libz.so", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  *(void **)&zlib.inflate_init = dlsym(handle, "inflateInit2_");
  *(void **)&zlib.inflate = dlsym(handle, "inflate");
  *(void **)&zlib.inflate_end = dlsym(handle, "inflateEnd");
  *(void **)&zlib.deflate_init = dlsym(handle, "deflateInit2_");
  *(void **)&zlib.deflate = dlsym(handle, "deflate");
  *(void **)&zlib.deflate_end = dlsym(handle, "deflateEnd");
  have_zlib = zlib.inflate_init && zlib.inflate && zlib.inflate_end && zlib.deflate_init && zlib.deflate
              && zlib.deflate_end;
}

static th_status need_zlib(void)
{
  pthread_once(&zlib_once, open_zlib);
  if (have_zlib) return TH_OK;
  return th_fail(TH_EBACKEND, "packed members need zlib (libz.so.1), which is not installed (Debian: zlib1g)");
}

/* ---- checksums ---- */

static uint32_t crc_table[8][256];  /* [k]: the contribution of a byte that k others follow */
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void fill_crc_table(void)
{
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    crc_table[0][i] = c;
  }
  for (int k = 1; k < 8; k++) {
    for (int i = 0; i < 256; i++) {
      const uint32_t c = crc_table[k - 1][i];
      crc_table[k][i] = c >> 8 ^ crc_table[0][c & 255];
    }
  }
}

uint32_t th_zip_crc(uint32_t crc, const void *bytes, int64_t n)
{
  const uint8_t *p = bytes;
  pthread_once(&crc_once, fill_crc_table);
  crc = ~crc;
  for (; n >= 8; n -= 8, p += 8) {
    crc = crc_table[7][(crc ^ p[0]) & 255] ^ crc_table[6][(crc >> 8 ^ p[1]) & 255]
        ^ crc_table[5][(crc >> 16 ^ p[2]) & 255] ^ crc_table[4][crc >> 24 ^ p[3]]
        ^ crc_table[3][p[4]] ^ crc_table[2][p[5]] ^ crc_table[1][p[6]] ^ crc_table[0][p[7]];
  }
  for (; n > 0; n--, p++) crc = crc >> 8 ^ crc_table[0][(crc ^ *p) & 255];
  return ~crc;
}

/* ---- the directory ---- */

typedef struct member {
  int64_t  name, name_size;         /* position in the directory, bytes */
  int64_t  at, packed, size;
  uint32_t crc;
  int32_t  method;
} member;

struct th_zip {
  const uint8_t *p;                 /* the archive in memory, or NULL */
  th_file *f;                       /* the archive in a file, or NULL */
  uint8_t *room;                    /* the bytes of the file that were looked at last */
  int64_t  room_size;
  const uint8_t *directory;
  uint8_t *own;                     /* the directory, where it was read from a file */
  int64_t  n, count, total;
  member  *m;
  const member *open;               /* the member that is being unpacked */
  int64_t  taken, fed;
  uint32_t crc;
  bool     inflating, ended;
  z_stream z;
};

static uint32_t le16(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static uint32_t le32(const uint8_t *p) { return le16(p) | le16(p + 2) << 16; }
/* -1 for numbers beyond 63 bits, which every comparison with a size refuses. */
static int64_t le64(const uint8_t *p)
{
  const uint64_t v = le32(p) | (uint64_t)le32(p + 4) << 32;
  return v > INT64_MAX ? -1 : (int64_t)v;
}

static th_status damaged(const char *what) { return th_fail(TH_EIO, "the zip archive is damaged: %s", what); }

/* ---- bytes of the archive ---- */

static th_status read_file(th_zip *z, int64_t at, void *to, int64_t n)
{
  int64_t got = 0;
  th_status s = th_file_seek(z->f, at);
  if (s == TH_OK) s = th_file_read(z->f, TH_U8, to, n, &got);
  th_enter(NULL);                   /* our own failures do not begin with the word of th_file */
  return s != TH_OK ? s : got == n ? TH_OK : damaged("it is cut");
}

/* Points *p at n bytes from `at`, which lie inside of the archive. They stay until the next call. */
static th_status look(th_zip *z, int64_t at, int64_t n, const uint8_t **p)
{
  if (z->p) {
    *p = z->p + at;
    return TH_OK;
  }
  if (n > z->room_size) {
    uint8_t *room = realloc(z->room, (size_t)n);
    if (!room) return th_fail(TH_ENOMEM, "out of memory: %lld bytes of a zip archive", (long long)n);
    z->room = room;
    z->room_size = n;
  }
  *p = z->room;
  return read_file(z, at, z->room, n);
}

typedef struct directory { int64_t at, bytes, count; } directory;

enum { END_RECORD = 22, LOCATOR = 20, LARGE_END = 56, MOST_COMMENT = 65535, ENTRY = 46, LOCAL = 30 };

/* Finds the end record of large archives through its locator, right before the usual end record. */
static th_status find_large(th_zip *z, int64_t end, directory *d)
{
  const uint8_t *p;
  if (end < LOCATOR) return damaged("its directory cannot be found");
  TH_TRY(look(z, end - LOCATOR, LOCATOR, &p));
  if (le32(p) != 0x07064b50) return damaged("its directory cannot be found");
  const int64_t at = le64(p + 8);
  if (at < 0 || at > end - LOCATOR - LARGE_END) return damaged("its directory cannot be found");
  TH_TRY(look(z, at, LARGE_END, &p));
  if (le32(p) != 0x06064b50) return damaged("its directory cannot be found");
  d->count = le64(p + 32);
  d->bytes = le64(p + 40);
  d->at = le64(p + 48);
  return TH_OK;
}

static th_status find_directory(th_zip *z, directory *d)
{
  const uint8_t *p;
  if (z->n < END_RECORD) return damaged("it has no end record");
  const int64_t n = z->n < END_RECORD + MOST_COMMENT ? z->n : END_RECORD + MOST_COMMENT;
  TH_TRY(look(z, z->n - n, n, &p));
  int64_t end = n - END_RECORD;
  while (end >= 0 && !(le32(p + end) == 0x06054b50 && end + END_RECORD + le16(p + end + 20) == n)) end--;
  if (end < 0) return damaged("it has no end record");
  p += end;
  end += z->n - n;
  if (le16(p + 4) != le16(p + 6)) return th_fail(TH_EIO, "the zip archive has several parts");
  d->count = le16(p + 10);
  d->bytes = le32(p + 12);
  d->at = le32(p + 16);
  if (d->count == 0xffff || d->bytes == 0xffffffff || d->at == 0xffffffff) TH_TRY(find_large(z, end, d));
  if (d->at < 0 || d->bytes < 0 || d->at > end || d->bytes > end - d->at) return damaged("its directory lies outside");
  if (d->count < 0 || d->count > d->bytes / ENTRY) return damaged("its directory is too short");
  if (d->count > MOST_MEMBERS) {
    return th_fail(TH_EIO, "a zip archive has at most %d members here, got %lld", MOST_MEMBERS, (long long)d->count);
  }
  return TH_OK;
}

/* Sizes beyond 32 bits are in an extra field, in this order; the field has only those. */
static th_status large_sizes(const uint8_t *extra, int64_t n, member *m, int64_t *local)
{
  int64_t *const value[3] = { &m->size, &m->packed, local };
  if (m->size != 0xffffffff && m->packed != 0xffffffff && *local != 0xffffffff) return TH_OK;
  while (n >= 4) {
    const int64_t size = le16(extra + 2);
    if (size > n - 4) break;
    if (le16(extra) == 1) {
      int64_t at = 0;
      for (int k = 0; k < 3; k++) {
        if (*value[k] != 0xffffffff) continue;
        if (at + 8 > size) return damaged("the sizes of a member are missing");
        *value[k] = le64(extra + 4 + at);
        at += 8;
      }
      return TH_OK;
    }
    extra += 4 + size;
    n -= 4 + size;
  }
  return TH_OK;                     /* without an extra field the 32-bit values hold */
}

/* The header before the member must agree with the directory. */
static th_status check_local(th_zip *z, int64_t local, int64_t limit, member *m)
{
  const uint8_t *p;
  if (local < 0 || m->packed < 0 || m->size < 0 || local > limit || limit - local < LOCAL + m->name_size) {
    return damaged("a member lies outside");
  }
  TH_TRY(look(z, local, LOCAL + m->name_size, &p));
  const int64_t name_size = le16(p + 26), before = LOCAL + name_size + le16(p + 28);
  if (le32(p) != 0x04034b50 || limit - local < before || limit - local - before < m->packed) {
    return damaged("a member lies outside");
  }
  if (name_size != m->name_size || memcmp(p + LOCAL, z->directory + m->name, (size_t)name_size) != 0
      || (int)le16(p + 8) != m->method) {
    return damaged("a member and the directory disagree");
  }
  m->at = local + before;
  if (m->method == STORED ? m->packed != m->size : m->size / MOST_RATIO > m->packed) {
    return damaged("a member cannot have the size it says");
  }
  return TH_OK;
}

static th_status take_directory(th_zip *z, const directory *d)
{
  if (z->p) {
    z->directory = z->p + d->at;
    return TH_OK;
  }
  z->directory = z->own = malloc(d->bytes ? (size_t)d->bytes : 1);
  if (!z->own) return th_fail(TH_ENOMEM, "out of memory: a directory of %lld bytes", (long long)d->bytes);
  return read_file(z, d->at, z->own, d->bytes);
}

static th_status read_directory(th_zip *z, const directory *d)
{
  const uint8_t *p = z->directory;
  int64_t at = 0;
  for (int64_t i = 0; i < d->count; i++) {
    member *m = &z->m[i];
    const int64_t left = d->bytes - at;
    if (left < ENTRY || le32(p + at) != 0x02014b50) return damaged("its directory is too short");
    const int64_t extra = le16(p + at + 30), comment = le16(p + at + 32);
    m->name = at + ENTRY;
    m->name_size = le16(p + at + 28);
    if (left - ENTRY < m->name_size + extra + comment) return damaged("its directory is too short");
    m->method = (int32_t)le16(p + at + 10);
    m->crc = le32(p + at + 16);
    m->packed = le32(p + at + 20);
    m->size = le32(p + at + 24);
    int64_t local = le32(p + at + 42);
    if (le16(p + at + 8) & 1) return th_fail(TH_EIO, "a member of the zip archive is encrypted");
    if (m->method != STORED && m->method != DEFLATED) {
      return th_fail(TH_EIO, "a member of the zip archive is packed by method %d; stored and deflated ones can be read",
                     m->method);
    }
    TH_TRY(large_sizes(p + m->name + m->name_size, extra, m, &local));
    TH_TRY(check_local(z, local, d->at, m));
    if (__builtin_add_overflow(z->total, m->size, &z->total)) return damaged("its members are too large");
    at = m->name + m->name_size + extra + comment;
  }
  return TH_OK;
}

static th_status open_archive(th_zip **out, const void *bytes, th_file *f, int64_t n)
{
  directory d = { 0, 0, 0 };
  th_zip *z = calloc(1, sizeof *z);
  if (!z) return th_fail(TH_ENOMEM, "out of memory: a zip archive needs %zu bytes", sizeof *z);
  z->p = bytes;
  z->f = f;
  z->n = n;
  th_status s = find_directory(z, &d);
  if (s == TH_OK) s = take_directory(z, &d);
  if (s == TH_OK) {
    z->m = calloc((size_t)d.count + 1, sizeof *z->m);
    if (!z->m) s = th_fail(TH_ENOMEM, "out of memory: %lld members", (long long)d.count);
  }
  if (s == TH_OK) s = read_directory(z, &d);
  if (s != TH_OK) {
    th_zip_close(z);
    return s;
  }
  z->count = d.count;
  *out = z;
  return TH_OK;
}

th_status th_zip_open(th_zip **out, const void *bytes, int64_t n)
{
  th_enter(NULL);
  return open_archive(out, bytes, NULL, n);
}

th_status th_zip_open_file(th_zip **out, th_file *f)
{
  th_enter(NULL);
  TH_TRY(th_file_seek(f, 0));
  const int64_t n = th_file_left(f);
  if (n < -1) return TH_EIO;        /* th_file_left has said why */
  if (n < 0) return th_fail(TH_EIO, "the length of the zip archive is not known");
  return open_archive(out, NULL, f, n);
}

static void stop(th_zip *z)
{
  if (z->inflating) zlib.inflate_end(&z->z);
  z->inflating = false;
  z->open = NULL;
}

void th_zip_close(th_zip *z)
{
  if (!z) return;
  stop(z);
  free(z->m);
  free(z->room);
  free(z->own);
  free(z);
}

int64_t th_zip_count(const th_zip *z) { return z->count; }
int64_t th_zip_total(const th_zip *z) { return z->total; }

void th_zip_at(const th_zip *z, int64_t i, th_zip_member *m)
{
  m->name = (const char *)z->directory + z->m[i].name;
  m->name_size = z->m[i].name_size;
  m->size = z->m[i].size;
  m->place = z->m[i].at;
  m->stored = z->m[i].method == STORED;
}

/* ---- unpacking ---- */

th_status th_zip_begin(th_zip *z, int64_t i)
{
  th_enter(NULL);
  stop(z);
  z->taken = z->fed = 0;
  z->crc = 0;
  z->ended = false;
  if (z->m[i].method == DEFLATED) {
    TH_TRY(need_zlib());
    memset(&z->z, 0, sizeof z->z);
    if (zlib.inflate_init(&z->z, -15, "1.2.0", (int)sizeof z->z) != Z_OK) {
      return th_fail(TH_EBACKEND, "zlib cannot be used: %s", z->z.msg ? z->z.msg : "it refuses to start");
    }
    z->inflating = true;
  }
  z->open = &z->m[i];
  return TH_OK;
}

/* Unpacks up to `n` (at most PORTION) bytes; fewer at the end of the packed stream. */
static th_status inflate_portion(th_zip *z, uint8_t *to, int64_t n, int64_t *got)
{
  const member *m = z->open;
  const int64_t most = z->p ? PORTION : FILE_PORTION;
  z->z.next_out = to;
  z->z.avail_out = (unsigned)n;
  while (z->z.avail_out > 0 && !z->ended) {
    const int64_t left = m->packed - z->fed;
    const unsigned feed = (unsigned)(left < most ? left : most);
    const unsigned room = z->z.avail_out;
    TH_TRY(look(z, m->at + z->fed, feed, &z->z.next_in));
    z->z.avail_in = feed;
    const int r = zlib.inflate(&z->z, Z_NO_FLUSH);
    const unsigned used = feed - z->z.avail_in;
    z->fed += used;
    if (r == Z_STREAM_END) z->ended = true;
    else if (r != Z_OK && r != Z_BUF_ERROR) return damaged(z->z.msg ? z->z.msg : "a member cannot be unpacked");
    else if (used == 0 && room == z->z.avail_out) return damaged("a packed member is cut");
  }
  *got = n - z->z.avail_out;
  return TH_OK;
}

th_status th_zip_take(th_zip *z, void *to, int64_t n)
{
  uint8_t *at = to;
  th_enter(NULL);
  if (!z->open || n < 0 || n > z->open->size - z->taken) return damaged("a member is shorter than it should be");
  while (n > 0) {
    int64_t k = n < PORTION ? n : PORTION;
    if (th_interrupted()) return th_fail(TH_EINTR, "interrupted");
    if (z->inflating) TH_TRY(inflate_portion(z, at, k, &k));
    else if (z->f) TH_TRY(read_file(z, z->open->at + z->taken, at, k));
    else memcpy(at, z->p + z->open->at + z->taken, (size_t)k);
    if (k == 0) return damaged("a packed member is shorter than it says");
    z->crc = th_zip_crc(z->crc, at, k);
    z->taken += k;
    at += k;
    n -= k;
  }
  return TH_OK;
}

th_status th_zip_end(th_zip *z)
{
  const member *m = z->open;
  th_enter(NULL);
  if (!m || z->taken != m->size) return damaged("a member is longer than it should be");
  if (z->inflating) {
    uint8_t more;
    int64_t got = 0;
    if (!z->ended) TH_TRY(inflate_portion(z, &more, 1, &got));
    if (got > 0 || !z->ended || z->fed != m->packed) return damaged("a packed member is longer than it says");
  }
  if (z->crc != m->crc) return damaged("the checksum of a member is wrong");
  stop(z);
  return TH_OK;
}

/* ---- packing ---- */

/* zlib counts in 32 bits, so all data passes through it in portions. */
static th_status deflate_piece(z_stream *z, const uint8_t *p, int64_t n, bool last, th_storage *s, int64_t *have)
{
  int r;
  do {
    const int64_t k = n < PORTION ? n : PORTION;
    const int flush = last && k == n ? Z_FINISH : Z_NO_FLUSH;
    if (th_interrupted()) return th_fail(TH_EINTR, "interrupted");
    z->next_in = p;
    z->avail_in = (unsigned)k;
    do {
      if (s->size - *have < PORTION) TH_TRY(th_storage_resize(s, s->size + s->size / 2 + 2 * PORTION));
      z->next_out = (uint8_t *)s->data + *have;
      z->avail_out = PORTION;
      r = zlib.deflate(z, flush);
      *have += PORTION - z->avail_out;
    } while (r == Z_OK && (z->avail_out == 0 || flush == Z_FINISH));
    if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR) return th_fail(TH_EBACKEND, "zlib failed: %d", r);
    p += k;
    n -= k;
  } while (n > 0);
  return TH_OK;
}

th_status th_zip_pack(th_storage **out, const void *head, int64_t nhead, const void *body, int64_t nbody)
{
  z_stream z;
  int64_t have = 0;
  th_storage *s = NULL;
  th_enter(NULL);
  TH_TRY(need_zlib());
  TH_TRY(th_storage_new(&s, TH_CPU, TH_U8, 2 * PORTION, 0));
  memset(&z, 0, sizeof z);
  th_status status = TH_OK;
  if (zlib.deflate_init(&z, 6, DEFLATED, -15, 8, 0, "1.2.0", (int)sizeof z) != Z_OK) {
    status = th_fail(TH_EBACKEND, "zlib cannot be used: %s", z.msg ? z.msg : "it refuses to start");
  } else {
    status = deflate_piece(&z, head, nhead, false, s, &have);
    if (status == TH_OK) status = deflate_piece(&z, body, nbody, true, s, &have);
    zlib.deflate_end(&z);
  }
  if (status == TH_OK) status = th_storage_resize(s, have);
  if (status != TH_OK) th_storage_release(s);
  else *out = s;
  return status;
}
