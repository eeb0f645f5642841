/* ctc_loss.args.h - the arguments of the ops of ctc_loss.c. */
#ifndef TH_CTC_LOSS_ARGS_H
#define TH_CTC_LOSS_ARGS_H
#include "th_args.h"

TH_ARGS(ctc_loss, (loss, out), (alpha, out), (x, tensor), (labels, tensor), (blank, int, "1"),
  (lengths, tensor, "nil"), (batchFirst, bool, "false"))

TH_ARGS(ctc_loss_grad, (gx, out), (x, tensor), (labels, tensor), (alpha, tensor), (g, tensor),
  (blank, int), (lengths, tensor, "nil"), (batchFirst, bool, "false"))

/* The last arguments of both. */
TH_ARGS(ctc_options, (blank, int), (lengths, tensor, "nil"), (batchFirst, bool, "false"))

#endif
