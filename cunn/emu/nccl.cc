// nccl.cc - the NCCL of the emulated device, between processes, with NCCL's names and semantics. Ranks share memory that the id
// of a communicator names, and exchange elements through it, a chunk at a time. Work of a stream never blocks: it is run again
// until the other ranks have arrived. Errors here that NCCL may leave undefined: different calls on the ranks, memory of
// another device, a second stream.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include "../runtime/backend.cuh"
#include "machine.h"

namespace {

enum { SUCCESS, UNHANDLED_CUDA_ERROR, SYSTEM_ERROR, INTERNAL_ERROR, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR, IN_PROGRESS };
enum { ALL_REDUCE = 1, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER };
enum { SUM, PROD, MAX, MIN, AVG, OPERATORS };
enum { ID = 128, RANKS = 64, CHUNK = 64 << 10 };

struct unique { char bytes[ID]; };
struct settings { size_t size; unsigned magic, version; int blocking, unset; };
struct arguments { uint64_t count; int32_t kind, type, op, root; };

/* Of a rank: the rounds in which it has written its chunk, and read the chunks of the others. */
struct seat { uint32_t here, posted, taken; arguments call; alignas(64) char chunk[CHUNK]; };
struct room { int32_t n; uint32_t failed; seat ranks[RANKS]; };

struct communicator {
  int n, rank, device;
  bool blocking, aborted;
  int fd, error;
  room *shared;
  uint32_t rounds;                   /* completed rounds */
  CUstream_st *stream;
};
std::set<void *> communicators;      /* protected by the machine's lock */

uint32_t load(const uint32_t &v) { return __atomic_load_n(&v, __ATOMIC_ACQUIRE); }
void store(uint32_t &v, uint32_t to) { __atomic_store_n(&v, to, __ATOMIC_RELEASE); }

int fail(communicator *c, int e)
{
  c->error = e;
  if (c->shared) store(c->shared->failed, 1);
  return e;
}

/* ---- creation of a communicator ---- */

/* Its descriptor stays open until all ranks have arrived. */
int get_id(unique *id)
{
  emu::guard g(emu::all().lock);
  if (!id) return INVALID_ARGUMENT;
  const int fd = memfd_create("emulated-nccl", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, sizeof(room)) != 0) return SYSTEM_ERROR;
  memset(id->bytes, 0, ID);
  snprintf(id->bytes, ID, "/proc/%d/fd/%d", (int)getpid(), fd);
  return SUCCESS;
}

/* Checks whether all ranks have arrived or one has failed. The memory has no name; the kernel frees it with the last process. */
int progress(communicator *c)
{
  int here = 0;
  if (c->error != IN_PROGRESS) return c->error;
  if (load(c->shared->failed)) return fail(c, REMOTE_ERROR);
  for (int r = 0; r < c->n; r++) here += load(c->shared->ranks[r].here) != 0;
  if (here < c->n) return IN_PROGRESS;
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
  return c->error = SUCCESS;
}

