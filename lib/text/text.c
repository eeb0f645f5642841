/* text.c - a text on its way to ids: its bytes, its pieces, and where they come from. */
#include "pattern.h"
#include "text.h"
#include "unicode.h"
#include "utf8.h"

/* What steps may make of a text: no form of Unicode makes 64 bytes of one. */
enum { MOST_GROWTH = 64, FREE_GROWTH = 1 << 16 };

th_status grow(void *p, int64_t *room, int64_t need, size_t each)
{
  if (need <= *room) return TH_OK;
  const int64_t more = th_max(need, *room + *room / 2 + 16);
  void *old, *fresh;
  memcpy(&old, p, sizeof old);
  fresh = realloc(old, (size_t)more * each);
  if (!fresh) return th_out_of_memory(more * (int64_t)each);
  memcpy(p, &fresh, sizeof fresh);
  *room = more;
  return TH_OK;
}

th_status th_text_new(th_text **out)
{
  *out = calloc(1, sizeof **out);
  return *out ? TH_OK : th_out_of_memory(sizeof **out);
}

static void free_content(content *c)
{
  free(c->bytes);
  free(c->from);
  free(c->to);
  free(c->pieces);
}

void th_text_free(th_text *t)
{
  if (!t) return;
  free_content(&t->now);
  free_content(&t->next);
  free(t->ids);
  free(t->starts);
  free(t->stops);
  free(t->cells);
  free(t);
}

static th_status add_piece(content *c, int64_t from, int64_t to, int32_t id)
{
  if (to <= from) return TH_OK;
  if (c->n_pieces == c->piece_room) TH_TRY(grow(&c->pieces, &c->piece_room, c->n_pieces + 1, sizeof *c->pieces));
  c->pieces[c->n_pieces++] = (piece){ (int32_t)from, (int32_t)to, id };
  return TH_OK;
}

th_status th_text_set(th_text *t, const char *bytes, int64_t n)
{
  if (n < 0 || n > TH_TEXT_MOST) return th_fail(TH_EARG, "a text may have %d bytes, got %lld", TH_TEXT_MOST, (long long)n);
  t->changed = false;
  t->most = th_min(TH_TEXT_MOST, MOST_GROWTH * n + FREE_GROWTH);
  t->n_ids = 0;
  t->now.n = t->now.n_pieces = 0;
  TH_TRY(grow(&t->now.bytes, &t->now.room, n, 1));
  if (n) memcpy(t->now.bytes, bytes, (size_t)n);
  t->now.n = n;
  return add_piece(&t->now, 0, n, -1);
}

/* ---- steps that change bytes -------------------------------------------------------------------- */

void text_begin(th_text *t) { t->next.n = t->next.n_pieces = 0; }

static th_status make_room(th_text *t, int64_t n)
{
  content *c = &t->next;
  if (n > t->most - c->n) return th_fail(TH_EARG, "a step makes more than %lld bytes of a text", (long long)t->most);
  TH_TRY(grow(&c->bytes, &c->room, c->n + n, 1));
  TH_TRY(grow(&c->from, &c->from_room, c->n + n, sizeof *c->from));
  return grow(&c->to, &c->to_room, c->n + n, sizeof *c->to);
}

th_status text_put(th_text *t, const void *bytes, int64_t n, int32_t from, int32_t to)
{
  content *c = &t->next;
  if (n == 0) return TH_OK;
  TH_TRY(make_room(t, n));
  memcpy(c->bytes + c->n, bytes, (size_t)n);
  for (int64_t i = c->n; i < c->n + n; i++) {
    c->from[i] = from;
    c->to[i] = to;
  }
  c->n += n;
  return TH_OK;
}

th_status text_copy(th_text *t, int64_t from, int64_t to)
{
  content *c = &t->next;
  const int64_t n = to - from;
  if (n <= 0) return TH_OK;
  TH_TRY(make_room(t, n));
  memcpy(c->bytes + c->n, t->now.bytes + from, (size_t)n);
  if (t->changed) {
    memcpy(c->from + c->n, t->now.from + from, (size_t)n * sizeof *c->from);
    memcpy(c->to + c->n, t->now.to + from, (size_t)n * sizeof *c->to);
  } else {
    for (int64_t i = 0; i < n; i++) {
      c->from[c->n + i] = (int32_t)(from + i);
      c->to[c->n + i] = (int32_t)(from + i + 1);
    }
  }
  c->n += n;
  return TH_OK;
}

