/* elementwise.c - brings strided operands and halves into pieces for a loop. */
#include "elementwise.h"
#include "move.h"

enum { PIECE = 2048, SHORT = 48 };  /* elements of a piece; of rows that are joined to longer ones */

/* n elements from one type to another, both contiguous. */
typedef void (*converter)(void *y, const void *x, int64_t n);

#define CONVERTER(name, Y, X, value) \
  static void name(void *y, const void *x, int64_t n) \
  { \
    TH_VECTORISE \
    for (int64_t i = 0; i < n; i++) { \
      const X v = ((const X *)x)[i]; \
      ((Y *)y)[i] = (value); \
    } \
  }
CONVERTER(flag_to_2, int16_t, uint8_t, v)
CONVERTER(flag_to_4, int32_t, uint8_t, v)
CONVERTER(flag_to_8, int64_t, uint8_t, v)
CONVERTER(flag_to_f32, float, uint8_t, v)
CONVERTER(flag_to_f64, double, uint8_t, v)
CONVERTER(flag_to_f16, th_f16, uint8_t, th_store_f16(v))
CONVERTER(flag_to_bf16, th_bf16, uint8_t, th_store_bf16(v))
CONVERTER(load_bf16, float, th_bf16, th_load_bf16(v))
CONVERTER(store_bf16, th_bf16, float, th_store_bf16(v))
#undef CONVERTER

static void load_f16(void *y, const void *x, int64_t n) { TH_AT(th_load_f16s)(y, x, n); }
static void store_f16(void *y, const void *x, int64_t n) { TH_AT(th_store_f16s)(y, x, n); }

static const converter flags[TH_NDTYPE] = {
  [TH_I16] = flag_to_2, [TH_I32] = flag_to_4, [TH_I64] = flag_to_8,
  [TH_F16] = flag_to_f16, [TH_BF16] = flag_to_bf16, [TH_F32] = flag_to_f32, [TH_F64] = flag_to_f64,
};

typedef struct job {
  th_loop    loop;
  const th_scalars *k;
  int        nop;
  bool       writes, streams;       /* streams: the result goes past the caches */
  int64_t    size[TH_MAXOPND];      /* bytes of an element where it lies */
  int64_t    made[TH_MAXOPND];      /* and in a piece */
  converter  convert[TH_MAXOPND];   /* into the piece; for the result out of it; NULL: nothing to do */
} job;

typedef char piece[PIECE * 8];

/* The operands of a chunk: where they are, or the piece they were brought to. */
typedef struct chunk { char *at[TH_MAXOPND]; int64_t jump[TH_MAXOPND]; } chunk;

/* Are the elements of a row where the loop can use them? */
static inline bool direct(const job *j, int k, const int64_t *step)
{
  return step[k] == j->size[k] && !j->convert[k] && !(k == 0 && j->streams);
}

static void bring(const job *j, int k, char *to, th_rect from, int64_t n, int64_t rows, char *spare)
{
  const bool packed = from.step == j->size[k] && (rows == 1 || from.jump == n * from.step);
  const char *x = from.p;
  if (!j->convert[k]) spare = to;
  if (!packed || !j->convert[k]) {
    TH_AT(th_move)(j->size[k], (th_rect){ spare, j->size[k], n * j->size[k] }, from, n, rows);
    x = spare;
  }
  if (j->convert[k]) j->convert[k](to, x, n * rows);
}

static void take_away(const job *j, const char *from, th_rect to, int64_t n, int64_t rows, char *spare)
{
  const int64_t size = j->size[0];
  const bool packed = to.step == size && (rows == 1 || to.jump == n * size);
  if (j->convert[0]) {
    char *y = packed && !j->streams ? to.p : spare;
    j->convert[0](y, from, n * rows);
    if (y == to.p) return;
    from = y;
  }
  if (packed && j->streams) TH_AT(th_stream)(to.p, from, n * rows * size);
  else TH_AT(th_move)(size, to, (th_rect){ (char *)(uintptr_t)from, size, n * size }, n, rows);
}

