/* th_tune.h - the autotuner: times several ways of doing one piece of work, keeps the times in memory and in a file, and so
 * knows the fastest. Its clients are convolution (lib/conv), and on devices batch normalisation and pooling. */
#ifndef TH_TUNE_H
#define TH_TUNE_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TH_TUNE_NUMBERS = 16, TH_TUNE_WAYS = 16 };

/* Kinds of work. Files hold these numbers; the first three are the passes of a convolution. */
enum { TH_TUNE_CONV, TH_TUNE_CONV_GRAD_INPUT, TH_TUNE_CONV_GRAD_WEIGHT, TH_TUNE_MEAN, TH_TUNE_MEAN_GRAD, TH_TUNE_NORM,
       TH_TUNE_NORM_FIXED, TH_TUNE_NORM_GRAD, TH_TUNE_ATTENTION, TH_TUNE_ATTENTION_GRAD };

/* What the times of a piece of work depend on: its numbers, kind, dtype and device (0: the CPU with the current number of
 * threads). Numbers that a kind does not use are 0. */
typedef struct th_tune_key {
  int64_t number[TH_TUNE_NUMBERS];
  int32_t kind;
  int16_t dtype, device;
} th_tune_key;

/* The number of a way of this name, 0 to TH_TUNE_WAYS - 1. A new name gets the next number; -1 if there are too many names. */
int th_tune_way(const char *name);

/* How the ways of a piece of work are timed, once and in turns. Bit i of `ways` is set if way i can do it; the lowest one needs
 * no library. prepare runs first and allocates what the runs need. run returns the nanoseconds of one run, from an idle device
 * to an idle device. A way that lacks memory, or a library's that fails, gets no time. */
typedef struct th_tune_trial {
  uint32_t ways;
  void      *with;
  th_status (*prepare)(void *with);
  th_status (*run)(int64_t *ns, int way, void *with);
} th_tune_trial;

/* Nanoseconds of each way: 0 if it cannot do the work, INT64_MAX if it failed. Times the ways unless their times are known;
 * one thread does so at a time, because threads would disturb each other. Fails if `prepare` or the first way fails. */
th_status th_tune(int64_t ns[TH_TUNE_WAYS], const th_tune_key *key, const th_tune_trial *trial);

/* The way with the least time; of equal ones the first. */
int th_tune_fastest(const int64_t ns[TH_TUNE_WAYS]);

/* The name of a device's model, under which its times are kept; set once by the backend. */
void th_tune_set_model(const char *(*model)(int device));

#ifdef __cplusplus
}
#endif
#endif
