/* group.c - the memory that the ranks of a host share, and groups in it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "comm.h"

/* ---- the layout of the shared memory ---- */

enum { PAGE = 4096 };

static size_t pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }
static size_t head_bytes(void) { return pages(sizeof(th_job_head)); }
static size_t group_bytes(int size) { return pages(sizeof(th_area) * (size_t)size); }
static size_t directory_at(int size)
{
  return head_bytes() + TH_MAXGROUP * group_bytes(size) + pages(sizeof(th_channel)) * (size_t)size * (size_t)size;
}
size_t th_job_bytes(int size) { return directory_at(size) + pages(sizeof(th_directory)); }
size_t th_first_bytes(int size) { return head_bytes() + group_bytes(size); }

th_directory *th_directory_of(const th_job *j)
{
  return (th_directory *)(void *)((char *)j->head + directory_at(j->size));
}

th_area *th_areas_of(const th_job *j, int group)
{
  return (th_area *)(void *)((char *)j->head + head_bytes() + (size_t)group * group_bytes(j->size));
}

th_channel *th_channel_of(const th_job *j, int from, int to)
{
  char *first = (char *)th_areas_of(j, TH_MAXGROUP);
  return (th_channel *)(void *)(first + pages(sizeof(th_channel)) * (size_t)(from * j->size + to));
}

/* Allocates pages of shared memory now: if it is full, this is an error here instead of a signal at
 * the first write. */
th_status th_reserve(const th_job *j, const void *p, size_t bytes)
{
  if (j->fd < 0) return TH_OK;
  int why;
  do why = posix_fallocate(j->fd, (const char *)p - (const char *)j->head, (off_t)bytes);
  while (why == EINTR);
  return why ? th_fail(TH_ENOMEM, "cannot reserve %lld bytes of shared memory: %s", (long long)bytes, strerror(why)) : TH_OK;
}

/* ---- groups ---- */

static void queue_init(th_queue *l)
{
  pthread_mutex_init(&l->lock, NULL);
  pthread_cond_init(&l->turn, NULL);
}

th_status th_dist_new(th_dist **out, th_job *j, int id, const int32_t *world, int n)
{
  th_dist *g = calloc(1, sizeof *g + (id ? 0 : 2 * (size_t)j->size * sizeof(th_queue)));
  if (!g) return th_fail(TH_ENOMEM, "dist: no memory left");
  g->job = j;
  g->id = id;
  g->size = n;
  g->rank = -1;
  for (int i = 0; i < n; i++) {
    g->world[i] = world[i];
    if (world[i] == j->rank) g->rank = i;
  }
  g->area = th_areas_of(j, id);
  queue_init(&g->queue);
  if (!id) {
    g->to = (th_queue *)(void *)(g + 1);
    g->from = g->to + j->size;
    for (int i = 0; i < 2 * j->size; i++) queue_init(&g->to[i]);
  }
  *out = g;
  return TH_OK;
}

static void queue_end(th_queue *l)
{
  pthread_cond_destroy(&l->turn);
  pthread_mutex_destroy(&l->lock);
}

void th_dist_free(th_dist *g)
{
  queue_end(&g->queue);
  free(g);
}
