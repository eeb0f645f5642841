// engine_cudnn.cu - the engine cudnn of devices: cuDNN, opened at run time. It takes engines and
// algorithms that give the same bits on every run, and rounds floats to TF32 only where
// cutorch.setTF32 says so. Its heuristics choose, never its stopwatch: what is chosen depends on
// sizes, device and version. The graph interface has the faster kernels. The older interface
// computes what the graph interface refuses.
#include <map>
#include <memory>
#include <string>
#include "engine.cuh"
#include "../libraries/cudnn_graph.cuh"
#include "../runtime/recording.cuh"

namespace {

/* ---- descriptors ---- */

struct descriptors {
  dnn::tensor x, y, bias;
  void *k = nullptr, *conv = nullptr;
  ~descriptors()
  {
    if (k) dnn::library.free_filter(k);
    if (conv) dnn::library.free_conv(conv);
  }
  th_status make(const th_conv_shape &s, bool tf32);
};

th_status descriptors::make(const th_conv_shape &s, bool tf32)
{
  const int type = dnn::type_of(s.dtype), math = s.dtype < TH_F32 ? dnn::TENSOR_MATH : tf32 ? dnn::DEFAULT_MATH : dnn::FMA_MATH;
  const int64_t c = s.groups * s.c, o = s.groups * s.o;
  TH_TRY(x.make(type, s.n, c, s.h, s.w));
  TH_TRY(y.make(type, s.n, o, s.oh, s.ow));
  TH_TRY(bias.make(type, 1, o, 1, 1));
  TH_DNN_TRY(new_filter, &k);
  TH_DNN_TRY(new_conv, &conv);
  TH_DNN_TRY(set_filter, k, type, dnn::NCHW, (int)o, (int)s.c, (int)s.kh, (int)s.kw);
  TH_DNN_TRY(set_conv, conv, (int)s.ph, (int)s.pw, (int)s.sh, (int)s.sw, (int)s.dh, (int)s.dw, dnn::CORRELATION,
             s.dtype == TH_F64 ? dnn::DOUBLE : dnn::FLOAT);
  TH_DNN_TRY(set_groups, conv, (int)s.groups);
  TH_DNN_TRY(set_math, conv, math);
  return TH_OK;
}

/* ---- plans: the first proposal that gives the same bits always, in memory not too large ---- */

enum { MOST = 16, KEPT = 4096 };
constexpr size_t WORKSPACE = (size_t)1 << 30;

/* A choice of the older interface, with its descriptors. */
struct choice { int algorithm; size_t work; };       /* algorithm -1: none */
struct older { descriptors d; choice by = { -1, 0 }; };

/* Of the graph interface; the tensors of a graph are these. */
enum { X = 1, K, Y, BIAS, SUM };
typedef std::unique_ptr<dnn::engine_plan> graph_plan;

/* `alone` has no bias. `biased` adds it, and exists where that loses no tensor cores. Without
 * `alone`, and for a scale that is not 1, the older interface computes. */
struct plan { graph_plan alone, biased; std::unique_ptr<older> old; };
/* To make a plan takes longer than the launch of a small convolution. Under the lock of the
 * handles. */
typedef std::shared_ptr<plan> kept_plan;
static auto &plans = *new std::map<std::string, kept_plan>;       /* cuDNN may be gone at exit */

static std::string key_of(const th_conv_shape &s, bool tf32)
{
  return std::string(reinterpret_cast<const char *>(&s), sizeof s) + (tf32 ? 't' : 'f');
}

static int propose(void *h, const descriptors &d, int pass, int *n, dnn::proposal *p)
{
  if (pass == TH_CONV_FORWARD) return dnn::library.propose_forward(h, d.x, d.k, d.conv, d.y, MOST, n, p);
  if (pass == TH_CONV_GRAD_INPUT) return dnn::library.propose_input(h, d.k, d.y, d.conv, d.x, MOST, n, p);
  return dnn::library.propose_weight(h, d.x, d.y, d.conv, d.k, MOST, n, p);
}
static int work_of(void *h, const descriptors &d, int pass, int algorithm, size_t *bytes)
{
  if (pass == TH_CONV_FORWARD) return dnn::library.work_forward(h, d.x, d.k, d.conv, d.y, algorithm, bytes);
  if (pass == TH_CONV_GRAD_INPUT) return dnn::library.work_input(h, d.k, d.y, d.conv, d.x, algorithm, bytes);
  return dnn::library.work_weight(h, d.x, d.y, d.conv, d.k, algorithm, bytes);
}

static th_status choose(choice *to, void *h, const descriptors &d, int pass)
{
  dnn::proposal p[MOST] = {};
  int n = 0;
  const int e = propose(h, d, pass, &n, p);
  if (dnn::no_memory(e)) return dnn::status_of(e, "an algorithm");
  for (int i = 0; e == dnn::SUCCESS && i < n && to->algorithm < 0; i++) {
    size_t bytes = 0;
    if (p[i].status != dnn::SUCCESS || p[i].determinism != dnn::DETERMINISTIC) continue;
    if (work_of(h, d, pass, p[i].algorithm, &bytes) == dnn::SUCCESS && bytes <= WORKSPACE) *to = { p[i].algorithm, bytes };
  }
  return TH_OK;
}

/* No plan where cuDNN has none; without memory to ask a failure. */
static th_status graph_of(graph_plan *to, void *h, const th_conv_shape &s, bool tf32,
                          bool with_bias)
{
  const int type = dnn::type_of(s.dtype);
  const int64_t c = s.groups * s.c, o = s.groups * s.o;
  const dnn::extent images = dnn::packed_extent(s.n, o, s.oh, s.ow);
  const bool adds = s.pass == TH_CONV_GRAD_WEIGHT;   /* to what is there */
  const char *who = th_entered();                    /* a refusal is no failure of the call */
  graph_plan made(new dnn::engine_plan);
  dnn::graph g;
  g.tensor(type, dnn::packed_extent(s.n, c, s.h, s.w));
  g.tensor(type, dnn::packed_extent(o, s.c, s.kh, s.kw));
  g.tensor(type, images);
  if (with_bias) {
    g.tensor(type, dnn::packed_extent(1, o, 1, 1));
    g.between(dnn::FLOAT, images);
  }
  g.convolution(s, X, K, with_bias ? SUM : Y, adds ? 1 : 0);
  if (with_bias) g.pointwise(dnn::PLUS, dnn::FLOAT, SUM, BIAS, Y);
  const th_status status = g.plan(made.get(), h, tf32, WORKSPACE);
  if (status == TH_OK) *to = std::move(made);
  if (status == TH_ENOMEM) return status;
  th_enter(who);
  return TH_OK;
}

static th_status older_of(std::unique_ptr<older> *to, void *h, const th_conv_shape &s,
                          bool tf32)
{
  std::unique_ptr<older> made(new older);
  TH_TRY(made->d.make(s, tf32));
  TH_TRY(choose(&made->by, h, made->d, s.pass));
  if (made->by.algorithm >= 0) *to = std::move(made);
  return TH_OK;
}

static bool is_empty(const plan &p) { return !p.alone && !p.old; }

/* Makes the plan unless it is kept. It is empty where cuDNN has none; without memory to ask there
 * is no plan. */
static th_status plan_of(kept_plan *found, void *h, const th_conv_shape &s, bool tf32)
{
  const std::string key = key_of(s, tf32);
  const auto at = plans.find(key);
  if (at != plans.end()) {
    *found = at->second;
    return TH_OK;
  }
  const kept_plan made = std::make_shared<plan>();
  TH_TRY(graph_of(&made->alone, h, s, tf32, false));
  if (made->alone && s.pass == TH_CONV_FORWARD) {
    TH_TRY(graph_of(&made->biased, h, s, tf32, true));
    const bool same = made->biased && made->biased->tensor_cores == made->alone->tensor_cores;
    if (!same) made->biased.reset();
  }
  if (!made->alone || s.pass == TH_CONV_GRAD_WEIGHT) {
    TH_TRY(older_of(&made->old, h, s, tf32));
  }
  if (plans.size() >= KEPT) plans.clear();
  *found = plans[key] = made;
  return TH_OK;
}

/* ---- parts of a batch ---- */

/* cuDNN counts the elements of a tensor in 31 bits. The emulated device splits batches of small tensors too, so that specs test
 * it. */
constexpr int64_t LARGEST = 1 << 30;
static int64_t part_elements() { return th_cuda_is_emulated() ? 1 << 15 : LARGEST; }

/* How many samples cuDNN takes at a time; 0: not even one. */
static int64_t samples_of(const th_conv_shape &s)
{
  const int64_t x = s.groups * s.c * s.h * s.w, y = s.groups * s.o * s.oh * s.ow, each = x > y ? x : y;
  if (s.groups * s.o * s.c * s.kh * s.kw > LARGEST || each > LARGEST) return 0;
  if (each == 0 || s.n <= part_elements() / each) return s.n;
  const int64_t n = part_elements() / each;
  return n >= 8 ? n / 8 * 8 : n > 0 ? n : 1;         /* each part begins at a multiple of 16 bytes */
}
static th_conv_shape part_of(const th_conv_shape &s, int64_t n)
{
  th_conv_shape part = s;
  part.n = n;
  return part;
}

/* ---- a pass ---- */

struct operands { char *x, *y, *k, *bias; };

/* The plan of a graph for c; nullptr: the older way. */
static const dnn::engine_plan *graph_for(const plan &p, const th_conv *c)
{
  if (c->s.pass == TH_CONV_GRAD_WEIGHT && c->scale != 1) return nullptr;
  return c->bias && p.biased ? p.biased.get() : p.alone.get();
}
static size_t work_of(const plan &p, const th_conv *c)
{
  const dnn::engine_plan *g = graph_for(p, c);
  return g ? g->work : p.old ? p.old->by.work : 0;
}

static th_status add_bias_by(void *h, const th_conv *c, int64_t samples, const operands &t)
{
  const dnn::factors f(1, c->s.dtype == TH_F64);
  const int type = dnn::type_of(c->s.dtype);
  const int64_t o = c->s.groups * c->s.o;
  dnn::tensor bias, y;
  TH_TRY(bias.make(type, 1, o, 1, 1));
  TH_TRY(y.make(type, samples, o, c->s.oh, c->s.ow));
  TH_DNN_TRY(add, h, f.at(dnn::ONCE), bias, t.bias, f.at(dnn::ONCE), y, t.y);
  return TH_OK;
}

static th_status pass_by_older(void *h, const older &p, const th_conv *c, const operands &t,
                               void *work)
{
  const dnn::factors f(c->scale, c->s.dtype == TH_F64);
  const dnn::numbers nothing = f.at(dnn::NOTHING), once = f.at(dnn::ONCE), scale = f.at(dnn::SCALED);
  const descriptors &d = p.d;
  const choice &by = p.by;
  if (c->s.pass == TH_CONV_GRAD_INPUT) {
    TH_DNN_TRY(input, h, once, d.k, t.k, d.y, t.y, d.conv, by.algorithm, work, by.work, nothing, d.x, t.x);
  } else if (c->s.pass == TH_CONV_GRAD_WEIGHT) {
    TH_DNN_TRY(weight, h, scale, d.x, t.x, d.y, t.y, d.conv, by.algorithm, work, by.work, once, d.k, t.k);
  } else {
    TH_DNN_TRY(forward, h, once, d.x, t.x, d.k, t.k, d.conv, by.algorithm, work, by.work, nothing, d.y, t.y);
  }
  return TH_OK;
}

/* The samples of one part. What fails is not tried again; the older interface takes the place of a
 * graph. */
static th_status pass_by(void *h, plan *p, const th_conv *c, int64_t samples, const operands &t,
                         void *work, bool tf32)
{
  const dnn::engine_plan *g = graph_for(*p, c);
  const bool biased = g && g == p->biased.get();
  const th_status status =
    biased ? g->run(h, { { X, t.x }, { K, t.k }, { Y, t.y }, { BIAS, t.bias } }, work)
    : g    ? g->run(h, { { X, t.x }, { K, t.k }, { Y, t.y } }, work)
           : pass_by_older(h, *p->old, c, t, work);
  if (status == TH_EBACKEND && biased) p->biased.reset();
  else if (status == TH_EBACKEND && !g) p->old.reset();
  else if (status == TH_EBACKEND) {
    p->alone.reset();
    if (!p->old && !th_cuda_records()) {
      TH_TRY(older_of(&p->old, h, part_of(c->s, samples), tf32));
    }
    return th_fail(TH_EBACKEND, "cuDNN has failed (a plan)");
  }
  TH_TRY(status);
  return c->bias && !biased ? add_bias_by(h, c, samples, t) : TH_OK;
}

/* The plan for parts of one size. */
static th_status prepare(kept_plan *p, void *h, const th_conv *c, int64_t samples,
                         bool tf32)
{
  TH_TRY(plan_of(p, h, part_of(c->s, samples), tf32));
  if (graph_for(**p, c) || (*p)->old) return TH_OK;
  return th_fail(TH_EBACKEND, "cuDNN has no algorithm for this whose bits are always the same");
}

/* Parts follow each other, so gradWeight adds up in the order of the samples. All memory is taken
 * before the first one begins; `began` says that something may be written. */
static th_status run_parts(const th_conv *c, const operands &t, bool tf32, bool *began)
{
  const th_conv_shape &s = c->s;
  const int64_t each = samples_of(s), rest = each ? s.n % each : 0;
  const int64_t es = (int64_t)th_element_size(s.dtype);
  const int64_t x = s.groups * s.c * s.h * s.w * es, y = s.groups * s.o * s.oh * s.ow * es;
  th_cuda_scratch work;
  kept_plan whole, last;
  dnn::handle h;
  if (each == 0) return th_fail(TH_EBACKEND, "cuDNN cannot count the elements of this");
  TH_TRY(h.take());
  TH_TRY(prepare(&whole, h, c, each, tf32));
  if (rest) TH_TRY(prepare(&last, h, c, rest, tf32));
  const size_t one = work_of(*whole, c), other = last ? work_of(*last, c) : 0;
  TH_TRY(work.take(other > one ? other : one));
  for (int64_t first = 0; first < s.n; first += each) {
    const bool full = s.n - first >= each;
    const operands part = { t.x + first * x, t.y + first * y, t.k, t.bias };
    TH_TRY(pass_by(h, (full ? whole : last).get(), c, full ? each : rest, part, work.as<void>(),
                   tf32));
    *began = true;
  }
  return TH_OK;
}

/* What cuDNN refuses when it is to be done it is not asked again. */
static th_status run(const th_conv *c, const th_call *)
{
  const int pass = c->s.pass;
  const bool tf32 = th_cuda_tf32() != 0;             /* another thread may change it meanwhile */
  dnn::packed x, y, k, bias;
  if (dnn::missing()) return th_fail(TH_EBACKEND, "there is no cuDNN: %s", dnn::missing());
  TH_TRY(x.take(c->x, pass != TH_CONV_GRAD_INPUT));
  TH_TRY(y.take(c->y, pass != TH_CONV_FORWARD));
  TH_TRY(k.take(c->k, true));                        /* gradWeight adds to what is there */
  if (c->bias) TH_TRY(bias.take(c->bias, true));
  const auto at = [](const dnn::packed &p) { return static_cast<char *>(p.data()); };
  const operands all = { at(x), at(y), at(k), c->bias ? at(bias) : nullptr };
  const char *who = th_entered();
  th_status status = TH_EBACKEND;
  bool began = false;
  for (int ways = 0; ways < 3 && status == TH_EBACKEND && !began; ways++) {
    th_enter(who);
    status = run_parts(c, all, tf32, &began);
  }
  TH_TRY(status);
  return (pass == TH_CONV_FORWARD ? y : pass == TH_CONV_GRAD_INPUT ? x : k).give();
}

/* ---- the engine ---- */

/* Has cuDNN an algorithm? A recording asks nothing: it knows what was asked before. */
static th_status ask(bool *has, const th_conv_shape *all)
{
  const th_conv_shape part = part_of(*all, samples_of(*all)), *s = &part;
  const bool tf32 = th_cuda_tf32() != 0;
  kept_plan p;
  dnn::handle h;
  const auto at = plans.find(key_of(*s, tf32));
  *has = at != plans.end() && !is_empty(*at->second);
  if (at != plans.end() || th_cuda_records()) return TH_OK;
  TH_TRY(h.take());
  TH_TRY(plan_of(&p, h, *s, tf32));
  *has = !is_empty(*p);
  return TH_OK;
}

static bool supports(const th_conv_shape *s)
{
  const int64_t all[] = { s->n, s->groups * s->c, s->groups * s->o, s->h, s->w, s->kh, s->kw, s->oh, s->ow, s->sh, s->sw, s->ph,
                          s->pw, s->dh, s->dw };
  const char *who = th_entered();                    /* whose call this is, should it fail elsewhere */
  int before = 0;
  bool has = false, some = true;
  if (dnn::missing()) return false;
  for (int64_t v : all) if (v > INT32_MAX) return false;
  for (int i = 0; i < 9; i++) some = some && all[i] > 0;
  if (!some) return true;                            /* an empty result needs no engine */
  if (samples_of(*s) == 0) return false;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(s->device - 1) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  const th_status status = ask(&has, s);
  if (status != TH_OK) th_enter(who);
  cudaSetDevice(before);
  return has || status == TH_ENOMEM;                 /* without memory to ask we try */
}

/* Two thirds of the device's rate: an H200 reached 0.5 to 0.7 of it in layers of 3x3 to 9x9. The emulated device computes cuDNN's
 * convolutions with slow loops of the host, so that only tests choose it there. */
static th_conv_cost cost(const th_conv_shape *s)
{
  const th_cuda_peak &p = th_cuda_peak_of(s->device);
  const double floats = th_cuda_tf32() ? p.tf32 : p.floats;
  const double rate = 0.66 * (s->dtype == TH_F64 ? p.doubles : s->dtype == TH_F32 ? floats : p.halves);
  th_conv_cost c = {};
  c.flops = 2 * th_conv_products(*s);
  c.bytes = th_conv_bytes(*s);
  c.seconds = (3 * TH_CUDA_LAUNCH + c.flops / rate + c.bytes / p.bytes) * (th_cuda_is_emulated() ? 1e3 : 1);
  return c;
}

}  // namespace

const th_conv_engine th_cuda_conv_cudnn = { "cudnn", supports, cost, run, dnn::missing };
