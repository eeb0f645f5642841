// cudnn.cu - opens cuDNN, has a handle for each stream, and compares what is written here of its interface with its header.
#include "../runtime/events.cuh"
#include "cudnn.cuh"
#include <stddef.h>
#include <stdio.h>
#include "../runtime/recording.cuh"
#include "library.h"
#include "thcuda.h"

namespace dnn {

functions library;
static th_library opened("cuDNN", "TH_CUDNN");
static char release[32];

#ifdef __CUDACC__
static void *(*const emulated)(const char *) = nullptr;
#else
static void *(*const emulated)(const char *) = emu::cudnn;
#endif

/* A library that opens may still not work with this driver, or this device. Want of memory passes. */
static std::string trial()
{
  void *made = nullptr;
  const int e = library.create(&made);
  if (e == SUCCESS) library.destroy(made);
  return e == SUCCESS || no_memory(e) ? "" : "cudnnCreate: status " + std::to_string(e);
}

/* cuDNN 9 counts 90100 for 9.1.0, those before it 8907 for 8.9.7. */
static bool named()
{
  const size_t v = library.version(), major = v >= 90000 ? v / 10000 : v / 1000;
  snprintf(release, sizeof release, "%zu.%zu.%zu", major, v >= 90000 ? v / 100 % 100 : v / 100 % 10, v % 100);
  return true;
}

bool found()
{
#define BIND(f, symbol, ...) { (void **)&library.f, #symbol },
  static const bool there =
    opened.open({ "libcudnn.so.9", "libcudnn.so.8", "libcudnn.so" },
                { TH_DNN_FUNCTIONS(BIND) { (void **)&library.version, "cudnnGetVersion" } }, emulated, trial) && named();
#undef BIND
  return there;
}

const char *missing()
{
  if (th_dnn_when() == TH_DNN_NEVER) return "cudnn.enabled is false";
  return found() ? nullptr : opened.why();
}
const char *version() { return found() ? release : ""; }

/* 2 and 9 are those of cuDNN 8. */
bool no_memory(int e) { return e == 2 || e == 4003 || e == 4004; }
th_status status_of(int e, const char *what)
{
  if (e == SUCCESS) return TH_OK;
  if (no_memory(e)) return th_fail(TH_ENOMEM, "cuDNN has no memory for this (%s: status %d)", what, e);
  const bool cannot = e == 9 || (e >= 3000 && e < 4000);
  return th_fail(TH_EBACKEND, "cuDNN%s (%s: status %d)", cannot ? " does not do this" : " has failed", what, e);
}

static th_status make(void **handle, cudaStream_t stream)
{
  void *h = nullptr;
  TH_DNN_TRY(create, &h);
  const int e = library.set_stream(h, stream);
  if (e != SUCCESS) library.destroy(h);
  else *handle = h;
  return status_of(e, "a handle");
}

th_cuda_handles &handle::all()
{
  static th_cuda_handles handles(make, "cuDNN");
  return handles;
}

th_status packed::take(const th_tensor *from, bool read)
{
  const bool aligned = reinterpret_cast<uintptr_t>(th_data(from, th_element_size(from->dtype))) % 16 == 0;
  if (aligned && th_tensor_is_contiguous(from)) {    /* kernels of tensor cores load 16 bytes */
    th_tensor_alias(&t, from);
    return TH_OK;
  }
  t.device = from->device;
  TH_TRY(th_tensor_resize(&t, from->dtype, from->ndim, from->size, nullptr));
  of = from;
  return read ? th_cuda_move(&t, from) : TH_OK;
}

/* ---- which way ---- */

th_tune_key key_of(const th_call *c, int kind, std::initializer_list<int64_t> sizes)
{
  th_tune_key k = {};
  int i = 0;
  for (int64_t v : sizes) k.number[i++] = v;
  k.kind = kind, k.dtype = (int16_t)c->dtype, k.device = (int16_t)c->device;
  return k;
}

/* A call whose results are thrown away. */
struct rehearsal {
  th_call c;
  const work *w;
  th_tensor t[8] = {};
  explicit rehearsal(const th_call *call, const work *of) : c(*call), w(of) {}
  ~rehearsal() { for (th_tensor &x : t) th_tensor_release(&x); }
  th_status prepare()
  {
    for (int i = 0; w->written[i] >= 0; i++) {
      th_arg &a = c.arg[w->written[i]];
      if (!a.t) continue;
      TH_TRY(th_tensor_clone(&t[i], a.t));
      a.t = &t[i];
    }
    return TH_OK;
  }
};

static th_status prepare(void *with)
{
  TH_CUDA_NOT_RECORDED("cuDNN is timed: one call before the recording does that");
  return static_cast<rehearsal *>(with)->prepare();
}

/* The ways of the autotuner: files of times name our own kernels "gemm", as for convolutions. */
static int own_way() { static const int way = th_tune_way("gemm"); return way; }
static int cudnn_way() { static const int way = th_tune_way("cudnn"); return way; }

static th_status timed(int64_t *ns, int way, void *with)
{
  rehearsal *r = static_cast<rehearsal *>(with);
  return th_cuda_time(ns, [=] { return (way == cudnn_way() ? r->w->theirs : r->w->own)(&r->c); });
}

static th_status wins(bool *yes, const th_call *c, const work &w)
{
  const int when = th_dnn_when();
  *yes = false;
  if (!w.can || when == TH_DNN_NEVER || missing()) return TH_OK;
  if (when != TH_DNN_WHEREVER && th_numel(c->arg[w.written[0]].t) < FEW) return TH_OK;
  *yes = when == TH_DNN_WHEREVER || (w.usual && !th_cuda_is_emulated());
  if (when == TH_DNN_WHEREVER || !th_conv_benchmarks()) return TH_OK;
  rehearsal r(c, &w);
  int64_t ns[TH_TUNE_WAYS];
  const th_tune_trial trial = { 1u << own_way() | 1u << cudnn_way(), &r, prepare, timed };
  const th_status s = th_tune(ns, &w.key, &trial);
  *yes = s == TH_OK && ns[cudnn_way()] < ns[own_way()];
  return s == TH_ENOMEM ? TH_OK : s;
}

th_status compute(const th_call *c, const work &w)
{
  const char *who = th_entered();
  bool yes = false;
  TH_TRY(wins(&yes, c, w));
  if (!yes) return w.own(c);
  const th_status s = w.theirs(c);
  if (s != TH_ENOMEM && s != TH_EBACKEND) return s;
  th_enter(who);
  return w.own(c);
}

}  // namespace dnn

