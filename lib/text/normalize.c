/* normalize.c - the normal forms of Unicode, lower case, and the character maps of SentencePiece. */
#include "text.h"
#include "unicode.h"
#include "utf8.h"

/* ---- NFC, NFD, NFKC, NFKD ----------------------------------------------------------------------- */

static th_status add_cells(th_text *t, uint32_t code, int64_t from, int64_t to, bool compatible)
{
  uint32_t codes[UNICODE_LONGEST];
  const int n = unicode_decompose(code, compatible, codes);
  if (t->n_cells + n > t->cell_room) TH_TRY(grow(&t->cells, &t->cell_room, t->n_cells + n, sizeof *t->cells));
  for (int k = 0; k < n; k++) {
    t->cells[t->n_cells] = (cell){ codes[k], (int32_t)from, (int32_t)to, (int32_t)t->n_cells, unicode_class(codes[k]) };
    t->n_cells++;
  }
  return TH_OK;
}

static int compare(const void *a, const void *b)
{
  const cell *x = a, *y = b;
  return x->class != y->class ? x->class - y->class : x->order - y->order;
}

/* Sorts runs of marks by their combining class; equal ones keep their order. */
static void sort_marks(cell *c, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    int64_t j = i;
    bool sorted = true;
    while (j < n && c[j].class) {
      sorted = sorted && (j == i || c[j - 1].class <= c[j].class);
      j++;
    }
    if (!sorted) qsort(c + i, (size_t)(j - i), sizeof *c, compare);
    i = j;
  }
}

/* Composes in place; returns the number of cells. A mark joins the last starter unless a mark of its class is between them. */
static int64_t compose(cell *c, int64_t n)
{
  int64_t made = 0, starter = -1;
  int last = 0;
  for (int64_t i = 0; i < n; i++) {
    const cell x = c[i];
    const bool adjacent = starter >= 0 && made == starter + 1;
    const bool may_join = starter >= 0 && (adjacent || (last != 0 && last < x.class));
    const uint32_t whole = may_join ? unicode_compose(c[starter].code, x.code) : 0;
    if (whole) {
      c[starter].code = whole;
      c[starter].from = (int32_t)th_min(c[starter].from, x.from);
      c[starter].to = (int32_t)th_max(c[starter].to, x.to);
      continue;
    }
    if (x.class == 0) starter = made;
    last = x.class;
    c[made++] = x;
  }
  return made;
}

static th_status put_cells(th_text *t, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    const cell *c = &t->cells[i];
    int length;
    if (utf8_read(t->now.bytes + c->from, c->to - c->from, &length) == c->code && length == c->to - c->from) {
      TH_TRY(text_copy(t, c->from, c->to));
      continue;
    }
    uint8_t text[4];
    const int size = utf8_write(text, c->code);
    TH_TRY(text_put(t, text, size, origin(t, c->from), origin_end(t, c->to - 1)));
  }
  return TH_OK;
}

/* Characters of ASCII change in no form, and join only what follows them: they divide the text into parts. */
static th_status normalize(th_text *t, const piece *p, void *data)
{
  const int form = *(const int *)data;
  const uint8_t *bytes = t->now.bytes;
  int64_t i = p->from, done = i;
  int length;
  while (i < p->to) {
    if (bytes[i] < 0x80 && (i + 1 == p->to || bytes[i + 1] < 0x80)) {
      i++;
      continue;
    }
    TH_TRY(text_copy(t, done, i));
    t->n_cells = 0;
    do {
      const uint32_t code = utf8_read(bytes + i, p->to - i, &length);
      TH_TRY(add_cells(t, code, i, i + length, form == TH_TEXT_NFKC || form == TH_TEXT_NFKD));
      i += length;
    } while (i < p->to && bytes[i] >= 0x80);
    sort_marks(t->cells, t->n_cells);
    const bool composed = form == TH_TEXT_NFC || form == TH_TEXT_NFKC;
    TH_TRY(put_cells(t, composed ? compose(t->cells, t->n_cells) : t->n_cells));
    done = i;
  }
  return text_copy(t, done, p->to);
}

static bool is_ascii(const th_text *t)
{
  for (int64_t i = 0; i < t->now.n; i++) {
    if (t->now.bytes[i] >= 0x80) return false;
  }
  return true;
}