th_status text_close(th_text *t, int32_t id)
{
  content *c = &t->next;
  return add_piece(c, c->n_pieces ? c->pieces[c->n_pieces - 1].to : 0, c->n, id);
}

void text_end(th_text *t)
{
  const content c = t->now;
  t->now = t->next;
  t->next = c;
  t->changed = true;
}

th_status text_change(th_text *t, th_status (*f)(th_text *t, const piece *p, void *data), void *data)
{
  text_begin(t);
  for (int64_t i = 0; i < t->now.n_pieces; i++) {
    const piece *p = &t->now.pieces[i];
    TH_TRY(p->id < 0 ? f(t, p, data) : text_copy(t, p->from, p->to));
    TH_TRY(text_close(t, p->id));
  }
  text_end(t);
  return TH_OK;
}

static th_status repair(th_text *t, const piece *p, void *data)
{
  (void)data;
  int length;
  int64_t from = p->from;
  for (int64_t i = p->from; i < p->to; i += length) {
    if (utf8_read(t->now.bytes + i, p->to - i, &length) == REPLACEMENT && length == 1) {
      TH_TRY(text_copy(t, from, i));
      TH_TRY(text_put(t, "\xEF\xBF\xBD", 3, origin(t, i), origin_end(t, i)));
      from = i + 1;
    }
  }
  return text_copy(t, from, p->to);
}

th_status th_text_repair(th_text *t)
{
  int length;
  for (int64_t i = 0; i < t->now.n; i += length) {
    if (utf8_read(t->now.bytes + i, t->now.n - i, &length) == REPLACEMENT && length == 1) return text_change(t, repair, NULL);
  }
  return TH_OK;
}

typedef struct replacement {
  th_pattern *pattern;
  const char *before, *after;
  int64_t n, m;
  int keep;
} replacement;

static th_status replace(th_text *t, const piece *p, void *data)
{
  const replacement *r = data;
  int64_t done = 0, from = 0, to = 0;
  pattern_begin(r->pattern, t->now.bytes + p->from, p->to - p->from);
  for (;; from = to) {
    TH_TRY(pattern_next(r->pattern, &from, &to));
    if (from < 0) return text_copy(t, p->from + done, p->to);
    const int64_t a = p->from + from, b = p->from + to;
    TH_TRY(text_copy(t, p->from + done, a));
    if (r->keep) {
      TH_TRY(text_put(t, r->before, r->n, origin(t, a), origin(t, a)));
      TH_TRY(text_copy(t, a, b));
      TH_TRY(text_put(t, r->after, r->m, origin_end(t, b - 1), origin_end(t, b - 1)));
    } else {
      TH_TRY(text_put(t, r->before, r->n, origin(t, a), origin_end(t, b - 1)));
    }
    done = to;
  }
}

th_status th_text_replace(th_text *t, th_pattern *p, const char *before, int64_t n, int keep, const char *after, int64_t m)
{
  pattern_allow(p, t->now.n);
  replacement r = { p, before, after, n, m, keep };
  return text_change(t, replace, &r);
}

typedef struct prefix { const char *bytes; int64_t n; int when; } prefix;

static th_status prepend(th_text *t, const piece *p, void *data)
{
  const prefix *x = data;
  const uint8_t *bytes = t->now.bytes + p->from;
  const int64_t n = p->to - p->from;
  bool wanted = !(x->when & TH_PREPEND_FIRST) || p->from == 0;
  if (x->when & TH_PREPEND_UNLESS_SAME && n >= x->n && memcmp(bytes, x->bytes, (size_t)x->n) == 0) wanted = false;
  if (wanted) TH_TRY(text_put(t, x->bytes, x->n, origin(t, p->from), origin(t, p->from)));
  return text_copy(t, p->from, p->to);
}

