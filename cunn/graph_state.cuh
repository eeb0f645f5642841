// graph_state.cuh - a graph, as the files that record, keep and replay it see it (graph.cu, graph_memory.cu).
#ifndef TH_GRAPH_STATE_CUH
#define TH_GRAPH_STATE_CUH
#include <map>
#include <set>
#include <string>
#include <vector>
#include "graph.cuh"
#include "thcuda.h"

struct input_check { th_tensor t; th_cuda_bounds b; std::string who; };
struct graph_check { int dtype; th_cuda_bounds b; std::string who; };
struct input_memory { const char *first, *end; std::string name; bool late; };

/* What a replay draws: words, and after how many of them a normal number comes from the generator itself, or is the half pair
 * that waits there; waits: one does. */
struct random_course { uint64_t words; bool waits; std::vector<uint64_t> lone; };

struct th_cuda_graph {
  int device;                                /* from 0 */
  cudaStream_t stream;                       /* records; nullptr: recording is over */
  cudaGraphExec_t exec;
  cudaEvent_t last;                          /* the end of the replay before */
  size_t nodes;
  std::map<void *, size_t> own;              /* memory taken while it was recorded, by address, and its bytes */
  std::multimap<size_t, void *> spare;       /* what of it was given back meanwhile, for the next that want some */
  std::vector<void *> used;                  /* all memory that must stay, own or not */
  std::vector<input_memory> inputs;
  std::set<const void *> written;            /* of `used`, by the recorded work */
  std::vector<input_check> before;
  std::vector<graph_check> within;
  th_cuda_finding *findings, *seen;          /* of `within`: on the device, and their copy in pinned memory */
  th_cuda_stand *live;                       /* where the generator stands at the beginning of a replay */
  random_course course[2];                   /* when no normal number waits there, and when one does */
  th_generator *ahead;                       /* where the generator will stand after the replay */
  void *workspace;                           /* of cuBLAS */
  bool counts;                               /* among the recordings of the device */
  bool full;                                 /* memory was short while it was recorded */
  std::string why;                           /* it cannot be recorded */
};

/* The graph that this thread records, or nullptr. */
extern thread_local th_cuda_graph *th_cuda_recorded;

/* For calls that are unsafe while a stream is captured in general, and safe as they are made here. */
class th_relaxed {
public:
  th_relaxed() : mode(cudaStreamCaptureModeRelaxed) { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~th_relaxed() { cudaThreadExchangeStreamCaptureMode(&mode); }
  th_relaxed(const th_relaxed &) = delete;
  th_relaxed &operator=(const th_relaxed &) = delete;
private:
  cudaStreamCaptureMode mode;
};

/* The storage's memory is worked on, and stays as long as the graph. */
void th_cuda_graph_use(th_cuda_graph *g, const th_storage *s);
/* The argument that lies there, or nullptr. */
const input_memory *th_cuda_graph_input_at(const th_cuda_graph *g, const char *p);
/* Everything that the graph was given is done: gives back what no other graph and no tensor holds. */
void th_cuda_graph_release(th_cuda_graph *g);
/* The storage that a part is of. */
inline const th_storage *th_whole_of(const th_storage *s)
{
  while (s->whole) s = s->whole;
  return s;
}

#endif
