/* th_backend.h - the interface of a backend, a library for devices other than the CPU: memory, copies, and kernels for registered
 * ops. It is loaded beside libth and never unloaded. */
#ifndef TH_BACKEND_H
#define TH_BACKEND_H
#include "th_op.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct th_bound th_bound;      /* lib/core/bounds.h */

/* Devices count from 1; 0 is the CPU. Any thread may call these functions. */
typedef struct th_backend {
  int32_t abi;                      /* TH_ABI of the header it was compiled with */
  int32_t count;                    /* number of devices; if 0, all else is ignored */
  th_status (*allocate)(void **p, int device, int64_t bytes, int zeroed);
  void (*release)(void *p, int device);             /* after all work on it is done */
  /* Copies bytes between two devices. On return the host may change a source and read a target in its memory. */
  th_status (*copy)(void *to, int to_device, const void *from, int from_device, int64_t bytes);
  /* Waits for the first element (row-major, from 0) that does not lie within the bound, and a copy of it; -1: none. Of a
   * LongTensor, a ByteTensor, or one of floats, whose NaN lie nowhere. */
  th_status (*outside)(const th_tensor *t, const th_bound *b, int64_t *place, void *element);
  th_status (*nonzero)(const th_tensor *t, int64_t *count);      /* the number of elements other than 0; NaN counts */
  th_status (*enter)(int device);                   /* the next kernel of this thread runs there */
  th_status (*leave)(void);                         /* after a kernel: reports its error, if known */
  th_status (*host_allocate)(void **p, int64_t bytes, int kind);      /* CPU memory, TH_HOST_PINNED or _MANAGED */
  void (*host_release)(void *p);                    /* after all work with it is done */
} th_backend;

th_status th_backend_add(const th_backend *b);

/* The position of a Philox generator: the next word is word `next` (0..3) of `block`, unless half a pair of normal numbers is
 * left. */
typedef struct th_philox { uint64_t key, stream, block; int32_t next, waiting; } th_philox;
bool th_generator_philox(th_philox *at, const th_generator *g);          /* false for another kind */
void th_philox_skip(th_generator *g, uint64_t n);                         /* skips n words */

/* Adds an op, or kernels for a kind of device to an op; the table lists one kernel per dtype. */
th_status th_register(const th_op *op, int kind, const th_kernel *kernels);

#ifdef __cplusplus
}
#endif
#endif
