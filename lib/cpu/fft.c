/* fft.c - transforms of lines: gathered as doubles, several side by side where there are several, transformed, put back. */
#ifndef T
#include "walk.h"
#include "slots.h"
#include "../fft/plan.h"
#include "../core/core.h"
#include "th_fft.h"

#if defined TH_LEVEL_avx512
enum { LANES = 8 };
#elif defined TH_LEVEL_avx2
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
/* Longer lines are transformed one by one: their scratch memory would not stay in the cache. */
enum { TOGETHER = 16384, GRAIN = 16384 };
/* Places to take from a line before the next line's turn, so that what they share in memory stays near. */
enum { AT_ONCE = 16 };

#define PF(name) name##_lane
typedef double vdouble_lane;
#define vdouble vdouble_lane
#define vcmplx cmplx
#include "../../third_party/pocketfft/exec.h"
#undef vdouble
#undef vcmplx
#undef PF
#define PF(name) name##_lanes
typedef double vdouble __attribute__((vector_size(8 * LANES)));
typedef struct vcmplx { vdouble r, i; } vcmplx;
#include "../../third_party/pocketfft/exec.h"

/* What a line is on either side of a transform, and where its numbers lie among the scratch numbers: complex ones
 * as pairs, a half spectrum as pocketfft has it: r0 r1 i1 r2 i2 ..., of even size with r(n/2) last. */
enum { REAL, COMPLEX, SPECTRUM };

typedef struct side {
  void   *data;
  int     form;
  int64_t count, step, pair;       /* numbers of a line that are there; pair: from real to imaginary part */
} side;

typedef struct pass pass;
typedef void gather(const pass *p, double *to, int lanes, int used, const int64_t (*off)[TH_WALKOPS]);
typedef void scatter(const pass *p, const double *from, int lanes, int used, const int64_t (*off)[TH_WALKOPS]);

struct pass {
  th_walk  w;                      /* operands: source, destination */
  side     from, to;
  int64_t  n, lane;                /* lane: numbers of a line in the scratch memory */
  int      kind;
  double   inner, scale;
  gather  *load;
  scatter *store;
  th_fft_plan *plan;
  th_slots slots;
};

/* Numbers of a line that a transform of n takes or gives in this form. */
static int64_t places(int form, int64_t n) { return form == SPECTRUM ? n / 2 + 1 : n; }

TH_INLINE void transform(const pass *p, double *line, double *work, bool lanes)
{
  if (lanes) {
    vdouble *v = (vdouble *)(void *)line, *u = (vdouble *)(void *)work;
    if (p->kind == TH_FFT_FORWARD) cfft_forward_lanes(p->plan->complex, v, u, 1);
    else if (p->kind == TH_FFT_BACKWARD) cfft_backward_lanes(p->plan->complex, v, u, 1);
    else if (p->kind == TH_FFT_HALF) rfft_forward_lanes(p->plan->real, v, u, 1);
    else rfft_backward_lanes(p->plan->real, v, u, 1);
  } else {
    if (p->kind == TH_FFT_FORWARD) cfft_forward_lane(p->plan->complex, line, work, 1);
    else if (p->kind == TH_FFT_BACKWARD) cfft_backward_lane(p->plan->complex, line, work, 1);
    else if (p->kind == TH_FFT_HALF) rfft_forward_lane(p->plan->real, line, work, 1);
    else rfft_backward_lane(p->plan->real, line, work, 1);
  }
}

/* LANES rows of LANES numbers become their columns: blocks off the diagonal change places, then those within blocks. */
#define EXCHANGE(h, low, high) \
  for (int i = 0; i < LANES; i++) { \
    if (i & h) continue; \
    const vdouble a = v[i], b = v[i + h]; \
    v[i] = __builtin_shufflevector(a, b, low); \
    v[i + h] = __builtin_shufflevector(a, b, high); \
  }
#define PLACES(...) __VA_ARGS__
TH_INLINE void turn(vdouble *v)
{
#if defined TH_LEVEL_avx512
  EXCHANGE(4, PLACES(0, 1, 2, 3, 8, 9, 10, 11), PLACES(4, 5, 6, 7, 12, 13, 14, 15))
  EXCHANGE(2, PLACES(0, 1, 8, 9, 4, 5, 12, 13), PLACES(2, 3, 10, 11, 6, 7, 14, 15))
  EXCHANGE(1, PLACES(0, 8, 2, 10, 4, 12, 6, 14), PLACES(1, 9, 3, 11, 5, 13, 7, 15))
#elif defined TH_LEVEL_avx2
  EXCHANGE(2, PLACES(0, 1, 4, 5), PLACES(2, 3, 6, 7))
  EXCHANGE(1, PLACES(0, 4, 2, 6), PLACES(1, 5, 3, 7))
#else
  EXCHANGE(1, PLACES(0, 2), PLACES(1, 3))
#endif
}

