// cunn/runtime/device.cu - devices, streams, events and memory; what libth and cutorch ask of them.
#include <stdio.h>
#include <stdlib.h>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include <string.h>
#include "../../lib/core/environment.h"
#include "late.cuh"
#include "thcuda.h"

extern void th_cuda_add_kernels();
extern void th_cuda_offer_ranks();
th_status th_cuda_nonzero(const th_tensor *t, int64_t *count);
th_status th_cuda_host_allocate(void **p, int64_t bytes, int kind);
void th_cuda_host_release(void *p);
void th_cuda_host_wait(const void *p);
th_status th_cuda_copy_begun(const void *host, int device, bool to_host);

static int count;
static cudaError_t why;
static std::atomic<bool> synchronous;        // waits after every kernel, and checks elements before it
static std::mutex lock;
static std::vector<cudaStream_t> streams[TH_MAXDEVICE];      // the reserved ones of each device
static std::atomic<int> reserved;
static thread_local int own_device = 1, own_stream;

// ---- errors -----------------------------------------------------------------------------------------------------------

/* The last calls of this thread since its last wait, for an error that a device reports late. */
enum { RECENT = 6, NAME = 24 };
static thread_local struct { char name[RECENT][NAME]; unsigned n; } recent;

static void note_call()
{
  const char *who = th_entered();
  snprintf(recent.name[recent.n++ % RECENT], NAME, "%s", who ? who : "a function");
}
static std::string recent_calls()
{
  std::string text;
  for (unsigned k = recent.n < RECENT ? 0 : recent.n - RECENT; k < recent.n; k++) {
    text += (text.empty() ? "" : ", ") + std::string(recent.name[k % RECENT]);
  }
  return text.empty() ? "none" : text;
}
/* Errors of kernels. After one of them the device does no work of this process any more. */
static bool is_late(int e) { return e == 700 || e == 702 || e == 710 || (e >= 714 && e <= 719); }

th_status th_cuda_status(cudaError_t e, const char *what)
{
  if (e == cudaSuccess) return TH_OK;
  cudaGetLastError();
  if (e == cudaErrorMemoryAllocation) return th_fail(TH_ENOMEM, "out of memory on a CUDA device");
  if (is_late(e)) {
    return th_fail(TH_EBACKEND, "CUDA: %s (%s). A kernel of an earlier call may have failed; the last ones of this thread: %s. "
                   "TH_CUDA_SYNC=1 names it. The device needs a new process", cudaGetErrorString(e), what,
                   recent_calls().c_str());
  }
  return th_fail(TH_EBACKEND, "CUDA: %s (%s)", cudaGetErrorString(e), what);
}

static th_status need_device(int device)
{
  if (device >= 1 && device <= count) return TH_OK;
  if (count == 0) return th_fail(TH_EDEVICE, "there is no CUDA device: %s", th_cuda_why());
  return th_fail(TH_EDEVICE, "device must lie in 1..%d, got %d", count, device);
}

// ---- streams ----------------------------------------------------------------------------------------------------------

static cudaStream_t stream_at(int device, int stream)
{
  if (stream == 0) return nullptr;
  std::lock_guard<std::mutex> g(lock);
  return streams[device - 1][(size_t)stream - 1];
}

cudaStream_t th_cuda_stream()
{
  if (cudaStream_t s = th_cuda_graph_stream()) return s;
  if (own_stream == 0) return nullptr;
  int device = 0;
  cudaGetDevice(&device);
  return stream_at(device + 1, own_stream);
}

int th_cuda_streams(void) { return reserved; }

static th_status need_stream(int stream)
{
  const int n = th_cuda_streams();
  if (stream >= 0 && stream <= n) return TH_OK;
  return th_fail(TH_EARG, "stream must lie in 0..%d, got %d: cutorch.reserveStreams(n) makes more", n, stream);
}

th_status th_cuda_reserve_streams(int n)
{
  if (n < 0 || n > 1024) return th_fail(TH_EARG, "the number of streams must lie in 0..1024, got %d", n);
  std::lock_guard<std::mutex> g(lock);
  for (int d = 0; d < count; d++) {
    TH_CUDA_TRY(cudaSetDevice(d));
    while (streams[d].size() < (size_t)n) {
      cudaStream_t s;
      TH_CUDA_TRY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
      streams[d].push_back(s);
    }
  }
  if (n > reserved) reserved = n;
  return TH_OK;
}

