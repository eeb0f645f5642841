// memory.cu - memory of devices: which streams use it, and which devices reach that of others.
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string.h>
#include "device.cuh"
#include "graph_memory.cuh"

int th_cuda_can_access(int device, int peer)
{
  int can = 0;
  if (device < 1 || peer < 1 || device > th_cuda_count() || peer > th_cuda_count()) return 0;
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
  TH_TRY(th_cuda_need_device(device));
  TH_TRY(th_cuda_need_device(peer));
  if (device == peer) return TH_OK;
  if (on && !th_cuda_can_access(device, peer)) {
    return th_fail(TH_EDEVICE, "device %d cannot reach the memory of device %d: copies go through the host", device, peer);
  }
  chosen_access[device - 1][peer - 1] = true;
  return give_access(device, peer, on);
}

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
  blocks[device - 1][static_cast<char *>(p)] = { bytes, bit_of(th_cuda_stream_number()) };
}
/* The block, of 0 bytes and used by all streams if it is unknown. */
static block forget(void *p, int device)
{
  std::lock_guard<std::mutex> g(block_lock);
  const auto at = blocks[device - 1].find(static_cast<char *>(p));
  if (at == blocks[device - 1].end()) return { 0, ~(uint64_t)0 };
  const block b = at->second;
  blocks[device - 1].erase(at);
  return b;
}

void th_cuda_uses(const void *p, int device)
{
  if (th_cuda_streams() == 0) return;                                 // only the default stream exists
  std::lock_guard<std::mutex> g(block_lock);
  auto at = blocks[device - 1].upper_bound(static_cast<const char *>(p));
  if (at != blocks[device - 1].begin()) (--at)->second.used_by |= bit_of(th_cuda_stream_number());
}
static void use_tensor(const th_tensor *t)
{
  if (t && t->device != TH_CPU && t->storage && t->storage->data) th_cuda_uses(t->storage->data, t->device);
}
void th_cuda_call_uses(const th_call *c)
{
  if (th_cuda_streams() == 0) return;
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

/* The collector takes about a millisecond, in which a GPU makes many tensors: garbage up to this
 * part of its memory may wait. */
static const int SPARE = 16;

/* The first memory of a device. What is freed stays with the pool, for the next tensors: getting memory from the system is slow.
 * Devices that are in use reach each other's memory, as NCCL and direct copies need, unless the caller has chosen otherwise. */
static void prepare_memory(int device)
{
  static std::atomic<bool> used[TH_MAXDEVICE];
  cudaMemPool_t pool;
  uint64_t all = UINT64_MAX;
  if (used[device - 1].exchange(true) || cudaDeviceGetDefaultMemPool(&pool, device - 1) != cudaSuccess) return;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
  size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) {
    th_memory_of(device)->spare = (int64_t)(total / SPARE);
  }
  for (int d = 1; d <= th_cuda_count(); d++) {
    if (d == device || !used[d - 1]) continue;
    if (!chosen_access[d - 1][device - 1] && th_cuda_can_access(d, device)) give_access(d, device, 1);
    if (!chosen_access[device - 1][d - 1] && th_cuda_can_access(device, d)) give_access(device, d, 1);
  }
  cudaGetLastError();                        /* copies go through the host where this has failed */
}

// ---- idle blocks --------------------------------------------------------------------------------

/* Small blocks that were given back stay with their stream, whose later work may use them at once.
 * So a step of training finds those of the step before, and asks the pool for none. Sizes must be
 * equal. Sanitizers must see each release, so they have no idle blocks. */
#if defined __SANITIZE_ADDRESS__ || defined TH_EMU_RACES
static const size_t IDLE_BLOCK = 0;
#else
static const size_t IDLE_BLOCK = 4 << 20;
#endif
static const size_t IDLE_MOST = 64 << 20;                    // bytes of idle blocks on a device

