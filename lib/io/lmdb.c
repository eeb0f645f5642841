/* lmdb.c - reads LMDB databases (version 1 of the format, 64-bit numbers, little endian): one walk finds all entries.
 *
 * The file consists of pages of one size. Pages 0 and 1 are meta pages; the one of the later transaction is valid and holds the
 * root of the main tree, a B+ tree. A branch page holds page numbers, a leaf page holds keys with their values. A long value has
 * adjacent overflow pages, and the leaf holds the number of the first. In a database with duplicates (MDB_DUPSORT) the values of
 * one key are a small page inside the value, or a separate tree.
 *
 * The reader copies pages with pread, so a file that shrinks meanwhile causes an error and no signal. It checks each number of a
 * page against the sizes of the page, the file and the database before it uses the number. */
#include <stdlib.h>
#include "../core/core.h"
#include "th_source.h"

static const uint32_t MAGIC = 0xBEEFC0DE;
enum { LEAST_PAGE = 256, MOST_PAGE = 32768, MOST_DEPTH = 32 };
enum { BRANCH = 0x01, LEAF = 0x02, OVERFLOW = 0x04, META = 0x08, FIXED = 0x20, INNER = 0x40, KINDS = 0x6f };   /* pages */
enum { BIG = 0x01, TREE = 0x02, DUPLICATES = 0x04 };                                                        /* nodes of a leaf */
enum { REVERSE_KEY = 0x02, DUPSORT = 0x04, INTEGER_KEY = 0x08 };                                            /* trees */
static const uint64_t NO_PAGE = ~(uint64_t)0;

/* As in the file. The third field of an overflow page is its number of pages, 32 bits. */
typedef struct head { uint64_t number; uint16_t value_size, flags, lower, upper; } head;
typedef struct node { uint16_t low, high, flags, key_size; } node;
typedef struct tree { uint32_t pad; uint16_t flags, depth; uint64_t branches, leaves, overflows, entries, root; } tree;
typedef struct meta { uint32_t magic, version; uint64_t address, map_size; tree unused, main; uint64_t last, transaction; } meta;
_Static_assert(sizeof(head) == 16 && sizeof(node) == 8 && sizeof(tree) == 48 && sizeof(meta) == 136, "the layout of the file");

typedef struct walk {
  const th_source *s;
  th_lmdb *d;
  int64_t  bytes, key_room, value_room, owner_room, place_room;
  uint64_t last, left;                       /* the last page; the number of pages that the trees may still use */
  bool     backwards, duplicates;            /* keys are compared from their last byte; a key may have several values */
} walk;

/* A page, or the small page in a value: `size` bytes at p, at byte `place` of the file. */
typedef struct span { const uint8_t *p; int64_t size, place; uint64_t page; head h; } span;

static th_status damaged(uint64_t page, const char *what)
{
  return th_fail(TH_EIO, "page %llu is damaged: %s", (unsigned long long)page, what);
}

/* Makes room for n more elements after `have`. */
static th_status grow(void *array, int64_t *room, int64_t have, int64_t n, size_t element)
{
  if (n <= *room - have) return TH_OK;
  const int64_t wanted = have + n, more = wanted > *room + *room / 2 ? wanted : *room + *room / 2;
  void *p = realloc(*(void **)array, (size_t)(more + 64) * element);
  if (!p) {
    return th_fail(TH_ENOMEM, "out of memory: the index of a database needs %lld bytes", (long long)more * (long long)element);
  }
  *(void **)array = p;
  *room = more + 64;
  return TH_OK;
}

/* ---- keys and values ---- */

static int compare(const uint8_t *a, int64_t na, const uint8_t *b, int64_t nb, bool backwards)
{
  const int64_t n = na < nb ? na : nb;
  int order = 0;
  if (!backwards) order = n ? memcmp(a, b, (size_t)n) : 0;
  for (int64_t k = 1; backwards && k <= n && !order; k++) order = a[na - k] - b[nb - k];
  return order ? order : (na > nb) - (na < nb);
}

