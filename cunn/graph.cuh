// graph.cuh - what the files of cunn ask while a thread records a graph (graph.cu).
#ifndef TH_GRAPH_CUH
#define TH_GRAPH_CUH
#include "backend.cuh"
#include "th_record.h"

/* Does this thread record what it gives its device? */
bool th_cuda_records();
/* While it does: fails, in the name of the op, with what no graph can record; th_graph_end fails with the first of these. */
th_status th_cuda_cannot_record(const char *what);
#define TH_CUDA_NOT_RECORDED(what) do { if (th_cuda_records()) return th_cuda_cannot_record(what); } while (0)

/* The stream that records; nullptr: this thread records nothing. */
cudaStream_t th_cuda_graph_stream();
/* Memory for a tensor, or for the length of a call, of a graph's own. */
th_status th_cuda_graph_take(void **p, int device, size_t bytes);
/* A tensor gives memory back. true: a graph still works on it, and will release it. */
bool th_cuda_graph_keeps(void *p, bool host);
/* A kernel is about to be recorded: its tensors' memory stays as long as the graph does. */
th_status th_cuda_graph_enter(const th_call *c);
/* Memory for cuBLAS to work in; nullptr with a size of 0 where this graph has some already. */
th_status th_cuda_graph_workspace(void **p, size_t *bytes);

/* Elements that must lie within bounds, or be the one spared; the first that does not, as the device finds it. */
struct th_cuda_bounds { double least, most, spared; };
struct th_cuda_finding { unsigned long long place; unsigned char element[8]; };
/* Elements that the host cannot look at now. They are looked at before each replay where they are those of an input (finding:
 * nullptr), else by the graph. */
th_status th_cuda_graph_check(const th_tensor *t, th_cuda_bounds b, th_cuda_finding **finding);
/* Where the first of them lies, from 0; -1: none, or not known yet. */
th_status th_cuda_outside_bounds(const th_tensor *t, th_cuda_bounds b, int64_t *place, void *element);

/* `count` words of the device's own generator: where it stands when a replay begins, on the device, and how many words of
 * that replay come before these. */
th_status th_cuda_graph_words(const th_philox **live, uint64_t *before, uint64_t count);

#endif
