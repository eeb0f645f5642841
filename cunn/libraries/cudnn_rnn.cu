// cudnn_rnn.cu - whole recurrent layers by cuDNN, for nn.RNN, LSTM and GRU (lua/cutorch/rnn.lua): sequences of one length,
// with the weights where they lie. Its products give the same bits on every run only with buffers of one size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>
#include "cudnn.cuh"
#include "../runtime/recording.cuh"
#include "thcuda.h"

namespace {

/* A graph would not know of these calls' tensors, nor is cuDNN said to be recorded here. */
constexpr const char *HOW = "cuDNN computes a recurrent layer, and its forward was not recorded";

static int gates_of(const th_cuda_rnn &r) { return r.cell == dnn::CELL_LSTM ? 4 : r.cell == dnn::CELL_GRU ? 3 : 1; }
static void *place(const th_tensor *t) { return t ? th_data(t, th_element_size(t->dtype)) : nullptr; }

struct layer {
  const th_cuda_rnn &r;
  const int dtype, ways;
  void *d = nullptr, *dropout = nullptr, *dx = nullptr, *dy = nullptr;
  dnn::tensor states;
  size_t weights = 0;
  layer(const th_cuda_rnn &of, int type) : r(of), dtype(type), ways(of.both_ways ? 2 : 1) {}
  ~layer()
  {
    for (void *data : { dx, dy }) if (data) dnn::library.free_data(data);
    if (d) dnn::library.free_rnn(d);
    if (dropout) dnn::library.free_dropout(dropout);
  }
  th_status make(void *h);
  th_status check_weights(void *h) const;
};

/* weight has all matrices, layer by layer and gate by gate, then all biases: as this cuDNN wants them? */
th_status layer::check_weights(void *h) const
{
  const size_t es = th_element_size(dtype), hidden = (size_t)r.hidden, gates = (size_t)gates_of(r);
  const size_t all = (size_t)(r.layers * ways);
  char *const first = reinterpret_cast<char *>((uintptr_t)1 << 20);       /* never read */
  dnn::tensor dm, db;
  TH_TRY(dm.make(dnn::FLOAT, 1, 1, 1, 1));
  TH_TRY(db.make(dnn::FLOAT, 1, 1, 1, 1));
  size_t at = 0, matrices = 0;
  for (size_t i = 0; i < all; i++) matrices += gates * hidden * ((i < (size_t)ways ? (size_t)r.input : ways * hidden) + hidden);
  for (size_t i = 0; i < all; i++) {
    const size_t cols[2] = { i < (size_t)ways ? (size_t)r.input : ways * hidden, hidden };
    for (size_t k = 0; k < 2 * gates; k++) {
      void *m = nullptr, *b = nullptr;
      TH_DNN_TRY(rnn_place, h, d, (int32_t)i, weights, first, (int32_t)k, dm, &m, db, &b);
      const size_t bias = matrices + (2 * gates * i + k) * hidden;
      if (m != first + at * es || b != first + bias * es) return th_fail(TH_EBACKEND, "cuDNN has another layout of weights");
      at += hidden * cols[k / gates];
    }
  }
  if (weights == (matrices + 2 * gates * hidden * all) * es) return TH_OK;
  return th_fail(TH_EBACKEND, "cuDNN has other weights");
}

th_status layer::make(void *h)
{
  const int type = dnn::type_of(dtype), layout = r.by_samples ? dnn::BY_SAMPLES : dnn::BY_STEPS;
  const int math = dtype < TH_F32 ? dnn::TENSOR_MATH : th_cuda_tf32() ? dnn::DEFAULT_MATH : dnn::FMA_MATH;
  const int size[3] = { r.layers * ways, r.samples, r.hidden }, step[3] = { r.samples * r.hidden, r.hidden, 1 };
  const std::vector<int> lengths((size_t)r.samples, r.steps);
  double zero = 0;
  TH_DNN_TRY(new_dropout, &dropout);
  TH_DNN_TRY(set_dropout, dropout, h, 0, nullptr, 0, 0);
  TH_DNN_TRY(new_rnn, &d);
  TH_DNN_TRY(set_rnn, d, dnn::STANDARD, r.cell, dnn::TWO_BIASES, r.both_ways ? dnn::BOTH_WAYS : dnn::ONE_WAY, dnn::LINEAR_INPUT,
             type, dtype == TH_F64 ? dnn::DOUBLE : dnn::FLOAT, math, r.input, r.hidden, r.hidden, r.layers, dropout, 1);
  TH_DNN_TRY(new_data, &dx);
  TH_DNN_TRY(set_data, dx, type, layout, r.steps, r.samples, r.input, lengths.data(), &zero);
  TH_DNN_TRY(new_data, &dy);
  TH_DNN_TRY(set_data, dy, type, layout, r.steps, r.samples, ways * r.hidden, lengths.data(), &zero);
  TH_TRY(states.make(type, 1, 1, 1, 1));
  TH_DNN_TRY(set_tensor_nd, states, type, 3, size, step);
  TH_DNN_TRY(rnn_weights, h, d, &weights);
  return check_weights(h);
}

/* cuDNN 8.9.1 and later know lengths from descriptors, those before it from the device. */
static bool knows_lengths()
{
  int v[3] = { 0, 0, 0 };
  return sscanf(dnn::version(), "%d.%d.%d", v, v + 1, v + 2) == 3 && v[0] * 10000 + v[1] * 100 + v[2] >= 80901;
}

/* Buffers of one size: cuBLAS's documentation names :16:8 and :4096:8, cuDNN's :16:8 and :4096:2. cuBLAS reads the variable when
 * it makes a handle, so it is set when this library is loaded, unless the user has set it. */
static bool one_size()
{
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  const char *v = getenv("CUBLAS_WORKSPACE_CONFIG");
  return v && (strcmp(v, ":16:8") == 0 || strcmp(v, ":4096:8") == 0 || strcmp(v, ":4096:2") == 0);
}
static const bool set_so = one_size();
static bool same_bits() { return th_cuda_is_emulated() || set_so; }   /* the emulated device has no other bits */

/* Operands lie on one device, have one type, no gaps, and the sizes of the layer. Those that may be absent are. */
struct operands { std::vector<const th_tensor *> inputs, outputs, states, weights; };
static th_status enter(const th_cuda_rnn &r, const operands &o)
{
  const th_tensor *first = o.outputs[0];
  const int64_t ways = r.both_ways ? 2 : 1, rows = (int64_t)r.steps * r.samples, hidden = r.hidden, gates = gates_of(r);
  const int64_t below = gates * hidden * (r.input + hidden + 2), above = gates * hidden * (ways * hidden + hidden + 2);
  const struct { const std::vector<const th_tensor *> &list; int64_t n; } all[] = {
    { o.inputs, rows * r.input }, { o.outputs, rows * ways * hidden }, { o.states, r.layers * ways * r.samples * hidden },
    { o.weights, ways * (below + (r.layers - 1) * above) }
  };
  for (const auto &of : all) {
    for (const th_tensor *t : of.list) {
      const bool alike = !t || (t->device == first->device && t->dtype == first->dtype && th_numel(t) == of.n);
      if (!t || (alike && th_tensor_is_contiguous(t))) continue;
      return th_fail(TH_EARG, "cuDNN's operands must lie on one device, without gaps, in the sizes of the layer");
    }
  }
  return TH_CUDA(cudaSetDevice(first->device - 1));
}

static th_status need_reserve(const th_tensor *t, size_t bytes)
{
  if (t && t->device > 0 && t->dtype == TH_U8 && (size_t)th_numel(t) == bytes) return TH_OK;
  return th_fail(TH_EARG, "the gradient is of other sequences than the forward before it");
}

}  // namespace

