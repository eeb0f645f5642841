/* groups.c - making and closing groups, and what Lua asks of a job. */
#include <stdio.h>
#include "api.h"

void th_dist_forget(th_dist *g)
{
  th_device_close(g);
  if (g->inter_host) th_inter_host_free(g);
  th_dist_free(g);
}

/* A hash of the list of ranks. */
static int32_t note_of(const int32_t *rank, int n)
{
  uint32_t h = 2166136261u;
  for (int i = 0; i < n; i++) h = (h ^ (uint32_t)rank[i]) * 16777619u;
  return (int32_t)h;
}

/* Resets this rank's counters in shared memory. */
static void clear_area(th_dist *g)
{
  th_dist *local = g->inter_host ? g->inter_host->local : g;
  th_area *d = &local->area[local->rank];
  memset(d->call, 0, sizeof d->call);
  d->posted = d->folded = d->taken = (th_counter){ 0 };
}

static th_status make_group(th_dist **g, th_job *j, int id, const int32_t *rank, int n, bool again)
{
  TH_TRY(th_reserve(j, th_areas_of(j, id), sizeof(th_area) * (size_t)n));
  TH_TRY(th_dist_new(g, j, id, rank, n));
  const th_status s = th_inter_host_new(*g);
  if (s != TH_OK) {
    th_dist_forget(*g);
    *g = NULL;
    return s;
  }
  if (again) clear_area(*g);
  j->mine |= UINT32_C(1) << id;
  return TH_OK;
}

/* Takes a group number that no rank uses. If it was used before, the shared memory still has the
 * closed group's state. So no rank begins an operation before all have reset theirs. */
th_status th_dist_group(th_dist **g, th_dist *world, const int32_t *rank, int n)
{
  th_job *j = world->job;
  const th_dist_call call = { .kind = TH_DIST_GROUP, .op = (int32_t)j->mine, .count = n, .note = note_of(rank, n) };
  const th_dist_call wait = { .kind = TH_DIST_BARRIER };
  char why[512] = "";
  int id = 1;
  bool member = false;
  *g = NULL;
  TH_TRY(th_dist_run(world, &call));
  while (id < TH_MAXGROUP && j->used >> id & 1) id++;
  if (id == TH_MAXGROUP) return th_fail(TH_EARG, "dist.group: a job has at most %d groups at a time: close one", TH_MAXGROUP - 1);
  const bool again = j->given >> id & 1;
  j->given |= UINT32_C(1) << id;
  for (int i = 0; i < n; i++) member |= rank[i] == j->rank;
  const th_status s = member ? make_group(g, j, id, rank, n, again) : TH_OK;
  if (s != TH_OK) snprintf(why, sizeof why, "%s", th_error());
  if (again) TH_TRY(th_dist_run(world, &wait));
  return s == TH_OK ? TH_OK : th_fail(s, "%s", why);
}

/* Refuses while this rank still has unfinished operations, before other ranks start to block on it. */
th_status th_dist_close(th_dist *g)
{
  const th_dist_call call = { .kind = TH_DIST_CLOSE };
  if (!g) return th_fail(TH_EARG, "dist.%s: the group is closed, or this rank is not in it", th_operations[call.kind].name);
  if (!g->id) return th_fail(TH_EARG, "dist.group:close: this is the whole job");
  if (g->works) {
    return th_fail(TH_EARG, "dist.group:close: %d operation%s of the group %s not been waited for", g->works,
                   g->works == 1 ? "" : "s", g->works == 1 ? "has" : "have");
  }
  TH_TRY(th_dist_run(g, &call));
  g->job->mine &= ~(UINT32_C(1) << g->id);
  th_dist_forget(g);
  return TH_OK;
}

int    th_dist_rank(const th_dist *g) { return g->rank; }
int    th_dist_size(const th_dist *g) { return g->size; }
int    th_dist_local(const th_dist *g) { return g->job->local; }
int    th_dist_hosts(const th_dist *g) { return g->job->hosts; }
int    th_dist_host(const th_dist *g, int rank) { return rank < 0 || rank >= g->job->size ? -1 : th_host_of(g->job, rank); }
double th_dist_deadline(th_dist *g, double seconds)
{
  if (seconds > 0) g->job->deadline = seconds;
  return g->job->deadline;
}

const char *th_dist_kind(int kind)
{
  return kind < 0 || kind >= TH_DIST_KINDS ? NULL : th_operations[kind].name;
}
