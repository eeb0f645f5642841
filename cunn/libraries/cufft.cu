// cufft.cu - cuFFT, opened when the first transform needs it, and its plans.
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>
#include "cufft.cuh"
#include "../runtime/recording.cuh"
#include "library.h"

namespace {

/* ---- the library: what its interface calls things ---- */

enum { SUCCESS = 0, NO_MEMORY = 2, FORWARD = -1, INVERSE = 1 };
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
typedef long long whole;

#define FUNCTIONS(F) \
  F(create, cufftCreate, int *plan) \
  F(destroy, cufftDestroy, int plan) \
  F(version, cufftGetVersion, int *version) \
  F(set_allocation, cufftSetAutoAllocation, int plan, int on) \
  F(make, cufftMakePlanMany64, int plan, int rank, whole *n, whole *inembed, whole istride, whole idist, whole *onembed, \
    whole ostride, whole odist, int type, whole batch, size_t *work) \
  F(set_work, cufftSetWorkArea, int plan, void *work) \
  F(set_stream, cufftSetStream, int plan, cudaStream_t stream) \
  F(r2c, cufftExecR2C, int plan, void *from, void *to) \
  F(c2r, cufftExecC2R, int plan, void *from, void *to) \
  F(d2z, cufftExecD2Z, int plan, void *from, void *to) \
  F(z2d, cufftExecZ2D, int plan, void *from, void *to) \
  F(c2c, cufftExecC2C, int plan, void *from, void *to, int direction) \
  F(z2z, cufftExecZ2Z, int plan, void *from, void *to, int direction)

static struct {
#define DECLARE(f, symbol, ...) int (*f)(__VA_ARGS__);
  FUNCTIONS(DECLARE)
#undef DECLARE
} fft;
static th_library library("cuFFT", "TH_CUFFT");

#ifdef __CUDACC__
static void *(*const emulated)(const char *) = nullptr;
#else
static void *(*const emulated)(const char *) = emu::cufft;
#endif

/* A library that opens may still not work with this driver, or this device. Want of memory passes. */
static std::string trial()
{
  int p = 0;
  whole n[1] = { 16 };
  size_t work = 0;
  int e = fft.create(&p);
  if (e == SUCCESS) {
    e = fft.make(p, 1, n, n, 1, 16, n, 1, 16, C2C, 1, &work);
    fft.destroy(p);
  }
  return e == SUCCESS || e == NO_MEMORY ? "" : "a plan: status " + std::to_string(e);
}

static bool found()
{
#define BIND(f, symbol, ...) { (void **)&fft.f, #symbol },
  static const bool there = library.open({ "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so" },
                                         { FUNCTIONS(BIND) }, emulated, trial);
#undef BIND
  return there;
}

static th_status status_of(int e, const char *what)
{
  if (e == SUCCESS) return TH_OK;
  if (e == NO_MEMORY) return th_fail(TH_ENOMEM, "out of memory on a CUDA device (cuFFT: %s)", what);
  return th_fail(TH_EBACKEND, "cuFFT: status %d (%s)", e, what);
}
#define TRY(f, ...) TH_TRY(status_of(fft.f(__VA_ARGS__), #f))

/* ---- plans: the last ones are kept ---- */

enum { KEPT = 1024 };                                /* more than a large net has: who comes round finds none that went first */
typedef std::tuple<int, int, int64_t, int64_t, int64_t, int64_t, int64_t> key;       /* device, type, numbers of th_cuda_fft */
struct plan { int handle; size_t work; uint64_t used; bool recorded; };     /* recorded: a graph has its tables */
static std::map<key, plan> plans;
static uint64_t uses;
static std::mutex lock;

/* On the device that has it. */
static void destroy(int device, int handle)
{
  int current = 0;
  if (cudaGetDevice(&current) == cudaSuccess && current != device) cudaSetDevice(device);
  fft.destroy(handle);
  if (current != device) cudaSetDevice(current);
}

static void forget_one()
{
  auto oldest = plans.end();
  for (auto p = plans.begin(); p != plans.end(); ++p) {
    if (!p->second.recorded && (oldest == plans.end() || p->second.used < oldest->second.used)) oldest = p;
  }
  if (oldest == plans.end()) return;
  destroy(std::get<0>(oldest->first), oldest->second.handle);
  plans.erase(oldest);
}

static th_status make(plan *p, const th_cuda_fft &f, int type)
{
  const bool lines = f.n[0] == 1;
  whole n[2] = { lines ? f.n[1] : f.n[0], f.n[1] }, numbers[2] = { n[0], n[1] };
  whole spectra[2] = { lines ? n[0] / 2 + 1 : n[0], n[1] / 2 + 1 };
  const whole each = f.n[0] * f.n[1];
  const int rank = lines ? 1 : 2;
  TRY(create, &p->handle);
  int e = fft.set_allocation(p->handle, 0);
  if (e == SUCCESS && f.kind == th_cuda_fft::COMPLEX) {
    e = fft.make(p->handle, rank, n, numbers, 1, each, numbers, 1, each, type, f.batch, &p->work);
  } else if (e == SUCCESS) {
    e = f.back ? fft.make(p->handle, rank, n, spectra, f.step, f.dist, numbers, 1, each, type, f.batch, &p->work)
               : fft.make(p->handle, rank, n, numbers, 1, each, spectra, f.step, f.dist, type, f.batch, &p->work);
  }
  if (e != SUCCESS) fft.destroy(p->handle);
  return status_of(e, "a plan");
}

static th_status plan_of(plan *p, const th_cuda_fft &f)
{
  const bool real = f.kind == th_cuda_fft::REAL;
  const int type = !real ? f.wide ? Z2Z : C2C : f.wide ? f.back ? Z2D : D2Z : f.back ? C2R : R2C;
  int device = 0;
  TH_CUDA_TRY(cudaGetDevice(&device));
  const key k(device, type, f.n[0], f.n[1], f.batch, f.step, f.dist);
  auto at = plans.find(k);
  if (at == plans.end()) {
    TH_CUDA_NOT_RECORDED("cuFFT has no plan yet: one call before the recording makes it");
    plan made = {};
    if (plans.size() >= KEPT) forget_one();
    TH_TRY(make(&made, f, type));
    at = plans.emplace(k, made).first;
  }
  at->second.used = ++uses;
  at->second.recorded = at->second.recorded || th_cuda_records();
  *p = at->second;
  return TH_OK;
}

}  // namespace

