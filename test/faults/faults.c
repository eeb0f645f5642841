/* faults.c - a library to preload: it counts the calls to the system from the libraries under test and makes the n-th fail.
 *
 * Only calls whose return address lies in a watched library count. What such calls allocate is remembered until it is freed,
 * so that a leak is seen. test/faults.lua compiles this file, preloads it and drives it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define CALLER() ((uintptr_t)__builtin_return_address(0))

/* FFI BEGIN */
enum { FAULTS_ALLOC = 1, FAULTS_MAP = 2, FAULTS_OPEN = 4, FAULTS_READ = 8, FAULTS_WRITE = 16, FAULTS_SYNC = 32,
  FAULTS_RENAME = 64,
  FAULTS_SIZE = 128, FAULTS_THREAD = 256 };
enum { FAULTS_SHORT = -1 };           /* in place of an errno: one byte is read or written, where more were wanted */
typedef struct faults_block { uintptr_t at; uintptr_t site; int64_t bytes; int64_t number; } faults_block;

int     faults_watch(const char *name);          /* the loaded libraries whose path contains it: how many */
void    faults_arm(int kinds, int64_t n, int64_t times, int error);      /* the n-th call fails, and times - 1 after it */
int64_t faults_disarm(void);                     /* how many calls have failed */
int64_t faults_count(void);                      /* calls of the armed kinds so far */
int64_t faults_sites(uintptr_t *to, int64_t room);       /* the distinct addresses of calls that have failed: how many */
uintptr_t faults_last(void);                     /* the last of them */
int64_t faults_live_blocks(void);
int64_t faults_live_bytes(void);
int64_t faults_number(void);                     /* of the next allocation */
int64_t faults_since(int64_t number, faults_block *to, int64_t room);    /* live blocks that are as young: how many */
int64_t faults_place(uintptr_t site, char *name, int64_t room);          /* the path of its library; where it lies in that */
/* FFI END */

/* ---- whose calls count ---- */

enum { MOST_RANGES = 32, MOST_SITES = 4096, SLOTS = 1 << 18 };

static struct { uintptr_t first, last; } range[MOST_RANGES];
static int ranges;

static bool watched(uintptr_t site)
{
  for (int i = 0; i < ranges; i++) if (site >= range[i].first && site < range[i].last) return true;
  return false;
}

typedef struct wanted { const char *name; int found; } wanted;

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
  (void)size;
  wanted *w = data;
  if (!strstr(info->dlpi_name, w->name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || ranges == MOST_RANGES) continue;
    range[ranges].first = info->dlpi_addr + p->p_vaddr;
    range[ranges].last = range[ranges].first + p->p_memsz;
    ranges++;
    w->found++;
  }
  return 0;
}

PUBLIC int faults_watch(const char *name)
{
  wanted w = { name, 0 };
  dl_iterate_phdr(look, &w);
  return w.found;
}

/* ---- which call fails ---- */

static struct { int kinds, error; int64_t first, end, count, failed; uintptr_t last; } armed;
static uintptr_t site_list[MOST_SITES];
static int64_t sites;
static pthread_mutex_t site_lock = PTHREAD_MUTEX_INITIALIZER;

PUBLIC void faults_arm(int kinds, int64_t n, int64_t times, int error)
{
  armed.error = error;
  armed.first = n;
  armed.end = times > INT64_MAX - n ? INT64_MAX : n + times;
  armed.count = armed.failed = 0;
  __atomic_store_n(&armed.kinds, kinds, __ATOMIC_SEQ_CST);
}

PUBLIC int64_t faults_disarm(void)
{
  __atomic_store_n(&armed.kinds, 0, __ATOMIC_SEQ_CST);
  return armed.failed;
}

PUBLIC int64_t faults_count(void) { return armed.count; }
PUBLIC uintptr_t faults_last(void) { return armed.last; }

PUBLIC int64_t faults_sites(uintptr_t *to, int64_t room)
{
  for (int64_t i = 0; i < sites && i < room; i++) to[i] = site_list[i];
  return sites;
}

PUBLIC int64_t faults_place(uintptr_t site, char *name, int64_t room)
{
  Dl_info info;
  if (!dladdr((void *)site, &info)) return 0;
  snprintf(name, (size_t)room, "%s", info.dli_fname);
  return (int64_t)(site - (uintptr_t)info.dli_fbase);
}

static void remember_site(uintptr_t site)
{
  pthread_mutex_lock(&site_lock);
  int64_t i = 0;
  while (i < sites && site_list[i] != site) i++;
  if (i == sites && sites < MOST_SITES) site_list[sites++] = site;
  pthread_mutex_unlock(&site_lock);
}

