/* core.h - what the C files of libth use beyond th_op.h. */
#ifndef TH_CORE_H
#define TH_CORE_H
#include "th_backend.h"

static inline int64_t th_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t th_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* A thread variable of the quick kind; for a few bytes only, larger things hang on a pointer. */
#define TH_QUICK_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
/* Zeroed memory of the calling thread, made on first use and kept in *slot, a TH_QUICK_LOCAL pointer. */
void *th_thread_memory(void **slot, size_t bytes);

/* What a thread keeps for its next small storages, and has not counted yet: gone, and counted. */
void th_storage_end_of_state(void);

/* The library that knows the other devices; its count is 0 while there is none. */
const th_backend *th_backend_get(void);
/* "the CPU" or "CUDA device 2"; written into text where it must be. */
enum { TH_DEVICE_TEXT = 32 };
const char *th_device_text(char text[TH_DEVICE_TEXT], int device);
#define TH_DEVICE(n) th_device_text((char[TH_DEVICE_TEXT]){ 0 }, (n))
/* For checks that look at elements: a tensor of the CPU with the values of t, t itself where it is there. Release it. */
th_status th_on_cpu(th_tensor *here, const th_tensor *t);
const char *const *th_op_arg_names(const th_op *op);           /* NULL-ended */
th_kind   th_kind_of(const th_op *op, int arg);

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

/* As th_each, in rectangles: `rows` rows of n elements; from one row to the next it is jump[k] bytes. */
typedef void (*th_tile)(char *const *p, const int64_t *step, const int64_t *jump, int64_t n, int64_t rows,
                        const void *ctx);
th_status th_each_tile(int nop, th_tensor *const *t, th_tile tile, const void *ctx);

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
