// index.cu - slices and elements picked from, put into or added to named places along one dimension; rows of a table.
//
// The places were checked. Where one is named twice the later one counts (put) or both do (add), in their order, as on the
// CPU: short lines go through their places one by one; the places of long ones are sorted, and who finds the first of
// equal ones takes care of all of them.
#include "sort.cuh"
#include "../../lib/op/index.args.h"
#include "../../lib/op/embedding.args.h"

/* A thread goes through so many places; it goes through more where there are so many lines that all are busy. */
constexpr int64_t FEW = 32, MANY_LINES = 1 << 16;

/* A vector of places, the same for each line of t. */
static lines every_line(const th_tensor *index, const lines &t)
{
  lines l = t;
  for (int d = 0; d < l.outer.ndim; d++) l.outer.stride[d] = 0;
  l.n = th_numel(index);
  l.step = index->ndim ? index->stride[0] : 1;
  return l;
}

/* Element e of lines of n, as threads that are neighbours go through them: along the line, or from line to line. */
TH_DEVICE_FN void element_at(int64_t e, int64_t count, int64_t n, bool along, int64_t *line, int64_t *i)
{
  const int64_t q = th_quotient(e, along ? n : count);
  *line = along ? q : e - q * count;
  *i = along ? e - q * n : q;
}

template <class T>
static __global__ void pick(T *y, lines ly, const T *x, lines lx, const int64_t *index, lines li, bool along)
{
  for (TH_EACH(e, li.count * li.n)) {
    int64_t k, i;
    element_at(e, li.count, li.n, along, &k, &i);
    const int64_t from = index[li.outer.at(k) + i * li.step] - 1;
    y[ly.outer.at(k) + i * ly.step] = x[lx.outer.at(k) + from * lx.step];
  }
}
template <class T> static __global__ void set(T *y, lines ly, const int64_t *index, lines li, bool along, T v)
{
  for (TH_EACH(e, li.count * li.n)) {
    int64_t k, i;
    element_at(e, li.count, li.n, along, &k, &i);
    y[ly.outer.at(k) + (index[li.outer.at(k) + i * li.step] - 1) * ly.step] = v;
  }
}

/* What is put or added: `scale` times an element of x; nothing happens to place `spared`, from 0. */
template <class T, bool ADD> struct arrival {
  const T *x;
  lines l;
  double scale;
  int64_t spared;
  /* The element `was` after v has come. */
  TH_DEVICE_FN T after(T was, T v, double s)
  {
    if constexpr (ADD) {
      typedef element<T> E;
      return E::store(E::load(was) + E::number(s) * E::load(v));
    } else {
      return v;
    }
  }
};

template <class T, bool ADD>
static __global__ void put_in_order(T *y, lines ly, arrival<T, ADD> a, const int64_t *index, lines li)
{
  for (TH_EACH(k, li.count)) {
    const int64_t *place = index + li.outer.at(k);
    const T *x = a.x + a.l.outer.at(k);
    T *to = y + ly.outer.at(k);
    for (int64_t i = 0; i < li.n; i++) {
      const int64_t at = place[i * li.step] - 1;
      if (at != a.spared) to[at * ly.step] = a.after(to[at * ly.step], x[i * a.l.step], a.scale);
    }
  }
}

/* Element i of line k becomes a pair: where it goes, and where it comes from. */
static __global__ void pair_up(uint32_t *key, uint32_t *place, const int64_t *index, lines li, int64_t size)
{
  for (TH_EACH(e, li.count * li.n)) {
    const int64_t k = th_quotient(e, li.n), i = e - k * li.n;
    key[e] = (uint32_t)(k * size + index[li.outer.at(k) + i * li.step] - 1);
    place[e] = (uint32_t)e;
  }
}

/* What the pairs from s on that have one key do to one element. */
template <class T, bool ADD>
TH_DEVICE_FN void put_equal(T *to, const arrival<T, ADD> &a, const T *x, const uint32_t *key, const uint32_t *place, int64_t s,
                            int64_t pairs, int64_t first)
{
  const uint32_t here = key[s];
  T v = *to;
  do v = a.after(v, x[((int64_t)place[s] - first) * a.l.step], a.scale);
  while (++s < pairs && key[s] == here);
  *to = v;
}
/* Is pair s the first with its key (if it adds), or the last one? */
template <bool ADD> TH_DEVICE_FN bool leads(const uint32_t *key, int64_t s, int64_t pairs)
{
  return ADD ? s == 0 || key[s - 1] != key[s] : s + 1 == pairs || key[s + 1] != key[s];
}

