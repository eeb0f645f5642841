/* core.h - declarations for the C files of libth beyond th_op.h. */
#ifndef TH_CORE_H
#define TH_CORE_H
#include "th_backend.h"

static inline int64_t th_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t th_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* The bytes of an element; 0 of no dtype. th_dtype_size is this for others than libth. */
static inline size_t th_bytes_of(int dtype) { return dtype > TH_NONE && dtype < TH_NDTYPE ? th_element_size(dtype) : 0; }

/* A thread-local variable with the fast initial-exec model. Room is scarce, so larger data is behind a pointer. */
#define TH_QUICK_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
/* Zeroed memory of the calling thread, allocated on first use and stored in *slot, a TH_QUICK_LOCAL pointer. */
void *th_thread_memory(void **slot, size_t bytes);

/* Frees the calling thread's cached small storages and adds its uncounted bytes to the totals. */
void th_storage_end_of_state(void);

/* The backend of other devices; its count is 0 while none is loaded. */
const th_backend *th_backend_get(void);
/* The name of a device, "the CPU" or "CUDA device 2"; may be written into text. */
enum { TH_DEVICE_TEXT = 32 };
const char *th_device_text(char text[TH_DEVICE_TEXT], int device);
#define TH_DEVICE(n) th_device_text((char[TH_DEVICE_TEXT]){ 0 }, (n))
/* For checks that read elements: a CPU tensor with the values of t, or t itself if it is on the CPU. Release it. */
th_status th_on_cpu(th_tensor *here, const th_tensor *t);
const char *const *th_op_arg_names(const th_op *op);           /* NULL-ended */
th_kind   th_kind_of(const th_op *op, int arg);

/* LuaJIT stores its other types in NaNs that no computation produces. A number that goes to Lua must have neither their bits nor
 * those of a signaling NaN, which become such bits when it is added or negated: every NaN becomes the plain one of its sign. */
static inline double th_plain(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits & INT64_MAX) > 0x7ff0000000000000u) bits = (bits & ~(uint64_t)INT64_MAX) | 0x7ff8000000000000u;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* As th_each, in rectangles of `rows` rows of n elements; rows of operand k are jump[k] bytes apart. */
typedef void (*th_tile)(char *const *p, const int64_t *step, const int64_t *jump, int64_t n, int64_t rows,
                        const void *ctx);
th_status th_each_tile(int nop, th_tensor *const *t, th_tile tile, const void *ctx);

/* ---- BLAS, opened at run time, one thread per call ------------------------------------------- */

typedef struct th_blas {
  void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                const float *b, int ldb, float beta, float *c, int ldc);
  void (*dgemm)(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                const double *b, int ldb, double beta, double *c, int ldc);
  void (*sgemv)(int order, int ta, int m, int n, float alpha, const float *a, int lda, const float *x,
                int incx, float beta, float *y, int incy);
  void (*dgemv)(int order, int ta, int m, int n, double alpha, const double *a, int lda, const double *x,
                int incx, double beta, double *y, int incy);
  void *handle;                     /* for dlsym: LAPACK and other functions */
} th_blas;
enum { TH_ROWMAJOR = 101, TH_COLMAJOR = 102, TH_NOTRANS = 111, TH_TRANS = 112 };   /* cblas.h's values */

/* The library, opened on first use; NULL without one, with the message of TH_EBACKEND set. */
const th_blas *th_blas_get(void);
/* Stores the address of a LAPACK routine ("dgesv_", with Fortran's calling convention) in the pointer at f. */
th_status th_lapack_get(void *f, const char *routine);

#endif
