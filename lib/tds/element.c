/* element.c - elements of containers, and the slabs that hold their texts. */
#include "tds.h"
#include "../core/storage.h"

enum { SLAB = 64 << 10, FIRST_SLAB = 1 << 10 };

/* ---- memory ----------------------------------------------------------------------------------- */

void *tds_realloc(void *block, int64_t before, int64_t after)
{
  if (after > before && th_too_much(after - before)) return NULL;
  void *p = realloc(block, (size_t)after);
  if (p) th_account(after - before, 0);
  return p;
}

static bool add_slab(pool *p)
{
  const size_t bytes = p->slabs ? SLAB : FIRST_SLAB;
  slab *s = malloc(bytes);
  if (!s) return false;
  s->next = p->slabs;
  p->slabs = s;
  p->at = (char *)s + 2 * sizeof *s;
  p->end = (char *)s + bytes;
  th_account((int64_t)bytes, 0);
  return true;
}

void *tds_pool_take(pool *p, size_t bytes)
{
  const size_t steps = (bytes + STEP - 1) / STEP;
  if (steps > CLASSES) {
    if (th_too_much((int64_t)bytes)) return NULL;
    void *block = malloc(bytes);
    if (block) th_account((int64_t)bytes, 0);
    return block;
  }
  void *block = p->waiting[steps];
  if (block) {
    memcpy(&p->waiting[steps], block, sizeof(void *));
    return block;
  }
  if (p->at + steps * STEP > p->end && !add_slab(p)) return NULL;
  block = p->at;
  p->at += steps * STEP;
  return block;
}

void tds_pool_give(pool *p, void *block, size_t bytes)
{
  const size_t steps = (bytes + STEP - 1) / STEP;
  if (steps > CLASSES) {
    free(block);
    th_account(-(int64_t)bytes, 0);
    return;
  }
  memcpy(block, &p->waiting[steps], sizeof(void *));
  p->waiting[steps] = block;
}

void tds_pool_free(pool *p)
{
  for (slab *s; (s = p->slabs);) {
    p->slabs = s->next;
    th_account(-(int64_t)(p->slabs ? SLAB : FIRST_SLAB), 0);
    free(s);
  }
  memset(p, 0, sizeof *p);
}

/* ---- elements --------------------------------------------------------------------------------- */

static th_status take_text(pool *p, element *e, const th_tds_value *v)
{
  if (v->size > (int64_t)UINT32_MAX - (int64_t)sizeof(text)) {
    return th_fail(TH_EARG, "a text may have %lld bytes at most, got %lld",
                   (long long)(UINT32_MAX - sizeof(text)), (long long)v->size);
  }
  const size_t bytes = sizeof(text) + (size_t)v->size;
  text *t = tds_pool_take(p, bytes);
  if (!t) return th_out_of_memory((int64_t)bytes);
  t->size = (uint32_t)v->size;
  memcpy(t->bytes, v->text, (size_t)v->size);
  e->bits = (uintptr_t)t;
  return TH_OK;
}

th_status tds_take(pool *p, element *e, const th_tds_value *v)
{
  e->kind = (uint8_t)v->kind;
  e->bits = 0;
  switch (v->kind) {
    case TH_TDS_NUMBER:
      memcpy(&e->bits, &v->number, sizeof v->number);
      return TH_OK;
    case TH_TDS_TEXT:
      return take_text(p, e, v);
    case TH_TDS_TENSOR: {
      th_tensor *t = calloc(1, sizeof *t);
      if (!t) return th_out_of_memory(sizeof *t);
      th_tensor_alias(t, v->tensor);
      e->bits = (uintptr_t)t;
      return TH_OK;
    }
    case TH_TDS_STORAGE:
      th_storage_retain(v->storage);
      e->bits = (uintptr_t)v->storage;
      return TH_OK;
    case TH_TDS_OBJECT:
      th_tds_retain(v->object);
      e->bits = (uintptr_t)v->object;
      return TH_OK;
    default:
      return TH_OK;
  }
}

void tds_show(const element *e, th_tds_value *v)
{
  v->kind = e->kind;
  v->complete = 1;
  switch (e->kind) {
    case TH_TDS_NUMBER: {
      double x;
      memcpy(&x, &e->bits, sizeof x);
      v->number = th_plain(x);
      break;
    }
    case TH_TDS_TEXT: {
      const text *t = (const text *)(uintptr_t)e->bits;
      v->size = t->size;
      v->complete = v->room >= v->size;
      if (v->complete) memcpy(v->buffer, t->bytes, t->size);
      break;
    }
    case TH_TDS_TENSOR:
      v->complete = v->tensor != NULL;
      if (v->tensor) th_tensor_alias(v->tensor, (const th_tensor *)(uintptr_t)e->bits);
      break;
    case TH_TDS_STORAGE:
      v->storage = (th_storage *)(uintptr_t)e->bits;
      th_storage_retain(v->storage);
      break;
    case TH_TDS_OBJECT:
      v->object = (th_tds *)(uintptr_t)e->bits;
      th_tds_retain(v->object);
      break;
    default:
      break;
  }
}

void tds_forget_text(pool *p, element *e)
{
  if (e->kind != TH_TDS_TEXT) return;
  text *t = (text *)(uintptr_t)e->bits;
  tds_pool_give(p, t, sizeof(text) + t->size);
  e->kind = TH_TDS_NIL;
}

void tds_drop(element *e)
{
  void *p = (void *)(uintptr_t)e->bits;
  if (e->kind == TH_TDS_TENSOR) {
    th_tensor_release(p);
    free(p);
  }
  if (e->kind == TH_TDS_STORAGE) th_storage_release(p);
  if (e->kind == TH_TDS_OBJECT) th_tds_release(p);
  e->kind = TH_TDS_NIL;
}
