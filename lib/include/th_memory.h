/* th_memory.h - memory that is kept for later tensors; used by lua/onnx. ffi.cdef reads the text
 * between FFI BEGIN and FFI END. */
#ifndef TH_MEMORY_H
#define TH_MEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
void th_memory_trim(void);                       /* frees CPU memory kept for later tensors */
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
