/* math_body.h - the functions of math.h, for one type. */

TH_FORMULA U F(th_bits)(C x) { U u; memcpy(&u, &x, sizeof u); return u; }
TH_FORMULA C F(th_from)(U u) { C x; memcpy(&x, &u, sizeof x); return x; }
TH_FORMULA C F(th_sign_of)(C magnitude, C sign)
{
  const U top = (U)1 << (8 * sizeof(U) - 1);
  return F(th_from)((F(th_bits)(magnitude) & ~top) | (F(th_bits)(sign) & top));
}
TH_FORMULA C F(th_abs)(C x) { return F(th_from)(F(th_bits)(x) & ~((U)1 << (8 * sizeof(U) - 1))); }

/* a * b + c, rounded once where the processor can. */
TH_FORMULA C F(th_ma)(C a, C b, C c)
{
#ifdef __FMA__
  return TH_LIBM(fma, a)(a, b, c);
#else
  return a * b + c;
#endif
}

/* (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2, by its series. */
TH_FORMULA C F(th_exp_tail)(C r)
{
#ifdef TH_MATH_DOUBLE
  C p = 1 / 6227020800.0;
  p = F(th_ma)(p, r, 1 / 479001600.0);
  p = F(th_ma)(p, r, 1 / 39916800.0);
  p = F(th_ma)(p, r, 1 / 3628800.0);
  p = F(th_ma)(p, r, 1 / 362880.0);
  p = F(th_ma)(p, r, 1 / 40320.0);
  p = F(th_ma)(p, r, 1 / 5040.0);
  p = F(th_ma)(p, r, 1 / 720.0);
  p = F(th_ma)(p, r, 1 / 120.0);
  p = F(th_ma)(p, r, 1 / 24.0);
  p = F(th_ma)(p, r, 1 / 6.0);
#else                                           /* fitted: two terms fewer */
  C p = 0.0013926213f;
  p = F(th_ma)(p, r, 0.008363203f);
  p = F(th_ma)(p, r, 0.041666554f);
  p = F(th_ma)(p, r, 0.16666577f);
#endif
  return F(th_ma)(p, r, (C)0.5);
}

/* x = k ln 2 + r with |r| <= ln(2)/2. Returns r, and k in the low bits of *biased, 2 * BIAS added.
 * Limits keep k small; NaN passes through them. */
TH_FORMULA C F(th_exp_reduce)(C x, C low, U *biased)
{
  const C t = x < low ? low : x > EXP_MAX ? EXP_MAX : x;
  const C rounded = F(th_ma)(t, (C)1.4426950408889634, ROUNDER), k = rounded - ROUNDER;
  *biased = F(th_bits)(rounded) - F(th_bits)(ROUNDER) + 2 * BIAS;
  return F(th_ma)(-k, LN2_LO, F(th_ma)(-k, LN2_HI, t));
}

TH_FORMULA C F(th_exp)(C x)
{
  U n;
  const C r = F(th_exp_reduce)(x, EXP_MIN, &n);
  const C p = 1 + F(th_ma)(r * r, F(th_exp_tail)(r), r);
  const U half = n >> 1;                        /* two factors: 2^k alone may not be a number */
  return p * F(th_from)(half << MANTISSA) * F(th_from)((n - half) << MANTISSA);
}

TH_FORMULA C F(th_expm1)(C x)
{
  U n;
  const C r = F(th_exp_reduce)(x, (C)-50, &n);
  const C p = F(th_ma)(r * r, F(th_exp_tail)(r), r);
  const C t = F(th_from)((n - BIAS - 1) << MANTISSA);         /* 2^(k-1), since 2^k may overflow */
  const C far = 2 * F(th_ma)(t, p, t - (C)0.5);
  return n == 2 * BIAS ? p : far;
}

