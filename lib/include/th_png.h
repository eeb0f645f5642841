/* th_png.h - PNG images in memory, through libpng; used by lua/feed/png.lua. ffi.cdef reads the text between FFI BEGIN and FFI
 * END. */
#ifndef TH_PNG_H
#define TH_PNG_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
typedef struct th_png th_png;
/* Channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA; palettes count as RGB. Depth: 8 or 16 bits; smaller ones are expanded. */
typedef struct th_png_size { int64_t width, height; int32_t channels, depth; } th_png_size;
/* Reads the header. The bytes must not move until th_png_close. */
th_status th_png_open(th_png **out, const void *bytes, int64_t n, th_png_size *size);
/* Reads all pixels, height x width x channels: uint8_t, or int32_t if the depth is 16. */
th_status th_png_read(th_png *p, void *to);
void      th_png_close(th_png *p);
/* Writes a PNG file from height x width x channels (1, 3 or 4) pixels of 8 bits. */
th_status th_png_write(th_storage **out, const uint8_t *pixels, int64_t width, int64_t height, int channels);
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
