// backend.cu - what libth and cutorch load: the devices, their memory, and the kernels.
#include <atomic>
#include <mutex>
#include <stdlib.h>
#include <string.h>
#include "../lib/core/environment.h"
#include "libraries/cublaslt.cuh"
#include "libraries/cudnn.cuh"
#include "libraries/cufft.cuh"
#include "runtime/device.cuh"
#include "runtime/graph.cuh"
#include "runtime/late.cuh"

void th_cuda_add_kernels();
void th_cuda_offer_ranks();
th_status th_cuda_nonzero(const th_tensor *t, int64_t *count);

static std::mutex lock;
static std::atomic<bool> synchronous;        // waits after every kernel, and checks elements before it

static th_status enter(int device)
{
  th_cuda_note_call();
  return TH_CUDA(cudaSetDevice(device - 1));
}
static th_status by_cpu(void) { return th_cuda_cannot_record("the CPU computes it"); }
static bool late(void) { return !synchronous || th_cuda_records(); }
static th_status leave(void) { return late() ? TH_OK : TH_CUDA(cudaStreamSynchronize(th_cuda_stream())); }

static th_backend backend = {
  TH_ABI, 0, th_cuda_allocate, th_cuda_release, th_cuda_copy, th_cuda_outside, th_cuda_nonzero,
  enter, leave, th_cuda_host_allocate, th_cuda_host_release
};
static const th_recorder recorder = { th_cuda_records, th_cuda_graph_enter, by_cpu };
int th_cuda_synchronous(void) { return synchronous; }
void th_cuda_set_synchronous(int on) { synchronous = on != 0; }

static const th_guard guard = { late, th_cuda_call_uses, th_cuda_begin_checks };

th_status th_cuda_load(void)
{
  std::lock_guard<std::mutex> g(lock);
  static bool loaded;
  if (loaded) return TH_OK;
  const char *sync = th_environment("TH_CUDA_SYNC");
  synchronous = sync && strcmp(sync, "1") == 0;
  const int count = backend.count = th_cuda_find_devices();
  if (count) TH_TRY(th_backend_add(&backend));
  if (count) th_recorder_add(&recorder);
  if (count) th_guard_add(&guard);
  th_cuda_before_recording(th_cuda_blas_prepare);
  th_cuda_before_recording(th_cuda_blaslt_prepare);
  th_cuda_before_recording(th_cuda_dnn_prepare);
  th_cuda_before_recording(th_cuda_fft_prepare);
  th_cuda_add_kernels();
  th_cuda_offer_ranks();
  loaded = true;
  return TH_OK;
}
