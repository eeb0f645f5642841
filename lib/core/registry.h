/* registry.h - what the registry keeps of an op; read by run.c and plugin.c. */
#ifndef TH_REGISTRY_H
#define TH_REGISTRY_H
#include "core.h"

enum { MAXOP = 1024 };

/* `op` comes first: the pointer that th_op_at hands out is the entry. */
typedef struct th_entry {
  th_op       op;
  int         narg;
  th_kind     kind[TH_MAXARG + 1];          /* ends with TH_K_END */
  uint32_t    results, inputs, returns;     /* which arguments are those, one bit each; inputs: tensors and lists */
  int         nneeded;
  uint8_t     needed[TH_MAXARG];            /* the places of tensors that must be there: all without the default nil */
  uint32_t    indices, masks;               /* those of the inputs that are called index, or mask */
  const char *name[TH_MAXARG + 1];          /* ends with NULL; points into text */
  th_kernel   kernel[TH_NDEVICE][TH_NDTYPE];
  bool        has[TH_NDEVICE];              /* whether a kind of device has any kernel */
  char        text[512];
} th_entry;

static inline const th_entry *th_entry_of(const th_op *op) { return (const th_entry *)(const void *)op; }

/* How many devices there are; every call of an op asks. */
extern __attribute__((visibility("hidden"))) int th_devices;

/* Runs the kernel that the call's device and dtype choose; there must be one. */
th_status th_run_kernel(const th_entry *e, const th_call *c);

/* Has a device no kernel of this op, but the CPU does its work; and such a call, whose tensors are on one device. */
bool th_is_by_cpu(const th_entry *e);
th_status th_run_by_cpu(const th_entry *e, th_call *c);

/* Can every result have the shape that is wanted? *in_order: whether one of them overlaps itself. */
th_status th_need_results(const th_call *c, bool *in_order);
/* Does the result of want k have its shape already, and overlap itself? */
bool th_is_in_order(const th_call *c, int k);
/* Runs such a call, which has passed its check; `given` are its arguments before. */
th_status th_run_in_order(const th_entry *e, th_call *c, const th_arg *given);

/* Can the signature of an op be read? */
th_status th_signature_check(const th_op *op);

/* Copies between tensors of one size, on any devices, as the op does it. */
th_status th_copy_tensor(th_tensor *to, const th_tensor *from);
/* The mask of what is not 0, of the same size on the same device. */
th_status th_not_zero(th_tensor *mask, const th_tensor *x);

/* Is an index or a mask, beside tensors of a device, elsewhere or of another type? Runs such a call with copies. */
bool th_has_strange_picks(const th_entry *e, const th_arg *arg);
th_status th_run_strange_picks(const th_entry *e, th_arg *arg);

#endif
