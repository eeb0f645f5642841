// bounds.cu - the checks of ops on elements: kernels that look at them, and those that copy what lies within bounds.
#include "late.cuh"

namespace {

struct limits { double least, most; int64_t spared; bool spares; };

template <class T> __device__ bool is_inside(T k, limits b)
{
  if constexpr (element<T>::is_int) {
    return ((int64_t)k >= (int64_t)b.least && (int64_t)k <= (int64_t)b.most) || (b.spares && (int64_t)k == b.spared);
  } else {
    const double d = (double)element<T>::load(k);
    return d >= b.least && d <= b.most;
  }
}
limits limits_of(const th_bound *b) { return { b->least, b->most, b->spared, b->spares }; }

/* ---- at once ---- */

template <class T> __global__ void outside(unsigned long long *first, const T *x, view v, int64_t n, limits b)
{
  for (TH_EACH(i, n)) {
    if (!is_inside(x[v.at(i)], b)) atomicMin(first, (unsigned long long)i);
  }
}

template <class T> th_status first_outside(const th_tensor *t, const th_bound *b, int64_t *place, void *element)
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
  TH_LAUNCH((outside<T>), th_blocks(n), THREADS, 0, s.as<unsigned long long>(), th_first<const T>(t), v, n, limits_of(b));
  TH_TRY(th_launched());
  TH_TRY(th_cuda_fetch(&first, s.as<void>(), sizeof first));
  if (first == none) return TH_OK;
  *place = (int64_t)first;
  return th_cuda_fetch(element, th_first<const T>(t) + v.at(*place), sizeof(T));
}

/* ---- late ---- */

/* Element i of the elements that differ: v is its address, w its place among all. */
template <class T>
__global__ void look(T *copy, const T *x, view v, view w, int64_t n, limits b, th_cuda_finder f)
{
  for (TH_EACH(i, n)) {
    T e = x[v.at(i)];
    if (!is_inside(e, b)) {
      th_find(f, w.at(i), e);
      e = element<T>::from_double(b.least);
    }
    if (copy) copy[i] = e;
  }
}

/* The first place that names a row owns it. */
__global__ void own_rows(unsigned long long *owner, const int64_t *x, view v, int64_t n, int64_t rows)
{
  for (TH_EACH(i, n)) {
    const int64_t row = x[v.at(i)];
    if (row >= 1 && row <= rows) atomicMin(owner + row - 1, (unsigned long long)i);
  }
}
__global__ void take_rows(int64_t *copy, const unsigned long long *owner, const int64_t *x, view v, int64_t n, int64_t rows,
                          th_cuda_finder f)
{
  for (TH_EACH(i, n)) {
    const int64_t row = x[v.at(i)];
    const bool good = row == 0 || (row >= 1 && row <= rows && owner[row - 1] == (unsigned long long)i);
    if (!good) th_find(f, i, row);
    copy[i] = good ? row : 0;
  }
}

/* A tensor with one element for those of t that share an address, and the strides of their first places in t. */
struct distinct { th_tensor t; int64_t place[TH_MAXDIM]; };
distinct distinct_of(const th_tensor *t)
{
  distinct d;
  int64_t step = 1;
  d.t = *t;
  for (int k = t->ndim - 1; k >= 0; k--) {
    d.place[k] = step;
    step *= t->size[k];
    if (t->stride[k] == 0) d.t.size[k] = 1;
  }
  return d;
}

/* Room for a copy of them, with the sizes of t. */
th_status take_copy(th_tensor *kept, const distinct &d, const th_tensor *t)
{
  kept->device = t->device;
  TH_TRY(th_tensor_resize(kept, t->dtype, d.t.ndim, d.t.size, nullptr));
  for (int k = 0; k < t->ndim; k++) {
    kept->size[k] = t->size[k];
    if (t->stride[k] == 0) kept->stride[k] = 0;
  }
  return TH_OK;
}

template <class T> th_status look_at(th_call *c, const th_bound *b, th_tensor *kept)
{
  const th_tensor *t = c->arg[b->arg].t;
  distinct d = distinct_of(t);
  const int64_t n = th_numel(&d.t);
  th_cuda_finder f;
  if (th_numel(t) == 0) return TH_OK;
  TH_TRY(th_cuda_finder_of(&f, c, b));
  if (!f.at) return TH_OK;
  if (b->rule == TH_RULE_INDEX) TH_TRY(take_copy(kept, d, t));
  const view v = th_view_of(&d.t);
  memcpy(d.t.stride, d.place, sizeof d.place);
  TH_LAUNCH((look<T>), th_blocks(n), THREADS, 0, kept->storage ? th_first<T>(kept) : static_cast<T *>(nullptr),
            th_first<const T>(t), v, th_view_of(&d.t), n, limits_of(b), f);
  if (kept->storage) c->arg[b->arg].t = kept;
  return th_launched();
}

