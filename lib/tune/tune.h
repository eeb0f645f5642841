/* lib/tune/tune.h - measured times of the convolution engines, in memory and in a file. */
#ifndef TH_CONV_TIMES_H
#define TH_CONV_TIMES_H
#include "../conv/conv.h"

/* Nanoseconds of each engine, indexed by its number: 0 if it does not support the shape, INT64_MAX if it ran out of memory.
 * `threads` is the number of threads of the CPU, and negative for the model of a device. */
typedef struct th_conv_times {
  th_conv_shape s;
  int32_t threads;
  int64_t ns[TH_CONV_MOST];
} th_conv_times;

/* Adds a number to a hash. */
static inline uint64_t th_conv_mixed(uint64_t h, uint64_t x)
{
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

uint64_t th_conv_hash(const th_conv_shape *s, uint64_t start);

/* The current number of threads, or the number of the device's model; 0 if there are too many models. */
int32_t th_conv_threads(const th_conv_shape *s);
/* Finds the times of a shape with the current number of threads; false if there are none. */
bool th_conv_times_find(th_conv_times *t, const th_conv_shape *s);
/* Adds measured times and writes the file. If another process has written times of this shape before, t becomes those. */
void th_conv_times_add(th_conv_times *t);

/* Times all engines that support c; their results are discarded. */
th_status th_conv_measure(th_conv_times *t, const th_conv *c, const th_call *call);
/* The least time of our own device kernels and of cuDNN; INT64_MAX where cuDNN fails. */
th_status th_dnn_measure(int64_t *own, int64_t *theirs, th_dnn_timer timer, void *with);

#endif
