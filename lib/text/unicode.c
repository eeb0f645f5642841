/* unicode.c - the tables of Unicode, decoded on first use. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "th_text.h"
#include "unicode.h"
#include "unicode_data.h"
#include "utf8.h"

enum { BASE = 45, PAGE = 256, PAGES = (MAX_CODE + 1) / PAGE, PAIRS = 1200 };
enum { HANGUL = 0xAC00, LEADS = 0x1100, VOWELS = 0x1161, TRAILS = 0x11A7, N_LEADS = 19, N_VOWELS = 21, N_TRAILS = 28,
       SYLLABLES = N_LEADS * N_VOWELS * N_TRAILS };

static const char names[] = "LuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCoCn";

typedef struct { uint32_t first, end, value; } run;
typedef struct { uint32_t from, to; } lower;
typedef struct { uint32_t code, place; uint8_t n; bool compatible; } decomposition;
typedef struct { uint64_t parts; uint32_t whole; } pair;

static run categories[CATEGORY_RUNS], classes[CLASS_RUNS];
static lower lowers[LOWERS];
static decomposition decompositions[DECOMPOSITIONS];
static uint32_t parts[DECOMPOSED];
static pair pairs[PAIRS];
static int n_pairs;
static bool page_decomposes[PAGES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- decoding ----------------------------------------------------------------------------------- */

static uint32_t digit(char c)
{
  uint32_t d = (uint32_t)c - 35;
  if (c > '?') d--;
  if (c > '\\') d--;
  return d;
}

static uint32_t number(const char **s)
{
  uint32_t n = 0, unit = 1, d;
  do {
    d = digit(*(*s)++);
    n += d % BASE * unit;
    unit *= BASE;
  } while (d >= BASE);
  return n;
}

static int64_t signed_number(const char **s)
{
  const uint32_t n = number(s);
  return n & 1 ? -(int64_t)((n + 1) / 2) : (int64_t)(n / 2);
}

static int compare_pairs(const void *a, const void *b)
{
  const uint64_t x = ((const pair *)a)->parts, y = ((const pair *)b)->parts;
  return x < y ? -1 : x > y;
}

static uint64_t pair_of(uint32_t a, uint32_t b) { return (uint64_t)a << 32 | b; }

static void decode_decompositions(void)
{
  const char *s = decomposition_text;
  uint32_t code = 0, place = 0;
  for (int i = 0; i < DECOMPOSITIONS; i++) {
    code += number(&s);
    const uint32_t form = number(&s), n = form / 4;
    decompositions[i] = (decomposition){ code, place, (uint8_t)n, form & 1 };
    page_decomposes[code / PAGE] = true;
    int64_t here = code;
    for (uint32_t k = 0; k < n; k++) {
      here += signed_number(&s);
      parts[place++] = (uint32_t)here;
    }
    if (n == 2 && !(form & 3) && n_pairs < PAIRS) pairs[n_pairs++] = (pair){ pair_of(parts[place - 2], parts[place - 1]), code };
  }
  qsort(pairs, (size_t)n_pairs, sizeof *pairs, compare_pairs);
}

static void decode(void)
{
  const char *s = category_text;
  uint32_t code = 0;
  for (int i = 0; i < CATEGORY_RUNS; i++) {
    const uint32_t n = number(&s);
    categories[i] = (run){ code, code + n, number(&s) };
    code += n;
  }
  s = class_text;
  code = 0;
  for (int i = 0; i < CLASS_RUNS; i++) {
    code += number(&s);
    const uint32_t n = number(&s);
    classes[i] = (run){ code, code + n, number(&s) };
    code += n;
  }
  s = lower_text;
  code = 0;
  for (int i = 0; i < LOWERS; i++) {
    code += number(&s);
    lowers[i] = (lower){ code, (uint32_t)(code + signed_number(&s)) };
  }
  decode_decompositions();
}

static void need(void) { pthread_once(&once, decode); }

/* ---- look-up ------------------------------------------------------------------------------------ */

/* The run that contains a code point, or NULL. */
static const run *find(const run *list, int n, uint32_t code)
{
  int low = 0;
  while (low < n) {
    const int mid = (low + n) / 2;
    if (code < list[mid].first) n = mid;
    else if (code >= list[mid].end) low = mid + 1;
    else return &list[mid];
  }
  return NULL;
}

