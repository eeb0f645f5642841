/* pass.h - transforms in which every lane of the vectors has another line. Read once per computing type after
 * butterflies.h. */
typedef P M(loose) __attribute__((vector_size(TH_VB), aligned(sizeof(P)), may_alias));
enum { M(V) = TH_VB / (int)sizeof(P), M(CHUNK) = 64 / (int)sizeof(P), M(PAIR) = 2 * M(V) };

/* Where a line's numbers lie, each with a vector of the other lanes' beside it: `step` from one to the next, counted in P.
 * SPLIT: a vector of real parts, and `im` from there one of imaginary parts. PAIRS: the lanes' pairs, one after the other.
 * SWAPPED: these with imaginary parts first. The transform of swapped numbers is the inverse, swapped. PAIRS_PAST, SWAPPED_PAST:
 * the same, written past the caches, to whole vectors. */
typedef struct M(rows) { P *at; int64_t step, im; int form; } M(rows);

/* What is done to the results of a transform: nothing, a factor, a turn by roots of unity: number k is turned by the cosines
 * at turns + k step and the sines a chunk behind, by those of its lane or all lanes by the first. */
typedef struct M(after) { int how; P factor; const P *turns; int64_t step, next; } M(after);

/* Several transforms: from one to the next in each of the rows, and `next` above in the turns. */
typedef struct M(many) { int64_t count, x, y; } M(many);

#define TH_PLACE_EVEN(n, j)   (2 * (j))
#define TH_PLACE_ODD(n, j)    (2 * (j) + 1)
#define TH_PLACE_FRONT(n, j)  ((j) / 2 + (j) % 2 * (n))
#define TH_PLACE_BACK(n, j)   ((n) / 2 + (j) / 2 + (j) % 2 * (n))
#define TH_PLACE_EVEN_TURNED(n, j)  (2 * ((n) - 1 - (j)))
#define TH_PLACE_ODD_TURNED(n, j)   (2 * ((n) - 1 - (j)) + 1)
#define TH_PLACE_FRONT_TURNED(n, j) ((n) - 1 - (j) / 2 + (j) % 2 * (n))
#define TH_PLACE_BACK_TURNED(n, j)  ((n) / 2 - 1 - (j) / 2 + (j) % 2 * (n))
#define TH_PLACE_LOW1(n, j)   ((j) & 1 ? (n) + (j) - 1 : (j))
#define TH_PLACE_HIGH1(n, j)  ((j) & 1 ? (n) + (j) : (j) + 1)
#define TH_PLACE_LOW2(n, j)   ((j) & 2 ? (n) + (j) - 2 : (j))
#define TH_PLACE_HIGH2(n, j)  ((j) & 2 ? (n) + (j) : ((j) + 2) % (2 * (n)))
#define TH_PLACE_LOW4(n, j)   ((j) & 4 ? (n) + (j) - 4 : (j))
#define TH_PLACE_HIGH4(n, j)  ((j) & 4 ? (n) + (j) : ((j) + 4) % (2 * (n)))
#define TH_PLACES2(f, n, j)   f(n, j), f(n, (j) + 1)
#define TH_PLACES4(f, n, j)   TH_PLACES2(f, n, j), TH_PLACES2(f, n, (j) + 2)
#define TH_PLACES8(f, n, j)   TH_PLACES4(f, n, j), TH_PLACES4(f, n, (j) + 4)
#define TH_PLACES16(f, n, j)  TH_PLACES8(f, n, j), TH_PLACES8(f, n, (j) + 8)
#if TH_VB == 64
#define TH_ALL_PLACES_f32(f) TH_PLACES16(f, 16, 0)
#define TH_ALL_PLACES_f64(f) TH_PLACES8(f, 8, 0)
#elif TH_VB == 32
#define TH_ALL_PLACES_f32(f) TH_PLACES8(f, 8, 0)
#define TH_ALL_PLACES_f64(f) TH_PLACES4(f, 4, 0)
#else
#define TH_ALL_PLACES_f32(f) TH_PLACES4(f, 4, 0)
#define TH_ALL_PLACES_f64(f) TH_PLACES2(f, 2, 0)
#endif
#define TH_SHUFFLE(a, b, f) __builtin_shufflevector(a, b, M(TH_ALL_PLACES)(f))

