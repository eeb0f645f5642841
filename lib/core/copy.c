/* copy.c - copies of tensors, which the op copy makes on any device. */
#include "entry.h"
#include "overlap.h"
#include "th_record.h"

static const th_entry *copy, *not_equal;
void th_set_copy(const th_entry *of_copy, const th_entry *of_ne) { copy = of_copy, not_equal = of_ne; }

th_status th_copy_tensor(th_tensor *to, const th_tensor *from)
{
  const th_entry *e = copy;
  if (th_overlaps_itself(to)) {
    const char *who = th_entered();
    const th_status s = th_run(&e->op, (th_arg[]){ { .t = to }, { .t = (th_tensor *)(uintptr_t)from } }, e->narg);
    th_enter(who);
    return s;
  }
  const th_call c = { .op = &e->op, .kind = e->kind, .narg = e->narg, .dtype = to->dtype,
                      .device = to->device ? to->device : from->device,
                      .arg = { { .t = to }, { .t = (th_tensor *)(uintptr_t)from } } };
  return th_run_kernel(e, &c);
}

th_status th_not_zero(th_tensor *mask, const th_tensor *x)
{
  const th_entry *e = not_equal;
  const th_call c = { .op = &e->op, .kind = e->kind, .narg = e->narg, .dtype = x->dtype, .device = x->device,
                      .arg = { { .t = mask }, { .t = (th_tensor *)(uintptr_t)x }, { .d = 0 } } };
  return th_run_kernel(e, &c);
}

th_status th_tensor_clone(th_tensor *to, const th_tensor *from)
{
  th_tensor fresh = { .device = from->device };
  TH_TRY(th_tensor_resize(&fresh, from->dtype, from->ndim, from->size, NULL));
  const th_status s = th_numel(from) ? th_copy_tensor(&fresh, from) : TH_OK;
  if (s != TH_OK) {
    th_tensor_release(&fresh);
    return s;
  }
  th_tensor_release(to);
  *to = fresh;
  return TH_OK;
}

th_status th_on_cpu(th_tensor *here, const th_tensor *t)
{
  th_tensor fresh = { 0 };
  if (t->device == TH_CPU) {
    th_tensor_alias(here, t);
    return TH_OK;
  }
  th_status s = th_tensor_resize(&fresh, t->dtype, t->ndim, t->size, NULL);
  if (s == TH_OK && th_numel(t)) s = th_copy_tensor(&fresh, t);
  if (s != TH_OK) {
    th_tensor_release(&fresh);
    return s;
  }
  *here = fresh;
  return TH_OK;
}