/* At most PIECE elements. `fresh` is false when stretched elements were already brought. */
static void run_chunk(const job *j, char *const *p, const int64_t *step, const int64_t *jump,
                      int64_t n, int64_t rows, bool fresh, piece *pieces)
{
  chunk c;
  bool dense = true;
  for (int k = 0; k < j->nop; k++) {
    const bool flat = rows == 1 || jump[k] == n * step[k];
    if (direct(j, k, step) && (flat || n >= SHORT)) {
      c.at[k] = p[k];
      c.jump[k] = jump[k];
    } else {
      c.at[k] = pieces[k];
      c.jump[k] = n * j->made[k];
      if (k > 0 && (fresh || step[k] != 0)) {
        bring(j, k, c.at[k], (th_rect){ p[k], step[k], jump[k] }, n, rows, pieces[TH_MAXOPND]);
      }
    }
    dense = dense && (rows == 1 || c.jump[k] == n * j->made[k]);
  }
  if (dense) {
    j->loop((void *const *)c.at, n * rows, j->k);
  } else {
    chunk row = c;
    for (int64_t r = 0; r < rows; r++) {
      j->loop((void *const *)row.at, n, j->k);
      for (int k = 0; k < j->nop; k++) row.at[k] += c.jump[k];
    }
  }
  if (!j->writes || c.at[0] == p[0]) return;
  take_away(j, c.at[0], (th_rect){ p[0], step[0], jump[0] }, n, rows, pieces[TH_MAXOPND]);
}

/* In chunks: several rows, or parts of one. */
static void run_pieces(const job *j, char *const *p, const int64_t *step, const int64_t *jump,
                       int64_t n, int64_t rows)
{
  _Alignas(64) piece pieces[TH_MAXOPND + 1];
  char *at[TH_MAXOPND];
  const int64_t some = n < PIECE ? PIECE / n : 1;
  for (int64_t r = 0; r < rows; r += some) {
    const int64_t count = rows - r < some ? rows - r : some;
    for (int64_t i = 0; i < n; i += PIECE) {
      const int64_t m = n - i < PIECE ? n - i : PIECE;
      for (int k = 0; k < j->nop; k++) at[k] = p[k] + r * jump[k] + i * step[k];
      run_chunk(j, at, step, jump, m, count, i == 0, pieces);
    }
  }
}

static void run_tile(char *const *p, const int64_t *step, const int64_t *jump, int64_t n,
                     int64_t rows, const void *ctx)
{
  const job *j = ctx;
  bool usable = true;
  for (int k = 0; k < j->nop && usable; k++) {
    usable = direct(j, k, step) && (rows == 1 || jump[k] == n * step[k]);
  }
  if (usable) {
    j->loop((void *const *)p, n * rows, j->k);
  } else if (j->streams && (step[0] != j->size[0] || (rows > 1 && jump[0] != n * step[0]))) {
    job near = *j;                  /* parts of memory lines are better written through the caches */
    near.streams = false;
    run_pieces(&near, p, step, jump, n, rows);
  } else {
    run_pieces(j, p, step, jump, n, rows);
  }
}

static inline bool same_layout(const th_tensor *a, const th_tensor *b)
{
  if (a->ndim != b->ndim) return false;
  for (int d = 0; d < a->ndim; d++) {
    if (a->size[d] != b->size[d] || a->stride[d] != b->stride[d]) return false;
  }
  return true;
}

