/* guard.h - what a check leaves for the kernel of its call: the bounds of elements that only the device can read in time. */
#ifndef TH_GUARD_H
#define TH_GUARD_H
#include "th_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the elements are, which decides the words of a refusal and what a device does with an element out of bounds. */
typedef enum th_rule {
  TH_RULE_INDEX,                    /* `what` names one; the kernel gets a copy in which `least` stands in its place */
  TH_RULE_ROW,                      /* the same, and no row may occur twice; 0 stands for none; `columns` elements a step */
  TH_RULE_CLASS, TH_RULE_MASK,      /* the kernel of the op checks, and uses no other element */
  TH_RULE_CHANCE                    /* a number whose value harms no memory */
} th_rule;

/* Elements of argument `arg` must lie in least..most, or equal `spared` if `spares`. */
struct th_bound {
  int32_t arg, rule;
  double least, most;
  int64_t spared, columns;
  bool spares;
  const char *what;
};

enum { TH_MAXBOUND = 2 };
/* The bound of argument `arg` that the check of this running call has noted, or NULL. */
const th_bound *th_bound_of(const th_call *c, int arg);

typedef struct th_guard {
  bool (*late)(void);               /* whether checks of this thread's next call may come after its kernel has begun */
  void (*uses)(const th_call *c);   /* the kernel of this call is about to use the memory of its tensors */
  /* Begins the checks of a call whose kernel starts next. It may replace arguments by tensors in `kept`, n zeroed ones. */
  th_status (*begin)(th_call *c, const th_bound *b, int n, th_tensor *kept);
} th_guard;
void th_guard_add(const th_guard *g);
const th_guard *th_guard_get(void); /* NULL: there is no device */

/* Bounds that the check of a call notes for its kernel, and the CPU tensor of which an argument is a copy. One call a thread.
 * false: there is no room for another one. */
bool th_note_bound(const th_call *c, const th_bound *b);
void th_forget_bounds(void);
bool th_has_bounds(const th_call *c);
/* The number of the bounds of this call, which go to `bound`. */
int th_take_bounds(const th_call *c, th_bound bound[TH_MAXBOUND]);
void th_note_source(const th_tensor *copy, const th_tensor *here);
const th_tensor *th_source_of(const th_tensor *copy);

#ifdef __cplusplus
}
#endif
#endif
