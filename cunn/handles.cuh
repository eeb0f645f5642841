// handles.cuh - the handles of a library of CUDA: each stream has one of its own, and with it memory to work in, so that bits do
// not depend on other streams.
#ifndef TH_HANDLES_CUH
#define TH_HANDLES_CUH
#include <map>
#include <mutex>
#include "backend.cuh"

class th_cuda_handles {
public:
  typedef th_status (*maker)(void **handle, cudaStream_t stream);
  explicit th_cuda_handles(maker f) : make(f) {}
  /* That of the thread's stream on the device that is set. Under the lock, which holds while the handle is used. */
  th_status of_stream(void **handle)
  {
    int device = 0;
    TH_CUDA_TRY(cudaGetDevice(&device));
    void *&h = handles[std::make_pair(device, th_cuda_stream())];
    void *made = nullptr;
    if (!h) TH_TRY(make(&made, th_cuda_stream()));
    if (!h) h = made;
    *handle = h;
    return TH_OK;
  }
  /* The handle of a stream that is about to be captured, where there were others. */
  th_status prepare()
  {
    std::lock_guard<std::mutex> guard(lock);
    void *h;
    return handles.empty() ? TH_OK : of_stream(&h);
  }
  std::mutex lock;
private:
  const maker make;
  std::map<std::pair<int, cudaStream_t>, void *> handles;
};

#endif
