/* index.args.h - the arguments of the ops of index.c. */
#ifndef TH_INDEX_ARGS_H
#define TH_INDEX_ARGS_H
#include "th_args.h"

TH_ARGS(index, (y, out), (x, tensor), (dim, dim), (index, tensor))

TH_ARGS(indexCopy, (y, inout), (dim, dim), (index, tensor), (x, tensor))

TH_ARGS(indexFill, (y, inout), (dim, dim), (index, tensor), (value, number))

TH_ARGS(index_grad, (gx, out), (x, tensor), (dim, dim), (index, tensor), (g, tensor))

#endif
