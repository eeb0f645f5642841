// graph_memory.cuh - memory of graphs, for the files that allocate and free memory.
#ifndef TH_GRAPH_MEMORY_CUH
#define TH_GRAPH_MEMORY_CUH
#include "backend.cuh"

/* Memory of the graph that this thread records, for a tensor or for the duration of a call. */
th_status th_cuda_graph_take(void **p, int device, size_t bytes);
/* A tensor frees memory. true: a graph still uses it, and will release it. */
bool th_cuda_graph_keeps(void *p, bool host);

#endif
