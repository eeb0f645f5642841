// place.h - what a kernel's text needs on the emulated device: words of CUDA that mean nothing
// there, and the indices of the running thread. The texts that are compiled at run time begin
// with this file, too (program_text.cuh).
#ifndef TH_EMU_PLACE_H
#define TH_EMU_PLACE_H

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __restrict__ __restrict

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

namespace emu {
/* The indices of the running thread. */
struct place { uint3 thread, block; dim3 threads, blocks; };
extern place now;
}

#define threadIdx (emu::now.thread)
#define blockIdx  (emu::now.block)
#define blockDim  (emu::now.threads)
#define gridDim   (emu::now.blocks)

#endif
