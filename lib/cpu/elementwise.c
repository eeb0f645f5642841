/* elementwise.c - brings strided operands and halves into pieces for a loop. */
#include "elementwise.h"

enum { PIECE = 512 };               /* elements; five pieces of doubles fit the first cache */

/* Copies n elements, xstep bytes apart, to places ystep bytes apart. */
typedef void (*mover)(char *y, int64_t ystep, const char *x, int64_t xstep, int64_t n);

#define MOVER(name, Y, X, value) \
  static void name(char *y, int64_t ystep, const char *x, int64_t xstep, int64_t n) \
  { \
    for (int64_t i = 0; i < n; i++) { \
      const X v = *(const X *)(x + i * xstep); \
      *(Y *)(y + i * ystep) = (value); \
    } \
  }
MOVER(move_1, uint8_t, uint8_t, v)
MOVER(move_2, uint16_t, uint16_t, v)
MOVER(move_4, uint32_t, uint32_t, v)
MOVER(move_8, uint64_t, uint64_t, v)
MOVER(flag_to_2, int16_t, uint8_t, v)
MOVER(flag_to_4, int32_t, uint8_t, v)
MOVER(flag_to_8, int64_t, uint8_t, v)
MOVER(flag_to_f32, float, uint8_t, v)
MOVER(flag_to_f64, double, uint8_t, v)
MOVER(flag_to_f16, th_f16, uint8_t, th_store_f16(v))
MOVER(flag_to_bf16, th_bf16, uint8_t, th_store_bf16(v))
#undef MOVER

static void load_f16(char *y, int64_t ystep, const char *x, int64_t xstep, int64_t n)
{
  float *to = (float *)y;
  (void)ystep;                                   /* pieces are contiguous */
  if (xstep == sizeof(th_f16)) {
    TH_VECTORISE
    for (int64_t i = 0; i < n; i++) to[i] = th_load_f16(((const th_f16 *)x)[i]);
  } else {
    for (int64_t i = 0; i < n; i++) to[i] = th_load_f16(*(const th_f16 *)(x + i * xstep));
  }
}

static void load_bf16(char *y, int64_t ystep, const char *x, int64_t xstep, int64_t n)
{
  float *to = (float *)y;
  (void)ystep;
  if (xstep == sizeof(th_bf16)) {
    TH_VECTORISE
    for (int64_t i = 0; i < n; i++) to[i] = th_load_bf16(((const th_bf16 *)x)[i]);
  } else {
    for (int64_t i = 0; i < n; i++) to[i] = th_load_bf16(*(const th_bf16 *)(x + i * xstep));
  }
}

static void store_f16(char *y, int64_t ystep, const char *x, int64_t xstep, int64_t n)
{
  const float *from = (const float *)x;
  (void)xstep;
  if (ystep == sizeof(th_f16)) {
    TH_VECTORISE
    for (int64_t i = 0; i < n; i++) ((th_f16 *)y)[i] = th_store_f16(from[i]);
  } else {
    for (int64_t i = 0; i < n; i++) *(th_f16 *)(y + i * ystep) = th_store_f16(from[i]);
  }
}

static void store_bf16(char *y, int64_t ystep, const char *x, int64_t xstep, int64_t n)
{
  const float *from = (const float *)x;
  (void)xstep;
  if (ystep == sizeof(th_bf16)) {
    TH_VECTORISE
    for (int64_t i = 0; i < n; i++) ((th_bf16 *)y)[i] = th_store_bf16(from[i]);
  } else {
    for (int64_t i = 0; i < n; i++) *(th_bf16 *)(y + i * ystep) = th_store_bf16(from[i]);
  }
}

static const mover plain[9] = { [1] = move_1, [2] = move_2, [4] = move_4, [8] = move_8 };
static const mover flags[TH_NDTYPE] = {
  [TH_U8] = move_1, [TH_I8] = move_1,
  [TH_I16] = flag_to_2, [TH_I32] = flag_to_4, [TH_I64] = flag_to_8,
  [TH_F16] = flag_to_f16, [TH_BF16] = flag_to_bf16, [TH_F32] = flag_to_f32, [TH_F64] = flag_to_f64,
};