static th_status add_key(walk *w, uint64_t page, const uint8_t *key, int64_t n)
{
  th_lmdb *d = w->d;
  const int64_t last = d->keys ? d->key_place[d->keys - 1] : 0;
  if (d->keys && compare((uint8_t *)d->key + last, d->key_bytes - last, key, n, w->backwards) >= 0) {
    return damaged(page, "its keys are not in order");
  }
  TH_TRY(grow(&d->key, &w->key_room, d->key_bytes, n, 1));
  TH_TRY(grow(&d->key_place, &w->place_room, d->keys, 2, sizeof *d->key_place));
  memcpy(d->key + d->key_bytes, key, (size_t)n);
  d->key_place[d->keys++] = d->key_bytes;
  d->key_bytes += n;
  d->key_place[d->keys] = d->key_bytes;
  return TH_OK;
}

/* Adds a value of the last key. */
static th_status add_value(walk *w, int64_t place, int64_t size)
{
  th_lmdb *d = w->d;
  TH_TRY(grow(&d->value, &w->value_room, 2 * d->count, 2, sizeof *d->value));
  if (w->duplicates) {
    TH_TRY(grow(&d->owner, &w->owner_room, d->count, 1, sizeof *d->owner));
    d->owner[d->count] = d->keys;
  }
  d->value[2 * d->count] = place;
  d->value[2 * d->count + 1] = size;
  d->count++;
  return TH_OK;
}

/* ---- pages ---- */

/* Counts pages as used. Each page belongs to one tree, so the walk ends even if pages are damaged. */
static th_status claim(walk *w, uint64_t page, uint64_t count)
{
  const uint64_t there = (uint64_t)(w->bytes / w->d->page_size);
  if (page < 2 || page > w->last || count > w->last - page + 1) {
    return th_fail(TH_EIO, "it is damaged: %llu pages from page %llu on are not in its %.0f pages", (unsigned long long)count,
                   (unsigned long long)page, (double)w->last + 1);
  }
  if (page >= there || count > there - page) {
    return th_fail(TH_EIO, "it has %lld bytes, but its pages end at %.0f", (long long)w->bytes,
                   ((double)w->last + 1) * (double)w->d->page_size);
  }
  if (count > w->left) return th_fail(TH_EIO, "it is damaged: its trees use more than its %.0f pages", (double)w->last + 1);
  w->left -= count;
  return TH_OK;
}

static th_status read_page(walk *w, uint64_t page, int kind, uint8_t *to, span *s)
{
  if (th_interrupted()) return th_fail(TH_EINTR, "interrupted");
  TH_TRY(claim(w, page, 1));
  *s = (span){ .p = to, .size = w->d->page_size, .place = (int64_t)page * w->d->page_size, .page = page };
  TH_TRY(th_source_read(w->s, to, s->size, s->place));
  memcpy(&s->h, to, sizeof s->h);
  if (s->h.number != page) return damaged(page, "it has the number of another page");
  if ((s->h.flags & (KINDS & ~FIXED)) != kind) return damaged(page, kind == LEAF ? "it is no leaf page" : "it is no branch page");
  return TH_OK;
}

/* Computes the number of nodes. */
static th_status count_nodes(const span *s, int64_t *count)
{
  if (s->h.lower < sizeof(head) || s->h.lower % 2 || s->h.lower > s->h.upper || s->h.upper > s->size) {
    return damaged(s->page, "the bounds of its free space are wrong");
  }
  *count = (s->h.lower - (int64_t)sizeof(head)) / 2;
  return TH_OK;
}

/* Reads node i; its data begins at `at`. Nodes do not overlap, so `left`, the bytes that they may still use, limits their
 * number. */
static th_status take_node(const span *s, int64_t i, node *n, int64_t *at, int64_t *left)
{
  uint16_t place;
  memcpy(&place, s->p + sizeof(head) + 2 * i, sizeof place);
  if (place < s->h.upper || place > s->size - (int64_t)sizeof *n) return damaged(s->page, "a node lies outside of it");
  memcpy(n, s->p + place, sizeof *n);
  *at = place;
  *left -= (int64_t)sizeof *n + n->key_size;
  if (n->key_size > s->size - place - (int64_t)sizeof *n || *left < 0) return damaged(s->page, "a key lies outside of it");
  return TH_OK;
}

static th_status walk_tree(walk *w, const tree *t, uint64_t owner, bool inner);

