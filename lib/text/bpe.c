/* bpe.c - byte-pair encoding: symbols merge in the order of the ranks of their pairs, the leftmost first. */
#include "model.h"
#include "utf8.h"

enum { SHORT = 24 };                /* symbols of a word that a scan merges faster than a heap */

static uint64_t key_of(int32_t a, int32_t b) { return ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + 1; }

static uint64_t place_of(const th_text_model *m, uint64_t key)
{
  return (key * 0x9E3779B97F4A7C15u >> 20) & (uint64_t)(m->merge_places - 1);
}

static const merge *find(const th_text_model *m, int32_t a, int32_t b)
{
  if (a < 0 || b < 0 || m->n_merges == 0) return NULL;
  const uint64_t key = key_of(a, b);
  for (uint64_t k = place_of(m, key);; k = (k + 1) & (uint64_t)(m->merge_places - 1)) {
    if (m->merges[k].key == key) return &m->merges[k];
    if (m->merges[k].key == 0) return NULL;
  }
}

/* ---- the merges --------------------------------------------------------------------------------- */

static void put(th_text_model *m, merge x)
{
  uint64_t k = place_of(m, x.key);
  while (m->merges[k].key != 0 && m->merges[k].key != x.key) k = (k + 1) & (uint64_t)(m->merge_places - 1);
  if (m->merges[k].key == 0) m->n_merges++;
  m->merges[k] = x;
}

/* Of two merges of the same pair, the later one counts. */
static th_status add_merge(th_text_model *m, int32_t a, int32_t b, int32_t rank, int32_t id)
{
  if (m->n_merges * 2 >= m->merge_places) {
    merge *old = m->merges;
    const int64_t places = m->merge_places, more = places ? 2 * places : 1024;
    merge *fresh = calloc((size_t)more, sizeof *fresh);
    if (!fresh) return th_out_of_memory(more * (int64_t)sizeof *fresh);
    m->merges = fresh;
    m->merge_places = more;
    m->n_merges = 0;
    for (int64_t k = 0; k < places; k++) {
      if (old[k].key) put(m, old[k]);
    }
    free(old);
  }
  put(m, (merge){ key_of(a, b), rank, id });
  return TH_OK;
}

/* The id of the token that two strings form; a prefix of later tokens is left out of the right one. */
static int64_t whole_of(th_text_model *m, const uint8_t *a, int64_t n, const uint8_t *b, int64_t k)
{
  const int64_t skip = m->o.rest_n && k >= m->o.rest_n && memcmp(b, m->o.rest, (size_t)m->o.rest_n) == 0 ? m->o.rest_n : 0;
  const int32_t node = trie_walk(m->vocabulary, trie_walk(m->vocabulary, 0, a, n), b + skip, k - skip);
  return node < 0 ? -1 : m->vocabulary->value[node];
}

th_status th_text_model_merge(th_text_model *m, const char *bytes, const int64_t *ends, int64_t n, int separator, int alphabet,
                              int skip, int64_t *bad)
{
  *bad = -1;
  for (int64_t i = 0; i < n; i++) {
    const int64_t first = i ? ends[i - 1] : 0, size = ends[i] - first;
    const uint8_t *text = (const uint8_t *)bytes + first;
    const uint8_t *middle = size > 1 ? memchr(text + 1, separator, (size_t)size - 1) : NULL;
    int64_t a = -1, b = -1, whole = -1;
    if (middle) {
      int64_t left = middle - text, right = size - left - 1;
      TH_TRY(grow(&m->joined, &m->joined_room, size, 1));
      uint8_t *to = m->joined;
      if (alphabet) {
        left = alphabet_decode(text, left, to);
        right = left < 0 ? -1 : alphabet_decode(middle + 1, right, to + left);
      } else {
        memcpy(to, text, (size_t)left);
        memcpy(to + left, middle + 1, (size_t)right);
      }
      if (left > 0 && right > 0) {
        a = th_trie_get(m->vocabulary, (const char *)to, left);
        b = th_trie_get(m->vocabulary, (const char *)to + left, right);
        whole = whole_of(m, to, left, to + left, right);
      }
    }
    if (a >= 0 && b >= 0 && whole >= 0) TH_TRY(add_merge(m, (int32_t)a, (int32_t)b, (int32_t)i, (int32_t)whole));
    else if (!skip) {
      *bad = i;
      return TH_OK;
    }
  }
  return TH_OK;
}

