// graph_memory.cu - memory that must stay where it is while a graph uses it.
#include <atomic>
#include <mutex>
#include "graph_memory.cuh"
#include "graph_state.cuh"

enum : size_t { ROUND = 512 };

/* users: graphs that work on it; given: its tensor is gone. */
struct kept { int users; bool given, host; };

static std::mutex lock;
static std::map<void *, kept> all_kept;
static std::atomic<size_t> nkept;

/* Filled with ones: numbers that a recording makes and no replay has written yet are NaN, or -1. */
static th_status take_aside(void **p, size_t bytes)
{
  th_relaxed mode;
  cudaStream_t s;
  std::lock_guard<std::mutex> g(lock);
  TH_TRY(th_cuda_stream_aside(&s));
  TH_CUDA_TRY(cudaMallocAsync(p, bytes, s));
  th_status done = TH_CUDA(cudaMemsetAsync(*p, 0xff, bytes, s));
  if (done == TH_OK) done = TH_CUDA(cudaStreamSynchronize(s));
  if (done != TH_OK) cudaFreeAsync(*p, s);
  return done;
}

// ---- what is kept -------------------------------------------------------------------------------------------------------

/* Under the lock. */
static void use(th_cuda_graph *g, void *p, bool given, bool host)
{
  kept &k = all_kept.emplace(p, kept{ 0, false, false }).first->second;
  k.users++;
  k.given = k.given || given;
  k.host = k.host || host;
  g->used.push_back(p);
  nkept = all_kept.size();
}

static bool uses(const th_cuda_graph *g, const void *p)
{
  for (size_t i = g->used.size(); i > 0; i--) if (g->used[i - 1] == p) return true;
  return false;
}

th_status th_cuda_graph_take(void **p, int device, size_t bytes)
{
  th_cuda_graph *g = th_cuda_graph_now();
  if (device != g->device) return th_cuda_cannot_record("it takes memory of another device");
  const size_t want = (bytes + ROUND - 1) / ROUND * ROUND;
  const auto fits = g->spare.lower_bound(want);
  if (fits != g->spare.end() && fits->first <= 2 * want) {
    *p = fits->second;
    g->spare.erase(fits);
    std::lock_guard<std::mutex> guard(lock);
    all_kept[*p].given = false;
    return TH_OK;
  }
  th_status s = take_aside(p, want);
  if (s == TH_ENOMEM && th_cuda_wait_device(device) == TH_OK) s = take_aside(p, want);   /* what was freed comes back */
  g->full = g->full || s == TH_ENOMEM;
  TH_TRY(s);
  g->own[*p] = want;
  std::lock_guard<std::mutex> guard(lock);
  use(g, *p, false, false);
  return TH_OK;
}

bool th_cuda_graph_keeps(void *p, bool host)
{
  th_cuda_graph *g = th_cuda_graph_now();
  if (!g && nkept == 0) return false;
  const input_memory *r = g ? th_cuda_graph_input_at(g, static_cast<const char *>(p)) : nullptr;
  if (r) th_cuda_cannot_record(("it gives " + r->name + " other memory; change a copy, or what is no argument").c_str());
  std::lock_guard<std::mutex> guard(lock);
  const auto at = all_kept.find(p);
  if (g && !uses(g, p)) use(g, p, true, host);           /* what was recorded may work on it */
  else if (at != all_kept.end()) at->second.given = true;
  else return false;
  if (g && g->own.count(p)) g->spare.emplace(g->own[p], p);
  return true;
}

std::vector<void *> th_cuda_graph_release(th_cuda_graph *g)
{
  std::vector<void *> host;
  th_relaxed mode;
  {
    std::lock_guard<std::mutex> guard(lock);
    cudaStream_t s = nullptr;
    if (th_cuda_stream_aside(&s) == TH_OK && th_cuda_wait_for_all(s) != TH_OK) cudaDeviceSynchronize();
    for (void *p : g->used) {
      const auto at = all_kept.find(p);
      if (--at->second.users > 0) continue;
      const kept k = at->second;
      all_kept.erase(at);
      if (!k.given) continue;                /* its tensor will release it */
      if (k.host) host.push_back(p);
      else cudaFreeAsync(p, s);
    }
    nkept = all_kept.size();
    if (s) cudaStreamSynchronize(s);
  }
  g->used.clear();
  return host;
}

void th_cuda_graph_use(th_cuda_graph *g, const th_storage *s)
{
  void *p = th_whole_of(s)->data;
  std::lock_guard<std::mutex> guard(lock);
  if (!uses(g, p)) use(g, p, false, th_whole_of(s)->device == TH_CPU);
}

const input_memory *th_cuda_graph_input_at(const th_cuda_graph *g, const char *p)
{
  for (const input_memory &r : g->inputs) if (p >= r.first && p < r.end) return &r;
  return nullptr;
}
