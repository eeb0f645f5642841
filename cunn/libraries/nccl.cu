// nccl.cu - NCCL, opened when sums over devices first need it. Without it devices copy (nn/parallel/exchange.lua).
#include <map>
#include <mutex>
#include <vector>
#include "../runtime/device.cuh"
#include "library.h"
#include "nccl.cuh"
#include "thcuda.h"

/* ---- the library ---- */

using namespace nccl_names;

#define FUNCTIONS(F) \
  TH_NCCL_FUNCTIONS(F) \
  F(init_all, ncclCommInitAll, void **comms, int n, const int *devices) \
  F(begin, ncclGroupStart, void) \
  F(end, ncclGroupEnd, void)

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

static int one(int what, th_tensor *t, void *comm, cudaStream_t stream)
{
  const size_t n = (size_t)th_tensor_numel(t);
  void *p = th_data(t, th_element_size(t->dtype));
  const int type = types[t->dtype];
  if (what == ALL) return nccl.all_reduce(p, p, n, type, SUM, comm, stream);
  if (what == ONE) return nccl.reduce(p, p, n, type, SUM, 0, comm, stream);
  return nccl.broadcast(p, p, n, type, 0, comm, stream);
}

static th_status streams_of(int n, th_tensor *const *t, std::vector<cudaStream_t> *streams)
{
  for (int i = 0; i < n; i++) {
    TH_CUDA_TRY(cudaSetDevice(t[i]->device - 1));
    streams->push_back(th_cuda_stream());
    th_cuda_uses(t[i]->storage->data, t[i]->device);
  }
  return TH_OK;
}

/* A group fails on all devices or on none: if it fails, those that have begun would wait for the others for ever. To abort the
 * communicators ends what they have begun; the next call makes new ones. */
static th_status group(int what, int n, th_tensor *const *t, std::vector<void *> *comms, const std::vector<cudaStream_t> &streams)
{
  int e = nccl.begin();
  if (e == SUCCESS) {
    for (int i = 0; i < n && e == SUCCESS; i++) e = one(what, t[i], (*comms)[(size_t)i], streams[(size_t)i]);
    const int ended = nccl.end();
    if (e == SUCCESS) e = ended;
  }
  if (e == SUCCESS) return TH_OK;
  for (void *comm : *comms) nccl.abort(comm);
  comms->clear();
  return status_of(e, "a group of devices");
}

static th_status run(int what, int n, th_tensor *const *t)
{
  std::vector<void *> *comms = nullptr;
  TH_CUDA_NOT_RECORDED("NCCL moves it");
  if (n < 1) return th_fail(TH_EARG, "there must be a tensor");
  TH_TRY(need_same(n, t));
  if (!found()) return th_fail(TH_EBACKEND, "there is no NCCL: %s", library.why());
  std::lock_guard<std::mutex> guard(lock);
  std::vector<cudaStream_t> streams;
  if (t[0]->storage == nullptr || th_tensor_numel(t[0]) == 0) return TH_OK;
  TH_TRY(communicators_of(n, t, &comms));
  TH_TRY(streams_of(n, t, &streams));
  return group(what, n, t, comms, streams);
}

th_status th_cuda_nccl_sum(int n, th_tensor *const *t, int all) { return run(all ? ALL : ONE, n, t); }
th_status th_cuda_nccl_broadcast(int n, th_tensor *const *t) { return run(FROM_ONE, n, t); }

#ifdef TH_NCCL_HEADER
#define SAME(f, symbol, ...) TH_SAME_ARGUMENTS(nccl.f, symbol)
FUNCTIONS(SAME)
TH_SAME_ARGUMENTS(nccl.text, ncclGetErrorString)
#endif
