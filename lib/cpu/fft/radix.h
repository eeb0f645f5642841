/* radix.h - the transforms of a pass, each in two steps. The first one loads numbers where it needs
 * them, and the second one turns each result just before it stores it: all of them at once do not
 * fit into the registers. Read once per computing type by pass.h. */

/* Where the numbers of a transform come from: `apart` from one to the next, the imaginary parts
 * `im` behind the real ones. */
typedef struct M(source) { const P *at; int64_t apart, im; } M(source);

/* Number k of them; !loads: v has it. */
TH_INLINE M(cx) M(number)(const bool loads, const M(source) *x, const M(cx) *v, int k)
{
  return loads ? M(take)(x->at + k * x->apart, x->im, SPLIT) : v[k];
}

/* Where results go, and what is done to them before: KEPT leaves number k in v[k]. The others go
 * to `at` as numbers come from a source. TURN_ROOTS: all but number 0 are turned by the roots of
 * unity w. TURN_LANES, TURN_ALL: number k is turned by what is at turns + k step. */
typedef struct M(sink) {
  M(cx)   *v;
  P       *at;
  int64_t  apart, im;
  const P *w, *turns;
  int64_t  step;
} M(sink);

TH_INLINE void M(turn)(M(cx) *v, P c, P s) { M(turned)(v, v->re, v->im, c, s); }
TH_INLINE void M(put)(const int how, const M(sink) *y, int k, M(cx) v)
{
  if (how == KEPT) {
    y->v[k] = v;
    return;
  }
  if (how == TURN_ROOTS && k > 0) M(turn)(&v, y->w[2 * k - 2], y->w[2 * k - 1]);
  if (how == TURN_LANES || how == TURN_ALL) {
    v = M(turned_at)(how, y->turns + k * y->step, v);
  }
  M(give)(y->at + k * y->apart, y->im, SPLIT, v);
}

/* ---- seven, eleven, thirteen ---- */

/* Numbers k and radix - k become their sum and their difference. */
TH_INLINE void M(odd_first)(const int radix, const bool loads, const M(source) *x, M(cx) *v)
{
  v[0] = M(number)(loads, x, v, 0);
#pragma GCC unroll 6
  for (int k = 1; k <= radix / 2; k++) {
    const M(cx) a = M(number)(loads, x, v, k), b = M(number)(loads, x, v, radix - k);
    v[k] = (M(cx)){ a.re + b.re, a.im + b.im };
    v[radix - k] = (M(cx)){ a.re - b.re, a.im - b.im };
  }
}
/* c, s: cos and sin of 2 pi k / radix. */
TH_INLINE void M(odd_second)(const int radix, const M(cx) *v, const P *c, const P *s,
                             const int how, const M(sink) *y)
{
  const int half = radix / 2;
  M(cx) all = v[0];
#pragma GCC unroll 6
  for (int k = 1; k <= half; k++) all.re += v[k].re, all.im += v[k].im;
  M(cx) out[13];
  out[0] = all;
#pragma GCC unroll 6
  for (int j = 1; j <= half; j++) {
    M(cx) even = v[0], turn;
    turn.re = v[radix - 1].re * s[j], turn.im = v[radix - 1].im * s[j];
#pragma GCC unroll 6
    for (int k = 1; k <= half; k++) {
      const int e = j * k % radix;
      const M(cx) sum = v[k], dif = v[radix - k];
      const M(vec) vc = c[e] - (M(vec)){ 0 }, vs = s[e] - (M(vec)){ 0 };
      even.re = M_FMA(vc, sum.re, even.re), even.im = M_FMA(vc, sum.im, even.im);
      if (k > 1) turn.re = M_FMA(vs, dif.re, turn.re), turn.im = M_FMA(vs, dif.im, turn.im);
    }
    out[j] = (M(cx)){ even.re + turn.im, even.im - turn.re };
    out[radix - j] = (M(cx)){ even.re - turn.im, even.im + turn.re };
  }
#pragma GCC unroll 13
  for (int k = 0; k < radix; k++) M(put)(how, y, k, out[k]);
}

/* ---- nine and sixteen ---- */

