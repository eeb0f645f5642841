/* file.c - opens, closes and positions files, and moves their bytes through one buffer. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "file.h"

enum { CHUNK = 8 << 20 };           /* bytes between two checks of th_interrupted */

static const char *why(int e) { return strerror(e); }

/* ---- opening --------------------------------------------------------------------------------- */

static th_status new_file(th_file **out, th_file_kind kind, int mode, const char *name)
{
  th_file *f = calloc(1, sizeof *f);
  char *copy = strdup(name);
  uint8_t *buf = kind == TH_IN_MEMORY ? NULL : malloc(TH_IO_BUFFER);
  if (!f || !copy || (kind != TH_IN_MEMORY && !buf)) {
    free(f);
    free(copy);
    free(buf);
    return th_fail(TH_ENOMEM, "out of memory: a file needs %d bytes", TH_IO_BUFFER);
  }
  f->kind = kind;
  f->mode = mode;
  f->name = copy;
  f->buf = buf;
  f->fd = -1;
  f->option[TH_FILE_SPACING] = f->option[TH_FILE_BUFFERED] = 1;
  *out = f;
  return TH_OK;
}

/* Sets f->temp to a name in the folder of f->target that was not tried yet. */
static void next_name(th_file *f)
{
  static unsigned count;
  const char *slash = strrchr(f->target, '/'), *base = slash ? slash + 1 : f->target;
  sprintf(f->temp, "%.*s.%.160s.%lx-%x.tmp", (int)(base - f->target), f->target, base, (unsigned long)getpid(),
          __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
}

/* The path that linkat takes for a file without a name. */
enum { FD_TEXT = 32 };
static const char *own_link(char text[FD_TEXT], int fd)
{
  snprintf(text, FD_TEXT, "/proc/self/fd/%d", fd);
  return text;
}

/* Creates a file without a name in the folder of `target`; the kernel frees it if the process is killed. -1 if the file system
 * has no such files, or without /proc, which is needed later to name it. */
static int open_unnamed(const char *target)
{
  const char *slash = strrchr(target, '/');
  char *dir = slash ? strndup(target, (size_t)(slash - target) + 1) : strdup("."), text[FD_TEXT];
  int fd = dir ? open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
  free(dir);
  if (fd >= 0 && access(own_link(text, fd), F_OK) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* Creates a new file beside `target`, without a name or with a unique one. It gets the old file's mode and, where permitted, its
 * owner. */
static th_status open_beside(th_file *f, const char *target)
{
  struct stat old;
  const bool replaces = stat(target, &old) == 0;
  if (replaces && access(target, W_OK) != 0) {
    return th_fail(TH_EIO, "cannot write %s: %s", target, why(errno));
  }
  f->target = strdup(target);
  f->temp = malloc(strlen(target) + 64);
  if (!f->target || !f->temp) {
    return th_fail(TH_ENOMEM, "out of memory: a file needs %zu bytes", strlen(target) + 64);
  }
  f->fd = open_unnamed(target);
  f->unnamed = f->fd >= 0;
  for (int attempt = 0; attempt < 1000 && f->fd < 0; attempt++) {
    next_name(f);
    f->fd = open(f->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f->fd < 0 && errno != EEXIST) break;
  }
  if (f->fd < 0) {
    const int e = errno;
    free(f->temp);
    f->temp = NULL;
    return th_fail(TH_EIO, "cannot make a temporary file beside %s: %s", target, why(e));
  }
  if (replaces) {
    if (fchown(f->fd, old.st_uid, old.st_gid) != 0) errno = 0;    /* otherwise it stays our file */
    if (fchmod(f->fd, old.st_mode & 07777) != 0) {
      return th_fail(TH_EIO, "cannot give %s the mode of the old file: %s", target, why(errno));
    }
  }
  return TH_OK;
}

/* Resolves symbolic links; the file itself may be missing. On failure NULL and errno. */
static char *behind_links(const char *path)
{
  enum { MOST_LINKS = 40 };                          /* the kernel's limit */
  char to[PATH_MAX], *name = strdup(path);
  for (int i = 0; name; i++) {
    const ssize_t n = readlink(name, to, sizeof to - 1);
    if (n < 0) return name;
    const char *slash = to[0] == '/' ? NULL : strrchr(name, '/');
    const size_t dir = slash ? (size_t)(slash - name) + 1 : 0;
    char *next = i < MOST_LINKS ? malloc(dir + (size_t)n + 1) : NULL;
    if (next) {
      memcpy(next, name, dir);
      memcpy(next + dir, to, (size_t)n);
      next[dir + (size_t)n] = '\0';
    }
    free(name);
    name = next;
    errno = i < MOST_LINKS ? ENOMEM : ELOOP;
  }
  return NULL;
}

/* A symbolic link stays, and its target is replaced or created. */
static th_status open_atomic(th_file *f, const char *path)
{
  char *real = realpath(path, NULL);
  if (!real) real = behind_links(path);
  if (!real) return th_fail(TH_EIO, "cannot open %s: %s", path, why(errno));
  const th_status s = open_beside(f, real);
  free(real);
  return s;
}

static th_status open_disk(th_file *f, const char *path, int mode)
{
  struct stat st;
  if ((mode & TH_FILE_ATOMIC) && (stat(path, &st) != 0 || S_ISREG(st.st_mode))) {
    TH_TRY(open_atomic(f, path));
  } else {
    const int rw = mode & (TH_FILE_READ | TH_FILE_WRITE);
    const int flags = rw == TH_FILE_READ ? O_RDONLY
                    : rw == TH_FILE_WRITE ? O_WRONLY | O_CREAT | O_TRUNC : O_RDWR | O_CREAT;
    do f->fd = open(path, flags | O_CLOEXEC, 0666);
    while (f->fd < 0 && errno == EINTR && !th_interrupted());
    if (f->fd < 0) return th_fail(TH_EIO, "cannot open %s: %s", path, why(errno));
  }
  if (fstat(f->fd, &st) != 0) return th_fail(TH_EIO, "cannot examine %s: %s", path, why(errno));
  if (S_ISDIR(st.st_mode)) return th_fail(TH_EIO, "cannot open %s: it is a directory", path);
  f->seekable = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
  return TH_OK;
}

th_status th_file_open(th_file **out, const char *path, int mode)
{
  th_enter("file");
  th_file *f = NULL;
  TH_TRY(new_file(&f, TH_ON_DISK, mode, path));
  const th_status s = open_disk(f, path, mode);
  if (s != TH_OK) th_file_free(f);
  else *out = f;
  return s;
}

th_status th_file_pipe(th_file **out, const char *command, int mode)
{
  th_enter("file");
  th_file *f = NULL;
  TH_TRY(new_file(&f, TH_IN_PIPE, mode, command));
  fflush(NULL);                      /* otherwise the child would print the buffered output again */
  f->pipe = popen(command, mode & TH_FILE_WRITE ? "we" : "re");
  if (!f->pipe) {
    const int e = errno;
    th_file_free(f);
    return th_fail(TH_EIO, "cannot run '%s': %s", command, why(e));
  }
  f->fd = fileno(f->pipe);
  *out = f;
  return TH_OK;
}

th_status th_file_memory(th_file **out, th_storage *s, int mode)
{
  th_enter("file");
  if (th_dtype_size(s->dtype) != 1) {
    return th_fail(TH_EDTYPE,
                   "a file in memory needs a CharStorage or a ByteStorage, got a %sStorage",
                   th_dtype_name(s->dtype));
  }
  if (!(mode & TH_FILE_WHOLE) && s->size > 0 && ((const char *)s->data)[s->size - 1] != 0) {
    return th_fail(TH_EARG, "the storage of a file in memory must end with a 0, got %d",
                   ((const signed char *)s->data)[s->size - 1]);
  }
  TH_TRY(new_file(out, TH_IN_MEMORY, mode, "a file in memory"));
  th_storage_retain(s);
  (*out)->storage = s;
  (*out)->seekable = true;
  return TH_OK;
}

th_status th_file_view(th_file **out, const void *bytes, int64_t n)
{
  th_enter("file");
  TH_TRY(new_file(out, TH_IN_MEMORY, TH_FILE_READ, "a string"));
  (*out)->view = bytes;
  (*out)->view_size = n;
  (*out)->seekable = true;
  return TH_OK;
}

void th_file_set(th_file *f, int option, int value)
{
  if (option >= 0 && option < TH_FILE_NOPTION) f->option[option] = value;
}

int th_file_get(const th_file *f, int option)
{
  return option >= 0 && option < TH_FILE_NOPTION ? f->option[option] : 0;
}

th_status th_io_need(const th_file *f, int mode)
{
  if (f->closed) return th_fail(TH_EIO, "%s is closed", f->name);
  if (!(f->mode & mode)) {
    return th_fail(TH_EIO, "%s is not open for %s", f->name,
                   mode == TH_FILE_READ ? "reading" : "writing");
  }
  return TH_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Read from the storage each time, because others may have resized it. */
static int64_t memory_size(const th_file *f)
{
  if (!f->storage) return f->view_size;
  if (f->mode & TH_FILE_WHOLE) return f->storage->size;
  return f->storage->size > 0 ? f->storage->size - 1 : 0;
}

static const uint8_t *memory_data(const th_file *f)
{
  return f->storage ? (const uint8_t *)f->storage->data : f->view;
}

/* Grows by half, so that many small writes cost few copies. If memory is too small for that, grows to the needed size. */
static th_status memory_resize(th_file *f, int64_t bytes)
{
  th_storage *s = f->storage;
  if (bytes + 1 > s->capacity) {
    const int64_t old = s->size;
    th_status status = th_storage_resize(s, bytes + bytes / 2 + 256);
    if (status == TH_ENOMEM) status = th_storage_resize(s, bytes + 1);
    TH_TRY(status);
    s->size = old;
  }
  char *data = s->data;
  const int64_t first = s->size > 0 ? s->size - 1 : 0;
  memset(data + first, 0, (size_t)(bytes + 1 - first));
  s->size = bytes + 1;
  return TH_OK;
}

/* ---- disk and pipes -------------------------------------------------------------------------- */

/* A write to a pipe without a reader must be an error and not end the process. */
static ssize_t write_quietly(int fd, const void *from, size_t n)
{
  sigset_t pipe_only, before, pending;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
  const ssize_t k = write(fd, from, n);
  const int e = errno;
  if (!sigismember(&pending, SIGPIPE)) {    /* a partial write also raises the signal */
    const struct timespec now = { 0, 0 };
    while (sigtimedwait(&pipe_only, NULL, &now) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = e;
  return k;
}

th_status th_io_patience(const th_file *f)
{
  return th_interrupted() ? th_fail(TH_EINTR, "interrupted in the middle of %s", f->name) : TH_OK;
}

/* Writes all bytes at position f->base and advances it. */
static th_status write_through(th_file *f, const uint8_t *from, int64_t n)
{
  while (n > 0) {
    TH_TRY(th_io_patience(f));
    const size_t k = (size_t)(n < CHUNK ? n : CHUNK);
    const ssize_t done = f->seekable ? pwrite(f->fd, from, k, f->base)
                                     : write_quietly(f->fd, from, k);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      const int e = done < 0 ? errno : ENOSPC;
      f->failed = true;
      return th_fail(TH_EIO, "cannot write %s: %s after %lld bytes%s",
                     f->target ? f->target : f->name, why(e), (long long)f->base,
                     f->target ? "; the old file is unchanged" : "");
    }
    from += done;
    n -= done;
    f->base += done;
  }
  return TH_OK;
}

static th_status flush(th_file *f)
{
  if (!f->writing || f->end == 0) return TH_OK;
  const int64_t n = f->end;
  f->at = f->end = 0;
  return write_through(f, f->buf, n);
}

/* Discards what was read ahead. Of a pipe it is kept, because it cannot be read again. */
static void begin_writing(th_file *f)
{
  if (f->writing) return;
  if (f->seekable) f->base += f->at;
  f->at = f->end = 0;
  f->writing = true;
}

static th_status begin_reading(th_file *f)
{
  if (!f->writing) return TH_OK;
  TH_TRY(flush(f));
  f->at = f->end = 0;
  f->writing = false;
  return TH_OK;
}

/* Reads up to n bytes after the buffer; 0 at the end. */
static th_status read_through(th_file *f, void *to, int64_t n, int64_t *got)
{
  for (;;) {
    TH_TRY(th_io_patience(f));
    const int64_t place = f->base + f->end;
    const ssize_t k = f->seekable ? pread(f->fd, to, (size_t)n, place) : read(f->fd, to, (size_t)n);
    if (k < 0 && errno == EINTR) continue;
    if (k < 0) {
      return th_fail(TH_EIO, "cannot read %s: %s at byte %lld", f->name, why(errno),
                     (long long)place + 1);
    }
    *got = k;
    return TH_OK;
  }
}

th_status th_io_peek(th_file *f, int64_t want, const uint8_t **p, int64_t *have)
{
  if (f->kind == TH_IN_MEMORY) {
    const int64_t left = memory_size(f) - f->base;
    *have = left > 0 ? left : 0;
    *p = left > 0 ? memory_data(f) + f->base : (const uint8_t *)"";
    return TH_OK;
  }
  TH_TRY(begin_reading(f));
  while (f->end - f->at < want) {
    int64_t k = 0;
    if (f->at > 0) {
      memmove(f->buf, f->buf + f->at, (size_t)(f->end - f->at));
      f->base += f->at;
      f->end -= f->at;
      f->at = 0;
    }
    TH_TRY(read_through(f, f->buf + f->end, TH_IO_BUFFER - f->end, &k));
    if (k == 0) break;
    f->end += k;
  }
  *p = f->buf + f->at;
  *have = f->end - f->at;
  return TH_OK;
}

void th_io_skip(th_file *f, int64_t n)
{
  if (f->kind == TH_IN_MEMORY) f->base += n;
  else f->at += n;
}

th_status th_io_take(th_file *f, void *to, int64_t n, int64_t *got)
{
  uint8_t *p = to;
  const uint8_t *from;
  int64_t have;
  TH_TRY(th_io_peek(f, 0, &from, &have));
  *got = have < n ? have : n;
  if (*got) memcpy(p, from, (size_t)*got);
  th_io_skip(f, *got);
  if (f->kind == TH_IN_MEMORY) return TH_OK;
  while (*got < n) {                 /* the buffer is empty now: read the rest without a copy */
    int64_t k = 0;
    f->base += f->at;
    f->at = f->end = 0;
    TH_TRY(read_through(f, p + *got, n - *got < CHUNK ? n - *got : CHUNK, &k));
    if (k == 0) break;
    f->base += k;
    *got += k;
  }
  return TH_OK;
}

th_status th_io_put(th_file *f, const void *from, int64_t n)
{
  if (n == 0) return TH_OK;
  if (f->kind == TH_IN_MEMORY) {
    int64_t end;
    if (__builtin_add_overflow(f->base, n, &end) || end > INT64_MAX / 4) {
      return th_fail(TH_ENOMEM, "out of memory: a file of %lld bytes wanted", (long long)n);
    }
    if (end > memory_size(f)) TH_TRY(memory_resize(f, end));
    memcpy((char *)f->storage->data + f->base, from, (size_t)n);
    f->base = end;
    return TH_OK;
  }
  begin_writing(f);
  if (n > TH_IO_BUFFER - f->end) {
    TH_TRY(flush(f));
    if (n >= TH_IO_BUFFER) return write_through(f, from, n);
  }
  memcpy(f->buf + f->end, from, (size_t)n);
  f->end += n;
  return f->option[TH_FILE_BUFFERED] ? TH_OK : flush(f);
}

/* ---- positions ------------------------------------------------------------------------------- */

int64_t th_file_place(const th_file *f)
{
  return f->kind == TH_IN_MEMORY ? f->base : f->base + (f->writing ? f->end : f->at);
}

static th_status size_of(th_file *f, int64_t *size)
{
  struct stat st;
  if (f->kind == TH_IN_MEMORY) {
    *size = memory_size(f);
    return TH_OK;
  }
  TH_TRY(flush(f));
  if (fstat(f->fd, &st) != 0) return th_fail(TH_EIO, "cannot examine %s: %s", f->name, why(errno));
  *size = st.st_size;
  if (S_ISBLK(st.st_mode)) *size = lseek(f->fd, 0, SEEK_END);
  return TH_OK;
}

/* Bytes up to the end; -1 if unknown, as in pipes; -2 on failure, with the message in th_error. */
int64_t th_file_left(th_file *f)
{
  int64_t size = 0;
  th_enter("file");
  if (f->closed || !f->seekable) return -1;
  if (size_of(f, &size) != TH_OK) return -2;
  const int64_t place = th_file_place(f);
  return size > place ? size - place : 0;
}

th_status th_file_seek(th_file *f, int64_t place)
{
  th_enter("file");
  int64_t size = 0;
  if (f->closed) return th_fail(TH_EIO, "%s is closed", f->name);
  if (!f->seekable) return th_fail(TH_EIO, "%s is not seekable", f->name);
  TH_TRY(size_of(f, &size));
  if (place == -1) place = size;
  if (place < 0 || (place > size && !(f->mode & TH_FILE_WRITE && f->kind == TH_ON_DISK))) {
    return th_fail(TH_EARG, "place must lie in 1..%lld, got %lld", (long long)size + 1,
                   (long long)place + 1);
  }
  f->at = f->end = 0;
  f->base = place;
  return TH_OK;
}

th_status th_file_sync(th_file *f)
{
  th_enter("file");
  if (f->closed) return th_fail(TH_EIO, "%s is closed", f->name);
  return f->kind == TH_IN_MEMORY ? TH_OK : flush(f);
}

/* ---- closing --------------------------------------------------------------------------------- */

static int sync_directory_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *dir = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  if (!dir) return -1;
  const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(dir);
  if (fd < 0) return -1;
  const int r = fsync(fd);
  close(fd);
  return r == 0 || errno == EINVAL ? 0 : -1;       /* some file systems cannot sync a directory */
}

/* Gives the new file the name of the old one. linkat replaces no file, so with an old file the new one first gets a temporary
 * name. Only a kill between these two system calls leaves a temporary file. */
static bool take_place(th_file *f)
{
  char text[FD_TEXT];
  if (f->unnamed && linkat(AT_FDCWD, own_link(text, f->fd), AT_FDCWD, f->target, AT_SYMLINK_FOLLOW) == 0) return true;
  while (f->unnamed) {
    if (errno != EEXIST) return false;
    next_name(f);
    f->unnamed = linkat(AT_FDCWD, own_link(text, f->fd), AT_FDCWD, f->temp, AT_SYMLINK_FOLLOW) != 0;
  }
  return rename(f->temp, f->target) == 0;
}

/* Syncs the new bytes to disk before the name refers to them. */
static th_status commit(th_file *f)
{
  if (fsync(f->fd) != 0) {
    return th_fail(TH_EIO,
                   "cannot write %s: %s after %lld bytes; the old file is unchanged",
                   f->target, why(errno), (long long)f->base);
  }
  if (!take_place(f)) {
    return th_fail(TH_EIO, "cannot replace %s: %s; the old file is unchanged",
                   f->target, why(errno));
  }
  free(f->temp);
  f->temp = NULL;
  if (sync_directory_of(f->target) == 0) return TH_OK;
  return th_fail(TH_EIO, "cannot sync the folder of %s: %s", f->target, why(errno));
}

static void drop(th_file *f)
{
  if (f->temp && !f->unnamed) unlink(f->temp);
  free(f->temp);
  f->temp = NULL;
  if (f->pipe) pclose(f->pipe);
  else if (f->fd >= 0) close(f->fd);
  f->pipe = NULL;
  f->fd = -1;
  f->closed = true;
}

th_status th_file_close(th_file *f)
{
  th_enter("file");
  if (f->closed) return th_fail(TH_EIO, "%s is closed already", f->name);
  th_status s = f->kind == TH_IN_MEMORY ? TH_OK : flush(f);
  if (s == TH_OK && f->temp) {
    s = !f->failed ? commit(f)
                   : th_fail(TH_EIO, "cannot write %s: an earlier write has failed", f->target);
  }
  if (s == TH_OK && f->kind == TH_ON_DISK && f->fd >= 0) {
    if (close(f->fd) != 0 && errno != EINTR) {
      s = th_fail(TH_EIO, "cannot write %s: %s", f->name, why(errno));
    }
    f->fd = -1;
  }
  drop(f);
  return s;
}

/* If the file was not closed, a plain file keeps what was written, and an atomic one is discarded. */
void th_file_free(th_file *f)
{
  if (!f) return;
  if (!f->closed) {
    if (f->kind != TH_IN_MEMORY && !f->temp && f->fd >= 0) (void)flush(f);
    drop(f);
  }
  if (f->storage) th_storage_release(f->storage);
  free(f->buf);
  free(f->name);
  free(f->target);
  free(f);
}

void th_file_drop(th_file **box)
{
  th_file *f = *box;
  *box = NULL;
  th_file_free(f);
}