/* nullptr: these sequences are cuDNN's. */
const char *th_cuda_rnn_why(const th_cuda_rnn *r, const th_tensor *x)
{
  const int when = th_dnn_when();
  const double most = (double)r->steps * r->samples * (r->both_ways ? 2.0 : 1.0) * (r->hidden > r->input ? r->hidden : r->input);
  if (when == TH_DNN_NEVER) return "cudnn.enabled is false";
  if (th_cuda_is_emulated() && when != TH_DNN_WHEREVER) return "an emulated cuDNN is taken where it is preferred";
  if (th_cuda_records()) return "a graph is recorded";
  if (most >= INT32_MAX || x->dtype < TH_F16) return "it is too large";
  if (dnn::missing()) return dnn::missing();
  if (!same_bits()) return "CUBLAS_WORKSPACE_CONFIG has another value than :4096:8, so bits may differ from run to run";
  return knows_lengths() ? nullptr : "cuDNN is older than 8.9.1";
}

th_status th_cuda_rnn_forward(const th_cuda_rnn *r, const th_tensor *x, const th_tensor *weight, const th_tensor *hx,
                              const th_tensor *cx, const th_tensor *y, const th_tensor *hy, const th_tensor *cy,
                              th_tensor *reserve)
{
  const int train = reserve ? dnn::TRAINING : dnn::INFERENCE;
  layer l(*r, x->dtype);
  th_cuda_scratch work;
  size_t bytes = 0, reserved = 0;
  TH_CUDA_NOT_RECORDED(HOW);
  TH_TRY(enter(*r, { { x }, { y }, { hx, cx, hy, cy }, { weight } }));
  dnn::handle h;
  TH_TRY(h.take());
  TH_TRY(l.make(h));
  TH_DNN_TRY(rnn_space, h, l.d, train, l.dx, &bytes, &reserved);
  const int64_t size[1] = { (int64_t)reserved };
  if (reserve) {
    th_tensor_release(reserve);                      /* it may have been made for another device */
    reserve->device = x->device;
    TH_TRY(th_tensor_resize(reserve, TH_U8, 1, size, nullptr));
  }
  TH_TRY(work.take(bytes));
  TH_DNN_TRY(rnn, h, l.d, train, nullptr, l.dx, place(x), l.dy, place(y), l.states, place(hx), place(hy), l.states, place(cx),
             place(cy), l.weights, place(weight), bytes, work.as<void>(), reserve ? reserved : 0, place(reserve));
  return TH_OK;
}

