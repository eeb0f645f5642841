// register.cc - puts the compiled kernels into the registry of libth, by the names of the ops,
// and adds the engines of convolution and the programs of pointwise ops.
#include "th_backend.h"

#define TH_OP(id) \
  extern "C" { \
  extern const th_op th_op_##id; \
  extern const th_kernel th_##id##_cuda[TH_NDTYPE] __attribute__((weak, visibility("hidden"))); \
  }
#include "../lib/ops.def"
#undef TH_OP

static const struct { const th_op *op; const th_kernel *kernels; } table[] = {
#define TH_OP(id) { &th_op_##id, th_##id##_cuda },
#include "../lib/ops.def"
#undef TH_OP
};

void th_cuda_add_engines();
void th_cuda_add_programs();

void th_cuda_add_kernels()
{
  for (const auto &k : table) if (k.kernels) th_register(k.op, TH_CUDA, k.kernels);
  th_cuda_add_engines();
  th_cuda_add_programs();
}