TH_INLINE M(cx) M(from_pairs)(M(vec) a, M(vec) b)
{
  return (M(cx)){ TH_SHUFFLE(a, b, TH_PLACE_EVEN), TH_SHUFFLE(a, b, TH_PLACE_ODD) };
}
TH_INLINE M(cx) M(take)(const P *at, int64_t im, int form)
{
  if (form == SPLIT) return (M(cx)){ *(const M(loose) *)at, *(const M(loose) *)(at + im) };
  const M(cx) v = M(from_pairs)(*(const M(loose) *)at, *(const M(loose) *)(at + M(V)));
  return form == PAIRS ? v : (M(cx)){ v.im, v.re };
}
TH_INLINE void M(give)(P *at, int64_t im, int form, M(cx) v)
{
  if (form == SPLIT) {
    *(M(loose) *)at = v.re, *(M(loose) *)(at + im) = v.im;
    return;
  }
  if (form == SWAPPED || form == SWAPPED_PAST) v = (M(cx)){ v.im, v.re };
  const M(vec) front = TH_SHUFFLE(v.re, v.im, TH_PLACE_FRONT), back = TH_SHUFFLE(v.re, v.im, TH_PLACE_BACK);
  if (form >= PAIRS_PAST) TH_STREAM((M(vec) *)at, front), TH_STREAM((M(vec) *)at + 1, back);
  else *(M(loose) *)at = front, *(M(loose) *)(at + M(V)) = back;
}

/* The same of pairs in the opposite order: the last one is in the first lane. */
TH_INLINE M(cx) M(take_turned)(const P *at)
{
  const M(vec) a = *(const M(loose) *)at, b = *(const M(loose) *)(at + M(V));
  return (M(cx)){ TH_SHUFFLE(a, b, TH_PLACE_EVEN_TURNED), TH_SHUFFLE(a, b, TH_PLACE_ODD_TURNED) };
}
TH_INLINE void M(give_turned)(P *at, M(cx) v)
{
  *(M(loose) *)at = TH_SHUFFLE(v.re, v.im, TH_PLACE_FRONT_TURNED);
  *(M(loose) *)(at + M(V)) = TH_SHUFFLE(v.re, v.im, TH_PLACE_BACK_TURNED);
}

/* to = (re + i im) (c - i s) */
TH_INLINE M(cx) M(turned_by)(M(cx) v, M(vec) c, M(vec) s)
{
  return (M(cx)){ M_FMA(v.im, s, v.re * c), M(TH_FNMA)(v.re, s, v.im * c) };
}
TH_INLINE M(cx) M(turned_at)(const int how, const P *at, M(cx) v)
{
  const M(vec) none = { 0 };
  if (how == TURN_ALL) return M(turned_by)(v, at[0] - none, at[M(CHUNK)] - none);
  return M(turned_by)(v, *(const M(loose) *)at, *(const M(loose) *)(at + M(CHUNK)));
}
TH_INLINE M(cx) M(finished)(const M(after) *t, int64_t b, int64_t k, M(cx) v)
{
  if (t->how == SCALE) return (M(cx)){ v.re * t->factor, v.im * t->factor };
  return M(turned_at)(t->how, t->turns + b * t->next + k * t->step, v);
}

#include "radix.h"

/* The vectors behind those of a row, which the next group of lanes has. */
TH_INLINE void M(fetch)(const P *at, const bool to_write)
{
  if (to_write) __builtin_prefetch(at, 1);
  else __builtin_prefetch(at);
  if (TH_VB < 64) return;
  if (to_write) __builtin_prefetch(at + M(V), 1);
  else __builtin_prefetch(at + M(V));
}

/* One pass over s transforms of m radix numbers, which lie interleaved; the parts go where they are radix s transforms of m.
 * w: the roots of unity. t: what is done to the results; it is set in the last pass only, where m is 1. */