int th_cuda_stream_number(void) { return own_stream; }
th_status th_cuda_set_stream(int stream)
{
  TH_TRY(need_stream(stream));
  if (stream != own_stream) TH_CUDA_NOT_RECORDED("it changes the stream");
  own_stream = stream;
  return TH_OK;
}

th_status th_cuda_stream_synchronize(int device, int stream)
{
  TH_TRY(need_device(device));
  TH_TRY(need_stream(stream));
  TH_CUDA_NOT_RECORDED("it waits for a stream");
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  TH_CUDA_TRY(cudaStreamSynchronize(stream_at(device, stream)));
  return th_cuda_tell();
}

th_status th_cuda_stream_wait(int device, int stream, int other_device, int other)
{
  cudaEvent_t e;
  TH_TRY(need_device(device));
  TH_TRY(need_device(other_device));
  TH_TRY(need_stream(stream));
  TH_TRY(need_stream(other));
  TH_CUDA_NOT_RECORDED("a stream waits for another");
  TH_CUDA_TRY(cudaSetDevice(other_device - 1));
  TH_CUDA_TRY(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  cudaError_t failed = cudaEventRecord(e, stream_at(other_device, other));
  if (failed == cudaSuccess) failed = cudaSetDevice(device - 1);
  if (failed == cudaSuccess) failed = cudaStreamWaitEvent(stream_at(device, stream), e, 0);
  cudaEventDestroy(e);
  return th_cuda_status(failed, "waiting for a stream");
}

/* What `s` is given from now on happens after all that the streams of the device that is set were given. */
th_status th_cuda_wait_for_all(cudaStream_t s)
{
  cudaEvent_t e;
  int device = 0;
  TH_CUDA_TRY(cudaGetDevice(&device));
  for (int k = 0; k <= th_cuda_streams(); k++) {
    TH_CUDA_TRY(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    cudaError_t failed = cudaEventRecord(e, stream_at(device + 1, k));
    if (failed == cudaSuccess) failed = cudaStreamWaitEvent(s, e, 0);
    cudaEventDestroy(e);
    TH_TRY(th_cuda_status(failed, "waiting for all streams"));
  }
  return TH_OK;
}

bool th_cuda_finishes(int device, double seconds)
{
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  if (cudaSetDevice(device) != cudaSuccess) return false;
  for (int k = 0; k <= reserved; k++) {
    cudaError_t e;
    while ((e = cudaStreamQuery(stream_at(device + 1, k))) == cudaErrorNotReady && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    cudaGetLastError();
    if (e != cudaSuccess) return false;
  }
  return true;
}

// ---- events -----------------------------------------------------------------------------------------------------------

struct th_cuda_event { cudaEvent_t e; };

static th_status here() { return count ? TH_CUDA(cudaSetDevice(own_device - 1)) : need_device(0); }

th_status th_cuda_event_new(th_cuda_event **out)
{
  cudaEvent_t e;
  TH_CUDA_NOT_RECORDED("it makes an event");
  TH_TRY(here());
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
  TH_TRY(here());
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

// ---- devices ----------------------------------------------------------------------------------------------------------

int th_cuda_is_emulated(void) { return CUDART_VERSION == 0; }
int th_cuda_count(void) { return count; }
const char *th_cuda_why(void)
{
  if (why == cudaErrorInsufficientDriver) return "the driver is missing, or older than this build of CUDA needs";
  return count ? "" : cudaGetErrorString(why);
}
int th_cuda_runtime_version(void) { int v = 0; cudaRuntimeGetVersion(&v); return v; }
int th_cuda_driver_version(void) { int v = 0; cudaDriverGetVersion(&v); return v; }

int th_cuda_device(void) { return count ? own_device : 0; }
th_status th_cuda_set_device(int device)
{
  TH_TRY(need_device(device));
  if (device != own_device) TH_CUDA_NOT_RECORDED("it changes the device");
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  own_device = device;
  return TH_OK;
}

th_status th_cuda_properties_of(th_cuda_properties *p, int device)
{
  cudaDeviceProp q;
  size_t free = 0, total = 0;
  TH_TRY(need_device(device));
  TH_CUDA_TRY(cudaGetDeviceProperties(&q, device - 1));
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  TH_CUDA_TRY(cudaMemGetInfo(&free, &total));
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", q.name);
  p->totalGlobalMem = (int64_t)total;
  p->freeGlobalMem = (int64_t)free;
  p->sharedMemPerBlock = (int64_t)q.sharedMemPerBlock;
  p->major = q.major, p->minor = q.minor;
  p->multiProcessorCount = q.multiProcessorCount;
  p->warpSize = q.warpSize;
  p->maxThreadsPerBlock = q.maxThreadsPerBlock;
  p->maxThreadsPerMultiProcessor = q.maxThreadsPerMultiProcessor;
  p->regsPerBlock = q.regsPerBlock;
  p->memoryBusWidth = q.memoryBusWidth;
  p->l2CacheSize = q.l2CacheSize;
  p->integrated = q.integrated;
  p->pciBusID = q.pciBusID, p->pciDeviceID = q.pciDeviceID, p->pciDomainID = q.pciDomainID;
  p->emulated = th_cuda_is_emulated();
  return TH_OK;
}

th_status th_cuda_synchronize(int device)
{
  TH_TRY(need_device(device));
  TH_CUDA_NOT_RECORDED("it waits for a device");
  TH_TRY(th_cuda_wait_device(device - 1));
  recent.n = 0;
  return th_cuda_tell();
}

int th_cuda_can_access(int device, int peer)
{
  int can = 0;
  if (device < 1 || peer < 1 || device > count || peer > count) return 0;
  return cudaDeviceCanAccessPeer(&can, device - 1, peer - 1) == cudaSuccess && can;
}

static std::atomic<bool> chosen_access[TH_MAXDEVICE][TH_MAXDEVICE];      // by the caller: of a device to a peer's memory

/* Memory comes from the default pool of a device: others see it where the pool lets them. */
static th_status give_access(int device, int peer, int on)
{
  cudaMemPool_t pool;
  cudaMemAccessDesc access;
  memset(&access, 0, sizeof access);
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = device - 1;
  access.flags = on ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  TH_CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, peer - 1));
  return TH_CUDA(cudaMemPoolSetAccess(pool, &access, 1));
}

th_status th_cuda_set_access(int device, int peer, int on)
{
  TH_TRY(need_device(device));
  TH_TRY(need_device(peer));
  if (device == peer) return TH_OK;
  if (on && !th_cuda_can_access(device, peer)) {
    return th_fail(TH_EDEVICE, "device %d cannot reach the memory of device %d: copies go through the host", device, peer);
  }
  chosen_access[device - 1][peer - 1] = true;
  return give_access(device, peer, on);
}

/* ---- tests of order ---- */

static __global__ void spin(long long cycles)
{
  const long long start = clock64();
  while (clock64() - start < cycles) {}
}
th_status th_cuda_sleep(double cycles)
{
  TH_TRY(here());
  if (!(cycles >= 0 && cycles <= 1e13)) return th_fail(TH_EARG, "cycles must lie in 0..1e13, got %g", cycles);
  TH_LAUNCH((spin), 1, 1, 0, (long long)cycles);
  return th_launched();
}

// ---- what libth asks --------------------------------------------------------------------------------------------------

/* The memory of tensors on each device, by address. used_by: the streams that have worked on it, a bit each; the last bit stands
 * for all streams from 63 on. */
struct block { int64_t bytes; uint64_t used_by; };
static const int64_t LARGE = 64 << 10;                       // blocks that are worth naming when a device is full
static std::mutex block_lock;
static std::map<const char *, block> blocks[TH_MAXDEVICE];
static uint64_t bit_of(int stream) { return (uint64_t)1 << (stream < 63 ? stream : 63); }

static void remember(void *p, int device, int64_t bytes)
{
  std::lock_guard<std::mutex> g(block_lock);
  blocks[device - 1][static_cast<char *>(p)] = { bytes, bit_of(own_stream) };
}
/* The streams that have used the block. */
static uint64_t forget(void *p, int device)
{
  std::lock_guard<std::mutex> g(block_lock);
  const auto at = blocks[device - 1].find(static_cast<char *>(p));
  if (at == blocks[device - 1].end()) return ~(uint64_t)0;
  const uint64_t by = at->second.used_by;
  blocks[device - 1].erase(at);
  return by;
}

void th_cuda_uses(const void *p, int device)
{
  if (reserved == 0) return;                                 // only the default stream exists
  std::lock_guard<std::mutex> g(block_lock);
  auto at = blocks[device - 1].upper_bound(static_cast<const char *>(p));
  if (at != blocks[device - 1].begin()) (--at)->second.used_by |= bit_of(own_stream);
}
static void use_tensor(const th_tensor *t)
{
  if (t && t->device != TH_CPU && t->storage && t->storage->data) th_cuda_uses(t->storage->data, t->device);
}
static void uses(const th_call *c)
{
  if (reserved == 0) return;
  for (int i = 0; i < c->narg; i++) {
    const th_kind k = c->kind[i];
    if (k == TH_K_LIST) for (int64_t j = 0; j < c->arg[i].list->n; j++) use_tensor(c->arg[i].list->t[j]);
    else if (k == TH_K_TENSOR || k == TH_K_OUT || k == TH_K_SELF || k == TH_K_INOUT) use_tensor(c->arg[i].t);
  }
}

/* "; the largest: 4 of 100000000 bytes, 1 of 36000000 bytes": tensors of three sizes. */
static std::string largest_of(int device)
{
  std::map<int64_t, int, std::greater<int64_t>> sizes;
  {
    std::lock_guard<std::mutex> g(block_lock);
    for (const auto &b : blocks[device - 1]) if (b.second.bytes >= LARGE) sizes[b.second.bytes]++;
  }
  std::string text;
  int n = 0;
  for (const auto &s : sizes) {
    if (n++ == 3) break;
    text += (text.empty() ? "; the largest: " : ", ") + std::to_string(s.second) + " of " + std::to_string(s.first) + " bytes";
  }
  return text;
}

static th_status no_memory(int device, int64_t bytes)
{
  size_t free = 0, total = 0;
  cudaGetLastError();
  cudaMemGetInfo(&free, &total);
  return th_fail(TH_ENOMEM, "out of memory on CUDA device %d: %lld bytes wanted, %lld held by tensors, %lld of %lld free%s",
                 device, (long long)bytes, (long long)th_memory_of(device)->bytes, (long long)free, (long long)total,
                 largest_of(device).c_str());
}

/* The first memory of a device. What is freed stays with the pool, for the next tensors: getting memory from the system is slow.
 * Devices that are in use reach each other's memory, as NCCL and direct copies need, unless the caller has chosen otherwise. */
static void prepare_memory(int device)
{
  static std::atomic<bool> used[TH_MAXDEVICE];
  cudaMemPool_t pool;
  uint64_t all = UINT64_MAX;
  if (used[device - 1].exchange(true) || cudaDeviceGetDefaultMemPool(&pool, device - 1) != cudaSuccess) return;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
  for (int d = 1; d <= count; d++) {
    if (d == device || !used[d - 1]) continue;
    if (!chosen_access[d - 1][device - 1] && th_cuda_can_access(d, device)) give_access(d, device, 1);
    if (!chosen_access[device - 1][d - 1] && th_cuda_can_access(device, d)) give_access(device, d, 1);
  }
  cudaGetLastError();                        /* copies go through the host where this has failed */
}

th_status th_cuda_trim(int device)
{
  cudaMemPool_t pool;
  TH_TRY(th_cuda_synchronize(device));
  TH_CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, device - 1));
  return TH_CUDA(cudaMemPoolTrimTo(pool, 0));
}

