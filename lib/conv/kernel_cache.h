/* lib/conv/kernel_cache.h - cache of the transforms of convolution kernels, valid while the kernels are unchanged. */
#ifndef TH_KERNEL_CACHE_H
#define TH_KERNEL_CACHE_H
#include "conv.h"

enum { TH_KERNEL_TAG = 8 };
/* Identifies a transform beside its kernels: the engine that made it, and its form. */
typedef struct th_kernel_tag { const void *engine; int64_t form[TH_KERNEL_TAG]; } th_kernel_tag;

/* A transform and the kernels that it was made from. The caller of th_kernel_cache_get releases it with th_kernel_cache_give. */
typedef struct th_cached_kernel {
  void *data;                                       /* aligned to pairs of cache lines */
  const void *kernels;                              /* a copy with the layout of the kernels; make the transform from it */
  bool  made;                                       /* data holds the transform already */
} th_cached_kernel;

/* The kept transform of k, of `bytes` bytes, or an empty one for the caller to compute, if the last
 * call had the same kernels or this thread has a keeper. NULL otherwise, which is no failure. */
th_cached_kernel *th_kernel_cache_get(const th_tensor *k, const th_kernel_tag *tag, size_t bytes);
/* Releases a transform; `whole` if it is complete. */
void th_kernel_cache_give(th_cached_kernel *t, bool whole);

/* The number of elements from t's first to its last; 0 if t is empty or its gaps are larger than its elements. */
int64_t th_reach(const th_tensor *t);

/* Whether the kernels of this thread's calls never change: it has a keeper. */
bool th_conv_trusted(void);
/* Whether their numbers were dropped. A call that needs them then fails with th_kernels_missed. */
bool th_kernels_gone(void);
th_status th_kernels_missed(void);
/* Says that a call has read the kept transform alone, and that calls like it will. */
void th_kernels_sufficed(void);

/* With off, this thread gets no transforms. Returns the previous setting. */
bool th_kernel_cache_off(bool off);

#endif
