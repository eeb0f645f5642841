/* fft.c - transforms of lines. Lines that lie side by side, or are short, are transformed together, one in each lane of the
 * vectors; a longer one by itself, as a matrix of columns and rows; a very long one by all threads. All of these do the same
 * to every number, so that a line's bits depend on nothing but its size. Halves are transformed as floats. */
#ifndef T
#include "gemm.h"
#include "../op/fft.args.h"
#include "walk.h"
#include "slots.h"
#include "stream.h"
#include "move.h"
#include "../fft/plan.h"
#include "fft_roots.h"
#include "../core/core.h"
#include "th_fft.h"

enum { SPLIT, PAIRS, SWAPPED, PAIRS_PAST, SWAPPED_PAST };
enum { NOTHING, SCALE, TURN_LANES, TURN_ALL, TURN_ROOTS, KEPT };

enum {
  TOGETHER = 4096,                  /* longer lines are not transformed side by side: they would not stay in the cache */
  SHORT = 1024,                     /* bytes of lines that go side by side wherever they lie, over 2 */
  LONG = 16384,                     /* from here on all threads work on one line where there are few */
  GRAIN = 2048,                     /* numbers that are worth a thread: a microsecond's work, what it costs to share a loop */
  SUM_PART = 16,                    /* products of a prime's sum that are added up by themselves: sums of sums round less */
  AT_ONCE = 16,                     /* numbers to take from a line before the next line's turn: they share cache lines */
  FAR = 128,                        /* numbers from row to row: the next vectors are fetched into the cache in time */
  AHEAD = 320 << 10,                /* bytes of a line and its result that are fetched before their turn */
  AHEAD_LINES = 8,                  /* lines of a thread's turn, of which each is fetched while the one before is transformed */
  AHEAD_ALONE = 256 << 10,          /* bytes of a line that is fetched alone, because its result is written past the caches */
  COPIED = 8 << 20,                 /* bytes up to which longer ones are copied; beyond them they do not stay in a cache */
  ALL_NEAR = 4 << 20,               /* bytes of a matrix that stays in caches between calls */
  ALL_FAR = 18 << 20,               /* bytes of one, and its result, that no cache keeps */
  AT_HAND = 24 << 10,               /* bytes on the stack, for a short line */
  NEAR = 512 << 10                  /* bytes of lines that lie apart and are collected together */
};

/* What a line is on either side of a transform. */
enum { REAL, COMPLEX, SPECTRUM };

typedef struct side {
  void   *data;
  int     form;
  int64_t count, step, pair;        /* numbers of a line that are there; pair: from real to imaginary part */
  bool    same, packed, adjacent;   /* of the type that is computed with; a line, or a row of lines, is in one piece */
  bool    bare;                     /* packed, but of a real line that is computed as a complex one */
} side;

typedef struct pass pass;
typedef void gather(const pass *p, void *to, const char *from, int64_t first, int64_t last);
typedef void scatter(const pass *p, char *to, const void *from, int64_t first, int64_t last);

struct pass {
  th_walk  w;                       /* operands: source, destination */
  side     from, to;
  int64_t  n, line, lines;          /* line: numbers of a line's buffer; lines: collected together */
  int      kind, dtype;             /* dtype: what is computed with */
  bool     folded;                  /* n real numbers, and half a spectrum: as the plan says */
  bool     read_soon;               /* the next step reads a line's results while they are in the caches */
  double   inner, scale;
  gather  *load;
  scatter *store;
  th_fft_plan *plan;
  th_slots slots;
  char    *alone;                   /* one line's memory, when all threads work on one line */
};

/* Numbers of a line that a transform of n takes or gives in this form. */
static int64_t places(int form, int64_t n) { return form == SPECTRUM ? n / 2 + 1 : n; }

