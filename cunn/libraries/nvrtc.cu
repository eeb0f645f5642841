// nvrtc.cu - NVRTC, opened when the first program needs it, and what loads and starts its
// kernels: the driver's functions for libraries, which CUDA 12 and 13 have.
#include <dlfcn.h>
#include <mutex>
#include "library.h"
#include "nvrtc.cuh"

namespace {

/* ---- the libraries: what their interfaces call things ---- */

enum { SUCCESS = 0, NO_MEMORY = 2 };

#define FUNCTIONS(F)                                                                               \
  F(version, nvrtcVersion, int *major, int *minor)                                                 \
  F(create, nvrtcCreateProgram, void **p, const char *text, const char *name, int headers,         \
    const void *contents, const void *names)                                                       \
  F(destroy, nvrtcDestroyProgram, void **p)                                                        \
  F(compile, nvrtcCompileProgram, void *p, int n, const void *options)                             \
  F(binary_size, nvrtcGetCUBINSize, void *p, size_t *bytes)                                        \
  F(binary, nvrtcGetCUBIN, void *p, char *to)                                                      \
  F(log_size, nvrtcGetProgramLogSize, void *p, size_t *bytes)                                      \
  F(log, nvrtcGetProgramLog, void *p, char *to)
#define DRIVER(F)                                                                                  \
  F(load, cuLibraryLoadData, void **library, const void *code, void *jit, void *jit_values,        \
    unsigned jit_count, void *options, void *values, unsigned count)                               \
  F(kernel, cuLibraryGetKernel, void **kernel, void *library, const char *name)                    \
  F(launch, cuLaunchKernel, void *kernel, unsigned x, unsigned y, unsigned z, unsigned bx,         \
    unsigned by, unsigned bz, unsigned shared, void *stream, void **arguments, void **extra)

#define DECLARE(f, symbol, ...) int (*f)(__VA_ARGS__);
static struct { FUNCTIONS(DECLARE) } rtc;
static struct { DRIVER(DECLARE) } driver;
#undef DECLARE
static th_library library("NVRTC", "TH_NVRTC");

#ifdef __CUDACC__
static void *(*const emulated)(const char *) = nullptr;
static void *symbol_of_driver(const char *name)
{
  static void *const opened =
    dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); /* the runtime has loaded it before */
  return opened ? dlsym(opened, name) : nullptr;
}
#else
static void *(*const emulated)(const char *) = emu::nvrtc;
static void *symbol_of_driver(const char *name) { return emu::nvrtc(name); }
#endif

/* A library that opens is of no use without the driver's functions, or without a compiler of the
 * emulated device. */
static std::string trial()
{
  int major, minor;
#define BIND(f, symbol, ...)                                                                       \
  if (!(*(void **)&driver.f = symbol_of_driver(#symbol)))                                          \
    return "the driver has no " #symbol ", as drivers before CUDA 12";
  DRIVER(BIND)
#undef BIND
  return rtc.version(&major, &minor) == SUCCESS ? "" : "it tells no version";
}

static bool found()
{
#define BIND(f, symbol, ...) { (void **)&rtc.f, #symbol },
  return library.open({ "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so" }, { FUNCTIONS(BIND) },
                      emulated, trial);
#undef BIND
}

}  // namespace

const char *th_nvrtc_why() { return found() ? nullptr : library.why(); }

std::string th_nvrtc_version()
{
  int major = 0, minor = 0;
  if (!found() || rtc.version(&major, &minor) != SUCCESS) return "";
  return std::to_string(major) + "." + std::to_string(minor);
}

bool th_nvrtc_compile(std::string *binary, std::string *log, const std::string &text,
                      int capability)
{
  const std::string arch = "--gpu-architecture=sm_" + std::to_string(capability);
  const char *const options[] = { arch.c_str(), "--std=c++17" };
  void *p = nullptr;
  size_t n = 0;
  if (!found() || rtc.create(&p, text.c_str(), "pointwise", 0, nullptr, nullptr) != SUCCESS)
    return false;
  int e = rtc.compile(p, sizeof options / sizeof *options, options);
  if (rtc.log_size(p, &n) == SUCCESS) {
    log->resize(n);
    rtc.log(p, &(*log)[0]);
  }
  n = 0;
  if (e == SUCCESS) e = rtc.binary_size(p, &n);
  if (e == SUCCESS) {
    binary->resize(n);
    e = rtc.binary(p, &(*binary)[0]);
  }
  rtc.destroy(&p);
  return e == SUCCESS && n > 0;
}

bool th_nvrtc_load(void **code, const std::string &binary)
{
  return found() &&
         driver.load(code, binary.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) == SUCCESS;
}

void *th_nvrtc_kernel(void *code, const char *name)
{
  void *kernel = nullptr;
  return driver.kernel(&kernel, code, name) == SUCCESS ? kernel : nullptr;
}

th_status th_nvrtc_launch(void *kernel, unsigned blocks, unsigned threads, void *argument)
{
  void *arguments[] = { argument };
  const int e = driver.launch(kernel, blocks, 1, 1, threads, 1, 1, 0, th_cuda_stream(), arguments,
                              nullptr);
  if (e == SUCCESS) return TH_OK;
  if (e == NO_MEMORY) {
    return th_fail(TH_ENOMEM, "out of memory on a CUDA device (the code of a kernel)");
  }
  return th_fail(TH_EBACKEND, "the launch of a compiled kernel fails with CUDA error %d", e);
}

#if defined __CUDACC__ && __has_include(<nvrtc.h>) && __has_include(<cuda.h>)
#include <cuda.h>
#include <nvrtc.h>
#include "same.cuh"
TH_SAME_NUMBER(SUCCESS, NVRTC_SUCCESS)
TH_SAME_NUMBER(SUCCESS, CUDA_SUCCESS)
TH_SAME_NUMBER(NO_MEMORY, CUDA_ERROR_OUT_OF_MEMORY)
#define SAME(f, symbol, ...) TH_SAME_ARGUMENTS(rtc.f, symbol)
FUNCTIONS(SAME)
#undef SAME
#define SAME(f, symbol, ...) TH_SAME_ARGUMENTS(driver.f, symbol)
DRIVER(SAME)
#endif
