// recurrent.cu - sequences of recurrent cells: for each step a product of the states with the weight, then a thread for each
// unit of each sample. States and products are kept in C; samples that have no row at a step stay as they are.
#include "gemm.cuh"
#include "../../lib/op/recurrent.args.h"

namespace {

enum cell { LSTM, GRU, PLAIN };

/* A matrix, a vector as its only row, or nothing. */
template <class T> struct matrix {
  T *p;
  int64_t row, col;
  matrix() : p(nullptr), row(0), col(0) {}
  explicit matrix(const th_tensor *t)
    : p(t ? th_first<T>(t) : nullptr), row(t && t->ndim > 1 ? t->stride[0] : 0), col(t ? t->stride[t->ndim - 1] : 0) {}
  __device__ typename element<T>::C get(int64_t i, int64_t k) const { return p ? element<T>::load(p[i * row + k * col]) : 0; }
  __device__ void put(int64_t i, int64_t k, typename element<T>::C v) const { p[i * row + k * col] = element<T>::store(v); }
};

TH_DEVICE_FN float sigmoid(float v) { return 1 / (1 + ::expf(-v)); }
TH_DEVICE_FN double sigmoid(double v) { return 1 / (1 + ::exp(-v)); }
TH_DEVICE_FN float tangent(float v) { return ::tanhf(v); }
TH_DEVICE_FN double tangent(double v) { return ::tanh(v); }

template <class T> struct job {
  typedef typename element<T>::C C;
  cell kind;
  bool reverse, relu;
  int64_t steps, samples, n, units, gates;
  const int64_t *places;
  int64_t step, sample;                      /* of places */
  matrix<T> x, a, h, c, h0, c0, bias;        /* c: the q of a GRU */
  matrix<T> g, ghn, gcn, gx, gq, hp, gh0, gc0;
  C *sums, *sh, *sc, *d;                     /* samples x gates or units; states, or their gradients; gradients of gates */

  /* The row of sample b at the s-th step of the walk, from 0; -1: there is none. */
  __device__ int64_t row_at(int64_t s, int64_t b) const { return places[(reverse ? steps - 1 - s : s) * step + b * sample] - 1; }
  __device__ int64_t row_before(int64_t s, int64_t b) const
  {
    while (--s >= 0) {
      const int64_t row = row_at(s, b);
      if (row >= 0) return row;
    }
    return -1;
  }
};

/* ---- what all have ---- */

template <class T> static __global__ void mark(uint8_t *named, job<T> j)
{
  for (TH_EACH(i, j.steps * j.samples)) {
    const int64_t row = j.row_at(i / j.samples, i % j.samples);
    if (row >= 0) named[row] = 1;
  }
}
template <class T> static __global__ void clear_rows(matrix<T> m, const uint8_t *named, int64_t cols, int64_t n)
{
  for (TH_EACH(i, n)) if (!named[i / cols]) m.put(i / cols, i % cols, 0);
}
template <class T> static __global__ void begin_states(job<T> j, matrix<T> h, matrix<T> c)
{
  for (TH_EACH(i, j.samples * j.units)) {
    j.sh[i] = h.get(i / j.units, i % j.units);
    j.sc[i] = c.get(i / j.units, i % j.units);
  }
}
template <class T> static __global__ void take_weight(typename element<T>::C *to, matrix<T> w, int64_t cols, int64_t n)
{
  for (TH_EACH(i, n)) to[i] = w.get(i / cols, i % cols);
}

/* ---- forward ---- */

template <class T> static __global__ void forward(job<T> j, int64_t s)
{
  typedef typename element<T>::C C;
  const int64_t u = j.units;
  for (TH_EACH(i, j.samples * u)) {
    const int64_t b = i / u, k = i - b * u, row = j.row_at(s, b);
    if (row < 0) continue;
    const C *sums = j.sums + b * j.gates + k;
    C z[4] = { 0, 0, 0, 0 };
    for (int gate = 0; gate * u < j.gates; gate++) {
      z[gate] = j.x.get(row, gate * u + k) + j.bias.get(0, gate * u + k);
      if (j.kind != GRU || gate < 2) z[gate] += sums[gate * u];
    }
    C h;
    if (j.kind == LSTM) {
      const C in = sigmoid(z[0]), forget = sigmoid(z[1]), g = tangent(z[2]), out = sigmoid(z[3]);
      const C c = forget * j.sc[i] + in * g;
      h = out * tangent(c);
      z[0] = in, z[1] = forget, z[2] = g, z[3] = out;
      j.sc[i] = c;
      j.c.put(row, k, c);
    } else if (j.kind == GRU) {
      const C q = j.bias.get(0, j.gates + k) + sums[2 * u], r = sigmoid(z[0]), w = sigmoid(z[1]), t = tangent(z[2] + r * q);
      h = t + w * (j.sh[i] - t);
      z[0] = r, z[1] = w, z[2] = t;
      j.c.put(row, k, q);
    } else {
      h = !j.relu ? tangent(z[0]) : z[0] > 0 || z[0] != z[0] ? z[0] : 0;
    }
    j.sh[i] = h;
    j.h.put(row, k, h);
    if (j.a.p) for (int gate = 0; gate * u < j.gates; gate++) j.a.put(row, gate * u + k, z[gate]);
  }
}

/* ---- backward ---- */

template <class T> static __global__ void backward(job<T> j, int64_t s)
{
  typedef typename element<T>::C C;
  const int64_t u = j.units;
  for (TH_EACH(i, j.samples * u)) {
    const int64_t b = i / u, k = i - b * u, row = j.row_at(s, b);
    C *d = j.d + b * j.gates + k;
    if (row < 0) {
      for (int gate = 0; gate * u < j.gates; gate++) d[gate * u] = 0;
      continue;
    }
    const int64_t old = j.row_before(s, b);
    const C dh = j.sh[i] + j.g.get(row, k), before = old >= 0 ? j.h.get(old, k) : j.h0.get(b, k);
    j.hp.put(row, k, before);
    if (j.kind == PLAIN) {
      const C h = j.h.get(row, k);
      d[0] = !j.relu ? dh * (1 - h * h) : h > 0 ? dh : 0;
      j.gx.put(row, k, d[0]);
      j.sh[i] = 0;
    } else if (j.kind == LSTM) {
      const C in = j.a.get(row, k), forget = j.a.get(row, u + k), g = j.a.get(row, 2 * u + k), out = j.a.get(row, 3 * u + k);
      const C t = tangent(j.c.get(row, k)), dc = j.sc[i] + dh * out * (1 - t * t);
      const C c = old >= 0 ? j.c.get(old, k) : j.c0.get(b, k);
      d[0] = dc * g * (in * (1 - in));
      d[u] = dc * c * (forget * (1 - forget));
      d[2 * u] = dc * in * (1 - g * g);
      d[3 * u] = dh * t * (out * (1 - out));
      j.sc[i] = dc * forget;
      j.sh[i] = 0;
      for (int gate = 0; gate < 4; gate++) j.gx.put(row, gate * u + k, d[gate * u]);
    } else {
      const C r = j.a.get(row, k), w = j.a.get(row, u + k), t = j.a.get(row, 2 * u + k), q = j.c.get(row, k);
      const C dn = dh * (1 - w) * (1 - t * t);
      d[0] = dn * q * (r * (1 - r));
      d[u] = dh * (before - t) * (w * (1 - w));
      d[2 * u] = dn * r;
      j.sh[i] = dh * w;
      j.gx.put(row, k, d[0]);
      j.gx.put(row, u + k, d[u]);
      j.gx.put(row, 2 * u + k, dn);
      j.gq.put(row, k, d[2 * u]);
    }
  }
}
/* What passes on to the step before. */
template <class T> static __global__ void add_sums(job<T> j, int64_t s)
{
  for (TH_EACH(i, j.samples * j.units)) if (j.row_at(s, i / j.units) >= 0) j.sh[i] += j.sums[i];
}
template <class T> static __global__ void end_states(job<T> j)
{
  for (TH_EACH(i, j.samples * j.units)) {
    j.gh0.put(i / j.units, i % j.units, j.sh[i]);
    if (j.gc0.p) j.gc0.put(i / j.units, i % j.units, j.sc[i]);
  }
}

/* ---- calls ---- */

/* The rows that no place names, of the results that have such rows. */
template <class T> static th_status clear_unnamed(const job<T> &j, const matrix<T> *const *results, int count)
{
  th_cuda_scratch named;
  TH_TRY(named.take((size_t)j.n + 1));
  TH_CUDA_TRY(cudaMemsetAsync(named.as<void>(), 0, (size_t)j.n + 1, th_cuda_stream()));
  TH_LAUNCH((mark<T>), th_blocks(j.steps * j.samples), THREADS, 0, named.as<uint8_t>(), j);
  for (int r = 0; r < count; r++) {
    const int64_t cols = results[r] == &j.a || results[r] == &j.gx ? j.gates : j.units;
    TH_LAUNCH((clear_rows<T>), th_blocks(j.n * cols), THREADS, 0, *results[r], named.as<const uint8_t>(), cols, j.n * cols);
  }
  return th_launched();
}

template <class T> static th_status run(job<T> &j, const th_tensor *weight, bool back, const matrix<T> *const *results, int count)
{
  typedef typename element<T>::C C;
  const int64_t u = j.units, all = j.samples * u, wide = j.samples * j.gates;
  th_cuda_scratch room, packed;
  TH_TRY(clear_unnamed(j, results, count));
  TH_TRY(room.take((size_t)(2 * all + 2 * wide) * sizeof(C)));
  TH_TRY(packed.take((size_t)(j.gates * u) * sizeof(C)));
  j.sh = room.as<C>(), j.sc = j.sh + all, j.sums = j.sc + all, j.d = j.sums + wide;
  TH_LAUNCH((take_weight<T>), th_blocks(j.gates * u), THREADS, 0, packed.as<C>(), matrix<T>(weight), u, j.gates * u);
  TH_LAUNCH((begin_states<T>), th_blocks(all), THREADS, 0, j, back ? j.ghn : j.h0, back ? j.gcn : j.c0);
  th_cuda_gemm g = {};
  g.dtype = sizeof(C) == 8 ? TH_F64 : TH_F32;
  g.batch = 1, g.alpha = 1, g.m = j.samples, g.k = back ? j.gates : u, g.n = back ? u : j.gates;
  g.a = back ? j.d : j.sh, g.b = packed.as<void>(), g.c = j.sums;
  g.as[1] = g.k, g.as[2] = 1, g.cs[1] = g.n, g.cs[2] = 1;
  g.bs[1] = back ? u : 1, g.bs[2] = back ? 1 : u;
  for (int64_t s = 0; s < j.steps && !th_interrupted(); s++) {
    const int64_t at = back ? j.steps - 1 - s : s;
    if (back) TH_LAUNCH((backward<T>), th_blocks(all), THREADS, 0, j, at);
    TH_TRY(th_cuda_gemm_run(g));
    if (back) TH_LAUNCH((add_sums<T>), th_blocks(all), THREADS, 0, j, at);
    else TH_LAUNCH((forward<T>), th_blocks(all), THREADS, 0, j, at);
  }
  if (back) TH_LAUNCH((end_states<T>), th_blocks(all), THREADS, 0, j);
  return th_launched();
}

template <class T>
static job<T> job_of(cell kind, bool reverse, const th_tensor *x, const th_tensor *places, const th_tensor *weight)
{
  job<T> j;
  j.kind = kind, j.reverse = reverse, j.relu = false;
  j.steps = places->size[0], j.samples = places->size[1], j.n = x->size[0], j.units = weight->size[1];
  j.gates = weight->size[0];
  j.places = th_first<const int64_t>(places), j.step = places->stride[0], j.sample = places->stride[1];
  j.sums = j.sh = j.sc = j.d = nullptr;
  return j;
}

template <class T> static th_status gated(const th_call *c, cell kind)
{
  const lstm_args *a = lstm_args_of(c);
  job<T> j = job_of<T>(kind, a->reverse != 0, a->x, a->places, a->weight);
  j.x = matrix<T>(a->x), j.bias = matrix<T>(a->bias), j.h0 = matrix<T>(a->h0);
  if (kind == LSTM) j.c0 = matrix<T>(a->c0);
  j.h = matrix<T>(a->h), j.c = matrix<T>(a->c), j.a = matrix<T>(a->a);
  const matrix<T> *const results[] = { &j.h, &j.c, &j.a };
  return run(j, a->weight, false, results, 3);
}
template <class T> static th_status lstm(const th_call *c) { return gated<T>(c, LSTM); }
template <class T> static th_status gru(const th_call *c) { return gated<T>(c, GRU); }
template <class T> static th_status rnn(const th_call *c)
{
  const rnn_args *a = rnn_args_of(c);
  job<T> j = job_of<T>(PLAIN, a->reverse != 0, a->x, a->places, a->weight);
  j.relu = a->relu != 0;
  j.x = matrix<T>(a->x), j.bias = matrix<T>(a->bias), j.h0 = matrix<T>(a->h0), j.h = matrix<T>(a->h);
  const matrix<T> *const results[] = { &j.h };
  return run(j, a->weight, false, results, 1);
}

template <class T> static th_status lstm_grad(const th_call *c)
{
  const lstm_grad_args *a = lstm_grad_args_of(c);
  job<T> j = job_of<T>(LSTM, a->reverse != 0, a->a, a->places, a->weight);
  matrix<T> *const in[] = { &j.a, &j.h, &j.c, &j.g }, *const state[] = { &j.h0, &j.c0, &j.ghn, &j.gcn };
  for (int i = 0; i < 4; i++) *in[i] = matrix<T>(c->arg[lstm_grad_a + i].t), *state[i] = matrix<T>(c->arg[lstm_grad_h0 + i].t);
  j.gx = matrix<T>(a->gx), j.hp = matrix<T>(a->hp), j.gh0 = matrix<T>(a->gh0), j.gc0 = matrix<T>(a->gc0);
  const matrix<T> *const results[] = { &j.gx, &j.hp };
  return run(j, a->weight, true, results, 2);
}
template <class T> static th_status gru_grad(const th_call *c)
{
  const gru_grad_args *a = gru_grad_args_of(c);
  job<T> j = job_of<T>(GRU, a->reverse != 0, a->a, a->places, a->weight);
  matrix<T> *const in[] = { &j.a, &j.h, &j.c, &j.g };
  for (int i = 0; i < 4; i++) *in[i] = matrix<T>(c->arg[gru_grad_a + i].t);
  j.h0 = matrix<T>(a->h0), j.ghn = matrix<T>(a->ghn);
  j.gx = matrix<T>(a->gx), j.gq = matrix<T>(a->gq), j.hp = matrix<T>(a->hp), j.gh0 = matrix<T>(a->gh0);
  const matrix<T> *const results[] = { &j.gx, &j.gq, &j.hp };
  return run(j, a->weight, true, results, 3);
}
template <class T> static th_status rnn_grad(const th_call *c)
{
  const rnn_grad_args *a = rnn_grad_args_of(c);
  job<T> j = job_of<T>(PLAIN, a->reverse != 0, a->h, a->places, a->weight);
  j.relu = a->relu != 0;
  j.h = matrix<T>(a->h), j.g = matrix<T>(a->g), j.h0 = matrix<T>(a->h0), j.ghn = matrix<T>(a->ghn);
  j.gx = matrix<T>(a->gx), j.hp = matrix<T>(a->hp), j.gh0 = matrix<T>(a->gh0);
  const matrix<T> *const results[] = { &j.gx, &j.hp };
  return run(j, a->weight, true, results, 2);
}

}  // namespace

TH_KERNELS(lstm, TH_CUDA_FLOATS(lstm))
TH_KERNELS(gru, TH_CUDA_FLOATS(gru))
TH_KERNELS(rnn, TH_CUDA_FLOATS(rnn))
TH_KERNELS(lstm_grad, TH_CUDA_FLOATS(lstm_grad))
TH_KERNELS(gru_grad, TH_CUDA_FLOATS(gru_grad))
TH_KERNELS(rnn_grad, TH_CUDA_FLOATS(rnn_grad))
