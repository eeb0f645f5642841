// half_exp.cuh - exponentials whose results become halves: a few instructions.
#ifndef TH_HALF_EXP_CUH
#define TH_HALF_EXP_CUH
#include "../runtime/element.cuh"

/* For results that become halves: an error of 1e-5 is a tenth of what their rounding loses. */
#ifdef __CUDA_ARCH__
TH_DEVICE_FN float th_exp2_half(float x)
{
  float y;
  asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#else
TH_DEVICE_FN float th_exp2_half(float x) { return ::exp2f(x); }
#endif
TH_DEVICE_FN float th_exp_half(float x) { return th_exp2_half(x * 1.4426950408889634f); }

#endif
