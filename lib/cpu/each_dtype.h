/* each_dtype.h - reads TH_SELF once per dtype; kernel.h says what is defined meanwhile.
 * Define TH_EACH_FLOATS before, and only the four floating dtypes are read. */
#include "kernel.h"

#ifndef TH_EACH_FLOATS
#define IS_INT 1
#define IS_FLOAT 0
#define IS_HALF 0
#define A int64_t
#define LOAD(v) (v)

#define T uint8_t
#define C int32_t
#define DT TH_U8
#define K(f) f##_u8
#define STORE(v) ((T)(v))
#include TH_SELF
#undef T
#undef DT
#undef K
#define T int8_t
#define DT TH_I8
#define K(f) f##_i8
#include TH_SELF
#undef T
#undef DT
#undef K
#define T int16_t
#define DT TH_I16
#define K(f) f##_i16
#include TH_SELF
#undef T
#undef C
#undef DT
#undef K
#define C int64_t
#define T int32_t
#define DT TH_I32
#define K(f) f##_i32
#include TH_SELF
#undef T
#undef DT
#undef K
#define T int64_t
#define DT TH_I64
#define K(f) f##_i64
#include TH_SELF
#undef T
#undef C
#undef DT
#undef K
#undef A
#undef IS_INT
#undef IS_FLOAT
#undef IS_HALF
#undef LOAD
#undef STORE
#endif

#define IS_INT 0
#define IS_FLOAT 1
#define A double
#define IS_HALF 1
#define C float
#define T th_f16
#define DT TH_F16
#define K(f) f##_f16
#define LOAD(v) th_load_f16(v)
#define STORE(v) th_store_f16(v)
#include TH_SELF
#undef T
#undef DT
#undef K
#undef LOAD
#undef STORE
#define T th_bf16
#define DT TH_BF16
#define K(f) f##_bf16
#define LOAD(v) th_load_bf16(v)
#define STORE(v) th_store_bf16(v)
#include TH_SELF
#undef T
#undef DT
#undef K
#undef LOAD
#undef STORE
#undef IS_HALF
#define IS_HALF 0
#define LOAD(v) (v)
#define STORE(v) ((T)(v))
#define T float
#define DT TH_F32
#define K(f) f##_f32
#include TH_SELF
#undef T
#undef C
#undef DT
#undef K
#define T double
#define C double
#define DT TH_F64
#define K(f) f##_f64
#include TH_SELF
#undef T
#undef C
#undef A
#undef DT
#undef K
#undef LOAD
#undef STORE
#undef IS_INT
#undef IS_FLOAT
#undef IS_HALF
#undef TH_SELF
#undef TH_EACH_FLOATS
