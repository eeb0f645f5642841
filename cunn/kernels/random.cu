// random.cu - filling tensors with random numbers. Each element knows its words, so a Philox generator gives the numbers
// that it gives on the CPU; the words of a Mersenne twister are drawn by the host and brought here.
//
// The default generator stands for the one that this thread has for the device: Philox, seeded by cutorch.
#include <stdlib.h>
#include <vector>
#include "../runtime/graph_random.cuh"
#include "../runtime/recording.cuh"
#include "fold_lines.cuh"
#include "../../lib/op/random.args.h"
#include "thcuda.h"
#define TH_PHILOX_FN TH_DEVICE_FN
#include "../../lib/core/philox.h"

/* ---- generators ---- */

/* The generator given, or that of the device. */
static th_status generator_of(th_generator **g, const th_call *c, th_generator *given)
{
  *g = given;
  if (*g == th_generator_default()) *g = th_cuda_generator(c->device);
  return *g ? TH_OK : th_fail(TH_ENOMEM, "no memory left for a generator");
}
static th_status generator_of(th_generator **g, const th_call *c) { return generator_of(g, c, law_args_of(c)->gen); }

/* ---- distributions: of words to numbers, as Torch7 makes them ---- */

constexpr double PI = 3.14159265358979323846;
TH_DEVICE_FN double unit(uint32_t word) { return word * (1.0 / 4294967296.0); }

/* For how many of the 2^32 words, the lowest, p > 0 and unit(word) <= p. A comparison with it needs
 * no doubles. */
TH_DEVICE_FN uint64_t chances_of(double p)
{
  return !(p > 0) ? 0 : p >= 1 ? (uint64_t)1 << 32 : (uint64_t)(p * 4294967296.0) + 1;
}

/* at(to, w, p): one number of WORDS words, or both of a pair. */
struct one { static constexpr int words = 1, numbers = 1; };
struct uniform_law : one {
  TH_DEVICE_FN void at(double *to, const uint32_t *w, const double *p) { *to = unit(*w) * (p[1] - p[0]) + p[0]; }
};
struct exponential_law : one {
  TH_DEVICE_FN void at(double *to, const uint32_t *w, const double *p) { *to = -1 / p[0] * log(1 - unit(*w)); }
};
struct cauchy_law : one {
  TH_DEVICE_FN void at(double *to, const uint32_t *w, const double *p) { *to = p[0] + p[1] * tan(PI * (unit(*w) - 0.5)); }
};
/* As in cutorch, p is the chance to end; on the CPU, as in Torch7, it is the chance to go on. */
struct geometric_law : one {
  TH_DEVICE_FN void at(double *to, const uint32_t *w, const double *p) { *to = trunc(log(1 - unit(*w)) / log1p(-p[0])) + 1; }
};
struct bernoulli_law : one {
  TH_DEVICE_FN void at(double *to, const uint32_t *w, const double *p)
  {
    *to = *w < chances_of(p[0]);
  }
};
struct whole_law : one {
  TH_DEVICE_FN void at(double *to, const uint32_t *w, const double *p) { *to = p[0] + (double)((uint64_t)*w % (uint64_t)p[1]); }
};
struct long_whole_law {
  static constexpr int words = 2, numbers = 1;
  TH_DEVICE_FN void at(double *to, const uint32_t *w, const double *p)
  {
    *to = p[0] + (double)(((uint64_t)w[0] << 32 | w[1]) % (uint64_t)p[1]);
  }
};
struct normal_law {
  static constexpr int words = 2, numbers = 2;
  TH_DEVICE_FN void at(double *to, const uint32_t *w, const double *p)
  {
    const double angle = 2 * PI * unit(w[0]), radius = sqrt(-2 * log(1 - unit(w[1])));
    to[0] = radius * cos(angle) * p[1] + p[0];
    to[1] = radius * sin(angle) * p[1] + p[0];
  }
};
struct lognormal_law : normal_law {
  TH_DEVICE_FN void at(double *to, const uint32_t *w, const double *p)
  {
    normal_law::at(to, w, p);
    to[0] = exp(to[0]);
    to[1] = exp(to[1]);
  }
};

/* ---- filling ---- */

/* Words in a row, by their number: of a counter, or drawn already. In a graph the counter stands, when a replay begins, where
 * `live` says, and `before` words come first: the second number where half a pair of normal numbers waits then. */
