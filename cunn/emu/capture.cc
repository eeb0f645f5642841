// capture.cc - stream captures and graphs of the emulated device. Work that is put into the streams of a capture is kept in
// order, and run at each launch of the graph.
#include "machine.h"
#include <algorithm>

using namespace emu;

struct CUgraph_st { std::shared_ptr<steps> work; };
struct CUgraphExec_st { std::shared_ptr<steps> work; };

static thread_local cudaStreamCaptureMode allowed = cudaStreamCaptureModeGlobal;      /* what this thread may do */
/* A unique address per thread. */
static const void *this_thread() { return &allowed; }

static cudaError_t spoil(capture *c, cudaError_t e)
{
  if (c) c->invalid = true;
  return tell(e);
}

void emu::put_captured(CUstream_st *s, std::function<void()> f)
{
  capture *c = s->taking;
  c->work->push_back(std::move(f));
  if (s != c->origin) c->others[s] = c->work->size();
}

cudaError_t emu::not_captured(CUstream_st *s)
{
  return s->taking ? spoil(s->taking, cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t emu::not_while_capturing()
{
  if (allowed == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (capture *c : all().captures) {
    if (c->thread == this_thread() && c->mode != cudaStreamCaptureModeRelaxed) return spoil(c, cudaErrorStreamCaptureUnsupported);
  }
  return cudaSuccess;
}

cudaError_t emu::not_captured_on(int device)
{
  cudaError_t e = cudaSuccess;
  for (capture *c : all().captures) {
    if (c->origin->device == device) e = spoil(c, cudaErrorStreamCaptureUnsupported);
  }
  return e;
}

/* Only adds the stream to the capture, because the work is already in the order of the calls. */
cudaError_t emu::wait_captured(CUstream_st *s, cudaEvent_t e)
{
  if (!e->in) return spoil(s->taking, cudaErrorStreamCaptureIsolation);
  if (!all().captures.count(e->in)) return tell(cudaErrorCapturedEvent);
  if (s->taking && s->taking != e->in) return spoil(s->taking, cudaErrorStreamCaptureMerge);
  if (!s->taking) {
    s->taking = e->in;
    e->in->others[s] = 0;
  }
  if (s == e->in->origin && e->stream != s) e->in->met[e->stream] = e->after;
  return cudaSuccess;
}
cudaError_t emu::need_time(cudaEvent_t e)
{
  if (!e->in) return cudaSuccess;
  return spoil(all().captures.count(e->in) ? e->in : nullptr, cudaErrorCapturedEvent);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode)
{
  std::swap(allowed, *mode);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode)
{
  guard g(all().lock);
  if (!s || stream_of(s)->taking) return tell(cudaErrorStreamCaptureUnsupported);      /* nor the default stream */
  if (!is_stream(s)) return tell(cudaErrorInvalidResourceHandle);
  s->taking = new capture{ mode, this_thread(), s, std::make_shared<steps>(), {}, {}, false };
  all().captures.insert(s->taking);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus *status)
{
  guard g(all().lock);
  if (!is_stream(s)) return tell(cudaErrorInvalidResourceHandle);
  const capture *c = stream_of(s)->taking;
  *status = !c ? cudaStreamCaptureStatusNone : c->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

/* Streams that joined the capture and for whose work the first stream has not waited. */
static bool unjoined(const capture &c)
{
  for (const auto &other : c.others) {
    const auto at = c.met.find(other.first);
    if (at == c.met.end() || at->second < other.second) return true;
  }
  return false;
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph)
{
  guard g(all().lock);
  *graph = nullptr;
  if (!is_stream(s)) return tell(cudaErrorInvalidResourceHandle);
  capture *c = stream_of(s)->taking;
  if (!c) return tell(cudaErrorInvalidValue);
  if (c->origin != s) return spoil(c, cudaErrorStreamCaptureUnmatched);
  if (c->mode != cudaStreamCaptureModeRelaxed && c->thread != this_thread()) return spoil(c, cudaErrorStreamCaptureWrongThread);
  const cudaError_t e = c->invalid ? cudaErrorStreamCaptureInvalidated
                      : unjoined(*c) ? cudaErrorStreamCaptureUnjoined : cudaSuccess;
  s->taking = nullptr;
  for (const auto &other : c->others) if (lives(other.first)) other.first->taking = nullptr;
  if (e == cudaSuccess) *graph = new CUgraph_st{ c->work };
  all().captures.erase(c);
  delete c;
  return tell(e);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
  if (!graph || nodes) return tell(cudaErrorInvalidValue);
  *count = graph->work->size();
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
  if (!graph || flags) return tell(cudaErrorInvalidValue);
  *exec = new CUgraphExec_st{ graph->work };
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s)
{
  guard g(all().lock);
  all().counts[GRAPHS]++;
  if (!exec || !is_stream(s)) return tell(cudaErrorInvalidResourceHandle);
  TRY(not_captured(stream_of(s)));
  const std::shared_ptr<steps> work = exec->work;
  put(stream_of(s), [=] { for (const auto &f : *work) f(); });
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
  delete exec;
  return cudaSuccess;
}
