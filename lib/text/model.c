/* model.c - models: their making, the cache of words, and what BPE leaves over: WordPiece, Unigram and whole words. */
#include "model.h"
#include "utf8.h"

enum { CACHE_PLACES = 1 << 15, CACHE_WORDS = CACHE_PLACES / 2, CACHE_TRIES = 16, CACHE_LONGEST = 64 };

/* ---- making ------------------------------------------------------------------------------------- */

static th_status copy_affixes(th_text_model *m)
{
  th_text_options *o = &m->o;
  const int64_t total = o->first_n + o->rest_n + o->last_n;
  if (o->first_n < 0 || o->rest_n < 0 || o->last_n < 0 || total > 1 << 16) return th_fail(TH_EARG, "a prefix is too long");
  char *p = m->affixes = malloc((size_t)total + 1);
  if (!p) return th_out_of_memory(total);
  const char **parts[] = { &o->first, &o->rest, &o->last };
  const int64_t sizes[] = { o->first_n, o->rest_n, o->last_n };
  for (int k = 0; k < 3; k++) {
    if (sizes[k]) memcpy(p, *parts[k], (size_t)sizes[k]);
    *parts[k] = p;
    p += sizes[k];
  }
  return TH_OK;
}

static th_status copy_tables(th_text_model *m)
{
  const int64_t n = m->vocabulary->n_strings;
  if (m->o.unused) {
    m->unused = malloc((size_t)n + 1);
    if (!m->unused) return th_out_of_memory(n);
    memcpy(m->unused, m->o.unused, (size_t)n);
  }
  if (m->o.kind != TH_MODEL_UNIGRAM) return TH_OK;
  m->scores = malloc((size_t)(n + 1) * sizeof *m->scores);
  if (!m->scores) return th_out_of_memory(n * (int64_t)sizeof *m->scores);
  double least = 0;
  for (int64_t i = 0; i < n; i++) {
    const double score = m->scores[i] = m->o.scores[i];
    if (!(score >= -1e30 && score <= 1e30)) return th_fail(TH_EARG, "the score of token %lld is no number", (long long)i);
    if (!m->unused || !m->unused[i]) least = score < least || i == 0 ? score : least;
  }
  m->unknown_score = least - 10;
  return TH_OK;
}

static bool is_id(const th_text_model *m, int32_t id) { return id >= -1 && id < m->vocabulary->n_strings; }

th_status th_text_model_new(th_text_model **out, const th_trie *vocabulary, const th_text_options *options)
{
  th_text_model *m = calloc(1, sizeof *m);
  if (!m) return th_out_of_memory(sizeof *m);
  m->o = *options;
  m->vocabulary = vocabulary;
  th_status status = copy_affixes(m);
  if (status == TH_OK) status = copy_tables(m);
  for (int b = 0; b < 256 && status == TH_OK; b++) {
    if (!is_id(m, m->o.bytes[b])) status = th_fail(TH_EARG, "byte %d has the id %d, which is no token", b, m->o.bytes[b]);
  }
  if (status == TH_OK && !is_id(m, m->o.unknown)) {
    status = th_fail(TH_EARG, "the unknown token has the id %d, which is no token", m->o.unknown);
  }
  if (status == TH_OK && (m->o.kind < TH_MODEL_BPE || m->o.kind > TH_MODEL_WORDS)) {
    status = th_fail(TH_EARG, "there is no model %d", m->o.kind);
  }
  m->o.scores = NULL;
  m->o.unused = NULL;
  if (status == TH_OK) *out = m;
  else th_text_model_free(m);
  return status;
}

void th_text_model_free(th_text_model *m)
{
  if (!m) return;
  free(m->affixes);
  free(m->unused);
  free(m->scores);
  free(m->merges);
  free(m->cache.words);
  free(m->cache.keys);
  free(m->cache.values);
  free(m->out.list);
  free(m->steps);
  free(m->links);
  free(m->heap);
  free(m->joined);
  free(m);
}

th_status symbols_add(symbols *s, int32_t id, int64_t n)
{
  if (s->n == s->room) TH_TRY(grow(&s->list, &s->room, s->n + 1, sizeof *s->list));
  s->list[s->n++] = (symbol){ id, (int32_t)n };
  return TH_OK;
}

