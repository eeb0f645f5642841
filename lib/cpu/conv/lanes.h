/* lanes.h - Fourier transforms of vectors: every lane has a transform of its own, so that no lane ever talks to
 * another. Read once per computing type after micro.h: P, M(f) and M_FMA as there. Sizes are powers of two. */
enum { M(LV) = TH_VB / (int)sizeof(P) };

typedef struct M(cx) { M(vec) re, im; } M(cx);      /* a complex number in each lane */

/* to = (re + i im) (c + i s) */
TH_INLINE void M(turned)(M(cx) *to, M(vec) re, M(vec) im, P c, P s)
{
  const M(vec) vc = c - (M(vec)){ 0 }, vs = s - (M(vec)){ 0 }, minus = -vs;
  to->re = M_FMA(im, minus, re * vc);
  to->im = M_FMA(re, vs, im * vc);
}

/* One pass of radix 4 over s transforms of n points, which lie interleaved; their first quarters go to y, where they
 * are 4 s transforms of n / 4. w: the roots of unity, `step` apart. */
TH_INLINE void M(pass4)(const M(cx) *x, M(cx) *y, int64_t n, int64_t s, const P *w, int64_t step,
                        const int sign)
{
  const int64_t m = n / 4;
  for (int64_t p = 0; p < m; p++) {
    const P *w1 = w + 2 * p * step, *w2 = w + 4 * p * step, *w3 = w + 6 * p * step;
    for (int64_t q = 0; q < s; q++) {
      const M(cx) *a = x + q + s * p, *b = a + s * m, *c = b + s * m, *d = c + s * m;
      M(cx) *to = y + q + 4 * s * p;
      const M(vec) acr = a->re + c->re, aci = a->im + c->im, amr = a->re - c->re, ami = a->im - c->im;
      const M(vec) bdr = b->re + d->re, bdi = b->im + d->im;
      const M(vec) jr = sign > 0 ? d->im - b->im : b->im - d->im;       /* -+ i (b - d) */
      const M(vec) ji = sign > 0 ? b->re - d->re : d->re - b->re;
      to[0].re = acr + bdr;
      to[0].im = aci + bdi;
      if (p == 0) {
        to[s].re = amr + jr, to[s].im = ami + ji;
        to[2 * s].re = acr - bdr, to[2 * s].im = aci - bdi;
        to[3 * s].re = amr - jr, to[3 * s].im = ami - ji;
      } else {
        M(turned)(to + s, amr + jr, ami + ji, w1[0], (P)sign * w1[1]);
        M(turned)(to + 2 * s, acr - bdr, aci - bdi, w2[0], (P)sign * w2[1]);
        M(turned)(to + 3 * s, amr - jr, ami - ji, w3[0], (P)sign * w3[1]);
      }
    }
  }
}

TH_INLINE M(cx) *M(transform)(M(cx) *x, M(cx) *y, int64_t n, const P *w, int64_t step, const int sign)
{
  int64_t s = 1;
  for (; n > 2; n /= 4, s *= 4) {
    M(pass4)(x, y, n, s, w, step * s, sign);
    M(cx) *const t = x;
    x = y, y = t;
  }
  if (n == 2) {
    for (int64_t q = 0; q < s; q++) {
      y[q].re = x[q].re + x[q + s].re, y[q].im = x[q].im + x[q + s].im;
      y[q + s].re = x[q].re - x[q + s].re, y[q + s].im = x[q].im - x[q + s].im;
    }
    return y;
  }
  return x;
}

/* The transform of the n points at x, with y as room: where it came to lie, x or y. w: cos and sin of 2 pi j / (n step). */
static __attribute__((noinline)) M(cx) *M(forth)(M(cx) *x, M(cx) *y, int64_t n, const P *w, int64_t step)
{
  return M(transform)(x, y, n, w, step, -1);
}
static __attribute__((noinline)) M(cx) *M(back)(M(cx) *x, M(cx) *y, int64_t n, const P *w, int64_t step)
{
  return M(transform)(x, y, n, w, step, 1);
}

/* n numbers of each lane into every step-th number from `to`, a vector each: the j-th of lane l lies at
 * from[l ls + j xs]. Lanes from `lanes` on become 0. */
static void M(take)(P *to, int64_t step, const P *from, int64_t ls, int64_t xs, int64_t n, int64_t lanes)
{
  if (ls == 1 && lanes == M(LV)) {
    for (int64_t j = 0; j < n; j++) memcpy(to + j * step, from + j * xs, sizeof(M(vec)));
    return;
  }
  int64_t l = 0;
  if (xs == 1) {
    for (; l + 4 <= lanes; l += 4) {
      const P *f = from + l * ls;
      int64_t j = 0;
      for (; j + 4 <= n; j += 4)
        M(turn4)(to + j * step + l, step, f + j, ls, (const P[4]){ 0 });
      for (; j < n; j++) for (int i = 0; i < 4; i++) to[j * step + l + i] = f[i * ls + j];
    }
  }
  for (; l < lanes; l++) {
    const P *f = from + l * ls;
    for (int64_t j = 0; j < n; j++) to[j * step + l] = f[j * xs];
  }
  for (; l < M(LV); l++) for (int64_t j = 0; j < n; j++) to[j * step + l] = 0;
}

/* The way back: to[l ls + j xs] = [itself +] from[j step + l]. */
static void M(give)(P *to, int64_t ls, int64_t xs, int64_t n, int64_t lanes, const P *from, int64_t step,
                    bool add)
{
  int64_t l = 0;
  if (add) {
    for (; l < lanes; l++) for (int64_t j = 0; j < n; j++) to[l * ls + j * xs] += from[j * step + l];
    return;
  }
  if (ls == 1 && lanes == M(LV)) {
    for (int64_t j = 0; j < n; j++) memcpy(to + j * xs, from + j * step, sizeof(M(vec)));
    return;
  }
  if (xs == 1) {
    for (; l + 4 <= lanes; l += 4) {
      P *t = to + l * ls;
      int64_t j = 0;
      for (; j + 4 <= n; j += 4)
        M(turn4)(t + j, ls, from + j * step + l, step, (const P[4]){ 0 });
      for (; j < n; j++) for (int i = 0; i < 4; i++) t[i * ls + j] = from[j * step + l + i];
    }
  }
  for (; l < lanes; l++) for (int64_t j = 0; j < n; j++) to[l * ls + j * xs] = from[j * step + l];
}
