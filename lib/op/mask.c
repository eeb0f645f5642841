/* lib/op/mask.c - picking and putting elements by a mask, and the places of what is not 0.
 *
 * A mask is a ByteTensor of zeros and ones with as many elements as the tensor; both are gone
 * through in row-major order. */
#include "mask.args.h"
#include "../core/bounds.h"
#include "../core/op_flags.h"
#include "reduce.h"

/* On a device. The host waits for the number of ones anyway, so then the device checks at once too. */
static th_status need_mask_there(th_call *c, const th_bound *b, int64_t *ones)
{
  const th_tensor *m = c->arg[b->arg].t;
  int64_t place;
  uint8_t byte;
  th_status s;
  if (!ones) return th_device_checks(c, b, &s) ? s : TH_OK;
  TH_TRY(th_backend_get()->outside(m, b, &place, &byte));
  return place < 0 ? th_backend_get()->nonzero(m, ones) : th_refuse_element(c, b, place, &byte);
}

/* Argument `arg` is a mask over t; the number of its ones goes to *ones, where that is wanted. */
static th_status need_mask(th_call *c, int arg, const th_tensor *t, int64_t *ones)
{
  const th_tensor *m = c->arg[arg].t;
  const th_bound b = { .arg = arg, .rule = TH_RULE_MASK, .least = 0, .most = 1 };
  TH_TRY(th_need_dtype(c, arg, TH_U8));
  if (th_tensor_numel(m) != th_tensor_numel(t)) {
    return th_fail(TH_ESHAPE, "%s must have as many elements as the tensor of size %s, got size %s",
                   th_arg_name(c, arg), TH_SHAPE(t), TH_SHAPE(m));
  }
  m = th_elements_here(c, arg);
  if (!m) return need_mask_there(c, &b, ones);
  const uint8_t *p = TH_DATA(uint8_t, m);
  const int64_t total = th_tensor_numel(m), n = m->ndim ? m->size[m->ndim - 1] : 1;
  const int64_t step = m->ndim ? m->stride[m->ndim - 1] : 1;
  int64_t at[TH_MAXDIM] = { 0 }, off = 0;
  if (ones) *ones = 0;
  for (int64_t row = 0; row * n < total; row++) {
    unsigned all = 0;
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) all |= p[off + i * step], sum += p[off + i * step];
    if (all > 1) {
      int64_t i = 0;
      while (p[off + i * step] <= 1) i++;
      return th_refuse_element(c, &b, row * n + i, &p[off + i * step]);
    }
    if (ones) *ones += sum;
    for (int d = m->ndim - 2; d >= 0; d--) {
      off += m->stride[d];
      if (++at[d] < m->size[d]) break;
      off -= m->stride[d] * m->size[d];
      at[d] = 0;
    }
  }
  return TH_OK;
}

static th_status fill(th_call *c)
{
  const maskedFill_args *a = maskedFill_args_of(c);
  TH_TRY(need_mask(c, maskedFill_mask, a->y, NULL));
  TH_TRY(th_need_number(c, maskedFill_value, a->y));
  c->dtype = a->y->dtype;
  return th_out_like(c, maskedFill_y, a->y);
}
const th_op th_op_maskedFill = {
  .name = "maskedFill", .args = maskedFill_signature,
  .doc = "Sets the elements of y where mask is 1 to value."
         "\ntorch.Tensor{1, 2, 3}:maskedFill(torch.ByteTensor{0, 1, 0}, 9) --> {1, 9, 3}",
  .flags = TH_EACH, .check = fill,
};

static th_status copy(th_call *c)
{
  const maskedCopy_args *a = maskedCopy_args_of(c);
  const th_tensor *y = a->y, *x = a->x;
  int64_t ones;
  TH_TRY(th_need_same_dtype(c, maskedCopy_x, maskedCopy_y));
  TH_TRY(need_mask(c, maskedCopy_mask, y, &ones));
  if (th_tensor_numel(x) < ones) {
    return th_fail(TH_ESHAPE,
                   "x must have at least the %lld elements that mask asks for, got size %s",
                   (long long)ones, TH_SHAPE(x));
  }
  c->dtype = y->dtype;
  return th_out_like(c, maskedCopy_y, y);
}
const th_op th_op_maskedCopy = {
  .name = "maskedCopy",
  .args = maskedCopy_signature,
  .doc = "Puts the first elements of x, in row-major order, where mask is 1; x may hold more than "
         "are needed."
         "\ntorch.Tensor{1, 2, 3}:maskedCopy(torch.ByteTensor{1, 0, 1}, torch.Tensor{8, 9}) --> {8, 2, 9}",
  .flags = TH_PLACES, .check = copy,
};

static th_status selected(th_call *c)
{
  const maskedSelect_args *a = maskedSelect_args_of(c);
  int64_t ones;
  TH_TRY(need_mask(c, maskedSelect_mask, a->x, &ones));
  return th_out(c, maskedSelect_y, a->x->dtype, 1, &ones);
}
const th_op th_op_maskedSelect = {
  .name = "maskedSelect", .args = maskedSelect_signature,
  .doc = "The elements of x where mask is 1, in row-major order, as a vector."
         "\ntorch.maskedSelect(torch.Tensor{1, 2, 3}, torch.ByteTensor{1, 0, 1}) --> {1, 3}",
  .grad = "x: mask_grad(x, mask, g)", .check = selected,
};

