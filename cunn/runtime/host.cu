// host.cu - memory of the host that devices reach: pinned, with which copies need not be waited for, and managed; and the
// copies that are not waited for.
#include <map>
#include <mutex>
#include "device.cuh"
#include "graph_memory.cuh"
#include "late.cuh"

namespace {
/* users: devices, one bit each, whose copies may still be under way. */
struct piece { size_t bytes; int kind; uint64_t users; };
}
static std::mutex lock;
static std::map<char *, piece> pieces;
static thread_local bool hurried;            // a copy that the caller will wait for

/* The piece that holds p, or none. The lock is the caller's. */
static std::map<char *, piece>::iterator piece_of(const void *p)
{
  auto at = pieces.upper_bound((char *)p);
  if (at == pieces.begin()) return pieces.end();
  --at;
  return (char *)p < at->first + at->second.bytes ? at : pieces.end();
}

int th_cuda_host_kind(const void *p)
{
  std::lock_guard<std::mutex> g(lock);
  const auto at = piece_of(p);
  return at == pieces.end() ? 0 : at->second.kind;
}

th_status th_cuda_host_allocate(void **p, int64_t bytes, int kind)
{
  TH_CUDA_NOT_RECORDED("it takes memory of the host");
  TH_CUDA_TRY(cudaSetDevice(th_cuda_device() - 1));
  const cudaError_t e = kind == TH_HOST_MANAGED ? cudaMallocManaged(p, (size_t)bytes, cudaMemAttachGlobal)
                                                : cudaMallocHost(p, (size_t)bytes);
  if (e == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return th_fail(TH_ENOMEM, "out of memory: %lld bytes of %s memory wanted", (long long)bytes,
                   kind == TH_HOST_MANAGED ? "managed" : "pinned");
  }
  TH_TRY(th_cuda_status(e, "memory of the host"));
  std::lock_guard<std::mutex> g(lock);
  pieces[(char *)*p] = { (size_t)bytes, kind, 0 };
  return TH_OK;
}

/* Waits for copies from and to a piece. No list says which work uses managed memory, so it waits for all devices there. */
static void wait_for(const piece &p)
{
  for (int d = 0; d < th_cuda_count(); d++) {
    if (p.kind != TH_HOST_MANAGED && !(p.users >> d & 1)) continue;
    if (th_cuda_records()) th_cuda_cannot_record("it waits for a device");
    else th_cuda_wait_device(d);
  }
}

/* Waits for what devices were given to do with the piece that holds p; nothing where none does. */
void th_cuda_host_wait(const void *p)
{
  piece is = { 0, 0, 0 };
  {
    std::lock_guard<std::mutex> g(lock);
    const auto at = pieces.empty() ? pieces.end() : piece_of(p);
    if (at != pieces.end()) is = at->second;
  }
  wait_for(is);
}

void th_cuda_host_release(void *p)
{
  piece was;
  if (th_cuda_graph_keeps(p, true)) return;
  {
    std::lock_guard<std::mutex> g(lock);
    const auto at = pieces.find((char *)p);
    if (at == pieces.end()) return;
    was = at->second;
    pieces.erase(at);
  }
  wait_for(was);
  if (was.kind == TH_HOST_MANAGED) cudaFree(p);
  else cudaFreeHost(p);
}

/* A copy between memory of the host and the device that is set was begun: waits for it where it must be over. Of memory that
 * is not pinned CUDA has read all before it returns. */
th_status th_cuda_copy_begun(const void *host, int device, bool to_host)
{
  bool pinned = false;
  {
    std::lock_guard<std::mutex> g(lock);
    const auto at = pieces.empty() ? pieces.end() : piece_of(host);
    pinned = at != pieces.end();
    if (pinned && hurried) at->second.users |= (uint64_t)1 << (device - 1);
  }
  if (pinned ? hurried : !to_host) return TH_OK;
  TH_CUDA_TRY(cudaStreamSynchronize(th_cuda_stream()));
  return th_cuda_tell();
}

void th_cuda_hurry(bool on) { hurried = on; }
