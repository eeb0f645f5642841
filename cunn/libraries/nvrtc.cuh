// nvrtc.cuh - texts that NVRTC compiles while a program runs.
#ifndef TH_NVRTC_CUH
#define TH_NVRTC_CUH
#include <string>
#include "../runtime/backend.cuh"

/* Why there is no NVRTC, or NULL. */
const char *th_nvrtc_why();
/* Like 13.0; "" without NVRTC. */
std::string th_nvrtc_version();
/* Compiles a text for devices of a capability, 90 for 9.0. Returns whether it could; *log: what
 * the compiler says. */
bool th_nvrtc_compile(std::string *binary, std::string *log, const std::string &text,
                      int capability);

/* Code that NVRTC has made, loaded for all devices; never unloaded. Returns whether it could be
 * loaded. */
bool th_nvrtc_load(void **library, const std::string &binary);
/* NULL: it has no such kernel. */
void *th_nvrtc_kernel(void *library, const char *name);
/* Starts a kernel with one argument in the thread's stream. */
th_status th_nvrtc_launch(void *kernel, unsigned blocks, unsigned threads, void *argument);

#endif
