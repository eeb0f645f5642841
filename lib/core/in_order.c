/* in_order.c - calls whose result overlaps itself: several of its elements share one address.
 *
 * Such a call behaves like a loop that computes and writes the elements of the result one after another, in row-major order.
 * Each element reads what earlier ones wrote, and the last value for an address stays. Kernels guarantee no order, so they get
 * slices of the result, in row-major order, that do not overlap themselves. Ops that are not TH_EACH or TH_PLACES compute such
 * a result in fresh memory, which is then copied in this order.
 */
#include "overlap.h"
#include "op_flags.h"
#include "entry.h"

/* A call that runs one slice after another. whole[0] is the result; `part` holds the slices of the same tensors. */
typedef struct slicing {
  const th_entry *e;
  th_arg         arg[TH_MAXARG];
  int            n;
  th_tensor      whole[TH_MAXARG], part[TH_MAXARG];
  const uint8_t *mask;                      /* of maskedCopy: the mask of the remaining slices, contiguous, */
  th_tensor     *source;                    /* and the vector of the remaining elements */
} slicing;

/* Argument `arg` of each call is a slice of t, which has the dimensions of the result. */
static void put(slicing *s, int arg, const th_tensor *t)
{
  th_tensor_alias(&s->whole[s->n], t);
  s->arg[arg].t = &s->part[s->n++];
}

static th_status end(slicing *s, th_status status)
{
  for (int k = 0; k < s->n; k++) th_tensor_release(&s->whole[k]);
  return status;
}

/* The number of leading dimensions to loop over, so that a slice of t clearly does not overlap itself; each call checks that
 * again. The loop never includes dimension `kept`. */
static int dims_to_walk(const th_tensor *t, int kept)
{
  th_tensor rest = *t;
  int d = 0;
  for (; d < t->ndim && !th_is_nested(&rest); d++) if (d != kept) rest.size[d] = 1;
  return d;
}

/* Removes from `source` the elements that this slice uses. */
static void use_source(slicing *s)
{
  const int64_t n = th_numel(&s->part[0]);
  int64_t ones = 0;
  for (int64_t i = 0; i < n; i++) ones += s->mask[i];
  s->mask += n;
  s->source->offset += ones;
  s->source->size[0] -= ones;
}

static th_status run_slices(slicing *s, int kept)
{
  const th_tensor *y = &s->whole[0];
  const int walked = dims_to_walk(y, kept);
  int64_t place[TH_MAXDIM] = { 0 };
  for (int k = 0; k < s->n; k++) {
    s->part[k] = s->whole[k];
    for (int d = 0; d < walked; d++) if (d != kept) s->part[k].size[d] = 1;
  }
  for (;;) {
    int d = walked - 1;
    TH_TRY(th_run(&s->e->op, s->arg, s->e->narg));
    if (s->mask) use_source(s);
    for (; d >= 0; d--) {
      if (d == kept) continue;
      for (int k = 0; k < s->n; k++) s->part[k].offset += s->whole[k].stride[d];
      if (++place[d] < y->size[d]) break;
      for (int k = 0; k < s->n; k++) s->part[k].offset -= s->whole[k].stride[d] * y->size[d];
      place[d] = 0;
    }
    if (d < 0) return TH_OK;
  }
}

/* ---- operands -------------------------------------------------------------------------------------- */

/* t itself, or a copy where it shares memory with y or is on another device. */
static th_status apart(th_tensor *to, const th_tensor *t, const th_tensor *y)
{
  th_tensor fresh = { .device = y->device };
  if (t->device == y->device && !th_shares_memory(t, y)) {
    th_tensor_alias(to, t);
    return TH_OK;
  }
  th_status s = th_tensor_resize(&fresh, t->dtype, t->ndim, t->size, NULL);
  if (s == TH_OK && th_numel(t)) s = th_copy_tensor(&fresh, t);
  if (s == TH_OK) th_tensor_alias(to, &fresh);
  th_tensor_release(&fresh);
  return s;
}

/* Makes x contiguous. */
static th_status pack(th_tensor *x)
{
  th_tensor packed = { 0 };
  if (th_contiguous(x)) return TH_OK;
  TH_TRY(th_tensor_clone(&packed, x));
  th_tensor_release(x);
  *x = packed;
  return TH_OK;
}

/* Makes x a view of the size of y, as pointwise ops do: in row-major order if the element counts are equal, else by
 * broadcasting. */