TH_INLINE void M(some)(const int radix, const M(rows) *x, const M(rows) *y, const M(many) *all, int64_t m, int64_t s,
                       const P *roots, const M(after) *t)
{
  const int64_t across = m * s * x->step, apart = s * y->step, xi = x->im, yi = y->im;
  const int xf = x->form, yf = y->form;
  const bool far_from = xf != SPLIT && x->step >= FAR, far_to = (yf == PAIRS || yf == SWAPPED) && y->step >= FAR;
  for (int64_t i = 0; i < all->count; i++) {
    const P *from = x->at + i * all->x, *w = roots;
    P *to = y->at + i * all->y;
    for (int64_t p = 0; p < m; p++) {
      for (int64_t q = 0; q < s; q++, from += x->step, to += y->step) {
        M(cx) v[16], kept[16];
        const M(source) in = { from, across, xi };
        const P *turns = t ? t->turns + i * t->next + q * t->step : NULL;
        const M(sink) out = { kept, to, apart, yi, w, turns, t ? s * t->step : 0 };
        if (far_from) {
#pragma GCC unroll 16
          for (int k = 0; k < radix; k++) M(fetch)(from + k * across + M(PAIR), false);
        }
        if (xf == SPLIT) {
          M(first_step)(radix, true, &in, v);
        } else {
          if (xf == PAIRS) {
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) v[k] = M(take)(from + k * across, 0, PAIRS);
          } else {
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) v[k] = M(take)(from + k * across, 0, SWAPPED);
          }
          M(first_step)(radix, false, &in, v);
        }
        if (far_to) {
#pragma GCC unroll 16
          for (int k = 0; k < radix; k++) M(fetch)(to + k * apart + M(PAIR), true);
        }
        if (p > 0) {
          M(second_step)(radix, v, TURN_ROOTS, &out);
        } else if (yf == SPLIT && !t) {
          M(second_step)(radix, v, NOTHING, &out);
        } else if (yf == SPLIT && t->how == TURN_LANES) {
          M(second_step)(radix, v, TURN_LANES, &out);
        } else if (yf == SPLIT && t->how == TURN_ALL) {
          M(second_step)(radix, v, TURN_ALL, &out);
        } else {
          M(second_step)(radix, v, KEPT, &out);
          if (t) {
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) kept[k] = M(finished)(t, i, q + k * s, kept[k]);
          }
          if (yf == SPLIT) {
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) M(give)(to + k * apart, yi, SPLIT, kept[k]);
          } else if (yf == PAIRS) {
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) M(give)(to + k * apart, 0, PAIRS, kept[k]);
          } else if (yf == SWAPPED) {
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) M(give)(to + k * apart, 0, SWAPPED, kept[k]);
          } else if (yf == PAIRS_PAST) {
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) M(give)(to + k * apart, 0, PAIRS_PAST, kept[k]);
          } else {
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) M(give)(to + k * apart, 0, SWAPPED_PAST, kept[k]);
          }
        }
      }
      to += (radix - 1) * apart;
      if (p > 0) w += 2 * (radix - 1);
    }
  }
}

#define PASS_OF(radix) static __attribute__((noinline)) void M(pass##radix)(const M(rows) *x, const M(rows) *y, \
    const M(many) *all, int64_t m, int64_t s, const P *w, const M(after) *t) { M(some)(radix, x, y, all, m, s, w, t); }
PASS_OF(2) PASS_OF(3) PASS_OF(4) PASS_OF(5) PASS_OF(6) PASS_OF(7) PASS_OF(8)
PASS_OF(9) PASS_OF(10) PASS_OF(11) PASS_OF(12) PASS_OF(13) PASS_OF(15) PASS_OF(16)
#undef PASS_OF

/* Computes results a to a + 3, in the order of the waves, of a transform of odd size n, and
 * those of n minus their numbers. `sum` and `dif` are the sums and differences of the inputs k
 * and n - k, in the same order. real: the inputs are real, and v takes the results up to n / 2. */
