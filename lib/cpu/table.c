/* table.c - the kernels of one level, in the order of ops.def. */
#include "kernel.h"

#define TH_OP(id) extern const th_kernel TH_AT(th_##id)[TH_NDTYPE];
#include "../ops.def"
#undef TH_OP

const th_kernel *const TH_AT(th_cpu)[] = {
#define TH_OP(id) TH_AT(th_##id),
#include "../ops.def"
#undef TH_OP
  NULL
};
