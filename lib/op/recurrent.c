/* recurrent.c - whole sequences of recurrent cells: LSTM, GRU and the plain one, and their gradients.
 *
 * The rows of a matrix are the steps of all samples. `places` (steps x samples) says which row is step
 * t of sample b, 0 where the sample has no such step: so batches may lie either way round in memory,
 * padded or packed. What the inputs add to the gates of all steps comes in from one product before;
 * here each sample walks through its steps. */
#include "recurrent.args.h"
#include "../core/bounds.h"
#include "op.h"

static th_status need_matrix(th_call *c, int arg, int like, int64_t rows, int64_t cols)
{
  const th_tensor *t = c->arg[arg].t;
  if (!t) return TH_OK;
  TH_TRY(th_need_same_dtype(c, arg, like));
  if (t->ndim == 2 && t->size[0] == rows && t->size[1] == cols) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have the size %lldx%lld, got %s", th_arg_name(c, arg), (long long)rows,
                 (long long)cols, TH_SHAPE(t));
}

/* Every place names a row of `rows`, or none, and no row is named twice. */
static th_status need_places(th_call *c, int arg, int64_t rows)
{
  const th_tensor *t = c->arg[arg].t;
  TH_TRY(th_need_dtype(c, arg, TH_I64));
  TH_TRY(th_need_ndim(c, arg, 2, 2));
  if (t->size[0] < 1 || t->size[1] < 1) {
    return th_fail(TH_ESHAPE, "%s must have steps and samples, got size %s", th_arg_name(c, arg), TH_SHAPE(t));
  }
  const th_bound bound = { .arg = arg, .rule = TH_RULE_ROW, .least = 0, .most = (double)rows, .columns = t->size[1] };
  th_status s;
  if (th_device_checks(c, &bound, &s)) return s;
  char *seen = th_scratch((size_t)rows + 1);
  if (!seen) return th_fail(TH_ENOMEM, "no memory for %lld marks", (long long)rows);
  memset(seen, 0, (size_t)rows + 1);
  const th_tensor *here = th_elements_here(c, arg);
  const int64_t *p = TH_DATA(int64_t, here);
  for (int64_t i = 0; i < t->size[0] && s == TH_OK && !th_interrupted(); i++) {
    for (int64_t b = 0; b < t->size[1]; b++) {
      const int64_t at = p[i * here->stride[0] + b * here->stride[1]];
      if (at == 0) continue;
      if (at >= 1 && at <= rows && !seen[at]) {
        seen[at] = 1;
        continue;
      }
      s = th_refuse_element(c, &bound, i * t->size[1] + b, &at);
      break;
    }
  }
  th_scratch_free(seen);
  return s;
}

/* weight: `gates` rows for each unit x units. */
static th_status need_weight(th_call *c, int arg, int like, int gates, int64_t *units)
{
  const th_tensor *w = c->arg[arg].t;
  TH_TRY(th_need_same_dtype(c, arg, like));
  TH_TRY(th_need_ndim(c, arg, 2, 2));
  *units = w->size[1];
  if (*units >= 1 && w->size[0] == gates * *units) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have %d row%s for each of its columns, got size %s", th_arg_name(c, arg), gates,
                 gates == 1 ? "" : "s", TH_SHAPE(w));
}

/* The arguments that all six have: the matrix of rows at `x`, places and weight, states of samples from
 * `state` on. */
static th_status need_common(th_call *c, int x, int cols, int places, int weight, int gates, int state, int states,
                             int64_t *n, int64_t *units)
{
  TH_TRY(th_need_float(c, x));
  TH_TRY(th_need_ndim(c, x, 2, 2));
  TH_TRY(need_weight(c, weight, x, gates, units));
  *n = c->arg[x].t->size[0];
  TH_TRY(need_matrix(c, x, x, *n, cols * *units));
  TH_TRY(need_places(c, places, *n));
  const int64_t samples = c->arg[places].t->size[1];
  for (int i = state; i < state + states; i++) TH_TRY(need_matrix(c, i, x, samples, *units));
  return TH_OK;
}

