/* object.c - reference-counted objects: creation, retain and release; and the counter. */
#include "tds.h"
#include "../core/storage.h"

static size_t size_of(int type)
{
  return type == TH_TDS_HASH ? sizeof(hash) : type == TH_TDS_VEC ? sizeof(vec) : sizeof(counter);
}

th_tds *th_tds_new(int type)
{
  object *o = calloc(1, size_of(type));
  if (!o) return NULL;
  o->base.refs = 1;
  o->base.type = type;
  pthread_mutex_init(&o->lock, NULL);
  th_account((int64_t)size_of(type), 0);
  return &o->base;
}

void th_tds_retain(th_tds *o) { __atomic_add_fetch(&o->refs, 1, __ATOMIC_RELAXED); }

static void destroy(object *o)
{
  const int type = o->base.type;
  if (type == TH_TDS_HASH) tds_hash_free((hash *)o);
  if (type == TH_TDS_VEC) tds_vec_free((vec *)o);
  pthread_mutex_destroy(&o->lock);
  th_account(-(int64_t)size_of(type), 0);
  free(o);
}

/* Containers can be nested a million deep. Those to be freed are put into a list, so that freeing needs no recursion. */
static TH_QUICK_LOCAL object *dead;
static TH_QUICK_LOCAL bool burying;

void th_tds_release(th_tds *base)
{
  if (__atomic_sub_fetch(&base->refs, 1, __ATOMIC_ACQ_REL) != 0) return;
  object *o = (object *)base;
  o->next_dead = dead;
  dead = o;
  if (burying) return;
  burying = true;
  while ((o = dead)) {
    dead = o->next_dead;
    destroy(o);
  }
  burying = false;
}

int64_t th_tds_size(th_tds *o)
{
  object *it = (object *)o;
  pthread_mutex_lock(&it->lock);
  const int64_t size = o->type == TH_TDS_HASH ? ((hash *)o)->live : ((vec *)o)->size;
  pthread_mutex_unlock(&it->lock);
  return size;
}

int64_t th_tds_counter_add(th_tds *o, int64_t n)
{
  return __atomic_fetch_add(&((counter *)o)->n, n, __ATOMIC_ACQ_REL);
}

int64_t th_tds_counter_set(th_tds *o, int64_t n)
{
  return __atomic_exchange_n(&((counter *)o)->n, n, __ATOMIC_ACQ_REL);
}
