/* th_record.h - the interface of a backend that can record work instead of running it, as CUDA graphs do. */
#ifndef TH_RECORD_H
#define TH_RECORD_H
#include "th_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct th_recorder {
  bool (*records)(void);                            /* whether this thread records; the others are called only then */
  th_status (*enter)(const th_call *c);             /* the kernel of this call is recorded next */
  th_status (*by_cpu)(void);                        /* called before the CPU fallback; fails */
} th_recorder;

void th_recorder_add(const th_recorder *r);
const th_recorder *th_recording(void);      /* NULL: this thread records nothing */
const char *th_entered(void);               /* the last argument of th_enter in this thread, or NULL */

#ifdef __cplusplus
}
#endif
#endif
