/* core.h - what every C file of libth may use: failing, calls, parallel loops, loops over tensors. */
#ifndef TH_CORE_H
#define TH_CORE_H
#include <stdbool.h>
#include <string.h>
#include "th.h"

/* Fails with a message "<op>: ..." kept for th_error(). Say what was wanted and what came. */
th_status th_fail(th_status s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define TH_TRY(e) do { th_status s_ = (e); if (s_ != TH_OK) return s_; } while (0)

/* A thread variable of the quick kind; for a few bytes only, larger things hang on a pointer. */
#define TH_QUICK_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
/* Zeroed memory of the calling thread, made on first use and kept in *slot, a TH_QUICK_LOCAL pointer. */
void *th_thread_memory(void **slot, size_t bytes);

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

/* Adds an op of a plug-in, or kernels to an op; the table lists one kernel per dtype. */
th_status th_register(const th_op *op, int device, const th_kernel *kernels);
const char *const *th_op_arg_names(const th_op *op);           /* NULL-ended */
th_kind   th_kind_of(const th_op *op, int arg);

/* ---- tensors --------------------------------------------------------------------------------- */

/* Where the first element is. */
static inline void *th_data(const th_tensor *t, size_t element_size)
{
  return t->storage ? (char *)t->storage->data + (size_t)t->offset * element_size : NULL;
}
#define TH_DATA(T, t) ((T *)th_data((t), sizeof(T)))

/* The questions that every call asks, inline. */
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
static inline bool th_contiguous(const th_tensor *t)
{
  int64_t step = 1;
  for (int d = t->ndim - 1; d >= 0; d--) {
    if (t->size[d] != 1 && t->stride[d] != step) return false;
    step *= t->size[d];
  }
  return true;
}

/* Writes "2x3" (or "()" for no dimension); returns buf. */
enum { TH_SHAPE_TEXT = 128 };
const char *th_shape_text(char buf[TH_SHAPE_TEXT], int ndim, const int64_t *size);
#define TH_SHAPE(t) th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, (t)->ndim, (t)->size)
/* Product of sizes, or -1 when it or its bytes overflow. */
int64_t th_numel_checked(int ndim, const int64_t *size, size_t element_size);

/* LuaJIT hides its other types in the nans that no computation makes: a number that leaves for Lua
 * must not have their bits. */
static inline double th_plain(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (bits > 0xfff8000000000000u) bits = 0xfff8000000000000u;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Aligned scratch memory of a kernel; counted; NULL when there is none left. */
void *th_scratch(size_t bytes);
void  th_scratch_free(void *p);

/* ---- parallel loops -------------------------------------------------------------------------- */

/* Runs f(ctx, first, last) over [0, n) in blocks of `grain`. The cut depends on n and grain only,
 * never on the number of threads. Nested calls run in the calling thread. TH_EINTR after Ctrl-C:
 * blocks not yet begun were skipped. */
typedef void (*th_block)(void *ctx, int64_t first, int64_t last);
th_status th_parallel(int64_t n, int64_t grain, th_block f, void *ctx);

/* Elements a block of cheap elementwise work holds. */
enum { TH_GRAIN = 32768 };

enum { TH_MAXOPND = 5 };

/* One row of operands: p[k] points at the first element of operand k, step[k] is in bytes
 * (0: the same element throughout). */
typedef void (*th_row)(char *const *p, const int64_t *step, int64_t n, const void *ctx);

/* Visits the elements of up to TH_MAXOPND tensors together, in parallel. Operand 0 (the result)
 * has the full shape, the others broadcast to it (right-aligned, size 1 stretches). */
th_status th_each(int nop, th_tensor *const *t, th_row row, const void *ctx);

/* ---- BLAS, opened at run time, one thread a call --------------------------------------------- */

typedef struct th_blas {
  void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                const float *b, int ldb, float beta, float *c, int ldc);
  void (*dgemm)(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                const double *b, int ldb, double beta, double *c, int ldc);
  void (*sgemv)(int order, int ta, int m, int n, float alpha, const float *a, int lda, const float *x,
                int incx, float beta, float *y, int incy);
  void (*dgemv)(int order, int ta, int m, int n, double alpha, const double *a, int lda, const double *x,
                int incx, double beta, double *y, int incy);
  void *handle;                     /* for dlsym: LAPACK and the rest */
} th_blas;
enum { TH_ROWMAJOR = 101, TH_COLMAJOR = 102, TH_NOTRANS = 111, TH_TRANS = 112 };   /* cblas.h's values */

/* The library, opened on first use; NULL with TH_EBACKEND's message kept when there is none. */
const th_blas *th_blas_get(void);
/* Puts the address of a LAPACK routine ("dgesv_", called as Fortran does) into the pointer at f. */
th_status th_lapack_get(void *f, const char *routine);

#endif
