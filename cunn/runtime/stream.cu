// stream.cu - streams of devices, and waiting for all of them.
#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>
#include "device.cuh"

static std::mutex lock;
static std::vector<cudaStream_t> streams[TH_MAXDEVICE];      // the reserved ones of each device
static std::atomic<int> reserved;
static thread_local int own_stream;

cudaStream_t th_cuda_stream_at(int device, int stream)
{
  if (stream == 0) return nullptr;
  std::lock_guard<std::mutex> g(lock);
  return streams[device - 1][(size_t)stream - 1];
}

cudaStream_t th_cuda_stream()
{
  if (th_cuda_recorded && th_cuda_recorded->stream) return th_cuda_recorded->stream;
  if (own_stream == 0) return nullptr;
  int device = 0;
  cudaGetDevice(&device);
  return th_cuda_stream_at(device + 1, own_stream);
}

int th_cuda_streams(void) { return reserved; }

th_status th_cuda_need_stream(int stream)
{
  const int n = th_cuda_streams();
  if (stream >= 0 && stream <= n) return TH_OK;
  return th_fail(TH_EARG, "stream must lie in 0..%d, got %d: cutorch.reserveStreams(n) makes more", n, stream);
}

th_status th_cuda_reserve_streams(int n)
{
  if (n < 0 || n > 1024) return th_fail(TH_EARG, "the number of streams must lie in 0..1024, got %d", n);
  std::lock_guard<std::mutex> g(lock);
  for (int d = 0; d < th_cuda_count(); d++) {
    TH_CUDA_TRY(cudaSetDevice(d));
    while (streams[d].size() < (size_t)n) {
      cudaStream_t s;
      TH_CUDA_TRY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
      streams[d].push_back(s);
    }
  }
  if (n > reserved) reserved = n;
  return TH_OK;
}

int th_cuda_stream_number(void) { return own_stream; }
th_status th_cuda_set_stream(int stream)
{
  TH_TRY(th_cuda_need_stream(stream));
  if (stream != own_stream) TH_CUDA_NOT_RECORDED("it changes the stream");
  own_stream = stream;
  return TH_OK;
}

th_status th_cuda_stream_wait(int device, int stream, int other_device, int other)
{
  cudaEvent_t e;
  TH_TRY(th_cuda_need_device(device));
  TH_TRY(th_cuda_need_device(other_device));
  TH_TRY(th_cuda_need_stream(stream));
  TH_TRY(th_cuda_need_stream(other));
  TH_CUDA_NOT_RECORDED("a stream waits for another");
  TH_CUDA_TRY(cudaSetDevice(other_device - 1));
  TH_CUDA_TRY(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  cudaError_t failed = cudaEventRecord(e, th_cuda_stream_at(other_device, other));
  if (failed == cudaSuccess) failed = cudaSetDevice(device - 1);
  if (failed == cudaSuccess) failed = cudaStreamWaitEvent(th_cuda_stream_at(device, stream), e, 0);
  cudaEventDestroy(e);
  return th_cuda_status(failed, "waiting for a stream");
}

th_status th_cuda_wait_for_all(cudaStream_t s)
{
  cudaEvent_t e;
  int device = 0;
  TH_CUDA_TRY(cudaGetDevice(&device));
  for (int k = 0; k <= th_cuda_streams(); k++) {
    TH_CUDA_TRY(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    cudaError_t failed = cudaEventRecord(e, th_cuda_stream_at(device + 1, k));
    if (failed == cudaSuccess) failed = cudaStreamWaitEvent(s, e, 0);
    cudaEventDestroy(e);
    TH_TRY(th_cuda_status(failed, "waiting for all streams"));
  }
  return TH_OK;
}

bool th_cuda_finishes(int device, double seconds)
{
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  if (cudaSetDevice(device) != cudaSuccess) return false;
  for (int k = 0; k <= reserved; k++) {
    cudaError_t e;
    const cudaStream_t s = th_cuda_stream_at(device + 1, k);
    while ((e = cudaStreamQuery(s)) == cudaErrorNotReady && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    cudaGetLastError();
    if (e != cudaSuccess) return false;
  }
  return true;
}

// ---- waiting for a device -----------------------------------------------------------------------------------------------

static cudaStream_t aside[TH_MAXDEVICE];                      /* under the lock */

th_status th_cuda_stream_aside(cudaStream_t *s)
{
  int device = 0;
  std::lock_guard<std::mutex> g(lock);
  TH_CUDA_TRY(cudaGetDevice(&device));
  if (!aside[device]) TH_CUDA_TRY(cudaStreamCreateWithFlags(&aside[device], cudaStreamNonBlocking));
  *s = aside[device];
  return TH_OK;
}

static std::shared_mutex whole[TH_MAXDEVICE];                 /* locked by a thread that waits for a whole device */
static int recordings[TH_MAXDEVICE];                          /* on each device; changes only while no thread waits so */

void th_cuda_count_recording(int device, int more)
{
  std::unique_lock<std::shared_mutex> g(whole[device]);
  recordings[device] += more;
}

/* To wait for a device while a stream of it is captured is an error, and ends the capture: its streams are waited for instead. */
th_status th_cuda_wait_device(int device)
{
  cudaStream_t s;
  TH_CUDA_TRY(cudaSetDevice(device));
  {
    std::shared_lock<std::shared_mutex> g(whole[device]);
    if (recordings[device] == 0) return TH_CUDA(cudaDeviceSynchronize());
  }
  th_relaxed mode;
  TH_TRY(th_cuda_stream_aside(&s));
  TH_TRY(th_cuda_wait_for_all(s));
  return TH_CUDA(cudaStreamSynchronize(s));
}
