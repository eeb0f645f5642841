// cudnn.h - shared by the files of the emulated cuDNN: descriptors, which are checked strictly, and elements.
#ifndef TH_EMU_CUDNN_H
#define TH_EMU_CUDNN_H
#include <string.h>
#include <vector>
#include "../runtime/backend.cuh"

namespace emu_dnn {

enum { SUCCESS = 0, NOT_INITIALIZED = 1001, BAD_PARAM = 2000, NULL_POINTER = 2002,
       MISALIGNED = 2003, NOT_FINALIZED = 2004, TOO_SMALL = 2006, OTHER_SHAPE = 2008,
       ATTRIBUTE_TYPE = 2010, NOT_SUPPORTED = 3000, EXECUTION_FAILED = 5000 };
enum { FLOAT = 0, DOUBLE = 1, HALF = 2, BFLOAT16 = 9 };

/* The live descriptor or handle at p; nullptr if p is none of that kind. */
enum kind { HANDLE, TENSOR, FILTER, CONVOLUTION, POOLING, DROPOUT, RNN, RNN_DATA, PART };
struct object {
  kind what;
  bool set;                                          /* false: only created */
  explicit object(kind k) : what(k), set(false) {}
  virtual ~object() {}
};
int add(void **to, object *o);
int remove(void *p, kind k);
object *live(const void *p, kind k);
template <class D> D *find(const void *p) { return static_cast<D *>(live(p, D::KIND)); }
template <class D> int make(void **to) { return add(to, new D); }
template <class D> int destroy(void *p) { return remove(p, D::KIND); }

struct handle : object {
  static constexpr kind KIND = HANDLE;
  cudaStream_t stream;
  handle() : object(HANDLE), stream(nullptr) {}
};

/* Contiguous elements. */
struct tensor : object {
  static constexpr kind KIND = TENSOR;
  int type, size[4];
  tensor() : object(TENSOR), type(0), size() {}
  int64_t count() const { return (int64_t)size[0] * size[1] * size[2] * size[3]; }
};
struct filter : object {
  static constexpr kind KIND = FILTER;
  int type, size[4];
  filter() : object(FILTER), type(0), size() {}
};

/* Whether all of them exist and are set. */
inline bool ready(std::initializer_list<const object *> all)
{
  for (const object *o : all) if (!o || (o->what != HANDLE && !o->set)) return false;
  return true;
}
inline bool there(std::initializer_list<const void *> all)
{
  for (const void *p : all) if (!p) return false;
  return true;
}
inline bool known_type(int type) { return type == FLOAT || type == DOUBLE || type == HALF || type == BFLOAT16; }
inline size_t bytes_of(int type) { return type == DOUBLE ? 8 : type == FLOAT ? 4 : 2; }

/* An element of any type, as a double, and back. */
inline double get(int type, const void *p, int64_t i)
{
  switch (type) {
    case FLOAT:  return static_cast<const float *>(p)[i];
    case DOUBLE: return static_cast<const double *>(p)[i];
    case HALF:   return (double)element<f16>::load(static_cast<const f16 *>(p)[i]);
    default:     return (double)element<bf16>::load(static_cast<const bf16 *>(p)[i]);
  }
}
inline void put(int type, void *p, int64_t i, double v)
{
  switch (type) {
    case FLOAT:  static_cast<float *>(p)[i] = (float)v; break;
    case DOUBLE: static_cast<double *>(p)[i] = v; break;
    case HALF:   static_cast<f16 *>(p)[i] = element<f16>::store(v); break;
    default:     static_cast<bf16 *>(p)[i] = element<bf16>::store(v); break;
  }
}
/* All elements as doubles, so that the loops need one type only. */
inline std::vector<double> take(int type, const void *p, int64_t n)
{
  std::vector<double> v((size_t)n);
  for (int64_t i = 0; i < n; i++) v[(size_t)i] = get(type, p, i);
  return v;
}
/* to = a v + b to; with b = 0, `to` is not read. */
inline void give(int type, void *to, const std::vector<double> &v, double a, double b)
{
  for (size_t i = 0; i < v.size(); i++) {
    put(type, to, (int64_t)i, b != 0 ? a * v[i] + b * get(type, to, (int64_t)i) : a * v[i]);
  }
}
/* A factor, in the type of sums of such elements. */
inline double factor(int type, const void *p)
{
  return type == DOUBLE ? *static_cast<const double *>(p) : *static_cast<const float *>(p);
}

/* A convolution: sizes of x, k and y, and what a pass computes of them. */
enum { TO_Y, TO_X, TO_K };
struct conv_sizes { int x[4], k[4], y[4], pad[2], step[2], spread[2], groups; };
bool agree(const conv_sizes &s);
/* A plausible workspace: columns of images and some transformed kernels. */
size_t conv_work(const conv_sizes &s, int type);
/* x and k for y, k and y for x, x and y for k. */
std::vector<double> convolve(const conv_sizes &s, int pass, const std::vector<double> &a,
                             const std::vector<double> &b);

/* The workspace belongs to the call until the work is done, so the work overwrites it. */
int start(const handle *h, void *work, size_t bytes, std::function<void()> f, const char *name);

struct symbol { const char *name; void *f; };
void *symbol_of_convolution(const char *name);
void *symbol_of_layers(const char *name);
void *symbol_of_rnn(const char *name);
void *symbol_of_graph(const char *name);
template <size_t N> void *find_symbol(const symbol (&all)[N], const char *name)
{
  for (const symbol &s : all) if (strcmp(s.name, name) == 0) return s.f;
  return nullptr;
}

}  // namespace emu_dnn

#endif
