// block.h - runs the blocks of a kernel.
#ifndef TH_EMU_BLOCK_H
#define TH_EMU_BLOCK_H
#include "kernel.h"

namespace emu {

/* Runs a kernel to its end; returns NULL or an error message, which is valid until the next call. */
const char *run_grid(dim3 blocks, dim3 threads, size_t shared, const std::function<void()> &kernel);
/* Blocks and threads run in a random order that changes with every kernel; 0: in their natural order. */
void set_order(uint64_t seed);

/* Whether the caller is a thread of a kernel, and what ends that kernel with an error message; it does not return. */
bool in_kernel();
[[noreturn]] void fail(const char *message);
/* Fills the memory that a launch asked for, for a new block: shared.cc. */
void fill_dynamic_shared(void *p, size_t bytes);

}  // namespace emu
#endif