struct words { th_philox at; const uint32_t *drawn; const th_cuda_stand *live; uint64_t before[2]; };

/* Where the words of s begin. Registers hold it, which a change of s itself would prevent. */
TH_DEVICE_FN th_philox place_of(const words &s)
{
  th_philox at = s.live ? s.live->at : s.at;
  if (!s.live) return at;
  const uint64_t next = (uint64_t)at.next + (at.waiting ? s.before[1] : s.before[0]);
  at.block += next / 4;
  at.next = (int32_t)(next % 4);
  return at;
}
struct parameters { double p[2]; };

/* Words 4k..4k+3. at: place_of(s). */
TH_DEVICE_FN void four(uint32_t *w, const words &s, const th_philox &at, int64_t k, int64_t n)
{
  if (s.drawn) {
    for (int j = 0; j < 4; j++) w[j] = 4 * k + j < n ? s.drawn[4 * k + j] : 0;
    return;
  }
  th_philox_block(at.key, at.stream, at.block + (uint64_t)k, w);
  if (at.next == 0) return;
  uint32_t more[4];                          /* of two blocks; registers know no index */
  th_philox_block(at.key, at.stream, at.block + (uint64_t)k + 1, more);
  for (int turn = 0; turn < at.next; turn++) {
    const uint32_t first = more[0];
    w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = first;
    more[0] = more[1], more[1] = more[2], more[2] = more[3];
  }
}

/* Blocks for n words, four a thread. To begin takes a thread as long as several blocks of words, so
 * threads of large tensors loop. */
static unsigned some_blocks(int64_t n)
{
  const unsigned blocks = th_blocks((n + 3) / 4), most = 132 * 16;
  return blocks < most ? blocks : most;
}

/* Four elements can be stored at once. */
template <class T> static bool is_in_fours(const th_tensor *t)
{
  return th_contiguous(t) && reinterpret_cast<uintptr_t>(th_first<T>(t)) % alignof(th_four<T>) == 0;
}

/* A thread makes the numbers of four words; `count` words make elements from `first` on. `fours`:
 * is_in_fours, and first is 0. */
template <class T, class Law>
static __device__ void make_some(T *y, const view &vy, const words &s, int64_t count, int64_t first,
                                 const parameters &q, bool fours)
{
  const th_philox at = place_of(s);
  for (TH_EACH(k, (count + 3) / 4)) {
    uint32_t w[4];
    double number[4];
    four(w, s, at, k, count);
    for (int j = 0; j < 4 / Law::words; j++) Law::at(number + j * Law::numbers, w + j * Law::words, q.p);
    if (Law::words == Law::numbers && fours && 4 * k + 4 <= count) {
      th_four<T> made;
      for (int j = 0; j < 4; j++) made.v[j] = element<T>::from_double(number[j]);
      reinterpret_cast<th_four<T> *>(y)[k] = made;
      continue;
    }
    for (int j = 0; j < 4 / Law::words * Law::numbers; j++) {
      const int64_t i = 4 / Law::words * Law::numbers * k + j;
      if (i < count / Law::words * Law::numbers) y[vy.at(first + i)] = element<T>::from_double(number[j]);
    }
  }
}
template <class T, class Law>
static __global__ void make(T *y, view vy, words s, int64_t count, int64_t first, parameters q,
                            bool fours)
{
  make_some<T, Law>(y, vy, s, count, first, q, fours);
}

/* A normal number that the host has drawn, of mean 0 and deviation 1. */
template <class T> TH_DEVICE_FN T lone(double z, const parameters &q, bool log)
{
  z = z * q.p[1] + q.p[0];
  return element<T>::from_double(log ? exp(z) : z);
}
template <class T> static __global__ void set_lone(T *y, double z, parameters q, bool log) { *y = lone<T>(z, q, log); }

/* n normal numbers in a graph: pairs, and what the host has drawn. */
template <class T, class Law>
static __global__ void make_normals(T *y, view vy, words s, th_cuda_normals rested, th_cuda_normals waited, int64_t n,
                                    parameters q, bool log)
{
  const th_cuda_normals d = s.live->at.waiting ? waited : rested;
  make_some<T, Law>(y, vy, s, 2 * d.pairs, d.first >= 0, q, false);
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  if (d.first >= 0) y[vy.at(0)] = lone<T>(s.live->lone[d.first], q, log);
  if (d.last >= 0) y[vy.at(n - 1)] = lone<T>(s.live->lone[d.last], q, log);
}

