/* tensor.c - views of storages: resizing, slicing, expanding. Checks sizes and offsets for overflow, and every view against the
 * end of its storage, so that no later step can leave it. */
#include "core.h"

/* ---- queries ---- */

int64_t th_tensor_numel(const th_tensor *t) { return th_numel(t); }

int th_tensor_is_contiguous(const th_tensor *t) { return th_contiguous(t); }

const char *th_shape_text(char buf[TH_SHAPE_TEXT], int ndim, const int64_t *size)
{
  size_t n = 0;
  if (ndim == 0) return strcpy(buf, "()");
  if (ndim == 1 && size[0] == 0) return strcpy(buf, "empty");
  for (int d = 0; d < ndim && n < TH_SHAPE_TEXT - 24; d++) {
    char digits[24];
    int k = 0;
    uint64_t v = size[d] < 0 ? 0 - (uint64_t)size[d] : (uint64_t)size[d];
    do digits[k++] = (char)('0' + v % 10); while (v /= 10);
    if (d) buf[n++] = 'x';
    if (size[d] < 0) buf[n++] = '-';
    while (k) buf[n++] = digits[--k];
  }
  buf[n] = '\0';
  return buf;
}

int64_t th_numel_checked(int ndim, const int64_t *size, size_t element_size)
{
  int64_t n = 1, bytes;
  bool zero = false;
  for (int d = 0; d < ndim; d++) {
    if (size[d] < 0) return -1;
    if (size[d] == 0) zero = true;
    else if (__builtin_mul_overflow(n, size[d], &n)) return -1;
  }
  if (__builtin_mul_overflow(n, (int64_t)element_size, &bytes) || bytes > INT64_MAX / 4) return -1;
  return zero ? 0 : n;
}

/* ---- shaping ---- */

void th_tensor_release(th_tensor *t)
{
  if (t->storage) th_storage_release(t->storage);
  memset(t, 0, sizeof *t);
}

void th_tensor_alias(th_tensor *to, const th_tensor *from)
{
  if (to == from) return;
  if (from->storage) th_storage_retain(from->storage);
  if (to->storage) th_storage_release(to->storage);
  *to = *from;
}

/* One past the last element that a view at `offset` reaches, or -1 when it overflows or is negative. */
static int64_t view_end(int64_t offset, int ndim, const int64_t *size, const int64_t *stride)
{
  int64_t last = offset, first = offset, reach;
  for (int d = 0; d < ndim; d++) {
    if (size[d] == 0) return 0;
    if (__builtin_mul_overflow(size[d] - 1, stride[d], &reach)) return -1;
    if (__builtin_add_overflow(reach > 0 ? last : first, reach, reach > 0 ? &last : &first)) return -1;
  }
  return first < 0 || last == INT64_MAX ? -1 : last + 1;
}

static void packed_strides(int ndim, const int64_t *size, int64_t *stride)
{
  int64_t step = 1;
  for (int d = ndim - 1; d >= 0; d--) {
    stride[d] = step;
    step *= size[d] ? size[d] : 1;
  }
}

static th_status need_sizes(int dtype, int ndim, const int64_t *size)
{
  if (ndim < 0 || ndim > TH_MAXDIM) {
    return th_fail(TH_ESHAPE, "a tensor has at most %d dimensions, got %d", TH_MAXDIM, ndim);
  }
  for (int d = 0; d < ndim; d++) {
    if (size[d] < 0) return th_fail(TH_ESHAPE, "size %d must not be negative, got %lld", d + 1, (long long)size[d]);
  }
  if (th_numel_checked(ndim, size, th_bytes_of(dtype)) < 0) {
    return th_fail(TH_ESHAPE, "the size %s is more than can be counted", th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, ndim, size));
  }
  return TH_OK;
}

static void write_view(th_tensor *t, int64_t offset, int ndim, const int64_t *size, const int64_t *stride)
{
  t->offset = offset;
  t->ndim = ndim;
  for (int d = 0; d < ndim; d++) {          /* the arrays may be NULL if ndim is 0 */
    t->size[d] = size[d];
    t->stride[d] = stride[d];
  }
}

th_status th_tensor_set(th_tensor *to, int dtype, th_storage *s, int64_t offset, int ndim,
                        const int64_t *size, const int64_t *stride)
{
  int64_t packed[TH_MAXDIM];
  if (s && s->dtype != dtype) {
    return th_fail(TH_EDTYPE, "a %sTensor needs a %sStorage, got a %sStorage", th_dtype_name(dtype),
                   th_dtype_name(dtype), th_dtype_name(s->dtype));
  }
  TH_TRY(need_sizes(dtype, ndim, size));
  if (!stride) { packed_strides(ndim, size, packed); stride = packed; }
  if (offset < 0) return th_fail(TH_EARG, "the offset must be at least 1, got %lld", (long long)offset + 1);
  const int64_t end = view_end(offset, ndim, size, stride), have = s ? s->size : 0;
  if (end < 0 || end > have) {
    return th_fail(TH_ESHAPE, "size %s from place %lld does not fit a storage of %lld elements",
                   th_shape_text((char[TH_SHAPE_TEXT]){ 0 }, ndim, size), (long long)offset + 1, (long long)have);
  }
  if (s) th_storage_retain(s);
  if (to->storage) th_storage_release(to->storage);
  to->storage = s;
  to->dtype = dtype;
  if (s) to->device = s->device;
  write_view(to, offset, ndim, size, stride);
  return TH_OK;
}

