/* hash.c - a hash table that keeps the order of insertion: entries in one array, and an open-addressing index of their
 * positions.
 *
 * An entry takes 24 bytes, a slot of the index 5, and 3 of 4 slots may be occupied. One byte of a slot is a tag. Of the slots
 * of other keys, a search reads the entry, a cache miss, for only one in 254. Ten million texts of 10 bytes with numbers take
 * about 50 bytes each. */
#include <sys/random.h>
#include "tds.h"
#include "../core/storage.h"

enum { EMPTY = 0, REMOVED = 1, TAGS = 2, LEAST = 8, AHEAD = 16 };
#define MOST ((int64_t)UINT32_MAX - 2)

/* ---- hash values ------------------------------------------------------------------------------ */

static uint64_t seed;               /* random per process, so that an attacker cannot prepare colliding keys */
static pthread_once_t seeded = PTHREAD_ONCE_INIT;

static void make_seed(void)
{
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed) seed = (uintptr_t)&seed;
}

/* Multiplies and folds the high half of the product into the low one. */
static uint64_t mix(uint64_t a, uint64_t b)
{
  const unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_of_text(const char *s, int64_t n)
{
  uint64_t h = seed ^ (uint64_t)n, word = 0;
  for (; n >= 8; s += 8, n -= 8) {
    memcpy(&word, s, 8);
    h = mix(h, word);
  }
  word = 0;
  memcpy(&word, s, (size_t)n);
  return mix(mix(h, word), seed);
}

/* A tensor as a key is the view: its memory, offset and shape. */
static uint64_t hash_of_tensor(const th_tensor *t)
{
  uint64_t h = mix(seed ^ (uintptr_t)t->storage, (uint64_t)t->offset);
  for (int k = 0; k < t->ndim; k++) h = mix(h, (uint64_t)t->size[k] ^ (uint64_t)t->stride[k] << 32);
  return h;
}

static uint64_t bits_of(double x)
{
  uint64_t bits;
  if (x == 0) x = 0;                /* -0 is the key 0 */
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint64_t hash_of(const th_tds_value *key)
{
  switch (key->kind) {
    case TH_TDS_TEXT: return hash_of_text(key->text, key->size);
    case TH_TDS_NUMBER: return mix(seed, bits_of(key->number));
    case TH_TDS_TENSOR: return hash_of_tensor(key->tensor);
    case TH_TDS_STORAGE: return mix(seed, (uintptr_t)key->storage);
    case TH_TDS_OBJECT: return mix(seed, (uintptr_t)key->object);
    default: return mix(seed, (uint64_t)key->kind);
  }
}

static bool same_view(const th_tensor *a, const th_tensor *b)
{
  const size_t bytes = (size_t)a->ndim * sizeof a->size[0];
  return a->storage == b->storage && a->offset == b->offset && a->ndim == b->ndim && a->dtype == b->dtype
    && memcmp(a->size, b->size, bytes) == 0 && memcmp(a->stride, b->stride, bytes) == 0;
}

static bool is_key(const entry *e, const th_tds_value *key)
{
  const void *p = (const void *)(uintptr_t)e->key;
  if (e->kind_of_key != key->kind) return false;
  switch (key->kind) {
    case TH_TDS_TEXT:
      return ((const text *)p)->size == key->size && memcmp(((const text *)p)->bytes, key->text, (size_t)key->size) == 0;
    case TH_TDS_NUMBER: return e->key == bits_of(key->number);
    case TH_TDS_TENSOR: return same_view(p, key->tensor);
    case TH_TDS_STORAGE: return p == key->storage;
    case TH_TDS_OBJECT: return p == key->object;
    default: return true;
  }
}

/* ---- the index -------------------------------------------------------------------------------- */

static uint8_t tag_of(uint32_t code) { return (uint8_t)(TAGS + (code >> 24) % (256 - TAGS)); }

/* The slot of the index that refers to the key, or -1. */
static int64_t slot_of(const hash *h, const th_tds_value *key, uint32_t code)
{
  if (!h->slots) return -1;
  const uint8_t tag = tag_of(code);
  for (uint64_t i = code & (h->slots - 1);; i = (i + 1) & (h->slots - 1)) {
    if (h->tags[i] == EMPTY) return -1;
    if (h->tags[i] != tag) continue;
    const entry *e = &h->entries[h->index[i]];
    if (e->hash == code && is_key(e, key)) return (int64_t)i;
  }
}

static void lead_to(hash *h, uint32_t code, uint32_t place)
{
  uint64_t i = code & (h->slots - 1);
  while (h->tags[i] != EMPTY) i = (i + 1) & (h->slots - 1);
  h->tags[i] = tag_of(code);
  h->index[i] = place;
  h->filled++;
}

/* Fills the index with all entries. Their slots are not cached, so they are prefetched some entries ahead. */
static void lead_to_all(hash *h)
{
  h->filled = 0;
  for (int64_t k = 0; k < h->used; k++) {
    if (k + AHEAD < h->used) {
      const uint64_t i = h->entries[k + AHEAD].hash & (h->slots - 1);
      __builtin_prefetch(&h->tags[i], 1);
      __builtin_prefetch(&h->index[i], 1);
    }
    lead_to(h, h->entries[k].hash, (uint32_t)k);
  }
}

/* Removes deleted entries, to which no slot refers. */
static void close_gaps(hash *h)
{
  int64_t to = 0;
  for (int64_t from = 0; from < h->used; from++) {
    if (h->entries[from].kind_of_key != TH_TDS_NIL) h->entries[to++] = h->entries[from];
  }
  h->used = to;
}

static int64_t bytes_of(uint64_t slots) { return (int64_t)(slots * (sizeof(uint32_t) + 1)); }

static th_status widen(hash *h)
{
  const int64_t each = sizeof *h->entries, room = th_min(th_max(LEAST, h->used + h->used / 2), MOST);
  entry *entries = tds_realloc(h->entries, h->room * each, room * each);
  if (!entries) return th_out_of_memory(room * each);
  h->entries = entries;
  h->room = room;
  return TH_OK;
}

/* Builds a new index with room for 1.5 times as many entries. */
static th_status index_again(hash *h)
{
  const int64_t most = th_max(LEAST, h->live + h->live / 2);
  uint64_t slots = LEAST;
  while (slots * 3 < (uint64_t)most * 4) slots *= 2;
  const int64_t bytes = bytes_of(slots);
  const bool fits = !th_too_much(bytes);
  uint8_t *tags = fits ? calloc(slots, 1) : NULL;
  uint32_t *index = fits ? malloc(slots * sizeof *index) : NULL;
  if (!tags || !index) {
    free(tags);
    free(index);
    return th_out_of_memory(bytes);
  }
  free(h->tags);
  free(h->index);
  th_account(bytes - bytes_of(h->slots), 0);
  h->tags = tags;
  h->index = index;
  h->slots = slots;
  close_gaps(h);
  lead_to_all(h);
  return TH_OK;
}

/* Makes room for one more entry. */
static th_status make_room(hash *h)
{
  if (h->live >= MOST) return th_fail(TH_EARG, "a tds.Hash holds %lld keys at most", (long long)MOST);
  const bool gaps = h->used == h->room && (h->live < h->used - h->used / 4 || h->room >= MOST);
  if (gaps || (h->filled + 1) * 4 > h->slots * 3) TH_TRY(index_again(h));
  return h->used < h->room ? TH_OK : widen(h);
}

/* ---- the interface ---------------------------------------------------------------------------- */

static th_status good_key(const th_tds_value *key)
{
  if (key->kind == TH_TDS_NIL) return th_fail(TH_EARG, "a key must not be nil");
  if (key->kind == TH_TDS_NUMBER && key->number != key->number) return th_fail(TH_EARG, "a key must not be nan");
  return TH_OK;
}

static uint32_t code_of(const th_tds_value *key)
{
  pthread_once(&seeded, make_seed);
  const uint64_t h = hash_of(key);
  return (uint32_t)(h ^ h >> 32);
}

th_status th_tds_hash_get(th_tds *o, const th_tds_value *key, th_tds_value *value)
{
  hash *h = (hash *)o;
  TH_TRY(good_key(key));
  const uint32_t code = code_of(key);
  element e = { 0, TH_TDS_NIL };
  pthread_mutex_lock(&h->o.lock);
  const int64_t slot = slot_of(h, key, code);
  if (slot >= 0) {
    const entry *it = &h->entries[h->index[slot]];
    e = (element){ it->value, it->kind_of_value };
  }
  tds_show(&e, value);
  pthread_mutex_unlock(&h->o.lock);
  return TH_OK;
}

/* Removes an entry and returns what it held; its texts return to the pool. */
static void take_out(hash *h, entry *it, element *key, element *value)
{
  *key = (element){ it->key, it->kind_of_key };
  *value = (element){ it->value, it->kind_of_value };
  tds_forget_text(&h->texts, key);
  tds_forget_text(&h->texts, value);
}

static void remove_at(hash *h, int64_t slot, element *key, element *value)
{
  entry *it = &h->entries[h->index[slot]];
  take_out(h, it, key, value);
  it->kind_of_key = TH_TDS_NIL;
  h->tags[slot] = REMOVED;
  h->live--;
}

static th_status replace_at(hash *h, int64_t slot, const th_tds_value *v, element *old)
{
  entry *it = &h->entries[h->index[slot]];
  element fresh;
  TH_TRY(tds_take(&h->texts, &fresh, v));
  *old = (element){ it->value, it->kind_of_value };
  tds_forget_text(&h->texts, old);
  it->value = fresh.bits;
  it->kind_of_value = fresh.kind;
  return TH_OK;
}

static th_status add(hash *h, uint32_t code, const th_tds_value *key, const th_tds_value *value, element *lost)
{
  element k, v;
  TH_TRY(make_room(h));
  TH_TRY(tds_take(&h->texts, &k, key));
  const th_status status = tds_take(&h->texts, &v, value);
  if (status != TH_OK) {
    tds_forget_text(&h->texts, &k);
    *lost = k;
    return status;
  }
  if (k.kind == TH_TDS_NUMBER) k.bits = bits_of(key->number);
  h->entries[h->used++] = (entry){ k.bits, v.bits, code, k.kind, v.kind };
  h->live++;
  lead_to(h, code, (uint32_t)h->used - 1);
  return TH_OK;
}

th_status th_tds_hash_set(th_tds *o, const th_tds_value *key, const th_tds_value *value)
{
  hash *h = (hash *)o;
  TH_TRY(good_key(key));
  const uint32_t code = code_of(key);
  element a = { 0, TH_TDS_NIL }, b = { 0, TH_TDS_NIL };
  th_status status = TH_OK;
  pthread_mutex_lock(&h->o.lock);
  const int64_t slot = slot_of(h, key, code);
  if (value->kind == TH_TDS_NIL) {
    if (slot >= 0) remove_at(h, slot, &a, &b);
  } else {
    status = slot >= 0 ? replace_at(h, slot, value, &a) : add(h, code, key, value, &a);
  }
  pthread_mutex_unlock(&h->o.lock);
  tds_drop(&a);
  tds_drop(&b);
  return status;
}

/* Releases the references of one half of a pair whose other half has not been copied. */
static void take_back(th_tds_value *v)
{
  if (v->kind == TH_TDS_STORAGE) th_storage_release(v->storage);
  if (v->kind == TH_TDS_OBJECT) th_tds_release(v->object);
}

int th_tds_hash_next(th_tds *o, int64_t *place, th_tds_value *key, th_tds_value *value)
{
  hash *h = (hash *)o;
  int64_t at = th_max(0, *place);
  pthread_mutex_lock(&h->o.lock);
  while (at < h->used && h->entries[at].kind_of_key == TH_TDS_NIL) at++;
  const int found = at < h->used;
  if (found) {
    const entry *it = &h->entries[at];
    tds_show(&(element){ it->key, it->kind_of_key }, key);
    tds_show(&(element){ it->value, it->kind_of_value }, value);
    if (key->complete && value->complete) {
      *place = at + 1;
    } else {
      take_back(key);
      take_back(value);
    }
  }
  pthread_mutex_unlock(&h->o.lock);
  return found;
}

void tds_hash_free(hash *h)
{
  for (int64_t k = 0; k < h->used; k++) {
    if (h->entries[k].kind_of_key == TH_TDS_NIL) continue;
    element key, value;
    take_out(h, &h->entries[k], &key, &value);
    tds_drop(&key);
    tds_drop(&value);
  }
  tds_pool_free(&h->texts);
  th_account(-h->room * (int64_t)sizeof *h->entries - bytes_of(h->slots), 0);
  free(h->entries);
  free(h->tags);
  free(h->index);
}
