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
/* Waits for a device, from 0, whoever records on it. */
th_status th_cuda_wait_device(int device);
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

/* Where the device's own generator stands when a replay begins, and the normal numbers that the host draws for it one by one. */
enum { TH_CUDA_MOST_LONE = 1024 };
struct th_cuda_stand { th_philox at; double lone[TH_CUDA_MOST_LONE]; };
/* `count` words of that generator: how many words of the replay come before them, when no normal number waits where it begins,
 * and when one does. */
th_status th_cuda_graph_words(const th_cuda_stand **live, uint64_t *before, uint64_t count);
/* n normal numbers, 1 at least: words before the pairs that the device makes, and places in `lone` of the first and the last
 * number where they are of no such pair, else -1; for both beginnings. */
struct th_cuda_normals { uint64_t before; int64_t pairs; int32_t first, last; };
th_status th_cuda_graph_normals(const th_cuda_stand **live, th_cuda_normals *of, int64_t n);

#endif
