/* lanes.h - Fourier transforms of vectors: every lane computes another transform, so that no lane ever talks to
 * another. Read once per computing type after micro.h: P, M(f) and M_FMA as there. Sizes are powers of two from 4, or
 * three or five times such a power. */
enum { M(LV) = TH_VB / (int)sizeof(P) };

#include "../fft/butterflies.h"

/* Where complex vectors lie: `step` vectors from one real part to the next, `im` to the imaginary part; those that will be
 * read next lie `ahead` from there. `past`: they are written past the caches. */
typedef struct M(row) { M(vec) *re; int64_t im, step, ahead; bool past; } M(row);

TH_INLINE M(row) M(row_of)(M(cx) *x) { return (M(row)){ .re = &x->re, .im = 1, .step = 2 }; }
/* A transform of these gives the inverse of the others' transform, these way round, too. */
TH_INLINE M(row) M(swapped)(M(row) r) { return (M(row)){ r.re + r.im, -r.im, r.step, r.ahead, r.past }; }

/* One butterfly: its numbers lie `across` apart, and go `apart` apart, turned by powers of w. */
TH_INLINE void M(butterfly)(const int radix, const M(vec) *x, int64_t xi, int64_t across, int64_t ahead, M(vec) *y,
                            int64_t yi, int64_t apart, bool past, const P *w, int64_t step)
{
  M(cx) v[8];
  if (ahead) {
#pragma GCC unroll 8
    for (int k = 0; k < radix; k++) __builtin_prefetch(x + k * across + ahead), __builtin_prefetch(x + k * across + ahead + xi);
  }
#pragma GCC unroll 8
  for (int k = 0; k < radix; k++) v[k].re = x[k * across], v[k].im = x[k * across + xi];
  if (radix == 3) M(three)(v);
  if (radix == 4) M(four)(v, v + 1, v + 2, v + 3);
  if (radix == 5) M(five)(v);
  if (radix == 8) M(eight)(v);
#define FROM (radix < 8 ? k : k / 2 + k % 2 * 4)    /* of eight, the even ones come first */
  if (w) {
#pragma GCC unroll 8
    for (int k = 1; k < radix; k++)
      M(turned)(v + FROM, v[FROM].re, v[FROM].im, w[2 * k * step], w[2 * k * step + 1]);
  }
  if (past) {
#pragma GCC unroll 8
    for (int k = 0; k < radix; k++) TH_STREAM(y + k * apart, v[FROM].re), TH_STREAM(y + k * apart + yi, v[FROM].im);
    return;
  }
#pragma GCC unroll 8
  for (int k = 0; k < radix; k++) y[k * apart] = v[FROM].re, y[k * apart + yi] = v[FROM].im;
#undef FROM
}

/* One pass over s transforms of n points, which lie interleaved; the parts go where they are radix * s transforms of
 * n / radix. w: the roots of unity, `step` apart. */
TH_INLINE void M(pass)(const int radix, const M(row) *x, const M(row) *y, int64_t n, int64_t s, const P *w, int64_t step)
{
  const int64_t m = n / radix, xs = x->step, ys = y->step, xi = x->im, yi = y->im;
  const M(vec) *from = x->re;
  M(vec) *to = y->re;
  for (int64_t q = 0; q < s; q++)
    M(butterfly)(radix, from + q * xs, xi, s * m * xs, x->ahead, to + q * ys, yi, s * ys, y->past, NULL, 0);
  for (int64_t p = 1; p < m; p++) {
    from += s * xs, to += radix * s * ys;
    for (int64_t q = 0; q < s; q++)
      M(butterfly)(radix, from + q * xs, xi, s * m * xs, x->ahead, to + q * ys, yi, s * ys, false, w, p * step);
  }
}

/* The radix of the next pass over n points. */
TH_INLINE int M(radix_of)(int64_t n)
{
  if (n % 3 == 0) return 3;
  if (n % 5 == 0) return 5;
  return __builtin_ctzll((unsigned long long)n) % 3 == 0 ? 8 : 4;
}

/* Transforms in up to three passes, of a size that is known where this is inlined. */
TH_INLINE void M(short_one)(const int64_t n, const M(row) *from, const M(row) *to, M(cx) *x, M(cx) *y, const P *w,
                            int64_t step)
{
  const int a = M(radix_of)(n), b = n > a ? M(radix_of)(n / a) : 1, c = (int)n / a / b;
  const M(row) one = M(row_of)(x), two = M(row_of)(y);
  M(pass)(a, from, b > 1 ? &one : to, n, 1, w, step);
  if (b > 1) M(pass)(b, &one, c > 1 ? &two : to, n / a, a, w, step * a);
  if (c > 1) M(pass)(c, &two, to, c, a * b, w, step * a * b);
}

