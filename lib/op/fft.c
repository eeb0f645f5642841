/* fft.c - discrete Fourier transforms along one, two or more dimensions, and their gradients.
 *
 * A complex tensor has a last dimension of size 2: real and imaginary part. Dimensions are counted without it. */
#include <math.h>
#include "fft.args.h"
#include "op.h"
#include "th_fft.h"

/* The four transforms; how many dimensions they take when none are named: one, two or all. */
enum { FFT, IFFT, RFFT, IRFFT };
enum { ONE, TWO, ALL };

typedef struct request {
  int kind, extent;
  const th_sizes *n, *dim;
  int64_t one_n, one_dim;
  const char *norm;
} request;

static const char *const norms[] = { "backward", "ortho", "forward" };

static th_status need_norm(const char *name, int *norm)
{
  for (*norm = 0; *norm < 3; ++*norm) if (strcmp(name, norms[*norm]) == 0) return TH_OK;
  return th_fail(TH_EARG, "norm must be 'backward', 'ortho' or 'forward', got '%s'", name);
}

static th_status need_input(const th_tensor *x, bool is_complex, int *ndim)
{
  *ndim = x->ndim - is_complex;
  if (is_complex && (x->ndim == 0 || x->size[x->ndim - 1] != 2)) {
    return th_fail(TH_ESHAPE, "x must be complex: a last dimension of size 2, got size %s", TH_SHAPE(x));
  }
  if (*ndim >= 1) return TH_OK;
  return th_fail(TH_ESHAPE, "x must have at least 1 dimension%s, got size %s", is_complex ? " and the complex one" : "",
                 TH_SHAPE(x));
}

/* Which dimensions, from 0, in the order named. */
static th_status need_dims(const request *r, int ndim, int *count, int *dim)
{
  int64_t from = 0;
  const int64_t *given = NULL;
  bool last = false;
  if (r->extent == ONE) {
    *count = 1;
    given = &r->one_dim;
    last = r->one_dim == -1;
  } else if (r->dim->n > 0) {
    *count = (int)r->dim->n;
    given = r->dim->size;
  } else {
    last = true;
    *count = r->extent == TWO ? 2 : r->n->n > 0 ? (int)r->n->n : ndim;
  }
  if (*count > ndim) {
    return th_fail(TH_ESHAPE, "x must have at least %d dimensions to transform, got %d", *count, ndim);
  }
  if (r->extent == TWO && *count != 2) return th_fail(TH_EARG, "dim must name 2 dimensions, got %d", *count);
  if (r->extent != ONE && r->n->n > 0 && r->n->n != *count) {
    return th_fail(TH_EARG, "s must have a size for each of the %d dimensions, got %d", *count, (int)r->n->n);
  }
  if (last) from = ndim - *count;
  for (int i = 0; i < *count; i++) {
    int64_t d = last ? from + i + 1 : given[i];
    if (d < 0 && d >= -ndim) d += ndim + 1;
    if (d < 1 || d > ndim) return th_fail(TH_EARG, "dim must lie in 1..%d, got %lld", ndim, (long long)d);
    dim[i] = (int)d - 1;
    for (int j = 0; j < i; j++) {
      if (dim[j] == dim[i]) return th_fail(TH_EARG, "dim names dimension %lld twice", (long long)d);
    }
  }
  return TH_OK;
}

static th_status need_count(int64_t n, int dim)
{
  if (n >= 1) return TH_OK;
  return th_fail(TH_EARG, "n must be at least 1 along dimension %d, got %lld", dim + 1, (long long)n);
}

static void add(th_fft *f, int kind, int dim, int64_t n, int64_t size)
{
  f->pass[f->count++] = (th_fft_pass){ .kind = kind, .dim = dim, .n = n, .size = size, .inner = 1 };
  f->size[dim] = size;
}

