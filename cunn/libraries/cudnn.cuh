// cudnn.cuh - cuDNN 8 or 9, opened at run time: its functions, handles, descriptors and statuses, for convolution, pooling,
// normalisation and recurrent layers. All algorithms that are used here give the same bits in every run.
#ifndef TH_CUDNN_CUH
#define TH_CUDNN_CUH
#include <initializer_list>
#include "handles.cuh"
#include "th_conv.h"
#include "th_tune.h"

namespace dnn {

/* ---- the library: names of its interface; cudnn.cu makes the compiler compare them with the header ---- */

enum { SUCCESS = 0, FLOAT = 0, DOUBLE = 1, HALF = 2, BFLOAT16 = 9, NCHW = 0, CORRELATION = 1, DETERMINISTIC = 1 };
enum { DEFAULT_MATH = 0, TENSOR_MATH = 1, FMA_MATH = 3 };
enum { STANDARD = 0, TWO_BIASES = 2, LINEAR_INPUT = 0, BY_STEPS = 0, BY_SAMPLES = 2, INFERENCE = 0, TRAINING = 1, ADD = 0 };
enum { CELL_RELU = 0, CELL_TANH = 1, CELL_LSTM = 2, CELL_GRU = 3, ONE_WAY = 0, BOTH_WAYS = 1 };
enum { MEAN_WITH_PADDING = 1, MEAN_WITHOUT_PADDING = 2, PROPAGATE_NAN = 1, BY_ACTIVATION = 0, BY_PLANE = 1 };
struct proposal { int algorithm, status; float time; size_t memory; int determinism, math, reserved[3]; };
typedef const void *numbers;

#define TH_DNN_FUNCTIONS(F) \
  F(create, cudnnCreate, void **handle) \
  F(destroy, cudnnDestroy, void *handle) \
  F(set_stream, cudnnSetStream, void *handle, cudaStream_t stream) \
  F(new_tensor, cudnnCreateTensorDescriptor, void **d) \
  F(free_tensor, cudnnDestroyTensorDescriptor, void *d) \
  F(set_tensor, cudnnSetTensor4dDescriptor, void *d, int format, int type, int n, int c, int h, int w) \
  F(new_filter, cudnnCreateFilterDescriptor, void **d) \
  F(free_filter, cudnnDestroyFilterDescriptor, void *d) \
  F(set_filter, cudnnSetFilter4dDescriptor, void *d, int type, int format, int o, int c, int h, int w) \
  F(new_conv, cudnnCreateConvolutionDescriptor, void **d) \
  F(free_conv, cudnnDestroyConvolutionDescriptor, void *d) \
  F(set_conv, cudnnSetConvolution2dDescriptor, void *d, int ph, int pw, int sh, int sw, int dh, int dw, int mode, int type) \
  F(set_groups, cudnnSetConvolutionGroupCount, void *d, int groups) \
  F(set_math, cudnnSetConvolutionMathType, void *d, int math) \
  F(propose_forward, cudnnGetConvolutionForwardAlgorithm_v7, void *handle, void *x, void *k, void *conv, void *y, int wanted, \
    int *n, proposal *p) \
  F(propose_input, cudnnGetConvolutionBackwardDataAlgorithm_v7, void *handle, void *k, void *y, void *conv, void *x, \
    int wanted, int *n, proposal *p) \
  F(propose_weight, cudnnGetConvolutionBackwardFilterAlgorithm_v7, void *handle, void *x, void *y, void *conv, void *k, \
    int wanted, int *n, proposal *p) \
  F(work_forward, cudnnGetConvolutionForwardWorkspaceSize, void *handle, void *x, void *k, void *conv, void *y, int algorithm, \
    size_t *bytes) \
  F(work_input, cudnnGetConvolutionBackwardDataWorkspaceSize, void *handle, void *k, void *y, void *conv, void *x, \
    int algorithm, size_t *bytes) \
  F(work_weight, cudnnGetConvolutionBackwardFilterWorkspaceSize, void *handle, void *x, void *y, void *conv, void *k, \
    int algorithm, size_t *bytes) \
  F(forward, cudnnConvolutionForward, void *handle, numbers alpha, void *dx, numbers x, void *dk, numbers k, void *conv, \
    int algorithm, void *work, size_t bytes, numbers beta, void *dy, void *y) \
  F(input, cudnnConvolutionBackwardData, void *handle, numbers alpha, void *dk, numbers k, void *dy, numbers y, void *conv, \
    int algorithm, void *work, size_t bytes, numbers beta, void *dx, void *x) \
  F(weight, cudnnConvolutionBackwardFilter, void *handle, numbers alpha, void *dx, numbers x, void *dy, numbers y, void *conv, \
    int algorithm, void *work, size_t bytes, numbers beta, void *dk, void *k) \
  F(add, cudnnAddTensor, void *handle, numbers alpha, void *da, numbers a, numbers beta, void *dc, void *c) \
  F(new_pool, cudnnCreatePoolingDescriptor, void **d) \
  F(free_pool, cudnnDestroyPoolingDescriptor, void *d) \
  F(set_pool, cudnnSetPooling2dDescriptor, void *d, int mode, int nan, int kh, int kw, int ph, int pw, int sh, int sw) \
  F(pool, cudnnPoolingForward, void *handle, void *d, numbers alpha, void *dx, numbers x, numbers beta, void *dy, void *y) \
  F(pool_back, cudnnPoolingBackward, void *handle, void *d, numbers alpha, void *dy, numbers y, void *dgy, numbers gy, void *dx, \
    numbers x, numbers beta, void *dgx, void *gx) \
  F(norm, cudnnBatchNormalizationForwardTraining, void *handle, int mode, numbers alpha, numbers beta, void *dx, numbers x, \
    void *dy, void *y, void *dp, numbers scale, numbers bias, double momentum, void *running_mean, void *running_var, \
    double eps, void *mean, void *invstd) \
  F(norm_fixed, cudnnBatchNormalizationForwardInference, void *handle, int mode, numbers alpha, numbers beta, void *dx, \
    numbers x, void *dy, void *y, void *dp, numbers scale, numbers bias, numbers mean, numbers var, double eps) \
  F(norm_back, cudnnBatchNormalizationBackward, void *handle, int mode, numbers alpha, numbers beta, numbers param_alpha, \
    numbers param_beta, void *dx, numbers x, void *dgy, numbers gy, void *dgx, void *gx, void *dp, numbers scale, \
    void *gscale, void *gbias, double eps, numbers mean, numbers invstd) \
  F(set_tensor_nd, cudnnSetTensorNdDescriptor, void *d, int type, int n, const int *size, const int *step) \
  F(new_dropout, cudnnCreateDropoutDescriptor, void **d) \
  F(free_dropout, cudnnDestroyDropoutDescriptor, void *d) \
  F(set_dropout, cudnnSetDropoutDescriptor, void *d, void *handle, float part, void *states, size_t bytes, \
    unsigned long long seed) \
  F(new_rnn, cudnnCreateRNNDescriptor, void **d) \
  F(free_rnn, cudnnDestroyRNNDescriptor, void *d) \
  F(set_rnn, cudnnSetRNNDescriptor_v8, void *d, int algorithm, int cell, int bias, int direction, int input_mode, int type, \
    int compute, int math, int32_t input, int32_t hidden, int32_t projected, int32_t layers, void *dropout, uint32_t flags) \
  F(new_data, cudnnCreateRNNDataDescriptor, void **d) \
  F(free_data, cudnnDestroyRNNDataDescriptor, void *d) \
  F(set_data, cudnnSetRNNDataDescriptor, void *d, int type, int layout, int steps, int samples, int size, const int *lengths, \
    void *fill) \
  F(rnn_space, cudnnGetRNNTempSpaceSizes, void *handle, void *d, int train, void *dx, size_t *work, size_t *reserve) \
  F(rnn_weights, cudnnGetRNNWeightSpaceSize, void *handle, void *d, size_t *bytes) \
  F(rnn_place, cudnnGetRNNWeightParams, void *handle, void *d, int32_t layer, size_t bytes, numbers weight, int32_t which, \
    void *dm, void **m, void *db, void **b) \
  F(rnn, cudnnRNNForward, void *handle, void *d, int train, const int32_t *lengths, void *dx, numbers x, void *dy, void *y, \
    void *dh, numbers hx, void *hy, void *dc, numbers cx, void *cy, size_t weights, numbers weight, size_t bytes, void *work, \
    size_t reserved, void *reserve) \
  F(rnn_back, cudnnRNNBackwardData_v8, void *handle, void *d, const int32_t *lengths, void *dy, numbers y, numbers gy, void *dx, \
    void *gx, void *dh, numbers hx, numbers ghy, void *ghx, void *dc, numbers cx, numbers gcy, void *gcx, size_t weights, \
    numbers weight, size_t bytes, void *work, size_t reserved, void *reserve) \
  F(rnn_back_weight, cudnnRNNBackwardWeights_v8, void *handle, void *d, int how, const int32_t *lengths, void *dx, numbers x, \
    void *dh, numbers hx, void *dy, numbers y, size_t weights, void *gw, size_t bytes, void *work, \
    size_t reserved, void *reserve) \
  F(new_part, cudnnBackendCreateDescriptor, int kind, void **d) \
  F(free_part, cudnnBackendDestroyDescriptor, void *d) \
  F(set_part, cudnnBackendSetAttribute, void *d, int name, int type, int64_t n, numbers values) \
  F(get_part, cudnnBackendGetAttribute, void *d, int name, int type, int64_t n, int64_t *found, \
    void *values) \
  F(finish_part, cudnnBackendFinalize, void *d) \
  F(execute, cudnnBackendExecute, void *handle, void *plan, void *pack)

struct functions {
  size_t (*version)();
#define TH_DNN_DECLARE(f, symbol, ...) int (*f)(__VA_ARGS__);
  TH_DNN_FUNCTIONS(TH_DNN_DECLARE)
#undef TH_DNN_DECLARE
};
extern functions library;

/* Whether cuDNN is available; opens it at the first call. */
bool found();
/* Why cuDNN is missing or disabled; nullptr if it can be used. */
const char *missing();
/* Like 9.10.2; "" without cuDNN. */
const char *version();

/* The status of a failure before anything was written: TH_ENOMEM without memory, TH_EBACKEND if cuDNN does not support the
 * call. */
th_status status_of(int e, const char *what);
bool no_memory(int e);
#define TH_DNN_TRY(f, ...) TH_TRY(dnn::status_of(dnn::library.f(__VA_ARGS__), #f))

/* Holds the handle of the thread's stream; other threads wait for it meanwhile. */
class handle {
public:
  handle() : h(nullptr), guard(all().lock) {}
  th_status take() { return all().of_stream(&h); }
  operator void *() const { return h; }
  static th_cuda_handles &all();
private:
  void *h;
  std::lock_guard<std::mutex> guard;
};

/* ---- work for cuDNN or for our own kernel ---- */

struct work {
  th_tune_key key;                                   /* the key of its times */
  bool can, usual;                                   /* cuDNN supports it; cuDNN is assumed to be faster without measurement */
  th_kernel own, theirs;
  int written[8];                                    /* arguments; -1 ends them */
};
/* The key of a call: its kind and all sizes that its time depends on. */
th_tune_key key_of(const th_call *c, int kind, std::initializer_list<int64_t> sizes);
/* Chooses by cudnn.enabled and cudnn.prefer, by measured times, or by `usual`. If cuDNN fails, runs our own kernel. */
th_status compute(const th_call *c, const work &w);
enum { FEW = 1 << 14 };                              /* fewer elements than this do not benefit from cuDNN */

/* ---- operands ---- */

inline int type_of(int dtype) { return dtype == TH_F64 ? DOUBLE : dtype == TH_F32 ? FLOAT : dtype == TH_F16 ? HALF : BFLOAT16; }

/* A descriptor of n x c x h x w contiguous elements. */
class tensor {
public:
  tensor() : d(nullptr) {}
  ~tensor() { if (d) library.free_tensor(d); }
  tensor(const tensor &) = delete;
  tensor &operator=(const tensor &) = delete;
  th_status make(int type, int64_t n, int64_t c, int64_t h, int64_t w)
  {
    TH_DNN_TRY(new_tensor, &d);
    TH_DNN_TRY(set_tensor, d, NCHW, type, (int)n, (int)c, (int)h, (int)w);
    return TH_OK;
  }
  /* For x as samples x planes x positions; with images, a tensor of 3 dimensions is one sample. */
  th_status make_like(const th_tensor *x, bool images)
  {
    const int first = images && x->ndim == 3 ? 0 : 1;
    int64_t places = 1;
    for (int i = first + 1; i < x->ndim; i++) places *= x->size[i];
    if (!images) return make(type_of(x->dtype), x->size[0], x->size[1], places, 1);
    return make(type_of(x->dtype), first ? x->size[0] : 1, x->size[first], x->size[first + 1], x->size[first + 2]);
  }
  operator void *() const { return d; }
private:
  void *d;
};

/* A contiguous operand for cuDNN: the tensor itself, or a copy. */
class packed {
public:
  packed() : t(), of(nullptr) {}
  ~packed() { th_tensor_release(&t); }
  packed(const packed &) = delete;
  packed &operator=(const packed &) = delete;
  /* read: cuDNN reads its elements; otherwise only the memory is needed. */
  th_status take(const th_tensor *from, bool read);
  /* Copies the operand back after cuDNN has written it. */
  th_status give() const { return of ? th_cuda_move(of, &t) : TH_OK; }
  void *data() const { return th_data(&t, th_element_size(t.dtype)); }
private:
  th_tensor t;
  const th_tensor *of;
};

/* The factors of a sum, in the type of the sum. */
enum { NOTHING, ONCE, SCALED };
class factors {
public:
  factors(double scale, bool doubles) : f{ 0, 1, (float)scale }, d{ 0, 1, scale }, wide(doubles) {}
  numbers at(int i) const { return wide ? (numbers)&d[i] : &f[i]; }
private:
  float f[3];
  double d[3];
  bool wide;
};

}  // namespace dnn

/* Makes cuDNN ready for a recording, if it is in use. */
th_status th_cuda_dnn_prepare();

#endif
