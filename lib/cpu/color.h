/* color.h - changes of colour space of some pixels. Read once per computing type by
 * lib/cpu/image_color.c. */
#define N(v) ((P)(v))
#define MATH(name, ...) (sizeof(P) == 8 ? (P)name(__VA_ARGS__) : (P)name##f(__VA_ARGS__))

typedef struct M(color) { P a, b, c; } M(color);

/* NaN if b is NaN. */
TH_INLINE P M(least)(P a, P b) { return a < b ? a : b; }
TH_INLINE P M(most)(P a, P b)  { return a > b ? a : b; }

TH_INLINE M(color) M(rgb2yuv)(M(color) p)
{
  return (M(color)){ N(0.299) * p.a + N(0.587) * p.b + N(0.114) * p.c,
                     N(-0.14713) * p.a - N(0.28886) * p.b + N(0.436) * p.c,
                     N(0.615) * p.a - N(0.51499) * p.b - N(0.10001) * p.c };
}
TH_INLINE M(color) M(yuv2rgb)(M(color) p)
{
  return (M(color)){ p.a + N(1.13983) * p.c, p.a - N(0.39465) * p.b - N(0.58060) * p.c,
                     p.a + N(2.03211) * p.b };
}

/* Hue as a fraction of the circle, 0 for grey. */
TH_INLINE P M(hue)(M(color) p, P most, P range)
{
  const P d = range == 0 ? 1 : range;
  const P red = (p.b - p.c) / d + (p.b < p.c ? N(6) : N(0)), green = (p.c - p.a) / d + 2,
          blue = (p.a - p.b) / d + 4;
  const P h = (most == p.a ? red : most == p.b ? green : blue) / 6;
  return range == 0 ? 0 : h;
}
TH_INLINE M(color) M(rgb2hsl)(M(color) p)
{
  const P most = M(most)(p.a, M(most)(p.b, p.c)), least = M(least)(p.a, M(least)(p.b, p.c));
  const P range = most - least, sum = most + least, l = sum / 2;
  const P s = range / (range == 0 ? 1 : l > N(0.5) ? 2 - sum : sum);
  return (M(color)){ M(hue)(p, most, range), s, l };
}
TH_INLINE M(color) M(rgb2hsv)(M(color) p)
{
  const P most = M(most)(p.a, M(most)(p.b, p.c)), least = M(least)(p.a, M(least)(p.b, p.c));
  const P range = most - least;
  return (M(color)){ M(hue)(p, most, range), most == 0 ? 0 : range / most, most };
}

/* The place of a hue on a circle of `n`, turned by `by`. */
TH_INLINE P M(turned)(P h, P n, P by)
{
  const P t = h * n + by, turns = MATH(floor, t / n);
  return t - n * turns;
}
TH_INLINE P M(of_hsl)(M(color) p, P range, P by)
{
  const P k = M(turned)(p.a, 12, by);
  return p.c - range * M(most)(-1, M(least)(1, M(least)(k - 3, 9 - k)));
}
TH_INLINE M(color) M(hsl2rgb)(M(color) p)
{
  const P range = p.b * M(least)(p.c, 1 - p.c);
  return (M(color)){ M(of_hsl)(p, range, 0), M(of_hsl)(p, range, 8), M(of_hsl)(p, range, 4) };
}
TH_INLINE P M(of_hsv)(M(color) p, P by)
{
  const P k = M(turned)(p.a, 6, by);
  return p.c - p.c * p.b * M(most)(0, M(least)(1, M(least)(k, 4 - k)));
}
TH_INLINE M(color) M(hsv2rgb)(M(color) p)
{
  return (M(color)){ M(of_hsv)(p, 5), M(of_hsv)(p, 3), M(of_hsv)(p, 1) };
}

TH_INLINE M(color) M(rgb2nrgb)(M(color) p)
{
  const P sum = p.a + p.b + p.c + N(1e-6);      /* so that black stays black */
  return (M(color)){ p.a / sum, p.b / sum, p.c / sum };
}

