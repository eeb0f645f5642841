// recording.cuh - the state of a thread that records a graph, for files that must not do some things meanwhile.
#ifndef TH_RECORDING_CUH
#define TH_RECORDING_CUH
#include <string>
#include "backend.cuh"
#include "th_record.h"

struct th_bound;
struct th_cuda_found;

struct th_cuda_recording {
  cudaStream_t stream;                       /* records; nullptr: recording is over */
  std::string why;                           /* why it cannot be recorded */
  /* Notes a check of elements that the host cannot read now. Gives the record for a finding, or nullptr if the elements are
   * checked before each replay. */
  virtual th_status check(const th_tensor *t, const th_bound *b, uint32_t origin, th_cuda_found **found) = 0;
};
/* What this thread records, or nullptr. */
extern thread_local th_cuda_recording *th_cuda_recorded;

/* Whether this thread records its work for the device. */
bool th_cuda_records();
/* While it records: fails with the name of the op and what a graph cannot record; th_graph_end fails with the first of these. */
th_status th_cuda_cannot_record(const char *what);
#define TH_CUDA_NOT_RECORDED(what) do { if (th_cuda_records()) return th_cuda_cannot_record(what); } while (0)

/* Adds a function that is called before each recording: to open a library takes memory, as a capture may not. */
void th_cuda_before_recording(th_status (*prepare)());
th_status th_cuda_prepare_recording();

/* For calls that are unsafe in general while a stream is captured, but safe in the way they are used here. */
class th_relaxed {
public:
  th_relaxed() : mode(cudaStreamCaptureModeRelaxed) { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~th_relaxed() { cudaThreadExchangeStreamCaptureMode(&mode); }
  th_relaxed(const th_relaxed &) = delete;
  th_relaxed &operator=(const th_relaxed &) = delete;
private:
  cudaStreamCaptureMode mode;
};

#endif
