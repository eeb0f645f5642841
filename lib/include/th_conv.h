/* th_conv.h - settings of convolution, and measured times of its engines. A part of th.h's interface. */
#ifndef TH_CONV_SETTINGS_H
#define TH_CONV_SETTINGS_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif
/* FFI BEGIN */
/* A device (0: the CPU) has some of the engines. An engine may need a library that is not installed: _missing says why, or NULL
 * if it is available or the device has no such engine. th_conv_model is NULL for the CPU. And oneDNN's name, or NULL. */
int          th_conv_has(int device, int i);
const char  *th_conv_engine_known(int i);        /* the name of an engine of any device; NULL past the last one */
const char  *th_conv_engine_missing(int device, int i);
const char  *th_conv_model(int device);
const char  *th_onednn_name(void);

/* The preferred engine, used for every shape that it supports; -1: none. The initial value is TH_CONV_ENGINE of the
 * environment. */
void         th_conv_prefer(int engine);
int          th_conv_preferred(void);
/* Overrides it in this thread; returns the previous value. */
int          th_conv_prefer_here(int engine);

/* Measurement: while it is on, the first convolution of a shape times all engines that support it, and later ones use the
 * fastest. The times are kept in a file in `folder`, which is created; NULL: for this process only. */
void         th_conv_benchmark(int on, const char *folder);
int          th_conv_benchmarks(void);
const char  *th_conv_times_file(void);           /* NULL: none */
const char  *th_conv_times_trouble(void);        /* why that file was ignored or not written, or NULL */
/* Seconds of an engine, on the CPU with the current number of threads; 0: not measured, or measurement is off. */
double       th_conv_measured(const th_conv_shape *s, int engine);

/* The cache of transforms of unchanged kernels: its limit in bytes; 0: no cache. */
typedef struct th_kernel_cache_counts { int64_t bytes, count, uses; } th_kernel_cache_counts;
void         th_kernel_cache_set_limit(int64_t bytes);
int64_t      th_kernel_cache_limit(void);
th_kernel_cache_counts th_kernel_cache_now(void);        /* uses: cache hits of this process */

/* Transforms of kernels that never change, as the weights of a loaded model. Of one thread. */
typedef struct th_conv_keeper th_conv_keeper;
th_conv_keeper *th_conv_keeper_new(void);               /* NULL without memory */
void         th_conv_keeper_free(th_conv_keeper *k);
/* The caller promises that this thread's next calls of conv2d_fused have the same kernels. Their
 * transforms stay in k without a comparison. NULL: no promise. Returns the keeper before. */
th_conv_keeper *th_conv_keep(th_conv_keeper *k);
int64_t      th_conv_keeper_bytes(const th_conv_keeper *k);
void         th_conv_keepers_trim(void);                /* frees memory for later transforms */
/* Whether the last call has read a transform alone, and calls of the same sizes will. Then the
 * kernels may be dropped. */
int          th_conv_keeper_sufficed(const th_conv_keeper *k);
/* Says that the numbers of the kernels were dropped, or are there again. Calls that need them are
 * errors. Of missed: whether the last call was such an error. */
void         th_conv_keeper_gone(th_conv_keeper *k, int gone);
int          th_conv_keeper_missed(const th_conv_keeper *k);

/* When devices use cuDNN: never, where it is faster, or wherever it can. The setting exists before a backend is loaded. */
enum { TH_DNN_NEVER, TH_DNN_WHERE_FASTER, TH_DNN_WHEREVER };
void         th_dnn_set(int when);
int          th_dnn_when(void);
/* FFI END */
#ifdef __cplusplus
}
#endif
#endif
