// cudnn_graph.cu - builds graphs of cuDNN, chooses engines for them, and runs their plans.
#include "cudnn_graph.cuh"
#include <utility>

namespace dnn {

/* ---- parts ---- */

part &part::operator=(part &&other)
{
  std::swap(d, other.d);
  return *this;
}

th_status part::put(attribute a, size_t n, const void *values)
{
  const int type = type_of_attribute(a);
  return status_of(library.set_part(d, a, type, (int64_t)n, values), "an attribute");
}

th_status part::set(attribute a, double value)
{
  const int64_t whole = (int64_t)value;
  const int choice = (int)value;
  const bool yes = value != 0;
  switch (type_of_attribute(a)) {
    case VALUE_INT64:   return put(a, 1, &whole);
    case VALUE_BOOLEAN: return put(a, 1, &yes);
    default:            return put(a, 1, &choice);
  }
}

/* A factor of a convolution has the type in which that sums. */
th_status part::set_factor(attribute a, double value, bool wide)
{
  const float narrow = (float)value;
  if (wide) return put(a, 1, &value);
  return status_of(library.set_part(d, a, VALUE_FLOAT, 1, &narrow), "an attribute");
}

th_status part::get(attribute a, int64_t n, int64_t *found, void *values) const
{
  return status_of(library.get_part(d, a, type_of_attribute(a), n, found, values), "an attribute");
}

/* ---- plans ---- */

th_status engine_plan::run(void *handle, const std::vector<operand> &operands,
                           void *workspace) const
{
  std::vector<void *> places, room = { workspace };
  std::vector<int64_t> names;
  part pack;
  for (const operand &o : operands) {
    names.push_back(o.id);
    places.push_back(const_cast<void *>(o.p));
  }
  TH_TRY(pack.make(PART_VARIANT_PACK));
  TH_TRY(pack.set(ATTR_VARIANT_PACK_UNIQUE_IDS, names));
  TH_TRY(pack.set(ATTR_VARIANT_PACK_DATA_POINTERS, places));
  TH_TRY(pack.set(ATTR_VARIANT_PACK_WORKSPACE, room));
  TH_TRY(pack.finish());
  return status_of(library.execute(handle, plan.raw(), pack.raw()), "a plan");
}

/* ---- graphs ---- */

extent extent::turned() const
{
  extent e = *this;
  std::swap(e.size[2], e.size[3]);
  std::swap(e.step[2], e.step[3]);
  return e;
}

extent packed_extent(int64_t a, int64_t b, int64_t c, int64_t d)
{
  return { { a, b, c, d }, { b * c * d, c * d, d, 1 } };
}

th_status graph::add_tensor(int type, const extent &e, place where)
{
  part t;
  TH_TRY(t.make(PART_TENSOR));
  TH_TRY(t.set(ATTR_TENSOR_UNIQUE_ID, (double)(tensors.size() + 1)));
  TH_TRY(t.set(ATTR_TENSOR_DATA_TYPE, type));
  TH_TRY(t.set(ATTR_TENSOR_DIMENSIONS, { e.size[0], e.size[1], e.size[2], e.size[3] }));
  TH_TRY(t.set(ATTR_TENSOR_STRIDES, { e.step[0], e.step[1], e.step[2], e.step[3] }));
  TH_TRY(t.set(ATTR_TENSOR_BYTE_ALIGNMENT, 16));
  if (where == VIRTUAL) TH_TRY(t.set(ATTR_TENSOR_IS_VIRTUAL, 1));
  if (where == BY_VALUE) TH_TRY(t.set(ATTR_TENSOR_IS_BY_VALUE, 1));
  TH_TRY(t.finish());
  tensors.push_back(std::move(t));
  return TH_OK;
}

int graph::add(int type, const extent &e, place where)
{
  if (failed == TH_OK) failed = add_tensor(type, e, where);
  if (where == MEMORY && type == FLOAT) floats = true;
  return (int)tensors.size();
}

/* What a pass of a convolution is called. */
struct pass_names {
  part_kind kind;
  attribute x, k, y, how, alpha, beta;
};
static pass_names names_of(int pass)
{
  if (pass == TH_CONV_GRAD_INPUT) {
    return { PART_OPERATION_CONVOLUTION_BACKWARD_DATA, ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
             ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
             ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
             ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA };
  }
  if (pass == TH_CONV_GRAD_WEIGHT) {
    return { PART_OPERATION_CONVOLUTION_BACKWARD_FILTER, ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
             ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
             ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
             ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
             ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA };
  }
  return { PART_OPERATION_CONVOLUTION_FORWARD, ATTR_OPERATION_CONVOLUTION_FORWARD_X,
           ATTR_OPERATION_CONVOLUTION_FORWARD_W, ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
           ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
           ATTR_OPERATION_CONVOLUTION_FORWARD_BETA };
}

th_status graph::add_convolution(const th_conv_shape &s, int x, int k, int y, double beta)
{
  const pass_names name = names_of(s.pass);
  const bool wide = s.dtype == TH_F64;
  part how, o;
  TH_TRY(how.make(PART_CONVOLUTION));
  TH_TRY(how.set(ATTR_CONVOLUTION_COMP_TYPE, wide ? DOUBLE : FLOAT));
  TH_TRY(how.set(ATTR_CONVOLUTION_CONV_MODE, CORRELATION));
  TH_TRY(how.set(ATTR_CONVOLUTION_SPATIAL_DIMS, 2));
  TH_TRY(how.set(ATTR_CONVOLUTION_DILATIONS, { s.dh, s.dw }));
  TH_TRY(how.set(ATTR_CONVOLUTION_FILTER_STRIDES, { s.sh, s.sw }));
  TH_TRY(how.set(ATTR_CONVOLUTION_PRE_PADDINGS, { s.ph, s.pw }));
  TH_TRY(how.set(ATTR_CONVOLUTION_POST_PADDINGS, { s.ph, s.pw }));
  TH_TRY(how.finish());
  TH_TRY(o.make(name.kind));
  TH_TRY(o.set(name.how, how));
  TH_TRY(o.set(name.x, of(x)));
  TH_TRY(o.set(name.k, of(k)));
  TH_TRY(o.set(name.y, of(y)));
  TH_TRY(o.set_factor(name.alpha, 1, wide));
  TH_TRY(o.set_factor(name.beta, beta, wide));
  TH_TRY(o.finish());
  others.push_back(std::move(how));
  operations.push_back(std::move(o));
  return TH_OK;
}

th_status graph::add_pointwise(int mode, int type, int x, int b, int y, int where, int axis)
{
  part how, o;
  TH_TRY(how.make(PART_POINTWISE));
  TH_TRY(how.set(ATTR_POINTWISE_MODE, mode));
  TH_TRY(how.set(ATTR_POINTWISE_MATH_PREC, type));
  if (axis >= 0) TH_TRY(how.set(ATTR_POINTWISE_AXIS, axis));
  TH_TRY(how.finish());
  TH_TRY(o.make(PART_OPERATION_POINTWISE));
  TH_TRY(o.set(ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how));
  TH_TRY(o.set(ATTR_OPERATION_POINTWISE_XDESC, of(x)));
  if (b) TH_TRY(o.set(ATTR_OPERATION_POINTWISE_BDESC, of(b)));
  if (where) TH_TRY(o.set(ATTR_OPERATION_POINTWISE_TDESC, of(where)));
  TH_TRY(o.set(ATTR_OPERATION_POINTWISE_YDESC, of(y)));
  TH_TRY(o.finish());
  others.push_back(std::move(how));
  operations.push_back(std::move(o));
  return TH_OK;
}

th_status graph::add_product(int a, int b, int c)
{
  part how, o;
  TH_TRY(how.make(PART_MATMUL));
  TH_TRY(how.set(ATTR_MATMUL_COMP_TYPE, FLOAT));
  TH_TRY(how.finish());
  TH_TRY(o.make(PART_OPERATION_MATMUL));
  TH_TRY(o.set(ATTR_OPERATION_MATMUL_ADESC, of(a)));
  TH_TRY(o.set(ATTR_OPERATION_MATMUL_BDESC, of(b)));
  TH_TRY(o.set(ATTR_OPERATION_MATMUL_CDESC, of(c)));
  TH_TRY(o.set(ATTR_OPERATION_MATMUL_DESC, how));
  TH_TRY(o.finish());
  others.push_back(std::move(how));
  operations.push_back(std::move(o));
  return TH_OK;
}

th_status graph::add_fold(int fold, int x, int y)
{
  part how, o;
  TH_TRY(how.make(PART_REDUCTION));
  TH_TRY(how.set(ATTR_REDUCTION_OPERATOR, fold));
  TH_TRY(how.set(ATTR_REDUCTION_COMP_TYPE, FLOAT));
  TH_TRY(how.finish());
  TH_TRY(o.make(PART_OPERATION_REDUCTION));
  TH_TRY(o.set(ATTR_OPERATION_REDUCTION_XDESC, of(x)));
  TH_TRY(o.set(ATTR_OPERATION_REDUCTION_YDESC, of(y)));
  TH_TRY(o.set(ATTR_OPERATION_REDUCTION_DESC, how));
  TH_TRY(o.finish());
  others.push_back(std::move(how));
  operations.push_back(std::move(o));
  return TH_OK;
}

th_status graph::add_reshape(int x, int y)
{
  part o;
  TH_TRY(o.make(PART_OPERATION_RESHAPE));
  TH_TRY(o.set(ATTR_OPERATION_RESHAPE_XDESC, of(x)));
  TH_TRY(o.set(ATTR_OPERATION_RESHAPE_YDESC, of(y)));
  TH_TRY(o.finish());
  operations.push_back(std::move(o));
  return TH_OK;
}

void graph::convolution(const th_conv_shape &s, int x, int k, int y, double beta)
{
  if (failed == TH_OK) failed = add_convolution(s, x, k, y, beta);
}
void graph::pointwise(int mode, int type, int x, int b, int y, int where, int axis)
{
  if (failed == TH_OK) failed = add_pointwise(mode, type, x, b, y, where, axis);
}
void graph::product(int a, int b, int c)
{
  if (failed == TH_OK) failed = add_product(a, b, c);
}
void graph::fold(int how, int x, int y)
{
  if (failed == TH_OK) failed = add_fold(how, x, y);
}
void graph::reshape(int x, int y)
{
  if (failed == TH_OK) failed = add_reshape(x, y);
}

/* ---- the choice ---- */

struct notes { bool has[NOTES]; };

static th_status notes_of(notes *to, const part &config)
{
  int list[NOTES] = {};
  int64_t n = 0;
  part engine;
  TH_TRY(engine.make(PART_ENGINE));
  void *raw = engine.raw();
  TH_TRY(config.get(ATTR_ENGINECFG_ENGINE, 1, &n, &raw));
  TH_TRY(engine.get(ATTR_ENGINE_NUMERICAL_NOTE, NOTES, &n, list));
  for (int64_t i = 0; i < n && i < NOTES; i++) {
    if (list[i] >= 0 && list[i] < NOTES) to->has[list[i]] = true;
  }
  return TH_OK;
}

/* Plans that cuDNN refuses are skipped. Only want of memory is a failure. */
th_status graph::choose(engine_plan *to, void *handle, const part &whole, int mode, bool tf32,
                        size_t most)
{
  int64_t n = 0, found = 0;
  part heuristics;
  TH_TRY(heuristics.make(PART_ENGINEHEUR));
  TH_TRY(heuristics.set(ATTR_ENGINEHEUR_OPERATION_GRAPH, whole));
  TH_TRY(heuristics.set(ATTR_ENGINEHEUR_MODE, mode));
  TH_TRY(heuristics.finish());
  TH_TRY(heuristics.get(ATTR_ENGINEHEUR_RESULTS, 0, &n, nullptr));
  std::vector<part> configs((size_t)n);
  std::vector<void *> raw;
  for (part &c : configs) {
    TH_TRY(c.make(PART_ENGINECFG));
    raw.push_back(c.raw());
  }
  if (n) TH_TRY(heuristics.get(ATTR_ENGINEHEUR_RESULTS, n, &found, raw.data()));
  for (int64_t i = 0; i < found && i < n; i++) {
    part &config = configs[(size_t)i];
    notes about = {};
    int64_t bytes = 0, one = 0;
    part plan;
    TH_TRY(notes_of(&about, config));
    if (about.has[NONDETERMINISTIC]) continue;
    if (about.has[ROUNDS_INPUTS] || about.has[ROUNDS_SUMS]) continue;
    if (about.has[TENSOR_CORES] && floats && !tf32) continue;
    TH_TRY(plan.make(PART_EXECUTION_PLAN));
    TH_TRY(plan.set(ATTR_EXECUTION_PLAN_HANDLE, std::vector<void *>{ handle }));
    TH_TRY(plan.set(ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config));
    const th_status status = plan.finish();
    if (status == TH_ENOMEM) return status;
    if (status != TH_OK) continue;
    TH_TRY(plan.get(ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 1, &one, &bytes));
    if (bytes < 0 || (size_t)bytes > most) continue;
    to->plan = std::move(plan);
    to->kept.push_back(std::move(config));
    to->work = (size_t)bytes;
    to->tensor_cores = about.has[TENSOR_CORES];
    return TH_OK;
  }
  return th_fail(TH_EBACKEND, "no engine of cuDNN does this with bits that are always the same");
}

th_status graph::plan(engine_plan *to, void *handle, bool tf32, size_t most)
{
  std::vector<void *> raw;
  part whole;
  TH_TRY(failed);
  for (const part &o : operations) raw.push_back(o.raw());
  TH_TRY(whole.make(PART_OPERATIONGRAPH));
  TH_TRY(whole.set(ATTR_OPERATIONGRAPH_HANDLE, std::vector<void *>{ handle }));
  TH_TRY(whole.set(ATTR_OPERATIONGRAPH_OPS, raw));
  TH_TRY(whole.finish());
  th_status status = choose(to, handle, whole, HEURISTICS_A, tf32, most);
  if (status == TH_EBACKEND) status = choose(to, handle, whole, HEURISTICS_FALLBACK, tf32, most);
  for (std::vector<part> *list : { &tensors, &others, &operations }) {
    for (part &p : *list) to->kept.push_back(std::move(p));
  }
  to->kept.push_back(std::move(whole));
  return status;
}

}  // namespace dnn

