// ctc_loss.cu - the forward-backward sums of connectionist temporal classification, as logarithms and in double: a block for each
// sample, its states side by side, its steps one after the other. alpha is what the CPU makes it.
#include "fold.cuh"
#include "../../lib/op/ctc_loss.args.h"

namespace {

template <class T> struct job {
  const T *x, *g;
  T *gx, *loss;
  double *alpha, *scratch;                   /* scratch: 3 x (width + 2) a sample */
  const int64_t *labels, *lengths;
  int64_t steps, samples, classes, most, blank;
  int64_t x_step, x_sample, x_class, gx_step, gx_sample, gx_class, alpha_sample, alpha_step, alpha_state;
  int64_t label_sample, label_place, length_step, loss_step, g_step;

  __device__ int64_t label(int64_t b, int64_t i) const { return labels[b * label_sample + i * label_place]; }
  __device__ int64_t length(int64_t b) const { return lengths ? lengths[b * length_step] : steps; }
  __device__ double &at(int64_t b, int64_t t, int64_t s) const
  {
    return alpha[b * alpha_sample + t * alpha_step + s * alpha_state];
  }
  __device__ double score(int64_t b, int64_t t, int64_t k) const
  {
    return (double)element<T>::load(x[t * x_step + b * x_sample + k * x_class]);
  }
  /* State s is a label or, between them, the blank; it may follow s - 2 where that is another label. */
  __device__ int64_t class_of(int64_t b, int64_t s) const
  {
    if (s % 2 == 0) return blank;
    const int64_t k = label(b, s / 2) - 1;
    return k + (k >= blank);
  }
  __device__ bool skips(int64_t b, int64_t s) const { return s % 2 && s > 1 && label(b, s / 2) != label(b, s / 2 - 1); }
  __device__ int64_t states(int64_t b) const
  {
    int64_t n = 0;
    while (n < most && label(b, n)) n++;
    return 2 * n + 1;
  }
};

/* log(exp(a) + exp(b) + exp(c)), where each may be -infinity. */
TH_DEVICE_FN double sum3(double a, double b, double c)
{
  const double ab = a > b ? a : b, low = a > b ? b : a, high = ab > c ? ab : c, middle = ab > c ? c : ab;
  const double base = high == -INFINITY ? 0 : high;
  return high + log(1 + exp(low - base) + exp(middle - base));
}

/* Log of the probability of all alignments, from the last states. */
template <class T> static __device__ double total(const job<T> &j, int64_t b, int64_t n)
{
  const int64_t length = j.length(b);
  if (length == 0) return n == 1 ? 0 : -INFINITY;
  return sum3(j.at(b, length - 1, n), n > 1 ? j.at(b, length - 1, n - 1) : -INFINITY, -INFINITY);
}

template <class T> static __global__ void __launch_bounds__(THREADS) forward(job<T> j)
{
  typedef typename element<T>::C C;
  const int64_t width = 2 * j.most + 2;
  for (int64_t b = blockIdx.x; b < j.samples; b += gridDim.x) {
    const int64_t n = j.states(b), length = j.length(b);
    for (int64_t t = 0; t < j.steps; t++) {
      if (t >= length) {
        for (int64_t s = threadIdx.x; s < width; s += THREADS) j.at(b, t, s) = 0;
        continue;
      }
      C max = -(C)INFINITY;
      for (int64_t k = threadIdx.x; k < j.classes; k += THREADS) {
        const C v = (C)j.score(b, t, k);
        max = v > max ? v : max;
      }
      max = th_line_fold<THREADS>(max, [](C a, C c) { return c > a ? c : a; });
      double sum = 0;
      for (int64_t k = threadIdx.x; k < j.classes; k += THREADS) sum += (double)::exp((C)j.score(b, t, k) - max);
      const double all = (double)max + log(th_line_sum<THREADS>(sum));
      if (threadIdx.x == 0) j.at(b, t, 0) = all;
      for (int64_t s = threadIdx.x; s < width - 1; s += THREADS) {
        double v = 0;
        if (s < n) {
          const double emit = j.score(b, t, j.class_of(b, s)) - all;
          if (t == 0) v = s < 2 ? emit : -INFINITY;
          else if (s == 0) v = j.at(b, t - 1, 1) + emit;
          else v = sum3(j.at(b, t - 1, s + 1), j.at(b, t - 1, s), j.skips(b, s) ? j.at(b, t - 1, s - 1) : -INFINITY) + emit;
        }
        j.at(b, t, s + 1) = v;
      }
      __syncthreads();
    }
    if (threadIdx.x == 0) j.loss[b * j.loss_step] = element<T>::store((C)(0 - total(j, b, n)));
    __syncthreads();
  }
}

template <class T> static __global__ void __launch_bounds__(THREADS) backward(job<T> j)
{
  typedef typename element<T>::C C;
  const int64_t room = 2 * j.most + 4;
  for (int64_t b = blockIdx.x; b < j.samples; b += gridDim.x) {
    const int64_t n = j.states(b), length = j.length(b);
    const double all = total(j, b, n), g = (double)element<T>::load(j.g[b * j.g_step]);
    double *share = j.scratch + b * 3 * room, *from = share + room, *next = from + room;
    for (int64_t s = threadIdx.x; s < room; s += THREADS) from[s] = next[s] = -INFINITY;
    __syncthreads();
    for (int64_t t = j.steps - 1; t >= 0; t--) {
      T *gx = j.gx + t * j.gx_step + b * j.gx_sample;
      if (t >= length || all == -INFINITY) {
        for (int64_t k = threadIdx.x; k < j.classes; k += THREADS) gx[k * j.gx_class] = element<T>::store((C)0);
        continue;
      }
      const double norm = j.at(b, t, 0);
      for (int64_t s = threadIdx.x; s < n; s += THREADS) {
        const double emit = j.score(b, t, j.class_of(b, s)) - norm, alpha = j.at(b, t, s + 1);
        const bool last = t == length - 1, ends = s + 2 >= n;
        const double after = s + 2 < n && j.skips(b, s + 2) ? from[s + 2] : -INFINITY;
        const double beta = !last ? sum3(from[s], s + 1 < n ? from[s + 1] : -INFINITY, after) : ends ? 0 : -INFINITY;
        share[s] = exp(alpha + beta - all);
        next[s] = beta + emit;
      }
      __syncthreads();
      for (int64_t k = threadIdx.x; k < j.classes; k += THREADS) {
        double row = (double)::exp((C)(j.score(b, t, k) - norm));
        for (int64_t s = 0; s < n; s++) if (j.class_of(b, s) == k) row -= share[s];
        gx[k * j.gx_class] = element<T>::store((C)(g * row));
      }
      __syncthreads();
      double *const old = from;
      from = next, next = old;
    }
    __syncthreads();
  }
}

template <class T>
static job<T> job_of(const th_tensor *x, const th_tensor *labels, const th_tensor *alpha, const ctc_options_args *options)
{
  const bool first = options->batchFirst != 0;
  const th_tensor *lengths = options->lengths;
  job<T> j = {};
  j.x = th_first<const T>(x), j.labels = th_first<const int64_t>(labels), j.alpha = th_first<double>(alpha);
  j.lengths = lengths ? th_first<const int64_t>(lengths) : nullptr;
  j.length_step = lengths ? lengths->stride[0] : 0;
  j.steps = x->size[first], j.samples = x->size[!first], j.classes = x->size[2], j.most = labels->size[1];
  j.blank = options->blank - 1;
  j.x_step = x->stride[first], j.x_sample = x->stride[!first], j.x_class = x->stride[2];
  j.label_sample = labels->stride[0], j.label_place = labels->stride[1];
  j.alpha_sample = alpha->stride[0], j.alpha_step = alpha->stride[1], j.alpha_state = alpha->stride[2];
  return j;
}

template <class T> static th_status ctc_loss(const th_call *c)
{
  const ctc_loss_args *a = ctc_loss_args_of(c);
  job<T> j = job_of<T>(a->x, a->labels, a->alpha, ctc_options_args_at(c, ctc_loss_blank));
  j.loss = th_first<T>(a->loss), j.loss_step = a->loss->stride[0];
  TH_LAUNCH((forward<T>), (unsigned)(j.samples < 65535 ? j.samples : 65535), THREADS, 0, j);
  return th_launched();
}

template <class T> static th_status ctc_loss_grad(const th_call *c)
{
  const ctc_loss_grad_args *a = ctc_loss_grad_args_of(c);
  const th_tensor *gx = a->gx, *g = a->g;
  const bool first = a->batchFirst != 0;
  job<T> j = job_of<T>(a->x, a->labels, a->alpha, ctc_options_args_at(c, ctc_loss_grad_blank));
  j.gx = th_first<T>(gx), j.gx_step = gx->stride[first], j.gx_sample = gx->stride[!first], j.gx_class = gx->stride[2];
  j.g = th_first<const T>(g), j.g_step = g->stride[0];
  th_cuda_scratch room;
  TH_TRY(room.take((size_t)(j.samples * 3 * (2 * j.most + 4)) * sizeof(double)));
  j.scratch = room.as<double>();
  TH_LAUNCH((backward<T>), (unsigned)(j.samples < 65535 ? j.samples : 65535), THREADS, 0, j);
  return th_launched();
}

}  // namespace

TH_KERNELS(ctc_loss, TH_CUDA_FLOATS(ctc_loss))
TH_KERNELS(ctc_loss_grad, TH_CUDA_FLOATS(ctc_loss_grad))
