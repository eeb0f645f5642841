// conv_cudnn.cu - the engine cudnn of devices: cuDNN, opened at run time. It takes algorithms that give the same bits on every
// run, and rounds floats to TF32 only where cutorch.setTF32 says so. Its heuristics choose, never its stopwatch: what is chosen
// depends on sizes, device and version.
#include <stddef.h>
#include <map>
#include <string>
#include "conv.cuh"
#include "graph.cuh"
#include "library.h"

/* ---- the library: what its interface calls things; where its header is there, the compiler compares ---- */

namespace {

enum { SUCCESS = 0, FLOAT = 0, DOUBLE = 1, HALF = 2, BFLOAT16 = 9, NCHW = 0, CORRELATION = 1, DETERMINISTIC = 1 };
enum { DEFAULT_MATH = 0, TENSOR_MATH = 1, FMA_MATH = 3 };
struct proposal { int algorithm, status; float time; size_t memory; int determinism, math, reserved[3]; };
typedef const void *numbers;

#define FUNCTIONS(F) \
  F(create, "cudnnCreate", void **handle) \
  F(destroy, "cudnnDestroy", void *handle) \
  F(set_stream, "cudnnSetStream", void *handle, cudaStream_t stream) \
  F(new_tensor, "cudnnCreateTensorDescriptor", void **d) \
  F(free_tensor, "cudnnDestroyTensorDescriptor", void *d) \
  F(set_tensor, "cudnnSetTensor4dDescriptor", void *d, int format, int type, int n, int c, int h, int w) \
  F(new_filter, "cudnnCreateFilterDescriptor", void **d) \
  F(free_filter, "cudnnDestroyFilterDescriptor", void *d) \
  F(set_filter, "cudnnSetFilter4dDescriptor", void *d, int type, int format, int o, int c, int h, int w) \
  F(new_conv, "cudnnCreateConvolutionDescriptor", void **d) \
  F(free_conv, "cudnnDestroyConvolutionDescriptor", void *d) \
  F(set_conv, "cudnnSetConvolution2dDescriptor", void *d, int ph, int pw, int sh, int sw, int dh, int dw, int mode, int type) \
  F(set_groups, "cudnnSetConvolutionGroupCount", void *d, int groups) \
  F(set_math, "cudnnSetConvolutionMathType", void *d, int math) \
  F(propose_forward, "cudnnGetConvolutionForwardAlgorithm_v7", void *handle, void *x, void *k, void *conv, void *y, int wanted, \
    int *n, proposal *p) \
  F(propose_input, "cudnnGetConvolutionBackwardDataAlgorithm_v7", void *handle, void *k, void *y, void *conv, void *x, \
    int wanted, int *n, proposal *p) \
  F(propose_weight, "cudnnGetConvolutionBackwardFilterAlgorithm_v7", void *handle, void *x, void *y, void *conv, void *k, \
    int wanted, int *n, proposal *p) \
  F(work_forward, "cudnnGetConvolutionForwardWorkspaceSize", void *handle, void *x, void *k, void *conv, void *y, int algorithm, \
    size_t *bytes) \
  F(work_input, "cudnnGetConvolutionBackwardDataWorkspaceSize", void *handle, void *k, void *y, void *conv, void *x, \
    int algorithm, size_t *bytes) \
  F(work_weight, "cudnnGetConvolutionBackwardFilterWorkspaceSize", void *handle, void *x, void *y, void *conv, void *k, \
    int algorithm, size_t *bytes) \
  F(forward, "cudnnConvolutionForward", void *handle, numbers alpha, void *dx, numbers x, void *dk, numbers k, void *conv, \
    int algorithm, void *work, size_t bytes, numbers beta, void *dy, void *y) \
  F(input, "cudnnConvolutionBackwardData", void *handle, numbers alpha, void *dk, numbers k, void *dy, numbers y, void *conv, \
    int algorithm, void *work, size_t bytes, numbers beta, void *dx, void *x) \
  F(weight, "cudnnConvolutionBackwardFilter", void *handle, numbers alpha, void *dx, numbers x, void *dy, numbers y, void *conv, \
    int algorithm, void *work, size_t bytes, numbers beta, void *dk, void *k) \
  F(add, "cudnnAddTensor", void *handle, numbers alpha, void *da, numbers a, numbers beta, void *dc, void *c)

static struct {
#define DECLARE(f, symbol, ...) int (*f)(__VA_ARGS__);
  FUNCTIONS(DECLARE)
#undef DECLARE
} dnn;
static th_library library("cuDNN", "TH_CUDNN");

/* A library that opens may still not work with this driver, or this device. */
static bool works()
{
  char why[64];
  void *handle = nullptr;
  const int e = dnn.create(&handle);
  if (e == SUCCESS) dnn.destroy(handle);
  snprintf(why, sizeof why, "cudnnCreate: status %d", e);
  return e == SUCCESS || library.without(why);
}

static bool found()
{
  static const bool none = th_cuda_is_emulated() && !library.without("the emulated device has no cuDNN");
#define BIND(f, symbol, ...) { (void **)&dnn.f, symbol },
  static const bool there =
    !none && library.open({ "libcudnn.so.9", "libcudnn.so.8", "libcudnn.so" }, { FUNCTIONS(BIND) }, nullptr) && works();
#undef BIND
  return there;
}

static const char *missing() { return found() ? nullptr : library.why(); }

/* Whatever fails before anything is written gemm does, as where memory does not suffice. */
static th_status prepared(int e, const char *what)
{
  return e == SUCCESS ? TH_OK : th_fail(TH_ENOMEM, "cuDNN has no memory, or no way, to do this (%s: status %d)", what, e);
}
#define TRY(f, ...) TH_TRY(prepared(dnn.f(__VA_ARGS__), #f))

static th_status status_of(int e, const char *what)
{
  const bool no_memory = e == 4003 || e == 4004 || e == 2, cannot = e == 9 || (e >= 3000 && e < 4000);
  return e == SUCCESS || no_memory || cannot ? prepared(e, what) : th_fail(TH_EBACKEND, "cuDNN: status %d (%s)", e, what);
}
#define RUN(f, ...) TH_TRY(status_of(dnn.f(__VA_ARGS__), #f))

static std::mutex lock;
static std::map<std::pair<int, cudaStream_t>, void *> handles;

static th_status handle_of_stream(void **handle)
{
  int device = 0;
  TH_CUDA_TRY(cudaGetDevice(&device));
  void *&h = handles[std::make_pair(device, th_cuda_stream())];
  if (!h) {
    void *made = nullptr;
    TRY(create, &made);
    TRY(set_stream, made, th_cuda_stream());
    h = made;
  }
  *handle = h;
  return TH_OK;
}

/* ---- descriptors ---- */

struct descriptors {
  void *x = nullptr, *y = nullptr, *k = nullptr, *bias = nullptr, *conv = nullptr;
  ~descriptors()
  {
    for (void *t : { x, y, bias }) if (t) dnn.free_tensor(t);
    if (k) dnn.free_filter(k);
    if (conv) dnn.free_conv(conv);
  }
  th_status make(const th_conv_shape &s);
};

static int type_of(int dtype) { return dtype == TH_F64 ? DOUBLE : dtype == TH_F32 ? FLOAT : dtype == TH_F16 ? HALF : BFLOAT16; }

th_status descriptors::make(const th_conv_shape &s)
{
  const int type = type_of(s.dtype), groups = (int)s.groups, n = (int)s.n, c = groups * (int)s.c, o = groups * (int)s.o;
  const int plain = th_cuda_tf32() ? DEFAULT_MATH : FMA_MATH, math = s.dtype < TH_F32 ? TENSOR_MATH : plain;
  TRY(new_tensor, &x);
  TRY(new_tensor, &y);
  TRY(new_tensor, &bias);
  TRY(new_filter, &k);
  TRY(new_conv, &conv);
  TRY(set_tensor, x, NCHW, type, n, c, (int)s.h, (int)s.w);
  TRY(set_tensor, y, NCHW, type, n, o, (int)s.oh, (int)s.ow);
  TRY(set_tensor, bias, NCHW, type, 1, o, 1, 1);
  TRY(set_filter, k, type, NCHW, o, (int)s.c, (int)s.kh, (int)s.kw);
  TRY(set_conv, conv, (int)s.ph, (int)s.pw, (int)s.sh, (int)s.sw, (int)s.dh, (int)s.dw, CORRELATION,
      s.dtype == TH_F64 ? DOUBLE : FLOAT);
  TRY(set_groups, conv, groups);
  TRY(set_math, conv, math);
  return TH_OK;
}

/* ---- which algorithm: the first proposal that gives the same bits always, in memory that is not too much ---- */

enum { MOST = 16, KEPT = 4096 };
constexpr size_t WORKSPACE = (size_t)1 << 30;
struct choice { int algorithm; size_t work; };       /* algorithm -1: none */
static std::map<std::string, choice> choices;

static int propose(void *h, const descriptors &d, int pass, int *n, proposal *p)
{
  if (pass == TH_CONV_FORWARD) return dnn.propose_forward(h, d.x, d.k, d.conv, d.y, MOST, n, p);
  if (pass == TH_CONV_GRAD_INPUT) return dnn.propose_input(h, d.k, d.y, d.conv, d.x, MOST, n, p);
  return dnn.propose_weight(h, d.x, d.y, d.conv, d.k, MOST, n, p);
}
static int work_of(void *h, const descriptors &d, int pass, int algorithm, size_t *bytes)
{
  if (pass == TH_CONV_FORWARD) return dnn.work_forward(h, d.x, d.k, d.conv, d.y, algorithm, bytes);
  if (pass == TH_CONV_GRAD_INPUT) return dnn.work_input(h, d.k, d.y, d.conv, d.x, algorithm, bytes);
  return dnn.work_weight(h, d.x, d.y, d.conv, d.k, algorithm, bytes);
}

static th_status choose(choice *to, void *h, const descriptors &d, const th_conv_shape &s)
{
  std::string key(reinterpret_cast<const char *>(&s), sizeof s);
  key += th_cuda_tf32() ? 't' : 'f';
  auto at = choices.find(key);
  if (at == choices.end()) {
    proposal p[MOST] = {};
    choice found = { -1, 0 };
    int n = 0;
    TH_TRY(prepared(propose(h, d, s.pass, &n, p), "an algorithm"));
    for (int i = 0; i < n && found.algorithm < 0; i++) {
      size_t bytes = 0;
      if (p[i].status != SUCCESS || p[i].determinism != DETERMINISTIC) continue;
      if (work_of(h, d, s.pass, p[i].algorithm, &bytes) == SUCCESS && bytes <= WORKSPACE) found = { p[i].algorithm, bytes };
    }
    if (choices.size() >= KEPT) choices.clear();
    at = choices.emplace(key, found).first;
  }
  *to = at->second;
  if (to->algorithm >= 0) return TH_OK;
  return th_fail(TH_ENOMEM, "cuDNN has no algorithm for this whose bits are always the same");
}

/* ---- a pass ---- */

/* An operand as cuDNN reads it, without gaps: itself, or a copy. */
struct packed {
  th_tensor t = {};
  const th_tensor *of = nullptr;
  ~packed() { th_tensor_release(&t); }
  bool copied() const { return of != nullptr; }
  void *data() const { return th_data(&t, th_element_size(t.dtype)); }
  th_status take(const th_tensor *from, bool read)
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
};

/* The factors of a sum, of the type that it is made in. */
struct factors {
  float f[3];
  double d[3];
  bool wide;
  factors(double scale, bool doubles) : f{ 0, 1, (float)scale }, d{ 0, 1, scale }, wide(doubles) {}
  numbers at(int i) const { return wide ? (numbers)&d[i] : &f[i]; }
};
enum { NOTHING, ONCE, SCALED };

static th_status pass_by(void *h, const descriptors &d, const th_conv *c, const choice &by, const packed &x, const packed &y,
                         const packed &k, const packed &bias, void *work)
{
  const factors f(c->scale, c->s.dtype == TH_F64);
  if (c->s.pass == TH_CONV_GRAD_INPUT) {
    RUN(input, h, f.at(ONCE), d.k, k.data(), d.y, y.data(), d.conv, by.algorithm, work, by.work, f.at(NOTHING), d.x, x.data());
  } else if (c->s.pass == TH_CONV_GRAD_WEIGHT) {
    RUN(weight, h, f.at(SCALED), d.x, x.data(), d.y, y.data(), d.conv, by.algorithm, work, by.work, f.at(ONCE), d.k, k.data());
  } else {
    RUN(forward, h, f.at(ONCE), d.x, x.data(), d.k, k.data(), d.conv, by.algorithm, work, by.work, f.at(NOTHING), d.y, y.data());
    if (c->bias) RUN(add, h, f.at(ONCE), d.bias, bias.data(), f.at(ONCE), d.y, y.data());
  }
  return TH_OK;
}

static th_status run(const th_conv *c, const th_call *)
{
  const int pass = c->s.pass;
  packed x, y, k, bias;
  descriptors d;
  th_cuda_scratch work;
  choice by = { -1, 0 };
  void *h;
  if (!found()) return th_fail(TH_EBACKEND, "there is no cuDNN: %s", library.why());
  TH_TRY(x.take(c->x, pass != TH_CONV_GRAD_INPUT));
  TH_TRY(y.take(c->y, pass != TH_CONV_FORWARD));
  TH_TRY(k.take(c->k, true));                        /* gradWeight adds to what is there */
  if (c->bias) TH_TRY(bias.take(c->bias, true));
  std::lock_guard<std::mutex> guard(lock);
  TH_TRY(handle_of_stream(&h));
  TH_TRY(d.make(c->s));
  TH_TRY(choose(&by, h, d, c->s));
  TH_TRY(work.take(by.work));
  TH_TRY(pass_by(h, d, c, by, x, y, k, bias, work.as<void>()));
  const packed &result = pass == TH_CONV_FORWARD ? y : pass == TH_CONV_GRAD_INPUT ? x : k;
  return result.copied() ? th_cuda_move(result.of, &result.t) : TH_OK;
}

/* ---- the engine ---- */

static bool supports(const th_conv_shape *s)
{
  const int64_t all[] = { s->n, s->groups * s->c, s->groups * s->o, s->h, s->w, s->kh, s->kw, s->oh, s->ow, s->sh, s->sw, s->ph,
                          s->pw, s->dh, s->dw };
  if (missing()) return false;
  for (int64_t v : all) if (v > INT32_MAX) return false;
  return th_conv_bytes(*s) < 4e9;                    /* steps are counted in 32 bits */
}

/* Two thirds of the device's rate, and of halves four times as much, from their own units: an estimate that no device was
 * measured for. */
static th_conv_cost cost(const th_conv_shape *s)
{
  const th_cuda_peak &p = th_cuda_peak_of(s->device);
  const double rate = 0.66 * (s->dtype == TH_F64 ? p.doubles : s->dtype == TH_F32 ? p.floats : 4 * p.floats);
  th_conv_cost c = {};
  c.flops = 2 * th_conv_products(*s);
  c.bytes = th_conv_bytes(*s);
  c.seconds = 3 * TH_CUDA_LAUNCH + c.flops / rate + c.bytes / p.bytes;
  return c;
}

/* The handle of a stream that is about to be captured, where there were others. To open the library takes memory, as a capture
 * may not. */
static th_status prepare()
{
  void *h;
  found();
  std::lock_guard<std::mutex> guard(lock);
  return handles.empty() ? TH_OK : handle_of_stream(&h);
}

}  // namespace

