/* th_fft.h - what a call of the Fourier family comes to: passes along one dimension each. For the CPU, and for libraries
 * that know devices. */
#ifndef TH_FFT_H
#define TH_FFT_H
#include "th_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a pass does to a line. The last two are a line of numbers to its half spectrum and back. */
enum { TH_FFT_FORWARD, TH_FFT_BACKWARD, TH_FFT_HALF, TH_FFT_WHOLE };

/* A line is cut or padded with zeros to what a transform of n numbers takes; the result is cut or padded to `size`. */
typedef struct th_fft_pass {
  int     kind, dim;
  int64_t n, size;
  double  inner;                   /* factor of the half spectrum's inner places: gradients have 2 and 1/2 */
} th_fft_pass;

typedef struct th_fft {
  int         count, ndim;         /* ndim: without the last dimension of complex tensors */
  th_fft_pass pass[TH_MAXDIM];
  double      scale;               /* of the result */
  bool        from_complex, to_complex;
  int64_t     size[TH_MAXDIM];     /* of the result */
} th_fft;

/* The passes of a call from input `x` on; refuses what makes no sense. */
th_status th_fft_of(const th_call *c, th_fft *f);

/* For a kernel of a device, of an op that is TH_LATE, which finds that a library is missing: the CPU does all of the call. */
th_status th_by_cpu(const th_call *c);

#ifdef __cplusplus
}
#endif
#endif
