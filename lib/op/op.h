/* op.h - what an op file needs: the signature language and the helpers of `check`.
 *
 * Signature: arguments separated by blanks, each `name:kind` with an optional default `=value`.
 *   out      a result. Optional: absent, it is created; given, it is resized and overwritten.
 *            Function and method take the same arguments, so x:sum(2) and r:sum(x, 2) both work.
 *   self     a result like `out` in the function form (torch.add([y,] x, 2)); in the method form it
 *            is the object itself: x:add(2) works in place, y:add(x, 2) writes into y.
 *   inout    a tensor that is read and written: required; returned.
 *   tensor   an input. `=y` takes another argument (usually the `self` one, in the method form only);
 *            `=nil` makes it optional (the op sees NULL).
 *   number int bool string     plain values; int must be whole. `=v` gives a default.
 *   dim      a dimension, from 1 in Lua; `th_need_dim` turns it into one from 0. `=0` may mean none.
 *   list     a table of tensors.    sizes  a LongStorage, table or trailing numbers.
 *   gen      an optional torch.Generator (first in Lua); absent: the default one.
 *   return   not an argument: a number that the op computes into c->arg[i].d and Lua returns.
 * Lua returns the out/self/inout arguments in order, then the `return` ones.
 *
 * `grad` gives, for each differentiable input, its gradient in terms of the op's own arguments, `g`
 * (the gradient of the first result), numbers, `+`, `-` and the Lua functions: "a: mm(g, b') b: mm(a', g)";
 * `'` transposes a matrix.
 */
#ifndef TH_OP_H
#define TH_OP_H
#include "../core/core.h"

enum {
  TH_INPLACE = 1,      /* a result may be the very same view as an input; any other overlap is copied first */
  TH_LATE = 2,         /* the kernel may still refuse what it sees: it calls th_commit itself */
};
/* The same for argument `arg` alone: of addmm, m may be the result, but a and b may not. */
#define TH_INPLACE_AT(arg) (1 << (8 + (arg)))

/* Argument i as a dimension of x: from 1 in Lua to 0-based here; refuses one outside. */
th_status th_need_dim(th_call *c, int arg, const th_tensor *x);
/* Argument `arg` must have exactly / at least / at most so many dimensions. */
th_status th_need_ndim(th_call *c, int arg, int lo, int hi);
th_status th_need_dtype(th_call *c, int arg, int dtype);          /* of a tensor argument */
th_status th_need_float(th_call *c, int arg);                     /* Half, BFloat16, Float or Double */
th_status th_need_same_dtype(th_call *c, int arg, int other);
th_status th_need_same_shape(th_call *c, int arg, int other);
/* Every value of LongTensor `arg` must lie in 1..n; `what` names it ("index", "class"). */
th_status th_need_indices(th_call *c, int arg, int64_t n, const char *what);

/* The result `arg` shall have this dtype and shape. Nothing is written before check has passed. */
th_status th_out(th_call *c, int arg, int dtype, int ndim, const int64_t *size);
th_status th_out_like(th_call *c, int arg, const th_tensor *x);
/* The result takes the broadcast shape of these inputs (right-aligned, 1 stretches). Torch7 let
 * tensors of equal element count through whatever their shapes; so do we: then `arg` is like the first. */
th_status th_out_broadcast(th_call *c, int arg, int dtype, int n, const int *inputs);

/* Gives the results the shapes that check asked for. th_run does so before the kernel runs; but the
 * kernel of a TH_LATE op computes aside, calls this when nothing can go wrong any more, then writes.
 * From there on it may read no input: a result may have taken its place. */
th_status th_commit(const th_call *c);

/* The name of argument `arg` for messages. */
const char *th_arg_name(const th_call *c, int arg);

#endif