TH_FORMULA C F(th_log)(C x)
{
  const int tiny = x < SMALLEST;
  const C scaled = tiny ? x * (C)((U)1 << (MANTISSA + 1)) : x;
  const U one = (U)BIAS << MANTISSA, u = F(th_bits)(scaled) + (one - ROOT_HALF);
#ifdef TH_MATH_DOUBLE                           /* a number below 2^52 needs no conversion */
  const C e = F(th_from)((u >> MANTISSA) | 0x4330000000000000) - 4503599627370496.0;
#else
  const C e = (C)(I)(u >> MANTISSA);
#endif
  const C k = e - (tiny ? BIAS + MANTISSA + 1 : BIAS);
  const C f = F(th_from)((u & (((U)1 << MANTISSA) - 1)) + ROOT_HALF) - 1;   /* -0.29 .. 0.41 */
#ifdef TH_MATH_DOUBLE
  const C s = f / (2 + f), z = s * s;
  C p = 2 / 21.0;
  p = F(th_ma)(p, z, 2 / 19.0);
  p = F(th_ma)(p, z, 2 / 17.0);
  p = F(th_ma)(p, z, 2 / 15.0);
  p = F(th_ma)(p, z, 2 / 13.0);
  p = F(th_ma)(p, z, 2 / 11.0);
  p = F(th_ma)(p, z, 2 / 9.0);
  p = F(th_ma)(p, z, 2 / 7.0);
  p = F(th_ma)(p, z, 2 / 5.0);
  p = F(th_ma)(p, z, 2 / 3.0);
  const C half = 0.5 * f * f;                   /* log(1+f) = f - (half - s (half + z p)) */
  const C y = k * LN2_HI - ((half - (s * (half + z * p) + k * LN2_LO)) - f);
#else                                           /* without the division: f - f^2/2 + f^3 P(f) */
  C p = 0.069715316f;
  p = F(th_ma)(p, f, -0.114807375f);
  p = F(th_ma)(p, f, 0.11685901f);
  p = F(th_ma)(p, f, -0.12425589f);
  p = F(th_ma)(p, f, 0.14249003f);
  p = F(th_ma)(p, f, -0.16667805f);
  p = F(th_ma)(p, f, 0.20000717f);
  p = F(th_ma)(p, f, -0.24999997f);
  p = F(th_ma)(p, f, 0.33333331f);
  const C square = f * f, half = (C)0.5 * square;
  const C y = k * LN2_HI - ((half - F(th_ma)(square, f * p, k * LN2_LO)) - f);
#endif
  const C special = x == 0 ? -(C)INFINITY : x > 0 ? x : (C)NAN;
  return x > 0 && x < (C)INFINITY ? y : special;
}

TH_FORMULA C F(th_log1p)(C x)
{
  const C u = 1 + x, lost = x - (u - 1);        /* what rounding took from 1 + x */
  const C y = F(th_log)(u) + lost / u;
  return x == -1 ? -(C)INFINITY : u == (C)INFINITY ? u : u == 1 ? x : y;
}

/* -(exp(-2|x|) - 1) / (exp(-2|x|) + 1); the difference by itself, so that it is exact near 0. */
TH_FORMULA C F(th_tanh)(C x)
{
  const C a = -2 * F(th_abs)(x), t = a < -40 ? -40 : a;
  const C rounded = F(th_ma)(t, (C)1.4426950408889634, ROUNDER), k = rounded - ROUNDER;
  const C r = F(th_ma)(-k, LN2_LO, F(th_ma)(-k, LN2_HI, t));
  const C p = F(th_ma)(r * r, F(th_exp_tail)(r), r);
  const C scale = F(th_from)((F(th_bits)(rounded) << MANTISSA) + ((U)BIAS << MANTISSA));
  const C e = F(th_ma)(scale, p, scale - 1);
  return F(th_sign_of)(-e / (e + 2), x);
}

TH_FORMULA C F(th_sigmoid)(C x)
{
  const C e = F(th_exp)(-F(th_abs)(x));
  return (x < 0 ? e : 1) / (1 + e);
}

/* Away from zero at halves, as C's round; unlike it, this vectorises. */
TH_FORMULA C F(th_round)(C x)
{
  const C t = TH_LIBM(trunc, x)(x);
  return F(th_sign_of)(t + (F(th_abs)(x - t) >= (C)0.5 ? F(th_sign_of)(1, x) : 0), x);
}
