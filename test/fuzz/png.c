/* png.c - fuzz target: a PNG file, from its header to its pixels, through the libpng of this machine. */
#include "fuzz.h"
#include "th_png.h"

enum { MOST = 1 << 22 };            /* pixels that are read: more would take longer than they teach */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  fuzz_begin(n);
  uint8_t *p = exactly(bytes, n);
  th_png *png;
  th_png_size size;
  if (th_png_open(&png, p, (int64_t)n, &size) == TH_OK) {
    const int64_t elements = size.width * size.height * size.channels;
    assert(elements > 0 && elements <= 32 * 1032 * (int64_t)n && size.channels <= 4);
    if (elements <= MOST) {
      int32_t *pixels = malloc((size_t)elements * (size.depth == 16 ? 4 : 1));
      (void)th_png_read(png, pixels);
      free(pixels);
    }
    th_png_close(png);
  }
  free(p);
  fuzz_end();
  return 0;
}
