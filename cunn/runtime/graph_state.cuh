// graph_state.cuh - the struct of a graph, for the files that record, keep and replay it (graph.cu, graph_memory.cu).
#ifndef TH_GRAPH_STATE_CUH
#define TH_GRAPH_STATE_CUH
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>
#include "device.cuh"
#include "graph_random.cuh"
#include "late.cuh"

struct input_check { th_tensor t; th_bound b; uint32_t origin; };
struct input_memory { const char *first, *end; std::string name; };

/* What a replay draws: words, and the positions among them at which the generator itself gives a normal number; waits: whether
 * half a pair is left at the end. */
struct random_course { uint64_t words; bool waits; std::vector<uint64_t> lone; };

struct th_cuda_graph final : th_cuda_recording {
  int device;                                /* from 0 */
  cudaGraphExec_t exec;
  cudaEvent_t last;                          /* the end of the previous replay */
  size_t nodes;
  std::map<void *, size_t> own;              /* memory allocated while recording: address and bytes */
  std::multimap<size_t, void *> spare;       /* the part of it that was freed meanwhile, for reuse */
  std::vector<void *> used;                  /* all memory that must stay, including that of others */
  std::vector<input_memory> inputs;
  std::set<const void *> written;            /* memory in `used` that the recorded work writes */
  bool late;                                 /* the graph checks all elements, also those that it only reads */
  std::vector<input_check> before;           /* otherwise: what is checked before each replay */
  size_t checks;
  th_cuda_found *seen;                       /* what they have found, in pinned memory */
  std::thread::id by;                        /* the thread that launched it last */
  th_cuda_stand *live;                       /* the generator's position at the start of a replay */
  random_course course[2];                   /* for a start without and with half a normal pair */
  th_generator *ahead;                       /* the generator's position after the replay */
  void *workspace;                           /* for cuBLAS */
  bool counts;                               /* counted among the recordings of the device */
  bool full;                                 /* memory ran short while recording */
  th_status check(const th_tensor *t, const th_bound *b, uint32_t origin, th_cuda_found **found) override;
};

/* The graph that this thread is recording, or nullptr. */
inline th_cuda_graph *th_cuda_graph_now() { return static_cast<th_cuda_graph *>(th_cuda_recorded); }

/* The graph uses the storage's memory, which stays as long as the graph. */
void th_cuda_graph_use(th_cuda_graph *g, const th_storage *s);
/* The argument at this address, or nullptr. */
const input_memory *th_cuda_graph_input_at(const th_cuda_graph *g, const char *p);
/* Called after all work of the graph: frees memory that no other graph and no tensor holds. Returns the host's part of it, which
 * the caller frees. */
std::vector<void *> th_cuda_graph_release(th_cuda_graph *g);
/* The storage that a part is of. */
inline const th_storage *th_whole_of(const th_storage *s)
{
  while (s->whole) s = s->whole;
  return s;
}

#endif
