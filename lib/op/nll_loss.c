/* nll_loss.c - the negative log likelihood of classes and its gradient. */
#include "nll_loss.args.h"
#include "../core/bounds.h"
#include "op.h"

/* Every target, on the CPU, is a class or the one to pass over. */
static th_status look_at_classes(const th_call *c, const th_bound *b, const th_tensor *at)
{
  const int64_t classes = (int64_t)b->most, skip = b->spared;
  const int64_t count = th_tensor_numel(at), *p = count ? at->storage->data : NULL;
  int64_t place[TH_MAXDIM] = { 0 }, where = at->offset;
  for (int64_t k = 0; k < count; k++) {
    const int64_t v = p[where];
    if (v != skip && (v < 1 || v > classes)) return th_refuse_element(c, b, k, &v);
    for (int d = at->ndim - 1; d >= 0; d--) {
      where += at->stride[d];
      if (++place[d] < at->size[d]) break;
      where -= at->stride[d] * at->size[d];
      place[d] = 0;
    }
  }
  return TH_OK;
}

static th_status need_classes(th_call *c, int target, int64_t classes, int64_t skip)
{
  const th_bound b = { .arg = target, .rule = TH_RULE_CLASS, .least = 1, .most = (double)classes,
                       .spared = skip, .spares = true };
  th_status s;
  return th_device_checks(c, &b, &s) ? s : look_at_classes(c, &b, th_elements_here(c, target));
}

/* x is classes, samples x classes, or samples x classes x ...; target has x's sizes without the classes. */
static th_status need_operands(th_call *c, int x, int target, int weight, int ignore)
{
  const th_tensor *t = c->arg[x].t, *at = c->arg[target].t, *w = c->arg[weight].t;
  TH_TRY(th_need_float(c, x));
  TH_TRY(th_need_ndim(c, x, 1, TH_MAXDIM));
  TH_TRY(th_need_dtype(c, target, TH_I64));
  const int dim = t->ndim == 1 ? 0 : 1;
  const int64_t classes = t->size[dim];
  int64_t size[TH_MAXDIM] = { 1 };
  int ndim = 0;
  for (int d = 0; d < t->ndim; d++) if (d != dim) size[ndim++] = t->size[d];
  if (ndim == 0) ndim = 1;
  bool alike = at->ndim == ndim || (t->ndim == 1 && th_tensor_numel(at) == 1);
  for (int d = 0; alike && t->ndim > 1 && d < ndim; d++) alike = at->size[d] == size[d];
  if (t->ndim == 1) alike = th_tensor_numel(at) == 1;
  if (!alike) {
    return th_fail(TH_ESHAPE,
                   "%s must have the size %s, one class a sample of %s (%s), got size %s",
                   th_arg_name(c, target), th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, ndim, size),
                   th_arg_name(c, x), TH_SHAPE(t), TH_SHAPE(at));
  }
  if (w) {
    TH_TRY(th_need_same_dtype(c, weight, x));
    if (w->ndim != 1 || w->size[0] != classes) {
      return th_fail(TH_ESHAPE, "%s must have %lld elements, one a class, got size %s",
                     th_arg_name(c, weight), (long long)classes, TH_SHAPE(w));
    }
  }
  return need_classes(c, target, classes, c->arg[ignore].i);
}

static th_status check(th_call *c)
{
  const int64_t one = 1;
  TH_TRY(need_operands(c, nll_loss_x, nll_loss_target, nll_loss_weight, nll_loss_ignore));
  TH_TRY(th_out(c, nll_loss_y, c->dtype, 1, &one));
  return th_out(c, nll_loss_total, c->dtype, 1, &one);
}

static th_status check_grad(th_call *c)
{
  const nll_loss_grad_args *a = nll_loss_grad_args_of(c);
  TH_TRY(need_operands(c, nll_loss_grad_x, nll_loss_grad_target, nll_loss_grad_weight, nll_loss_grad_ignore));
  TH_TRY(th_need_same_dtype(c, nll_loss_grad_total, nll_loss_grad_x));
  if (th_tensor_numel(a->total) != 1) {
    return th_fail(TH_ESHAPE, "total must have 1 element, got size %s", TH_SHAPE(a->total));
  }
  return th_out_like(c, nll_loss_grad_gx, a->x);
}

const th_op th_op_nll_loss = {
  .name  = "nll_loss",
  .args  = nll_loss_signature,
  .doc   = "The sum of -weight[class] * x[class] over the samples, divided by the sum of the "
           "weights unless told not to. x holds log probabilities: classes, samples x classes, or "
           "samples x classes x places; target is a LongTensor of classes from 1. y and total, "
           "the sum of the weights, have one element. Class `ignore` is passed over."
           "\ntorch.nll_loss(torch.log(torch.Tensor{{0.5, 0.5}}), torch.LongTensor{2}) --> {0.69315}, {1}",
  .grad  = "x: cmul(nll_loss_grad(x, target, total, 1, weight?, sizeAverage, ignore), g)",
  .check = check,
};

const th_op th_op_nll_loss_grad = {
  .name  = "nll_loss_grad",
  .args  = nll_loss_grad_signature,
  .doc   = "The gradient of nll_loss by x, times g; total is the sum of the weights that nll_loss "
           "gave.",
  .check = check_grad,
};
