// layout.cu - where elements lie, for kernels.
#include "backend.cuh"

/* Dimensions that continue each other become one. The dimensions of size 1 go; one is always left. */
static view joined(int ndim, const int64_t *size, const int64_t *stride)
{
  view v;
  v.ndim = 0;
  for (int d = 0; d < ndim; d++) {
    if (size[d] == 1) continue;
    const int last = v.ndim - 1;
    if (last >= 0 && v.stride[last] == stride[d] * size[d]) {
      v.size[last] *= size[d];
      v.stride[last] = stride[d];
    } else {
      v.size[v.ndim] = size[d];
      v.stride[v.ndim++] = stride[d];
    }
  }
  if (v.ndim == 0) {
    v.ndim = 1;
    v.size[0] = 1;
    v.stride[0] = 1;
  }
  return v;
}

view th_view_of(const th_tensor *t) { return joined(t->ndim, t->size, t->stride); }

view th_view_like(const th_tensor *t, const th_tensor *y)
{
  int64_t stride[TH_MAXDIM];
  if (th_numel(t) == th_numel(y)) return th_view_of(t);
  for (int d = 0; d < y->ndim; d++) {
    const int k = d - (y->ndim - t->ndim);
    stride[d] = k < 0 || t->size[k] == 1 ? 0 : t->stride[k];
  }
  return joined(y->ndim, y->size, stride);
}

lines th_cuda_lines(const th_tensor *t, int dim)
{
  lines l;
  int64_t size[TH_MAXDIM], stride[TH_MAXDIM];
  int n = 0;
  l.n = t->ndim ? t->size[dim] : 1;
  l.step = t->ndim ? t->stride[dim] : 1;
  l.count = 1;
  for (int d = 0; d < t->ndim; d++) {
    if (d == dim) continue;
    size[n] = t->size[d];
    stride[n++] = t->stride[d];
    l.count *= t->size[d];
  }
  l.outer = joined(n, size, stride);
  return l;
}

th_tensor th_cuda_with_dim(const th_tensor *y, int dim, int ndim)
{
  th_tensor t = *y;
  if (t.ndim == ndim) return t;
  for (int d = t.ndim; d > dim; d--) {
    t.size[d] = t.size[d - 1];
    t.stride[d] = t.stride[d - 1];
  }
  t.size[dim] = 1;
  t.stride[dim] = 1;
  t.ndim = ndim;
  return t;
}
