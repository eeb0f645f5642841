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

/* Whether these sizes agree. */
struct job { tensor x, y; filter k; convolution c; };

static int out(int in, int pad, int kernel, int dilation, int step)
{
  return (in + 2 * pad - (kernel - 1) * dilation - 1) / step + 1;
}

static int check(job *to, void *xp, void *kp, void *cp, void *yp)
{
  const tensor *x = find<tensor>(xp), *y = find<tensor>(yp);
  const filter *k = find<filter>(kp);
  const convolution *c = find<convolution>(cp);
  if (!ready({ x, y, k, c })) return NULL_POINTER;
  if (x->type != y->type || x->type != k->type || (x->type == DOUBLE) != (c->type == DOUBLE)) return BAD_PARAM;
  const int reach[2] = { (k->size[2] - 1) * c->dh + 1, (k->size[3] - 1) * c->dw + 1 };
  if (x->size[0] != y->size[0] || x->size[1] != k->size[1] * c->groups || y->size[1] != k->size[0] ||
      k->size[0] % c->groups || reach[0] > x->size[2] + 2 * c->ph || reach[1] > x->size[3] + 2 * c->pw ||
      y->size[2] != out(x->size[2], c->ph, k->size[2], c->dh, c->sh) ||
      y->size[3] != out(x->size[3], c->pw, k->size[3], c->dw, c->sw)) return OTHER_SHAPE;
  to->x.type = x->type;
  memcpy(to->x.size, x->size, sizeof x->size);
  memcpy(to->y.size, y->size, sizeof y->size);
  memcpy(to->k.size, k->size, sizeof k->size);
  to->c.ph = c->ph, to->c.pw = c->pw, to->c.sh = c->sh, to->c.sw = c->sw, to->c.dh = c->dh, to->c.dw = c->dw;
  to->c.groups = c->groups;
  return SUCCESS;
}
/* Kernels of 13 x 13 have no deterministic algorithm here, so that specs can test that case. */
static bool steady(const job &j) { return j.k.size[2] != 13 || j.k.size[3] != 13; }

/* A plausible workspace: columns of images and some transformed kernels. */
static size_t work_of(const job &j)
{
  const size_t columns = (size_t)j.y.size[0] * (size_t)j.y.size[2] * (size_t)j.y.size[3];
  const size_t kernel = (size_t)j.k.size[1] * (size_t)j.k.size[2] * (size_t)j.k.size[3];
  return bytes_of(j.x.type) * kernel * (columns + 8 * (size_t)j.k.size[0]);
}

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

/* Calls f for the products of one plane of x with one of y: their first elements, and that of the kernel. */
template <class F> void each_of_planes(const job &j, int64_t from, int64_t kernel, int64_t to, F f)
{
  const int *xs = j.x.size, *ys = j.y.size, *ks = j.k.size;
  for (int at = 0; at < ks[2] * ks[3] * ys[2]; at++) {
    const int a = at / ys[2] / ks[3], b = at / ys[2] % ks[3], row = at % ys[2], h = row * j.c.sh - j.c.ph + a * j.c.dh;
    if (h < 0 || h >= xs[2]) continue;
    for (int col = 0; col < ys[3]; col++) {
      const int w = col * j.c.sw - j.c.pw + b * j.c.dw;
      const int64_t x = from + (int64_t)h * xs[3] + w, k = kernel + a * ks[3] + b, y = to + (int64_t)row * ys[3] + col;
      if (w >= 0 && w < xs[3]) f((size_t)x, (size_t)k, (size_t)y);
    }
  }
}
/* Calls f(pixel of x, element of k, pixel of y) for all products of a convolution. */
template <class F> void each(const job &j, F f)
{
  const int *xs = j.x.size, *ys = j.y.size, *ks = j.k.size;
  const int per = ks[0] / j.c.groups;
  for (int64_t at = 0; at < (int64_t)ys[0] * ys[1] * ks[1]; at++) {
    const int64_t n = at / ks[1] / ys[1], o = at / ks[1] % ys[1], c = at % ks[1];
    each_of_planes(j, (n * xs[1] + o / per * ks[1] + c) * xs[2] * xs[3], (o * ks[1] + c) * ks[2] * ks[3],
                   (n * ys[1] + o) * ys[2] * ys[3], f);
  }
}

enum { TO_Y, TO_X, TO_K };

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
  const double by = factor(j.x.type, alpha), keep = factor(j.x.type, beta);
  const int type = j.x.type;
  int64_t nk = 1;
  for (int d = 0; d < 4; d++) nk *= j.k.size[d];
  const int64_t nx = j.x.count(), ny = j.y.count();
  const auto work = [=] {
    const int64_t n = pass == TO_Y ? ny : pass == TO_X ? nx : nk;
    const std::vector<double> a = take(type, first, pass == TO_X ? nk : nx), b = take(type, second, pass == TO_Y ? nk : ny);
    std::vector<double> sum((size_t)n, algorithm == HASTY ? NAN : 0.0);
    if (pass == TO_Y) each(j, [&](size_t x, size_t k, size_t y) { sum[y] += a[x] * b[k]; });
    if (pass == TO_X) each(j, [&](size_t x, size_t k, size_t y) { sum[x] += a[k] * b[y]; });
    if (pass == TO_K) each(j, [&](size_t x, size_t k, size_t y) { sum[k] += a[x] * b[y]; });
    give(type, result, sum, by, keep);
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
