/* embedding.args.h - the arguments of the ops of embedding.c. */
#ifndef TH_EMBEDDING_ARGS_H
#define TH_EMBEDDING_ARGS_H
#include "th_args.h"

TH_ARGS(embedding, (y, out), (weight, tensor), (index, tensor))

TH_ARGS(embedding_grad, (gw, inout), (index, tensor), (g, tensor), (scale, number, "1"),
  (padding, int, "0"))

#endif
