// block.h - runs the blocks of a kernel.
#ifndef TH_EMU_BLOCK_H
#define TH_EMU_BLOCK_H
#include "kernel.h"

namespace emu {

/* Runs a kernel to its end; returns NULL or an error message. */
const char *run_grid(dim3 blocks, dim3 threads, size_t shared, const std::function<void()> &kernel);
/* Blocks and threads run in a random order that changes with every kernel; 0: in their natural order. */
void set_order(uint64_t seed);

}  // namespace emu
#endif
