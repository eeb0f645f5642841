// runtime.cc - devices, memory, streams and events of the emulated device.
//
// Work of a stream runs only when something waits for it. Code that forgets to wait reads stale memory: sometimes on a GPU,
// always here. There is one lock: one thread of the host at a time does the work of all devices.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include "../../lib/core/environment.h"
#include "block.h"
#include "machine.h"
#include "race.h"

enum { MOST_WAITING = 256 };
enum : int64_t { DEFAULT_MEMORY = (int64_t)2 << 30 };

using namespace emu;

namespace {

int64_t number_of(const char *name, int64_t otherwise)
{
  const char *text = th_environment(name);
  char *end = nullptr;
  errno = 0;
  const int64_t n = text ? strtoll(text, &end, 10) : 0;
  return text && end != text && !*end && !errno && n >= 0 ? n : otherwise;
}

machine *make()
{
  machine *m = new machine();
  m->count = (int)std::max<int64_t>(0, std::min<int64_t>(MAX_DEVICES, number_of("TH_CUDA_EMU_DEVICES", 1)));
  m->memory = number_of("TH_CUDA_EMU_MEMORY", DEFAULT_MEMORY);
  m->seed = (uint64_t)number_of("TH_CUDA_EMU_RANDOM", 0);
  emu::set_order(m->seed * 0x9e3779b97f4a7c15u);
  for (int i = 0; i < m->count; i++) m->devices[i].stream.device = i, m->devices[i].stream.id = ++m->ids;
  return m;
}

thread_local int chosen;
thread_local cudaError_t last = cudaSuccess;

double seconds()
{
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs the work of a stream up to a number of pieces. A wait for another stream is a piece that runs that stream. If a piece
 * must run again, so must every piece that waits for it, and no later piece starts. */
void run(CUstream_st *s, uint64_t until)
{
  while (s->done < until && !s->work.empty() && !s->busy) {
    s->busy = true;
    std::function<void()> f = std::move(s->work.front());
    s->work.pop_front();
    all().again = false;
    f();
    s->busy = false;
    if (all().again) {
      s->work.push_front(std::move(f));
      return;
    }
    s->done++;
  }
}

/* The host has waited for all that is done before something. */
void host_has_waited(const times &before)
{
  all().host.learn(before);
  host_has_learned(all().host);
}

/* The same as run, until done; releases the machine to other threads in between. */
void finish(CUstream_st *s, uint64_t until)
{
  machine &m = all();
  for (;;) {
    m.again = false;
    run(s, until);
    if (!m.again) return;
    m.lock.unlock();
    usleep(50);
    m.lock.lock();
    if (!lives(s)) return;
  }
}

void run_device(int d)
{
  machine &m = all();
  std::vector<CUstream_st *> streams(1, &m.devices[d].stream);
  for (CUstream_st *s : m.streams) if (s->device == d) streams.push_back(s);
  if (m.seed) std::reverse(streams.begin(), streams.end());
  for (CUstream_st *s : streams) run(s, s->issued);
}

void finish_device(int d)
{
  const std::set<CUstream_st *> streams = all().streams;
  run_device(d);
  finish(&all().devices[d].stream, all().devices[d].stream.issued);
  for (CUstream_st *s : streams) if (lives(s) && s->device == d) finish(s, s->issued);
  host_has_waited(all().devices[d].stream.before);
  for (CUstream_st *s : streams) if (lives(s) && s->device == d) host_has_waited(s->before);
}

/* The failure since the last call of this function. */
cudaError_t failure()
{
  const cudaError_t e = all().failed;
  all().failed = cudaSuccess;
  return tell(e);
}

bool is_pinned(const void *p)
{
  machine &m = all();
  auto at = m.pinned.upper_bound((char *)p);
  if (at == m.pinned.begin()) return false;
  --at;
  return (char *)p < at->first + at->second;
}

piece *piece_of(const void *p)
{
  machine &m = all();
  auto at = m.pieces.upper_bound((void *)p);
  if (at == m.pieces.begin()) return nullptr;
  --at;
  return (char *)p < (char *)at->first + std::max<size_t>(at->second.bytes, 1) ? &at->second : nullptr;
}
bool on_device(const void *p) { return piece_of(p) != nullptr; }

/* Reports memory that work of a stream uses although something that it has not waited for made or uses it. */
void refuse(const char *work, const char *what)
{
  fprintf(stderr, "emulated CUDA device: %s: %s\n", work, what);
  all().failed = cudaErrorLaunchFailure;
}

/* Work of the stream that is put next uses the memory at p, if that is memory of a device. Nothing here sees captured work. */
void use(CUstream_st *s, const char *work, const void *p)
{
  piece *m = s->taking ? nullptr : piece_of(p);
  if (!m) return;
  s->before.learn(all().host);
  if (!s->before.know(m->by.made)) {
    refuse(work, "its stream has not waited for the stream that allocated the memory it uses");
  }
  m->by.last.learn(moment{ s->id, s->before.at(s->id) + 1 });
}

/* The same for the addresses among a kernel's arguments. */
void use_all(CUstream_st *s, const char *work, const void *addresses, size_t bytes)
{
  for (size_t i = 0; i + sizeof(void *) <= bytes; i += sizeof(void *)) {
    const void *p;
    memcpy(&p, static_cast<const char *>(addresses) + i, sizeof p);
    use(s, work, p);
  }
}

}  // namespace

/* Never destroyed, because finalizers may still free memory at the end of the process. */
machine &emu::all()
{
  static machine *m = make();
  return *m;
}

cudaError_t emu::tell(cudaError_t e)
{
  if (e != cudaSuccess) last = e;
  return e;
}

CUstream_st *emu::stream_of(cudaStream_t s) { return s ? s : &all().devices[chosen].stream; }
bool emu::is_stream(cudaStream_t s) { return !s || all().streams.count(s); }
bool emu::lives(CUstream_st *s)
{
  for (int d = 0; d < all().count; d++) if (s == &all().devices[d].stream) return true;
  return s && all().streams.count(s);
}

/* The next position of a stream, behind all that the host has done and waited for so far. */
static moment next_moment(CUstream_st *s)
{
  all().host.learn(moment{ 0, all().host.at(0) + 1 });
  host_has_learned(all().host);
  s->before.learn(all().host);
  const moment at = { s->id, s->before.at(s->id) + 1 };
  s->before.learn(at);
  return at;
}

#ifdef TH_EMU_RACES
static std::function<void()> in_order(CUstream_st *s, std::function<void()> f)
{
  const moment at = next_moment(s);
  const auto known = std::make_shared<const times>(s->before);
  return [=] {
    {
      const work w(at, known, "work of the runtime");
      f();
    }
    if (found_races) all().failed = cudaErrorLaunchFailure;
    found_races = false;
  };
}
#else
static std::function<void()> in_order(CUstream_st *s, std::function<void()> f)
{
  next_moment(s);
  return f;
}
#endif

void emu::put(CUstream_st *s, std::function<void()> f)
{
  if (s->taking) return put_captured(s, std::move(f));
  s->work.push_back(in_order(s, std::move(f)));
  s->issued++;
  if (s->work.size() > MOST_WAITING) run(s, s->issued);
}

long long clock64() { return (long long)(1e9 * seconds()); }

/* How often kernels were started, by their names as TH_LAUNCH has them; for specs that ask which of two kernels an op takes. */
static std::map<const char *, uint64_t> &launches()
{
  static std::map<const char *, uint64_t> counts;
  return counts;
}
extern "C" uint64_t th_cuda_emu_launches(const char *part_of_name)
{
  guard g(all().lock);
  uint64_t n = 0;
  for (const auto &l : launches()) if (strstr(l.first, part_of_name)) n += l.second;
  return n;
}

/* Kernel i of those that were started, and how often; nullptr behind the last one. */
extern "C" const char *th_cuda_emu_kernel(int i, double *times)
{
  guard g(all().lock);
  for (const auto &l : launches()) {
    if (i-- > 0) continue;
    *times = (double)l.second;
    return l.first;
  }
  return nullptr;
}

void emu::launch(dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream, std::function<void()> kernel, const char *name,
                 const void *arguments, size_t bytes)
{
  guard g(all().lock);
  all().counts[LAUNCHES]++;
  const uint64_t n = (uint64_t)threads.x * threads.y * threads.z;
  if (n < 1 || n > 1024 || blocks.x < 1 || blocks.y < 1 || blocks.z < 1 || blocks.y > 65535 || blocks.z > 65535 ||
      blocks.x > 0x7fffffffu || shared > 48 << 10 || !is_stream(stream)) {
    tell(cudaErrorInvalidConfiguration);
    return;
  }
  launches()[name]++;
  use_all(stream_of(stream), name, arguments, bytes);
  put(stream_of(stream), [=] {
    next_step(name);
    const char *wrong = emu::run_grid(blocks, threads, shared, kernel);
    if (!wrong) return;
    fprintf(stderr, "emulated CUDA device: kernel %s: %s\n", name, wrong);
    all().failed = cudaErrorLaunchFailure;
  });
}

const char *cudaGetErrorString(cudaError_t e)
{
  switch (e) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorPeerAccessAlreadyEnabled: return "peer access is already enabled";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated: return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureMerge: return "operation would result in a merge of separate capture sequences";
    case cudaErrorStreamCaptureUnmatched: return "capture was not ended in the same stream as it began";
    case cudaErrorStreamCaptureUnjoined: return "capturing stream has unjoined work";
    case cudaErrorStreamCaptureIsolation: return "dependency created on uncaptured work in another stream";
    case cudaErrorCapturedEvent: return "operation not permitted on an event last recorded in a capturing stream";
    case cudaErrorStreamCaptureWrongThread: return "attempt to terminate a thread-local capture sequence from another thread";
  }
  return "unknown error";
}

