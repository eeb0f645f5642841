/* mask.args.h - the arguments of the ops of mask.c. */
#ifndef TH_MASK_ARGS_H
#define TH_MASK_ARGS_H
#include "th_args.h"

TH_ARGS(maskedFill, (y, inout), (mask, tensor), (value, number))

TH_ARGS(maskedCopy, (y, inout), (mask, tensor), (x, tensor))

TH_ARGS(maskedSelect, (y, out), (x, tensor), (mask, tensor))

TH_ARGS(mask_grad, (gx, out), (x, tensor), (mask, tensor), (g, tensor))

TH_ARGS(nonzero, (y, out), (x, tensor))

#endif
