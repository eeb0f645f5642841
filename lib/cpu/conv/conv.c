/* conv.c - the ops of convolution: an engine runs each of them. */
#include "engine.h"
#include "../../op/conv2d.args.h"

const th_conv_engine *const TH_AT(th_conv_engines)[] = { &TH_AT(th_conv_gemm), &TH_AT(th_conv_fft1d),
                                                         &TH_AT(th_conv_fft), &TH_AT(th_conv_winograd),
                                                         &TH_AT(th_conv_columns), &TH_AT(th_conv_direct),
                                                         &TH_AT(th_conv_depthwise), NULL };

static th_status forward(const th_call *call) { return th_conv_run(call, TH_CONV_FORWARD); }
static th_status grad_input(const th_call *call) { return th_conv_run(call, TH_CONV_GRAD_INPUT); }

static th_status grad_weight(const th_call *call)
{
  TH_TRY(th_conv_run(call, TH_CONV_GRAD_WEIGHT));
  return conv2d_grad_weight_args_of(call)->gb ? TH_AT(th_conv_grad_bias)[call->dtype](call) : TH_OK;
}

#define FLOATS(f) { [TH_F16] = f, [TH_BF16] = f, [TH_F32] = f, [TH_F64] = f }
const th_kernel TH_AT(th_conv2d)[TH_NDTYPE] = FLOATS(forward);
const th_kernel TH_AT(th_conv2d_grad_input)[TH_NDTYPE] = FLOATS(grad_input);
const th_kernel TH_AT(th_conv2d_grad_weight)[TH_NDTYPE] = FLOATS(grad_weight);
