/* fft_roots.c - roots of unity, right to the last bit. Vectors multiply the roots of two short
 * tables, in numbers of two parts that have twice the digits of double. A product too near to
 * the middle of two results is computed by its series. */
#include <pthread.h>
#include "gemm.h"
#include "fft_roots.h"
#include "../core/core.h"

/* ---- numbers in two parts, of which the first is the number rounded to double ---- */

typedef struct pair { double high, low; } pair;

static pair sum_of(double a, double b)
{
  const double s = a + b, t = s - a;
  return (pair){ s, (a - (s - t)) + (b - t) };
}
static pair plus(pair a, pair b)
{
  const pair s = sum_of(a.high, b.high);
  return sum_of(s.high, s.low + a.low + b.low);
}
static pair times(pair a, pair b)
{
  const double p = a.high * b.high;
  return sum_of(p, fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
}
static pair quotient(double a, double b)
{
  const double q = a / b;
  return sum_of(q, fma(-q, b, a) / b);
}

enum {
  TERMS = 24,                       /* of a series */
  STEPS = 128                       /* of a turn, at which roots are known */
};
static const pair turn = { 6.283185307179586, 2.4492935982947064e-16 };
static struct {
  pair series[TERMS];               /* number k: -1 / ((k - 1) k) */
  pair cosine[STEPS / 2 + 1], sine[STEPS / 2 + 1];    /* of i / STEPS of a turn */
  pair over3, over4, over5;         /* -1 / 3!, 1 / 4!, 1 / 5! */
} constant;

/* cos or sin of 2 pi u / (8 n), 0 <= u <= n, by its series. */
static pair series_of(int64_t u, int64_t n, bool sine)
{
  const pair x = times(turn, quotient((double)u, 8 * (double)n)), square = times(x, x);
  pair term = sine ? x : (pair){ 1, 0 }, sum = term;
  if (u == 0) return sine ? (pair){ 0, 0 } : term;
  for (int k = sine ? 3 : 2; k < TERMS; k += 2) {
    term = times(term, times(square, constant.series[k]));
    sum = plus(sum, term);
  }
  return sum;
}

/* cos and sin of 2 pi e / n, from angles of an eighth of a turn at most. */
static void exact(int64_t e, int64_t n, double *cosine, double *sine)
{
  int64_t u = 8 * e;
  const bool below = u > 4 * n;
  if (below) u = 8 * n - u;
  const bool left = u > 2 * n;
  if (left) u = 4 * n - u;
  const bool steep = u > n;
  if (steep) u = 2 * n - u;
  const double c = series_of(u, n, steep).high, s = series_of(u, n, !steep).high;
  *cosine = left ? -c : c;
  *sine = below ? -s : s;
}

/* cos and sin of 2 pi / n, n >= 3, with an error of 2^-97: from the nearest of a few angles. */
static void first_root(int64_t n, pair *cosine, pair *sine)
{
  const int64_t i = n > 2 * STEPS ? 0 : (STEPS + n / 2) / n;
  const pair x = times(turn, quotient((double)(STEPS - i * n), (double)(STEPS * n))),
             z = times(x, x);
  const double more = z.high;
  const double s5 = more * (-1 / 5040.0 + more * (1 / 362880.0 - more * (1 / 39916800.0)));
  const double c8 = 1 / 40320.0 - more * (1 / 3628800.0 - more / 479001600.0);
  const double c6 = more * (-1 / 720.0 + more * c8);
  const pair s = plus(x,
                      times(x,
                            times(z,
                                  plus(constant.over3,
                                       times(z, plus(constant.over5, (pair){ s5, 0 }))))));
  const pair c = plus((pair){ 1, 0 },
                      times(z,
                            plus((pair){ -0.5, 0 },
                                 times(z, plus(constant.over4, (pair){ c6, 0 })))));
  *cosine = c;
  *sine = s;
  if (i == 0) return;
  const pair a = constant.cosine[i], b = constant.sine[i], minus = { -b.high, -b.low };
  *cosine = plus(times(a, c), times(minus, s));
  *sine = plus(times(b, c), times(a, s));
}

static void fill_constants(void)
{
  for (int k = 2; k < TERMS; k++) constant.series[k] = quotient(-1, (double)((k - 1) * k));
  for (int i = 0; i <= STEPS / 8; i++) {
    constant.cosine[i] = series_of(i, STEPS / 8, false);
    constant.sine[i] = series_of(i, STEPS / 8, true);
  }
  for (int i = STEPS / 8 + 1; i <= STEPS / 4; i++) {
    constant.cosine[i] = constant.sine[STEPS / 4 - i];
    constant.sine[i] = constant.cosine[STEPS / 4 - i];
  }
  for (int i = STEPS / 4 + 1; i <= STEPS / 2; i++) {
    const pair c = constant.cosine[STEPS / 2 - i];
    constant.cosine[i] = (pair){ -c.high, -c.low };
    constant.sine[i] = constant.sine[STEPS / 2 - i];
  }
  constant.over3 = quotient(-1, 6);
  constant.over4 = quotient(1, 24);
  constant.over5 = quotient(1, 120);
}

/* ---- the same in vectors ---- */

typedef double wide __attribute__((vector_size(TH_VB), aligned(8), may_alias));
enum { LANES = TH_VB / 8 };
typedef struct two { wide high, low; } two;
typedef struct root { two c, s; } root;

/* a b - p, without an error, where p is a b rounded. */
TH_INLINE wide error_of(wide a, wide b, wide p)
{
#if TH_VB >= 32
  return TH_FMA_F64(a, b, -p);
#else
  const double cut = 134217729;
  const wide at = a * cut, bt = b * cut, ah = at - (at - a), bh = bt - (bt - b), al = a - ah,
             bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
}
/* a b + c d; the first part of the result is not rounded to the last bit. */
TH_INLINE two products(two a, two b, two c, two d)
{
  const wide p = a.high * b.high, q = c.high * d.high, s = p + q, t = s - p;
  const wide error = (p - (s - t)) + (q - t);
  const wide parts = error_of(a.high, b.high, p) + error_of(c.high, d.high, q);
  const wide cross = TH_FMA_F64(a.high, b.low, a.low * b.high) + TH_FMA_F64(c.high, d.low,
                                                                            c.low * d.high);
  return (two){ s, error + (parts + cross) };
}
TH_INLINE two rounded(two a)
{
  const wide s = a.high + a.low;
  return (two){ s, a.low - (s - a.high) };
}
TH_INLINE root product(root a, root b)
{
  const two minus = { -b.s.high, -b.s.low };
  return (root){ products(a.c, b.c, a.s, minus), products(a.s, b.c, a.c, b.s) };
}
TH_INLINE root product_rounded(root a, root b)
{
  const root r = product(a, b);
  return (root){ rounded(r.c), rounded(r.s) };
}

/* Roots as four rows of numbers, `room` apart. */
typedef struct table { double *at; int64_t room; } table;

TH_INLINE root root_at(table t, int64_t i)
{
  const double *p = t.at + i;
  return (root){ { *(const wide *)p, *(const wide *)(p + t.room) },
                 { *(const wide *)(p + 2 * t.room), *(const wide *)(p + 3 * t.room) } };
}
TH_INLINE void put_root(table t, int64_t i, root r)
{
  double *p = t.at + i;
  *(wide *)p = r.c.high, *(wide *)(p + t.room) = r.c.low;
  *(wide *)(p + 2 * t.room) = r.s.high, *(wide *)(p + 3 * t.room) = r.s.low;
}
TH_INLINE two in_all_lanes(double high, double low)
{
  const wide none = { 0 };
  return (two){ high - none, low - none };
}

static int64_t room_of(int64_t count) { return (count + LANES - 1) / LANES * LANES + LANES; }

/* The powers 0 to count - 1 of w; w becomes the first power of two of it from there on. Each
 * step doubles the table: rounding errors are few. */
static void fill_powers(table t, int64_t count, root *w)
{
  const wide none = { 0 };
  put_root(t, 0, (root){ { none + 1, none }, { none, none } });
  for (int64_t k = 1; k < count; k *= 2) {
    for (int64_t i = 0; i < k && k + i < count; i += LANES) put_root(t, k + i,
                                                                     product_rounded(root_at(t, i),
                                                                                     *w));
    *w = product_rounded(*w, *w);
  }
}

/* x, in two parts, rounded to the digits of the result. */
TH_INLINE wide cut(const bool single, wide x)
{
  if (!single) return x;
  const wide t = x * 536870913.0;
  return t - (t - x);
}

enum {
  ROW = 1024,                       /* roots of the fine table at most */
  FEW = 1024                        /* numbers of tables that lie on the stack */
};
typedef struct row { double c[ROW + LANES], s[ROW + LANES], doubt[ROW + LANES]; } row;

/* The roots of a row of the fine table times one of the coarse table. Returns whether one is in
 * doubt: then its number in `doubt` is not 0. */
TH_INLINE bool fill_row(const bool single, table fine, root by, int64_t count, double most, row *to)
{
  const wide error = most - (wide){ 0 };
  wide all = { 0 };
  for (int64_t i = 0; i < count; i += LANES) {
    const root a = root_at(fine, i);
    wide c, s, c_less, s_less;
    if (single) {
      const wide x = TH_FMA_F64(a.c.high, by.c.high, -(a.s.high * by.s.high));
      const wide y = TH_FMA_F64(a.c.high, by.s.high, a.s.high * by.c.high);
      c = cut(true, x + error), c_less = cut(true, x - error);
      s = cut(true, y + error), s_less = cut(true, y - error);
    } else {
      const root r = product(a, by);
      c = r.c.high + (r.c.low + error), c_less = r.c.high + (r.c.low - error);
      s = r.s.high + (r.s.low + error), s_less = r.s.high + (r.s.low - error);
    }
    const wide doubt = (wide)((c != c_less) | (s != s_less));
    *(wide *)(to->c + i) = c;
    *(wide *)(to->s + i) = s;
    *(wide *)(to->doubt + i) = doubt;
    all = (wide)((__typeof__(c != c))all | (__typeof__(c != c))doubt);
  }
  int64_t any = 0;
  for (int l = 0; l < LANES; l++) any |= ((__typeof__(all != all))all)[l];
  return any != 0;
}

static void settle(row *r, int64_t from, int64_t count, int64_t n)
{
  for (int64_t i = 0; i < count; i++) {
    int64_t doubt;
    memcpy(&doubt, &r->doubt[i], sizeof doubt);
    if (doubt) exact(from + i, n, &r->c[i], &r->s[i]);
  }
}

static void give_row(int dtype, const row *r, int64_t count, void *to, int64_t from)
{
  if (dtype == TH_F64) {
    double *p = (double *)to + 2 * from;
    for (int64_t i = 0; i < count; i++) p[2 * i] = r->c[i], p[2 * i + 1] = r->s[i];
  } else {
    float *p = (float *)to + 2 * from;
    for (int64_t i = 0; i < count; i++) p[2 * i] = (float)r->c[i], p[2 * i + 1] = (float)r->s[i];
  }
}

bool TH_AT(th_fft_roots)(int dtype, int64_t n, int64_t count, void *to)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_constants);
  row r;
  if (STEPS % n == 0) {
    for (int64_t e = 0; e < count; e++) {
      r.c[e] = constant.cosine[e * (STEPS / n)].high;
      r.s[e] = constant.sine[e * (STEPS / n)].high;
    }
    give_row(dtype, &r, count, to, 0);
    return true;
  }
  int64_t wide_row = LANES;
  while (wide_row < ROW && wide_row * wide_row < count) wide_row *= 2;
  const int64_t rows = (count - 1) / wide_row + 1;
  const table fine = { NULL, room_of(wide_row) }, coarse = { NULL, room_of(rows) };
  double few[FEW], *memory = few;
  const int64_t numbers = 4 * (fine.room + coarse.room);
  if (numbers > FEW) memory = th_scratch(sizeof(double) * (size_t)numbers);
  if (!memory) return false;
  const table a = { memory, fine.room }, b = { memory + 4 * fine.room, coarse.room };
  memset(memory, 0, sizeof(double) * (size_t)numbers);
  pair cosine, sine;
  first_root(n, &cosine, &sine);
  root w = { in_all_lanes(cosine.high, cosine.low), in_all_lanes(sine.high, sine.low) };
  fill_powers(a, wide_row, &w);
  fill_powers(b, rows, &w);
  /* Bounds of the errors: of products of doubles, of the angles of the first root's powers and
   * of numbers in two parts. */
  const double most = dtype == TH_F64 ? 0x1p-100 * (64 + 4 * (double)n) : 0x1p-49;
  for (int64_t k = 0; k < rows; k++) {
    const int64_t from = k * wide_row, some = th_min(wide_row, count - from);
    const double *at = b.at + k;
    const root by = { in_all_lanes(at[0], at[b.room]),
                      in_all_lanes(at[2 * b.room], at[3 * b.room]) };
    const bool doubt = dtype == TH_F64 ? fill_row(false, a, by, some, most, &r)
                                       : fill_row(true, a, by, some, most, &r);
    if (doubt) settle(&r, from, some, n);
    give_row(dtype, &r, some, to, from);
  }
  if (memory != few) th_scratch_free(memory);
  return true;
}
