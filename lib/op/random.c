/* random.c - filling tensors with random numbers; the streams are Torch7's, word for word. */
#include <math.h>
#include "random.args.h"
#include "../core/bounds.h"
#include "../core/op_flags.h"
#include "op.h"

/* Every op here writes over all elements of x, in row-major order, and x keeps its size. */
static th_status filled(th_call *c)
{
  const law_args *a = law_args_of(c);
  c->dtype = a->x->dtype;
  c->device = a->x->device;
  return th_out_like(c, law_x, a->x);
}

static th_status filled_float(th_call *c)
{
  TH_TRY(th_need_float(c, law_x));
  return filled(c);
}

static th_status need_finite(const th_call *c, int arg)
{
  const double v = c->arg[arg].d;
  if (isfinite(v)) return TH_OK;
  return th_fail(TH_EARG, "%s must be finite, got %g", th_arg_name(c, arg), v);
}

static th_status need_positive(const th_call *c, int arg)
{
  const double v = c->arg[arg].d;
  if (v > 0 && isfinite(v)) return TH_OK;
  return th_fail(TH_EARG, "%s must be greater than 0, got %g", th_arg_name(c, arg), v);
}

/* ---- continuous ------------------------------------------------------------------------------ */

static th_status check_uniform(th_call *c)
{
  const uniform_args *a = uniform_args_of(c);
  TH_TRY(need_finite(c, uniform_a));
  TH_TRY(need_finite(c, uniform_b));
  if (!isfinite(a->b - a->a)) {
    return th_fail(TH_EARG, "b must be less than 1.8e308 above a, got %g and %g", a->b,
                   a->a);
  }
  return filled_float(c);
}

const th_op th_op_uniform = {
  .name  = "uniform",
  .args  = uniform_signature,
  .doc   = "Fills x with numbers drawn evenly from [a, b)."
           "\ntorch.manualSeed(1); torch.Tensor(2):uniform(1, 2) --> {1.417, 1.9972}",
  .flags = TH_FILLS, .check = check_uniform,
};

static th_status check_normal(th_call *c)
{
  const normal_args *a = normal_args_of(c);
  TH_TRY(need_finite(c, normal_mean));
  if (!(a->std >= 0) || !isfinite(a->std)) {
    return th_fail(TH_EARG, "std must not be negative, got %g", a->std);
  }
  return filled_float(c);
}

const th_op th_op_normal = {
  .name  = "normal",
  .args  = normal_signature,
  .doc   = "Fills x with normal numbers of this mean and standard deviation (Box and Muller 1958). "
           "They are drawn in pairs; half a pair waits in the generator for the next call."
           "\ntorch.manualSeed(1); torch.Tensor(2):normal(0, 1) --> {-2.9718, 1.707}",
  .flags = TH_FILLS, .check = check_normal,
};

static th_status check_exponential(th_call *c)
{
  TH_TRY(need_positive(c, exponential_lambda));
  return filled_float(c);
}

const th_op th_op_exponential = {
  .name  = "exponential",
  .args  = exponential_signature,
  .doc   = "Fills x with exponential numbers of rate lambda; their mean is 1 / lambda."
           "\ntorch.manualSeed(1); torch.Tensor(2):exponential() --> {0.53961, 5.8727}",
  .flags = TH_FILLS, .check = check_exponential,
};

static th_status check_cauchy(th_call *c)
{
  TH_TRY(need_finite(c, cauchy_median));
  TH_TRY(need_finite(c, cauchy_sigma));
  return filled_float(c);
}

const th_op th_op_cauchy = {
  .name  = "cauchy",
  .args  = cauchy_signature,
  .doc   = "Fills x with numbers of the Cauchy distribution around median with half width sigma."
           "\ntorch.manualSeed(1); torch.Tensor(2):cauchy() --> {-0.26675, 113.07}",
  .flags = TH_FILLS, .check = check_cauchy,
};

static th_status check_lognormal(th_call *c)
{
  TH_TRY(need_finite(c, lognormal_mean));
  TH_TRY(need_positive(c, lognormal_std));
  return filled_float(c);
}

const th_op th_op_lognormal = {
  .name  = "logNormal",
  .args  = lognormal_signature,
  .doc   = "Fills x with exp(z), z normal with this mean and standard deviation."
           "\ntorch.manualSeed(1); torch.Tensor(2):logNormal() --> {0.0071285, 82.591}",
  .flags = TH_FILLS, .check = check_lognormal,
};

/* ---- discrete -------------------------------------------------------------------------------- */