const char *th_cuda_fft_version()
{
  static char text[32];
  static std::once_flag once;
  std::call_once(once, [] {
    int v = 0;
    if (found() && fft.version(&v) == SUCCESS) snprintf(text, sizeof text, "%d.%d.%d", v / 1000, v / 100 % 10, v % 100);
  });
  return text;
}
const char *th_cuda_fft_why() { return found() ? nullptr : library.why(); }
th_status th_cuda_fft_prepare() { found(); return TH_OK; }

/* Memory to work in is the call's own, from where tensors have theirs. */
th_status th_cuda_fft_run(const th_cuda_fft &f, void *numbers, void *spectra)
{
  plan p = {};
  th_cuda_scratch work;
  if (!found()) return th_fail(TH_EBACKEND, "there is no cuFFT: %s", library.why());
  std::lock_guard<std::mutex> guard(lock);
  TH_TRY(plan_of(&p, f));
  TH_TRY(work.take(p.work));
  TRY(set_stream, p.handle, th_cuda_stream());
  TRY(set_work, p.handle, work.as<void>());
  int e;
  if (f.kind == th_cuda_fft::COMPLEX) e = (f.wide ? fft.z2z : fft.c2c)(p.handle, numbers, spectra, f.back ? INVERSE : FORWARD);
  else if (f.back) e = (f.wide ? fft.z2d : fft.c2r)(p.handle, spectra, numbers);
  else e = (f.wide ? fft.d2z : fft.r2c)(p.handle, numbers, spectra);
  return status_of(e, "a transform");
}

/* On small devices an eighth of all their memory, not of what is free: work is cut the same way always. */
int64_t th_cuda_chunk(int device)
{
  static std::atomic<int64_t> known[TH_MAXDEVICE];
  cudaDeviceProp p;
  int64_t bytes = known[device - 1];
  if (bytes) return bytes;
  bytes = (int64_t)256 << 20;
  if (cudaGetDeviceProperties(&p, device - 1) == cudaSuccess) bytes = std::min(bytes, (int64_t)p.totalGlobalMem / 8 + 1);
  else cudaGetLastError();
  return known[device - 1] = bytes;
}

#if defined __CUDACC__ && __has_include(<cufft.h>)
#include <cufft.h>
#include "same.cuh"
TH_SAME_NUMBER(SUCCESS, CUFFT_SUCCESS)
TH_SAME_NUMBER(NO_MEMORY, CUFFT_ALLOC_FAILED)
TH_SAME_NUMBER(FORWARD, CUFFT_FORWARD)
TH_SAME_NUMBER(INVERSE, CUFFT_INVERSE)
TH_SAME_NUMBER(R2C, CUFFT_R2C)
TH_SAME_NUMBER(C2R, CUFFT_C2R)
TH_SAME_NUMBER(C2C, CUFFT_C2C)
TH_SAME_NUMBER(D2Z, CUFFT_D2Z)
TH_SAME_NUMBER(Z2D, CUFFT_Z2D)
TH_SAME_NUMBER(Z2Z, CUFFT_Z2Z)
#define SAME(f, symbol, ...) TH_SAME_ARGUMENTS(fft.f, symbol)
FUNCTIONS(SAME)
#endif
