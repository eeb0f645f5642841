/* ctc_loss.c - connectionist temporal classification: the loss of label sequences that are not aligned with the steps. */
#include "ctc_loss.args.h"
#include "op.h"

/* Each row of labels, on the CPU: numbers of classes without the blank, then zeros to the end. */
static th_status look_at_labels(const th_call *c, int labels, const th_tensor *t, int64_t samples, int64_t classes)
{
  const int64_t *p = TH_DATA(int64_t, t);
  for (int64_t b = 0; b < samples; b++) {
    bool ended = false;
    for (int64_t i = 0; i < t->size[1]; i++) {
      const int64_t v = p[b * t->stride[0] + i * t->stride[1]];
      if (v < 0 || v >= classes) {
        return th_fail(TH_EARG, "%s must lie in 1..%lld, or be 0 behind the last, got %lld (sample %lld, place %lld)",
                       th_arg_name(c, labels), (long long)classes - 1, (long long)v, (long long)b + 1, (long long)i + 1);
      }
      if (v && ended) {
        return th_fail(TH_EARG, "%s must hold no 0 before a label, got one (sample %lld, before place %lld)",
                       th_arg_name(c, labels), (long long)b + 1, (long long)i + 1);
      }
      ended = v == 0;
    }
  }
  return TH_OK;
}

static th_status need_labels(th_call *c, int labels, int64_t samples, int64_t classes)
{
  const th_tensor *t = c->arg[labels].t;
  th_tensor here = { 0 };
  TH_TRY(th_need_dtype(c, labels, TH_I64));
  TH_TRY(th_need_ndim(c, labels, 2, 2));
  if (t->size[0] != samples || t->size[1] < 1) {
    return th_fail(TH_ESHAPE, "%s must have a row for each of the %lld samples of x, got size %s",
                   th_arg_name(c, labels), (long long)samples, TH_SHAPE(t));
  }
  TH_TRY(th_on_cpu(&here, t));
  const th_status s = look_at_labels(c, labels, &here, samples, classes);
  th_tensor_release(&here);
  return s;
}

static th_status need_lengths(th_call *c, int lengths, int64_t samples, int64_t steps)
{
  const th_tensor *t = c->arg[lengths].t;
  if (!t) return TH_OK;
  TH_TRY(th_need_dtype(c, lengths, TH_I64));
  if (t->ndim != 1 || t->size[0] != samples) {
    return th_fail(TH_ESHAPE, "%s must have %lld elements, one a sample of x, got size %s", th_arg_name(c, lengths),
                   (long long)samples, TH_SHAPE(t));
  }
  th_tensor here = { 0 };
  th_status s = th_on_cpu(&here, t);
  for (int64_t b = 0; b < samples && s == TH_OK; b++) {
    const int64_t v = TH_DATA(int64_t, &here)[b * here.stride[0]];
    if (v < 0 || v > steps) {
      s = th_fail(TH_EARG, "%s must lie in 0..%lld, the steps of x, got %lld (sample %lld)", th_arg_name(c, lengths),
                  (long long)steps, (long long)v, (long long)b + 1);
    }
  }
  th_tensor_release(&here);
  return s;
}

/* The arguments that both have. What alpha's size must be goes to `alpha`. */
typedef struct operands { int x, labels, blank, lengths, batch_first; } operands;

static th_status need_operands(th_call *c, const operands *at, int64_t alpha[3])
{
  const int x = at->x;
  const th_tensor *t = c->arg[x].t;
  TH_TRY(th_need_float(c, x));
  TH_TRY(th_need_ndim(c, x, 3, 3));
  const bool first = c->arg[at->batch_first].i;
  const int64_t steps = t->size[first], samples = t->size[!first], classes = t->size[2], is_blank = c->arg[at->blank].i;
  if (th_numel(t) == 0) {
    return th_fail(TH_ESHAPE, "%s must have steps, samples and classes, got size %s", th_arg_name(c, x), TH_SHAPE(t));
  }
  if (is_blank < 1 || is_blank > classes) {
    return th_fail(TH_EARG, "blank must lie in 1..%lld, the classes of x, got %lld", (long long)classes,
                   (long long)is_blank);
  }
  TH_TRY(need_labels(c, at->labels, samples, classes));
  TH_TRY(need_lengths(c, at->lengths, samples, steps));
  alpha[0] = samples, alpha[1] = steps, alpha[2] = 2 * c->arg[at->labels].t->size[1] + 2;
  return TH_OK;
}

static th_status check(th_call *c)
{
  static const operands at = { ctc_loss_x, ctc_loss_labels, ctc_loss_blank, ctc_loss_lengths, ctc_loss_batchFirst };
  int64_t alpha[3];
  TH_TRY(need_operands(c, &at, alpha));
  TH_TRY(th_out(c, ctc_loss_loss, c->dtype, 1, alpha));
  return th_out(c, ctc_loss_alpha, TH_F64, 3, alpha);
}

static th_status check_grad(th_call *c)
{
  static const operands at = { ctc_loss_grad_x, ctc_loss_grad_labels, ctc_loss_grad_blank, ctc_loss_grad_lengths,
                               ctc_loss_grad_batchFirst };
  const ctc_loss_grad_args *args = ctc_loss_grad_args_of(c);
  int64_t alpha[3];
  const th_tensor *a = args->alpha, *g = args->g;
  TH_TRY(need_operands(c, &at, alpha));
  TH_TRY(th_need_dtype(c, ctc_loss_grad_alpha, TH_F64));
  if (a->ndim != 3 || memcmp(a->size, alpha, sizeof alpha)) {
    return th_fail(TH_ESHAPE, "alpha must have the size %s, as ctc_loss made it, got %s",
                   th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, 3, alpha), TH_SHAPE(a));
  }
  TH_TRY(th_need_same_dtype(c, ctc_loss_grad_g, ctc_loss_grad_x));
  if (g->ndim != 1 || g->size[0] != alpha[0]) {
    return th_fail(TH_ESHAPE, "g must have %lld elements, one a sample of x, got size %s", (long long)alpha[0], TH_SHAPE(g));
  }
  return th_out_like(c, ctc_loss_grad_gx, args->x);
}

const th_op th_op_ctc_loss = {
  .name  = "ctc_loss",
  .args  = ctc_loss_signature,
  .doc   = "Connectionist temporal classification: for each sample, -log of the probability that "
           "its steps become its labels, summed over all alignments. Each step is a label or "
           "blank; repeated ones are merged and blanks removed. Graves et al., \"Connectionist "
           "temporal classification\" (2006). x is steps x samples x classes, or samples first, "
           "and its softmax the probability of the classes. labels, a LongTensor of samples x most "
           "labels, counts the classes without the blank from 1 and ends with zeros. Where class 1 "
           "is the blank, label k is class k + 1. lengths, a LongTensor, says how many steps of "
           "each sample count; all, if absent. Labels that the steps cannot hold have infinite "
           "loss, and a gradient of 0. alpha, a DoubleTensor, is for the gradient."
           "\n(torch.ctc_loss(torch.zeros(2, 1, 3), torch.LongTensor{{1}})) --> {1.0986}",
  .grad  = "x: ctc_loss_grad(x, labels, alpha, g, blank, lengths?, batchFirst)",
  .check = check,
};

const th_op th_op_ctc_loss_grad = {
  .name  = "ctc_loss_grad",
  .args  = ctc_loss_grad_signature,
  .doc   = "The gradient of ctc_loss by x, that of each sample times its g; alpha is what ctc_loss gave. Steps beyond lengths "
           "have a gradient of 0, as have samples whose loss is infinite.",
  .check = check_grad,
};
