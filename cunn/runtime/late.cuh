// late.cuh - elements out of bounds that a kernel finds after its call has returned. The host reads them at its next wait.
#ifndef TH_LATE_CUH
#define TH_LATE_CUH
#include "recording.cuh"
#include "../../lib/core/bounds.h"

/* The first finding, in pinned memory: first by the number of the call, then by the place. call 0: there is none. */
struct th_cuda_found {
  unsigned long long call, place;
  uint64_t element;
  double least, most;
  int64_t columns;
  uint32_t origin, lock;
};

/* What a kernel needs to report a finding. A record whose call is `told` counts as empty, because the host has reported it. */
struct th_cuda_finder {
  th_cuda_found *at;                         /* nullptr: the elements were checked before */
  unsigned long long call, told;
  double least, most;
  int64_t columns;
  uint32_t origin;                           /* which argument of which op */
};
/* The finder for the bound of argument `arg`, if the check of the running call has noted one. */
th_status th_cuda_finder_of(th_cuda_finder *f, const th_call *c, const th_bound *b);
th_status th_cuda_finder_in(th_cuda_finder *f, const th_call *c, int arg);

/* Called after the host has waited: fails with what kernels of this thread have found and the host has not reported yet. */
th_status th_cuda_tell();
/* Fails with the finding; `when` follows the text. */
th_status th_cuda_refuse_found(const th_cuda_found &found, const char *when);
/* Adds a function that th_cuda_tell calls last: it fails with what replays of this thread have found. */
void th_cuda_tell_also(th_status (*f)());
/* Keeps a finding of memory that is about to be freed, for the next wait of this thread. */
void th_cuda_keep_found(const th_cuda_found &found);

/* The first element that does not lie within the bound; waits for the device. */
th_status th_cuda_outside(const th_tensor *t, const th_bound *b, int64_t *place, void *element);
/* Begins the checks of a call, as th_guard says. */
th_status th_cuda_begin_checks(th_call *c, const th_bound *b, int n, th_tensor *kept);

/* Whether the record has an earlier finding. Another thread may write meanwhile, and writes `call` last. */
static inline __device__ bool th_has_earlier(const th_cuda_finder &f, unsigned long long place)
{
  const volatile th_cuda_found *r = f.at;
  const unsigned long long call = r->call;
  __threadfence();
  if (call == 0 || call == f.told || call > f.call) return false;
  return call < f.call || r->place <= place;
}

/* Element `place` is out of bounds. Threads take turns by a lock; few come so far, because most see an earlier finding. */
template <class T> static __device__ void th_find(const th_cuda_finder &f, int64_t place, T element)
{
  if (!f.at) return;
  while (!th_has_earlier(f, (unsigned long long)place)) {
    if (atomicCAS(&f.at->lock, 0u, 1u) != 0) continue;
    __threadfence();
    if (!th_has_earlier(f, (unsigned long long)place)) {
      volatile th_cuda_found *r = f.at;
      uint64_t bits = 0;
      memcpy(&bits, &element, sizeof element);
      r->element = bits, r->least = f.least, r->most = f.most, r->columns = f.columns, r->origin = f.origin;
      r->place = (unsigned long long)place;
      __threadfence_system();
      r->call = f.call;
    }
    __threadfence_system();
    atomicExch(&f.at->lock, 0u);
    return;
  }
}

#endif
