// transfer.cu - copies of bytes between devices and the host.
#include <string.h>
#include "device.cuh"
#include "late.cuh"

// The stream of the device that gives does it, after what the other one has been given; both wait for the end.
th_status th_cuda_copy(void *to, int to_device, const void *from, int from_device, int64_t bytes)
{
  if (!to_device && !from_device) {            /* memory that devices reach moves to a new place */
    th_cuda_host_wait(from);
    memcpy(to, from, (size_t)bytes);
    return TH_OK;
  }
  const int own = th_cuda_stream_number();
  const int works = from_device ? from_device : to_device;
  if (to_device) th_cuda_uses(to, to_device);
  if (from_device) th_cuda_uses(from, from_device);
  if (!to_device) TH_CUDA_NOT_RECORDED("elements go to the host");
  if (!from_device) TH_CUDA_NOT_RECORDED("elements come from the host");
  if (to_device && from_device && to_device != from_device) {
    TH_TRY(th_cuda_stream_wait(from_device, own, to_device, own));
    TH_CUDA_TRY(cudaMemcpyPeerAsync(to, to_device - 1, from, from_device - 1, (size_t)bytes, th_cuda_stream()));
    return th_cuda_stream_wait(to_device, own, from_device, own);
  }
  TH_CUDA_TRY(cudaSetDevice(works - 1));
  TH_CUDA_TRY(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDefault, th_cuda_stream()));
  if (to_device && from_device) return TH_OK;
  return th_cuda_copy_begun(to_device ? from : to, works, !to_device);
}

th_status th_cuda_fetch(void *to, const void *from, size_t bytes)
{
  TH_CUDA_NOT_RECORDED("the host needs what a device computes");
  TH_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, th_cuda_stream()));
  TH_CUDA_TRY(cudaStreamSynchronize(th_cuda_stream()));
  return th_cuda_tell();
}
