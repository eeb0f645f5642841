/* safetensors.c - parses the header of .safetensors files: JSON of one fixed form, parsed strictly and without recursion. */
#include <stdlib.h>
#include "../core/core.h"

enum { MOST_TENSORS = 65536, MOST_NOTES = 65536 };

/* A string of the header. Strings are unescaped in place in a copy of the header, because they never become longer. */
typedef struct piece { int64_t at, n; } piece;

typedef struct entry {
  piece   name;
  int64_t first_size, begin, end;
  int32_t dtype, ndim, boolean, place;       /* place: position in the header, which makes the sort stable */
} entry;

struct th_safetensors {
  char    *text;
  entry   *e;
  piece   *note;                             /* key, value, key, value */
  int64_t *size;
  int64_t  count, room, nnote, note_room, nsize, size_room;
  bool     noted;
};

typedef struct json { char *base, *p, *end; } json;

static th_status garbage(const json *j, const char *wanted)
{
  return th_fail(TH_EIO, "the header is damaged: %s is missing at byte %lld", wanted, (long long)(j->p - j->base) + 8);
}

/* Makes room for one more element. */
static th_status grow(void *array, int64_t *room, int64_t have, size_t element)
{
  if (have < *room) return TH_OK;
  const int64_t n = *room ? *room + *room / 2 : 16;
  void *p = realloc(*(void **)array, (size_t)n * element);
  if (!p) return th_fail(TH_ENOMEM, "out of memory: a header needs %lld bytes", (long long)(n * (int64_t)element));
  *(void **)array = p;
  *room = n;
  return TH_OK;
}

/* ---- JSON ---- */

static void skip_blanks(json *j)
{
  while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r')) j->p++;
}

static bool accept(json *j, char c)
{
  skip_blanks(j);
  if (j->p >= j->end || *j->p != c) return false;
  j->p++;
  return true;
}

static bool take_hex(json *j, unsigned *v)
{
  *v = 0;
  for (int k = 0; k < 4; k++, j->p++) {
    if (j->p >= j->end) return false;
    const char c = *j->p;
    const int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (d < 0) return false;
    *v = *v << 4 | (unsigned)d;
  }
  return true;
}

static int put_utf8(char *to, unsigned v)
{
  if (v < 0x80) {
    to[0] = (char)v;
    return 1;
  }
  int more = v < 0x800 ? 1 : v < 0x10000 ? 2 : 3;
  const int n = more + 1;
  static const uint8_t lead[4] = { 0, 0xc0, 0xe0, 0xf0 };
  to[0] = (char)(lead[more] | v >> 6 * more);
  for (int k = 1; k < n; k++) to[k] = (char)(0x80 | (v >> 6 * --more & 63));
  return n;
}

/* Reads the rest of an escape after the backslash; surrogates must be paired. */
static bool take_escape(json *j, char **to)
{
  static const char from[] = "\"\\/bfnrt", is[] = "\"\\/\b\f\n\r\t";
  unsigned v, low;
  if (j->p >= j->end) return false;
  const char c = *j->p++;
  const char *simple = c ? strchr(from, c) : NULL;
  if (simple) {
    *(*to)++ = is[simple - from];
    return true;
  }
  if (c != 'u' || !take_hex(j, &v) || (v >= 0xdc00 && v < 0xe000)) return false;
  if (v >= 0xd800 && v < 0xdc00) {
    if (j->end - j->p < 6 || *j->p++ != '\\' || *j->p++ != 'u' || !take_hex(j, &low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return false;
    v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
  }
  *to += put_utf8(*to, v);
  return true;
}

int th_is_utf8(const char *s, int64_t n)
{
  const uint8_t *p = (const uint8_t *)s, *end = p + n;
  while (p < end) {
    const uint8_t c = *p++;
    if (c < 0x80) continue;
    const int more = c >= 0xc2 && c < 0xe0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 0;
    if (!more || end - p < more) return 0;
    if ((c == 0xe0 && p[0] < 0xa0) || (c == 0xed && p[0] > 0x9f) || (c == 0xf0 && p[0] < 0x90)
        || (c == 0xf4 && p[0] > 0x8f)) {
      return 0;
    }
    for (int k = 0; k < more; k++) if ((*p++ & 0xc0) != 0x80) return 0;
  }
  return 1;
}

static th_status take_string(json *j, piece *s)
{
  if (!accept(j, '"')) return garbage(j, "a string");
  char *first = j->p, *to = first;
  while (j->p < j->end && *j->p != '"') {
    if ((unsigned char)*j->p < ' ') return garbage(j, "the end of a string");
    if (*j->p != '\\') {
      *to++ = *j->p++;
      continue;
    }
    j->p++;
    if (!take_escape(j, &to)) return garbage(j, "an escape that exists");
  }
  if (j->p >= j->end) return garbage(j, "the end of a string");
  j->p++;
  *s = (piece){ first - j->base, to - first };
  if (!th_is_utf8(first, to - first)) return th_fail(TH_EIO, "the header holds a string that is no UTF-8");
  return TH_OK;
}

static th_status take_size(json *j, int64_t *size)
{
  skip_blanks(j);
  const char *first = j->p;
  int64_t v = 0;
  for (; j->p < j->end && *j->p >= '0' && *j->p <= '9'; j->p++) {
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *j->p - '0', &v)) {
      return th_fail(TH_EIO, "the header has a number beyond 64 bits");
    }
  }
  if (j->p == first || (*first == '0' && j->p - first > 1)) return garbage(j, "a whole number");
  *size = v;
  return TH_OK;
}

