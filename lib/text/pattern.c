/* pattern.c - runs the program of a pattern by backtracking. Repeats that fail are remembered, so that a run of n characters
 * costs n steps and not n squared; a limit on the steps ends what is still too slow. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "../core/core.h"
#include "../core/storage.h"
#include "pattern.h"
#include "unicode.h"
#include "utf8.h"

enum { PAGE = 256, PAGES = (MAX_CODE + 1) / PAGE, DEEPEST = 64, MOST_CLASSES = 4096, MOST_WORDS = 1 << 20 };
enum { FREE_STEPS = 1 << 22, STEPS_PER_BYTE = 300, MOST_WAITING = 1 << 24 };
enum { NONE = -1, FAILED = -2 };

typedef struct class {
  uint16_t page[PAGES];             /* -> bits[] */
  uint8_t (*bits)[PAGE / 8];
  int64_t n;
} class;

/* What to do after a failure: continue at pc. A split has repeat -1, and continues at position `to`. A greedy repeat lies at
 * `repeat`, began at `start` and read to `end`; it was tried down to `to`, and `low` is the last position. A lazy one was tried
 * at `to`, after `start` characters. */
typedef struct choice { int32_t pc, to, low, repeat, start, end; } choice;
/* Where a greedy repeat begins at from..to, in one run of characters, what follows it fails. */
typedef struct failure { int64_t round; int32_t from, to; } failure;

struct th_pattern {
  int32_t *code;
  class *classes;
  failure *failures;                /* by place in code */
  choice *waiting;
  int64_t n, n_classes, n_waiting, room;
  bool first[256];                  /* bytes that can begin a match */
  const uint8_t *bytes;
  int64_t end, left, round;         /* left: steps */
};

/* ---- classes ------------------------------------------------------------------------------------ */

static inline bool in_class(const class *c, uint32_t code)
{
  return c->bits[c->page[code / PAGE]][code % PAGE / 8] >> code % 8 & 1;
}

static bool new_page(class *c)
{
  void *more = realloc(c->bits, (size_t)(c->n + 1) * sizeof *c->bits);
  if (!more) return false;
  c->bits = more;
  memset(c->bits[c->n++], 0, sizeof *c->bits);
  return true;
}

static bool add_range(class *c, uint32_t from, uint32_t to)
{
  for (uint32_t code = from; code <= to; code++) {
    const uint32_t page = code / PAGE;
    if (c->page[page] == 0) {
      if (!new_page(c)) return false;
      c->page[page] = (uint16_t)(c->n - 1);
    }
    if (code % PAGE == 0 && to - code >= PAGE - 1) {
      memset(c->bits[c->page[page]], 255, sizeof *c->bits);
      code += PAGE - 1;
    } else {
      c->bits[c->page[page]][code % PAGE / 8] |= (uint8_t)(1 << code % 8);
    }
  }
  return true;
}

/* Page 0 of bits is empty. Full pages are shared. */
static bool share_full(class *c)
{
  uint8_t full[PAGE / 8];
  int64_t kept = 0, n = 1;
  memset(full, 255, sizeof full);
  uint16_t *moved = calloc((size_t)c->n, sizeof *moved);
  if (!moved) return false;
  for (int64_t i = 1; i < c->n; i++) {
    const bool is_full = memcmp(c->bits[i], full, sizeof full) == 0;
    if (is_full && kept) {
      moved[i] = (uint16_t)kept;
      continue;
    }
    if (is_full) kept = n;
    memmove(c->bits[n], c->bits[i], sizeof full);
    moved[i] = (uint16_t)n++;
  }
  for (int k = 0; k < PAGES; k++) c->page[k] = moved[c->page[k]];
  free(moved);
  void *less = realloc(c->bits, (size_t)n * sizeof *c->bits);
  if (less) c->bits = less;
  c->n = n;
  return true;
}

static th_status make_class(class *c, const uint32_t *ranges, int64_t n)
{
  if (!new_page(c)) return th_out_of_memory(sizeof *c->bits);
  for (int64_t i = 0; i < n; i++) {
    const uint32_t from = ranges[2 * i], to = ranges[2 * i + 1];
    if (from > to || to > MAX_CODE) return th_fail(TH_EARG, "a range of a class is out of order");
    if (!add_range(c, from, to)) return th_out_of_memory(sizeof *c->bits);
  }
  return share_full(c) ? TH_OK : th_out_of_memory(c->n);
}

/* ---- programs ----------------------------------------------------------------------------------- */

static const int8_t widths[TH_PATTERN_OPERATIONS] = { 1, 2, 2, 5, 3, 2, 4, 2, 2 };

static bool is_place(const th_pattern *p, int64_t pc) { return pc >= 0 && pc < p->n; }