/* Every pair stands for an element of one line. */
template <class T, bool ADD>
static __global__ void put_sorted(T *y, lines ly, arrival<T, ADD> a, const uint32_t *key, const uint32_t *place, int64_t pairs,
                                  int64_t n, int64_t size)
{
  for (TH_EACH(s, pairs)) {
    if (!leads<ADD>(key, s, pairs)) continue;
    const int64_t k = th_quotient(key[s], size), at = key[s] - k * size;
    if (at == a.spared) continue;
    put_equal(y + ly.outer.at(k) + at * ly.step, a, a.x + a.l.outer.at(k), key, place, s, pairs, k * n);
  }
}
/* Every pair stands for an element of each of `count` lines; 2 to the power of `share` threads share a pair. */
template <class T, bool ADD>
static __global__ void put_sorted_rows(T *y, lines ly, arrival<T, ADD> a, const uint32_t *key, const uint32_t *place,
                                       int64_t pairs, int64_t count, int share)
{
  for (TH_EACH(e, pairs << share)) {
    const int64_t s = e >> share;
    if (!leads<ADD>(key, s, pairs) || key[s] == a.spared) continue;
    for (int64_t k = e - (s << share); k < count; k += (int64_t)1 << share) {
      put_equal(y + ly.outer.at(k) + key[s] * ly.step, a, a.x + a.l.outer.at(k), key, place, s, pairs, 0);
    }
  }
}

/* The logarithm of how many threads share a row of n units. */
static int share_of(int64_t n)
{
  int share = 0;
  while (share < 8 && (int64_t)1 << share < n) share++;
  return share;
}

/* `whole`: index is one vector for all lines. */
template <class T, bool ADD>
static th_status put(T *y, const lines &ly, const arrival<T, ADD> &a, const int64_t *index, const lines &li, bool whole)
{
  const int64_t pairs = li.n * (whole ? 1 : li.count), most = (int64_t)UINT32_MAX;
  if (li.count == 0 || li.n == 0) return TH_OK;
  if (li.n <= FEW || li.count >= MANY_LINES || pairs > most || ly.n * (whole ? 1 : li.count) > most) {
    TH_LAUNCH((put_in_order<T, ADD>), th_blocks(li.count), THREADS, 0, y, ly, a, index, li);
    return th_launched();
  }
  sorting<uint32_t> s;
  lines one = li;
  if (whole) one.count = 1;
  TH_TRY(s.take(pairs));
  TH_LAUNCH((pair_up), th_blocks(pairs), THREADS, 0, s.key, s.place, index, one, ly.n);
  int bits = 0;
  while (bits < 32 && ly.n * one.count > (int64_t)1 << bits) bits++;
  TH_TRY(s.sort(1, pairs, bits));
  if (whole) {
    const int share = share_of(li.count);
    TH_LAUNCH((put_sorted_rows<T, ADD>), th_blocks(pairs << share), THREADS, 0, y, ly, a, s.key, s.place, pairs, li.count, share);
  } else {
    TH_LAUNCH((put_sorted<T, ADD>), th_blocks(pairs), THREADS, 0, y, ly, a, s.key, s.place, pairs, li.n, ly.n);
  }
  return th_launched();
}

/* ---- kernels ---- */

/* index and lines of t that go with it. */
struct named {
  const int64_t *index;
  lines l;
  named(const th_tensor *i, const lines &t, bool whole, int dim)
    : index(th_first<const int64_t>(i)), l(whole ? every_line(i, t) : th_cuda_lines(i, dim)) {}
};

/* Rows without gaps: row r of y is row index[r % n] of table r / n of x. A row has `units`, and a table `size` rows. */
struct row_copy { int64_t rows, n, units, size; const int64_t *index; int64_t step; int share; };
struct alignas(16) unit16 { uint64_t v[2]; };

