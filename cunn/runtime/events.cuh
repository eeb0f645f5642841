// events.cuh - the time of work on a device.
#ifndef TH_EVENTS_CUH
#define TH_EVENTS_CUH
#include <functional>
#include "backend.cuh"

/* The time of work in the thread's stream, in nanoseconds. */
th_status th_cuda_time(int64_t *ns, const std::function<th_status()> &work);

#endif