static bool is(const json *j, piece s, const char *word)
{
  return (size_t)s.n == strlen(word) && memcmp(j->base + s.at, word, (size_t)s.n) == 0;
}

/* ---- tensors ---- */

static th_status take_dtype(json *j, entry *e)
{
  static const struct { const char *name; int dtype; } types[] = {
    { "BOOL", TH_U8 }, { "U8", TH_U8 }, { "I8", TH_I8 }, { "I16", TH_I16 }, { "I32", TH_I32 }, { "I64", TH_I64 },
    { "F16", TH_F16 }, { "BF16", TH_BF16 }, { "F32", TH_F32 }, { "F64", TH_F64 },
  };
  piece s;
  TH_TRY(take_string(j, &s));
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (!is(j, s, types[i].name)) continue;
    e->dtype = types[i].dtype;
    e->boolean = i == 0;
    return TH_OK;
  }
  return th_fail(TH_EDTYPE, "elements of the type '%.*s' have no type here: BOOL U8 I8 I16 I32 I64 F16 BF16 F32 F64 have",
                 s.n < 40 ? (int)s.n : 40, j->base + s.at);
}

static th_status take_shape(th_safetensors *s, json *j, entry *e)
{
  e->first_size = s->nsize;
  if (!accept(j, '[')) return garbage(j, "a list of sizes");
  if (accept(j, ']')) return TH_OK;
  do {
    if (e->ndim == TH_MAXDIM) {
      return th_fail(TH_EIO, "a tensor has at most %d dimensions, the file has one with more", TH_MAXDIM);
    }
    TH_TRY(grow(&s->size, &s->size_room, s->nsize, sizeof *s->size));
    TH_TRY(take_size(j, &s->size[s->nsize]));
    s->nsize++;
    e->ndim++;
  } while (accept(j, ','));
  return accept(j, ']') ? TH_OK : garbage(j, "the end of a list of sizes");
}

static th_status take_offsets(json *j, entry *e)
{
  if (!accept(j, '[')) return garbage(j, "a pair of offsets");
  TH_TRY(take_size(j, &e->begin));
  if (!accept(j, ',')) return garbage(j, "a pair of offsets");
  TH_TRY(take_size(j, &e->end));
  return accept(j, ']') ? TH_OK : garbage(j, "the end of a pair of offsets");
}

static th_status check_bytes(const th_safetensors *s, const entry *e, int64_t data_bytes)
{
  const int64_t *size = s->size + e->first_size;
  const int64_t count = th_numel_checked(e->ndim, e->ndim ? size : NULL, th_element_size(e->dtype));
  const int shown = e->name.n < 200 ? (int)e->name.n : 200;
  const char *name = s->text + e->name.at;
  char shape[TH_SHAPE_TEXT];
  if (e->begin > e->end || e->end > data_bytes) {
    return th_fail(TH_EIO, "'%.*s' lies at bytes %lld to %lld, but the file has %lld bytes of elements", shown, name,
                   (long long)e->begin, (long long)e->end, (long long)data_bytes);
  }
  th_shape_text(shape, e->ndim, size);
  if (count < 0) return th_fail(TH_EIO, "'%.*s' has the size %s, more than can be counted", shown, name, shape);
  if (count * (int64_t)th_element_size(e->dtype) != e->end - e->begin) {
    return th_fail(TH_EIO, "'%.*s' has the size %s, which needs %lld bytes, but the file gives it %lld", shown, name,
                   shape, (long long)(count * (int64_t)th_element_size(e->dtype)), (long long)(e->end - e->begin));
  }
  return TH_OK;
}

static th_status take_tensor(th_safetensors *s, json *j, piece name, int64_t data_bytes)
{
  entry e = { .name = name, .place = (int32_t)s->count };
  bool seen[3] = { false, false, false };
  if (s->count == MOST_TENSORS) return th_fail(TH_EIO, "a file has at most %d tensors here", MOST_TENSORS);
  if (!accept(j, '{')) return garbage(j, "the description of a tensor");
  do {
    piece key;
    TH_TRY(take_string(j, &key));
    const int k = is(j, key, "dtype") ? 0 : is(j, key, "shape") ? 1 : is(j, key, "data_offsets") ? 2 : 3;
    if (k == 3 || seen[k]) return garbage(j, "a key among dtype, shape and data_offsets, each once,");
    seen[k] = true;
    if (!accept(j, ':')) return garbage(j, "':'");
    TH_TRY(k == 0 ? take_dtype(j, &e) : k == 1 ? take_shape(s, j, &e) : take_offsets(j, &e));
  } while (accept(j, ','));
  if (!accept(j, '}')) return garbage(j, "the end of the description of a tensor");
  if (!seen[0] || !seen[1] || !seen[2]) return garbage(j, "one of dtype, shape and data_offsets");
  TH_TRY(check_bytes(s, &e, data_bytes));
  TH_TRY(grow(&s->e, &s->room, s->count, sizeof *s->e));
  s->e[s->count++] = e;
  return TH_OK;
}

