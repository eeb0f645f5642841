// layout.cu - where elements lie, for kernels; which places of an index lie outside.
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

/* The first place outside; limits and places count from 1. */
static __global__ void outside(unsigned long long *first, const int64_t *x, view v, int64_t n, int64_t limit)
{
  for (TH_EACH(i, n)) {
    const int64_t k = x[v.at(i)];
    if (k < 1 || k > limit) atomicMin(first, (unsigned long long)i);
  }
}

th_status th_cuda_outside(const th_tensor *t, int64_t limit, int64_t *place, int64_t *value)
{
  const int64_t n = th_numel(t);
  const unsigned long long none = ~0ull;
  unsigned long long first;
  th_cuda_scratch s;
  *place = -1;
  TH_CUDA_TRY(cudaSetDevice(t->device - 1));
  TH_TRY(s.take(sizeof first));
  TH_CUDA_TRY(cudaMemcpyAsync(s.as<void>(), &none, sizeof none, cudaMemcpyHostToDevice, th_cuda_stream()));
  const view v = th_view_of(t);
  TH_LAUNCH((outside), th_blocks(n), THREADS, 0, s.as<unsigned long long>(), th_first<const int64_t>(t), v, n, limit);
  TH_TRY(th_launched());
  TH_TRY(th_cuda_fetch(&first, s.as<void>(), sizeof first));
  if (first == none) return TH_OK;
  *place = (int64_t)first;
  return th_cuda_fetch(value, th_first<const int64_t>(t) + v.at(*place), sizeof *value);
}