#define PASS_OF(radix) static __attribute__((noinline)) void M(pass##radix)(const M(row) *x, const M(row) *y, int64_t n, \
    int64_t s, const P *w, int64_t step) { M(pass)(radix, x, y, n, s, w, step); }
PASS_OF(4) PASS_OF(8)
#undef PASS_OF
#define SHORT(n) static __attribute__((noinline)) void M(short##n)(const M(row) *from, const M(row) *to, M(cx) *x, M(cx) *y, \
    const P *w, int64_t step) { M(short_one)(n, from, to, x, y, w, step); }
SHORT(8) SHORT(12) SHORT(16) SHORT(20) SHORT(24) SHORT(32) SHORT(40) SHORT(48) SHORT(64) SHORT(80) SHORT(96) SHORT(128)
#undef SHORT

/* The transform of n numbers, with x and y as room; `from` may be y, `to` x. w: cos and sin of 2 pi j / (n step). Those of
 * lines are powers of two. */
static void M(fourier)(M(row) from, M(row) to, M(cx) *x, M(cx) *y, int64_t n, const P *w, int64_t step)
{
#define CASE(n) case n: M(short##n)(&from, &to, x, y, w, step); return
  switch (n) {
    CASE(8); CASE(12); CASE(16); CASE(20); CASE(24); CASE(32); CASE(40); CASE(48); CASE(64); CASE(80); CASE(96); CASE(128);
  }
#undef CASE
  for (int64_t s = 1; n > 1;) {
    const int radix = M(radix_of)(n);
    const M(row) next = n == radix ? to : M(row_of)(x);
    (radix == 8 ? M(pass8) : M(pass4))(&from, &next, n, s, w, step * s);
    M(cx) *const t = x;
    x = y, y = t, from = next, n /= radix, s *= radix;
  }
}

/* ---- numbers of pictures become lanes, and back ---- */

/* Blocks of 4 x 4 in a vector: which numbers of two vectors change places. */
#ifndef TH_BLOCKS
#define TH_BLOCKS
#define TH_LOW4(n, i)   i, n + i, i + 1, n + i + 1
#define TH_HIGH4(n, i)  i + 2, n + i + 2, i + 3, n + i + 3
#define TH_FIRST4(n, i) i, i + 1, n + i, n + i + 1
#define TH_LAST4(n, i)  i + 2, i + 3, n + i + 2, n + i + 3
#define TH_8(f)         f(8, 0), f(8, 4)
#define TH_16(f)        f(16, 0), f(16, 4), f(16, 8), f(16, 12)
#define TH_JOIN8(a, b)  __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define TH_JOIN16(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#if TH_VB == 64
#define TH_EACH_f32(f)              TH_16(f)
#define TH_EACH_f64(f)              TH_8(f)
#define TH_JOINED_f32(a, b, c, d)   TH_JOIN16(TH_JOIN8(a, b), TH_JOIN8(c, d))
#define TH_JOINED_f64(a, b, c, d)   TH_JOIN8(a, b)
#elif TH_VB == 32
#define TH_EACH_f32(f)              TH_8(f)
#define TH_EACH_f64(f)              f(4, 0)
#define TH_JOINED_f32(a, b, c, d)   TH_JOIN8(a, b)
#define TH_JOINED_f64(a, b, c, d)   (a)
#else
#define TH_EACH_f32(f)              f(4, 0)
#define TH_EACH_f64(f)              0, 2        /* two numbers are no block */
#define TH_JOINED_f32(a, b, c, d)   (a)
#define TH_JOINED_f64(a, b, c, d)   __builtin_shufflevector(a, a, 0, 1)
#endif
#endif

/* In every block of four vectors, columns become rows. */
TH_INLINE void M(turn_blocks)(M(vec) *v)
{
  const M(vec) ab = __builtin_shufflevector(v[0], v[1], M(TH_EACH)(TH_LOW4)),
               ab2 = __builtin_shufflevector(v[0], v[1], M(TH_EACH)(TH_HIGH4)),
               cd = __builtin_shufflevector(v[2], v[3], M(TH_EACH)(TH_LOW4)),
               cd2 = __builtin_shufflevector(v[2], v[3], M(TH_EACH)(TH_HIGH4));
  v[0] = __builtin_shufflevector(ab, cd, M(TH_EACH)(TH_FIRST4));
  v[1] = __builtin_shufflevector(ab, cd, M(TH_EACH)(TH_LAST4));
  v[2] = __builtin_shufflevector(ab2, cd2, M(TH_EACH)(TH_FIRST4));
  v[3] = __builtin_shufflevector(ab2, cd2, M(TH_EACH)(TH_LAST4));
}

