/* th_op.h - what an op file needs, in the library and in a plug-in: the signature language (th_args.h writes it), calls,
 * helpers of `check`, loops over tensors. How to write a plug-in: doc/user-ops.md.
 *
 * Signature: arguments separated by blanks, each `name:kind` with an optional default `=value`.
 *   out      a result. Optional: absent, it is created; given, it is resized and overwritten.
 *            Function and method take the same arguments, so x:sum(2) and r:sum(x, 2) both work.
 *   self     a result like `out` in the function form (torch.add([y,] x, 2)); in the method form it
 *            is the object itself: x:add(2) works in place, y:add(x, 2) writes into y.
 *   inout    a tensor that is read and written: required; returned.
 *   tensor   an input. `=y` takes another argument (usually the `self` one, in the method form only);
 *            `=nil` makes it optional (the op sees NULL).
 *   number int bool string     plain values; an int loses its fraction. `=v` gives a default.
 *   dim      a dimension, from 1 in Lua; -1 is the last one; `th_need_dim` turns it into one from 0. `=0` may mean none.
 *   list     a table of tensors.    sizes  a LongStorage or a table; `={}` makes them optional.
 *   gen      an optional torch.Generator (first in Lua); absent: the default one.
 *   return   not an argument: a number that the op computes into its place of c->arg, and Lua returns.
 * Lua returns the out/self/inout arguments in order, then the `return` ones.
 *
 * `grad` gives, for each differentiable input, its gradient in terms of the op's own arguments, `g`
 * (the gradient of the first result), numbers, `+`, `-` and the Lua functions: "a: mm(g, b') b: mm(a', g)";
 * `'` transposes a matrix; `name?` is an argument that may be absent.
 */
