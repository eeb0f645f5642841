/* lib/tune/tune.h - the autotuner's times, for other parts of libth. */
#ifndef TH_TUNE_INTERNAL_H
#define TH_TUNE_INTERNAL_H
#include "../core/core.h"
#include "th_tune.h"

/* The times of a key that exactly these ways have; false if there are none. Numbers of ways are bits of `ways`. */
bool th_tune_find(int64_t ns[TH_TUNE_WAYS], const th_tune_key *key, uint32_t ways);
/* Adds measured times and writes the file. If another process has written times of this key before, ns becomes those. */
void th_tune_add(int64_t ns[TH_TUNE_WAYS], const th_tune_key *key, uint32_t ways);

/* The number of the CPU's threads, or a negative number for the model of the key's device; 0 if there are too many models. */
int32_t     th_tune_machine(int device);
const char *th_tune_model(int device);              /* NULL for the CPU, and while no backend is loaded */

/* Forgets all times. With a folder, reads the file of times there and writes it from now on; its name begins with `stem`, and
 * `title` is its first line. */
void        th_tune_open(const char *folder, const char *stem, const char *title);
const char *th_tune_file(void);                     /* NULL: none */
const char *th_tune_trouble(void);                  /* why that file was ignored or not written, or NULL */

int64_t th_tune_clock(void);                        /* nanoseconds of a clock that never goes back */

#endif