static th_status mask_grad(th_call *c)
{
  const mask_grad_args *a = mask_grad_args_of(c);
  const th_tensor *x = a->x, *g = a->g;
  int64_t ones;
  TH_TRY(th_need_same_dtype(c, mask_grad_g, mask_grad_x));
  TH_TRY(need_mask(c, mask_grad_mask, x, &ones));
  if (th_tensor_numel(g) != ones) {
    return th_fail(TH_ESHAPE, "g must have the %lld elements that mask picks, got size %s",
                   (long long)ones, TH_SHAPE(g));
  }
  return th_out_like(c, mask_grad_gx, x);
}
const th_op th_op_mask_grad = {
  .name = "mask_grad", .args = mask_grad_signature,
  .doc = "Gradient of `maskedSelect`: g where mask is 1, 0 elsewhere."
         "\ntorch.mask_grad(torch.Tensor(3), torch.ByteTensor{1, 0, 1}, torch.Tensor{5, 6}) --> {5, 0, 6}",
  .check = mask_grad,
};

/* ---- nonzero ---- */

enum { BLOCK = 1 << 16 };

typedef struct counting {
  const char *p;
  size_t      es;
  uint64_t    counts;                  /* the bits that do: all, but for a float's sign */
  int64_t     found;
} counting;

/* Elements of a row that are not 0. */
static inline int64_t row_as(const counting *q, size_t es, const char *p, int64_t step, int64_t n)
{
  int64_t found = 0;
  for (int64_t from = 0; from < n; from += BLOCK) {
    const int64_t end = n - from < BLOCK ? n : from + BLOCK;
    uint32_t some = 0, u = 0;
    uint64_t v;
    for (int64_t i = from; i < end; i++) {
      const char *at = p + i * step * (int64_t)es;
      if (es == 8) memcpy(&v, at, 8), some += (v & q->counts) != 0;
      else memcpy(&u, at, es < 4 ? es : 4), some += (u & (uint32_t)q->counts) != 0;
    }
    found += some;
  }
  return found;
}
static int64_t row_nonzero(const counting *q, const char *p, int64_t step, int64_t n)
{
  if (q->es == 1) return row_as(q, 1, p, step, n);
  if (q->es == 2) return row_as(q, 2, p, step, n);
  if (q->es == 4 && step == 1) return row_as(q, 4, p, 1, n);
  if (q->es == 4) return row_as(q, 4, p, step, n);
  return row_as(q, 8, p, step, n);
}
static void count_block(void *ctx, int64_t first, int64_t last)
{
  counting *q = ctx;
  const int64_t found = row_nonzero(q, q->p + first * (int64_t)q->es, 1, last - first);
  __atomic_add_fetch(&q->found, found, __ATOMIC_RELAXED);
}
static th_status count_nonzero(int64_t *found, const th_tensor *t)
{
  counting q = { .es = th_dtype_size(t->dtype) };
  const uint64_t bits = q.es == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * q.es) - 1;
  const int64_t total = th_tensor_numel(t), n = t->ndim ? t->size[t->ndim - 1] : 1;
  const int64_t step = t->ndim ? t->stride[t->ndim - 1] : 1;
  int64_t at[TH_MAXDIM] = { 0 }, off = 0;
  q.p = th_data(t, q.es);
  q.counts = t->dtype >= TH_F16 ? bits >> 1 : bits;
  if (th_contiguous(t)) {
    TH_TRY(th_parallel(total, BLOCK, count_block, &q));
  } else {
    for (int64_t row = 0; row * n < total; row++) {
      q.found += row_nonzero(&q, q.p + off * (int64_t)q.es, step, n);
      for (int d = t->ndim - 2; d >= 0; d--) {
        off += t->stride[d];
        if (++at[d] < t->size[d]) break;
        off -= t->stride[d] * t->size[d];
        at[d] = 0;
      }
    }
  }
  *found = q.found;
  return TH_OK;
}
static th_status nonzero(th_call *c)
{
  const th_tensor *x = nonzero_args_of(c)->x;
  int64_t size[2] = { 0, x->ndim };
  if (x->device == TH_CPU) TH_TRY(count_nonzero(&size[0], x));
  else TH_TRY(th_backend_get()->nonzero(x, &size[0]));
  return th_out(c, nonzero_y, TH_I64, size[0] ? 2 : 1, size);
}
const th_op th_op_nonzero = {
  .name = "nonzero",
  .args = nonzero_signature,
  .doc = "The places of the elements of x that are not 0, one a row, as a LongTensor with a column "
         "for each "
         "dimension of x. NaN is not 0. Empty if there are none."
         "\ntorch.nonzero(torch.Tensor{{0, 5}, {6, 0}}) --> {{1, 2}, {2, 1}}",
  .check = nonzero,
};
