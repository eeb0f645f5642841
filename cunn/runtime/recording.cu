// recording.cu - whether this thread records a graph, and what is called before it does.
#include "recording.cuh"

thread_local th_cuda_recording *th_cuda_recorded;

bool th_cuda_records() { return th_cuda_recorded != nullptr; }

th_status th_cuda_cannot_record(const char *what)
{
  const th_status s = th_fail(TH_EBACKEND, "a CUDA graph cannot record this: %s", what);
  if (th_cuda_recorded && th_cuda_recorded->why.empty()) th_cuda_recorded->why = th_error();
  return s;
}

enum { MOST = 8 };
static th_status (*prepares[MOST])();        /* written while the backend is loaded */
static int count;

void th_cuda_before_recording(th_status (*prepare)())
{
  if (count < MOST) prepares[count++] = prepare;
}

th_status th_cuda_prepare_recording()
{
  for (int i = 0; i < count; i++) TH_TRY(prepares[i]());
  return TH_OK;
}