th_status th_tensor_resize(th_tensor *t, int dtype, int ndim, const int64_t *size, const int64_t *stride)
{
  int64_t packed[TH_MAXDIM];
  if (t->dtype != TH_NONE && t->dtype != dtype) {
    return th_fail(TH_EDTYPE, "a %sTensor cannot become a %sTensor", th_dtype_name(t->dtype), th_dtype_name(dtype));
  }
  TH_TRY(need_sizes(dtype, ndim, size));
  if (!stride) { packed_strides(ndim, size, packed); stride = packed; }
  const int64_t end = view_end(t->offset, ndim, size, stride);
  if (end < 0) return th_fail(TH_ESHAPE, "strides lead outside of the storage");
  if (end > 0) {
    if (!t->storage) {
      TH_TRY(th_storage_new(&t->storage, t->device, dtype, end, 0));
    } else if (end > t->storage->size) {
      TH_TRY(th_storage_resize(t->storage, end));
    }
  }
  t->dtype = dtype;
  write_view(t, t->offset, ndim, size, stride);
  return TH_OK;
}

/* ---- views ---- */

static th_status need_view_dim(const char *who, const th_tensor *t, int dim)
{
  if (dim >= 0 && dim < t->ndim) return TH_OK;
  return th_fail(TH_EARG, "%s: the dimension must lie in 1..%d, got %d", who, t->ndim, dim + 1);
}

th_status th_tensor_narrow(th_tensor *to, const th_tensor *from, int dim, int64_t first, int64_t n)
{
  TH_TRY(need_view_dim("narrow", from, dim));
  if (first < 0 || n < 0 || n > from->size[dim] || first > from->size[dim] - n) {
    return th_fail(TH_EARG, "narrow: places %lld to %lld are outside of 1..%lld in dimension %d", (long long)first + 1,
                   (long long)(first + n), (long long)from->size[dim], dim + 1);
  }
  th_tensor_alias(to, from);
  to->offset += first * to->stride[dim];
  to->size[dim] = n;
  return TH_OK;
}

/* Removes dimension `dim`. */
static void drop_dim(th_tensor *t, int dim)
{
  for (int d = dim; d < t->ndim - 1; d++) {
    t->size[d] = t->size[d + 1];
    t->stride[d] = t->stride[d + 1];
  }
  t->ndim--;
}

th_status th_tensor_select(th_tensor *to, const th_tensor *from, int dim, int64_t index)
{
  TH_TRY(need_view_dim("select", from, dim));
  if (index < 0 || index >= from->size[dim]) {
    return th_fail(TH_EARG, "select: the index must lie in 1..%lld in dimension %d, got %lld", (long long)from->size[dim],
                   dim + 1, (long long)index + 1);
  }
  th_tensor_alias(to, from);
  to->offset += index * to->stride[dim];
  drop_dim(to, dim);
  return TH_OK;
}

th_status th_tensor_transpose(th_tensor *to, const th_tensor *from, int dim1, int dim2)
{
  TH_TRY(need_view_dim("transpose", from, dim1));
  TH_TRY(need_view_dim("transpose", from, dim2));
  th_tensor_alias(to, from);
  const int64_t size = to->size[dim1], stride = to->stride[dim1];
  to->size[dim1] = to->size[dim2];
  to->stride[dim1] = to->stride[dim2];
  to->size[dim2] = size;
  to->stride[dim2] = stride;
  return TH_OK;
}

th_status th_tensor_unfold(th_tensor *to, const th_tensor *from, int dim, int64_t size, int64_t step)
{
  TH_TRY(need_view_dim("unfold", from, dim));
  if (from->ndim == TH_MAXDIM) return th_fail(TH_ESHAPE, "unfold: a tensor has at most %d dimensions", TH_MAXDIM);
  if (size < 1 || size > from->size[dim]) {
    return th_fail(TH_EARG, "unfold: the window must lie in 1..%lld, got %lld", (long long)from->size[dim], (long long)size);
  }
  if (step < 1) return th_fail(TH_EARG, "unfold: the step must be at least 1, got %lld", (long long)step);
  const int64_t stride = from->stride[dim];
  th_tensor_alias(to, from);
  to->size[dim] = (to->size[dim] - size) / step + 1;
  if (__builtin_mul_overflow(step, stride, &to->stride[dim])) to->stride[dim] = stride;   /* there is only one window */
  to->size[to->ndim] = size;
  to->stride[to->ndim++] = stride;
  return TH_OK;
}

th_status th_tensor_expand(th_tensor *to, const th_tensor *from, int ndim, const int64_t *size)
{
  int64_t stride[TH_MAXDIM], wanted[TH_MAXDIM];
  TH_TRY(need_sizes(from->dtype, ndim, size));
  if (ndim < from->ndim) {
    return th_fail(TH_ESHAPE, "%d sizes are too few for a tensor of size %s", ndim, TH_SHAPE(from));
  }
  memcpy(wanted, size, sizeof *size * (size_t)ndim);
  for (int d = 0; d < ndim; d++) {
    const int k = d - (ndim - from->ndim);
    const int64_t have = k < 0 ? 1 : from->size[k];
    if (have != 1 && have != wanted[d]) {
      return th_fail(TH_ESHAPE, "size %lld of dimension %d cannot become %lld: only size 1 stretches",
                     (long long)have, k + 1, (long long)wanted[d]);
    }
    stride[d] = have == wanted[d] && k >= 0 ? from->stride[k] : 0;
  }
  th_tensor_alias(to, from);
  write_view(to, to->offset, ndim, wanted, stride);
  return TH_OK;
}

th_status th_tensor_squeeze(th_tensor *to, const th_tensor *from, int dim)
{
  if (dim >= 0) TH_TRY(need_view_dim("squeeze", from, dim));
  th_tensor_alias(to, from);
  for (int d = to->ndim - 1; d >= 0; d--) {
    if (to->ndim > 1 && to->size[d] == 1 && (dim < 0 || d == dim)) drop_dim(to, d);
  }
  return TH_OK;
}