/* Shall this call fail? Sets errno. *cut becomes true when it shall do less than it was asked for. */
static bool fails_or(int kind, uintptr_t site, bool *cut)
{
  if (!(__atomic_load_n(&armed.kinds, __ATOMIC_RELAXED) & kind) || !watched(site)) return false;
  const int64_t n = __atomic_add_fetch(&armed.count, 1, __ATOMIC_RELAXED);
  if (n < armed.first || n >= armed.end) return false;
  __atomic_add_fetch(&armed.failed, 1, __ATOMIC_RELAXED);
  armed.last = site;
  remember_site(site);
  if (armed.error == FAULTS_SHORT) {
    if (cut) *cut = true;
    return false;
  }
  errno = armed.error;
  return true;
}

static bool fails(int kind, uintptr_t site) { return fails_or(kind, site, NULL); }

/* ---- what is allocated ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
  *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static faults_block block[SLOTS];                  /* open addressing; at 0: free, 1: was freed */
static int64_t live_blocks, live_bytes, number, used;
static pthread_mutex_t block_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t slot_of(uintptr_t at) { return (size_t)((at >> 4) * 0x9E3779B97F4A7C15ull >> 40) % SLOTS; }

static void *keep(void *p, size_t bytes, uintptr_t site)
{
  if (!p || !watched(site)) return p;
  pthread_mutex_lock(&block_lock);
  if (++used > SLOTS - 8) {
    static const char text[] = "faults.c: too many blocks to remember\n";
    if (write(2, text, sizeof text - 1) < 0) abort();
    abort();
  }
  size_t i = slot_of((uintptr_t)p);
  while (block[i].at > 1) i = (i + 1) % SLOTS;
  if (block[i].at == 1) used--;
  block[i] = (faults_block){ (uintptr_t)p, site, (int64_t)bytes, ++number };
  live_blocks++;
  live_bytes += (int64_t)bytes;
  pthread_mutex_unlock(&block_lock);
  return p;
}

static void forget(void *p)
{
  if (!p || !__atomic_load_n(&live_blocks, __ATOMIC_RELAXED)) return;
  pthread_mutex_lock(&block_lock);
  size_t i = slot_of((uintptr_t)p);
  while (block[i].at && block[i].at != (uintptr_t)p) i = (i + 1) % SLOTS;
  if (block[i].at) {
    live_blocks--;
    live_bytes -= block[i].bytes;
    block[i].at = 1;
    while (block[i].at == 1 && block[(i + 1) % SLOTS].at == 0) {
      block[i].at = 0;
      used--;
      i = (i + SLOTS - 1) % SLOTS;
    }
  }
  pthread_mutex_unlock(&block_lock);
}

PUBLIC int64_t faults_live_blocks(void) { return live_blocks; }
PUBLIC int64_t faults_live_bytes(void) { return live_bytes; }
PUBLIC int64_t faults_number(void) { return number; }

PUBLIC int64_t faults_since(int64_t from, faults_block *to, int64_t room)
{
  int64_t n = 0;
  pthread_mutex_lock(&block_lock);
  for (size_t i = 0; i < SLOTS; i++) {
    if (block[i].at <= 1 || block[i].number <= from) continue;
    if (n < room) to[n] = block[i];
    n++;
  }
  pthread_mutex_unlock(&block_lock);
  return n;
}

PUBLIC void *malloc(size_t n)
{
  const uintptr_t site = CALLER();
  return fails(FAULTS_ALLOC, site) ? NULL : keep(__libc_malloc(n), n, site);
}

PUBLIC void *calloc(size_t n, size_t each)
{
  const uintptr_t site = CALLER();
  return fails(FAULTS_ALLOC, site) ? NULL : keep(__libc_calloc(n, each), n * each, site);
}

PUBLIC void *realloc(void *p, size_t n)
{
  const uintptr_t site = CALLER();
  if (fails(FAULTS_ALLOC, site)) return NULL;
  forget(p);                                       /* before another thread gets the same address */
  return keep(__libc_realloc(p, n), n, site);
}

static int aligned(void **p, size_t align, size_t n, uintptr_t site)
{
  if (fails(FAULTS_ALLOC, site)) return ENOMEM;
  *p = keep(__libc_memalign(align, n), n, site);
  return *p ? 0 : ENOMEM;
}

PUBLIC int posix_memalign(void **p, size_t align, size_t n) { return aligned(p, align, n, CALLER()); }

PUBLIC void *aligned_alloc(size_t align, size_t n)
{
  void *p = NULL;
  return aligned(&p, align, n, CALLER()) == 0 ? p : NULL;
}

PUBLIC void free(void *p)
{
  forget(p);
  __libc_free(p);
}

