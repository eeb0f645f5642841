/* optimizer.args.h - the arguments of the ops of optimizer.c. */
#ifndef TH_OPTIMIZER_ARGS_H
#define TH_OPTIMIZER_ARGS_H
#include "th_args.h"

TH_ARGS(adam_step, (x, inout), (m, inout), (v, inout), (g, tensor), (rate, number),
  (beta1, number, "0.9"), (beta2, number, "0.999"), (eps, number, "1e-8"), (keep, number, "1"),
  (denom, inout, "nil"))

TH_ARGS(rmsprop_step, (x, inout), (v, inout), (g, tensor), (rate, number), (alpha, number, "0.99"),
  (eps, number, "1e-8"))

TH_ARGS(momentum_step, (x, inout), (v, inout), (g, inout), (rate, number), (momentum, number),
  (dampening, number, "0"), (decay, number, "0"), (nesterov, bool, "false"))

TH_ARGS(adam_step_rates, (x, inout), (m, inout), (v, inout), (g, tensor), (rates, tensor),
  (beta1, number, "0.9"), (beta2, number, "0.999"), (eps, number, "1e-8"), (denom, inout, "nil"))

TH_ARGS(rmsprop_step_rates, (x, inout), (v, inout), (g, tensor), (rates, tensor),
  (alpha, number, "0.99"), (eps, number, "1e-8"))

TH_ARGS(momentum_step_rates, (x, inout), (v, inout), (g, inout), (rates, tensor),
  (momentum, number), (dampening, number, "0"), (decay, number, "0"), (nesterov, bool, "false"))

#endif
