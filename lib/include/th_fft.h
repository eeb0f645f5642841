/* th_fft.h - splits a call of a Fourier op into passes along one dimension each, for the CPU and for backends of devices. */
#ifndef TH_FFT_H
#define TH_FFT_H
#include "th_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The transform of a pass. The last two transform a real line to its half spectrum and back. */
enum { TH_FFT_FORWARD, TH_FFT_BACKWARD, TH_FFT_HALF, TH_FFT_WHOLE };

/* A line is cut or zero-padded to the length of a transform of n numbers; the result is cut or padded to `size`. */
typedef struct th_fft_pass {
  int     kind, dim;
  int64_t n, size;
  double  inner;                   /* factor of the half spectrum's inner elements: gradients have 2 and 1/2 */
} th_fft_pass;

typedef struct th_fft {
  int         count, ndim;         /* ndim: without the last dimension of complex tensors */
  th_fft_pass pass[TH_MAXDIM];
  double      scale;               /* of the result */
  bool        from_complex, to_complex;
  int64_t     size[TH_MAXDIM];     /* of the result */
} th_fft;

/* Computes the passes of a call, in the order in which they apply to input `x`; refuses invalid arguments. */
th_status th_fft_of(const th_call *c, th_fft *f);

/* For a device kernel of a TH_LATE op that lacks a library: runs the whole call on the CPU. */
th_status th_by_cpu(const th_call *c);

#ifdef __cplusplus
}
#endif
#endif