/* v^p of a positive v, without branches. */
TH_INLINE P M(power)(P v, P p)
{
  return M(th_exp)(p * M(th_log)(v));
}

/* sRGB to light, and CIE 1976 L*a*b* under the white of D65. */
TH_INLINE P M(light)(P v)
{
  return v <= N(0.04045) ? v / N(12.92) : M(power)((v + N(0.055)) / N(1.055), N(2.4));
}
TH_INLINE P M(srgb)(P v)
{
  return v <= N(0.0031308) ? N(12.92) * v : N(1.055) * M(power)(v, 1 / N(2.4)) - N(0.055);
}
#define LAB_EPSILON N(216.0 / 24389)
#define LAB_KAPPA   N(24389.0 / 27)
TH_INLINE P M(to_lab)(P v)
{
  return v > LAB_EPSILON ? M(power)(v, 1 / N(3)) : (LAB_KAPPA * v + 16) / 116;
}
TH_INLINE P M(from_lab)(P v)
{
  return v * v * v > LAB_EPSILON ? v * v * v : (116 * v - 16) / LAB_KAPPA;
}
TH_INLINE M(color) M(rgb2lab)(M(color) p)
{
  const P r = M(light)(p.a), g = M(light)(p.b), b = M(light)(p.c);
  const P x = M(to_lab)((N(0.412453) * r + N(0.357580) * g + N(0.180423) * b) / N(0.950456));
  const P y = M(to_lab)(N(0.212671) * r + N(0.715160) * g + N(0.072169) * b);
  const P z = M(to_lab)((N(0.019334) * r + N(0.119193) * g + N(0.950227) * b) / N(1.088754));
  return (M(color)){ 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}
TH_INLINE M(color) M(lab2rgb)(M(color) p)
{
  const P fy = (p.a + 16) / 116, fx = p.b / 500 + fy, fz = fy - p.c / 200;
  const P x = N(0.950456) * M(from_lab)(fx), z = N(1.088754) * M(from_lab)(fz);
  const P y = p.a > LAB_KAPPA * LAB_EPSILON ? fy * fy * fy : p.a / LAB_KAPPA;
  return (M(color)){ M(srgb)(N(3.2404542) * x - N(1.5371385) * y - N(0.4985314) * z),
                     M(srgb)(N(-0.9692660) * x + N(1.8760108) * y + N(0.0415560) * z),
                     M(srgb)(N(0.0556434) * x - N(0.2040259) * y + N(1.0572252) * z) };
}

/* Changes n pixels, whose parts are in v[0], v[1] and v[2]. */
TH_INLINE void M(each)(P (*v)[PIECE], int64_t n, M(color) (*change)(M(color)))
{
  for (int64_t i = 0; i < n; i++) {
    const M(color) p = change((M(color)){ v[0][i], v[1][i], v[2][i] });
    v[0][i] = p.a;
    v[1][i] = p.b;
    v[2][i] = p.c;
  }
}
static void M(change)(P (*v)[PIECE], int64_t n, image_color to)
{
  switch (to) {
    case RGB2YUV:  M(each)(v, n, M(rgb2yuv)); break;
    case YUV2RGB:  M(each)(v, n, M(yuv2rgb)); break;
    case RGB2LAB:  M(each)(v, n, M(rgb2lab)); break;
    case LAB2RGB:  M(each)(v, n, M(lab2rgb)); break;
    case RGB2HSL:  M(each)(v, n, M(rgb2hsl)); break;
    case HSL2RGB:  M(each)(v, n, M(hsl2rgb)); break;
    case RGB2HSV:  M(each)(v, n, M(rgb2hsv)); break;
    case HSV2RGB:  M(each)(v, n, M(hsv2rgb)); break;
    case RGB2NRGB: M(each)(v, n, M(rgb2nrgb)); break;
    case IMAGE_COLORS: break;
  }
}
#undef N
#undef MATH
#undef LAB_EPSILON
#undef LAB_KAPPA