/* Numbers of a line that lie in memory as among the scratch numbers, behind the first `skipped` ones; 0: none. */
static int64_t packed(const pass *p, const side *s, int64_t *skipped)
{
  *skipped = s->form == SPECTRUM;
  if (s->step != (s->form == REAL ? 1 : 2) || (s->form != REAL && s->pair != 1)) return 0;
  if (s->form == REAL) return th_min(s->count, p->n);
  if (s->form == COMPLEX) return 2 * th_min(s->count, p->n);
  return p->inner == 1 ? 2 * (th_min(s->count, (p->n + 1) / 2) - 1) : 0;       /* neither the first nor the middle place */
}

static int lanes_of(const pass *p) { return p->w.count > 1 && p->n <= TOGETHER ? LANES : 1; }

static void run_groups(void *ctx, int64_t first, int64_t last)
{
  pass *p = ctx;
  const int lanes = lanes_of(p);
  double *line = th_slot_take(&p->slots), *work = line + p->lane * lanes;
  for (int64_t group = first; group < last && !th_interrupted(); group++) {
    int64_t off[LANES][TH_WALKOPS];
    const int used = (int)th_min(lanes, p->w.count - group * lanes);
    for (int l = 0; l < used; l++) th_walk_at(&p->w, p->w.ndim, group * lanes + l, off[l]);
    p->load(p, line, lanes, used, (const int64_t(*)[TH_WALKOPS])off);
    transform(p, line, work, lanes > 1);
    p->store(p, line, lanes, used, (const int64_t(*)[TH_WALKOPS])off);
  }
  th_slot_give(&p->slots, line);
}

/* A tensor without the dimension of its real and imaginary parts. */
static th_tensor without_pair(const th_tensor *t, bool is_complex)
{
  th_tensor r = *t;
  r.ndim -= is_complex;
  return r;
}

/* Where the results of a pass go, and where the next one reads them. */
typedef struct stage { th_tensor *t; bool is_complex; } stage;

static th_status run_pass(const th_fft *f, const th_fft_pass *q, const stage *from, const stage *to, pass *p)
{
  static const int forms[][2] = { [TH_FFT_FORWARD] = { COMPLEX, COMPLEX }, [TH_FFT_BACKWARD] = { COMPLEX, COMPLEX },
                                  [TH_FFT_HALF] = { REAL, SPECTRUM }, [TH_FFT_WHOLE] = { SPECTRUM, REAL } };
  const th_tensor x = without_pair(from->t, from->is_complex), y = without_pair(to->t, to->is_complex);
  const bool final = q == &f->pass[f->count - 1];
  p->n = q->n;
  p->kind = q->kind;
  p->inner = q->inner;
  p->scale = final ? f->scale : 1;
  p->from = (side){ .data = th_data(&x, th_element_size(x.dtype)), .form = forms[q->kind][0], .step = x.stride[q->dim],
                    .pair = from->is_complex ? from->t->stride[x.ndim] : 0 };
  p->to = (side){ .data = th_data(&y, th_element_size(y.dtype)), .form = forms[q->kind][1], .step = y.stride[q->dim],
                  .pair = to->is_complex ? to->t->stride[y.ndim] : 0 };
  p->from.count = th_min(x.size[q->dim], places(p->from.form, q->n));
  p->to.count = y.size[q->dim];
  th_walk_lines(&p->w, q->dim, 2, (const th_tensor *const[]){ &x, &y });
  if (p->w.count == 0 || p->to.count == 0) return TH_OK;
  const int lanes = lanes_of(p);
  return th_parallel(th_parts(p->w.count, lanes), th_max(1, GRAIN / (lanes * q->n)), run_groups, p);
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
 * their size, or in a tensor of their own. y is the result's place; nothing is written yet. */
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
    memcpy(before, size, sizeof size);
  }
  return TH_OK;
}

static gather *loader(int dtype);
static scatter *storer(int dtype);

