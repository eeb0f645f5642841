/* fft.args.h - the arguments of the ops of fft.c. */
#ifndef TH_FFT_ARGS_H
#define TH_FFT_ARGS_H
#include "th_args.h"

/* The last arguments of transforms along one dimension, and along several. */
#define TH_FFT_OPTIONS (n, int, "-1"), (dim, dim, "-1"), (norm, string, "'backward'")
#define TH_FFTN_OPTIONS (s, sizes, "{}"), (dim, sizes, "{}"), (norm, string, "'backward'")
TH_ARGS(fft_options, TH_FFT_OPTIONS)

TH_ARGS(fftn_options, TH_FFTN_OPTIONS)

TH_ARGS(fft, (y, out), (x, tensor), TH_FFT_OPTIONS)

TH_ARGS(fftn, (y, out), (x, tensor), TH_FFTN_OPTIONS)

TH_ARGS(fft_grad, (gx, out), (x, tensor), (g, tensor), (kind, int), TH_FFT_OPTIONS)

TH_ARGS(fftn_grad, (gx, out), (x, tensor), (g, tensor), (kind, int), TH_FFTN_OPTIONS)

TH_ARGS(complexMul, (y, out), (a, tensor), (b, tensor))

#endif
