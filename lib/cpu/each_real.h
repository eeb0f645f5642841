/* each_real.h - reads the file that TH_REAL names for float, as f_f32, and for double, as f_f64: P is the type, M(f) makes the
 * name, M_FMA(a, b, c) the fused product of the level. */
#define P float
#define M(f) f##_f32
#define M_FMA TH_FMA_F32
#include TH_REAL
#undef P
#undef M
#undef M_FMA
#define P double
#define M(f) f##_f64
#define M_FMA TH_FMA_F64
#include TH_REAL
#undef P
#undef M
#undef M_FMA
#undef TH_REAL