static th_status take(void **p, int device, int64_t bytes)
{
  if (th_cuda_records()) {
    const th_status s = th_cuda_graph_take(p, device - 1, (size_t)bytes);
    return s == TH_ENOMEM ? no_memory(device, bytes) : s;
  }
  prepare_memory(device);
  cudaError_t e = cudaMallocAsync(p, (size_t)bytes, th_cuda_stream());
  if (e == cudaErrorMemoryAllocation) {                      // what was freed in other streams comes back
    cudaGetLastError();
    TH_TRY(th_cuda_wait_device(device - 1));
    e = cudaMallocAsync(p, (size_t)bytes, th_cuda_stream());
  }
  if (e == cudaErrorMemoryAllocation) return no_memory(device, bytes);
  return th_cuda_status(e, "cudaMallocAsync");
}

/* Streams that have used the block may not have finished: the stream that frees it waits for them. */
static void release(void *p, int device)
{
  const uint64_t by = forget(p, device);
  if (th_cuda_graph_keeps(p, false)) return;
  for (int s = 0; s <= reserved; s++) {
    if (s != own_stream && by & bit_of(s)) th_cuda_stream_wait(device, own_stream, device, s);
  }
  cudaSetDevice(device - 1);
  cudaFreeAsync(p, th_cuda_stream());
}

