/* conv.c - the ops of convolution: what they were called with becomes a th_conv, and an engine runs it. */
#include "engine.h"

const th_conv_engine *const TH_AT(th_conv_engines)[] = { &TH_AT(th_conv_gemm), &TH_AT(th_conv_fft1d),
                                                         &TH_AT(th_conv_fft), &TH_AT(th_conv_winograd),
                                                         &TH_AT(th_conv_columns), &TH_AT(th_conv_direct),
                                                         &TH_AT(th_conv_depthwise), NULL };

static th_conv conv_of(const th_call *call, int pass, const th_tensor *x, const th_tensor *y, const th_tensor *k,
                       const th_arg *v)
{
  const int f = x->ndim - 3;
  const int64_t groups = v[6].i;
  return (th_conv){ .x = x, .y = y, .k = k, .scale = 1, .s = {
    .n = f ? x->size[0] : 1, .groups = groups, .c = k->size[1], .o = k->size[0] / groups, .h = x->size[f + 1],
    .w = x->size[f + 2], .kh = k->size[2], .kw = k->size[3], .oh = y->size[f + 1], .ow = y->size[f + 2],
    .sh = v[0].i, .sw = v[1].i, .ph = v[2].i, .pw = v[3].i, .dh = v[4].i, .dw = v[5].i,
    .pass = pass, .dtype = call->dtype
  } };
}

static th_status forward(const th_call *call)
{
  th_conv c = conv_of(call, TH_CONV_FORWARD, call->arg[1].t, call->arg[0].t, call->arg[2].t, call->arg + 4);
  c.bias = call->arg[3].t;
  return th_conv_run(&c, call);
}

static th_status grad_input(const th_call *call)
{
  const th_conv c = conv_of(call, TH_CONV_GRAD_INPUT, call->arg[0].t, call->arg[2].t, call->arg[3].t, call->arg + 4);
  return th_conv_run(&c, call);
}

static th_status grad_weight(const th_call *call)
{
  th_conv c = conv_of(call, TH_CONV_GRAD_WEIGHT, call->arg[2].t, call->arg[3].t, call->arg[0].t, call->arg + 5);
  c.scale = call->arg[4].d;
  TH_TRY(th_conv_run(&c, call));
  return call->arg[1].t ? TH_AT(th_conv_grad_bias)[call->dtype](call) : TH_OK;
}

#define FLOATS(f) { [TH_F16] = f, [TH_BF16] = f, [TH_F32] = f, [TH_F64] = f }
const th_kernel TH_AT(th_conv2d)[TH_NDTYPE] = FLOATS(forward);
const th_kernel TH_AT(th_conv2d_grad_input)[TH_NDTYPE] = FLOATS(grad_input);
const th_kernel TH_AT(th_conv2d_grad_weight)[TH_NDTYPE] = FLOATS(grad_weight);