cudaError_t cudaGetLastError()
{
  const cudaError_t e = last;
  last = cudaSuccess;
  return e;
}

cudaError_t cudaDriverGetVersion(int *v) { *v = 0; return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *v) { *v = 0; return cudaSuccess; }

// ---- devices ----------------------------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int *n)
{
  *n = all().count;
  return *n ? cudaSuccess : tell(cudaErrorNoDevice);
}
cudaError_t cudaSetDevice(int d)
{
  if (d < 0 || d >= all().count) return tell(cudaErrorInvalidDevice);
  chosen = d;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *d) { *d = chosen; return cudaSuccess; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int d)
{
  if (d < 0 || d >= all().count) return tell(cudaErrorInvalidDevice);
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "emulated CUDA device %d (no GPU: the host computes)", d + 1);
  p->totalGlobalMem = (size_t)all().memory;
  p->sharedMemPerBlock = 48 << 10;
  p->multiProcessorCount = 2;
  p->warpSize = emu::WARP;
  p->maxThreadsPerBlock = p->maxThreadsPerMultiProcessor = 1024;
  for (int i = 0; i < 3; i++) p->maxThreadsDim[i] = i < 2 ? 1024 : 64, p->maxGridSize[i] = i ? 65535 : 0x7fffffff;
  p->unifiedAddressing = 1;
  p->pciDomainID = (int)number_of("TH_CUDA_EMU_DOMAIN", getpid());       /* processes have separate devices */
  p->pciDeviceID = d;
  return cudaSuccess;
}