/* How many of `count` equal parts are one thread's turn, for parts of so many numbers: one, two or four equal turns, or more. */
static int64_t share(int64_t count, int64_t numbers)
{
  const int64_t turns = th_parts(count, th_max(1, GRAIN / numbers));
  return th_parts(count, turns > 2 ? th_parts(turns, 4) * 4 : turns);
}

static gather *loader(int dtype);
static scatter *storer(int dtype);

static bool inverse(const pass *p) { return p->kind == TH_FFT_BACKWARD || p->kind == TH_FFT_WHOLE; }

/* Takes a line's numbers, and zeros for those that are not there. */
static void collect(const pass *p, char *const *to, int lines, const int64_t (*off)[TH_WALKOPS])
{
  const int64_t n = p->from.count, size = p->dtype == TH_F64 ? 8 : 4;
  const int64_t es = (int64_t)th_element_size(p->from.same ? p->dtype : TH_F16);
  if (n < places(p->from.form, p->n)) for (int l = 0; l < lines; l++) memset(to[l], 0, (size_t)(p->line * size));
  const int64_t together = lines > 1 ? AT_ONCE : n;
  for (int64_t i = 0; i < n; i += together) {
    for (int l = 0; l < lines; l++) {
      p->load(p, to[l], (const char *)p->from.data + off[l][0] * es, i, th_min(n, i + together));
    }
  }
}
static void spread(const pass *p, char *const *from, int lines, const int64_t (*off)[TH_WALKOPS])
{
  const int64_t n = p->to.count, together = lines > 1 ? AT_ONCE : n;
  const int64_t es = (int64_t)th_element_size(p->to.same ? p->dtype : TH_F16);
  for (int64_t i = 0; i < n; i += together) {
    for (int l = 0; l < lines; l++) {
      p->store(p, (char *)p->to.data + off[l][1] * es, from[l], i, th_min(n, i + together));
    }
  }
}

#define TH_REAL "fft/lines.h"
#include "each_real.h"
#define TH_REAL "fft/picture.h"
#include "each_real.h"

/* A tensor without the dimension of its real and imaginary parts. In place: a copy of a structure just changed waits. */
static inline void without_pair(th_tensor *to, const th_tensor *t, bool is_complex)
{
  *to = *t;
  to->ndim -= is_complex;
}

/* Where the results of a pass go, and where the next one reads them. */
typedef struct stage { th_tensor *t; bool is_complex; } stage;

/* Sets what p knows of its operands, tensors without the dimension of pairs; pair: the stride of that, 0 for real ones. */
static void set_operands(const th_fft *f, const th_fft_pass *q, const th_tensor *x, int64_t x_pair, const th_tensor *y,
                         int64_t y_pair, int dim, pass *p)
{
  p->scale = q == &f->pass[f->count - 1] ? f->scale : 1;
  p->load = loader(x->dtype);
  p->store = storer(y->dtype);
  p->from.data = th_data(x, th_element_size(x->dtype));
  p->from.step = x->stride[dim];
  p->from.pair = x_pair;
  p->from.count = th_min(x->size[dim], places(p->from.form, q->n));
  p->from.same = x->dtype == p->dtype;
  p->to.data = th_data(y, th_element_size(y->dtype));
  p->to.step = y->stride[dim];
  p->to.pair = y_pair;
  p->to.count = y->size[dim];
  p->to.same = y->dtype == p->dtype;
  th_walk_lines(&p->w, dim, 2, (const th_tensor *const[]){ x, y });
  const bool plain = p->kind < TH_FFT_HALF || p->folded;
  side *const sides[] = { &p->from, &p->to };
  for (int i = 0; i < 2; i++) {
    side *s = sides[i];
    const int64_t unit = s->form == REAL ? 1 : 2, last = p->w.ndim - 1;
    const bool fits = s->same && (unit == 1 || s->pair == 1) && s->count == places(s->form, q->n), whole = plain && fits;
    s->packed = whole && s->step == unit;
    s->bare = !plain && fits && s->step == unit && p->kind == TH_FFT_HALF && p->inner == 1;
    s->adjacent = whole && last >= 0 && p->w.stride[i][last] == unit && p->w.size[last] > 1;
  }
}