static int name_of(uint32_t category) { return names[2 * category] * 256 + names[2 * category + 1]; }

int unicode_category(uint32_t code)
{
  need();
  const run *r = find(categories, CATEGORY_RUNS, code);
  return r ? name_of(r->value) : 'C' * 256 + 'n';
}

int unicode_class(uint32_t code)
{
  need();
  const run *r = code < 0x300 ? NULL : find(classes, CLASS_RUNS, code);
  return r ? (int)r->value : 0;
}

static const decomposition *decomposition_of(uint32_t code)
{
  if (code > MAX_CODE || !page_decomposes[code / PAGE]) return NULL;
  int low = 0, n = DECOMPOSITIONS;
  while (low < n) {
    const int mid = (low + n) / 2;
    if (decompositions[mid].code == code) return &decompositions[mid];
    if (decompositions[mid].code < code) low = mid + 1;
    else n = mid;
  }
  return NULL;
}

/* Tables of Unicode nest at most four deep; `n` never exceeds UNICODE_LONGEST. */
static int decompose(uint32_t code, bool compatible, uint32_t *to, int n)
{
  const decomposition *d = decomposition_of(code);
  if (!d || (d->compatible && !compatible)) {
    if (n < UNICODE_LONGEST) to[n++] = code;
    return n;
  }
  for (int k = 0; k < d->n; k++) n = decompose(parts[d->place + (uint32_t)k], compatible, to, n);
  return n;
}

int unicode_decompose(uint32_t code, bool compatible, uint32_t to[UNICODE_LONGEST])
{
  need();
  if (code - HANGUL >= SYLLABLES) return decompose(code, compatible, to, 0);
  const uint32_t syllable = code - HANGUL, trail = syllable % N_TRAILS;
  to[0] = LEADS + syllable / (N_VOWELS * N_TRAILS);
  to[1] = VOWELS + syllable % (N_VOWELS * N_TRAILS) / N_TRAILS;
  to[2] = TRAILS + trail;
  return trail ? 3 : 2;
}

bool unicode_is_plain(uint32_t code) { return code < 0xA0; }

uint32_t unicode_compose(uint32_t a, uint32_t b)
{
  need();
  if (a - LEADS < N_LEADS && b - VOWELS < N_VOWELS) return HANGUL + ((a - LEADS) * N_VOWELS + b - VOWELS) * N_TRAILS;
  if (a - HANGUL < SYLLABLES && (a - HANGUL) % N_TRAILS == 0 && b - TRAILS - 1 < N_TRAILS - 1) return a + b - TRAILS;
  const pair key = { pair_of(a, b), 0 };
  const pair *p = bsearch(&key, pairs, (size_t)n_pairs, sizeof key, compare_pairs);
  return p ? p->whole : 0;
}

bool unicode_is_space(uint32_t code)
{
  if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13);
  return code == 0x85 || unicode_category(code) >> 8 == 'Z';
}

bool unicode_is_word(uint32_t code)
{
  if (code < 0x80) return (code | 32) - 'a' < 26 || code - '0' < 10 || code == '_';
  const int c = unicode_category(code);
  return c >> 8 == 'L' || c >> 8 == 'M' || c == 'N' * 256 + 'd' || c == 'N' * 256 + 'l' || c == 'P' * 256 + 'c';
}

/* ---- for Lua ------------------------------------------------------------------------------------ */

const char *th_unicode_version(void) { return UNICODE_VERSION; }

int64_t th_unicode_run(int64_t i, uint32_t *first, char category[2])
{
  need();
  if (i >= 0 && i < CATEGORY_RUNS) {
    *first = categories[i].first;
    memcpy(category, names + 2 * categories[i].value, 2);
  }
  return CATEGORY_RUNS;
}

uint32_t th_unicode_lower(uint32_t code)
{
  if (code < 0x80) return code - 'A' < 26 ? code + 32 : code;
  need();
  int low = 0, n = LOWERS;
  while (low < n) {
    const int mid = (low + n) / 2;
    if (lowers[mid].from == code) return lowers[mid].to;
    if (lowers[mid].from < code) low = mid + 1;
    else n = mid;
  }
  return code;
}