typedef struct scored { double score; int32_t id; } scored;

static int compare(const void *a, const void *b)
{
  const scored *x = a, *y = b;
  if (x->score != y->score) return x->score > y->score ? -1 : 1;
  return x->id - y->id;
}

/* Adds the pairs that a token can be split into. */
static th_status split_token(th_text_model *m, int32_t id, int32_t rank)
{
  const th_trie *t = m->vocabulary;
  const int64_t first = id ? t->ends[id - 1] : 0, n = t->ends[id] - first;
  const uint8_t *bytes = t->bytes + first;
  int32_t node = 0;
  for (int64_t i = 0; i + 1 < n; i++) {
    node = trie_child(t, node, bytes[i]);
    if (node < 0) return TH_OK;
    if (t->value[node] < 0 || is_tail(bytes[i + 1])) continue;
    const int32_t rest = trie_walk(t, 0, bytes + i + 1, n - i - 1);
    if (rest >= 0 && t->value[rest] >= 0) TH_TRY(add_merge(m, t->value[node], t->value[rest], rank, id));
  }
  return TH_OK;
}

th_status th_text_model_score(th_text_model *m, const double *scores)
{
  const int64_t n = m->vocabulary->n_strings;
  scored *list = malloc((size_t)(n + 1) * sizeof *list);
  if (!list) return th_out_of_memory(n * (int64_t)sizeof *list);
  for (int64_t i = 0; i < n; i++) list[i] = (scored){ scores[i], (int32_t)i };
  qsort(list, (size_t)n, sizeof *list, compare);
  th_status status = TH_OK;
  int32_t rank = 0;
  for (int64_t i = 0; i < n && status == TH_OK; i++) {
    const int32_t id = list[i].id;
    if (i && list[i].score != list[i - 1].score) rank++;
    const int64_t first = id ? m->vocabulary->ends[id - 1] : 0;
    const char *bytes = (const char *)m->vocabulary->bytes + first;
    const bool is_read = th_trie_get(m->vocabulary, bytes, m->vocabulary->ends[id] - first) == id;
    if (is_read && !(m->unused && m->unused[id])) status = split_token(m, id, rank);
  }
  free(list);
  return status;
}

/* ---- a word ------------------------------------------------------------------------------------- */

/* The token of one character, with the prefix of a word's later tokens and the suffix of its last one. */
static th_status add_character(th_text_model *m, const uint8_t *word, int64_t n, int64_t i, int length)
{
  const th_trie *t = m->vocabulary;
  int32_t node = 0;
  if (i > 0) node = trie_walk(t, node, (const uint8_t *)m->o.rest, m->o.rest_n);
  node = trie_walk(t, node, word + i, length);
  if (i + length == n) node = trie_walk(t, node, (const uint8_t *)m->o.last, m->o.last_n);
  const int32_t id = node < 0 ? -1 : t->value[node];
  return id >= 0 ? symbols_add(&m->out, id, length) : unknown_character(m, word + i, length);
}

static th_status add_symbols(th_text_model *m, const uint8_t *word, int64_t n)
{
  int length = 1;
  for (int64_t i = 0; i < n; i += length) {
    if (m->o.single_bytes) {
      const int32_t id = m->o.bytes[word[i]];
      TH_TRY(symbols_add(&m->out, id >= 0 ? id : m->o.unknown, 1));
    } else {
      utf8_read(word + i, n - i, &length);
      TH_TRY(add_character(m, word, n, i, length));
    }
  }
  return TH_OK;
}