static th_status run_pass(const th_fft *f, const th_fft_pass *q, const stage *from, const stage *to, pass *p)
{
  th_tensor x, y;
  without_pair(&x, from->t, from->is_complex);
  without_pair(&y, to->t, to->is_complex);
  const int64_t x_pair = from->is_complex ? from->t->stride[x.ndim] : 0, y_pair = to->is_complex ? to->t->stride[y.ndim] : 0;
  set_operands(f, q, &x, x_pair, &y, y_pair, q->dim, p);
  if (p->w.count == 0 || p->to.count == 0) return TH_OK;
  return p->dtype == TH_F64 ? run_lines_f64(p) : run_lines_f32(p);
}

/* ---- pictures ---- */

/* Is the call one of whole rows, then of whole columns, of a single matrix? */
static bool is_picture(const th_fft *f, const th_tensor *x, const pass *p)
{
  if (f->ndim != 2 || f->count != 2 || f->pass[0].dim != 1 || p[0].alone || p[1].alone || x->dtype != p->dtype) return false;
  const th_fft_pass *rows = &f->pass[0], *columns = &f->pass[1];
  if (rows->kind == TH_FFT_WHOLE || rows->size != places(p->to.form, rows->n) || columns->kind > TH_FFT_BACKWARD) return false;
  if (columns->size != columns->n || x->size[0] != columns->n) return false;
  const th_fft_node *d = p[1].plan->node;
  return p->dtype == TH_F64 ? is_picture_f64(p, d, rows->size) : is_picture_f32(p, d, rows->size);
}

/* The memory between the two steps; NULL where there is none, and the passes go one after the other. */
static void *picture_memory(const th_fft *f, const pass *p)
{
  const th_fft_node *d = p[1].plan->node;
  const int64_t width = f->pass[0].size;
  return th_scratch((size_t)(p->dtype == TH_F64 ? picture_room_f64(d, width) : picture_room_f32(d, width)));
}

static bool in_rows(const th_tensor *y) { return y->stride[2] == 1 && y->stride[1] == 2; }

static th_status run_picture(const th_fft *f, const th_tensor *x, const th_tensor *y, void *middle, pass *p)
{
  const th_fft_node *d = p[1].plan->node;
  const int64_t parts = d->row->n, width = f->pass[0].size;
  const bool wide = p->dtype == TH_F64;
  /* Both as matrices of rows: row l + C k is row l of block k. */
  th_storage own = { .data = middle };
  th_tensor from = *x, to = { .storage = &own, .ndim = 3, .dtype = p->dtype };
  from.ndim = 3;
  const int64_t from_stride[] = { x->stride[0] * parts, x->stride[0], x->stride[1] };
  const int64_t to_stride[] = { wide ? picture_block_f64(d, width) : picture_block_f32(d, width),
                                wide ? picture_step_f64(width) : picture_step_f32(width), 2 };
  for (int i = 0; i < 3; i++) {
    from.size[i] = i == 0 ? d->column->n : i == 1 ? parts : x->size[1];
    to.size[i] = i == 2 ? width : from.size[i];
    from.stride[i] = from_stride[i];
    to.stride[i] = to_stride[i];
  }
  set_operands(f, &f->pass[0], &from, f->from_complex ? x->stride[2] : 0, &to, 1, 2, p);
  p[1].scale = f->scale;
  p[0].read_soon = true;
  if (wide) return run_picture_f64(p, p + 1, middle, th_data(y, 8), y->stride[0], width);
  return run_picture_f32(p, p + 1, middle, th_data(y, 4), y->stride[0], width);
}

/* ---- which tensor each pass writes to ---- */