static th_status check_geometric(th_call *c)
{
  const geometric_args *a = geometric_args_of(c);
  if (!(a->p > 0 && a->p < 1)) {
    return th_fail(TH_EARG, "p must lie between 0 and 1, got %g", a->p);
  }
  return filled(c);
}

const th_op th_op_geometric = {
  .name  = "geometric",
  .args  = geometric_signature,
  .doc   = "Fills x with how often something is tried until it fails, p being the chance to "
           "succeed: i with probability (1-p) p^(i-1). On CUDA devices, as in cutorch, p and 1-p "
           "change places."
           "\ntorch.manualSeed(1); torch.Tensor(3):geometric(0.5) --> {1, 9, 2}",
  .flags = TH_FILLS, .check = check_geometric,
};

static th_status check_bernoulli(th_call *c)
{
  const bernoulli_args *a = bernoulli_args_of(c);
  if (!(a->p >= 0 && a->p <= 1)) {
    return th_fail(TH_EARG, "p must lie in 0..1, got %g", a->p);
  }
  return filled(c);
}

const th_op th_op_bernoulli = {
  .name  = "bernoulli",
  .args  = bernoulli_signature,
  .doc   = "Fills x with 1, with probability p, and 0."
           "\ntorch.manualSeed(1); torch.Tensor(4):bernoulli() --> {1, 0, 0, 0}",
  .flags = TH_FILLS, .check = check_bernoulli,
};

/* The element that lies `at` elements into the storage. */
static double value(const th_tensor *t, int64_t at)
{
  return th_read((const char *)t->storage->data + at * (int64_t)th_element_size(t->dtype), t->dtype);
}


/* Weights of any size are summed, and multinomial waits for the device in any case. */
static th_status need_chances_now(const th_call *c, const th_bound *b)
{
  int64_t place;
  double element;                                     /* room for one of any type */
  TH_TRY(th_backend_get()->outside(c->arg[b->arg].t, b, &place, &element));
  return place < 0 ? TH_OK : th_refuse_element(c, b, place, &element);
}

/* Every element of float tensor `arg` must lie in 0..most. */
static th_status need_chances(th_call *c, int arg, double most)
{
  const th_tensor *t = c->arg[arg].t;
  TH_TRY(th_need_float(c, arg));
  const th_bound b = { .arg = arg, .rule = TH_RULE_CHANCE, .least = 0, .most = most };
  th_status s;
  if (t->device != TH_CPU && most != 1) return need_chances_now(c, &b);
  if (th_device_checks(c, &b, &s)) return s;
  int64_t place[TH_MAXDIM] = { 0 }, at = t->offset;
  const int64_t n = th_tensor_numel(t);
  for (int64_t k = 0; k < n; k++) {
    const double v = value(t, at);
    if (!(v >= 0 && v <= most)) {
      return th_refuse_element(c, &b, k, (const char *)t->storage->data + at * (int64_t)th_element_size(t->dtype));
    }
    for (int d = t->ndim - 1; d >= 0; d--) {
      at += t->stride[d];
      if (++place[d] < t->size[d]) break;
      at -= t->stride[d] * t->size[d];
      place[d] = 0;
    }
  }
  return TH_OK;
}

static th_status check_bernoulli_tensor(th_call *c)
{
  TH_TRY(need_chances(c, bernoulli_tensor_p, 1));
  TH_TRY(th_need_same_shape(c, bernoulli_tensor_p, bernoulli_tensor_x));
  return filled(c);
}

const th_op th_op_bernoulli_tensor = {
  .name  = "bernoulli",
  .args  = bernoulli_tensor_signature,
  .doc   = "Fills x with 1, with the probability that the same element of p says, and 0."
           "\ntorch.manualSeed(1); torch.Tensor(3):bernoulli(torch.Tensor{0, 0.5, 1}) --> {0, 0, 1}",
  .flags = TH_FILLS, .check = check_bernoulli_tensor,
};

static th_status check_dropout(th_call *c)
{
  const dropout_args *a = dropout_args_of(c);
  TH_TRY(th_need_float(c, dropout_x));
  if (!(a->p >= 0 && a->p < 1)) return th_fail(TH_EARG, "p must lie in 0 <= p < 1, got %g", a->p);
  TH_TRY(th_out_like(c, dropout_y, a->x));
  return th_out_like(c, dropout_noise, a->x);
}

