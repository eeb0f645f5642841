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

/* The first step of eight, of the numbers k and k + 4. */
TH_INLINE void M(eighths)(const int k, M(cx) *v)
{
  const M(vec) half = (P)0.70710678118654752440 - (M(vec)){ 0 };
  const M(vec) sr = v[k].re + v[k + 4].re, si = v[k].im + v[k + 4].im;
  const M(vec) dr = v[k].re - v[k + 4].re, di = v[k].im - v[k + 4].im;
  v[k].re = sr, v[k].im = si;
  if (k == 0) v[4].re = dr, v[4].im = di;
  if (k == 1) v[5].re = (dr + di) * half, v[5].im = (di - dr) * half;
  if (k == 2) v[6].re = di, v[6].im = -dr;
  if (k == 3) v[7].re = (di - dr) * half, v[7].im = (dr + di) * -half;
}
/* Number k of the result is left at k / 2, of odd ones 4 above. */
TH_INLINE void M(eight)(M(cx) *v)
{
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) M(eighths)(k, v);
  M(four)(v, v + 1, v + 2, v + 3);
  M(four)(v + 4, v + 5, v + 6, v + 7);
}
