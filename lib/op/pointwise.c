/* pointwise.c - what maps, activations and zips are, from the lines of pointwise.def. */
#include <math.h>
#include "pointwise.args.h"
#include "../core/overlap.h"
#include "../core/op_flags.h"
#include "op.h"

/* Does b match a without asking how sizes broadcast? */
static bool alike(const th_tensor *a, const th_tensor *b)
{
  if (a->dtype != b->dtype || a->ndim != b->ndim) return false;
  for (int d = 0; d < a->ndim; d++) if (a->size[d] != b->size[d]) return false;
  return true;
}

/* The inputs agree in dtype; the result has their common shape, in place the object's own. */
static th_status check_tensors(th_call *c)
{
  const th_tensor *y = pointwise_args_of(c)->y;
  int input[TH_MAXARG], n = 0;
  bool ready = true;
  for (int i = 1; i < c->narg; i++) {
    if (c->kind[i] != TH_K_TENSOR) continue;
    ready = ready && alike(y, c->arg[i].t);
    if (n > 0 && c->arg[i].t->dtype != c->dtype) return th_need_same_dtype(c, i, input[0]);
    input[n++] = i;
  }
  if (ready && !th_overlaps_itself(y)) return TH_OK;
  if (n == 1) return th_out_like(c, pointwise_y, c->arg[input[0]].t);
  return th_out_broadcast(c, pointwise_y, c->dtype, n, input);
}

static bool is_whole_type(const th_call *c) { return c->dtype < TH_F16; }

/* A number for a tensor of whole numbers must have a whole part that 64 bits can hold. */
static th_status check_numbers(th_call *c)
{
  if (!is_whole_type(c)) return TH_OK;
  for (int i = 1; i < c->narg; i++) {
    if (c->kind[i] != TH_K_NUMBER) continue;
    if (fabs(c->arg[i].d) < 9223372036854775808.0 && c->arg[i].d != trunc(c->arg[i].d) && th_notes_want(TH_NOTE_FRACTION)) {
      return th_fail(TH_ENOTE, "%s is %g and loses its fraction, because the tensor is a %sTensor of whole numbers",
                     th_arg_name(c, i), c->arg[i].d, th_dtype_name(c->dtype));
    }
    if (fabs(c->arg[i].d) < 9223372036854775808.0) continue;
    return th_fail(TH_EARG, "%s must be a number of at most 64 bits for a %sTensor, got %g",
                   th_arg_name(c, i), th_dtype_name(c->dtype), c->arg[i].d);
  }
  return TH_OK;
}

static th_status check_value(th_call *c)
{
  TH_TRY(check_numbers(c));
  return check_tensors(c);
}

/* A bound beyond what the type holds is as good as the type's own limit. */
static th_status check_bound(th_call *c)
{
  for (int i = 1; i < c->narg && is_whole_type(c); i++) {
    if (c->kind[i] != TH_K_NUMBER || c->arg[i].d == c->arg[i].d) continue;
    return th_fail(TH_EARG, "%s must be a number, got nan", th_arg_name(c, i));
  }
  return check_tensors(c);
}

/* The whole number that this type makes of v. */
static int64_t wrapped(double v, int dtype)
{
  const int64_t i = (int64_t)v;
  switch (dtype) {
    case TH_U8:  return (uint8_t)i;
    case TH_I8:  return (int8_t)i;
    case TH_I16: return (int16_t)i;
    case TH_I32: return (int32_t)i;
    default:     return i;
  }
}

static th_status check_divisor(th_call *c)
{
  const pointwise_value_args *a = pointwise_value_args_of(c);
  TH_TRY(check_numbers(c));
  if (is_whole_type(c) && wrapped(a->value, c->dtype) == 0) {
    return th_fail(TH_EARG, "%s must not be 0 for a %sTensor, got %g", th_arg_name(c, pointwise_value_value),
                   th_dtype_name(c->dtype), a->value);
  }
  if (is_whole_type(c) && fabs(a->value) != 1 && strcmp(c->op->name, "div") == 0 && th_notes_want(TH_NOTE_DIVISION)) {
    return th_fail(TH_ENOTE, "whole numbers divide without a fraction, 7 / 2 is 3: convert the %sTensor with double() first",
                   th_dtype_name(c->dtype));
  }
  return check_tensors(c);
}

static th_status check_count(th_call *c)
{
  const pointwise_value_args *a = pointwise_value_args_of(c);
  TH_TRY(check_numbers(c));
  if (is_whole_type(c) && a->value <= -1) {
    return th_fail(TH_EARG, "%s must not be negative for a %sTensor, got %g", th_arg_name(c, pointwise_value_value),
                   th_dtype_name(c->dtype), a->value);
  }
  return check_tensors(c);
}

/* ---- elements that a zip of whole numbers refuses; kernels rely on it ---- */

typedef enum what { DIVISOR, COUNT, POWER } what;
typedef struct search { what what; int dtype, found; } search;

