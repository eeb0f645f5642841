/* th_source.h - files that are read anywhere, and checksums: lua/data reads with them. The text between FFI BEGIN and FFI END is
 * what ffi.cdef reads. */
#ifndef TH_SOURCE_H
#define TH_SOURCE_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
typedef struct th_source th_source;
th_status th_source_open(th_source **out, const char *path);
int64_t   th_source_size(const th_source *s);                 /* bytes that it had when it was opened */
th_status th_source_read(const th_source *s, void *to, int64_t n, int64_t place);   /* all n bytes, or a failure */
void      th_source_free(th_source *s);
uint32_t  th_crc32c(uint32_t crc, const void *bytes, int64_t n);                    /* Castagnoli's; crc is 0 at first */
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
