/* attention.c - softmax(scale q k') v for each head, and its gradients.
 *
 * Kernels go through the keys in tiles and keep a running maximum and sum for each query (online softmax), so no matrix of
 * queries x keys exists. They keep lse, the logarithm of the sum of exp(score), with which the gradients compute the weights
 * again. Dao, "FlashAttention-2: faster attention with better parallelism and work partitioning" (2023). */
#include "attention.args.h"
#include "op.h"

static th_status need_size(th_call *c, int arg, int like, const int64_t *size)
{
  const th_tensor *t = c->arg[arg].t;
  TH_TRY(th_need_same_dtype(c, arg, like));
  if (t->ndim == 4 && memcmp(t->size, size, 4 * sizeof *size) == 0) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have the size %s, got %s", th_arg_name(c, arg),
                 th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, 4, size), TH_SHAPE(t));
}

/* q, k and v at places from `q` on. */
static th_status need_heads(th_call *c, int q)
{
  const th_tensor *query = c->arg[q].t, *key = c->arg[q + 1].t;
  TH_TRY(th_need_float(c, q));
  TH_TRY(th_need_ndim(c, q, 4, 4));
  if (query->size[3] < 1 || query->size[3] > TH_ATTENTION_MOST) {
    return th_fail(TH_ESHAPE, "q must have 1 to %d features a head, got size %s", TH_ATTENTION_MOST, TH_SHAPE(query));
  }
  TH_TRY(th_need_ndim(c, q + 1, 4, 4));
  const int64_t size[4] = { query->size[0], query->size[1], key->size[2], query->size[3] };
  TH_TRY(need_size(c, q + 1, q, size));
  TH_TRY(need_size(c, q + 2, q, size));
  c->dtype = query->dtype;
  return TH_OK;
}

/* The part of dropped weights and, at the place after it, the seed. */
static th_status need_dropout(th_call *c, int dropout)
{
  const double p = c->arg[dropout].d;
  const int at = dropout + 1;
  const th_tensor *seed = c->arg[at].t;
  if (!(p >= 0 && p < 1)) {
    return th_fail(TH_EARG, "dropout must lie in 0 <= dropout < 1, got %g", p);
  }
  if (!seed && p > 0) {
    return th_fail(TH_EARG, "dropout needs a seed, two words as torch.LongTensor(2):random() "
                   "gives");
  }
  if (!seed) return TH_OK;
  TH_TRY(th_need_dtype(c, at, TH_I64));
  if (seed->ndim == 1 && seed->size[0] == 2) return TH_OK;
  return th_fail(TH_ESHAPE, "seed must have the size 2, got %s", TH_SHAPE(seed));
}

/* q, k, v at places from `q` on, the padding, and dropout with its seed. */
static th_status need_inputs(th_call *c, int q, int padding, int dropout)
{
  TH_TRY(need_heads(c, q));
  TH_TRY(need_dropout(c, dropout));
  const th_tensor *hidden = c->arg[padding].t;
  if (!hidden) return TH_OK;
  TH_TRY(th_need_dtype(c, padding, TH_U8));
  const int64_t samples = c->arg[q].t->size[0], keys = c->arg[q + 1].t->size[2];
  if (hidden->ndim == 2 && hidden->size[0] == samples && hidden->size[1] == keys) return TH_OK;
  return th_fail(TH_ESHAPE, "padding must have the size %lldx%lld, got %s", (long long)samples,
                 (long long)keys, TH_SHAPE(hidden));
}

static int sums_of(const th_call *c) { return c->dtype == TH_F64 ? TH_F64 : TH_F32; }

static th_status check(th_call *c)
{
  TH_TRY(need_inputs(c, attention_q, attention_padding, attention_dropout));
  const th_tensor *q = attention_args_of(c)->q;
  TH_TRY(th_out_like(c, attention_y, q));
  return th_out(c, attention_lse, sums_of(c), 3, q->size);
}

static th_status check_masked(th_call *c)
{
  const attention_masked_args *a = attention_masked_args_of(c);
  TH_TRY(need_heads(c, attention_masked_q));
  TH_TRY(th_need_same_dtype(c, attention_masked_mask, attention_masked_q));
  TH_TRY(th_need_ndim(c, attention_masked_mask, 4, 4));
  const int64_t size[4] = { a->q->size[0], a->q->size[1], a->q->size[2], a->k->size[2] };
  for (int d = 0; d < 4; d++) {
    if (a->mask->size[d] == size[d] || a->mask->size[d] == 1) continue;
    return th_fail(TH_ESHAPE, "mask must broadcast to the size %s, got %s",
                   th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, 4, size), TH_SHAPE(a->mask));
  }
  return th_out_like(c, attention_masked_y, a->q);
}

/* The arguments of a gradient, of which q is at place `q`. */
static th_status need_pass(th_call *c, int q)
{
  const attention_pass_args *a = attention_pass_args_at(c, q);
  TH_TRY(need_inputs(c, q + attention_pass_q, q + attention_pass_padding,
                     q + attention_pass_dropout));
  TH_TRY(need_size(c, q + attention_pass_y, q, a->q->size));
  TH_TRY(need_size(c, q + attention_pass_g, q, a->q->size));
  TH_TRY(th_need_dtype(c, q + attention_pass_lse, sums_of(c)));
  if (a->lse->ndim == 3 && memcmp(a->lse->size, a->q->size, 3 * sizeof *a->q->size) == 0) return TH_OK;
  return th_fail(TH_ESHAPE, "lse must have the size %s, got %s",
                 th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, 3, a->q->size), TH_SHAPE(a->lse));
}

