/* trie.c - sets of byte strings: the tokens of a vocabulary. */
#include "text.h"
#include "utf8.h"

typedef struct string { const uint8_t *bytes; int64_t n; int32_t value; } string;
typedef struct range { int64_t low, high; } range;      /* of the sorted strings that begin with a node's bytes */

/* GPT-2 writes the bytes that are visible characters of Latin-1 as these, and the others as U+0100 ... in their order. */
static bool is_visible(uint32_t b) { return (b >= 33 && b <= 126) || (b >= 161 && b != 173 && b <= 255); }

int64_t alphabet_decode(const uint8_t *bytes, int64_t n, uint8_t *to)
{
  uint8_t hidden[68];
  int64_t made = 0;
  int length, k = 0;
  for (uint32_t b = 0; b < 256; b++) {
    if (!is_visible(b)) hidden[k++] = (uint8_t)b;
  }
  for (int64_t i = 0; i < n; i += length) {
    const uint32_t code = utf8_read(bytes + i, n - i, &length);
    if (code >= 0x100 && code < 0x100u + (uint32_t)k) to[made++] = hidden[code - 0x100];
    else if (code < 256 && is_visible(code)) to[made++] = (uint8_t)code;
    else return -1;
  }
  return made;
}

/* By bytes; among equal strings, the last one comes first. */
static int compare(const void *a, const void *b)
{
  const string *x = a, *y = b;
  const int64_t n = x->n < y->n ? x->n : y->n;
  const int order = n ? memcmp(x->bytes, y->bytes, (size_t)n) : 0;
  if (order) return order;
  if (x->n != y->n) return x->n < y->n ? -1 : 1;
  return x->value > y->value ? -1 : x->value < y->value;
}

static th_status add_node(th_trie *t, range **ranges, int64_t *range_room, range r, uint8_t label)
{
  if (t->n >= INT32_MAX - 1) return th_fail(TH_EARG, "the vocabulary is too large");
  if (t->n + 2 > t->room || t->n + 1 > *range_room) {
    int64_t a = t->room, b = t->room, c = t->room;
    TH_TRY(grow(&t->first, &a, t->n + 2, sizeof *t->first));
    TH_TRY(grow(&t->value, &b, t->n + 2, sizeof *t->value));
    TH_TRY(grow(&t->label, &c, t->n + 2, sizeof *t->label));
    t->room = th_min(a, th_min(b, c));
    TH_TRY(grow(ranges, range_room, t->n + 1, sizeof **ranges));
  }
  t->label[t->n] = label;
  t->value[t->n] = -1;
  (*ranges)[t->n++] = r;
  return TH_OK;
}

/* Writes the nodes, level after level. The strings are sorted and not empty. */
static th_status write_nodes(th_trie *t, const string *strings, int64_t n)
{
  range *ranges = NULL;
  int64_t room = 0, level_end = 1, depth = 0;
  th_status status = add_node(t, &ranges, &room, (range){ 0, n }, 0);
  for (int64_t k = 0; k < t->n && status == TH_OK; k++) {
    if (k == level_end) {
      depth++;
      level_end = t->n;
    }
    const range r = ranges[k];
    int64_t i = r.low;
    while (i < r.high && strings[i].n == depth) {          /* the first one is the last of the equal ones */
      if (t->value[k] < 0) t->value[k] = strings[i].value;
      i++;
    }
    t->first[k] = (int32_t)t->n;
    while (i < r.high && status == TH_OK) {
      const uint8_t label = strings[i].bytes[depth];
      int64_t j = i + 1;
      while (j < r.high && strings[j].bytes[depth] == label) j++;
      status = add_node(t, &ranges, &room, (range){ i, j }, label);
      i = j;
    }
  }
  if (status == TH_OK) {
    t->first[t->n] = (int32_t)t->n;
    for (int b = 0; b < 256; b++) t->root_child[b] = -1;
    for (int32_t k = t->first[0]; k < t->first[1]; k++) t->root_child[t->label[k]] = k;
  }
  free(ranges);
  return status;
}

/* Copies the strings, without their alphabet, and lists those that are not empty. */
static int64_t list_strings(th_trie *t, string *strings, const char *bytes, const int64_t *ends, int64_t n, bool alphabet)
{
  int64_t used = 0, listed = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t first = i ? ends[i - 1] : 0, size = ends[i] - first;
    int64_t made = size;
    if (alphabet) made = th_max(0, alphabet_decode((const uint8_t *)bytes + first, size, t->bytes + used));
    else if (size) memcpy(t->bytes + used, bytes + first, (size_t)size);
    if (made) strings[listed++] = (string){ t->bytes + used, made, (int32_t)i };
    used += made;
    t->ends[i] = used;
  }
  return listed;
}

th_status th_trie_new(th_trie **out, const char *bytes, const int64_t *ends, int64_t n, int alphabet)
{
  if (n < 0 || n > INT32_MAX / 2) return th_fail(TH_EARG, "a vocabulary cannot have %lld tokens", (long long)n);
  const int64_t total = n ? ends[n - 1] : 0;
  th_trie *t = calloc(1, sizeof *t);
  string *strings = malloc((size_t)(n + 1) * sizeof *strings);
  if (t) {
    t->bytes = malloc((size_t)total + 1);
    t->ends = malloc((size_t)(n + 1) * sizeof *t->ends);
    t->n_strings = n;
  }
  th_status status = t && strings && t->bytes && t->ends ? TH_OK : th_out_of_memory(n * (int64_t)sizeof *strings + total);
  if (status == TH_OK) {
    const int64_t listed = list_strings(t, strings, bytes, ends, n, alphabet != 0);
    qsort(strings, (size_t)listed, sizeof *strings, compare);
    status = write_nodes(t, strings, listed);
  }
  free(strings);
  if (status == TH_OK) *out = t;
  else th_trie_free(t);
  return status;
}

void th_trie_free(th_trie *t)
{
  if (!t) return;
  free(t->first);
  free(t->value);
  free(t->label);
  free(t->bytes);
  free(t->ends);
  free(t);
}

int32_t trie_walk(const th_trie *t, int32_t node, const uint8_t *bytes, int64_t n)
{
  for (int64_t i = 0; i < n && node >= 0; i++) node = trie_child(t, node, bytes[i]);
  return node;
}

int64_t th_trie_get(const th_trie *t, const char *bytes, int64_t n)
{
  const int32_t node = trie_walk(t, 0, (const uint8_t *)bytes, n);
  return node < 0 ? -1 : t->value[node];
}
