// cudnn_attention.cuh - attention of halves by cuDNN's graphs.
#ifndef TH_CUDNN_ATTENTION_CUH
#define TH_CUDNN_ATTENTION_CUH
#include "cudnn.cuh"

namespace dnn {

/* The operands: y and lse are the results, or for the gradients gq, gk and gv, all three. */
struct attention {
  const th_tensor *q, *k, *v, *y, *lse, *g, *gq, *gk, *gv;
  double scale;
  bool causal;
};
/* Whether this cuDNN and this device may take such operands. */
bool can_attend(const attention &a);
th_status attend(const attention &a);

}  // namespace dnn

#endif
