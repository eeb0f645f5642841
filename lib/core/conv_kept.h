/* conv_kept.h - transforms of kernels, kept while the kernels stay as they are. */
#ifndef TH_CONV_KEPT_H
#define TH_CONV_KEPT_H
#include "conv.h"

enum { TH_CONV_TAG = 8 };
/* What an engine says of a transform, beside the kernels: whose it is, and of which form. */
typedef struct th_conv_tag { const void *engine; int64_t form[TH_CONV_TAG]; } th_conv_tag;

/* A transform and the kernels that it was made from. Whoever got one gives it back. */
typedef struct th_conv_kept {
  void *data;                                       /* aligned as lines of a cache in pairs */
  const void *kernels;                              /* a copy, which lies as the kernels do: made from this */
  bool  made;                                       /* by somebody before */
} th_conv_kept;

/* The transform, of so many bytes, of k's numbers: one that is kept, or, where the same kernels came the last time, one that
 * the caller makes. NULL: neither, which is no failure. */
th_conv_kept *th_conv_kept_get(const th_tensor *k, const th_conv_tag *tag, size_t bytes);
/* whole: it has been made to its end. */
void th_conv_kept_give(th_conv_kept *t, bool whole);

/* How many numbers there are from t's first to its last. 0: it is empty, or what lies in its gaps would be more than itself. */
int64_t th_conv_reach(const th_tensor *t);

/* Off: this thread gets none. Returns what was. */
bool th_conv_kept_off(bool off);

#endif