static th_status check_grad(th_call *c)
{
  const attention_grad_args *a = attention_grad_args_of(c);
  TH_TRY(need_pass(c, attention_grad_q));
  TH_TRY(th_out_like(c, attention_grad_gq, a->q));
  TH_TRY(th_out_like(c, attention_grad_gk, a->k));
  return th_out_like(c, attention_grad_gv, a->v);
}

static th_status check_grad_query(th_call *c)
{
  TH_TRY(need_pass(c, attention_grad_query_q));
  return th_out_like(c, attention_grad_query_gq, attention_grad_query_args_of(c)->q);
}

static th_status check_grad_key(th_call *c)
{
  TH_TRY(need_pass(c, attention_grad_key_q));
  return th_out_like(c, attention_grad_key_gk, attention_grad_key_args_of(c)->k);
}

static th_status check_grad_value(th_call *c)
{
  TH_TRY(need_pass(c, attention_grad_value_q));
  return th_out_like(c, attention_grad_value_gv, attention_grad_value_args_of(c)->v);
}

#define BACK(x) "attention_grad_" x "(q, k, v, y, lse, g, scale, causal, padding?, dropout, seed?)"

const th_op th_op_attention = {
  .name  = "attention",
  .args  = attention_signature,
  .doc   = "Attention of several heads, y = softmax(scale q k') v, without the matrix of all "
           "weights. Memory grows with the number of steps, not with its square. q is samples x "
           "heads x queries x d, k and v are samples x heads x keys x d. d is at most 256, and "
           "strides are any. scale 0, the default, is 1 / sqrt(d). causal: a query sees no later "
           "key; with other numbers of queries and keys the last query is at the last key. "
           "padding, a ByteTensor of samples x keys, has 1 where no query sees the key. A query "
           "that sees no key gives zeros. lse, samples x heads x queries, keeps log(sum(exp(scale "
           "q k'))) for the gradients, as floats, or as doubles of doubles. dropout: this part of "
           "the weights becomes 0 after softmax, rounded to a multiple of 1/65536, and the others "
           "are divided by 1 - dropout. seed, a LongTensor of two words, as "
           "torch.LongTensor(2):random() gives, says which. Equal seeds drop the same weights, on "
           "every device and in the gradients, and no mask is stored. Dao, FlashAttention-2 (2023)."
           "\n(torch.attention(torch.zeros(1, 1, 1, 2), torch.ones(1, 1, 2, 2), torch.Tensor{1, 2, 3, 4}:view(1, 1, 2, 2))) --> "
           "{{{{2, 3}}}}",
  .grad  = "q: " BACK("query") " k: " BACK("key") " v: " BACK("value"),
  .check = check,
};

const th_op th_op_attention_masked = {
  .name  = "attention_masked",
  .args  = attention_masked_signature,
  .doc   = "Attention with numbers that are added to the scores, y = softmax(scale q k' + mask) v. "
           "q, k, v and scale are those of attention. mask has the type of q, four dimensions, and "
           "broadcasts to samples x heads x queries x keys. A query whose scores are all -inf "
           "gives NaN, as softmax does. safe: such a query, and one with NaN among its scores, "
           "gives zeros. The ONNX executor uses it; it has no gradient."
           "\ntorch.attention_masked(torch.zeros(1, 1, 1, 2), torch.ones(1, 1, 2, 2), "
           "torch.Tensor{1, 2, 3, 4}:view(1, 1, 2, 2), "
           "torch.Tensor{0, -math.huge}:view(1, 1, 1, 2)) --> {{{{1, 2}}}}",
  .check = check_masked,
};

#define FROM_RESULTS "from its results y and lse and the gradient g by y. "

const th_op th_op_attention_grad = {
  .name  = "attention_grad",
  .args  = attention_grad_signature,
  .doc   = "The gradients of attention by q, k and v, " FROM_RESULTS "The weights are computed again, tile by tile. One pass "
           "over the keys gives gq, one over the queries gk and gv, so the bits are the same in every run.",
  .check = check_grad,
};

const th_op th_op_attention_grad_query = {
  .name  = "attention_grad_query",
  .args  = attention_grad_query_signature,
  .doc   = "The gradient of attention by q, " FROM_RESULTS "attention_grad gives all three.",
  .check = check_grad_query,
};

const th_op th_op_attention_grad_key = {
  .name  = "attention_grad_key",
  .args  = attention_grad_key_signature,
  .doc   = "The gradient of attention by k, " FROM_RESULTS "attention_grad gives all three.",
  .check = check_grad_key,
};

const th_op th_op_attention_grad_value = {
  .name  = "attention_grad_value",
  .args  = attention_grad_value_signature,
  .doc   = "The gradient of attention by v, " FROM_RESULTS "attention_grad gives all three.",
  .check = check_grad_value,
};
