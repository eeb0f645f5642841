/* elementwise.h - how pointwise kernels meet memory: they are written for contiguous operands only.
 *
 * A loop computes n elements from contiguous arrays: p[0] is the result, p[1]... are the operands.
 * Operands with other strides and the halves are brought into small arrays first, piece by piece,
 * and the result is spread out from one: a loop exists once per op and computing type, and always
 * vectorises. */
#ifndef TH_ELEMENTWISE_H
#define TH_ELEMENTWISE_H
#include "kernel.h"

/* The numbers of a call: as given, and as whole numbers. */
typedef struct th_scalars {
  double   d[2];
  int64_t  i[3];
  int     *found;                   /* for loops that only look: set to 1 */
  const void *more;                 /* what else the loop needs */
} th_scalars;

typedef void (*th_loop)(void *const *p, int64_t n, const th_scalars *k);

/* Elements may be read and written in any order: operand and result are the same or far apart. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"     /* loops that call the C library stay scalar */
#define TH_VECTORISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define TH_VECTORISE _Pragma("GCC ivdep")
#endif

/* Runs `loop` over t[0], the result, and operands t[1..nop-1], which broadcast to it. Halves are
 * seen as float. `made` is the dtype that the loop writes when that is not the type of t[0]:
 * TH_U8 for a comparison, TH_NONE for nothing at all; otherwise t[0]'s dtype. With TH_STORED the
 * loop sees and writes the elements of all operands, whatever their types, as they are stored. */
enum { TH_STORED = -1 };
th_status TH_AT(th_elementwise)(int nop, th_tensor *const *t, th_loop loop, const th_scalars *k,
                                int made);

/* Many halves to float and back: halves.c. */
void TH_AT(th_load_f16s)(float *y, const th_f16 *x, int64_t n);
void TH_AT(th_store_f16s)(th_f16 *y, const float *x, int64_t n);

#endif
