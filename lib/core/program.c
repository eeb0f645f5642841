/* program.c - programs of pointwise ops: which ops they may have, and where they run. */
#include "entry.h"
#include "guard.h"
#include "levels.h"
#include "th_program.h"
#include "th_record.h"

/* ---- the ops: the lines of pointwise.def, and where -------------------------------------------
 * */

#define OP(id) extern const th_op th_op_##id;
#define TH_MAP(id, ...) OP(id)
#define TH_MAP_AS(id, ...) OP(id)
#define TH_ACT(id, ...) OP(id) OP(id##_grad)
#define TH_ZIP(id, ...) OP(id)
#define TH_ZIP3(id, ...) OP(id)
#define TH_COMPARE(id, ...) OP(id) OP(id##_tensor)
#include "../op/pointwise.def"
#undef OP
#undef TH_MAP
#undef TH_MAP_AS
#undef TH_ACT
#undef TH_ZIP
#undef TH_ZIP3
#undef TH_COMPARE

enum { REFUSES_nothing, REFUSES_divisor, REFUSES_count, REFUSES_power };

static const th_formula formulas[] = {
#define TH_MAP(id, ...) { &th_op_##id, #id, NULL, TH_FORM_MAP, 0 },
#define TH_MAP_AS(id, ...) TH_MAP(id)
#define TH_ACT(id, ...) TH_MAP(id) { &th_op_##id##_grad, #id "_grad", NULL, TH_FORM_GRADIENT, 0 },
#define TH_ZIP(id, name, set, refuses, ...)                                                        \
  { &th_op_##id, #id, NULL, TH_FORM_ZIP, REFUSES_##refuses },
#define TH_ZIP3(id, name, set, refuses, ...)                                                       \
  { &th_op_##id, #id, NULL, TH_FORM_ZIP3, REFUSES_##refuses },
#define TH_COMPARE(id, operator, doc) \
  { &th_op_##id, #id, #operator, TH_FORM_COMPARE, 0 }, \
  { &th_op_##id##_tensor, #id, #operator, TH_FORM_COMPARE_TENSORS, 0 },
#include "../op/pointwise.def"
};
static const th_formula choice = { NULL, "where", NULL, TH_FORM_WHERE, 0 };

const th_formula *th_formula_of(const th_op *op)
{
  if (strcmp(op->name, choice.id) == 0) return &choice;
  for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
    const th_op *own = formulas[i].op;
    if (strcmp(own->name, op->name) == 0 && strcmp(own->args, op->args) == 0) return &formulas[i];
  }
  return NULL;
}

int th_program_takes(const th_op *op, int dtype)
{
  const th_formula *f = th_formula_of(op);
  const th_entry *e = th_entry_of(op);
  if (!f) return 0;
  if (dtype <= TH_NONE || dtype >= TH_NDTYPE || !e->kernel[TH_CPU][dtype]) return -1;
  if (dtype >= TH_F16 || f->form >= TH_FORM_COMPARE) return 1;
  for (int i = 0; i < e->narg; i++) if (e->kind[i] == TH_K_NUMBER) return -1;
  return f->refuses ? -1 : 1;
}

int th_program_makes(const th_op *op, int dtype)
{
  const th_formula *f = th_formula_of(op);
  return f && (f->form == TH_FORM_COMPARE || f->form == TH_FORM_COMPARE_TENSORS) ? TH_U8 : dtype;
}

/* ---- running
 * ----------------------------------------------------------------------------------- */

#define DECLARE(level)                                                                             \
  th_status th_run_program_##level(const th_program *p, th_tensor *const *y, th_tensor *const *x);
TH_EACH_LEVEL(DECLARE)
static th_status (*const by_level[])(const th_program *, th_tensor *const *, th_tensor *const *) = {
#define ENTRY(level) th_run_program_##level,
  TH_EACH_LEVEL(ENTRY)
};

static const th_program_runner *runner;
void th_program_add_runner(const th_program_runner *r) { runner = r; }

/* The size that all inputs broadcast to. */
static th_status broadcast(th_tensor *shape, int n, th_tensor *const *x)
{
  for (int k = 0; k < n; k++) {
    if (x[k]->ndim > shape->ndim) shape->ndim = x[k]->ndim;
    if (x[k]->device != x[0]->device) {
      return th_fail(TH_EDEVICE, "tensors must be on one device, got %s and %s",
                     TH_DEVICE(x[0]->device), TH_DEVICE(x[k]->device));
    }
  }
  for (int d = 0; d < shape->ndim; d++) shape->size[d] = 1;
  for (int k = 0; k < n; k++) {
    for (int d = 0; d < x[k]->ndim; d++) {
      int64_t *s = &shape->size[shape->ndim - x[k]->ndim + d];
      if (*s != 1 && x[k]->size[d] != 1 && x[k]->size[d] != *s) {
        return th_fail(TH_ESHAPE, "tensors must broadcast to one size, got %s and %s",
                       TH_SHAPE(x[0]), TH_SHAPE(x[k]));
      }
      if (*s == 1) *s = x[k]->size[d];
    }
  }
  return TH_OK;
}

/* As th_run runs a kernel of a device. */
static th_status run_there(void *kernel, const th_program *p, th_tensor *const *y,
                           th_tensor *const *x)
{
  th_kind kind[TH_MAXARG];
  th_call c = { .op = p->step[0].op, .kind = kind, .device = x[0]->device };
  for (int k = 0; k < p->noutput; k++) kind[c.narg] = TH_K_OUT, c.arg[c.narg++].t = y[k];
  for (int k = 0; k < p->ninput; k++) kind[c.narg] = TH_K_TENSOR, c.arg[c.narg++].t = x[k];
  const th_recorder *r = th_recording();
  if (r) TH_TRY(r->enter(&c));
  TH_TRY(th_backend_get()->enter(c.device));
  th_guard_get()->uses(&c);
  TH_TRY(runner->run(kernel, p, y, x));
  return th_backend_get()->leave();
}

th_status th_program_run(int *done, const th_program *p, th_tensor *const *y, th_tensor *const *x)
{
  th_tensor shape = { .dtype = TH_U8, .device = x[0]->device };
  void *kernel = NULL;
  const int device = x[0]->device;
  *done = 0;
  th_enter("pointwise");
  TH_TRY(broadcast(&shape, p->ninput, x));
  if (device != TH_CPU) {
    if (!runner) return TH_OK;
    TH_TRY(runner->find(&kernel, p, x, &shape));
    if (!kernel) return TH_OK;
  }
  th_status s = TH_OK;
  for (int k = 0; k < p->noutput && s == TH_OK; k++) {
    y[k]->device = device;
    s = th_tensor_resize(y[k], th_program_dtype(p, p->output[k]), shape.ndim, shape.size, NULL);
  }
  if (s == TH_OK)
    s = device == TH_CPU ? by_level[th_cpu_level_index()](p, y, x) : run_there(kernel, p, y, x);
  if (s != TH_OK) for (int k = 0; k < p->noutput; k++) th_tensor_release(y[k]);
  *done = s == TH_OK;
  return s;
}
