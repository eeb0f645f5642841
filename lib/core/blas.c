/* blas.c - the BLAS library, opened when the first product needs it, and kept to one thread a call. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "core.h"

static th_blas blas;
static char name[256];              /* empty: none found */
static char why_not[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A library counts only if it has all that we call. */
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

/* Our own loops bring the threads, so that results do not depend on their number. */
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

/* OpenBLAS starts its threads when it is loaded, unless the environment says otherwise just then. */
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

/* TH_BLAS names the library to open; "none" asks for our own kernels. */
static void find(void)
{
  static const char *const usual[] = { "libopenblas.so.0", "libopenblas.so", "libcblas.so.3",
                                       "libblas.so.3" };
  const char *wanted = getenv("TH_BLAS");
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

const th_blas *th_blas_get(void)
{
  pthread_once(&once, find);
  if (name[0]) return &blas;
  th_fail(TH_EBACKEND, "%s", why_not);
  return NULL;
}

th_status th_lapack_get(void *f, const char *routine)
{
  const th_blas *b = th_blas_get();
  if (!b) return TH_EBACKEND;
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
  pthread_once(&once, find);
  return name[0] ? name : NULL;
}

int th_has_lapack(void)
{
  const th_blas *b = th_blas_name() ? th_blas_get() : NULL;
  return b && dlsym(b->handle, "dgesv_") != NULL;
}
