// cudnn_graph.cuh - cuDNN's graph interface: operations on tensors become a plan of one of its
// engines. Engines are the first ones that its heuristics propose and whose bits are always the
// same; no stopwatch chooses.
#ifndef TH_CUDNN_GRAPH_CUH
#define TH_CUDNN_GRAPH_CUH
#include <initializer_list>
#include <vector>
#include "../runtime/cudnn_names.h"
#include "cudnn.cuh"

namespace dnn {

/* ---- parts ---- */

/* A descriptor of the interface. */
class part {
public:
  part() : d(nullptr) {}
  ~part() { if (d) library.free_part(d); }
  part(part &&other) : d(other.d) { other.d = nullptr; }
  part &operator=(part &&other);
  th_status make(part_kind kind)
  {
    return status_of(library.new_part(kind, &d), "a part of a graph");
  }
  th_status set(attribute a, double value);          /* one number, of the attribute's type */
  th_status set(attribute a, const part &other) { return put(a, 1, &other.d); }
  th_status set(attribute a, std::initializer_list<int64_t> values)
  {
    return put(a, values.size(), values.begin());
  }
  template <class T> th_status set(attribute a, const std::vector<T> &values)
  {
    return put(a, values.size(), values.data());
  }
  th_status set_factor(attribute a, double value, bool wide);
  /* How many values there are; writes at most n of them. */
  th_status get(attribute a, int64_t n, int64_t *found, void *values) const;
  th_status finish() { return status_of(library.finish_part(d), "a graph"); }
  void *raw() const { return d; }
private:
  th_status put(attribute a, size_t n, const void *values);
  void *d;
};

/* ---- plans ---- */

/* Of a number by value, p is in the host's memory. */
struct operand { int64_t id; const void *p; };

/* An engine that computes a graph. */
class engine_plan {
public:
  size_t work = 0;                                   /* bytes of its workspace */
  bool tensor_cores = false;
  th_status run(void *handle, const std::vector<operand> &operands, void *workspace) const;
private:
  friend class graph;
  std::vector<part> kept;                            /* what the plan refers to */
  part plan;
};

/* ---- graphs ---- */

/* Sizes and strides of four dimensions. */
struct extent {
  int64_t size[4], step[4];
  extent turned() const;                             /* with the last two dimensions exchanged */
};
extent packed_extent(int64_t a, int64_t b, int64_t c, int64_t d);

/* Operations in the order of their execution. Tensors are numbers from 1 on, which operands name.
 * After a failure the other calls do nothing, and plan() returns it. */
class graph {
public:
  int tensor(int type, const extent &e) { return add(type, e, MEMORY); }
  int between(int type, const extent &e) { return add(type, e, VIRTUAL); }   /* never in memory */
  int number(int type) { return add(type, packed_extent(1, 1, 1, 1), BY_VALUE); }
  /* The pass of s: y of x and k, or the gradient by x or k, plus beta times the result before. */
  void convolution(const th_conv_shape &s, int x, int k, int y, double beta);
  /* y = mode(x, b), computed in `type`. Of CHOOSE x where `where` is true, else b. Of INDEX the
   * place along an axis of x. */
  void pointwise(int mode, int type, int x, int b, int y, int where = 0, int axis = -1);
  void product(int a, int b, int c);                 /* of matrices, summed in floats */
  void fold(int how, int x, int y);                  /* to the sizes of y, in floats */
  void reshape(int x, int y);
  /* The plan of the first engine that gives the same bits always and needs a workspace of at most
   * `most` bytes; TH_EBACKEND: there is none. tf32: floats may be rounded for tensor cores. The
   * plan takes the parts, so this is the last call. */
  th_status plan(engine_plan *to, void *handle, bool tf32, size_t most);
private:
  enum place { MEMORY, VIRTUAL, BY_VALUE };
  int add(int type, const extent &e, place where);
  th_status add_tensor(int type, const extent &e, place where);
  th_status add_convolution(const th_conv_shape &s, int x, int k, int y, double beta);
  th_status add_pointwise(int mode, int type, int x, int b, int y, int where, int axis);
  th_status add_product(int a, int b, int c);
  th_status add_fold(int how, int x, int y);
  th_status add_reshape(int x, int y);
  th_status choose(engine_plan *to, void *handle, const part &whole, int mode, bool tf32,
                   size_t most);
  const part &of(int tensor) const { return tensors[(size_t)tensor - 1]; }
  th_status failed = TH_OK;
  bool floats = false;                               /* some tensor in memory has floats */
  std::vector<part> tensors, operations, others;
};

}  // namespace dnn

#endif
