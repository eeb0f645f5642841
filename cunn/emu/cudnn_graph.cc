// cudnn_graph.cc - the graph interface of the emulated cuDNN. Parts are checked strictly; a plan
// is the list of operations, which plain loops in double compute.
//
// Heuristics propose engines that cunn must skip before the ones that it may take: one gives other
// bits in each run, one rounds sums, one rounds operands, one cannot be finalized, one wants too
// much memory. They give garbage. An engine with tensor cores rounds floats to TF32.
#include "../runtime/cudnn_names.h"
#include "cudnn.h"
#include <map>
#include <math.h>
#include <memory>

namespace emu_dnn
{
namespace
{

using namespace dnn;
enum { HASTY, ROUGH, COARSE, BROKEN, GREEDY, CORES, PLAIN }; /* engines */
const int64_t TOO_MUCH = (int64_t)1 << 31;

/* ---- parts ---- */

struct value {
  int type;
  int64_t n;
  std::vector<char> bytes;
};

struct program;
struct graph_part : object {
  static constexpr kind KIND = PART;
  int sort; /* a part_kind */
  std::map<int, value> values;
  int engine;                          /* of engines and their configurations */
  std::shared_ptr<const program> work; /* of graphs, and what is made of them */
  graph_part() : object(PART), sort(-1), engine(-1) {}
};

static int64_t bytes_of_value(int type)
{
  switch (type) {
    case VALUE_BOOLEAN: return 1;
    case VALUE_INT64:
    case VALUE_DOUBLE:
    case VALUE_VOID_PTR:
    case VALUE_HANDLE:
    case VALUE_BACKEND_DESCRIPTOR: return 8;
    default: return 4;
  }
}

/* The part that has the attribute. */
static int owner_of(int name)
{
  static const struct {
    int first, last, sort;
  } all[] = { { 0, 9, PART_POINTWISE },
              { 100, 106, PART_CONVOLUTION },
              { 200, 201, PART_ENGINEHEUR },
              { 400, 401, PART_EXECUTION_PLAN },
              { 700, 705, PART_OPERATION_CONVOLUTION_FORWARD },
              { 706, 711, PART_OPERATION_CONVOLUTION_BACKWARD_DATA },
              { 712, 717, PART_OPERATION_CONVOLUTION_BACKWARD_FILTER },
              { 750, 758, PART_OPERATION_POINTWISE },
              { 800, 801, PART_OPERATIONGRAPH },
              { 900, 908, PART_TENSOR },
              { 1000, 1003, PART_VARIANT_PACK },
              { 1500, 1500, PART_MATMUL },
              { 1520, 1523, PART_OPERATION_MATMUL },
              { 1600, 1601, PART_REDUCTION },
              { 1610, 1612, PART_OPERATION_REDUCTION },
              { 2200, 2201, PART_OPERATION_RESHAPE } };
  for (const auto &a : all)
    if (name >= a.first && name <= a.last) return a.sort;
  return -1;
}

static bool is_sort(int sort)
{
#define KNOWN(name, number)                                                                        \
  if (sort == (number)) return true;
  TH_DNN_PARTS(KNOWN)
#undef KNOWN
  return false;
}

static int make_part(int sort, void **to)
{
  if (!is_sort(sort)) return NOT_SUPPORTED;
  graph_part *p = new graph_part;
  p->sort = sort;
  return add(to, p);
}

static graph_part *finished(const void *p, int sort = -1)
{
  graph_part *q = find<graph_part>(p);
  return q && q->set && (sort < 0 || q->sort == sort) ? q : nullptr;
}

static int set_part(void *d, int name, int type, int64_t n, const void *values)
{
  graph_part *p = find<graph_part>(d);
  const int wanted = type_of_attribute((attribute)name);
  if (!p || p->set || n < 1 || owner_of(name) != p->sort) return BAD_PARAM;
  if (!values) return NULL_POINTER;
  if (type != wanted && !(wanted == VALUE_DOUBLE && type == VALUE_FLOAT)) return ATTRIBUTE_TYPE;
  const char *from = static_cast<const char *>(values);
  value v = { type, n, std::vector<char>(from, from + n * bytes_of_value(type)) };
  for (int64_t i = 0; i < n; i++) {
    const void *each = type == VALUE_BACKEND_DESCRIPTOR || type == VALUE_HANDLE
                           ? static_cast<void *const *>(values)[i]
                           : p;
    if (type == VALUE_BACKEND_DESCRIPTOR && !finished(each)) return NOT_FINALIZED;
    if (type == VALUE_HANDLE && !find<handle>(each)) return BAD_PARAM;
  }
  p->values[name] = v;
  return SUCCESS;
}

template <class T> T value_at(const graph_part &p, int name, int64_t i, T otherwise)
{
  const auto at = p.values.find(name);
  if (at == p.values.end() || i >= at->second.n) return otherwise;
  T v;
  memcpy(&v, at->second.bytes.data() + i * (int64_t)sizeof v, sizeof v);
  return v;
}
static int64_t count_of(const graph_part &p, int name)
{
  const auto at = p.values.find(name);
  return at == p.values.end() ? 0 : at->second.n;
}
static int choice_of(const graph_part &p, int name) { return value_at<int>(p, name, 0, -1); }
static graph_part *link_of(const graph_part &p, int name, int64_t i = 0)
{
  return find<graph_part>(value_at<void *>(p, name, i, nullptr));
}
static double factor_of(const graph_part &p, int name)
{
  const auto at = p.values.find(name);
  if (at == p.values.end()) return NAN;
  return at->second.type == VALUE_FLOAT ? (double)value_at<float>(p, name, 0, 0)
                                        : value_at<double>(p, name, 0, 0);
}

/* ---- programs ---- */

struct sheet { /* a tensor */
  int64_t id, size[4], step[4];
  int type;
  bool is_virtual, by_value;
  int64_t count() const { return size[0] * size[1] * size[2] * size[3]; }
};
struct step { /* an operation; places of tensors, -1: none */
  int sort, mode, axis, x, b, where, y;
  double beta;
  conv_sizes conv;
};
struct program {
  std::vector<sheet> sheets;
  std::vector<step> steps;
};

static bool known_element(int type) { return known_type(type) || type == INT32 || type == BOOLEAN; }

static bool read_sheet(sheet *to, const graph_part &t)
{
  to->id = value_at<int64_t>(t, ATTR_TENSOR_UNIQUE_ID, 0, 0);
  to->type = choice_of(t, ATTR_TENSOR_DATA_TYPE);
  to->is_virtual = value_at<bool>(t, ATTR_TENSOR_IS_VIRTUAL, 0, false);
  to->by_value = value_at<bool>(t, ATTR_TENSOR_IS_BY_VALUE, 0, false);
  if (count_of(t, ATTR_TENSOR_DIMENSIONS) != 4 || count_of(t, ATTR_TENSOR_STRIDES) != 4)
    return false;
  for (int d = 0; d < 4; d++) {
    to->size[d] = value_at<int64_t>(t, ATTR_TENSOR_DIMENSIONS, d, 0);
    to->step[d] = value_at<int64_t>(t, ATTR_TENSOR_STRIDES, d, 0);
    if (to->size[d] < 1 || to->step[d] < 1) return false;
  }
  return to->id > 0 && known_element(to->type) && !(to->is_virtual && to->by_value) &&
         to->count() <= INT32_MAX && value_at<int64_t>(t, ATTR_TENSOR_BYTE_ALIGNMENT, 0, 0) == 16;
}

/* The place of an operation's tensor in the program, -1 without one. */
static int sheet_of(program *to, const graph_part &op, int name)
{
  const graph_part *t = link_of(op, name);
  sheet s;
  if (!t || t->sort != PART_TENSOR || !read_sheet(&s, *t)) return -1;
  for (size_t i = 0; i < to->sheets.size(); i++)
    if (to->sheets[i].id == s.id) return (int)i;
  to->sheets.push_back(s);
  return (int)to->sheets.size() - 1;
}

/* The names of a convolution's attributes lie in the same order for all passes. */
struct conv_names {
  int pass, x, k, y, how, beta;
};
static bool conv_names_of(conv_names *to, int sort)
{
  static const conv_names all[] = {
    { TO_Y, ATTR_OPERATION_CONVOLUTION_FORWARD_X, ATTR_OPERATION_CONVOLUTION_FORWARD_W,
      ATTR_OPERATION_CONVOLUTION_FORWARD_Y, ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
      ATTR_OPERATION_CONVOLUTION_FORWARD_BETA },
    { TO_X, ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
      ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
      ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA },
    { TO_K, ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
      ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
      ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA }
  };
  const int pass = sort == PART_OPERATION_CONVOLUTION_FORWARD           ? 0
                   : sort == PART_OPERATION_CONVOLUTION_BACKWARD_DATA   ? 1
                   : sort == PART_OPERATION_CONVOLUTION_BACKWARD_FILTER ? 2
                                                                        : -1;
  if (pass >= 0) *to = all[pass];
  return pass >= 0;
}

static int read_convolution(program *to, const graph_part &op, const conv_names &n)
{
  const graph_part *how = link_of(op, n.how);
  const int x = sheet_of(to, op, n.x), k = sheet_of(to, op, n.k), y = sheet_of(to, op, n.y);
  if (!how || how->sort != PART_CONVOLUTION || x < 0 || k < 0 || y < 0) return BAD_PARAM;
  step s = { op.sort, n.pass, 0, x, k, -1, y, factor_of(op, n.beta), {} };
  const sheet &xs = to->sheets[(size_t)x], &ks = to->sheets[(size_t)k], &ys = to->sheets[(size_t)y];
  if ((xs.type == DOUBLE) != (choice_of(*how, ATTR_CONVOLUTION_COMP_TYPE) == DOUBLE))
    return BAD_PARAM;
  for (int d = 0; d < 4; d++) {
    s.conv.x[d] = (int)xs.size[d], s.conv.k[d] = (int)ks.size[d], s.conv.y[d] = (int)ys.size[d];
  }
  for (int d = 0; d < 2; d++) {
    s.conv.pad[d] = (int)value_at<int64_t>(*how, ATTR_CONVOLUTION_PRE_PADDINGS, d, -1);
    s.conv.step[d] = (int)value_at<int64_t>(*how, ATTR_CONVOLUTION_FILTER_STRIDES, d, 0);
    s.conv.spread[d] = (int)value_at<int64_t>(*how, ATTR_CONVOLUTION_DILATIONS, d, 0);
  }
  if (xs.size[1] % ks.size[1]) return OTHER_SHAPE;
  s.conv.groups = (int)(xs.size[1] / ks.size[1]);
  if (!agree(s.conv)) return OTHER_SHAPE;
  if (n.pass == TO_X) s.x = k, s.b = y, s.y = x;
  if (n.pass == TO_K) s.b = y, s.y = k;
  to->steps.push_back(s);
  return SUCCESS;
}

static bool spreads(const sheet &from, const sheet &to)
{
  for (int d = 0; d < 4; d++)
    if (from.size[d] != 1 && from.size[d] != to.size[d]) return false;
  return true;
}

static int read_pointwise(program *to, const graph_part &op)
{
  const graph_part *how = link_of(op, ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  if (!how || how->sort != PART_POINTWISE) return BAD_PARAM;
  const step s = { op.sort,
                   choice_of(*how, ATTR_POINTWISE_MODE),
                   (int)value_at<int64_t>(*how, ATTR_POINTWISE_AXIS, 0, -1),
                   sheet_of(to, op, ATTR_OPERATION_POINTWISE_XDESC),
                   sheet_of(to, op, ATTR_OPERATION_POINTWISE_BDESC),
                   sheet_of(to, op, ATTR_OPERATION_POINTWISE_TDESC),
                   sheet_of(to, op, ATTR_OPERATION_POINTWISE_YDESC),
                   0,
                   {} };
  const bool one = s.mode == EXP || s.mode == LOG || s.mode == INDEX;
  if (s.x < 0 || s.y < 0 || one != (s.b < 0) || (s.mode == CHOOSE) != (s.where >= 0))
    return BAD_PARAM;
  if ((s.mode == INDEX) != (s.axis >= 0) || s.axis > 3) return BAD_PARAM;
  for (int t : { s.x, s.b, s.where }) {
    if (t >= 0 && !spreads(to->sheets[(size_t)t], to->sheets[(size_t)s.y])) return OTHER_SHAPE;
  }
  to->steps.push_back(s);
  return SUCCESS;
}

static int read_product(program *to, const graph_part &op)
{
  const graph_part *how = link_of(op, ATTR_OPERATION_MATMUL_DESC);
  const step s = { op.sort,
                   0,
                   -1,
                   sheet_of(to, op, ATTR_OPERATION_MATMUL_ADESC),
                   sheet_of(to, op, ATTR_OPERATION_MATMUL_BDESC),
                   -1,
                   sheet_of(to, op, ATTR_OPERATION_MATMUL_CDESC),
                   0,
                   {} };
  if (!how || how->sort != PART_MATMUL || s.x < 0 || s.b < 0 || s.y < 0) return BAD_PARAM;
  const sheet &a = to->sheets[(size_t)s.x], &b = to->sheets[(size_t)s.b],
              &c = to->sheets[(size_t)s.y];
  for (int d = 0; d < 2; d++)
    if (a.size[d] != c.size[d] || b.size[d] != c.size[d]) return OTHER_SHAPE;
  if (a.size[2] != c.size[2] || b.size[3] != c.size[3] || a.size[3] != b.size[2])
    return OTHER_SHAPE;
  to->steps.push_back(s);
  return SUCCESS;
}

static int read_fold(program *to, const graph_part &op)
{
  const graph_part *how = link_of(op, ATTR_OPERATION_REDUCTION_DESC);
  if (!how || how->sort != PART_REDUCTION) return BAD_PARAM;
  const step s = { op.sort,
                   choice_of(*how, ATTR_REDUCTION_OPERATOR),
                   -1,
                   sheet_of(to, op, ATTR_OPERATION_REDUCTION_XDESC),
                   -1,
                   -1,
                   sheet_of(to, op, ATTR_OPERATION_REDUCTION_YDESC),
                   0,
                   {} };
  if (s.x < 0 || s.y < 0 || (s.mode != FOLD_SUM && s.mode != FOLD_MAX)) return BAD_PARAM;
  if (!spreads(to->sheets[(size_t)s.y], to->sheets[(size_t)s.x])) return OTHER_SHAPE;
  to->steps.push_back(s);
  return SUCCESS;
}

static int read_reshape(program *to, const graph_part &op)
{
  const step s = { op.sort,
                   0,
                   -1,
                   sheet_of(to, op, ATTR_OPERATION_RESHAPE_XDESC),
                   -1,
                   -1,
                   sheet_of(to, op, ATTR_OPERATION_RESHAPE_YDESC),
                   0,
                   {} };
  if (s.x < 0 || s.y < 0) return BAD_PARAM;
  if (to->sheets[(size_t)s.x].count() != to->sheets[(size_t)s.y].count()) return OTHER_SHAPE;
  to->steps.push_back(s);
  return SUCCESS;
}

static int read_operation(program *to, const graph_part &op)
{
  conv_names n;
  if (conv_names_of(&n, op.sort)) return read_convolution(to, op, n);
  switch (op.sort) {
    case PART_OPERATION_POINTWISE: return read_pointwise(to, op);
    case PART_OPERATION_MATMUL: return read_product(to, op);
    case PART_OPERATION_REDUCTION: return read_fold(to, op);
    case PART_OPERATION_RESHAPE: return read_reshape(to, op);
    default: return BAD_PARAM;
  }
}

/* Virtual tensors are written before they are read, and once. */
static bool is_ordered(const program &p)
{
  std::vector<bool> written(p.sheets.size());
  for (const step &s : p.steps) {
    for (int t : { s.x, s.b, s.where }) {
      if (t >= 0 && p.sheets[(size_t)t].is_virtual && !written[(size_t)t]) return false;
    }
    if (written[(size_t)s.y] || p.sheets[(size_t)s.y].by_value) return false;
    written[(size_t)s.y] = true;
  }
  return true;
}

static int64_t work_of(const program &p, int engine)
{
  const step &first = p.steps[0];
  if (engine == GREEDY) return TOO_MUCH;
  return first.conv.groups ? (int64_t)conv_work(first.conv, p.sheets[(size_t)first.x].type) : 4096;
}

/* ---- finalization ---- */

static int finish_graph(graph_part *p)
{
  std::shared_ptr<program> made = std::make_shared<program>();
  if (!find<handle>(value_at<void *>(*p, ATTR_OPERATIONGRAPH_HANDLE, 0, nullptr))) return BAD_PARAM;
  for (int64_t i = 0; i < count_of(*p, ATTR_OPERATIONGRAPH_OPS); i++) {
    const graph_part *op = link_of(*p, ATTR_OPERATIONGRAPH_OPS, i);
    const int e = op ? read_operation(made.get(), *op) : BAD_PARAM;
    if (e != SUCCESS) return e;
  }
  if (made->steps.empty() || !is_ordered(*made)) return BAD_PARAM;
  p->work = made;
  return SUCCESS;
}

static int finish_heuristics(graph_part *p)
{
  const graph_part *whole = link_of(*p, ATTR_ENGINEHEUR_OPERATION_GRAPH);
  const int mode = choice_of(*p, ATTR_ENGINEHEUR_MODE);
  if (!whole || whole->sort != PART_OPERATIONGRAPH) return BAD_PARAM;
  if (mode != HEURISTICS_A && mode != HEURISTICS_FALLBACK) return NOT_SUPPORTED;
  p->work = whole->work;
  return SUCCESS;
}

static int finish_plan(graph_part *p)
{
  const graph_part *config = link_of(*p, ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  if (!find<handle>(value_at<void *>(*p, ATTR_EXECUTION_PLAN_HANDLE, 0, nullptr))) return BAD_PARAM;
  if (!config || config->sort != PART_ENGINECFG) return BAD_PARAM;
  if (config->engine == BROKEN) return NOT_SUPPORTED;
  p->engine = config->engine;
  p->work = config->work;
  return SUCCESS;
}

static int finish_operation(const graph_part &p)
{
  program alone;
  return read_operation(&alone, p);
}

static int finish_part(void *d)
{
  graph_part *p = find<graph_part>(d);
  sheet s;
  int e = SUCCESS;
  if (!p || p->set) return BAD_PARAM;
  switch (p->sort) {
    case PART_TENSOR: e = read_sheet(&s, *p) ? SUCCESS : BAD_PARAM; break;
    case PART_OPERATIONGRAPH: e = finish_graph(p); break;
    case PART_ENGINEHEUR: e = finish_heuristics(p); break;
    case PART_EXECUTION_PLAN: e = finish_plan(p); break;
    case PART_VARIANT_PACK:
      e = count_of(*p, ATTR_VARIANT_PACK_UNIQUE_IDS) ==
                  count_of(*p, ATTR_VARIANT_PACK_DATA_POINTERS)
              ? SUCCESS
              : BAD_PARAM;
      break;
    case PART_POINTWISE:
    case PART_CONVOLUTION:
    case PART_MATMUL:
    case PART_REDUCTION: e = p->values.empty() ? BAD_PARAM : SUCCESS; break;
    default: e = finish_operation(*p);
  }
  p->set = e == SUCCESS;
  return e;
}

/* ---- engines ---- */

/* Of attention, by its first product; 0: another graph. */
static int64_t features_of(const program &p)
{
  for (const step &s : p.steps) {
    if (s.sort == PART_OPERATION_MATMUL) return p.sheets[(size_t)s.x].size[3];
  }
  return 0;
}

/* Kernels of 13 x 13 have no deterministic engine, those of 11 x 11 no engine, and those of
 * 10 x 10 only a fallback. Plans for kernels of 9 x 8 fail when they are executed. Tensor cores
 * take neither doubles nor groups with a bias, and graphs of several operations take no doubles:
 * so cuDNN 9.19 plans for an H200. Attention with 72 features has no engine, and with 88 its plans
 * fail. */
static std::vector<int> engines_of(const program &p, int mode)
{
  const step &first = p.steps[0];
  const bool conv = first.conv.groups > 0, several = p.steps.size() > 1;
  const int side = conv && first.conv.k[2] == first.conv.k[3] ? first.conv.k[2] : 0;
  const bool wide = p.sheets[(size_t)first.x].type == DOUBLE;
  if (side == 11 || features_of(p) == 72 || (wide && several)) return {};
  if (side == 13) return mode == HEURISTICS_A ? std::vector<int>{ HASTY } : std::vector<int>{};
  if (mode == HEURISTICS_FALLBACK) return { PLAIN };
  if (side == 10) return { HASTY, BROKEN };
  if (wide || (conv && several && first.conv.groups > 1)) return { HASTY, BROKEN, PLAIN };
  return { HASTY, ROUGH, COARSE, BROKEN, GREEDY, CORES, PLAIN };
}

static bool fails(const program &p)
{
  const conv_sizes &c = p.steps[0].conv;
  return (c.groups > 0 && c.k[2] == 9 && c.k[3] == 8) || features_of(p) == 88;
}

static std::vector<int> notes_of_engine(int engine)
{
  if (engine == HASTY) return { NONDETERMINISTIC };
  if (engine == ROUGH) return { TENSOR_CORES, ROUNDS_SUMS };
  if (engine == COARSE) return { ROUNDS_INPUTS };
  return engine == CORES ? std::vector<int>{ TENSOR_CORES } : std::vector<int>{};
}

static int get_engines(const graph_part &p, int64_t n, int64_t *found, void *values)
{
  const std::vector<int> engines = engines_of(*p.work, choice_of(p, ATTR_ENGINEHEUR_MODE));
  *found = (int64_t)engines.size();
  for (int64_t i = 0; i < n && i < *found; i++) {
    graph_part *to = find<graph_part>(static_cast<void **>(values)[i]);
    if (!to || to->sort != PART_ENGINECFG) return BAD_PARAM;
    to->engine = engines[(size_t)i], to->work = p.work, to->set = true;
  }
  return SUCCESS;
}

static int get_part(const void *d, int name, int type, int64_t n, int64_t *found, void *values)
{
  const graph_part *p = find<graph_part>(d);
  if (!p || !p->set) return NOT_FINALIZED;
  if (!found || (n > 0 && !values)) return NULL_POINTER;
  if (type != type_of_attribute((attribute)name)) return ATTRIBUTE_TYPE;
  if (name == ATTR_ENGINEHEUR_RESULTS && p->sort == PART_ENGINEHEUR)
    return get_engines(*p, n, found, values);
  *found = 1;
  if (name == ATTR_ENGINECFG_ENGINE && p->sort == PART_ENGINECFG && n == 1) {
    graph_part *to = find<graph_part>(*static_cast<void **>(values));
    if (!to || to->sort != PART_ENGINE) return BAD_PARAM;
    to->engine = p->engine, to->set = true;
    return SUCCESS;
  }
  if (name == ATTR_EXECUTION_PLAN_WORKSPACE_SIZE && p->sort == PART_EXECUTION_PLAN && n == 1) {
    *static_cast<int64_t *>(values) = work_of(*p->work, p->engine);
    return SUCCESS;
  }
  if (name != ATTR_ENGINE_NUMERICAL_NOTE || p->sort != PART_ENGINE) return BAD_PARAM;
  const std::vector<int> notes = notes_of_engine(p->engine);
  *found = (int64_t)notes.size();
  for (int64_t i = 0; i < n && i < *found; i++) static_cast<int *>(values)[i] = notes[(size_t)i];
  return SUCCESS;
}

/* ---- execution ---- */

/* The elements in the order of the sizes, whatever the strides are. */
static int64_t place_of(const sheet &s, int64_t i)
{
  int64_t at = 0;
  for (int d = 3; d >= 0; d--) at += i % s.size[d] * s.step[d], i /= s.size[d];
  return at;
}
static double load(int type, const void *p, int64_t i)
{
  return type == INT32 ? (double)static_cast<const int32_t *>(p)[i] : get(type, p, i);
}
/* As the type of an element that is never in memory rounds it. */
static double rounded(int type, double v)
{
  char room[8];
  if (type == INT32 || type == BOOLEAN) return v;
  put(type, room, 0, v);
  return get(type, room, 0);
}
static float without_low_bits(float v) /* as TF32 */
{
  uint32_t bits;
  memcpy(&bits, &v, sizeof v);
  bits = (bits + 0x1000) & ~0x1fffu;
  memcpy(&v, &bits, sizeof v);
  return v;
}

struct run_of {
  const program &p;
  const std::map<int64_t, void *> &places;
  int engine;
  std::vector<std::vector<double>> all; /* the elements of each tensor */

  const sheet &of(int t) const { return p.sheets[(size_t)t]; }
  void read(int t)
  {
    const sheet &s = of(t);
    std::vector<double> &to = all[(size_t)t];
    if (s.is_virtual || !to.empty()) return;
    to.resize((size_t)s.count());
    for (int64_t i = 0; i < s.count(); i++)
      to[(size_t)i] = load(s.type, places.at(s.id), place_of(s, i));
  }
  void write(int t, double beta)
  {
    const sheet &s = of(t);
    std::vector<double> &from = all[(size_t)t];
    for (int64_t i = 0; i < s.count(); i++) {
      double v = engine == CORES || engine == PLAIN ? from[(size_t)i] : NAN;
      if (beta != 0) v += beta * get(s.type, places.at(s.id), place_of(s, i));
      v = rounded(s.type, v);
      from[(size_t)i] = v;
      if (!s.is_virtual) put(s.type, places.at(s.id), place_of(s, i), v);
    }
  }
  /* The factors of a convolution on tensor cores. */
  std::vector<double> factors(int t) const
  {
    std::vector<double> v = all[(size_t)t];
    if (engine == CORES && of(t).type == FLOAT)
      for (double &e : v) e = without_low_bits((float)e);
    return v;
  }
  /* The element of t that belongs to element i of y. */
  double spread(int t, const sheet &y, int64_t i) const
  {
    const sheet &s = of(t);
    int64_t at = 0, n = 1;
    for (int d = 3; d >= 0; d--) {
      at += s.size[d] == 1 ? 0 : i % y.size[d] * n;
      i /= y.size[d], n *= s.size[d];
    }
    return all[(size_t)t][(size_t)at];
  }
  double point(const step &s, const sheet &y, int64_t i) const
  {
    if (s.mode == INDEX) {
      for (int d = 3; d > s.axis; d--) i /= y.size[d];
      return (double)(i % y.size[s.axis]);
    }
    const double a = spread(s.x, y, i), b = s.b < 0 ? 0 : spread(s.b, y, i);
    switch (s.mode) {
      case PLUS: return a + b;
      case MINUS: return a - b;
      case TIMES: return a * b;
      case DIVIDED: return a / b;
      case EXP: return exp(a);
      case LOG: return log(a);
      case CHOOSE: return spread(s.where, y, i) != 0 ? a : b;
      default: return a >= b;
    }
  }
  void multiply(const step &s)
  {
    const sheet &a = of(s.x), &c = of(s.y);
    const int64_t rows = c.size[2], cols = c.size[3], sum = a.size[3];
    for (int64_t i = 0; i < c.count(); i++) {
      const int64_t m = i / cols / rows, r = i / cols % rows, k = i % cols;
      double v = 0;
      for (int64_t j = 0; j < sum; j++) {
        v += all[(size_t)s.x][(size_t)((m * rows + r) * sum + j)] *
             all[(size_t)s.b][(size_t)((m * sum + j) * cols + k)];
      }
      all[(size_t)s.y][(size_t)i] = v;
    }
  }
  void fold(const step &s)
  {
    const sheet &x = of(s.x), &y = of(s.y);
    std::vector<double> &to = all[(size_t)s.y];
    to.assign(to.size(), s.mode == FOLD_MAX ? -INFINITY : 0);
    for (int64_t i = 0; i < x.count(); i++) {
      int64_t at = 0, n = 1, rest = i;
      for (int d = 3; d >= 0; d--) {
        at += y.size[d] == 1 ? 0 : rest % x.size[d] * n;
        rest /= x.size[d], n *= y.size[d];
      }
      double &v = to[(size_t)at];
      const double e = all[(size_t)s.x][(size_t)i];
      v = s.mode == FOLD_MAX ? (e > v ? e : v) : v + e;
    }
  }
  /* The same memory with other sizes and strides. */
  void reshape(const step &s)
  {
    const sheet &x = of(s.x), &y = of(s.y);
    std::map<int64_t, double> memory;
    for (int64_t i = 0; i < x.count(); i++) memory[place_of(x, i)] = all[(size_t)s.x][(size_t)i];
    for (int64_t i = 0; i < y.count(); i++) all[(size_t)s.y][(size_t)i] = memory.at(place_of(y, i));
  }
  void go()
  {
    all.resize(p.sheets.size());
    for (const step &s : p.steps) {
      for (int t : { s.x, s.b, s.where })
        if (t >= 0) read(t);
      std::vector<double> &to = all[(size_t)s.y];
      to.resize((size_t)of(s.y).count());
      if (s.conv.groups) to = convolve(s.conv, s.mode, factors(s.x), factors(s.b));
      else if (s.sort == PART_OPERATION_MATMUL) multiply(s);
      else if (s.sort == PART_OPERATION_REDUCTION) fold(s);
      else if (s.sort == PART_OPERATION_RESHAPE) reshape(s);
      else
        for (size_t i = 0; i < to.size(); i++) to[i] = point(s, of(s.y), (int64_t)i);
      write(s.y, s.beta);
    }
  }
};

static int execute(void *hp, void *planp, void *packp)
{
  const handle *h = find<handle>(hp);
  const graph_part *plan = finished(planp, PART_EXECUTION_PLAN),
                   *pack = finished(packp, PART_VARIANT_PACK);
  std::map<int64_t, void *> at;
  if (!h) return NOT_INITIALIZED;
  if (!plan || !pack) return NOT_FINALIZED;
  for (int64_t i = 0; i < count_of(*pack, ATTR_VARIANT_PACK_UNIQUE_IDS); i++) {
    at[value_at<int64_t>(*pack, ATTR_VARIANT_PACK_UNIQUE_IDS, i, 0)] = value_at<void *>(
        *pack, ATTR_VARIANT_PACK_DATA_POINTERS, i, nullptr);
  }
  void *const room = value_at<void *>(*pack, ATTR_VARIANT_PACK_WORKSPACE, 0, nullptr);
  if (!room) return NULL_POINTER;
  if (fails(*plan->work)) return NOT_SUPPORTED;
  std::map<int64_t, std::vector<char>> numbers; /* by value: the caller's memory may change */
  for (const sheet &s : plan->work->sheets) {
    if (s.is_virtual) continue;
    const auto here = at.find(s.id);
    if (here == at.end() || !here->second) return NULL_POINTER;
    const char *first = static_cast<const char *>(here->second);
    if (s.by_value) numbers[s.id].assign(first, first + 4);
    else if ((uintptr_t)first % 16) return MISALIGNED;
  }
  const std::shared_ptr<const program> p = plan->work;
  const int engine = plan->engine;
  const auto work = [=] {
    std::map<int64_t, void *> places = at;
    std::map<int64_t, std::vector<char>> held = numbers;
    for (auto &n : held) places[n.first] = n.second.data();
    run_of{ *p, places, engine, {} }.go();
  };
  return start(h, room, (size_t)work_of(*p, engine), work, "a graph of cuDNN");
}

} // namespace

void *symbol_of_graph(const char *name)
{
  static const symbol all[] = {
    { "cudnnBackendCreateDescriptor", (void *)make_part },
    { "cudnnBackendDestroyDescriptor", (void *)destroy<graph_part> },
    { "cudnnBackendSetAttribute", (void *)set_part },
    { "cudnnBackendGetAttribute", (void *)get_part },
    { "cudnnBackendFinalize", (void *)finish_part },
    { "cudnnBackendExecute", (void *)execute },
  };
  return find_symbol(all, name);
}

} // namespace emu_dnn
