/* entry.h - the registry's entry for an op, and what the files that run ops offer each other. */
#ifndef TH_ENTRY_H
#define TH_ENTRY_H
#include "core.h"

enum { MAXOP = 1024 };

/* `op` comes first: the pointer that th_op_at hands out is the entry. */
typedef struct th_entry {
  th_op       op;
  int         narg;
  th_kind     kind[TH_MAXARG + 1];          /* ends with TH_K_END */
  uint32_t    results, inputs, returns;     /* which arguments are those, one bit each; inputs: tensors and lists */
  uint32_t    needed;                       /* required tensors: all without the default nil */
  uint32_t    indices, masks;               /* the inputs that are named index, or mask */
  const char *name[TH_MAXARG + 1];          /* ends with NULL; points into text */
  th_kernel   kernel[TH_NDEVICE][TH_NDTYPE];
  bool        has[TH_NDEVICE];              /* whether a kind of device has any kernel */
  char        text[512];
} th_entry;

static inline const th_entry *th_entry_of(const th_op *op) { return (const th_entry *)(const void *)op; }

/* The number of devices; every call of an op reads it. */
extern __attribute__((visibility("hidden"))) int th_devices;

/* Runs the kernel that the call's device and dtype choose; there must be one. */
th_status th_run_kernel(const th_entry *e, const th_call *c);

/* Whether no device has a kernel of this op and the CPU runs it instead. th_run_by_cpu runs such a call; its tensors are on one
 * device. */
bool th_is_by_cpu(const th_entry *e);
th_status th_run_by_cpu(const th_entry *e, th_call *c);

/* Checks that every result can take its shape. *in_order: whether one of them overlaps itself. */
th_status th_need_results(const th_call *c, bool *in_order);
/* Whether the result of want k has its shape already and overlaps itself. */
bool th_is_in_order(const th_call *c, int k);
/* Runs such a call after its check has passed; `given` are its original arguments. */
th_status th_run_in_order(const th_entry *e, th_call *c, const th_arg *given);

/* What run.c calls where a call cannot run as it stands. Each of these runs other ops, so they are above run.c: registry.c sets
 * the table when the library is loaded. */
typedef struct th_detours {
  th_status (*clone)(th_tensor *to, const th_tensor *from);
  th_status (*by_cpu)(const th_entry *e, th_call *c);
  th_status (*in_order)(const th_entry *e, th_call *c, const th_arg *given);
  bool      (*has_strange_picks)(const th_entry *e, const th_arg *arg);
  th_status (*strange_picks)(const th_entry *e, th_arg *arg);
} th_detours;
void th_set_detours(const th_detours *d);
/* The entries of the ops copy and ne, for copy.c. */
void th_set_copy(const th_entry *copy, const th_entry *ne);

/* Checks that the signature of an op can be parsed. */
th_status th_signature_check(const th_op *op);

/* Copies between tensors of one size, on any devices, as the op does it. */
th_status th_copy_tensor(th_tensor *to, const th_tensor *from);
/* The mask of the nonzero elements of x, with its size and device. */
th_status th_not_zero(th_tensor *mask, const th_tensor *x);

/* Whether an index or a mask, beside tensors of a device, is on another device or has another type. th_run_strange_picks runs
 * such a call with copies. */
bool th_has_strange_picks(const th_entry *e, const th_arg *arg);
th_status th_run_strange_picks(const th_entry *e, th_arg *arg);

#endif
