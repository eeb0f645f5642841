/* pointwise.h - scalar functions of elements, computed in C (float or double); F(f) names them.
 *
 * A map sees the element x and up to two numbers a and b; a gradient also the result y and the
 * gradient g of the result; a zip sees elements x and z (and w) and the number a. What one does not
 * need goes unused. */
/* clang-format off: tables */
#define TH_X  C x, TH_UNUSED C a, TH_UNUSED C b
#define TH_G  TH_UNUSED C x, TH_UNUSED C y, C g, TH_UNUSED C a, TH_UNUSED C b
#define TH_XZ C x, C z, TH_UNUSED C a
#define TH_UNUSED __attribute__((unused))

/* ---- maps ---- */
TH_FORMULA C F(abs)(TH_X)        { return TH_LIBM(fabs, x)(x); }
TH_FORMULA C F(neg)(TH_X)        { return -x; }
TH_FORMULA C F(sign)(TH_X)       { return x > 0 ? 1 : x < 0 ? -1 : x; }
TH_FORMULA C F(square)(TH_X)     { return x * x; }
TH_FORMULA C F(sqrt)(TH_X)       { return TH_LIBM(sqrt, x)(x); }
TH_FORMULA C F(rsqrt)(TH_X)      { return 1 / TH_LIBM(sqrt, x)(x); }
TH_FORMULA C F(cinv)(TH_X)       { return 1 / x; }
TH_FORMULA C F(exp)(TH_X)        { return F(th_exp)(x); }
TH_FORMULA C F(expm1)(TH_X)      { return F(th_expm1)(x); }
TH_FORMULA C F(log)(TH_X)        { return F(th_log)(x); }
TH_FORMULA C F(log1p)(TH_X)      { return F(th_log1p)(x); }
TH_FORMULA C F(sin)(TH_X)        { return F(th_sin)(x); }
TH_FORMULA C F(cos)(TH_X)        { return F(th_cos)(x); }
TH_FORMULA C F(tan)(TH_X)        { return F(th_tan)(x); }
TH_FORMULA C F(asin)(TH_X)       { return F(th_asin)(x); }
TH_FORMULA C F(acos)(TH_X)       { return F(th_acos)(x); }
TH_FORMULA C F(atan)(TH_X)       { return F(th_atan)(x); }
TH_FORMULA C F(sinh)(TH_X)       { return F(th_sinh)(x); }
TH_FORMULA C F(cosh)(TH_X)       { return F(th_cosh)(x); }
TH_FORMULA C F(erf)(TH_X)        { return F(th_erf)(x); }
TH_FORMULA C F(floor)(TH_X)      { return TH_LIBM(floor, x)(x); }
TH_FORMULA C F(ceil)(TH_X)       { return TH_LIBM(ceil, x)(x); }
TH_FORMULA C F(trunc)(TH_X)      { return TH_LIBM(trunc, x)(x); }
TH_FORMULA C F(round)(TH_X)      { return F(th_round)(x); }
TH_FORMULA C F(frac)(TH_X)       { return x - TH_LIBM(trunc, x)(x); }

/* ---- maps with numbers ---- */
TH_FORMULA C F(add)(TH_X)        { return x + a; }
TH_FORMULA C F(csub)(TH_X)       { return x - a; }
TH_FORMULA C F(mul)(TH_X)        { return x * a; }
TH_FORMULA C F(div)(TH_X)        { return x / a; }
TH_FORMULA C F(fmod)(TH_X)       { return TH_LIBM(fmod, x)(x, a); }
TH_FORMULA C F(mod)(TH_X)       { return F(fmod)(x, a, b); }
TH_FORMULA C F(remainder)(TH_X)  { return x - a * TH_LIBM(floor, x)(x / a); }
TH_FORMULA C F(pow)(TH_X)        { return F(th_pow)(x, a); }
TH_FORMULA C F(pow_number)(TH_X) { return F(th_pow)(a, x); }
TH_FORMULA C F(cmax)(TH_X)       { return x >= a || x != x ? x : a; }
TH_FORMULA C F(cmin)(TH_X)       { return x <= a || x != x ? x : a; }
TH_FORMULA C F(clamp)(TH_X)      { return x < a ? a : x > b ? b : x; }
TH_FORMULA C F(lshift)(TH_X)     { return x * TH_LIBM(exp2, x)(a); }
TH_FORMULA C F(rshift)(TH_X)     { return x / TH_LIBM(exp2, x)(a); }

/* ---- powers that need no logarithm ---- */
TH_FORMULA C F(pow_three)(TH_X)  { return (C)((double)x * x * x); }
TH_FORMULA C F(pow_less_two)(TH_X) { return (C)(1 / ((double)x * x)); }
TH_FORMULA C F(pow_half)(TH_X)   { return x == -(C)INFINITY ? -x : TH_LIBM(sqrt, x)(x + 0); }

