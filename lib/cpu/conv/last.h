/* last.h - convolution of images whose channels lie side by side, at a level. */
#ifndef TH_CONV_LAST_H
#define TH_CONV_LAST_H
#include "engine.h"
#include "../gemm.h"

/* Whether th_conv_last computes c: floats without groups, at levels with vectors of 8 floats. */
bool TH_AT(th_conv_can_last)(const th_conv *c);
/* The result of c, and c->after, whose addend has the layout of y and may be y. */
th_status TH_AT(th_conv_last)(const th_conv *c);

#endif
