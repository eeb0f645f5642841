/* run.c - one call of an op: check, commit the results' shapes, run the kernel. */
#include "guard.h"
#include "op_flags.h"
#include "overlap.h"
#include "entry.h"
#include "th_record.h"

/* Code that a successful call on the CPU does not run. */
#define COLD __attribute__((cold, noinline))

static bool is_result(th_kind k) { return k == TH_K_OUT || k == TH_K_SELF || k == TH_K_INOUT; }
static bool is_tensor(th_kind k) { return is_result(k) || k == TH_K_TENSOR; }

static const th_detours *detour;
void th_set_detours(const th_detours *d) { detour = d; }

/* ---- overlap ---------------------------------------------------------------------------------- */

/* The elements between the first and the last one a view reaches; false when it has none. */
static bool extent(const th_tensor *t, int64_t *first, int64_t *last)
{
  *first = *last = t->offset;
  for (int d = 0; d < t->ndim; d++) {
    if (t->size[d] == 0) return false;
    const int64_t reach = (t->size[d] - 1) * t->stride[d];
    if (reach > 0) *last += reach; else *first += reach;
  }
  return true;
}

static bool harmful_in(const th_op *op, int arg, const th_tensor *result, const th_tensor *input)
{
  int64_t a, b, c, d;
  if (th_same_view(result, input)) return !(op->flags & (TH_INPLACE | TH_INPLACE_AT(arg)));
  return extent(result, &a, &b) && extent(input, &c, &d) && a <= d && c <= b;
}

/* Two storages may be parts of one memory: checks the input as a view of the result's storage. */
static COLD bool harmful_parts(const th_op *op, int arg, const th_tensor *result, const th_tensor *input)
{
  if (!th_shares_memory(result, input) || !result->storage->data || !input->storage->data) return false;
  th_tensor moved = *input;
  const int64_t bytes = (const char *)input->storage->data - (const char *)result->storage->data;
  moved.offset += bytes / (int64_t)th_dtype_size(input->dtype);
  return harmful_in(op, arg, result, &moved);
}

static inline bool harmful(const th_op *op, int arg, const th_tensor *result, const th_tensor *input)
{
  if (!input) return false;
  if (result == input) return !(op->flags & (TH_INPLACE | TH_INPLACE_AT(arg)));
  if (!input->storage || !result->storage) return false;
  if (result->storage == input->storage) return harmful_in(op, arg, result, input);
  return (result->storage->whole || input->storage->whole) && harmful_parts(op, arg, result, input);
}

static inline bool meets_a_result(const th_call *c, const th_entry *e, int arg, const th_tensor *input)
{
  for (uint32_t left = e->results; left; left &= left - 1) {
    const th_tensor *result = c->arg[__builtin_ctz(left)].t;
    if (result && harmful(c->op, arg, result, input)) return true;
  }
  return false;
}

/* ---- checking and committing ------------------------------------------------------------------ */

static inline bool has_size(const th_tensor *t, int ndim, const int64_t *size)
{
  if (t->ndim != ndim) return false;
  for (int d = 0; d < ndim; d++) if (t->size[d] != size[d]) return false;
  return true;
}
static bool has_shape(const th_tensor *t, const th_want *w) { return has_size(t, w->ndim, w->size); }

static inline bool stays_and_overlaps(const th_tensor *t, const th_want *w)
{
  return t->dtype != TH_NONE && has_shape(t, w) && th_overlaps_itself(t);
}
bool th_is_in_order(const th_call *c, int k) { return stays_and_overlaps(c->arg[c->want[k].arg].t, &c->want[k]); }

