/* integer.h - the scalar functions of pointwise.h for whole numbers: T is stored, computed in C
 * (int32_t or int64_t) and wrapped back. Division and shifts only see checked operands. */
/* clang-format off: tables */
#define TH_X  C x, TH_UNUSED C a, TH_UNUSED C b
#define TH_XZ C x, C z, TH_UNUSED C a
#define TH_UNUSED __attribute__((unused))

/* The smallest number divided by -1 wraps, where the machine would trap. */
TH_FORMULA C F(th_quotient)(C x, C z) { return z == -1 ? -x : x / z; }
TH_FORMULA C F(th_modulus)(C x, C z)  { return z == -1 ? 0 : x % z; }
TH_FORMULA C F(th_floored)(C x, C z)         /* the sign of the divisor */
{
  const C r = F(th_modulus)(x, z);
  return r != 0 && (r < 0) != (z < 0) ? r + z : r;
}
/* Shifts act on the bits as stored, fill with zeros, and leave 0 when all bits have gone. */
TH_FORMULA uint64_t F(th_as_stored)(C x)
{
  return (uint64_t)x & (UINT64_MAX >> (64 - 8 * sizeof(T)));
}
TH_FORMULA C F(th_left)(C x, C n)
{
  return (uint64_t)n < 8 * sizeof(T) ? (C)(F(th_as_stored)(x) << n) : 0;
}
TH_FORMULA C F(th_right)(C x, C n)
{
  return (uint64_t)n < 8 * sizeof(T) ? (C)(F(th_as_stored)(x) >> n) : 0;
}
TH_FORMULA C F(th_power)(C x, C n)           /* 1/0 was refused before */
{
  if (n < 0) return x == 1 ? 1 : x == -1 ? (n & 1 ? -1 : 1) : 0;
  C y = 1;
  for (; n; n >>= 1, x *= x) if (n & 1) y *= x;
  return y;
}

/* ---- maps ---- */
TH_FORMULA C F(abs)(TH_X)       { return x < 0 ? -x : x; }
TH_FORMULA C F(neg)(TH_X)       { return -x; }
TH_FORMULA C F(sign)(TH_X)      { return (x > 0) - (x < 0); }
TH_FORMULA C F(square)(TH_X)    { return x * x; }
TH_FORMULA C F(add)(TH_X)       { return x + a; }
TH_FORMULA C F(csub)(TH_X)      { return x - a; }
TH_FORMULA C F(mul)(TH_X)       { return x * a; }
TH_FORMULA C F(div)(TH_X)       { return F(th_quotient)(x, a); }
TH_FORMULA C F(fmod)(TH_X)      { return F(th_modulus)(x, a); }
TH_FORMULA C F(mod)(TH_X)       { return F(fmod)(x, a, b); }
TH_FORMULA C F(remainder)(TH_X) { return F(th_floored)(x, a); }
TH_FORMULA C F(cmax)(TH_X)      { return x > a ? x : a; }
TH_FORMULA C F(cmin)(TH_X)      { return x < a ? x : a; }
TH_FORMULA C F(clamp)(TH_X)     { return x < a ? a : x > b ? b : x; }
TH_FORMULA C F(lshift)(TH_X)    { return F(th_left)(x, a); }
TH_FORMULA C F(rshift)(TH_X)    { return F(th_right)(x, a); }
TH_FORMULA C F(bitand)(TH_X)    { return x & a; }
TH_FORMULA C F(bitor)(TH_X)     { return x | a; }
TH_FORMULA C F(bitxor)(TH_X)    { return x ^ a; }

/* ---- zips ---- */
TH_FORMULA C F(add_tensor)(TH_XZ)  { return x + a * z; }
TH_FORMULA C F(csub_tensor)(TH_XZ) { return x - a * z; }
TH_FORMULA C F(cmul)(TH_XZ)        { return x * z; }
TH_FORMULA C F(cdiv)(TH_XZ)        { return F(th_quotient)(x, z); }
TH_FORMULA C F(cfmod)(TH_XZ)       { return F(th_modulus)(x, z); }
TH_FORMULA C F(cmod)(TH_XZ)       { return F(cfmod)(x, z, a); }
TH_FORMULA C F(cremainder)(TH_XZ)  { return F(th_floored)(x, z); }
TH_FORMULA C F(cmax_tensor)(TH_XZ) { return x > z ? x : z; }
TH_FORMULA C F(cmin_tensor)(TH_XZ) { return x < z ? x : z; }
TH_FORMULA C F(cpow)(TH_XZ)        { return F(th_power)(x, z); }
TH_FORMULA C F(clshift)(TH_XZ)     { return F(th_left)(x, z); }
TH_FORMULA C F(crshift)(TH_XZ)     { return F(th_right)(x, z); }
TH_FORMULA C F(cbitand)(TH_XZ)     { return x & z; }
TH_FORMULA C F(cbitor)(TH_XZ)      { return x | z; }
TH_FORMULA C F(cbitxor)(TH_XZ)     { return x ^ z; }
TH_FORMULA C F(addcmul)(C x, C z, C w, C a) { return x + a * z * w; }
TH_FORMULA C F(addcdiv)(C x, C z, C w, C a) { return x + F(th_quotient)(a * z, w); }
/* clang-format on */
