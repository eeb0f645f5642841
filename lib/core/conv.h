/* conv.h - what a convolution is, what an engine says about one before it runs it, and who chooses. */
#ifndef TH_CONV_H
#define TH_CONV_H
#include "core.h"
#include "th_conv.h"

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

/* How long products take beside all that moves data, of what they took on the machine where costs were fitted. A function of
 * the CPU's model, so that choices do not move from run to run. */
double th_conv_product_time(void);

bool th_conv_does(const th_conv_shape *s, int engine);

/* Runs c by the engine that is forced, or the one that is chosen; another if memory does not suffice. */
th_status th_conv_run(const th_conv *c, const th_call *call);

#endif
