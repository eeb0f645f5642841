/* plan.h - plans of pocketfft, made once per size and kept for the next call. */
#ifndef TH_FFT_PLAN_H
#define TH_FFT_PLAN_H
#include "../core/core.h"
#include "../../third_party/pocketfft/types.h"

typedef struct th_fft_plan {
  int64_t   n, work;        /* work: scratch numbers that a transform of one line needs beside it */
  cfft_plan complex;        /* one of the two */
  rfft_plan real;
  int64_t   bytes, used;    /* used: the call that wanted it last */
  int       users;
  bool      kept;           /* in the cache */
} th_fft_plan;

/* The plan of size n >= 1; many calls may share it. Give it back with th_fft_plan_put. */
th_status th_fft_plan_get(th_fft_plan **p, int64_t n, bool real);
void      th_fft_plan_put(th_fft_plan *p);

#endif
