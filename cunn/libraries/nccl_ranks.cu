// nccl_ranks.cu - what NCCL does for ranks of a job that have a device each (lib/comm/api/device.c): communicators over
// processes, and operations in a separate stream, for which only a caller of wait waits.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <vector>
#include "../runtime/recording.cuh"
#include "library.h"
#include "nccl.cuh"
#include "th_dist.h"

#ifndef __CUDACC__
namespace emu { void *nccl(const char *symbol); }       // a function of the emulated device's NCCL by its name
#endif

/* ---- the library ---- */

namespace {

using namespace nccl_names;

enum { IN_PROGRESS = 7, BYTES = types[TH_U8] };
constexpr int operators[] = { 0, 4, 3, 2, 1 };       // sum, mean, min, max, prod

struct unique { char bytes[TH_DEVICE_ID]; };     // goes by value
/* Of version 2.14, which later ones know by its number. Not blocking: a rank that does not come must not hold this one. */
struct settings { size_t size; unsigned magic, version; int blocking, unset; };

#define FUNCTIONS(F) \
  TH_NCCL_FUNCTIONS(F) \
  F(id, ncclGetUniqueId, unique *id) \
  F(init, ncclCommInitRankConfig, void **comm, int n, unique id, int rank, settings *config) \
  F(state, ncclCommGetAsyncError, void *comm, int *state) \
  F(all_gather, ncclAllGather, const void *from, void *to, size_t n, int type, void *comm, cudaStream_t stream) \
  F(reduce_scatter, ncclReduceScatter, const void *from, void *to, size_t n, int type, int op, void *comm, cudaStream_t stream)

struct functions {
#define DECLARE(f, symbol, ...) int (*f)(__VA_ARGS__);
  FUNCTIONS(DECLARE)
#undef DECLARE
  const char *(*text)(int);
} nccl;
th_library library("NCCL", "TH_NCCL");
#ifdef __CUDACC__
void *(*const emulated)(const char *) = nullptr;
#else
void *(*const emulated)(const char *) = emu::nccl;
#endif

bool found()
{
#define BIND(f, symbol, ...) { (void **)&nccl.f, #symbol },
  static const bool there = library.open({ "libnccl.so.2", "libnccl.so" },
                                         { FUNCTIONS(BIND) { (void **)&nccl.text, "ncclGetErrorString" } }, emulated);
#undef BIND
  return there;
}

/* Calls may go on after they have returned. */
th_status status_of(int e, const char *what)
{
  return e == SUCCESS || e == IN_PROGRESS ? TH_OK : th_fail(TH_EBACKEND, "NCCL: %s (%s)", nccl.text(e), what);
}
#define TRY(f, ...) TH_TRY(status_of(nccl.f(__VA_ARGS__), #f))

/* ---- a communicator ---- */

/* Lists of several tensors travel in one piece. */
struct communicator {
  int device;                                    // as CUDA counts
  void *comm;
  cudaStream_t stream;
  cudaEvent_t end;
  bool begun, marked;                            // an operation, and its end in the stream
  char *from, *to;                               // pieces
  std::vector<th_span> back;                     // and where the elements of `to` belong
  int es;
};

void forget_pieces(communicator *c)
{
  if (c->to && c->to != c->from) cudaFreeAsync(c->to, c->stream);
  if (c->from) cudaFreeAsync(c->from, c->stream);
  c->from = c->to = nullptr;
  c->back.clear();
}

void close(void *p)
{
  communicator *c = static_cast<communicator *>(p);
  cudaSetDevice(c->device);
  if (c->comm) nccl.abort(c->comm);
  forget_pieces(c);
  if (c->end) cudaEventDestroy(c->end);
  if (c->stream) cudaStreamDestroy(c->stream);
  delete c;
}

th_status begin(communicator *c, int size, int rank, const unique &id)
{
  settings s = { sizeof s, 0xcafebeef, 21400, 0, INT_MIN };
  TH_CUDA_TRY(cudaSetDevice(c->device));
  TH_CUDA_TRY(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking));
  TH_CUDA_TRY(cudaEventCreateWithFlags(&c->end, cudaEventDisableTiming));
  return status_of(nccl.init(&c->comm, size, id, rank, &s), "init");
}