template <class U> static __global__ void copy_rows(U *y, const U *x, row_copy c)
{
  for (TH_EACH(e, c.rows << c.share)) {
    const int64_t r = e >> c.share, table = c.rows == c.n ? 0 : th_quotient(r, c.n);
    const U *from = x + (table * c.size + c.index[(r - table * c.n) * c.step] - 1) * c.units;
    U *to = y + r * c.units;
    for (int64_t u = e - (r << c.share); u < c.units; u += (int64_t)1 << c.share) to[u] = from[u];
  }
}
template <class U> static th_status copy_rows_as(void *y, const void *x, row_copy c, int64_t bytes)
{
  c.units = bytes / (int64_t)sizeof(U);
  c.share = share_of(c.units);
  TH_LAUNCH((copy_rows<U>), th_blocks(c.rows << c.share), THREADS, 0, static_cast<U *>(y), static_cast<const U *>(x), c);
  return th_launched();
}
/* Copies rows of some bytes, 16 at a time if addresses and sizes allow it. */
template <class T> static th_status start_copy_rows(T *y, const T *x, const row_copy &c, int64_t bytes)
{
  const uintptr_t both = reinterpret_cast<uintptr_t>(y) | reinterpret_cast<uintptr_t>(x) | (uintptr_t)bytes;
  if (both % sizeof(unit16) == 0) return copy_rows_as<unit16>(y, x, c, bytes);
  return copy_rows_as<T>(y, x, c, bytes);
}

template <class T> static th_status pick_from(const th_call *c, bool whole)
{
  const index_args *a = index_args_of(c);
  const th_tensor *x = a->x, *y = a->y;
  const int dim = (int)a->dim;
  const lines ly = th_cuda_lines(y, dim), lx = th_cuda_lines(x, dim);
  const named p(a->index, lx, whole, dim);
  const int64_t n = p.l.count * p.l.n;
  int64_t row = 1;
  for (int d = dim + 1; d < x->ndim; d++) row *= x->size[d];
  if (n == 0) return TH_OK;
  if (whole && row > 1 && th_contiguous(x) && th_contiguous(y)) {
    const row_copy r = { n / row, p.l.n, 0, lx.n, p.index, p.l.step, 0 };
    return start_copy_rows(th_first<T>(y), th_first<const T>(x), r, row * (int64_t)sizeof(T));
  }
  TH_LAUNCH((pick<T>), th_blocks(n), THREADS, 0, th_first<T>(y), ly, th_first<const T>(x), lx, p.index, p.l, ly.step == 1);
  return th_launched();
}
template <class T> static th_status index(const th_call *c) { return pick_from<T>(c, true); }
template <class T> static th_status gather(const th_call *c) { return pick_from<T>(c, false); }
TH_KERNELS(index, TH_CUDA_SIZED(index))
TH_KERNELS(gather, TH_CUDA_SIZED(gather))

template <class T, bool ADD>
static th_status put_into(const th_tensor *y, int dim, const th_tensor *places, const th_tensor *x, bool whole)
{
  const lines ly = th_cuda_lines(y, dim);
  const named p(places, ly, whole, dim);
  const arrival<T, ADD> a = { th_first<const T>(x), th_cuda_lines(x, dim), 1, -1 };
  return put<T, ADD>(th_first<T>(y), ly, a, p.index, p.l, whole);
}
template <class T> static th_status index_copy(const th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  return put_into<T, false>(a->y, (int)a->dim, a->index, a->x, true);
}
template <class T> static th_status index_add(const th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  return put_into<T, true>(a->y, (int)a->dim, a->index, a->x, true);
}
template <class T> static th_status scatter(const th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  return put_into<T, false>(a->y, (int)a->dim, a->index, a->x, false);
}
template <class T> static th_status scatter_add(const th_call *c)
{
  const indexCopy_args *a = indexCopy_args_of(c);
  return put_into<T, true>(a->y, (int)a->dim, a->index, a->x, false);
}
template <class T> static th_status index_grad(const th_call *c)
{
  const index_grad_args *a = index_grad_args_of(c);
  TH_TRY(th_cuda_zero(a->gx));
  return put_into<T, true>(a->gx, (int)a->dim, a->index, a->g, true);
}
template <class T> static th_status gather_grad(const th_call *c)
{
  const index_grad_args *a = index_grad_args_of(c);
  TH_TRY(th_cuda_zero(a->gx));
  return put_into<T, true>(a->gx, (int)a->dim, a->index, a->g, false);
}
TH_KERNELS(indexCopy, TH_CUDA_SIZED(index_copy))
TH_KERNELS(indexAdd, TH_CUDA_ALL(index_add))
TH_KERNELS(index_grad, TH_CUDA_ALL(index_grad))
TH_KERNELS(scatter, TH_CUDA_SIZED(scatter))
TH_KERNELS(scatterAdd, TH_CUDA_ALL(scatter_add))
TH_KERNELS(gather_grad, TH_CUDA_ALL(gather_grad))