/* Spoils the reserve for another one; the gradient of the weight reads what it leaves there. */
th_status th_cuda_rnn_backward(const th_cuda_rnn *r, const th_tensor *y, const th_tensor *gy, const th_tensor *weight,
                               const th_tensor *hx, const th_tensor *cx, const th_tensor *ghy, const th_tensor *gcy,
                               const th_tensor *gx, const th_tensor *ghx, const th_tensor *gcx, const th_tensor *reserve)
{
  layer l(*r, y->dtype);
  th_cuda_scratch work;
  size_t bytes = 0, reserved = 0;
  TH_CUDA_NOT_RECORDED(HOW);
  TH_TRY(enter(*r, { { gx }, { y, gy }, { hx, cx, ghy, gcy, ghx, gcx }, { weight } }));
  dnn::handle h;
  TH_TRY(h.take());
  TH_TRY(l.make(h));
  TH_DNN_TRY(rnn_space, h, l.d, dnn::TRAINING, l.dx, &bytes, &reserved);
  TH_TRY(need_reserve(reserve, reserved));
  TH_TRY(work.take(bytes));
  TH_DNN_TRY(rnn_back, h, l.d, nullptr, l.dy, place(y), place(gy), l.dx, place(gx), l.states, place(hx), place(ghy), place(ghx),
             l.states, place(cx), place(gcy), place(gcx), l.weights, place(weight), bytes, work.as<void>(), reserved,
             place(reserve));
  return TH_OK;
}

/* Adds to gw. */
th_status th_cuda_rnn_weight(const th_cuda_rnn *r, const th_tensor *x, const th_tensor *y, const th_tensor *hx,
                             const th_tensor *gw, const th_tensor *reserve)
{
  layer l(*r, x->dtype);
  th_cuda_scratch work;
  size_t bytes = 0, reserved = 0;
  TH_CUDA_NOT_RECORDED(HOW);
  TH_TRY(enter(*r, { { x }, { y }, { hx }, { gw } }));
  dnn::handle h;
  TH_TRY(h.take());
  TH_TRY(l.make(h));
  TH_DNN_TRY(rnn_space, h, l.d, dnn::TRAINING, l.dx, &bytes, &reserved);
  TH_TRY(need_reserve(reserve, reserved));
  TH_TRY(work.take(bytes));
  TH_DNN_TRY(rnn_back_weight, h, l.d, dnn::ADD, nullptr, l.dx, place(x), l.states, place(hx), l.dy, place(y), l.weights,
             place(gw), bytes, work.as<void>(), reserved, place(reserve));
  return TH_OK;
}
