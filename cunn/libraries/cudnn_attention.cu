// cudnn_attention.cu - attention of halves by cuDNN: one graph for the forward pass, one for the
// gradients. cuDNN recognises these chains of operations and computes each by one kernel that holds
// no matrix of scores. Dao, FlashAttention-2 (2023).
#include "cudnn_attention.cuh"
#include <float.h>
#include <map>
#include <memory>
#include <string>
#include "../runtime/recording.cuh"
#include "cudnn_graph.cuh"

namespace dnn {

constexpr size_t MOST_WORK = (size_t)1 << 30;
enum { KEPT_PLANS = 1024 };

/* ---- what cuDNN takes ---- */

static bool is_back(const attention &a) { return a.g != nullptr; }

/* Lines of 16 bytes, at any distance. */
static bool is_layout(const th_tensor *t)
{
  const int64_t *step = t->stride;
  const bool aligned = (uintptr_t)th_data(t, th_element_size(t->dtype)) % 16 == 0;
  for (int d = 0; d < 3; d++) if (step[d] < 1 || step[d] % 8) return false;
  return aligned && step[3] == 1 && t->size[3] % 8 == 0;
}

/* Gradients have the same bits in every run on GPUs of capability 9, where the graph without a sum
 * of floats for gq chooses an ordered kernel. cuDNN before 9.16 needs a padding mask for lengths
 * that 128 does not divide. Attention of 9.10.0 and 9.10.1 has known faults. */
static bool is_version(bool back)
{
  const size_t v = library.version();
  if (v < 90000 || v == 91000 || v == 91001) return false;
#ifdef __CUDACC__
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return back ? major == 9 && v >= 91600 : major >= 8;
#else
  (void)back;
  return true;
#endif
}

bool can_attend(const attention &a)
{
  if (a.q->dtype != TH_F16 && a.q->dtype != TH_BF16) return false;
  const int64_t queries = a.q->size[2], keys = a.k->size[2], d = a.q->size[3];
  if (th_numel(a.q) < 1 || keys < 1) return false;
  if (th_numel(a.q) > INT32_MAX || th_numel(a.k) > INT32_MAX) return false;
  if (a.scale < 0 || (a.causal && queries != keys) || d > (is_back(a) ? 128 : 256)) return false;
  if (!th_tensor_is_contiguous(a.lse)) return false;
  for (const th_tensor *t : { a.q, a.k, a.v, a.y, a.g, a.gq, a.gk, a.gv }) {
    if (t && !is_layout(t)) return false;
  }
  return !missing() && is_version(is_back(a));
}

/* ---- graphs ---- */

static extent extent_of(const th_tensor *t)
{
  extent e;
  for (int d = 0; d < 4; d++) e.size[d] = t->size[d], e.step[d] = t->stride[d];
  return e;
}

/* The tensors of a graph, in the order of their making. */
enum { Q = 1, KEYS, VALUES, RESULT, LSE, SCALE, G, GQ, GK, GV, SUMS, ONE };

struct sizes {
  extent scores, rows;
  int type;
};
static sizes sizes_of(const attention &a)
{
  const int64_t *n = a.q->size;
  return { packed_extent(n[0], n[1], n[2], a.k->size[2]), packed_extent(n[0], n[1], n[2], 1),
           type_of(a.q->dtype) };
}

/* q, k', v, y, lse and the scale. The gradients take v' in place of v. */
static void begin(graph *g, const attention &a, const sizes &s)
{
  const extent v = extent_of(a.v);
  g->tensor(s.type, extent_of(a.q));
  g->tensor(s.type, extent_of(a.k).turned());
  g->tensor(s.type, is_back(a) ? v.turned() : v);
  g->tensor(s.type, extent_of(a.y));
  g->tensor(FLOAT, s.rows);
  g->number(FLOAT);
}

/* x where a key is not later than the query, else the number of `hidden`. */
static int masked(graph *g, const extent &scores, int x, int hidden)
{
  const int row = g->between(INT32, scores), col = g->between(INT32, scores);
  const int sees = g->between(BOOLEAN, scores), y = g->between(FLOAT, scores);
  g->pointwise(INDEX, FLOAT, x, 0, row, 0, 2);
  g->pointwise(INDEX, FLOAT, x, 0, col, 0, 3);
  g->pointwise(GREATER_OR_EQUAL, BOOLEAN, row, col, sees);
  g->pointwise(CHOOSE, FLOAT, x, hidden, y, sees);
  return y;
}

/* scale q k' */
static int scores_of(graph *g, const extent &scores)
{
  const int raw = g->between(FLOAT, scores), s = g->between(FLOAT, scores);
  g->product(Q, KEYS, raw);
  g->pointwise(TIMES, FLOAT, raw, SCALE, s);
  return s;
}

static void forward(graph *g, const attention &a)
{
  const sizes s = sizes_of(a);
  begin(g, a, s);
  const int hidden = a.causal ? g->number(FLOAT) : 0;
  const int all = scores_of(g, s.scores);
  const int seen = a.causal ? masked(g, s.scores, all, hidden) : all;
  const int top = g->between(FLOAT, s.rows), sum = g->between(FLOAT, s.rows);
  const int apart = g->between(FLOAT, s.scores), power = g->between(FLOAT, s.scores);
  const int log = g->between(FLOAT, s.rows), weight = g->between(s.type, s.scores);
  g->fold(FOLD_MAX, seen, top);
  g->pointwise(MINUS, FLOAT, seen, top, apart);
  g->pointwise(EXP, FLOAT, apart, 0, power);
  g->fold(FOLD_SUM, power, sum);
  g->pointwise(LOG, FLOAT, sum, 0, log);
  g->pointwise(PLUS, FLOAT, top, log, LSE);
  g->pointwise(DIVIDED, FLOAT, power, sum, weight);
  g->product(weight, VALUES, RESULT);
}

/* x' as another shape of the same memory. */
static int turned(graph *g, const sizes &s, int x)
{
  const int y = g->between(s.type, s.scores.turned());
  g->reshape(x, y);
  return y;
}

static void gradients(graph *g, const attention &a)
{
  const sizes s = sizes_of(a);
  begin(g, a, s);
  g->tensor(s.type, extent_of(a.g));
  g->tensor(s.type, extent_of(a.gq));
  g->tensor(s.type, extent_of(a.gk));
  g->tensor(s.type, extent_of(a.gv));
  g->tensor(FLOAT, s.rows);
  g->number(FLOAT);
  const int hidden = a.causal ? g->number(FLOAT) : 0;
  const int64_t *n = a.q->size;
  const int part = g->between(FLOAT, packed_extent(n[0], n[1], n[2], n[3]));
  const int sum = g->between(FLOAT, s.rows);
  g->pointwise(TIMES, FLOAT, G, RESULT, part);
  g->fold(FOLD_SUM, part, sum);
  g->pointwise(TIMES, FLOAT, sum, ONE, SUMS);
  const int all = scores_of(g, s.scores), apart = g->between(FLOAT, s.scores);
  g->pointwise(MINUS, FLOAT, all, LSE, apart);
  const int seen = a.causal ? masked(g, s.scores, apart, hidden) : apart;
  const int weight = g->between(FLOAT, s.scores);
  g->pointwise(EXP, FLOAT, seen, 0, weight);
  g->product(turned(g, s, weight), G, GV);
  const int slope = g->between(FLOAT, s.scores), less = g->between(FLOAT, s.scores);
  const int by = g->between(FLOAT, s.scores), scaled = g->between(FLOAT, s.scores);
  g->product(G, VALUES, slope);
  g->pointwise(MINUS, FLOAT, slope, SUMS, less);
  g->pointwise(TIMES, FLOAT, less, weight, by);
  g->pointwise(TIMES, FLOAT, by, SCALE, scaled);
  g->product(turned(g, s, scaled), Q, GK);
  const int keys = g->between(s.type, extent_of(a.k));
  g->reshape(KEYS, keys);
  g->product(scaled, keys, GQ);
}

/* ---- plans ---- */

typedef std::shared_ptr<engine_plan> kept_plan;      /* nullptr: cuDNN refuses */
static auto &plans = *new std::map<std::string, kept_plan>;       /* cuDNN may be gone at exit */

static std::string key_of(const attention &a)
{
  std::string key;
  const auto add = [&key](int64_t v) {
    key.append(reinterpret_cast<const char *>(&v), sizeof v);
  };
  for (int64_t v : { (int64_t)a.q->device, (int64_t)a.q->dtype, (int64_t)a.causal }) add(v);
  for (const th_tensor *t : { a.q, a.k, a.v, a.y, a.g, a.gq, a.gk, a.gv }) {
    for (int d = 0; t && d < 4; d++) add(t->size[d]), add(t->stride[d]);
  }
  return key;
}

/* Under the lock of the handles. A recording makes no plan. */
static th_status plan_of(kept_plan *to, void *handle, const attention &a)
{
  const std::string key = key_of(a);
  const auto at = plans.find(key);
  if (at == plans.end() && !th_cuda_records()) {
    const char *who = th_entered();
    const kept_plan made = std::make_shared<engine_plan>();
    graph g;
    if (is_back(a)) gradients(&g, a);
    else forward(&g, a);
    const th_status status = g.plan(made.get(), handle, true, MOST_WORK);
    if (status == TH_ENOMEM) return status;
    if (plans.size() >= KEPT_PLANS) plans.clear();
    *to = plans[key] = status == TH_OK ? made : nullptr;
    th_enter(who);
  }
  else if (at != plans.end()) *to = at->second;
  return *to ? TH_OK : th_fail(TH_EBACKEND, "cuDNN has no plan for this attention");
}

static void *data_of(const th_tensor *t) { return th_data(t, th_element_size(t->dtype)); }

th_status attend(const attention &a)
{
  const float scale = (float)(a.scale != 0 ? a.scale : 1 / sqrt((double)a.q->size[3]));
  /* cuDNN before 9.10 expects the lowest number in place of -infinity. */
  const float one = 1, hidden = library.version() < 91000 ? -FLT_MAX : -INFINITY;
  th_cuda_scratch work, sums;
  kept_plan plan;
  handle h;
  TH_TRY(h.take());
  TH_TRY(plan_of(&plan, h, a));
  TH_TRY(work.take(plan->work));
  std::vector<operand> all = { { Q, data_of(a.q) }, { KEYS, data_of(a.k) },
                               { VALUES, data_of(a.v) }, { RESULT, data_of(a.y) },
                               { LSE, data_of(a.lse) }, { SCALE, &scale } };
  if (is_back(a)) {
    TH_TRY(sums.take((size_t)th_numel(a.lse) * sizeof(float)));
    for (const operand &o : { operand{ G, data_of(a.g) }, operand{ GQ, data_of(a.gq) },
                              operand{ GK, data_of(a.gk) }, operand{ GV, data_of(a.gv) },
                              operand{ SUMS, sums.as<void>() }, operand{ ONE, &one } }) {
      all.push_back(o);
    }
  }
  if (a.causal) all.push_back({ (int64_t)all.size() + 1, &hidden });
  const th_status status = plan->run(h, all, work.as<void>());
  if (status == TH_EBACKEND) plans[key_of(a)] = nullptr;
  return status;
}

}  // namespace dnn
