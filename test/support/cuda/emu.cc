// emu.cc - kernels that lean on every part of the emulated device; built and run by emu_spec.lua, the case is the argument.
#include <stdio.h>
#include <stdlib.h>
#include <thread>
#include "cuda_runtime.h"

#define START(blocks, threads, shared, s, call) emu::launch(blocks, threads, shared, s, [=] { call; }, #call)
#define NEED(e) do { if (!(e)) { printf("not so: %s\n", #e); exit(1); } } while (0)

template <class T> static T *room(size_t n)
{
  void *p;
  NEED(cudaMallocAsync(&p, n * sizeof(T), nullptr) == cudaSuccess);
  return static_cast<T *>(p);
}

/* ---- barriers, warps, shared memory, atomics ---- */

static void sum(float *y, const float *x, int n)
{
  __shared__ float part[8];
  float a = 0;
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) a += x[i];
  for (int h = 16; h; h /= 2) a += __shfl_down_sync(~0u, a, (unsigned)h);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = a;
  __syncthreads();
  if (threadIdx.x == 0) for (int w = 0; w < 8; w++) y[blockIdx.x] += part[w];
}
static void reverse(int *x, int n)
{
  int *all = static_cast<int *>(emu::dynamic_shared());
  all[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = all[n - 1 - (int)threadIdx.x];
}
static void warps(int *bad)
{
  const int lane = (int)threadIdx.x % 32;
  if (__shfl_sync(~0u, lane, 5) != 5) *bad = 1;
  if (__shfl_up_sync(~0u, lane, 3) != (lane < 3 ? lane : lane - 3)) *bad = 2;
  if (__shfl_xor_sync(~0u, (double)lane, 1) != (lane ^ 1)) *bad = 3;
  if (__shfl_sync(~0u, lane, 1, 8) != lane / 8 * 8 + 1) *bad = 4;
  if (__ballot_sync(~0u, lane % 2) != 0xaaaaaaaau) *bad = 5;
  if (!__any_sync(~0u, lane == 7) || __all_sync(~0u, lane == 7)) *bad = 6;
  if (lane < 16 && __shfl_sync(0xffffu, lane, 15) != 15) *bad = 7;          // half of a warp by itself
  if (__syncthreads_count(lane < 4) != 8) *bad = 8;                         // of two warps
}
static void count(int *n) { atomicAdd(n, 1); }

static int works()
{
  float *x = room<float>(1000), *y = room<float>(4), back[4], ones[1000];
  for (float &v : ones) v = 1;
  NEED(cudaMemcpyAsync(x, ones, sizeof ones, cudaMemcpyDefault, nullptr) == cudaSuccess);
  cudaMemsetAsync(y, 0, sizeof back, nullptr);
  START(4, 256, 0, nullptr, sum(y, x, 1000));
  NEED(cudaMemcpyAsync(back, y, sizeof back, cudaMemcpyDefault, nullptr) == cudaSuccess);
  for (float v : back) NEED(v == 1000);

  int *k = room<int>(100), numbers[100], bad = 0;
  for (int i = 0; i < 100; i++) numbers[i] = i;
  cudaMemcpyAsync(k, numbers, sizeof numbers, cudaMemcpyDefault, nullptr);
  START(1, 100, sizeof numbers, nullptr, reverse(k, 100));
  cudaMemcpyAsync(numbers, k, sizeof numbers, cudaMemcpyDefault, nullptr);
  for (int i = 0; i < 100; i++) NEED(numbers[i] == 99 - i);

  cudaMemsetAsync(k, 0, 4, nullptr);
  START(3, 64, 0, nullptr, warps(k));
  cudaMemcpyAsync(&bad, k, 4, cudaMemcpyDefault, nullptr);
  if (bad) printf("warps: check %d\n", bad);
  NEED(bad == 0);
  START(dim3(3, 2, 2), dim3(4, 4, 2), 0, nullptr, count(k));
  cudaMemcpyAsync(&bad, k, 4, cudaMemcpyDefault, nullptr);
  NEED(bad == 12 * 32);
  return 0;
}

/* ---- streams and events ---- */

static void put(int *p, int v) { *p = v; }
static void twice(int *p) { *p *= 2; }

static int ordered()
{
  cudaStream_t a, b;
  cudaEvent_t e;
  int *p = room<int>(1), back = 0;
  cudaStreamSynchronize(nullptr);
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  START(1, 1, 0, a, put(p, 21));
  cudaEventRecord(e, a);
  NEED(cudaEventQuery(e) == cudaErrorNotReady);          // nothing happens before somebody waits
  cudaStreamWaitEvent(b, e, 0);
  cudaEventDestroy(e);
  START(1, 1, 0, b, twice(p));
  cudaMemcpyAsync(&back, p, sizeof back, cudaMemcpyDefault, b);
  NEED(back == 42);

  START(1, 1, 0, a, put(p, 1));
  cudaMemcpyAsync(&back, p, sizeof back, cudaMemcpyDefault, b);              // b did not wait for a
  NEED(back == 42);
  cudaStreamSynchronize(a);
  cudaMemcpyAsync(&back, p, sizeof back, cudaMemcpyDefault, b);
  NEED(back == 1);
  NEED(cudaStreamDestroy(a) == cudaSuccess && cudaStreamSynchronize(a) == cudaErrorInvalidResourceHandle);
  return 0;
}

/* One stream allocates, another uses and frees. The waits between them may be left out. */
static cudaError_t across(bool waits, bool frees_early)
{
  cudaStream_t a, b;
  cudaEvent_t e;
  void *made;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  NEED(cudaMallocAsync(&made, sizeof(int), a) == cudaSuccess);
  int *p = static_cast<int *>(made);
  cudaEventRecord(e, a);
  if (waits) cudaStreamWaitEvent(b, e, 0);
  emu::launch(1, 1, 0, b, [=] { if (!frees_early) put(p, 1); }, "put", &p, sizeof p);
  cudaEventRecord(e, b);
  if (!frees_early) cudaStreamWaitEvent(a, e, 0);
  cudaFreeAsync(made, a);
  const cudaError_t result = cudaDeviceSynchronize();
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaEventDestroy(e);
  return result;
}
static int across_streams()
{
  cudaStream_t a;
  int *p = room<int>(1), one = 1;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  NEED(across(true, false) == cudaSuccess);
  NEED(across(false, false) == cudaErrorLaunchFailure);
  NEED(across(true, true) == cudaErrorLaunchFailure);
  cudaDeviceSynchronize();
  NEED(cudaMemsetAsync(p, 0, sizeof *p, a) == cudaSuccess);                  // the host has waited for the allocation
  NEED(cudaStreamSynchronize(a) == cudaSuccess && cudaFreeAsync(p, nullptr) == cudaSuccess);
  NEED(cudaDeviceSynchronize() == cudaSuccess);
  p = room<int>(1);
  cudaMemcpyAsync(p, &one, sizeof one, cudaMemcpyDefault, a);
  NEED(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  return works();
}

/* ---- graphs ---- */

static void add(int *p, const int *q) { *p += *q; }

static int graphs()
{
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCaptureStatus status;
  size_t nodes = 0;
  void *pinned;
  int *p = room<int>(3);
  NEED(cudaMallocHost(&pinned, sizeof(int)) == cudaSuccess);
  int *seen = static_cast<int *>(pinned);
  *seen = 0;
  cudaMemsetAsync(p, 0, 3 * sizeof(int), nullptr);
  START(1, 1, 0, nullptr, put(p + 1, 5));
  cudaStreamSynchronize(nullptr);
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);

  NEED(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  NEED(cudaStreamIsCapturing(a, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive);
  START(1, 1, 0, a, add(p, p + 1));                      // 0 + 5
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);                       // b takes part from here on
  START(1, 1, 0, b, twice(p));
  cudaMemcpyAsync(p + 2, p, sizeof(int), cudaMemcpyDeviceToDevice, b);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  cudaMemcpyAsync(seen, p + 2, sizeof(int), cudaMemcpyDeviceToHost, a);
  NEED(cudaStreamEndCapture(a, &graph) == cudaSuccess);
  NEED(cudaStreamIsCapturing(b, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone);
  NEED(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 4);
  NEED(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess);
  cudaGraphDestroy(graph);
  cudaDeviceSynchronize();
  NEED(*seen == 0);                                      // nothing was done yet
  for (int want : { 10, 30, 70 }) {
    NEED(cudaGraphLaunch(exec, nullptr) == cudaSuccess);
    cudaStreamSynchronize(nullptr);
    NEED(*seen == want);
  }
  START(1, 1, 0, nullptr, put(p + 1, -35));              // a replay reads what is there then
  cudaGraphLaunch(exec, nullptr);
  cudaGraphExecDestroy(exec);                            // what was launched is still done
  cudaStreamSynchronize(nullptr);
  NEED(*seen == 70);
  return 0;
}

/* One capture of stream s in which `call` fails with `e`; afterwards the stream works. */
template <class F> static void spoiled(cudaStream_t s, cudaError_t e, const F &call)
{
  cudaGraph_t graph;
  NEED(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  NEED(call() == e);
  NEED(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated && !graph);
  NEED(cudaStreamSynchronize(s) == cudaSuccess);
}

static int captures()
{
  cudaStream_t a, b;
  cudaEvent_t before, e;
  cudaGraph_t graph;
  void *other;
  int *p = room<int>(1), host = 0;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  cudaEventRecord(before, b);
  cudaStreamSynchronize(b);
  const cudaError_t no = cudaErrorStreamCaptureUnsupported;
  NEED(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == no);
  spoiled(a, no, [&] { return cudaMemcpyAsync(&host, p, sizeof host, cudaMemcpyDefault, a); });
  spoiled(a, no, [&] { return cudaMemcpyAsync(p, &host, sizeof host, cudaMemcpyDefault, a); });
  spoiled(a, no, [&] { return cudaStreamSynchronize(a); });
  spoiled(a, no, [&] { return cudaStreamQuery(a); });
  spoiled(a, no, [&] { return cudaDeviceSynchronize(); });
  spoiled(a, no, [&] { return cudaMallocHost(&other, 8); });
  spoiled(a, no, [&] { return cudaMallocAsync(&other, 8, a); });
  spoiled(a, no, [&] { return cudaFreeAsync(p, a); });
  spoiled(a, cudaErrorStreamCaptureIsolation, [&] { return cudaStreamWaitEvent(a, before, 0); });
  spoiled(a, cudaErrorCapturedEvent, [&] { cudaEventRecord(e, a); return cudaEventSynchronize(e); });
  NEED(cudaStreamWaitEvent(b, e, 0) == cudaErrorCapturedEvent);                  // its capture is over

  cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);                                    // the thread knows what it does
  NEED(cudaMallocHost(&other, 8) == cudaSuccess && cudaMallocAsync(&other, 8, b) == cudaSuccess);
  cudaThreadExchangeStreamCaptureMode(&mode);
  NEED(cudaStreamEndCapture(a, &graph) == cudaSuccess);
  cudaGraphDestroy(graph);
  NEED(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);             // but waiting for the whole device is not allowed
  spoiled(a, no, [&] { return cudaDeviceSynchronize(); });
  cudaThreadExchangeStreamCaptureMode(&mode);

  /* Another thread may do what this one may not, but wait for all streams. */
  cudaError_t theirs = cudaSuccess;
  const auto beside = [&theirs](cudaError_t (*call)()) {
    std::thread([&] { theirs = call(); }).join();
    return theirs;
  };
  cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
  NEED(beside([] { return cudaStreamSynchronize(nullptr); }) == cudaSuccess);
  NEED(beside([] { void *q; return cudaMallocHost(&q, 8); }) == cudaSuccess);
  NEED(cudaStreamEndCapture(a, &graph) == cudaSuccess);
  cudaGraphDestroy(graph);
  spoiled(a, no, [&] { return beside([] { return cudaDeviceSynchronize(); }); });

  cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  START(1, 1, 0, b, put(p, 1));                                                  // without a wait
  NEED(cudaStreamEndCapture(b, &graph) == cudaErrorStreamCaptureUnmatched);
  NEED(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(e, a);
  cudaStreamWaitEvent(b, e, 0);
  START(1, 1, 0, b, put(p, 1));
  NEED(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureUnjoined && !graph);
  NEED(cudaStreamEndCapture(a, &graph) != cudaSuccess);                          // there is none
  return works();
}

/* ---- shared memory of another block ---- */

/* Adds to what shared memory holds. Only the right kernel clears it first. */
template <class T> static void tally(T *y, bool clears)
{
  __shared__ T total, first;
  if (clears && threadIdx.x == 0) total = first = 0;
  __syncthreads();
  atomicAdd(&total, (T)1);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = total + first;
}
static void tally_all(int *y, bool clears)
{
  int *total = static_cast<int *>(emu::dynamic_shared());
  if (clears && threadIdx.x == 0) *total = 0;
  __syncthreads();
  atomicAdd(total, 1);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = *total;
}

static int shared_memory()
{
  int *y = room<int>(4), back[4];
  double *z = room<double>(4), reals[4];
  for (const bool clears : { true, false, true }) {
    START(4, 64, 0, nullptr, tally(y, clears));
    START(4, 64, 0, nullptr, tally(z, clears));
    cudaMemcpyAsync(back, y, sizeof back, cudaMemcpyDefault, nullptr);
    cudaMemcpyAsync(reals, z, sizeof reals, cudaMemcpyDefault, nullptr);
    for (int i = 0; i < 4; i++) NEED((back[i] == 64) == clears && (reals[i] == 64) == clears);
    START(4, 64, sizeof(int), nullptr, tally_all(y, clears));
    cudaMemcpyAsync(back, y, sizeof back, cudaMemcpyDefault, nullptr);
    for (int v : back) NEED((v == 64) == clears);
  }
  return 0;
}

/* ---- what is wrong ---- */

static void stuck() { if (threadIdx.x < 3) __syncwarp(0xf); else __syncthreads(); }
static void beyond(int *p, int n) { p[blockIdx.x * blockDim.x + threadIdx.x + (unsigned)n] = 1; }
static void race(int *p) { *p = (int)(blockIdx.x * blockDim.x + threadIdx.x); }

/* Every thread meets as many barriers in both kernels. */
static void apart(bool divides)
{
  if (divides && threadIdx.x < 32) __syncthreads();
  else __syncthreads();
  if (__syncthreads_or(divides)) __syncthreads();
}

struct alignas(16) four { float v[4]; };
static void copy_four(float *y, const float *x)
{
  reinterpret_cast<four *>(y)[threadIdx.x] = reinterpret_cast<const four *>(x)[threadIdx.x];
}
static void copy_one(char *y, const char *x) { *reinterpret_cast<float *>(y) = *reinterpret_cast<const float *>(x); }

static int misaligned()
{
  float *x = room<float>(1024), *y = room<float>(1024);
  char *const to = reinterpret_cast<char *>(y), *const from = reinterpret_cast<char *>(x);
  START(1, 64, 0, nullptr, copy_four(y + 4, x + 8));
  START(1, 1, 0, nullptr, copy_one(to + 4, from + 8));
  NEED(cudaDeviceSynchronize() == cudaSuccess);
  START(1, 64, 0, nullptr, copy_four(y, x + 1));
  NEED(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  START(1, 64, 0, nullptr, copy_four(y + 2, x));
  NEED(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  START(1, 1, 0, nullptr, copy_one(to + 2, from));
  NEED(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  return works();
}

static int wrong()
{
  START(2, 2000, 0, nullptr, stuck());
  NEED(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
  START(2, 64, 0, nullptr, stuck());
  NEED(cudaDeviceSynchronize() == cudaErrorLaunchFailure && cudaDeviceSynchronize() == cudaSuccess);
  START(2, 64, 0, nullptr, apart(true));
  NEED(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  START(2, 64, 0, nullptr, apart(false));
  NEED(cudaDeviceSynchronize() == cudaSuccess);
  NEED(cudaSetDevice(7) == cudaErrorInvalidDevice);
  void *p;
  NEED(cudaMallocAsync(&p, (size_t)1 << 50, nullptr) == cudaErrorMemoryAllocation);
  return works();
}
static int out_of_bounds()
{
  int *p = room<int>(64);
  START(1, 64, 0, nullptr, beyond(p, 1));
  cudaDeviceSynchronize();
  return 0;
}
static int order()
{
  int *p = room<int>(1), last = 0;
  START(4, 64, 0, nullptr, race(p));
  cudaMemcpyAsync(&last, p, sizeof last, cudaMemcpyDefault, nullptr);
  printf("%d\n", last);
  return 0;
}

/* ---- data races, in a build that finds them: each is right or wrong by one argument ---- */

static void neighbours(int *y, bool waits)
{
  __shared__ int x[64];
  x[threadIdx.x] = (int)threadIdx.x;
  if (waits) __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[(threadIdx.x + 1) % 64];
}
static void neighbours_dynamic(int *y, bool waits)
{
  int *x = static_cast<int *>(emu::dynamic_shared());
  for (int i = 0; i < 3; i++) {
    x[threadIdx.x] = (int)threadIdx.x + i;
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = x[(threadIdx.x + 1) % 64];
    if (waits) __syncthreads();                          // else the next turn overwrites what others still read
  }
}
static void lanes(int *y, bool crosses)
{
  __shared__ int x[64];
  x[threadIdx.x] = (int)threadIdx.x;
  __syncwarp();
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[threadIdx.x ^ (crosses ? 32 : 1)];
}
static void lanes_twice(int *y, bool waits)
{
  __shared__ int x[32];
  for (int i = 0; i < 2; i++) {
    x[threadIdx.x] = i;
    __syncwarp();
    y[threadIdx.x] = x[threadIdx.x ^ 1];
    if (waits) __syncwarp();
  }
}
static void tally_blocks(unsigned *n, bool atomic)
{
  if (threadIdx.x != 0) return;
  if (atomic) atomicAdd(n, 1u);
  else *n = *n + 1;
}
static void mark_bytes(char *p, bool apart)
{
  p[blockIdx.x + (apart ? 4 * threadIdx.x : 0)] = (char)threadIdx.x;
  p[8] = 1;                                              // the same value: no race
}

/* A kernel in stream a writes what one in b reads. */
static void unordered(bool waits)
{
  cudaStream_t a, b;
  cudaEvent_t e;
  int *p = room<int>(2);
  cudaStreamSynchronize(nullptr);
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  START(1, 1, 0, a, put(p, 21));
  cudaEventRecord(e, a);
  if (waits) cudaStreamWaitEvent(b, e, 0);
  cudaMemcpyAsync(p + 1, p, sizeof(int), cudaMemcpyDeviceToDevice, b);
}
/* The host reads pinned memory that a copy of the device fills. */
static void pinned(bool waits)
{
  void *made;
  NEED(cudaMallocHost(&made, sizeof(int)) == cudaSuccess);
  int *const seen = static_cast<int *>(made), *p = room<int>(1);
  *seen = 0;
  START(1, 1, 0, nullptr, put(p, 21));
  cudaMemcpyAsync(seen, p, sizeof(int), cudaMemcpyDeviceToHost, nullptr);
  if (waits) cudaStreamSynchronize(nullptr);
  NEED(*seen == (waits ? 21 : 0));
}

static int races(const char *what, bool right)
{
  int *y = room<int>(256);
  cudaMemsetAsync(y, 0, 256 * sizeof *y, nullptr);
  switch (what[0]) {
    case 'n': START(2, 64, 0, nullptr, neighbours(y, right)); break;
    case 'd': START(2, 64, 64 * sizeof(int), nullptr, neighbours_dynamic(y, right)); break;
    case 'l': START(2, 64, 0, nullptr, lanes(y, !right)); break;
    case 't': START(1, 32, 0, nullptr, lanes_twice(y, right)); break;
    case 'b': START(3, 64, 0, nullptr, tally_blocks(reinterpret_cast<unsigned *>(y), right)); break;
    case 'm': START(4, 2, 0, nullptr, mark_bytes(reinterpret_cast<char *>(y), right)); break;
    case 'u': unordered(right); break;
    case 'p': pinned(right); break;
    default: return 2;
  }
  NEED(cudaDeviceSynchronize() == (right ? cudaSuccess : cudaErrorLaunchFailure));
  return works();
}

int main(int n, char **argv)
{
  if (n > 2) return races(argv[1], argv[2][0] == 'r');
  switch (argv[1][0]) {
    case 'w': return works();
    case 's': return ordered();
    case 'e': return wrong();
    case 'o': return out_of_bounds();
    case 'g': return graphs();
    case 'c': return captures();
    case 'b': return shared_memory();
    case 'm': return misaligned();
    case 'a': return across_streams();
    default: return order();
  }
}
