// fft.cu - Fourier transforms along dimensions, by cuFFT: lines are gathered side by side, transformed, and put into the tensor
// that the next pass reads. Without cuFFT the CPU does it all.
#include <algorithm>
#include "../libraries/cufft.cuh"
#include "../../lib/op/fft.args.h"
#include "../runtime/recording.cuh"
#include "th_fft.h"

namespace {

/* What a line is on either side of a transform of n numbers. */
enum { REAL, COMPLEX, SPECTRUM };
TH_DEVICE_FN int64_t places(int form, int64_t n) { return form == SPECTRUM ? n / 2 + 1 : n; }

/* Lines of a tensor: where they begin, how many numbers they have, steps from one to the next and to the imaginary part. */
struct side { int form; int64_t n; view outer; int64_t count, step, pair; double inner, scale; };

/* The factor of number i of a line; the imaginary parts of a half spectrum's ends say nothing. */
TH_DEVICE_FN bool is_end(const side &s, int64_t i) { return s.form == SPECTRUM && (i == 0 || 2 * i == s.n); }
TH_DEVICE_FN double factor(const side &s, int64_t i)
{
  return s.scale * (s.form == SPECTRUM && !is_end(s, i) ? s.inner : 1);
}

/* Lines [first, first + lines), cut or padded with zeros to what the transform takes. */
template <class T, class P> static __global__ void gather(P *to, const T *from, side s, int64_t first, int64_t lines)
{
  typedef element<T> E;
  const int64_t each = places(s.form, s.n);
  for (TH_EACH(e, lines * each)) {
    const int64_t line = th_quotient(e, each), i = e - line * each;
    const T *x = from + s.outer.at(first + line) + i * s.step;
    const bool there = i < s.count;
    const P by = (P)factor(s, i);
    if (s.form == REAL) {
      to[e] = there ? by * (P)E::load(*x) : 0;
    } else {
      to[2 * e] = there ? by * (P)E::load(*x) : 0;
      to[2 * e + 1] = there && !is_end(s, i) ? by * (P)E::load(x[s.pair]) : 0;
    }
  }
}
template <class T, class P> static __global__ void scatter(T *to, const P *from, side s, int64_t first, int64_t lines)
{
  typedef element<T> E;
  const int64_t each = places(s.form, s.n);
  for (TH_EACH(e, lines * s.count)) {
    const int64_t line = th_quotient(e, s.count), i = e - line * s.count, k = line * each + i;
    T *y = to + s.outer.at(first + line) + i * s.step;
    const bool there = i < each;
    const P by = (P)factor(s, i);
    if (s.form == REAL) {
      *y = E::store(there ? by * from[k] : (P)0);
    } else {
      *y = E::store(there ? by * from[2 * k] : (P)0);
      y[s.pair] = E::store(there && !is_end(s, i) ? by * from[2 * k + 1] : (P)0);
    }
  }
}

/* Floats, doubles or halves to and from P. */
template <class P> static th_status bring(P *to, const th_tensor *t, const side &s, int64_t first, int64_t lines)
{
  const unsigned blocks = th_blocks(lines * places(s.form, s.n));
  if constexpr (sizeof(P) == 8) {
    TH_LAUNCH((gather<double, P>), blocks, THREADS, 0, to, th_first<const double>(t), s, first, lines);
  } else if (t->dtype == TH_F32) {
    TH_LAUNCH((gather<float, P>), blocks, THREADS, 0, to, th_first<const float>(t), s, first, lines);
  } else if (t->dtype == TH_F16) {
    TH_LAUNCH((gather<f16, P>), blocks, THREADS, 0, to, th_first<const f16>(t), s, first, lines);
  } else {
    TH_LAUNCH((gather<bf16, P>), blocks, THREADS, 0, to, th_first<const bf16>(t), s, first, lines);
  }
  return th_launched();
}
template <class P> static th_status put(const th_tensor *t, const P *from, const side &s, int64_t first, int64_t lines)
{
  const unsigned blocks = th_blocks(lines * s.count);
  if constexpr (sizeof(P) == 8) {
    TH_LAUNCH((scatter<double, P>), blocks, THREADS, 0, th_first<double>(t), from, s, first, lines);
  } else if (t->dtype == TH_F32) {
    TH_LAUNCH((scatter<float, P>), blocks, THREADS, 0, th_first<float>(t), from, s, first, lines);
  } else if (t->dtype == TH_F16) {
    TH_LAUNCH((scatter<f16, P>), blocks, THREADS, 0, th_first<f16>(t), from, s, first, lines);
  } else {
    TH_LAUNCH((scatter<bf16, P>), blocks, THREADS, 0, th_first<bf16>(t), from, s, first, lines);
  }
  return th_launched();
}

/* ---- a pass ---- */

static side side_of(const th_tensor *t, bool is_complex, int form, const th_fft_pass &q, double scale)
{
  th_tensor one = *t;
  one.ndim -= is_complex;
  const lines l = th_cuda_lines(&one, q.dim);
  return { form, q.n, l.outer, l.n, l.step, is_complex ? t->stride[one.ndim] : 0, q.inner, scale };
}

template <class P> static th_status pass(const th_fft_pass &q, const th_tensor *x, bool x_complex, const th_tensor *y,
                                         bool y_complex, double scale)
{
  static const int forms[][2] = { { COMPLEX, COMPLEX }, { COMPLEX, COMPLEX }, { REAL, SPECTRUM }, { SPECTRUM, REAL } };
  const side from = side_of(x, x_complex, forms[q.kind][0], q, 1), to = side_of(y, y_complex, forms[q.kind][1], q, scale);
  const bool real = q.kind >= TH_FFT_HALF, back = q.kind == TH_FFT_BACKWARD || q.kind == TH_FFT_WHOLE;
  const int64_t half = q.n / 2 + 1, count = th_numel(y) / (to.count * (y_complex ? 2 : 1));
  const int64_t most = std::min(count, std::max(th_cuda_chunk(x->device) / (q.n * 2 * (int64_t)sizeof(P)), (int64_t)1));
  th_cuda_scratch numbers, spectra;
  TH_TRY(numbers.take((size_t)most * (size_t)q.n * (real ? 1 : 2) * sizeof(P)));
  if (real) TH_TRY(spectra.take((size_t)most * (size_t)half * 2 * sizeof(P)));
  P *const in = q.kind == TH_FFT_WHOLE ? spectra.as<P>() : numbers.as<P>();
  P *const out = q.kind == TH_FFT_HALF ? spectra.as<P>() : numbers.as<P>();
  for (int64_t first = 0; first < count; first += most) {
    const int64_t n = std::min(most, count - first);
    TH_TRY(bring(in, x, from, first, n));
    TH_TRY(th_cuda_fft_run({ real ? th_cuda_fft::REAL : th_cuda_fft::COMPLEX, sizeof(P) == 8, back, { 1, q.n }, n, 1, half },
                           numbers.as<void>(), real ? spectra.as<void>() : numbers.as<void>()));
    TH_TRY(put<P>(y, out, to, first, n));
  }
  return TH_OK;
}

/* ---- a call: each pass writes another tensor, complex between passes, of floats where the result is of halves ---- */

static th_status all(const th_fft &f, const th_tensor *x, th_tensor *own)
{
  int64_t size[TH_MAXDIM];
  memcpy(size, x->size, sizeof size);
  for (int i = 0; i < f.count; i++) {
    const bool last = i == f.count - 1, is_complex = !last || f.to_complex;
    const th_tensor *from = i ? &own[i - 1] : x;
    const bool from_complex = i || f.from_complex;
    size[f.pass[i].dim] = f.pass[i].size;
    if (is_complex) size[f.ndim] = 2;
    own[i].device = x->device;
    TH_TRY(th_tensor_resize(&own[i], !last && x->dtype < TH_F32 ? TH_F32 : x->dtype, f.ndim + is_complex, size, nullptr));
    if (th_numel(&own[i]) == 0) continue;
    TH_TRY(x->dtype == TH_F64 ? pass<double>(f.pass[i], from, from_complex, &own[i], is_complex, last ? f.scale : 1)
                              : pass<float>(f.pass[i], from, from_complex, &own[i], is_complex, last ? f.scale : 1));
    if (i) th_tensor_release(&own[i - 1]);
  }
  return TH_OK;
}

static th_status transform(const th_call *c, const th_tensor *x)
{
  th_fft f;
  th_tensor own[TH_MAXDIM] = {};
  if (th_cuda_fft_why()) return th_by_cpu(c);
  TH_TRY(th_fft_of(c, &f));
  th_status s = all(f, x, own);
  const bool failed = s == TH_EBACKEND && !th_cuda_records();   /* nothing is written yet: the CPU can do it */
  if (s == TH_OK) s = th_commit(c);
  if (s == TH_OK && th_numel(fft_args_of(c)->y)) s = th_cuda_move(fft_args_of(c)->y, &own[f.count - 1]);
  for (int i = 0; i < f.count; i++) th_tensor_release(&own[i]);
  return failed ? th_by_cpu(c) : s;
}

static th_status run(const th_call *c) { return transform(c, fft_args_of(c)->x); }
static th_status run_grad(const th_call *c) { return transform(c, fft_grad_args_of(c)->g); }

}  // namespace

#define FLOATS(f) nullptr, nullptr, nullptr, nullptr, nullptr, f, f, f, f
TH_KERNELS(fft, FLOATS(run))
TH_KERNELS(ifft, FLOATS(run))
TH_KERNELS(rfft, FLOATS(run))
TH_KERNELS(irfft, FLOATS(run))
TH_KERNELS(fft2, FLOATS(run))
TH_KERNELS(ifft2, FLOATS(run))
TH_KERNELS(rfft2, FLOATS(run))
TH_KERNELS(irfft2, FLOATS(run))
TH_KERNELS(fftn, FLOATS(run))
TH_KERNELS(ifftn, FLOATS(run))
TH_KERNELS(rfftn, FLOATS(run))
TH_KERNELS(irfftn, FLOATS(run))
TH_KERNELS(fft_grad, FLOATS(run_grad))
TH_KERNELS(fftn_grad, FLOATS(run_grad))
