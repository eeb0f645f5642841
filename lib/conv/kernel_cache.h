/* lib/conv/kernel_cache.h - cache of the transforms of convolution kernels, valid while the kernels are unchanged. */
#ifndef TH_CONV_KEPT_H
#define TH_CONV_KEPT_H
#include "conv.h"

enum { TH_CONV_TAG = 8 };
/* Identifies a transform beside its kernels: the engine that made it, and its form. */
typedef struct th_conv_tag { const void *engine; int64_t form[TH_CONV_TAG]; } th_conv_tag;

/* A transform and the kernels that it was made from. The caller of th_conv_kept_get releases it with th_conv_kept_give. */
typedef struct th_conv_kept {
  void *data;                                       /* aligned to pairs of cache lines */
  const void *kernels;                              /* a copy with the layout of the kernels; make the transform from it */
  bool  made;                                       /* data holds the transform already */
} th_conv_kept;

/* The kept transform of k, of `bytes` bytes, or an empty one for the caller to compute, if the last call had the same kernels.
 * NULL otherwise, which is no failure. */
th_conv_kept *th_conv_kept_get(const th_tensor *k, const th_conv_tag *tag, size_t bytes);
/* Releases a transform; `whole` if it is complete. */
void th_conv_kept_give(th_conv_kept *t, bool whole);

/* The number of elements from t's first to its last; 0 if t is empty or its gaps are larger than its elements. */
int64_t th_conv_reach(const th_tensor *t);

/* With off, this thread gets no transforms. Returns the previous setting. */
bool th_conv_kept_off(bool off);

#endif