// The rates of a small GPU of capability 7.5, for the predictions of times.
cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr what, int d)
{
  if (d < 0 || d >= all().count) return tell(cudaErrorInvalidDevice);
  switch (what) {
    case cudaDevAttrClockRate: *v = 1500000; break;
    case cudaDevAttrMultiProcessorCount: *v = 2; break;
    case cudaDevAttrMemoryClockRate: *v = 1000000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *v = 64; break;
    case cudaDevAttrComputeCapabilityMajor: *v = 7; break;
    case cudaDevAttrComputeCapabilityMinor: *v = 5; break;
    default: return tell(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize()
{
  guard g(all().lock);
  all().counts[HOST_WAITS]++;
  TRY(not_captured_on(chosen));
  finish_device(chosen);
  return failure();
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int d, int peer)
{
  if (d < 0 || d >= all().count || peer < 0 || peer >= all().count) return tell(cudaErrorInvalidDevice);
  *can = d != peer;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
  guard g(all().lock);
  *total = (size_t)all().memory;
  *free = (size_t)(all().memory - all().devices[chosen].used);
  return cudaSuccess;
}

// ---- memory -----------------------------------------------------------------------------------------------------------

// A separate block for each allocation, so that AddressSanitizer sees its ends; filled with bytes that no result has by chance.
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t s)
{
  guard g(all().lock);
  all().counts[ALLOCATIONS]++;
  device &d = all().devices[chosen];
  if (!is_stream(s)) return tell(cudaErrorInvalidResourceHandle);
  TRY(not_captured(stream_of(s)));          /* a GPU would add nodes that allocate in every launch */
  if (d.used + (int64_t)bytes > all().memory) run_device(chosen);             /* completes the frees that are queued there */
  if ((int64_t)bytes < 0 || d.used + (int64_t)bytes > all().memory || posix_memalign(p, 256, bytes ? bytes : 1) != 0) {
    return tell(cudaErrorMemoryAllocation);
  }
  memset(*p, 0xcb, bytes);
  d.used += (int64_t)bytes;
  all().pieces[*p] = { chosen, bytes, { next_moment(stream_of(s)), times() } };
  watch(*p, bytes);
  return cudaSuccess;
}

/* The stream must have waited for all that used the piece of memory. */
static void end_use(void *p, CUstream_st *s)
{
  use(s, "cudaFreeAsync", p);
  const times &last = all().pieces[p].by.last;
  for (uint32_t i = 0; i < last.done.size(); i++) {
    if (i == s->id || s->before.know(moment{ i, last.done[i] })) continue;
    refuse("cudaFreeAsync", "its stream has not waited for a stream that uses the memory");
  }
}

void emu::leave(void *p, cudaStream_t s)
{
  guard g(all().lock);
  if (all().pieces.count(p)) end_use(p, stream_of(s));
}

void emu::take_again(void *p, size_t bytes, cudaStream_t s)
{
  guard g(all().lock);
  const auto at = all().pieces.find(p);
  if (at != all().pieces.end()) at->second.by = { next_moment(stream_of(s)), times() };
  put(stream_of(s), [=] { memset(p, 0xcb, bytes); });
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t s)
{
  guard g(all().lock);
  all().counts[FREES]++;
  if (!p) return cudaSuccess;
  if (!is_stream(s) || !all().pieces.count(p)) return tell(cudaErrorInvalidValue);
  TRY(not_captured(stream_of(s)));
  end_use(p, stream_of(s));
  put(stream_of(s), [=] {
    auto at = all().pieces.find(p);
    if (at == all().pieces.end()) return;                                      /* freed twice */
    all().devices[at->second.device].used -= (int64_t)at->second.bytes;
    next_step("cudaFreeAsync");
    access_range(p, at->second.bytes, true);
    unwatch(p, at->second.bytes);
    all().pieces.erase(at);
    free(p);
  });
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void **p, size_t bytes)
{
  guard g(all().lock);
  TRY(not_while_capturing());
  if (posix_memalign(p, 256, bytes ? bytes : 1) != 0) return tell(cudaErrorMemoryAllocation);
  all().pinned[(char *)*p] = bytes;
  watch(*p, bytes);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p)
{
  guard g(all().lock);
  TRY(not_while_capturing());
  const auto at = all().pinned.find((char *)p);
  if (at == all().pinned.end()) return tell(cudaErrorInvalidValue);
  const size_t bytes = at->second;
  all().pinned.erase(at);
  for (int d = 0; d < all().count; d++) finish_device(d);
  unwatch(p, bytes);
  free(p);
  return cudaSuccess;
}

// Managed memory is host memory, because the host runs the kernels.
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned) { return cudaMallocHost(p, bytes); }
cudaError_t cudaFree(void *p) { return cudaFreeHost(p); }

// A device's pool keeps no freed memory, and every device can access the memory of all.
struct CUmemPool_st { int device; };

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int d)
{
  static CUmemPool_st pools[MAX_DEVICES];
  if (d < 0 || d >= all().count) return tell(cudaErrorInvalidDevice);
  pools[d].device = d;
  *pool = &pools[d];
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t count)
{
  guard g(all().lock);
  all().counts[ACCESSES]++;
  for (size_t i = 0; i < count; i++) {
    const int d = access[i].location.id;
    if (d < 0 || d >= all().count || (d == pool->device && access[i].flags != cudaMemAccessFlagsProtReadWrite)) {
      return tell(cudaErrorInvalidValue);
    }
  }
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }

