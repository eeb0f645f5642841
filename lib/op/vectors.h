/* vectors.h - checks of the vectors of a normalisation: parameters and statistics, one number a
 * feature or a row. Beside halves they may be floats, as mixed precision has them. */
#ifndef TH_VECTORS_H
#define TH_VECTORS_H
#include "op.h"

/* The type of the vectors first..last beside x: that of the first one given, else that of x. */
static inline int th_vectors_dtype(const th_call *c, int x, int first, int last)
{
  for (int i = first; i <= last; i++) if (c->arg[i].t) return c->arg[i].t->dtype;
  return c->arg[x].t->dtype;
}

/* Vector `arg`, where it is given, has n elements of type `dtype`, which suits argument x; with
 * `changes` no two share memory. `what` follows the count in the message. */
static inline th_status th_need_vector(th_call *c, int arg, int x, int dtype, int64_t n,
                                       const char *what, bool changes)
{
  const th_tensor *t = c->arg[arg].t;
  if (!t) return TH_OK;
  const int own = c->arg[x].t->dtype;
  const bool half = own == TH_F16 || own == TH_BF16, floats = half && dtype == TH_F32;
  if (floats && t->dtype != TH_F32) {
    return th_fail(TH_EDTYPE, "%s must be a FloatTensor, as the other vectors are, got a %sTensor",
                   th_arg_name(c, arg), th_dtype_name(t->dtype));
  }
  if (!floats && t->dtype != own) {
    return th_fail(TH_EDTYPE, "%s must be a %sTensor like %s%s, got a %sTensor",
                   th_arg_name(c, arg), th_dtype_name(own), th_arg_name(c, x),
                   half ? ", or with the other vectors a FloatTensor" : "",
                   th_dtype_name(t->dtype));
  }
  if (t->ndim != 1 || t->size[0] != n) {
    return th_fail(TH_ESHAPE, "%s must have %lld elements%s, got size %s", th_arg_name(c, arg),
                   (long long)n, what, TH_SHAPE(t));
  }
  if (changes && n > 1 && t->stride[0] == 0) {
    return th_fail(TH_ESHAPE, "%s is expanded: several elements share one place; clone it first",
                   th_arg_name(c, arg));
  }
  return TH_OK;
}

#endif
