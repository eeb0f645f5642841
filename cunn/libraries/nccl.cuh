// nccl.cuh - names and numbers of NCCL's interface, for nccl.cu and nccl_ranks.cu.
#ifndef TH_NCCL_CUH
#define TH_NCCL_CUH
#include "th.h"

namespace nccl_names {
enum { SUCCESS = 0, SUM = 0, NO_TYPE = -1 };
constexpr int types[TH_NDTYPE] = { NO_TYPE, 1, 0, NO_TYPE, 2, 4, 6, 9, 7, 8 };
}

/* Functions that both files call: F(our name, NCCL's name, arguments). */
#define TH_NCCL_FUNCTIONS(F) \
  F(abort, ncclCommAbort, void *comm) \
  F(all_reduce, ncclAllReduce, const void *from, void *to, size_t n, int type, int op, void *comm, \
    cudaStream_t stream) \
  F(reduce, ncclReduce, const void *from, void *to, size_t n, int type, int op, int root, \
    void *comm, cudaStream_t stream) \
  F(broadcast, ncclBroadcast, const void *from, void *to, size_t n, int type, int root, \
    void *comm, cudaStream_t stream)

#if defined __CUDACC__ && __has_include(<nccl.h>)
#define TH_NCCL_HEADER
#include <nccl.h>
#include "same.cuh"
TH_SAME_NUMBER(nccl_names::SUCCESS, ncclSuccess)
TH_SAME_NUMBER(nccl_names::SUM, ncclSum)
TH_SAME_NUMBER(nccl_names::types[TH_U8], ncclUint8)
TH_SAME_NUMBER(nccl_names::types[TH_I8], ncclInt8)
TH_SAME_NUMBER(nccl_names::types[TH_I32], ncclInt32)
TH_SAME_NUMBER(nccl_names::types[TH_I64], ncclInt64)
TH_SAME_NUMBER(nccl_names::types[TH_F16], ncclFloat16)
TH_SAME_NUMBER(nccl_names::types[TH_BF16], ncclBfloat16)
TH_SAME_NUMBER(nccl_names::types[TH_F32], ncclFloat32)
TH_SAME_NUMBER(nccl_names::types[TH_F64], ncclFloat64)
#endif

#endif
