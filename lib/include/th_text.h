/* th_text.h - texts as token ids: Unicode, patterns, vocabularies and models. lua/text reads the text between FFI BEGIN and FFI
 * END. No object here may be used by two threads at once. */
#ifndef TH_TEXT_H
#define TH_TEXT_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
/* Unicode. Run i of code points with one category, from 0: its first code point and its category, two letters. The result is
 * the number of runs. */
const char  *th_unicode_version(void);
int64_t      th_unicode_run(int64_t i, uint32_t *first, char category[2]);
uint32_t     th_unicode_lower(uint32_t code);

/* A pattern: a program for th_pattern_new, written by lua/text/pattern.lua. A word is an operation or its operand. */
enum {
  TH_PATTERN_MATCH, TH_PATTERN_CODE, TH_PATTERN_CLASS, TH_PATTERN_REPEAT, TH_PATTERN_SPLIT, TH_PATTERN_JUMP, TH_PATTERN_LOOK,
  TH_PATTERN_ATOMIC, TH_PATTERN_AT, TH_PATTERN_OPERATIONS
};
enum { TH_PATTERN_GREEDY, TH_PATTERN_LAZY, TH_PATTERN_POSSESSIVE };
enum { TH_PATTERN_TEXT_BEGIN, TH_PATTERN_TEXT_END, TH_PATTERN_LINE_BEGIN, TH_PATTERN_LINE_END, TH_PATTERN_LAST_LINE,
       TH_PATTERN_WORD_EDGE, TH_PATTERN_NO_WORD_EDGE };
typedef struct th_pattern th_pattern;
/* Class k has the ranges [ranges[2 i], ranges[2 i + 1]] for i in [ends[k - 1], ends[k]). The last class holds the characters of
 * words. */
th_status    th_pattern_new(th_pattern **out, const int32_t *code, int64_t n, const uint32_t *ranges, const int64_t *ends,
                            int64_t classes);
void         th_pattern_free(th_pattern *p);
/* The first match that is not empty, at or after byte *from of n bytes; *from is -1 without one. */
th_status    th_pattern_find(th_pattern *p, const char *bytes, int64_t n, int64_t *from, int64_t *to);

/* A set of byte strings, numbered from 0; later ones replace equal earlier ones, empty ones are skipped. String i is
 * bytes[ends[i - 1]] ... bytes[ends[i] - 1]. With `alphabet`, strings are written in the alphabet of GPT-2, where a character
 * stands for a byte; others are skipped. */
typedef struct th_trie th_trie;
th_status    th_trie_new(th_trie **out, const char *bytes, const int64_t *ends, int64_t n, int alphabet);
void         th_trie_free(th_trie *t);
int64_t      th_trie_get(const th_trie *t, const char *bytes, int64_t n);          /* -1: no such string */

/* A text on its way to ids: bytes, where each one came from, and pieces. */
typedef struct th_text th_text;
enum { TH_TEXT_MOST = 1 << 30 };                 /* bytes of a text, at each step */
enum { TH_TEXT_NFC, TH_TEXT_NFD, TH_TEXT_NFKC, TH_TEXT_NFKD };
enum { TH_TEXT_REMOVED, TH_TEXT_ISOLATED, TH_TEXT_WITH_PREVIOUS, TH_TEXT_WITH_NEXT, TH_TEXT_CONTIGUOUS };
enum { TH_TOKEN_SINGLE_WORD = 1, TH_TOKEN_STRIP_LEFT = 2, TH_TOKEN_STRIP_RIGHT = 4, TH_TOKEN_SPECIAL = 8 };
enum { TH_PREPEND_ALWAYS, TH_PREPEND_UNLESS_SAME = 1, TH_PREPEND_FIRST = 2 };
th_status    th_text_new(th_text **out);
void         th_text_free(th_text *t);
/* Begins: one piece of n bytes; forgets ids. */
th_status    th_text_set(th_text *t, const char *bytes, int64_t n);
/* Each byte that is no part of a valid character becomes U+FFFD. */
th_status    th_text_repair(th_text *t);
th_status    th_text_normalize(th_text *t, int form);
th_status    th_text_lower(th_text *t);
/* Each match becomes `before`, the match itself if keep, and `after`. */
th_status    th_text_replace(th_text *t, th_pattern *p, const char *before, int64_t n, int keep, const char *after, int64_t m);
/* A prefix for each piece: not where it is already, only at the begin of the text, or both. */
th_status    th_text_prepend(th_text *t, const char *bytes, int64_t n, int when);
/* The map of SentencePiece: a double-array trie and the texts that replace the longest match. */
th_status    th_text_charsmap(th_text *t, const char *map, int64_t n);
/* Splits pieces at matches. With `invert`, what lies between matches counts as matches. */
th_status    th_text_split(th_text *t, th_pattern *p, int behaviour, int invert);
/* Pieces that equal one of the strings become tokens: string i has the id ids[i] and flags[i]. Without `special`, strings with
 * that flag are no tokens. */
th_status    th_text_mark(th_text *t, const th_trie *tokens, const int32_t *ids, const uint8_t *flags, int special);
/* The bytes of the text, and piece i from 0: its bytes and its id, or -1. For tests. */
int64_t      th_text_piece(const th_text *t, int64_t i, const char **bytes, int64_t *n, int64_t *id);
/* The ids so far: their number, and copies. offsets[2 i], offsets[2 i + 1]: the first byte, from 1, and the last. */
int64_t      th_text_count(const th_text *t);
void         th_text_take(const th_text *t, int64_t first, int64_t n, int64_t base, int64_t *ids, int64_t *offsets);

/* A model turns pieces into ids. */
typedef struct th_text_model th_text_model;
enum { TH_MODEL_BPE, TH_MODEL_WORDPIECE, TH_MODEL_UNIGRAM, TH_MODEL_WORDS };
typedef struct th_text_options {
  int32_t kind, unknown;            /* the id for what has no token, or -1 */
  int32_t join_unknown;             /* neighbours without token become one */
  int32_t whole_words;              /* BPE: a piece that is a token needs no merges */
  int32_t single_bytes;             /* BPE: the first symbols are bytes, not characters */
  int32_t most_codes;               /* WordPiece: longer pieces are unknown */
  int32_t bytes[256];               /* ids of bytes, or -1 */
  const char *first, *rest, *last;  /* prefix of a word's first token, of its others, suffix of its last one */
  int64_t first_n, rest_n, last_n;
  const double *scores;             /* Unigram: of each token */
  const uint8_t *unused;            /* tokens that no text becomes, or NULL */
} th_text_options;
/* The trie must outlive the model. */
th_status    th_text_model_new(th_text_model **out, const th_trie *vocabulary, const th_text_options *options);
void         th_text_model_free(th_text_model *m);
/* BPE: merge i has rank i. Entry i of bytes, which ends at ends[i], is the left part, the byte `separator`, the right part.
 * *bad is the number of a merge with unknown parts or result, from 0, or -1; with `skip` such merges are left out. */
th_status    th_text_model_merge(th_text_model *m, const char *bytes, const int64_t *ends, int64_t n, int separator, int alphabet,
                                 int skip, int64_t *bad);
/* BPE of SentencePiece: all pairs of tokens whose concatenation is a token; the highest score comes first. */
th_status    th_text_model_score(th_text_model *m, const double *scores);
/* Appends the ids of all pieces. */
th_status    th_text_encode(th_text *t, th_text_model *m);
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