static th_status fft(const th_call *c, const th_tensor *x)
{
  th_fft f;
  TH_TRY(th_fft_of(c, &f));
  th_tensor own[TH_MAXDIM] = { 0 };
  stage at[TH_MAXDIM];
  pass *passes = th_scratch(sizeof *passes * (size_t)f.count);
  if (!passes) return th_no_scratch((int64_t)sizeof *passes * f.count);
  memset(passes, 0, sizeof *passes * (size_t)f.count);
  th_status s = lay_out(&f, x, c->arg[0].t, own, at);
  for (int i = 0; i < f.count && s == TH_OK; i++) {
    pass *p = &passes[i];
    const bool real = f.pass[i].kind >= TH_FFT_HALF;
    s = th_fft_plan_get(&p->plan, f.pass[i].n, real);
    if (s != TH_OK) break;
    p->lane = real ? p->plan->n : 2 * p->plan->n;
    s = th_slots_new(&p->slots, sizeof(double) * (size_t)(p->lane + p->plan->work) * (f.pass[i].n <= TOGETHER ? LANES : 1));
  }
  if (s == TH_OK) s = th_commit(c);
  for (int i = 0; i < f.count && s == TH_OK; i++) {
    const stage from = i ? at[i - 1] : (stage){ (th_tensor *)(uintptr_t)x, f.from_complex };
    passes[i].load = loader(from.t->dtype);
    passes[i].store = storer(at[i].t->dtype);
    s = run_pass(&f, &f.pass[i], &from, &at[i], &passes[i]);
  }
  for (int i = 0; i < f.count; i++) {
    th_slots_free(&passes[i].slots);
    th_fft_plan_put(passes[i].plan);
    th_tensor_release(&own[i]);
  }
  th_scratch_free(passes);
  return s;
}

static th_status run(const th_call *c) { return fft(c, c->arg[1].t); }
static th_status run_grad(const th_call *c) { return fft(c, c->arg[2].t); }

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

/* Places [first, last) of line l of those side by side, which begins at x. */
TH_INLINE void K(gather_some)(const pass *p, double *to, int lanes, int l, const T *x, int64_t first, int64_t last)
{
  const int64_t step = p->from.step, pair = p->from.pair;
  if (p->from.form == COMPLEX) {
    for (int64_t i = first; i < last; i++) {
      to[2 * i * lanes + l] = (double)LOAD(x[i * step]);
      to[(2 * i + 1) * lanes + l] = (double)LOAD(x[i * step + pair]);
    }
  } else if (p->from.form == REAL) {
    for (int64_t i = first; i < last; i++) to[i * lanes + l] = (double)LOAD(x[i * step]);
  } else {
    for (int64_t i = first; i < last; i++) {
      const double inner = i == 0 || 2 * i == p->n ? 1 : p->inner;
      to[(i ? 2 * i - 1 : 0) * lanes + l] = inner * (double)LOAD(x[i * step]);
      if (i > 0 && 2 * i < p->n) to[2 * i * lanes + l] = inner * (double)LOAD(x[i * step + pair]);
    }
  }
}
TH_INLINE void K(scatter_some)(const pass *p, const double *from, int lanes, int l, T *y, int64_t first, int64_t last)
{
  const int64_t step = p->to.step, pair = p->to.pair;
  const double scale = p->scale;
  if (p->to.form == COMPLEX) {
    for (int64_t i = first; i < last; i++) {
      y[i * step] = STORE((C)(scale * from[2 * i * lanes + l]));
      y[i * step + pair] = STORE((C)(scale * from[(2 * i + 1) * lanes + l]));
    }
  } else if (p->to.form == REAL) {
    for (int64_t i = first; i < last; i++) y[i * step] = STORE((C)(scale * from[i * lanes + l]));
  } else {
    for (int64_t i = first; i < last; i++) {
      const double inner = scale * (i == 0 || 2 * i == p->n ? 1 : p->inner);
      y[i * step] = STORE((C)(inner * from[(i ? 2 * i - 1 : 0) * lanes + l]));
      y[i * step + pair] = i > 0 && 2 * i < p->n ? STORE((C)(inner * from[2 * i * lanes + l])) : STORE(0);
    }
  }
}