/* Transforms of every third or fourth number. */
TH_INLINE void M(nine_first)(const bool loads, const M(source) *x, M(cx) *v)
{
#pragma GCC unroll 3
  for (int b = 0; b < 3; b++) {
    M(cx) u[3] = { M(number)(loads, x, v, b), M(number)(loads, x, v, b + 3),
                   M(number)(loads, x, v, b + 6) };
    M(three)(u);
    v[b] = u[0], v[b + 3] = u[1], v[b + 6] = u[2];
  }
}
TH_INLINE void M(nine_second)(M(cx) *v, const int how, const M(sink) *y)
{
  const P c1 = (P)0.76604444311897803520, s1 = (P)0.64278760968653932632;
  const P c2 = (P)0.17364817766693034885, s2 = (P)0.98480775301220805937;
  const P c4 = (P)-0.93969262078590838405, s4 = (P)0.34202014332566873304;
#pragma GCC unroll 3
  for (int a = 0; a < 3; a++) {
    M(cx) *const u = v + 3 * a;
    if (a == 1) M(turn)(u + 1, c1, s1), M(turn)(u + 2, c2, s2);
    if (a == 2) M(turn)(u + 1, c2, s2), M(turn)(u + 2, c4, s4);
    M(three)(u);
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) M(put)(how, y, a + 3 * i, u[i]);
  }
}
TH_INLINE void M(sixteen_first)(const bool loads, const M(source) *x, M(cx) *v)
{
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) {
#pragma GCC unroll 4
    for (int i = k; i < 16; i += 4) v[i] = M(number)(loads, x, v, i);
    M(four)(v + k, v + k + 4, v + k + 8, v + k + 12);
  }
}
TH_INLINE void M(sixteen_second)(M(cx) *v, const int how, const M(sink) *y)
{
  const P c = (P)0.92387953251128675613, s = (P)0.38268343236508977173;
  const P half = (P)0.70710678118654752440;
#pragma GCC unroll 4
  for (int a = 0; a < 4; a++) {
    M(cx) *const u = v + 4 * a;
    if (a == 1) M(turn)(u + 1, c, s), M(turn)(u + 2, half, half), M(turn)(u + 3, s, c);
    if (a == 2) {
      M(turn)(u + 1, half, half);
      u[2] = (M(cx)){ u[2].im, -u[2].re };
      M(turn)(u + 3, -half, half);
    }
    if (a == 3) M(turn)(u + 1, s, c), M(turn)(u + 2, -half, half), M(turn)(u + 3, -c, -s);
    M(four)(u, u + 1, u + 2, u + 3);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) M(put)(how, y, a + 4 * i, u[i]);
  }
}

/* ---- products without a common factor ---- */

/* Of a b numbers, a 3 or 5, b 2, 3 or 4: transforms of a, then of b, without roots of unity between
 * them. */
TH_INLINE void M(product_first)(const int a, const int b, const bool loads, const M(source) *x,
                                M(cx) *v)
{
  M(cx) t[15];
#pragma GCC unroll 4
  for (int j = 0; j < b; j++) {
    M(cx) u[5];
#pragma GCC unroll 5
    for (int i = 0; i < a; i++) u[i] = M(number)(loads, x, v, (b * i + a * j) % (a * b));
    if (a == 3) M(three)(u);
    else M(five)(u);
#pragma GCC unroll 5
    for (int i = 0; i < a; i++) t[b * i + j] = u[i];
  }
#pragma GCC unroll 15
  for (int i = 0; i < a * b; i++) v[i] = t[i];
}
/* one: the number that is 1 modulo a and 0 modulo b. */
TH_INLINE void M(product_second)(const int a, const int b, const int one, M(cx) *v, const int how,
                                 const M(sink) *y)
{
#pragma GCC unroll 5
  for (int i = 0; i < a; i++) {
    M(cx) *const u = v + b * i;
    if (b == 2) {
      const M(cx) c = u[0], d = u[1];
      u[0] = (M(cx)){ c.re + d.re, c.im + d.im };
      u[1] = (M(cx)){ c.re - d.re, c.im - d.im };
    }
    if (b == 3) M(three)(u);
    if (b == 4) M(four)(u, u + 1, u + 2, u + 3);
#pragma GCC unroll 4
    for (int j = 0; j < b; j++) M(put)(how, y, (one * i + (a * b + 1 - one) * j) % (a * b), u[j]);
  }
}

/* ---- all ---- */