th_status th_text_normalize(th_text *t, int form)
{
  if (form < TH_TEXT_NFC || form > TH_TEXT_NFKD) return th_fail(TH_EARG, "there is no form %d", form);
  return is_ascii(t) ? TH_OK : text_change(t, normalize, &form);
}

/* ---- lower case --------------------------------------------------------------------------------- */

static th_status lower(th_text *t, const piece *p, void *data)
{
  (void)data;
  int length;
  int64_t done = p->from;
  for (int64_t i = p->from; i < p->to; i += length) {
    const uint32_t code = utf8_read(t->now.bytes + i, p->to - i, &length), small = th_unicode_lower(code);
    uint8_t text[8];
    if (small == code && code != 0x130) continue;
    const int n = code == 0x130 ? 3 : utf8_write(text, small);
    if (code == 0x130) memcpy(text, "i\xCC\x87", 3);      /* the only one that becomes two characters */
    TH_TRY(text_copy(t, done, i));
    TH_TRY(text_put(t, text, n, origin(t, i), origin_end(t, i + length - 1)));
    done = i + length;
  }
  return text_copy(t, done, p->to);
}

th_status th_text_lower(th_text *t) { return text_change(t, lower, NULL); }

/* ---- maps of SentencePiece ---------------------------------------------------------------------- */

/* The units of a double-array trie, as Darts-clone packs them, and the texts after them, which end with a zero byte. */
typedef struct charsmap { const uint8_t *units, *texts; int64_t n_units, n_texts; } charsmap;

static uint32_t unit_at(const charsmap *m, uint64_t i)
{
  uint32_t unit;
  memcpy(&unit, m->units + 4 * i, sizeof unit);
  return unit;
}

static uint64_t offset_of(uint32_t unit) { return (uint64_t)(unit >> 10) << ((unit & 1 << 9) >> 6); }

/* The place of the text that replaces the longest key at p, and the length of the key; -1: no key begins here. */
static int64_t longest_key(const charsmap *m, const uint8_t *p, int64_t left, int64_t *length)
{
  int64_t found = -1;
  uint64_t node = offset_of(unit_at(m, 0));
  for (int64_t i = 0; i < left; i++) {
    if (p[i] == 0) break;
    node ^= p[i];
    if (node >= (uint64_t)m->n_units) break;
    const uint32_t unit = unit_at(m, node);
    if ((unit & 0x800000FFu) != p[i]) break;
    node ^= offset_of(unit);
    if (node >= (uint64_t)m->n_units) break;
    if (unit >> 8 & 1) {
      found = unit_at(m, node) & 0x7FFFFFFF;
      *length = i + 1;
    }
  }
  return found;
}

static th_status map(th_text *t, const piece *p, void *data)
{
  const charsmap *m = data;
  int64_t length = 0, done = p->from, i = p->from;
  while (i < p->to) {
    const int64_t place = longest_key(m, t->now.bytes + i, p->to - i, &length);
    if (place < 0) {
      int n;
      utf8_read(t->now.bytes + i, p->to - i, &n);
      i += n;
      continue;
    }
    if (place >= m->n_texts) return th_fail(TH_EARG, "the map of characters is damaged");
    const uint8_t *text = m->texts + place;
    const uint8_t *end = memchr(text, 0, (size_t)(m->n_texts - place));
    if (!end) return th_fail(TH_EARG, "the map of characters is damaged");
    TH_TRY(text_copy(t, done, i));
    TH_TRY(text_put(t, text, end - text, origin(t, i), origin_end(t, i + length - 1)));
    i += length;
    done = i;
  }
  return text_copy(t, done, p->to);
}

th_status th_text_charsmap(th_text *t, const char *bytes, int64_t n)
{
  uint32_t size;
  if (n < 8) return th_fail(TH_EARG, "the map of characters is cut off");
  memcpy(&size, bytes, sizeof size);
  if (size < 4 || size % 4 || size > n - 4) return th_fail(TH_EARG, "the map of characters is cut off");
  charsmap m = { (const uint8_t *)bytes + 4, (const uint8_t *)bytes + 4 + size, size / 4, n - 4 - size };
  return text_change(t, map, &m);
}
