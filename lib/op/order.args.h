/* order.args.h - the arguments of the ops of order.c. */
#ifndef TH_ORDER_ARGS_H
#define TH_ORDER_ARGS_H
#include "th_args.h"

TH_ARGS(sort, (y, out), (index, out), (x, tensor), (dim, dim, "-1"), (descending, bool, "false"))

TH_ARGS(sort_last, (y, out), (index, out), (x, tensor), (descending, bool))

TH_ARGS(topk, (y, out), (index, out), (x, tensor), (k, int, "1"), (dim, dim, "-1"),
  (largest, bool, "false"), (sorted, bool, "false"))

TH_ARGS(kthvalue, (y, out), (index, out), (x, tensor), (k, int), (dim, dim, "-1"))

TH_ARGS(median, (y, out), (index, out), (x, tensor), (dim, dim, "-1"))

TH_ARGS(order, (y, out), (index, out), (x, tensor))

#endif
