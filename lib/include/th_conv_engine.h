/* th_conv_engine.h - the interface of a convolution engine, for the CPU and for backends of devices. */
#ifndef TH_CONV_ENGINE_API_H
#define TH_CONV_ENGINE_API_H
#include "th_conv.h"
#include "th_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A convolution of one pass with its operands: x the images or their gradient, y the result or its gradient,
 * k the kernels or their gradient. */
/* What follows the sums of a convolution: an addend of the result's size (may be NULL), then an
 * activation. CLAMP limits to low..high and keeps NaN. */
enum { TH_AFTER_NONE, TH_AFTER_CLAMP, TH_AFTER_GELU };
typedef struct th_conv_after {
  const th_tensor *add;
  int     act;
  double  low, high;
} th_conv_after;

typedef struct th_conv {
  th_conv_shape s;
  const th_tensor *x, *y, *k, *bias;                /* bias: of the result; may be NULL */
  double scale;                                     /* for gradWeight */
  const th_conv_after *after;                       /* NULL: nothing. Only some engines read it */
} th_conv;

/* run writes the result of its pass; for gradWeight without the gradient of the bias. It may fail for lack of memory before it
 * has written anything. */
typedef struct th_conv_engine {
  const char *name;
  bool      (*supports)(const th_conv_shape *s);
  th_conv_cost (*cost)(const th_conv_shape *s);     /* for a supported shape */
  th_status (*run)(const th_conv *c, const th_call *call);
  const char *(*missing)(void);                     /* why it is unavailable, or NULL; without function: always available */
} th_conv_engine;

/* What a backend provides: engines (NULL ends the list), of which "gemm" supports every shape; the time of an engine for c in
 * nanoseconds, started on an idle device; and the name of a device's model, under which times are kept. */
typedef struct th_conv_backend {
  const th_conv_engine *const *engines;
  th_status (*time)(int64_t *ns, const th_conv_engine *e, const th_conv *c, const th_call *call);
  const char *(*model)(int device);
} th_conv_backend;
void th_conv_backend_add(const th_conv_backend *b);

/* Computes a call of conv2d, conv2d_grad_input or conv2d_grad_weight (`pass` says which) with the forced or the chosen engine,
 * or with another one if memory does not suffice. */
th_status th_conv_run(const th_call *call, int pass);
/* The convolution of such a call. */
th_conv th_conv_of(const th_call *call, int pass);

#ifdef __cplusplus
}
#endif
#endif
