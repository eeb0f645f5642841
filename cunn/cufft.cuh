// cufft.cuh - many real transforms at once, by cuFFT.
#ifndef TH_CUFFT_CUH
#define TH_CUFFT_CUH
#include "backend.cuh"

/* `batch` tiles of n[0] x n[1] floats, or doubles (wide), that lie behind each other; n[0] is 1 where they are lines. Of their
 * spectra, whose last dimension is cut behind its middle, number f of tile e lies at f * batch + e. Nothing is scaled. */
struct th_cuda_fft { bool wide, back; int64_t n[2], batch; };

/* To the spectra, or back, which destroys them. */
th_status th_cuda_fft_run(const th_cuda_fft &f, void *reals, void *spectra);

/* Why there is no cuFFT; NULL: there is one. */
const char *th_cuda_fft_why();

#endif
