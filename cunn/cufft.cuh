// cufft.cuh - many transforms at once, by cuFFT.
#ifndef TH_CUFFT_CUH
#define TH_CUFFT_CUH
#include "backend.cuh"

/* `batch` tiles of n[0] x n[1] numbers, or lines of n[1] where n[0] is 1, that lie behind each other: floats, or doubles (wide).
 * Of real ones (REAL) the spectra's last dimension is cut behind its middle, and number f of the spectrum of tile e lies at
 * f * step + e * dist; complex ones are transformed where they are. Nothing is scaled. */
struct th_cuda_fft {
  enum { REAL, COMPLEX } kind;
  bool wide, back;
  int64_t n[2], batch, step, dist;
};

/* To the spectra, or back, which destroys them. Complex: both are the same memory. */
th_status th_cuda_fft_run(const th_cuda_fft &f, void *numbers, void *spectra);

/* How many bytes of numbers and spectra are in memory at a time, if the least that is possible is not more. */
int64_t th_cuda_chunk(int device);

/* Why there is no cuFFT; NULL: there is one. */
const char *th_cuda_fft_why();
/* Like 12.0.0; "": there is none. */
const char *th_cuda_fft_version();

#endif