static th_status allocate(void **p, int device, int64_t bytes, int zeroed)
{
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  TH_TRY(take(p, device, bytes));
  remember(*p, device, bytes);
  if (!zeroed) return TH_OK;
  const th_status s = TH_CUDA(cudaMemsetAsync(*p, 0, (size_t)bytes, th_cuda_stream()));
  if (s != TH_OK) release(*p, device);
  return s;
}

th_status th_cuda_scratch::take(size_t bytes)
{
  int device = 0;
  cudaGetDevice(&device);
  return ::take(&p, device + 1, (int64_t)(bytes ? bytes : 1));
}

th_cuda_scratch::~th_cuda_scratch()
{
  if (p && !th_cuda_graph_keeps(p, false)) cudaFreeAsync(p, th_cuda_stream());
}

// The stream of the device that gives does it, after what the other one has been given; both wait for the end.
th_status th_cuda_copy(void *to, int to_device, const void *from, int from_device, int64_t bytes)
{
  if (!to_device && !from_device) {            /* memory that devices reach moves to a new place */
    th_cuda_host_wait(from);
    memcpy(to, from, (size_t)bytes);
    return TH_OK;
  }
  const int works = from_device ? from_device : to_device;
  if (to_device) th_cuda_uses(to, to_device);
  if (from_device) th_cuda_uses(from, from_device);
  if (!to_device) TH_CUDA_NOT_RECORDED("elements go to the host");
  if (!from_device) TH_CUDA_NOT_RECORDED("elements come from the host");
  if (to_device && from_device && to_device != from_device) {
    TH_TRY(th_cuda_stream_wait(from_device, own_stream, to_device, own_stream));
    TH_CUDA_TRY(cudaMemcpyPeerAsync(to, to_device - 1, from, from_device - 1, (size_t)bytes, th_cuda_stream()));
    return th_cuda_stream_wait(to_device, own_stream, from_device, own_stream);
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

static th_status enter(int device)
{
  note_call();
  return TH_CUDA(cudaSetDevice(device - 1));
}
static th_status by_cpu(void) { return th_cuda_cannot_record("the CPU computes it"); }
static bool late(void) { return !synchronous || th_cuda_records(); }
static th_status leave(void) { return late() ? TH_OK : TH_CUDA(cudaStreamSynchronize(th_cuda_stream())); }

static th_backend backend = { TH_ABI, 0, allocate, release, th_cuda_copy, th_cuda_outside, th_cuda_nonzero, enter, leave,
                              th_cuda_host_allocate, th_cuda_host_release };
static const th_recorder recorder = { th_cuda_records, th_cuda_graph_enter, by_cpu };
int th_cuda_synchronous(void) { return synchronous; }
void th_cuda_set_synchronous(int on) { synchronous = on != 0; }

static const th_guard guard = { late, uses, th_cuda_begin_checks };

th_status th_cuda_load(void)
{
  std::lock_guard<std::mutex> g(lock);
  static bool loaded;
  if (loaded) return TH_OK;
  const char *sync = th_environment("TH_CUDA_SYNC");
  synchronous = sync && strcmp(sync, "1") == 0;
  why = cudaGetDeviceCount(&count);
  if (why != cudaSuccess) count = 0;
  cudaGetLastError();
  if (count > TH_MAXDEVICE) count = TH_MAXDEVICE;
  backend.count = count;
  if (count) TH_TRY(th_backend_add(&backend));
  if (count) th_recorder_add(&recorder);
  if (count) th_guard_add(&guard);
  th_cuda_add_kernels();
  th_cuda_offer_ranks();
  loaded = true;
  return TH_OK;
}
