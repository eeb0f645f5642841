// graph.cuh - what other files of cunn call while a thread records a graph (graph.cu).
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
/* Waits for a device, counted from 0, even while threads record on it. */
th_status th_cuda_wait_device(int device);
/* Called before a kernel is recorded: the memory of its tensors stays as long as the graph. */
th_status th_cuda_graph_enter(const th_call *c);
/* Workspace for cuBLAS; nullptr with size 0 if this graph has one already. */
th_status th_cuda_graph_workspace(void **p, size_t *bytes);

/* Elements must lie within bounds or equal `spared`; a finding is the first element that does not, as found by the device. */
struct th_cuda_bounds { double least, most, spared; };
struct th_cuda_finding { unsigned long long place; unsigned char element[8]; };
/* Notes a check of elements that the host cannot read now. Elements of an input are checked before each replay (finding:
 * nullptr), others by the graph. */
th_status th_cuda_graph_check(const th_tensor *t, th_cuda_bounds b, th_cuda_finding **finding);
/* The position of the first such element, from 0; -1: none, or not known yet. */
th_status th_cuda_outside_bounds(const th_tensor *t, th_cuda_bounds b, int64_t *place, void *element);

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
