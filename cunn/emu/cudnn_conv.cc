// cudnn_conv.cc - convolutions of the emulated cuDNN: one deterministic algorithm for each pass. Each list of proposals has a
// nondeterministic one before it, which gives garbage.
#include "cudnn.h"

namespace emu_dnn {
namespace {                                          /* the files have types of the same name */

enum { CORRELATION = 1, HASTY = 0, STEADY = 1 };
struct proposal { int algorithm, status; float time; size_t memory; int determinism, math, reserved[3]; };

struct convolution : object {
  static constexpr kind KIND = CONVOLUTION;
  int ph, pw, sh, sw, dh, dw, type, groups, math;
  convolution() : object(CONVOLUTION), ph(0), pw(0), sh(1), sw(1), dh(1), dw(1), type(0), groups(1), math(0) {}
};

static int set_filter(void *p, int type, int format, int o, int c, int h, int w)
{
  filter *d = find<filter>(p);
  if (!d || format != 0 || !known_type(type) || o < 1 || c < 1 || h < 1 || w < 1) return BAD_PARAM;
  d->type = type, d->size[0] = o, d->size[1] = c, d->size[2] = h, d->size[3] = w;
  d->set = true;
  return SUCCESS;
}

static int set_conv(void *p, int ph, int pw, int sh, int sw, int dh, int dw, int mode, int type)
{
  convolution *d = find<convolution>(p);
  if (!d || ph < 0 || pw < 0 || sh < 1 || sw < 1 || dh < 1 || dw < 1 || mode != CORRELATION) return BAD_PARAM;
  if (type != FLOAT && type != DOUBLE) return NOT_SUPPORTED;
  d->ph = ph, d->pw = pw, d->sh = sh, d->sw = sw, d->dh = dh, d->dw = dw, d->type = type;
  d->set = true;
  return SUCCESS;
}
static int set_groups(void *p, int groups)
{
  convolution *d = find<convolution>(p);
  if (!d || groups < 1) return BAD_PARAM;
  d->groups = groups;
  return SUCCESS;
}
static int set_math(void *p, int math)
{
  convolution *d = find<convolution>(p);
  if (!d || math < 0 || math > 3) return BAD_PARAM;
  d->math = math;
  return SUCCESS;
}

struct job { conv_sizes s; int type; };

static int check(job *to, void *xp, void *kp, void *cp, void *yp)
{
  const tensor *x = find<tensor>(xp), *y = find<tensor>(yp);
  const filter *k = find<filter>(kp);
  const convolution *c = find<convolution>(cp);
  if (!ready({ x, y, k, c })) return NULL_POINTER;
  if (x->type != y->type || x->type != k->type || (x->type == DOUBLE) != (c->type == DOUBLE)) return BAD_PARAM;
  to->type = x->type;
  memcpy(to->s.x, x->size, sizeof x->size);
  memcpy(to->s.k, k->size, sizeof k->size);
  memcpy(to->s.y, y->size, sizeof y->size);
  to->s.pad[0] = c->ph, to->s.pad[1] = c->pw, to->s.step[0] = c->sh, to->s.step[1] = c->sw;
  to->s.spread[0] = c->dh, to->s.spread[1] = c->dw, to->s.groups = c->groups;
  return agree(to->s) ? SUCCESS : OTHER_SHAPE;
}
/* Kernels of 13 x 13 have no deterministic algorithm here, so that specs can test that case. */
static bool steady(const job &j) { return j.s.k[2] != 13 || j.s.k[3] != 13; }

static size_t work_of(const job &j) { return conv_work(j.s, j.type); }

static int propose(const job &j, int wanted, int *n, proposal *p)
{
  if (!n || !p || wanted < 1) return NULL_POINTER;
  *n = wanted < 2 ? wanted : 2;
  for (int i = 0; i < *n; i++) {
    p[i] = proposal();
    p[i].algorithm = i ? STEADY : HASTY, p[i].determinism = i, p[i].memory = work_of(j);
    p[i].status = i && !steady(j) ? NOT_SUPPORTED : SUCCESS;
  }
  return SUCCESS;
}

static int work(const job &j, int algorithm, size_t *bytes)
{
  if (!bytes) return NULL_POINTER;
  if (algorithm == STEADY && !steady(j)) return NOT_SUPPORTED;
  *bytes = work_of(j);
  return algorithm == STEADY || algorithm == HASTY ? SUCCESS : BAD_PARAM;
}

static int run(void *hp, int pass, int wrong, const job &j, const void *alpha, const void *first, const void *second,
               const void *beta, void *result, int algorithm, void *room, size_t bytes)
{
  const handle *h = find<handle>(hp);
  if (!h) return NOT_INITIALIZED;
  if (wrong != SUCCESS) return wrong;
  if (!there({ alpha, beta, first, second, result, room })) return NULL_POINTER;
  if (bytes < work_of(j)) return TOO_SMALL;
  if (algorithm != HASTY && algorithm != STEADY) return BAD_PARAM;
  if (algorithm == STEADY && !steady(j)) return NOT_SUPPORTED;
  const double by = factor(j.type, alpha), keep = factor(j.type, beta);
  const auto count = [](const int *n) { return (int64_t)n[0] * n[1] * n[2] * n[3]; };
  const int64_t nx = count(j.s.x), nk = count(j.s.k), ny = count(j.s.y);
  const auto work = [=] {
    std::vector<double> sum = convolve(j.s, pass, take(j.type, first, pass == TO_X ? nk : nx),
                                       take(j.type, second, pass == TO_Y ? nk : ny));
    if (algorithm == HASTY) sum.assign(sum.size(), NAN);
    give(j.type, result, sum, by, keep);
  };
  return start(h, room, bytes, work, "a convolution of cuDNN");
}

/* ---- the three passes, with their orders of arguments ---- */

static int propose_forward(void *h, void *x, void *k, void *c, void *y, int wanted, int *n, proposal *p)
{
  job j;
  const int e = find<handle>(h) ? check(&j, x, k, c, y) : NOT_INITIALIZED;
  return e == SUCCESS ? propose(j, wanted, n, p) : e;
}
static int propose_input(void *h, void *k, void *y, void *c, void *x, int wanted, int *n, proposal *p)
{
  return propose_forward(h, x, k, c, y, wanted, n, p);
}
static int propose_weight(void *h, void *x, void *y, void *c, void *k, int wanted, int *n, proposal *p)
{
  return propose_forward(h, x, k, c, y, wanted, n, p);
}
static int work_forward(void *h, void *x, void *k, void *c, void *y, int algorithm, size_t *bytes)
{
  job j;
  const int e = find<handle>(h) ? check(&j, x, k, c, y) : NOT_INITIALIZED;
  return e == SUCCESS ? work(j, algorithm, bytes) : e;
}
static int work_input(void *h, void *k, void *y, void *c, void *x, int algorithm, size_t *bytes)
{
  return work_forward(h, x, k, c, y, algorithm, bytes);
}
static int work_weight(void *h, void *x, void *y, void *c, void *k, int algorithm, size_t *bytes)
{
  return work_forward(h, x, k, c, y, algorithm, bytes);
}
static int forward(void *h, const void *alpha, void *dx, const void *x, void *dk, const void *k, void *c, int algorithm,
                   void *room, size_t bytes, const void *beta, void *dy, void *y)
{
  job j;
  const int wrong = check(&j, dx, dk, c, dy);
  return run(h, TO_Y, wrong, j, alpha, x, k, beta, y, algorithm, room, bytes);
}
static int backward_data(void *h, const void *alpha, void *dk, const void *k, void *dy, const void *y, void *c, int algorithm,
                         void *room, size_t bytes, const void *beta, void *dx, void *x)
{
  job j;
  const int wrong = check(&j, dx, dk, c, dy);
  return run(h, TO_X, wrong, j, alpha, k, y, beta, x, algorithm, room, bytes);
}
static int backward_filter(void *h, const void *alpha, void *dx, const void *x, void *dy, const void *y, void *c, int algorithm,
                           void *room, size_t bytes, const void *beta, void *dk, void *k)
{
  job j;
  const int wrong = check(&j, dx, dk, c, dy);
  return run(h, TO_K, wrong, j, alpha, x, y, beta, k, algorithm, room, bytes);
}

}  // namespace

static int out(int in, int pad, int kernel, int spread, int step)
{
  return (in + 2 * pad - (kernel - 1) * spread - 1) / step + 1;
}

bool agree(const conv_sizes &s)
{
  for (int d = 0; d < 2; d++) {
    if ((s.k[2 + d] - 1) * s.spread[d] + 1 > s.x[2 + d] + 2 * s.pad[d]) return false;
    if (s.y[2 + d] != out(s.x[2 + d], s.pad[d], s.k[2 + d], s.spread[d], s.step[d])) return false;
  }
  if (s.k[0] % s.groups) return false;
  return s.x[0] == s.y[0] && s.x[1] == s.k[1] * s.groups && s.y[1] == s.k[0];
}

size_t conv_work(const conv_sizes &s, int type)
{
  const size_t columns = (size_t)s.y[0] * (size_t)s.y[2] * (size_t)s.y[3];
  const size_t kernel = (size_t)s.k[1] * (size_t)s.k[2] * (size_t)s.k[3];
  return bytes_of(type) * kernel * (columns + 8 * (size_t)s.k[0]);
}

/* Calls f for the products of one plane of x with one of y: their first elements, and that of the
 * kernel. */
template <class F>
void each_of_planes(const conv_sizes &s, int64_t from, int64_t kernel, int64_t to, F f)
{
  for (int at = 0; at < s.k[2] * s.k[3] * s.y[2]; at++) {
    const int a = at / s.y[2] / s.k[3], b = at / s.y[2] % s.k[3], row = at % s.y[2];
    const int h = row * s.step[0] - s.pad[0] + a * s.spread[0];
    if (h < 0 || h >= s.x[2]) continue;
    for (int col = 0; col < s.y[3]; col++) {
      const int w = col * s.step[1] - s.pad[1] + b * s.spread[1];
      const int64_t x = from + (int64_t)h * s.x[3] + w, k = kernel + a * s.k[3] + b;
      const int64_t y = to + (int64_t)row * s.y[3] + col;
      if (w >= 0 && w < s.x[3]) f((size_t)x, (size_t)k, (size_t)y);
    }
  }
}
/* Calls f(pixel of x, element of k, pixel of y) for all products of a convolution. */
template <class F> void each(const conv_sizes &s, F f)
{
  const int per = s.k[0] / s.groups;
  for (int64_t at = 0; at < (int64_t)s.y[0] * s.y[1] * s.k[1]; at++) {
    const int64_t n = at / s.k[1] / s.y[1], o = at / s.k[1] % s.y[1], c = at % s.k[1];
    each_of_planes(s, (n * s.x[1] + o / per * s.k[1] + c) * s.x[2] * s.x[3],
                   (o * s.k[1] + c) * s.k[2] * s.k[3], (n * s.y[1] + o) * s.y[2] * s.y[3], f);
  }
}

std::vector<double> convolve(const conv_sizes &s, int pass, const std::vector<double> &a,
                             const std::vector<double> &b)
{
  const int *n = pass == TO_Y ? s.y : pass == TO_X ? s.x : s.k;
  std::vector<double> sum((size_t)n[0] * (size_t)n[1] * (size_t)n[2] * (size_t)n[3]);
  if (pass == TO_Y) each(s, [&](size_t x, size_t k, size_t y) { sum[y] += a[x] * b[k]; });
  if (pass == TO_X) each(s, [&](size_t x, size_t k, size_t y) { sum[x] += a[k] * b[y]; });
  if (pass == TO_K) each(s, [&](size_t x, size_t k, size_t y) { sum[k] += a[x] * b[y]; });
  return sum;
}

void *symbol_of_convolution(const char *name)
{
  static const symbol all[] = {
    { "cudnnCreateFilterDescriptor", (void *)make<filter> }, { "cudnnDestroyFilterDescriptor", (void *)destroy<filter> },
    { "cudnnSetFilter4dDescriptor", (void *)set_filter },
    { "cudnnCreateConvolutionDescriptor", (void *)make<convolution> },
    { "cudnnDestroyConvolutionDescriptor", (void *)destroy<convolution> },
    { "cudnnSetConvolution2dDescriptor", (void *)set_conv }, { "cudnnSetConvolutionGroupCount", (void *)set_groups },
    { "cudnnSetConvolutionMathType", (void *)set_math },
    { "cudnnGetConvolutionForwardAlgorithm_v7", (void *)propose_forward },
    { "cudnnGetConvolutionBackwardDataAlgorithm_v7", (void *)propose_input },
    { "cudnnGetConvolutionBackwardFilterAlgorithm_v7", (void *)propose_weight },
    { "cudnnGetConvolutionForwardWorkspaceSize", (void *)work_forward },
    { "cudnnGetConvolutionBackwardDataWorkspaceSize", (void *)work_input },
    { "cudnnGetConvolutionBackwardFilterWorkspaceSize", (void *)work_weight },
    { "cudnnConvolutionForward", (void *)forward }, { "cudnnConvolutionBackwardData", (void *)backward_data },
    { "cudnnConvolutionBackwardFilter", (void *)backward_filter },
  };
  return find_symbol(all, name);
}

}  // namespace emu_dnn