template <class T> static th_status set_to(const th_call *c, bool whole)
{
  const indexFill_args *a = indexFill_args_of(c);
  const th_tensor *y = a->y;
  const lines ly = th_cuda_lines(y, (int)a->dim);
  const named p(a->index, ly, whole, (int)a->dim);
  const int64_t n = p.l.count * p.l.n;
  if (n == 0) return TH_OK;
  TH_LAUNCH((set<T>), th_blocks(n), THREADS, 0, th_first<T>(y), ly, p.index, p.l, ly.step == 1,
            element<T>::from_double(a->value));
  return th_launched();
}
template <class T> static th_status index_fill(const th_call *c) { return set_to<T>(c, true); }
template <class T> static th_status scatter_value(const th_call *c) { return set_to<T>(c, false); }
TH_KERNELS(indexFill, TH_CUDA_ALL(index_fill))
TH_KERNELS(scatter_value, TH_CUDA_ALL(scatter_value))

/* ---- embedding: a row is what lies under one place of the first dimension ---- */

template <class T>
static __global__ void pick_rows(T *y, view vy, const T *w, lines lw, const int64_t *index, view vi, int64_t n)
{
  for (TH_EACH(e, n)) {
    const int64_t p = th_quotient(e, lw.count);
    y[vy.at(e)] = w[lw.outer.at(e - p * lw.count) + (index[vi.at(p)] - 1) * lw.step];
  }
}
template <class T> static th_status embedding(const th_call *c)
{
  const embedding_args *a = embedding_args_of(c);
  const th_tensor *y = a->y, *w = a->weight, *index = a->index;
  const int64_t n = th_numel(y);
  const lines lw = th_cuda_lines(w, 0);
  const view vi = th_view_of(index);
  if (n == 0) return TH_OK;
  if (vi.ndim == 1 && th_contiguous(w) && th_contiguous(y)) {
    const int64_t rows = n / lw.count;
    const row_copy r = { rows, rows, 0, lw.n, th_first<const int64_t>(index), vi.stride[0], 0 };
    return start_copy_rows(th_first<T>(y), th_first<const T>(w), r, lw.count * (int64_t)sizeof(T));
  }
  TH_LAUNCH((pick_rows<T>), th_blocks(n), THREADS, 0, th_first<T>(y), th_view_of(y), th_first<const T>(w), lw,
            th_first<const int64_t>(index), vi, n);
  return th_launched();
}
TH_KERNELS(embedding, TH_CUDA_SIZED(embedding))

/* t, or a copy of it whose elements lie side by side. */
class packed {
public:
  packed() { memset(&copy, 0, sizeof copy); }
  ~packed() { th_tensor_release(&copy); }
  packed(const packed &) = delete;
  packed &operator=(const packed &) = delete;
  th_status take(const th_tensor **t)
  {
    if (th_contiguous(*t)) return TH_OK;
    TH_TRY(th_tensor_clone(&copy, *t));
    *t = &copy;
    return TH_OK;
  }
private:
  th_tensor copy;
};

template <class T> static th_status embedding_grad(const th_call *c)
{
  const embedding_grad_args *args = embedding_grad_args_of(c);
  const th_tensor *gw = args->gw, *index = args->index, *g = args->g;
  packed own_index, own_g;
  TH_TRY(own_index.take(&index));
  TH_TRY(own_g.take(&g));
  const lines ly = th_cuda_lines(gw, 0);
  arrival<T, true> a = { th_first<const T>(g), { view(), ly.count, th_numel(index), ly.count }, args->scale, args->padding - 1 };
  lines li = every_line(index, ly);
  li.step = a.l.outer.ndim = 1;
  a.l.outer.size[0] = ly.count;
  a.l.outer.stride[0] = 1;
  return put<T, true>(th_first<T>(gw), ly, a, th_first<const int64_t>(index), li, true);
}
TH_KERNELS(embedding_grad, TH_CUDA_FLOATS(embedding_grad))
