// handles.cuh - the handles of a CUDA library: each stream has a separate handle and workspace, so that bits do not depend on
// other streams.
#ifndef TH_HANDLES_CUH
#define TH_HANDLES_CUH
#include <map>
#include <mutex>
#include <string>
#include "../runtime/recording.cuh"

class th_cuda_handles {
public:
  typedef th_status (*maker)(void **handle, cudaStream_t stream);
  th_cuda_handles(maker f, const char *title) : make(f), what(title) {}
  /* The handle of the thread's stream on the current device. The caller holds the lock while it
   * uses the handle. During a capture no handle is created, because that would end the capture. */
  th_status of_stream(void **handle)
  {
    int device = 0;
    TH_CUDA_TRY(cudaGetDevice(&device));
    const auto at = handles.find(std::make_pair(device, th_cuda_stream()));
    if (at == handles.end() && th_cuda_records()) {
      return th_cuda_cannot_record((what + " has not worked yet: one call before the recording makes it ready").c_str());
    }
    if (th_cuda_records() && !at->second) return th_fail(TH_EBACKEND, "%s has failed (no handle on this device)", what.c_str());
    return make_for(handle, device);
  }
  /* Creates the handle of a stream that is about to be captured, if the library is in use. */
  th_status prepare()
  {
    std::lock_guard<std::mutex> guard(lock);
    int device = 0;
    void *h;
    TH_CUDA_TRY(cudaGetDevice(&device));
    return handles.empty() ? TH_OK : make_for(&h, device);
  }
  std::mutex lock;
private:
  /* If the creation fails, the entry stays without a handle, so that a recording can report the failure. */
  th_status make_for(void **handle, int device)
  {
    void *&h = handles[std::make_pair(device, th_cuda_stream())];
    void *made = nullptr;
    if (!h) TH_TRY(make(&made, th_cuda_stream()));
    if (!h) h = made;
    *handle = h;
    return TH_OK;
  }
  const maker make;
  const std::string what;
  std::map<std::pair<int, cudaStream_t>, void *> handles;
};

#endif