/* Checks all results before the first one changes. */
th_status th_need_results(const th_call *c, bool *in_order)
{
  *in_order = false;
  for (int k = 0; k < c->nwant; k++) {
    const th_want *w = &c->want[k];
    const th_tensor *t = c->arg[w->arg].t;
    for (int j = 0; j < k; j++) {
      if (c->arg[c->want[j].arg].t != t) continue;
      return th_fail(TH_EARG, "results %s and %s must be different tensors, got one for both",
                     th_entry_of(c->op)->name[c->want[j].arg], th_entry_of(c->op)->name[w->arg]);
    }
    if (t->dtype != TH_NONE && t->dtype != w->dtype) {
      return th_fail(TH_EDTYPE, "result %s must be a %sTensor, got a %sTensor",
                     th_entry_of(c->op)->name[w->arg], th_dtype_name(w->dtype), th_dtype_name(t->dtype));
    }
    if (th_numel_checked(w->ndim, w->size, th_dtype_size(w->dtype)) < 0) {
      return th_fail(TH_ESHAPE, "result %s would have the size %s, more than can be counted",
                     th_entry_of(c->op)->name[w->arg], th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, w->ndim, w->size));
    }
    if (!stays_and_overlaps(t, w)) continue;
    if (c->kind[w->arg] == TH_K_INOUT && !(c->op->flags & (TH_EACH | TH_FILLS | TH_PLACES))) {
      return th_fail(TH_ESHAPE, "result %s %s: several elements share one place; clone it first",
                     th_entry_of(c->op)->name[w->arg], th_overlap_text(t));
    }
    *in_order = true;
  }
  return TH_OK;
}

/* The results before they got their shapes; `some` has a bit for each that is stored. If a result's storage was replaced, the
 * reference to the old one is kept here. */
typedef struct before {
  uint32_t some, moved;
  int64_t size[TH_MAXOUT];
  th_tensor t[TH_MAXOUT];
} before;

/* Restores the old sizes after a failure. Storages keep their new capacity. */
static COLD th_status give_back(const th_call *c, before *b, th_status s)
{
  for (int k = c->nwant - 1; k >= 0; k--) {     /* two may share a storage */
    th_tensor *t = c->arg[c->want[k].arg].t;
    if (!(b->some >> k & 1)) continue;
    if (b->moved >> k & 1 || !b->t[k].storage) th_tensor_release(t);
    else t->storage->size = b->size[k];
    *t = b->t[k];
  }
  return s;
}

static void forget(const th_call *c, before *b)
{
  if (!b->moved) return;
  for (int k = 0; k < c->nwant; k++) if (b->moved >> k & 1) th_tensor_release(&b->t[k]);
}

static th_status commit(const th_call *c, before *b)
{
  b->some = b->moved = 0;
  for (int k = 0; k < c->nwant; k++) {
    const th_want *w = &c->want[k];
    th_tensor *t = c->arg[w->arg].t;
    if (t->dtype != TH_NONE && has_shape(t, w)) continue;
    if (t->dtype == TH_NONE) {
      t->device = c->device;
    } else {
      b->t[k] = *t;
      b->size[k] = t->storage ? t->storage->size : 0;
      b->some |= 1u << k;
    }
    /* A view of shared memory must not grow over its neighbours. */
    if (t->storage && __atomic_load_n(&t->storage->refs, __ATOMIC_RELAXED) > 1) {
      int64_t first, last, n = th_numel_checked(w->ndim, w->size, 1);
      if (!extent(t, &first, &last) || last - first + 1 < n || first != t->offset) {
        th_tensor fresh = { .device = t->device };
        const th_status s = th_tensor_resize(&fresh, w->dtype, w->ndim, w->size, NULL);
        if (s != TH_OK) return give_back(c, b, s);
        if (b->some >> k & 1) b->moved |= 1u << k;
        else th_tensor_release(t);
        *t = fresh;
        continue;
      }
    }
    const th_status s = th_tensor_resize(t, w->dtype, w->ndim, w->size, NULL);
    if (s != TH_OK) return give_back(c, b, s);
  }
  return TH_OK;
}

th_status th_commit(const th_call *c)
{
  before b;
  TH_TRY(commit(c, &b));
  forget(c, &b);
  return TH_OK;
}

/* No kernel has the type of the operands: names one operand and the supported types. */
static COLD th_status refuse_dtype(const th_call *c, const th_entry *e)
{
  const char *who = NULL;
  for (int i = 0; i < c->narg; i++) {
    const bool input = e->kind[i] == TH_K_TENSOR;
    if (!is_tensor(e->kind[i]) || !c->arg[i].t || c->arg[i].t->dtype != c->dtype) continue;
    if (!who || input) who = e->name[i];
    if (input) break;
  }
  char types[96] = "";
  for (int d = TH_NONE + 1; d < TH_NDTYPE; d++) {
    if (!e->kernel[th_device_kind(c->device)][d]) continue;
    if (*types) strcat(types, ", ");
    strcat(types, th_dtype_name(d));
  }
  return th_fail(TH_EDTYPE, "%s must be a tensor of type %s, got a %sTensor", who ? who : "the operand",
                 types, th_dtype_name(c->dtype));
}

