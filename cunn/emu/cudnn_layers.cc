// cudnn_layers.cc - average pooling and batch normalisation of the emulated cuDNN.
#include "cudnn.h"

namespace emu_dnn {
namespace {                                          /* the files have types of the same name */

/* ---- pooling ---- */

enum { WITH_PADDING = 1, WITHOUT_PADDING = 2 };
struct pooling : object {
  static constexpr kind KIND = POOLING;
  int mode, k[2], pad[2], step[2];
  pooling() : object(POOLING), mode(0), k(), pad(), step() {}
};

static int set_pool(void *p, int mode, int nan, int kh, int kw, int ph, int pw, int sh, int sw)
{
  pooling *d = find<pooling>(p);
  if (!d || (nan != 0 && nan != 1) || kh < 1 || kw < 1 || sh < 1 || sw < 1) return BAD_PARAM;
  if (ph < 0 || pw < 0 || ph >= kh || pw >= kw) return BAD_PARAM;
  if (mode != WITH_PADDING && mode != WITHOUT_PADDING) return NOT_SUPPORTED;
  d->mode = mode, d->k[0] = kh, d->k[1] = kw, d->pad[0] = ph, d->pad[1] = pw, d->step[0] = sh, d->step[1] = sw;
  d->set = true;
  return SUCCESS;
}

static int check_pool(const handle *h, const pooling *d, const tensor *x, const tensor *y)
{
  if (!h) return NOT_INITIALIZED;
  if (!ready({ d, x, y })) return NULL_POINTER;
  if (x->type != y->type) return BAD_PARAM;
  bool fits = x->size[0] == y->size[0] && x->size[1] == y->size[1];
  for (int i = 0; i < 2; i++) {
    const int room = x->size[2 + i] + 2 * d->pad[i] - d->k[i];
    fits = fits && room >= 0 && y->size[2 + i] == room / d->step[i] + 1;
  }
  return fits ? SUCCESS : OTHER_SHAPE;
}

/* Calls f(window, pixel, its weight) for all pixels of all windows. */
template <class F> void each(const pooling &d, const tensor &x, const tensor &y, F f)
{
  const int *xs = x.size, *ys = y.size;
  for (int64_t i = 0; i < y.count(); i++) {
    const int64_t plane = i / ys[2] / ys[3];
    const int top = (int)(i / ys[3] % ys[2]) * d.step[0] - d.pad[0], left = (int)(i % ys[3]) * d.step[1] - d.pad[1];
    const int h0 = top < 0 ? 0 : top, h1 = top + d.k[0] < xs[2] ? top + d.k[0] : xs[2];
    const int w0 = left < 0 ? 0 : left, w1 = left + d.k[1] < xs[3] ? left + d.k[1] : xs[3];
    const double all = d.mode == WITH_PADDING ? d.k[0] * d.k[1] : (h1 - h0) * (w1 - w0);
    for (int h = h0; h < h1; h++) {
      for (int w = w0; w < w1; w++) f((size_t)i, (size_t)((plane * xs[2] + h) * xs[3] + w), 1 / all);
    }
  }
}

static int pool(void *hp, void *dp, const void *alpha, void *xp, const void *x, const void *beta, void *yp, void *y)
{
  const handle *h = find<handle>(hp);
  const pooling *d = find<pooling>(dp);
  const tensor *dx = find<tensor>(xp), *dy = find<tensor>(yp);
  const int e = check_pool(h, d, dx, dy);
  if (e != SUCCESS) return e;
  if (!there({ alpha, beta, x, y })) return NULL_POINTER;
  const double by = factor(dx->type, alpha), keep = factor(dx->type, beta);
  const pooling p = *d;
  const tensor tx = *dx, ty = *dy;
  const auto work = [=] {
    const std::vector<double> from = take(tx.type, x, tx.count());
    std::vector<double> sum((size_t)ty.count());
    each(p, tx, ty, [&](size_t window, size_t pixel, double share) { sum[window] += share * from[pixel]; });
    give(tx.type, y, sum, by, keep);
  };
  return start(h, nullptr, 0, work, "pooling of cuDNN");
}

static int pool_back(void *hp, void *dp, const void *alpha, void *yp, const void *y, void *gyp, const void *gy, void *xp,
                     const void *x, const void *beta, void *gxp, void *gx)
{
  const handle *h = find<handle>(hp);
  const pooling *d = find<pooling>(dp);
  const tensor *dx = find<tensor>(xp), *dy = find<tensor>(yp);
  const int e = check_pool(h, d, dx, dy);
  if (e != SUCCESS) return e;
  if (check_pool(h, d, find<tensor>(gxp), find<tensor>(gyp)) != SUCCESS) return OTHER_SHAPE;
  if (!there({ alpha, beta, x, y, gx, gy })) return NULL_POINTER;
  const double by = factor(dx->type, alpha), keep = factor(dx->type, beta);
  const pooling p = *d;
  const tensor tx = *dx, ty = *dy;
  const auto work = [=] {
    const std::vector<double> from = take(tx.type, gy, ty.count());
    std::vector<double> sum((size_t)tx.count());
    each(p, tx, ty, [&](size_t window, size_t pixel, double share) { sum[pixel] += share * from[window]; });
    give(tx.type, gx, sum, by, keep);
  };
  return start(h, nullptr, 0, work, "pooling of cuDNN");
}

/* ---- batch normalisation ---- */

enum { BY_ACTIVATION = 0, BY_PLANE = 1 };

/* Parameters are doubles for doubles, else floats; in the mode per activation there is one for every position. */
static int check_norm(const handle *h, int mode, const tensor *x, const tensor *y, const tensor *p, double eps)
{
  if (!h) return NOT_INITIALIZED;
  if (!ready({ x, y, p })) return NULL_POINTER;
  if ((mode != BY_ACTIVATION && mode != BY_PLANE) || eps < 0 || x->type != y->type) return BAD_PARAM;
  if (p->type != (x->type == DOUBLE ? DOUBLE : FLOAT)) return BAD_PARAM;
  for (int d = 0; d < 4; d++) {
    if (x->size[d] != y->size[d]) return OTHER_SHAPE;
    if (p->size[d] != (d == 1 || (d > 1 && mode == BY_ACTIVATION) ? x->size[d] : 1)) return OTHER_SHAPE;
  }
  return SUCCESS;
}

/* f(element, its parameters' number) */
template <class F> void each(const tensor &x, int mode, F f)
{
  const int64_t places = (int64_t)x.size[2] * x.size[3], features = x.size[1];
  for (int64_t i = 0; i < x.count(); i++) {
    f((size_t)i, (size_t)(mode == BY_PLANE ? i / places % features : i % (features * places)));
  }
}

static int norm(void *hp, int mode, const void *alpha, const void *beta, void *xp, const void *x, void *yp, void *y, void *pp,
                const void *scale, const void *bias, double momentum, void *running_mean, void *running_var, double eps,
                void *mean, void *invstd)
{
  const handle *h = find<handle>(hp);
  const tensor *dx = find<tensor>(xp), *dp = find<tensor>(pp);
  const int e = check_norm(h, mode, dx, find<tensor>(yp), dp, eps);
  if (e != SUCCESS) return e;
  if (!there({ alpha, beta, x, y, scale, bias })) return NULL_POINTER;
  if (!running_mean != !running_var || !mean != !invstd || momentum < 0 || momentum > 1) return BAD_PARAM;
  const double by = factor(dx->type, alpha), keep = factor(dx->type, beta);
  const tensor t = *dx, tp = *dp;
  const double count = (double)(t.count() / tp.count());
  const auto work = [=] {
    const std::vector<double> v = take(t.type, x, t.count());
    const std::vector<double> s = take(tp.type, scale, tp.count()), b = take(tp.type, bias, tp.count());
    std::vector<double> m(s.size()), var(s.size()), r(v.size());
    each(t, mode, [&](size_t i, size_t f) { m[f] += v[i] / count; });
    each(t, mode, [&](size_t i, size_t f) { var[f] += (v[i] - m[f]) * (v[i] - m[f]) / count; });
    each(t, mode, [&](size_t i, size_t f) { r[i] = (v[i] - m[f]) / sqrt(var[f] + eps) * s[f] + b[f]; });
    for (size_t f = 0; f < m.size(); f++) {
      const int64_t at = (int64_t)f;
      if (mean) put(tp.type, mean, at, m[f]), put(tp.type, invstd, at, 1 / sqrt(var[f] + eps));
      if (!running_mean) continue;
      put(tp.type, running_mean, at, momentum * m[f] + (1 - momentum) * get(tp.type, running_mean, at));
      put(tp.type, running_var, at, momentum * var[f] * count / (count - 1) + (1 - momentum) * get(tp.type, running_var, at));
    }
    give(t.type, y, r, by, keep);
  };
  return start(h, nullptr, 0, work, "batch normalisation of cuDNN");
}

static int norm_fixed(void *hp, int mode, const void *alpha, const void *beta, void *xp, const void *x, void *yp, void *y,
                      void *pp, const void *scale, const void *bias, const void *mean, const void *var, double eps)
{
  const handle *h = find<handle>(hp);
  const tensor *dx = find<tensor>(xp), *dp = find<tensor>(pp);
  const int e = check_norm(h, mode, dx, find<tensor>(yp), dp, eps);
  if (e != SUCCESS) return e;
  if (!there({ alpha, beta, x, y, scale, bias, mean, var })) return NULL_POINTER;
  const double by = factor(dx->type, alpha), keep = factor(dx->type, beta);
  const tensor t = *dx, tp = *dp;
  const auto work = [=] {
    std::vector<double> r = take(t.type, x, t.count());
    each(t, mode, [&](size_t i, size_t f) {
      const int64_t at = (int64_t)f;
      const double by_std = 1 / sqrt(get(tp.type, var, at) + eps);
      r[i] = (r[i] - get(tp.type, mean, at)) * by_std * get(tp.type, scale, at) + get(tp.type, bias, at);
    });
    give(t.type, y, r, by, keep);
  };
  return start(h, nullptr, 0, work, "batch normalisation of cuDNN");
}

static int norm_back(void *hp, int mode, const void *alpha, const void *beta, const void *param_alpha, const void *param_beta,
                     void *xp, const void *x, void *gyp, const void *gy, void *gxp, void *gx, void *pp, const void *scale,
                     void *gscale, void *gbias, double eps, const void *mean, const void *invstd)
{
  const handle *h = find<handle>(hp);
  const tensor *dx = find<tensor>(xp), *dp = find<tensor>(pp);
  int e = check_norm(h, mode, dx, find<tensor>(gyp), dp, eps);
  if (e == SUCCESS) e = check_norm(h, mode, dx, find<tensor>(gxp), dp, eps);
  if (e != SUCCESS) return e;
  if (!there({ alpha, beta, param_alpha, param_beta, x, gy, gx, scale, gscale, gbias })) return NULL_POINTER;
  if (!mean || !invstd) return NOT_SUPPORTED;        /* recomputing them is not supported: cunn never does this */
  const double by = factor(dx->type, alpha), keep = factor(dx->type, beta);
  const double param_by = factor(dx->type, param_alpha), param_keep = factor(dx->type, param_beta);
  const tensor t = *dx, tp = *dp;
  const double count = (double)(t.count() / tp.count());
  const auto work = [=] {
    const std::vector<double> v = take(t.type, x, t.count()), g = take(t.type, gy, t.count());
    const std::vector<double> s = take(tp.type, scale, tp.count());
    const std::vector<double> m = take(tp.type, mean, tp.count()), inv = take(tp.type, invstd, tp.count());
    std::vector<double> sum(s.size()), product(s.size()), r(v.size());
    each(t, mode, [&](size_t i, size_t f) { sum[f] += g[i], product[f] += g[i] * (v[i] - m[f]) * inv[f]; });
    each(t, mode, [&](size_t i, size_t f) {
      r[i] = s[f] * inv[f] * (g[i] - sum[f] / count - (v[i] - m[f]) * inv[f] * product[f] / count);
    });
    give(t.type, gx, r, by, keep);
    give(tp.type, gscale, product, param_by, param_keep);
    give(tp.type, gbias, sum, param_by, param_keep);
  };
  return start(h, nullptr, 0, work, "batch normalisation of cuDNN");
}

}  // namespace

void *symbol_of_layers(const char *name)
{
  static const symbol all[] = {
    { "cudnnCreatePoolingDescriptor", (void *)make<pooling> }, { "cudnnDestroyPoolingDescriptor", (void *)destroy<pooling> },
    { "cudnnSetPooling2dDescriptor", (void *)set_pool }, { "cudnnPoolingForward", (void *)pool },
    { "cudnnPoolingBackward", (void *)pool_back },
    { "cudnnBatchNormalizationForwardTraining", (void *)norm },
    { "cudnnBatchNormalizationForwardInference", (void *)norm_fixed },
    { "cudnnBatchNormalizationBackward", (void *)norm_back },
  };
  return find_symbol(all, name);
}

}  // namespace emu_dnn
