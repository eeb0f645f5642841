// device.cu - errors of CUDA, the number of devices, and their properties.
#include <stdio.h>
#include <string>
#include <string.h>
#include "device.cuh"

static int count;
static cudaError_t why;
static thread_local int own_device = 1;

// ---- errors -----------------------------------------------------------------------------------------------------------

/* The last calls of this thread since its last wait, for an error that a device reports late. */
enum { RECENT = 6, NAME = 24 };
static thread_local struct { char name[RECENT][NAME]; unsigned n; } recent;

void th_cuda_note_call()
{
  const char *who = th_entered();
  snprintf(recent.name[recent.n++ % RECENT], NAME, "%s", who ? who : "a function");
}
void th_cuda_forget_calls() { recent.n = 0; }
static std::string recent_calls()
{
  std::string text;
  for (unsigned k = recent.n < RECENT ? 0 : recent.n - RECENT; k < recent.n; k++) {
    text += (text.empty() ? "" : ", ") + std::string(recent.name[k % RECENT]);
  }
  return text.empty() ? "none" : text;
}
/* Errors of kernels. After one of them the device does no work of this process any more. */
static bool is_late(int e) { return e == 700 || e == 702 || e == 710 || (e >= 714 && e <= 719); }

th_status th_cuda_status(cudaError_t e, const char *what)
{
  if (e == cudaSuccess) return TH_OK;
  cudaGetLastError();
  if (e == cudaErrorMemoryAllocation) return th_fail(TH_ENOMEM, "out of memory on a CUDA device");
  if (is_late(e)) {
    return th_fail(TH_EBACKEND, "CUDA: %s (%s). A kernel of an earlier call may have failed; the last ones of this thread: %s. "
                   "TH_CUDA_SYNC=1 names it. The device needs a new process", cudaGetErrorString(e), what,
                   recent_calls().c_str());
  }
  return th_fail(TH_EBACKEND, "CUDA: %s (%s)", cudaGetErrorString(e), what);
}

th_status th_cuda_need_device(int device)
{
  if (device >= 1 && device <= count) return TH_OK;
  if (count == 0) return th_fail(TH_EDEVICE, "there is no CUDA device: %s", th_cuda_why());
  return th_fail(TH_EDEVICE, "device must lie in 1..%d, got %d", count, device);
}

// ---- devices ----------------------------------------------------------------------------------------------------------

int th_cuda_is_emulated(void) { return CUDART_VERSION == 0; }
int th_cuda_find_devices()
{
  why = cudaGetDeviceCount(&count);
  if (why != cudaSuccess) count = 0;
  cudaGetLastError();
  if (count > TH_MAXDEVICE) count = TH_MAXDEVICE;
  return count;
}

int th_cuda_count(void) { return count; }
const char *th_cuda_why(void)
{
  if (why == cudaErrorInsufficientDriver) return "the driver is missing, or older than this build of CUDA needs";
  return count ? "" : cudaGetErrorString(why);
}
int th_cuda_runtime_version(void) { int v = 0; cudaRuntimeGetVersion(&v); return v; }
int th_cuda_driver_version(void) { int v = 0; cudaDriverGetVersion(&v); return v; }

th_status th_cuda_set_own_device() { return count ? TH_CUDA(cudaSetDevice(own_device - 1)) : th_cuda_need_device(0); }

int th_cuda_device(void) { return count ? own_device : 0; }
th_status th_cuda_set_device(int device)
{
  TH_TRY(th_cuda_need_device(device));
  if (device != own_device) TH_CUDA_NOT_RECORDED("it changes the device");
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  own_device = device;
  return TH_OK;
}

th_status th_cuda_properties_of(th_cuda_properties *p, int device)
{
  cudaDeviceProp q;
  size_t free = 0, total = 0;
  TH_TRY(th_cuda_need_device(device));
  TH_CUDA_TRY(cudaGetDeviceProperties(&q, device - 1));
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  TH_CUDA_TRY(cudaMemGetInfo(&free, &total));
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", q.name);
  p->totalGlobalMem = (int64_t)total;
  p->freeGlobalMem = (int64_t)free;
  p->sharedMemPerBlock = (int64_t)q.sharedMemPerBlock;
  p->major = q.major, p->minor = q.minor;
  p->multiProcessorCount = q.multiProcessorCount;
  p->warpSize = q.warpSize;
  p->maxThreadsPerBlock = q.maxThreadsPerBlock;
  p->maxThreadsPerMultiProcessor = q.maxThreadsPerMultiProcessor;
  p->regsPerBlock = q.regsPerBlock;
  p->memoryBusWidth = q.memoryBusWidth;
  p->l2CacheSize = q.l2CacheSize;
  p->integrated = q.integrated;
  p->pciBusID = q.pciBusID, p->pciDeviceID = q.pciDeviceID, p->pciDomainID = q.pciDomainID;
  p->emulated = th_cuda_is_emulated();
  return TH_OK;
}