static th_status in_shape_of(th_tensor *x, const th_tensor *y)
{
  if (th_same_shape(x, y)) return TH_OK;
  const bool same_count = th_numel(x) == th_numel(y);
  if (same_count) TH_TRY(pack(x));
  const th_tensor old = *x;
  int64_t step = 1;
  x->ndim = y->ndim;
  for (int d = y->ndim - 1; d >= 0; d--) {
    const int from = d - (y->ndim - old.ndim);
    x->size[d] = y->size[d];
    if (same_count) x->stride[d] = step;
    else x->stride[d] = from < 0 || old.size[from] == 1 ? 0 : old.stride[from];
    step *= y->size[d];
  }
  return TH_OK;
}

/* Argument `arg` of each call is the slice of t that matches the slice of the result. A view identical to the result is not
 * copied, so that each slice reads what earlier ones wrote. */
static th_status put_like_result(slicing *s, int arg, const th_tensor *t)
{
  const th_tensor *y = &s->whole[0];
  th_tensor x = { 0 };
  th_status status = TH_OK;
  if (t->storage == y->storage && t->dtype == y->dtype && th_same_view(t, y)) {
    th_tensor_alias(&x, t);
  } else {
    status = apart(&x, t, y);
    if (status == TH_OK) status = in_shape_of(&x, y);
  }
  if (status == TH_OK) put(s, arg, &x);
  th_tensor_release(&x);
  return status;
}

/* ---- TH_EACH --------------------------------------------------------------------------------------- */

static th_status run_each(const th_entry *e, const th_arg *given)
{
  slicing s = { .e = e };
  th_tensor before = { 0 };
  th_status status = TH_OK;
  memcpy(s.arg, given, (size_t)e->narg * sizeof *given);
  put(&s, 0, given[0].t);
  for (uint32_t left = e->inputs; left && status == TH_OK; left &= left - 1) {
    const int i = __builtin_ctz(left);
    if (given[i].t) status = put_like_result(&s, i, given[i].t);
  }
  /* A slice may refuse what an earlier one wrote, such as a divisor that became 0. */
  if (status == TH_OK && s.whole[0].dtype < TH_F16) status = th_tensor_clone(&before, &s.whole[0]);
  if (status == TH_OK) {
    status = run_slices(&s, -1);
    if (status != TH_OK && status != TH_EINTR && before.storage) th_copy_tensor(&s.whole[0], &before);
  }
  th_tensor_release(&before);
  return end(&s, status);
}

/* ---- TH_PLACES: (y, dim, index, x or value) and (y, mask, x) --------------------------------------- */

/* maskedCopy: each slice takes the elements of x that earlier slices have not used. */
static th_status run_masked(const th_entry *e, const th_arg *given)
{
  slicing s = { .e = e };
  th_tensor source = { 0 }, mask = { 0 };
  put(&s, 0, given[0].t);
  th_status status = put_like_result(&s, 1, given[1].t);
  if (status == TH_OK) status = th_on_cpu(&mask, &s.whole[1]);
  if (status == TH_OK) status = pack(&mask);
  if (status == TH_OK) status = apart(&source, given[2].t, given[0].t);
  if (status == TH_OK) status = pack(&source);
  if (status == TH_OK) {
    source.size[0] = th_numel(&source);
    source.stride[0] = source.ndim = 1;
    s.arg[2].t = &source;
    s.source = &source;
    s.mask = TH_DATA(uint8_t, &mask);
    status = run_slices(&s, -1);
  }
  th_tensor_release(&mask);
  th_tensor_release(&source);
  return end(&s, status);
}

/* A LongTensor vector of one 1, on the device of t. */
static th_status place_one(th_tensor *one, const th_tensor *t)
{
  th_tensor here = { 0 };
  const int64_t n = 1;
  TH_TRY(th_tensor_resize(&here, TH_I64, 1, &n, NULL));
  *TH_DATA(int64_t, &here) = 1;
  const th_status s = apart(one, &here, t);
  th_tensor_release(&here);
  return s;
}

