// cunn/conv/conv.cu - the ops of convolution on devices: which engines there are, how fast a device is, and how long an engine takes.
#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include "engine.cuh"
#include "../../lib/op/conv2d.args.h"
#include "../libraries/cudnn.cuh"
#include "../libraries/cufft.cuh"
#include "../runtime/graph.cuh"
#include "../kernels/normalise.cuh"

namespace {

static const th_conv_engine *const engines[] = {
  &th_cuda_conv_gemm, &th_cuda_conv_fft, &th_cuda_conv_cufft, &th_cuda_conv_cudnn, nullptr
};

// ---- devices ----------------------------------------------------------------------------------------------------------

/* tf32_name names the device where floats are rounded to TF32: engines take other times then. */
static struct { std::once_flag once; th_cuda_peak peak; char name[256], tf32_name[264]; } known[TH_MAXDEVICE];

/* `usual` where the driver does not tell. */
static double attribute(cudaDeviceAttr what, int device, double usual = 1)
{
  int v = 0;
  if (cudaDeviceGetAttribute(&v, what, device - 1) != cudaSuccess) cudaGetLastError();
  return v > 0 ? v : usual;
}

/* Results a clock of one multiprocessor, as CUDA's programming guide lists them by compute capability. */
static int floats_of(int major, int minor) { return major < 8 || (major == 8 && minor == 0) ? 64 : 128; }
static int doubles_of(int major, int minor)
{
  if (minor == 0 && (major == 7 || major == 8)) return 32;
  return minor == 0 && (major == 9 || major == 10) ? 64 : 2;
}

static void add_version(char *to, size_t size, const char *what, const char *version)
{
  const size_t n = strlen(to);
  if (*version) snprintf(to + n, size - n, ", %s %s", what, version);
}

static void ask(int device)
{
  auto &k = known[device - 1];
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, device - 1) == cudaSuccess) {
    /* Another version of a library takes other times. */
    snprintf(k.name, sizeof k.name, "%s", p.name);
    add_version(k.name, sizeof k.name, "cuBLAS", th_cuda_blas_version());
    add_version(k.name, sizeof k.name, "cuFFT", th_cuda_fft_version());
    add_version(k.name, sizeof k.name, "cuDNN", dnn::version());
    snprintf(k.tf32_name, sizeof k.tf32_name, "%s", (std::string(k.name) + ", TF32").c_str());
  } else {
    cudaGetLastError();
  }
  const int major = (int)attribute(cudaDevAttrComputeCapabilityMajor, device);
  int minor = 0;
  if (cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device - 1) != cudaSuccess) cudaGetLastError();
  const double n = attribute(cudaDevAttrMultiProcessorCount, device), hz = 1e3 * attribute(cudaDevAttrClockRate, device, 1.5e6);
  k.peak.floats = 2 * n * floats_of(major, minor) * hz;
  k.peak.doubles = 2 * n * doubles_of(major, minor) * hz;
  /* Tensor cores reach about these multiples in convolutions: measured on an H200 (bench/results/nvidia-h200.md). */
  k.peak.halves = (major < 8 ? 4 : 8) * k.peak.floats;
  k.peak.tf32 = (major < 8 ? 1 : 4) * k.peak.floats;
  /* Memory gives two words a clock. */
  k.peak.bytes = 2 * 1e3 * attribute(cudaDevAttrMemoryClockRate, device, 2e6) *
                 attribute(cudaDevAttrGlobalMemoryBusWidth, device, 1024) / 8;
  k.peak.multiprocessors = (int)n;
}

static const char *model(int device)
{
  if (device < 1 || device > TH_MAXDEVICE) return nullptr;
  std::call_once(known[device - 1].once, ask, device);
  const auto &k = known[device - 1];
  return !k.name[0] ? nullptr : th_cuda_tf32() ? k.tf32_name : k.name;
}

// ---- times ------------------------------------------------------------------------------------------------------------

/* From event to event in the stream of the thread. */
static th_status between(int64_t *ns, cudaEvent_t from, cudaEvent_t to, const std::function<th_status()> &work)
{
  float ms = 0;
  TH_CUDA_TRY(cudaEventRecord(from, th_cuda_stream()));
  TH_TRY(work());
  TH_CUDA_TRY(cudaEventRecord(to, th_cuda_stream()));
  TH_CUDA_TRY(cudaEventSynchronize(to));
  TH_CUDA_TRY(cudaEventElapsedTime(&ms, from, to));
  *ns = (int64_t)(1e6 * (double)ms);
  return TH_OK;
}

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
  const th_values<T> v = { th_first<const T>(g), th_view_of(g) };
  th_cuda_scratch sums;
  TH_TRY(sums.take((size_t)(by_plane.features * th_stretches(by_plane)) * 2 * sizeof(double)));
  TH_TRY(th_sum_by_feature(sums.as<double>(), v, by_plane));
  TH_TRY(th_conv_run(call, TH_CONV_GRAD_WEIGHT));
  TH_LAUNCH((add_bias<T>), th_blocks(by_plane.features), THREADS, 0, th_vector<T>(gb), sums.as<const double>(),
            by_plane.features, th_stretches(by_plane), a->scale);
  return th_launched();
}

}  // namespace

th_status th_cuda_time(int64_t *ns, const std::function<th_status()> &work)
{
  cudaEvent_t from, to;
  TH_CUDA_TRY(cudaEventCreateWithFlags(&from, cudaEventDefault));
  th_status s = TH_CUDA(cudaEventCreateWithFlags(&to, cudaEventDefault));
  if (s == TH_OK) {
    s = between(ns, from, to, work);
    cudaEventDestroy(to);
  }
  cudaEventDestroy(from);
  return s;
}

const th_cuda_peak &th_cuda_peak_of(int device)
{
  model(device);
  return known[device - 1].peak;
}

double th_cuda_share(const th_cuda_peak &p, double blocks)
{
  const double places = 2.0 * p.multiprocessors;
  return blocks / (places * std::ceil(std::max(blocks, 1.0) / places));
}

void th_cuda_add_engines()
{
  static const th_conv_backend backend = { engines, timed, model };
  th_conv_backend_add(&backend);
}

#define FLOATS(f) nullptr, nullptr, nullptr, nullptr, nullptr, f, f, f, f
TH_KERNELS(conv2d, FLOATS(conv2d))
TH_KERNELS(conv2d_grad_input, FLOATS(conv2d_grad_input))
TH_KERNELS(conv2d_grad_weight, TH_CUDA_FLOATS(conv2d_grad_weight))