TH_INLINE void M(some_sums)(int a, int n, const M(cx) *first, const M(cx) *sum, const M(cx) *dif,
                            const th_fft_wave *wave,
                            const bool real, M(cx) *v)
{
  enum { COUNT = 4 };
  const P *cosines = (const P *)wave->cosines + a, *sines = (const P *)wave->sines + a;
  const M(vec) none = { 0 };
  M(cx) even[COUNT], turn[COUNT];
  for (int i = 0; i < COUNT; i++) even[i] = *first, turn[i] = (M(cx)){ none, none };
  for (int part = 0; part < n / 2; part += SUM_PART) {
    M(cx) c_sum[COUNT] = { { none, none } }, s_sum[COUNT] = { { none, none } };
    const int end = part + SUM_PART < n / 2 ? part + SUM_PART : n / 2;
    for (int k = part; k < end; k++) {
#pragma GCC unroll 4
      for (int i = 0; i < COUNT; i++) {
        const M(vec) c = cosines[k + i] - none, s = sines[k + i] - none;
        c_sum[i].re = M_FMA(c, sum[k].re, c_sum[i].re), s_sum[i].re = M_FMA(s, dif[k].re, s_sum[i].re);
        if (!real) c_sum[i].im = M_FMA(c, sum[k].im, c_sum[i].im), s_sum[i].im = M_FMA(s, dif[k].im, s_sum[i].im);
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < COUNT; i++) {
      even[i].re += c_sum[i].re, even[i].im += c_sum[i].im;
      turn[i].re += s_sum[i].re, turn[i].im += s_sum[i].im;
    }
  }
  for (int i = 0; i < COUNT && a + i < n / 2; i++) {
    const int k = wave->order[a + i];
    const M(cx) low = { even[i].re + turn[i].im, even[i].im - turn[i].re };
    if (real) {
      v[k > n / 2 ? n - k : k] = (M(cx)){ low.re, k > n / 2 ? -low.im : low.im };
      continue;
    }
    v[k] = low;
    v[n - k] = (M(cx)){ even[i].re - turn[i].im, even[i].im + turn[i].re };
  }
}
/* Number 0 adds up every fourth sum by itself. */
TH_INLINE void M(sums)(int n, const M(cx) *first, const M(cx) *sum, const M(cx) *dif,
                       const th_fft_wave *wave,
                       const bool real, M(cx) *v)
{
  const M(vec) none = { 0 };
  M(cx) all[4] = { { none, none }, { none, none }, { none, none }, { none, none } };
  for (int k = 0; k < n / 2; k++) all[k % 4].re += sum[k].re, all[k % 4].im += sum[k].im;
  v[0].re = first->re + ((all[0].re + all[1].re) + (all[2].re + all[3].re));
  v[0].im = first->im + ((all[0].im + all[1].im) + (all[2].im + all[3].im));
  for (int a = 0; a < n / 2; a += 4) M(some_sums)(a, n, first, sum, dif, wave, real, v);
}
TH_INLINE void M(add_and_subtract)(int n, const int32_t *order, const P *from, int64_t step,
                                   int64_t im, int form, M(cx) *sum,
                                   M(cx) *dif)
{
  for (int q = 0; q < n / 2; q++) {
    const int k = order[q];
    const M(cx) one = M(take)(from + k * step, im, form), two = M(take)(from + (n - k) * step, im, form);
    sum[q] = (M(cx)){ one.re + two.re, one.im + two.im };
    dif[q] = (M(cx)){ one.re - two.re, one.im - two.im };
  }
}

/* A pass of any odd radix. */
static __attribute__((noinline)) void M(pass_odd)(int radix, const M(rows) *x, const M(rows) *y, const M(many) *all,
                                                  int64_t m, int64_t s, const P *roots,
                                                      const th_fft_wave *wave, const M(after) *t)
{
  const int64_t across = m * s * x->step, apart = s * y->step;
  for (int64_t i = 0; i < all->count; i++) {
    const P *from = x->at + i * all->x, *w = roots;
    P *to = y->at + i * all->y;
    for (int64_t p = 0; p < m; p++) {
      for (int64_t q = 0; q < s; q++, from += x->step, to += y->step) {
        M(cx) sum[TH_FFT_SUMMED / 2], dif[TH_FFT_SUMMED / 2], v[TH_FFT_SUMMED];
        const M(cx) first = M(take)(from, x->im, x->form);
        M(add_and_subtract)(radix, wave->order, from, across, x->im, x->form, sum, dif);
        M(sums)(radix, &first, sum, dif, wave, false, v);
        for (int k = 0; k < radix; k++) {
          if (p > 0 && k > 0) M(turned)(v + k, v[k].re, v[k].im, w[2 * k - 2], w[2 * k - 1]);
          else if (t) v[k] = M(finished)(t, i, q + k * s, v[k]);
          M(give)(to + k * apart, y->im, y->form, v[k]);
        }
      }
      to += (radix - 1) * apart;
      if (p > 0) w += 2 * (radix - 1);
    }
  }
}

/* Lines of a prime size. */
static __attribute__((noinline)) void M(sum_across)(const th_fft_node *d, const M(rows) *x, const M(rows) *y, const M(after) *t)
{
  enum { N = TH_FFT_SUMMED };
  const int n = (int)d->n;
  M(cx) sum[N / 2], dif[N / 2], v[N];
  const M(cx) first = M(take)(x->at, x->im, x->form);
  M(add_and_subtract)(n, d->wave[0]->order, x->at, x->step, x->im, x->form, sum, dif);
  M(sums)(n, &first, sum, dif, d->wave[0], false, v);
  for (int k = 0; k < n; k++) {
    if (t->how != NOTHING) v[k] = M(finished)(t, 0, k, v[k]);
    M(give)(y->at + k * y->step, y->im, y->form, v[k]);
  }
}

/* Rows of real numbers lie as the parts of rows of pairs do: the parts are numbers 2 k and 2 k + 1. */
TH_INLINE M(vec) M(take_real)(const M(rows) *x, int64_t k) { return *(const M(loose) *)(x->at + k * x->im); }
TH_INLINE void M(give_real)(const M(rows) *y, int64_t k, M(vec) v) { *(M(loose) *)(y->at + k * y->im) = v; }

/* The same of real lines, to half of their spectra. inner: a factor of all but the first result. */
static __attribute__((noinline)) void M(sum_real)(const th_fft_node *d, const M(rows) *x, const M(rows) *y, P factor, P inner)
{
  enum { N = TH_FFT_SUMMED };
  const int n = (int)d->n;
  const M(vec) none = { 0 };
  M(cx) sum[N / 2], dif[N / 2], v[N];
  const M(cx) first = { M(take_real)(x, 0), none };
  for (int q = 0; q < n / 2; q++) {
    const int k = d->wave[0]->order[q];
    const M(vec) one = M(take_real)(x, k), two = M(take_real)(x, n - k);
    sum[q] = (M(cx)){ one + two, none };
    dif[q] = (M(cx)){ one - two, none };
  }
  M(sums)(n, &first, sum, dif, d->wave[0], true, v);
  M(give)(y->at, y->im, y->form, (M(cx)){ v[0].re * factor, none });
  for (int k = 1; k <= n / 2; k++) {
    M(give)(y->at + k * y->step, y->im, y->form, (M(cx)){ v[k].re * (factor * inner), v[k].im * (factor * inner) });
  }
}

/* Half of the spectra x, to real lines. inner: a factor of all but the first number. */
static __attribute__((noinline)) void M(sum_whole)(const th_fft_node *d, const M(rows) *x, const M(rows) *y, P factor, P inner)
{
  enum { N = TH_FFT_SUMMED };
  const int n = (int)d->n;
  const M(vec) none = { 0 };
  M(cx) sum[N / 2], dif[N / 2], v[N];
  const M(cx) first = { M(take)(x->at, x->im, x->form).re, none };
  for (int q = 0; q < n / 2; q++) {
    const int k = d->wave[0]->order[q];
    const M(cx) one = M(take)(x->at + (k > n / 2 ? n - k : k) * x->step, x->im, x->form);
    sum[q] = (M(cx)){ one.re * (2 * inner), none };
    dif[q] = (M(cx)){ k > n / 2 ? one.im * (-2 * inner) : one.im * (2 * inner), none };
  }
  M(sums)(n, &first, sum, dif, d->wave[0], true, v);
  M(give_real)(y, 0, v[0].re * factor);
  for (int k = 1; k <= n / 2; k++) {
    M(give_real)(y, k, (v[k].re + v[k].im) * factor);
    M(give_real)(y, n - k, (v[k].re - v[k].im) * factor);
  }
}