/* ---- activations, each with its gradient ---- */
TH_FORMULA C F(sigmoid)(TH_X)         { return F(th_sigmoid)(x); }
TH_FORMULA C F(sigmoid_grad)(TH_G)    { return g * (y * (1 - y)); }
TH_FORMULA C F(tanh)(TH_X)            { return F(th_tanh)(x); }
TH_FORMULA C F(tanh_grad)(TH_G)       { return g * (1 - y * y); }
TH_FORMULA C F(relu)(TH_X)            { return x > 0 || x != x ? x : 0; }
TH_FORMULA C F(relu_grad)(TH_G)       { return x > 0 ? g : 0; }
TH_FORMULA C F(threshold)(TH_X)       { return x > a || x != x ? x : b; }
TH_FORMULA C F(threshold_grad)(TH_G)  { return x > a ? g : 0; }
TH_FORMULA C F(leakyrelu)(TH_X)       { return x > 0 ? x : a * x; }
TH_FORMULA C F(leakyrelu_grad)(TH_G)  { return x > 0 ? g : a * g; }
TH_FORMULA C F(elu)(TH_X)             { return x > 0 ? x : a * F(th_expm1)(x); }
TH_FORMULA C F(elu_grad)(TH_G)        { return y > 0 ? g : g * (y + a); }
TH_FORMULA C F(hardtanh)(TH_X)        { return x < a ? a : x > b ? b : x; }
TH_FORMULA C F(hardtanh_grad)(TH_G)   { return x > a && x < b ? g : 0; }
TH_FORMULA C F(hardshrink)(TH_X)      { return x > a || x < -a || x != x ? x : 0; }
TH_FORMULA C F(hardshrink_grad)(TH_G) { return x > a || x < -a ? g : 0; }
TH_FORMULA C F(softshrink)(TH_X)      { return x > a ? x - a : x < -a ? x + a : x != x ? x : 0; }
TH_FORMULA C F(softshrink_grad)(TH_G) { return x > a || x < -a ? g : 0; }
TH_FORMULA C F(softplus)(TH_X)        { return a * x > b ? x : F(th_log1p)(F(th_exp)(a * x)) / a; }
TH_FORMULA C F(softplus_grad)(TH_G)   { return a * x > b ? g : g * F(th_sigmoid)(a * x); }
TH_FORMULA C F(softsign)(TH_X)        { return x / (1 + F(th_abs)(x)); }
TH_FORMULA C F(softsign_grad)(TH_G)   { const C t = 1 + F(th_abs)(x); return g / (t * t); }
TH_FORMULA C F(logsigmoid)(TH_X)
{
  return (x < 0 ? x : 0) - F(th_log1p)(F(th_exp)(-F(th_abs)(x)));
}
TH_FORMULA C F(logsigmoid_grad)(TH_G) { return g * F(th_sigmoid)(-x); }
TH_FORMULA C F(gelu)(TH_X) { return x * F(th_normal)(x, F(th_exp)((C)-0.5 * x * x)); }
TH_FORMULA C F(gelu_grad)(TH_G)
{
  const C e = F(th_exp)((C)-0.5 * x * x);
  return g * (F(th_normal)(x, e) + x * (C)0.3989422804014327 * e);
}
TH_FORMULA C F(swish)(TH_X)           { return x * F(th_sigmoid)(x); }
TH_FORMULA C F(swish_grad)(TH_G)
{
  const C s = F(th_sigmoid)(x);
  return g * (s + x * s * (1 - s));
}

/* ---- zips ---- */
TH_FORMULA C F(add_tensor)(TH_XZ)  { return x + a * z; }
TH_FORMULA C F(csub_tensor)(TH_XZ) { return x - a * z; }
TH_FORMULA C F(addrelu)(TH_XZ)     { return x + z <= 0 ? 0 : x + z; }
TH_FORMULA C F(cmul)(TH_XZ)        { return x * z; }
TH_FORMULA C F(cdiv)(TH_XZ)        { return x / z; }
TH_FORMULA C F(cfmod)(TH_XZ)       { return TH_LIBM(fmod, x)(x, z); }
TH_FORMULA C F(cmod)(TH_XZ)       { return F(cfmod)(x, z, a); }
TH_FORMULA C F(cremainder)(TH_XZ)  { return x - z * TH_LIBM(floor, x)(x / z); }
TH_FORMULA C F(cmax_tensor)(TH_XZ) { return x >= z || x != x ? x : z; }
TH_FORMULA C F(cmin_tensor)(TH_XZ) { return x <= z || x != x ? x : z; }
TH_FORMULA C F(cpow)(TH_XZ)        { return F(th_pow)(x, z); }
TH_FORMULA C F(atan2)(TH_XZ)       { return F(th_atan2)(x, z); }
TH_FORMULA C F(lerp)(TH_XZ)        { return x + a * (z - x); }
TH_FORMULA C F(clshift)(TH_XZ)     { return x * TH_LIBM(exp2, x)(z); }
TH_FORMULA C F(crshift)(TH_XZ)     { return x / TH_LIBM(exp2, x)(z); }
TH_FORMULA C F(addcmul)(C x, C z, C w, C a) { return x + a * z * w; }
TH_FORMULA C F(addcdiv)(C x, C z, C w, C a) { return x + a * z / w; }
/* clang-format on */
