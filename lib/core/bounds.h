/* bounds.h - elements that must lie within bounds: indices, classes, masks, probabilities. On the CPU, `check` reads them. On a
 * device, kernels check them, and what they find is reported at the next wait of the host. */
#ifndef TH_BOUNDS_H
#define TH_BOUNDS_H
#include "guard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the elements of this tensor argument lie on a device, which checks them later: then the bound is noted for the kernel.
 * If the device checks at once, *s is the result of the check. false: the caller checks, on the CPU. */
bool th_device_checks(th_call *c, const th_bound *b, th_status *s);
/* The CPU tensor with the elements of this argument: the argument itself, or what it was copied from; NULL: a device has them. */
const th_tensor *th_elements_here(const th_call *c, int arg);

enum { TH_BOUND_TEXT = 256 };
/* Writes what is wrong with the element of that type at that place, from 0, in row-major order. */
const char *th_bound_text(char text[TH_BOUND_TEXT], const th_bound *b, const char *arg, int64_t place, const void *element,
                          int dtype);
/* Fails with that text. */
th_status th_refuse_element(const th_call *c, const th_bound *b, int64_t place, const void *element);

#ifdef __cplusplus
}
#endif
#endif
