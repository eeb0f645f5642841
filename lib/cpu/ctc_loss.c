/* ctc_loss.c - the forward-backward sums of connectionist temporal classification, as logarithms and in double. A sample is
 * one unit of work: its states (blank, label, blank, ..., label, blank) are the vector, its steps the loop.
 *
 * A row of alpha is one step of one sample: the log of the sum of exp(x), then for each state the log probability of all
 * ways to be in it, this step's class included. */
#ifndef T
#include "../formula/math.h"
#include "../op/ctc_loss.args.h"
#include "kernel.h"
#include "packed.h"
#include "slots.h"

enum { LANES = 8 };

typedef struct job {
  const void *x, *g;
  void *gx, *loss;
  double *alpha;
  const int64_t *labels, *lengths;
  int64_t steps, samples, classes, most, blank;     /* most: labels of a sample; blank: its class, from 0 */
  int64_t step, sample, to_step, to_sample;         /* elements from one to the next, of x and of gx */
  int64_t lossStep, gStep;
  th_slots slots;
} job;

/* What a block needs for one sample. State s is class[s]; skip[s] is 0 where s may follow s - 2, or -infinity. */
typedef struct sample {
  int64_t length, states, *class;
  double *skip, *emit, *from, *share, *row;
} sample;

static size_t bytes_of(const job *j)
{
  return sizeof(double) * (size_t)(5 * (2 * j->most + 3) + j->classes);
}

static sample sample_of(const job *j, void *memory, int64_t b)
{
  const int64_t room = 2 * j->most + 3, *label = j->labels + b * j->most;
  double *p = memory;
  sample s = { .length = j->lengths ? j->lengths[b] : j->steps, .skip = p, .emit = p + room, .from = p + 2 * room,
               .share = p + 3 * room, .class = (int64_t *)(p + 4 * room), .row = p + 5 * room };
  int64_t n = 0;
  while (n < j->most && label[n]) n++;
  s.states = 2 * n + 1;
  for (int64_t i = 0; i < s.states; i++) {
    const int64_t at = i / 2, k = i % 2 ? label[at] - 1 : 0;
    s.class[i] = i % 2 ? k + (k >= j->blank) : j->blank;
    s.skip[i] = i % 2 && i > 1 && label[at] != label[at - 1] ? 0 : -INFINITY;
  }
  s.skip[s.states] = s.skip[s.states + 1] = -INFINITY;
  return s;
}

/* exp(x), where what is next to nothing is 0: numbers below the normal ones take a hundred times as long. */
TH_INLINE double exp_or_0(double x)
{
  const double e = th_exp_f64(x < -700 ? -700 : x);
  return x < -700 ? 0 : e;
}

/* log(exp(a) + exp(b) + exp(c)), where each may be -infinity. */
TH_INLINE double sum3(double a, double b, double c)
{
  const double ab = a > b ? a : b, low = a > b ? b : a;
  const double high = ab > c ? ab : c, middle = ab > c ? c : ab;
  const double base = high == -INFINITY ? 0 : high;
  return high + th_log_f64(1 + exp_or_0(low - base) + exp_or_0(middle - base));
}

/* The states of a step from those of the step before, times what this step emits. */
static void advance(double *restrict to, const double *restrict from, const double *restrict skip,
                    const double *restrict emit, int64_t n)
{
  to[0] = from[0] + emit[0];
  if (n > 1) to[1] = sum3(from[1], from[0], -INFINITY) + emit[1];
  for (int64_t s = 2; s < n; s++) to[s] = sum3(from[s], from[s - 1], from[s - 2] + skip[s]) + emit[s];
}

/* The share of each state at a step in the probability of all alignments, and what the step before it needs: `from` holds,
 * for each state of the step behind, the log probability of what it and the steps behind it emit, with two states of
 * -infinity at the end. */
static void retreat(double *restrict share, double *restrict from, const double *restrict alpha,
                    const double *restrict skip, const double *restrict emit, double all, int64_t n)
{
  for (int64_t s = 0; s < n; s++) {
    const double beta = sum3(from[s], from[s + 1], from[s + 2] + skip[s + 2]);
    share[s] = exp_or_0(alpha[s] + beta - all);
    from[s] = beta + emit[s];
  }
}

/* Log of the probability of all alignments, from the last states. */
static double total(const job *j, const sample *s, int64_t b)
{
  if (s->length == 0) return s->states == 1 ? 0 : -INFINITY;
  const double *last = j->alpha + (b * j->steps + s->length - 1) * (2 * j->most + 2) + s->states;
  return sum3(last[0], s->states > 1 ? last[-1] : -INFINITY, -INFINITY);
}

static th_status begin(job *j, th_packed *packed, const th_tensor *x, const th_tensor *labels, const th_tensor *lengths,
                       const ctc_options_args *options)
{
  const bool first = options->batchFirst;
  j->blank = options->blank - 1;
  j->steps = x->size[first], j->samples = x->size[!first], j->classes = x->size[2], j->most = labels->size[1];
  if (x->size[2] > 1 && x->stride[2] != 1) TH_TRY(th_pack_input(packed, &x));
  TH_TRY(th_pack_input(packed, &labels));
  TH_TRY(th_pack_input(packed, &lengths));
  j->x = th_data(x, th_element_size(x->dtype));
  j->step = x->stride[first], j->sample = x->stride[!first];
  j->labels = TH_DATA(int64_t, labels), j->lengths = lengths ? TH_DATA(int64_t, lengths) : NULL;
  return th_slots_new(&j->slots, bytes_of(j));
}

static th_status end(job *j, th_packed *packed, th_status s)
{
  if (j->slots.base) th_slots_free(&j->slots);
  return th_packed_end(packed, s);
}

