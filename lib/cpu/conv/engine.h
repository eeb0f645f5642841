/* engine.h - the engines of a level, and how they count. */
#ifndef TH_CONV_ENGINE_H
#define TH_CONV_ENGINE_H
#include "../kernel.h"
#include "../../conv/conv.h"

extern const th_conv_engine TH_AT(th_conv_gemm), TH_AT(th_conv_fft), TH_AT(th_conv_fft1d), TH_AT(th_conv_winograd),
                            TH_AT(th_conv_columns), TH_AT(th_conv_direct), TH_AT(th_conv_depthwise);
extern const th_kernel TH_AT(th_conv_grad_bias)[TH_NDTYPE];      /* the part of gradWeight that all engines share */

/* What one core does a second, as costs are predicted: operations in products that fill the machine, and bytes
 * that pass through its caches. Only their relation matters much. */
#define TH_CONV_FLOPS(dtype) (2.9e9 * 2 * TH_VB / ((dtype) == TH_F64 ? 8 : 4) / th_conv_product_time())
#define TH_CONV_BYTES 7e9

#endif