th_status unknown_character(th_text_model *m, const uint8_t *bytes, int64_t n)
{
  bool have_bytes = true;
  for (int64_t i = 0; i < n; i++) have_bytes = have_bytes && m->o.bytes[bytes[i]] >= 0;
  if (have_bytes) {
    for (int64_t i = 0; i < n; i++) TH_TRY(symbols_add(&m->out, m->o.bytes[bytes[i]], 1));
    return TH_OK;
  }
  symbols *s = &m->out;
  if (m->o.join_unknown && s->n && s->list[s->n - 1].id == m->o.unknown && m->o.unknown >= 0) {
    s->list[s->n - 1].n += (int32_t)n;
    return TH_OK;
  }
  return symbols_add(s, m->o.unknown, n);
}

/* ---- WordPiece ---------------------------------------------------------------------------------- */

static int64_t characters(const uint8_t *word, int64_t n)
{
  int64_t count = 0;
  int length;
  for (int64_t i = 0; i < n; i += length, count++) utf8_read(word + i, n - i, &length);
  return count;
}

/* The longest token at a position comes first; a word without is unknown as a whole. */
th_status wordpiece_word(th_text_model *m, const uint8_t *word, int64_t n)
{
  const th_trie *t = m->vocabulary;
  const int64_t first = m->out.n;
  bool known_word = n <= m->o.most_codes || characters(word, n) <= m->o.most_codes;
  for (int64_t i = 0; i < n && known_word;) {
    int32_t node = i ? trie_walk(t, 0, (const uint8_t *)m->o.rest, m->o.rest_n)
                     : trie_walk(t, 0, (const uint8_t *)m->o.first, m->o.first_n);
    int32_t id = -1;
    int64_t end = i;
    for (int64_t j = i; j < n && node >= 0; j++) {
      node = trie_child(t, node, word[j]);
      if (node < 0) break;
      if (t->value[node] >= 0 && (j + 1 == n || !is_tail(word[j + 1]))) {
        id = t->value[node];
        end = j + 1;
      }
    }
    known_word = id >= 0;
    if (known_word) TH_TRY(symbols_add(&m->out, id, end - i));
    i = end;
  }
  if (known_word) return TH_OK;
  m->out.n = first;
  return symbols_add(&m->out, m->o.unknown, n);
}

/* ---- Unigram ------------------------------------------------------------------------------------ */

static void reach(step *to, double score, int64_t from, int32_t id)
{
  if (to->from < 0 || score > to->score) *to = (step){ score, (int32_t)from, id };
}

/* Steps to the ends of all tokens at a position, and to the next character if it has no token. */
static void reach_all(th_text_model *m, const uint8_t *word, int64_t n, int64_t i)
{
  const th_trie *t = m->vocabulary;
  const double score = m->steps[i].score;
  int length;
  bool single = false;
  utf8_read(word + i, n - i, &length);
  int32_t node = 0;
  for (int64_t j = i; j < n; j++) {
    node = trie_child(t, node, word[j]);
    if (node < 0) break;
    const int32_t id = t->value[node];
    if (id < 0 || (m->unused && m->unused[id])) continue;
    reach(&m->steps[j + 1], score + m->scores[id], i, id);
    single = single || j + 1 - i == length;
  }
  if (!single) reach(&m->steps[i + length], score + m->unknown_score, i, -1);
}

/* The tokens with the greatest sum of scores (Kudo, 2018, Subword Regularization). */
th_status unigram_word(th_text_model *m, const uint8_t *word, int64_t n)
{
  int length;
  TH_TRY(grow(&m->steps, &m->step_room, n + 1, sizeof *m->steps));
  for (int64_t i = 0; i <= n; i++) m->steps[i] = (step){ 0, -1, -1 };
  m->steps[0].from = 0;
  for (int64_t i = 0; i < n; i += length) {
    utf8_read(word + i, n - i, &length);
    if (m->steps[i].from >= 0) reach_all(m, word, n, i);
  }
  /* Turns the way around: steps[i].from becomes the next position. */
  int64_t next = -1;
  for (int64_t i = n; i >= 0;) {
    const int64_t before = m->steps[i].from;
    const int32_t id = m->steps[i].id;
    m->steps[i].from = (int32_t)next;
    if (i == 0) break;
    m->steps[before].score = id;
    next = i;
    i = before;
  }
  for (int64_t i = 0; i < n; i = m->steps[i].from) {
    const int64_t size = m->steps[i].from - i;
    const int32_t id = (int32_t)m->steps[i].score;
    TH_TRY(id >= 0 ? symbols_add(&m->out, id, size) : unknown_character(m, word + i, size));
  }
  return TH_OK;
}