static th_status need_own(const th_generator *g)
{
  th_philox at;
  int device = 0;
  TH_CUDA_TRY(cudaGetDevice(&device));
  if (g != th_cuda_generator(device + 1)) return th_cuda_cannot_record("random numbers of another generator than the device's");
  return th_generator_philox(&at, g) ? TH_OK : th_cuda_cannot_record("random numbers of a Mersenne twister");
}

/* Words that a generator gives next: `own` holds those that must be brought here. */
static th_status next_words(words *s, th_cuda_scratch *own_words, th_generator *g, int64_t count)
{
  const bool counts = th_generator_philox(&s->at, g);
  s->drawn = nullptr;
  s->live = nullptr;
  if (th_cuda_records()) {
    TH_TRY(need_own(g));
    return th_cuda_graph_words(&s->live, s->before, (uint64_t)count);
  }
  if (counts) {
    th_philox_skip(g, (uint64_t)count);
    return TH_OK;
  }
  TH_TRY(own_words->take((size_t)count * sizeof(uint32_t)));
  uint32_t *host = static_cast<uint32_t *>(th_scratch((size_t)count * sizeof *host));
  if (!host) return th_fail(TH_ENOMEM, "no memory left for %lld random words", (long long)count);
  for (int64_t i = 0; i < count; i++) host[i] = (uint32_t)th_generator_random(g);
  th_status done = TH_CUDA(cudaMemcpyAsync(own_words->as<void>(), host, (size_t)count * sizeof *host, cudaMemcpyHostToDevice,
                                           th_cuda_stream()));
  if (done == TH_OK) done = TH_CUDA(cudaStreamSynchronize(th_cuda_stream()));
  th_scratch_free(host);
  s->drawn = own_words->as<const uint32_t>();
  return done;
}

template <class T, class Law>
static th_status fill_some(const th_tensor *y, th_generator *g, parameters q, int64_t first, int64_t n)
{
  const int64_t count = n / Law::numbers * Law::words;
  th_cuda_scratch own_words;
  words s;
  if (n == 0) return TH_OK;
  TH_TRY(next_words(&s, &own_words, g, count));
  TH_LAUNCH((make<T, Law>), some_blocks(count), THREADS, 0, th_first<T>(y), th_view_of(y),
            s, count, first, q, first == 0 && is_in_fours<T>(y));
  return th_launched();
}

template <class T, class Law> static th_status fill(const th_call *c)
{
  const law_args *a = law_args_of(c);
  const parameters q = { { a->p, a->q } };
  th_generator *g;
  TH_TRY(generator_of(&g, c));
  return fill_some<T, Law>(a->x, g, q, 0, th_numel(a->x));
}

/* One normal number through the generator, which keeps the other one of the pair or gives it. */
template <class T> static th_status fill_lone(const th_tensor *y, th_generator *g, parameters q, int64_t at, bool log)
{
  TH_LAUNCH((set_lone<T>), 1, 1, 0, th_first<T>(y) + th_view_of(y).at(at), th_generator_normal(g, 0, 1), q, log);
  return th_launched();
}
template <class T, class Law> static th_status record_normals(const th_tensor *y, th_generator *g, parameters q, bool log)
{
  const int64_t n = th_numel(y);
  th_cuda_normals of[2];
  words s = {};
  if (n == 0) return TH_OK;
  TH_TRY(need_own(g));
  TH_TRY(th_cuda_graph_normals(&s.live, of, n));
  for (int k = 0; k < 2; k++) s.before[k] = of[k].before;
  TH_LAUNCH((make_normals<T, Law>), th_blocks((n + 3) / 4), THREADS, 0, th_first<T>(y), th_view_of(y), s, of[0], of[1], n, q,
            log);
  return th_launched();
}
template <class T, class Law> static th_status fill_pairs(const th_call *c, bool log)
{
  const law_args *a = law_args_of(c);
  const th_tensor *y = a->x;
  const parameters q = { { a->p, a->q } };
  const int64_t n = th_numel(y);
  th_generator *g;
  th_philox at;
  TH_TRY(generator_of(&g, c));
  if (th_cuda_records()) return record_normals<T, Law>(y, g, q, log);
  th_generator_philox(&at, g);
  const int64_t first = at.waiting && n > 0, pairs = (n - first) / 2;
  if (first) TH_TRY(fill_lone<T>(y, g, q, 0, log));
  TH_TRY((fill_some<T, Law>(y, g, q, first, 2 * pairs)));
  return first + 2 * pairs < n ? fill_lone<T>(y, g, q, n - 1, log) : TH_OK;
}