static th_status take_notes(th_safetensors *s, json *j)
{
  if (s->noted) return th_fail(TH_EIO, "the header has __metadata__ twice");
  s->noted = true;
  if (!accept(j, '{')) return garbage(j, "a table of strings");
  if (accept(j, '}')) return TH_OK;
  do {
    piece pair[2];
    TH_TRY(take_string(j, &pair[0]));
    if (!accept(j, ':')) return garbage(j, "':'");
    TH_TRY(take_string(j, &pair[1]));
    if (s->nnote == 2 * MOST_NOTES) return th_fail(TH_EIO, "a file has at most %d entries of metadata here", MOST_NOTES);
    for (int k = 0; k < 2; k++) {
      TH_TRY(grow(&s->note, &s->note_room, s->nnote, sizeof *s->note));
      s->note[s->nnote++] = pair[k];
    }
  } while (accept(j, ','));
  return accept(j, '}') ? TH_OK : garbage(j, "the end of the metadata");
}

static th_status take_header(th_safetensors *s, json *j, int64_t data_bytes)
{
  if (!accept(j, '{')) return garbage(j, "'{'");
  if (!accept(j, '}')) {
    do {
      piece name;
      TH_TRY(take_string(j, &name));
      if (!accept(j, ':')) return garbage(j, "':'");
      TH_TRY(is(j, name, "__metadata__") ? take_notes(s, j) : take_tensor(s, j, name, data_bytes));
    } while (accept(j, ','));
    if (!accept(j, '}')) return garbage(j, "the end of the header");
  }
  skip_blanks(j);
  return j->p == j->end ? TH_OK : garbage(j, "the end of the header");
}

/* ---- checks across all tensors ---- */

static int by_place(const void *x, const void *y)
{
  const entry *a = x, *b = y;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  if (a->end != b->end) return a->end < b->end ? -1 : 1;
  return a->place < b->place ? -1 : a->place > b->place;
}

/* In this format every byte belongs to exactly one tensor: no overlaps and no holes. */
static th_status check_cover(th_safetensors *s, int64_t data_bytes)
{
  int64_t at = 0;
  if (s->count > 1) qsort(s->e, (size_t)s->count, sizeof *s->e, by_place);
  for (int64_t i = 0; i < s->count; i++) {
    const entry *e = &s->e[i];
    if (e->begin != at) {
      return th_fail(TH_EIO, "'%.*s' begins at byte %lld of the elements, %s the tensor before it",
                     e->name.n < 200 ? (int)e->name.n : 200, s->text + e->name.at, (long long)e->begin,
                     e->begin < at ? "within" : "not right behind");
    }
    at = e->end;
  }
  if (at != data_bytes) {
    return th_fail(TH_EIO, "the tensors have %lld bytes, but %lld are in the file", (long long)at, (long long)data_bytes);
  }
  return TH_OK;
}

th_status th_safetensors_parse(th_safetensors **out, const char *text, int64_t n, int64_t data_bytes)
{
  th_enter(NULL);
  th_safetensors *s = calloc(1, sizeof *s);
  if (s) s->text = malloc((size_t)n + 1);
  if (!s || !s->text) {
    free(s);
    return th_fail(TH_ENOMEM, "out of memory: a header needs %lld bytes", (long long)n);
  }
  memcpy(s->text, text, (size_t)n);
  json j = { s->text, s->text, s->text + n };
  th_status status = take_header(s, &j, data_bytes);
  if (status == TH_OK) status = check_cover(s, data_bytes);
  if (status != TH_OK) th_safetensors_free(s);
  else *out = s;
  return status;
}

void th_safetensors_free(th_safetensors *s)
{
  if (!s) return;
  free(s->text);
  free(s->e);
  free(s->note);
  free(s->size);
  free(s);
}

int64_t th_safetensors_count(const th_safetensors *s) { return s->count; }

void th_safetensors_at(const th_safetensors *s, int64_t i, th_safetensor *t)
{
  const entry *e = &s->e[i];
  *t = (th_safetensor){ s->text + e->name.at, e->ndim ? s->size + e->first_size : NULL, e->name.n, e->begin, e->end,
                        e->dtype, e->ndim, e->boolean, 0 };
}

int64_t th_safetensors_notes(const th_safetensors *s) { return s->nnote / 2; }

const char *th_safetensors_note(const th_safetensors *s, int64_t i, int value, int64_t *n)
{
  const piece p = s->note[2 * i + (value != 0)];
  *n = p.n;
  return s->text + p.at;
}
