// machine.h - what the files of the emulated device share: its devices, streams, events, and captures of streams.
//
// One lock: one thread of the host at a time does the work of all devices. What is declared here is for who holds it.
#ifndef TH_EMU_MACHINE_H
#define TH_EMU_MACHINE_H
#include "cuda_runtime.h"
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace emu {

typedef std::vector<std::function<void()>> steps;

/* What is put into the streams of a capture is kept here, in its order, and not done. */
struct capture {
  cudaStreamCaptureMode mode;
  const void *thread;                /* that began it */
  CUstream_st *origin;
  std::shared_ptr<steps> work;
  std::map<CUstream_st *, size_t> others;      /* streams that joined, and where their last piece of work is */
  std::map<CUstream_st *, size_t> met;         /* up to where the first stream has waited for them */
  bool invalid;
};

}  // namespace emu

struct CUstream_st {
  int device;
  emu::capture *taking;              /* NULL: what it is given is done */
  std::deque<std::function<void()>> work;
  uint64_t issued, done;             /* pieces of work so far */
  bool busy;                         /* its first piece is running */
};
struct CUevent_st {
  CUstream_st *stream;               /* NULL: not recorded yet, or the stream is gone */
  uint64_t after;                    /* so many pieces of the stream's work */
  std::shared_ptr<double> when;      /* work that has it to write may outlive the event */
  emu::capture *in;                  /* recorded in this capture, `after` pieces into it */
};

namespace emu {

enum { MAX_DEVICES = 64 };
struct device { CUstream_st stream; int64_t used; };
struct piece { int device; size_t bytes; };

struct machine {
  std::recursive_mutex lock;
  int count;
  int64_t memory;                    /* bytes of each device */
  device devices[MAX_DEVICES];
  std::map<void *, piece> pieces;
  std::map<char *, size_t> pinned;
  std::set<CUstream_st *> streams;
  std::set<capture *> captures;      /* that go on */
  uint64_t seed;
  cudaError_t failed;                /* of work that was begun; told by the next call that waits */
  bool again;                        /* said by a piece of work that waits for other processes: it is to be begun again later */
};

machine &all();
typedef std::lock_guard<std::recursive_mutex> guard;

/* e, kept for cudaGetLastError. */
cudaError_t tell(cudaError_t e);
CUstream_st *stream_of(cudaStream_t s);      /* NULL: the default one of the thread's device */
bool is_stream(cudaStream_t s);
/* Is it still there? Events and waits outlive their streams. */
bool lives(CUstream_st *s);
void put(CUstream_st *s, std::function<void()> f);

/* ---- capture.cc ---- */

/* Keeps f in the capture that the stream is in. */
void put_captured(CUstream_st *s, std::function<void()> f);
/* A call that a stream which is captured cannot take. */
cudaError_t not_captured(CUstream_st *s);
/* A call that a thread must not make while it captures, unless it has said that it knows what it does. */
cudaError_t not_while_capturing();
/* A call that waits for all streams of a device: it spoils what any thread captures there. */
cudaError_t not_captured_on(int device);
/* Of a stream that waits in a capture, or comes into one by waiting. */
cudaError_t wait_captured(CUstream_st *s, cudaEvent_t e);
/* A call that asks when an event was. */
cudaError_t need_time(cudaEvent_t e);

#define TRY(call) do { const cudaError_t failed_ = (call); if (failed_ != cudaSuccess) return failed_; } while (0)

}  // namespace emu
#endif