/* Whether the operation at pc has operands that run() can use. */
static bool is_sound(const th_pattern *p, int64_t pc)
{
  const int32_t *code = p->code + pc;
  switch (code[0]) {
    case TH_PATTERN_CLASS: return code[1] >= 0 && code[1] < p->n_classes;
    case TH_PATTERN_REPEAT:
      return code[1] >= 0 && code[1] < p->n_classes && code[2] >= 0 && code[3] >= code[2] && code[4] >= 0 && code[4] <= 2;
    case TH_PATTERN_SPLIT: return is_place(p, code[1]) && is_place(p, code[2]);
    case TH_PATTERN_JUMP: return is_place(p, code[1]);
    case TH_PATTERN_LOOK: return code[1] >= 0 && code[1] <= 3 && is_place(p, code[2]) && code[2] > pc && code[3] >= 0;
    case TH_PATTERN_ATOMIC: return is_place(p, code[1]) && code[1] > pc;
    default: return true;
  }
}

static bool are_sound(const th_pattern *p)
{
  int64_t pc = 0;
  while (pc < p->n) {
    const int32_t op = p->code[pc];
    if (op < 0 || op >= TH_PATTERN_OPERATIONS || pc + widths[op] > p->n || !is_sound(p, pc)) return false;
    pc += widths[op];
  }
  return p->n > 0 && p->code[p->n - 1] == TH_PATTERN_MATCH;
}

static void add_class(th_pattern *p, int32_t k)
{
  const class *c = &p->classes[k];
  for (uint32_t b = 0; b < 0x80; b++) p->first[b] |= in_class(c, b);
  bool high = c->n > 2;
  for (uint32_t b = 0x80; b < PAGE; b++) high |= in_class(c, b);
  for (int k2 = 1; k2 < PAGES; k2++) high |= c->page[k2] != 0;
  if (high) memset(p->first + 0x80, true, 0x80);
}

/* Collects the bytes that can begin a match of what is at pc; `seen` marks what was visited. */
static void collect_first(th_pattern *p, int64_t pc, bool *seen)
{
  while (!seen[pc]) {
    const int32_t *code = p->code + pc;
    seen[pc] = true;
    switch (code[0]) {
      case TH_PATTERN_CODE: {
        uint8_t text[4];
        utf8_write(text, (uint32_t)code[1]);
        p->first[text[0]] = true;
        if (code[1] == REPLACEMENT) memset(p->first + 0x80, true, 0x80);
        return;
      }
      case TH_PATTERN_CLASS: add_class(p, code[1]); return;
      case TH_PATTERN_REPEAT:
        add_class(p, code[1]);
        if (code[2] > 0) return;
        break;
      case TH_PATTERN_SPLIT:
        collect_first(p, code[1], seen);
        pc = code[2];
        continue;
      case TH_PATTERN_JUMP: pc = code[1]; continue;
      case TH_PATTERN_LOOK: pc = code[2]; continue;
      case TH_PATTERN_AT: break;
      default: memset(p->first, true, sizeof p->first); return;
    }
    pc += widths[code[0]];
  }
}

th_status th_pattern_new(th_pattern **out, const int32_t *code, int64_t n, const uint32_t *ranges, const int64_t *ends,
                         int64_t classes)
{
  if (n < 1 || n > MOST_WORDS || classes < 1 || classes > MOST_CLASSES) return th_fail(TH_EARG, "the pattern is too long");
  th_pattern *p = calloc(1, sizeof *p);
  bool *seen = calloc((size_t)n, sizeof *seen);
  if (p) {
    p->code = malloc((size_t)n * sizeof *code);
    p->failures = calloc((size_t)n, sizeof *p->failures);
    p->classes = calloc((size_t)classes, sizeof *p->classes);
    p->n_classes = classes;
    p->n = n;
  }
  const bool ok = p && seen && p->code && p->failures && p->classes;
  th_status status = ok ? TH_OK : th_out_of_memory(n * 16 + classes * (int64_t)sizeof(class));
  for (int64_t k = 0; k < classes && status == TH_OK; k++) {
    const int64_t first = k ? ends[k - 1] : 0;
    status = make_class(&p->classes[k], ranges + 2 * first, ends[k] - first);
  }
  if (status == TH_OK) {
    memcpy(p->code, code, (size_t)n * sizeof *code);
    if (!are_sound(p)) status = th_fail(TH_EARG, "the program of the pattern is damaged");
  }
  if (status == TH_OK) collect_first(p, 0, seen);
  free(seen);
  if (status == TH_OK) *out = p;
  else th_pattern_free(p);
  return status;
}

void th_pattern_free(th_pattern *p)
{
  if (!p) return;
  for (int64_t k = 0; p->classes && k < p->n_classes; k++) free(p->classes[k].bits);
  free(p->classes);
  free(p->failures);
  free(p->waiting);
  free(p->code);
  free(p);
}