th_status open(void **out, int device, int size, int rank, const char *id)
{
  unique u;
  memcpy(u.bytes, id, sizeof u.bytes);
  communicator *c = new communicator();
  c->device = device - 1;
  const th_status s = begin(c, size, rank, u);
  if (s == TH_OK) *out = c;
  else close(c);
  return s;
}

/* ---- operations ---- */

/* The elements of a list in one piece: where they lie, or room for them. */
th_status piece_of(communicator *c, const th_spans *s, char **p, char **room)
{
  *p = s->s[0].p;
  if (s->count == 1) return TH_OK;
  TH_CUDA_TRY(cudaMallocAsync((void **)room, (size_t)(s->n * c->es), c->stream));
  *p = *room;
  return TH_OK;
}

th_status collect(communicator *c, char *to, const th_spans *s)
{
  for (int64_t i = 0; i < s->count; i++) {
    const th_span &one = s->s[i];
    TH_CUDA_TRY(cudaMemcpyAsync(to + one.first * c->es, one.p, (size_t)(one.n * c->es), cudaMemcpyDefault, c->stream));
  }
  return TH_OK;
}

th_status call(communicator *c, const th_device_call *call, const char *from, char *to)
{
  const size_t in = (size_t)call->in->n, out = (size_t)call->out->n;
  const int type = types[call->dtype], op = operators[call->op];
  switch (call->kind) {
    case TH_DIST_ALLREDUCE: return status_of(nccl.all_reduce(from, to, in, type, op, c->comm, c->stream), "all_reduce");
    case TH_DIST_REDUCE: return status_of(nccl.reduce(from, to, in, type, op, call->root, c->comm, c->stream), "reduce");
    case TH_DIST_REDUCESCATTER:
      return status_of(nccl.reduce_scatter(from, to, out, type, op, c->comm, c->stream), "reduce_scatter");
    case TH_DIST_BROADCAST:
      return status_of(nccl.broadcast(from, to, in * (size_t)c->es, BYTES, call->root, c->comm, c->stream), "broadcast");
    case TH_DIST_ALLGATHER:
      return status_of(nccl.all_gather(from, to, in * (size_t)c->es, BYTES, c->comm, c->stream),
                       "all_gather");
    default:                                  // its row has not_on_device, and no case is here
      return th_fail(TH_EBACKEND, "NCCL's part of %s is missing in nccl_ranks.cu",
                     th_dist_kind(call->kind));
  }
}

th_status start(void *p, const th_device_call *w)
{
  communicator *c = static_cast<communicator *>(p);
  char *from, *to;
  const bool keeps = w->kind == TH_DIST_REDUCE && w->rank != w->root;
  const bool one = w->in->s[0].p == w->out->s[0].p && w->in->n == w->out->n && !keeps;
  c->es = (int)th_dtype_size(w->dtype);
  TH_CUDA_TRY(cudaSetDevice(c->device));
  TH_CUDA_TRY(cudaStreamWaitEvent(c->stream, static_cast<cudaEvent_t>(w->mark), 0));
  TH_TRY(piece_of(c, w->in, &from, &c->from));
  if (c->from) TH_TRY(collect(c, from, w->in));
  to = from;
  if (one) c->to = c->from;
  else if (keeps) c->to = nullptr;
  else TH_TRY(piece_of(c, w->out, &to, &c->to));
  if (c->to && !keeps) c->back.assign(w->out->s, w->out->s + w->out->count);
  c->begun = true;
  c->marked = false;
  return call(c, w, from, to);
}

/* What NCCL was given is in the stream: so is what follows it. */
th_status mark_end(communicator *c)
{
  for (const th_span &s : c->back) {
    TH_CUDA_TRY(cudaMemcpyAsync(s.p, c->to + s.first * c->es, (size_t)(s.n * c->es), cudaMemcpyDefault, c->stream));
  }
  forget_pieces(c);
  TH_CUDA_TRY(cudaEventRecord(c->end, c->stream));
  c->marked = true;
  return TH_OK;
}

