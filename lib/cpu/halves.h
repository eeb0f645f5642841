/* halves.h - many halves to float and back. */
#ifndef TH_HALVES_H
#define TH_HALVES_H
#include "elementwise.h"

void TH_AT(th_load_f16s)(float *y, const th_f16 *x, int64_t n);
void TH_AT(th_store_f16s)(th_f16 *y, const float *x, int64_t n);

#endif
