// graph_random.cuh - random numbers that a graph draws at each replay (graph.cu).
#ifndef TH_GRAPH_RANDOM_CUH
#define TH_GRAPH_RANDOM_CUH
#include "backend.cuh"

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
