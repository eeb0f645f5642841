/* th_conv.h - settings of convolution, and what was measured of its engines. A part of th.h's interface. */
#ifndef TH_CONV_SETTINGS_H
#define TH_CONV_SETTINGS_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif
/* FFI BEGIN */
/* A device (0: the CPU) has some of the engines. One may rest on a library that is not installed: why it is not there; NULL: it
 * is, or the device has no such engine. The model of a device; NULL: it is the CPU. And oneDNN's name, or NULL. */
int          th_conv_has(int device, int i);
const char  *th_conv_engine_known(int i);        /* the name of an engine of any device; NULL past the last one */
const char  *th_conv_engine_missing(int device, int i);
const char  *th_conv_model(int device);
const char  *th_onednn_name(void);

/* The engine that th_conv_choose takes wherever it can, -1: none. From the start it is TH_CONV_ENGINE of the environment. */
void         th_conv_prefer(int engine);
int          th_conv_preferred(void);
/* Goes before it in this thread; gives what did until now. */
int          th_conv_prefer_here(int engine);

/* Measured engines: while this is on, the first convolution of a shape times all engines that do it, and the fastest
 * computes it from then on. What is measured is kept in a file of `folder`, which is made; NULL: for this process only. */
void         th_conv_benchmark(int on, const char *folder);
int          th_conv_benchmarks(void);
const char  *th_conv_times_file(void);           /* NULL: none */
const char  *th_conv_times_trouble(void);        /* why that file was passed over, or not written; NULL: nothing is wrong */
/* Seconds of an engine, on the CPU by as many threads as there are now; 0: not measured, or benchmark is off. */
double       th_conv_measured(const th_conv_shape *s, int engine);

/* Transforms of kernels are kept while the kernels stay as they are: so many bytes at most, 0: none. */
typedef struct th_conv_kept_counts { int64_t bytes, count, uses; } th_conv_kept_counts;
void         th_conv_keep(int64_t bytes);
int64_t      th_conv_keeps(void);
th_conv_kept_counts th_conv_kept_now(void);      /* uses: how often one was found, from the start */
/* FFI END */
#ifdef __cplusplus
}
#endif
#endif
