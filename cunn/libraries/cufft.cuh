// cufft.cuh - batches of transforms by cuFFT.
#ifndef TH_CUFFT_CUH
#define TH_CUFFT_CUH
#include "../runtime/backend.cuh"

/* `batch` contiguous tiles of n[0] x n[1] numbers, or lines of n[1] if n[0] is 1: floats, or doubles (wide). Spectra of real
 * tiles (REAL) hold half of the last dimension, and number f of the spectrum of tile e is at f * step + e * dist. Complex tiles
 * are transformed in place. Nothing is scaled. */
struct th_cuda_fft {
  enum { REAL, COMPLEX } kind;
  bool wide, back;
  int64_t n[2], batch, step, dist;
};

/* Transforms to the spectra, or back, which destroys the spectra. For complex tiles both are the same memory. */
th_status th_cuda_fft_run(const th_cuda_fft &f, void *numbers, void *spectra);

/* The bytes of numbers and spectra that may be in memory at a time, unless the minimum is larger. */
int64_t th_cuda_chunk(int device);

/* Why cuFFT is missing, or NULL. */
const char *th_cuda_fft_why();
/* Like 12.0.0; "" without cuFFT. */
const char *th_cuda_fft_version();

/* Opens cuFFT before a recording. */
th_status th_cuda_fft_prepare();

#endif
