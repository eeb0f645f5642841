/* th_backend.h - what a library brings that knows devices other than the CPU: memory, copies, and kernels for ops that are
 * in the registry. It is loaded beside libth and stays. */
#ifndef TH_BACKEND_H
#define TH_BACKEND_H
#include "th_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Devices count from 1; 0 is the CPU. All may be called from any thread. */
typedef struct th_backend {
  int32_t abi;                      /* TH_ABI of the header it was compiled with */
  int32_t count;                    /* of devices; 0: none was found, and only this is looked at */
  th_status (*allocate)(void **p, int device, int64_t bytes, int zeroed);
  void (*release)(void *p, int device);             /* when the work that was begun on it is done */
  /* Bytes between two devices. What the host gave may be changed, and what it got is there, when this returns. */
  th_status (*copy)(void *to, int to_device, const void *from, int from_device, int64_t bytes);
  /* The first element (row-major, from 0) that does not lie in least..most, and a copy of it; -1: none. Of a LongTensor, a
   * ByteTensor, or one of floats, whose NaN lie nowhere. */
  th_status (*outside)(const th_tensor *t, double least, double most, int64_t *place, void *element);
  th_status (*nonzero)(const th_tensor *t, int64_t *count);      /* how many elements are not 0; NaN is not */
  th_status (*enter)(int device);                   /* the next kernel of this thread works there */
  th_status (*leave)(void);                         /* a kernel was run: says what went wrong with it, if that is known */
  th_status (*host_allocate)(void **p, int64_t bytes, int kind);      /* memory of the CPU, TH_HOST_PINNED or _MANAGED */
  void (*host_release)(void *p);                    /* when what was begun with it is done */
} th_backend;

th_status th_backend_add(const th_backend *b);

/* Where a Philox generator stands: word `next` (0..3) of `block` comes now, unless half a pair of normal numbers waits. */
typedef struct th_philox { uint64_t key, stream, block; int32_t next, waiting; } th_philox;
bool th_generator_philox(th_philox *at, const th_generator *g);          /* false: it is of another kind */
void th_philox_skip(th_generator *g, uint64_t n);                         /* n words on */

/* Adds an op, or kernels for a kind of device to an op; the table lists one kernel per dtype. */
th_status th_register(const th_op *op, int kind, const th_kernel *kernels);

#ifdef __cplusplus
}
#endif
#endif