static th_status need_bias(th_call *c, int arg, int like, int64_t n)
{
  const th_tensor *bias = c->arg[arg].t;
  if (!bias) return TH_OK;
  TH_TRY(th_need_same_dtype(c, arg, like));
  if (bias->ndim == 1 && bias->size[0] == n) return TH_OK;
  return th_fail(TH_ESHAPE, "bias must have %lld elements, got size %s", (long long)n, TH_SHAPE(bias));
}

static th_status out_matrix(th_call *c, int arg, int64_t rows, int64_t cols)
{
  return th_out(c, arg, c->dtype, 2, (int64_t[]){ rows, cols });
}

static th_status check_lstm(th_call *c)
{
  int64_t n, units;
  TH_TRY(need_common(c, lstm_x, 4, lstm_places, lstm_weight, 4, lstm_h0, 2, &n, &units));
  TH_TRY(need_bias(c, lstm_bias, lstm_x, 4 * units));
  TH_TRY(out_matrix(c, lstm_h, n, units));
  TH_TRY(out_matrix(c, lstm_c, n, units));
  return out_matrix(c, lstm_a, n, 4 * units);
}

static th_status check_lstm_grad(th_call *c)
{
  int64_t n, units;
  TH_TRY(need_common(c, lstm_grad_a, 4, lstm_grad_places, lstm_grad_weight, 4, lstm_grad_h0, 4, &n, &units));
  for (int i = lstm_grad_h; i <= lstm_grad_g; i++) TH_TRY(need_matrix(c, i, lstm_grad_a, n, units));
  const int64_t samples = lstm_grad_args_of(c)->places->size[1];
  TH_TRY(out_matrix(c, lstm_grad_gx, n, 4 * units));
  TH_TRY(out_matrix(c, lstm_grad_hp, n, units));
  TH_TRY(out_matrix(c, lstm_grad_gh0, samples, units));
  return out_matrix(c, lstm_grad_gc0, samples, units);
}

static th_status check_gru(th_call *c)
{
  int64_t n, units;
  TH_TRY(need_common(c, gru_x, 3, gru_places, gru_weight, 3, gru_h0, 1, &n, &units));
  TH_TRY(need_bias(c, gru_bias, gru_x, 4 * units));
  TH_TRY(out_matrix(c, gru_h, n, units));
  TH_TRY(out_matrix(c, gru_q, n, units));
  return out_matrix(c, gru_a, n, 3 * units);
}

static th_status check_gru_grad(th_call *c)
{
  int64_t n, units;
  TH_TRY(need_common(c, gru_grad_a, 3, gru_grad_places, gru_grad_weight, 3, gru_grad_h0, 2, &n, &units));
  for (int i = gru_grad_h; i <= gru_grad_g; i++) TH_TRY(need_matrix(c, i, gru_grad_a, n, units));
  TH_TRY(out_matrix(c, gru_grad_gx, n, 3 * units));
  TH_TRY(out_matrix(c, gru_grad_gq, n, units));
  TH_TRY(out_matrix(c, gru_grad_hp, n, units));
  return out_matrix(c, gru_grad_gh0, gru_grad_args_of(c)->places->size[1], units);
}

static th_status check_rnn(th_call *c)
{
  int64_t n, units;
  TH_TRY(need_common(c, rnn_x, 1, rnn_places, rnn_weight, 1, rnn_h0, 1, &n, &units));
  TH_TRY(need_bias(c, rnn_bias, rnn_x, units));
  return out_matrix(c, rnn_h, n, units);
}