/* Finds the best pair again after each merge. */
static int64_t merge_by_scan(const th_text_model *m, symbol *s, int64_t n)
{
  const merge *pairs[SHORT];
  for (int64_t i = 0; i + 1 < n; i++) pairs[i] = find(m, s[i].id, s[i + 1].id);
  for (;;) {
    int64_t best = -1;
    for (int64_t i = 0; i + 1 < n; i++) {
      if (pairs[i] && (best < 0 || pairs[i]->rank < pairs[best]->rank)) best = i;
    }
    if (best < 0) return n;
    s[best] = (symbol){ pairs[best]->id, s[best].n + s[best + 1].n };
    n--;
    for (int64_t i = best + 1; i < n; i++) s[i] = s[i + 1];
    for (int64_t i = best + 1; i + 1 < n; i++) pairs[i] = pairs[i + 1];
    if (best > 0) pairs[best - 1] = find(m, s[best - 1].id, s[best].id);
    if (best + 1 < n) pairs[best] = find(m, s[best].id, s[best + 1].id);
  }
}

static bool is_before(const candidate *a, const candidate *b)
{
  return a->rank != b->rank ? a->rank < b->rank : a->place < b->place;
}

static th_status push(th_text_model *m, const symbol *s, int32_t a, int32_t b)
{
  const merge *x = a < 0 || b < 0 ? NULL : find(m, s[a].id, s[b].id);
  if (!x) return TH_OK;
  if (m->heap_n == m->heap_room) TH_TRY(grow(&m->heap, &m->heap_room, m->heap_n + 1, sizeof *m->heap));
  const candidate c = { x->rank, a, x->id, s[a].n + s[b].n };
  int64_t k = m->heap_n++;
  for (; k > 0 && is_before(&c, &m->heap[(k - 1) / 2]); k = (k - 1) / 2) m->heap[k] = m->heap[(k - 1) / 2];
  m->heap[k] = c;
  return TH_OK;
}

static candidate pop(th_text_model *m)
{
  candidate *h = m->heap;
  const candidate first = h[0], c = h[--m->heap_n];
  int64_t k = 0;
  for (;;) {
    int64_t child = 2 * k + 1;
    if (child >= m->heap_n) break;
    if (child + 1 < m->heap_n && is_before(&h[child + 1], &h[child])) child++;
    if (!is_before(&h[child], &c)) break;
    h[k] = h[child];
    k = child;
  }
  h[k] = c;
  return first;
}

/* Whether the pair of a candidate is still there. A symbol that was joined has n 0. */
static bool is_current(const th_text_model *m, const symbol *s, const candidate *c)
{
  const int32_t next = m->links[c->place].next;
  if (s[c->place].n == 0 || next < 0 || s[c->place].n + s[next].n != c->n) return false;
  const merge *x = find(m, s[c->place].id, s[next].id);
  return x && x->id == c->id && x->rank == c->rank;
}

static th_status merge_by_heap(th_text_model *m, symbol *s, int64_t *count)
{
  const int64_t n = *count;
  TH_TRY(grow(&m->links, &m->link_room, n, sizeof *m->links));
  m->heap_n = 0;
  for (int64_t i = 0; i < n; i++) m->links[i] = (link){ (int32_t)i - 1, i + 1 < n ? (int32_t)i + 1 : -1 };
  for (int64_t i = 0; i + 1 < n; i++) TH_TRY(push(m, s, (int32_t)i, (int32_t)i + 1));
  while (m->heap_n) {
    const candidate c = pop(m);
    if (!is_current(m, s, &c)) continue;
    link *here = &m->links[c.place];
    const int32_t next = here->next, after = m->links[next].next;
    s[c.place] = (symbol){ c.id, c.n };
    s[next].n = 0;
    here->next = after;
    if (after >= 0) m->links[after].previous = c.place;
    TH_TRY(push(m, s, here->previous, c.place));
    TH_TRY(push(m, s, c.place, after));
  }
  *count = 0;
  for (int64_t i = 0; i < n; i++) {
    if (s[i].n) s[(*count)++] = s[i];
  }
  return TH_OK;
}

th_status bpe_word(th_text_model *m, const uint8_t *word, int64_t n)
{
  if (m->o.whole_words) {
    const int64_t id = th_trie_get(m->vocabulary, (const char *)word, n);
    if (id >= 0 && !(m->unused && m->unused[id])) return symbols_add(&m->out, (int32_t)id, n);
  }
  TH_TRY(add_symbols(m, word, n));
  if (m->out.n > SHORT) return merge_by_heap(m, m->out.list, &m->out.n);
  m->out.n = merge_by_scan(m, m->out.list, m->out.n);
  return TH_OK;
}
