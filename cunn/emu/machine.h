// machine.h - shared by the files of the emulated device: its devices, streams, events, and captures of streams.
//
// There is one lock: one thread of the host at a time does the work of all devices. Callers of these functions hold it.
#ifndef TH_EMU_MACHINE_H
#define TH_EMU_MACHINE_H
#include "cuda_runtime.h"
#include "order.h"
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace emu {

typedef std::vector<std::function<void()>> steps;

/* Work that is put into the streams of a capture is stored here, in order, and not run. */
struct capture {
  cudaStreamCaptureMode mode;
  const void *thread;                /* the thread that began it */
  CUstream_st *origin;
  std::shared_ptr<steps> work;
  std::map<CUstream_st *, size_t> others;      /* streams that joined, and the positions of their last pieces of work */
  std::map<CUstream_st *, size_t> met;         /* the positions up to which the first stream has waited for them */
  bool invalid;
};

}  // namespace emu

struct CUstream_st {
  int device;
  emu::capture *taking;              /* NULL: its work is run */
  std::deque<std::function<void()>> work;
  uint64_t issued, done;             /* pieces of work so far */
  bool busy;                         /* its first piece of work is running */
  uint32_t id;                       /* in times */
  emu::times before;                 /* what is done before its next piece of work, unless it is captured */
};
struct CUevent_st {
  CUstream_st *stream;               /* NULL: not recorded yet, or the stream is destroyed */
  uint64_t after;                    /* the number of pieces of the stream's work */
  std::shared_ptr<double> when;      /* the work that writes it may outlive the event */
  emu::capture *in;                  /* recorded in this capture, `after` pieces into it */
  emu::times before;                 /* what is done before it */
};

namespace emu {

enum { MAX_DEVICES = 64 };

/* How often the host asked for each kind of work, for bench/launches.lua and specs: kernels, copies and fills, launches of
 * graphs; calls in which the host waits for a stream, a device or an event; waits of streams for events; blocks of device
 * memory; pools that another device gets access to. Cells of an array, in the order of the names in count.cc. */
enum counted { LAUNCHES, COPIES, GRAPHS, HOST_WAITS, STREAM_WAITS, ALLOCATIONS, FREES, ACCESSES, COUNTED };

struct device { CUstream_st stream; int64_t used; };
struct piece { int device; size_t bytes; uses by; };

struct machine {
  std::recursive_mutex lock;
  int count;
  int64_t memory;                    /* bytes of each device */
  device devices[MAX_DEVICES];
  std::map<void *, piece> pieces;
  std::map<char *, size_t> pinned;
  std::set<CUstream_st *> streams;
  std::set<capture *> captures;      /* active captures */
  uint64_t seed;
  cudaError_t failed;                /* of finished work; the next call that waits returns it */
  uint64_t counts[COUNTED];
  uint32_t ids;                      /* of streams, so far */
  times host;                        /* what the host has waited for */
  bool again;                        /* set by work that waits for other processes: run it again later */
};

machine &all();
typedef std::lock_guard<std::recursive_mutex> guard;

/* Returns e and stores it for cudaGetLastError. */
cudaError_t tell(cudaError_t e);
CUstream_st *stream_of(cudaStream_t s);      /* NULL: the default one of the thread's device */
bool is_stream(cudaStream_t s);
/* Whether the stream still exists. Events and waits may outlive their streams. */
bool lives(CUstream_st *s);
void put(CUstream_st *s, std::function<void()> f);

/* ---- capture.cc ---- */

/* Stores f in the capture of the stream. */
void put_captured(CUstream_st *s, std::function<void()> f);
/* For a call that is invalid in a captured stream. */
cudaError_t not_captured(CUstream_st *s);
/* For a call that a capturing thread must not make, unless it has relaxed its capture mode. */
cudaError_t not_while_capturing();
/* For a call that waits for all streams of a device, which invalidates every capture there. */
cudaError_t not_captured_on(int device);
/* For a stream that waits in a capture, or joins one by waiting. */
cudaError_t wait_captured(CUstream_st *s, cudaEvent_t e);
/* For a call that reads the time of an event. */
cudaError_t need_time(cudaEvent_t e);

#define TRY(call) do { const cudaError_t failed_ = (call); if (failed_ != cudaSuccess) return failed_; } while (0)

}  // namespace emu
#endif
