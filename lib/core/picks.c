/* picks.c - converts the indices and masks that cutorch accepted. Beside a tensor of a device, an index may be any tensor of that
 * device or a LongTensor of the CPU; a mask may be any tensor of that device or a ByteTensor of the CPU. */
#include "entry.h"
#include "guard.h"

/* The device of the other tensors of the call; the CPU if there are none. */
static int device_of_others(const th_entry *e, const th_arg *arg)
{
  const uint32_t others = (e->results | e->inputs) & ~(e->indices | e->masks);
  for (uint32_t left = others; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    if (e->kind[i] != TH_K_LIST && arg[i].t && arg[i].t->dtype != TH_NONE) return arg[i].t->device;
  }
  return TH_CPU;
}

static bool fits(const th_entry *e, int i, const th_tensor *t, int device)
{
  return t->device == device && t->dtype == (e->indices >> i & 1 ? TH_I64 : TH_U8);
}

/* Whether the tensor can be converted. A CPU tensor must have the right type already. */
static bool can_fit(const th_entry *e, int i, const th_tensor *t, int device)
{
  return t->dtype != TH_NONE && (t->device == device || fits(e, i, t, TH_CPU));
}

bool th_has_strange_picks(const th_entry *e, const th_arg *arg)
{
  const int device = device_of_others(e, arg);
  for (uint32_t left = device == TH_CPU ? 0 : e->indices | e->masks; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    if (arg[i].t && !fits(e, i, arg[i].t, device) && can_fit(e, i, arg[i].t, device)) return true;
  }
  return false;
}

/* Makes a copy on the right device with the right type. In a mask, every value except 0 becomes 1. */
static th_status convert(th_tensor *to, const th_entry *e, int i, const th_tensor *t, int device)
{
  const bool index = e->indices >> i & 1;
  to->device = device;
  TH_TRY(th_tensor_resize(to, index ? TH_I64 : TH_U8, t->ndim, t->size, NULL));
  if (th_tensor_numel(t) == 0) return TH_OK;
  return index || t->dtype == TH_U8 ? th_copy_tensor(to, t) : th_not_zero(to, t);
}

th_status th_run_strange_picks(const th_entry *e, th_arg *given)
{
  th_tensor copy[TH_MAXARG] = { 0 };
  th_arg arg[TH_MAXARG];
  const int device = device_of_others(e, given);
  th_status s = TH_OK;
  memcpy(arg, given, (size_t)e->narg * sizeof *arg);
  for (uint32_t left = e->indices | e->masks; left && s == TH_OK; left &= left - 1) {
    const int i = __builtin_ctz(left);
    if (!arg[i].t || fits(e, i, arg[i].t, device) || !can_fit(e, i, arg[i].t, device)) continue;
    s = convert(&copy[i], e, i, arg[i].t, device);
    if (arg[i].t->device == TH_CPU) th_note_source(&copy[i], arg[i].t);      /* its elements are checked here, at once */
    arg[i].t = &copy[i];
  }
  if (s == TH_OK) s = th_run(&e->op, arg, e->narg);
  th_note_source(NULL, NULL);
  for (int i = 0; i < e->narg; i++) {
    th_tensor_release(&copy[i]);
    if (e->returns >> i & 1) given[i] = arg[i];
  }
  return s;
}
