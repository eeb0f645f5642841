/* normal.h - the normal distribution function in floats, for processors and for devices. The
 * includer has th_abs_f32 and th_ma_f32, and TH_RECIPROCAL where it is faster than a division. */
#ifndef TH_RECIPROCAL
#define TH_RECIPROCAL(x) (1 / (x))
#endif

/* The normal distribution function of x, whose density's exp(-x^2 / 2) the caller has: below 0 that
 * times a polynomial of u = 1 / (1 + 0.27 |x|), which was fitted for |x| up to 14. */
TH_FORMULA float th_normal_f32(float x, float e)
{
  const float u = TH_RECIPROCAL(1 + 0.27f * th_abs_f32(x));
  float p = 0.0289156101565861f;
  p = th_ma_f32(p, u, -0.12625689331937015f);
  p = th_ma_f32(p, u, 0.16929475584446976f);
  p = th_ma_f32(p, u, -0.06862478528298152f);
  p = th_ma_f32(p, u, 0.10740203788762431f);
  p = th_ma_f32(p, u, 0.07223919305870632f);
  p = th_ma_f32(p, u, 0.10175944190687376f);
  p = th_ma_f32(p, u, 0.10755046828292447f);
  p = th_ma_f32(p, u, 0.10772018321970667f);
  const float below = e * (u * p);
  return x > 0 ? 1 - below : below;
}
