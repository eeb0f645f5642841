/* th_conv_engine.h - what an engine of convolution is, for the CPU and for libraries that know devices. */
#ifndef TH_CONV_ENGINE_API_H
#define TH_CONV_ENGINE_API_H
#include "th_conv.h"
#include "th_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A convolution of one pass with its operands: x the images or their gradient, y the result or its gradient,
 * k the kernels or their gradient. */
typedef struct th_conv {
  th_conv_shape s;
  const th_tensor *x, *y, *k, *bias;                /* bias: of the result; may be NULL */
  double scale;                                     /* of gradWeight */
} th_conv;

/* run writes the result of its pass, gradWeight without the bias' gradient, and may fail for want of memory
 * before it has written anything. */
typedef struct th_conv_engine {
  const char *name;
  bool      (*supports)(const th_conv_shape *s);
  th_conv_cost (*cost)(const th_conv_shape *s);     /* of a shape that it supports */
  th_status (*run)(const th_conv *c, const th_call *call);
  const char *(*missing)(void);                     /* why it is not there; NULL: it is. No function: it always is */
} th_conv_engine;

/* What devices bring: engines (NULL ends them), of which "gemm" does everything; how long one of them takes for c, in
 * nanoseconds, when all work before is done; and the name of a device's model, by which times are kept. */
typedef struct th_conv_backend {
  const th_conv_engine *const *engines;
  th_status (*time)(int64_t *ns, const th_conv_engine *e, const th_conv *c, const th_call *call);
  const char *(*model)(int device);
} th_conv_backend;
void th_conv_backend_add(const th_conv_backend *b);

/* What else devices may do by cuDNN, or by kernels of their own, is measured and kept as convolutions are: by the pass in the
 * shape, and whatever numbers it depends on. ns of one of both ways, which may fail for want of memory. */
enum { TH_DNN_MEAN = TH_CONV_GRAD_WEIGHT + 1, TH_DNN_MEAN_GRAD, TH_DNN_NORM, TH_DNN_NORM_FIXED, TH_DNN_NORM_GRAD, TH_DNN_RNN,
       TH_DNN_RNN_TRAIN };
typedef th_status (*th_dnn_timer)(int64_t *ns, bool by_cudnn, void *with);
/* Is cuDNN faster? Times both where nobody has. */
th_status th_dnn_contest(bool *yes, const th_conv_shape *s, th_dnn_timer timer, void *with);

/* Whether devices may compute by cuDNN: never, where it is faster, wherever it can. A setting that is there before they are. */
enum { TH_DNN_NEVER, TH_DNN_WHERE_FASTER, TH_DNN_WHEREVER };
void      th_dnn_set(int when);
int       th_dnn_when(void);

/* The convolution that a call of conv2d, conv2d_grad_input or conv2d_grad_weight, whose pass this is, wants. */
th_conv th_conv_of(const th_call *call, int pass);
/* Runs c by the engine that is forced, or the one that is chosen; another if memory does not suffice. */
th_status th_conv_run(const th_conv *c, const th_call *call);

#ifdef __cplusplus
}
#endif
#endif