#define TH_EACH_FLOATS
#define TH_SELF "ctc_loss.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_ctc_loss)[TH_NDTYPE] = TH_FLOATS(loss);
const th_kernel TH_AT(th_ctc_loss_grad)[TH_NDTYPE] = TH_FLOATS(grad);

#else
#include "line_exp.h"

/* Log probabilities of the classes of the states, from the scores of a step. */
static void K(emissions)(double *emit, const T *x, const sample *s, double all)
{
  for (int64_t i = 0; i < s->states; i++) emit[i] = (A)LOAD(x[s->class[i]]) - all;
}

static void K(forward)(const job *j, const sample *s, int64_t b)
{
  const int64_t width = 2 * j->most + 2;
  for (int64_t t = 0; t < j->steps; t++) {
    double *row = j->alpha + (b * j->steps + t) * width;
    if (t >= s->length) {
      memset(row, 0, sizeof *row * (size_t)width);
      continue;
    }
    const T *x = (const T *)j->x + t * j->step + b * j->sample;
    const C max = K(line_max)(x, j->classes);
    row[0] = (A)max + log(K(line_sum_exp)(x, j->classes, max));
    K(emissions)(s->emit, x, s, row[0]);
    if (t > 0) {
      advance(row + 1, row + 1 - width, s->skip, s->emit, s->states);
    } else {
      for (int64_t i = 0; i < s->states; i++) row[i + 1] = i < 2 ? s->emit[i] : -INFINITY;
    }
    for (int64_t i = s->states + 1; i < width; i++) row[i] = 0;
  }
}

static void K(losses)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  void *memory = th_slot_take(&j->slots);
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const sample s = sample_of(j, memory, b);
    K(forward)(j, &s, b);
    ((T *)j->loss)[b * j->lossStep] = STORE((C)(0 - total(j, &s, b)));
  }
  th_slot_give(&j->slots, memory);
}

static th_status K(loss)(const th_call *c)
{
  const ctc_loss_args *a = ctc_loss_args_of(c);
  th_tensor *loss = a->loss, *alpha = a->alpha;
  th_packed packed = { 0 };
  job j = { .loss = TH_DATA(T, loss), .lossStep = loss->stride[0] };
  th_status s = begin(&j, &packed, a->x, a->labels, a->lengths, ctc_options_args_at(c, ctc_loss_blank));
  if (s == TH_OK) s = th_pack_result(&packed, &alpha, false);
  j.alpha = s == TH_OK ? TH_DATA(double, alpha) : NULL;
  if (s == TH_OK) s = th_parallel(j.samples, 1, K(losses), &j);
  return end(&j, &packed, s);
}

static void K(probabilities)(double *restrict row, const T *restrict x, double all, int64_t n)
{
  for (int64_t k = 0; k < n; k++) row[k] = (A)EXP((C)((A)LOAD(x[k]) - all));
}

static void K(store)(T *restrict gx, const double *restrict row, double g, int64_t n)
{
  for (int64_t k = 0; k < n; k++) gx[k] = STORE((C)(g * row[k]));
}

static void K(backward)(const job *j, const sample *s, int64_t b)
{
  const int64_t width = 2 * j->most + 2, n = s->states;
  const double all = total(j, s, b), g = (A)LOAD(((const T *)j->g)[b * j->gStep]);
  for (int64_t i = 0; i < n + 2; i++) s->from[i] = -INFINITY;
  for (int64_t t = j->steps - 1; t >= 0; t--) {
    T *gx = (T *)j->gx + t * j->to_step + b * j->to_sample;
    if (t >= s->length || all == -INFINITY) {
      memset(gx, 0, sizeof *gx * (size_t)j->classes);
      continue;
    }
    const T *x = (const T *)j->x + t * j->step + b * j->sample;
    const double *alpha = j->alpha + (b * j->steps + t) * width;
    K(emissions)(s->emit, x, s, alpha[0]);
    if (t < s->length - 1) {
      retreat(s->share, s->from, alpha + 1, s->skip, s->emit, all, n);
    } else {
      for (int64_t i = 0; i < n; i++) {
        s->share[i] = i + 2 < n ? 0 : exp_or_0(alpha[i + 1] - all);
        s->from[i] = i + 2 < n ? -INFINITY : s->emit[i];
      }
    }
    K(probabilities)(s->row, x, alpha[0], j->classes);
    for (int64_t i = 0; i < n; i++) s->row[s->class[i]] -= s->share[i];
    K(store)(gx, s->row, g, j->classes);
  }
}

static void K(gradients)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  void *memory = th_slot_take(&j->slots);
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const sample s = sample_of(j, memory, b);
    K(backward)(j, &s, b);
  }
  th_slot_give(&j->slots, memory);
}

static th_status K(grad)(const th_call *c)
{
  const ctc_loss_grad_args *a = ctc_loss_grad_args_of(c);
  th_tensor *gx = a->gx;
  const th_tensor *alpha = a->alpha, *g = a->g;
  const bool first = a->batchFirst;
  th_packed packed = { 0 };
  job j = { .g = TH_DATA(T, g), .gStep = g->stride[0] };
  th_status s = begin(&j, &packed, a->x, a->labels, a->lengths, ctc_options_args_at(c, ctc_loss_grad_blank));
  if (s == TH_OK) s = th_pack_input(&packed, &alpha);
  if (s == TH_OK && gx->size[2] > 1 && gx->stride[2] != 1) s = th_pack_result(&packed, &gx, false);
  if (s == TH_OK) {
    j.alpha = TH_DATA(double, alpha), j.gx = TH_DATA(T, gx);
    j.to_step = gx->stride[first], j.to_sample = gx->stride[!first];
    s = th_parallel(j.samples, 1, K(gradients), &j);
  }
  return end(&j, &packed, s);
}
#endif
