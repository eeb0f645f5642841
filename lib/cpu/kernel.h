/* kernel.h - what a kernel file of lib/cpu needs. Every such file is compiled once per
 * instruction-set level (TH_LEVEL = base, avx2, avx512) and includes itself once per dtype
 * through each_dtype.h, with
 *   T     the element as stored           C     what formulas run in (float for the halves)
 *   A     what sums run in (double for floats, int64_t for integers)
 *   K(f)  f_<dtype>                       DT    the th_dtype
 *   LOAD(v) STORE(v)                      stored <-> C; STORE to an integer truncates and wraps
 *   ELEMENT(v)                            an element from a Lua number
 *   IS_FLOAT  IS_INT  IS_HALF             1 or 0
 */
#ifndef TH_KERNEL_H
#define TH_KERNEL_H
#include <math.h>
#include "../op/op.h"
#include "../formula/half.h"

#define TH_CAT_(a, b) a##_##b
#define TH_CAT(a, b)  TH_CAT_(a, b)
#define TH_AT(f)      TH_CAT(f, TH_LEVEL)        /* the name of f at this level */

/* The table of an op from the functions f_<dtype>. */
#define TH_ALL(f)    { [TH_U8] = f##_u8, [TH_I8] = f##_i8, [TH_I16] = f##_i16, [TH_I32] = f##_i32, \
                       [TH_I64] = f##_i64, [TH_F16] = f##_f16, [TH_BF16] = f##_bf16, \
                       [TH_F32] = f##_f32, [TH_F64] = f##_f64 }
#define TH_FLOATS(f) { [TH_F16] = f##_f16, [TH_BF16] = f##_bf16, [TH_F32] = f##_f32, [TH_F64] = f##_f64 }
#define TH_INTS(f)   { [TH_U8] = f##_u8, [TH_I8] = f##_i8, [TH_I16] = f##_i16, [TH_I32] = f##_i32, \
                       [TH_I64] = f##_i64 }
#define TH_SIGNED(f) { [TH_I8] = f##_i8, [TH_I16] = f##_i16, [TH_I32] = f##_i32, [TH_I64] = f##_i64, \
                       [TH_F16] = f##_f16, [TH_BF16] = f##_bf16, [TH_F32] = f##_f32, [TH_F64] = f##_f64 }
#define TH_BLASABLE(f) { [TH_F32] = f##_f32, [TH_F64] = f##_f64 }
/* The tables of a file that never looks at the elements' type. */
#define TH_ANY(f)    { [TH_U8] = f, [TH_I8] = f, [TH_I16] = f, [TH_I32] = f, [TH_I64] = f, \
                       [TH_F16] = f, [TH_BF16] = f, [TH_F32] = f, [TH_F64] = f }

/* A double as an integer: truncated, then wrapped to the width, as Torch7 on x86-64 does. */
TH_INLINE int64_t th_to_int(double x)
{
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}

/* A number from Lua as an element. */
#define ELEMENT(v) (IS_INT ? STORE(th_to_int(v)) : STORE(v))

/* ---- lines: a tensor seen along one dimension ---- */

/* `count` lines, each of `n` elements `step` apart (in elements). */
typedef struct th_lines { const th_tensor *t; int dim; int64_t count, n, step; } th_lines;

TH_INLINE th_lines th_lines_of(const th_tensor *t, int dim)
{
  th_lines l = { t, dim, 1, t->ndim ? t->size[dim] : 1, t->ndim ? t->stride[dim] : 1 };
  for (int d = 0; d < t->ndim; d++) if (d != dim) l.count *= t->size[d];
  return l;
}
/* Offset, in elements, of line k (row-major over the other dimensions). */
static inline __attribute__((unused)) int64_t th_line_offset(const th_lines *l, int64_t k)
{
  int64_t off = 0;
  for (int d = l->t->ndim - 1; d >= 0; d--) if (d != l->dim) {
    off += (k % l->t->size[d]) * l->t->stride[d];
    k /= l->t->size[d];
  }
  return off;
}
#define TH_LINE(T, l, k) (TH_DATA(T, (l).t) + th_line_offset(&(l), (k)))

#endif
