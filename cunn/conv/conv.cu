// conv.cu - the ops of convolution on devices, and their engines.
#include "engine.cuh"
#include "../../lib/op/conv2d.args.h"
#include "../kernels/normalise.cuh"
#include "../runtime/events.cuh"
#include "../runtime/recording.cuh"

namespace {

static const th_conv_engine *const engines[] = {
  &th_cuda_conv_gemm, &th_cuda_conv_fft, &th_cuda_conv_cufft, &th_cuda_conv_cudnn, nullptr
};

// ---- times ------------------------------------------------------------------------------------------------------------

static th_status timed(int64_t *ns, const th_conv_engine *e, const th_conv *c, const th_call *call)
{
  TH_CUDA_NOT_RECORDED("engines of convolution are timed: one call before the recording does that");
  return th_cuda_time(ns, [=] { return e->run(c, call); });
}

// ---- the ops ----------------------------------------------------------------------------------------------------------

static th_status conv2d(const th_call *call) { return th_conv_run(call, TH_CONV_FORWARD); }
static th_status conv2d_grad_input(const th_call *call) { return th_conv_run(call, TH_CONV_GRAD_INPUT); }

template <class T>
static __global__ void add_bias(th_vector<T> gb, const double *part, int64_t planes, int64_t stretches, double scale)
{
  for (TH_EACH(f, planes)) {
    double sum, unused;
    th_join_stretches(part, f, stretches, &sum, &unused);
    gb.put(f, gb.get(f, 0) + scale * sum);
  }
}

/* The sums of the bias come first, because a call that runs out of memory must have added nothing: it is repeated. */
template <class T> static th_status conv2d_grad_weight(const th_call *call)
{
  const conv2d_grad_weight_args *a = conv2d_grad_weight_args_of(call);
  const th_tensor *gb = a->gb, *g = a->g;
  if (!gb || th_numel(g) == 0) return th_conv_run(call, TH_CONV_GRAD_WEIGHT);
  const int f = g->ndim - 3;
  const th_features by_plane = { f ? g->size[0] : 1, g->size[f], g->size[f + 1] * g->size[f + 2] };
  th_cuda_scratch sums;
  TH_TRY(sums.take((size_t)(by_plane.features * th_stretches(by_plane)) * 2 * sizeof(double)));
  const bool rows = th_contiguous(g) && (uintptr_t)th_first<const T>(g) % 16 == 0;
  double *part = sums.as<double>();
  TH_TRY(rows ? th_sum_by_feature<TH_MOST<T>>(part, th_values<T, true>(g), by_plane)
              : th_sum_by_feature<TH_MOST<T>>(part, th_values<T, false>(g), by_plane));
  TH_TRY(th_conv_run(call, TH_CONV_GRAD_WEIGHT));
  TH_LAUNCH((add_bias<T>), th_blocks(by_plane.features), THREADS, 0, th_vector<T>(gb), sums.as<const double>(),
            by_plane.features, th_stretches(by_plane), a->scale);
  return th_launched();
}

}  // namespace

void th_cuda_add_engines()
{
  static const th_conv_backend backend = { engines, timed, th_cuda_model };
  th_conv_backend_add(&backend);
}

#define FLOATS(f) nullptr, nullptr, nullptr, nullptr, nullptr, f, f, f, f
TH_KERNELS(conv2d, FLOATS(conv2d))
TH_KERNELS(conv2d_grad_input, FLOATS(conv2d_grad_input))
TH_KERNELS(conv2d_grad_weight, TH_CUDA_FLOATS(conv2d_grad_weight))