/* A device computes only on tensors in its memory: names the first tensor that is on another device than the deciding one. */
static th_status need_one_device(const th_call *c, const th_entry *e)
{
  const char *first = NULL;
  int device = 0;
  for (int pass = 0; pass < 2; pass++) {                      /* inputs, then results */
    for (int i = 0; i < c->narg; i++) {
      const bool list = e->kind[i] == TH_K_LIST;
      if (!((pass == 0 ? e->inputs : e->results) >> i & 1)) continue;
      for (int64_t k = 0; k < (list ? c->arg[i].list->n : 1); k++) {
        const th_tensor *t = list ? c->arg[i].list->t[k] : c->arg[i].t;
        if (!t || t->dtype == TH_NONE) continue;
        if (!first) first = e->name[i], device = t->device;
        if (t->device == device) continue;
        if (list) {
          return th_fail(TH_EDEVICE, "element %lld of %s must be on %s like %s, got one on %s", (long long)k + 1, e->name[i],
                         TH_DEVICE(device), first == e->name[i] ? "the first" : first, TH_DEVICE(t->device));
        }
        return th_fail(TH_EDEVICE, "%s must be on %s like %s, got one on %s", e->name[i], TH_DEVICE(device), first,
                       TH_DEVICE(t->device));
      }
    }
  }
  return TH_OK;
}

COLD bool th_is_by_cpu(const th_entry *e)
{
  if (!(e->op.flags & TH_BY_CPU) || e->has[TH_CUDA]) return false;
  for (int i = 0; i < e->narg; i++) if (e->kind[i] == TH_K_LIST) return false;
  return true;
}

/* Checks of a call where there are devices. A device that has no kernel of the op refuses before `check` runs, because `check`
 * may read elements. */
static COLD th_status check_devices(const th_call *c, const th_entry *e)
{
  if (c->device == TH_CPU || e->has[TH_CUDA] || th_is_by_cpu(e)) {
    return c->op->flags & TH_DEVICES ? TH_OK : need_one_device(c, e);
  }
  return th_fail(TH_EDEVICE, "there is no kernel of this op for %s: bring the tensors to the CPU, with x:float() or x:double()",
                 TH_DEVICE(c->device));
}

/* The kernel may get copies of arguments in which no element is out of bounds. Afterwards the arguments are the caller's. */
static COLD th_status run_guarded(th_kernel run, th_call *c)
{
  th_tensor kept[TH_MAXBOUND] = { 0 }, *given[TH_MAXBOUND];
  th_bound bound[TH_MAXBOUND];
  const int n = th_take_bounds(c, bound);
  for (int k = 0; k < n; k++) given[k] = c->arg[bound[k].arg].t;
  th_status s = th_guard_get()->begin(c, bound, n, kept);
  if (s == TH_OK) s = run(c);
  th_forget_bounds();
  for (int k = 0; k < n; k++) {
    c->arg[bound[k].arg].t = given[k];
    th_tensor_release(&kept[k]);
  }
  return s;
}

static COLD th_status run_there(th_kernel run, const th_call *c)
{
  const th_recorder *r = th_recording();
  if (r) TH_TRY(r->enter(c));
  TH_TRY(th_backend_get()->enter(c->device));
  if (th_guard_get()) th_guard_get()->uses(c);
  TH_TRY(th_has_bounds(c) ? run_guarded(run, (th_call *)(uintptr_t)c) : run(c));
  return th_backend_get()->leave();
}

static inline th_status run_here(th_kernel run, const th_call *c) { return c->device == TH_CPU ? run(c) : run_there(run, c); }

th_status th_run_kernel(const th_entry *e, const th_call *c)
{
  return run_here(e->kernel[th_device_kind(c->device)][c->dtype], c);
}

/* If a kernel fails, its results keep their old sizes. Not inlined, so that calls whose results fit need no stack space for the
 * old ones. `given` are the arguments before the first check. */
