/* compress.c - compressed tensors: rows, shards and parts; lib/cpu/compress.c packs the rows. */
#include <math.h>
#include <stdlib.h>
#include "../base/compress.h"
#include "../../core/levels.h"

#define DECLARE(level) extern const th_codec th_codec_##level[];
TH_EACH_LEVEL(DECLARE)
#define CODECS(level) th_codec_##level,
static const th_codec *const tables[] = { TH_EACH_LEVEL(CODECS) NULL };

enum { HEAD = 16, ALIGN = 8, GRAIN = 1 << 14, MAXRANKS = 1 << 15 };

/* What a part begins with. */
typedef struct head { uint32_t bad; uint32_t zero[3]; } head;
_Static_assert(sizeof(head) == HEAD, "a head has 16 bytes");

struct th_compress {
  int      kind, dtype, ranks, made;                /* made: the dtype of the errors */
  double   ratio;
  uint64_t key;
  int64_t  tensors, rows, n, part;
  int64_t *begin;                                   /* first element of each tensor, and the end */
  int64_t *start, *at;                              /* of each row: its first element, and its offset behind the part's header */
  int64_t *first;                                   /* first row of each shard, and the end */
  int      users;                                   /* the creator, and the operations that use it */
};

/* ---- rows ---- */

/* Into how many equal pieces (the last may be shorter) n elements are cut; *each: elements of a
 * piece. */
static int64_t pieces(int64_t n, int64_t most, int64_t *each)
{
  const int64_t count = (n + most - 1) / most;
  *each = count ? (n + count - 1) / count : 0;
  return *each ? (n + *each - 1) / *each : 0;
}

/* Writes the first elements of a tensor's rows to `start`, unless it is NULL. Returns the number of
 * rows. */
static int64_t rows_of(int64_t numel, int64_t line, int64_t most, int64_t first, int64_t *start)
{
  int64_t each;
  if (line < TH_COMPRESS_LINE || numel % line) line = numel;
  if (!numel) return 0;
  const int64_t count = pieces(line, most, &each), lines = numel / line;
  for (int64_t l = 0; start && l < lines; l++) {
    for (int64_t i = 0; i < count; i++) *start++ = first + l * line + i * each;
  }
  return lines * count;
}