#ifndef TH_OP_H
#define TH_OP_H
#include <stdbool.h>
#include <string.h>
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fails with a message "<op>: ..." kept for th_error(). Say what was wanted and what came. */
th_status th_fail(th_status s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define TH_TRY(e) do { th_status s_ = (e); if (s_ != TH_OK) return s_; } while (0)

/* ---- a running op ---------------------------------------------------------------------------- */

/* What an argument is; `th_kind_of(op, i)` reads it from the op's signature. */
typedef enum th_kind {
  TH_K_END, TH_K_OUT, TH_K_SELF, TH_K_INOUT, TH_K_TENSOR, TH_K_NUMBER, TH_K_INT, TH_K_DIM,
  TH_K_BOOL, TH_K_RETURN, TH_K_LIST, TH_K_SIZES, TH_K_GEN, TH_K_STRING
} th_kind;

enum { TH_MAXOUT = 4 };

/* The shape that `check` wants a result to have; committed only when every check has passed. */
typedef struct th_want { int32_t arg, dtype, ndim; int64_t size[TH_MAXDIM]; } th_want;

struct th_call {
  const th_op *op;
  const th_kind *kind;              /* of each argument */
  th_arg   arg[TH_MAXARG];          /* a private copy: check may rewrite it */
  int32_t  narg;
  int32_t  dtype, device;           /* choose the kernel; set from the first input, check may change them */
  int32_t  nwant;
  th_want  want[TH_MAXOUT];
};
typedef th_status (*th_kernel)(const th_call *c);

/* ---- what `check` asks ------------------------------------------------------------------------ */

enum {
  TH_INPLACE = 1,      /* a result may be the very same view as an input; any other overlap is copied first */
  TH_LATE = 2,         /* the kernel may still refuse what it sees: it calls th_commit itself */
  TH_DEVICES = 4,      /* tensors may be on different devices; check says whose kernel it is */
  TH_BY_CPU = 8,       /* without a device kernel the CPU computes with copies of the tensors. Not for ops that take lists */
};
/* The same for argument `arg` alone: of addmm, m may be the result, but a and b may not. 16 to 64 are in core/op_flags.h. */
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

/* Notes of a check (TH_ENOTE), before it reports results: whether a kind is on, and the note on sizes of equal count. */
bool th_notes_want(int kind);
th_status th_note_shapes(const th_tensor *a, const th_tensor *b);

/* The result `arg` shall have this dtype and shape. Nothing is written before check has passed. */
th_status th_out(th_call *c, int arg, int dtype, int ndim, const int64_t *size);
th_status th_out_like(th_call *c, int arg, const th_tensor *x);
/* The result takes the broadcast shape of these inputs (right-aligned, 1 stretches). Torch7 let
 * tensors of equal element count through whatever their shapes; so do we: then `arg` is like the first.
 * Where the result is one of the inputs itself it must keep its size. */
th_status th_out_broadcast(th_call *c, int arg, int dtype, int n, const int *inputs);

/* Gives the results the shapes that check has set. th_run does so before the kernel runs. The kernel of a TH_LATE op instead
 * computes in fresh memory, calls this when nothing more can fail, then writes. After this call it may read no input, because a
 * result may have replaced it. */
th_status th_commit(const th_call *c);

/* The name of argument `arg` for messages. */
const char *th_arg_name(const th_call *c, int arg);

/* ---- tensors --------------------------------------------------------------------------------- */

/* The kind of device that has this number. */
static inline int th_device_kind(int device) { return device == 0 ? TH_CPU : TH_CUDA; }

/* The address of the first element. */
static inline void *th_data(const th_tensor *t, size_t element_size)
{
  return t->storage ? (char *)t->storage->data + (size_t)t->offset * element_size : NULL;
}
#define TH_DATA(T, t) ((T *)th_data((t), sizeof(T)))

/* Queries of every call, inline. */
static inline size_t th_element_size(int dtype)
{
  static const uint8_t size[TH_NDTYPE] = { 0, 1, 1, 2, 4, 8, 2, 2, 4, 8 };
  return size[dtype];
}
static inline bool th_same_shape(const th_tensor *a, const th_tensor *b)
{
  if (a->ndim != b->ndim) return false;
  for (int d = 0; d < a->ndim; d++) if (a->size[d] != b->size[d]) return false;
  return true;
}
static inline int64_t th_numel(const th_tensor *t)
{
  int64_t n = t->dtype != TH_NONE;
  for (int d = 0; d < t->ndim; d++) n *= t->size[d];
  return n;
}
/* Whether the elements lie one after the other, row by row. A tensor without elements has any strides. */
static inline bool th_contiguous(const th_tensor *t)
{
  int64_t step = 1;
  bool dense = true;
  for (int d = t->ndim - 1; d >= 0; d--) {
    dense = dense && (t->size[d] == 1 || t->stride[d] == step);
    step *= t->size[d];
  }
  return dense || !step;
}

/* Writes "2x3" (or "()" for no dimension); returns buf. */
enum { TH_SHAPE_TEXT = 128 };
const char *th_shape_text(char buf[TH_SHAPE_TEXT], int ndim, const int64_t *size);
#define TH_SHAPE(t) th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, (t)->ndim, (t)->size)
/* Product of sizes, or -1 when it or its bytes overflow. */
int64_t th_numel_checked(int ndim, const int64_t *size, size_t element_size);

/* An element of any dtype as a number: for kernels that serve all types. A number becomes whole as in C. */
static inline double th_read(const void *p, int dtype)
{
  switch (dtype) {
    case TH_U8:  return *(const uint8_t *)p;
    case TH_I8:  return *(const int8_t *)p;
    case TH_I16: return *(const int16_t *)p;
    case TH_I32: return *(const int32_t *)p;
    case TH_I64: return (double)*(const int64_t *)p;
    case TH_F32: return *(const float *)p;
    case TH_F64: return *(const double *)p;
    default:     return th_half_to_double(*(const uint16_t *)p, dtype);
  }
}
static inline void th_write(void *p, int dtype, double x)
{
  switch (dtype) {
    case TH_U8:  *(uint8_t *)p = (uint8_t)(int64_t)x; break;
    case TH_I8:  *(int8_t *)p = (int8_t)(int64_t)x; break;
    case TH_I16: *(int16_t *)p = (int16_t)(int64_t)x; break;
    case TH_I32: *(int32_t *)p = (int32_t)(int64_t)x; break;
    case TH_I64: *(int64_t *)p = (int64_t)x; break;
    case TH_F32: *(float *)p = (float)x; break;
    case TH_F64: *(double *)p = x; break;
    default:     *(uint16_t *)p = th_half_from_double(x, dtype);
  }
}

/* Aligned workspace of a kernel; NULL without memory, or beyond the limit of th_memory. */
void *th_scratch(size_t bytes);
void  th_scratch_free(void *p);

/* ---- parallel loops -------------------------------------------------------------------------- */

/* Runs f(ctx, first, last) over [0, n) in blocks of `grain`. The cut depends on n and grain only,
 * never on the number of threads. Nested calls run in the calling thread. TH_EINTR after Ctrl-C:
 * blocks not yet begun were skipped. */
typedef void (*th_block)(void *ctx, int64_t first, int64_t last);
th_status th_parallel(int64_t n, int64_t grain, th_block f, void *ctx);

/* The number of elements in a block of cheap elementwise work. */
enum { TH_GRAIN = 32768 };

enum { TH_MAXOPND = 5 };

/* One row of operands: p[k] points at the first element of operand k, step[k] is in bytes
 * (0: the same element throughout). */
typedef void (*th_row)(char *const *p, const int64_t *step, int64_t n, const void *ctx);

/* Visits the elements of up to TH_MAXOPND tensors together, in parallel. Operand 0 (the result)
 * has the full shape, the others broadcast to it (right-aligned, size 1 stretches). */
th_status th_each(int nop, th_tensor *const *t, th_row row, const void *ctx);

/* ---- plug-ins ----------------------------------------------------------------------------------- */

/* An op of a plug-in: `kernel` serves every dtype that check lets through, or `kernels` lists one per dtype. */
typedef struct th_plugin_op {
  const th_op     *op;
  th_kernel        kernel;
  const th_kernel *kernels;         /* TH_NDTYPE of them; NULL where there is none */
} th_plugin_op;

typedef struct th_plugin_face { int32_t abi, nop; const th_plugin_op *ops; } th_plugin_face;

/* Written once, at the end of a plug-in: TH_PLUGIN({ &this_op, .kernel = run }, { &that_op, .kernels = table }) */
#define TH_PLUGIN(...) \
  static const th_plugin_op th_plugin_ops[] = { __VA_ARGS__ }; \
  __attribute__((visibility("default"))) extern const th_plugin_face th_plugin_entry; \
  const th_plugin_face th_plugin_entry = { TH_ABI, sizeof th_plugin_ops / sizeof *th_plugin_ops, th_plugin_ops };

#ifdef __cplusplus
}
#endif
#endif
