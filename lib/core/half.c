/* half.c - conversion of single 16-bit numbers, with the formulas of the kernels. */
#include "../formula/half.h"
#include "core.h"

double th_half_to_double(uint16_t bits, int dtype)
{
  return th_plain(dtype == TH_BF16 ? th_load_bf16((th_bf16){ bits }) : th_load_f16((th_f16){ bits }));
}

/* Rounds to float first, as a kernel does. */
uint16_t th_half_from_double(double x, int dtype)
{
  return dtype == TH_BF16 ? th_store_bf16((float)x).bits : th_store_f16((float)x).bits;
}