/* Writes slice `from` of x along dim, or the value of the call where x is NULL, to slice `to` of y. */
static th_status run_place(const th_entry *e, const th_arg *given, const th_tensor *x, int dim, int64_t to, int64_t from,
                           th_tensor *one)
{
  slicing s = { .e = e };
  th_tensor slice = { 0 };
  memcpy(s.arg, given, (size_t)e->narg * sizeof *given);
  s.arg[2].t = one;
  th_status status = th_tensor_narrow(&slice, given[0].t, dim, to, 1);
  if (status == TH_OK) put(&s, 0, &slice);
  if (status == TH_OK && x) {
    status = th_tensor_narrow(&slice, x, dim, from, 1);
    if (status == TH_OK) put(&s, 3, &slice);
  }
  if (status == TH_OK) status = run_slices(&s, -1);
  th_tensor_release(&slice);
  return end(&s, status);
}

/* A vector of indices: processed one after another, each slice in row-major order. */
static th_status run_vector(const th_entry *e, const th_arg *given, const th_tensor *x, int dim, th_tensor *one)
{
  const th_tensor *index = given[2].t;
  th_tensor here = { 0 };
  th_status status = th_on_cpu(&here, index);
  const int64_t n = th_numel(index), step = here.ndim ? here.stride[0] : 1, *place = TH_DATA(int64_t, &here);
  for (int64_t k = 0; k < n && status == TH_OK; k++) {
    status = run_place(e, given, x, dim, place[k * step] - 1, k, one);
  }
  th_tensor_release(&here);
  return status;
}

/* An index for each element: processed line after line. All elements of a line with stride 0 share one address. */
static th_status run_lines(const th_entry *e, const th_arg *given, const th_tensor *x, int dim, const th_tensor *one)
{
  slicing s = { .e = e };
  th_tensor y = *given[0].t, index = { 0 };
  th_status status = apart(&index, given[2].t, &y);
  memcpy(s.arg, given, (size_t)e->narg * sizeof *given);
  if (status == TH_OK && y.stride[dim] == 0) {
    y.size[dim] = 1;
    status = th_tensor_expand(&index, one, index.ndim, index.size);
  }
  if (status == TH_OK) {
    put(&s, 0, &y);
    put(&s, 2, &index);
    if (x) put(&s, 3, x);
    status = run_slices(&s, dim);
  }
  th_tensor_release(&index);
  return end(&s, status);
}

/* The check has made the dimension of c one from 0; that of `given` may be negative. */
static th_status run_places(const th_entry *e, const th_call *c, const th_arg *given)
{
  const int dim = (int)c->arg[1].i;
  const bool has_x = e->inputs >> 3 & 1;
  th_tensor kept = { 0 }, one = { 0 }, *x = has_x ? &kept : NULL;
  th_status status = place_one(&one, given[0].t);
  if (status == TH_OK && has_x) status = apart(x, given[3].t, given[0].t);
  if (status == TH_OK) {
    status = given[2].t->ndim > 1 ? run_lines(e, given, x, dim, &one) : run_vector(e, given, x, dim, &one);
  }
  th_tensor_release(&kept);
  th_tensor_release(&one);
  return status;
}

/* ---- all other ops --------------------------------------------------------------------------------- */

static th_status run_aside(const th_entry *e, th_call *c, const th_arg *given)
{
  th_tensor fresh[TH_MAXOUT] = { 0 };
  th_arg arg[TH_MAXARG];
  th_status s = TH_OK;
  memcpy(arg, given, (size_t)e->narg * sizeof *given);
  for (int k = 0; k < c->nwant && s == TH_OK; k++) {
    const th_tensor *y = c->arg[c->want[k].arg].t;
    if (!th_is_in_order(c, k)) continue;
    fresh[k].device = y->device;
    s = th_tensor_resize(&fresh[k], y->dtype, y->ndim, y->size, NULL);
    arg[c->want[k].arg].t = &fresh[k];
  }
  if (s == TH_OK) s = th_run(&e->op, arg, e->narg);
  for (int k = 0; k < c->nwant && s == TH_OK; k++) {
    if (fresh[k].storage) s = th_copy_tensor(given[c->want[k].arg].t, &fresh[k]);
  }
  for (int k = 0; k < c->nwant; k++) th_tensor_release(&fresh[k]);
  for (int i = 0; i < e->narg; i++) if (e->returns >> i & 1) c->arg[i] = arg[i];
  return s;
}

th_status th_run_in_order(const th_entry *e, th_call *c, const th_arg *given)
{
  if (e->op.flags & TH_EACH) return run_each(e, given);
  if (e->op.flags & TH_PLACES) return e->masks ? run_masked(e, given) : run_places(e, c, given);
  return run_aside(e, c, given);
}
