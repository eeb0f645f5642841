// count.cc - what the host has asked of the emulated devices, for programs that measure and specs.
#include "machine.h"

static const char *const names[emu::COUNTED] = { "launches", "copies", "graphs", "waits", "stream waits", "allocations", "frees",
                                                  "accesses" };

/* The count of that name since the process began; -1: there is no such count. */
extern "C" double th_emu_count(const char *name)
{
  const emu::guard g(emu::all().lock);
  for (int i = 0; i < emu::COUNTED; i++) if (!strcmp(name, names[i])) return (double)emu::all().counts[i];
  return -1;
}

/* The next wait reports that a kernel has failed. */
extern "C" void th_emu_fail()
{
  const emu::guard g(emu::all().lock);
  emu::all().failed = cudaErrorLaunchFailure;
}
