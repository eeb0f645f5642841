/* lib/tune/measure.c - times the ways of doing a piece of work. */
#include <pthread.h>
#include <time.h>
#include "tune.h"

enum { ROUNDS = 10, HOPELESS = 4 };
static const int64_t ENOUGH = 100000000;            /* nanoseconds after which measuring ends, if two rounds are done */

int64_t th_tune_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool has(const th_tune_trial *trial, int way) { return trial->ways >> way & 1; }
static bool is_first(const th_tune_trial *trial, int way) { return !(trial->ways & ((1u << way) - 1)); }

/* One run. Lowers *ns to its time, or sets INT64_MAX if memory does not suffice or a library fails. */
static th_status once(int64_t *ns, const th_tune_trial *trial, int way)
{
  int64_t took = 0;
  const th_status s = trial->run(&took, way, trial->with);
  if (s == TH_OK && (*ns == 0 || took < *ns)) *ns = took > 0 ? took : 1;
  const bool never = s == TH_ENOMEM || (s == TH_EBACKEND && !is_first(trial, way));
  if (never) *ns = INT64_MAX;
  return never ? TH_OK : s;
}

/* A first round warms up and finds ways that are too slow; the others then take turns. On devices, the very first run makes
 * plans and loads kernels, so its time is ignored. */
static th_status rounds(int64_t ns[TH_TUNE_WAYS], const th_tune_trial *trial, int device)
{
  int64_t best = INT64_MAX, first[TH_TUNE_WAYS] = { 0 };
  const int64_t start = th_tune_clock();
  for (int i = 0; i < TH_TUNE_WAYS; i++) {
    if (!has(trial, i)) continue;
    int64_t unused = 0;
    if (device != TH_CPU) TH_TRY(once(&unused, trial, i));
    TH_TRY(once(&first[i], trial, i));
    if (first[i] < best) best = first[i];
  }
  for (int round = 0; round < ROUNDS && (round < 2 || th_tune_clock() - start < ENOUGH); round++) {
    for (int i = 0; i < TH_TUNE_WAYS; i++) {
      if (first[i] == 0 || ns[i] == INT64_MAX) continue;
      if (first[i] / HOPELESS > best) ns[i] = first[i];
      else TH_TRY(once(&ns[i], trial, i));
    }
  }
  return TH_OK;
}

static th_status measured(int64_t ns[TH_TUNE_WAYS], const th_tune_key *key, const th_tune_trial *trial)
{
  memset(ns, 0, TH_TUNE_WAYS * sizeof *ns);
  TH_TRY(trial->prepare(trial->with));
  TH_TRY(rounds(ns, trial, key->device));
  th_tune_add(ns, key, trial->ways);
  return TH_OK;
}

th_status th_tune(int64_t ns[TH_TUNE_WAYS], const th_tune_key *key, const th_tune_trial *trial)
{
  static pthread_mutex_t measuring = PTHREAD_MUTEX_INITIALIZER;
  if (th_tune_find(ns, key, trial->ways)) return TH_OK;
  pthread_mutex_lock(&measuring);
  const th_status s = th_tune_find(ns, key, trial->ways) ? TH_OK : measured(ns, key, trial);
  pthread_mutex_unlock(&measuring);
  return s;
}

int th_tune_fastest(const int64_t ns[TH_TUNE_WAYS])
{
  int best = -1;
  for (int i = 0; i < TH_TUNE_WAYS; i++) if (ns[i] && (best < 0 || ns[i] < ns[best])) best = i;
  return best;
}
