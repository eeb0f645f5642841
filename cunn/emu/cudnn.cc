// cudnn.cc - the cuDNN of the emulated device, with cuDNN's names and semantics, computed by plain loops in double. This file has
// handles and descriptors; cudnn_conv.cc, cudnn_graph.cc, cudnn_layers.cc and cudnn_rnn.cc compute.
#include "cudnn.h"
#include <mutex>
#include <set>

namespace emu_dnn {

static std::mutex lock;
static std::set<const void *> objects;

int add(void **to, object *o)
{
  if (!to) {
    delete o;
    return NULL_POINTER;
  }
  std::lock_guard<std::mutex> guard(lock);
  objects.insert(o);
  *to = o;
  return SUCCESS;
}

object *live(const void *p, kind k)
{
  std::lock_guard<std::mutex> guard(lock);
  if (!objects.count(p)) return nullptr;
  object *o = static_cast<object *>(const_cast<void *>(p));
  return o->what == k ? o : nullptr;
}

int remove(void *p, kind k)
{
  object *o = live(p, k);
  if (!o) return BAD_PARAM;
  std::lock_guard<std::mutex> guard(lock);
  objects.erase(p);
  delete o;
  return SUCCESS;
}

int start(const handle *h, void *work, size_t bytes, std::function<void()> f, const char *name)
{
  const auto all = [=] {
    if (bytes) memset(work, 0xff, bytes);
    f();
  };
  emu::launch(1, 1, 0, h->stream, all, name);
  return cudaGetLastError() == cudaSuccess ? SUCCESS : EXECUTION_FAILED;
}

static size_t version() { return 90100; }

static int set_stream(void *p, cudaStream_t s)
{
  handle *h = find<handle>(p);
  if (!h) return NOT_INITIALIZED;
  h->stream = s;
  return SUCCESS;
}

static int set_tensor(void *p, int format, int type, int n, int c, int h, int w)
{
  tensor *d = find<tensor>(p);
  if (!d || format != 0 || n < 1 || c < 1 || h < 1 || w < 1) return BAD_PARAM;
  if (!known_type(type) || (int64_t)n * c * h * w > INT32_MAX) return NOT_SUPPORTED;
  d->type = type, d->size[0] = n, d->size[1] = c, d->size[2] = h, d->size[3] = w;
  d->set = true;
  return SUCCESS;
}

/* c = alpha a + beta c; sizes of a that are 1 broadcast. */
static int add_tensor(void *hp, const void *alpha, void *ap, const void *a, const void *beta, void *cp, void *c)
{
  const handle *h = find<handle>(hp);
  const tensor *da = find<tensor>(ap), *dc = find<tensor>(cp);
  if (!h) return NOT_INITIALIZED;
  if (!ready({ da, dc }) || !there({ alpha, a, beta, c })) return NULL_POINTER;
  if (da->type != dc->type) return BAD_PARAM;
  int64_t step[4], n = 1;
  for (int d = 3; d >= 0; d--) {
    if (da->size[d] != 1 && da->size[d] != dc->size[d]) return OTHER_SHAPE;
    step[d] = da->size[d] == 1 ? 0 : n;
    n *= da->size[d];
  }
  const double by = factor(dc->type, alpha), keep = factor(dc->type, beta);
  const tensor t = *dc;
  const auto work = [=] {
    std::vector<double> sum((size_t)t.count());
    for (int64_t i = 0; i < t.count(); i++) {
      int64_t at = 0, rest = i;
      for (int d = 3; d >= 0; d--) at += rest % t.size[d] * step[d], rest /= t.size[d];
      sum[(size_t)i] = get(t.type, a, at);
    }
    give(t.type, c, sum, by, keep);
  };
  return start(h, nullptr, 0, work, "a sum of cuDNN");
}

}  // namespace emu_dnn

using namespace emu_dnn;

void *emu::cudnn(const char *name)
{
  static const symbol all[] = {
    { "cudnnGetVersion", (void *)version },
    { "cudnnCreate", (void *)make<handle> }, { "cudnnDestroy", (void *)destroy<handle> },
    { "cudnnSetStream", (void *)set_stream },
    { "cudnnCreateTensorDescriptor", (void *)make<tensor> }, { "cudnnDestroyTensorDescriptor", (void *)destroy<tensor> },
    { "cudnnSetTensor4dDescriptor", (void *)set_tensor }, { "cudnnAddTensor", (void *)add_tensor },
  };
  void *const f = find_symbol(all, name);
  void *const layers = f ? f : symbol_of_layers(name);
  void *const rnn = layers ? layers : symbol_of_rnn(name);
  void *const graph = rnn ? rnn : symbol_of_graph(name);
  return graph ? graph : symbol_of_convolution(name);
}
