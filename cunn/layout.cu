// layout.cu - where elements lie, for kernels; what the checks of ops ask of elements.
#include "graph.cuh"

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

/* ---- what a check asks of elements ---- */

template <class T> static __device__ bool is_inside(T k, th_cuda_bounds b)
{
  if constexpr (element<T>::is_int) {
    return ((int64_t)k >= (int64_t)b.least && (int64_t)k <= (int64_t)b.most) || (double)k == b.spared;
  } else {
    const double d = (double)element<T>::load(k);
    return (d >= b.least && d <= b.most) || d == b.spared;
  }
}
template <class T> static __global__ void outside(unsigned long long *first, const T *x, view v, int64_t n, th_cuda_bounds b)
{
  for (TH_EACH(i, n)) {
    if (!is_inside(x[v.at(i)], b)) atomicMin(first, (unsigned long long)i);
  }
}

template <class T> static th_status first_outside(const th_tensor *t, th_cuda_bounds b, int64_t *place, void *element)
{
  const int64_t n = th_numel(t);
  const unsigned long long none = ~0ull;
  unsigned long long first;
  th_cuda_scratch s;
  *place = -1;
  if (n == 0) return TH_OK;
  TH_TRY(s.take(sizeof first));
  TH_CUDA_TRY(cudaMemsetAsync(s.as<void>(), 0xff, sizeof first, th_cuda_stream()));
  const view v = th_view_of(t);
  TH_LAUNCH((outside<T>), th_blocks(n), THREADS, 0, s.as<unsigned long long>(), th_first<const T>(t), v, n, b);
  TH_TRY(th_launched());
  TH_TRY(th_cuda_fetch(&first, s.as<void>(), sizeof first));
  if (first == none) return TH_OK;
  *place = (int64_t)first;
  return th_cuda_fetch(element, th_first<const T>(t) + v.at(*place), sizeof(T));
}

/* A graph cannot wait. So a kernel notes indices that lie outside, and moves them inside before other kernels read them. A
 * finding keeps the first. */
template <class T>
static __global__ void mend(th_cuda_finding *f, T *x, view v, int64_t n, th_cuda_bounds b, T least)
{
  for (TH_EACH(i, n)) {
    T &at = x[v.at(i)];
    if (is_inside(at, b)) continue;
    if ((unsigned long long)i == f->place) memcpy(f->element, &at, sizeof at);
    at = least;
  }
}
template <class T> static th_status find_and_mend(const th_tensor *t, th_cuda_bounds b, th_cuda_finding *f)
{
  const int64_t n = th_numel(t);
  const view v = th_view_of(t);
  TH_LAUNCH((outside<T>), th_blocks(n), THREADS, 0, &f->place, th_first<const T>(t), v, n, b);
  TH_TRY(th_launched());
  TH_LAUNCH((mend<T>), th_blocks(n), THREADS, 0, f, th_first<T>(t), v, n, b, element<T>::from_double(b.least));
  return th_launched();
}

template <class T> static th_status look(const th_tensor *t, th_cuda_bounds b, int64_t *place, void *element)
{
  th_cuda_finding *f = nullptr;
  if (!th_cuda_records()) return first_outside<T>(t, b, place, element);
  *place = -1;
  if (th_numel(t) == 0) return TH_OK;
  TH_TRY(th_cuda_graph_check(t, b, &f));
  return f ? find_and_mend<T>(t, b, f) : TH_OK;
}

th_status th_cuda_outside_bounds(const th_tensor *t, th_cuda_bounds b, int64_t *place, void *element)
{
  TH_CUDA_TRY(cudaSetDevice(t->device - 1));
  switch (t->dtype) {
    case TH_U8:  return look<uint8_t>(t, b, place, element);
    case TH_I64: return look<int64_t>(t, b, place, element);
    case TH_F16: return look<f16>(t, b, place, element);
    case TH_BF16: return look<bf16>(t, b, place, element);
    case TH_F32: return look<float>(t, b, place, element);
    default:     return look<double>(t, b, place, element);
  }
}

th_status th_cuda_outside(const th_tensor *t, double least, double most, int64_t *place, void *element)
{
  return th_cuda_outside_bounds(t, { least, most, NAN }, place, element);
}

/* Whole numbers are counted: their order does not matter. */
template <class T> static __global__ void tell_nonzero(unsigned long long *count, const T *x, view v, int64_t n)
{
  unsigned long long some = 0;
  for (TH_EACH(i, n)) some += element<T>::load(x[v.at(i)]) != 0;
  for (unsigned h = 16; h > 0; h /= 2) some += __shfl_down_sync(0xffffffffu, some, h);
  if (threadIdx.x % 32 == 0 && some) atomicAdd(count, some);
}

template <class T> static th_status count_nonzero(const th_tensor *t, int64_t *count)
{
  const int64_t n = th_numel(t);
  th_cuda_scratch s;
  *count = 0;
  if (n == 0) return TH_OK;
  TH_TRY(s.take(sizeof *count));
  TH_CUDA_TRY(cudaMemsetAsync(s.as<void>(), 0, sizeof *count, th_cuda_stream()));
  TH_LAUNCH((tell_nonzero<T>), th_blocks(n), THREADS, 0, s.as<unsigned long long>(), th_first<const T>(t), th_view_of(t), n);
  TH_TRY(th_launched());
  return th_cuda_fetch(count, s.as<void>(), sizeof *count);
}

th_status th_cuda_nonzero(const th_tensor *t, int64_t *count)
{
  typedef th_status counting(const th_tensor *, int64_t *);
  static counting *const of[TH_NDTYPE] = { nullptr, TH_CUDA_ALL(count_nonzero) };
  TH_CUDA_TRY(cudaSetDevice(t->device - 1));
  return of[t->dtype](t, count);
}
