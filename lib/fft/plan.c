/* plan.c - makes plans of pocketfft and keeps the last ones: at most so many, and so many bytes of them. */
#include <pthread.h>
#include <stdlib.h>
#include "plan.h"

#define RALLOC(type, num) ((type *)th_scratch((num) * sizeof(type)))
#define DEALLOC(ptr) (th_scratch_free(ptr), (ptr) = NULL)
#define PF(name) name
typedef double vdouble;
typedef cmplx vcmplx;
#include "../../third_party/pocketfft/exec.h"
#include "../../third_party/pocketfft/plan.h"

enum { KEPT = 32, KEPT_BYTES = 64 << 20 };

static struct {
  pthread_mutex_t lock;
  th_fft_plan *plan[KEPT];
  int64_t bytes, calls;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- making ---- */

static void destroy(th_fft_plan *p)
{
  if (p->complex) destroy_cfft_plan(p->complex);
  if (p->real) destroy_rfft_plan(p->real);
  free(p);
}

/* Numbers behind a plan of factors: a second line, and the roots of a large factor. */
static int64_t packed_work(const cfftp_plan p)
{
  size_t largest = 0;
  for (size_t k = 0; k < p->nfct; k++) if (p->fct[k].fct > largest) largest = p->fct[k].fct;
  return 2 * (int64_t)(p->length + largest);
}

static int64_t blue_work(const fftblue_plan p) { return 2 * (int64_t)(p->n + p->n2) + packed_work(p->plan); }

static th_fft_plan *make(int64_t n, bool real)
{
  th_fft_plan *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->n = n;
  if (real) p->real = make_rfft_plan((size_t)n);
  else p->complex = make_cfft_plan((size_t)n);
  if (!p->real && !p->complex) {
    free(p);
    return NULL;
  }
  const fftblue_plan blue = real ? p->real->blueplan : p->complex->blueplan;
  p->work = blue ? blue_work(blue) : real ? n : packed_work(p->complex->packplan);
  p->bytes = 16 * (blue ? (int64_t)(blue->n + 2 * blue->n2) : n);
  return p;
}

/* ---- keeping ---- */

static th_fft_plan *find(int64_t n, bool real)
{
  for (int i = 0; i < KEPT; i++) {
    th_fft_plan *p = cache.plan[i];
    if (p && p->n == n && (p->real != NULL) == real) return p;
  }
  return NULL;
}

/* Takes plan i out; who uses it last destroys it. */
static void drop(int i)
{
  th_fft_plan *p = cache.plan[i];
  cache.plan[i] = NULL;
  cache.bytes -= p->bytes;
  p->kept = false;
  if (p->users == 0) destroy(p);
}

/* Puts p into the cache, in the place of those that were not used for longest. */
static void keep(th_fft_plan *p)
{
  if (p->bytes > KEPT_BYTES) return;
  for (;;) {
    int empty = -1, oldest = -1;
    for (int i = 0; i < KEPT; i++) {
      if (!cache.plan[i]) empty = i;
      else if (oldest < 0 || cache.plan[i]->used < cache.plan[oldest]->used) oldest = i;
    }
    if (empty >= 0 && cache.bytes + p->bytes <= KEPT_BYTES) {
      cache.plan[empty] = p;
      cache.bytes += p->bytes;
      p->kept = true;
      return;
    }
    drop(oldest);
  }
}

th_status th_fft_plan_get(th_fft_plan **to, int64_t n, bool real)
{
  pthread_mutex_lock(&cache.lock);
  th_fft_plan *p = find(n, real);
  if (!p && n < (int64_t)1 << 48) p = make(n, real);
  if (p) {
    p->used = ++cache.calls;
    p->users++;
    if (!p->kept) keep(p);
  }
  pthread_mutex_unlock(&cache.lock);
  *to = p;
  return p ? TH_OK : th_fail(TH_ENOMEM, "no memory to prepare a transform of %lld numbers", (long long)n);
}

void th_fft_plan_put(th_fft_plan *p)
{
  if (!p) return;
  pthread_mutex_lock(&cache.lock);
  if (--p->users == 0 && !p->kept) destroy(p);
  pthread_mutex_unlock(&cache.lock);
}