/* The values of one key: keys without values, or `value_size` bytes each. */
static th_status take_duplicates(walk *w, const span *s)
{
  int64_t count = 0, at = 0, left = s->size - s->h.upper;
  node n;
  if (s->h.flags & FIXED) {
    count = (s->h.lower - (int64_t)sizeof(head)) / 2;
    if (s->h.lower < sizeof(head) || !s->h.value_size || count * s->h.value_size > s->size - (int64_t)sizeof(head)) {
      return damaged(s->page, "its values lie outside of it");
    }
    for (int64_t i = 0; i < count; i++) {
      TH_TRY(add_value(w, s->place + (int64_t)sizeof(head) + i * s->h.value_size, s->h.value_size));
    }
    return TH_OK;
  }
  TH_TRY(count_nodes(s, &count));
  for (int64_t i = 0; i < count; i++) {
    TH_TRY(take_node(s, i, &n, &at, &left));
    if (n.flags) return damaged(s->page, "a duplicate value has the flags of a nested page");
    TH_TRY(add_value(w, s->place + at + (int64_t)sizeof n, n.key_size));
  }
  return TH_OK;
}

static th_status take_inner_page(walk *w, const span *s)
{
  span inner = *s;
  if (s->size < (int64_t)sizeof(head)) return damaged(s->page, "the page in a value is too small");
  memcpy(&inner.h, s->p, sizeof inner.h);
  if ((inner.h.flags & (KINDS & ~FIXED)) != (LEAF | INNER)) return damaged(s->page, "the page in a value is no leaf page");
  return take_duplicates(w, &inner);
}

/* A value of `size` bytes, of which `data` holds those that lie in the leaf. */
static th_status take_value(walk *w, const span *data, int flags, int64_t size)
{
  uint64_t first;
  tree t;
  switch (flags) {
    case 0:
    case TREE:                                  /* a named database: its record is the value */
      return add_value(w, data->place, size);
    case BIG:
      memcpy(&first, data->p, sizeof first);
      TH_TRY(claim(w, first, ((uint64_t)size + sizeof(head) + (uint64_t)w->d->page_size - 1) / (uint64_t)w->d->page_size));
      return add_value(w, -(int64_t)first, size);
    case DUPLICATES:
      if (w->duplicates) return take_inner_page(w, data);
      break;
    case DUPLICATES | TREE:
      if (!w->duplicates || size != sizeof t) break;
      memcpy(&t, data->p, sizeof t);
      return walk_tree(w, &t, data->page, true);
    default:
      break;
  }
  return damaged(data->page, "a value is of a kind that does not exist");
}

static th_status take_leaf(walk *w, const span *s)
{
  int64_t count = 0, at = 0, left = s->size - s->h.upper;
  node n;
  if (s->h.flags & FIXED) return damaged(s->page, "it has values without keys");
  TH_TRY(count_nodes(s, &count));
  for (int64_t i = 0; i < count; i++) {
    TH_TRY(take_node(s, i, &n, &at, &left));
    const int64_t size = n.low | (int64_t)n.high << 16, here = n.flags == BIG ? (int64_t)sizeof(uint64_t) : size;
    const int64_t key = at + (int64_t)sizeof n, data = key + n.key_size;
    left -= here;
    if (here > s->size - data || left < 0) return damaged(s->page, "a value lies outside of it");
    TH_TRY(add_key(w, s->page, s->p + key, n.key_size));
    TH_TRY(take_value(w, &(span){ .p = s->p + data, .size = here, .place = s->place + data, .page = s->page }, n.flags, size));
  }
  return TH_OK;
}

/* `level` is 1 for leaves; `room` holds `level` pages. `inner`: the tree of the values of one key. */
static th_status walk_page(walk *w, uint64_t page, int level, uint8_t *room, bool inner)
{
  span s;
  node n;
  TH_TRY(read_page(w, page, level == 1 ? LEAF : BRANCH, room, &s));
  if (level == 1) return inner ? take_duplicates(w, &s) : take_leaf(w, &s);
  int64_t count = 0, at = 0, left = s.size - s.h.upper;
  TH_TRY(count_nodes(&s, &count));
  for (int64_t i = 0; i < count; i++) {
    TH_TRY(take_node(&s, i, &n, &at, &left));
    const uint64_t next = n.low | (uint64_t)n.high << 16 | (uint64_t)n.flags << 32;
    TH_TRY(walk_page(w, next, level - 1, room + s.size, inner));
  }
  return TH_OK;
}