static th_status check_rnn_grad(th_call *c)
{
  int64_t n, units;
  TH_TRY(need_common(c, rnn_grad_h, 1, rnn_grad_places, rnn_grad_weight, 1, rnn_grad_h0, 2, &n, &units));
  TH_TRY(need_matrix(c, rnn_grad_g, rnn_grad_h, n, units));
  TH_TRY(out_matrix(c, rnn_grad_gx, n, units));
  TH_TRY(out_matrix(c, rnn_grad_hp, n, units));
  return out_matrix(c, rnn_grad_gh0, rnn_grad_args_of(c)->places->size[1], units);
}

#define ROWS "The rows of x are the steps of all samples. places, a LongTensor of steps x " \
             "samples, says which row is which, 0 for none. Rows that are not named become 0. " \
             "reverse walks from the last step to the first. "
#define GRADIENT "g is the gradient of all h, ghn that of the last ones. hp is the h that each row came from: weight's " \
                 "gradient is "

const th_op th_op_lstm = {
  .name = "lstm",
  .args = lstm_signature,
  .doc  = "Long short-term memory over sequences. With (i f g o) = x + weight h of the step before "
          "+ bias, c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c). " ROWS
          "h0 and c0 are the states at the start, 0 if absent. a, which may be x itself, keeps the gates for the gradient. "
          "For autograd c and a are constants: gradients flow through h."
          "\n(torch.lstm(torch.zeros(2, 4), torch.LongTensor{{1}, {2}}, torch.ones(4, 1), false, torch.ones(4))) --> "
          "{{0.36961}, {0.65054}}",
  .grad = "x: lstm_grad(a, h, c, g, places, weight, reverse, h0?, c0?)",
  .flags = TH_INPLACE_AT(lstm_x), .check = check_lstm,
};

const th_op th_op_lstm_grad = {
  .name = "lstm_grad",
  .args = lstm_grad_signature,
  .doc  = "The gradient of lstm by x, h0 and c0, from its results. " GRADIENT "gx' hp.",
  .check = check_lstm_grad,
};

const th_op th_op_gru = {
  .name = "gru",
  .args = gru_signature,
  .doc  = "Gated recurrent units over sequences. (r z n) = x, (s y q) = weight h of the step "
          "before, and bias is added to r, z, n and q. h = (1 - w) tanh(n + sigmoid(r + s) q) + w "
          "h, w = sigmoid(z + y). " ROWS
          "h0 is the state at the start, 0 if absent. a, which may be x itself, and q are kept for the gradient. "
          "For autograd they are constants: gradients flow through h."
          "\n(torch.gru(torch.ones(2, 3), torch.LongTensor{{1}, {2}}, torch.ones(3, 1), false)) --> {{0.20482}, {0.34675}}",
  .grad = "x: gru_grad(a, h, q, g, places, weight, reverse, h0?)",
  .flags = TH_INPLACE_AT(gru_x), .check = check_gru,
};

const th_op th_op_gru_grad = {
  .name = "gru_grad",
  .args = gru_grad_signature,
  .doc  = "The gradient of gru by x, q and h0, from its results. " GRADIENT
          "(gx' hp) for r and z, (gq' hp) for q.",
  .check = check_gru_grad,
};

const th_op th_op_rnn = {
  .name = "rnn",
  .args = rnn_signature,
  .doc  = "Plain recurrent units over sequences: h = tanh(x + weight h of the step before + bias), or relu instead of tanh. " ROWS
          "h0 is the state at the start, 0 if absent."
          "\ntorch.rnn(torch.Tensor{{1}, {2}}, torch.LongTensor{{1}, {2}}, torch.ones(1, 1), true, false) --> {{1}, {3}}",
  .grad = "x: rnn_grad(h, g, places, weight, relu, reverse, h0?)",
  .check = check_rnn,
};

const th_op th_op_rnn_grad = {
  .name = "rnn_grad",
  .args = rnn_grad_signature,
  .doc  = "The gradient of rnn by x and h0, from its result. " GRADIENT "gx' hp.",
  .check = check_rnn_grad,
};