/* Four numbers of each lane: vector i of the result is number i. Lanes lie ls apart. */
TH_INLINE void M(take4)(M(vec) *v, const P *from, int64_t ls, int64_t lanes)
{
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    M(quad) q[4] = { { 0 } };
#pragma GCC unroll 4
    for (int k = 0; k < M(LV) / 4; k++) if (i + 4 * k < lanes) q[k] = *(const M(quad) *)(from + (i + 4 * k) * ls);
    v[i] = (M(vec))M(TH_JOINED)(q[0], q[1], q[2], q[3]);
  }
  M(turn_blocks)(v);
}

/* n numbers of each lane into every step-th vector from `to`: the j-th of lane l lies at from[l ls + j xs]. Lanes from
 * `lanes` on become 0. */
static void M(take)(M(vec) *to, int64_t step, const P *from, int64_t ls, int64_t xs, int64_t n, int64_t lanes)
{
  if (ls == 1 && lanes == M(LV)) {
    for (int64_t j = 0; j < n; j++) memcpy(to + j * step, from + j * xs, sizeof *to);
    return;
  }
  if (xs == -1) from -= n - 1, to += (n - 1) * step, xs = 1, step = -step;
  if (xs == 1 && n >= 4 && M(LV) >= 4) {
    for (int64_t j = 0; j < n; j += 4) {
      const int64_t k = j + 4 <= n ? j : n - 4;     /* the last four, some of them again */
      M(vec) v[4];
      if (lanes == M(LV)) M(take4)(v, from + k, ls, M(LV));
      else M(take4)(v, from + k, ls, lanes);
      for (int i = 0; i < 4; i++) to[(k + i) * step] = v[i];
    }
    return;
  }
  for (int64_t j = 0; j < n; j++) {
    P *t = (P *)(to + j * step);
    for (int64_t l = 0; l < lanes; l++) t[l] = from[l * ls + j * xs];
    for (int64_t l = lanes; l < M(LV); l++) t[l] = 0;
  }
}

/* A row of n numbers, past the caches where it has whole lines. */
static void M(stream_row)(P *to, const P *from, int64_t n)
{
  int64_t j = 0;
  while (j < n && (uintptr_t)(to + j) % 64) to[j] = from[j], j++;
  for (; j + 64 / (int64_t)sizeof(P) <= n; j += 64 / (int64_t)sizeof(P)) {
    for (int64_t k = 0; k < 64 / TH_VB; k++) {
      M(vec) v;
      memcpy(&v, from + j + k * M(LV), sizeof v);
      TH_STREAM((M(vec) *)(to + j) + k, v);
    }
  }
  for (; j < n; j++) to[j] = from[j];
}

/* The way back: to[l ls + j xs] = [itself +] from[j step] scale + bias. room: for a row of every lane. */
static void M(give)(P *to, int64_t ls, int64_t xs, int64_t n, int64_t lanes, const M(vec) *from, int64_t step, P scale,
                    const M(vec) *bias, bool add, P *room)
{
  int64_t j = 0;
  if (ls == 1 && lanes == M(LV) && !add) {
    for (; j < n; j++) {
      const M(vec) v = from[j * step] * scale + *bias;
      memcpy(to + j * xs, &v, sizeof v);
    }
    return;
  }
  if (xs == 1 && n >= 4 && M(LV) >= 4) {
    P *t = room ? room : to;
    const int64_t ts = room ? up(n, M(LV)) * M(LV) : ls;
    for (; j < n; j += 4) {
      if (j + 4 > n && add) break;
      const int64_t k = j + 4 <= n ? j : n - 4;     /* the last four, some of them again */
      M(vec) v[4];
      for (int i = 0; i < 4; i++) v[i] = from[(k + i) * step] * scale + *bias;
      M(turn_blocks)(v);
      const P *p = (const P *)v;
      for (int64_t l = 0; l < lanes; l++) {
        M(quad) *at = (M(quad) *)(t + l * ts + k), q = *(const M(quad) *)(p + l % 4 * M(LV) + l / 4 * 4);
        if (add) q += *at;
        *at = q;
      }
    }
    for (int64_t l = 0; l < lanes && room; l++) M(stream_row)(to + l * ls, room + l * ts, n);
  }
  for (; j < n; j++) {
    const M(vec) v = from[j * step] * scale + *bias;
    const P *p = (const P *)&v;
    for (int64_t l = 0; l < lanes; l++) to[l * ls + j * xs] = add ? to[l * ls + j * xs] + p[l] : p[l];
  }
}