static th_status plan(const request *r, const th_tensor *x, th_fft *f)
{
  int norm, count, dim[TH_MAXDIM];
  f->count = 0;                     /* not the whole structure: clearing it takes as long as a transform of 16 numbers */
  f->from_complex = r->kind != RFFT;
  f->to_complex = r->kind != IRFFT;
  f->scale = 1;
  TH_TRY(need_norm(r->norm, &norm));
  TH_TRY(need_input(x, f->from_complex, &f->ndim));
  TH_TRY(need_dims(r, f->ndim, &count, dim));
  if (f->to_complex && f->ndim == TH_MAXDIM) {
    return th_fail(TH_ESHAPE, "x must have at most %d dimensions for a complex result, got %d", TH_MAXDIM - 1, f->ndim);
  }
  memcpy(f->size, x->size, sizeof f->size);
  const bool inverse = r->kind == IFFT || r->kind == IRFFT;
  int64_t n[TH_MAXDIM];
  double total = 1;
  for (int i = 0; i < count; i++) {
    const int64_t had = x->size[dim[i]], given = r->extent == ONE ? r->one_n : r->n->n > 0 ? r->n->size[i] : -1;
    n[i] = given != -1 ? given : r->kind == IRFFT && i == count - 1 ? 2 * (had - 1) : had;
    TH_TRY(need_count(n[i], dim[i]));
    total *= (double)n[i];
  }
  if (norm == 1) f->scale = 1 / sqrt(total);
  else if ((norm == 0) == inverse) f->scale = 1 / total;
  const int last = count - 1;
  if (r->kind == RFFT) add(f, TH_FFT_HALF, dim[last], n[last], n[last] / 2 + 1);
  for (int i = last; i >= 0; i--) {
    if (i == last && (r->kind == RFFT || r->kind == IRFFT)) continue;
    add(f, inverse ? TH_FFT_BACKWARD : TH_FFT_FORWARD, dim[i], n[i], n[i]);
  }
  if (r->kind == IRFFT) add(f, TH_FFT_WHOLE, dim[last], n[last], n[last]);
  if (f->to_complex) f->size[f->ndim] = 2;
  return TH_OK;
}

/* The passes of the gradient: the transposed ones, last first. x: what the transform had, g: like its result. */
static th_status transpose(const th_tensor *x, const th_tensor *g, th_fft *f)
{
  static const int turned[] = { TH_FFT_BACKWARD, TH_FFT_FORWARD, TH_FFT_WHOLE, TH_FFT_HALF };
  const int ndim = f->ndim + f->to_complex;
  bool fits = g->ndim == ndim && g->dtype == x->dtype;
  for (int d = 0; d < ndim && fits; d++) fits = g->size[d] == f->size[d];
  if (!fits) {
    return th_fail(TH_ESHAPE, "g must be a %sTensor of size %s, got a %sTensor of size %s", th_dtype_name(x->dtype),
                   th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, ndim, f->size), th_dtype_name(g->dtype), TH_SHAPE(g));
  }
  th_fft t = *f;
  for (int i = 0; i < f->count; i++) {
    th_fft_pass *p = &t.pass[f->count - 1 - i];
    *p = f->pass[i];
    p->size = x->size[p->dim];
    p->kind = turned[p->kind];
    if (p->kind == TH_FFT_WHOLE) p->inner = 0.5;
    if (p->kind == TH_FFT_HALF) p->inner = 2;
  }
  t.from_complex = f->to_complex;
  t.to_complex = f->from_complex;
  memcpy(t.size, x->size, sizeof t.size);
  *f = t;
  return TH_OK;
}

/* ---- the calls: y x n dim norm, or gx x g kind n dim norm ---- */

th_status th_fft_of(const th_call *c, th_fft *f)
{
  const fft_grad_args *a = fft_grad_args_of(c);
  const bool gradient = c->kind[fft_grad_g] == TH_K_TENSOR;
  const int options = gradient ? fft_grad_n : fft_n;
  const bool many = c->kind[options] == TH_K_SIZES;
  int code = gradient ? (int)a->kind : 0;
  if (!gradient) {                  /* the name is [i][r]fft[2|n] */
    const char *name = c->op->name;
    if (*name == 'i') code += 1, name++;
    if (*name == 'r') code += 2, name++;
    name += strlen("fft");
    code += *name == '2' ? 4 : *name == 'n' ? 8 : 0;
  }
  request r = { .kind = code % 4, .extent = code / 4, .norm = fft_options_args_at(c, options)->norm };
  const fft_options_args *one = fft_options_args_at(c, options);
  const fftn_options_args *several = fftn_options_args_at(c, options);
  if (many) r.n = several->s, r.dim = several->dim;
  else r.one_n = one->n, r.one_dim = one->dim;
  TH_TRY(plan(&r, a->x, f));
  return gradient ? transpose(a->x, a->g, f) : TH_OK;
}