const th_op th_op_dropout = {
  .name  = "dropout",
  .args  = dropout_signature,
  .doc   = "x times noise, which is 0 with probability p, else 1 / (1 - p), or 1 unless scaled. The noise has the numbers "
           "of bernoulli(1 - p)."
           "\ntorch.manualSeed(1); torch.dropout(torch.Tensor{1, 2, 3, 4}) --> {2, 0, 0, 0}, {2, 0, 0, 0}",
  .check = check_dropout,
};

/* The numbers that random() gives: whole ones that the dtype holds exactly, and at most 32 bits. */
static double numbers_of(int dtype)
{
  switch (dtype) {
    case TH_U8:   return 256;
    case TH_I8:   return 128;
    case TH_I16:  return 32768;
    case TH_I32:  return 2147483648.0;
    case TH_F16:  return 2049;
    case TH_BF16: return 257;
    case TH_F32:  return 16777217;
    default:      return 4294967296.0;
  }
}

/* Leaves the least number and how many there are where laws have their parameters, for the kernel. */
static th_status between(th_call *c, double least, double count)
{
  c->arg[law_p].d = least;
  c->arg[law_q].d = count;
  return filled(c);
}

static th_status check_random(th_call *c) { return between(c, 0, numbers_of(random_args_of(c)->x->dtype)); }

const th_op th_op_random = {
  .name  = "random",
  .args  = random_signature,
  .doc   = "Fills x with whole numbers from 0 to what its type holds exactly, at most 2^32-1."
           "\ntorch.manualSeed(1); torch.ByteTensor(3):random() --> {37, 235, 140}",
  .flags = TH_FILLS, .check = check_random,
};

static const double whole = 9007199254740992.0;      /* 2^53: beyond it a double skips numbers */

static th_status check_random_to(th_call *c)
{
  const random_to_args *a = random_to_args_of(c);
  const double n = trunc(a->n);
  if (!(n >= 1 && n <= whole)) {
    return th_fail(TH_EARG, "n must lie in 1..2^53, got %g", a->n);
  }
  return between(c, 1, n);
}

const th_op th_op_random_to = {
  .name  = "random",
  .args  = random_to_signature,
  .doc   = "Fills x with whole numbers of 1..n."
           "\ntorch.manualSeed(1); torch.Tensor(5):random(6) --> {2, 6, 1, 3, 2}",
  .flags = TH_FILLS, .check = check_random_to,
};

static th_status check_random_between(th_call *c)
{
  const random_between_args *args = random_between_args_of(c);
  const double a = trunc(args->a), b = trunc(args->b);
  if (!(fabs(a) <= whole && fabs(b) <= whole)) {
    return th_fail(TH_EARG, "a and b must lie within 2^53 of 0, got %g and %g", args->a,
                   args->b);
  }
  if (b < a) return th_fail(TH_EARG, "b must not be less than a, got %.17g and %.17g", b, a);
  return between(c, a, b - a + 1);
}

const th_op th_op_random_between = {
  .name  = "random",
  .args  = random_between_signature,
  .doc   = "Fills x with whole numbers of a..b."
           "\ntorch.manualSeed(1); torch.Tensor(5):random(-1, 1) --> {0, 1, -1, 1, 0}",
  .flags = TH_FILLS, .check = check_random_between,
};

/* ---- permutations and samples ---------------------------------------------------------------- */

static th_status check_randperm(th_call *c)
{
  const randperm_args *a = randperm_args_of(c);
  const th_tensor *y = a->y;
  const int64_t n = a->n;
  /* The largest whole number up to which the dtype holds all. */
  static const int64_t most[TH_NDTYPE] = {
    [TH_U8] = 255, [TH_I8] = 127, [TH_I16] = 32767, [TH_I32] = INT32_MAX,
    [TH_I64] = INT64_C(1) << 53, [TH_F16] = 2048, [TH_BF16] = 256, [TH_F32] = 1 << 24,
    [TH_F64] = INT64_C(1) << 53
  };
  if (y->dtype == TH_NONE) {
    return th_fail(TH_EDTYPE, "the result must be a tensor of some type, got none");
  }
  if (n < 1 || n > most[y->dtype]) {
    return th_fail(TH_EARG, "n must lie in 1..%lld for a %sTensor, got %lld",
                   (long long)most[y->dtype], th_dtype_name(y->dtype), (long long)n);
  }
  return th_out(c, randperm_y, y->dtype, 1, &n);
}

const th_op th_op_randperm = {
  .name  = "randperm",
  .args  = randperm_signature,
  .doc   = "The numbers 1..n in random order (Fisher and Yates)."
           "\ntorch.manualSeed(1); torch.randperm(5) --> {1, 5, 3, 4, 2}",
  .check = check_randperm,
};

