/* wide.h - sines, arcs and powers, computed in double for float and double alike, without branches.
 *
 * The polynomials were fitted to Chebyshev's points by their definitions at 150 digits. Sums are written so that
 * what is small is added last. Largest errors, in units of the last place (test/op/math_spec.lua): float 0.6; in double
 *   sin cos 1   acos 1.2   asin atan 2.2   tan atan2 2.4
 * Read after math_body.h. */

/* ---- sine, cosine, tangent: |x| at most TH_ANGLE_MAX; beyond, the C library must do it ---- */

#define TH_ANGLE_MAX 1e6

typedef struct th_turned { double sin, cos; uint64_t quarter; } th_turned;

/* x = quarter * pi/2 + hi + lo; pi/2 in parts of 33 bits, so that their products are exact. */
TH_FORMULA th_turned th_turn(double x)
{
  const double rounded = th_ma_f64(x, 0.63661977236758138, 6755399441055744.0);
  const double k = rounded - 6755399441055744.0;
  const double near = x - k * 1.5707963267341256, r = near - k * 6.077100506303966e-11;
  const double rest = ((near - r) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21;
  const double hi = r + rest, lo = (r - hi) + rest, z = hi * hi;
  double s = 1.5917988979397435e-10;
  s = th_ma_f64(s, z, -2.5051129896450185e-08);
  s = th_ma_f64(s, z, 2.7557316093198404e-06);
  s = th_ma_f64(s, z, -0.00019841269836740532);
  s = th_ma_f64(s, z, 0.008333333333330936);
  s = th_ma_f64(s, z, -0.16666666666666666);
  double c = -1.138254464534925e-11;
  c = th_ma_f64(c, z, 2.087614504941318e-09);
  c = th_ma_f64(c, z, -2.755731726587808e-07);
  c = th_ma_f64(c, z, 2.48015872987544e-05);
  c = th_ma_f64(c, z, -0.0013888888888887389);
  c = th_ma_f64(c, z, 0.041666666666666664);
  const double half = 0.5 * z, most = 1 - half;
  th_turned t;
  t.sin = hi + th_ma_f64(hi, z * s, lo * most);
  t.cos = most + (((1 - most) - half) + th_ma_f64(z, z * c, -(hi * lo)));
  t.quarter = th_bits_f64(rounded);
  return t;
}
/* v with its sign turned when `bit` is 1. */
TH_FORMULA double th_turn_sign(double v, uint64_t bit) { return th_from_f64(th_bits_f64(v) ^ (bit << 63)); }

TH_FORMULA double th_sin_f64(double x)
{
  const th_turned t = th_turn(x);
  const double y = (t.quarter & 1) != 0 ? t.cos : t.sin;
  return x == 0 ? x : th_turn_sign(y, t.quarter >> 1 & 1);
}
TH_FORMULA double th_cos_f64(double x)
{
  const th_turned t = th_turn(x);
  return th_turn_sign((t.quarter & 1) != 0 ? t.sin : t.cos, (t.quarter + 1) >> 1 & 1);
}
TH_FORMULA double th_tan_f64(double x)
{
  const th_turned t = th_turn(x);
  const int odd = (t.quarter & 1) != 0;
  return x == 0 ? x : th_turn_sign((odd ? t.cos : t.sin) / (odd ? t.sin : t.cos), t.quarter & 1);
}

/* ---- arcs ---- */

/* atan(t) of |t| <= tan(pi/8). */
TH_FORMULA double th_small_atan(double t)
{
  const double z = t * t;
  double p = 0.01627194475162406;
  p = th_ma_f64(p, z, -0.034558092551413795);
  p = th_ma_f64(p, z, 0.04551108126325172);
  p = th_ma_f64(p, z, -0.052303478730160745);
  p = th_ma_f64(p, z, 0.058789145444006215);
  p = th_ma_f64(p, z, -0.06666423628069258);
  p = th_ma_f64(p, z, 0.0769229630497447);
  p = th_ma_f64(p, z, -0.09090908751076636);
  p = th_ma_f64(p, z, 0.11111111105106705);
  p = th_ma_f64(p, z, -0.14285714285659326);
  p = th_ma_f64(p, z, 0.199999999999998);
  p = th_ma_f64(p, z, -0.3333333333333333);
  return th_ma_f64(t, z * p, t);
}
/* The angle, 0 to pi/2, of a triangle with legs y and x, both >= 0. */
TH_FORMULA double th_angle(double y, double x)
{
  const int steep = y > x * 2.414213562373095, flat = !(y > x * 0.41421356237309503);
  const double up = steep ? -x : flat ? y : y - x, along = steep ? y : flat ? x : x + y;
  const double more = steep ? 1.5707963267948966 : flat ? 0 : 0.78539816339744828;
  const double rest = steep ? 6.123233995736766e-17 : flat ? 0 : 3.061616997868383e-17;
  return more + (th_small_atan(up / along) + rest);
}
TH_FORMULA double th_atan_f64(double x)
{
  const double a = th_abs_f64(x);
  return th_sign_of_f64(a == (double)INFINITY ? 1.5707963267948966 : th_angle(a, 1), x);
}
TH_FORMULA double th_atan2_f64(double y, double x)
{
  const double a = th_abs_f64(y), b = th_abs_f64(x), inf = (double)INFINITY;
  const int both = a == inf && b == inf;
  /* Towards a whole number of powers of two, so that nothing overflows or becomes too small. */
  const double by = a > 1e200 || b > 1e200 ? 1e-200 : a < 1e-200 && b < 1e-200 ? 1e200 : 1;
  const double v = both ? 1 : a == inf ? 1 : b == inf ? 0 : a * by;
  const double u = both ? 1 : a == inf ? 0 : b == inf || (a == 0 && b == 0) ? 1 : b * by;
  const double t = th_angle(v, u);
  const int left = (th_bits_f64(x) >> 63) != 0;
  const double r = th_sign_of_f64(left ? 3.141592653589793 - (t - 1.2246467991473532e-16) : t, y);
  return x != x || y != y ? x + y : r;
}
/* asin(t) = t + t z P(z) for z = t^2 <= 1/4. */
TH_FORMULA double th_small_asin(double t, double z)
{
  double p = 0.02877844261259304;
  p = th_ma_f64(p, z, -0.014881409392818066);
  p = th_ma_f64(p, z, 0.017419357964884856);
  p = th_ma_f64(p, z, 0.00545087818772055);
  p = th_ma_f64(p, z, 0.010324318288744113);
  p = th_ma_f64(p, z, 0.011478952690257387);
  p = th_ma_f64(p, z, 0.013971235301124539);
  p = th_ma_f64(p, z, 0.017352391265909227);
  p = th_ma_f64(p, z, 0.022372173002005596);
  p = th_ma_f64(p, z, 0.030381944137085216);
  p = th_ma_f64(p, z, 0.04464285714637338);
  p = th_ma_f64(p, z, 0.07499999999998425);
  p = th_ma_f64(p, z, 0.16666666666666669);
  return th_ma_f64(t, z * p, t);
}
/* Of a = |x|; where a is above 1/2, of sqrt((1 - a) / 2). */
TH_FORMULA double th_asin_of(double a)
{
  const double z = a > 0.5 ? (1 - a) * 0.5 : a * a;
  return th_small_asin(a > 0.5 ? sqrt(z) : a, z);
}
TH_FORMULA double th_asin_f64(double x)
{
  const double a = th_abs_f64(x), p = th_asin_of(a);
  const double y = a > 0.5 ? 1.5707963267948966 - (2 * p - 6.123233995736766e-17) : p;
  return th_sign_of_f64(y, x);
}
TH_FORMULA double th_acos_f64(double x)
{
  const double a = th_abs_f64(x), p = th_asin_of(a);
  const double near = 1.5707963267948966 - (th_sign_of_f64(p, x) - 6.123233995736766e-17);
  const double far = x > 0 ? 2 * p : 3.141592653589793 - (2 * p - 1.2246467991473532e-16);
  return a > 0.5 ? far : near;
}

/* ---- powers, as exact as float needs: 2^-32 ---- */

/* 2^t - less, which is 0 or 1, for t limited to -200 .. 200; NaN stays. */
TH_FORMULA double th_wide_exp2(double t, double less)
{
  const double limited = t < -200 ? -200 : t > 200 ? 200 : t;
  const double rounded = limited + 6755399441055744.0, f = limited - (rounded - 6755399441055744.0);
  const double scale = th_from_f64((th_bits_f64(rounded) + 1023) << 52);
  double p = 1.529734162283227e-05;
  p = th_ma_f64(p, f, 0.00015461467905285986);
  p = th_ma_f64(p, f, 0.001333350234150156);
  p = th_ma_f64(p, f, 0.00961805662050108);
  p = th_ma_f64(p, f, 0.05550410883930555);
  p = th_ma_f64(p, f, 0.2402265092256076);
  p = th_ma_f64(p, f, 0.6931471805599453);
  return th_ma_f64(scale, f * p, scale - less);
}
/* log2 of a >= 0 that was a float. */
TH_FORMULA double th_wide_log2(double a)
{
  const uint64_t low = 0x000fffffffffffff, root = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;
  const uint64_t u = th_bits_f64(a) + (one - root);
  const double e = th_from_f64((u >> 52) | 0x4330000000000000) - (4503599627370496.0 + 1023);
  const double m = th_from_f64((u & low) + root), s = (m - 1) / (m + 1), z = s * s;
  double p = 0.2829066165906811;
  p = th_ma_f64(p, z, 0.3199053739227617);
  p = th_ma_f64(p, z, 0.412209256786155);
  p = th_ma_f64(p, z, 0.5770779423594591);
  p = th_ma_f64(p, z, 0.9617966941132127);
  p = th_ma_f64(p, z, 2.88539008177785);
  const double y = th_ma_f64(s, p, e);
  return a == 0 ? -(double)INFINITY : a == (double)INFINITY ? a : y;
}
/* As C's powf, special cases included. */
TH_FORMULA float th_pow_f32(float base, float power)
{
  const double x = base, y = power, a = th_abs_f64(x), inf = (double)INFINITY;
  const int whole = trunc(y) == y, odd = whole && trunc(y * 0.5) != y * 0.5;
  const double size = a == 1 ? 1 : th_wide_exp2(y * th_wide_log2(a), 0);
  const double kept = odd ? th_sign_of_f64(size, x) : size;
  const double real = x < 0 && x > -inf && !whole ? (double)NAN : kept;
  const double r = x != x || y != y ? x + y : real;
  return (float)(x == 1 || y == 0 ? 1 : r);
}
TH_FORMULA float th_sinh_f32(float x)
{
  const double e = th_wide_exp2(th_abs_f64(x) * 1.4426950408889634, 1);
  return (float)th_sign_of_f64(0.5 * (e + e / (e + 1)), x);
}
TH_FORMULA float th_cosh_f32(float x)
{
  const double e = th_wide_exp2(th_abs_f64(x) * 1.4426950408889634, 0);
  return (float)(0.5 * e + 0.5 / e);
}
/* 1 - 2^(-a P(a)); 4 and more give 1. */
TH_FORMULA float th_erf_f32(float x)
{
  const double a = th_abs_f64(x), t = a > 4 ? 4 : a;
  double p = 5.915651568613015e-10;
  p = th_ma_f64(p, t, -1.848260695793818e-08);
  p = th_ma_f64(p, t, 2.5972918602855223e-07);
  p = th_ma_f64(p, t, -2.150949768838324e-06);
  p = th_ma_f64(p, t, 1.1434626709341225e-05);
  p = th_ma_f64(p, t, -3.857517959803646e-05);
  p = th_ma_f64(p, t, 6.445946344094076e-05);
  p = th_ma_f64(p, t, 9.056275912536464e-05);
  p = th_ma_f64(p, t, -0.0009098361289182795);
  p = th_ma_f64(p, t, 0.002488239988387951);
  p = th_ma_f64(p, t, -0.000320108322342217);
  p = th_ma_f64(p, t, -0.02759168710804785);
  p = th_ma_f64(p, t, 0.1482688636934997);
  p = th_ma_f64(p, t, 0.9184482241126787);
  p = th_ma_f64(p, t, 1.6279070282945303);
  return (float)th_sign_of_f64(-th_wide_exp2(-(t * p), 1), x);
}

#include "normal.h"

/* ---- the same names for both types ---- */

TH_FORMULA float th_sin_f32(float x) { return (float)th_sin_f64(x); }
TH_FORMULA float th_cos_f32(float x) { return (float)th_cos_f64(x); }
TH_FORMULA float th_tan_f32(float x) { return (float)th_tan_f64(x); }
TH_FORMULA float th_asin_f32(float x) { return (float)th_asin_f64(x); }
TH_FORMULA float th_acos_f32(float x) { return (float)th_acos_f64(x); }
TH_FORMULA float th_atan_f32(float x) { return (float)th_atan_f64(x); }
TH_FORMULA float th_atan2_f32(float y, float x) { return (float)th_atan2_f64(y, x); }
TH_FORMULA double th_pow_f64(double x, double y) { return pow(x, y); }
TH_FORMULA double th_sinh_f64(double x) { return sinh(x); }
TH_FORMULA double th_cosh_f64(double x) { return cosh(x); }
TH_FORMULA double th_erf_f64(double x) { return erf(x); }
TH_FORMULA double th_normal_f64(double x, double e) { return (void)e, 0.5 * (1 + erf(x * 0.70710678118654752)); }
