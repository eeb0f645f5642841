// generator.cu - the random number generators of devices.
#include "thcuda.h"

namespace {
/* One for each device, made when it is asked for, freed with the thread. */
struct generators {
  th_generator *of[TH_MAXDEVICE] = {};
  ~generators() { for (th_generator *g : of) th_generator_free(g); }
};
}
static thread_local generators own;

th_generator *th_cuda_generator(int device)
{
  if (device < 1 || device > th_cuda_count()) return nullptr;
  th_generator *&g = own.of[device - 1];
  if (!g) g = th_generator_new(TH_PHILOX);
  return g;
}
