/* tds.h - shared by the files of lib/tds: objects, elements and the memory of texts. */
#ifndef TDS_H
#define TDS_H
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include "../core/core.h"
#include "th_tds.h"

/* Small texts of one container come from slabs: blocks of a few sizes, which are kept in free lists after use. */
enum { STEP = 8, CLASSES = 32 };
typedef struct slab { struct slab *next; } slab;
typedef struct pool {
  slab *slabs;
  char *at, *end;                   /* the unused part of the newest slab */
  void *waiting[CLASSES + 1];       /* free lists, by size in steps */
} pool;

/* An element: a kind of th_tds_value and its bits. A text, tensor, storage or object is a pointer. */
typedef struct element { uint64_t bits; uint8_t kind; } element;
typedef struct text { uint32_t size; char bytes[]; } text;

/* Every object begins with this. */
typedef struct object {
  th_tds base;
  pthread_mutex_t lock;
  struct object *next_dead;
} object;

typedef struct entry {              /* of a hash; kind_of_key is TH_TDS_NIL after removal */
  uint64_t key, value;
  uint32_t hash;
  uint8_t kind_of_key, kind_of_value;
} entry;

typedef struct hash {
  object o;
  pool texts;
  entry *entries;                   /* in insertion order */
  int64_t used, room, live;         /* entries written, allocated, not removed */
  uint8_t *tags;                    /* of each slot: EMPTY, REMOVED, or some bits of the hash value */
  uint32_t *index;                  /* of each slot: the position of its entry */
  uint64_t slots;                   /* a power of two */
  uint64_t filled;                  /* slots that are not EMPTY */
} hash;

typedef struct vec {
  object o;
  pool texts;
  element *elements;
  int64_t size, room;
} vec;

typedef struct counter { object o; int64_t n; } counter;

/* Takes a copy of a value: a text from the pool, a reference to anything else. */
th_status tds_take(pool *p, element *e, const th_tds_value *v);
/* Copies an element out, see th_tds_value. */
void      tds_show(const element *e, th_tds_value *v);
/* Frees a text immediately. tds_drop releases everything else that an element holds; it must not run under a lock. */
void      tds_forget_text(pool *p, element *e);
void      tds_drop(element *e);

void     *tds_pool_take(pool *p, size_t bytes);
void      tds_pool_give(pool *p, void *block, size_t bytes);
void      tds_pool_free(pool *p);
/* realloc that counts its bytes; `before` and `after` are bytes. */
void     *tds_realloc(void *block, int64_t before, int64_t after);

void      tds_hash_free(hash *h);
void      tds_vec_free(vec *v);

#endif