static __attribute__((noinline)) th_status commit_and_run(th_kernel run, th_call *c, const th_arg *given)
{
  before b;
  bool in_order;
  TH_TRY(th_need_results(c, &in_order));
  if (in_order) return detour->in_order(th_entry_of(c->op), c, given);
  if (c->op->flags & TH_LATE) return run_here(run, c);
  TH_TRY(commit(c, &b));
  const th_status s = run_here(run, c);
  if (s != TH_OK) return give_back(c, &b, s);
  forget(c, &b);
  return TH_OK;
}

static th_status check_and_run(th_call *c, const th_arg *given)
{
  const th_entry *e = th_entry_of(c->op);
  TH_TRY(e->op.check(c));
  if (c->dtype <= TH_NONE || c->dtype >= TH_NDTYPE) return refuse_dtype(c, e);
  const th_kernel run = e->kernel[th_device_kind(c->device)][c->dtype];
  if (!run) return refuse_dtype(c, e);
  return c->nwant ? commit_and_run(run, c, given) : run_here(run, c);
}

/* Some inputs share memory with a result: copies them and then runs the op normally. */
static th_status run_with_copies(th_call *c, const th_arg *given)
{
  const th_entry *e = th_entry_of(c->op);
  th_tensor copy[TH_MAXARG] = { 0 }, *listed[64] = { 0 }, from_list[64] = { 0 };
  th_list list;
  th_status s = TH_OK;
  for (int i = 0; i < c->narg && s == TH_OK; i++) {
    if (e->kind[i] == TH_K_TENSOR && meets_a_result(c, e, i, c->arg[i].t)) {
      s = detour->clone(&copy[i], c->arg[i].t);
    } else if (e->kind[i] == TH_K_LIST && c->arg[i].list->n > 64) {
      s = th_fail(TH_EARG, "a result is also one of more than 64 inputs; give another result");
    } else if (e->kind[i] == TH_K_LIST) {
      list.n = c->arg[i].list->n;
      list.t = listed;
      for (int64_t k = 0; k < list.n && s == TH_OK; k++) {
        listed[k] = c->arg[i].list->t[k];
        if (!meets_a_result(c, e, i, listed[k])) continue;
        s = detour->clone(&from_list[k], listed[k]);
        listed[k] = &from_list[k];
      }
      c->arg[i].list = &list;
    }
  }
  for (int i = 0; i < c->narg; i++) if (copy[i].dtype != TH_NONE) c->arg[i].t = &copy[i];
  if (s == TH_OK) s = check_and_run(c, given);
  for (int i = 0; i < TH_MAXARG; i++) th_tensor_release(&copy[i]);
  for (int k = 0; k < 64; k++) th_tensor_release(&from_list[k]);
  return s;
}

/* Lua accepts a pointer to a tensor as a tensor, and the pointer may be NULL. */
static COLD th_status refuse_null(const th_entry *e, uint32_t missing)
{
  const char *name = e->name[__builtin_ctz(missing)];
  return th_fail(TH_EARG, "%s must be a tensor, got a NULL pointer", name);
}

/* The first input selects the kernel. Returns whether the input must be copied, because a result
 * shares its memory. */
static inline bool look_at_input(th_call *c, const th_entry *e, int arg, const th_tensor *t)
{
  if (t && c->dtype == TH_NONE) c->dtype = t->dtype, c->device = t->device;
  return meets_a_result(c, e, arg, t);
}