/* ---- matching ----------------------------------------------------------------------------------- */

static bool is_word_at(const th_pattern *p, int64_t pos)
{
  int length;
  return pos < p->end && in_class(&p->classes[p->n_classes - 1], utf8_read(p->bytes + pos, p->end - pos, &length));
}

static bool is_newline(const th_pattern *p, int64_t pos) { return p->bytes[pos] == '\n'; }

static bool is_at(const th_pattern *p, int what, int64_t pos)
{
  bool before;
  switch (what) {
    case TH_PATTERN_TEXT_BEGIN: return pos == 0;
    case TH_PATTERN_TEXT_END: return pos == p->end;
    case TH_PATTERN_LINE_BEGIN: return pos == 0 || is_newline(p, pos - 1);
    case TH_PATTERN_LINE_END: return pos == p->end || is_newline(p, pos);
    case TH_PATTERN_LAST_LINE: return pos == p->end || (pos == p->end - 1 && is_newline(p, pos));
    default:
      before = pos > 0 && is_word_at(p, pos - utf8_back(p->bytes + pos, pos));
      return (before != is_word_at(p, pos)) == (what == TH_PATTERN_WORD_EDGE);
  }
}

static bool push(th_pattern *p, choice c)
{
  if (p->n_waiting == p->room) {
    const int64_t room = p->room ? 2 * p->room : 64;
    choice *more = room > MOST_WAITING ? NULL : realloc(p->waiting, (size_t)room * sizeof *more);
    if (!more) {
      th_fail(TH_EARG, "the pattern needs too much memory for this text");
      return false;
    }
    p->waiting = more;
    p->room = room;
  }
  p->waiting[p->n_waiting++] = c;
  return true;
}

/* Reads up to `most` characters of a class; returns how many. */
static int32_t read_run(const th_pattern *p, const class *c, int32_t most, int64_t *pos)
{
  int32_t n = 0;
  int length;
  while (n < most && *pos < p->end && in_class(c, utf8_read(p->bytes + *pos, p->end - *pos, &length))) {
    *pos += length;
    n++;
  }
  return n;
}

/* A repeat at pc: the position after it, NONE or FAILED. */
static int64_t repeat(th_pattern *p, int64_t pc, int64_t pos)
{
  const int32_t *code = p->code + pc;
  const class *c = &p->classes[code[1]];
  const int32_t kind = code[4], next = (int32_t)pc + widths[TH_PATTERN_REPEAT];
  const failure *f = &p->failures[pc];
  if (kind == TH_PATTERN_GREEDY && f->round == p->round && pos >= f->from && pos <= f->to) return NONE;
  const int64_t start = pos;
  if (read_run(p, c, code[2], &pos) < code[2]) return NONE;
  const int64_t low = pos;
  if (kind == TH_PATTERN_LAZY) {
    if (code[3] > code[2] && !push(p, (choice){ next, (int32_t)pos, 0, (int32_t)pc, code[2], 0 })) return FAILED;
    return pos;
  }
  read_run(p, c, code[3] - code[2], &pos);
  p->left -= (pos - start) / 8;
  const choice c2 = { next, (int32_t)pos, (int32_t)low, (int32_t)pc, (int32_t)start, (int32_t)pos };
  return kind == TH_PATTERN_GREEDY && pos > low && !push(p, c2) ? FAILED : pos;
}

/* The next position of a lazy repeat; NONE: there is no other. */
static int64_t next_lazy(const th_pattern *p, choice *c)
{
  const int32_t *code = p->code + c->repeat;
  int64_t pos = c->to;
  if (c->start >= code[3] || read_run(p, &p->classes[code[1]], 1, &pos) == 0) return NONE;
  c->start++;
  c->to = (int32_t)pos;
  return pos;
}

/* The next position of a greedy repeat. A failure at all positions is noted, except of a repeat with a limit: it reaches further
 * from a later start. */
static int64_t next_greedy(th_pattern *p, choice *c)
{
  if (c->to > c->low) {
    c->to -= utf8_back(p->bytes + c->to, c->to);
    return c->to;
  }
  if (p->code[c->repeat + 3] == INT32_MAX) p->failures[c->repeat] = (failure){ p->round, c->start, c->end };
  return NONE;
}

/* Takes the last choice above `base`: the position, and where the program continues; NONE: there is no other. */
static int64_t go_back(th_pattern *p, int64_t base, int64_t *pc)
{
  while (p->n_waiting > base) {
    choice *c = &p->waiting[p->n_waiting - 1];
    *pc = c->pc;
    if (c->repeat < 0) {
      p->n_waiting--;
      return c->to;
    }
    const bool is_lazy = p->code[c->repeat + 4] == TH_PATTERN_LAZY;
    const int64_t pos = is_lazy ? next_lazy(p, c) : next_greedy(p, c);
    if (pos != NONE) return pos;
    p->n_waiting--;
  }
  return NONE;
}

