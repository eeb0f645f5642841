/* th_memory.h - memory that is kept for later tensors; used by lua/onnx. ffi.cdef reads the text
 * between FFI BEGIN and FFI END. */
#ifndef TH_MEMORY_H
#define TH_MEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
void th_memory_trim(void);                       /* frees CPU memory kept for later tensors */
/* Frees the pages inside of a tensor's memory: its numbers are undefined until they are written
 * again. Does nothing where the memory is a file's, shared or a device's, or holds other numbers
 * too. */
void th_memory_discard(th_tensor *t);
/* Until th_scratch_lent, the workspaces of this thread's ops lie in these bytes where they fit, and
 * nothing else may use them. NULL: no memory is lent. th_scratch_lent returns how many bytes they
 * would fill; small ones are not counted. */
void th_scratch_lend(void *p, int64_t bytes);
int64_t th_scratch_lent(void);
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