static th_status whole_word(th_text_model *m, const uint8_t *word, int64_t n)
{
  const int64_t id = th_trie_get(m->vocabulary, (const char *)word, n);
  return symbols_add(&m->out, id >= 0 ? (int32_t)id : m->o.unknown, n);
}

/* ---- the cache ---------------------------------------------------------------------------------- */

static uint64_t hash_of(const uint8_t *p, int64_t n)
{
  uint64_t h = 0x9E3779B97F4A7C15u ^ (uint64_t)n, x;
  for (; n >= 8; p += 8, n -= 8) {
    memcpy(&x, p, 8);
    h = (h ^ x) * 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
  }
  x = 0;
  memcpy(&x, p, (size_t)n);
  h = (h ^ x) * 0xD6E8FEB86659FD93u;
  h ^= h >> 32;
  return h * 0xD6E8FEB86659FD93u | 1;              /* 0 marks an empty place */
}

static th_status encode_word(th_text_model *m, const uint8_t *word, int64_t n)
{
  switch (m->o.kind) {
    case TH_MODEL_BPE: return bpe_word(m, word, n);
    case TH_MODEL_WORDPIECE: return wordpiece_word(m, word, n);
    case TH_MODEL_UNIGRAM: return unigram_word(m, word, n);
    default: return whole_word(m, word, n);
  }
}

/* The place of a word, or where it can go; NULL: there is none nearby. */
static known *place_of(const cache *c, uint64_t hash, const uint8_t *word, int64_t n)
{
  for (uint64_t k = 0; k < CACHE_TRIES; k++) {
    known *w = &c->words[((hash >> 20) + k) % CACHE_PLACES];
    if (w->hash == 0) return w;
    if (w->hash == hash && w->key_n == n && memcmp(c->keys + w->key, word, (size_t)n) == 0) return w;
  }
  return NULL;
}

static th_status remember(cache *c, known *w, uint64_t hash, const uint8_t *word, int64_t n, const symbols *s)
{
  TH_TRY(grow(&c->keys, &c->key_room, c->key_n + n, 1));
  TH_TRY(grow(&c->values, &c->value_room, c->value_n + s->n, sizeof *c->values));
  memcpy(c->keys + c->key_n, word, (size_t)n);
  if (s->n) memcpy(c->values + c->value_n, s->list, (size_t)s->n * sizeof *s->list);
  *w = (known){ hash, (int32_t)c->key_n, (int32_t)n, (int32_t)c->value_n, (int32_t)s->n };
  c->key_n += n;
  c->value_n += s->n;
  c->n++;
  return TH_OK;
}

static th_status word_symbols(th_text_model *m, const uint8_t *word, int64_t n, const symbol **list, int64_t *count)
{
  cache *c = &m->cache;
  known *w = NULL;
  uint64_t hash = 0;
  if (n <= CACHE_LONGEST) {
    if (!c->words) c->words = calloc(CACHE_PLACES, sizeof *c->words);
    if (!c->words) return th_out_of_memory(CACHE_PLACES * (int64_t)sizeof *c->words);
    hash = hash_of(word, n);
    w = place_of(c, hash, word, n);
    if (w && w->hash) {
      *list = c->values + w->value;
      *count = w->value_n;
      return TH_OK;
    }
    if (c->n >= CACHE_WORDS || !w) {
      memset(c->words, 0, CACHE_PLACES * sizeof *c->words);
      c->n = c->key_n = c->value_n = 0;
      w = place_of(c, hash, word, n);
    }
  }
  m->out.n = 0;
  TH_TRY(encode_word(m, word, n));
  *list = m->out.list;
  *count = m->out.n;
  return w ? remember(c, w, hash, word, n, &m->out) : TH_OK;
}

th_status th_text_encode(th_text *t, th_text_model *m)
{
  for (int64_t i = 0; i < t->now.n_pieces; i++) {
    const piece *p = &t->now.pieces[i];
    if (p->id >= 0) {
      TH_TRY(text_add_id(t, p->id, p->from, p->to));
      continue;
    }
    const symbol *list = NULL;
    int64_t n = 0, from = p->from;
    TH_TRY(word_symbols(m, t->now.bytes + p->from, p->to - p->from, &list, &n));
    for (int64_t k = 0; k < n; k++) {
      if (list[k].id >= 0) TH_TRY(text_add_id(t, list[k].id, from, from + list[k].n));
      from += list[k].n;
    }
  }
  return TH_OK;
}