th_status look_at_rows(th_call *c, const th_bound *b, th_tensor *kept)
{
  const th_tensor *t = c->arg[b->arg].t;
  const int64_t n = th_numel(t), rows = (int64_t)b->most;
  th_cuda_finder f;
  th_cuda_scratch owner;
  TH_TRY(th_cuda_finder_of(&f, c, b));
  if (n == 0 || !f.at) return TH_OK;
  kept->device = t->device;
  TH_TRY(th_tensor_resize(kept, t->dtype, t->ndim, t->size, nullptr));
  TH_TRY(owner.take((size_t)rows * sizeof(uint64_t)));
  TH_CUDA_TRY(cudaMemsetAsync(owner.as<void>(), 0xff, (size_t)rows * sizeof(uint64_t), th_cuda_stream()));
  const view v = th_view_of(t);
  const int64_t *x = th_first<const int64_t>(t);
  TH_LAUNCH((own_rows), th_blocks(n), THREADS, 0, owner.as<unsigned long long>(), x, v, n, rows);
  TH_LAUNCH((take_rows), th_blocks(n), THREADS, 0, th_first<int64_t>(kept), owner.as<const unsigned long long>(), x, v, n,
            rows, f);
  c->arg[b->arg].t = kept;
  return th_launched();
}

th_status begin_check(th_call *c, const th_bound *b, th_tensor *kept)
{
  const int dtype = c->arg[b->arg].t->dtype;
  if (b->rule == TH_RULE_CLASS || b->rule == TH_RULE_MASK) return TH_OK;       /* the op's own kernel checks */
  if (b->rule == TH_RULE_ROW) return look_at_rows(c, b, kept);
  switch (dtype) {
    case TH_I64: return look_at<int64_t>(c, b, kept);
    case TH_F16: return look_at<f16>(c, b, kept);
    case TH_BF16: return look_at<bf16>(c, b, kept);
    case TH_F32: return look_at<float>(c, b, kept);
    default:     return look_at<double>(c, b, kept);
  }
}

/* Whole numbers are counted: their order does not matter. */
template <class T> __global__ void tell_nonzero(unsigned long long *count, const T *x, view v, int64_t n)
{
  unsigned long long some = 0;
  for (TH_EACH(i, n)) some += element<T>::load(x[v.at(i)]) != 0;
  for (unsigned h = 16; h > 0; h /= 2) some += __shfl_down_sync(0xffffffffu, some, h);
  if (threadIdx.x % 32 == 0 && some) atomicAdd(count, some);
}

template <class T> th_status count_nonzero(const th_tensor *t, int64_t *count)
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

}  // namespace

th_status th_cuda_outside(const th_tensor *t, const th_bound *b, int64_t *place, void *element)
{
  TH_CUDA_NOT_RECORDED("the host looks at elements");
  TH_CUDA_TRY(cudaSetDevice(t->device - 1));
  switch (t->dtype) {
    case TH_U8:  return first_outside<uint8_t>(t, b, place, element);
    case TH_I64: return first_outside<int64_t>(t, b, place, element);
    case TH_F16: return first_outside<f16>(t, b, place, element);
    case TH_BF16: return first_outside<bf16>(t, b, place, element);
    case TH_F32: return first_outside<float>(t, b, place, element);
    default:     return first_outside<double>(t, b, place, element);
  }
}

th_status th_cuda_begin_checks(th_call *c, const th_bound *b, int n, th_tensor *kept)
{
  for (int k = 0; k < n; k++) TH_TRY(begin_check(c, &b[k], &kept[k]));
  return TH_OK;
}

th_status th_cuda_nonzero(const th_tensor *t, int64_t *count)
{
  typedef th_status counting(const th_tensor *, int64_t *);
  static counting *const of[TH_NDTYPE] = { nullptr, TH_CUDA_ALL(count_nonzero) };
  TH_CUDA_TRY(cudaSetDevice(t->device - 1));
  return of[t->dtype](t, count);
}