th_status th_text_prepend(th_text *t, const char *bytes, int64_t n, int when)
{
  prefix x = { bytes, n, when };
  return text_change(t, prepend, &x);
}

/* ---- pieces ------------------------------------------------------------------------------------- */

/* Cuts of one piece: parts that are matches or not. */
typedef struct cutter { content *to; int behaviour; int64_t held; bool has_held, last_match; int64_t end; } cutter;

/* A part of a piece. What is joined with the next part begins at `held`. */
static th_status add_part(cutter *c, int64_t from, int64_t to, bool match)
{
  if (to <= from) return TH_OK;
  th_status status = TH_OK;
  switch (c->behaviour) {
    case TH_TEXT_REMOVED: return match ? TH_OK : add_piece(c->to, from, to, -1);
    case TH_TEXT_ISOLATED: return add_piece(c->to, from, to, -1);
    case TH_TEXT_WITH_PREVIOUS:
      if (match && c->has_held) {
        status = add_piece(c->to, c->held, to, -1);
        c->has_held = false;
        return status;
      }
      break;
    case TH_TEXT_WITH_NEXT:
      if (!match && c->has_held && c->last_match) {
        status = add_piece(c->to, c->held, to, -1);
        c->has_held = false;
        return status;
      }
      break;
    default:
      if (c->has_held && c->last_match == match) {
        c->end = to;
        return TH_OK;
      }
  }
  if (c->has_held) status = add_piece(c->to, c->held, c->end, -1);
  c->held = from;
  c->end = to;
  c->has_held = true;
  c->last_match = match;
  if (c->behaviour == TH_TEXT_WITH_PREVIOUS && match) {
    c->has_held = false;
    if (status == TH_OK) status = add_piece(c->to, from, to, -1);
  }
  return status;
}

static th_status split(const th_text *t, const piece *p, th_pattern *pattern, cutter *c, bool invert)
{
  int64_t done = 0, from = 0, to = 0;
  pattern_begin(pattern, t->now.bytes + p->from, p->to - p->from);
  c->has_held = false;
  for (;; from = to) {
    TH_TRY(pattern_next(pattern, &from, &to));
    if (from < 0) break;
    TH_TRY(add_part(c, p->from + done, p->from + from, invert));
    TH_TRY(add_part(c, p->from + from, p->from + to, !invert));
    done = to;
  }
  TH_TRY(add_part(c, p->from + done, p->to, invert));
  return c->has_held ? add_piece(c->to, c->held, c->end, -1) : TH_OK;
}

static void swap_pieces(th_text *t)
{
  piece *pieces = t->now.pieces;
  const int64_t n = t->now.n_pieces, room = t->now.piece_room;
  t->now.pieces = t->next.pieces;
  t->now.n_pieces = t->next.n_pieces;
  t->now.piece_room = t->next.piece_room;
  t->next.pieces = pieces;
  t->next.n_pieces = n;
  t->next.piece_room = room;
}

th_status th_text_split(th_text *t, th_pattern *pattern, int behaviour, int invert)
{
  pattern_allow(pattern, t->now.n);
  cutter c = { &t->next, behaviour, 0, false, false, 0 };
  t->next.n_pieces = 0;
  for (int64_t i = 0; i < t->now.n_pieces; i++) {
    const piece *p = &t->now.pieces[i];
    TH_TRY(p->id < 0 ? split(t, p, pattern, &c, invert != 0) : add_piece(&t->next, p->from, p->to, p->id));
  }
  swap_pieces(t);
  return TH_OK;
}

/* ---- tokens in the text ------------------------------------------------------------------------- */

typedef struct marker { const th_trie *tokens; const int32_t *ids; const uint8_t *flags; bool special; } marker;

/* Whether bytes from..to of a piece may be this token. */
static bool is_allowed(const th_text *t, const piece *p, int64_t from, int64_t to, uint8_t flags)
{
  const uint8_t *bytes = t->now.bytes;
  int length;
  if (!(flags & TH_TOKEN_SINGLE_WORD)) return true;
  if (from > p->from) {
    const int n = utf8_back(bytes + from, from - p->from);
    if (unicode_is_word(utf8_read(bytes + from - n, n, &length))) return false;
  }
  return to == p->to || !unicode_is_word(utf8_read(bytes + to, p->to - to, &length));
}