/* How many elements of row k are not 0. */
static th_status possible(int64_t *n, const th_tensor *p, int64_t k)
{
  const int last = p->ndim - 1;
  int64_t at = p->offset + (last ? k * p->stride[0] : 0);
  if (p->device != TH_CPU) {
    th_tensor row = *p;
    row.ndim = 1;
    row.offset = at;
    row.size[0] = p->size[last];
    row.stride[0] = p->stride[last];
    return th_backend_get()->nonzero(&row, n);
  }
  *n = 0;
  for (int64_t i = 0; i < p->size[last]; i++, at += p->stride[last]) *n += value(p, at) > 0;
  return TH_OK;
}

static th_status check_multinomial(th_call *c)
{
  const multinomial_args *a = multinomial_args_of(c);
  const th_tensor *p = a->p;
  const int64_t n = a->n;
  const bool again = a->replacement != 0;
  TH_TRY(th_need_ndim(c, multinomial_p, 1, 2));
  TH_TRY(need_chances(c, multinomial_p, 1.7976931348623157e308));
  const int64_t rows = p->ndim == 2 ? p->size[0] : 1, classes = p->size[p->ndim - 1];
  if (n < 1) return th_fail(TH_EARG, "n must be at least 1, got %lld", (long long)n);
  if (!again && n > classes) {
    return th_fail(TH_EARG, "n must be at most %lld, the elements of a row of p, without "
                   "replacement, got %lld", (long long)classes, (long long)n);
  }
  for (int64_t k = 0; k < rows; k++) {
    int64_t found = 0;
    if (classes) TH_TRY(possible(&found, p, k));
    if (found == 0) {
      return th_fail(TH_EARG, "row %lld of p must hold a number above 0, got none",
                     (long long)k + 1);
    }
    if (!again && found < n) {
      return th_fail(TH_EARG, "row %lld of p must hold %lld numbers above 0 without replacement, "
                     "got %lld", (long long)k + 1, (long long)n, (long long)found);
    }
  }
  const int64_t size[2] = { p->ndim == 2 ? rows : n, n };
  return th_out(c, multinomial_y, TH_I64, p->ndim, size);
}

const th_op th_op_multinomial = {
  .name  = "multinomial",
  .args  = multinomial_signature,
  .doc   = "Draws n places of p, or of every row of p, each with a chance proportional to its "
           "element. Without replacement no place is drawn twice. The result is a LongTensor."
           "\ntorch.manualSeed(1); torch.multinomial(torch.Tensor{1, 0, 1}, 4, true) --> {1, 3, 3, 3}",
  .check = check_multinomial,
};

static th_status check_alias_setup(th_call *c)
{
  const th_tensor *p = alias_setup_args_of(c)->p;
  TH_TRY(th_need_ndim(c, alias_setup_p, 1, 1));
  TH_TRY(need_chances(c, alias_setup_p, 1.7976931348623157e308));
  int64_t found = 0;
  if (p->size[0]) TH_TRY(possible(&found, p, 0));
  if (found == 0) return th_fail(TH_EARG, "p must hold a number above 0, got none");
  TH_TRY(th_out(c, alias_setup_J, TH_I64, 1, p->size));
  return th_out(c, alias_setup_q, p->dtype, 1, p->size);
}

const th_op th_op_alias_setup = {
  .name  = "multinomialAliasSetup_",
  .args  = alias_setup_signature,
  .doc   = "The tables from which multinomialAlias draws places of p in constant time (Walker "
           "1977): place i stays with chance q[i] and becomes J[i] otherwise.",
  .check = check_alias_setup,
};

static th_status check_alias(th_call *c)
{
  const alias_args *a = alias_args_of(c);
  TH_TRY(th_need_dtype(c, alias_y, TH_I64));
  TH_TRY(th_need_ndim(c, alias_J, 1, 1));
  TH_TRY(need_chances(c, alias_q, 1));
  TH_TRY(th_need_same_shape(c, alias_q, alias_J));
  if (a->J->size[0] == 0) return th_fail(TH_ESHAPE, "J must not be empty");
  TH_TRY(th_need_indices(c, alias_J, a->J->size[0], "a place"));
  c->dtype = a->q->dtype;
  return th_out_like(c, alias_y, a->y);
}

const th_op th_op_alias = {
  .name  = "multinomialAlias_",
  .args  = alias_signature,
  .doc   = "Fills LongTensor y with places drawn, with replacement, from the tables of "
           "multinomialAliasSetup_.",
  .flags = TH_FILLS, .check = check_alias,
};
