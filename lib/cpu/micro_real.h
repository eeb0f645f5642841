/* micro_real.h - the products of micro.h for float (micro_f32, ...) and double (micro_f64, ...), and turn.h. */
#define P float
#define M(f) f##_f32
#define M_FMA TH_FMA_F32
#include "micro.h"
#include "turn.h"
#undef P
#undef M
#undef M_FMA
#define P double
#define M(f) f##_f64
#define M_FMA TH_FMA_F64
#include "micro.h"
#include "turn.h"
#undef P
#undef M
#undef M_FMA
