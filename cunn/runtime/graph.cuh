// graph.cuh - what the backend and cuBLAS call while a thread records a graph (graph.cu).
#ifndef TH_GRAPH_CUH
#define TH_GRAPH_CUH
#include "backend.cuh"

/* Called before a kernel is recorded: the memory of its tensors stays as long as the graph. */
th_status th_cuda_graph_enter(const th_call *c);
/* Workspace for cuBLAS; nullptr with size 0 if this graph has one already. */
th_status th_cuda_graph_workspace(void **p, size_t *bytes);

#endif