/* Small contiguous operands, by far the most frequent call, need no plan. */
static inline bool run_small(int nop, th_tensor *const *t, th_loop loop, const th_scalars *k)
{
  const th_tensor *y = t[0];
  void *p[TH_MAXOPND];
  int64_t n = 1;
  for (int d = y->ndim - 1; d >= 0; d--) {
    if (y->stride[d] != n && y->size[d] != 1) return false;
    n *= y->size[d];
  }
  if (n == 0 || n > TH_GRAIN) return n == 0;
  for (int i = 0; i < nop; i++) {
    if (t[i] != y && !same_layout(t[i], y)) return false;
    p[i] = (char *)t[i]->storage->data + t[i]->offset * (int64_t)th_element_size(t[i]->dtype);
  }
  loop(p, n, k);
  return true;
}

/* Few elements, however they lie: those of an operand are moved to lie side by side. */
static bool run_few(int nop, th_tensor *const *t, th_loop loop, const th_scalars *k)
{
  const th_tensor *y = t[0];
  const int64_t n = th_numel(y);
  if (n > TH_FEW) return false;
  _Alignas(64) char pieces[TH_MAXOPND][TH_FEW * 8];
  th_rect rect[TH_MAXOPND];
  void *p[TH_MAXOPND];
  for (int i = 0; i < nop; i++) if (!th_rect_of(&rect[i], t[i], y)) return false;
  const int64_t cols = th_rect_cols(y), rows = th_rect_rows(y);
  if (n == 0) return true;
  for (int i = 0; i < nop; i++) {
    const int64_t size = (int64_t)th_element_size(t[i]->dtype);
    const bool packed = (cols == 1 || rect[i].step == size) && (rows == 1 || rect[i].jump == cols * size);
    p[i] = packed ? rect[i].p : pieces[i];
    if (i > 0 && !packed) TH_AT(th_move)(size, (th_rect){ pieces[i], size, cols * size }, rect[i], cols, rows);
  }
  loop(p, n, k);
  if (p[0] == rect[0].p) return true;
  const int64_t size = (int64_t)th_element_size(y->dtype);
  TH_AT(th_move)(size, rect[0], (th_rect){ pieces[0], size, cols * size }, cols, rows);
  return true;
}

static inline bool is_half(int dtype) { return dtype == TH_F16 || dtype == TH_BF16; }

/* Does the loop see the elements as they are stored? */
static inline bool as_stored(int nop, th_tensor *const *t, int made)
{
  if (made == TH_STORED) return true;
  if (made == TH_U8 && t[0]->dtype != TH_U8) return false;
  for (int i = 0; i < nop; i++) if (is_half(t[i]->dtype)) return false;
  return true;
}

/* A large result that is no operand is better written past the caches. */
static bool streams(int nop, th_tensor *const *t)
{
  if (!TH_AT(th_streams)(th_numel(t[0]) * (int64_t)th_element_size(t[0]->dtype))) return false;
  for (int i = 1; i < nop; i++) if (t[i]->storage == t[0]->storage) return false;
  return true;
}

th_status TH_AT(th_elementwise)(int nop, th_tensor *const *t, th_loop loop, const th_scalars *k,
                                int made)
{
  const bool stored = as_stored(nop, t, made);
  if (stored && run_small(nop, t, loop, k)) return TH_OK;
  if (stored && made != TH_NONE && run_few(nop, t, loop, k)) return TH_OK;
  job j;
  j.loop = loop;
  j.k = k;
  j.nop = nop;
  j.writes = made != TH_NONE;
  j.streams = j.writes && streams(nop, t);
  for (int i = 0; i < nop; i++) {
    const int dtype = t[i]->dtype;
    j.size[i] = j.made[i] = (int64_t)th_element_size(dtype);
    j.convert[i] = NULL;
    if (stored) continue;
    if (i == 0 && made == TH_U8) {
      j.made[0] = 1;
      j.convert[0] = flags[dtype];
    } else if (is_half(dtype)) {
      j.made[i] = sizeof(float);
      if (i == 0) j.convert[i] = dtype == TH_F16 ? store_f16 : store_bf16;
      else j.convert[i] = dtype == TH_F16 ? load_f16 : load_bf16;
    }
  }
  return th_each_tile(nop, t, run_tile, &j);
}