static void copy(void *to, const void *from, size_t bytes)
{
  next_step("cudaMemcpyAsync");
  access_range(from, bytes, false);
  access_range(to, bytes, true);
  memmove(to, from, bytes);
}

// Host memory that is not pinned has been read, or written, on return, as with CUDA.
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t s)
{
  guard g(all().lock);
  all().counts[COPIES]++;
  if (!is_stream(s)) return tell(cudaErrorInvalidResourceHandle);
  if (!bytes) return cudaSuccess;
  CUstream_st *stream = stream_of(s);
  const bool waits = !on_device(to) && !is_pinned(to);
  if (waits || (!on_device(from) && !is_pinned(from))) TRY(not_captured(stream));
  use(stream, "cudaMemcpyAsync", to);
  use(stream, "cudaMemcpyAsync", from);
  if (!on_device(from) && !is_pinned(from)) {
    std::vector<char> taken((const char *)from, (const char *)from + bytes);
    put(stream, [=] { copy(to, taken.data(), bytes); });
  } else {
    put(stream, [=] { copy(to, from, bytes); });
  }
  if (!waits) return cudaSuccess;
  finish(stream, stream->issued);
  host_has_waited(stream->before);
  return failure();
}

cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t s)
{
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, s);
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s)
{
  guard g(all().lock);
  all().counts[COPIES]++;
  if (!is_stream(s)) return tell(cudaErrorInvalidResourceHandle);
  use(stream_of(s), "cudaMemsetAsync", p);
  put(stream_of(s), [=] {
    next_step("cudaMemsetAsync");
    access_range(p, bytes, true);
    memset(p, value, bytes);
  });
  return cudaSuccess;
}