/* The part of LANES lines that is packed in memory; returns how many numbers were moved. */
static int64_t K(gather_packed)(const pass *p, double *to, const int64_t (*off)[TH_WALKOPS])
{
#if IS_HALF
  (void)p, (void)to, (void)off;
  return 0;
#else
  int64_t skipped, n = packed(p, &p->from, &skipped), i = 0;
  typedef T vector __attribute__((vector_size(LANES * sizeof(T))));
  to += skipped * LANES;
  for (; i + LANES <= n; i += LANES) {
    vdouble v[LANES];
    for (int l = 0; l < LANES; l++) {
      vector row;
      memcpy(&row, (const T *)p->from.data + off[l][0] + 2 * skipped + i, sizeof row);
      v[l] = __builtin_convertvector(row, vdouble);
    }
    turn(v);
    memcpy(to + i * LANES, v, sizeof v);
  }
  return i;
#endif
}
static int64_t K(scatter_packed)(const pass *p, const double *from, const int64_t (*off)[TH_WALKOPS])
{
#if IS_HALF
  (void)p, (void)from, (void)off;
  return 0;
#else
  int64_t skipped, n = packed(p, &p->to, &skipped), i = 0;
  typedef T vector __attribute__((vector_size(LANES * sizeof(T))));
  from += skipped * LANES;
  for (; i + LANES <= n; i += LANES) {
    vdouble v[LANES];
    memcpy(v, from + i * LANES, sizeof v);
    turn(v);
    for (int l = 0; l < LANES; l++) {
      const vector row = __builtin_convertvector(v[l] * p->scale, vector);
      memcpy((T *)p->to.data + off[l][1] + 2 * skipped + i, &row, sizeof row);
    }
  }
  return i;
#endif
}

/* Places [first, last) of all lines. */
TH_INLINE void K(gather_places)(const pass *p, double *to, int lanes, int used, const int64_t (*off)[TH_WALKOPS],
                                int64_t first, int64_t last)
{
  for (int64_t i = first; i < last; i += AT_ONCE) {
    const int64_t end = th_min(last, i + AT_ONCE);
    for (int l = 0; l < used; l++) K(gather_some)(p, to, lanes, l, (const T *)p->from.data + off[l][0], i, end);
  }
}
TH_INLINE void K(scatter_places)(const pass *p, const double *from, int lanes, int used, const int64_t (*off)[TH_WALKOPS],
                                 int64_t first, int64_t last)
{
  for (int64_t i = first; i < last; i += AT_ONCE) {
    const int64_t end = th_min(last, i + AT_ONCE);
    for (int l = 0; l < used; l++) K(scatter_some)(p, from, lanes, l, (T *)p->to.data + off[l][1], i, end);
  }
}

static void K(gather)(const pass *p, double *to, int lanes, int used, const int64_t (*off)[TH_WALKOPS])
{
  const int64_t n = p->from.count, each = p->from.form == REAL ? 1 : 2;
  const int64_t had = p->from.form == SPECTRUM ? th_max(0, 2 * n - 1) : each * n;
  if (used < lanes) memset(to, 0, sizeof *to * (size_t)(lanes * p->lane));
  else if (had < p->lane) memset(to + had * lanes, 0, sizeof *to * (size_t)(lanes * (p->lane - had)));
  if (lanes == 1) {
    K(gather_places)(p, to, 1, 1, off, 0, n);
  } else if (used < LANES) {
    K(gather_places)(p, to, LANES, used, off, 0, n);
  } else {
    const int64_t moved = K(gather_packed)(p, to, off) / each, begin = p->from.form == SPECTRUM && moved > 0;
    K(gather_places)(p, to, LANES, LANES, off, 0, begin);
    K(gather_places)(p, to, LANES, LANES, off, begin + moved, n);
  }
}
static void K(scatter)(const pass *p, const double *from, int lanes, int used, const int64_t (*off)[TH_WALKOPS])
{
  const int64_t n = th_min(p->to.count, places(p->to.form, p->n)), step = p->to.step, each = p->to.form == REAL ? 1 : 2;
  if (lanes == 1) {
    K(scatter_places)(p, from, 1, 1, off, 0, n);
  } else if (used < LANES) {
    K(scatter_places)(p, from, LANES, used, off, 0, n);
  } else {
    const int64_t moved = K(scatter_packed)(p, from, off) / each, begin = p->to.form == SPECTRUM && moved > 0;
    K(scatter_places)(p, from, LANES, LANES, off, 0, begin);
    K(scatter_places)(p, from, LANES, LANES, off, begin + moved, n);
  }
  for (int l = 0; l < used && n < p->to.count; l++) {
    T *y = (T *)p->to.data + off[l][1];
    for (int64_t i = n; i < p->to.count; i++) {
      y[i * step] = STORE(0);
      if (p->to.form != REAL) y[i * step + p->to.pair] = STORE(0);
    }
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
    t[i] = without_pair(x, true);
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
