/* recurrent.args.h - the arguments of the ops of recurrent.c. */
#ifndef TH_RECURRENT_ARGS_H
#define TH_RECURRENT_ARGS_H
#include "th_args.h"

TH_ARGS(lstm, (h, out), (c, out), (a, out), (x, tensor), (places, tensor), (weight, tensor),
  (reverse, bool), (bias, tensor, "nil"), (h0, tensor, "nil"), (c0, tensor, "nil"))

TH_ARGS(lstm_grad, (gx, out), (hp, out), (gh0, out), (gc0, out), (a, tensor), (h, tensor),
  (c, tensor), (g, tensor), (places, tensor), (weight, tensor), (reverse, bool),
  (h0, tensor, "nil"), (c0, tensor, "nil"), (ghn, tensor, "nil"), (gcn, tensor, "nil"))

TH_ARGS(gru, (h, out), (q, out), (a, out), (x, tensor), (places, tensor), (weight, tensor),
  (reverse, bool), (bias, tensor, "nil"), (h0, tensor, "nil"))

TH_ARGS(gru_grad, (gx, out), (gq, out), (hp, out), (gh0, out), (a, tensor), (h, tensor),
  (q, tensor), (g, tensor), (places, tensor), (weight, tensor), (reverse, bool),
  (h0, tensor, "nil"), (ghn, tensor, "nil"))

TH_ARGS(rnn, (h, out), (x, tensor), (places, tensor), (weight, tensor), (relu, bool),
  (reverse, bool), (bias, tensor, "nil"), (h0, tensor, "nil"))

TH_ARGS(rnn_grad, (gx, out), (hp, out), (gh0, out), (h, tensor), (g, tensor), (places, tensor),
  (weight, tensor), (relu, bool), (reverse, bool), (h0, tensor, "nil"), (ghn, tensor, "nil"))

#endif
