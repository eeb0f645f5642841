/* model.h - shared by the models of lib/text. */
#ifndef TEXT_MODEL_H
#define TEXT_MODEL_H
#include "text.h"

/* A token of a word: its id, -1 for none, and its number of bytes. */
typedef struct symbol { int32_t id, n; } symbol;

typedef struct symbols { symbol *list; int64_t n, room; } symbols;

/* Pairs of ids -> what they become and when. Open addressing; key 0 is an empty place. */
typedef struct merge { uint64_t key; int32_t rank, id; } merge;

typedef struct known { uint64_t hash; int32_t key, key_n, value, value_n; } known;

/* Words that were seen, with their tokens. When it is full, it begins anew. */
typedef struct cache {
  known *words;
  uint8_t *keys;
  symbol *values;
  int64_t n, key_n, value_n, key_room, value_room;
} cache;

typedef struct step { double score; int32_t from, id; } step;
typedef struct link { int32_t previous, next; } link;
typedef struct candidate { int32_t rank, place, id, n; } candidate;

struct th_text_model {
  th_text_options o;
  char *affixes;                    /* o.first, o.rest and o.last point here */
  uint8_t *unused;
  double *scores;
  const th_trie *vocabulary;
  merge *merges;
  int64_t n_merges, merge_places;
  double unknown_score;
  cache cache;
  symbols out;                      /* the tokens of a word */
  /* Scratch. */
  step *steps;
  link *links;
  candidate *heap;
  uint8_t *joined;
  int64_t step_room, link_room, heap_n, heap_room, joined_room;
};

th_status symbols_add(symbols *s, int32_t id, int64_t n);
/* Each appends the tokens of a word to m->out. */
th_status bpe_word(th_text_model *m, const uint8_t *word, int64_t n);
th_status wordpiece_word(th_text_model *m, const uint8_t *word, int64_t n);
th_status unigram_word(th_text_model *m, const uint8_t *word, int64_t n);
/* A character without token: the ids of its bytes, or the unknown one. */
th_status unknown_character(th_text_model *m, const uint8_t *bytes, int64_t n);

#endif