static char *copied(const char *s, size_t n, uintptr_t site)
{
  if (fails(FAULTS_ALLOC, site)) return NULL;
  char *p = keep(__libc_malloc(n + 1), n + 1, site);
  if (!p) return NULL;
  memcpy(p, s, n);
  p[n] = 0;
  return p;
}

PUBLIC char *strdup(const char *s) { return copied(s, strlen(s), CALLER()); }
PUBLIC char *strndup(const char *s, size_t n) { return copied(s, strnlen(s, n), CALLER()); }

/* ---- maps, files and threads ---- */

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })

/* Mapped memory counts as allocated until it is unmapped. */
PUBLIC void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
  const uintptr_t site = CALLER();
  if (fails(FAULTS_MAP, site)) return MAP_FAILED;
  void *p = REAL(mmap)(at, n, protection, flags, fd, offset);
  if (p != MAP_FAILED && !at) keep(p, n, site);
  return p;
}

PUBLIC int munmap(void *p, size_t n)
{
  forget(p);
  return REAL(munmap)(p, n);
}

static int opened(int kind, const char *path, int flags, mode_t mode, uintptr_t site, __typeof__(&open) f)
{
  return fails(kind, site) ? -1 : f(path, flags, mode);
}

static mode_t mode_of(int flags, va_list ap) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0; }

PUBLIC int open(const char *path, int flags, ...)
{
  va_list ap;
  va_start(ap, flags);
  const mode_t mode = mode_of(flags, ap);
  va_end(ap);
  return opened(FAULTS_OPEN, path, flags, mode, CALLER(), REAL(open));
}

PUBLIC int open64(const char *path, int flags, ...)
{
  va_list ap;
  va_start(ap, flags);
  const mode_t mode = mode_of(flags, ap);
  va_end(ap);
  return opened(FAULTS_OPEN, path, flags, mode, CALLER(), REAL(open64));
}

PUBLIC int shm_open(const char *name, int flags, mode_t mode)
{
  return fails(FAULTS_OPEN, CALLER()) ? -1 : REAL(shm_open)(name, flags, mode);
}

PUBLIC FILE *fopen(const char *path, const char *mode) { return fails(FAULTS_OPEN, CALLER()) ? NULL : REAL(fopen)(path, mode); }
PUBLIC FILE *fdopen(int fd, const char *mode) { return fails(FAULTS_OPEN, CALLER()) ? NULL : REAL(fdopen)(fd, mode); }
PUBLIC FILE *popen(const char *line, const char *mode) { return fails(FAULTS_OPEN, CALLER()) ? NULL : REAL(popen)(line, mode); }
PUBLIC DIR *opendir(const char *path) { return fails(FAULTS_OPEN, CALLER()) ? NULL : REAL(opendir)(path); }

#define TRANSFER(name, kind, type, parameters, call)                   \
  PUBLIC ssize_t name parameters                                       \
  {                                                                    \
    bool cut = false;                                                  \
    if (fails_or(kind, CALLER(), &cut)) return -1;                     \
    if (cut && n > 1) n = 1;                                           \
    return REAL(name) call;                                            \
  }
TRANSFER(read, FAULTS_READ, void, (int fd, void *p, size_t n), (fd, p, n))
TRANSFER(pread, FAULTS_READ, void, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))
TRANSFER(write, FAULTS_WRITE, const void, (int fd, const void *p, size_t n), (fd, p, n))
TRANSFER(pwrite, FAULTS_WRITE, const void, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at))

PUBLIC int fsync(int fd) { return fails(FAULTS_SYNC, CALLER()) ? -1 : REAL(fsync)(fd); }
PUBLIC int fdatasync(int fd) { return fails(FAULTS_SYNC, CALLER()) ? -1 : REAL(fdatasync)(fd); }
PUBLIC int rename(const char *from, const char *to) { return fails(FAULTS_RENAME, CALLER()) ? -1 : REAL(rename)(from, to); }
PUBLIC int ftruncate(int fd, off_t n) { return fails(FAULTS_SIZE, CALLER()) ? -1 : REAL(ftruncate)(fd, n); }

PUBLIC int fallocate(int fd, int mode, off_t at, off_t n)
{
  return fails(FAULTS_SIZE, CALLER()) ? -1 : REAL(fallocate)(fd, mode, at, n);
}

PUBLIC int posix_fallocate(int fd, off_t at, off_t n)
{
  return fails(FAULTS_SIZE, CALLER()) ? errno : REAL(posix_fallocate)(fd, at, n);
}

PUBLIC int fstat(int fd, struct stat *st) { return fails(FAULTS_SIZE, CALLER()) ? -1 : REAL(fstat)(fd, st); }

PUBLIC int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
  return fails(FAULTS_THREAD, CALLER()) ? errno : REAL(pthread_create)(t, a, f, arg);
}