int init(void **out, int n, unique id, int rank, settings *s)
{
  emu::guard g(emu::all().lock);
  int device = 0, fd = -1, pid = 0, number = 0;
  if (!out || n < 1 || n > RANKS || rank < 0 || rank >= n) return INVALID_ARGUMENT;
  if (!s || s->magic != 0xcafebeef || s->size < sizeof *s) return INVALID_ARGUMENT;
  if (s->blocking != 0) return INVALID_USAGE;                                /* would block with the lock */
  if (!memchr(id.bytes, 0, ID) || sscanf(id.bytes, "/proc/%d/fd/%d", &pid, &number) != 2) return INVALID_ARGUMENT;
  fd = open(id.bytes, O_RDWR | O_CLOEXEC);
  if (fd < 0) return SYSTEM_ERROR;
  void *p = mmap(nullptr, sizeof(room), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (p == MAP_FAILED) return SYSTEM_ERROR;
  cudaGetDevice(&device);
  communicator *c = new communicator{ n, rank, device, false, false, pid == getpid() ? number : -1, IN_PROGRESS,
                                      static_cast<room *>(p), 0, nullptr };
  int32_t others = 0;
  if (!__atomic_compare_exchange_n(&c->shared->n, &others, n, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && others != n) {
    fail(c, INVALID_USAGE);
  }
  if (__atomic_fetch_add(&c->shared->ranks[rank].here, 1, __ATOMIC_ACQ_REL)) fail(c, INVALID_USAGE);        /* twice */
  communicators.insert(c);
  *out = c;
  return IN_PROGRESS;
}

int state(void *p, int *e)
{
  emu::guard g(emu::all().lock);
  if (!e || !communicators.count(p)) return INVALID_ARGUMENT;
  communicator *c = static_cast<communicator *>(p);
  if (c->error == SUCCESS && load(c->shared->failed)) fail(c, REMOTE_ERROR);
  *e = progress(c);
  return SUCCESS;
}

/* Its work in streams ends immediately. Queued work still refers to it, so it is never freed. */
int abort_one(void *p)
{
  emu::guard g(emu::all().lock);
  if (!communicators.erase(p)) return INVALID_ARGUMENT;
  communicator *c = static_cast<communicator *>(p);
  c->aborted = true;
  if (c->error == IN_PROGRESS) store(c->shared->failed, 1);
  if (c->fd >= 0) close(c->fd);
  munmap(c->shared, sizeof(room));
  c->shared = nullptr;
  return SUCCESS;
}

/* ---- elements ---- */

/* Starts at the rank of the chunk: as with NCCL not in the order of the ranks, but the same on all ranks and in each call. */
template <class T> void combine(const communicator *c, void *to, int op, size_t at, size_t n, size_t first)
{
  typedef element<T> E;
  T *y = static_cast<T *>(to);
  for (size_t i = 0; i < n; i++) {
    const auto x = [&](int k) {
      const int r = (int)((first + 1 + (size_t)k) % (size_t)c->n);
      return E::load(reinterpret_cast<const T *>(c->shared->ranks[r].chunk)[at + i]);
    };
    auto v = x(0);
    for (int k = 1; k < c->n; k++) {
      const auto u = x(k);
      if (op == SUM || op == AVG) v = (typename E::C)(v + u);
      if (op == PROD) v = (typename E::C)(v * u);
      if (op == MAX) v = v < u ? u : v;
      if (op == MIN) v = u < v ? u : v;
    }
    y[i] = E::store(op == AVG ? v / (typename E::C)c->n : v);
  }
}

typedef void (*combiner)(const communicator *, void *, int, size_t, size_t, size_t);
struct type { size_t bytes; combiner f; };
const type types[] = { { 1, combine<int8_t> }, { 1, combine<uint8_t> }, { 4, combine<int32_t> }, { 0, nullptr },
                       { 8, combine<int64_t> }, { 0, nullptr }, { 2, combine<f16> }, { 4, combine<float> },
                       { 8, combine<double> }, { 2, combine<bf16> } };

/* ---- an operation: rounds in which each rank writes, waits for all, and reads. The first round compares the calls. ---- */

struct work {
  communicator *c;
  arguments call;
  const char *from;
  char *to;
  uint64_t done;
  bool agreed, posted;
};

size_t bytes_of(const work &w) { return types[w.call.type].bytes; }
uint64_t most_of(const work &w)
{
  return CHUNK / bytes_of(w) / (uint64_t)(w.call.kind == REDUCE_SCATTER ? w.c->n : 1);
}

void put(const work &w, uint64_t n)
{
  const communicator *c = w.c;
  const size_t es = bytes_of(w);
  char *chunk = c->shared->ranks[c->rank].chunk;
  if (w.call.kind == BROADCAST && c->rank != w.call.root) return;
  for (int r = 0; r < (w.call.kind == REDUCE_SCATTER ? c->n : 1); r++) {
    memcpy(chunk + (size_t)r * n * es, w.from + ((uint64_t)r * w.call.count + w.done) * es, n * es);
  }
}

void take(const work &w, uint64_t n)
{
  const communicator *c = w.c;
  const size_t es = bytes_of(w);
  char *to = w.to + w.done * es;
  const bool root = c->rank == w.call.root;
  const combiner f = types[w.call.type].f;
  if (w.call.kind == BROADCAST) memcpy(to, c->shared->ranks[w.call.root].chunk, n * es);
  if (w.call.kind == ALL_REDUCE || (w.call.kind == REDUCE && root)) f(c, to, w.call.op, 0, n, w.done / most_of(w));
  if (w.call.kind == REDUCE_SCATTER) f(c, to, w.call.op, (size_t)c->rank * n, n, (size_t)c->rank);
  if (w.call.kind != ALL_GATHER) return;
  for (int r = 0; r < c->n; r++) memcpy(to + (uint64_t)r * w.call.count * es, c->shared->ranks[r].chunk, n * es);
}

bool all_have(const communicator *c, uint32_t seat::*what, uint32_t round)
{
  for (int r = 0; r < c->n; r++) if ((int32_t)(load(c->shared->ranks[r].*what) - round) < 0) return false;
  return true;
}

/* Runs one round as far as possible; returns whether it has ended. */
bool round_of(work &w, uint64_t n)
{
  communicator *c = w.c;
  seat &mine = c->shared->ranks[c->rank];
  if (!w.posted) {
    if (!all_have(c, &seat::taken, c->rounds)) return false;
    if (w.agreed) put(w, n);
    else mine.call = w.call;
    store(mine.posted, c->rounds + 1);
    w.posted = true;
  }
  if (!all_have(c, &seat::posted, c->rounds + 1)) return false;
  if (w.agreed) take(w, n);
  for (int r = 0; !w.agreed && r < c->n; r++) {
    const arguments &a = c->shared->ranks[r].call;
    if (memcmp(&a, &w.call, sizeof a) != 0) c->error = INVALID_USAGE;        /* all ranks find the same error */
  }
  store(mine.taken, ++c->rounds);
  w.posted = false;
  return true;
}

/* A piece of a stream's work. */
void go_on(work &w)
{
  communicator *c = w.c;
  for (;;) {
    if (c->aborted || c->error != SUCCESS || load(c->shared->failed)) return;
    const uint64_t left = w.call.count - w.done, n = w.agreed ? std::min(left, most_of(w)) : 0;
    if (w.agreed && !left) return;
    if (!round_of(w, n)) {
      emu::all().again = true;
      return;
    }
    w.agreed = true;
    w.done += n;
  }
}

bool is_device_memory(const communicator *c, const void *p, uint64_t bytes)
{
  const auto &pieces = emu::all().pieces;
  auto at = pieces.upper_bound(const_cast<void *>(p));
  if (at == pieces.begin()) return false;
  --at;
  const char *first = static_cast<const char *>(at->first), *q = static_cast<const char *>(p);
  return at->second.device == c->device && q >= first && q + bytes <= first + at->second.bytes;
}

int start(arguments call, const void *from, void *to, void *p, cudaStream_t s)
{
  emu::guard g(emu::all().lock);
  if (!communicators.count(p)) return INVALID_ARGUMENT;
  communicator *c = static_cast<communicator *>(p);
  int device = 0;
  cudaGetDevice(&device);
  if (progress(c) != SUCCESS) return c->error == IN_PROGRESS ? INVALID_USAGE : c->error;
  if (call.type < 0 || call.type >= (int)(sizeof types / sizeof *types) || !types[call.type].f) return INVALID_ARGUMENT;
  if (call.op < 0 || call.op >= OPERATORS || call.root < 0 || call.root >= c->n || device != c->device) return INVALID_ARGUMENT;
  const uint64_t es = types[call.type].bytes, whole = call.count * es, n = (uint64_t)c->n;
  const bool writes = call.kind != REDUCE || c->rank == call.root;
  if (!is_device_memory(c, from, whole * (call.kind == REDUCE_SCATTER ? n : 1))) return INVALID_ARGUMENT;
  if (writes && !is_device_memory(c, to, whole * (call.kind == ALL_GATHER ? n : 1))) return INVALID_ARGUMENT;
  CUstream_st *stream = emu::stream_of(s);
  if (!emu::is_stream(s) || stream->taking || (c->stream && c->stream != stream)) return INVALID_USAGE;
  c->stream = stream;
  const work one = { c, call, static_cast<const char *>(from), static_cast<char *>(to), 0, false, false };
  const auto w = std::make_shared<work>(one);
  emu::put(stream, [=] { go_on(*w); });
  return SUCCESS;
}

int all_reduce(const void *from, void *to, size_t n, int type, int op, void *c, cudaStream_t s)
{
  return start({ n, ALL_REDUCE, type, op, 0 }, from, to, c, s);
}
int reduce(const void *from, void *to, size_t n, int type, int op, int root, void *c, cudaStream_t s)
{
  return start({ n, REDUCE, type, op, root }, from, to, c, s);
}
int broadcast(const void *from, void *to, size_t n, int type, int root, void *c, cudaStream_t s)
{
  return start({ n, BROADCAST, type, 0, root }, from, to, c, s);
}
int all_gather(const void *from, void *to, size_t n, int type, void *c, cudaStream_t s)
{
  return start({ n, ALL_GATHER, type, 0, 0 }, from, to, c, s);
}
int reduce_scatter(const void *from, void *to, size_t n, int type, int op, void *c, cudaStream_t s)
{
  return start({ n, REDUCE_SCATTER, type, op, 0 }, from, to, c, s);
}

const char *text(int e)
{
  static const char *const texts[] = { "no error", "unhandled cuda error", "unhandled system error", "internal error",
                                       "invalid argument", "invalid usage", "remote process exited or there was a network error",
                                       "NCCL operation in progress" };
  return e >= 0 && e <= IN_PROGRESS ? texts[e] : "unknown result code";
}

}  // namespace

namespace emu { void *nccl(const char *name); }
void *emu::nccl(const char *name)
{
  static const struct { const char *name; void *f; } symbols[] = {
    { "ncclGetUniqueId", (void *)get_id }, { "ncclCommInitRankConfig", (void *)init }, { "ncclCommGetAsyncError", (void *)state },
    { "ncclCommAbort", (void *)abort_one }, { "ncclAllReduce", (void *)all_reduce }, { "ncclReduce", (void *)reduce },
    { "ncclBroadcast", (void *)broadcast }, { "ncclAllGather", (void *)all_gather },
    { "ncclReduceScatter", (void *)reduce_scatter }, { "ncclGetErrorString", (void *)text },
  };
  for (const auto &s : symbols) if (!strcmp(s.name, name)) return s.f;
  return nullptr;
}
