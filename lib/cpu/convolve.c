/* convolve.c - plain convolutions of any type: rows of the result are summed in A, tap by tap. */
#ifndef T
#include "kernel.h"
#include "../op/convolve.args.h"
#include "packed.h"

enum { ROW = 512, GRAIN = 1 << 15 };

/* Three places: depth (1 in two dimensions), rows, columns. Tap a of a dimension reads x at i + a - pad. */
typedef struct job {
  int64_t planes, summed, in[3], k[3], out[3], pad[3];
  bool flip, own;                   /* own: plane i of the kernels belongs to plane i of x */
  const void *x, *w;
  void *y;
} job;

static job job_of(const th_tensor *x, const th_tensor *k, const th_tensor *y, int places, bool full,
                  bool flip)
{
  job j = { .planes = x->ndim > places ? y->size[0] : 1,
            .summed = k->ndim > x->ndim ? x->size[0] : 1,
            .flip = flip,
            .own = x->ndim > places && k->ndim == x->ndim };
  for (int d = 0; d < 3; d++) {
    const int from_end = 3 - d;
    j.in[d] = from_end > places ? 1 : x->size[x->ndim - from_end];
    j.k[d] = from_end > places ? 1 : k->size[k->ndim - from_end];
    j.out[d] = from_end > places ? 1 : y->size[y->ndim - from_end];
    j.pad[d] = full ? j.k[d] - 1 : 0;
  }
  return j;
}

#define TH_SELF "convolve.c"
#include "each_dtype.h"

const th_kernel TH_AT(th_conv2)[TH_NDTYPE] = TH_ALL(conv2);
const th_kernel TH_AT(th_conv3)[TH_NDTYPE] = TH_ALL(conv3);
const th_kernel TH_AT(th_xcorr2)[TH_NDTYPE] = TH_ALL(xcorr2);
const th_kernel TH_AT(th_xcorr3)[TH_NDTYPE] = TH_ALL(xcorr3);

#else

/* Adds the taps of one row of the kernel to columns [from, from + n) of a row of the result. */
static void K(add_row)(const job *j, A *sum, const T *x, const T *w, int64_t from, int64_t n)
{
  for (int64_t a = 0; a < j->k[2]; a++) {
    const A by = (A)LOAD(w[j->flip ? j->k[2] - 1 - a : a]);
    const int64_t shift = from + a - j->pad[2];     /* sum[i] reads x[i + shift] */
    const int64_t first = shift < 0 ? -shift : 0,
                  last = j->in[2] - shift < n ? j->in[2] - shift : n;
    for (int64_t i = first; i < last; i++) sum[i] += by * (A)LOAD(x[i + shift]);
  }
}

/* Block: rows of the result, of all planes and depths. */
static void K(rows)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const int64_t volume = j->in[0] * j->in[1] * j->in[2], taps = j->k[0] * j->k[1] * j->k[2];
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t row = b % j->out[1], depth = b / j->out[1] % j->out[0],
                  plane = b / j->out[1] / j->out[0];
    const T *w = (const T *)j->w + plane * j->summed * taps;
    const T *x = (const T *)j->x + (j->own ? plane : 0) * volume;
    for (int64_t from = 0; from < j->out[2]; from += ROW) {
      const int64_t n = j->out[2] - from < ROW ? j->out[2] - from : ROW;
      A sum[ROW] = { 0 };
      for (int64_t s = 0; s < j->summed; s++) {
        for (int64_t p = 0; p < j->k[0]; p++) {
          for (int64_t q = 0; q < j->k[1]; q++) {
            const int64_t d = depth + p - j->pad[0], h = row + q - j->pad[1];
            if (d < 0 || d >= j->in[0] || h < 0 || h >= j->in[1]) continue;
            const int64_t tp = j->flip ? j->k[0] - 1 - p : p, tq = j->flip ? j->k[1] - 1 - q : q;
            K(add_row)(j, sum, x + s * volume + (d * j->in[1] + h) * j->in[2],
                       w + s * taps + (tp * j->k[1] + tq) * j->k[2], from, n);
          }
        }
      }
      T *y = (T *)j->y + b * j->out[2] + from;
#if IS_INT
      for (int64_t i = 0; i < n; i++) y[i] = (T)sum[i];
#else
      for (int64_t i = 0; i < n; i++) y[i] = STORE((C)sum[i]);
#endif
    }
  }
}

static th_status K(run)(const th_call *c, int places, bool flip)
{
  const convolve_args *a = convolve_args_of(c);
  th_tensor *y = a->y;
  const th_tensor *x = a->x, *k = a->k;
  th_packed packed = { 0 };
  job j = job_of(x, k, y, places, strcmp(a->type, "F") == 0, flip);
  th_status s = th_pack_input(&packed, &x);
  if (s == TH_OK) s = th_pack_input(&packed, &k);
  if (s == TH_OK) s = th_pack_result(&packed, &y, false);
  if (s == TH_OK) {
    j.x = TH_DATA(T, x), j.w = TH_DATA(T, k), j.y = TH_DATA(T, y);
    const int64_t work = j.out[2] * j.summed * j.k[0] * j.k[1] * j.k[2];
    s = th_parallel(j.planes * j.out[0] * j.out[1], GRAIN / (work + 1) + 1, K(rows), &j);
  }
  return th_packed_end(&packed, s);
}

static th_status K(conv2)(const th_call *c) { return K(run)(c, 2, true); }
static th_status K(conv3)(const th_call *c) { return K(run)(c, 3, true); }
static th_status K(xcorr2)(const th_call *c) { return K(run)(c, 2, false); }
static th_status K(xcorr3)(const th_call *c) { return K(run)(c, 3, false); }
#endif
