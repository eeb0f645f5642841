// cudnn.cu - opens cuDNN, has a handle for each stream, and compares what is written here of its interface with its header.
#include "cudnn.cuh"
#include <stddef.h>
#include <stdio.h>
#include "graph.cuh"
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

/* A library that opens may still not work with this driver, or this device. */
static bool works()
{
  char why[64];
  void *made = nullptr;
  const int e = library.create(&made);
  if (e == SUCCESS) library.destroy(made);
  snprintf(why, sizeof why, "cudnnCreate: status %d", e);
  return e == SUCCESS || opened.without(why);
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
  static const bool there = opened.open({ "libcudnn.so.9", "libcudnn.so.8", "libcudnn.so" },
                                        { TH_DNN_FUNCTIONS(BIND) { (void **)&library.version, "cudnnGetVersion" } }, emulated) &&
                            works() && named();
#undef BIND
  return there;
}

const char *missing() { return found() ? nullptr : opened.why(); }
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
  TH_DNN_TRY(create, handle);
  TH_DNN_TRY(set_stream, *handle, stream);
  return TH_OK;
}

th_cuda_handles &handle::all()
{
  static th_cuda_handles handles(make);
  return handles;
}

th_status packed::take(const th_tensor *from, bool read)
{
  if (th_tensor_is_contiguous(from)) {
    th_tensor_alias(&t, from);
    return TH_OK;
  }
  t.device = from->device;
  TH_TRY(th_tensor_resize(&t, from->dtype, from->ndim, from->size, nullptr));
  of = from;
  return read ? th_cuda_move(&t, from) : TH_OK;
}

}  // namespace dnn

/* To open the library takes memory, as a capture may not. */
th_status th_cuda_dnn_prepare()
{
  dnn::found();
  return dnn::handle::all().prepare();
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
static_assert(sizeof(dnn::proposal) == sizeof(cudnnConvolutionFwdAlgoPerf_t) &&
              offsetof(dnn::proposal, memory) == offsetof(cudnnConvolutionFwdAlgoPerf_t, memory) &&
              offsetof(dnn::proposal, determinism) == offsetof(cudnnConvolutionBwdDataAlgoPerf_t, determinism) &&
              offsetof(dnn::proposal, math) == offsetof(cudnnConvolutionBwdFilterAlgoPerf_t, mathType),
              "cuDNN's header has other proposals");

#define SAME(f, symbol, ...) TH_SAME_ARGUMENTS(dnn::functions().f, symbol)
TH_DNN_FUNCTIONS(SAME)
#endif
