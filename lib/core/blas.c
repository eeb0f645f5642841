/* blas.c - the BLAS library, opened when the first product needs it and limited to one thread per call.
 *
 * Each call of OpenBLAS takes a buffer of 128 MiB of address space, which later calls reuse. If the process cannot get it,
 * OpenBLAS retries for ever. So a process of limited size takes the buffers once, after a check, and runs at most as many calls
 * at a time as it has buffers. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "environment.h"
#include "blas.h"

static th_blas blas;
static char name[256];              /* empty if no library was found */
static char why_not[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;      /* protects all but `ready` */
static bool searched;
static atomic_bool ready;

/* Accepts a library only if it has all functions that we call. */
static bool take(void *handle)
{
  th_blas b = { .handle = handle };
  *(void **)&b.sgemm = dlsym(handle, "cblas_sgemm");
  *(void **)&b.dgemm = dlsym(handle, "cblas_dgemm");
  *(void **)&b.sgemv = dlsym(handle, "cblas_sgemv");
  *(void **)&b.dgemv = dlsym(handle, "cblas_dgemv");
  if (!b.sgemm || !b.dgemm || !b.sgemv || !b.dgemv) return false;
  blas = b;
  return true;
}

/* Our own loops provide the threads, so that results do not depend on their number. */
static void keep_to_one_thread(void)
{
  void (*set)(int);
  *(void **)&set = dlsym(blas.handle, "openblas_set_num_threads");
  if (set) set(1);
}

static void call_it(const char *file)
{
  char *(*config)(void);
  *(void **)&config = dlsym(blas.handle, "openblas_get_config");
  snprintf(name, sizeof name, "%s", config ? config() : file);
}

/* OpenBLAS starts its threads when it is loaded, unless the environment forbids it at that moment. */
static void *open_quietly(const char *file)
{
  static const char variable[] = "OPENBLAS_NUM_THREADS";
  const char *old = getenv(variable);
  char *kept = old ? strdup(old) : NULL;
  setenv(variable, "1", 1);
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (kept) setenv(variable, kept, 1); else unsetenv(variable);
  free(kept);
  return handle;
}

static bool try(const char *file)
{
  void *handle = open_quietly(file);
  if (!handle) return false;
  if (take(handle)) {
    keep_to_one_thread();
    call_it(file);
    return true;
  }
  dlclose(handle);
  return false;
}

/* TH_BLAS names the library to open; "none" selects our own kernels. */
static void find(void)
{
  static const char *const usual[] = { "libopenblas.so.0", "libopenblas.so", "libcblas.so.3",
                                       "libblas.so.3" };
  const char *wanted = th_environment("TH_BLAS");
  if (wanted && *wanted) {
    if (strcmp(wanted, "none") != 0 && try(wanted)) return;
    snprintf(why_not, sizeof why_not,
             "no BLAS: TH_BLAS=%s holds none with the C interface (cblas_sgemm, ...)", wanted);
    return;
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) if (try(usual[i])) return;
  snprintf(why_not, sizeof why_not,
           "no BLAS was found; `apt-get install libopenblas0-pthread` brings one, TH_BLAS names one elsewhere");
}

/* ---- the buffers of OpenBLAS in a process of limited size ---- */

/* Bytes of a buffer, of the library itself, and the free bytes that each buffer after the first requires. */
static const size_t BUFFER = (size_t)128 << 20, LIBRARY = (size_t)64 << 20, PLENTY = (size_t)512 << 20;
enum { MOST_BUFFERS = 64 };

static int buffers, busy;           /* calls are not counted while buffers is 0 */
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;

/* Mode 2: the kernel grants no more memory than the machine has. */
static bool strict_kernel(void)
{
  FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
  const int mode = f ? fgetc(f) : 0;
  if (f) fclose(f);
  return mode == '2';
}

static bool limited(void)
{
  struct rlimit all, data;
  const bool known = getrlimit(RLIMIT_AS, &all) == 0 && getrlimit(RLIMIT_DATA, &data) == 0;
  return (known && (all.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY)) || strict_kernel();
}

static bool room_for(size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p != MAP_FAILED && munmap(p, bytes) == 0;
}

static th_status need_room(size_t bytes)
{
  if (room_for(bytes)) return TH_OK;
  return th_fail(TH_ENOMEM, "out of memory: BLAS needs %lld MiB of address space, more than the process may have (ulimit -v)",
                 (long long)(bytes >> 20));
}

/* One buffer for each of our threads, as long as PLENTY is free. A BLAS other than OpenBLAS has no such buffers. */
static th_status take_buffers(void)
{
  void *(*take_one)(int), (*give)(void *), *held[MOST_BUFFERS];
  const int most = th_min(th_threads(), MOST_BUFFERS);
  int n = 0;
  if (!limited() || !dlsym(blas.handle, "openblas_get_config")) return TH_OK;
  TH_TRY(need_room(BUFFER + LIBRARY));
  *(void **)&take_one = dlsym(blas.handle, "blas_memory_alloc");
  *(void **)&give = dlsym(blas.handle, "blas_memory_free");
  if (take_one && give) {
    do held[n++] = take_one(0);
    while (n < most && room_for(PLENTY));
    for (int i = 0; i < n; i++) give(held[i]);
  }
  buffers = th_max(n, 1);
  return TH_OK;
}

void th_blas_enter(void)
{
  if (!buffers) return;
  pthread_mutex_lock(&counting);
  while (busy == buffers) pthread_cond_wait(&done, &counting);
  busy++;
  pthread_mutex_unlock(&counting);
}

void th_blas_leave(void)
{
  if (!buffers) return;
  pthread_mutex_lock(&counting);
  busy--;
  pthread_cond_signal(&done);
  pthread_mutex_unlock(&counting);
}

/* ---- calls that Ctrl-C does not stop ---- */

static TH_QUICK_LOCAL const char *volatile waits_for;

void th_blas_waits(const char *op) { waits_for = op; }
const char *th_waits_for(void) { return waits_for; }

/* ---- the interface ---- */

/* A search that ran out of memory is repeated by the next call. */
static th_status search(void)
{
  if (searched) return TH_OK;
  if (limited()) TH_TRY(need_room(LIBRARY));
  find();
  searched = true;
  return TH_OK;
}

static th_status prepare(void)
{
  TH_TRY(search());
  if (!name[0]) return th_fail(TH_EBACKEND, "%s", why_not);
  TH_TRY(take_buffers());
  ready = true;
  return TH_OK;
}

th_status th_blas_open(const th_blas **out)
{
  *out = NULL;
  if (!ready) {
    pthread_mutex_lock(&lock);
    const th_status status = ready ? TH_OK : prepare();
    pthread_mutex_unlock(&lock);
    TH_TRY(status);
  }
  *out = &blas;
  return TH_OK;
}

const th_blas *th_blas_get(void)
{
  const th_blas *b;
  return th_blas_open(&b) == TH_OK ? b : NULL;
}

th_status th_lapack_get(void *f, const char *routine)
{
  const th_blas *b;
  TH_TRY(th_blas_open(&b));
  void *found = dlsym(b->handle, routine);
  if (!found) {
    return th_fail(TH_EBACKEND,
                   "the BLAS in use (%s) has no LAPACK: %s is missing; "
                   "`apt-get install libopenblas0-pthread` brings one, TH_BLAS names one elsewhere",
                   name, routine);
  }
  memcpy(f, &found, sizeof found);
  return TH_OK;
}

const char *th_blas_name(void)
{
  pthread_mutex_lock(&lock);
  const bool found = search() == TH_OK && name[0];
  pthread_mutex_unlock(&lock);
  return found ? name : NULL;
}

int th_has_lapack(void)
{
  return th_blas_name() && dlsym(blas.handle, "dgesv_") != NULL;
}