static th_status check(th_call *c)
{
  th_fft f;
  TH_TRY(th_need_float(c, fft_x));
  TH_TRY(th_fft_of(c, &f));
  return th_out(c, fft_y, fft_args_of(c)->x->dtype, f.ndim + f.to_complex, f.size);
}

static th_status check_grad(th_call *c)
{
  const bool many = c->kind[fft_grad_n] == TH_K_SIZES;
  const int64_t kind = fft_grad_args_of(c)->kind;
  if (kind < (many ? 4 : 0) || kind > (many ? 11 : 3)) {
    return th_fail(TH_EARG, "kind must lie in %s, got %lld", many ? "4..11" : "0..3", (long long)kind);
  }
  return check(c);
}

#define OP(id, code, doc_) \
  const th_op th_op_##id = { \
    .name = #id, .args = fft_signature, .doc = doc_, \
    .grad = "x: fft_grad(x, g, " #code ", n, dim, norm)", .flags = TH_LATE | TH_BY_CPU, .check = check, \
  };
#define OPS(id, code, doc_) \
  const th_op th_op_##id = { \
    .name = #id, .args = fftn_signature, .doc = doc_, \
    .grad = "x: fftn_grad(x, g, " #code ", s, dim, norm)", .flags = TH_LATE | TH_BY_CPU, .check = check, \
  };

#define COMPLEX " A complex tensor has a last dimension of size 2."
#define NORM_FORWARD " norm: 'backward' divides nothing, 'ortho' by sqrt(n), 'forward' by n."
#define NORM_BACKWARD " norm: 'backward' divides by n, 'ortho' by sqrt(n), 'forward' nothing."
#define CUT " x is cut or padded with zeros to n numbers along dim (default: the last)."
#define CUTS " x is cut or padded with zeros to the sizes s along the dimensions dim."

OP(fft, 0, "The discrete Fourier transform of complex x along dim, by any size." COMPLEX CUT NORM_FORWARD
   "\ntorch.fft(torch.Tensor{{1, 0}, {2, 0}}) --> {{3, 0}, {-1, 0}}")
OP(ifft, 1, "The inverse of fft." COMPLEX CUT NORM_BACKWARD
   "\ntorch.ifft(torch.Tensor{{3, 0}, {-1, 0}}) --> {{1, 0}, {2, 0}}")
OP(rfft, 2, "The Fourier transform of real x along dim: the n/2 + 1 complex numbers that say all." COMPLEX CUT NORM_FORWARD
   "\ntorch.rfft(torch.Tensor{1, 2, 3, 4}) --> {{10, 0}, {-2, 2}, {-2, 0}}")
OP(irfft, 3, "The inverse of rfft: n real numbers from the first half of their spectrum. n is 2 (m "
             "- 1) by default, with the size m of x along dim. What the other half would "
             "contradict is passed over." COMPLEX NORM_BACKWARD
   "\ntorch.irfft(torch.Tensor{{10, 0}, {-2, 2}, {-2, 0}}) --> {1, 2, 3, 4}")
OPS(fft2, 4, "fft along two dimensions (default: the last two)." COMPLEX CUTS NORM_FORWARD
   "\ntorch.fft2(torch.Tensor{{{1, 0}, {2, 0}}, {{3, 0}, {4, 0}}}) --> {{{10, 0}, {-2, 0}}, {{-4, 0}, {0, 0}}}")
OPS(ifft2, 5, "The inverse of fft2." COMPLEX CUTS NORM_BACKWARD
   "\ntorch.ifft2(torch.fft2(torch.Tensor{{{1, 0}, {2, 5}}})) --> {{{1, 0}, {2, 5}}}")
OPS(rfft2, 6, "rfft along the second of two dimensions (default: the last two), then fft along the first."
   COMPLEX CUTS NORM_FORWARD
   "\ntorch.rfft2(torch.Tensor{{1, 2}, {3, 4}}) --> {{{10, 0}, {-2, 0}}, {{-4, 0}, {0, 0}}}")
