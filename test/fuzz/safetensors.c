/* safetensors.c - fuzz target: the header of a .safetensors file; the first two bytes say how many bytes follow it. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  if (n < 2) return 0;
  fuzz_begin(n);
  const int64_t data = bytes[0] | bytes[1] << 8;
  char *p = exactly(bytes + 2, n - 2);
  th_safetensors *s;
  if (th_safetensors_parse(&s, p, (int64_t)n - 2, data) == TH_OK) {
    for (int64_t i = 0; i < th_safetensors_count(s); i++) {
      th_safetensor t;
      th_safetensors_at(s, i, &t);
      assert(t.begin >= 0 && t.begin <= t.end && t.end <= data && th_is_utf8(t.name, t.name_size));
    }
    for (int64_t i = 0; i < th_safetensors_notes(s); i++) {
      int64_t length;
      const char *text = th_safetensors_note(s, i, 1, &length);
      assert(th_is_utf8(text, length));
    }
    th_safetensors_free(s);
  }
  free(p);
  fuzz_end();
  return 0;
}