static inline int64_t whole_at(const char *p, int dtype)
{
  switch (dtype) {
    case TH_U8:  return *(const uint8_t *)p;
    case TH_I8:  return *(const int8_t *)p;
    case TH_I16: return *(const int16_t *)p;
    case TH_I32: return *(const int32_t *)p;
    default:     return *(const int64_t *)p;
  }
}

/* p[0] is only there for the shape; p[1] is what divides or counts, p[2] the base of a power. */
static inline int found_in(char *const *p, const int64_t *step, int64_t n, what w, int dtype)
{
  int found = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t z = whole_at(p[1] + i * step[1], dtype);
    if (w == DIVISOR) found |= z == 0;
    else if (w == COUNT) found |= z < 0;
    else found |= z < 0 && whole_at(p[2] + i * step[2], dtype) == 0;
  }
  return found;
}

static void search_row(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  search *s = (search *)(uintptr_t)ctx;
  int found;
  switch (s->dtype) {                            /* one loop each */
    case TH_U8:  found = found_in(p, step, n, s->what, TH_U8); break;
    case TH_I8:  found = found_in(p, step, n, s->what, TH_I8); break;
    case TH_I16: found = found_in(p, step, n, s->what, TH_I16); break;
    case TH_I32: found = found_in(p, step, n, s->what, TH_I32); break;
    default:     found = found_in(p, step, n, s->what, TH_I64); break;
  }
  if (found) __atomic_store_n(&s->found, 1, __ATOMIC_RELAXED);
}

/* Looks for a bad element in the last tensor, before anything is written. A device looks itself. */
static th_status refuse(th_call *c, what w, const char *why)
{
  if (!is_whole_type(c) || c->device != TH_CPU) return TH_OK;
  const int last = c->narg - 1;
  const pointwise_args *a = pointwise_args_of(c);
  th_tensor *z = c->arg[last].t, *x = a->x, shape = *a->y;
  if (w != POWER) shape = *z;
  else if (c->nwant > 0) {                       /* the result has this shape later */
    shape.ndim = c->want[0].ndim;
    memcpy(shape.size, c->want[0].size, sizeof shape.size);
    memset(shape.stride, 0, sizeof shape.stride);
    shape.dtype = c->dtype;
  }
  search s = { w, c->dtype, 0 };
  TH_TRY(th_each(w == POWER ? 3 : 2, (th_tensor *[]){ &shape, z, x }, search_row, &s));
  if (!s.found) return TH_OK;
  return th_fail(TH_EARG, why, th_arg_name(c, last), th_dtype_name(c->dtype));
}

static th_status check_zip_nothing(th_call *c) { return check_value(c); }

static th_status check_zip_divisor(th_call *c)
{
  TH_TRY(check_value(c));
  return refuse(c, DIVISOR, "%s must not hold 0 for a %sTensor");
}

static th_status check_zip_count(th_call *c)
{
  TH_TRY(check_value(c));
  return refuse(c, COUNT, "%s must not be negative for a %sTensor");
}

static th_status check_zip_power(th_call *c)
{
  TH_TRY(check_value(c));
  return refuse(c, POWER, "%s must not be negative where x is 0 for a %sTensor");
}

static th_status check_gradient(th_call *c)
{
  for (int i = pointwise_grad_y; i <= pointwise_grad_g; i++) {
    TH_TRY(th_need_same_dtype(c, i, pointwise_grad_x));
    TH_TRY(th_need_same_shape(c, i, pointwise_grad_x));
  }
  return th_out_like(c, pointwise_grad_gx, pointwise_grad_args_of(c)->x);
}

#define OP(id, name_, args_, doc_, grad_, check_) \
  const th_op th_op_##id = { .name = name_, .args = args_, .doc = doc_, .grad = grad_, \
                             .flags = TH_INPLACE | TH_EACH, .check = check_ };

#define TH_MAP(id, name, set, numbers, args, doc, grad) \
  OP(id, name, "y:self x:tensor=y" args, doc, grad, check_##numbers)
#define TH_MAP_AS(id, name, set, numbers, args, doc, grad) \
  OP(id, name, args, doc, grad, check_##numbers)
#define TH_ACT(id, args, names, doc) \
  OP(id, #id, "y:self x:tensor=y" args, doc, "x: " #id "_grad(x, y, g" names ")", check_value) \
  OP(id##_grad, #id "_grad", "gx:out x:tensor y:tensor g:tensor" args, \
     "The gradient of " #id " at x, where its result was y and the gradient of that is g.", \
     NULL, check_gradient)
#define TH_ZIP(id, name, set, refuses, args, doc, grad) \
  OP(id, name, "y:self x:tensor=y " args, doc, grad, check_zip_##refuses)
#define TH_ZIP3(id, name, set, refuses, args, doc, grad) \
  TH_ZIP(id, name, set, refuses, args, doc, grad)
#define TH_COMPARE(id, operator, doc)
#include "pointwise.def"
