/* by_cpu.c - CPU fallback for ops without a device kernel: copy the inputs to the CPU, run there, copy the results back. */
#include "entry.h"
#include "th_record.h"
#include "th_fft.h"

int th_op_is_by_cpu(const th_op *op) { return th_is_by_cpu(th_entry_of(op)); }

/* Makes the CPU tensor that the op sees: an input with its elements, a result with its type only. */
static th_status bring(th_tensor *here, const th_tensor *t, bool elements)
{
  if (elements) return th_on_cpu(here, t);
  if (t->dtype == TH_NONE) return TH_OK;
  here->dtype = t->dtype;
  here->ndim = 1;
  here->stride[0] = 1;
  return TH_OK;
}

/* Checks before the computation that the results can take the shapes that the op will give them. */
static th_status need_results(const th_entry *e, const th_call *c, const th_arg *here)
{
  th_call asked = *c;
  memcpy(asked.arg, here, (size_t)c->narg * sizeof *here);
  asked.device = TH_CPU;
  th_enter(e->op.name);                     /* copying the inputs has called other ops */
  TH_TRY(e->op.check(&asked));
  if (asked.dtype <= TH_NONE || asked.dtype >= TH_NDTYPE || !e->kernel[TH_CPU][asked.dtype]) return TH_OK; /* th_run reports it */
  memcpy(asked.arg, c->arg, (size_t)c->narg * sizeof *here);
  return th_need_results(&asked, &(bool){ false });
}

static th_status give_back(const th_entry *e, th_call *c, th_tensor *here)
{
  th_enter(e->op.name);                     /* the op has run on the CPU */
  for (int i = 0; i < c->narg; i++) {
    if (!(e->results >> i & 1) || !c->arg[i].t) continue;
    th_want *w = &c->want[c->nwant++];
    w->arg = i;
    w->dtype = here[i].dtype;
    w->ndim = here[i].ndim;
    memcpy(w->size, here[i].size, sizeof w->size);
  }
  TH_TRY(th_need_results(c, &(bool){ false }));
  TH_TRY(th_commit(c));
  for (int k = 0; k < c->nwant; k++) {
    const int i = c->want[k].arg;
    if (th_numel(&here[i])) TH_TRY(th_copy_tensor(c->arg[i].t, &here[i]));
  }
  return TH_OK;
}

th_status th_run_by_cpu(const th_entry *e, th_call *c)
{
  th_tensor here[TH_MAXARG] = { 0 };
  th_arg arg[TH_MAXARG];
  const th_recorder *r = th_recording();
  th_status s = r ? r->by_cpu() : TH_OK;
  for (int i = 0; i < c->narg; i++) {
    const bool elements = e->kind[i] == TH_K_TENSOR || e->kind[i] == TH_K_INOUT;
    arg[i] = c->arg[i];
    if (!(elements || e->results >> i & 1) || !arg[i].t) continue;
    if (s == TH_OK) s = bring(&here[i], arg[i].t, elements);
    arg[i].t = &here[i];
  }
  if (s == TH_OK) s = need_results(e, c, arg);
  if (s == TH_OK) s = th_run(&e->op, arg, c->narg);
  if (s == TH_OK) s = give_back(e, c, here);
  for (int i = 0; i < c->narg; i++) {
    th_tensor_release(&here[i]);
    if (e->returns >> i & 1) c->arg[i] = arg[i];
  }
  return s;
}

th_status th_by_cpu(const th_call *given)
{
  th_call c = *given;
  c.nwant = 0;                              /* the call on the CPU states the shapes of the results again */
  return th_run_by_cpu(th_entry_of(c.op), &c);
}
