/* butterflies.h - the smallest Fourier transforms, of vectors: every lane computes another transform.
 * Read once per computing type: P, M(f), M_FMA and M(vec) as in micro.h. */
#ifndef TH_FNMA_f64
/* c - a b, fused where M_FMA is. The compiler would compute -a by itself. */
#if TH_VB == 64
#define TH_FNMA_f32(a, b, c) \
  ((__typeof__(c))_mm512_fnmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define TH_FNMA_f64(a, b, c) \
  ((__typeof__(c))_mm512_fnmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#elif TH_VB == 32
#define TH_FNMA_f32(a, b, c) \
  ((__typeof__(c))_mm256_fnmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define TH_FNMA_f64(a, b, c) \
  ((__typeof__(c))_mm256_fnmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#else
#define TH_FNMA_f32(a, b, c) ((c) - (a) * (b))
#define TH_FNMA_f64(a, b, c) ((c) - (a) * (b))
#endif
#endif
typedef struct M(cx) { M(vec) re, im; } M(cx);      /* a complex number in each lane */

/* to = (re + i im) (c - i s) */
TH_INLINE void M(turned)(M(cx) *to, M(vec) re, M(vec) im, P c, P s)
{
  const M(vec) vc = c - (M(vec)){ 0 }, vs = s - (M(vec)){ 0 };
  const M(vec) along = re * vc, down = im * vc;
  to->re = M_FMA(im, vs, along);
  to->im = M(TH_FNMA)(re, vs, down);
}

/* Transforms of three, four, five and eight, in place. */
TH_INLINE void M(three)(M(cx) *v)
{
  const M(vec) half = (P)-0.5 - (M(vec)){ 0 }, root = (P)0.86602540378443864676 - (M(vec)){ 0 };
  const M(vec) sr = v[1].re + v[2].re, si = v[1].im + v[2].im;
  const M(vec) dr = (v[1].re - v[2].re) * root, di = (v[1].im - v[2].im) * root;
  const M(vec) cr = M_FMA(half, sr, v[0].re), ci = M_FMA(half, si, v[0].im);
  v[0].re += sr, v[0].im += si;
  v[1].re = cr + di, v[1].im = ci - dr;
  v[2].re = cr - di, v[2].im = ci + dr;
}

TH_INLINE void M(five)(M(cx) *v)
{
  const M(vec) c1 = (P)0.30901699437494742410 - (M(vec)){ 0 }, c2 = (P)-0.80901699437494742410 - (M(vec)){ 0 };
  const M(vec) s1 = (P)0.95105651629515357212 - (M(vec)){ 0 }, s2 = (P)0.58778525229247312917 - (M(vec)){ 0 };
  const M(vec) ar = v[1].re + v[4].re, ai = v[1].im + v[4].im, br = v[1].re - v[4].re, bi = v[1].im - v[4].im;
  const M(vec) cr = v[2].re + v[3].re, ci = v[2].im + v[3].im, dr = v[2].re - v[3].re, di = v[2].im - v[3].im;
  const M(vec) er = M_FMA(c2, cr, M_FMA(c1, ar, v[0].re)), ei = M_FMA(c2, ci, M_FMA(c1, ai, v[0].im));
  const M(vec) fr = M_FMA(c1, cr, M_FMA(c2, ar, v[0].re)), fi = M_FMA(c1, ci, M_FMA(c2, ai, v[0].im));
  const M(vec) gr = M_FMA(s2, dr, s1 * br), gi = M_FMA(s2, di, s1 * bi);
  const M(vec) hr = M(TH_FNMA)(s1, dr, s2 * br), hi = M(TH_FNMA)(s1, di, s2 * bi);
  v[0].re += ar + cr, v[0].im += ai + ci;
  v[1].re = er + gi, v[1].im = ei - gr;
  v[4].re = er - gi, v[4].im = ei + gr;
  v[2].re = fr + hi, v[2].im = fi - hr;
  v[3].re = fr - hi, v[3].im = fi + hr;
}

TH_INLINE void M(four)(M(cx) *a, M(cx) *b, M(cx) *c, M(cx) *d)
{
  const M(vec) sr = a->re + c->re, si = a->im + c->im, dr = a->re - c->re, di = a->im - c->im;
  const M(vec) tr = b->re + d->re, ti = b->im + d->im, er = b->re - d->re, ei = b->im - d->im;
  a->re = sr + tr, a->im = si + ti;
  b->re = dr + ei, b->im = di - er;
  c->re = sr - tr, c->im = si - ti;
  d->re = dr - ei, d->im = di + er;
}

TH_INLINE void M(eight)(M(cx) *v)
{
  const M(vec) half = (P)0.70710678118654752440 - (M(vec)){ 0 };
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) {
    const M(vec) sr = v[k].re + v[k + 4].re, si = v[k].im + v[k + 4].im;
    const M(vec) dr = v[k].re - v[k + 4].re, di = v[k].im - v[k + 4].im;
    v[k].re = sr, v[k].im = si;
    if (k == 0) v[4].re = dr, v[4].im = di;
    if (k == 1) v[5].re = (dr + di) * half, v[5].im = (di - dr) * half;
    if (k == 2) v[6].re = di, v[6].im = -dr;
    if (k == 3) v[7].re = (di - dr) * half, v[7].im = (dr + di) * -half;
  }
  M(four)(v, v + 1, v + 2, v + 3);
  M(four)(v + 4, v + 5, v + 6, v + 7);
}

/* Of seven, eleven, thirteen: sums and differences of the numbers k and radix - k; c, s: cos and sin of 2 pi k / radix. */
TH_INLINE void M(odd)(const int radix, M(cx) *v, const P *c, const P *s)
{
  const int half = radix / 2;
  M(cx) sum[6], dif[6];
#pragma GCC unroll 6
  for (int k = 0; k < half; k++) {
    const M(cx) a = v[k + 1], b = v[radix - 1 - k];
    sum[k].re = a.re + b.re, sum[k].im = a.im + b.im;
    dif[k].re = a.re - b.re, dif[k].im = a.im - b.im;
  }
  const M(cx) first = v[0];
#pragma GCC unroll 6
  for (int k = 0; k < half; k++) v[0].re += sum[k].re, v[0].im += sum[k].im;
#pragma GCC unroll 6
  for (int j = 1; j <= half; j++) {
    M(cx) even = first, turn;
    turn.re = dif[0].re * s[j], turn.im = dif[0].im * s[j];
#pragma GCC unroll 6
    for (int k = 0; k < half; k++) {
      const int e = j * (k + 1) % radix;
      const M(vec) vc = c[e] - (M(vec)){ 0 }, vs = s[e] - (M(vec)){ 0 };
      even.re = M_FMA(vc, sum[k].re, even.re), even.im = M_FMA(vc, sum[k].im, even.im);
      if (k > 0) turn.re = M_FMA(vs, dif[k].re, turn.re), turn.im = M_FMA(vs, dif[k].im, turn.im);
    }
    v[j].re = even.re + turn.im, v[j].im = even.im - turn.re;
    v[radix - j].re = even.re - turn.im, v[radix - j].im = even.im + turn.re;
  }
}

/* Of sixteen: number k of the result is left at 4 (k mod 4) + k / 4. */
TH_INLINE void M(sixteen)(M(cx) *v)
{
  const P c = (P)0.92387953251128675613, s = (P)0.38268343236508977173, half = (P)0.70710678118654752440;
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) M(four)(v + k, v + k + 4, v + k + 8, v + k + 12);
  const M(cx) w = v[10];
  M(turned)(v + 5, v[5].re, v[5].im, c, s);
  M(turned)(v + 6, v[6].re, v[6].im, half, half);
  M(turned)(v + 7, v[7].re, v[7].im, s, c);
  M(turned)(v + 9, v[9].re, v[9].im, half, half);
  v[10].re = w.im, v[10].im = -w.re;
  M(turned)(v + 11, v[11].re, v[11].im, -half, half);
  M(turned)(v + 13, v[13].re, v[13].im, s, c);
  M(turned)(v + 14, v[14].re, v[14].im, -half, half);
  M(turned)(v + 15, v[15].re, v[15].im, -c, -s);
#pragma GCC unroll 4
  for (int k = 0; k < 16; k += 4) M(four)(v + k, v + k + 1, v + k + 2, v + k + 3);
}

/* Of nine: number k of the result is left at 3 (k mod 3) + k / 3. */
TH_INLINE void M(nine)(M(cx) *v)
{
  const P c1 = (P)0.76604444311897803520, s1 = (P)0.64278760968653932632, c2 = (P)0.17364817766693034885;
  const P s2 = (P)0.98480775301220805937, c4 = (P)-0.93969262078590838405, s4 = (P)0.34202014332566873304;
  M(cx) t[9];
#pragma GCC unroll 3
  for (int b = 0; b < 3; b++) {
    M(cx) u[3] = { v[b], v[b + 3], v[b + 6] };
    M(three)(u);
    t[b] = u[0], t[b + 3] = u[1], t[b + 6] = u[2];
  }
  M(turned)(t + 4, t[4].re, t[4].im, c1, s1);
  M(turned)(t + 5, t[5].re, t[5].im, c2, s2);
  M(turned)(t + 7, t[7].re, t[7].im, c2, s2);
  M(turned)(t + 8, t[8].re, t[8].im, c4, s4);
#pragma GCC unroll 3
  for (int a = 0; a < 3; a++) {
    M(three)(t + 3 * a);
    v[3 * a] = t[3 * a], v[3 * a + 1] = t[3 * a + 1], v[3 * a + 2] = t[3 * a + 2];
  }
}

/* Of a b numbers without a common factor, a 3 or 5, b 2, 3 or 4: transforms of a, then of b, without roots of unity between them.
 * Number k of the result is left at b (k mod a) + k mod b. */
TH_INLINE void M(product)(const int a, const int b, M(cx) *v)
{
  M(cx) t[15];
#pragma GCC unroll 15
  for (int j = 0; j < b; j++) {
    M(cx) u[5];
#pragma GCC unroll 5
    for (int i = 0; i < a; i++) u[i] = v[(b * i + a * j) % (a * b)];
    if (a == 3) M(three)(u);
    else M(five)(u);
#pragma GCC unroll 5
    for (int i = 0; i < a; i++) t[b * i + j] = u[i];
  }
#pragma GCC unroll 5
  for (int i = 0; i < a; i++) {
    const int at = b * i;
    M(cx) *u = t + b * i;
    if (b == 2) {
      v[at] = (M(cx)){ u[0].re + u[1].re, u[0].im + u[1].im };
      v[at + 1] = (M(cx)){ u[0].re - u[1].re, u[0].im - u[1].im };
    } else if (b == 3) {
      M(three)(u);
      v[at] = u[0], v[at + 1] = u[1], v[at + 2] = u[2];
    } else {
      M(four)(u, u + 1, u + 2, u + 3);
#pragma GCC unroll 4
      for (int j = 0; j < 4; j++) v[at + j] = u[j];
    }
  }
}