// ---- streams and events -----------------------------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
  guard g(all().lock);
  *s = new CUstream_st();
  (*s)->device = chosen;
  (*s)->id = ++all().ids;
  all().streams.insert(*s);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
  guard g(all().lock);
  if (!all().streams.count(s)) return tell(cudaErrorInvalidResourceHandle);
  TRY(not_captured(s));
  finish(s, s->issued);
  if (!lives(s)) return tell(cudaErrorInvalidResourceHandle);
  all().streams.erase(s);
  delete s;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
  guard g(all().lock);
  all().counts[HOST_WAITS]++;
  if (!is_stream(s)) return tell(cudaErrorInvalidResourceHandle);
  TRY(not_captured(stream_of(s)));
  finish(stream_of(s), stream_of(s)->issued);
  if (!s || lives(s)) host_has_waited(stream_of(s)->before);
  return failure();
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
  guard g(all().lock);
  if (!is_stream(s)) return tell(cudaErrorInvalidResourceHandle);
  TRY(not_captured(stream_of(s)));
  if (stream_of(s)->work.empty()) {
    host_has_waited(stream_of(s)->before);
    return cudaSuccess;
  }
  run(stream_of(s), stream_of(s)->done + 1);           /* repeated queries reach the end */
  return cudaErrorNotReady;
}

static bool reached(cudaEvent_t e) { return !lives(e->stream) || e->stream->done >= e->after; }

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned)
{
  guard g(all().lock);
  all().counts[STREAM_WAITS]++;
  if (!is_stream(s) || !e) return tell(cudaErrorInvalidResourceHandle);
  if (e->in || stream_of(s)->taking) return wait_captured(stream_of(s), e);
  CUstream_st *other = e->stream;
  const uint64_t after = e->after;
  stream_of(s)->before.learn(e->before);
  if (other) put(stream_of(s), [=] { if (lives(other)) run(other, after); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned)
{
  *e = new CUevent_st();
  (*e)->when = std::make_shared<double>(0);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e)
{
  delete e;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
  guard g(all().lock);
  if (!is_stream(s) || !e) return tell(cudaErrorInvalidResourceHandle);
  CUstream_st *stream = stream_of(s);
  const std::shared_ptr<double> when = e->when;
  e->stream = stream;
  e->in = stream->taking;
  if (e->in) {                               /* a position in the capture, not a time */
    e->after = e->in->work->size();
    return cudaSuccess;
  }
  put(stream, [=] { *when = seconds(); });
  e->after = stream->issued;
  e->before = stream->before;
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
  guard g(all().lock);
  all().counts[HOST_WAITS]++;
  TRY(need_time(e));
  if (!reached(e)) finish(e->stream, e->after);
  host_has_waited(e->before);
  return failure();
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
  guard g(all().lock);
  TRY(need_time(e));
  if (reached(e)) {
    host_has_waited(e->before);
    return cudaSuccess;
  }
  run(e->stream, e->stream->done + 1);
  return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
  guard g(all().lock);
  TRY(need_time(from));
  TRY(need_time(to));
  if (!from->stream || !to->stream) return tell(cudaErrorInvalidResourceHandle);
  if (!reached(from) || !reached(to)) return cudaErrorNotReady;
  *ms = (float)(1000 * (*to->when - *from->when));
  return cudaSuccess;
}
