// events.cu - events of streams, waits of the host, and times of work.
#include "device.cuh"
#include "events.cuh"
#include "late.cuh"

struct th_cuda_event { cudaEvent_t e; };

th_status th_cuda_event_new(th_cuda_event **out)
{
  cudaEvent_t e;
  TH_CUDA_NOT_RECORDED("it makes an event");
  TH_TRY(th_cuda_set_own_device());
  TH_CUDA_TRY(cudaEventCreateWithFlags(&e, cudaEventDefault));
  const th_status s = TH_CUDA(cudaEventRecord(e, th_cuda_stream()));
  if (s != TH_OK) {
    cudaEventDestroy(e);
    return s;
  }
  *out = new th_cuda_event{ e };
  return TH_OK;
}
th_status th_cuda_event_wait(th_cuda_event *e)
{
  TH_CUDA_NOT_RECORDED("it waits for an event");
  TH_TRY(th_cuda_set_own_device());
  return TH_CUDA(cudaStreamWaitEvent(th_cuda_stream(), e->e, 0));
}
th_status th_cuda_event_synchronize(th_cuda_event *e)
{
  TH_CUDA_NOT_RECORDED("it waits for an event");
  TH_CUDA_TRY(cudaEventSynchronize(e->e));
  return th_cuda_tell();
}
th_status th_cuda_event_seconds(double *s, th_cuda_event *from, th_cuda_event *to)
{
  float ms;
  TH_CUDA_NOT_RECORDED("it waits for an event");
  TH_CUDA_TRY(cudaEventSynchronize(to->e));
  TH_CUDA_TRY(cudaEventElapsedTime(&ms, from->e, to->e));
  *s = 1e-3 * ms;
  return th_cuda_tell();
}
void th_cuda_event_free(th_cuda_event *e)
{
  cudaEventDestroy(e->e);
  delete e;
}

th_status th_cuda_stream_synchronize(int device, int stream)
{
  TH_TRY(th_cuda_need_device(device));
  TH_TRY(th_cuda_need_stream(stream));
  TH_CUDA_NOT_RECORDED("it waits for a stream");
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  TH_CUDA_TRY(cudaStreamSynchronize(th_cuda_stream_at(device, stream)));
  return th_cuda_tell();
}

th_status th_cuda_synchronize(int device)
{
  TH_TRY(th_cuda_need_device(device));
  TH_CUDA_NOT_RECORDED("it waits for a device");
  TH_TRY(th_cuda_wait_device(device - 1));
  th_cuda_forget_calls();
  return th_cuda_tell();
}

/* ---- tests of order ---- */

static __global__ void spin(long long cycles)
{
  const long long start = clock64();
  while (clock64() - start < cycles) {}
}
th_status th_cuda_sleep(double cycles)
{
  TH_TRY(th_cuda_set_own_device());
  if (!(cycles >= 0 && cycles <= 1e13)) return th_fail(TH_EARG, "cycles must lie in 0..1e13, got %g", cycles);
  TH_LAUNCH((spin), 1, 1, 0, (long long)cycles);
  return th_launched();
}

// ---- times -----------------------------------------------------------------------------------------------------------

/* From event to event in the stream of the thread. */
static th_status between(int64_t *ns, cudaEvent_t from, cudaEvent_t to, const std::function<th_status()> &work)
{
  float ms = 0;
  TH_CUDA_TRY(cudaEventRecord(from, th_cuda_stream()));
  TH_TRY(work());
  TH_CUDA_TRY(cudaEventRecord(to, th_cuda_stream()));
  TH_CUDA_TRY(cudaEventSynchronize(to));
  TH_CUDA_TRY(cudaEventElapsedTime(&ms, from, to));
  *ns = (int64_t)(1e6 * (double)ms);
  return TH_OK;
}

th_status th_cuda_time(int64_t *ns, const std::function<th_status()> &work)
{
  cudaEvent_t from, to;
  TH_CUDA_TRY(cudaEventCreateWithFlags(&from, cudaEventDefault));
  th_status s = TH_CUDA(cudaEventCreateWithFlags(&to, cudaEventDefault));
  if (s == TH_OK) {
    s = between(ns, from, to, work);
    cudaEventDestroy(to);
  }
  cudaEventDestroy(from);
  return s;
}
