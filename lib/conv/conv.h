/* lib/conv/conv.h - what the CPU's convolution engines and lib/conv share beyond th_conv_engine.h. */
#ifndef TH_CONV_H
#define TH_CONV_H
#include "../core/core.h"
#include "th_conv.h"
#include "th_conv_engine.h"
#include "th_tune.h"

enum { TH_CONV_MOST = TH_TUNE_WAYS };               /* engines */

static inline double th_conv_products(const th_conv_shape *s)
{
  return (double)s->n * (double)s->groups * (double)s->oh * (double)s->ow * (double)s->c * (double)s->o * (double)s->kh *
         (double)s->kw;
}

/* Time of products relative to data movement, as a multiple of that on the machine where costs were fitted. A function of the
 * CPU's model, so that choices do not vary from run to run. */
double th_conv_product_time(void);

/* The engine of this number on a device, or NULL. */
const th_conv_engine *th_conv_engine_at(int device, int i);
bool th_conv_does(const th_conv_shape *s, int engine);
/* The engines of devices; NULL if none have been added. */
const th_conv_backend *th_conv_backend_get(void);

#endif
