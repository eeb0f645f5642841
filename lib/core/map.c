/* map.c - storages whose memory other processes can share: mapped files and shared memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "storage.h"

enum { IS_FILE = 1, IS_MEMORY = 2 };        /* values of th_storage.mapped */

/* A file that is being mapped. */
typedef struct source {
  const char *path;
  int fd, kind;
  bool created;
  int64_t bytes;                            /* its size */
} source;

static th_status failed(const char *what, const char *path, int why)
{
  return th_fail(TH_EIO, "cannot %s %s: %s", what, path, strerror(why));
}

static int open_path(const source *f, int flags)
{
  flags |= O_CLOEXEC | O_NONBLOCK | O_NOCTTY;       /* a pipe must not wait here: it is refused */
  return f->kind == TH_MAP_MEMORY ? shm_open(f->path, flags, 0600) : open(f->path, flags, 0666);
}

static th_status open_source(source *f, bool may_create)
{
  struct stat st;
  if (f->kind == TH_MAP_MEMORY && (f->path[0] != '/' || strchr(f->path + 1, '/') || !f->path[1])) {
    return th_fail(TH_EARG, "the name of shared memory must be a word without '/', with or without one in front, got '%s'",
                   f->path);
  }
  f->fd = open_path(f, f->kind == TH_MAP_PRIVATE ? O_RDONLY : O_RDWR);
  if (f->fd < 0 && errno == ENOENT && may_create) {
    f->fd = open_path(f, O_RDWR | O_CREAT);
    f->created = f->fd >= 0;
  }
  if (f->fd < 0) return failed("open", f->path, errno);
  if (fstat(f->fd, &st) != 0) return failed("examine", f->path, errno);
  if (!S_ISREG(st.st_mode)) return failed("map", f->path, S_ISDIR(st.st_mode) ? EISDIR : ENODEV);
  f->bytes = st.st_size;
  return TH_OK;
}

/* Reserves the blocks of the file now, so that a full disk is an error here and not a signal at the first write. */
static th_status reserve(const source *f, int64_t first, int64_t end)
{
  struct rlimit most;
  struct statvfs disk;
  int why;
  if (end <= first) return TH_OK;
  /* If the file system cannot reserve blocks, the C library writes zeros. Check first, so that it does not fill the disk in
   * vain. */
  if (fstatvfs(f->fd, &disk) == 0 && (end - f->bytes) / (int64_t)disk.f_frsize > (int64_t)disk.f_bavail) {
    return failed("grow", f->path, ENOSPC);
  }
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < (rlim_t)end && end > f->bytes) {
    return failed("grow", f->path, EFBIG);
  }
  do why = posix_fallocate(f->fd, first, end - first);
  while (why == EINTR && !th_interrupted());
  if (why == 0) return TH_OK;
  const bool restored = end > f->bytes && ftruncate(f->fd, f->bytes) == 0;
  return th_fail(TH_EIO, "cannot reserve %lld bytes of %s: %s%s", (long long)(end - first), f->path,
                 strerror(why), restored || end <= f->bytes ? "" : "; it has grown");
}

static void close_source(source *f, bool failure)
{
  if (f->fd >= 0) close(f->fd);
  if (!failure || !f->created) return;
  if (f->kind == TH_MAP_MEMORY) shm_unlink(f->path);
  else unlink(f->path);
}

/* Maps bytes first..end of the file as the memory of s. A map begins at a page. */
static th_status map(th_storage *s, const source *f, int64_t first, int64_t end)
{
  if (end == first) return TH_OK;
  const int64_t before = first % sysconf(_SC_PAGESIZE);
  const int flags = f->kind == TH_MAP_PRIVATE ? MAP_PRIVATE : f->path ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
  char *p = mmap(NULL, (size_t)(end - first + before), PROT_READ | PROT_WRITE, flags, f->fd, first - before);
  if (p == MAP_FAILED) return failed("map", f->path ? f->path : "shared memory", errno);
  s->data = p + before;
  return TH_OK;
}

/* Computes the bytes of the elements in the file, and grows the file where that is allowed. */
static th_status extent(source *f, int64_t es, int64_t offset, int64_t size, int64_t *first, int64_t *end)
{
  int64_t bytes;
  if (offset < 0 || size < 0 || __builtin_mul_overflow(offset, es, first)
      || __builtin_mul_overflow(size, es, &bytes) || __builtin_add_overflow(*first, bytes, end)) {
    return th_fail(TH_EARG, "a storage cannot have %lld elements behind %lld", (long long)size, (long long)offset);
  }
  if (f->path) {
    TH_TRY(open_source(f, size > 0 && f->kind != TH_MAP_PRIVATE));
    if (*first > f->bytes && (size == 0 || f->kind == TH_MAP_PRIVATE)) {
      return th_fail(TH_EIO, "%s holds %lld bytes, element %lld lies behind them", f->path, (long long)f->bytes,
                     (long long)offset + 1);
    }
    if (size == 0) *end = *first + (f->bytes - *first) / es * es;
    if (f->kind == TH_MAP_PRIVATE && *end > f->bytes) {
      return th_fail(TH_EIO, "%s holds %lld bytes, %lld wanted", f->path, (long long)f->bytes, (long long)*end);
    }
  }
  if (f->kind == TH_MAP_MEMORY && *end > f->bytes && th_too_much(*end - f->bytes)) return th_out_of_memory(*end - f->bytes);
  return f->path && f->kind != TH_MAP_PRIVATE ? reserve(f, *first, *end) : TH_OK;
}

th_status th_storage_map(th_storage **out, int dtype, const char *path, int64_t offset, int64_t size, int kind)
{
  const int64_t es = (int64_t)th_bytes_of(dtype);
  source f = { .path = path, .fd = -1, .kind = kind };
  int64_t first = 0, end = 0;
  if (!es) return th_fail(TH_EDTYPE, "dtype %d does not exist", dtype);
  th_storage *s = calloc(1, sizeof *s);
  if (!s) return th_out_of_memory((int64_t)sizeof *s);
  th_status status = extent(&f, es, offset, size, &first, &end);
  if (status == TH_OK) status = map(s, &f, first, end);
  close_source(&f, status != TH_OK);
  if (status != TH_OK) {
    free(s);
    return status;
  }
  s->size = (end - first) / es;
  s->capacity = end - first;
  s->refs = 1;
  s->dtype = dtype;
  s->mapped = kind == TH_MAP_MEMORY ? IS_MEMORY : IS_FILE;
  th_account(kind == TH_MAP_MEMORY ? s->capacity : 0, 1);
  *out = s;
  return TH_OK;
}
