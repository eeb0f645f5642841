// cunn/runtime/graph.cuh - what other files of cunn call while a thread records a graph (graph.cu).
#ifndef TH_GRAPH_CUH
#define TH_GRAPH_CUH
#include "backend.cuh"
#include "th_record.h"

/* Whether this thread records its work for the device. */
bool th_cuda_records();
/* While it records: fails with the name of the op and what a graph cannot record; th_graph_end fails with the first of these. */
th_status th_cuda_cannot_record(const char *what);
#define TH_CUDA_NOT_RECORDED(what) do { if (th_cuda_records()) return th_cuda_cannot_record(what); } while (0)

/* The recording stream; nullptr if this thread does not record. */
cudaStream_t th_cuda_graph_stream();
/* Memory of the graph for a tensor, or for the duration of a call. */
th_status th_cuda_graph_take(void **p, int device, size_t bytes);
/* A tensor frees memory. true: a graph still uses it, and will release it. */
bool th_cuda_graph_keeps(void *p, bool host);
/* The thread's stream is about to use this memory of a device, counted from 1, other than by a call of an op. */
void th_cuda_uses(const void *p, int device);
/* Waits for a device, counted from 0, even while threads record on it. */
th_status th_cuda_wait_device(int device);
/* Whether the streams of a device, counted from 0, finish their work within some seconds. */
bool th_cuda_finishes(int device, double seconds);
/* Called before a kernel is recorded: the memory of its tensors stays as long as the graph. */
th_status th_cuda_graph_enter(const th_call *c);
/* Workspace for cuBLAS; nullptr with size 0 if this graph has one already. */
th_status th_cuda_graph_workspace(void **p, size_t *bytes);

struct th_bound;
struct th_cuda_found;
/* Notes a check of elements that the host cannot read now. Gives the record for a finding, or nullptr if the elements are checked
 * before each replay. */
th_status th_cuda_graph_check(const th_tensor *t, const th_bound *b, uint32_t origin, th_cuda_found **found);
/* Fails with what replays of this thread have found and the host has not reported yet; waits only for such a replay. */
th_status th_cuda_graphs_tell();

/* The position of the device's default generator at the start of a replay, and the normal numbers that the host draws singly. */
enum { TH_CUDA_MOST_LONE = 1024 };
struct th_cuda_stand { th_philox at; double lone[TH_CUDA_MOST_LONE]; };
/* Takes `count` words of that generator. `before`: words of the replay before them, for a start without and with half a normal
 * pair left. */
th_status th_cuda_graph_words(const th_cuda_stand **live, uint64_t *before, uint64_t count);
/* n >= 1 normal numbers: words before the pairs that the device makes, and the positions in `lone` of the first and the last
 * number if these belong to no such pair, else -1; for both starts. */
struct th_cuda_normals { uint64_t before; int64_t pairs; int32_t first, last; };
th_status th_cuda_graph_normals(const th_cuda_stand **live, th_cuda_normals *of, int64_t n);

#endif