/* The size of what pass i leaves, without the complex dimension. */
static void size_after(const th_fft *f, int i, const th_tensor *x, int64_t *size)
{
  memcpy(size, x->size, sizeof(int64_t) * TH_MAXDIM);
  for (int k = 0; k <= i; k++) size[f->pass[k].dim] = f->pass[k].size;
}

static bool same_size(int ndim, const int64_t *a, const int64_t *b)
{
  for (int d = 0; d < ndim; d++) if (a[d] != b[d]) return false;
  return true;
}

/* Between passes numbers are complex, of the result's type or float for halves. They stay in the result where it has
 * their size, or in another tensor. y is the result's place; nothing is written yet. */
static th_status lay_out(const th_fft *f, const th_tensor *x, th_tensor *y, th_tensor *own, stage *at)
{
  const bool half = x->dtype < TH_F32;
  int64_t size[TH_MAXDIM], before[TH_MAXDIM];
  for (int i = 0; i < f->count; i++) {
    size_after(f, i, x, size);
    if (i == f->count - 1) {
      at[i] = (stage){ y, f->to_complex };
    } else if (i > 0 && same_size(f->ndim, size, before)) {
      at[i] = at[i - 1];
    } else if (f->to_complex && !half && same_size(f->ndim, size, f->size)) {
      at[i] = (stage){ y, true };
    } else {
      size[f->ndim] = 2;
      TH_TRY(th_tensor_resize(&own[i], half ? TH_F32 : x->dtype, f->ndim + 1, size, NULL));
      at[i] = (stage){ &own[i], true };
    }
    if (i < f->count - 1) memcpy(before, size, sizeof size);        /* a copy of what was just written waits */
  }
  return TH_OK;
}

static th_status finish(th_fft_plan *p) { return p->dtype == TH_F64 ? finish_f64(p) : finish_f32(p); }
static const th_fft_kernels kernels = { TH_AT(th_fft_roots), finish };

/* Takes all that a pass needs. lines: how many there are. hand: memory for a short line, or
 * NULL. */
static th_status prepare(pass *p, const th_fft_pass *q, int dtype, int64_t lines, void *hand)
{
  static const int forms[][2] = { [TH_FFT_FORWARD] = { COMPLEX, COMPLEX }, [TH_FFT_BACKWARD] = { COMPLEX, COMPLEX },
                                  [TH_FFT_HALF] = { REAL, SPECTRUM }, [TH_FFT_WHOLE] = { SPECTRUM, REAL } };
  p->n = q->n;
  p->kind = q->kind;
  p->inner = q->inner;
  p->dtype = dtype == TH_F64 ? TH_F64 : TH_F32;
  p->from.form = forms[q->kind][0];
  p->to.form = forms[q->kind][1];
  TH_TRY(th_fft_plan_get(&p->plan, q->n, p->dtype, q->kind >= TH_FFT_HALF, &kernels));
  p->folded = p->plan->folded;
  return p->dtype == TH_F64 ? take_memory_f64(p, lines, hand) : take_memory_f32(p, lines, hand);
}

