/* th_record.h - what a library of devices brings that can record work in place of doing it, as CUDA's graphs do. */
#ifndef TH_RECORD_H
#define TH_RECORD_H
#include "th_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* While a thread records, nobody can look at elements: what ops check is noted, and told later. */
typedef struct th_recorder {
  bool (*records)(void);                            /* does this thread? All others are asked only if it does */
  th_status (*enter)(const th_call *c);             /* the kernel of this call is recorded next */
  th_status (*by_cpu)(void);                        /* the CPU is about to compute what devices have no kernel for: fails */
  /* Elements must lie in least..most, or be `spared` (NaN: no other). */
  th_status (*check)(const th_tensor *t, double least, double most, double spared);
} th_recorder;

void th_recorder_add(const th_recorder *r);
const th_recorder *th_recording(void);      /* NULL: this thread records nothing */
const char *th_entered(void);               /* what th_enter was given last in this thread; NULL: nothing */

#ifdef __cplusplus
}
#endif
#endif