OPS(irfft2, 7, "The inverse of rfft2." COMPLEX CUTS NORM_BACKWARD
   "\ntorch.irfft2(torch.rfft2(torch.Tensor{{1, 2}, {3, 4}})) --> {{1, 2}, {3, 4}}")
OPS(fftn, 8, "fft along several dimensions (default: all)." COMPLEX CUTS NORM_FORWARD
   "\ntorch.fftn(torch.ones(2, 2, 2, 2)):size() --> {2, 2, 2, 2}")
OPS(ifftn, 9, "The inverse of fftn." COMPLEX CUTS NORM_BACKWARD
   "\ntorch.ifftn(torch.fftn(torch.Tensor{{{1, 0}, {2, 5}}})) --> {{{1, 0}, {2, 5}}}")
OPS(rfftn, 10, "rfft along the last of several dimensions (default: all), then fft along the others." COMPLEX CUTS NORM_FORWARD
   "\ntorch.rfftn(torch.ones(4, 4, 4)):size() --> {4, 4, 3, 2}")
OPS(irfftn, 11, "The inverse of rfftn." COMPLEX CUTS NORM_BACKWARD
   "\ntorch.irfftn(torch.rfftn(torch.Tensor{{1, 2}, {3, 4}})) --> {{1, 2}, {3, 4}}")

const th_op th_op_fft_grad = {
  .name = "fft_grad", .args = fft_grad_signature,
  .doc = "Gradient of fft, ifft, rfft, irfft (kind 0, 1, 2, 3) with these n, dim and norm.",
  .flags = TH_LATE | TH_BY_CPU, .check = check_grad,
};
const th_op th_op_fftn_grad = {
  .name = "fftn_grad", .args = fftn_grad_signature,
  .doc = "Gradient of fft2, ifft2, rfft2, irfft2 (kind 4, 5, 6, 7), fftn, ifftn, rfftn, irfftn (8, 9, 10, 11).",
  .flags = TH_LATE | TH_BY_CPU, .check = check_grad,
};

/* ---- products of complex numbers ---- */

static th_status product(th_call *c)
{
  for (int i = complexMul_a; i <= complexMul_b; i++) {
    const th_tensor *t = c->arg[i].t;
    if (t->ndim >= 1 && t->size[t->ndim - 1] == 2) continue;
    return th_fail(TH_ESHAPE, "%s must be complex: a last dimension of size 2, got size %s", th_arg_name(c, i), TH_SHAPE(t));
  }
  TH_TRY(th_need_float(c, complexMul_a));
  TH_TRY(th_need_same_dtype(c, complexMul_b, complexMul_a));
  /* Not th_out_broadcast: tensors of other shapes with as many elements are no match here. */
  const th_tensor *a = complexMul_args_of(c)->a, *b = complexMul_args_of(c)->b;
  const int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
  int64_t size[TH_MAXDIM];
  for (int d = 0; d < ndim; d++) {
    const int i = d - (ndim - a->ndim), j = d - (ndim - b->ndim);
    const int64_t p = i < 0 ? 1 : a->size[i], q = j < 0 ? 1 : b->size[j];
    if (p != q && p != 1 && q != 1) {
      return th_fail(TH_ESHAPE, "b must have the size of a or one that broadcasts to it, got %s and %s", TH_SHAPE(a),
                     TH_SHAPE(b));
    }
    size[d] = p == 1 ? q : p;
  }
  return th_out(c, complexMul_y, a->dtype, ndim, size);
}
const th_op th_op_complexMul = {
  .name = "complexMul", .args = complexMul_signature,
  .doc = "a times b, element by element, both complex: a last dimension of size 2. The other dimensions broadcast."
         "\ntorch.complexMul(torch.Tensor{1, 2}, torch.Tensor{3, 4}) --> {-5, 10}",
  .grad = "a: complexMulConj(g, b) b: complexMulConj(g, a)", .check = product,
};
const th_op th_op_complexMulConj = {
  .name = "complexMulConj", .args = complexMul_signature,
  .doc = "a times the conjugate of b, element by element, both complex: a last dimension of size 2. "
         "The other dimensions broadcast."
         "\ntorch.complexMulConj(torch.Tensor{1, 2}, torch.Tensor{3, 4}) --> {11, 2}",
  .grad = "a: complexMul(g, b) b: complexMulConj(a, g)", .check = product,
};
