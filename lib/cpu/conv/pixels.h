/* pixels.h - products of pixels, whose channels lie side by side, and kernels in panels.
 *
 * A panel has the kernels of up to PANEL planes: for each number of a window, in order, the planes'
 * numbers side by side, up to a whole vector. The numbers of a window lie in runs, each of which a
 * table of pointers finds for each pixel: so images are read where they lie, and windows that leave
 * the image read zeros (Dukhan, "The Indirect Convolution Algorithm", 2019). Sums begin with the
 * bias and add products in order, so they do not depend on how the work is cut. */
#ifndef TH_CONV_PIXELS_H
#define TH_CONV_PIXELS_H
#include "after.h"

enum {
  V = TH_VB / (int)sizeof(float), WIDE = TH_VB == 64 ? 3 : 2, PANEL = WIDE * V,
  AHEAD = 10                        /* rows of a panel that are fetched ahead */
};

typedef float vec __attribute__((vector_size(TH_VB), aligned(sizeof(float)), may_alias));

/* Up to TH_MR pixels, a panel, and some runs of the windows, one after the other. */
typedef struct patch {
  const float *const *x;            /* for each run TH_MR pointers, one for each pixel */
  int64_t runs, length;             /* length: numbers of a run */
  const float *ahead;               /* kernels of later use, V for each number of the runs */
  const float *kernels;             /* of the panel, from the first run on */
  const float *begin;               /* the bias, up to a whole vector, or earlier sums */
  int64_t begin_step;               /* from pixel to pixel there: 0, or PANEL */
  float *sums;                      /* PANEL apart; NULL: these runs are the last ones */
  float *y;                         /* of the first pixel, `step` apart */
  const float *add;                 /* NULL, or as y */
  int64_t step, add_step, width;    /* width: planes of the panel */
  const th_conv_after *after;       /* NULL: nothing follows */
} patch;

#if TH_VB == 16
static inline vec limited(vec v, vec low, vec high)
{
  for (int i = 0; i < V; i++) v[i] = v[i] < low[i] ? low[i] : v[i] > high[i] ? high[i] : v[i];
  return v;
}
#else
#define limited(v, low, high) ((vec)LIMITED(v, low, high))
#endif

/* Vectors of sums that lie side by side become a part of the result. */
static __attribute__((noinline)) void finish_rows(int mr, const patch *p, const float *sums,
  int64_t row)
{
  static const th_conv_after nothing = { .act = TH_AFTER_NONE };
  for (int i = 0; i < mr; i++) {
    finish_line(p->after ? p->after : &nothing, p->y + i * p->step, sums + i * row,
      p->add ? p->add + i * p->add_step : NULL, p->width);
  }
}

/* mr pixels and nv vectors of planes, both constants where this is inlined. */
TH_INLINE void patch_of(const int mr, const int nv, const patch *p)
{
  vec acc[TH_MR][WIDE];
  const float *b = p->kernels, *ahead = p->ahead;
#pragma GCC unroll 8
  for (int i = 0; i < mr; i++) {
    for (int v = 0; v < nv; v++) acc[i][v] = ((const vec *)(p->begin + i * p->begin_step))[v];
  }
  const float *const *x = p->x;
  for (int64_t r = p->runs; r > 0; r--, x += TH_MR) {
    const float *q[TH_MR];
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) q[i] = x[i];
    for (int64_t k = 0; k < p->length; k++, b += nv * V) {
      vec right[WIDE];
      for (int v = 0; v < nv; v++) {
        right[v] = ((const vec *)b)[v];
        if (mr == 1) __builtin_prefetch(b + (AHEAD * nv + v) * V);
      }
      if (mr > 1 && nv > 1) __builtin_prefetch(ahead, 0, 2), ahead += V;
#pragma GCC unroll 8
      for (int i = 0; i < mr; i++) {
        const vec left = q[i][k] - (vec){ 0 };
        for (int v = 0; v < nv; v++) acc[i][v] = TH_FMA_F32(left, right[v], acc[i][v]);
      }
    }
  }
  if (p->sums) {
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) {
      for (int v = 0; v < nv; v++) ((vec *)(p->sums + i * PANEL))[v] = acc[i][v];
    }
    return;
  }
  const th_conv_after *a = p->after;
  if (p->width < nv * V || (a && a->act == TH_AFTER_GELU)) {
    vec sums[TH_MR][WIDE];
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) {
      for (int v = 0; v < nv; v++) sums[i][v] = acc[i][v];
    }
    finish_rows(mr, p, (const float *)sums, PANEL);
    return;
  }
  if (p->add) {
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) {
      for (int v = 0; v < nv; v++) acc[i][v] += ((const vec *)(p->add + i * p->add_step))[v];
    }
  }
  if (a && a->act == TH_AFTER_CLAMP) {
    const vec low = (float)a->low - (vec){ 0 }, high = (float)a->high - (vec){ 0 };
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) {
      for (int v = 0; v < nv; v++) acc[i][v] = limited(acc[i][v], low, high);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < mr; i++) {
    for (int v = 0; v < nv; v++) ((vec *)(p->y + i * p->step))[v] = acc[i][v];
  }
}

#define PATCH(mr, nv) \
  static __attribute__((noinline)) void patch##mr##nv(const patch *p) { patch_of(mr, nv, p); }
#if TH_VB == 64
#define PATCHES(mr) PATCH(mr, 1) PATCH(mr, 2) PATCH(mr, 3)
#define ROW(mr) { patch##mr##1, patch##mr##2, patch##mr##3 }
#else
#define PATCHES(mr) PATCH(mr, 1) PATCH(mr, 2)
#define ROW(mr) { patch##mr##1, patch##mr##2 }
#endif
PATCHES(1)
PATCHES(2) PATCHES(3) PATCHES(4)
#if TH_MR > 4
PATCHES(5) PATCHES(6)
#endif
#if TH_MR > 6
PATCHES(7) PATCHES(8)
#endif
#undef PATCHES
#undef PATCH

static void (*const patches[TH_MR][WIDE])(const patch *) = {
  ROW(1), ROW(2), ROW(3), ROW(4),
#if TH_MR > 4
  ROW(5), ROW(6),
#endif
#if TH_MR > 6
  ROW(7), ROW(8)
#endif
};
#undef ROW

#endif
