// alignment.cc - a kernel that uses an address that its type's alignment does not divide fails, as on a GPU.
//
// The compiler checks each access of the files that it compiles with -fsanitize=alignment, and calls these functions of UBSan's
// interface. They are hidden, so they stay in this library, and a program without UBSan has them too.
#include <stdio.h>
#include <stdlib.h>
#include "block.h"

namespace {

struct source { const char *file; uint32_t line, column; };
struct type { uint16_t kind, info; char name[1]; };
struct access { source at; const type *of; unsigned char log_alignment, kind; };

const char *const kinds[] = { "load of", "store to", "reference to", "member of", "call of a member of", "construction of" };

void refuse(const access *a, uintptr_t p)
{
  char text[512];
  const uintptr_t alignment = (uintptr_t)1 << a->log_alignment;
  const char *what = !p ? "null" : p % alignment ? "misaligned" : "too small";
  const char *kind = a->kind < sizeof kinds / sizeof *kinds ? kinds[a->kind] : "use of";
  snprintf(text, sizeof text, "%s a %s address, %#llx, as %s, which needs %d bytes of alignment, at %s:%u", kind, what,
           (unsigned long long)p, a->of->name, (int)alignment, a->at.file, (unsigned)a->at.line);
  if (emu::in_kernel()) emu::fail(text);
  fprintf(stderr, "emulated CUDA device: %s\n", text);
  abort();
}

}  // namespace

#define HIDDEN extern "C" __attribute__((visibility("hidden")))
HIDDEN void __ubsan_handle_type_mismatch_v1(const access *a, uintptr_t p) { refuse(a, p); }
HIDDEN void __ubsan_handle_type_mismatch_v1_abort(const access *a, uintptr_t p) { refuse(a, p); }