static int64_t run(th_pattern *p, int64_t pc, int64_t pos, int depth);

/* A look at pc: pos if it holds, NONE or FAILED. One behind begins a fixed number of characters before
 * pos, and must end there. */
static int64_t look(th_pattern *p, int64_t pc, int64_t pos, int depth)
{
  const int32_t *code = p->code + pc;
  const bool behind = code[1] >= 2, wanted = code[1] % 2 == 0;
  int64_t from = pos, end = NONE;
  int32_t left = behind ? code[3] : 0;
  for (; left > 0 && from > 0; left--) from -= utf8_back(p->bytes + from, from);
  if (left == 0) end = run(p, pc + widths[TH_PATTERN_LOOK], from, depth + 1);
  if (end == FAILED) return FAILED;
  return (end != NONE && (!behind || end == pos)) == wanted ? pos : NONE;
}

/* The end of a match that begins at pos and pc; NONE; or FAILED, with a message. */
static int64_t run(th_pattern *p, int64_t pc, int64_t pos, int depth)
{
  const int64_t base = p->n_waiting;
  if (depth > DEEPEST) {
    th_fail(TH_EARG, "the pattern is nested more than %d deep", DEEPEST);
    return FAILED;
  }
  for (;;) {
    const int32_t *code = p->code + pc;
    int length;
    if (--p->left < 0) {
      th_fail(TH_EARG, "the pattern needs too many steps for this text");
      return FAILED;
    }
    bool fits = true;
    switch (code[0]) {
      case TH_PATTERN_MATCH: p->n_waiting = base; return pos;
      case TH_PATTERN_CODE:
        fits = pos < p->end && utf8_read(p->bytes + pos, p->end - pos, &length) == (uint32_t)code[1];
        if (fits) pos += length;
        break;
      case TH_PATTERN_CLASS: fits = read_run(p, &p->classes[code[1]], 1, &pos) == 1; break;
      case TH_PATTERN_REPEAT: {
        const int64_t after = repeat(p, pc, pos);
        if (after == FAILED) return FAILED;
        fits = after != NONE;
        if (fits) pos = after;
        break;
      }
      case TH_PATTERN_SPLIT:
        if (!push(p, (choice){ code[2], (int32_t)pos, 0, -1, 0, 0 })) return FAILED;
        pc = code[1];
        continue;
      case TH_PATTERN_JUMP: pc = code[1]; continue;
      case TH_PATTERN_LOOK: {
        const int64_t seen = look(p, pc, pos, depth);
        if (seen == FAILED) return FAILED;
        fits = seen != NONE;
        if (fits) {
          pc = code[2];
          continue;
        }
        break;
      }
      case TH_PATTERN_ATOMIC: {
        const int64_t end = run(p, pc + widths[TH_PATTERN_ATOMIC], pos, depth + 1);
        if (end == FAILED) return FAILED;
        if (end != NONE) {
          pos = end;
          pc = code[1];
          continue;
        }
        fits = false;
        break;
      }
      default: fits = is_at(p, code[1], pos);
    }
    if (fits) {
      pc += widths[code[0]];
      continue;
    }
    pos = go_back(p, base, &pc);
    if (pos == NONE) return NONE;
  }
}

void pattern_allow(th_pattern *p, int64_t n) { p->left = FREE_STEPS + STEPS_PER_BYTE * n; }

void pattern_begin(th_pattern *p, const uint8_t *bytes, int64_t n)
{
  p->bytes = bytes;
  p->end = n;
  p->round++;
}

th_status pattern_next(th_pattern *p, int64_t *from, int64_t *to)
{
  int64_t pos = *from;
  while (pos < p->end) {
    if (p->first[p->bytes[pos]]) {
      p->n_waiting = 0;
      const int64_t end = run(p, 0, pos, 0);
      if (end == FAILED) return TH_EARG;
      if (end > pos) {
        *from = pos;
        *to = end;
        return TH_OK;
      }
    }
    int length;
    utf8_read(p->bytes + pos, p->end - pos, &length);
    pos += length;
  }
  *from = -1;
  return TH_OK;
}

th_status th_pattern_find(th_pattern *p, const char *bytes, int64_t n, int64_t *from, int64_t *to)
{
  if (n < 0 || n > TH_TEXT_MOST) return th_fail(TH_EARG, "a text may have %d bytes, got %lld", TH_TEXT_MOST, (long long)n);
  if (*from < 0 || *from > n) return th_fail(TH_EARG, "the search begins outside of the text");
  pattern_allow(p, n);
  pattern_begin(p, (const uint8_t *)bytes, n);
  return pattern_next(p, from, to);
}
