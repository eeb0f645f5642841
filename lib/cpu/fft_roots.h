/* fft_roots.h - roots of unity, right to the last bit. */
#ifndef TH_FFT_ROOTS_H
#define TH_FFT_ROOTS_H
#include "kernel.h"

/* cos and sin of 2 pi e / n for e from 0 to count - 1, 1 <= count <= n / 2 + 1, as pairs of
 * dtype, TH_F32 or TH_F64. False: no memory. */
bool TH_AT(th_fft_roots)(int dtype, int64_t n, int64_t count, void *to);

#endif
