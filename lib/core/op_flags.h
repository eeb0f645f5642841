/* op_flags.h - flags of ops, beside those of th_op.h: how an op writes a result whose elements share places in memory.
 *
 * An op that has none of them computes its results aside, and they are copied in row-major order; it refuses an `inout` of
 * this kind. doc/internals/calls.md says more. */
#ifndef TH_OP_FLAGS_H
#define TH_OP_FLAGS_H

enum {
  TH_EACH = 16,        /* each element of argument 0, the result, is made from the same element of the tensors */
  TH_FILLS = 32,       /* every element of each `inout` is written, and none is read */
  TH_PLACES = 64,      /* only some elements are written: the arguments are those of indexCopy, scatter or maskedCopy */
};

#endif