static th_status fft(const th_call *c, const th_tensor *x)
{
  th_fft f;
  TH_TRY(th_fft_of(c, &f));
  th_tensor own[TH_MAXDIM];         /* only those of passes: all of them take 5 KB */
  for (int i = 0; i < f.count; i++) own[i] = (th_tensor){ 0 };
  stage at[TH_MAXDIM];
  pass one, *passes = f.count == 1 ? &one : th_scratch(sizeof *passes * (size_t)f.count);
  char hand[AT_HAND] __attribute__((aligned(64)));
  if (!passes) return th_no_scratch((int64_t)sizeof *passes * f.count);
  for (int i = 0; i < f.count; i++) {                 /* not all of them: they take 1 KB each, for their walks */
    pass *p = &passes[i];
    p->plan = NULL;
    p->alone = NULL;
    p->read_soon = false;
    p->slots = (th_slots){ 0 };
  }
  th_status s = lay_out(&f, x, fft_args_of(c)->y, own, at);
  int64_t size[TH_MAXDIM];
  memcpy(size, x->size, sizeof size);
  for (int i = 0; i < f.count && s == TH_OK; i++) {
    int64_t lines = 1;
    for (int d = 0; d < f.ndim; d++) if (d != f.pass[i].dim) lines *= size[d];
    size[f.pass[i].dim] = f.pass[i].size;
    s = prepare(&passes[i], &f.pass[i], x->dtype, lines, f.count == 1 ? hand : NULL);
  }
  void *middle = s == TH_OK && is_picture(&f, x, passes) ? picture_memory(&f, passes) : NULL;
  if (s == TH_OK) s = th_commit(c);
  if (s == TH_OK && middle && in_rows(fft_args_of(c)->y)) {
    s = run_picture(&f, x, fft_args_of(c)->y, middle, passes);
  } else {
    for (int i = 0; i < f.count && s == TH_OK; i++) {
      const stage from = i ? at[i - 1] : (stage){ (th_tensor *)(uintptr_t)x, f.from_complex };
      s = run_pass(&f, &f.pass[i], &from, &at[i], &passes[i]);
    }
  }
  th_scratch_free(middle);
  for (int i = 0; i < f.count; i++) {
    th_slots_free(&passes[i].slots);
    th_scratch_free(passes[i].alone);
    th_fft_plan_put(passes[i].plan);
    th_tensor_release(&own[i]);
  }
  if (passes != &one) th_scratch_free(passes);
  return s;
}

static th_status run(const th_call *c) { return fft(c, fft_args_of(c)->x); }
static th_status run_grad(const th_call *c) { return fft(c, fft_grad_args_of(c)->g); }

#define TH_SELF "fft.c"
#define TH_EACH_FLOATS
#include "each_dtype.h"

static gather *loader(int dtype)
{
  static gather *const f[TH_NDTYPE] = TH_FLOATS(gather);
  return f[dtype];
}
static scatter *storer(int dtype)
{
  static scatter *const f[TH_NDTYPE] = TH_FLOATS(scatter);
  return f[dtype];
}

#define TABLE(id, f) const th_kernel TH_AT(th_##id)[TH_NDTYPE] = { [TH_F16] = f, [TH_BF16] = f, [TH_F32] = f, [TH_F64] = f };
TABLE(fft, run)
TABLE(ifft, run)
TABLE(rfft, run)
TABLE(irfft, run)
TABLE(fft2, run)
TABLE(ifft2, run)
TABLE(rfft2, run)
TABLE(irfft2, run)
TABLE(fftn, run)
TABLE(ifftn, run)
TABLE(rfftn, run)
TABLE(irfftn, run)
TABLE(fft_grad, run_grad)
TABLE(fftn_grad, run_grad)

const th_kernel TH_AT(th_complexMul)[TH_NDTYPE] = TH_FLOATS(complex_mul);
const th_kernel TH_AT(th_complexMulConj)[TH_NDTYPE] = TH_FLOATS(complex_mul_conj);

#else

/* Numbers [first, last) of a line, to its buffer and from it: as they are computed with, complex ones as pairs. A real line that
 * is not folded is a complex one there. */