th_status th_cuda_dnn_prepare() { return prepare(); }
const th_conv_engine th_cuda_conv_cudnn = { "cudnn", supports, cost, run, missing };

#if defined __CUDACC__ && __has_include(<cudnn.h>)
#include <cudnn.h>
static_assert((int)SUCCESS == (int)CUDNN_STATUS_SUCCESS && (int)FLOAT == (int)CUDNN_DATA_FLOAT &&
              (int)DOUBLE == (int)CUDNN_DATA_DOUBLE && (int)HALF == (int)CUDNN_DATA_HALF &&
              (int)BFLOAT16 == (int)CUDNN_DATA_BFLOAT16 && (int)NCHW == (int)CUDNN_TENSOR_NCHW &&
              (int)CORRELATION == (int)CUDNN_CROSS_CORRELATION && (int)DETERMINISTIC == (int)CUDNN_DETERMINISTIC &&
              (int)DEFAULT_MATH == (int)CUDNN_DEFAULT_MATH && (int)TENSOR_MATH == (int)CUDNN_TENSOR_OP_MATH &&
              (int)FMA_MATH == (int)CUDNN_FMA_MATH, "cuDNN's header has other numbers");
static_assert(sizeof(proposal) == sizeof(cudnnConvolutionFwdAlgoPerf_t) &&
              offsetof(proposal, memory) == offsetof(cudnnConvolutionFwdAlgoPerf_t, memory) &&
              offsetof(proposal, determinism) == offsetof(cudnnConvolutionBwdDataAlgoPerf_t, determinism) &&
              offsetof(proposal, math) == offsetof(cudnnConvolutionBwdFilterAlgoPerf_t, mathType),
              "cuDNN's header has other proposals");
/* And the functions take what is given to them here. */
#define SAME(f, count) template <class R, class... A> constexpr bool takes_##f(R (*)(A...)) { return sizeof...(A) == count; } \
  static_assert(takes_##f(&f), #f " takes other arguments");
SAME(cudnnSetTensor4dDescriptor, 7)
SAME(cudnnSetFilter4dDescriptor, 7)
SAME(cudnnSetConvolution2dDescriptor, 9)
SAME(cudnnGetConvolutionForwardAlgorithm_v7, 8)
SAME(cudnnGetConvolutionBackwardDataAlgorithm_v7, 8)
SAME(cudnnGetConvolutionBackwardFilterAlgorithm_v7, 8)
SAME(cudnnGetConvolutionForwardWorkspaceSize, 7)
SAME(cudnnGetConvolutionBackwardDataWorkspaceSize, 7)
SAME(cudnnGetConvolutionBackwardFilterWorkspaceSize, 7)
SAME(cudnnConvolutionForward, 13)
SAME(cudnnConvolutionBackwardData, 13)
SAME(cudnnConvolutionBackwardFilter, 13)
SAME(cudnnAddTensor, 7)
#endif