typedef struct job {
  th_loop    loop;
  const th_scalars *k;
  int        nop;
  bool       writes;
  int64_t    step[TH_MAXOPND];      /* of operands that can be used where they lie; -1: never */
  int64_t    made[TH_MAXOPND];      /* bytes of an element in a piece */
  mover      move[TH_MAXOPND];      /* into the piece; for the result out of it */
} job;

static void pieces(const job *j, char *const *p, const int64_t *step, int64_t n)
{
  _Alignas(64) char piece[TH_MAXOPND][PIECE * 8];
  void *at[TH_MAXOPND];
  for (int64_t first = 0; first < n; first += PIECE) {
    const int64_t m = n - first < PIECE ? n - first : PIECE;
    for (int k = 0; k < j->nop; k++) {
      char *from = p[k] + first * step[k];
      if (step[k] == j->step[k]) {
        at[k] = from;
        continue;
      }
      at[k] = piece[k];
      /* A stretched element stays the same from piece to piece. */
      if (k > 0 && (step[k] != 0 || first == 0)) j->move[k](piece[k], j->made[k], from, step[k], m);
    }
    j->loop(at, m, j->k);
    if (!j->writes || at[0] != piece[0]) continue;
    j->move[0](p[0] + first * step[0], step[0], piece[0], j->made[0], m);
  }
}

static void row(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  const job *j = ctx;
  for (int k = 0; k < j->nop; k++) {
    if (step[k] == j->step[k]) continue;
    pieces(j, p, step, n);
    return;
  }
  j->loop((void *const *)p, n, j->k);
}

static inline bool same_layout(const th_tensor *a, const th_tensor *b)
{
  if (a->ndim != b->ndim) return false;
  for (int d = 0; d < a->ndim; d++) {
    if (a->size[d] != b->size[d] || a->stride[d] != b->stride[d]) return false;
  }
  return true;
}

/* Small contiguous operands of one type, by far the most frequent call, need no plan. */
static inline bool run_small(int nop, th_tensor *const *t, th_loop loop, const th_scalars *k,
                             int made)
{
  const th_tensor *y = t[0];
  void *p[TH_MAXOPND];
  const int64_t size = (int64_t)th_dtype_size(y->dtype);
  int64_t n = 1;
  if (y->dtype == TH_F16 || y->dtype == TH_BF16) return false;
  if (made != y->dtype && made != TH_NONE) return false;
  for (int d = y->ndim - 1; d >= 0; d--) {
    if (y->stride[d] != n && y->size[d] != 1) return false;
    n *= y->size[d];
  }
  if (n == 0 || n > TH_GRAIN) return n == 0;
  for (int i = 0; i < nop; i++) {
    if (t[i]->dtype != y->dtype || (t[i] != y && !same_layout(t[i], y))) return false;
    p[i] = (char *)t[i]->storage->data + t[i]->offset * size;
  }
  loop(p, n, k);
  return true;
}

th_status TH_AT(th_elementwise)(int nop, th_tensor *const *t, th_loop loop, const th_scalars *k,
                                int made)
{
  if (run_small(nop, t, loop, k, made)) return TH_OK;
  job j;
  j.loop = loop;
  j.k = k;
  j.nop = nop;
  j.writes = made != TH_NONE;
  for (int i = 0; i < nop; i++) {
    const int dtype = t[i]->dtype;
    const int64_t size = (int64_t)th_element_size(dtype);
    const bool half = dtype == TH_F16 || dtype == TH_BF16;
    j.step[i] = j.made[i] = size;
    j.move[i] = plain[size];
    if (i == 0 && made == TH_U8) {
      if (size != 1) j.step[0] = -1;
      j.made[0] = 1;
      j.move[0] = flags[dtype];
    } else if (half) {
      j.step[i] = -1;
      j.made[i] = sizeof(float);
      if (i == 0) j.move[i] = dtype == TH_F16 ? store_f16 : store_bf16;
      else j.move[i] = dtype == TH_F16 ? load_f16 : load_bf16;
    }
  }
  return th_each(nop, t, row, &j);
}