th_status poll(void *p, int *done)
{
  communicator *c = static_cast<communicator *>(p);
  int state = SUCCESS;
  *done = 0;
  TRY(state, c->comm, &state);
  TH_TRY(status_of(state, c->begun ? "an operation" : "init"));
  if (state == IN_PROGRESS) return TH_OK;
  if (c->begun) {
    TH_CUDA_TRY(cudaSetDevice(c->device));
    if (!c->marked) TH_TRY(mark_end(c));
    const cudaError_t e = cudaEventQuery(c->end);
    if (e == cudaErrorNotReady) {
      cudaGetLastError();
      return TH_OK;
    }
    TH_TRY(th_cuda_status(e, "waiting for NCCL"));
  }
  *done = 1;
  return TH_OK;
}

/* ---- moments, names, copies ---- */

th_status mark(void **out, int device)
{
  cudaEvent_t e;
  TH_CUDA_NOT_RECORDED("other ranks take part");
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  TH_CUDA_TRY(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  *out = e;
  return TH_CUDA(cudaEventRecord(e, th_cuda_stream()));
}
void unmark(void *mark) { cudaEventDestroy(static_cast<cudaEvent_t>(mark)); }

th_status name(int device, char *name)
{
  cudaDeviceProp p;
  TH_CUDA_TRY(cudaGetDeviceProperties(&p, device - 1));
  snprintf(name, TH_DEVICE_NAME, "%x:%x:%x", p.pciDomainID, p.pciBusID, p.pciDeviceID);
  return TH_OK;
}

th_status id(char *id)
{
  unique u;
  TRY(id, &u);
  memcpy(id, u.bytes, sizeof u.bytes);
  return TH_OK;
}

/* Elements between tensors of a device and one piece of memory of the host, in a stream that waits for the mark. */
th_status move(const th_spans *s, char *host, bool to_host, int es, int device, void *mark)
{
  cudaStream_t stream;
  TH_CUDA_TRY(cudaSetDevice(device - 1));
  TH_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaError_t e = cudaStreamWaitEvent(stream, static_cast<cudaEvent_t>(mark), 0);
  for (int64_t i = 0; i < s->count && e == cudaSuccess; i++) {
    char *at = host + s->s[i].first * es, *p = s->s[i].p;
    e = cudaMemcpyAsync(to_host ? at : p, to_host ? p : at, (size_t)(s->s[i].n * es), cudaMemcpyDefault, stream);
  }
  if (e == cudaSuccess) e = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return th_cuda_status(e, "copies of tensors");
}
th_status to_host(char *to, const th_spans *from, int es, int device, void *mark)
{
  return move(from, to, true, es, device, mark);
}
th_status from_host(const th_spans *to, const char *from, int es, int device, void *mark)
{
  return move(to, const_cast<char *>(from), false, es, device, mark);
}

const char *why() { return found() ? "" : library.why(); }
const char *file() { return library.file(); }

}  // namespace

void th_cuda_offer_ranks()
{
  static const th_device_ranks all = { why, file, name, id, open, mark, unmark, start, poll, close, to_host, from_host };
  th_dist_offer(&all);
}

#ifdef TH_NCCL_HEADER
#include <stddef.h>
namespace same { template <> struct passed<ncclUniqueId> { typedef unique as; }; }
static_assert(sizeof(unique) == sizeof(ncclUniqueId), "NCCL's header has other identifiers");
static_assert(offsetof(settings, magic) == offsetof(ncclConfig_t, magic) &&
              offsetof(settings, version) == offsetof(ncclConfig_t, version) &&
              offsetof(settings, blocking) == offsetof(ncclConfig_t, blocking) &&
              offsetof(settings, unset) == offsetof(ncclConfig_t, cgaClusterSize), "NCCL's header has other settings");
TH_SAME_NUMBER(IN_PROGRESS, ncclInProgress)
TH_SAME_NUMBER(operators[0], ncclSum)
TH_SAME_NUMBER(operators[1], ncclAvg)
TH_SAME_NUMBER(operators[2], ncclMin)
TH_SAME_NUMBER(operators[3], ncclMax)
TH_SAME_NUMBER(operators[4], ncclProd)
#define SAME(f, symbol, ...) TH_SAME_ARGUMENTS(nccl.f, symbol)
FUNCTIONS(SAME)
TH_SAME_ARGUMENTS(nccl.text, ncclGetErrorString)
#endif
