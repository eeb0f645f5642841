// nccl.cu - NCCL, opened when sums over devices first need it. Without it devices copy (nn/parallel/exchange.lua).
#include <map>
#include <mutex>
#include <vector>
#include "graph.cuh"
#include "library.h"
#include "thcuda.h"

/* ---- the library: what its interface calls things ---- */

enum { SUCCESS = 0, SUM = 0, NO_TYPE = -1 };
static const int types[TH_NDTYPE] = { NO_TYPE, 1, 0, NO_TYPE, 2, 4, 6, 9, 7, 8 };

#define FUNCTIONS(F) \
  F(init_all, ncclCommInitAll, void **comms, int n, const int *devices) \
  F(begin, ncclGroupStart, void) \
  F(end, ncclGroupEnd, void) \
  F(all_reduce, ncclAllReduce, const void *from, void *to, size_t n, int type, int op, void *comm, cudaStream_t stream) \
  F(reduce, ncclReduce, const void *from, void *to, size_t n, int type, int op, int root, void *comm, cudaStream_t stream) \
  F(broadcast, ncclBroadcast, const void *from, void *to, size_t n, int type, int root, void *comm, cudaStream_t stream)

static struct {
#define DECLARE(f, symbol, ...) int (*f)(__VA_ARGS__);
  FUNCTIONS(DECLARE)
#undef DECLARE
  const char *(*text)(int);
} nccl;
static th_library library("NCCL", "TH_NCCL");
static std::mutex lock;
static std::map<std::vector<int>, std::vector<void *>> communicators;          /* by their devices */

static bool found()
{
  static const bool none = th_cuda_is_emulated() && !library.without("emulated devices copy from each other");
#define BIND(f, symbol, ...) { (void **)&nccl.f, #symbol },
  static const bool there = !none && library.open({ "libnccl.so.2", "libnccl.so" },
                                                  { FUNCTIONS(BIND) { (void **)&nccl.text, "ncclGetErrorString" } }, nullptr);
#undef BIND
  return there;
}

const char *th_cuda_nccl(void) { return found() ? library.file() : ""; }
const char *th_cuda_nccl_why(void) { return found() ? "" : library.why(); }

static th_status status_of(int e, const char *what)
{
  return e == SUCCESS ? TH_OK : th_fail(TH_EBACKEND, "NCCL: %s (%s)", nccl.text(e), what);
}
#define TRY(f, ...) TH_TRY(status_of(nccl.f(__VA_ARGS__), #f))

/* ---- what several devices do at once ---- */

static th_status need_same(int n, th_tensor *const *t)
{
  const int64_t elements = th_tensor_numel(t[0]);
  for (int i = 0; i < n; i++) {
    if (t[i]->device < 1 || t[i]->dtype != t[0]->dtype || th_tensor_numel(t[i]) != elements || !th_tensor_is_contiguous(t[i])) {
      return th_fail(TH_EARG, "tensor %d must be packed, on a device, and of the type and size of the first", i + 1);
    }
    for (int k = 0; k < i; k++) {
      if (t[k]->device == t[i]->device) return th_fail(TH_EDEVICE, "tensors %d and %d are on one device", k + 1, i + 1);
    }
  }
  if (types[t[0]->dtype] == NO_TYPE) return th_fail(TH_EDTYPE, "NCCL knows no %sTensor", th_dtype_name(t[0]->dtype));
  return TH_OK;
}

static th_status communicators_of(int n, th_tensor *const *t, std::vector<void *> **comms)
{
  std::vector<int> devices;
  for (int i = 0; i < n; i++) devices.push_back(t[i]->device - 1);
  std::vector<void *> &all = communicators[devices];
  if (all.empty()) {
    std::vector<void *> made((size_t)n);
    TRY(init_all, made.data(), n, devices.data());
    all = made;
  }
  *comms = &all;
  return TH_OK;
}

enum { ALL, ONE, FROM_ONE };

static th_status one(int what, th_tensor *t, void *comm)
{
  const size_t n = (size_t)th_tensor_numel(t);
  void *p = th_data(t, th_element_size(t->dtype));
  const int type = types[t->dtype];
  TH_CUDA_TRY(cudaSetDevice(t->device - 1));
  if (what == ALL) TRY(all_reduce, p, p, n, type, SUM, comm, th_cuda_stream());
  if (what == ONE) TRY(reduce, p, p, n, type, SUM, 0, comm, th_cuda_stream());
  if (what == FROM_ONE) TRY(broadcast, p, p, n, type, 0, comm, th_cuda_stream());
  return TH_OK;
}

static th_status run(int what, int n, th_tensor *const *t)
{
  std::vector<void *> *comms;
  TH_CUDA_NOT_RECORDED("NCCL moves it");
  if (n < 1) return th_fail(TH_EARG, "there must be a tensor");
  TH_TRY(need_same(n, t));
  if (!found()) return th_fail(TH_EBACKEND, "there is no NCCL: %s", library.why());
  std::lock_guard<std::mutex> guard(lock);
  TH_TRY(communicators_of(n, t, &comms));
  th_status failed = TH_OK;
  TRY(begin);
  for (int i = 0; i < n && failed == TH_OK; i++) failed = one(what, t[i], (*comms)[(size_t)i]);
  const int ended = nccl.end();
  return failed != TH_OK ? failed : status_of(ended, "group");
}

th_status th_cuda_nccl_sum(int n, th_tensor *const *t, int all) { return run(all ? ALL : ONE, n, t); }
th_status th_cuda_nccl_broadcast(int n, th_tensor *const *t) { return run(FROM_ONE, n, t); }