static int64_t round_up(int64_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

/* How row i is packed; *bytes becomes its packed size. */
static th_packing packing_of(const th_compress *c, int64_t i, int64_t *bytes)
{
  const int64_t n = c->start[i + 1] - c->start[i], es = (int64_t)th_dtype_size(c->made), whole = round_up(n * es);
  const double k = ceil(c->ratio * (double)n);
  th_packing p = { .kind = c->kind, .n = n, .k = k < 1 ? 1 : k > (double)n ? n : (int64_t)k, .key = c->key,
                   .block = (uint64_t)i * (TH_COMPRESS_ROW / 8) };
  int64_t b = 2 * n;
  if (c->kind == TH_COMPRESS_INT8) b = es + n;
  if (c->kind == TH_COMPRESS_ONEBIT) b = 2 * es + (n + 31) / 32 * 4;
  if (c->kind == TH_COMPRESS_TOPK) b = p.k * (es + 2);
  b = round_up(b);
  p.raw = b >= whole;
  *bytes = p.raw ? whole : b;
  return p;
}

/* A row belongs to the shard in which it would begin if the shards were equal. All parts have the
 * bytes of the largest. */
static void cut(th_compress *c)
{
  int64_t row = 0, bytes;
  for (int r = 0; r < c->ranks; r++) {
    const int64_t end = (int64_t)((double)c->n * (r + 1) / c->ranks);
    int64_t at = 0;
    c->first[r] = row;
    for (; row < c->rows && (r == c->ranks - 1 || c->start[row] < end); row++) {
      c->at[row] = at;
      packing_of(c, row, &bytes);
      at += bytes;
    }
    if (at + HEAD > c->part) c->part = at + HEAD;
  }
  c->first[c->ranks] = row;
}

static th_status need_form(const th_compress_form *f)
{
  const bool known = f->kind >= TH_COMPRESS_HALF && f->kind <= TH_COMPRESS_TOPK;
  const bool floats = f->dtype == TH_F16 || f->dtype == TH_BF16 || f->dtype == TH_F32 || f->dtype == TH_F64;
  if (!known || !floats || f->ranks < 1 || f->ranks > MAXRANKS || f->row < 1 || f->row > TH_COMPRESS_ROW || f->tensors < 0) {
    return th_fail(TH_EARG, "dist.compressor: there is no such form");
  }
  if (f->kind == TH_COMPRESS_TOPK && !(f->ratio > 0 && f->ratio <= 1)) {
    return th_fail(TH_EARG, "dist.compressor: ratio must be more than 0 and at most 1, got %g", f->ratio);
  }
  if (!(f->seed >= 0 && f->seed <= 9007199254740992.0)) {
    return th_fail(TH_EARG, "dist.compressor: the seed must lie in 0..2^53, got %g", f->seed);
  }
  return tables[th_cpu_level_index()] ? TH_OK : th_fail(TH_EARG, "dist.compressor: no CPU level of this build runs here");
}

th_status th_compress_new(th_compress **out, const th_compress_form *f)
{
  TH_TRY(need_form(f));
  th_compress *c = calloc(1, sizeof *c);
  if (c) c->begin = malloc((size_t)(f->tensors + 1) * sizeof *c->begin);
  if (!c || !c->begin) goto none;
  *c = (th_compress){ .kind = f->kind, .dtype = f->dtype, .ranks = f->ranks, .made = f->dtype == TH_F64 ? TH_F64 : TH_F32,
                      .ratio = f->ratio, .key = (uint64_t)f->seed, .tensors = f->tensors, .begin = c->begin, .users = 1 };
  for (int64_t i = 0; i < f->tensors; i++) {
    c->begin[i] = c->n;
    c->rows += rows_of(f->numel[i], f->line[i], f->row, 0, NULL);
    c->n += f->numel[i];
  }
  c->begin[f->tensors] = c->n;
  c->start = malloc((size_t)(c->rows + 1) * sizeof *c->start);
  c->at = malloc((size_t)(c->rows + 1) * sizeof *c->at);
  c->first = malloc((size_t)(c->ranks + 1) * sizeof *c->first);
  if (!c->start || !c->at || !c->first) goto none;
  int64_t rows = 0;
  for (int64_t i = 0; i < f->tensors; i++) rows += rows_of(f->numel[i], f->line[i], f->row, c->begin[i], c->start + rows);
  c->start[rows] = c->n;
  cut(c);
  *out = c;
  return TH_OK;
none:
  th_compress_free(c);
  return th_fail(TH_ENOMEM, "dist.compressor: no memory left");
}

void th_compress_keep(th_compress *c) { __atomic_add_fetch(&c->users, 1, __ATOMIC_RELAXED); }

void th_compress_free(th_compress *c)
{
  if (!c || __atomic_sub_fetch(&c->users, 1, __ATOMIC_ACQ_REL) > 0) return;
  free(c->begin);
  free(c->start);
  free(c->at);
  free(c->first);
  free(c);
}

int64_t th_compress_part(const th_compress *c) { return c->part; }

int64_t th_compress_payload(const th_compress *c)
{
  int64_t all = 0, bytes;
  for (int64_t i = 0; i < c->rows; i++) {
    packing_of(c, i, &bytes);
    all += bytes;
  }
  return all;
}

int64_t th_compress_shard(const th_compress *c, int rank, int64_t *n)
{
  const int64_t first = c->start[c->first[rank]];
  *n = c->start[c->first[rank + 1]] - first;
  return first;
}

/* ---- what is given ---- */

static th_status need(const th_tensor *t, int dtype, int64_t n)
{
  if (t->device == TH_CPU && t->dtype == dtype && th_tensor_is_contiguous(t) && th_tensor_numel(t) == n) return TH_OK;
  return th_fail(TH_EARG, "dist.compressor: wanted %lld contiguous elements of type %s", (long long)n, th_dtype_name(dtype));
}

static th_status need_list(const th_compress *c, const th_list *x)
{
  if (x->n != c->tensors) return th_fail(TH_EARG, "dist.compressor: wanted %lld tensors", (long long)c->tensors);
  for (int64_t i = 0; i < x->n; i++) TH_TRY(need(x->t[i], c->dtype, c->begin[i + 1] - c->begin[i]));
  return TH_OK;
}

static th_status need_rank(const th_compress *c, int rank)
{
  return rank >= 0 && rank < c->ranks ? TH_OK : th_fail(TH_EARG, "dist.compressor: there is no rank %d", rank);
}

static char *data_of(const th_tensor *t)
{
  return t->storage ? (char *)t->storage->data + t->offset * (int64_t)th_dtype_size(t->dtype) : NULL;
}

/* ---- the three ways, row by row ---- */

typedef struct way {
  const th_compress *c;
  const th_codec *codec, *made;                     /* of the tensors, and of the errors */
  const th_list *x;
  const char *from, *error;
  char    *to, *lost;
  int64_t  low;                                     /* the first row to pack */
  uint64_t stream;
  double   scale;
  uint32_t bad;
} way;

static way way_of(const th_compress *c)
{
  const th_codec *table = tables[th_cpu_level_index()];
  return (way){ .c = c, .codec = &table[c->dtype], .made = &table[c->made] };
}

/* The index of the last of n ascending numbers that is at most x; 0 if there is none. */
static int64_t find(const int64_t *list, int64_t n, int64_t x)
{
  int64_t lo = 0, hi = n - 1;
  while (lo < hi) {
    const int64_t mid = (lo + hi + 1) / 2;
    if (list[mid] <= x) lo = mid;
    else hi = mid - 1;
  }
  return lo;
}

static int shard_of(const th_compress *c, int64_t row) { return (int)find(c->first, c->ranks, row); }

/* The elements of a row in its tensor. */
static char *elements(const th_compress *c, const th_list *x, int64_t row)
{
  const int64_t i = find(c->begin, c->tensors, c->start[row]);
  return data_of(x->t[i]) + (c->start[row] - c->begin[i]) * (int64_t)th_dtype_size(c->dtype);
}

static char *place(const th_compress *c, const char *parts, int rank, int64_t row)
{
  return (char *)parts + rank * c->part + HEAD + c->at[row];
}

static void note_bad(way *w) { __atomic_store_n(&w->bad, 1, __ATOMIC_RELAXED); }

/* Packs rows of tensors or, if x is NULL, of the sum over all ranks. */
static void pack_rows(void *ctx, int64_t from, int64_t to)
{
  way *w = ctx;
  const th_compress *c = w->c;
  const int64_t es = (int64_t)th_dtype_size(c->made);
  for (int64_t i = from; i < to; i++) {
    int64_t bytes;
    const int64_t row = w->low + i, at = (c->start[row] - c->start[w->low]) * es;
    const char *error = w->error ? w->error + at : NULL;
    char *s = w->lost + at;
    th_packing p = packing_of(c, row, &bytes);
    p.stream = w->stream;
    if (w->x) {
      w->codec->add(s, elements(c, w->x, row), error, p.n);
    } else {
      for (int r = 0; r < c->ranks; r++) w->made->decode(&p, s, place(c, w->from, r, row), r > 0);
      if (error) w->made->add(s, s, error, p.n);
    }
    if (!w->made->encode(&p, s, place(c, w->to, w->x ? shard_of(c, row) : 0, row))) note_bad(w);
  }
}

static void decode_rows(void *ctx, int64_t from, int64_t to)
{
  way *w = ctx;
  const th_compress *c = w->c;
  double s[TH_COMPRESS_ROW];
  for (int64_t row = from; row < to; row++) {
    int64_t bytes;
    const th_packing p = packing_of(c, row, &bytes);
    char *x = elements(c, w->x, row);
    void *made = w->codec == w->made ? (void *)x : s;
    w->made->decode(&p, made, place(c, w->from, shard_of(c, row), row), false);
    if (made == s || w->scale != 1) w->codec->store(x, made, p.n, w->scale);
  }
}

/* The number of rows in a block does not depend on the number of threads. */
static th_status walk(way *w, int64_t rows, th_block f)
{
  const int64_t each = w->c->rows ? w->c->n / w->c->rows + 1 : 1;
  return th_parallel(rows, GRAIN / each + 1, f, w);
}

static void put_head(char *part, uint32_t bad)
{
  const head h = { .bad = bad };
  memcpy(part, &h, sizeof h);
}

/* Packs `rows` rows of n elements. */
static th_status pack(way *w, int rank, double step, int64_t rows, int64_t n, const th_tensor *error, th_tensor *lost)
{
  TH_TRY(need(lost, w->c->made, n));
  if (error) TH_TRY(need(error, w->c->made, n));
  w->error = error ? data_of(error) : NULL;
  w->lost = data_of(lost);
  w->stream = (uint64_t)step << 16 | (uint64_t)rank << 1 | !w->x;
  return walk(w, rows, pack_rows);
}

th_status th_compress_encode(const th_compress *c, int rank, double step, const th_list *x, const th_tensor *error,
                             th_tensor *lost, th_tensor *parts)
{
  way w = way_of(c);
  TH_TRY(need_rank(c, rank));
  TH_TRY(need_list(c, x));
  TH_TRY(need(parts, TH_U8, c->part * c->ranks));
  w.x = x;
  w.to = data_of(parts);
  TH_TRY(pack(&w, rank, step, c->rows, c->n, error, lost));
  for (int r = 0; r < c->ranks; r++) put_head(w.to + r * c->part, w.bad);
  return TH_OK;
}

th_status th_compress_fold(const th_compress *c, int rank, double step, const th_tensor *parts, const th_tensor *error,
                           th_tensor *lost, th_tensor *part)
{
  way w = way_of(c);
  int64_t n;
  TH_TRY(need_rank(c, rank));
  th_compress_shard(c, rank, &n);
  TH_TRY(need(parts, TH_U8, c->part * c->ranks));
  TH_TRY(need(part, TH_U8, c->part));
  w.from = data_of(parts);
  w.to = data_of(part);
  w.low = c->first[rank];
  TH_TRY(pack(&w, rank, step, c->first[rank + 1] - w.low, n, error, lost));
  put_head(w.to, w.bad);
  return TH_OK;
}

th_status th_compress_decode(const th_compress *c, const th_tensor *parts, double scale, const th_list *x)
{
  way w = way_of(c);
  TH_TRY(need_list(c, x));
  TH_TRY(need(parts, TH_U8, c->part * c->ranks));
  w.x = x;
  w.from = data_of(parts);
  w.scale = scale;
  return walk(&w, c->rows, decode_rows);
}

int th_compress_bad(const th_compress *c, const th_tensor *parts)
{
  head h;
  if (need(parts, TH_U8, c->part * c->ranks) != TH_OK) return 0;
  for (int r = 0; r < c->ranks; r++) {
    memcpy(&h, data_of(parts) + r * c->part, sizeof h);
    if (h.bad) return r;
  }
  return -1;
}
