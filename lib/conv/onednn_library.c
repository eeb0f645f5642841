/* lib/conv/onednn_library.c - opens oneDNN, finds its functions and starts its engine. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include "../core/environment.h"
#include "onednn_library.h"
#include "th_conv.h"

typedef struct version { int major, minor, patch; const char *hash; unsigned cpu, gpu; } version;

enum { CPU = 1, SCRATCH_IS_OURS = 1, IN_ORDER = 1 };
enum { SEQUENTIAL = 1, OPENMP = 2 };                /* threading runtimes */
enum { SSE41 = 0x1, AVX2 = 0x7, AVX512 = 0x27 };

struct th_dnn th_dnn;
/* Of OpenMP, for the calling thread; NULL if the library starts no threads. */
static void (*set_threads)(int);
static int  (*max_threads)(void);
static char name[64];               /* empty if oneDNN is not used */
static char why_not[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool refuse(void *handle, const char *format, const char *what)
{
  snprintf(why_not, sizeof why_not, format, what);
  dlclose(handle);
  return false;
}

static const char *bind(void *handle)
{
#define BIND(type, f, ...) \
  if (!(*(void **)&th_dnn.f = dlsym(handle, "dnnl_" #f))) return "dnnl_" #f;
  TH_ONEDNN_FUNCTIONS(BIND)
#undef BIND
  return NULL;
}

/* Limits generated code to our level. Code for another level would give different bits. */
static bool set_level(void)
{
  const char *level = th_cpu_level();
  const int isa = strcmp(level, "avx512") == 0 ? AVX512 : strcmp(level, "avx2") == 0 ? AVX2 : SSE41;
  return th_dnn.set_max_cpu_isa(isa) == 0 || th_dnn.get_effective_cpu_isa() == isa;
}

static bool start(void *handle)
{
  /* Else each new kernel is announced to VTune, whose library is searched in all folders. */
  int (*set_profiling)(unsigned);
  *(void **)&set_profiling = dlsym(handle, "dnnl_set_jit_profiling_flags");
  if (set_profiling) set_profiling(0);
  return th_dnn.engine_create(&th_dnn.engine, CPU, 0) == 0 &&
         th_dnn.stream_create(&th_dnn.stream, th_dnn.engine, IN_ORDER) == 0 &&
         th_dnn.primitive_attr_create(&th_dnn.attr) == 0 &&
         th_dnn.primitive_attr_set_scratchpad_mode(th_dnn.attr, SCRATCH_IS_OURS) == 0 &&
         th_dnn.set_primitive_cache_capacity(0) == 0;  /* we have our own cache */
}

static bool use(void *handle)
{
  const version *(*version_of)(void);
  *(void **)&version_of = dlsym(handle, "dnnl_version");
  if (!version_of) return refuse(handle, "what was opened as oneDNN has no %s", "dnnl_version");
  const version v = *version_of();
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", v.major, v.minor, v.patch);
  if (v.major != 2) return refuse(handle, "oneDNN %s was found, and 2.x is what we can use", text);
  if (v.cpu != SEQUENTIAL && v.cpu != OPENMP) {
    return refuse(handle, "oneDNN %s was built for threads other than OpenMP's", text);
  }
  if (v.cpu == OPENMP) {
    *(void **)&set_threads = dlsym(handle, "omp_set_num_threads");
    *(void **)&max_threads = dlsym(handle, "omp_get_max_threads");
    if (!set_threads || !max_threads) {
      return refuse(handle, "oneDNN %s hides its OpenMP from us", text);
    }
  }
  const char *lacks = bind(handle);
  if (lacks) return refuse(handle, "the oneDNN that was found has no %s", lacks);
  if (!set_level()) {
    return refuse(handle, "oneDNN %s was in use before, for another level of the CPU", text);
  }
  if (!start(handle)) return refuse(handle, "oneDNN %s does not start", text);
  snprintf(name, sizeof name, "oneDNN %s", text);
  return true;
}

/* TH_ONEDNN names the library to open; "none" disables oneDNN. */
static void find(void)
{
  static const char *const usual[] = { "libdnnl.so.2", "libdnnl.so.3" };
  const char *wanted = th_environment("TH_ONEDNN");
  if (wanted && *wanted) {
    void *handle = strcmp(wanted, "none") != 0 ? dlopen(wanted, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (handle) use(handle);
    else snprintf(why_not, sizeof why_not, "oneDNN is not used: TH_ONEDNN is %.200s", wanted);
    return;
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    void *handle = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    if (handle && use(handle)) return;
  }
  if (!*why_not) {
    snprintf(why_not, sizeof why_not, "oneDNN is not installed: "
             "`apt-get install libdnnl2` brings it, TH_ONEDNN names one elsewhere");
  }
}

const char *th_onednn_missing(void)
{
  pthread_once(&once, find);
  return *name ? NULL : why_not;
}

const char *th_onednn_name(void) { return th_onednn_missing() ? NULL : name; }

int th_onednn_enter(void)
{
  if (!set_threads) return 0;
  const int before = max_threads();
  set_threads(1);
  return before;
}

void th_onednn_leave(int before)
{
  if (set_threads) set_threads(before);
}