th_status th_run(const th_op *op, th_arg *arg, int narg)
{
  const th_entry *e = th_entry_of(op);
  th_call c;
  c.op = op;
  c.kind = e->kind;
  c.narg = narg;
  c.dtype = TH_NONE;
  c.device = TH_CPU;
  c.nwant = 0;
  th_enter(op->name);
  if (narg != e->narg) return th_fail(TH_EARG, "must be called with %d arguments, got %d", e->narg, narg);
  uint32_t null = 0;
  for (int i = 0; i < narg; i++) {
    /* One by one: memcpy would read several words at once, and wait for the caller. */
    int64_t word = arg[i].i;
    __asm__("" : "+r"(word));
    c.arg[i].i = word;
    null |= (uint32_t)!word << i;
  }
  if (__builtin_expect(null & e->needed, 0)) return refuse_null(e, null & e->needed);
  const bool devices = __builtin_expect(__atomic_load_n(&th_devices, __ATOMIC_RELAXED), 0);
  if (devices && (e->indices | e->masks) && detour->has_strange_picks(e, arg)) return detour->strange_picks(e, arg);
  bool overlap = false;
  for (uint32_t left = e->inputs; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    if (__builtin_expect(e->kind[i] != TH_K_LIST, 1)) {
      overlap |= look_at_input(&c, e, i, arg[i].t);
    } else {
      const th_list *list = arg[i].list;
      for (int64_t j = 0; j < list->n; j++) overlap |= look_at_input(&c, e, i, list->t[j]);
    }
  }
  for (uint32_t left = e->results; left && c.dtype == TH_NONE; left &= left - 1) {       /* an op without inputs, such as fill */
    const th_tensor *t = arg[__builtin_ctz(left)].t;
    if (t) c.dtype = t->dtype, c.device = t->device;
  }
  if (devices) TH_TRY(check_devices(&c, e));
  if (th_interrupted()) return th_fail(TH_EINTR, "interrupted");
  const bool by_cpu = __builtin_expect(c.device != TH_CPU, 0) && !e->has[TH_CUDA];
  const th_status s = by_cpu ? detour->by_cpu(e, &c) : overlap ? run_with_copies(&c, arg) : check_and_run(&c, arg);
  if (devices) th_forget_bounds();                    /* a refused call leaves some, and `c` ends here */
  th_enter(NULL);
  for (uint32_t left = e->returns; left; left &= left - 1) {
    const int i = __builtin_ctz(left);
    arg[i].d = th_plain(c.arg[i].d);
  }
  return s;
}

/* ---- helpers of checks --------------------------------------------------------------------------- */

const char *th_arg_name(const th_call *c, int arg) { return th_entry_of(c->op)->name[arg]; }

th_status th_need_dim(th_call *c, int arg, const th_tensor *x)
{
  const int64_t d = c->arg[arg].i, n = x->ndim ? x->ndim : 1, k = d < 0 && d >= -n ? d + n : d - 1;
  if (k < 0 || k >= n) {
    return th_fail(TH_EARG, "%s must lie in 1..%lld, got %lld", th_arg_name(c, arg), (long long)n, (long long)d);
  }
  c->arg[arg].i = k;
  return TH_OK;
}

th_status th_need_ndim(th_call *c, int arg, int lo, int hi)
{
  const th_tensor *t = c->arg[arg].t;
  if (t->ndim >= lo && t->ndim <= hi) return TH_OK;
  if (lo == hi) {
    return th_fail(TH_ESHAPE, "%s must have %d dimension%s, got size %s", th_arg_name(c, arg), lo,
                   lo == 1 ? "" : "s", TH_SHAPE(t));
  }
  return th_fail(TH_ESHAPE, "%s must have %d to %d dimensions, got size %s", th_arg_name(c, arg), lo, hi, TH_SHAPE(t));
}

th_status th_need_dtype(th_call *c, int arg, int dtype)
{
  const th_tensor *t = c->arg[arg].t;
  if (t->dtype == dtype) return TH_OK;
  return th_fail(TH_EDTYPE, "%s must be a %sTensor, got a %sTensor", th_arg_name(c, arg), th_dtype_name(dtype),
                 th_dtype_name(t->dtype));
}

th_status th_need_float(th_call *c, int arg)
{
  const th_tensor *t = c->arg[arg].t;
  if (t->dtype >= TH_F16) return TH_OK;
  return th_fail(TH_EDTYPE, "%s must be a Float, Double, Half or BFloat16 tensor, got a %sTensor", th_arg_name(c, arg),
                 th_dtype_name(t->dtype));
}

th_status th_need_same_dtype(th_call *c, int arg, int other)
{
  const th_tensor *a = c->arg[arg].t, *b = c->arg[other].t;
  if (a->dtype == b->dtype) return TH_OK;
  return th_fail(TH_EDTYPE, "%s must be a %sTensor like %s, got a %sTensor", th_arg_name(c, arg),
                 th_dtype_name(b->dtype), th_arg_name(c, other), th_dtype_name(a->dtype));
}

th_status th_need_same_shape(th_call *c, int arg, int other)
{
  const th_tensor *a = c->arg[arg].t, *b = c->arg[other].t;
  if (th_same_shape(a, b)) return TH_OK;
  return th_fail(TH_ESHAPE, "%s must have the size of %s, %s, got %s", th_arg_name(c, arg), th_arg_name(c, other),
                 TH_SHAPE(b), TH_SHAPE(a));
}

