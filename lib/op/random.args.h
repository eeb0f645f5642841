/* random.args.h - the arguments of the ops of random.c. */
#ifndef TH_RANDOM_ARGS_H
#define TH_RANDOM_ARGS_H
#include "th_args.h"

TH_ARGS(uniform, (x, inout), (gen, gen), (a, number, "0"), (b, number, "1"))

TH_ARGS(normal, (x, inout), (gen, gen), (mean, number, "0"), (std, number, "1"))

TH_ARGS(exponential, (x, inout), (gen, gen), (lambda, number, "1"))

TH_ARGS(cauchy, (x, inout), (gen, gen), (median, number, "0"), (sigma, number, "1"))

TH_ARGS(lognormal, (x, inout), (gen, gen), (mean, number, "1"), (std, number, "2"))

TH_ARGS(geometric, (x, inout), (gen, gen), (p, number))

TH_ARGS(bernoulli, (x, inout), (gen, gen), (p, number, "0.5"))

TH_ARGS(bernoulli_tensor, (x, inout), (gen, gen), (p, tensor))

TH_ARGS(dropout, (y, out), (noise, out), (x, tensor), (gen, gen), (p, number, "0.5"), (scaled, bool, "true"))

TH_ARGS(random, (x, inout), (gen, gen))

TH_ARGS(random_to, (x, inout), (gen, gen), (n, number))

TH_ARGS(random_between, (x, inout), (gen, gen), (a, number), (b, number))

TH_ARGS(randperm, (y, out), (gen, gen), (n, int))

TH_ARGS(multinomial, (y, out), (gen, gen), (p, tensor), (n, int), (replacement, bool, "false"))

TH_ARGS(alias_setup, (J, out), (q, out), (p, tensor))

TH_ARGS(alias, (y, inout), (gen, gen), (J, tensor), (q, tensor))

/* What kernels of laws read: p and q are the numbers of an op, or what `check` leaves in their places. */
TH_ARGS(law, (x, inout), (gen, gen), (p, number), (q, number))

#endif
