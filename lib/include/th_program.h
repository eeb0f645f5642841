/* th_program.h - programs of pointwise ops. A program computes all its ops on one part of the
 * elements before the next part, so that only its inputs and results travel through memory. Its
 * results have the bits of the separate ops. ffi.cdef reads the text between FFI BEGIN and FFI
 * END. */
#ifndef TH_PROGRAM_H
#define TH_PROGRAM_H
#include "th_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
enum {
  TH_PROGRAM_INPUTS = 12,
  TH_PROGRAM_OUTPUTS = 8,
  TH_PROGRAM_STEPS = 128,
  TH_PROGRAM_NUMBERS = 64
};

/* An op. Its tensors are earlier values: inputs from 0, then the results of the steps. Its
 * numbers are those of the program; -1: it has no more. dtype selects the kernel, and `made` is
 * that of the result. */
typedef struct th_step {
  const th_op *op;
  int32_t dtype, made;
  int16_t value[3], number[2];
} th_step;

typedef struct th_program {
  int32_t ninput, nstep, noutput, nnumber;
  int32_t dtype[12];                /* of the inputs */
  int16_t output[8];                /* the values that are results: of steps, each once */
  double  number[64];
  th_step step[128];
  void *kernel; /* of the device that has run it last, with that device's capability */
  int32_t capability;
} th_program;

/* Whether an op can be a step: 1; 0 if it is not pointwise; -1 for elements of this type, whose
 * values or numbers it may refuse. */
int       th_program_takes(const th_op *op, int dtype);
int th_program_makes(const th_op *op, int dtype); /* the type of such a step's result */
/* Runs a program. The inputs are on one device and broadcast to the size of the results; none is
 * empty. y are new tensors, which stay so after a failure. *done = 0: the device cannot run this
 * program, or not yet, and nothing has happened. */
th_status th_program_run(int *done, const th_program *p, th_tensor *const *y, th_tensor *const *x);
/* FFI END */

/* What an op computes of its elements, by the formula `id` of lib/formula or, for comparisons, by
 * the operator `sign`. */
typedef enum th_form {
  TH_FORM_MAP,
  TH_FORM_ZIP,
  TH_FORM_ZIP3,
  TH_FORM_GRADIENT,
  TH_FORM_COMPARE,
  TH_FORM_COMPARE_TENSORS,
  TH_FORM_WHERE
} th_form;
typedef struct th_formula { const th_op *op; const char *id, *sign; int form, refuses; } th_formula;
const th_formula *th_formula_of(const th_op *op);                /* NULL: it is not pointwise */

static inline int th_program_dtype(const th_program *p, int value)
{
  return value < p->ninput ? p->dtype[value] : p->step[value - p->ninput].made;
}

/* How a backend runs programs on its devices. */
typedef struct th_program_runner {
  /* A kernel of this program for results of a shape and device; NULL: there is none, or none yet.
   * */
  th_status (*find)(void **kernel, const th_program *p, th_tensor *const *x,
                    const th_tensor *shape);
  th_status (*run)(void *kernel, const th_program *p, th_tensor *const *y, th_tensor *const *x);
} th_program_runner;
void th_program_add_runner(const th_program_runner *r);

#ifdef __cplusplus
}
#endif
#endif
