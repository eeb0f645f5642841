/* line_exp.h - the largest element of a line of neighbours, and the sum of exp(x - max): read once per dtype, as the
 * files that include it. Sums run in double over LANES, in a fixed order. */

#define EXP(v) _Generic((C)0, float: th_exp_f32, double: th_exp_f64)(v)

/* exp(v) of v <= 0. What is hidden with a very negative score costs nothing: results too small for a number make the
 * processor slow, so they are not computed. */
TH_INLINE C K(exp_of)(C v)
{
  const bool none = v < _Generic((C)0, float: -104.0f, double: -746.0);
  const C e = EXP(none ? 0 : v);
  return none ? 0 : e;
}

TH_INLINE A K(fold)(A *lane)
{
  for (int w = LANES / 2; w; w /= 2) for (int l = 0; l < w; l++) lane[l] += lane[l + w];
  return lane[0];
}

TH_INLINE C K(line_max)(const T *x, int64_t n)
{
  C lane[LANES];
  for (int l = 0; l < LANES; l++) lane[l] = -INFINITY;
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int l = 0; l < LANES; l++) lane[l] = LOAD(x[i + l]) > lane[l] ? LOAD(x[i + l]) : lane[l];
  }
  for (; i < n; i++) lane[0] = LOAD(x[i]) > lane[0] ? LOAD(x[i]) : lane[0];
  for (int l = 1; l < LANES; l++) lane[0] = lane[l] > lane[0] ? lane[l] : lane[0];
  return lane[0];
}

TH_INLINE A K(line_sum_exp)(const T *x, int64_t n, C max)
{
  A lane[LANES] = { 0 };
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += (A)K(exp_of)(LOAD(x[i + l]) - max);
  for (int l = 0; i + l < n; l++) lane[l] += (A)K(exp_of)(LOAD(x[i + l]) - max);
  return K(fold)(lane);
}