/* Walks the tree whose record is in page `owner`. */
static th_status walk_tree(walk *w, const tree *t, uint64_t owner, bool inner)
{
  const int64_t before = w->d->count;
  if (t->root != NO_PAGE) {
    if (!t->depth || t->depth > MOST_DEPTH) return damaged(owner, "the depth of a tree is wrong");
    uint8_t *room = malloc((size_t)(t->depth * w->d->page_size));
    if (!room) return th_fail(TH_ENOMEM, "out of memory: a tree of %d levels needs its pages", (int)t->depth);
    const th_status status = walk_page(w, t->root, t->depth, room, inner);
    free(room);
    TH_TRY(status);
  }
  if ((uint64_t)(w->d->count - before) == t->entries) return TH_OK;
  return th_fail(TH_EIO, "it is damaged: a tree of %.0f entries has %lld", (double)t->entries, (long long)(w->d->count - before));
}

/* ---- the file ---- */

static th_status read_meta(const th_source *s, int64_t page, int64_t page_size, meta *m)
{
  uint8_t bytes[sizeof(head) + sizeof *m];
  head h;
  if ((page + 1) * page_size > th_source_size(s)) {
    return th_fail(TH_EIO, "it is no database of LMDB, or its beginning is all that is left");
  }
  TH_TRY(th_source_read(s, bytes, sizeof bytes, page * page_size));
  memcpy(&h, bytes, sizeof h);
  memcpy(m, bytes + sizeof h, sizeof *m);
  if (!(h.flags & META) || m->magic != MAGIC) {
    return th_fail(TH_EIO, "it is no database of LMDB, or of a machine of 32 bits");
  }
  if (m->version != 1) return th_fail(TH_EIO, "version %u of the format of LMDB is not known", m->version);
  return TH_OK;
}

static th_status find_all(walk *w)
{
  meta m[2];
  TH_TRY(read_meta(w->s, 0, LEAST_PAGE, &m[0]));
  const int64_t page_size = m[0].unused.pad;
  if (page_size < LEAST_PAGE || page_size > MOST_PAGE || page_size & (page_size - 1)) {
    return th_fail(TH_EIO, "it is damaged: its pages have %lld bytes, and may have %d to %d", (long long)page_size, LEAST_PAGE,
                   MOST_PAGE);
  }
  TH_TRY(read_meta(w->s, 1, page_size, &m[1]));
  const meta *now = &m[m[1].transaction > m[0].transaction];
  w->d->page_size = page_size;
  w->last = now->last;
  if (w->last < 1 || w->last >> 48) return damaged((uint64_t)(now - m), "the number of the last page is wrong");
  w->left = w->last - 1;
  w->backwards = now->main.flags & (REVERSE_KEY | INTEGER_KEY);
  w->duplicates = now->main.flags & DUPSORT;
  TH_TRY(grow(&w->d->key, &w->key_room, 0, 1, 1));
  TH_TRY(grow(&w->d->value, &w->value_room, 0, 2, sizeof *w->d->value));
  TH_TRY(grow(&w->d->key_place, &w->place_room, 0, 1, sizeof *w->d->key_place));
  w->d->key_place[0] = 0;
  return walk_tree(w, &now->main, (uint64_t)(now - m), false);
}

th_status th_lmdb_open(th_lmdb *d, const th_source *s)
{
  th_enter(NULL);
  *d = (th_lmdb){ 0 };
  walk w = { .s = s, .d = d, .bytes = th_source_size(s) };
  const th_status status = find_all(&w);
  if (status != TH_OK) th_lmdb_free(d);
  return status;
}

void th_lmdb_free(th_lmdb *d)
{
  free(d->key);
  free(d->key_place);
  free(d->value);
  free(d->owner);
  *d = (th_lmdb){ 0 };
}

th_status th_lmdb_value(const th_source *s, int64_t page_size, int64_t place, int64_t size, char *room, const char **value)
{
  head h;
  *value = room;
  if (place >= 0) return th_source_read(s, room, size, place);
  TH_TRY(th_source_read(s, room, size + (int64_t)sizeof h, -place * page_size));
  *value = room + sizeof h;
  memcpy(&h, room, sizeof h);
  const int64_t pages = h.lower | (int64_t)h.upper << 16;
  const bool fits = size <= pages * page_size - (int64_t)sizeof h;
  if (h.number == (uint64_t)-place && (h.flags & KINDS) == OVERFLOW && fits) return TH_OK;
  th_enter(NULL);
  return damaged((uint64_t)-place, "it is no overflow page with room for a value");
}