/* To open the library takes memory, as a capture may not. Without a handle our own kernels are recorded. */
th_status th_cuda_dnn_prepare()
{
  if (dnn::found()) dnn::handle::all().prepare();
  return TH_OK;
}

#if defined __CUDACC__ && __has_include(<cudnn.h>)
#include <cudnn.h>
#include "same.cuh"
TH_SAME_NUMBER(dnn::SUCCESS, CUDNN_STATUS_SUCCESS)
TH_SAME_NUMBER(dnn::FLOAT, CUDNN_DATA_FLOAT)
TH_SAME_NUMBER(dnn::DOUBLE, CUDNN_DATA_DOUBLE)
TH_SAME_NUMBER(dnn::HALF, CUDNN_DATA_HALF)
TH_SAME_NUMBER(dnn::BFLOAT16, CUDNN_DATA_BFLOAT16)
TH_SAME_NUMBER(dnn::NCHW, CUDNN_TENSOR_NCHW)
TH_SAME_NUMBER(dnn::CORRELATION, CUDNN_CROSS_CORRELATION)
TH_SAME_NUMBER(dnn::DETERMINISTIC, CUDNN_DETERMINISTIC)
TH_SAME_NUMBER(dnn::DEFAULT_MATH, CUDNN_DEFAULT_MATH)
TH_SAME_NUMBER(dnn::TENSOR_MATH, CUDNN_TENSOR_OP_MATH)
TH_SAME_NUMBER(dnn::FMA_MATH, CUDNN_FMA_MATH)
TH_SAME_NUMBER(dnn::MEAN_WITH_PADDING, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING)
TH_SAME_NUMBER(dnn::MEAN_WITHOUT_PADDING, CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING)
TH_SAME_NUMBER(dnn::PROPAGATE_NAN, CUDNN_PROPAGATE_NAN)
TH_SAME_NUMBER(dnn::BY_ACTIVATION, CUDNN_BATCHNORM_PER_ACTIVATION)
TH_SAME_NUMBER(dnn::BY_PLANE, CUDNN_BATCHNORM_SPATIAL)
TH_SAME_NUMBER(dnn::STANDARD, CUDNN_RNN_ALGO_STANDARD)
TH_SAME_NUMBER(dnn::TWO_BIASES, CUDNN_RNN_DOUBLE_BIAS)
TH_SAME_NUMBER(dnn::LINEAR_INPUT, CUDNN_LINEAR_INPUT)
TH_SAME_NUMBER(dnn::BY_STEPS, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED)
TH_SAME_NUMBER(dnn::BY_SAMPLES, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED)
TH_SAME_NUMBER(dnn::INFERENCE, CUDNN_FWD_MODE_INFERENCE)
TH_SAME_NUMBER(dnn::TRAINING, CUDNN_FWD_MODE_TRAINING)
TH_SAME_NUMBER(dnn::ADD, CUDNN_WGRAD_MODE_ADD)
TH_SAME_NUMBER(dnn::CELL_RELU, CUDNN_RNN_RELU)
TH_SAME_NUMBER(dnn::CELL_TANH, CUDNN_RNN_TANH)
TH_SAME_NUMBER(dnn::CELL_LSTM, CUDNN_LSTM)
TH_SAME_NUMBER(dnn::CELL_GRU, CUDNN_GRU)
TH_SAME_NUMBER(dnn::ONE_WAY, CUDNN_UNIDIRECTIONAL)
TH_SAME_NUMBER(dnn::BOTH_WAYS, CUDNN_BIDIRECTIONAL)
static_assert(CUDNN_RNN_PADDED_IO_ENABLED == 1, "cuDNN's header has another flag");
static_assert(sizeof(dnn::proposal) == sizeof(cudnnConvolutionFwdAlgoPerf_t) &&
              offsetof(dnn::proposal, memory) == offsetof(cudnnConvolutionFwdAlgoPerf_t, memory) &&
              offsetof(dnn::proposal, determinism) == offsetof(cudnnConvolutionBwdDataAlgoPerf_t, determinism) &&
              offsetof(dnn::proposal, math) == offsetof(cudnnConvolutionBwdFilterAlgoPerf_t, mathType),
              "cuDNN's header has other proposals");

#define SAME(f, symbol, ...) TH_SAME_ARGUMENTS(dnn::functions().f, symbol)
TH_DNN_FUNCTIONS(SAME)
#endif