/* Whether result `arg` already has the wanted shape, and no other result is the same tensor. */
static inline bool is_ready(const th_call *c, int arg, int dtype, int ndim, const int64_t *size)
{
  const th_tensor *t = c->arg[arg].t;
  if (t->dtype != dtype || !has_size(t, ndim, size) || th_overlaps_itself(t)) return false;
  const uint32_t others = th_entry_of(c->op)->results & ~((uint32_t)1 << arg);
  for (uint32_t left = others; left; left &= left - 1) {
    if (c->arg[__builtin_ctz(left)].t == t) return false;
  }
  return true;
}

th_status th_out(th_call *c, int arg, int dtype, int ndim, const int64_t *size)
{
  if (is_ready(c, arg, dtype, ndim, size)) return TH_OK;
  if (c->nwant == TH_MAXOUT) return th_fail(TH_EARG, "has more than %d results", TH_MAXOUT);
  th_want *w = &c->want[c->nwant++];
  w->arg = arg;
  w->dtype = dtype;
  w->ndim = ndim;
  memcpy(w->size, size, sizeof *size * (size_t)ndim);
  return TH_OK;
}

th_status th_out_like(th_call *c, int arg, const th_tensor *x)
{
  const th_tensor *y = c->arg[arg].t;
  if (y == x && !th_overlaps_itself(y)) return TH_OK;
  return th_out(c, arg, x->dtype, x->ndim, x->size);
}

/* As th_out; an input that is also the result must keep its size. */
static th_status out_in_place(th_call *c, int arg, int dtype, int ndim, const int64_t *size, int n,
                              const int *inputs)
{
  const th_tensor *y = c->arg[arg].t;
  for (int k = 0; k < n; k++) {
    if (c->arg[inputs[k]].t != y) continue;
    if (y->ndim == ndim && !memcmp(y->size, size, sizeof *size * (size_t)ndim)) continue;
    return th_fail(TH_ESHAPE, "%s must keep its size %s in place, the result would have %s",
                   th_arg_name(c, inputs[k]), TH_SHAPE(y),
                   th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, ndim, size));
  }
  return th_out(c, arg, dtype, ndim, size);
}

th_status th_out_broadcast(th_call *c, int arg, int dtype, int n, const int *inputs)
{
  const th_tensor *first = c->arg[inputs[0]].t, *y = c->arg[arg].t;
  bool alike = true;
  for (int k = 1; k < n; k++) alike = alike && th_same_shape(first, c->arg[inputs[k]].t);
  if (!alike) {
    const int64_t count = th_numel(first);
    alike = true;
    for (int k = 1; k < n; k++) alike = alike && th_numel(c->arg[inputs[k]].t) == count;
    for (int k = 1; k < n && alike; k++) TH_TRY(th_note_shapes(first, c->arg[inputs[k]].t));
  }
  if (alike) {
    if (y->dtype == dtype && th_same_shape(y, first) && !th_overlaps_itself(y)) return TH_OK;
    return out_in_place(c, arg, dtype, first->ndim, first->size, n, inputs);
  }
  int64_t size[TH_MAXDIM];
  int ndim = 0;
  for (int k = 0; k < n; k++) if (c->arg[inputs[k]].t->ndim > ndim) ndim = c->arg[inputs[k]].t->ndim;
  for (int d = 0; d < ndim; d++) size[d] = 1;
  for (int k = 0; k < n; k++) {
    const th_tensor *t = c->arg[inputs[k]].t;
    for (int d = 0; d < t->ndim; d++) {
      int64_t *s = &size[ndim - t->ndim + d];
      if (t->size[d] == *s || t->size[d] == 1) continue;
      if (*s != 1) {
        return th_fail(TH_ESHAPE, "%s must have the size of %s or one that broadcasts to it, got %s and %s",
                       th_arg_name(c, inputs[k]), th_arg_name(c, inputs[0]), TH_SHAPE(first), TH_SHAPE(t));
      }
      *s = t->size[d];
    }
  }
  return out_in_place(c, arg, dtype, ndim, size, n, inputs);
}