/* The longest token at a position: its number and its end; or -1. */
static int32_t token_at(const th_text *t, const piece *p, int64_t from, const marker *m, int64_t *end)
{
  int32_t node = 0, found = -1;
  for (int64_t i = from; i < p->to; i++) {
    node = trie_child(m->tokens, node, t->now.bytes[i]);
    if (node < 0) break;
    const int32_t k = m->tokens->value[node];
    if (k >= 0 && (m->special || !(m->flags[k] & TH_TOKEN_SPECIAL)) && is_allowed(t, p, from, i + 1, m->flags[k])) {
      found = k;
      *end = i + 1;
    }
  }
  return found;
}

static th_status mark(th_text *t, const piece *p, const marker *m)
{
  const uint8_t *bytes = t->now.bytes;
  int64_t done = p->from, end = 0;
  int length;
  for (int64_t i = p->from; i < p->to;) {
    const int32_t k = m->tokens->root_child[bytes[i]] < 0 ? -1 : token_at(t, p, i, m, &end);
    if (k < 0) {
      i++;
      continue;
    }
    int64_t begin = i;
    while (m->flags[k] & TH_TOKEN_STRIP_LEFT && begin > done) {
      const int n = utf8_back(bytes + begin, begin - done);
      if (!unicode_is_space(utf8_read(bytes + begin - n, n, &length))) break;
      begin -= n;
    }
    while (m->flags[k] & TH_TOKEN_STRIP_RIGHT && end < p->to && unicode_is_space(utf8_read(bytes + end, p->to - end, &length))) {
      end += length;
    }
    TH_TRY(add_piece(&t->next, done, begin, -1));
    TH_TRY(add_piece(&t->next, begin, end, m->ids[k]));
    i = done = end;
  }
  return add_piece(&t->next, done, p->to, -1);
}

th_status th_text_mark(th_text *t, const th_trie *tokens, const int32_t *ids, const uint8_t *flags, int special)
{
  const marker m = { tokens, ids, flags, special != 0 };
  t->next.n_pieces = 0;
  for (int64_t i = 0; i < t->now.n_pieces; i++) {
    const piece p = t->now.pieces[i];
    TH_TRY(p.id < 0 ? mark(t, &p, &m) : add_piece(&t->next, p.from, p.to, p.id));
  }
  swap_pieces(t);
  return TH_OK;
}

int64_t th_text_piece(const th_text *t, int64_t i, const char **bytes, int64_t *n, int64_t *id)
{
  if (i >= 0 && i < t->now.n_pieces) {
    const piece *p = &t->now.pieces[i];
    *bytes = (const char *)t->now.bytes + p->from;
    *n = p->to - p->from;
    *id = p->id;
  }
  return t->now.n_pieces;
}

/* ---- ids ---------------------------------------------------------------------------------------- */

th_status text_add_id(th_text *t, int64_t id, int64_t from, int64_t to)
{
  if (t->n_ids == t->id_room || t->n_ids == t->start_room || t->n_ids == t->stop_room) {
    TH_TRY(grow(&t->ids, &t->id_room, t->n_ids + 1, sizeof *t->ids));
    TH_TRY(grow(&t->starts, &t->start_room, t->n_ids + 1, sizeof *t->starts));
    TH_TRY(grow(&t->stops, &t->stop_room, t->n_ids + 1, sizeof *t->stops));
  }
  t->ids[t->n_ids] = id;
  t->starts[t->n_ids] = origin(t, from);
  t->stops[t->n_ids++] = origin_end(t, to - 1);
  return TH_OK;
}

int64_t th_text_count(const th_text *t) { return t->n_ids; }

void th_text_take(const th_text *t, int64_t first, int64_t n, int64_t base, int64_t *ids, int64_t *offsets)
{
  for (int64_t i = 0; i < n; i++) {
    if (ids) ids[i] = t->ids[first + i] + base;
    if (offsets) {
      offsets[2 * i] = t->starts[first + i] + 1;
      offsets[2 * i + 1] = t->stops[first + i];
    }
  }
}
