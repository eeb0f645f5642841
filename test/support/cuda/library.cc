// library.cc - opens a library as cunn does, and says which it is or why there is none: library.cc SYMBOL FILE [FILE]; built and
// run by library_spec.lua.
#include <stdio.h>
#include "../../../cunn/libraries/library.h"

static int (*f)();
static std::string trial() { return f() != 9 ? "" : "it answers 9"; }

int main(int n, char **v)
{
  th_library library("probe", "TH_PROBE");
  if (n < 3) return 2;
  const bool there = library.open({ v[2], n > 3 ? v[3] : v[2] }, { { (void **)&f, v[1] } }, nullptr, trial);
  printf("%s %d\n", there ? library.file() : library.why(), there ? f() : 0);
  return 0;
}