typedef std::pair<cudaStream_t, size_t> idle_key;
static std::mutex idle_lock;
static std::multimap<idle_key, void *> idle[TH_MAXDEVICE];
static size_t idle_bytes[TH_MAXDEVICE];

static void *take_idle(int device, size_t bytes, cudaStream_t stream)
{
  void *p = nullptr;
  {
    std::lock_guard<std::mutex> g(idle_lock);
    const auto at = idle[device - 1].find({ stream, bytes });
    if (at == idle[device - 1].end()) return nullptr;
    p = at->second;
    idle[device - 1].erase(at);
    idle_bytes[device - 1] -= bytes;
  }
#ifndef __CUDACC__
  emu::take_again(p, bytes, stream);
#endif
  return p;
}

/* Gives a block back, in a stream that has waited for all its users. */
static void give_back(void *p, int device, size_t bytes, cudaStream_t stream)
{
  if (bytes && bytes <= IDLE_BLOCK) {
#ifndef __CUDACC__
    emu::leave(p, stream);
#endif
    std::lock_guard<std::mutex> g(idle_lock);
    if (idle_bytes[device - 1] + bytes <= IDLE_MOST) {
      idle[device - 1].insert({ { stream, bytes }, p });
      idle_bytes[device - 1] += bytes;
      return;
    }
  }
  cudaFreeAsync(p, stream);
}

/* Gives the idle blocks of the current device to its pool. */
static void free_idle(int device)
{
  std::lock_guard<std::mutex> g(idle_lock);
  for (const auto &b : idle[device - 1]) cudaFreeAsync(b.second, b.first.first);
  idle[device - 1].clear();
  idle_bytes[device - 1] = 0;
}

th_status th_cuda_trim(int device)
{
  cudaMemPool_t pool;
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  free_idle(device);
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
  *p = take_idle(device, (size_t)bytes, th_cuda_stream());
  if (*p) return TH_OK;
  cudaError_t e = cudaMallocAsync(p, (size_t)bytes, th_cuda_stream());
  if (e == cudaErrorMemoryAllocation) {                      // what was freed in other streams comes back
    cudaGetLastError();
    free_idle(device);
    TH_TRY(th_cuda_wait_device(device - 1));
    e = cudaMallocAsync(p, (size_t)bytes, th_cuda_stream());
  }
  if (e == cudaErrorMemoryAllocation) return no_memory(device, bytes);
  return th_cuda_status(e, "cudaMallocAsync");
}

/* Streams that have used the block may not have finished: the stream that frees it waits for them. */
void th_cuda_release(void *p, int device)
{
  const block b = forget(p, device);
  if (th_cuda_graph_keeps(p, false)) return;
  const int own = th_cuda_stream_number();
  bool waited = true;
  for (int s = 0; s <= th_cuda_streams(); s++) {
    if (s == own || !(b.used_by & bit_of(s))) continue;
    waited = th_cuda_stream_wait(device, own, device, s) == TH_OK && waited;
  }
  cudaSetDevice(device - 1);
  give_back(p, device, waited ? (size_t)b.bytes : 0, th_cuda_stream());
}

th_status th_cuda_allocate(void **p, int device, int64_t bytes, int zeroed)
{
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  TH_TRY(take(p, device, bytes));
  remember(*p, device, bytes);
  if (!zeroed) return TH_OK;
  const th_status s = TH_CUDA(cudaMemsetAsync(*p, 0, (size_t)bytes, th_cuda_stream()));
  if (s != TH_OK) th_cuda_release(*p, device);
  return s;
}

th_status th_cuda_scratch::take(size_t n)
{
  int current = 0;
  cudaGetDevice(&current);
  device = current + 1;
  stream = th_cuda_stream();
  bytes = n ? n : 1;
  return ::take(&p, device, (int64_t)bytes);
}

th_cuda_scratch::~th_cuda_scratch()
{
  if (p && !th_cuda_graph_keeps(p, false)) give_back(p, device, bytes, stream);
}