template <class T> static th_status uniform(const th_call *c) { return fill<T, uniform_law>(c); }
template <class T> static th_status normal(const th_call *c) { return fill_pairs<T, normal_law>(c, false); }
template <class T> static th_status lognormal(const th_call *c) { return fill_pairs<T, lognormal_law>(c, true); }
template <class T> static th_status exponential(const th_call *c) { return fill<T, exponential_law>(c); }
template <class T> static th_status cauchy(const th_call *c) { return fill<T, cauchy_law>(c); }
template <class T> static th_status geometric(const th_call *c) { return fill<T, geometric_law>(c); }
template <class T> static th_status bernoulli(const th_call *c) { return fill<T, bernoulli_law>(c); }
template <class T> static th_status random(const th_call *c)
{
  return law_args_of(c)->q <= 4294967296.0 ? fill<T, whole_law>(c) : fill<T, long_whole_law>(c);
}
TH_KERNELS(uniform, TH_CUDA_FLOATS(uniform))
TH_KERNELS(normal, TH_CUDA_FLOATS(normal))
TH_KERNELS(lognormal, TH_CUDA_FLOATS(lognormal))
TH_KERNELS(exponential, TH_CUDA_FLOATS(exponential))
TH_KERNELS(cauchy, TH_CUDA_FLOATS(cauchy))
TH_KERNELS(geometric, TH_CUDA_ALL(geometric))
TH_KERNELS(bernoulli, TH_CUDA_ALL(bernoulli))
TH_KERNELS(random, TH_CUDA_ALL(random))
TH_KERNELS(random_to, TH_CUDA_ALL(random))
TH_KERNELS(random_between, TH_CUDA_ALL(random))

/* ---- a chance for each element ---- */

TH_DEVICE_FN double chance_at(const void *p, int64_t at, int dtype)
{
  switch (dtype) {
    case TH_F16: return load_half(static_cast<const f16 *>(p)[at]);
    case TH_BF16: return load_half(static_cast<const bf16 *>(p)[at]);
    case TH_F32: return static_cast<const float *>(p)[at];
    default:     return static_cast<const double *>(p)[at];
  }
}
template <class T>
static __global__ void make_chances(T *y, view vy, const void *p, view vp, int dtype, words s, int64_t n)
{
  const th_philox at = place_of(s);
  for (TH_EACH(k, (n + 3) / 4)) {
    uint32_t w[4];
    four(w, s, at, k, n);
    for (int j = 0; j < 4 && 4 * k + j < n; j++) {
      const double chance = chance_at(p, vp.at(4 * k + j), dtype);
      y[vy.at(4 * k + j)] = element<T>::from_double(chance > 0 && unit(w[j]) <= chance);
    }
  }
}
template <class T> static th_status bernoulli_tensor(const th_call *c)
{
  const bernoulli_tensor_args *a = bernoulli_tensor_args_of(c);
  const th_tensor *y = a->x, *p = a->p;
  const int64_t n = th_numel(y);
  th_generator *g;
  th_cuda_scratch own_words;
  words s;
  TH_TRY(generator_of(&g, c));
  if (n == 0) return TH_OK;
  TH_TRY(next_words(&s, &own_words, g, n));
  TH_LAUNCH((make_chances<T>), th_blocks((n + 3) / 4), THREADS, 0, th_first<T>(y), th_view_of(y),
            th_data(p, th_element_size(p->dtype)), th_view_of(p), p->dtype, s, n);
  return th_launched();
}
TH_KERNELS(bernoulli_tensor, TH_CUDA_ALL(bernoulli_tensor))

/* ---- dropout ---- */

template <class T> struct dropping {
  T *y, *noise;
  const T *x;
  view vy, vn, vx;
  T kept;
  uint64_t chances;
  bool fours;
};