#if defined __CUDACC__ && __has_include(<cudnn_backend.h>)
#include <cudnn.h>
#include <cudnn_backend.h>
#include "same.cuh"
#define SAME_VALUE(name, number) TH_SAME_NUMBER(number, CUDNN_TYPE_##name)
#define SAME_PART(name, number) TH_SAME_NUMBER(number, CUDNN_BACKEND_##name##_DESCRIPTOR)
#define SAME_ATTRIBUTE(name, number, type) TH_SAME_NUMBER(number, CUDNN_ATTR_##name)
TH_DNN_VALUES(SAME_VALUE)
TH_DNN_PARTS(SAME_PART)
TH_DNN_ATTRIBUTES(SAME_ATTRIBUTE)
TH_SAME_NUMBER(dnn::INT32, CUDNN_DATA_INT32)
TH_SAME_NUMBER(dnn::BOOLEAN, CUDNN_DATA_BOOLEAN)
TH_SAME_NUMBER(dnn::HEURISTICS_FALLBACK, CUDNN_HEUR_MODE_FALLBACK)
TH_SAME_NUMBER(dnn::HEURISTICS_A, CUDNN_HEUR_MODE_A)
TH_SAME_NUMBER(dnn::TENSOR_CORES, CUDNN_NUMERICAL_NOTE_TENSOR_CORE)
TH_SAME_NUMBER(dnn::ROUNDS_INPUTS, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS)
TH_SAME_NUMBER(dnn::ROUNDS_SUMS, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)
TH_SAME_NUMBER(dnn::NONDETERMINISTIC, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)
TH_SAME_NUMBER(dnn::PLUS, CUDNN_POINTWISE_ADD)
TH_SAME_NUMBER(dnn::TIMES, CUDNN_POINTWISE_MUL)
TH_SAME_NUMBER(dnn::DIVIDED, CUDNN_POINTWISE_DIV)
TH_SAME_NUMBER(dnn::MINUS, CUDNN_POINTWISE_SUB)
TH_SAME_NUMBER(dnn::EXP, CUDNN_POINTWISE_EXP)
TH_SAME_NUMBER(dnn::LOG, CUDNN_POINTWISE_LOG)
TH_SAME_NUMBER(dnn::GREATER_OR_EQUAL, CUDNN_POINTWISE_CMP_GE)
TH_SAME_NUMBER(dnn::INDEX, CUDNN_POINTWISE_GEN_INDEX)
TH_SAME_NUMBER(dnn::CHOOSE, CUDNN_POINTWISE_BINARY_SELECT)
TH_SAME_NUMBER(dnn::FOLD_SUM, CUDNN_REDUCE_TENSOR_ADD)
TH_SAME_NUMBER(dnn::FOLD_MAX, CUDNN_REDUCE_TENSOR_MAX)
static_assert(sizeof(bool) == 1, "cuDNN's booleans are bytes");
#endif