TH_INLINE void M(first_step)(const int radix, const bool loads, const M(source) *x, M(cx) *v)
{
  switch (radix) {
    case 7: case 11: case 13: M(odd_first)(radix, loads, x, v); break;
    case 6: M(product_first)(3, 2, loads, x, v); break;
    case 10: M(product_first)(5, 2, loads, x, v); break;
    case 12: M(product_first)(3, 4, loads, x, v); break;
    case 15: M(product_first)(5, 3, loads, x, v); break;
    case 9: M(nine_first)(loads, x, v); break;
    case 16: M(sixteen_first)(loads, x, v); break;
    case 8:
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) {
        v[k] = M(number)(loads, x, v, k);
        v[k + 4] = M(number)(loads, x, v, k + 4);
        M(eighths)(k, v);
      }
      break;
    default:                        /* 2 to 5 have one step */
#pragma GCC unroll 5
      for (int k = 0; k < radix; k++) v[k] = M(number)(loads, x, v, k);
  }
}

TH_INLINE void M(second_step)(const int radix, M(cx) *v, const int how, const M(sink) *y)
{
  static const P c7[] = {
    1, (P)0.62348980185873353053, (P)-0.22252093395631440429, (P)-0.90096886790241912624,
    (P)-0.90096886790241912624, (P)-0.22252093395631440429, (P)0.62348980185873353053
  };
  static const P s7[] = {
    0, (P)0.78183148246802980871, (P)0.97492791218182360702, (P)0.43388373911755812048,
    (P)-0.43388373911755812048, (P)-0.97492791218182360702, (P)-0.78183148246802980871
  };
  static const P c11[] = {
    1, (P)0.84125353283118116886, (P)0.41541501300188642553, (P)-0.14231483827328514044,
    (P)-0.65486073394528506406, (P)-0.95949297361449738989, (P)-0.95949297361449738989,
    (P)-0.65486073394528506406, (P)-0.14231483827328514044, (P)0.41541501300188642553,
    (P)0.84125353283118116886
  };
  static const P s11[] = {
    0, (P)0.54064081745559758211, (P)0.90963199535451837141, (P)0.98982144188093273238,
    (P)0.75574957435425828377, (P)0.28173255684142969771, (P)-0.28173255684142969771,
    (P)-0.75574957435425828377, (P)-0.98982144188093273238, (P)-0.90963199535451837141,
    (P)-0.54064081745559758211
  };
  static const P c13[] = {
    1, (P)0.88545602565320989590, (P)0.56806474673115580251, (P)0.12053668025532305335,
    (P)-0.35460488704253562597, (P)-0.74851074817110109863, (P)-0.97094181742605202716,
    (P)-0.97094181742605202716, (P)-0.74851074817110109863, (P)-0.35460488704253562597,
    (P)0.12053668025532305335, (P)0.56806474673115580251, (P)0.88545602565320989590
  };
  static const P s13[] = {
    0, (P)0.46472317204376854566, (P)0.82298386589365639458, (P)0.99270887409805399280,
    (P)0.93501624268541482344, (P)0.66312265824079520238, (P)0.23931566428755776715,
    (P)-0.23931566428755776715, (P)-0.66312265824079520238, (P)-0.93501624268541482344,
    (P)-0.99270887409805399280, (P)-0.82298386589365639458, (P)-0.46472317204376854566
  };
  switch (radix) {
    case 7: M(odd_second)(7, v, c7, s7, how, y); return;
    case 11: M(odd_second)(11, v, c11, s11, how, y); return;
    case 13: M(odd_second)(13, v, c13, s13, how, y); return;
    case 6: M(product_second)(3, 2, 4, v, how, y); return;
    case 10: M(product_second)(5, 2, 6, v, how, y); return;
    case 12: M(product_second)(3, 4, 4, v, how, y); return;
    case 15: M(product_second)(5, 3, 6, v, how, y); return;
    case 9: M(nine_second)(v, how, y); return;
    case 16: M(sixteen_second)(v, how, y); return;
    case 8:
      M(four)(v, v + 1, v + 2, v + 3);
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) M(put)(how, y, 2 * k, v[k]);
      M(four)(v + 4, v + 5, v + 6, v + 7);
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) M(put)(how, y, 2 * k + 1, v[k + 4]);
      return;
    case 2: {
      const M(cx) a = v[0], b = v[1];
      v[0] = (M(cx)){ a.re + b.re, a.im + b.im };
      v[1] = (M(cx)){ a.re - b.re, a.im - b.im };
      break;
    }
    case 3: M(three)(v); break;
    case 4: M(four)(v, v + 1, v + 2, v + 3); break;
    default: M(five)(v);
  }
#pragma GCC unroll 5
  for (int k = 0; k < radix; k++) M(put)(how, y, k, v[k]);
}