static void K(gather)(const pass *p, void *buffer, const char *line, int64_t first, int64_t last)
{
  const T *x = (const T *)(const void *)line;
  C *to = buffer;
  const int64_t step = p->from.step, pair = p->from.pair;
  if (p->from.form == REAL && p->folded) {
    for (int64_t i = first; i < last; i++) to[i] = LOAD(x[i * step]);
  } else if (p->from.form == REAL) {
    for (int64_t i = first; i < last; i++) to[2 * i] = LOAD(x[i * step]), to[2 * i + 1] = 0;
  } else if (p->from.form == COMPLEX || p->folded) {
    for (int64_t i = first; i < last; i++) to[2 * i] = LOAD(x[i * step]), to[2 * i + 1] = LOAD(x[i * step + pair]);
  } else {
    for (int64_t i = first; i < last; i++) {
      const C inner = i == 0 ? 1 : (C)p->inner, re = inner * LOAD(x[i * step]);
      const C im = i == 0 ? 0 : inner * LOAD(x[i * step + pair]);
      to[2 * i] = re, to[2 * i + 1] = im;
      if (i > 0) to[2 * (p->n - i)] = re, to[2 * (p->n - i) + 1] = -im;
    }
  }
}
static void K(scatter)(const pass *p, char *line, const void *buffer, int64_t first, int64_t last)
{
  T *y = (T *)(void *)line;
  const C *from = buffer;
  const int64_t step = p->to.step, pair = p->to.pair, end = th_max(first, th_min(last, places(p->to.form, p->n)));
  const bool real = p->to.form == REAL;
  if (real) {
    const int64_t each = p->folded ? 1 : 2;
    for (int64_t i = first; i < end; i++) y[i * step] = STORE(from[each * i]);
  } else if (p->to.form == COMPLEX || p->folded) {
    for (int64_t i = first; i < end; i++) y[i * step] = STORE(from[2 * i]), y[i * step + pair] = STORE(from[2 * i + 1]);
  } else {
    for (int64_t i = first; i < end; i++) {
      const C inner = i == 0 ? 1 : (C)p->inner;
      y[i * step] = STORE(inner * from[2 * i]);
      y[i * step + pair] = i == 0 ? STORE(0) : STORE(inner * from[2 * i + 1]);
    }
  }
  for (int64_t i = end; i < last; i++) {
    y[i * step] = STORE(0);
    if (!real) y[i * step + pair] = STORE(0);
  }
}

/* ---- products of complex numbers ---- */

typedef struct K(pairs) { int64_t y, a, b; C sign; } K(pairs);

static void K(multiply_row)(char *const *at, const int64_t *step, int64_t n, const void *ctx)
{
  const K(pairs) *p = ctx;
  for (int64_t i = 0; i < n; i++) {
    T *y = (T *)(at[0] + i * step[0]);
    const T *a = (const T *)(at[1] + i * step[1]), *b = (const T *)(at[2] + i * step[2]);
    const C ar = LOAD(a[0]), ai = LOAD(a[p->a]), br = LOAD(b[0]), bi = p->sign * LOAD(b[p->b]);
    y[0] = STORE(ar * br - ai * bi);
    y[p->y] = STORE(ar * bi + ai * br);
  }
}
static th_status K(multiply)(const th_call *c, C sign)
{
  th_tensor t[3], *const list[] = { &t[0], &t[1], &t[2] };
  int64_t pair[3];
  for (int i = 0; i < 3; i++) {
    const th_tensor *x = c->arg[i].t;
    without_pair(&t[i], x, true);
    pair[i] = x->stride[t[i].ndim];
    /* As many dimensions as the result: th_each would pack an input of as many elements and fewer dimensions, without pairs. */
    const int more = t[0].ndim - t[i].ndim;
    memmove(t[i].size + more, x->size, sizeof *x->size * (size_t)t[i].ndim);
    memmove(t[i].stride + more, x->stride, sizeof *x->stride * (size_t)t[i].ndim);
    for (int d = 0; d < more; d++) t[i].size[d] = 1, t[i].stride[d] = 0;
    t[i].ndim = t[0].ndim;
  }
  const K(pairs) p = { pair[0], pair[1], pair[2], sign };
  return th_each(3, list, K(multiply_row), &p);
}
static th_status K(complex_mul)(const th_call *c) { return K(multiply)(c, 1); }
static th_status K(complex_mul_conj)(const th_call *c) { return K(multiply)(c, -1); }
#endif
