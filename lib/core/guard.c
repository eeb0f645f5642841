/* guard.c - bounds between the check of a call and its kernel, and the functions of the devices that look at elements. */
#include "guard.h"
#include "core.h"

static const th_guard *guard;
void th_guard_add(const th_guard *g) { __atomic_store_n(&guard, g, __ATOMIC_RELEASE); }
const th_guard *th_guard_get(void) { return __atomic_load_n(&guard, __ATOMIC_ACQUIRE); }

static TH_QUICK_LOCAL struct { const th_call *call; int n; th_bound bound[TH_MAXBOUND]; } noted;
static TH_QUICK_LOCAL struct { const th_tensor *copy, *here; } source;

bool th_note_bound(const th_call *c, const th_bound *b)
{
  if (noted.call != c) noted.n = 0;
  noted.call = c;
  if (noted.n == TH_MAXBOUND) return false;
  noted.bound[noted.n++] = *b;
  return true;
}
void th_forget_bounds(void) { noted.call = NULL; }
bool th_has_bounds(const th_call *c) { return noted.call == c; }
int th_take_bounds(const th_call *c, th_bound bound[TH_MAXBOUND])
{
  const int n = noted.call == c ? noted.n : 0;
  for (int k = 0; k < n; k++) bound[k] = noted.bound[k];
  return n;
}
const th_bound *th_bound_of(const th_call *c, int arg)
{
  for (int k = 0; noted.call == c && k < noted.n; k++) if (noted.bound[k].arg == arg) return &noted.bound[k];
  return NULL;
}

void th_note_source(const th_tensor *copy, const th_tensor *here) { source.copy = copy, source.here = here; }
const th_tensor *th_source_of(const th_tensor *copy) { return copy == source.copy ? source.here : NULL; }