/* A thread makes four numbers of noise and of y. */
template <class T> static __global__ void drop(dropping<T> d, words s, int64_t n)
{
  typedef element<T> E;
  const T gone = E::from_double(0);
  const th_philox at = place_of(s);
  for (TH_EACH(k, (n + 3) / 4)) {
    uint32_t w[4];
    th_four<T> noise, y;
    four(w, s, at, k, n);
    for (int j = 0; j < 4; j++) noise.v[j] = w[j] < d.chances ? d.kept : gone;
    if (d.fours && 4 * k + 4 <= n) {
      const th_four<T> x = reinterpret_cast<const th_four<T> *>(d.x)[k];
      for (int j = 0; j < 4; j++) y.v[j] = E::store(E::load(x.v[j]) * E::load(noise.v[j]));
      reinterpret_cast<th_four<T> *>(d.noise)[k] = noise;
      reinterpret_cast<th_four<T> *>(d.y)[k] = y;
      continue;
    }
    for (int j = 0; j < 4 && 4 * k + j < n; j++) {
      d.noise[d.vn.at(4 * k + j)] = noise.v[j];
      d.y[d.vy.at(4 * k + j)] = E::store(E::load(d.x[d.vx.at(4 * k + j)]) * E::load(noise.v[j]));
    }
  }
}
template <class T> static th_status dropout(const th_call *c)
{
  typedef element<T> E;
  const dropout_args *a = dropout_args_of(c);
  const th_tensor *y = a->y, *noise = a->noise, *x = a->x;
  const int64_t n = th_numel(x);
  const double keep = 1 - a->p;
  const T one = E::from_double(1), kept = a->scaled ? E::store(E::load(one) / E::number(keep)) : one;
  const dropping<T> d = { th_first<T>(y), th_first<T>(noise), th_first<const T>(x), th_view_of(y), th_view_of(noise),
                          th_view_of(x), kept, chances_of(keep),
                          is_in_fours<T>(y) && is_in_fours<T>(noise) && is_in_fours<T>(x) };
  th_generator *g;
  th_cuda_scratch own_words;
  words s;
  TH_TRY(generator_of(&g, c, a->gen));
  if (n == 0) return TH_OK;
  TH_TRY(next_words(&s, &own_words, g, n));
  TH_LAUNCH((drop<T>), some_blocks(n), THREADS, 0, d, s, n);
  return th_launched();
}
TH_KERNELS(dropout, TH_CUDA_FLOATS(dropout))

/* ---- permutations and samples: one step leads to the next, so the host takes them ---- */

/* Runs the op on the CPU with copies of the tensors and the device's generator, and brings the results here. The check has
 * passed, and the results have their sizes. */
static th_status on_host(const th_call *c)
{
  th_arg args[TH_MAXARG];
  th_tensor copy[TH_MAXARG], *t[TH_MAXARG];
  th_status s = TH_OK;
  TH_CUDA_NOT_RECORDED("the CPU computes it");
  memset(copy, 0, sizeof copy);
  for (int i = 0; i < c->narg && s == TH_OK; i++) {
    args[i] = c->arg[i];
    const bool result = c->kind[i] == TH_K_OUT || c->kind[i] == TH_K_INOUT;
    t[i] = result || c->kind[i] == TH_K_TENSOR ? c->arg[i].t : nullptr;
    if (c->kind[i] == TH_K_GEN) s = generator_of(&args[i].gen, c);
    if (!t[i]) continue;
    args[i].t = &copy[i];
    s = th_tensor_resize(&copy[i], t[i]->dtype, t[i]->ndim, t[i]->size, nullptr);
    if (s == TH_OK && !result) s = th_cuda_across(&copy[i], t[i]);
  }
  if (s == TH_OK) s = th_run(c->op, args, c->narg);
  for (int i = 0; i < c->narg && s == TH_OK; i++) {
    if (t[i] && c->kind[i] != TH_K_TENSOR) s = th_cuda_across(t[i], &copy[i]);
  }
  for (th_tensor &one_copy : copy) th_tensor_release(&one_copy);
  return s;
}
template <class T> static th_status host(const th_call *c) { return on_host(c); }
TH_KERNELS(randperm, TH_CUDA_ALL(host))
TH_KERNELS(multinomial, TH_CUDA_FLOATS(host))
TH_KERNELS(alias_setup, TH_CUDA_FLOATS(host))
TH_KERNELS(alias, TH_CUDA_FLOATS(host))
