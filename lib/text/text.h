/* text.h - shared by the files of lib/text: a text between its steps, tries, models. */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "../core/core.h"
#include "../core/storage.h"
#include "th_text.h"

/* Makes room for `need` elements at *p, whose room is *room; others stay. */
th_status grow(void *p, int64_t *room, int64_t need, size_t each);

/* Bytes from..to of the text. id -1: still text; else a token. */
typedef struct piece { int32_t from, to, id; } piece;

typedef struct content {
  uint8_t *bytes;
  int32_t *from, *to;               /* the bytes of the given text that each byte comes from; unused while nothing changed */
  piece *pieces;
  int64_t n, room, from_room, to_room, n_pieces, piece_room;
} content;

struct th_text {
  content now, next;
  int64_t most;                     /* bytes that a step may make */
  bool changed;                     /* whether now.from and now.to count */
  int64_t *ids;
  int32_t *starts, *stops;
  int64_t n_ids, id_room, start_room, stop_room;
  struct cell *cells;               /* scratch of a normalization */
  int64_t n_cells, cell_room;
};

/* A character of a normalization, made of bytes from..to of now. */
typedef struct cell { uint32_t code; int32_t from, to, order, class; } cell;

/* Steps that change bytes write now's pieces to next: text_begin, then text_put and text_copy, text_close after each piece, and
 * text_end. */
void      text_begin(th_text *t);
th_status text_put(th_text *t, const void *bytes, int64_t n, int32_t from, int32_t to);
th_status text_copy(th_text *t, int64_t from, int64_t to);
th_status text_close(th_text *t, int32_t id);
void      text_end(th_text *t);
/* All of these: f writes the pieces of text to next; tokens are copied. */
th_status text_change(th_text *t, th_status (*f)(th_text *t, const piece *p, void *data), void *data);
/* Where bytes from..to of now come from. */
static inline int32_t origin(const th_text *t, int64_t i) { return t->changed ? t->now.from[i] : (int32_t)i; }
static inline int32_t origin_end(const th_text *t, int64_t i) { return t->changed ? t->now.to[i] : (int32_t)i + 1; }
/* Appends an id that stands for bytes from..to of now. */
th_status text_add_id(th_text *t, int64_t id, int64_t from, int64_t to);

/* A trie: nodes in order of their depth; the children of node k are first[k] ... first[k + 1] - 1, sorted by label. */
struct th_trie {
  int32_t *first, *value;
  uint8_t *label;
  int64_t n, room, n_strings;
  uint8_t *bytes;                   /* of the strings, without their alphabet */
  int64_t *ends;                    /* ends[i]: where string i ends; ends[-1] is 0 */
  int32_t root_child[256];
};

/* The child of a node, or -1. */
static inline int32_t trie_child(const th_trie *t, int32_t node, uint8_t label)
{
  if (node == 0) return t->root_child[label];
  int32_t low = t->first[node], high = t->first[node + 1];
  while (high - low > 4) {
    const int32_t mid = (low + high) / 2;
    if (t->label[mid] <= label) low = mid;
    else high = mid;
  }
  for (; low < high; low++) {
    if (t->label[low] == label) return low;
  }
  return -1;
}
/* The node at the end of these bytes from a node on, or -1. */
int32_t trie_walk(const th_trie *t, int32_t node, const uint8_t *bytes, int64_t n);
/* The bytes that a text in GPT-2's alphabet stands for, written to `to`: their number; -1: it has other characters. */
int64_t alphabet_decode(const uint8_t *bytes, int64_t n, uint8_t *to);

#endif
