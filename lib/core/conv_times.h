/* conv_times.h - what was measured of the engines of convolution, in memory and in a file. */
#ifndef TH_CONV_TIMES_H
#define TH_CONV_TIMES_H
#include "conv.h"

/* Nanoseconds of each engine, by their numbers: 0 of one that does not do it, INT64_MAX of one that had too little memory. Of
 * the CPU by so many threads; of devices below 0, by their model. */
typedef struct th_conv_times {
  th_conv_shape s;
  int32_t threads;
  int64_t ns[TH_CONV_MOST];
} th_conv_times;

/* One number more into a hash. */
static inline uint64_t th_conv_mixed(uint64_t h, uint64_t x)
{
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

uint64_t th_conv_hash(const th_conv_shape *s, uint64_t start);

/* The threads that there are now, or the device's model; 0: of too many models. */
int32_t th_conv_threads(const th_conv_shape *s);
/* Of a shape, by as many threads as there are now; false: nothing is known. */
bool th_conv_times_find(th_conv_times *t, const th_conv_shape *s);
/* Adds what was measured, and writes the file; t becomes what others have written of this shape in the meantime. */
void th_conv_times_add(th_conv_times *t);

/* Times all engines that do c; what they write is thrown away. */
th_status th_conv_measure(th_conv_times *t, const th_conv *c, const th_call *call);
/* The least time of the devices' own kernels, and of cuDNN, INT64_MAX where that fails. */
th_status th_dnn_measure(int64_t *own, int64_t *theirs, th_dnn_timer timer, void *with);

#endif
